// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Nearest points of two convex bodies as a second-order cone program, by a primal-dual interior-point method:
///
///     minimise c · x   subject to   s = h − G x ∈ K,        K = ℝ₊ × … × Q × … (Q: s₀ ≥ |s₁…|)
///     maximise −h · z  subject to   Gᵀ z + c = 0,  z ∈ K
///
/// Both sides have interior points here, so that the method converges from anywhere, and sᵀz is the duality gap.
/// Nesterov–Todd scaling and Mehrotra's corrector as in Andersen, Dahl and Vandenberghe, "Interior-point methods for
/// large-scale cone programming" (2011), which the signs follow.

#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "thenar/spatial/decompositions.h"

namespace thenar::reference {

/// At most 7 unknowns and 20 rows.
template <class T>
class ConeProgram {
 public:
  static constexpr int kUnknowns = 7, kRows = 20;
  using Unknowns = Eigen::Matrix<T, Eigen::Dynamic, 1, 0, kUnknowns, 1>;
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, 1, 0, kRows, 1>;
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, 0, kRows, kUnknowns>;

  explicit ConeProgram(int unknowns) : c_(Unknowns::Zero(unknowns)), G_(0, unknowns), h_(0) {}

  /// Adds rows: a cone of `size` ≥ 2, or one linear row. s = h − G x; the new rows are zero.
  int add_cone(int size) {
    const int first = static_cast<int>(h_.size());
    cones_.push_back({first, size});
    G_.conservativeResize(first + size, Eigen::NoChange);
    h_.conservativeResize(first + size);
    G_.bottomRows(size).setZero();
    h_.tail(size).setZero();
    return first;
  }
  Unknowns& c() { return c_; }
  Matrix& G() { return G_; }
  Rows& h() { return h_; }

  struct Solution {
    Unknowns x;
    Rows s, z;
    bool is_solved = false;
  };

  /// Until sᵀz ≤ tolerance, or rounding stops it.
  Solution solve(T tolerance) const {
    Solution at = find_start();
    const T degree = static_cast<T>(cones_.size());
    for (int iteration = 0; iteration < 60; ++iteration) {
      const Unknowns r_x = G_.transpose() * at.z + c_;
      const Rows r_z = at.s + G_ * at.x - h_;
      const T gap = at.s.dot(at.z);
      at.is_solved = gap <= tolerance && r_x.norm() <= tolerance && r_z.norm() <= tolerance;
      if (at.is_solved) break;

      const Scaling scaling = make_scaling(at.s, at.z);
      const Rows squared = product(scaling.lambda, scaling.lambda);
      const Step guess = find_step(scaling, -r_x, -r_z, -squared);
      const T sigma = std::pow(1 - std::min(T(1), find_length(scaling, guess)), T(3));
      Rows target = -squared - product(guess.s, guess.z);
      for (const Cone& cone : cones_) target(cone.first) += sigma * gap / degree;
      const Step step = find_step(scaling, -(1 - sigma) * r_x, -(1 - sigma) * r_z, target);
      const T length = std::min(T(1), T(0.99) * find_length(scaling, step));

      const Rows s = at.s + length * scale(scaling, step.s), z = at.z + length * unscale(scaling, step.z);
      if (!is_inside(s) || !is_inside(z) || !(length > T(1e-4))) break;
      at.x += length * step.x;
      at.s = s;
      at.z = z;
    }
    return at;
  }

 private:
  using Square = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, 0, kUnknowns, kUnknowns>;
  struct Cone {
    int first, size;
  };
  /// Per cone W = β (2 v vᵀ − J), W z = W⁻¹ s = λ; for a linear row W = β = √(s/z).
  struct Scaling {
    Rows v, beta, lambda;
    Matrix G;                    ///< W⁻¹ G
    Eigen::LDLT<Square> normal;  ///< Gᵀ W⁻² G
  };
  /// A direction: x, and s and z scaled by W⁻¹ and W.
  struct Step {
    Unknowns x;
    Rows s, z;
  };

  /// s₀² − |s₁|², without the loss of s₀² − |s₁|² when they are nearly equal.
  T determinant(const Rows& s, const Cone& cone) const {
    const T length = s.segment(cone.first + 1, cone.size - 1).norm();
    return (s(cone.first) - length) * (s(cone.first) + length);
  }
  bool is_inside(const Rows& s) const {
    for (const Cone& cone : cones_) {
      if (!(s(cone.first) > 0) || !(determinant(s, cone) > 0)) return false;
    }
    return true;
  }

  /// Jordan product: (a · b, a₀ b₁ + b₀ a₁).
  Rows product(const Rows& a, const Rows& b) const {
    Rows out(a.size());
    for (const Cone& cone : cones_) {
      const int i = cone.first, n = cone.size - 1;
      out(i) = a.segment(i, cone.size).dot(b.segment(i, cone.size));
      out.segment(i + 1, n) = a(i) * b.segment(i + 1, n) + b(i) * a.segment(i + 1, n);
    }
    return out;
  }
  /// The b with a ∘ b = c.
  Rows quotient(const Rows& c, const Rows& a) const {
    Rows out(a.size());
    for (const Cone& cone : cones_) {
      const int i = cone.first, n = cone.size - 1;
      const auto a1 = a.segment(i + 1, n);
      out(i) = (a(i) * c(i) - a1.dot(c.segment(i + 1, n))) / determinant(a, cone);
      out.segment(i + 1, n) = (c.segment(i + 1, n) - out(i) * a1) / a(i);
    }
    return out;
  }

  Scaling make_scaling(const Rows& s, const Rows& z) const {
    Scaling out;
    out.v.resize(s.size());
    out.beta.resize(s.size());
    for (const Cone& cone : cones_) {
      const int i = cone.first, n = cone.size - 1;
      const T ds = determinant(s, cone), dz = determinant(z, cone);
      out.beta(i) = std::sqrt(std::sqrt(ds / dz));
      Rows s_unit = s.segment(i, cone.size) / std::sqrt(ds), z_unit = z.segment(i, cone.size) / std::sqrt(dz);
      const T gamma = std::sqrt((1 + s_unit.dot(z_unit)) / 2);
      z_unit.tail(n) *= -1;
      const Rows w = (s_unit + z_unit) / (2 * gamma);
      out.v.segment(i, cone.size) = w;
      out.v(i) += 1;
      out.v.segment(i, cone.size) /= std::sqrt(2 * (w(0) + 1));
    }
    out.lambda = scale(out, z);
    out.G.resize(G_.rows(), G_.cols());
    for (int j = 0; j < G_.cols(); ++j) out.G.col(j) = unscale(out, G_.col(j));
    out.normal.compute(Square(out.G.transpose() * out.G));
    return out;
  }
  /// W a, or W⁻¹ a = (2 J v vᵀ J − J) a / β.
  Rows scale_by(const Scaling& scaling, const Rows& a, bool is_inverse) const {
    Rows out(a.size());
    for (const Cone& cone : cones_) {
      const int i = cone.first, n = cone.size - 1;
      Rows v = scaling.v.segment(i, cone.size);
      if (is_inverse) v.tail(n) *= -1;
      Rows result = 2 * v.dot(a.segment(i, cone.size)) * v;
      result(0) -= a(i);
      result.tail(n) += a.segment(i + 1, n);
      out.segment(i, cone.size) = result * (is_inverse ? 1 / scaling.beta(i) : scaling.beta(i));
    }
    return out;
  }
  Rows scale(const Scaling& scaling, const Rows& a) const { return scale_by(scaling, a, false); }
  Rows unscale(const Scaling& scaling, const Rows& a) const { return scale_by(scaling, a, true); }

  /// Solves Gᵀ dz = b_x, G dx + ds = b_z, λ ∘ (W⁻¹ ds + W dz) = b_s.
  Step find_step(const Scaling& scaling, const Unknowns& b_x, const Rows& b_z, const Rows& b_s) const {
    const Rows sum = quotient(b_s, scaling.lambda);
    const Rows right = unscale(scaling, b_z) - sum;  // W⁻¹ G dx − W dz
    Step step;
    step.x = scaling.normal.solve(Unknowns(b_x + scaling.G.transpose() * right));
    step.z = scaling.G * step.x - right;
    step.s = sum - step.z;
    return step;
  }

  /// The largest step that keeps both in the cone.
  T find_length(const Scaling& scaling, const Step& step) const {
    T length = std::numeric_limits<T>::infinity();
    for (const Cone& cone : cones_) {
      length = std::min({length, reach(scaling.lambda, step.s, cone), reach(scaling.lambda, step.z, cone)});
    }
    return length;
  }
  /// The smallest α > 0 with λ + α d on the boundary: a α² + 2 b α + c = 0 with c > 0.
  T reach(const Rows& lambda, const Rows& d, const Cone& cone) const {
    const int i = cone.first, n = cone.size - 1;
    if (n == 0) return d(i) < 0 ? -lambda(i) / d(i) : std::numeric_limits<T>::infinity();
    const T a = determinant(d, cone), c = determinant(lambda, cone);
    const T b = lambda(i) * d(i) - lambda.segment(i + 1, n).dot(d.segment(i + 1, n));
    const T discriminant = b * b - a * c;
    if (a >= 0 && (b >= 0 || discriminant < 0)) return std::numeric_limits<T>::infinity();
    return c / (std::sqrt(std::max(T(0), discriminant)) - b);
  }

  /// Least squares for s and for z, pushed into the cone.
  Solution find_start() const {
    const Eigen::LDLT<Square> factor(Square(G_.transpose() * G_));
    Solution at;
    at.x = factor.solve(Unknowns(G_.transpose() * h_));
    at.s = h_ - G_ * at.x;
    at.z = -(G_ * factor.solve(c_));
    push_inside(at.s);
    push_inside(at.z);
    return at;
  }
  void push_inside(Rows& s) const {
    T lack = -std::numeric_limits<T>::infinity();
    for (const Cone& cone : cones_)
      lack = std::max(lack, s.segment(cone.first + 1, cone.size - 1).norm() - s(cone.first));
    if (lack < -T(1e-3)) return;
    for (const Cone& cone : cones_) s(cone.first) += 1 + lack;
  }

  Unknowns c_;
  Matrix G_;
  Rows h_;
  std::vector<Cone> cones_;
};

}  // namespace thenar::reference
