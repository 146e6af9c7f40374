// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// LU factorisation with row exchanges of matrices of up to some hundred rows, on memory of its own. Columns are
/// eliminated four at a time, so that the update of the rest reads and writes it once for four.

#include <Eigen/Core>
#include <vector>

namespace thenar::internal {

class ConeFactor {
 public:
  explicit ConeFactor(int max_rows);

  /// The n × n matrix to be filled, column by column in memory; factor() overwrites it.
  Eigen::Map<Eigen::MatrixXd> matrix(int n) {
    size_ = n;
    return {entries_.data(), n, n};
  }

  /// False if the matrix is singular to the last bit, or has a NaN.
  bool factor();
  /// x ← A⁻¹ x.
  void solve(Eigen::Ref<Eigen::VectorXd> x) const;

 private:
  double* column(int j) { return entries_.data() + static_cast<std::ptrdiff_t>(j) * size_; }
  const double* column(int j) const { return entries_.data() + static_cast<std::ptrdiff_t>(j) * size_; }
  bool eliminate_panel(int first, int end);
  void update_column(int j, int first, int end);

  int size_ = 0;
  std::vector<double> entries_;
  std::vector<int> pivot_;
};

}  // namespace thenar::internal
