// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The coordinates in which the slip of an impact has its simplest equations. With μ = diag(μ_T, μ_U, μ_τ), the blocks
/// of K in (N, t), and the eigenvectors Q of μ K_tt μ = Q diag(λ) Qᵀ,
///
///     slip       w = Qᵀ μ u_t               friction impulse   P_t = μ Q p
///     coupling   a = Qᵀ μ K_tN              dw = a dP_N + λ dp,   du_N = K_NN dP_N + a · dp                     (1)
///
/// and Coulomb's law (the limit surface of a soft fingertip, too) says |dp| ≤ dP_N, and dp = −(w/|w|) dP_N where there
/// is slip: a circle whatever the coefficients. Units: P_N in |u_N|/K_NN of the start, u_N in |u_N|, so that K_NN = 1
/// and u_N = −1 there; all numbers below are dimensionless.
///
/// Directions in which no slip can be caused (λ = 0: no friction there, or no joint that moves) are left out: K is
/// positive semidefinite and u is a motion of the joints, so that a and w vanish in them. This is how singular K, such
/// as those of planar chains, are met.

#include <array>

#include "thenar/impact/point_impact.h"

namespace thenar::internal {

/// Slip directions at most: T, U, rotation about N.
inline constexpr int kMostSlips = 3;
using SlipVector = std::array<double, kMostSlips>;

struct SlipCoordinates {
  int size = 0;         ///< directions in which slip can change
  SlipVector lambda{};  ///< > 0
  SlipVector a{};
  SlipVector w{};                                   ///< slip before the impact
  Eigen::Matrix<double, kMostSlips, kMostSlips> L;  ///< μ Q: friction impulse along T, U, N from p, column by column

  /// Units of P_N (N s) and of u_N (m/s).
  double impulse_unit = 1, speed_unit = 1;
};

/// Needs u_N < 0 and K_NN > 0.
SlipCoordinates make_slip_coordinates(const PointImpact& impact);

inline double dot(const SlipCoordinates& x, const SlipVector& a, const SlipVector& b) {
  double out = 0;
  for (int i = 0; i < x.size; ++i) out += a[i] * b[i];
  return out;
}

}  // namespace thenar::internal
