// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Local maxima of |x − c| over the ellipse or ellipsoid with semi-axes a.
///
/// Where it is stationary, x − c is along the normal: (x_i − c_i) a_i² = μ x_i. With the longest semi-axis a_L,
/// Δ_i = a_L² − a_i² ≥ 0, k_i = a_i |c_i| and μ = a_L² + t,
///
///     x_i = −sign(c_i) a_i z_i,   z_i = k_i/(Δ_i + t),   |z|² = 1                                                 (1)
///
/// The global maximum is the root t > 0, and there is at most one other local maximum: the root t < 0 nearest to 0, if
/// |z(t)| falls to 1 before t = −Δ_i of the second longest semi-axis, which is on c's side of the ellipsoid (Martínez,
/// Local minimizers of quadratic functions on Euclidean balls and spheres, 1994). For c_L = 0 the two roots meet in
/// t = 0, and z_L = ±√(1 − Σ z_i²).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace thenar::internal {

/// See the top of the file. `Size` is 2 for an ellipse, 3 for an ellipsoid.
template <std::size_t Size>
class FarPoints {
 public:
  using Array = std::array<double, Size>;

  FarPoints(const Array& a, const Array& c) : a_(a), c_(c) {
    for (std::size_t i = 1; i < Size; ++i) {
      if (a[i] > a[longest_]) longest_ = i;
    }
    for (std::size_t i = 0; i < Size; ++i) {
      delta_[i] = (a[longest_] - a[i]) * (a[longest_] + a[i]);
      k_[i] = a[i] * std::abs(c[i]);
    }
    find_global();
    if (count_ == 1) find_local();
  }

  int count() const { return count_; }
  const Array& operator[](int i) const { return x_[static_cast<std::size_t>(i)]; }
  /// Which end of the longest axis a point is at: 0 or 1.
  int end_of(int i) const { return x_[static_cast<std::size_t>(i)][longest_] > 0 ? 1 : 0; }

 private:
  static constexpr int kMostSteps = 100;

  /// |z|² and its derivative by t.
  struct Secular {
    double z2, slope;
  };
  Secular evaluate(double t) const {
    Secular out{0, 0};
    for (std::size_t i = 0; i < Size; ++i) {
      if (k_[i] == 0) continue;
      const double inverse = 1 / (delta_[i] + t), z = k_[i] * inverse;
      out.z2 += z * z;
      out.slope -= 2 * z * z * inverse;
    }
    return out;
  }

  /// 1/|z| is concave and nearly straight for t > 0: Newton on 1/|z| = 1 climbs to the root from below.
  void find_global() {
    double t = 0;
    for (std::size_t i = 0; i < Size; ++i) t = std::max(t, k_[i] - delta_[i]);
    if (t == 0 && evaluate(0).z2 > 1) t = std::numeric_limits<double>::min();
    if (t == 0) return add_pair();
    for (int step = 0; step < kMostSteps; ++step) {
      const Secular s = evaluate(t);
      const double length = std::sqrt(s.z2), change = 2 * (1 - length) * s.z2 / s.slope;
      t += std::max(0.0, change);
      if (change <= std::numeric_limits<double>::epsilon() * t) break;
    }
    add(t);
  }

  /// |z|² is convex in −t: Newton climbs to the first root from t = −k_L, if there is one.
  void find_local() {
    double limit = std::numeric_limits<double>::infinity();  // of −t
    for (std::size_t i = 0; i < Size; ++i) {
      if (i != longest_) limit = std::min(limit, delta_[i]);
    }
    double s = k_[longest_];
    for (int step = 0; step < kMostSteps; ++step) {
      if (!(s < limit)) return;
      const Secular at = evaluate(-s);
      if (!(at.slope > 0)) return;
      const double change = (at.z2 - 1) / at.slope;
      s += std::max(0.0, change);
      if (change <= std::numeric_limits<double>::epsilon() * s) return add(-s);
    }
  }

  /// x_i/a_i.
  double calc_coordinate(std::size_t i, double t) const {
    if (k_[i] == 0) return 0;
    const double z = k_[i] / (delta_[i] + t);
    return c_[i] > 0 ? -z : z;
  }

  void add(double t) {
    Array& x = x_[static_cast<std::size_t>(count_++)];
    double z2 = 0;
    for (std::size_t i = 0; i < Size; ++i) {
      x[i] = calc_coordinate(i, t);
      z2 += x[i] * x[i];
    }
    const double scale = 1 / std::sqrt(z2);  // onto the surface, also where the root is ill-conditioned
    for (std::size_t i = 0; i < Size; ++i) x[i] *= scale * a_[i];
  }

  void add_pair() {
    for (const double sign : {-1.0, 1.0}) {
      Array& x = x_[static_cast<std::size_t>(count_++)];
      double z2 = 0;
      for (std::size_t i = 0; i < Size; ++i) {
        x[i] = calc_coordinate(i, 0);
        z2 += x[i] * x[i];
        x[i] *= a_[i];
      }
      x[longest_] = sign * a_[longest_] * std::sqrt(std::max(0.0, 1 - z2));
    }
  }

  Array a_, c_, delta_{}, k_{};
  std::size_t longest_ = 0;
  std::array<Array, 2> x_{};
  int count_ = 0;
};

}  // namespace thenar::internal
