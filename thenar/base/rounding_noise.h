// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Rounding noise, for tests. In a build with THENAR_NOISE, accelerations, gaps, contact rows and forces of what holds
/// are multiplied by 1 + 1e-15 h, with h in [−1, 1] a hash of the number's fraction bits and of the seed in the
/// environment variable THENAR_NOISE_SEED. Another processor or compiler rounds differently by about as much, so a test
/// that passes with every seed claims no more than its method promises. The noise is a pure function: equal runs stay
/// bit-equal. There is none with seed 0, without a seed, and in builds without the option, which differ from the others
/// in rounding_noise.cc alone.

namespace thenar {

double with_noise(double x);

/// Numbers of other types have none.
template <class T>
T with_noise(const T& x) {
  return x;
}

/// Multiplies each of n numbers by its noise, in place.
void add_noise(double* x, long n);

}  // namespace thenar
