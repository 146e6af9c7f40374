// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The free rows of a mixed problem (w = 0, z free) at the start of Lemke's method (lemke.h): pivots that make free z
/// basic and free w nonbasic, in a newly reset dictionary. After them rows of free z are released, columns of free w
/// empty, and the others make an LCP without free rows.

#include <algorithm>
#include <cmath>

#include "thenar/complementarity/lemke_dictionary_internal.h"

namespace thenar::internal {

class LemkeFreeRows {
 public:
  LemkeFreeRows(LemkeDictionary& dictionary, int rows, int free_count)
      : dictionary_(dictionary), rows_(rows), free_count_(free_count) {}

  /// False if free rows remain that can neither be met nor left out.
  bool eliminate() {
    while (pivot_on_free_block()) {
    }
    while (exchange_with_complementary_row()) {
    }
    return leave_out_empty_rows();
  }

  /// Whether free rows contradict each other, after eliminate().
  bool is_contradictory() const { return is_contradictory_; }

 private:
  /// Of z_j; −1 while it is basic.
  int column_of_z(int j) const { return dictionary_.column_of(dictionary_.z(j)); }
  double size_of(int row, int column) const { return std::abs(dictionary_.at(row, column)); }
  /// Whether row i still has its free w.
  bool is_open(int i) const { return dictionary_.basic(i) == i; }

  /// On the largest entry of open rows and nonbasic free z; false if all are zero.
  bool pivot_on_free_block() {
    int row = -1, column = -1;
    double largest = LemkeDictionary::kZero;
    for (int j = 0; j < free_count_; ++j) {
      const int c = column_of_z(j);
      for (int i = 0; c >= 0 && i < free_count_; ++i) {
        if (!is_open(i) || size_of(i, c) <= largest) continue;
        largest = size_of(i, c);
        row = i;
        column = c;
      }
    }
    if (row < 0) return false;
    dictionary_.pivot(row, column);
    dictionary_.release_row(row);
    dictionary_.clear_column(column);  // the free w is zero for good
    return true;
  }

  /// Where open rows have no entry at the free z that are left: z_k enters by such a row r, then the free z_c by the
  /// row of w_k. Of all k the one whose smaller pivot is the largest. The entries at (r, c) stay zero.
  bool exchange_with_complementary_row() {
    int best = -1, row = -1, column = -1;
    double largest = LemkeDictionary::kZero;
    for (int k = free_count_; k < rows_; ++k) {
      if (dictionary_.row_of(k) < 0 || column_of_z(k) < 0) continue;
      const int r = find_open_row(column_of_z(k)), c = find_free_column(dictionary_.row_of(k));
      if (r < 0 || c < 0) continue;
      const double size = std::min(size_of(r, column_of_z(k)), size_of(dictionary_.row_of(k), c));
      if (size <= largest) continue;
      largest = size;
      best = k;
      row = r;
      column = c;
    }
    if (best < 0) return false;
    const int row_of_w = dictionary_.row_of(best), column_of_z_k = column_of_z(best);
    dictionary_.pivot(row, column_of_z_k);
    dictionary_.clear_column(column_of_z_k);
    dictionary_.pivot(row_of_w, column);
    dictionary_.release_row(row_of_w);
    return true;
  }

  /// With the largest entry in a column; −1 if none is open.
  int find_open_row(int column) const {
    int best = -1;
    for (int i = 0; i < free_count_; ++i) {
      if (is_open(i) && (best < 0 || size_of(i, column) > size_of(best, column))) best = i;
    }
    return best;
  }

  /// Of the free z with the largest entry in a row; −1 if all are basic.
  int find_free_column(int row) const {
    int best = -1;
    for (int j = 0; j < free_count_; ++j) {
      const int c = column_of_z(j);
      if (c >= 0 && (best < 0 || size_of(row, c) > size_of(row, best))) best = c;
    }
    return best;
  }

  /// Open rows without entries say 0 = 0, or contradict the others. Free z that are left stay at zero.
  bool leave_out_empty_rows() {
    constexpr double kMet = 1e-10;  // of max |q|: rounding of the pivots before
    bool is_done = true;
    for (int i = 0; i < free_count_; ++i) {
      if (!is_open(i)) continue;
      double largest = 0;
      for (int j = 0; j < rows_; ++j) largest = std::max(largest, size_of(i, j));
      const bool is_empty = largest <= LemkeDictionary::kZero, is_met = std::abs(dictionary_.constant(i)) <= kMet;
      is_contradictory_ = is_contradictory_ || (is_empty && !is_met);
      is_done = is_done && is_empty && is_met;
      dictionary_.release_row(i);
    }
    for (int j = 0; j < free_count_; ++j) {
      if (column_of_z(j) >= 0) dictionary_.clear_column(column_of_z(j));
    }
    return is_done;
  }

  LemkeDictionary& dictionary_;
  int rows_, free_count_;
  bool is_contradictory_ = false;
};

}  // namespace thenar::internal
