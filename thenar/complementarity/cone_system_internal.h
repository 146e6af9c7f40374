// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A constraint problem with contacts in the units its solvers work in: rows divided so that normal rows, and rows of
/// other kinds, have Aᵢᵢ near 1 (by powers of two, so that units in powers of two change no bit), and tangent rows so
/// that all friction coefficients are 1: with zₙ = dₙ ẑₙ and zₖ = μₖ dₙ ẑₖ,
///
///     Σₖ (zₖ/μₖ)² ≤ zₙ²  ⟺  |ẑ_t| ≤ ẑₙ,      wₙ = ŵₙ / dₙ,  wₖ = ŵₖ / (μₖ dₙ).
///
/// Smooth cones of all kinds are then one, the second-order cone of two to four dimensions. Rows without friction carry
/// no force and are left out; a contact that has no other tangent rows is a unilateral row. So is one that slides, with
/// the column eₙ + Σₖ rₖ eₖ of forces in place of eₙ: A of the system is not symmetric then. All below is in these
/// units.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "thenar/complementarity/cone_section_internal.h"
#include "thenar/complementarity/constraint_problem.h"

namespace thenar::internal {

enum class BlockKind : std::uint8_t { bilateral, unilateral, boxed, contact };

/// Rows first … first + size − 1 of the system that belong together: a contact, or one row of another kind.
struct ConeBlock {
  BlockKind kind = BlockKind::bilateral;
  int first = 0;
  int size = 1;
  double limit = 0;     ///< of boxed rows
  ConeSection section;  ///< of contacts
  /// 1 / mean diagonal of the rows: force per motion, for projections. Of a contact that slides, that of its normal row
  /// alone: with friction it may be 0 or negative.
  double step = 1;
  int row = 0;  ///< its first row in the problem

  bool is_contact() const { return kind == BlockKind::contact; }
  int tangents() const { return size - 1; }
};

/// Four dimensions, normal first; those that a block does not have are 0.
using BlockVector = Eigen::Vector4d;
using BlockMatrix = Eigen::Matrix4d;

/// The block's part of a vector of the system, and of its matrix.
template <class Vector>
BlockVector block_of(const ConeBlock& block, const Vector& vector) {
  BlockVector part = BlockVector::Zero();
  for (int k = 0; k < block.size; ++k) part[k] = vector[block.first + k];
  return part;
}
template <class Matrix>
BlockMatrix diagonal_block_of(const ConeBlock& block, const Matrix& matrix) {
  BlockMatrix part = BlockMatrix::Zero();
  for (int k = 0; k < block.size; ++k) {
    for (int i = 0; i < block.size; ++i) part(i, k) = matrix(block.first + i, block.first + k);
  }
  return part;
}

/// The force nearest to x = z − step w that the block admits, where the friction's bounds are those of x's own normal
/// part. z solves the block's laws iff it is this projection.
BlockVector project_block(const ConeBlock& block, const BlockVector& z, const BlockVector& w);

/// How far the block is from its laws: |z − project_block(z, w)| as a force or, where that is larger, as a motion.
double block_residual(const ConeBlock& block, const BlockVector& z, const BlockVector& w);

class ConeSystem {
 public:
  explicit ConeSystem(int max_rows);

  /// Takes over a problem without faults; false if it has numbers that are not finite.
  bool load(const ConstraintProblem& problem);

  int size() const { return size_; }
  std::span<const ConeBlock> blocks() const { return blocks_; }
  Eigen::Map<const Eigen::MatrixXd> A() const { return {A_.data(), size_, size_}; }
  Eigen::Map<const Eigen::VectorXd> b() const { return {b_.data(), size_}; }
  double b_scale() const { return b_scale_; }  ///< max |b|; 1 where all are 0

  /// Largest block_residual() over b_scale(), but not less than the rounding of z.
  double residual(const Eigen::Ref<const Eigen::VectorXd>& z, const Eigen::Ref<const Eigen::VectorXd>& w) const;

  /// Between the units of the system and those of the problem. Numbers in `z` that are not finite count as 0.
  void read_forces(std::span<const double> z, Eigen::Ref<Eigen::VectorXd> scaled) const;
  void write_forces(const Eigen::Ref<const Eigen::VectorXd>& scaled, std::span<double> z) const;

 private:
  void add_block(const ConstraintProblem& problem, int row);
  void add_row(int row, double scale);
  void add_sliding_forces(const ConstraintProblem& problem);

  /// A row of the problem that is left out, with the force ratio × that of a normal row of the system.
  struct SlidingRow {
    int row = 0, normal = 0;
    double ratio = 0;
  };

  int size_ = 0;
  double b_scale_ = 1;
  std::vector<ConeBlock> blocks_;
  std::vector<SlidingRow> sliding_;
  std::vector<int> row_;       ///< row of the problem, by row of the system
  std::vector<double> scale_;  ///< z = scale · ẑ
  std::vector<double> A_, b_;
};

}  // namespace thenar::internal
