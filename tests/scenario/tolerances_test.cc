// SPDX-License-Identifier: BSD-3-Clause
//
// What is small follows from the size of the scenario: it scales with the units, and with nothing else.

#include "thenar/scenario/tolerances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support/builders.h"

namespace thenar::tolerances_test {
namespace {

/// Roots and quotients of a few rounded numbers.
constexpr double kRounding = 1e-14;

/// A hinge and a slide on it, with lengths, masses and gravity in other units; mounted at `mount` (m).
Model make_arm(double length = 1, double mass = 1, double gravity = 1, double mount = 0) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -9.81 * gravity});
  const Vector3<double> sides = length * Vector3<double>(0.1, 0.2, 0.3);
  JointSpec hinge{.name = "hinge", .kind = JointKind::revolute};
  hinge.X_PF = Pose<double>::translation({mount, 0, 0});
  const BodyIndex upper = builder.add_body({.name = "upper", .mass = test::box_mass(2 * mass, sides)}, kWorld, hinge);
  JointSpec slide{.name = "slide", .kind = JointKind::prismatic};
  slide.X_PF = Pose<double>::translation({0, 0, 0.5 * length});
  builder.add_body({.name = "lower", .mass = test::box_mass(mass, sides)}, upper, slide);
  return std::move(builder).finalize();
}

State make_rest(const Model& model) {
  return {0, model.neutral_position(), VectorX<double>::Zero(model.velocity_count())};
}

TEST(Scales, AreThoseOfTheSwingOverTheReach) {
  const Model model = make_arm();
  const Scales scales = find_scales(model, make_rest(model));
  // The offset of the slide, and the radius of gyration of a box: r² = (a² + b² + c²)/12.
  const double length = 0.5 + std::sqrt((0.01 + 0.04 + 0.09) / 12);
  EXPECT_NEAR(scales.length, length, kRounding);
  EXPECT_NEAR(scales.time, std::sqrt(length / 9.81), kRounding);
  EXPECT_EQ(scales.mass, 3);
  EXPECT_NEAR(scales.effort(), 3 * length * 9.81, 1e2 * kRounding);  // weight times reach, N m
}

TEST(Scales, FollowTheUnits) {
  const Model model = make_arm(), other = make_arm(1e-3, 50, 1e4);
  const Scales a = find_scales(model, make_rest(model)), b = find_scales(other, make_rest(other));
  EXPECT_NEAR(b.length / a.length, 1e-3, 1e-3 * kRounding);
  EXPECT_NEAR(b.mass / a.mass, 50, 50 * kRounding);
  EXPECT_NEAR(b.time / a.time, std::sqrt(1e-3 / 1e4), 1e-3 * kRounding);
}

TEST(Scales, DoNotSeeWhereATreeIsMounted) {
  const Model model = make_arm(), far = make_arm(1, 1, 1, 100);
  EXPECT_EQ(find_scales(model, make_rest(model)).length, find_scales(far, make_rest(far)).length);
}

TEST(Scales, AFastStartSetsTheTime) {
  const Model model = make_arm();
  State state = make_rest(model);
  const double length = find_scales(model, state).length;
  state.v << 50, 0;
  EXPECT_NEAR(find_scales(model, state).time, 1.0 / 50, kRounding);
  state.v << 0, -50;  // m/s
  EXPECT_NEAR(find_scales(model, state).time, length / 50, kRounding);
  state.v << 0.1, 0.1;
  EXPECT_EQ(find_scales(model, state).time, find_scales(model, make_rest(model)).time);
}

TEST(Scales, OfNothingAreOne) {
  ModelBuilder builder;
  builder.set_gravity(Vector3<double>::Zero());
  const Model model = std::move(builder).finalize();
  const Scales scales = find_scales(model, make_rest(model));
  EXPECT_EQ(scales.length, 1);
  EXPECT_EQ(scales.time, 1);
  EXPECT_EQ(scales.mass, 1);
}

TEST(Tolerances, HaveTheUnitsOfTheirDegreesOfFreedom) {
  const Model model = make_arm();
  const Scales one{.length = 0.5, .time = 0.2, .mass = 3}, other{.length = 500, .time = 2e-3, .mass = 7};
  const Tolerances a(model, one, 1e-8), b(model, other, 1e-8);
  const double length = 1000, rate = 100, effort = other.effort() / one.effort();
  for (const int dof : {0, 1}) {
    SCOPED_TRACE(dof);
    const double unit = dof == 0 ? 1 : length;  // the hinge turns, the slide moves
    EXPECT_NEAR(b.position_weight(dof) / a.position_weight(dof), unit, unit * kRounding);
    EXPECT_NEAR(b.velocity_weight(dof, 0) / a.velocity_weight(dof, 0), unit * rate, unit * rate * kRounding);
    EXPECT_NEAR(b.velocity_weight(dof, 3 * unit * rate) / a.velocity_weight(dof, 3), unit * rate,
                unit * rate * kRounding);
    EXPECT_NEAR(b.speed_rounding(dof) / a.speed_rounding(dof), unit * rate, unit * rate * kRounding);
    EXPECT_NEAR(b.effort_rounding(dof) / a.effort_rounding(dof), effort / unit, effort / unit * kRounding);
  }
  EXPECT_NEAR(b.slip_error() / a.slip_error(), length * rate, length * rate * kRounding);
  EXPECT_NEAR(b.speed_at_rest() / a.speed_at_rest(), length * rate, length * rate * kRounding);
  EXPECT_NEAR(b.simultaneous() / a.simultaneous(), 1 / rate, kRounding / rate);
  EXPECT_NEAR(b.shear_weight(false) / a.shear_weight(false), length, length * kRounding);
  EXPECT_EQ(b.shear_weight(true), a.shear_weight(true));
}

TEST(Tolerances, WeightsAreInProportionToTheTolerance) {
  const Model model = make_arm();
  const Tolerances fine(model, {}, 1e-10), coarse(model, {}, 1e-4);
  EXPECT_NEAR(coarse.position_weight(1) / fine.position_weight(1), 1e6, 1e6 * kRounding);
  EXPECT_NEAR(coarse.velocity_weight(0, 7) / fine.velocity_weight(0, 7), 1e6, 1e6 * kRounding);
  EXPECT_EQ(coarse.speed_rounding(0), fine.speed_rounding(0)) << "rounding is what it is";
  EXPECT_EQ(coarse.gap_rounding(0, 1, 1), fine.gap_rounding(0, 1, 1));
}

/// Far from 0 a coordinate has fewer digits: what counts as a crossing, and the smallest bounce, stay above that.
TEST(Tolerances, GapsAndBouncesStayAboveRoundingOfTheirCoordinate) {
  const Model model = make_arm();
  const Tolerances tolerances(model, {.length = 0.5, .time = 0.2, .mass = 3}, 1e-14);
  for (const double place : {0.0, -0.3, 7.0, -1e6}) {
    SCOPED_TRACE(place);
    const double ulp = std::nextafter(std::abs(place), 1e300) - std::abs(place);
    EXPECT_GE(tolerances.gap_rounding(1, place, 0), 4 * ulp);
    EXPECT_GE(tolerances.gap_rounding(1, 0, place), 4 * ulp);
    EXPECT_GE(tolerances.smallest_bounce(1, place), 100 * tolerances.gap_rounding(1, place, place));
  }
  EXPECT_GE(tolerances.smallest_hop(1e6), 100 * 1e6 * std::numeric_limits<double>::epsilon());
  EXPECT_EQ(tolerances.smallest_hop(0.1), tolerances.smallest_hop(0.4)) << "a scene smaller than the reach";
}

}  // namespace
}  // namespace thenar::tolerances_test
