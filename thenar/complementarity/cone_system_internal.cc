// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/cone_system_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thenar::internal {
namespace {

/// A power of two near 1/√a; 1 for rows that cannot be moved.
double cone_scale(double a) {
  if (!(a > 0) || !std::isfinite(a)) return 1;
  const int exponent = std::ilogb(a);
  return std::ldexp(1.0, -(exponent + (exponent & 1)) / 2);
}

}  // namespace

BlockVector project_block(const ConeBlock& block, const BlockVector& z, const BlockVector& w) {
  BlockVector x = z - block.step * w;
  switch (block.kind) {
    case BlockKind::bilateral:
      break;
    case BlockKind::unilateral:
      x[0] = std::max(x[0], 0.0);
      break;
    case BlockKind::boxed:
      x[0] = std::clamp(x[0], -block.limit, block.limit);
      break;
    case BlockKind::contact:
      x[0] = std::max(x[0], 0.0);
      x.tail<3>() = nearest_on_section(block.section, x.tail<3>(), x[0]);
      break;
  }
  return x;
}

double block_residual(const ConeBlock& block, const BlockVector& z, const BlockVector& w) {
  const double missing = (z - project_block(block, z, w)).lpNorm<Eigen::Infinity>();
  return missing * std::max(1.0, 1 / block.step);
}

ConeSystem::ConeSystem(int max_rows) {
  const auto n = static_cast<std::size_t>(max_rows);
  blocks_.reserve(n);
  sliding_.reserve(n);
  row_.reserve(n);
  scale_.reserve(n);
  b_.reserve(n);
  A_.reserve(n * n);
}

void ConeSystem::add_row(int row, double scale) {
  row_.push_back(row);
  scale_.push_back(scale);
}

void ConeSystem::add_block(const ConstraintProblem& problem, int row) {
  const ConstraintRow& head = problem.row(row);
  const double scale = cone_scale(problem.A()(row, row));
  ConeBlock block;
  block.first = static_cast<int>(row_.size());
  block.row = row;
  add_row(row, scale);
  if (head.kind == RowKind::unilateral) block.kind = BlockKind::unilateral;
  if (head.kind == RowKind::boxed && std::isfinite(head.limit)) {
    block.kind = BlockKind::boxed;
    block.limit = head.limit / scale;
  }
  if (problem.is_sliding_contact(row)) {
    block.kind = BlockKind::unilateral;
    for (int k = row + 1; k <= row + problem.tangent_count(row); ++k) {
      sliding_.push_back({k, block.first, problem.row(k).limit});
    }
  } else if (head.kind == RowKind::normal) {
    const int tangents = problem.tangent_count(row);
    for (int k = row + 1; k <= row + tangents; ++k) {
      if (problem.row(k).limit > 0) add_row(k, problem.row(k).limit * scale);
    }
    block.size = static_cast<int>(row_.size()) - block.first;
    block.kind = block.size > 1 ? BlockKind::contact : BlockKind::unilateral;
    // One direction is an interval, whatever the faces; a polygon has friction in its two directions or in none.
    const bool has_polygon = head.faces > kBoxFaces && tangents > 1 && problem.row(row + 1).limit > 0;
    const bool has_box = head.faces == kBoxFaces && block.tangents() > 1;
    block.section = {.tangents = block.tangents(), .faces = has_polygon || has_box ? head.faces : 0};
  }
  blocks_.push_back(block);
}

bool ConeSystem::load(const ConstraintProblem& problem) {
  blocks_.clear();
  sliding_.clear();
  row_.clear();
  scale_.clear();
  for (int row = 0; row < problem.size();) {
    add_block(problem, row);
    row += 1 + problem.tangent_count(row);
  }
  size_ = static_cast<int>(row_.size());
  A_.resize(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_));
  b_.resize(static_cast<std::size_t>(size_));
  const auto A = problem.A();
  double sum = 0;  // not finite if any number is not
  b_scale_ = 0;
  double* entry = A_.data();
  for (int j = 0; j < size_; ++j) {
    for (int i = 0; i < size_; ++i) {
      *entry = scale_[i] * A(row_[i], row_[j]) * scale_[j];
      sum += std::abs(*entry++);
    }
    b_[j] = scale_[j] * problem.b()[row_[j]];
    sum += std::abs(b_[j]);
    b_scale_ = std::max(b_scale_, std::abs(b_[j]));
  }
  if (b_scale_ == 0) b_scale_ = 1;
  for (ConeBlock& block : blocks_) {
    const double trace = this->A().diagonal().segment(block.first, block.size).sum();
    block.step = trace > 0 ? block.size / trace : 1;
  }
  if (!std::isfinite(sum)) return false;
  if (size_ == problem.size()) return true;
  add_sliding_forces(problem);
  return this->A().allFinite() && A.allFinite() && problem.b().allFinite();  // rows left out have motions too
}

/// Columns of contacts that slide: eₙ + Σₖ rₖ eₖ.
void ConeSystem::add_sliding_forces(const ConstraintProblem& problem) {
  const auto A = problem.A();
  for (const SlidingRow& s : sliding_) {
    double* column = A_.data() + static_cast<std::ptrdiff_t>(s.normal) * size_;
    for (int i = 0; i < size_; ++i) column[i] += scale_[i] * (s.ratio * A(row_[i], s.row)) * scale_[s.normal];
  }
}

double ConeSystem::residual(const Eigen::Ref<const Eigen::VectorXd>& z,
                            const Eigen::Ref<const Eigen::VectorXd>& w) const {
  // z − (z − w) knows w only to the rounding of z: where forces run away, nothing may look solved.
  const double largest = size_ > 0 ? z.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() : 0;
  double worst = std::numeric_limits<double>::epsilon() * largest;
  for (const ConeBlock& block : blocks_) {
    const double missing = block_residual(block, block_of(block, z), block_of(block, w));
    if (std::isnan(missing)) return missing;
    worst = std::max(worst, missing);
  }
  return worst / b_scale_;
}

void ConeSystem::read_forces(std::span<const double> z, Eigen::Ref<Eigen::VectorXd> scaled) const {
  for (int i = 0; i < size_; ++i) {
    const double force = z[static_cast<std::size_t>(row_[i])] / scale_[i];
    scaled[i] = std::isfinite(force) ? force : 0;
  }
}

void ConeSystem::write_forces(const Eigen::Ref<const Eigen::VectorXd>& scaled, std::span<double> z) const {
  std::fill(z.begin(), z.end(), 0.0);
  for (int i = 0; i < size_; ++i) z[static_cast<std::size_t>(row_[i])] = scale_[i] * scaled[i];
  for (const SlidingRow& s : sliding_) {
    z[static_cast<std::size_t>(s.row)] = s.ratio * z[static_cast<std::size_t>(row_[s.normal])];
  }
}

}  // namespace thenar::internal
