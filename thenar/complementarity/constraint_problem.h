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
/// Contacts with Coulomb friction are cones over several rows: a *normal* row n, directly followed by one to three
/// *tangent* rows k with friction coefficients μₖ (their `limit`). With the set C of friction forces under a normal
/// force of one unit, and |w_t|_C = max over s ∈ C of −w_t · s the largest power they can take from the slip w_t,
///
///     zₙ ≥ 0,  wₙ ≥ 0,  zₙ wₙ = 0;   z_t ∈ zₙ C  and  −w_t · z_t = zₙ |w_t|_C                                 (6)
///
/// (friction takes as much power from the slip as it can). Equivalently z lies in the cone K = {z_t ∈ zₙ C} and
/// (wₙ + |w_t|_C, w_t) in its dual cone, at right angles to z (De Saxcé). `faces` of the normal row chooses C:
///
///     0 (smooth)   Σₖ (sₖ / μₖ)² ≤ 1: the circular cone where μ₁ = μ₂, an elliptic one where not; a third tangent row,
///                  the torsion of a soft finger, makes it the ellipsoidal limit surface, with μ₃ in m            (7)
///     k ≥ 3        (s₁/μ₁, s₂/μ₂) in the regular k-gon inscribed in the unit circle, its vertices at the angles
///                  2πj/k, j = 0 … k − 1 (the first on the axis of the first tangent), and |s₃| ≤ μ₃ by itself    (8)
///     2            two faces for each direction: |sₖ| ≤ μₖ, every k by itself; for point contacts the box around the
///                  circle that YY's rolling law has                                                              (9)
///
/// With one tangent row (a planar contact) all are |s₁| ≤ μ₁. μₖ = 0 is a direction without friction, which (8) does
/// not admit in one of its two directions alone. (6) is no optimality condition: there may be several solutions with
/// different w, and A need not be exactly symmetric.
///
/// A contact that already slides knows the direction of its friction force. It has one to three *sliding* rows in place
/// of the tangent rows, whose `limit` is the ratio rₖ of friction to normal force, of either sign (−μ vₖ / |v| for a
/// point contact with the slip v):
///
///     zₙ ≥ 0,  wₙ ≥ 0,  zₙ wₙ = 0;   zₖ = rₖ zₙ,  wₖ free                                                       (10)
///
/// (YY (5), (12)). With zₖ eliminated, the normal rows see A_μ = A (eₙ + Σₖ rₖ eₖ) in place of the column A eₙ: not
/// symmetric, and its diagonal may be 0 or negative (Painlevé), with no solution or two where there would be one. A
/// itself stays the symmetric Delassus matrix over all rows. A contact has tangent or sliding rows, not both.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

/// `faces` of a box cone (9): two for each direction.
inline constexpr int kBoxFaces = 2;

enum class RowKind : std::uint8_t {
  bilateral,   ///< (2): couplings, loops
  unilateral,  ///< (3): stops
  boxed,       ///< (4): dry friction of known strength
  normal,      ///< (6), (10): first row of a contact
  tangent,     ///< (6): friction of the contact whose normal row stands one to three rows before
  sliding      ///< (10): the same of a contact that slides
};

/// The word used in files and messages.
const char* to_string(RowKind kind);

struct ConstraintRow {
  RowKind kind = RowKind::bilateral;
  /// f of boxed rows, ≥ 0, unit of z; infinity makes the row bilateral. μ of tangent rows, finite, ≥ 0, and the ratio r
  /// of sliding rows, finite, unit of zₖ/zₙ. Unused otherwise.
  double limit = 0;
  std::uint64_t id = 0;  ///< what the row stands for, the same from problem to problem; finds the row in a warm start
  double b_error = 0;  ///< absolute error of bᵢ known to the caller, unit of b; added to ConstraintProblem::accuracy
  /// Of normal rows: 0 for the smooth cone (7) and for contacts that slide, k ≥ 3 for (8), kBoxFaces for (9).
  int faces = 0;
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

  /// The tangent or sliding rows that follow row i.
  int tangent_count(int i) const;
  /// Whether row i is the normal row of a contact that slides (10).
  bool is_sliding_contact(int i) const;
  /// Whether any row belongs to a contact.
  bool has_contacts() const;

  /// What is wrong with the rows (negative or NaN limit, negative b_error, a tangent row without its normal row,
  /// tangent and sliding rows in one contact), or with `accuracy`; empty when all is well. Numbers in A and b are for
  /// the solver to judge: they are results of a computation, rows are arguments.
  std::optional<std::string> find_fault() const;

 private:
  std::vector<ConstraintRow> rows_;
  std::vector<double> A_, b_;
};

/// Corner j of the regular polygon of (8), on the unit circle; exactly on the axes where it belongs there, so that
/// matrices made of it have zeros and not roundings.
Eigen::Vector2d calc_regular_corner(int j, int faces);

/// Tangent or sliding rows that a contact may have.
inline constexpr int kMostTangents = 3;

/// Admissible zᵢ; of tangent and sliding rows, whose bounds depend on the normal force, all.
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
