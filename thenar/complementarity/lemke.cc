// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "thenar/base/numbers.h"
#include "thenar/complementarity/lemke_basis_internal.h"
#include "thenar/complementarity/lemke_dictionary_internal.h"
#include "thenar/complementarity/lemke_free_rows_internal.h"

namespace thenar {
namespace {

using internal::LemkeDictionary;
using internal::max_magnitude;
using internal::PaddedColumn;

/// A residual that leaves nothing to improve.
constexpr double kGood = 1e-13;
/// A guessed basis whose unknowns are above −kNearly, in scaled units, is taken for feasible; the residual decides.
constexpr double kNearly = 1e-13;
constexpr int kGuessSteps = 8;
/// Parts of the terms of a sum that counts as zero in a proof.
constexpr double kProof = 1e-10;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

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

struct LemkeSolver::Work {
  explicit Work(int max_size) : capacity(max_size), dictionary(max_size), basis(max_size) {
    const auto size = index(max_size);
    padded_z.resize(static_cast<std::size_t>(internal::count_packs(max_size)));
    chosen.reserve(size);
    better.reserve(size);
    guess.reserve(size);
    dictionary_z.resize(size);
    covering.resize(size);
    for (LemkeResult* memory : {&result, &kept}) {
      memory->z.reserve(size);
      memory->ray.reserve(size);
      memory->in_basis.reserve(size);
    }
  }

  const LemkeResult& solve(const Lcp& problem_in, std::span<const double> d, const std::vector<bool>& guess_in) {
    problem = &problem_in;
    n = problem->size();
    if (!guess_in.empty() || !guess.empty()) guess.assign(guess_in.begin(), guess_in.end());
    clear_result();
    if (!dictionary.load(*problem)) return result;
    if (is_zero_a_solution()) {
      result.status = LemkeStatus::solved;
      return result;
    }
    dictionary.reset();
    dictionary.clear_pivot_count();
    if (!guess.empty()) {
      if (try_guess()) return result;
      if (start_at_guess() && follow_path(d, kNearly)) return result;
      reload();
    }
    if (!eliminate_free_rows()) return report_singular_free();
    if (follow_path(d, 0) || result.is_infeasible) return result;
    return try_again();
  }

 private:
  bool is_free(int i) const { return i < problem->free_count; }

  bool is_zero_a_solution() const {
    bool is_positive = problem->free_count == 0;
    for (int i = 0; i < n && is_positive; ++i) is_positive = problem->q(i) >= 0;
    return is_positive;
  }

  void clear_result() {
    result.status = LemkeStatus::not_finite;
    result.z.assign(index(n), 0);
    result.in_basis.assign(index(n), false);
    result.ray.clear();
    result.is_infeasible = false;
    result.pivots = 0;
    result.restarts = 0;
    result.residual = 0;
  }

  void reload() {
    result.ray.clear();
    result.is_infeasible = false;
    std::fill(result.in_basis.begin(), result.in_basis.end(), false);
    dictionary.load(*problem);
    dictionary.reset();
  }

  bool eliminate_free_rows() {
    if (problem->free_count == 0) return true;
    internal::LemkeFreeRows free_rows(dictionary, n, problem->free_count);
    const bool is_done = free_rows.eliminate();
    result.is_infeasible = free_rows.is_contradictory();
    return is_done;
  }

  const LemkeResult& report_singular_free() {
    result.status = LemkeStatus::singular_free;
    result.pivots = dictionary.pivots();
    read_basis();
    put_dictionary_z();
    result.residual = calc_residual(*problem, result.z);
    return result;
  }

  // The path.

  /// True if it ends with a solution; else the result says how.
  bool follow_path(std::span<const double> d, double tolerance) {
    result.status = find_end(d, tolerance);
    result.pivots = dictionary.pivots();
    read_basis();
    read_solution();
    return result.status == LemkeStatus::solved;
  }

  LemkeStatus find_end(std::span<const double> d, double tolerance) {
    dictionary.begin_path(d, problem->free_count);
    const long long limit = dictionary.pivots() + kPivotLimit;
    const int first = dictionary.find_first_leaving(tolerance);
    if (first < 0) return LemkeStatus::solved;
    int leaving = dictionary.basic(first);
    dictionary.pivot(first, n);  // z₀ enters
    while (dictionary.pivots() < limit) {
      const int entering = dictionary.column_of(dictionary.complement(leaving));
      const int row = dictionary.find_leaving(entering);
      if (row < 0) {
        read_ray(entering);
        return LemkeStatus::ray;
      }
      leaving = dictionary.basic(row);
      dictionary.pivot_on_leaving(row, entering);
      if (leaving == dictionary.z0()) return LemkeStatus::solved;
    }
    return LemkeStatus::pivot_limit;
  }

  /// The change of z along the entering column, and whether it excludes solutions.
  void read_ray(int entering) {
    result.ray.resize(index(n));
    for (int j = 0; j < n; ++j) {
      const int row = dictionary.row_of(dictionary.z(j));
      const double direction = row >= 0                                           ? dictionary.at(row, entering)
                               : dictionary.nonbasic(entering) == dictionary.z(j) ? 1
                                                                                  : 0;
      result.ray[index(j)] = (is_free(j) ? direction : std::max(direction, 0.0)) * dictionary.column_scale(j);
    }
    result.is_infeasible = excludes_solutions(result.ray) || has_impossible_row();
  }

  /// Whether Mᵀ y ≤ 0 (= 0 at free z) and qᵀ y < 0, to rounding.
  bool excludes_solutions(std::span<const double> y) const {
    double value = 0, terms = 0;
    for (int i = 0; i < n; ++i) {
      value += problem->q(i) * y[index(i)];
      terms += std::abs(problem->q(i) * y[index(i)]);
    }
    if (!(value < -kProof * terms)) return false;
    for (int j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (int i = 0; i < n; ++i) {
        sum += problem->M(i, j) * y[index(i)];
        size += std::abs(problem->M(i, j) * y[index(i)]);
      }
      if ((is_free(j) ? std::abs(sum) : sum) > kProof * size) return false;
    }
    return true;
  }

  /// Whether some w is below zero for every z: a unit vector instead of the ray.
  bool has_impossible_row() const {
    for (int i = problem->free_count; i < n; ++i) {
      bool is_impossible = problem->q(i) < 0;
      for (int j = 0; j < n && is_impossible; ++j) {
        is_impossible = is_free(j) ? problem->M(i, j) == 0 : problem->M(i, j) <= 0;
      }
      if (is_impossible) return true;
    }
    return false;
  }

  // Other starts.

  /// Newton's method on min(z, w) = 0 from the guess: solve a basis, exchange all unknowns that are negative, and so on
  /// (block principal pivoting). Whether that finds the solution within kGuessSteps; if not, `guess` becomes the basis
  /// with the fewest negative unknowns.
  bool try_guess() {
    chosen.clear();
    for (int j = 0; j < n; ++j) {
      if (guess[index(j)] || is_free(j)) chosen.push_back(j);
    }
    int fewest = n + 1;
    for (int step = 0; step < kGuessSteps; ++step) {
      std::fill(result.z.begin(), result.z.end(), 0.0);
      if (!basis.solve(*problem, dictionary, chosen)) return false;
      put_basis_z();
      result.residual = calc_residual_bound();
      if (result.residual <= kGood) return accept_guess();
      const int negative = find_better_basis();
      if (negative < fewest) {
        fewest = negative;
        guess.assign(index(n), false);
        for (const int j : chosen) guess[index(j)] = true;
      }
      chosen.swap(better);
    }
    return false;
  }

  bool accept_guess() {
    for (const int j : chosen) result.in_basis[index(j)] = true;
    result.status = LemkeStatus::solved;
    return true;
  }

  /// `better`: the chosen z and the other w, each exchanged if negative. How many are.
  int find_better_basis() {
    better.clear();
    int negative = 0;
    int a = 0;  // of the next chosen z
    for (int i = 0; i < n; ++i) {
      const bool is_chosen = index(a) < chosen.size() && chosen[index(a)] == i;
      const double value = is_chosen ? basis.z(a) / dictionary.unit_of_z(i) : basis.calc_w(i) * dictionary.unit_of_w(i);
      const bool is_negative = value < -kNearly && !is_free(i);
      if (is_chosen != is_negative) better.push_back(i);
      negative += is_negative;
      a += is_chosen;
    }
    return negative;
  }

  /// Makes the guessed z basic in a newly loaded dictionary; false if their block of M is singular.
  bool start_at_guess() {
    const auto is_guessed = [this](int i) { return guess[index(i)] || is_free(i); };
    for (int j = 0; j < n; ++j) {
      if (!is_guessed(j)) continue;
      const int column = dictionary.column_of(dictionary.z(j));
      int best = -1;
      double largest = LemkeDictionary::kZero;
      for (int i = 0; i < n; ++i) {
        if (!is_guessed(i) || dictionary.basic(i) != i || std::abs(dictionary.at(i, column)) <= largest) continue;
        largest = std::abs(dictionary.at(i, column));
        best = i;
      }
      if (best < 0) return false;
      dictionary.pivot(best, column);
      if (is_free(j)) dictionary.release_row(best);
      if (is_free(best)) dictionary.clear_column(column);
    }
    return true;
  }

  /// After a first path without success. Returns the best that was found.
  const LemkeResult& try_again() {
    keep_if_better(true);
    for (int k = 0; k <= kRestarts; ++k) {
      // k = 0: the first path's end, with new numbers.
      if (k == 0 && kept.status != LemkeStatus::inaccurate) continue;
      ++result.restarts;
      guess.assign(kept.in_basis.begin(), kept.in_basis.end());
      reload();
      if (k == 0 ? !start_at_guess() : !eliminate_free_rows()) continue;
      fill_covering(k);
      const std::span<const double> d(covering.data(), index(k == 0 ? 0 : n - problem->free_count));
      const bool is_done = follow_path(d, k == 0 ? kNearly : 0) || result.is_infeasible;
      keep_if_better(is_done);
      if (is_done) break;
    }
    kept.pivots = dictionary.pivots();
    kept.restarts = result.restarts;
    std::swap(kept, result);
    return result;
  }

  /// dᵢ = ½ + frac((i + 1) k φ) of the i-th complementary row, in units that make its entries of M about 1.
  void fill_covering(int k) {
    for (int i = problem->free_count; i < n; ++i) {
      const double turns = (i - problem->free_count + 1) * k * std::numbers::phi;
      covering[index(i - problem->free_count)] = (0.5 + turns - std::floor(turns)) / dictionary.row_scale(i);
    }
  }

  /// Solutions before inaccurate ones before ends without an answer; of equals the lesser residual.
  void keep_if_better(bool is_sure) {
    const auto rank = [](const LemkeResult& r) {
      return r.status == LemkeStatus::solved ? 0 : r.status == LemkeStatus::inaccurate ? 1 : 2;
    };
    if (is_sure || rank(result) < rank(kept) || (rank(result) == rank(kept) && result.residual < kept.residual)) {
      kept = result;
    }
  }

  // The answer.

  void read_basis() {
    chosen.clear();
    for (int j = 0; j < n; ++j) {
      result.z[index(j)] = 0;
      if (dictionary.row_of(dictionary.z(j)) < 0) continue;
      result.in_basis[index(j)] = true;
      chosen.push_back(j);
    }
  }

  /// z of the last basis: the dictionary's, unless that has gathered the rounding of too many pivots. Then from M
  /// itself, if that is better.
  void read_solution() {
    put_dictionary_z();
    result.residual = calc_residual_bound();
    if (result.residual <= kGood) return;
    result.residual = calc_residual(*problem, result.z);
    if (result.status != LemkeStatus::solved) return;
    if (!(result.residual <= kGood)) improve();
    if (!(result.residual <= kResidual)) result.status = LemkeStatus::inaccurate;
  }

  void improve() {
    std::copy(result.z.begin(), result.z.end(), dictionary_z.begin());
    if (basis.solve(*problem, dictionary, chosen)) {
      basis.refine();
      put_basis_z();
      const double residual = calc_residual(*problem, result.z);
      if (residual <= result.residual) {
        result.residual = residual;
        return;
      }
    }
    std::copy_n(dictionary_z.begin(), n, result.z.begin());
  }

  void put_dictionary_z() {
    for (const int j : chosen) {
      put_z(j, dictionary.constant(dictionary.row_of(dictionary.z(j))) * dictionary.unit_of_z(j));
    }
  }

  void put_basis_z() {
    for (int a = 0; a < static_cast<int>(chosen.size()); ++a) put_z(chosen[index(a)], basis.z(a));
  }

  void put_z(int j, double value) { result.z[index(j)] = is_free(j) ? value : std::max(value, 0.0); }

  /// An upper bound of calc_residual(), in double: a sum of m + 1 products is wrong by at most (m + 2) ε/2 times the
  /// sum of their magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.1).
  double calc_residual_bound() {
    const std::ptrdiff_t blocks = internal::count_packs(n);
    auto* padded = reinterpret_cast<double*>(padded_z.data());
    std::fill_n(padded, internal::kLanes * blocks, 0.0);
    // Free rows: |min(∞, w)| = |w|.
    for (int i = 0; i < n; ++i) padded[i] = is_free(i) ? kInfinity : result.z[index(i)];
    const double unit = (static_cast<double>(chosen.size()) + 4) * std::numeric_limits<double>::epsilon() / 2;
    const PaddedColumn q = internal::column_of(problem->q);
    Pack4 worst(0), largest_q(0);
    for (std::ptrdiff_t b = 0; b < blocks; ++b) {
      Pack4 w = q[b], terms = abs(w);
      largest_q = max_magnitude(largest_q, w);
      for (const int j : chosen) {
        const Pack4 term = internal::column_of(problem->M, j)[b] * Pack4(result.z[index(j)]);
        w += term;
        terms += abs(term);
      }
      const Pack4 z = padded_z[static_cast<std::size_t>(b)];
      worst = max_magnitude(worst, abs(select(less(z, w), z, w)) + unit * terms);
    }
    return max_magnitude(worst) / (1 + max_magnitude(largest_q));
  }

 public:
  int capacity;

 private:
  const Lcp* problem = nullptr;
  int n = 0;
  LemkeDictionary dictionary;
  internal::LemkeBasis basis;
  LemkeResult result, kept;
  std::vector<Pack4> padded_z;
  std::vector<double> dictionary_z, covering;
  std::vector<int> chosen, better;
  std::vector<bool> guess;
};

LemkeSolver::LemkeSolver(int max_size) : work_(std::make_unique<Work>(max_size)) {}
LemkeSolver::~LemkeSolver() = default;
LemkeSolver::LemkeSolver(LemkeSolver&&) noexcept = default;
LemkeSolver& LemkeSolver::operator=(LemkeSolver&&) noexcept = default;

const LemkeResult& LemkeSolver::solve(const Lcp& problem, std::span<const double> d, const std::vector<bool>& guess) {
  const int n = problem.size();
  if (n > work_->capacity) throw std::invalid_argument("LemkeSolver: more rows than it was made for");
  if (problem.M.rows() != n || problem.M.cols() != n || problem.free_count < 0 || problem.free_count > n) {
    throw std::invalid_argument("LemkeSolver: M must be square, of the size of q");
  }
  if (!d.empty() && (static_cast<int>(d.size()) != n - problem.free_count ||
                     !std::all_of(d.begin(), d.end(), [](double x) { return x > 0 && std::isfinite(x); }))) {
    throw std::invalid_argument("LemkeSolver: d needs one positive number per complementary row");
  }
  if (!guess.empty() && static_cast<int>(guess.size()) != n) {
    throw std::invalid_argument("LemkeSolver: a guess needs one entry per row");
  }
  return work_->solve(problem, d, guess);
}

}  // namespace thenar
