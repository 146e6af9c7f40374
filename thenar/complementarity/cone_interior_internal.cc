// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/cone_interior_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "thenar/complementarity/cone_sweep_internal.h"

namespace thenar::internal {
namespace {

constexpr int kFacetsPerRow = 8;
constexpr double kShortStep = 0.05;
constexpr int kMostShortSteps = 6;
constexpr int kCalmSteps = 3;  // after a short step, until φ is followed again
constexpr double kLeastCentering = 0.05;
constexpr double kToBoundary = 0.9;        // share of the way to the nearest boundary; friction's kinks punish haste
constexpr double kBilateralFloor = 1e-12;  // keeps dependent bilateral rows regular; A is near 1

/// x₀² − |x_t|², without cancellation.
double determinant(const BlockVector& x) {
  const double t = x.tail<3>().norm();
  return (x[0] - t) * (x[0] + t);
}

/// x ∘ y.
BlockVector jordan_product(const BlockVector& x, const BlockVector& y) {
  BlockVector product;
  product[0] = x.dot(y);
  product.tail<3>() = x[0] * y.tail<3>() + y[0] * x.tail<3>();
  return product;
}

/// y with x ∘ y = right.
BlockVector jordan_quotient(const BlockVector& x, const BlockVector& right) {
  BlockVector y;
  y[0] = (x[0] * right[0] - x.tail<3>().dot(right.tail<3>())) / determinant(x);
  y.tail<3>() = (right.tail<3>() - y[0] * x.tail<3>()) / x[0];
  return y;
}

/// The scaling W with W z = W⁻¹ u (Vandenberghe 2010, section 4.2).
BlockMatrix scaling_point(const BlockVector& z, const BlockVector& u) {
  const double size_z = std::sqrt(determinant(z)), size_u = std::sqrt(determinant(u));
  const BlockVector unit_z = z / size_z, unit_u = u / size_u;
  BlockVector middle = unit_u;
  middle[0] += unit_z[0];
  middle.tail<3>() -= unit_z.tail<3>();
  middle /= std::sqrt(2 * (1 + unit_z.dot(unit_u)));
  BlockMatrix W;
  W.row(0) = middle.transpose();
  W.col(0) = middle;
  W.bottomRightCorner<3, 3>() =
      Eigen::Matrix3d::Identity() + middle.tail<3>() * (middle.tail<3>() / (1 + middle[0])).transpose();
  return std::sqrt(size_u / size_z) * W;
}

/// Largest α with x + α d in the second-order cone; x is inside.
double longest_in_cone(const BlockVector& x, const BlockVector& d) {
  // det(x + α d) = c + 2 b α + a α²
  const double a = determinant(d), b = x[0] * d[0] - x.tail<3>().dot(d.tail<3>()), c = determinant(x);
  const double discriminant = b * b - a * c;
  double length = std::numeric_limits<double>::infinity();
  if (a < 0 || (b < 0 && discriminant >= 0)) {
    const double root = std::sqrt(std::max(discriminant, 0.0));
    length = b <= 0 ? c / (root - b) : (-b - root) / a;
  }
  return d[0] < 0 ? std::min(length, -x[0] / d[0]) : length;
}

bool is_smooth_contact(const ConeBlock& block) { return block.is_contact() && block.section.is_smooth(); }

int facet_count(const ConeBlock& block) {
  switch (block.kind) {
    case BlockKind::bilateral:
      return 0;
    case BlockKind::unilateral:
      return 1;
    case BlockKind::boxed:
      return 2;
    case BlockKind::contact:
      break;
  }
  return block.section.is_smooth() ? 0 : block.section.faces + (block.tangents() > 2 ? 2 : 0);
}

/// dφ/dw_t: minus the friction force, per unit of normal force, that takes most power from w.
Tangent slip_gradient(const ConeSection& section, const Tangent& w) {
  const double length = w.norm();
  if (!(length > 0)) return Tangent::Zero();
  if (section.is_smooth()) return w / length;
  constexpr double kFar = 1e9;  // the nearest point to a far one is the extreme one in its direction
  return -project_on_section(section, -kFar / length * w, 1).p;
}

}  // namespace

ConeInterior::ConeInterior(int max_rows) : factor_(max_rows), residual_(max_rows), dz_(max_rows) {
  facets_.reserve(static_cast<std::size_t>(max_rows) * kFacetsPerRow);
  cones_.reserve(static_cast<std::size_t>(max_rows));
}

bool ConeInterior::fits(const ConeSystem& system) const {
  std::size_t count = 0;
  for (const ConeBlock& block : system.blocks()) count += static_cast<std::size_t>(facet_count(block));
  return count <= facets_.capacity();
}

void ConeInterior::add_facets(const ConeBlock& block) {
  const auto add = [&](const BlockVector& a, double h) {
    Facet facet;
    facet.block = &block;
    facet.a = a;
    facet.h = h;
    facets_.push_back(facet);
  };
  if (block.kind == BlockKind::unilateral) add(BlockVector::UnitX(), 0);
  if (block.kind == BlockKind::boxed) {
    add(BlockVector::UnitX(), block.limit);
    add(-BlockVector::UnitX(), block.limit);
  }
  if (!block.is_contact() || block.section.is_smooth()) return;
  const int k = block.section.faces;
  for (int j = 0; j < k; ++j) {
    const double angle = std::numbers::pi * (2 * j + 1) / k;
    add({std::cos(std::numbers::pi / k), -std::cos(angle), -std::sin(angle), 0}, 0);
  }
  if (block.tangents() > 2) {
    add({1, 0, 0, 1}, 0);
    add({1, 0, 0, -1}, 0);
  }
}

/// Normal forces, u and multipliers as large as b: A is near 1, so this is the size of the answer.
void ConeInterior::start(const ConeSystem& system, Vector z, Vector w) {
  const double size = system.b_scale();
  facets_.clear();
  cones_.clear();
  z.setZero();
  for (const ConeBlock& block : system.blocks()) {
    if (block.is_contact() || block.kind == BlockKind::unilateral) z[block.first] = size;
    add_facets(block);
    if (!is_smooth_contact(block)) continue;
    Cone cone;
    cone.block = &block;
    cone.u[0] = size;
    cones_.push_back(cone);
  }
  for (Facet& facet : facets_) {
    facet.slack = facet.a.dot(block_of(*facet.block, z)) + facet.h;
    facet.multiplier = size;
  }
  calc_system_motion(system, z, w);
}

/// μ after a step of this length along the last direction.
double ConeInterior::mean_gap(const ConstVector& z, double length) const {
  double sum = 0;
  for (const Cone& cone : cones_) {
    sum += (block_of(*cone.block, z) + length * block_of(*cone.block, dz_)).dot(cone.u + length * cone.du);
  }
  for (const Facet& facet : facets_) {
    sum += (facet.slack + length * facet.d_slack) * (facet.multiplier + length * facet.d_multiplier);
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, cones_.size() + facets_.size()));
}

/// φ and its derivative.
void ConeInterior::assemble_slip(const ConeSystem& system, const ConstVector& w, Eigen::Map<Eigen::MatrixXd>& matrix) {
  const auto A = system.A();
  for (const ConeBlock& block : system.blocks()) {
    if (!block.is_contact()) continue;
    const Tangent slip = block_of(block, w).tail<3>();
    residual_[block.first] += best_section_power(block.section, slip);
    if (!follows_slip_) continue;
    const Tangent g = slip_gradient(block.section, slip);
    for (int j = 0; j < system.size(); ++j) {
      const double* rows = A.col(j).data() + block.first;
      for (int k = 0; k < block.tangents(); ++k) matrix(block.first, j) += g[k] * rows[1 + k];
    }
  }
}

/// The residual w + φ eₙ − u and the matrix (I + eₙ gᵀ) A + Θ.
void ConeInterior::assemble(const ConeSystem& system, const ConstVector& z, const ConstVector& w) {
  const int n = system.size();
  Eigen::Map<Eigen::MatrixXd> matrix = factor_.matrix(n);
  matrix = system.A();
  residual_.head(n) = w;
  assemble_slip(system, w, matrix);
  const auto add_theta = [&matrix](const ConeBlock& block, const BlockMatrix& theta) {
    for (int j = 0; j < block.size; ++j) {
      for (int i = 0; i < block.size; ++i) matrix(block.first + i, block.first + j) += theta(i, j);
    }
  };
  for (const ConeBlock& block : system.blocks()) {
    if (block.kind == BlockKind::bilateral) matrix(block.first, block.first) += kBilateralFloor;
  }
  for (const Facet& facet : facets_) {
    const ConeBlock& block = *facet.block;
    for (int k = 0; k < block.size; ++k) residual_[block.first + k] -= facet.multiplier * facet.a[k];
    add_theta(block, facet.multiplier / facet.slack * facet.a * facet.a.transpose());
  }
  for (Cone& cone : cones_) {
    const ConeBlock& block = *cone.block;
    for (int k = 0; k < block.size; ++k) residual_[block.first + k] -= cone.u[k];
    const BlockVector force = block_of(block, z);
    cone.W = scaling_point(force, cone.u);
    cone.W2 = cone.W * cone.W;
    cone.scaled = cone.W * force;
    add_theta(block, cone.W2);
  }
}

/// Changes of z, u, slacks and multipliers towards the point with gap `target`. The predictor keeps the products of its
/// changes, which the corrector takes into account.
void ConeInterior::find_direction(const ConeSystem& system, double target, bool is_corrector) {
  dz_.head(system.size()) = -residual_.head(system.size());
  for (Cone& cone : cones_) {
    BlockVector right = -jordan_product(cone.scaled, cone.scaled);
    right[0] += target;
    if (is_corrector) right -= cone.second;
    cone.du = cone.W * jordan_quotient(cone.scaled, right);
    for (int k = 0; k < cone.block->size; ++k) dz_[cone.block->first + k] += cone.du[k];
  }
  for (Facet& facet : facets_) {
    facet.d_multiplier = (target - (is_corrector ? facet.second : 0)) / facet.slack - facet.multiplier;
    for (int k = 0; k < facet.block->size; ++k) dz_[facet.block->first + k] += facet.d_multiplier * facet.a[k];
  }
  factor_.solve(dz_.head(system.size()));
  for (Cone& cone : cones_) {
    const BlockVector d = block_of(*cone.block, dz_);
    cone.du -= cone.W2 * d;
    if (is_corrector) continue;
    const BlockVector scaled = cone.W * d;
    cone.second = jordan_product(scaled, -cone.scaled - scaled);  // W⁻¹ du = −λ − W dz without a target
  }
  for (Facet& facet : facets_) {
    facet.d_slack = facet.a.dot(block_of(*facet.block, dz_));
    facet.d_multiplier -= facet.multiplier / facet.slack * facet.d_slack;
    if (!is_corrector) facet.second = facet.d_slack * facet.d_multiplier;
  }
}

double ConeInterior::longest_step(const ConstVector& z) const {
  double length = std::numeric_limits<double>::infinity();
  for (const Cone& cone : cones_) {
    length = std::min(length, longest_in_cone(block_of(*cone.block, z), block_of(*cone.block, dz_)));
    length = std::min(length, longest_in_cone(cone.u, cone.du));
  }
  for (const Facet& facet : facets_) {
    if (facet.d_slack < 0) length = std::min(length, -facet.slack / facet.d_slack);
    if (facet.d_multiplier < 0) length = std::min(length, -facet.multiplier / facet.d_multiplier);
  }
  return length;
}

void ConeInterior::move(const ConeSystem& system, double length, Vector z, Vector w) {
  z += length * dz_.head(system.size());
  for (Cone& cone : cones_) cone.u += length * cone.du;
  for (Facet& facet : facets_) {
    facet.slack += length * facet.d_slack;
    facet.multiplier += length * facet.d_multiplier;
  }
  calc_system_motion(system, z, w);
}

double ConeInterior::run(const ConeSystem& system, double goal, const InteriorPlan& plan, Vector z, Vector w) {
  start(system, z, w);
  double residual = system.residual(z, w);
  int short_steps = 0, calm_steps = kCalmSteps;
  follows_slip_ = plan.follows_slip;
  for (steps_ = 0; steps_ < plan.most_steps && residual > goal; ++steps_) {
    assemble(system, z, w);
    if (!factor_.factor()) break;
    const double gap = mean_gap(z, 0);
    find_direction(system, 0, false);
    const double predicted = mean_gap(z, std::min(1.0, longest_step(z)));
    const double centering = std::clamp(std::pow(predicted / gap, 3), kLeastCentering, 1.0);
    find_direction(system, centering * gap, true);
    const double length = std::min(1.0, kToBoundary * longest_step(z));
    if (!dz_.head(system.size()).allFinite()) break;
    if (length > kShortStep) {
      ++calm_steps;
    } else {
      calm_steps = 0;
      if (++short_steps >= kMostShortSteps) break;
    }
    follows_slip_ = plan.follows_slip && calm_steps >= kCalmSteps;
    move(system, length, z, w);
    residual = system.residual(z, w);
  }
  return residual;
}

}  // namespace thenar::internal
