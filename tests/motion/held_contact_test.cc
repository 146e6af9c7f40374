// SPDX-License-Identifier: BSD-3-Clause
//
// A contact that holds: its rows against differences of gap and slip, and the friction of one that slides.

#include "thenar/motion/held_contact.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "../support/contact_scenes.h"

namespace thenar::held_contact_test {
namespace {

/// A scenario with one contact that holds, looked at wherever one likes.
class OneContact {
 public:
  OneContact(Scenario scenario, ContactHold hold, double no_slip = 1e-10)
      : scenario_(std::move(scenario)), workspace_(scenario_.model), contact_(hold_one(scenario_, hold, no_slip)) {}

  OneContact(const OneContact&) = delete;  // the contact refers to the model

  /// `time` after the start, with constant velocities (v̇ = 0).
  HeldContact& look_after(double time) {
    const VectorX<double> way = time * scenario_.initial.v;
    VectorX<double> q = scenario_.initial.q;
    integrate_position(scenario_.model, scenario_.initial.q.data(), way.data(), q.data());
    return look_at(q, scenario_.initial.v);
  }
  HeldContact& look_at(const VectorX<double>& q, const VectorX<double>& v) {
    update_positions(scenario_.model, q.data(), workspace_);
    update_velocities(scenario_.model, v.data(), workspace_);
    EXPECT_TRUE(contact_.update(workspace_));
    return contact_;
  }
  /// At the start with other velocities.
  HeldContact& look_with(const VectorX<double>& v) { return look_at(scenario_.initial.q, v); }

  const State& start() const { return scenario_.initial; }
  HeldContact& contact() { return contact_; }
  const Workspace<double>& workspace() const { return workspace_; }

 private:
  static HeldContact hold_one(const Scenario& s, ContactHold hold, double no_slip) {
    const std::vector<HeldContact> all = test::hold_contacts(s, hold, no_slip);
    EXPECT_EQ(all.size(), 1u);
    return all.front();
  }

  Scenario scenario_;
  Workspace<double> workspace_;
  HeldContact contact_;
};

ContactLaw make_law(double friction, double torsion = 0) {
  ContactLaw law{.friction = friction};
  if (torsion > 0) law.fingertip = Fingertip::soft, law.torsion = torsion;
  return law;
}

/// Central differences over 1e-5 s of places that curve within 0.04 m at speeds of 0.1 m/s: errors of 1e-9.
TEST(HeldContact, RowOfTheNormalIsTheRateOfTheGap) {
  OneContact one(test::ellipsoid_on_ball(), ContactHold::smooth);
  constexpr double kStep = 1e-5;
  const double after = one.look_after(kStep).gap(), before = one.look_after(-kStep).gap();
  const HeldContact& now = one.look_after(0);
  EXPECT_NEAR(now.gap(), 0, 1e-12);
  EXPECT_GT(std::abs(now.velocity()(0)), 1e-2);
  EXPECT_NEAR(now.velocity()(0), (after - before) / (2 * kStep), 1e-8);
  EXPECT_LT((now.J() * one.start().v - now.velocity()).norm(), 1e-14);
}

/// Slip is how the two material points at the place move apart, in closed form for two rigid bodies, one of which
/// rests.
TEST(HeldContact, RowsOfTheTangentsAreTheMotionOfTheMaterialPoints) {
  OneContact one(test::ellipsoid_on_ball(), ContactHold::rolling);
  const HeldContact& now = one.look_after(0);
  const Vector3<double> omega = one.start().v.head<3>(), v = one.start().v.tail<3>();
  const Vector3<double> arm = now.kinematics().place().A.p.eigen() - one.start().q.head<3>();
  const Vector3<double> slip = v + omega.cross(arm);
  const ContactFrame<double>& frame = now.frame();
  const std::array<Vec3<double>, 3> axes{frame.N, frame.T, frame.U};
  for (int k = 0; k < 3; ++k) {
    const Vector3<double> axis = axes[static_cast<std::size_t>(k)].eigen();
    EXPECT_NEAR(now.velocity()(k), axis.dot(slip), 1e-14);
    EXPECT_NEAR(now.velocity()(3 + k), axis.dot(omega), 1e-14);
  }
}

/// The acceleration without v̇: how velocities change while the bodies move on with constant v.
TEST(HeldContact, DriftIsTheChangeOfVelocitiesAtConstantSpeed) {
  OneContact one(test::ellipsoid_on_ball(), ContactHold::rolling);
  constexpr double kStep = 1e-5;
  const Eigen::Matrix<double, 6, 1> after = one.look_after(kStep).velocity(),
                                    before = one.look_after(-kStep).velocity();
  const Eigen::Matrix<double, 6, 1> difference = (after - before) / (2 * kStep);
  const HeldContact& now = one.look_after(0);
  EXPECT_GT(now.drift().head<3>().norm(), 0.1);
  EXPECT_LT((now.drift() - difference).norm(), 1e-6 * difference.norm());  // third derivatives of 1e4 times 1e-10
}

TEST(HeldContact, HoldsTheRowsOfItsFingertip) {
  struct Case {
    ContactLaw law;
    ContactHold hold, expected;
    int rows;
  };
  ContactLaw slippery{.fingertip = Fingertip::frictionless};
  for (const Case& c : {Case{make_law(0.5), ContactHold::smooth, ContactHold::smooth, 1},
                        Case{make_law(0.5), ContactHold::rolling, ContactHold::rolling, 3},
                        Case{make_law(0.5), ContactHold::sliding, ContactHold::sliding, 1},
                        Case{make_law(0.5, 1e-2), ContactHold::rolling, ContactHold::rolling, 4},
                        Case{make_law(0), ContactHold::rolling, ContactHold::smooth, 1},
                        Case{slippery, ContactHold::sliding, ContactHold::smooth, 1}}) {
    OneContact one(test::ellipsoid_on_ball(c.law), c.hold);
    EXPECT_EQ(one.contact().hold(), c.expected);
    EXPECT_EQ(one.contact().row_count(), c.rows);
    EXPECT_EQ(one.contact().row(0), 0) << "the normal first";
  }
  // What sticks by μ_s and slides without friction is smooth once it slides.
  ContactLaw icy = make_law(0);
  icy.static_friction = 0.3;
  OneContact one(test::ellipsoid_on_ball(icy), ContactHold::rolling);
  EXPECT_EQ(one.contact().hold(), ContactHold::rolling);
  one.contact().set_hold(ContactHold::sliding);
  EXPECT_EQ(one.contact().hold(), ContactHold::smooth);
}

TEST(HeldContact, FrictionOfASlidingPointIsMuAgainstItsSlip) {
  OneContact one(test::ellipsoid_on_ball(make_law(0.4)), ContactHold::sliding);
  const HeldContact& now = one.look_after(0);
  const Eigen::Vector2d slip = now.velocity().segment<2>(1), friction(now.friction_ratio()[0], now.friction_ratio()[1]);
  EXPECT_LT((friction + 0.4 * slip.normalized()).norm(), 1e-9);  // no_slip over the slip
  EXPECT_EQ(now.friction_ratio()[2], 0);
  EXPECT_NEAR(now.slip_along(), slip.norm(), 1e-12);
  EXPECT_NEAR(now.calc_slip_across(), 0, 1e-9);
  EXPECT_NEAR(now.calc_slip_speed(), slip.norm(), 1e-14);
}

/// (f_t / μ)² + (τ / μ_τ)² = 1, and of all such friction the one that takes most power: along (μ² u, μ_τ² ω).
TEST(HeldContact, FrictionOfASoftFingertipIsOnItsEllipsoid) {
  constexpr double kMu = 0.4, kTorsion = 5e-3;
  OneContact one(test::ellipsoid_on_ball(make_law(kMu, kTorsion)), ContactHold::sliding);
  const HeldContact& now = one.look_after(0);
  const std::array<double, 3>& r = now.friction_ratio();
  const Vector3<double> scaled(r[0] / kMu, r[1] / kMu, r[2] / kTorsion);
  EXPECT_NEAR(scaled.norm(), 1, 1e-9);
  const Vector3<double> slip = now.velocity().segment<3>(1);
  const Vector3<double> direction = -Vector3<double>(kMu * slip(0), kMu * slip(1), kTorsion * slip(2)).normalized();
  EXPECT_LT((scaled - direction).norm(), 1e-8);
}

/// Where slip turns round, friction goes on as it was until an event says otherwise.
TEST(HeldContact, FrictionGoesOnSmoothlyThroughRest) {
  const Scenario s = [] {
    Scenario out = test::ball_over_floor(0, make_law(0.5));
    out.initial.v << 0, 0, 0, 0.3, 0.4, 0;
    return out;
  }();
  OneContact one(s, ContactHold::sliding);
  const std::array<double, 3> friction = one.look_after(0).friction_ratio();
  const HeldContact& reversed = one.look_with(-1e-3 * s.initial.v);
  EXPECT_NEAR(reversed.slip_along(), -0.5e-3, 1e-12);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(reversed.friction_ratio()[k], friction[k], 1e-6);
  one.contact().anchor();
  EXPECT_NEAR(one.contact().slip_along(), 0.5e-3, 1e-12) << "from the next anchor on it is slip in that direction";
}

/// Differences over 1e-6 of slips of size 0.5.
TEST(HeldContact, FrictionSlopeIsItsDifferenceOverTheSlip) {
  for (const double torsion : {0.0, 5e-3}) {
    SCOPED_TRACE(torsion);
    OneContact one(test::ellipsoid_on_ball(make_law(0.4, torsion)), ContactHold::sliding);
    const HeldContact& now = one.look_after(0);
    const Matrix3<double> slope = now.calc_friction_slope();
    EXPECT_GT(slope.norm(), 1e-3);
    const MatrixX<double> tangents = now.J().middleRows<3>(1);
    const VectorX<double> v = one.start().v;
    constexpr double kStep = 1e-6;
    for (int k = 0; k < 3; ++k) {
      // A change of velocities that brings about this change of slip alone.
      const VectorX<double> change =
          tangents.completeOrthogonalDecomposition().solve(VectorX<double>(VectorX<double>::Unit(3, k)));
      const std::array<double, 3> after = one.look_with(v + kStep * change).friction_ratio(),
                                  before = one.look_with(v - kStep * change).friction_ratio();
      for (int i = 0; i < 3; ++i) {
        const auto n = static_cast<std::size_t>(i);
        EXPECT_NEAR(slope(i, k), (after[n] - before[n]) / (2 * kStep), 1e-6 * (1 + slope.norm()));
      }
    }
  }
}

TEST(HeldContact, SlipThatBeginsHasTheDirectionThatItIsTold) {
  OneContact one(test::ball_over_floor(0, make_law(0.5)), ContactHold::sliding, 1e-6);
  HeldContact& now = one.look_after(0);
  EXPECT_EQ(now.slip_along(), 0);
  now.begin_slip({3, -4, 0});
  EXPECT_NEAR(now.slip_direction()[0], 0.6, 1e-15);
  EXPECT_NEAR(now.slip_direction()[1], -0.8, 1e-15);
  EXPECT_NEAR(now.friction_ratio()[0], -0.3, 1e-15) << "against it, though nothing slips yet";
  EXPECT_NEAR(now.friction_ratio()[1], 0.4, 1e-15);
  now.begin_slip({0, 0, 0});
  EXPECT_NEAR(now.slip_direction()[0], 0.6, 1e-15) << "no direction is none";
}

/// Slip that counts as none still has a direction if nobody has told it another one.
TEST(HeldContact, SlowSlipHasItsOwnDirectionUntilItIsToldAnother) {
  Scenario s = test::ball_over_floor(0, make_law(0.5));
  s.initial.v << 0, 0, 0, 3e-7, 4e-7, 0;
  OneContact one(s, ContactHold::sliding, 1e-5);
  HeldContact& now = one.look_after(0);
  EXPECT_NEAR(now.slip_along(), 5e-7, 1e-18);
  now.begin_slip({0, 0, 1});
  EXPECT_NEAR(now.slip_direction()[0], 0.6, 1e-12) << "a point has no torsion";
  EXPECT_NEAR(now.slip_direction()[1], 0.8, 1e-12);
  now.begin_slip({1, 0, 0});
  now.anchor();
  EXPECT_EQ(now.slip_direction(), (std::array<double, 3>{1, 0, 0})) << "what is slower than nothing keeps it";
}

TEST(HeldContact, IsOnItsFeaturesAndCanBePressed) {
  OneContact one(test::ellipsoid_on_ball(), ContactHold::rolling);
  one.look_after(0);
  EXPECT_EQ(one.contact().calc_exit(one.workspace(), 0.1), 0);
  EXPECT_FALSE(one.contact().is_immovable());
  EXPECT_EQ(one.contact().name(), "egg/post");
}

}  // namespace
}  // namespace thenar::held_contact_test
