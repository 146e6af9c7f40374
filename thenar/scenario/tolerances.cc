// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/scenario/tolerances.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thenar {
namespace {

/// Distance of the centre of mass from the origin plus the radius of gyration, m.
double extent_of(const MassProperties& mass) {
  if (!(mass.mass > 0)) return 0;
  const double gyration =
      std::sqrt(std::max(0.0, (mass.inertia.xx + mass.inertia.yy + mass.inertia.zz)) / (2 * mass.mass));
  return mass.com.norm() + gyration;
}

double find_length(const Model& model) {
  std::vector<double> path(model.links().size(), 0.0);
  double reach = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto parent = static_cast<std::size_t>(model.links()[i].parent);
    // Where a tree is mounted in the world says nothing about its size.
    if (parent != 0) path[i] = path[parent] + model.link_constants()[i].p_PF.eigen().norm();
  }
  for (const Body& body : model.bodies()) {
    if (body.link == 0) continue;
    reach = std::max(reach, path[static_cast<std::size_t>(body.link)] + body.X_LB.p.norm() + extent_of(body.mass));
  }
  return reach > 0 ? reach : 1;
}

}  // namespace

Scales find_scales(const Model& model, const State& initial) {
  Scales scales;
  scales.length = find_length(model);
  scales.mass = model.total_mass() > 0 ? model.total_mass() : 1;
  double rate = std::sqrt(model.gravity().norm() / scales.length);
  for (int i = 0; i < model.velocity_count(); ++i) {
    const double unit = model.is_angular(i) ? 1 : scales.length;
    rate = std::max(rate, std::abs(initial.v(i)) / unit);
  }
  scales.time = rate > 0 ? 1 / rate : 1;
  return scales;
}

Tolerances::Tolerances(const Model& model, const Scales& scales, double tolerance)
    : scales_(scales), tolerance_(tolerance) {
  for (int i = 0; i < model.velocity_count(); ++i) units_.push_back(model.is_angular(i) ? 1 : scales.length);
}

double Tolerances::velocity_weight(int dof, double v) const {
  return tolerance_ * (unit(dof) / scales_.time + std::abs(v));
}

double Tolerances::smallest_hop(double size) const {
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::max(size, scales_.length);
  return std::max(kSmallestBounce * tolerance_ * scales_.length, kBounceOverRounding * rounding);
}

double Tolerances::gap_rounding(int dof, double q, double bound) const {
  constexpr double kUlps = 8;
  return kUlps * std::numeric_limits<double>::epsilon() * std::max({unit(dof), std::abs(q), std::abs(bound)});
}

}  // namespace thenar
