// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What is left of a problem when some of its either–ors are decided and the others are relaxed: a polyhedron, and
/// linear programs over it. Unknowns and rows are those of mode_proof.h; choices only move their ranges, so that one
/// program serves the whole search, each solve from the last dictionary (node_program_internal.h). What it cannot solve
/// is handed to CLP.
///
/// Units: forces and motions are divided such that Â has about 1 on its diagonal and the largest |b̂| is 1.

#include <optional>

#include "thenar/linear_programs/linear_program.h"
#include "thenar/modes/mode_parts.h"
#include "thenar/modes/node_program_internal.h"

namespace thenar::internal {

/// The problem in units of its own. Rows of one contact have one unit, but for torsion.
struct ScaledProblem {
  explicit ScaledProblem(const ConstraintProblem& problem);

  MatrixX<double> A;
  VectorX<double> b;
  VectorX<double> force_unit;   ///< z = ẑ force_unit
  VectorX<double> motion_unit;  ///< w = ŵ motion_unit
};

/// Unknowns x and rows ρ = R x + r of mode_proof.h, scaled.
struct RelaxationRows {
  RelaxationRows(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts);

  MatrixX<double> T;  ///< ẑ = T x + t
  VectorX<double> t;
  MatrixX<double> R;
  VectorX<double> r;
  VectorX<double> unit;                             ///< ρ in the units of the problem is ρ̂ unit
  std::vector<bool> is_free;                        ///< columns of bilateral rows
  std::vector<int> normal_column, friction_column;  ///< the first of each part
  std::vector<int> bilateral_row, normal_row, friction_row;
};

/// The largest value of something over the polyhedron, scaled, and why it is not larger: see mode_proof.h. Infinite
/// where nothing bounds it, NaN where there is no point or the program fails.
struct LargestValue {
  double value = 0;
  VectorX<double> y;  ///< in the units of the problem
};

class ModeRelaxation {
 public:
  /// All must outlive it.
  ModeRelaxation(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts);

  void set(const ModeChoice& choice);
  void set_normal(int part, NormalChoice choice);
  void set_friction(int part, const FrictionChoice& choice);

  /// Looks for a point.
  LpStatus solve();
  /// The point found, scaled.
  VectorX<double> calc_z() const { return rows_.T * (is_handed_over_ ? program_->x() : node_.x()) + rows_.t; }
  VectorX<double> calc_w(const VectorX<double>& z) const { return scaled_.A * z + scaled_.b; }
  /// Of an infeasible one, in the units of the problem.
  VectorX<double> calc_farkas() const {
    return (is_handed_over_ ? program_->farkas() : node_.y()).cwiseQuotient(rows_.unit);
  }

  /// A value above `enough` (scaled) need not be the largest, and has no y.
  LargestValue find_largest_force(int normal, double enough = LinearProgram::kInfinity);
  LargestValue find_largest_motion(int normal, double enough = LinearProgram::kInfinity);
  /// Of direction · w_t.
  LargestValue find_largest_slip(int friction, const VectorX<double>& direction,
                                 double enough = LinearProgram::kInfinity);

  long long programs() const { return programs_; }
  /// Those of them that CLP had to solve.
  long long handed_over() const { return handed_over_; }

 private:
  /// Of gradient · x + constant, scaled by `unit`.
  LargestValue find_largest(const VectorX<double>& gradient, double constant, double unit, double enough);
  LargestValue find_largest_by_clp(const VectorX<double>& gradient, double constant, double unit);
  /// CLP, with the ranges of the node.
  LinearProgram& hand_over();
  void set_interval(std::size_t friction, const FrictionChoice& choice);
  void bound_slip(const FrictionPart& part, int row, int first, int count);

  const ScaledProblem& scaled_;
  const ModeParts& parts_;
  RelaxationRows rows_;
  NodeProgram node_;
  std::optional<LinearProgram> program_;  ///< made when it is needed first
  bool is_handed_over_ = false;           ///< the last solve()
  long long programs_ = 0, handed_over_ = 0;
};

}  // namespace thenar::internal
