// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/step_powers_internal.h"

#include <algorithm>
#include <cmath>

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Vector = VectorX<double>;

/// Powers whose integrals by two rules differ by no more than this part are smooth.
constexpr double kSmoothPower = 1e-4;
/// Powers below this part of the usual force times the usual speed are rounding.
constexpr double kNoPower = 1e-6;

}  // namespace

/// Clenshaw and Curtis' rules of degree 4 and 8.
bool StepPowers::are_smooth() const {
  constexpr double kFine[] = {1.0 / 63, 0.14621864921601815, 0.27936507936507937, 0.36171785872048978,
                              0.39365079365079364};
  constexpr double kCoarse[] = {1.0 / 15, 8.0 / 15, 12.0 / 15};
  const double size = work.cwiseAbs().mean() + dissipated.cwiseAbs().mean() + kNoPower * usual;
  for (const Vector* powers : {&work, &dissipated}) {
    double fine = 0, coarse = 0;
    for (int k = 0; k <= kSlowDegree; ++k) {
      fine += 0.5 * kFine[std::min(k, kSlowDegree - k)] * (*powers)(k);
      if (k % 2 == 0) coarse += 0.5 * kCoarse[std::min(k, kSlowDegree - k) / 2] * (*powers)(k);
    }
    if (!(std::abs(fine - coarse) <= kSmoothPower * size)) return false;
  }
  return true;
}

/// The polynomials through the powers at the places, integrated by the rule that is exact for them.
StepPoint StepPowers::integrate(const std::vector<double>& nodes, double h, double theta) const {
  const auto n = static_cast<Index>(nodes.size());
  const auto interpolate_at = [&](double x, const Vector& values) {
    double sum = 0, weights = 0;
    for (Index k = 0; k < n; ++k) {
      const double node = nodes[static_cast<std::size_t>(k)];
      if (x == node) return values(k);
      const double w = (k % 2 == 0 ? 1 : -1) * (k == 0 || k == n - 1 ? 0.5 : 1) / (x - node);  // barycentric
      sum += w * values(k);
      weights += w;
    }
    return sum / weights;
  };
  // Gauss–Legendre with five points, exact up to degree 9.
  constexpr double kPlaces[] = {0, 0.5384693101056831, 0.9061798459386640};
  constexpr double kWeights[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  StepPoint out;
  const auto add = [&](double place, double weight) {
    const double x = 0.5 * theta * (1 + place);
    out.work += 0.5 * theta * h * weight * interpolate_at(x, work);
    out.dissipated += 0.5 * theta * h * weight * interpolate_at(x, dissipated);
  };
  add(kPlaces[0], kWeights[0]);
  for (int k = 1; k < 3; ++k) {
    add(kPlaces[k], kWeights[k]);
    add(-kPlaces[k], kWeights[k]);
  }
  return out;
}

}  // namespace thenar::internal
