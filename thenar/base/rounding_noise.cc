// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/rounding_noise.h"

#ifdef THENAR_NOISE
#include <bit>
#include <cstdint>
#include <cstdlib>
#endif

namespace thenar {

#ifdef THENAR_NOISE

namespace {

/// The seed of this process, read once.
std::uint64_t noise_seed() {
  static const std::uint64_t seed = [] {
    const char* text = std::getenv("THENAR_NOISE_SEED");
    return text == nullptr ? std::uint64_t{0} : std::uint64_t{std::strtoull(text, nullptr, 10)};
  }();
  return seed;
}

/// The finalizer of splitmix64 (Steele2014): every bit of the answer depends on every bit of x.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Rounding does not depend on the sign, nor on units that are powers of two; neither does its noise, a hash of the 52
/// bits of the fraction.
double multiply_noise(double x, std::uint64_t seed) {
  const std::uint64_t fraction = std::bit_cast<std::uint64_t>(x) & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t hash = mix_bits(fraction + seed * 0x9e3779b97f4a7c15u);
  const double h = static_cast<double>(static_cast<std::int64_t>(hash)) * 0x1p-63;
  return x + x * (1e-15 * h);
}

}  // namespace

double with_noise(double x) {
  const std::uint64_t seed = noise_seed();
  return seed == 0 ? x : multiply_noise(x, seed);
}

void add_noise(double* x, long n) {
  const std::uint64_t seed = noise_seed();
  if (seed == 0) return;
  for (long i = 0; i < n; ++i) x[i] = multiply_noise(x[i], seed);
}

#else

double with_noise(double x) { return x; }
void add_noise(double*, long) {}

#endif

}  // namespace thenar
