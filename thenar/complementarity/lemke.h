// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Lemke's method for linear complementarity problems with any matrix (lcp.h).
///
/// An artificial unknown z₀ makes the problem w = M z + q + d z₀, d > 0, which is easy to meet with a large z₀. From
/// there the method follows a path of *almost* complementary bases, each row with w = 0 or z = 0 but for one: what left
/// the basis last has its complement enter next, until z₀ leaves (a solution) or nothing blocks the entering unknown (a
/// ray). Bases are kept as a dictionary of n × (n + 2) numbers, basic = r + T nonbasic, so that a pivot is one update
/// of rank one.
///
/// Degenerate problems cannot cycle: the ratio test is lexicographic. It asks what would leave first if q were q + (ε,
/// ε², …), 0 < ε ≪ 1, and needs no further numbers, for the derivatives of the basic unknowns by q are columns of the
/// dictionary: −T of w_j's column while w_j is nonbasic, a unit vector while it is basic.
///
/// A ray proves that there is no solution if M is copositive-plus (positive semidefinite matrices are); otherwise it
/// proves nothing, and another d may lead to a solution.
///
/// Free rows of mixed problems are solved for first, by pivots on their block of M, which must be nonsingular.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "thenar/complementarity/lcp.h"

namespace thenar {

enum class LemkeStatus : std::uint8_t {
  solved,
  ray,            ///< the path ends in a ray: no solution on it
  singular_free,  ///< the free rows' block of M is singular
  not_finite,     ///< M or q has a NaN or an infinity
  inaccurate,     ///< a solution was found whose residual is above LemkeSolver::kResidual
  pivot_limit
};
const char* to_string(LemkeStatus status);

struct LemkeResult {
  LemkeStatus status = LemkeStatus::not_finite;
  std::vector<double> z;       ///< of the last basis; w = M z + q
  std::vector<bool> in_basis;  ///< whether zᵢ is basic
  double residual = 0;         ///< calc_residual()
  long long pivots = 0;
};

/// Memory for problems of up to max_size rows; solve() uses no heap.
class LemkeSolver {
 public:
  explicit LemkeSolver(int max_size);
  ~LemkeSolver();
  LemkeSolver(LemkeSolver&&) noexcept;
  LemkeSolver& operator=(LemkeSolver&&) noexcept;

  /// Follows the path of the covering vector d, one positive number for each row that is not free; ones if empty. The
  /// reference is valid until the next call. Throws std::invalid_argument for sizes that do not fit.
  const LemkeResult& solve(const Lcp& problem, std::span<const double> d = {});

  static constexpr double kResidual = 1e-8;
  static constexpr long long kPivotLimit = 1 << 18;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace thenar
