// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// SYK's whole-arm grasp once more, written out for the plane in coordinates of its own: x, y, φ of the ellipse and the
/// absolute angles of the four links. Shares nothing with the library but Eigen: mass matrices, contacts by the support
/// function of the ellipse, drift by differences, the law of control and the compliant layer. Links 1, 2 are those of
/// the left finger, 3, 4 those of the right one; N points into the ellipse, T is N turned by +90°.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "thenar/spatial/decompositions.h"

namespace thenar::test {

using Vector4 = Eigen::Vector4d;
using Vector7 = Eigen::Matrix<double, 7, 1>;
using Matrix4 = Eigen::Matrix4d;
using Matrix47 = Eigen::Matrix<double, 4, 7>;
using Matrix7 = Eigen::Matrix<double, 7, 7>;

/// A⁻¹ B, by the decomposition of matrices of any size that the library has compiled.
inline MatrixX<double> solve_columns(const MatrixX<double>& A, const MatrixX<double>& B) {
  return Eigen::PartialPivLU<MatrixX<double>>(A).solve(B);
}

struct PlanarContacts {
  Vector4 gap, along;  ///< m; along the link from its beginning
  Matrix47 N, T;       ///< rows of the relative velocity
};

struct PlanarGrasp {
  double a = 0.15, b = 0.11, mass = 1.69, inertia = 1.46e-2;
  double palm = 0.1, length = 0.2, link_mass = 0.5, link_inertia = 0.5 * 0.04 / 12;
  Vector4 mu = Vector4::Constant(0.1);

  Matrix7 calc_mass(const Vector7& q) const {
    Matrix7 M = Matrix7::Zero();
    M(0, 0) = M(1, 1) = mass;
    M(2, 2) = inertia;
    const double end = link_inertia + link_mass * length * length / 4;
    for (const int k : {3, 5}) {
      M(k, k) = end + link_mass * length * length;
      M(k + 1, k + 1) = end;
      M(k, k + 1) = M(k + 1, k) = link_mass * length * length / 2 * std::cos(q(k) - q(k + 1));
    }
    return M;
  }

  Vector7 calc_bias(const Vector7& q, const Vector7& v) const {
    Vector7 h = Vector7::Zero();
    for (const int k : {3, 5}) {
      const double s = link_mass * length * length / 2 * std::sin(q(k) - q(k + 1));
      h(k) = s * v(k + 1) * v(k + 1);
      h(k + 1) = -s * v(k) * v(k);
    }
    return h;
  }

  PlanarContacts find_contacts(const Vector7& q) const {
    PlanarContacts out;
    out.N.setZero();
    out.T.setZero();
    const Eigen::Vector2d e1(std::cos(q(2)), std::sin(q(2))), e2(-e1.y(), e1.x()), p(q(0), q(1));
    const auto cross = [](const Eigen::Vector2d& x, const Eigen::Vector2d& y) { return x.x() * y.y() - x.y() * y.x(); };
    for (int i = 0; i < 4; ++i) {
      const double side = i < 2 ? 1 : -1;
      const Eigen::Vector2d base(-side * palm / 2, 0), u(std::cos(q(3 + i)), std::sin(q(3 + i)));
      Eigen::Vector2d begin = base;
      if (i % 2 == 1) begin += length * Eigen::Vector2d(std::cos(q(2 + i)), std::sin(q(2 + i)));
      const Eigen::Vector2d n = side * Eigen::Vector2d(u.y(), -u.x()), t(-n.y(), n.x());
      const double x1 = a * n.dot(e1), x2 = b * n.dot(e2), support = std::hypot(x1, x2);
      const Eigen::Vector2d r = -(a * x1 * e1 + b * x2 * e2) / support, point = p + r;
      out.gap(i) = n.dot(p - begin) - support;
      out.along(i) = u.dot(point - begin);
      const auto fill = [&](Matrix47& W, const Eigen::Vector2d& d) {
        W.row(i).head<2>() = d;
        W(i, 2) = cross(r, d);
        W(i, 3 + i) = -cross(point - begin, d);
        if (i % 2 == 1) W(i, 2 + i) = -cross(begin - base, d);
      };
      fill(out.N, n);
      fill(out.T, t);
    }
    return out;
  }

  /// d(N)/dt v, by a difference of fourth order.
  Vector4 calc_drift(const Vector7& q, const Vector7& v) const {
    constexpr double kStep = 1e-3;
    const auto difference = [&](double k) -> Matrix47 {
      return find_contacts(q + k * kStep * v).N - find_contacts(q - k * kStep * v).N;
    };
    return (8 * difference(1) - difference(2)) / (12 * kStep) * v;
  }

  /// W_μᵀ for friction that opposes slips of these directions.
  Matrix47 calc_sliding_rows(const PlanarContacts& contacts, const Vector4& direction) const {
    return contacts.N - mu.cwiseProduct(direction).asDiagonal() * contacts.T;
  }

  /// A = W_Nᵀ M⁻¹ W_μ.
  Matrix4 calc_A(const Vector7& q, const Vector4& direction) const {
    const PlanarContacts contacts = find_contacts(q);
    return contacts.N * solve_columns(calc_mass(q), calc_sliding_rows(contacts, direction).transpose());
  }

  /// Turns the links until they touch the ellipse, which is at x.
  Vector7 place(const Eigen::Vector3d& x, Vector7 q) const {
    q.head<3>() = x;
    for (int step = 0; step < 30; ++step) {
      const PlanarContacts contacts = find_contacts(q);
      q.tail<4>() -= solve_columns(contacts.N.rightCols<4>(), contacts.gap);
    }
    return q;
  }

  /// Velocities with which the links stay in touch.
  Vector7 follow(const Vector7& q, const Eigen::Vector3d& rate) const {
    const PlanarContacts contacts = find_contacts(q);
    Vector7 v;
    v << rate, -solve_columns(contacts.N.rightCols<4>(), contacts.N.leftCols<3>() * rate);
    return v;
  }
};

/// The least of the principal minors, each in units of the largest entry: > 0 of a P-matrix.
inline double calc_least_minor(const Matrix4& A) {
  const Matrix4 unit = A / A.cwiseAbs().maxCoeff();
  double least = 1;
  for (unsigned set = 1; set < 16; ++set) {
    Matrix4 minor = Matrix4::Identity();
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        if ((set >> i & 1) != 0 && (set >> j & 1) != 0) minor(i, j) = unit(i, j);
      }
    }
    least = std::min(least, minor.determinant());
  }
  return least;
}

/// From one pose of the ellipse to another in a second, on a quintic.
struct PlanarTask {
  Eigen::Vector3d from, to;

  Eigen::Vector3d way() const { return to - from; }
  Eigen::Vector3d position(double t) const { return from + way() * t * t * t * (10 - 15 * t + 6 * t * t); }
  Eigen::Vector3d rate(double t) const { return way() * 30 * t * t * (1 - t) * (1 - t); }
  Eigen::Vector3d acceleration(double t) const { return way() * 60 * t * (1 - t) * (1 - 2 * t); }
};

/// Example 1 and example 2 of SYK, with where their links are at the start (roughly).
struct PlanarExample {
  PlanarGrasp grasp;
  PlanarTask task;
  Vector7 guess;

  static PlanarExample rotate() {
    constexpr double kDegree = std::numbers::pi / 180;
    PlanarExample out;
    out.task = {{0, 0.152, 70 * kDegree}, {0, 0.152, 110 * kDegree}};
    out.guess << 0, 0, 0, 2.37, 0.73, 1.13, 2.06;
    return out;
  }
  static PlanarExample translate() {
    PlanarExample out;
    out.grasp.mu << 0.8, 0.6, 0.8, 0.6;
    out.task = {{0, 0.12, 0}, {0, 0.18, 0}};
    out.guess << 0, 0, 0, 2.5, 0.64, std::numbers::pi - 2.5, std::numbers::pi - 0.64;
    return out;
  }

  /// Where the planned path is at t, followed from its start.
  Vector7 plan(double t) const {
    Vector7 q = guess;
    constexpr int kSteps = 20;
    for (int i = 0; i <= kSteps; ++i) q = grasp.place(task.position(t * i / kSteps), q);
    return q;
  }
  /// Slips of the contacts for a unit of the way.
  Vector4 plan_slips(const Vector7& q) const { return grasp.find_contacts(q).T * grasp.follow(q, task.way()); }
  /// The least principal minor of A on the planned path; slips have the signs of the path.
  double calc_least_minor(double t) const {
    const Vector7 q = plan(t);
    return test::calc_least_minor(grasp.calc_A(q, plan_slips(q).cwiseSign()));
  }
};

}  // namespace thenar::test
