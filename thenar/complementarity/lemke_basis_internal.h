// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One complementary basis of an LCP by itself, from M rather than from a dictionary: M_αα z_α = −q_α for the rows α
/// whose z is basic, by LU with row exchanges in scaled units.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "thenar/complementarity/lcp.h"
#include "thenar/complementarity/lemke_dictionary_internal.h"

namespace thenar::internal {

class LemkeBasis {
 public:
  explicit LemkeBasis(int max_rows) {
    const auto size = static_cast<std::size_t>(max_rows);
    factor_.resize(size * size);
    exchanges_.resize(size);
    right_.resize(size);
    z_.resize(size);
  }

  /// Solves for the rows `alpha`, in rising order; scales are the dictionary's. False if singular or not finite. All
  /// three are referred to by what follows.
  bool solve(const Lcp& problem, const LemkeDictionary& scales, const std::vector<int>& alpha) {
    problem_ = &problem;
    scales_ = &scales;
    alpha_ = &alpha;
    if (!factorize()) return false;
    for (int a = 0; a < count(); ++a) right_[index(a)] = -problem.q(row(a)) * scales.row_scale(row(a));
    substitute();
    bool is_finite = true;
    for (int a = 0; a < count(); ++a) {
      z_[index(a)] = right_[index(a)] * scales.column_scale(row(a));
      is_finite = is_finite && std::isfinite(z_[index(a)]);
    }
    return is_finite;
  }

  /// Of the a-th row of alpha: z may be negative.
  double z(int a) const { return z_[index(a)]; }

  double calc_w(int i) const {
    double w = problem_->q(i);
    for (int a = 0; a < count(); ++a) w += problem_->M(i, row(a)) * z(a);
    return w;
  }

  /// One step of iterative refinement, with the equations' residual in long double.
  void refine() {
    for (int a = 0; a < count(); ++a) {
      long double w = problem_->q(row(a));
      for (int b = 0; b < count(); ++b) w += static_cast<long double>(problem_->M(row(a), row(b))) * z(b);
      right_[index(a)] = static_cast<double>(-w) * scales_->row_scale(row(a));
    }
    substitute();
    for (int a = 0; a < count(); ++a) z_[index(a)] += right_[index(a)] * scales_->column_scale(row(a));
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  int count() const { return static_cast<int>(alpha_->size()); }
  int row(int a) const { return (*alpha_)[index(a)]; }
  double* row_of_factor(int a) { return factor_.data() + index(a) * alpha_->size(); }
  double& entry(int a, int b) { return row_of_factor(a)[b]; }

  bool factorize() {
    const int m = count();
    for (int a = 0; a < m; ++a) {
      const double scale = scales_->row_scale(row(a));
      for (int b = 0; b < m; ++b) entry(a, b) = problem_->M(row(a), row(b)) * scale * scales_->column_scale(row(b));
    }
    for (int k = 0; k < m; ++k) {
      int best = k;
      for (int a = k + 1; a < m; ++a) {
        if (std::abs(entry(a, k)) > std::abs(entry(best, k))) best = a;
      }
      if (!(std::abs(entry(best, k)) > 0)) return false;
      exchanges_[index(k)] = best;
      if (best != k) std::swap_ranges(row_of_factor(k), row_of_factor(k) + m, row_of_factor(best));
      for (int a = k + 1; a < m; ++a) {
        const double f = entry(a, k) /= entry(k, k);
        for (int b = k + 1; b < m; ++b) entry(a, b) -= f * entry(k, b);
      }
    }
    return true;
  }

  /// `right_` becomes the solution.
  void substitute() {
    const int m = count();
    for (int k = 0; k < m; ++k) std::swap(right_[index(k)], right_[index(exchanges_[index(k)])]);
    for (int a = 0; a < m; ++a) {
      for (int b = 0; b < a; ++b) right_[index(a)] -= entry(a, b) * right_[index(b)];
    }
    for (int a = m; a-- > 0;) {
      for (int b = a + 1; b < m; ++b) right_[index(a)] -= entry(a, b) * right_[index(b)];
      right_[index(a)] /= entry(a, a);
    }
  }

  const Lcp* problem_ = nullptr;
  const LemkeDictionary* scales_ = nullptr;
  const std::vector<int>* alpha_ = nullptr;
  std::vector<double> factor_, right_, z_;
  std::vector<int> exchanges_;
};

}  // namespace thenar::internal
