// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Pack<S, N>: N numbers that move in step, one per lane, in the machine's vector registers. Every numeric kernel
/// of Thenar is a template over its scalar; instantiated on a pack it computes N cases at once: N states of one
/// model (a batch), or N fingers of one hand.
///
/// Arithmetic is lane by lane. There is no operator< that yields a bool: code that must choose uses select(), which
/// evaluates both sides, so a kernel cannot branch on a value that differs between lanes by mistake.

#include <cmath>
#include <cstdint>

namespace thenar {

namespace internal {
/// The compiler's vector types. Four numbers fill a register of AVX2, which every machine of the default build has.
/// Packs of eight were slower there: GCC splits their vectors by way of memory, and a kernel's numbers no longer fit
/// the registers.
template <class S, int N>
struct VectorTypes;
template <>
struct VectorTypes<double, 4> {
  typedef double Vector __attribute__((vector_size(32)));
  typedef std::int64_t IntegerVector __attribute__((vector_size(32)));
};
}  // namespace internal

/// Its alignment is its size whatever instructions a unit is compiled with: GCC would align by 16 without AVX, and
/// programs with other instructions than the library's would allocate models that its kernels cannot read.
template <class S, int N>
class alignas(sizeof(S) * N) Pack {
 public:
  using Scalar = S;
  using Vector = typename internal::VectorTypes<S, N>::Vector;
  using IntegerVector = typename internal::VectorTypes<S, N>::IntegerVector;
  static constexpr int kLanes = N;

  /// Uninitialised, as a built-in number is.
  Pack() = default;
  /// The same number in every lane.
  Pack(S x) : lanes_(x - Vector{}) {}  // NOLINT: implicit, so that kernels can mix constants and packs
  Pack(int x) : Pack(static_cast<S>(x)) {}
  explicit Pack(Vector lanes) : lanes_(lanes) {}

  /// Reads N numbers that lie side by side; no alignment needed.
  static Pack load(const S* from) {
    Pack out;
    __builtin_memcpy(&out.lanes_, from, sizeof(Vector));
    return out;
  }
  void store(S* to) const { __builtin_memcpy(to, &lanes_, sizeof(Vector)); }

  S operator[](int lane) const { return lanes_[lane]; }
  void set(int lane, S x) { lanes_[lane] = x; }
  Vector lanes() const { return lanes_; }

  friend Pack operator+(Pack a, Pack b) { return Pack(a.lanes_ + b.lanes_); }
  friend Pack operator-(Pack a, Pack b) { return Pack(a.lanes_ - b.lanes_); }
  friend Pack operator*(Pack a, Pack b) { return Pack(a.lanes_ * b.lanes_); }
  friend Pack operator/(Pack a, Pack b) { return Pack(a.lanes_ / b.lanes_); }
  friend Pack operator-(Pack a) { return Pack(-a.lanes_); }
  Pack& operator+=(Pack b) { return *this = *this + b; }
  Pack& operator-=(Pack b) { return *this = *this - b; }
  Pack& operator*=(Pack b) { return *this = *this * b; }
  Pack& operator/=(Pack b) { return *this = *this / b; }

  /// Masks: a lane is −1 (all bits set) where the comparison holds, else 0.
  friend IntegerVector less(Pack a, Pack b) { return a.lanes_ < b.lanes_; }
  /// `a` in the lanes where the mask is set, `b` in the others.
  friend Pack select(IntegerVector mask, Pack a, Pack b) { return Pack(mask ? a.lanes_ : b.lanes_); }

  friend Pack sqrt(Pack a) {
    for (int i = 0; i < N; ++i) a.lanes_[i] = std::sqrt(a.lanes_[i]);
    return a;
  }
  friend Pack atan2(Pack y, Pack x) {
    for (int i = 0; i < N; ++i) y.lanes_[i] = std::atan2(y.lanes_[i], x.lanes_[i]);
    return y;
  }
  friend Pack abs(Pack a) { return Pack(a.lanes_ < 0 ? -a.lanes_ : a.lanes_); }

 private:
  Vector lanes_;
};

/// Sum over the lanes by halving: always the same order.
inline double sum_lanes(Pack<double, 4> a) { return (a[0] + a[2]) + (a[1] + a[3]); }

/// The width that batches and fingers use.
using Pack4 = Pack<double, 4>;
static_assert(alignof(Pack4) == sizeof(Pack4));

/// select() for plain numbers, so that one kernel serves both.
inline double select(bool mask, double a, double b) { return mask ? a : b; }
inline long double select(bool mask, long double a, long double b) { return mask ? a : b; }
inline bool less(double a, double b) { return a < b; }
inline bool less(long double a, long double b) { return a < b; }

/// How many cases one value of the scalar type T carries.
template <class T>
inline constexpr int kLaneCount = 1;
template <class S, int N>
inline constexpr int kLaneCount<Pack<S, N>> = N;

}  // namespace thenar
