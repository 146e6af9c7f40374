// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random instants of grasps with the geometry of grasps: an object between fingers and walls, in the plane (a disc, an
/// ellipse or a rectangle; fingers of two joints) or in space (an ellipsoid or a box; fingers of three joints). Plain
/// matrices at acceleration level: A = J M⁻¹ Jᵀ in 1/kg, b = J M⁻¹ h + drift in m/s². Contacts roll or slide already;
/// joints may stand at a stop, have dry friction or be coupled. Some grasps are regular (right angles, equal numbers),
/// so that contacts are redundant and borders are met exactly. The same seed gives the same grasps.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test {

class GeometricGrasps {
 public:
  explicit GeometricGrasps(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return low + (high - low) * unit_(generator_); }
  int pick(int low, int high) { return low + static_cast<int>(uniform(0, 1) * (high - low + 1)); }
  bool chance(double p) { return uniform(0, 1) < p; }

  /// 2 to 4 contacts in the plane.
  ConstraintProblem planar() { return make(2, pick(2, 4)); }
  /// 1 to 3 contacts in space, on the box cone; seldom 3, which YY need some tenths of a second for.
  ConstraintProblem spatial() { return make(3, chance(0.12) ? 3 : pick(1, 2)); }
  /// The same, all of them rolling, without joint rows, on smooth cones.
  ConstraintProblem spatial_rolling(int contacts) {
    plain_ = true;
    ConstraintProblem out = make(3, contacts);
    plain_ = false;
    for (int i = 0; i < out.size(); ++i) out.row(i).faces = 0;
    return out;
  }

 private:
  using Vector3d = Eigen::Vector3d;

  /// A place on the object: the point and the normal into it, from the object's middle. Planar ones have z = 0.
  struct Place {
    Vector3d point, normal;
  };

  struct Finger {
    Eigen::Matrix3Xd joint, axis, center;  ///< columns: positions of the joints, their axes, middles of the links
    VectorX<double> mass, inertia;         ///< of the links
    int first = 0;                         ///< number of its first freedom
  };

  /// A row of the problem before A is known.
  struct Row {
    ConstraintRow row;
    VectorX<double> J;
    double drift = 0;
  };

  ConstraintProblem make(int dimension, int contacts) {
    dimension_ = dimension;
    regular_ = chance(0.15);
    fingers_.clear();
    rows_.clear();
    const Vector3d sizes{uniform(0.02, 0.06), uniform(0.02, 0.06), uniform(0.02, 0.06)};  // braces: in this order
    const int shape = pick(0, 2);
    std::vector<Place> places;
    std::vector<int> owners;  // a finger, or −1 for a wall
    freedoms_ = count_object_freedoms();
    for (int c = 0; c < contacts; ++c) {
      places.push_back(make_place(sizes, shape, c));
      const bool shares = c > 0 && owners.back() >= 0 && !plain_ && chance(0.15);
      owners.push_back(shares ? owners.back() : !plain_ && chance(0.25) ? -1 : make_finger(places.back()));
    }
    VectorX<double> force = VectorX<double>::Zero(freedoms_);
    const MatrixX<double> M = make_mass(sizes, force);
    for (int c = 0; c < contacts; ++c) add_contact(places[at(c)], owners[at(c)], force);
    if (!plain_) add_joint_rows();
    return assemble(M, force);
  }

  int count_object_freedoms() const { return dimension_ == 2 ? 3 : 6; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// Angles and coefficients of regular grasps are multiples of `step`.
  double draw(double low, double high, double step) {
    const double value = uniform(low, high);
    return regular_ ? step * std::round(value / step) : value;
  }

  // ---- Geometry

  Vector3d make_direction(int c) {
    const double pi = std::numbers::pi;
    const double angle = regular_ ? pi / 2 * c : uniform(0, 2 * pi);
    if (dimension_ == 2) return {std::cos(angle), std::sin(angle), 0};
    const double height = regular_ ? 0 : uniform(-0.9, 0.9), radius = std::sqrt(1 - height * height);
    return {radius * std::cos(angle), radius * std::sin(angle), height};
  }

  /// On a ball, an ellipsoid, or the side of a box (their planar sections if z = 0).
  Place make_place(const Vector3d& sizes, int shape, int c) {
    const Vector3d direction = make_direction(c);
    if (shape == 0) return {sizes.x() * direction, -direction};
    if (shape == 1) {
      const Vector3d normal = -direction.cwiseQuotient(sizes).normalized();
      return {sizes.cwiseProduct(direction), normal};
    }
    Eigen::Index side;
    direction.cwiseAbs().maxCoeff(&side);
    Vector3d point = sizes.cwiseProduct(direction);
    if (regular_) point(side == 0 ? 1 : 0) = (pick(0, 1) == 0 ? 0.5 : -0.5) * sizes(side == 0 ? 1 : 0);
    const double sign = direction(side) > 0 ? 1 : -1;
    point(side) = sign * sizes(side);
    return {point, -sign * Vector3d::Unit(side)};
  }

  /// A finger whose tip is at the place and whose links come from outside of the object. Returns its number.
  int make_finger(const Place& place) {
    const int links = dimension_;
    Finger f;
    f.joint.resize(3, links), f.axis.resize(3, links), f.center.resize(3, links);
    f.mass.resize(links), f.inertia.resize(links);
    Vector3d end = place.point;
    for (int l = links - 1; l >= 0; --l) {
      Vector3d back = -place.normal + 0.8 * make_direction(l + 1);
      if (back.norm() < 0.1) back = -place.normal;
      const double length = draw(0.02, 0.06, 0.02);
      f.joint.col(l) = end + length * back.normalized();
      f.center.col(l) = 0.5 * (f.joint.col(l) + end);
      f.axis.col(l) = Vector3d::UnitZ();
      if (dimension_ == 3) f.axis.col(l) = back.cross(make_direction(l)).normalized();
      if (!(f.axis.col(l).norm() > 0.5)) f.axis.col(l) = Vector3d::UnitZ();  // parallel
      f.mass(l) = draw(0.02, 0.08, 0.02);
      f.inertia(l) = f.mass(l) * length * length / 12;
      end = f.joint.col(l);
    }
    f.first = freedoms_;
    freedoms_ += links;
    fingers_.push_back(f);
    return static_cast<int>(fingers_.size()) - 1;
  }

  // ---- Dynamics

  /// Writes gravity and torques of the motors to `force`.
  MatrixX<double> make_mass(const Vector3d& sizes, VectorX<double>& force) {
    const double mass = draw(0.05, 1, 0.25) + 0.05, inertia = 0.4 * mass * sizes.squaredNorm() / 3;
    const int spins = dimension_ == 2 ? 1 : 3;
    MatrixX<double> M = MatrixX<double>::Zero(freedoms_, freedoms_);
    M.diagonal().head(spins).setConstant(inertia);
    M.diagonal().segment(spins, dimension_).setConstant(mass);
    force(spins + dimension_ - 1) = -9.81 * mass;
    for (const Finger& f : fingers_) {
      const auto n = static_cast<int>(f.mass.size());
      M.block(f.first, f.first, n, n) = calc_finger_mass(f);
      for (int j = 0; j < n; ++j) force(f.first + j) = draw(-0.03, 0.03, 0.01);
    }
    return M;
  }

  /// Σ m JᵀJ of the links' middles, their spin, and the rotors.
  static MatrixX<double> calc_finger_mass(const Finger& f) {
    const auto n = f.mass.size();
    MatrixX<double> M = 2e-6 * MatrixX<double>::Identity(n, n);
    for (Eigen::Index l = 0; l < n; ++l) {
      MatrixX<double> linear = MatrixX<double>::Zero(3, n), angular = MatrixX<double>::Zero(3, n);
      for (Eigen::Index j = 0; j <= l; ++j) {
        linear.col(j) = f.axis.col(j).cross(f.center.col(l) - f.joint.col(j));
        angular.col(j) = f.axis.col(j);
      }
      M += f.mass(l) * linear.transpose() * linear + f.inertia(l) * angular.transpose() * angular;
    }
    return M;
  }

  // ---- Rows

  /// A row of the velocity of the object's point relative to the finger's, along d.
  VectorX<double> make_jacobian(const Vector3d& point, int owner, int link, const Vector3d& d) const {
    VectorX<double> J = VectorX<double>::Zero(freedoms_);
    const Vector3d turn = point.cross(d);
    if (dimension_ == 2) {
      J.head(3) << turn.z(), d.x(), d.y();
    } else {
      J.head(6) << turn, d;
    }
    if (owner < 0) return J;
    const Finger& f = fingers_[at(owner)];
    for (int j = 0; j <= link; ++j) J(f.first + j) = -d.dot(f.axis.col(j).cross(point - f.joint.col(j)));
    return J;
  }

  /// Also makes its finger press, on the average.
  void add_contact(const Place& place, int owner, VectorX<double>& force) {
    const int link = dimension_ - 1;
    const bool slides = !plain_ && chance(0.3);
    const double mu = regular_ ? 0.5 * pick(1, 2) : uniform(0.1, 1.2);
    const Vector3d& N = place.normal;
    Vector3d T = Vector3d::UnitZ().cross(N);
    if (T.norm() < 0.1) T = Vector3d::UnitX().cross(N);
    T.normalize();
    Row normal{{.kind = RowKind::normal}, make_jacobian(place.point, owner, link, N)};
    if (!slides && dimension_ == 3) normal.row.faces = kBoxFaces;
    // What is known of a contact that slides is also how its point travels over curved surfaces.
    const bool travels = slides && chance(0.5);
    if (travels) normal.drift = uniform(-3, 3);
    if (owner >= 0) {
      const Eigen::Index joints = freedoms_ - count_object_freedoms();
      force.tail(joints) -= draw(-1, 5, 1) * normal.J.tail(joints);
    }
    rows_.push_back(normal);
    const double slip = dimension_ == 2 ? (chance(0.5) ? 0 : std::numbers::pi) : draw(0, 6, std::numbers::pi / 4);
    for (int k = 0; k < dimension_ - 1; ++k) {
      const double ratio = -mu * (k == 0 ? std::cos(slip) : std::sin(slip));
      rows_.push_back({{.kind = slides ? RowKind::sliding : RowKind::tangent, .limit = slides ? ratio : mu},
                       make_jacobian(place.point, owner, link, k == 0 ? T : N.cross(T)),
                       travels ? uniform(-3, 3) : 0});
    }
  }

  /// Stops, dry friction and couplings of the fingers' joints.
  void add_joint_rows() {
    for (int j = count_object_freedoms(); j < freedoms_; ++j) {
      const VectorX<double> axis = VectorX<double>::Unit(freedoms_, j);
      if (chance(0.06)) rows_.push_back({{.kind = RowKind::unilateral}, chance(0.5) ? axis : VectorX<double>(-axis)});
      const double friction = regular_ ? 0.01 : uniform(0.002, 0.03);
      if (chance(0.06) && count_directions() < kMostDirections) {
        rows_.push_back({{.kind = RowKind::boxed, .limit = friction}, axis});
      }
      if (j + 1 < freedoms_ && chance(0.03)) {
        rows_.push_back({{.kind = RowKind::bilateral}, axis - VectorX<double>::Unit(freedoms_, j + 1)});
      }
    }
  }

  /// Rows of friction: the sets of signs double with each of them.
  static constexpr int kMostDirections = 6;
  int count_directions() const {
    return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const Row& row) {
      return row.row.kind == RowKind::tangent || row.row.kind == RowKind::boxed;
    }));
  }

  ConstraintProblem assemble(const MatrixX<double>& M, const VectorX<double>& force) const {
    const Eigen::LLT<MatrixX<double>> factor(M);
    const auto n = static_cast<Eigen::Index>(rows_.size());
    MatrixX<double> J(n, freedoms_);
    ConstraintProblem out(static_cast<int>(n));
    for (Eigen::Index i = 0; i < n; ++i) {
      J.row(i) = rows_[static_cast<std::size_t>(i)].J;
      out.row(static_cast<int>(i)) = rows_[static_cast<std::size_t>(i)].row;
    }
    const MatrixX<double> A = J * factor.solve(J.transpose());
    out.A() = 0.5 * (A + A.transpose());
    out.b() = J * factor.solve(force);
    for (Eigen::Index i = 0; i < n; ++i) out.b()(i) += rows_[static_cast<std::size_t>(i)].drift;
    return out;
  }

  std::mt19937_64 generator_;
  std::uniform_real_distribution<double> unit_{0, 1};
  int dimension_ = 3, freedoms_ = 0;
  bool regular_ = false, plain_ = false;
  std::vector<Finger> fingers_;
  std::vector<Row> rows_;
};

}  // namespace thenar::test
