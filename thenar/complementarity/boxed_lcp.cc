// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/boxed_lcp.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>

#include "thenar/base/numbers.h"
#include "thenar/complementarity/word_reader_internal.h"

namespace thenar {

std::string BoxedLcp::find_fault() const {
  const int n = size();
  if (M.rows() != n || M.cols() != n || lower.size() != n || upper.size() != n) {
    return fmt::format("M must be {0} × {0}, and there must be {0} bounds of each kind", n);
  }
  if (!M.allFinite() || !q.allFinite()) return "M and q must be finite";
  for (int i = 0; i < n; ++i) {
    if (!(lower(i) <= upper(i)) || lower(i) == kInfinity || upper(i) == -kInfinity) {
      return fmt::format("row {}: no number is between {} and {}", i, lower(i), upper(i));
    }
  }
  return "";
}

double calc_residual(const BoxedLcp& problem, std::span<const double> z) {
  const int n = problem.size();
  if (static_cast<int>(z.size()) != n) throw std::invalid_argument("calc_residual: one number per row is needed");
  long double worst = 0;
  for (int i = 0; i < n; ++i) {
    const long double w = calc_w(problem.M, problem.q, z, i);
    const long double z_i = z[static_cast<std::size_t>(i)];
    if (std::isnan(z_i) || std::isnan(w)) return std::nan("");
    const long double nearest =
        std::clamp(z_i - w, static_cast<long double>(problem.lower(i)), static_cast<long double>(problem.upper(i)));
    worst = std::max(worst, std::abs(z_i - nearest));
  }
  return static_cast<double>(worst / (n > 0 ? 1 + problem.q.cwiseAbs().maxCoeff() : 1));
}

BoxedReduction::BoxedReduction(const BoxedLcp& problem) : places_(static_cast<std::size_t>(problem.size())) {
  if (const std::string fault = problem.find_fault(); !fault.empty()) {
    throw std::invalid_argument("BoxedReduction: " + fault);
  }
  const int n = problem.size();
  std::vector<int> boxed;
  const auto place = [this](int i) -> Place& { return places_[static_cast<std::size_t>(i)]; };
  const auto has_lower = [&](int i) { return std::isfinite(problem.lower(i)); };
  const auto has_upper = [&](int i) { return std::isfinite(problem.upper(i)); };
  int rows = 0;
  for (int i = 0; i < n; ++i) {
    if (!has_lower(i) && !has_upper(i)) place(i).row = rows++;
  }
  lcp_.free_count = rows;
  for (int i = 0; i < n; ++i) {
    if (!has_lower(i) && !has_upper(i)) continue;
    place(i).origin = has_lower(i) ? problem.lower(i) : problem.upper(i);
    if (problem.lower(i) == problem.upper(i)) continue;
    place(i).row = rows++;
    place(i).sign = has_lower(i) ? 1 : -1;
    if (has_lower(i) && has_upper(i)) boxed.push_back(i);
  }
  const int size = rows + static_cast<int>(boxed.size());
  lcp_.M = MatrixX<double>::Zero(size, size);
  lcp_.q = VectorX<double>::Zero(size);
  for (int i = 0; i < n; ++i) {
    if (place(i).row < 0) continue;
    double constant = problem.q(i);
    for (int j = 0; j < n; ++j) {
      constant += problem.M(i, j) * place(j).origin;
      if (place(j).row < 0) continue;
      lcp_.M(place(i).row, place(j).row) = place(i).sign * problem.M(i, j) * place(j).sign;
    }
    lcp_.q(place(i).row) = place(i).sign * constant;
  }
  for (std::size_t k = 0; k < boxed.size(); ++k) {
    const int slack = rows + static_cast<int>(k), row = place(boxed[k]).row;
    lcp_.M(row, slack) = 1;
    lcp_.M(slack, row) = -1;
    lcp_.q(slack) = problem.upper(boxed[k]) - problem.lower(boxed[k]);
  }
}

VectorX<double> BoxedReduction::recover(const VectorX<double>& x) const {
  VectorX<double> z = recover_direction(x);
  for (std::size_t i = 0; i < places_.size(); ++i) z(static_cast<Eigen::Index>(i)) += places_[i].origin;
  return z;
}

VectorX<double> BoxedReduction::recover_direction(const VectorX<double>& x) const {
  VectorX<double> z(static_cast<Eigen::Index>(places_.size()));
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    z(static_cast<Eigen::Index>(i)) = place.row < 0 ? 0 : place.sign * x(place.row);
  }
  return z;
}

BoxedLcp read_boxed_lcp(std::istream& in, const std::string& name) {
  internal::WordReader reader(in, name);
  reader.next_line("'thenar boxed lcp 1'");
  for (const char* word : {"thenar", "boxed", "lcp", "1"}) reader.keyword(word);
  reader.end_line();
  reader.next_line("the number of rows");
  const int n = reader.number<int>("the number of rows");
  if (n < 0 || n > internal::kMostRows) {
    reader.fail(fmt::format("found {} rows, expected 0 to {}", n, internal::kMostRows));
  }
  reader.end_line();
  BoxedLcp out{MatrixX<double>(n, n), VectorX<double>(n), VectorX<double>(n), VectorX<double>(n)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) out.M(i, j) = reader.flowing_number("an entry of M");
  }
  for (int i = 0; i < n; ++i) out.q(i) = reader.flowing_number("an entry of q");
  for (int i = 0; i < n; ++i) out.lower(i) = reader.flowing_number("a lower bound");
  for (int i = 0; i < n; ++i) out.upper(i) = reader.flowing_number("an upper bound");
  if (const std::string fault = out.find_fault(); !fault.empty()) reader.fail(fault);
  reader.end_text();
  return out;
}

void write_boxed_lcp(std::ostream& out, const BoxedLcp& problem) {
  const auto write_row = [&out](const auto& row) {
    for (Eigen::Index j = 0; j < row.size(); ++j) out << (j > 0 ? " " : "") << internal::write_number(row(j));
    out << '\n';
  };
  out << "thenar boxed lcp 1\n" << problem.size() << '\n';
  for (int i = 0; i < problem.size(); ++i) write_row(problem.M.row(i));
  write_row(problem.q);
  write_row(problem.lower);
  write_row(problem.upper);
}

}  // namespace thenar
