// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/actuator_envelope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

namespace thenar::actuator_envelope_test {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kEffort = 3, kSpeed = 7, kRate = 2 * kPi;  // A, B, ω: period 1 s
constexpr double kRounding = 1e-12;                         // Of sums of at most 10⁴ terms of like size.

/// The demand of `count` equal steps over `length` seconds.
ActuatorDemand measure(double length, int count, const std::function<double(double)>& effort,
                       const std::function<double(double)>& speed) {
  DemandMeter meter;
  for (int i = 0; i <= count; ++i) {
    const double t = length * i / count;
    meter.add({t, effort(t), speed(t)});
  }
  return meter.demand();
}

double sine(double t) { return std::sin(kRate * t); }
double cosine(double t) { return std::cos(kRate * t); }

TEST(ActuatorDemand, EffortAndSpeedInPhase) {
  // τ = A sin ωt, v = B sin ωt: P = AB sin² ωt. Trapezoidal sums of τ² and P over whole periods are exact, for these
  // have few harmonics; that of |v| is short by (ωh)²/12 of it, from its kinks, and peaks lie on rows.
  constexpr int kRows = 4000;
  const ActuatorDemand demand = measure(
      5, kRows, [](double t) { return kEffort * sine(t); }, [](double t) { return kSpeed * sine(t); });
  EXPECT_TRUE(demand.driven);
  EXPECT_NEAR(demand.duration, 5, kRounding);
  EXPECT_NEAR(std::abs(demand.peak_effort.effort), kEffort, kRounding);
  EXPECT_NEAR(demand.rms_effort, kEffort / std::sqrt(2), kRounding);
  EXPECT_NEAR(std::abs(demand.peak_speed.speed), kSpeed, kRounding);
  const double omega_h = kRate * 5 / kRows;
  EXPECT_NEAR(demand.mean_speed / (2 * kSpeed / kPi), 1 - omega_h * omega_h / 12, 1e-9);  // (ωh)⁴/720
  ASSERT_TRUE(demand.peak_power);
  EXPECT_NEAR(demand.peak_power->power(), kEffort * kSpeed, kRounding);
  EXPECT_NEAR(demand.mean_power, kEffort * kSpeed / 2, kRounding);
  EXPECT_NEAR(demand.delivered, kEffort * kSpeed / 2 * 5, 1e-11);
  EXPECT_FALSE(demand.peak_braking && -demand.peak_braking->power() > kRounding);
  EXPECT_NEAR(demand.absorbed, 0, kRounding);
  EXPECT_NEAR(demand.corner().power(), kEffort * kSpeed, kRounding);
}

TEST(ActuatorDemand, EffortAheadOfSpeedDeliversAndAbsorbsInTurn) {
  // τ = A sin ωt, v = B cos ωt: P = AB/2 sin 2ωt; a quarter of each period carries AB/(2ω), there and back.
  const auto find_error = [](int rows) {
    const ActuatorDemand demand = measure(
        1, rows, [](double t) { return kEffort * sine(t); }, [](double t) { return kSpeed * cosine(t); });
    EXPECT_NEAR(demand.delivered, demand.absorbed, kRounding);
    EXPECT_NEAR(demand.mean_power, demand.delivered + demand.absorbed, kRounding);
    EXPECT_NEAR(demand.peak_power->power(), kEffort * kSpeed / 2, kEffort * kSpeed * std::pow(kRate / rows, 2));
    EXPECT_NEAR(demand.peak_braking->power(), -kEffort * kSpeed / 2, kEffort * kSpeed * std::pow(kRate / rows, 2));
    return std::abs(demand.delivered - kEffort * kSpeed / kRate);
  };
  const double coarse = find_error(101), fine = find_error(202);
  EXPECT_LT(coarse, 0.01 * kEffort * kSpeed / kRate);
  EXPECT_NEAR(coarse / fine, 4, 0.4);  // Order 2, also where zeros lie between rows.
}

TEST(ActuatorDemand, DeliveredLessAbsorbedIsTheWork) {
  // For any phase the sum of both is the trapezoidal sum of P, which over whole periods is AB/2 cos φ.
  for (const double phase : {0.1, 0.7, 1.9, 3.0}) {
    const ActuatorDemand demand = measure(
        2, 333, [](double t) { return kEffort * sine(t); },
        [&](double t) { return kSpeed * std::sin(kRate * t + phase); });
    EXPECT_NEAR(demand.delivered - demand.absorbed, kEffort * kSpeed * std::cos(phase), 1e-11) << phase;
    EXPECT_GT(demand.absorbed, 0);
  }
}

TEST(ActuatorDemand, PiecewiseLinearPowerIsExactOnAnyGrid) {
  // τ = 2 and v = t − 1 on [0, 4]: absorbs 2·½, delivers 2·4.5; |v| has the integral 5.
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(0, 4);
  std::vector<double> times{0, 4};
  for (int i = 0; i < 50; ++i) times.push_back(uniform(random));
  std::sort(times.begin(), times.end());
  DemandMeter meter;
  for (const double t : times) meter.add({t, 2, t - 1});
  const ActuatorDemand demand = meter.demand();
  EXPECT_NEAR(demand.absorbed, 1, kRounding);
  EXPECT_NEAR(demand.delivered, 9, kRounding);
  EXPECT_NEAR(demand.mean_speed, 5.0 / 4, kRounding);
  EXPECT_NEAR(demand.rms_effort, 2, kRounding);
}

TEST(ActuatorDemand, AJumpHasNoWidthButCountsForPeaks) {
  DemandMeter meter;
  for (const OperatingPoint& row : {OperatingPoint{0, 2, -3}, {1, 2, -3}, {1, 2, 40}, {1, 2, 1}, {3, 2, 1}})
    meter.add(row);
  const ActuatorDemand demand = meter.demand();
  EXPECT_DOUBLE_EQ(demand.duration, 3);
  EXPECT_DOUBLE_EQ(demand.absorbed, 6);
  EXPECT_DOUBLE_EQ(demand.delivered, 4);
  EXPECT_DOUBLE_EQ(demand.mean_speed, 5.0 / 3);
  EXPECT_DOUBLE_EQ(demand.peak_speed.speed, 40);
  EXPECT_DOUBLE_EQ(demand.peak_speed.t, 1);
}

TEST(ActuatorDemand, PeaksTellTheirTimeAndWhatElseWasThen) {
  DemandMeter meter;
  for (const OperatingPoint& row : {OperatingPoint{0, 1, 1}, {1, -5, 0.5}, {2, 2, -4}, {3, 3, 2}, {4, -5, 0.5}})
    meter.add(row);
  for (const double q : {0.5, -1.0, 2.0}) meter.add_position(q);
  const ActuatorDemand demand = meter.demand();
  EXPECT_EQ(demand.peak_effort.t, 1);  // The first of equals.
  EXPECT_EQ(demand.peak_effort.effort, -5);
  EXPECT_EQ(demand.peak_effort.speed, 0.5);
  EXPECT_EQ(demand.peak_speed.t, 2);
  EXPECT_EQ(demand.peak_speed.effort, 2);
  EXPECT_EQ(demand.peak_power->t, 3);
  EXPECT_EQ(demand.peak_braking->t, 2);
  EXPECT_EQ(demand.corner().t, 2);
  EXPECT_EQ(demand.range, (std::pair{-1.0, 2.0}));
}

TEST(ActuatorDemand, WithoutEffortNothingIsDriven) {
  const ActuatorDemand demand = measure(
      1, 10, [](double) { return 0.0; }, sine);
  EXPECT_FALSE(demand.driven);
  EXPECT_FALSE(demand.peak_power || demand.peak_braking || demand.range);
  EXPECT_EQ(demand.rms_effort + demand.mean_power + demand.delivered + demand.absorbed, 0);
  EXPECT_EQ(demand.corner().power(), 0);
  EXPECT_GT(demand.mean_speed, 0);
}

/// Height of the envelope at a speed within it.
double height_at(const std::vector<PlotPoint>& corners, double speed) {
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    if (speed > corners[i + 1].x) continue;
    const double dx = corners[i + 1].x - corners[i].x;
    return dx > 0 ? std::lerp(corners[i].y, corners[i + 1].y, (speed - corners[i].x) / dx) : corners[i].y;
  }
  return 0;
}

TEST(EnvelopeHull, IsTheSmallestConvexSetThatReachesTheAxes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    EnvelopeHull hull;
    std::vector<PlotPoint> points;
    for (int i = 0; i < 5000; ++i) {
      const double speed = normal(random), effort = 0.1 * normal(random) + 0.2 * speed;
      hull.add(speed, effort);
      points.push_back({std::abs(speed), std::abs(effort)});
    }
    const std::vector<PlotPoint> corners = hull.corners();
    ASSERT_GE(corners.size(), 3u);
    EXPECT_EQ(corners.front().x, 0);
    EXPECT_EQ(corners.back().y, 0);
    for (const PlotPoint& point : points) {
      ASSERT_LE(point.x, corners.back().x);
      ASSERT_LE(point.y, height_at(corners, point.x) * (1 + 1e-12));
    }
    // Falling ever more steeply, and with corners where points are: nothing smaller would do.
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
      EXPECT_NE(std::find(points.begin(), points.end(), corners[i]), points.end());
      const PlotPoint a = corners[i - 1], b = corners[i], c = corners[i + 1];
      EXPECT_LT((b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x), 0);
      EXPECT_LE(b.y, a.y);
    }
  }
}

TEST(EnvelopeHull, OfAnEllipseIsItsQuarter) {
  const ActuatorDemand demand = measure(
      1, 1000, [](double t) { return kEffort * sine(t); }, [](double t) { return kSpeed * cosine(t); });
  for (const PlotPoint& corner : demand.envelope) {
    if (corner.y == 0 || corner.x == 0) continue;
    EXPECT_NEAR(std::hypot(corner.x / kSpeed, corner.y / kEffort), 1, kRounding);
  }
  EXPECT_NEAR(demand.envelope.front().y, kEffort, kRounding);
  EXPECT_NEAR(demand.envelope.back().x, kSpeed, kRounding);
}

TEST(EnvelopeHull, OfASinglePointIsItsRectangle) {
  EnvelopeHull hull;
  hull.add(-2, 3);
  EXPECT_EQ(hull.corners(), (std::vector<PlotPoint>{{0, 3}, {2, 3}, {2, 0}}));
}

TEST(OperatingCloud, StandsForEveryPointToWithinACell) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  OperatingCloud cloud;
  std::vector<PlotPoint> points;
  for (int i = 0; i < 20000; ++i) {
    const double grow = 1e-6 + i / 20000.0;  // From small to large, so that the grid has to grow.
    points.push_back({std::abs(grow * normal(random)), std::abs(1e-3 * grow * normal(random))});
    cloud.add(-points.back().x, points.back().y);
  }
  double fastest = 0, strongest = 0;
  for (const PlotPoint& point : points) fastest = std::max(fastest, point.x), strongest = std::max(strongest, point.y);
  const std::vector<PlotPoint> kept = cloud.points();
  EXPECT_LE(kept.size(), 128u * 128);
  for (const PlotPoint& point : points) {
    const bool is_near = std::any_of(kept.begin(), kept.end(), [&](const PlotPoint& other) {
      return std::abs(other.x - point.x) <= fastest / 64 && std::abs(other.y - point.y) <= strongest / 64;
    });
    ASSERT_TRUE(is_near);
  }
}

}  // namespace
}  // namespace thenar::actuator_envelope_test
