// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// sincos() for every scalar type of the kernels. For double and for packs it is our own polynomial: the same source
/// serves one number and four lanes, inlines into the kernel that calls it, and gives the same bits on every
/// machine (a libm does not promise that).
///
/// Method: x = n π/2 + r with π/2 split in three parts of which the first two have 33 bits, so that n times a part is
/// exact for |n| < 2²⁰; then minimax polynomials in r² on |r| ≤ π/4 (Remez exchange, relative error 3.5e-18 for the
/// sine, absolute 5e-20 for the cosine). The error stays below 1.2e-16 (tests/base/sincos_test.cc). Beyond
/// |x| = 1.6e6 rad the lane falls back to the C library.

#include <bit>
#include <cmath>
#include <cstdint>

#include "thenar/base/dual.h"
#include "thenar/base/pack.h"

namespace thenar {
namespace internal {

inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
inline constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
inline constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
inline constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
inline constexpr double kSincosLimit = 1.6e6;
/// Adding and subtracting 1.5 · 2⁵² rounds to the nearest integer and leaves that integer in the low bits.
inline constexpr double kRoundingShift = 0x1.8p52;

/// Sine and cosine of the reduced argument, |r| ≤ π/4.
template <class T>
void sincos_reduced(T r, T& s, T& c) {
  const T z = r * r;
  const T ps =
      (((((T(1.5896811813653669149e-10) * z + T(-2.505075838433868416e-8)) * z + T(2.7557313693570775389e-6)) * z +
         T(-0.00019841269829812372833)) *
            z +
        T(0.0083333333333224190878)) *
           z +
       T(-0.16666666666666632048));
  const T pc =
      (((((T(-1.1359658870377829406e-11) * z + T(2.0875723479807618397e-9)) * z + T(-2.7557314353797110968e-7)) * z +
         T(0.00002480158728948705021)) *
            z +
        T(-0.0013888888888874131371)) *
           z +
       T(0.041666666666666599517));
  s = r + r * (z * ps);
  // 1 − z/2 loses its last bit where z is large; `tail` brings it back.
  const T half = T(0.5) * z;
  const T one_minus = T(1.0) - half;
  const T tail = (T(1.0) - one_minus) - half;
  c = one_minus + (z * z * pc + tail);
}

inline std::int64_t low_bits(double x) { return std::bit_cast<std::int64_t>(x); }
template <class S, int N>
typename Pack<S, N>::IntegerVector low_bits(Pack<S, N> x) {
  return (typename Pack<S, N>::IntegerVector)(x.lanes());
}

/// Quadrant bit tests that work on one integer and on a vector of them.
template <class I>
auto is_set(I bits, int mask) {
  return (bits & mask) != 0;
}

/// Sine and cosine for |x| below kSincosLimit.
template <class T>
void sincos_near(T x, T& s, T& c) {
  const T shifted = x * T(kTwoOverPi) + T(kRoundingShift);
  const T n = shifted - T(kRoundingShift);
  const T r = ((x - n * T(kHalfPi1)) - n * T(kHalfPi2)) - n * T(kHalfPi3);
  const auto quadrant = low_bits(shifted);
  T rs, rc;
  sincos_reduced(r, rs, rc);
  const auto odd = is_set(quadrant, 1);
  const T s_magnitude = select(odd, rc, rs);
  const T c_magnitude = select(odd, rs, rc);
  s = select(is_set(quadrant, 2), -s_magnitude, s_magnitude);
  c = select(is_set(quadrant + 1, 2), -c_magnitude, c_magnitude);
}

}  // namespace internal

/// Writes sin(x) and cos(x).
inline void sincos(double x, double& s, double& c) {
  if (!(std::abs(x) < internal::kSincosLimit)) [[unlikely]] {
    s = std::sin(x);
    c = std::cos(x);
    return;
  }
  internal::sincos_near(x, s, c);
}

inline void sincos(long double x, long double& s, long double& c) {
  s = std::sin(x);
  c = std::cos(x);
}

template <int N>
void sincos(Pack<double, N> x, Pack<double, N>& s, Pack<double, N>& c) {
  internal::sincos_near(x, s, c);
  for (int i = 0; i < N; ++i) {
    if (!(std::abs(x[i]) < internal::kSincosLimit)) [[unlikely]] {
      s.set(i, std::sin(x[i]));
      c.set(i, std::cos(x[i]));
    }
  }
}

template <class S, int N>
void sincos(const Dual<S, N>& x, Dual<S, N>& s, Dual<S, N>& c) {
  S sv, cv;
  sincos(x.value(), sv, cv);
  s = {sv, x.gradient() * cv};
  c = {cv, x.gradient() * -sv};
}

}  // namespace thenar
