// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/impact/point_impact.h"

#include <algorithm>
#include <cmath>

#include "thenar/impact/impact_path_internal.h"

namespace thenar {
namespace {

bool is_finite(const PointImpact& impact) {
  const auto rows = impact.tangents + 1;
  const bool is_law_finite =
      std::isfinite(impact.restitution) &&
      std::all_of(impact.friction.begin(), impact.friction.end(), [](double mu) { return std::isfinite(mu); });
  return is_law_finite && impact.u.head(rows).allFinite() && impact.K.topLeftCorner(rows, rows).allFinite();
}

}  // namespace

const char* to_string(ImpactMark mark) {
  switch (mark) {
    case ImpactMark::begin:
      return "begin";
    case ImpactMark::stick:
      return "stick";
    case ImpactMark::slip_resumes:
      return "slip_resumes";
    case ImpactMark::compression_end:
      return "compression_end";
    case ImpactMark::recompression:
      return "recompression";
    case ImpactMark::end:
      break;
  }
  return "end";
}

bool PointImpactResult::has(ImpactMark mark) const {
  return std::any_of(marks.begin(), marks.begin() + mark_count, [&](const Mark& m) { return m.kind == mark; });
}

PointImpactResult solve_point_impact(const PointImpact& impact, ImpactLaw law, const PointImpactOptions& options) {
  PointImpactResult out;
  out.u = impact.u;
  if (!is_finite(impact)) return out;
  if (impact.u(0) >= 0) {
    out.status = ImpactStatus::no_approach;
    return out;
  }
  if (!(impact.K(0, 0) > 0)) return out;
  if (law != ImpactLaw::frictionless) return internal::ImpactPath(impact, law, options).follow();
  PointImpact smooth = impact;
  smooth.friction = {};
  return internal::ImpactPath(smooth, law, options).follow();
}

StickingTest test_sticking(const PointImpact& impact) {
  PointImpact probe = impact;
  probe.u = -Vector4<double>::UnitX();  // sticking does not depend on velocities
  const internal::SlipCoordinates x = internal::make_slip_coordinates(probe);
  StickingTest out;
  out.share = internal::calc_sticking_share(x);
  out.is_stable = out.share <= 1;
  if (out.is_stable) return out;
  const internal::DivergingRay ray = internal::find_diverging_ray(x);
  out.rate = ray.rate * impact.K(0, 0);
  for (std::size_t k = 0; k < 3; ++k) {
    const double mu = impact.friction[k];
    if (static_cast<int>(k) >= impact.tangents || !(mu > 0)) continue;
    for (int i = 0; i < x.size; ++i) out.direction[k] += x.L(static_cast<int>(k), i) * ray.n[i] / (mu * mu);
  }
  return out;
}

}  // namespace thenar
