// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The system ρ = R x + r, solved for as many of its unknowns (x, ρ) as ρ has:
///
///     inside = D outside + d.
///
/// Each exchange of one inside for one outside is a step of Gauss and Jordan's elimination. Unknown k is x_k, or
/// ρ_{k − columns} from k = columns on. One more row is no unknown but an objective, which all exchanges carry along.
///
/// Dense, for some ten rows and columns; nothing is allocated after construction.

#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar::internal {

class Dictionary {
 public:
  using ArrayX = Eigen::Array<double, Eigen::Dynamic, 1>;

  Dictionary(const MatrixX<double>& R, const VectorX<double>& r);

  int row_count() const { return static_cast<int>(inside_.size()); }
  int column_count() const { return static_cast<int>(outside_.size()); }
  int objective_row() const { return row_count(); }
  /// The unknown of a row, or of a column.
  int inside(int row) const { return inside_[static_cast<std::size_t>(row)]; }
  int outside(int column) const { return outside_[static_cast<std::size_t>(column)]; }
  double entry(int row, int column) const { return begin(row)[column]; }
  /// Dᵢ and d.
  Eigen::Map<const ArrayX> entries(int row) const { return {begin(row), column_count()}; }
  Eigen::Map<const ArrayX> constants() const { return {constants_.data(), row_count()}; }
  double constant(int row) const { return constants_(row); }
  /// |Dᵢ|², and the largest of Dᵢⱼ upⱼ and −Dᵢⱼ downⱼ; of arrays of width() numbers.
  struct RowSizes {
    double squared_length = 0, largest = 0;
  };
  int width() const { return width_; }
  RowSizes measure(int row, const ArrayX& up, const ArrayX& down) const {
    Chunk sums = Chunk::Zero(), largest = Chunk::Zero();
    for (int j = 0; j < width_; j += kChunk) {
      const Chunk entries = Eigen::Map<const Chunk>(begin(row) + j);
      sums += entries * entries;
      largest = largest.max(entries * up.segment<kChunk>(j)).max(-entries * down.segment<kChunk>(j));
    }
    return {sums.sum(), largest.maxCoeff()};
  }

  void exchange(int row, int column);
  /// The same from R and r, without the rounding so far, and without the objective. Where unknowns are inside that
  /// hardly depend on those outside some of them change places.
  void rebuild();
  /// As it was constructed: columns outside, rows inside.
  void restart();
  /// Sets the objective, in terms of what is outside.
  void set_objective(const VectorX<double>& gradient, double constant);

 private:
  /// Rows are stored in whole chunks of numbers, the last filled up with zeros: for loops without ends, and reads
  /// within lines of the cache.
  static constexpr int kChunk = 8;
  using Chunk = Eigen::Array<double, kChunk, 1>;
  struct Place {
    int row = -1, column = -1;
  };

  double* begin(int row) { return table_.data() + static_cast<std::ptrdiff_t>(row) * width_; }
  const double* begin(int row) const { return table_.data() + static_cast<std::ptrdiff_t>(row) * width_; }
  Place find_largest_swap() const;

  int width_;
  VectorX<double> original_, original_constants_;  ///< R by rows, and r
  VectorX<double> table_, constants_;              ///< likewise D and d, and the objective
  VectorX<double> factors_, pivot_;                ///< of exchange()
  std::vector<int> inside_, outside_;
  std::vector<bool> belongs_inside_;  ///< of rebuild()
};

}  // namespace thenar::internal
