// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random contact problems of real size and scale, as one 1 ms step at velocity level poses them (w: velocities in m/s
/// at the end of the step, z: impulses in N s): a hand of five three-joint fingers that holds a 6 cm box, and stacks of
/// boxes. Plain matrices: A = J M⁻¹ Jᵀ, b = J (v + h M⁻¹ f). With more contacts than 15 + 6 degrees of freedom can tell
/// apart they are hyperstatic: A is singular, the forces are not unique. The same seed gives the same problem.

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test {

class GraspProblems {
 public:
  explicit GraspProblems(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return low + (high - low) * unit_(generator_); }
  bool chance(double p) { return uniform(0, 1) < p; }
  Vector3<double> direction() {
    const double height = uniform(-1, 1), angle = uniform(0, 2 * std::numbers::pi);
    const double radius = std::sqrt(1 - height * height);
    return {radius * std::cos(angle), radius * std::sin(angle), height};
  }

  /// The thumb presses on one face of the box, four fingers on the opposite one; contact c belongs to finger c mod 5.
  /// `tangents` is 2 (point contacts) or 3 (soft fingers, μ_τ of 3 to 8 mm).
  ConstraintProblem hand(int contacts, int tangents = 2) {
    constexpr int kFingers = 5, kJoints = 3, kDofs = kFingers * kJoints + 6;
    constexpr double kHalf = 0.03, kBoxMass = 0.1, kStep = 1e-3;
    const double box_inertia = kBoxMass * (2 * kHalf) * (2 * kHalf) / 6;

    std::vector<Finger> fingers;
    for (int f = 0; f < kFingers; ++f) fingers.push_back(finger(f == 0 ? -1 : 1, f == 0 ? 0 : -0.03 + 0.02 * (f - 1)));
    MatrixX<double> M = MatrixX<double>::Zero(kDofs, kDofs);
    M.topLeftCorner(3, 3).diagonal().setConstant(box_inertia);
    M.block(3, 3, 3, 3).diagonal().setConstant(kBoxMass);
    for (int f = 0; f < kFingers; ++f) {
      M.block(6 + kJoints * f, 6 + kJoints * f, kJoints, kJoints) = fingers[static_cast<std::size_t>(f)].mass();
    }

    // Impulse of one step: gravity, the grip of each finger, and what the motors do otherwise.
    VectorX<double> impulse = VectorX<double>::Zero(kDofs);
    impulse.segment(3, 3) = kStep * kBoxMass * 9.81 * direction();
    for (int i = 6; i < kDofs; ++i) impulse[i] = kStep * uniform(-0.02, 0.02);

    const int rows = tangents + 1;
    MatrixX<double> J = MatrixX<double>::Zero(rows * contacts, kDofs);
    for (int c = 0; c < contacts; ++c) {
      const int f = c % kFingers;
      const Finger& owner = fingers[static_cast<std::size_t>(f)];
      const Vector3<double> normal(owner.side > 0 ? -1 : 1, 0, 0);  // into the box
      // Braces, here and below: they fix the order of the random numbers.
      const Vector3<double> point{owner.side * kHalf, owner.pad.y() + uniform(-6e-3, 6e-3),
                                  owner.pad.z() + uniform(-6e-3, 6e-3)};
      const auto R = frame(normal);
      const double grip = uniform(0.5, 3) * kFingers / contacts;
      for (int k = 0; k < rows; ++k) {
        const bool is_torsion = k == 3;
        const Vector3<double> d = is_torsion ? normal : Vector3<double>(R.col(k));
        auto row = J.row(rows * c + k);
        row.head(3) = is_torsion ? d : point.cross(d);
        if (!is_torsion) row.segment(3, 3) = d;
        for (int j = 0; j < kJoints; ++j) {
          Vector3<double> moved = owner.axis.col(j);
          if (!is_torsion) moved = owner.axis.col(j).cross(point - owner.joint.col(j));
          row[6 + kJoints * f + j] = -d.dot(moved);
        }
      }
      impulse -= kStep * grip * J.row(rows * c).transpose();
      impulse.head(6) += kStep * grip * J.row(rows * c).head(6).transpose();  // the grip acts on the joints alone
    }
    // A held box moves with the fingers but for what the last step left; one box in four is being caught or lost.
    const double speed = chance(0.25) ? 0.1 : 1e-3;
    VectorX<double> v(kDofs);
    for (int i = 0; i < kDofs; ++i) v[i] = speed * uniform(-1, 1) / (i < 3 || i > 5 ? 0.03 : 1);
    return assemble(J, M, v, impulse, tangents);
  }

  /// A tower of boxes, four corner contacts between one and the next, pushed from the side.
  ConstraintProblem stack(int boxes) {
    constexpr double kHalf = 0.05, kStep = 1e-3;
    MatrixX<double> M = MatrixX<double>::Zero(6 * boxes, 6 * boxes);
    VectorX<double> impulse = VectorX<double>::Zero(6 * boxes);
    MatrixX<double> J = MatrixX<double>::Zero(12 * boxes, 6 * boxes);
    for (int i = 0; i < boxes; ++i) {
      const double mass = uniform(0.2, 2);
      M.block(6 * i, 6 * i, 3, 3).diagonal().setConstant(mass * 4 * kHalf * kHalf / 6);
      M.block(6 * i + 3, 6 * i + 3, 3, 3).diagonal().setConstant(mass);
      impulse[6 * i + 5] = -kStep * mass * 9.81;
      impulse[6 * i + 3] = kStep * mass * uniform(-4, 4);
      const auto R = frame(Vector3<double>::UnitZ());
      for (int corner = 0; corner < 4; ++corner) {
        const Vector3<double> low(corner & 1 ? kHalf : -kHalf, corner & 2 ? kHalf : -kHalf, -kHalf);
        const Vector3<double> high(low.x(), low.y(), kHalf);
        for (int k = 0; k < 3; ++k) {
          auto row = J.row(12 * i + 3 * corner + k);
          row.segment(6 * i, 3) = low.cross(R.col(k));
          row.segment(6 * i + 3, 3) = R.col(k);
          if (i == 0) continue;
          row.segment(6 * i - 6, 3) = -high.cross(R.col(k));
          row.segment(6 * i - 3, 3) = -R.col(k);
        }
      }
    }
    return assemble(J, M, VectorX<double>::Zero(6 * boxes), impulse, 2);
  }

 private:
  struct Finger {
    double side = 1;                      ///< of the box: ±1 along x
    Vector3<double> pad;                  ///< m
    Eigen::Matrix3d joint, axis, center;  ///< columns: positions of the joints, their axes, centres of the links
    Vector3<double> link_mass, link_inertia;

    /// Joint-space inertia: Σ m JᵀJ of the links' centres, their spin, and the rotors.
    Eigen::Matrix3d mass() const {
      Eigen::Matrix3d M = 2e-6 * Eigen::Matrix3d::Identity();
      for (int l = 0; l < 3; ++l) {
        Eigen::Matrix3d linear = Eigen::Matrix3d::Zero(), angular = Eigen::Matrix3d::Zero();
        for (int j = 0; j <= l; ++j) {
          linear.col(j) = axis.col(j).cross(center.col(l) - joint.col(j));
          angular.col(j) = axis.col(j);
        }
        M += link_mass[l] * linear.transpose() * linear + link_inertia[l] * angular.transpose() * angular;
      }
      return M;
    }
  };

  /// Three links from a knuckle beside the palm to the pad, bent at random; the first joint spreads the finger.
  Finger finger(double side, double along) {
    Finger f;
    f.side = side;
    f.pad = {side * 0.03, along, uniform(-0.015, 0.015)};
    const Vector3<double> knuckle{side * uniform(0.04, 0.07), along + uniform(-0.01, 0.01), -uniform(0.07, 0.10)};
    const Vector3<double> bend(side * uniform(0.01, 0.03), 0, 0);
    f.joint << knuckle, knuckle + 0.45 * (f.pad - knuckle) + bend, knuckle + 0.75 * (f.pad - knuckle) + bend;
    const Vector3<double> flexion = (Vector3<double>::UnitY() + 0.15 * direction()).normalized();
    const Vector3<double> spread = (Vector3<double>::UnitX() + 0.3 * direction()).normalized();
    f.axis << spread, flexion, flexion;
    for (int l = 0; l < 3; ++l) {
      const Vector3<double> end = l < 2 ? Vector3<double>(f.joint.col(l + 1)) : f.pad;
      const double length = (end - f.joint.col(l)).norm(), mass = uniform(0.02, 0.07);
      f.center.col(l) = 0.5 * (f.joint.col(l) + end);
      f.link_mass[l] = mass;
      f.link_inertia[l] = mass * length * length / 12;
    }
    return f;
  }

  /// Columns N, T, U with a random turn about N.
  Eigen::Matrix3d frame(const Vector3<double>& normal) {
    Eigen::Matrix3d R;
    Vector3<double> t;
    do {
      t = direction();
      t -= t.dot(normal) * normal;
    } while (t.norm() < 0.1);
    R << normal, t.normalized(), normal.cross(t.normalized());
    return R;
  }

  ConstraintProblem assemble(const MatrixX<double>& J, const MatrixX<double>& M, const VectorX<double>& v,
                             const VectorX<double>& impulse, int tangents) {
    const Eigen::LLT<MatrixX<double>> factor(M);
    ConstraintProblem problem(static_cast<int>(J.rows()));
    const MatrixX<double> A = J * factor.solve(J.transpose());
    problem.A() = 0.5 * (A + A.transpose());
    problem.b() = J * (v + factor.solve(impulse));
    for (int first = 0; first < problem.size(); first += tangents + 1) {
      const double mu = uniform(0.5, 1), torsion = uniform(3e-3, 8e-3);
      for (int k = 0; k <= tangents; ++k) {
        ConstraintRow& row = problem.row(first + k);
        row.kind = k == 0 ? RowKind::normal : RowKind::tangent;
        row.id = static_cast<std::uint64_t>(first + k);
        if (k > 0) row.limit = k == 3 ? torsion : mu;
      }
    }
    return problem;
  }

  std::mt19937_64 generator_;
  std::uniform_real_distribution<double> unit_{0, 1};
};

}  // namespace thenar::test
