// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/shape_bounds.h"

#include <algorithm>

namespace thenar {

Bounds calc_bounds(const GrownCore& shape, const Pose<double>& X_WS) {
  const Mat3<double> R_SW = Mat3<double>(X_WS.R).transpose();  // its columns are the axes of the world, in S
  const Vec3<double> p = X_WS.p;
  const auto reach = [&shape](const Vec3<double>& d_S) { return support(shape.core, d_S).distance + shape.radius; };
  const Vec3<double> up{reach(R_SW.x), reach(R_SW.y), reach(R_SW.z)};
  // All cores but the cone reach as far along −d as along d.
  const bool is_symmetric = shape.core.kind != CoreKind::cone;
  const Vec3<double> down = is_symmetric ? up : Vec3<double>(reach(-R_SW.x), reach(-R_SW.y), reach(-R_SW.z));
  return {p - down, p + up};
}

Bounds join(const Bounds& a, const Bounds& b) {
  return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
          {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

}  // namespace thenar
