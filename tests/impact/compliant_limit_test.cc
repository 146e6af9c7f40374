// SPDX-License-Identifier: BSD-3-Clause
//
// Rigid impacts as the limit of stiff compliant ones: a free body falls with one point on a floor that gives way like a
// spring of stiffness k, with Coulomb friction, and is followed through time with all its positions. Unloading is
// steeper than loading by 1/e², so that e² of the work comes back: Stronge's law. As k grows the velocities after the
// impact tend to those of the rigid impact, with the duration of the contact, that is with 1/√k.

#include <gtest/gtest.h>

#include "random_impacts.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::compliant_limit_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A body whose centre of mass is at `arm` from the point that strikes, floor normal x (so that N, T, U are the axes).
struct FallingBody {
  double mass = 1, mu = 0.3, e = 1;
  Matrix3d inertia = Matrix3d::Identity();  ///< about the centre of mass, in the body's axes
  Vector3d arm = Vector3d::Zero();          ///< from the centre of mass to the point, in the body's axes
  Vector3d velocity = Vector3d::Zero(), spin = Vector3d::Zero();
};

PointImpact make_rigid_impact(const FallingBody& body) {
  PointImpact out;
  Matrix3d cross;
  cross << 0, -body.arm(2), body.arm(1), body.arm(2), 0, -body.arm(0), -body.arm(1), body.arm(0), 0;
  out.K.topLeftCorner<3, 3>() = Matrix3d::Identity() / body.mass - cross * body.inertia.inverse() * cross;
  out.u.head<3>() = body.velocity + body.spin.cross(body.arm);
  out.friction = {body.mu, body.mu, 0};
  out.restitution = body.e;
  return out;
}

class CompliantImpact {
 public:
  CompliantImpact(const FallingBody& body, double stiffness, double slip_scale)
      : body_(body), inverse_(body.inertia.inverse()), k_(stiffness), slip_scale_(slip_scale) {}

  /// Velocity of the point when it leaves the floor.
  Vector3d follow(int steps_per_period) {
    State y{body_.velocity, body_.spin, Matrix3d::Identity(), 0};
    const double K_NN = make_rigid_impact(body_).K(0, 0);
    const double h = 2 * M_PI / std::sqrt(k_ * K_NN) / steps_per_period;
    for (int i = 0; i < 20 * steps_per_period; ++i) {
      const State before = y;
      y = step(y, h);
      const double speed = point_velocity(y)(0);
      if (!is_unloading_ && speed > 0) {
        is_unloading_ = true;
        deepest_ = -y.height;
      }
      if (is_unloading_ && force(y) <= 0) {  // the rest of the step, in proportion
        const double share = force(before) / (force(before) - force_unbounded(y));
        y = step(before, share * h);
        break;
      }
    }
    return point_velocity(y);
  }

 private:
  struct State {
    Vector3d v, w;
    Matrix3d R;
    double height;  ///< of the point
  };

  State step(const State& y, double h) const {
    const Rate a = rate(y), b = rate(add(y, a, h / 2)), c = rate(add(y, b, h / 2)), d = rate(add(y, c, h));
    Rate sum;
    sum.v = (a.v + 2 * b.v + 2 * c.v + d.v) / 6;
    sum.w = (a.w + 2 * b.w + 2 * c.w + d.w) / 6;
    sum.R = (a.R + 2 * b.R + 2 * c.R + d.R) / 6;
    sum.height = (a.height + 2 * b.height + 2 * c.height + d.height) / 6;
    return add(y, sum, h);
  }
  using Rate = State;

  static State add(const State& y, const Rate& rate, double h) {
    return {y.v + h * rate.v, y.w + h * rate.w, y.R + h * rate.R, y.height + h * rate.height};
  }

  Vector3d point_velocity(const State& y) const { return y.v + y.w.cross(y.R * body_.arm); }

  double force_unbounded(const State& y) const {
    if (!is_unloading_) return -k_ * y.height;
    const double slope = k_ / (body_.e * body_.e);
    return k_ * deepest_ + slope * (-y.height - deepest_);
  }
  double force(const State& y) const { return std::max(0.0, force_unbounded(y)); }

  Rate rate(const State& y) const {
    const Vector3d u = point_velocity(y);
    const double f_N = force(y), slip = std::hypot(u(1), u(2), slip_scale_);
    const Vector3d f(f_N, -body_.mu * f_N * u(1) / slip, -body_.mu * f_N * u(2) / slip);
    const Matrix3d inverse = y.R * inverse_ * y.R.transpose();
    const Vector3d momentum = y.R * body_.inertia * y.R.transpose() * y.w;
    Matrix3d turn;
    turn << 0, -y.w(2), y.w(1), y.w(2), 0, -y.w(0), -y.w(1), y.w(0), 0;
    return {f / body_.mass, inverse * ((y.R * body_.arm).cross(f) - y.w.cross(momentum)), turn * y.R, u(0)};
  }

  const FallingBody body_;
  const Matrix3d inverse_;
  const double k_, slip_scale_;
  bool is_unloading_ = false;
  double deepest_ = 0;
};

TEST(CompliantLimit, TendsToStrongesLawWithTheDurationOfTheContact) {
  test::RandomImpacts random(31);
  const auto vector = [&](double scale) {
    return Vector3d(scale * Vector3d(random.normal(), random.normal(), random.normal()));
  };
  int turned = 0, stuck = 0, compared = 0;
  for (int trial = 0; trial < 12; ++trial) {
    FallingBody body;
    body.mu = random.uniform(0.1, 0.8);
    body.e = trial % 2 == 0 ? 1 : 0.6;
    const Matrix3d R =
        Eigen::Quaterniond(
            Eigen::Vector4d(random.normal(), random.normal(), random.normal(), random.normal()).normalized())
            .toRotationMatrix();
    body.inertia = R * Vector3d(0.3, 0.4, 0.5).asDiagonal() * R.transpose();
    body.arm = vector(0.4);
    body.velocity = Vector3d(-1, random.normal(), random.normal());
    body.spin = vector(0.3);
    const PointImpact impact = make_rigid_impact(body);
    if (impact.u(0) > -0.3) continue;
    const PointImpactResult rigid = solve_point_impact(impact, ImpactLaw::stronge);
    if (rigid.has(ImpactMark::recompression)) continue;
    turned += rigid.steps > 4;
    stuck += rigid.has(ImpactMark::stick);
    ++compared;
    std::array<double, 2> errors{};
    for (std::size_t k = 0; k < 2; ++k) {
      // Friction is smoothed over slips of 1/√k as well, and steps resolve that.
      const double stiffness = k == 0 ? 1e4 : 1e6, smooth = k == 0 ? 1e-2 : 1e-3;
      const Vector3d u = CompliantImpact(body, stiffness, smooth).follow(k == 0 ? 4000 : 40000);
      errors[k] = (u - rigid.u.head<3>()).norm() / impact.u.norm();
    }
    // A hundred times the stiffness, a tenth of the error.
    EXPECT_LT(errors[0], 0.2) << trial;
    EXPECT_LT(errors[1], 0.2 * errors[0]) << trial << ": " << errors[0] << ' ' << errors[1];
  }
  EXPECT_GE(compared, 8);
  EXPECT_GE(turned, 5);
  EXPECT_GE(stuck, 1);
}

}  // namespace
}  // namespace thenar::compliant_limit_test
