// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random programs of the kind that nodes of a mode search are: small, dense, with bounds of zero or none, and often
/// degenerate.

#include <random>

#include "thenar/modes/node_program_internal.h"

namespace thenar::test {

class RandomNodePrograms {
 public:
  explicit RandomNodePrograms(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  bool chance(double p) { return uniform(0, 1) < p; }

  /// Entries are reals or, in some programs, small whole numbers, so that many rows meet in a point; some rows are
  /// multiples of others or zero; some constants are zero; units of rows and columns may differ.
  void make(int rows, int columns, MatrixX<double>& R, VectorX<double>& r) {
    const bool is_whole = chance(0.4);
    const auto entry = [&] { return is_whole ? static_cast<double>(pick(-2, 2)) : uniform(-1, 1); };
    R.resize(rows, columns);
    r.resize(rows);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) R(i, j) = entry();
      r(i) = chance(0.3) ? 0 : entry();
    }
    for (int i = 1; i < rows; ++i) {
      if (!chance(0.15)) continue;
      const int other = pick(0, i - 1);
      const double factor = pick(-1, 1);
      R.row(i) = factor * R.row(other);
      r(i) = factor * r(other);
    }
    if (chance(0.2)) {
      for (int j = 0; j < columns; ++j) R.col(j) *= std::exp2(pick(-6, 6));
    }
  }

  internal::NodeRange range() { return static_cast<internal::NodeRange>(pick(0, 3)); }
  internal::NodeRange column_range() { return chance(0.7) ? internal::NodeRange::at_least_zero : range(); }

  void bound_all(internal::NodeProgram& program) {
    for (int i = 0; i < program.row_count(); ++i) program.bound_row(i, range());
    for (int j = 0; j < program.column_count(); ++j) program.bound_column(j, column_range());
  }
  /// As from one node to the next.
  void bound_some(internal::NodeProgram& program) {
    for (int change = pick(1, 3); change > 0; --change) {
      if (program.row_count() > 0) program.bound_row(pick(0, program.row_count() - 1), range());
      if (program.column_count() > 0) program.bound_column(pick(0, program.column_count() - 1), column_range());
    }
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace thenar::test
