// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/cone_interior_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "thenar/complementarity/cone_sweep_internal.h"

namespace thenar::internal {
namespace {

constexpr int kFacetsPerRow = 9;
constexpr double kStartSize = 0.3;  // of max |b|
constexpr double kShortStep = 0.05;
constexpr int kMostShortSteps = 6;
constexpr double kBilateralFloor = 1e-12;  // keeps dependent bilateral rows regular; A is near 1

/// x₀² − |x_t|², without cancellation.
double determinant(const BlockVector& x) {
  const double t = x.tail<3>().norm();
  return (x[0] - t) * (x[0] + t);
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
  if (block.section.is_smooth()) return 1;
  if (block.section.is_box()) return 1 + 2 * block.tangents();
  return 1 + block.section.faces + (block.tangents() > 2 ? 2 : 0);
}

}  // namespace

ConeInterior::ConeInterior(int max_rows) : factor_(max_rows), z_(max_rows), w_(max_rows), dz_(max_rows) {
  facets_.reserve(static_cast<std::size_t>(max_rows) * kFacetsPerRow);
  discs_.reserve(static_cast<std::size_t>(max_rows));
}

bool ConeInterior::fits(const ConeSystem& system) const {
  std::size_t count = 0;
  for (const ConeBlock& block : system.blocks()) count += static_cast<std::size_t>(facet_count(block));
  return count <= facets_.capacity();
}

void ConeInterior::add_facets(const ConeBlock& block) {
  const auto add = [&](const BlockVector& a, const BlockVector& motion, double h, double weight) {
    Facet facet;
    facet.block = &block;
    facet.a = a;
    facet.motion = motion;
    facet.h = h;
    facet.weight = weight;
    facets_.push_back(facet);
  };
  const BlockVector e = BlockVector::UnitX();
  if (block.kind == BlockKind::unilateral || block.is_contact()) add(e, e, 0, 1);
  if (block.kind == BlockKind::boxed) {
    add(e, e, block.limit, 1);
    add(-e, -e, block.limit, 1);
  }
  if (!block.is_contact() || block.section.is_smooth()) return;
  const auto add_edge = [&](const BlockVector& a) {
    BlockVector motion = a;
    motion[0] = 0;
    add(a, motion, 0, plan_.friction_weight);
  };
  const auto add_interval = [&](int k) {
    add_edge(e + BlockVector::Unit(k));
    add_edge(e - BlockVector::Unit(k));
  };
  if (block.section.is_box()) {
    for (int k = 1; k <= block.tangents(); ++k) add_interval(k);
    return;
  }
  const int k = block.section.faces;
  for (int j = 0; j < k; ++j) {
    const double angle = std::numbers::pi * (2 * j + 1) / k;
    add_edge({std::cos(std::numbers::pi / k), -std::cos(angle), -std::sin(angle), 0});
  }
  if (block.tangents() > 2) add_interval(3);
}

/// Normal forces and multipliers nearly as large as b: A is near 1, so this is the size of the answer.
void ConeInterior::start(const ConeSystem& system, const InteriorPlan& plan) {
  system_ = &system;
  plan_ = plan;
  steps_ = short_steps_ = 0;
  total_weight_ = 0;
  facets_.clear();
  discs_.clear();
  const double size = kStartSize * system.b_scale();
  auto z = z_.head(system.size());
  z.setZero();
  dz_.head(system.size()).setZero();  // the first mean_gap(0) multiplies it by 0, which would not clear a NaN
  for (const ConeBlock& block : system.blocks()) {
    if (block.is_contact() || block.kind == BlockKind::unilateral) z[block.first] = size;
    add_facets(block);
    if (!is_smooth_contact(block)) continue;
    Disc disc;
    disc.block = &block;
    disc.normal = disc.slack = size;
    disc.multiplier = plan.friction_weight * size;
    total_weight_ += plan.friction_weight;
    discs_.push_back(disc);
  }
  for (Facet& facet : facets_) {
    facet.slack = facet.a.dot(block_of(*facet.block, z)) + facet.h;
    facet.multiplier = facet.weight * size;
    total_weight_ += facet.weight;
  }
  calc_system_motion(system, z, w_.head(system.size()));
}

double ConeInterior::advance(double goal, Eigen::Ref<Eigen::VectorXd> z, Eigen::Ref<Eigen::VectorXd> w) {
  const int n = system_->size();
  double residual = system_->residual(z_.head(n), w_.head(n));
  while (residual > goal && make_step()) residual = system_->residual(z_.head(n), w_.head(n));
  z = z_.head(n);
  w = w_.head(n);
  return residual;
}

/// False, and nothing has changed, if the search is over.
bool ConeInterior::make_step() {
  if (steps_ >= plan_.most_steps || short_steps_ >= kMostShortSteps) return false;
  ++steps_;
  assemble();
  if (!factor_.factor()) return false;
  const double gap = mean_gap(0);
  find_direction(0);
  const double ratio = mean_gap(std::min(1.0, longest_step())) / gap;
  keep_second_order();
  find_direction(std::clamp(ratio * ratio * ratio, plan_.least_centering, 1.0) * gap);
  const double length = std::min(1.0, plan_.to_boundary * longest_step());
  if (!dz_.head(system_->size()).allFinite()) return false;
  if (length <= kShortStep) ++short_steps_;
  move(length);
  return true;
}

/// The matrix A + Θ of (2).
void ConeInterior::assemble() {
  Eigen::Map<Eigen::MatrixXd> matrix = factor_.matrix(system_->size());
  matrix = system_->A();
  for (const ConeBlock& block : system_->blocks()) {
    if (block.kind == BlockKind::bilateral) matrix(block.first, block.first) += kBilateralFloor;
  }
  for (Facet& facet : facets_) {
    const ConeBlock& block = *facet.block;
    const double stiffness = facet.multiplier / facet.slack;
    for (int j = 0; j < block.size; ++j) {
      for (int i = 0; i < block.size; ++i) {
        matrix(block.first + i, block.first + j) += stiffness * facet.motion[i] * facet.a[j];
      }
    }
    facet.second = 0;
  }
  for (Disc& disc : discs_) {
    const int tangents = disc.block->tangents(), normal = disc.block->first, first = normal + 1;
    const double stiffness = 2 * disc.multiplier / disc.slack;
    for (int i = 0; i < tangents; ++i) {
      matrix(first + i, normal) -= stiffness * disc.p[i];
      matrix(first + i, first + i) += disc.multiplier / disc.normal;
      for (int j = 0; j < tangents; ++j) matrix(first + i, first + j) += stiffness * disc.p[i] * disc.p[j];
    }
    disc.second = 0;
    disc.second_motion.setZero();
  }
}

/// Changes of forces, slacks and multipliers towards products of `target` times their weights.
void ConeInterior::find_direction(double target) {
  auto dz = dz_.head(system_->size());
  dz = -w_.head(system_->size());
  for (Facet& facet : facets_) {
    const double multiplier = (facet.weight * target - facet.second) / facet.slack;
    facet.d_multiplier = multiplier - facet.multiplier;
    for (int k = 0; k < facet.block->size; ++k) dz[facet.block->first + k] += multiplier * facet.motion[k];
  }
  for (Disc& disc : discs_) {
    const double multiplier = (plan_.friction_weight * target - disc.second) / disc.slack;
    disc.d_multiplier = multiplier - disc.multiplier;
    for (int k = 0; k < disc.block->tangents(); ++k) {
      dz[disc.block->first + 1 + k] -= multiplier * disc.p[k] + disc.second_motion[k];
    }
  }
  factor_.solve(dz);
  for (Facet& facet : facets_) {
    facet.d_slack = facet.a.dot(block_of(*facet.block, dz));
    facet.d_multiplier -= facet.multiplier / facet.slack * facet.d_slack;
  }
  for (Disc& disc : discs_) {
    const BlockVector d = block_of(*disc.block, dz);
    disc.d_slack = (1 + disc.p.squaredNorm()) * d[0] - 2 * disc.p.dot(d.tail<3>());
    disc.d_multiplier -= disc.multiplier / disc.slack * disc.d_slack;
  }
}

/// What the products miss by being linearised, for the last direction at full length: with turn = (dz_t − p dzₙ) / zₙ,
/// the change of p, s changes by d_slack − zₙ |turn|² and p by turn (1 − dzₙ / zₙ), to second order.
void ConeInterior::keep_second_order() {
  const double share = plan_.second_order;
  for (Facet& facet : facets_) facet.second = share * facet.d_slack * facet.d_multiplier;
  for (Disc& disc : discs_) {
    const BlockVector d = block_of(*disc.block, dz_);
    const Tangent turn = (d.tail<3>() - d[0] * disc.p) / disc.normal;
    disc.second = share * (disc.d_slack * disc.d_multiplier - disc.multiplier * disc.normal * turn.squaredNorm());
    disc.second_motion = share * (disc.d_multiplier - disc.multiplier * d[0] / disc.normal) * turn;
  }
}

/// μ after a step of this length along the last direction.
double ConeInterior::mean_gap(double length) const {
  double sum = 0;
  for (const Facet& facet : facets_) {
    sum += (facet.slack + length * facet.d_slack) * (facet.multiplier + length * facet.d_multiplier);
  }
  for (const Disc& disc : discs_) {
    const BlockVector force = block_of(*disc.block, z_) + length * block_of(*disc.block, dz_);
    sum += determinant(force) / force[0] * (disc.multiplier + length * disc.d_multiplier);
  }
  return sum / std::max(total_weight_, 1.0);
}

double ConeInterior::longest_step() const {
  double length = std::numeric_limits<double>::infinity();
  for (const Facet& facet : facets_) {
    if (facet.d_slack < 0) length = std::min(length, -facet.slack / facet.d_slack);
    if (facet.d_multiplier < 0) length = std::min(length, -facet.multiplier / facet.d_multiplier);
  }
  for (const Disc& disc : discs_) {
    length = std::min(length, longest_in_cone(block_of(*disc.block, z_), block_of(*disc.block, dz_)));
    if (disc.d_multiplier < 0) length = std::min(length, -disc.multiplier / disc.d_multiplier);
  }
  return length;
}

void ConeInterior::move(double length) {
  auto z = z_.head(system_->size());
  z += length * dz_.head(system_->size());
  for (Facet& facet : facets_) {
    facet.slack += length * facet.d_slack;
    facet.multiplier += length * facet.d_multiplier;
  }
  for (Disc& disc : discs_) {
    const BlockVector force = block_of(*disc.block, z);
    disc.normal = force[0];
    disc.p = force.tail<3>() / force[0];
    disc.slack = determinant(force) / force[0];
    disc.multiplier += length * disc.d_multiplier;
  }
  calc_system_motion(*system_, z, w_.head(system_->size()));
}

}  // namespace thenar::internal
