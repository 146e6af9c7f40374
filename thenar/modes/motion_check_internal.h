// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The check of (4) of mode_proof.h by code that shares nothing with motion_form_internal.h, in long double. Units are
/// those of the caller: A z + b with A about 1 on its diagonal.

#include <string>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar::internal {

class MotionCheck {
 public:
  using Vector = VectorX<long double>;
  using Matrix = MatrixX<long double>;

  /// A, z*, w* scaled; ratio(i, j) = force_unit(i) / force_unit(j) turns coefficients of friction.
  MotionCheck(const ConstraintProblem& problem, const Matrix& A, const Vector& z, const Vector& w,
              const Vector& force_unit);

  /// Columns that span z − z* for all solutions z, whatever they decide.
  Matrix find_differences() const;

  struct Result {
    std::string fault;           ///< what is wrong, if anything
    bool proves_forces = false;  ///< F is positive on all of the span: not even the forces can be others
  };
  /// Whether F is positive on the span of the columns of V but where A V = 0.
  Result check(const Matrix& V, const VectorX<double>& weights) const;

  /// Whether no other forces have the motion w*.
  bool has_one_force() const;

 private:
  struct Section {
    int normal = -1;
    std::vector<int> rows;
    Vector e;
    bool is_slipping = false;
    bool is_edge = false;  ///< of a polygon, which the slip is at right angles to: e is in its middle
  };
  void add_friction(int normal);
  void add_section(int normal, const std::vector<int>& rows);
  void add_row_equations(std::vector<Vector>& equations) const;
  void set_direction(Section& section) const;
  void set_widest(Section& section) const;
  template <class Scalar>
  MatrixX<Scalar> calc_form(const MatrixX<Scalar>& span, const MatrixX<Scalar>& moved,
                            const VectorX<double>& weights) const;
  bool is_clearly_positive(const Matrix& V, const VectorX<double>& weights) const;

  const ConstraintProblem& problem_;
  const Matrix& A_;
  const Vector &z_, &w_, &force_unit_;
  long double zero_ = 0;
  std::vector<Section> sections_;
};

}  // namespace thenar::internal
