// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Linear programs of some hundred unknowns, solved by COIN CLP behind an interface of our own:
///
///     minimize cᵀx   subject to   row_lower ≤ A x ≤ row_upper,   lower ≤ x ≤ upper                            (1)
///
/// What is asked of it here is less the optimum than its proof: the vertex and its basis, the multipliers, the
/// neighbouring vertices, and for a program without any point a *Farkas vector* y, one number per row, such that no x
/// within its bounds can meet the rows:
///
///     max over the column bounds of (yᵀA) x   <   Σᵢ (yᵢ > 0 ? yᵢ row_lowerᵢ : yᵢ row_upperᵢ).               (2)
///
/// The numbers are CLP's, in double and to its tolerance (kTolerance here); whoever needs a proof checks it with
/// arithmetic of its own. In (2) that means: where x has no bound, (yᵀA)ⱼ is zero to rounding only.
///
/// A changed program is solved again from its last basis: by the dual simplex method if there are no costs or only
/// bounds changed since an optimum, otherwise by the dual method to a feasible point and the primal one from there.
/// CLP's word is not taken for it: points, multipliers, Farkas vectors and rays are put into the program before they
/// are passed on; what fails is solved once more from scratch with costs perturbed.
///
/// Entries that are rounding (1e-14) beside the largest of their row and of their column are taken for zero; where
/// units differ by many orders along a row, rounding may look larger than that and is the caller's to drop. CLP sees A
/// with rows and columns multiplied by powers of two so that the largest entry of each is about 1, and the costs such
/// that their largest is about 1; all results are in the units of the caller.

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

enum class LpStatus : std::uint8_t {
  optimal,
  infeasible,  ///< farkas() says why
  unbounded,   ///< ray() says whither
  failed       ///< CLP gave up, twice
};
const char* to_string(LpStatus status);

/// Where an unknown or a row is in a basis.
enum class BasisPlace : std::uint8_t { basic, at_lower, at_upper, free };

/// One of columns and rows each, in their order.
struct LpBasis {
  std::vector<BasisPlace> columns, rows;
};

/// A neighbour of a vertex: where the edge leads to, or its direction if it has no end.
struct LpEdge {
  VectorX<double> x;  ///< the other vertex; the direction of a ray
  bool is_ray = false;
  int entering = -1;  ///< column, or columns + row, that leaves its bound along the edge
  int blocking = -1;  ///< the one that reaches a bound at its end; −1 for rays
  LpBasis basis;      ///< of the other vertex, to go there by set_basis(); none for rays
};

class LinearProgram {
 public:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  /// Violations that CLP takes for none, of rows and columns whose largest entries are about 1.
  static constexpr double kTolerance = 1e-9;
  /// Larger bounds are none.
  static constexpr double kLargestBound = 1e30;

  /// c = 0, all rows and columns free. Throws std::invalid_argument if A is not finite.
  explicit LinearProgram(const MatrixX<double>& A);
  ~LinearProgram();
  LinearProgram(LinearProgram&&) noexcept;
  LinearProgram& operator=(LinearProgram&&) noexcept;

  int row_count() const;
  int column_count() const;

  /// Throws std::invalid_argument for NaN, lower > upper, lower = ∞, upper = −∞, and costs that are not finite.
  void bound_row(int i, double lower, double upper);
  void bound_column(int j, double lower, double upper);
  void set_cost(int j, double cost);
  void clear_costs();

  /// From the last basis, or the one given to set_basis().
  LpStatus solve();

  /// Of the last solve(); `failed` before.
  LpStatus status() const;
  /// The results below are of the last solve(), for the status that their comments begin with.
  /// optimal: a vertex (if the feasible set has one: it may contain lines), cᵀx, the rows A x.
  const VectorX<double>& x() const;
  double objective() const;
  const VectorX<double>& activity() const;
  /// optimal: multipliers of the rows, c − Aᵀ multipliers the reduced costs.
  const VectorX<double>& multipliers() const;
  /// infeasible: y of (2).
  const VectorX<double>& farkas() const;
  /// unbounded: a direction d with cᵀd < 0 along which every feasible point can go for ever.
  const VectorX<double>& ray() const;

  /// The basis of the last solve(), from which the next one starts; if optimal, of the vertex.
  LpBasis basis() const;
  /// Throws std::invalid_argument unless as many places are basic as there are rows.
  void set_basis(const LpBasis& basis);

  /// optimal: all edges of the feasible set at the vertex, also of a degenerate one. Without costs solve() stays at the
  /// vertex of a feasible basis, so that set_basis(edge.basis), solve() goes along an edge. Where the feasible set has
  /// lines, and so no vertex, an unknown that is free in the basis has an edge in each direction. Throws
  /// std::logic_error unless solve() was the last to touch bounds and basis, and found an optimum. Costs a
  /// factorization for each basis of the vertex; has_all_edges() is false if there were more than
  /// `most_bases`, or singular ones.
  std::vector<LpEdge> find_edges(int most_bases = 20'000);
  bool has_all_edges() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace thenar
