// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What the check of a tree computes with: units, equations that are reduced one by one, directions that make no
/// difference.

#include <algorithm>

#include "thenar/complementarity/verify_internal.h"

namespace thenar::internal::verify {

/// What counts as zero in the units of verify.h: solvers decide to 1e-8.
inline constexpr Long kTolerance = 1e-7L;
/// Pivots below this part of the largest end an elimination: the data are doubles.
inline constexpr Long kPivot = 1e-11L;

/// The units of verify.h, by going over rows and columns in turn.
class Units {
 public:
  explicit Units(const Lcp& p) : z(at(p.size()), 1), w(at(p.size()), 1) {
    constexpr int kTurns = 40;
    for (int turn = 0; turn < kTurns; ++turn) {
      for (int i = 0; i < p.size(); ++i) w[at(i)] = calc_mean(p, i, true);
      for (int j = 0; j < p.size(); ++j) z[at(j)] = 1 / calc_mean(p, j, false);
    }
    // Rows that hang together have one more factor, which q decides.
    std::vector<bool> is_done(at(p.size()), false);
    for (int i = 0; i < p.size(); ++i) {
      if (!is_done[at(i)]) fit_group(p, i, is_done);
    }
  }
  LongList z, w;

 private:
  /// The geometric mean of |Mᵢⱼ| zⱼ over a row, or of |Mᵢⱼ|/wᵢ over a column.
  Long calc_mean(const Lcp& p, int k, bool is_row) const {
    Long sum = 0;
    int count = 0;
    for (int other = 0; other < p.size(); ++other) {
      const Long entry = std::abs(static_cast<Long>(is_row ? p.M(k, other) : p.M(other, k)));
      if (entry == 0) continue;
      sum += std::log2(is_row ? entry * z[at(other)] : entry / w[at(other)]);
      ++count;
    }
    return count == 0 ? 1 : std::exp2(sum / static_cast<Long>(count));
  }

  void fit_group(const Lcp& p, int first, std::vector<bool>& is_done) {
    std::vector<int> rows{first}, columns;
    std::vector<bool> has_column(at(p.size()), false);
    is_done[at(first)] = true;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (int j = 0; j < p.size(); ++j) {
        if (p.M(rows[k], j) == 0 || has_column[at(j)]) continue;
        has_column[at(j)] = true;
        columns.push_back(j);
        for (int i = 0; i < p.size(); ++i) {
          if (p.M(i, j) == 0 || is_done[at(i)]) continue;
          is_done[at(i)] = true;
          rows.push_back(i);
        }
      }
    }
    Long largest = 0;
    for (const int i : rows) largest = std::max(largest, std::abs(p.q(i)) / w[at(i)]);
    if (largest == 0) return;
    for (const int i : rows) w[at(i)] *= largest;
    for (const int j : columns) z[at(j)] *= largest;
  }
};

/// Linear equations in few unknowns, reduced one by one.
class Equations {
 public:
  explicit Equations(int unknowns) : unknowns_(unknowns) {}

  /// coefficients · x = right. False if it contradicts the others.
  bool add(LongList coefficients, Long right) {
    Long largest = std::abs(right);
    for (const Long a : coefficients) largest = std::max(largest, std::abs(a));
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const Long factor = coefficients[at(pivots_[k])];
      for (int j = 0; j < unknowns_; ++j) coefficients[at(j)] -= factor * rows_[k][at(j)];
      right -= factor * rights_[k];
    }
    int pivot = 0;
    for (int j = 1; j < unknowns_; ++j) {
      if (std::abs(coefficients[at(j)]) > std::abs(coefficients[at(pivot)])) pivot = j;
    }
    if (unknowns_ == 0 || std::abs(coefficients[at(pivot)]) <= kPivot * largest) {
      return std::abs(right) <= kTolerance * std::max(largest, 1.0L);
    }
    const Long inverse = 1 / coefficients[at(pivot)];
    for (Long& a : coefficients) a *= inverse;
    right *= inverse;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const Long factor = rows_[k][at(pivot)];
      for (int j = 0; j < unknowns_; ++j) rows_[k][at(j)] -= factor * coefficients[at(j)];
      rights_[k] -= factor * right;
    }
    rows_.push_back(std::move(coefficients));
    rights_.push_back(right);
    pivots_.push_back(pivot);
    return true;
  }

  int rank() const { return static_cast<int>(rows_.size()); }
  int freedom() const { return unknowns_ - rank(); }

  /// With freedom 0.
  LongList solve() const {
    LongList x(at(unknowns_), 0);
    for (std::size_t k = 0; k < rows_.size(); ++k) x[at(pivots_[k])] = rights_[k];
    return x;
  }

  /// With freedom 1 and right sides 0.
  LongList find_direction() const {
    int free = 0;
    while (std::find(pivots_.begin(), pivots_.end(), free) != pivots_.end()) ++free;
    LongList x(at(unknowns_), 0);
    x[at(free)] = 1;
    for (std::size_t k = 0; k < rows_.size(); ++k) x[at(pivots_[k])] = -rows_[k][at(free)];
    return x;
  }

 private:
  int unknowns_;
  std::vector<LongList> rows_;
  LongList rights_;
  std::vector<int> pivots_;
};

/// Directions that make no difference. canonical() removes them from a point: it has 0 in the pivots.
class Lines {
 public:
  explicit Lines(int size) : size_(size) {}
  void add(LongList line) {
    reduce(line);
    int pivot = 0;
    for (int j = 1; j < size_; ++j) {
      if (std::abs(line[at(j)]) > std::abs(line[at(pivot)])) pivot = j;
    }
    const Long largest = line[at(pivot)];
    if (!(std::abs(largest) > kPivot)) return;
    for (Long& a : line) a /= largest;
    for (LongList& other : lines_) {
      const Long factor = other[at(pivot)];
      for (int j = 0; j < size_; ++j) other[at(j)] -= factor * line[at(j)];
    }
    lines_.push_back(std::move(line));
    pivots.push_back(pivot);
  }
  void reduce(LongList& x) const {
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      const Long factor = x[at(pivots[k])];
      for (int j = 0; j < size_; ++j) x[at(j)] -= factor * lines_[k][at(j)];
    }
  }
  std::vector<int> pivots;

 private:
  int size_;
  std::vector<LongList> lines_;
};

}  // namespace thenar::internal::verify
