// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The constraint problem of one instant: plain numbers, no bodies. Joint stops, dry friction of joints, couplings and
/// loops are its rows; any solver takes it, and grade.h judges every answer with arithmetic of its own.
///
/// With A = J M⁻¹ Jᵀ (the Delassus matrix, symmetric positive semidefinite up to rounding, often of deficient rank)
/// and b the motion of the rows without constraint forces, find z (forces or impulses) and w (accelerations or
/// velocities of the rows) with
///
///     w = A z + b                                                                                            (1)
///     bilateral   wᵢ = 0                                                                                     (2)
///     unilateral  zᵢ ≥ 0,  wᵢ ≥ 0,  zᵢ wᵢ = 0                                                                (3)
///     boxed       −fᵢ ≤ zᵢ ≤ fᵢ,  wᵢ = 0 inside,  wᵢ ≤ 0 at zᵢ = +fᵢ,  wᵢ ≥ 0 at zᵢ = −fᵢ                    (4)
///
/// (4) is dry friction of known strength: z opposes the motion w. (1)–(4) are the optimality conditions of
///
///     minimize ½ zᵀ A z + bᵀ z  over the bounds of z,                                                        (5)
///
/// convex because A is positive semidefinite: w is the same in all solutions, z need not be.
///
/// Units: rows may mix rad and m. Dividing row i by √Aᵢᵢ turns every wᵢ and bᵢ into √J-like numbers of one unit
/// (ŵᵢ = wᵢ / √Aᵢᵢ, ẑᵢ = zᵢ √Aᵢᵢ), in which magnitudes of different rows can be compared; "scaled" below means this.
///
/// A row with a cone of several directions (a contact) will be one more RowKind here, its `limit` the friction
/// coefficient and its normal a row of the same problem; A and b stay as they are.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

enum class RowKind : std::uint8_t {
  bilateral,   ///< (2): couplings, loops
  unilateral,  ///< (3): stops
  boxed        ///< (4): dry friction of known strength
};

/// The word used in files and messages.
const char* to_string(RowKind kind);

struct ConstraintRow {
  RowKind kind = RowKind::bilateral;
  double limit = 0;      ///< f of boxed rows, ≥ 0, unit of z; infinity makes the row bilateral; unused otherwise
  std::uint64_t id = 0;  ///< what the row stands for, the same from problem to problem; finds the row in a warm start
  double b_error = 0;  ///< absolute error of bᵢ known to the caller, unit of b; added to ConstraintProblem::accuracy
};

/// A, b and rows of one size n. Memory grows only: after reserve(n), problems up to n rows use no heap.
class ConstraintProblem {
 public:
  ConstraintProblem() = default;
  explicit ConstraintProblem(int n) { resize(n); }

  int size() const { return static_cast<int>(rows_.size()); }
  void reserve(int n);
  /// n default rows, A = 0, b = 0.
  void resize(int n);

  Eigen::Map<MatrixX<double>> A() { return {A_.data(), size(), size()}; }
  Eigen::Map<const MatrixX<double>> A() const { return {A_.data(), size(), size()}; }
  Eigen::Map<VectorX<double>> b() { return {b_.data(), size()}; }
  Eigen::Map<const VectorX<double>> b() const { return {b_.data(), size()}; }
  ConstraintRow& row(int i) { return rows_[static_cast<std::size_t>(i)]; }
  const ConstraintRow& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }

  /// Relative error of the numbers themselves, in scaled units: |δAᵢⱼ| ≤ accuracy √(Aᵢᵢ Aⱼⱼ), |δbᵢ| / √Aᵢᵢ ≤ accuracy
  /// max |b̂| + b_error. Rows that depend on each other within this error count as redundant, and motions below it as
  /// zero. The default suits a J M⁻¹ Jᵀ computed in double precision; it is never taken below the rounding of n terms.
  double accuracy = 1e-13;

  /// What is wrong with the rows (negative or NaN limit, negative b_error), or with `accuracy`; empty when all is
  /// well. Numbers in A and b are for the solver to judge: they are results of a computation, rows are arguments.
  std::optional<std::string> find_fault() const;

 private:
  std::vector<ConstraintRow> rows_;
  std::vector<double> A_, b_;
};

/// Admissible zᵢ.
struct ForceBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};
ForceBounds force_bounds(const ConstraintRow& row);

/// How a row is met.
enum class RowState : std::uint8_t {
  held,       ///< w = 0, member of the basis
  redundant,  ///< w = 0 because the held rows imply it; z = 0, not in the basis
  open,       ///< unilateral, z = 0 and w ≥ 0
  at_lower,   ///< boxed, z = −f and w ≥ 0
  at_upper    ///< boxed, z = +f and w ≤ 0
};
const char* to_string(RowState state);

/// A row and its state, for the warm start of a later problem.
struct BasisEntry {
  std::uint64_t id = 0;
  RowState state = RowState::open;
};

}  // namespace thenar
