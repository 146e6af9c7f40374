// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/lcp.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>

#include "thenar/complementarity/word_reader_internal.h"

namespace thenar {
namespace {

int read_count(internal::WordReader& reader, const char* expected) {
  const int count = reader.number<int>(expected);
  if (count < 0 || count > internal::kMostRows) {
    reader.fail(fmt::format("found {} rows, expected 0 to {}", count, internal::kMostRows));
  }
  return count;
}

double read_finite(internal::WordReader& reader, const char* expected) {
  const double value = reader.flowing_number(expected);
  if (!std::isfinite(value)) reader.fail(fmt::format("found {}, expected {}, which is finite", value, expected));
  return value;
}

}  // namespace

long double calc_w(const MatrixX<double>& M, const VectorX<double>& q, std::span<const double> z, int i) {
  long double w = q(i);
  for (Eigen::Index j = 0; j < M.cols(); ++j) w += static_cast<long double>(M(i, j)) * z[static_cast<std::size_t>(j)];
  return w;
}

double calc_residual(const Lcp& problem, std::span<const double> z) {
  const int n = problem.size();
  if (static_cast<int>(z.size()) != n) throw std::invalid_argument("calc_residual: one number per row is needed");
  long double worst = 0;
  for (int i = 0; i < n; ++i) {
    const long double w = calc_w(problem.M, problem.q, z, i);
    const long double z_i = z[static_cast<std::size_t>(i)];
    const long double violation = i < problem.free_count ? std::abs(w) : std::abs(std::min(z_i, w));
    // Not max(): NaN must stay.
    if (!(violation <= worst)) worst = violation;
    if (std::isnan(z_i)) return std::nan("");
  }
  const double scale = n > 0 ? 1 + problem.q.cwiseAbs().maxCoeff() : 1;
  return static_cast<double>(worst / scale);
}

Lcp read_lcp(std::istream& in, const std::string& name) {
  internal::WordReader reader(in, name);
  Lcp problem;
  reader.next_line("the number of rows");
  int n = read_count(reader, "the number of rows");
  if (!reader.at_end()) {
    problem.free_count = n;
    n += read_count(reader, "the number of complementary rows");
  }
  reader.end_line();
  problem.M.resize(n, n);
  problem.q.resize(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) problem.M(i, j) = read_finite(reader, "an entry of M");
  }
  for (int i = 0; i < n; ++i) problem.q(i) = read_finite(reader, "an entry of q");
  reader.end_text();
  return problem;
}

void write_lcp(std::ostream& out, const Lcp& problem) {
  const int n = problem.size();
  if (problem.free_count > 0) {
    out << problem.free_count << ' ' << n - problem.free_count << '\n';
  } else {
    out << n << '\n';
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) out << (j > 0 ? " " : "") << internal::write_number(problem.M(i, j));
    out << '\n';
  }
  for (int i = 0; i < n; ++i) out << (i > 0 ? " " : "") << internal::write_number(problem.q(i));
  out << '\n';
}

}  // namespace thenar
