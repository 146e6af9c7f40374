// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One step along a slip that turns: (1) of point_impact.h as Taylor series in σ. The right-hand sides are polynomial,
/// so that every coefficient follows from the ones before by products of series.
///
///     n' = (a − λ n) − g n,   g = n · (a − λ n),   r' = g r,   P' = r,   p' = −r n,   u_N' = P' + a · p',   W' = u_N r
///
/// W is the normal work, V = ∫ r dP_N what friction takes.

#include "thenar/impact/slip_coordinates_internal.h"

namespace thenar::internal {

/// Where an impact has got to, in the units of SlipCoordinates.
struct SlipState {
  SlipVector n{};       ///< direction of slip
  double r = 0;         ///< |w|; 0 where the contact sticks
  double P = 0;         ///< normal impulse
  SlipVector p{};       ///< friction impulse
  double u_N = -1;      ///< normal velocity
  double work = 0;      ///< of the normal force
  double friction = 0;  ///< taken by friction, ≥ 0
};

/// A polynomial in σ.
inline constexpr int kSeriesOrder = 16;
using Series = std::array<double, kSeriesOrder + 1>;

double evaluate(const Series& series, double sigma);

class SlipSeries {
 public:
  SlipSeries(const SlipCoordinates& coordinates, const SlipState& start) { expand(coordinates, start); }

  /// The longest σ at which the series is right to `tolerance`: n and ln r absolutely, P relative to max(1, P).
  double calc_reach(double tolerance) const;
  SlipState at(double sigma) const;

  const Series& P() const { return P_; }
  const Series& u_N() const { return u_N_; }
  const Series& work() const { return work_; }

 private:
  void expand(const SlipCoordinates& x, const SlipState& start);

  int size_ = 0;
  double stiffness_ = 0;  ///< the fastest decay there may be, 1/σ
  std::array<Series, kMostSlips> n_{}, p_{};
  Series r_{}, P_{}, u_N_{}, work_{}, friction_{};
};

}  // namespace thenar::internal
