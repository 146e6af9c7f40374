// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Tables of numbers as text for people.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace thenar::internal {

/// Numbers this small beside the largest of their kind are printed as 0.
inline constexpr double kPrintedZero = 1e-12;

inline std::string number_text(double x, double scale) {
  return fmt::format("{:.5g}", std::abs(x) <= kPrintedZero * scale ? 0.0 : x);
}

/// A table whose columns are as wide as their widest entry; the first two and those from `left_from` on to the left.
class Table {
 public:
  explicit Table(std::size_t left_from) : left_from_(left_from) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], row[j].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const bool is_left = j == 0 || j >= left_from_ || j == 1;
        line += is_left ? fmt::format("  {:<{}}", row[j], widths[j]) : fmt::format("  {:>{}}", row[j], widths[j]);
      }
      out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return out;
  }

 private:
  std::size_t left_from_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace thenar::internal
