// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/impact/slip_series_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thenar::internal {
namespace {

/// The longest step in which a decay exp(−x) is damped as it should be, well within where the series of this order
/// keeps it from growing (x = 7).
constexpr double kLongestDecay = 4;

/// Coefficient k of the product of two series.
double multiply(const Series& x, const Series& y, int k) {
  double out = 0;
  for (int i = 0; i <= k; ++i) out += x[i] * y[k - i];
  return out;
}

/// Coefficient k of the square of a series.
double square(const Series& x, int k) {
  double half = 0;
  for (int i = 0; 2 * i < k; ++i) half += x[i] * x[k - i];
  return 2 * half + (k % 2 == 0 ? x[k / 2] * x[k / 2] : 0);
}

}  // namespace

double evaluate(const Series& series, double sigma) {
  double out = series[kSeriesOrder];
  for (int k = kSeriesOrder - 1; k >= 0; --k) out = out * sigma + series[k];
  return out;
}

void SlipSeries::expand(const SlipCoordinates& x, const SlipState& start) {
  size_ = x.size;
  for (int i = 0; i < size_; ++i) stiffness_ = std::max(stiffness_, x.lambda[i] + std::abs(x.a[i]));
  Series g{};
  for (int i = 0; i < size_; ++i) n_[i][0] = start.n[i], p_[i][0] = start.p[i];
  r_[0] = start.r, P_[0] = start.P, u_N_[0] = start.u_N, work_[0] = start.work, friction_[0] = start.friction;
  for (int k = 0; k < kSeriesOrder; ++k) {
    const double next = 1.0 / (k + 1);
    for (int i = 0; i < size_; ++i) g[k] += x.a[i] * n_[i][k] - x.lambda[i] * square(n_[i], k);
    double pull = 0;  // a · p'
    for (int i = 0; i < size_; ++i) {
      const double slope = (k == 0 ? x.a[i] : 0) - x.lambda[i] * n_[i][k];
      n_[i][k + 1] = (slope - multiply(g, n_[i], k)) * next;
      p_[i][k + 1] = -multiply(r_, n_[i], k) * next;
      pull += x.a[i] * p_[i][k + 1];
    }
    P_[k + 1] = r_[k] * next;
    u_N_[k + 1] = P_[k + 1] + pull;
    work_[k + 1] = multiply(u_N_, r_, k) * next;
    friction_[k + 1] = square(r_, k) * next;
    r_[k + 1] = multiply(g, r_, k) * next;
  }
}

double SlipSeries::calc_reach(double tolerance) const {
  const double room = std::max(1.0, P_[0]);
  // 1/radius of convergence. Of several coefficients: single ones may vanish, where the nearest poles are a pair.
  double log_rate = -std::numeric_limits<double>::infinity();
  for (int k = kSeriesOrder - 4; k <= kSeriesOrder; ++k) {
    double largest = std::max({std::abs(r_[k]) / r_[0], std::abs(P_[k]) / room, std::abs(work_[k]) / room,
                               std::abs(friction_[k]) / std::max(room, friction_[0])});
    for (int i = 0; i < size_; ++i) largest = std::max(largest, std::abs(n_[i][k]));
    log_rate = std::max(log_rate, std::log(largest) / k);
  }
  return std::min(std::exp(std::log(tolerance) / (kSeriesOrder + 1) - log_rate), kLongestDecay / stiffness_);
}

SlipState SlipSeries::at(double sigma) const {
  SlipState out;
  double length = 0;  // squared
  for (int i = 0; i < size_; ++i) {
    out.n[i] = evaluate(n_[i], sigma);
    out.p[i] = evaluate(p_[i], sigma);
    length += out.n[i] * out.n[i];
  }
  for (int i = 0; i < size_; ++i) out.n[i] /= std::sqrt(length);
  out.r = evaluate(r_, sigma);
  out.P = evaluate(P_, sigma);
  out.u_N = evaluate(u_N_, sigma);
  out.work = evaluate(work_, sigma);
  out.friction = evaluate(friction_, sigma);
  return out;
}

}  // namespace thenar::internal
