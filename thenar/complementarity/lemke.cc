// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace thenar {
namespace {

/// Entries below this are zero, of a dictionary whose largest are about 1 to begin with.
constexpr double kZero = 1e-11;
/// A residual that leaves nothing to improve.
constexpr double kGood = 1e-13;
/// Ratios that differ by less are ties.
constexpr double kTie = 1e-12;

/// A power of two near 1/x, so that scaling is exact; 1 for 0.
double power_near_inverse(double x) { return x > 0 ? std::ldexp(1, -std::ilogb(x)) : 1; }

}  // namespace

const char* to_string(LemkeStatus status) {
  switch (status) {
    case LemkeStatus::solved:
      return "solved";
    case LemkeStatus::ray:
      return "ray";
    case LemkeStatus::singular_free:
      return "singular free rows";
    case LemkeStatus::not_finite:
      return "not finite";
    case LemkeStatus::inaccurate:
      return "inaccurate";
    case LemkeStatus::pivot_limit:
      return "pivot limit";
  }
  return "";
}

/// Unknowns are numbered w: 0 … n − 1, z: n … 2n − 1, z₀: 2n. Columns of the dictionary: n + 1 nonbasic unknowns, then
/// r.
struct LemkeSolver::Work {
  explicit Work(int max_size) : capacity(max_size) {
    const auto size = static_cast<std::size_t>(max_size);
    dictionary.resize(size * stride_of(max_size));
    basic.resize(size);
    nonbasic.resize(size + 1);
    row_of.resize(2 * size + 1);
    column_of.resize(2 * size + 1);
    row_scale.resize(size);
    column_scale.resize(size);
    ties.reserve(size);
    chosen.reserve(size);
    factor.resize(size * size);
    right.resize(size);
    result.z.reserve(size);
    result.in_basis.reserve(size);
  }

  const LemkeResult& solve(const Lcp& problem_in, std::span<const double> d) {
    problem = &problem_in;
    n = problem->size();
    stride = stride_of(n);
    result.status = LemkeStatus::not_finite;
    result.z.assign(static_cast<std::size_t>(n), 0);
    result.in_basis.assign(static_cast<std::size_t>(n), false);
    result.pivots = 0;
    result.residual = 0;
    if (!problem->M.allFinite() || !problem->q.allFinite()) return result;
    start(d);
    result.status = eliminate_free_rows() ? follow_path() : LemkeStatus::singular_free;
    read_solution();
    return result;
  }

 private:
  static std::size_t stride_of(int n) { return (static_cast<std::size_t>(n) + 2 + 7) / 8 * 8; }

  double* row(int i) { return dictionary.data() + static_cast<std::size_t>(i) * stride; }
  double& at(int i, int j) { return row(i)[j]; }
  double& constant(int i) { return row(i)[n + 1]; }
  int z(int i) const { return n + i; }
  int z0() const { return 2 * n; }
  bool is_free_row(int i) const { return i < problem->free_count; }

  /// w = M z + q + d z₀ in scaled units: rows of M divided by their largest entry, then columns.
  void start(std::span<const double> d) {
    const int free_count = problem->free_count;
    for (int i = 0; i < n; ++i) {
      row_scale[index(i)] = power_near_inverse(n > 0 ? problem->M.row(i).cwiseAbs().maxCoeff() : 0);
    }
    for (int j = 0; j < n; ++j) {
      double largest = 0;
      for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(problem->M(i, j)) * row_scale[index(i)]);
      column_scale[index(j)] = power_near_inverse(largest);
    }
    double largest_q = 0;
    for (int i = 0; i < n; ++i) largest_q = std::max(largest_q, std::abs(problem->q(i)) * row_scale[index(i)]);
    unit_of_q = power_near_inverse(largest_q);
    for (int i = 0; i < n; ++i) {
      const double scale = row_scale[index(i)];
      for (int j = 0; j < n; ++j) at(i, j) = problem->M(i, j) * scale * column_scale[index(j)];
      at(i, n) = is_free_row(i) ? 0 : d.empty() ? 1 : d[index(i - free_count)];
      constant(i) = problem->q(i) * scale * unit_of_q;
      std::fill(row(i) + n + 2, row(i) + stride, 0.0);
    }
    for (int i = 0; i < n; ++i) put_basic(i, i);
    for (int j = 0; j < n; ++j) put_nonbasic(j, z(j));
    put_nonbasic(n, z0());
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void put_basic(int i, int unknown) {
    basic[index(i)] = unknown;
    row_of[index(unknown)] = i;
    column_of[index(unknown)] = -1;
  }
  void put_nonbasic(int j, int unknown) {
    nonbasic[index(j)] = unknown;
    column_of[index(unknown)] = j;
    row_of[index(unknown)] = -1;
  }

  /// Exchanges the basic unknown of row r with the nonbasic one of column c.
  void pivot(int r, int c) {
    double* pivot_row = row(r);
    const double inverse = 1 / pivot_row[c];
    for (std::size_t k = 0; k < stride; ++k) pivot_row[k] *= -inverse;
    pivot_row[c] = inverse;
    for (int i = 0; i < n; ++i) {
      if (i == r) continue;
      double* other = row(i);
      const double factor_i = other[c];
      if (factor_i == 0) continue;
      other[c] = 0;
      for (std::size_t k = 0; k < stride; ++k) other[k] += factor_i * pivot_row[k];
    }
    const int entering = nonbasic[index(c)];
    put_nonbasic(c, basic[index(r)]);
    put_basic(r, entering);
    ++result.pivots;
  }

  /// Makes all free z basic, with the largest pivots that there are. Their w leave for good.
  bool eliminate_free_rows() {
    for (int step = 0; step < problem->free_count; ++step) {
      int r = -1, c = -1;
      double largest = kZero;
      for (int i = 0; i < problem->free_count; ++i) {
        if (basic[index(i)] >= n) continue;
        for (int j = 0; j < problem->free_count; ++j) {
          const int column = column_of[index(z(j))];
          if (column < 0 || std::abs(at(i, column)) <= largest) continue;
          largest = std::abs(at(i, column));
          r = i;
          c = column;
        }
      }
      if (r < 0) return false;
      pivot(r, c);
    }
    return true;
  }

  LemkeStatus follow_path() {
    const int first = find_first_leaving();
    if (first < 0) return LemkeStatus::solved;
    int entering = n;  // the column of z₀
    int leaving_row = first;
    while (result.pivots < kPivotLimit) {
      const int leaving = basic[index(leaving_row)];
      pivot(leaving_row, entering);
      if (leaving == z0()) return LemkeStatus::solved;
      entering = column_of[index(complement(leaving))];
      leaving_row = find_leaving(entering);
      if (leaving_row < 0) return LemkeStatus::ray;
    }
    return LemkeStatus::pivot_limit;
  }

  int complement(int unknown) const { return unknown < n ? unknown + n : unknown - n; }

  /// The row with the least q/d, the last of equal ones: that of q + (ε, ε², …). −1 if none is negative.
  int find_first_leaving() {
    int best = -1;
    double least = 0;
    for (int i = problem->free_count; i < n; ++i) {
      const double ratio = constant(i) / at(i, n);
      if (ratio < least || (best >= 0 && ratio == least)) {
        least = ratio;
        best = i;
      }
    }
    return best;
  }

  /// The row that blocks the entering unknown first: r/−T is least over rows with T < 0. Of ties z₀'s, then the
  /// lexicographically least.
  int find_leaving(int entering) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < n; ++i) {
      if (is_unbounded(i) || at(i, entering) >= -kZero) continue;
      constant(i) = std::max(constant(i), 0.0);
      least = std::min(least, constant(i) / -at(i, entering));
    }
    if (least == std::numeric_limits<double>::infinity()) return -1;
    ties.clear();
    for (int i = 0; i < n; ++i) {
      if (is_unbounded(i) || at(i, entering) >= -kZero) continue;
      if (constant(i) / -at(i, entering) > least + kTie * (1 + least)) continue;
      if (basic[index(i)] == z0()) return i;
      ties.push_back(i);
    }
    return break_tie(entering);
  }

  /// Whether the row's unknown is free.
  bool is_unbounded(int i) const {
    const int unknown = basic[index(i)];
    return unknown >= n && unknown < 2 * n && is_free_row(unknown - n);
  }

  int break_tie(int entering) {
    for (int j = problem->free_count; j < n && ties.size() > 1; ++j) {
      double least = std::numeric_limits<double>::infinity();
      for (const int i : ties) least = std::min(least, calc_derivative(i, j) / -at(i, entering));
      std::erase_if(
          ties, [&](int i) { return calc_derivative(i, j) / -at(i, entering) > least + kTie * (1 + std::abs(least)); });
    }
    return ties.front();
  }

  /// Of row i's constant by q_j.
  double calc_derivative(int i, int j) {
    const int column = column_of[index(j)];
    if (column >= 0) return -at(i, column);
    return row_of[index(j)] == i ? 1 : 0;
  }

  /// z of the last basis: from M itself, since the dictionary has gathered the rounding of all pivots, unless that is
  /// worse.
  void read_solution() {
    chosen.clear();
    for (int j = 0; j < n; ++j) {
      if (row_of[index(z(j))] < 0) continue;
      result.in_basis[index(j)] = true;
      chosen.push_back(j);
    }
    const bool is_solved = result.status == LemkeStatus::solved;
    double exact = std::numeric_limits<double>::infinity();
    if (is_solved && solve_basis()) {
      put_z([this](int a) { return right[index(a)]; });
      exact = calc_residual(*problem, result.z);
    }
    result.residual = exact;
    if (exact <= kGood) return;
    put_z([this](int a) { return constant(row_of[index(z(chosen[index(a)]))]) / unit_of_q; });
    result.residual = calc_residual(*problem, result.z);
    if (result.residual > exact) {
      put_z([this](int a) { return right[index(a)]; });
      result.residual = exact;
    }
    if (is_solved && !(result.residual <= kResidual)) result.status = LemkeStatus::inaccurate;
  }

  /// Sets z of the chosen rows from numbers in scaled units.
  template <class Number>
  void put_z(const Number& number) {
    for (int a = 0; a < static_cast<int>(chosen.size()); ++a) {
      const int j = chosen[index(a)];
      const double lower = is_free_row(j) ? -std::numeric_limits<double>::infinity() : 0;
      result.z[index(j)] = std::max(number(a) * column_scale[index(j)], lower);
    }
  }

  /// Solves M_αα z_α = −q_α for the chosen rows α in scaled units: `right`.
  bool solve_basis() {
    const auto m = static_cast<int>(chosen.size());
    for (int a = 0; a < m; ++a) {
      const int i = chosen[index(a)];
      for (int b = 0; b < m; ++b) {
        const int j = chosen[index(b)];
        factor[index(a * m + b)] = problem->M(i, j) * row_scale[index(i)] * column_scale[index(j)];
      }
      right[index(a)] = -problem->q(i) * row_scale[index(i)];
    }
    return eliminate(m);
  }

  /// Gaussian elimination with row pivots of `factor` (m × m) and `right`.
  bool eliminate(int m) {
    const auto entry = [this, m](int i, int j) -> double& { return factor[index(i * m + j)]; };
    for (int k = 0; k < m; ++k) {
      int best = k;
      for (int i = k + 1; i < m; ++i) {
        if (std::abs(entry(i, k)) > std::abs(entry(best, k))) best = i;
      }
      if (!(std::abs(entry(best, k)) > 0)) return false;
      if (best != k) {
        for (int j = k; j < m; ++j) std::swap(entry(k, j), entry(best, j));
        std::swap(right[index(k)], right[index(best)]);
      }
      for (int i = k + 1; i < m; ++i) {
        const double f = entry(i, k) / entry(k, k);
        for (int j = k + 1; j < m; ++j) entry(i, j) -= f * entry(k, j);
        right[index(i)] -= f * right[index(k)];
      }
    }
    for (int k = m; k-- > 0;) {
      for (int j = k + 1; j < m; ++j) right[index(k)] -= entry(k, j) * right[index(j)];
      right[index(k)] /= entry(k, k);
    }
    return true;
  }

 public:
  int capacity;
  LemkeResult result;

 private:
  const Lcp* problem = nullptr;
  int n = 0;
  std::size_t stride = 0;
  std::vector<double> dictionary, row_scale, column_scale, factor, right;
  double unit_of_q = 1;
  std::vector<int> basic, nonbasic, row_of, column_of, ties, chosen;
};

LemkeSolver::LemkeSolver(int max_size) : work_(std::make_unique<Work>(max_size)) {}
LemkeSolver::~LemkeSolver() = default;
LemkeSolver::LemkeSolver(LemkeSolver&&) noexcept = default;
LemkeSolver& LemkeSolver::operator=(LemkeSolver&&) noexcept = default;

const LemkeResult& LemkeSolver::solve(const Lcp& problem, std::span<const double> d) {
  const int n = problem.size();
  if (n > work_->capacity) throw std::invalid_argument("LemkeSolver: more rows than it was made for");
  if (problem.M.rows() != n || problem.M.cols() != n || problem.free_count < 0 || problem.free_count > n) {
    throw std::invalid_argument("LemkeSolver: M must be square, of the size of q");
  }
  if (!d.empty() && (static_cast<int>(d.size()) != n - problem.free_count ||
                     !std::all_of(d.begin(), d.end(), [](double x) { return x > 0 && std::isfinite(x); }))) {
    throw std::invalid_argument("LemkeSolver: d needs one positive number per complementary row");
  }
  return work_->solve(problem, d);
}

}  // namespace thenar
