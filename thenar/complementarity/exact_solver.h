// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Exact answers to constraint problems of up to some tens of rows (constraint_problem.h): a pivoting method that ends
/// after finitely many steps with the answer, to rounding; there is no iteration tolerance.
///
/// The method is a primal active-set method for (5) over the bounds of z. It keeps z within its bounds and a set of
/// *held* rows C whose principal submatrix A_CC is nonsingular (a Cholesky factor is kept up to date):
///
///     1. With the other rows fixed, move z_C to the point where w_C = 0; a row that meets its bound on the way stays
///        there and leaves C.
///     2. Take the row k whose w_k is most wrong, in scaled units. None: done.
///     3. Move z_k against w_k and z_C along with it so that w_C stays 0. With y = A_CC⁻¹ A_Ck, s = A_kk − A_kC y:
///            dz_C = −y dz_k,   dw_k = s dz_k.
///        Until w_k = 0: k joins C, back to 1. Until a row of C meets a bound: it leaves C; again 3, with the same k.
///        Until k meets its own other bound: back to 1. If s = 0 and nothing is ever met: no solution, and
///        (dz_k, dz_C) is the certificate.
///
/// Why it ends: while k is driven, (5) falls at the rate |w_k| > 0, and steps of length zero only shrink C; so (5) is
/// strictly lower each time 1 is reached, no pair of C and bounds comes twice, and there are at most 2^u 3^x of them
/// (u unilateral, x boxed rows), with at most n pivots between two. No rule against cycling is needed because bounds
/// of single unknowns are always independent. The bound is exponential, as for all methods of this kind; one to two
/// pivots per row are usual, and `kPivotLimit` of them end the search with SolveStatus::failed.
///
/// In floating point "is it zero?" is answered from the relative error ε of the data (ConstraintProblem::accuracy) and
/// the rounding ρ = 2 n 2⁻⁵² of sums of n terms, in scaled units, with S = max |b̂| + |ẑ|₁:
///   - k depends on C when s ≤ ε (1 + |y|₁)²: this much an error ε in A can do to s.
///   - w_k is zero when |w_k| ≤ ρ (1 + |y|₁) S. If k depends on C, ε takes the place of ρ: such a row only repeats
///     what the held rows say, with the errors of the data.
///   - A dependent row that contradicts the held ones makes the problem infeasible if its certificate excludes
///     all forces up to 10⁶ S. If it does not, and A cannot tell (rows at angles below √ε), what is left of w_k
///     stays and is reported as `residual`; above 10⁻⁸ the status is failed.
///
/// A search that a nearly singular basis spoils (it ends in that last case, or comes back to where it was) is made once
/// more with the first wrong row in place of the worst in step 2.

#include <memory>
#include <span>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar {

enum class SolveStatus : std::uint8_t { solved, infeasible, failed };
const char* to_string(SolveStatus status);

/// Why SolveStatus::failed.
enum class SolveFailure : std::uint8_t {
  none,
  not_finite,       ///< A or b has a NaN or an infinity, or does in scaled units
  not_symmetric,    ///< |Aᵢⱼ − Aⱼᵢ| above the accuracy
  indefinite,       ///< A has a negative pivot beyond the accuracy
  ill_conditioned,  ///< neither an answer nor a certificate: A is too close to singular for its accuracy
  pivot_limit       ///< more pivots than the limit
};
const char* to_string(SolveFailure failure);

/// The answer. Vectors are in the order of the problem's rows.
struct ConstraintSolution {
  SolveStatus status = SolveStatus::failed;
  SolveFailure failure = SolveFailure::none;

  /// solved: the answer. infeasible, or failed after the search began: the last z within bounds, and its w. w of held
  /// rows is written as exactly 0; grade_solution() computes w anew.
  std::vector<double> z, w;
  std::vector<RowState> state;
  /// The row is at a bound *and* has w = 0 (held with no force, open with no motion, friction at its limit without
  /// slip): a neighbouring problem may have it in another state. Only for solved.
  std::vector<bool> degenerate;
  std::vector<int> held;  ///< the basis: rows with RowState::held; A over them is nonsingular
  /// False when rows can share the force in more than one way; z is then one of the choices, with z = 0 on the
  /// redundant rows. The motion w is unique always. Only for solved.
  bool forces_unique = false;

  /// infeasible: y ≠ 0 with A y = 0 to rounding, yᵢ ≥ 0 on unilateral rows, 0 on boxed ones, and bᵀ y < 0. No z can
  /// meet the rows, for 0 ≤ yᵀ w = yᵀ A z + bᵀ y would contradict this. grade_certificate() checks it.
  std::vector<double> certificate;

  /// Largest violation by w beyond b_error, in scaled units, relative to max |b̂| + |ẑ|₁. Rounding, except where
  /// rows are so close to dependent that A cannot tell: then what they leave is here, up to 10⁻⁸ in a solution.
  double residual = 0;
  std::vector<BasisEntry> basis;  ///< warm start for the next problem: ids and states
  long long pivots = 0;           ///< rows that entered or left the basis
};

/// Memory for problems of up to max_rows rows; solve() uses no heap.
class ExactSolver {
 public:
  explicit ExactSolver(int max_rows);
  ~ExactSolver();
  ExactSolver(ExactSolver&&) noexcept;
  ExactSolver& operator=(ExactSolver&&) noexcept;

  int max_rows() const;

  /// Solves the problem, from the rows' states of a related one if given; entries are found by id, unknown ones are
  /// ignored, and the answer is the same (z too, where forces are unique). `warm_start` may be basis of this solver's
  /// own solution. The reference is valid until the next call. Throws std::invalid_argument for more than max_rows
  /// rows and for rows with a fault; what A and b hold is answered with a status.
  const ConstraintSolution& solve(const ConstraintProblem& problem, std::span<const BasisEntry> warm_start = {});

  const ConstraintSolution& solution() const;

  /// Pivots after which solve() gives up: 2²⁰, the number of bases of 20 unilateral rows; seconds at 60 rows.
  static constexpr long long kPivotLimit = 1 << 20;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace thenar
