// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// An LCP in units in which its numbers can be compared, whatever units it came in:
///
///     M̂ = R M C,   q̂ = R q,   z = C ẑ,   w = R⁻¹ ŵ                                                             (1)
///
/// with R and C such that the logarithms of the |M̂ᵢⱼ| ≠ 0 have mean 0 in every row and column (Curtis and Reid, 1972).
/// That leaves one factor for each set of rows that hang together through M: it makes their largest |q̂ᵢ| about 1. All
/// factors are powers of two, so that nothing is rounded.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "thenar/complementarity/lcp.h"

namespace thenar::internal {

struct LcpScale {
  std::vector<double> row, column;  ///< R, C

  double R(int i) const { return row[static_cast<std::size_t>(i)]; }
  double C(int j) const { return column[static_cast<std::size_t>(j)]; }
};

/// Solves for the logarithms to base 2 of R and C, by turns.
class LcpScaling {
 public:
  explicit LcpScaling(const Lcp& problem)
      : problem_(problem),
        n_(problem.size()),
        r_(VectorX<double>::Zero(n_)),
        c_(VectorX<double>::Zero(n_)),
        group_(static_cast<std::size_t>(2 * n_)) {}

  LcpScale run() {
    constexpr int kMostTurns = 30;
    for (int turn = 0; turn < kMostTurns; ++turn) {
      if (balance(r_, c_, true) + balance(c_, r_, false) < 0.1) break;
    }
    fit_to_q();
    LcpScale out;
    for (int i = 0; i < n_; ++i) {
      out.row.push_back(std::exp2(std::round(r_(i))));
      out.column.push_back(std::exp2(std::round(c_(i))));
    }
    return out;
  }

 private:
  double entry(int i, int j, bool by_rows) const { return std::abs(by_rows ? problem_.M(i, j) : problem_.M(j, i)); }

  /// Makes the means of all rows (or columns) 0. Returns the largest change.
  double balance(VectorX<double>& own, const VectorX<double>& other, bool by_rows) const {
    double change = 0;
    for (int i = 0; i < n_; ++i) {
      double sum = 0;
      int count = 0;
      for (int j = 0; j < n_; ++j) {
        if (!(entry(i, j, by_rows) > 0)) continue;
        sum += std::log2(entry(i, j, by_rows)) + other(j);
        ++count;
      }
      if (count == 0) continue;
      change = std::max(change, std::abs(own(i) + sum / count));
      own(i) = -sum / count;
    }
    return change;
  }

  /// Rows are 0 … n − 1, columns n … 2n − 1.
  int find_group(int k) {
    int& parent = group_[static_cast<std::size_t>(k)];
    return parent == k ? k : parent = find_group(parent);
  }

  void fit_to_q() {
    std::iota(group_.begin(), group_.end(), 0);
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) {
        if (problem_.M(i, j) != 0) group_[static_cast<std::size_t>(find_group(i))] = find_group(n_ + j);
      }
    }
    std::vector<double> largest(group_.size(), -std::numeric_limits<double>::infinity());
    for (int i = 0; i < n_; ++i) {
      double& of_group = largest[static_cast<std::size_t>(find_group(i))];
      if (problem_.q(i) != 0) of_group = std::max(of_group, std::log2(std::abs(problem_.q(i))) + r_(i));
    }
    for (int k = 0; k < 2 * n_; ++k) {
      const double shift = largest[static_cast<std::size_t>(find_group(k))];
      if (!std::isfinite(shift)) continue;
      if (k < n_) {
        r_(k) -= shift;
      } else {
        c_(k - n_) += shift;
      }
    }
  }

  const Lcp& problem_;
  int n_;
  VectorX<double> r_, c_;
  std::vector<int> group_;
};

/// The problem in scaled units.
inline Lcp scale_problem(const Lcp& problem, const LcpScale& scale) {
  Lcp out = problem;
  for (int i = 0; i < problem.size(); ++i) {
    for (int j = 0; j < problem.size(); ++j) out.M(i, j) = problem.M(i, j) * scale.R(i) * scale.C(j);
    out.q(i) = problem.q(i) * scale.R(i);
  }
  return out;
}

}  // namespace thenar::internal
