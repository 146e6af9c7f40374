// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Fixed-size linear algebra over any scalar of the kernels: Eigen's matrices with short names, the traits that let
/// Eigen hold packs and duals, and a symmetric 3 × 3 matrix that stores six numbers.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

#include "thenar/base/dual.h"
#include "thenar/base/pack.h"

namespace thenar::internal {

/// What Eigen wants to know of a scalar type T made of numbers S.
template <class T, class S>
struct KernelNumTraits : Eigen::GenericNumTraits<S> {
  using Real = T;
  using NonInteger = T;
  using Nested = T;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};

}  // namespace thenar::internal

namespace Eigen {

template <class S, int N>
struct NumTraits<thenar::Pack<S, N>> : thenar::internal::KernelNumTraits<thenar::Pack<S, N>, S> {};
template <class S, int N>
struct NumTraits<thenar::Dual<S, N>> : thenar::internal::KernelNumTraits<thenar::Dual<S, N>, S> {};

}  // namespace Eigen

namespace thenar {

template <class T>
using Vector3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Vector4 = Eigen::Matrix<T, 4, 1>;
template <class T>
using Vector6 = Eigen::Matrix<T, 6, 1>;
template <class T>
using Matrix3 = Eigen::Matrix<T, 3, 3>;
template <class T>
using Matrix6 = Eigen::Matrix<T, 6, 6>;
template <class T>
using VectorX = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using MatrixX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// Three numbers with names. The kernels use it in place of Eigen's vector of three: GCC keeps named members in
/// registers but not Eigen's array, which made the articulated-body pass 1.8 times slower. Converts both ways.
template <class T>
struct Vec3 {
  T x, y, z;

  static Vec3 zero() { return {T(0), T(0), T(0)}; }
  Vec3() = default;
  Vec3(const T& x_in, const T& y_in, const T& z_in) : x(x_in), y(y_in), z(z_in) {}
  Vec3(const Vector3<T>& v) : x(v.x()), y(v.y()), z(v.z()) {}  // NOLINT: the same three numbers
  Vector3<T> eigen() const { return Vector3<T>(x, y, z); }

  template <class U>
  Vec3<U> cast() const {
    return {U(x), U(y), U(z)};
  }
  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend Vec3 operator*(const Vec3& a, const T& k) { return {a.x * k, a.y * k, a.z * k}; }
  Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
};

/// a × b.
template <class T>
Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// a · b.
template <class T>
T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// |a|.
template <class T>
T norm(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

/// a/|a|.
template <class T>
Vec3<T> normalized(const Vec3<T>& a) {
  return a * (T(1) / norm(a));
}

/// 3 × 3 matrix by columns: x, y and z are the images of the three axes. M.y.z is the entry of row z, column y.
template <class T>
struct Mat3 {
  Vec3<T> x, y, z;

  static Mat3 zero() { return {Vec3<T>::zero(), Vec3<T>::zero(), Vec3<T>::zero()}; }
  static Mat3 identity() { return {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}}; }
  Mat3() = default;
  Mat3(const Vec3<T>& x_in, const Vec3<T>& y_in, const Vec3<T>& z_in) : x(x_in), y(y_in), z(z_in) {}
  Mat3(const Matrix3<T>& m)  // NOLINT: the same nine numbers
      : x(m(0, 0), m(1, 0), m(2, 0)), y(m(0, 1), m(1, 1), m(2, 1)), z(m(0, 2), m(1, 2), m(2, 2)) {}
  Matrix3<T> eigen() const {
    Matrix3<T> m;
    m << x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z;
    return m;
  }

  template <class U>
  Mat3<U> cast() const {
    return {x.template cast<U>(), y.template cast<U>(), z.template cast<U>()};
  }
  Vec3<T> operator*(const Vec3<T>& v) const { return x * v.x + y * v.y + z * v.z; }
  Mat3 operator*(const Mat3& b) const { return {*this * b.x, *this * b.y, *this * b.z}; }
  /// Mᵀ v.
  Vec3<T> transpose_times(const Vec3<T>& v) const { return {dot(x, v), dot(y, v), dot(z, v)}; }
  Mat3 transpose() const { return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}; }
  Mat3& operator+=(const Mat3& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
};

/// The skew matrix [a]× with [a]× b = a × b.
template <class T>
Mat3<T> skew(const Vec3<T>& a) {
  return {{T(0), a.z, -a.y}, {-a.z, T(0), a.x}, {a.y, -a.x, T(0)}};
}

/// Symmetric 3 × 3 matrix, six numbers.
template <class T>
struct Symmetric3 {
  T xx, yy, zz, xy, xz, yz;

  static Symmetric3 zero() { return {T(0), T(0), T(0), T(0), T(0), T(0)}; }
  static Symmetric3 diagonal(T d) { return {d, d, d, T(0), T(0), T(0)}; }
  /// Reads the upper triangle.
  static Symmetric3 from_matrix(const Matrix3<T>& m) { return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)}; }

  Matrix3<T> matrix() const {
    Matrix3<T> m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }
  template <class U>
  Symmetric3<U> cast() const {
    return {U(xx), U(yy), U(zz), U(xy), U(xz), U(yz)};
  }

  Vec3<T> operator*(const Vec3<T>& v) const {
    return {xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z, xz * v.x + yz * v.y + zz * v.z};
  }
  Symmetric3& operator+=(const Symmetric3& o) {
    xx += o.xx, yy += o.yy, zz += o.zz, xy += o.xy, xz += o.xz, yz += o.yz;
    return *this;
  }
  /// *this −= a bᵀ where the product is known to be symmetric (b parallel to a).
  void subtract_outer(const Vec3<T>& a, const Vec3<T>& b) {
    xx -= a.x * b.x, yy -= a.y * b.y, zz -= a.z * b.z;
    xy -= a.x * b.y, xz -= a.x * b.z, yz -= a.y * b.z;
  }

  /// R S Rᵀ: the tensor seen from a frame turned by R.
  Symmetric3 rotated(const Mat3<T>& R) const {
    // Rows of B = R S; then the upper triangle of B Rᵀ.
    const Mat3<T> rows = R.transpose();
    const Vec3<T> bx = *this * rows.x, by = *this * rows.y, bz = *this * rows.z;
    return {dot(bx, rows.x), dot(by, rows.y), dot(bz, rows.z), dot(bx, rows.y), dot(bx, rows.z), dot(by, rows.z)};
  }
};

}  // namespace thenar
