// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/step_chart.h"

#include <algorithm>
#include <cmath>

#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

bool is_rotation_in_space(const Link& link) { return link.kind == LinkKind::ball || link.kind == LinkKind::free; }

}  // namespace

/// J⁻¹(x) = J⁻ᵀ(−x).
void turn_into_chart_rate(const Model& model, const double* x, double* rate) {
  for (int i = 1; i <= model.link_count(); ++i) {
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    if (!is_rotation_in_space(link)) continue;
    const double* p = x + link.v;
    double* r = rate + link.v;
    const Vec3<double> out =
        left_jacobian_inverse_transpose(Vec3<double>(-p[0], -p[1], -p[2]), Vec3<double>(r[0], r[1], r[2]));
    r[0] = out.x, r[1] = out.y, r[2] = out.z;
  }
}

double calc_largest_rotation(const Model& model, const double* x) {
  double largest = 0;
  for (const Link& link : model.links()) {
    if (is_rotation_in_space(link)) largest = std::max(largest, std::hypot(x[link.v], x[link.v + 1], x[link.v + 2]));
  }
  return largest;
}

}  // namespace thenar
