// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The linear programs of a mode search, of which there are thousands, all with the same small dense matrix:
///
///     ρ = R x + r,   every unknown of (x, ρ) is free, ≥ 0, ≤ 0 or = 0.                                             (1)
///
/// They are kept as a *dictionary*: as many of the unknowns as x has are *outside* and zero, the others depend on them,
///
///     inside = D outside + d,                                                                                      (2)
///
/// at first ρ = R x + r. Because all bounds are zero the point of a dictionary is (d, 0) whatever the ranges are: they
/// can be changed for nothing, and the next program goes on from the last dictionary.
///
///   find_point   The dual simplex method without costs. A row i whose dᵢ breaks its range is exchanged with a column
///                that can mend it; any will do, and the one with the largest entry rounds least. If there is none,
///
///                    ± (insideᵢ − Σⱼ Dᵢⱼ outsideⱼ) = ± dᵢ < 0
///
///                has only terms that are ≥ 0 on the left: the factors of ρ are a Farkas vector y,
///
///                    y · r < 0,   (Rᵀy)ⱼ ≤ 0 for xⱼ ≥ 0, = 0 for free xⱼ,   yᵢ ≥ 0 for ρᵢ ≥ 0, …                  (3)
///
///   maximize     The primal simplex method from there; at the optimum of g · x + g₀ the row of the objective gives y
///                with g + Rᵀy instead of Rᵀy in (3), and the largest value is g₀ + y · r.
///
/// Rows are chosen by violation over length, which is the distance to the range in the space of what is outside. Should
/// that run in circles the least index is taken, which cannot (Bland 1977).
///
/// Rounding builds up from exchange to exchange. Every answer is therefore put into (1) as it was given; one that does
/// not fit to kRounding is thrown away and found once more from a dictionary made anew, and should that not fit either
/// the program has `failed`: then ask LinearProgram.
///
/// Memory: all in the constructor. Time: rows × columns multiplications for an exchange, of which a node takes 2 to 7.

#include <cstdint>
#include <limits>
#include <vector>

#include "thenar/linear_programs/linear_program.h"
#include "thenar/modes/dictionary_internal.h"

namespace thenar::internal {

/// What an unknown can be.
enum class NodeRange : std::uint8_t { zero = 0, at_least_zero = 1, at_most_zero = 2, free = 3 };

/// Powers of two that bring the largest entry of each row and column of R to about 1.
struct NodeScales {
  explicit NodeScales(MatrixX<double> R);

  VectorX<double> rows, columns;
};

class NodeProgram {
 public:
  /// Violations that are none, of rows and columns whose largest entries are about 1.
  static constexpr double kTolerance = LinearProgram::kTolerance;

  /// All free. Both must be finite.
  NodeProgram(const MatrixX<double>& R, const VectorX<double>& r);

  int row_count() const { return dictionary_.row_count(); }
  int column_count() const { return dictionary_.column_count(); }
  void bound_row(int i, NodeRange range) { ranges_[static_cast<std::size_t>(column_count() + i)] = range; }
  void bound_column(int j, NodeRange range) { ranges_[static_cast<std::size_t>(j)] = range; }
  NodeRange row_range(int i) const { return ranges_[static_cast<std::size_t>(column_count() + i)]; }
  NodeRange column_range(int j) const { return ranges_[static_cast<std::size_t>(j)]; }

  /// optimal (x() is a point), infeasible (y() proves it), or failed.
  LpStatus find_point();
  /// optimal (x() is best, value() its value, y() proves it), infeasible as above, unbounded, or failed. It stops early
  /// at a point that is worth more than `enough`: optimal, without y().
  LpStatus maximize(const VectorX<double>& gradient, double constant,
                    double enough = std::numeric_limits<double>::infinity());

  /// Of the last call.
  const VectorX<double>& x() const { return x_; }
  const VectorX<double>& y() const { return y_; }
  double value() const { return value_; }

  /// So far: exchanges of the simplex methods, and dictionaries made anew.
  long long exchanges() const { return exchanges_; }
  long long rebuilds() const { return rebuilds_; }

 private:
  using ArrayX = Dictionary::ArrayX;

  static bool can_rise(NodeRange range) { return (static_cast<int>(range) & 1) != 0; }
  static bool can_fall(NodeRange range) { return (static_cast<int>(range) & 2) != 0; }
  NodeRange range_of(int unknown) const { return ranges_[static_cast<std::size_t>(unknown)]; }

  template <class Attempt>
  LpStatus insist(const Attempt& attempt);
  bool prefers_least_index(int exchanges) const { return exchanges > row_count() + column_count(); }
  bool gives_up(int exchanges) const { return exchanges > 10 * (row_count() + column_count()); }
  void exchange(int row, int column);
  void update_row_bounds(int row) {
    const NodeRange range = range_of(dictionary_.inside(row));
    floors_(row) = can_fall(range) ? 0 : 1;
    ceilings_(row) = can_rise(range) ? 0 : 1;
  }
  void update_column_bounds(int column) {
    const NodeRange range = range_of(dictionary_.outside(column));
    falls_(column) = can_fall(range) ? 1 : 0;
    rises_(column) = can_rise(range) ? 1 : 0;
  }

  LpStatus try_point();
  LpStatus mend_rows();
  void update_violations();
  int find_broken_row(bool by_index);
  int find_mending_column(int row, bool by_index);

  LpStatus try_maximum(double constant, double enough);
  LpStatus climb(double enough);
  int find_rising_column(bool by_index);
  int pick_column(double least, bool by_index) const;
  int find_blocking_row(int column, bool by_index) const;
  double calc_room(int row, double rate, double tolerance) const;

  bool take_point();
  bool take_farkas();
  bool take_optimum(double constant, double enough);
  bool is_endless();
  void set_multipliers(int row, double sign);
  double calc_excess();

  NodeScales scales_;
  MatrixX<double> R_;  ///< in units of the scales, as all below but for x_ and y_ when they are told
  VectorX<double> r_;
  Dictionary dictionary_;
  std::vector<NodeRange> ranges_;
  VectorX<double> gradient_;
  int broken_row_ = -1;       ///< nothing mends it
  int endless_column_ = -1;   ///< nothing blocks it
  ArrayX floors_, ceilings_;  ///< of each row: 1 where its unknown must not fall below, or rise above, zero
  ArrayX rises_, falls_;      ///< of each column: 1 where its unknown can
  ArrayX violations_, gains_;
  VectorX<double> x_, y_, activity_, sums_;
  double value_ = 0;
  long long exchanges_ = 0, rebuilds_ = 0;
};

}  // namespace thenar::internal
