// SPDX-License-Identifier: BSD-3-Clause
//
// The rim of a cylinder that all but lies flat: gaps and their rates over its angle, in closed form.

#include "thenar/instant/flat_rim_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../support/builders.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar::flat_rim_test {
namespace {

using internal::FlatRim;
using internal::RimWave;

constexpr double kRadius = 0.05, kLength = 0.1;

/// A cylinder over a floor, tilted by `tilt` about an axis that lies at 0.7 rad in the plane.
class TiltedCylinder {
 public:
  explicit TiltedCylinder(double tilt)
      : scenario_(make_scenario(tilt)),
        workspace_(scenario_.model),
        finder_(scenario_.model, scenario_.shapes, *scenario_.contacts) {
    update_positions(scenario_.model, scenario_.initial.q.data(), workspace_);
    update_velocities(scenario_.model, scenario_.initial.v.data(), workspace_);
    finder_.update(workspace_, 1e-2);
  }

  std::vector<FlatRim> find() const { return internal::find_flat_rims(scenario_.model, workspace_, finder_); }
  const ContactFinder& finder() const { return finder_; }
  const Workspace<double>& workspace() const { return workspace_; }
  const State& state() const { return scenario_.initial; }

  static Vector3<double> axis() { return {std::cos(0.7), std::sin(0.7), 0}; }
  Matrix3<double> turn(double tilt) const { return Eigen::AngleAxisd(tilt, axis()).toRotationMatrix(); }

 private:
  static Scenario make_scenario(double tilt) {
    ModelBuilder builder;
    const BodyIndex floor = builder.add_body({.name = "floor"}, kWorld, {.name = "floor", .kind = JointKind::fixed});
    const Cylinder shape{kRadius, kLength};
    const BodyIndex can = builder.add_body({.name = "can", .mass = mass_properties_from_mass(shape, 1)}, kWorld,
                                           {.name = "can", .kind = JointKind::free});
    Scenario s = test::at_rest(std::move(builder).finalize());
    s.shapes = {{can, shape, {}}, {floor, Plane{}, {}}};
    s.contacts = ContactRules{};
    s.initial.q(2) = 0.5 * kLength + 1e-4;
    s.initial.q(3) = std::cos(0.5 * tilt);
    s.initial.q.tail<3>() = std::sin(0.5 * tilt) * axis();
    s.initial.v << 0.3, -0.2, 0.9, 0.1, 0.2, -0.4;
    return s;
  }

  Scenario scenario_;
  Workspace<double> workspace_;
  ContactFinder finder_;
};

TEST(RimWave, ItsLowestPointIsWhereItSays) {
  const RimWave wave{.mean = 0.3, .cosine = -0.4, .sine = 0.7};
  const auto at = [&](double angle) { return wave.mean + wave.cosine * std::cos(angle) + wave.sine * std::sin(angle); };
  EXPECT_NEAR(at(wave.find_lowest()), wave.least(), 1e-15);
  EXPECT_NEAR(wave.calc_slope(wave.find_lowest()), 0, 1e-15);
  for (double angle = -3; angle < 3; angle += 0.1) {
    EXPECT_GE(at(angle), wave.least() - 1e-15);
    EXPECT_NEAR(wave.calc_slope(angle), (at(angle + 1e-6) - at(angle - 1e-6)) / 2e-6, 1e-9);
  }
}

TEST(FlatRim, GapsAreAWaveOfTheTilt) {
  for (const double tilt : {0.0, 1e-6, 1e-3, 1e-2}) {
    SCOPED_TRACE(tilt);
    const TiltedCylinder can(tilt);
    const std::vector<FlatRim> rims = can.find();
    ASSERT_EQ(rims.size(), 1u);
    const FlatRim& rim = rims.front();
    const double middle = 0.5 * kLength + 1e-4 - 0.5 * kLength * std::cos(tilt);
    EXPECT_NEAR(rim.gaps().mean, middle, 1e-15);
    EXPECT_NEAR(rim.gaps().amplitude(), kRadius * std::sin(tilt), 1e-15);
    EXPECT_EQ(rim.is_flat(1e-5), tilt < 1e-5 / kRadius);
    int fixed = 0;
    for (const FoundContact& contact : can.finder().contacts()) {
      EXPECT_TRUE(rim.is_of(contact));
      fixed += rim.has(contact);
    }
    EXPECT_EQ(fixed, 4);
  }
}

TEST(FlatRim, KnowsWhereItsLowestPointIs) {
  constexpr double kTilt = 1e-2;
  const TiltedCylinder can(kTilt);
  const FlatRim rim = can.find().front();
  // From the middle of the lower face downhill: across the axis of the tilt.
  const Matrix3<double> R = can.turn(kTilt);
  const Vector3<double> middle = can.state().q.head<3>() - 0.5 * kLength * R.col(2);
  const Vector3<double> down = R * Vector3<double>::UnitZ().cross(TiltedCylinder::axis());
  const Vector3<double> lowest = middle - kRadius * (down.z() > 0 ? 1 : -1) * down;
  const FlatRim::Direction direction = rim.find_direction(lowest);
  EXPECT_NEAR(direction.distance, 1, 1e-12);
  EXPECT_NEAR(std::remainder(direction.angle - rim.gaps().find_lowest(), 2 * M_PI), 0, 1e-10);
  EXPECT_NEAR(rim.find_direction(Vector3<double>(middle + 0.25 * (lowest - middle))).distance, 0.25, 1e-12);
  // A contact that travels is there.
  const FoundContact place = rim.make_travelling(rim.gaps().find_lowest());
  EXPECT_LT((place.p_A.eigen() - lowest).norm(), 1e-12);
}

/// The rate of a gap is that of its material point: the vertical part of v + ω × r.
TEST(FlatRim, RatesAreThoseOfARigidBody) {
  const TiltedCylinder can(1e-3);
  FlatRim rim = can.find().front();
  const RimWave rates = rim.calc_rates(can.workspace());
  const Vector3<double> omega = can.state().v.head<3>(), v = can.state().v.tail<3>();
  for (double angle = 0; angle < 6; angle += 0.5) {
    const Vector3<double> p = rim.make_travelling(angle).p_A.eigen();
    const double rate = (v + omega.cross(p - can.state().q.head<3>())).z();
    EXPECT_NEAR(rates.mean + rates.cosine * std::cos(angle) + rates.sine * std::sin(angle), rate, 1e-14);
  }
}

}  // namespace
}  // namespace thenar::flat_rim_test
