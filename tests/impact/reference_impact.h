// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The equations of an impact integrated plainly, as a reference: Chan (4.17) in the coordinates u_t themselves, in
/// long double, by Heun's third-order method in very many small steps of P_N, halved near sticking, with friction's law
/// and the ends of phases written out. Slow, and wrong by about the length of its smallest step where slip comes to
/// rest.

#include <cmath>

#include "thenar/impact/point_impact.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test {

struct ReferenceResult {
  Eigen::Vector3d P, u;
};

/// Frictional point contact (two tangents).
inline ReferenceResult integrate_reference(const PointImpact& impact, ImpactLaw law, int steps_per_phase) {
  using Real = long double;
  using Vector = Eigen::Matrix<Real, 3, 1>;
  const Eigen::Matrix<Real, 3, 3> K = impact.K.topLeftCorner<3, 3>().cast<Real>();
  const Real mu = static_cast<Real>(impact.friction[0]), e = static_cast<Real>(impact.restitution);
  const Vector u0 = impact.u.head<3>().cast<Real>();
  Vector P = Vector::Zero();
  Real work = 0, work_c = 0, P_c = 0;
  bool compresses = true;
  const Real unit = -u0(0) / K(0, 0) / steps_per_phase;
  // dP/dP_N. Sticking: solve K_tt x = −K_tN; if that is too much friction, slip along the ray found by iteration of
  // x ← −μ (K_tN + K_tt x) / |…|.
  const auto direction = [&](const Vector& u) -> Vector {
    const Real slip = u.tail<2>().norm();
    if (slip > 0) return {1, -mu * u(1) / slip, -mu * u(2) / slip};
    const Eigen::Matrix<Real, 2, 1> hold = -K.bottomRightCorner<2, 2>().inverse() * K.bottomLeftCorner<2, 1>();
    if (hold.norm() <= mu) return {1, hold(0), hold(1)};
    Eigen::Matrix<Real, 2, 1> x = hold.normalized() * mu;
    for (int k = 0; k < 20000; ++k) {
      // Damped by a step that keeps the map a contraction.
      const Eigen::Matrix<Real, 2, 1> drive = K.bottomLeftCorner<2, 1>() + K.bottomRightCorner<2, 2>() * x;
      x = (x - drive / K.bottomRightCorner<2, 2>().trace()).normalized() * mu;
    }
    return {1, x(0), x(1)};
  };
  bool rests = u0.tail<2>().norm() == 0;
  for (long long round = 0; round < 2000LL * steps_per_phase; ++round) {
    Vector u = u0 + K * P;
    if (rests) u.tail<2>().setZero();
    Real h = unit;
    const Vector d1 = direction(u);
    const Vector rate = K * d1;
    // Where slip would turn round within the step, the step ends where it is least.
    const Real slip = u.tail<2>().norm();
    if (slip > 0) {
      const Real closing = -u.tail<2>().dot(rate.tail<2>()) / slip;
      if (closing * h > slip / 20) h = std::max(slip / 20 / closing, unit * 1e-6L);
      if (closing * h >= slip) {
        rests = true;
        P += d1 * (slip / closing);
        continue;
      }
    }
    rests = rests && d1.tail<2>().norm() < mu * (1 - 1e-15L);
    const Vector d2 = direction(slip > 0 ? Vector(u + K * d1 * (h / 3)) : u);
    const Vector d3 = direction(slip > 0 ? Vector(u + K * d2 * (2 * h / 3)) : u);
    const Vector d = slip > 0 ? Vector((d1 + 3 * d3) / 4) : d1;
    const Real rise = K.row(0).dot(d), u_N = u(0);
    // Ends of phases within the step, u_N taken as linear.
    Real end = h;
    bool ends = false;
    if (compresses) {
      if (u_N + rise * h >= 0) end = -u_N / rise, ends = true;
    } else if (law == ImpactLaw::poisson) {
      if (P(0) + h >= (1 + e) * P_c) end = (1 + e) * P_c - P(0), ends = true;
    } else if (law == ImpactLaw::newton) {
      if (u_N + rise * h >= -e * u0(0)) end = (-e * u0(0) - u_N) / rise, ends = true;
    } else {
      const Real wanted = -e * e * work_c - work;
      if (u_N * h + rise * h * h / 2 >= wanted) {
        end = 2 * wanted / (u_N + std::sqrt(u_N * u_N + 2 * rise * wanted)), ends = true;
      }
    }
    P += d * end;
    work += u_N * end + rise * end * end / 2;
    if (!ends) continue;
    if (!compresses || e == 0) break;
    compresses = false;
    P_c = P(0);
    work_c = work;
    work = 0;
  }
  return {P.cast<double>(), (u0 + K * P).cast<double>()};
}

}  // namespace thenar::test
