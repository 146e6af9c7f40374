// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Lemke's method for linear complementarity problems with any matrix (lcp.h).
///
/// An artificial unknown z₀ makes the problem w = M z + q + d z₀, d > 0, which is easy to meet with a large z₀. From
/// there the method follows a path of *almost* complementary bases, each row with w = 0 or z = 0 but for one: what left
/// the basis last has its complement enter next, until z₀ leaves (a solution) or nothing blocks the entering unknown (a
/// ray). Bases are kept as a dictionary of n × (n + 2) numbers, basic = r + T nonbasic, so that a pivot is one update
/// of rank one (lemke_dictionary_internal.h).
///
/// Degenerate problems cannot cycle: the ratio test is lexicographic. It asks what would leave first if q were q + (ε,
/// ε², …), 0 < ε ≪ 1, and needs no further numbers, for the derivatives of the basic unknowns by q are columns of the
/// dictionary: −T of w_j's column while w_j is nonbasic, a unit vector while it is basic.
///
/// A ray proves that there is no solution if M is copositive-plus (positive semidefinite matrices are), and whenever
/// its direction y of z has Mᵀ y ≤ 0 and qᵀ y < 0, for then w ≥ 0 would give 0 ≤ yᵀ w = (Mᵀ y)ᵀ z + qᵀ y < 0. Otherwise
/// it proves nothing, and another d may lead to a solution: up to kRestarts more paths are followed, those of dᵢ = ½ +
/// frac((i + 1) k φ) for k = 1, 2, …, φ the golden ratio. A path that ends in an answer with too large a residual is
/// first taken up again from its last basis, with a new dictionary: rounding may have led it astray.
///
/// Free rows of mixed problems are solved for first, by pivots on their block of M, the largest first. Where that block
/// is singular, what is left of it is exchanged against complementary rows: a free row r takes z_k in, the row of w_k
/// takes the free z_c in, so that bases stay complementary. Rows 0 = 0 are left out with one free z each, at 0. Where
/// no such k exists the method has no start: `singular_free`.
///
/// A basis that is given as a guess is first solved as it stands, by one LU factorization, then with all its negative
/// unknowns exchanged, a few times. Where that does not end with a solution, Lemke's method starts at the best of these
/// bases: exchanging w and z of a basis gives an equivalent problem, which is P or semidefinite if M is.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "thenar/complementarity/lcp.h"

namespace thenar {

enum class LemkeStatus : std::uint8_t {
  solved,
  ray,            ///< the path ends in a ray: no solution on it
  singular_free,  ///< free rows that no exchange can solve for; contradictory ones if `is_infeasible`
  not_finite,     ///< M or q has a NaN or an infinity
  inaccurate,     ///< a solution was found whose residual is above LemkeSolver::kResidual
  pivot_limit
};
const char* to_string(LemkeStatus status);

struct LemkeResult {
  LemkeStatus status = LemkeStatus::not_finite;
  std::vector<double> z;       ///< of the last basis; w = M z + q
  std::vector<bool> in_basis;  ///< whether zᵢ is basic
  /// calc_residual(), or an upper bound of it that counts the rounding of w, where that is below 1e-13.
  double residual = 0;
  std::vector<double> ray;  ///< where the path ends in a ray, its direction of z; else empty
  /// No solution exists, to rounding: by `ray`, by a row whose w is negative for any z, or since free rows contradict
  /// each other. False proves nothing.
  bool is_infeasible = false;
  long long pivots = 0;  ///< of all paths
  int restarts = 0;      ///< paths that were followed after the first one
};

/// Memory for problems of up to max_size rows; solve() uses no heap.
class LemkeSolver {
 public:
  explicit LemkeSolver(int max_size);
  ~LemkeSolver();
  LemkeSolver(LemkeSolver&&) noexcept;
  LemkeSolver& operator=(LemkeSolver&&) noexcept;

  /// Follows the path of the covering vector d, one positive number for each row that is not free; ones, in units that
  /// make the largest entry of each row of M about 1, if empty. `guess` is empty or the in_basis of an earlier result,
  /// this solver's last one included: where it is no help, the path starts as without it. The reference is valid until
  /// the next call. Throws std::invalid_argument for sizes that do not fit.
  const LemkeResult& solve(const Lcp& problem, std::span<const double> d = {}, const std::vector<bool>& guess = {});

  static constexpr double kResidual = 1e-8;
  static constexpr long long kPivotLimit = 1 << 18;  ///< of one path
  static constexpr int kRestarts = 4;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace thenar
