// SPDX-License-Identifier: BSD-3-Clause
// Claims about matrices (verify.h).

#include <fmt/format.h>

#include <algorithm>

#include "thenar/complementarity/verify_internal.h"

namespace thenar {
namespace {

using namespace internal::verify;

/// Of entries in double: no claim may hang on their last digit.
constexpr Long kDataError = 0x1p-53L;
constexpr int kMostCheckedPRows = 24;

/// A number known to lie within `radius` of `middle`.
struct Ball {
  Long middle = 0, radius = 0;
};
Ball operator*(const Ball& a, const Ball& b) {
  const Long middle = a.middle * b.middle;
  return {middle,
          std::abs(a.middle) * b.radius + a.radius * (std::abs(b.middle) + b.radius) + kLongEpsilon * std::abs(middle)};
}
Ball operator-(const Ball& a, const Ball& b) {
  const Long middle = a.middle - b.middle;
  return {middle, a.radius + b.radius + kLongEpsilon * std::abs(middle)};
}
/// Of a number that is surely positive.
Ball inverse(const Ball& a) {
  const Long middle = 1 / a.middle;
  return {middle, a.radius / (a.middle * (a.middle - a.radius)) + kLongEpsilon * middle};
}

/// All principal minors by Schur complements, in arithmetic with radii.
class MinorWalk {
 public:
  explicit MinorWalk(const MatrixX<double>& M) : n_(static_cast<int>(M.rows())), levels_(at(n_ + 1)) {
    for (int k = 0; k <= n_; ++k) levels_[at(k)].resize(at(k * k));
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) levels_[at(n_)][at(i * n_ + j)] = {M(i, j), 0};
    }
  }
  /// Whether all minors from this level on are surely positive.
  bool run(int k) {
    if (k == 0) return true;
    const Ball pivot = levels_[at(k)][0];
    if (!(pivot.middle - pivot.radius > 0)) return false;
    shrink(k, {});
    if (!run(k - 1)) return false;
    shrink(k, inverse(pivot));
    return run(k - 1);
  }

 private:
  void shrink(int k, const Ball& factor) {
    const std::vector<Ball>& from = levels_[at(k)];
    std::vector<Ball>& to = levels_[at(k - 1)];
    for (int i = 1; i < k; ++i) {
      const Ball f = from[at(i * k)] * factor;
      for (int j = 1; j < k; ++j) to[at((i - 1) * (k - 1) + j - 1)] = from[at(i * k + j)] - f * from[at(j)];
    }
  }
  int n_;
  std::vector<std::vector<Ball>> levels_;
};

}  // namespace

/// Cholesky's method on (M + Mᵀ)/2 less what rounding, of M and in the method, can amount to (Rump 2006, theorem 2.3):
/// if it ends, M is positive definite.
Verification verify_positive_definite(const MatrixX<double>& M) {
  const int n = static_cast<int>(M.rows());
  if (M.cols() != n || !M.allFinite()) return refuted("the matrix is not square, or not finite");
  std::vector<LongList> S(at(n), LongList(at(n)));
  LongList scale(at(n));
  for (int i = 0; i < n; ++i) {
    if (!(M(i, i) > 0)) return refuted(fmt::format("M({0}, {0}) is not positive", i));
    scale[at(i)] = 1 / std::sqrt(static_cast<Long>(M(i, i)));
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      S[at(i)][at(j)] = (static_cast<Long>(M(i, j)) + M(j, i)) / 2 * scale[at(i)] * scale[at(j)];
    }
    S[at(i)][at(i)] -= static_cast<Long>(4 * (n + 4)) * static_cast<Long>(n) * kDataError;
  }
  for (int k = 0; k < n; ++k) {
    if (!(S[at(k)][at(k)] > 0)) return refuted("the symmetric part is not positive definite beyond rounding");
    for (int i = k + 1; i < n; ++i) {
      const Long factor = S[at(i)][at(k)] / S[at(k)][at(k)];
      for (int j = k + 1; j < n; ++j) S[at(i)][at(j)] -= factor * S[at(k)][at(j)];
    }
  }
  return {Result::holds, "", std::numeric_limits<double>::infinity(), 0};
}

Verification verify_p_matrix(const MatrixX<double>& M) {
  const int n = static_cast<int>(M.rows());
  if (M.cols() != n || !M.allFinite()) return refuted("the matrix is not square, or not finite");
  if (n > kMostCheckedPRows) return {Result::unchecked, fmt::format("more than {} rows", kMostCheckedPRows), 0, 0};
  if (!MinorWalk(M).run(n)) return refuted("a principal minor is not positive beyond rounding");
  return {Result::holds, "", std::numeric_limits<double>::infinity(), 0};
}

Verification verify_not_p_matrix(const MatrixX<double>& M, const VectorX<double>& x) {
  const int n = static_cast<int>(M.rows());
  if (M.cols() != n || x.size() != n || !M.allFinite() || !x.allFinite()) {
    return refuted("M and x do not fit together, or are not finite");
  }
  if (!std::any_of(x.begin(), x.end(), [](double x_i) { return x_i != 0; })) return refuted("x is 0");
  // M and x are doubles: sums below their last digits are zero.
  constexpr Long kRounding = 0x1p-50L;
  Verification out{Result::holds, "", std::numeric_limits<double>::infinity(), 0};
  for (int i = 0; i < n; ++i) {
    Sum sum;
    for (int j = 0; j < n; ++j) sum.add(M(i, j), x(j));
    const Long kept = x(i) > 0 ? sum.value : x(i) < 0 ? -sum.value : 0;
    if (sum.size > 0) out.residual = std::max(out.residual, static_cast<double>(kept / sum.size));
    if (kept > kRounding * static_cast<Long>(n) * sum.size) return refuted(fmt::format("row {} keeps its sign", i));
  }
  return out;
}

}  // namespace thenar
