// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/trajectory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "thenar/spatial/rotation.h"

namespace thenar::trajectory_test {
namespace {

const std::vector<Waypoint> kPoints{{0.2, 1.0}, {0.7, -0.5}, {1.5, 2.0}, {1.75, 2.25}};

double step_back(double t) { return std::nextafter(t, -1e9); }

TEST(Trajectory, PassesItsWaypointsAndStaysOutside) {
  for (const Interpolation kind :
       {Interpolation::hold, Interpolation::linear, Interpolation::quintic, Interpolation::via}) {
    const Trajectory path(kPoints, kind);
    for (const Waypoint& point : kPoints) EXPECT_NEAR(path.evaluate(point.t).value, point.value, 1e-15);
    for (const auto& [t, value] : {std::pair{-1.0, 1.0}, std::pair{9.0, 2.25}}) {
      const PathPoint outside = path.evaluate(t);
      EXPECT_EQ(outside.value, value);
      EXPECT_EQ(outside.rate, 0);
      EXPECT_EQ(outside.acceleration, 0);
    }
  }
}

TEST(Trajectory, DerivativesAreThoseOfTheValue) {
  // Central differences with h = 1e-5: error h²/6 f''' ≈ 1e-9 of third derivatives up to 60 w/T³ ≈ 2000.
  constexpr double h = 1e-5;
  for (const Interpolation kind : {Interpolation::linear, Interpolation::quintic, Interpolation::via}) {
    const Trajectory path(kPoints, kind);
    for (double t = 0.21; t < 1.75; t += 0.0437) {
      const PathPoint at = path.evaluate(t), left = path.evaluate(t - h), right = path.evaluate(t + h);
      EXPECT_NEAR(at.rate, (right.value - left.value) / (2 * h), 1e-6) << t;
      EXPECT_NEAR(at.acceleration, (right.rate - left.rate) / (2 * h), 1e-4) << t;
    }
  }
}

TEST(Trajectory, QuinticRestsAtEveryWaypoint) {
  const Trajectory path(kPoints, Interpolation::quintic);
  for (const Waypoint& point : kPoints) {
    for (const double t : {point.t, step_back(point.t)}) {
      EXPECT_NEAR(path.evaluate(t).rate, 0, 1e-12);
      EXPECT_NEAR(path.evaluate(t).acceleration, 0, 1e-12);
    }
  }
  // Half way at half time, with 15/8 of the mean rate.
  const PathPoint middle = path.evaluate(0.45);
  EXPECT_NEAR(middle.value, 0.25, 1e-15);
  EXPECT_NEAR(middle.rate, -1.5 / 0.5 * 15 / 8, 1e-14);
}

TEST(Trajectory, ViaPassesWithContinuousRateAndAcceleration) {
  const Trajectory path(kPoints, Interpolation::via);
  for (const std::size_t i : {1u, 2u}) {
    const PathPoint before = path.evaluate(step_back(kPoints[i].t)), after = path.evaluate(kPoints[i].t);
    EXPECT_NEAR(before.rate, after.rate, 1e-13);
    EXPECT_NEAR(before.acceleration, after.acceleration, 1e-11);
    EXPECT_GT(std::abs(after.rate), 0.1);
  }
  EXPECT_NEAR(path.evaluate(0.2).rate, 0, 1e-15);
  EXPECT_NEAR(path.evaluate(step_back(1.75)).rate, 0, 1e-13);
}

TEST(Trajectory, ViaOfTwoWaypointsIsTheCubic) {
  const std::vector<Waypoint> two{{0, 0}, {2, 1}};
  const Trajectory path(two, Interpolation::via);
  const double s = 0.3 / 2;
  EXPECT_NEAR(path.evaluate(0.3).value, s * s * (3 - 2 * s), 1e-16);
}

TEST(Trajectory, SwitchesAreItsWaypointsAtNeighbouringNumbers) {
  for (const auto& [kind, inner, end] :
       {std::tuple{Interpolation::hold, 0, 0}, std::tuple{Interpolation::linear, 1, 1},
        std::tuple{Interpolation::quintic, 3, 3}, std::tuple{Interpolation::via, 3, 2}}) {
    const Trajectory path(kPoints, kind);
    double from = 0;
    for (std::size_t i = 0; i < kPoints.size(); ++i) {
      const auto found = path.find_switch(from, 5);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->after, kPoints[i].t);
      EXPECT_EQ(found->before, step_back(kPoints[i].t));
      EXPECT_EQ(found->jumping, i == 0 || i == 3 ? end : inner);
      from = found->after;
    }
    EXPECT_FALSE(path.find_switch(from, 5));
    EXPECT_FALSE(path.find_switch(0.3, 0.6));
  }
  EXPECT_FALSE(Trajectory(3.0).find_switch(0, 5));
}

TEST(Trajectory, BadWaypointsAreRefused) {
  const std::vector<Waypoint> back{{1, 0}, {1, 1}}, bad{{0, std::nan("")}};
  EXPECT_THROW(Trajectory(back, Interpolation::linear), std::invalid_argument);
  EXPECT_THROW(Trajectory(bad, Interpolation::linear), std::invalid_argument);
  EXPECT_THROW(Trajectory(std::span<const Waypoint>{}, Interpolation::linear), std::invalid_argument);
}

TEST(Target, FunctionHasExactDerivatives) {
  const std::vector<std::string> names{"t", "level"};
  const Target target(Expression::parse("level*sin(3*t)", names), 2);
  const PathPoint at = target.evaluate(0.4);
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();  // of a few products
  EXPECT_NEAR(at.value, 2 * std::sin(1.2), 2 * kRounding);
  EXPECT_NEAR(at.rate, 6 * std::cos(1.2), 6 * kRounding);
  EXPECT_NEAR(at.acceleration, -18 * std::sin(1.2), 18 * kRounding);
  EXPECT_FALSE(target.find_switch(0, 10));
  const Target jump(Expression::parse("step(t - 1)", names), 0);
  EXPECT_EQ(jump.find_switch(0, 10)->after, 1);
}

TEST(PoseTrajectory, TurnsAboutAFixedAxisAndMovesOnALine) {
  const Matrix3<double> start = rotation_from_rpy({0.3, -0.2, 1});
  const Vector3<double> axis = Vector3<double>(1, 2, -1).normalized();
  const std::vector<PoseTrajectory::Waypoint> points{{0, {start, {0, 0, 0}}},
                                                     {2, {rotation_about_axis(axis, 1.2) * start, {0.2, 0, -0.4}}}};
  const PoseTrajectory path(points, Interpolation::quintic);
  const PosePoint middle = path.evaluate(1);
  EXPECT_NEAR((middle.pose.R - rotation_about_axis(axis, 0.6) * start).norm(), 0, 1e-14);
  EXPECT_NEAR((middle.pose.p - Vector3<double>(0.1, 0, -0.2)).norm(), 0, 1e-15);
  // 15/8 of the mean angular velocity, about the axis.
  EXPECT_NEAR((middle.angular_velocity.eigen() - axis * (0.6 * 15 / 8)).norm(), 0, 1e-14);
  // Ṙ = [ω]× R, by differences: error h² ≈ 1e-10.
  constexpr double h = 1e-5;
  const PosePoint at = path.evaluate(0.7);
  const Matrix3<double> rate = (path.evaluate(0.7 + h).pose.R - path.evaluate(0.7 - h).pose.R) / (2 * h);
  EXPECT_NEAR((rate - skew(at.angular_velocity).eigen() * at.pose.R).norm(), 0, 1e-8);
  const Vector3<double> change =
      (path.evaluate(0.7 + h).angular_velocity - path.evaluate(0.7 - h).angular_velocity).eigen() / (2 * h);
  EXPECT_NEAR((change - at.angular_acceleration.eigen()).norm(), 0, 1e-8);
  EXPECT_NEAR((path.evaluate(5).pose.R - points[1].pose.R).norm(), 0, 1e-14);
  EXPECT_THROW(PoseTrajectory(points, Interpolation::via), std::invalid_argument);
}

}  // namespace
}  // namespace thenar::trajectory_test
