// SPDX-License-Identifier: BSD-3-Clause
//
// Round faces on flat ones: they tip, rock and land at the true point of their rim, whichever of its points are fixed
// in the body.

#include <Eigen/Geometry>
#include <array>

#include "motion_scenes.h"
#include "thenar/instant/contact_impact.h"

namespace thenar::round_face_test {
namespace {

using namespace test;

/// Forces are found beyond their bounds by this part of the largest, twice that where contacts share it
/// (contact_watch.h), a little late.
constexpr double kForceMargin = 2e-7;

Eigen::Quaterniond turn_of(const State& state) { return {state.q(3), state.q(4), state.q(5), state.q(6)}; }

/// The largest difference of two states of a free body, the second turned by `angle` about the vertical and, if
/// `is_round`, by any angle about its own z axis.
double compare_turned(const State& a, const State& b, double angle, bool is_round) {
  const Eigen::AngleAxisd R(angle, Vector3<double>::UnitZ());
  double out = (R * position(a) - position(b)).norm();
  out = std::max(out, (R * velocity(a) - velocity(b)).norm());
  const Vector3<double> axis = R * (turn_of(a) * Vector3<double>::UnitZ());
  out = std::max(out, (axis - turn_of(b) * Vector3<double>::UnitZ()).norm());
  out = std::max(out, (R * angular_velocity(a) - angular_velocity(b)).norm());
  if (!is_round) out = std::max(out, (R * turn_of(a)).angularDistance(turn_of(b)));
  return out;
}

struct Cylinder {
  double a = 0.1, H = 0.5, m = 1, push = 0.4, rate = 10;

  double tipping_time() const { return m * kGravity * a / (rate * push); }

  /// Tilt and its rate at t, from the equation in scenes/truth/tipping_cylinder.yaml by the classical Runge–Kutta
  /// method.
  std::array<double, 2> calc_tilt(double t_end) const {
    const double I = m * (3 * a * a + H * H) / 12 + m * (a * a + H * H / 4);
    const auto slope = [&](double t, const std::array<double, 2>& y) {
      const double s = std::sin(y[0]), c = std::cos(y[0]);
      return std::array<double, 2>{y[1], (rate * t * (a * s + push * c) - m * kGravity * (a * c - H / 2 * s)) / I};
    };
    constexpr int kSteps = 4000;
    double t = tipping_time();
    const double h = (t_end - t) / kSteps;
    std::array<double, 2> y{};
    const auto move = [](const std::array<double, 2>& from, const std::array<double, 2>& d, double by) {
      return std::array<double, 2>{from[0] + by * d[0], from[1] + by * d[1]};
    };
    for (int i = 0; i < kSteps; ++i, t += h) {
      const auto k1 = slope(t, y), k2 = slope(t + h / 2, move(y, k1, h / 2)), k3 = slope(t + h / 2, move(y, k2, h / 2)),
                 k4 = slope(t + h, move(y, k3, h));
      for (std::size_t k = 0; k < 2; ++k) y[k] += h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
    }
    return y;
  }
};

TEST(TippingCylinder, TipsOverItsRimInAnyDirection) {
  const Cylinder cylinder;
  const double end = 0.45;
  const std::array<double, 2> tilt = cylinder.calc_tilt(end);
  for (int k = 0; k < 16; ++k) {
    const double heading = 0.05 + 2 * M_PI * k / 16, turn = 0.3 * k;
    SCOPED_TRACE(fmt::format("heading {}", heading));
    const Trace trace = run_scene("tipping_cylinder",
                                  {{"heading", heading}, {"turn", turn}, {"run.until", end}, {"run.tolerance", 1e-11}});
    const std::vector<double> times = list_times(trace, EventKind::face);
    ASSERT_EQ(times.size(), 1U);
    // Each of four points may seem to pull a little, at distances from the tangent that add up to 4 a.
    EXPECT_NEAR(times[0], cylinder.tipping_time(), 5 * kForceMargin * cylinder.tipping_time());
    EXPECT_EQ(count_events(trace, EventKind::slip), 0);
    EXPECT_EQ(count_events(trace, EventKind::impact), 0);
    // About the point of the rim that lies towards the heading: the moments that are late by the margin are 1e-7 of the
    // weight's for 1e-7 of the time; what is left are errors of steps.
    const Vector3<double> e(std::cos(heading), std::sin(heading), 0), across(-e.y(), e.x(), 0);
    const State& last = trace.report.last;
    const Vector3<double> axis = turn_of(last) * Vector3<double>::UnitZ();
    EXPECT_NEAR(std::atan2(axis.dot(e), axis.z()), tilt[0], 1e-9);
    EXPECT_NEAR(axis.dot(across), 0, 1e-9);
    EXPECT_NEAR(angular_velocity(last).dot(across), tilt[1], 1e-8);
    EXPECT_NEAR(angular_velocity(last).dot(e), 0, 1e-8);
    const Vector3<double> rim = position(last) - axis * (cylinder.H / 2) + across.cross(axis) * cylinder.a;
    EXPECT_LT((rim - e * cylinder.a).norm(), 1e-9);
  }
}

TEST(TippingCylinder, StandsAndSlidesAsItsFrictionSays) {
  const Cylinder cylinder;
  // Below the height a/mu it slides first.
  for (const double heading : {0.0, 0.4, M_PI / 4, 2.2}) {
    SCOPED_TRACE(heading);
    const double mu = 0.3, push = 0.95 * cylinder.a / mu;
    const Trace slides = run_scene("tipping_cylinder", {{"heading", heading}, {"mu", mu}, {"push", push}});
    const std::vector<double> times = list_times(slides, EventKind::slip);
    ASSERT_FALSE(times.empty());
    EXPECT_NEAR(times[0], mu * kGravity / cylinder.rate, 2 * kForceMargin);
    // And just before it would tip it stands as it was.
    const double before = 0.9999 * cylinder.tipping_time();
    const Trace stands = run_scene("tipping_cylinder", {{"heading", heading}, {"run.until", before}});
    EXPECT_EQ(count_events(stands, EventKind::slip) + count_events(stands, EventKind::face), 0);
    EXPECT_LT((position(stands.report.last) - Vector3<double>(0, 0, cylinder.H / 2)).norm(), 1e-13);
  }
}

/// It slides first, straight ahead and without turning, and then tips about its leading point: the only motion that
/// there is, also where friction is so small that it has hardly begun to slide.
TEST(TippingCylinder, TipsWhileItSlides) {
  const Cylinder cylinder;
  struct Case {
    double mu, heading, tolerance;
  };
  for (const auto& [mu, heading, tolerance] :
       {Case{0.1, 20, 1e-9}, Case{0.103, 148.252, 1e-9}, Case{0.125, 282.18, 1e-10}, Case{0.128, 285.977, 1e-8},
        Case{0.182, 264.187, 1e-10}, Case{0.2, 80, 1e-8}, Case{0.242, 132.59, 1e-10}, Case{0.244, 169.229, 1e-9},
        Case{0.246, 10.711, 1e-10}, Case{0.2455, 5.454, 3e-9}, Case{0.2491, 55.489, 1e-8}, Case{0.2493, 342, 1e-9}}) {
    SCOPED_TRACE(fmt::format("friction {}, heading {} deg, tolerance {}", mu, heading, tolerance));
    const double up = cylinder.push - cylinder.H / 2;
    const double tips = cylinder.m * kGravity * (cylinder.a - mu * cylinder.H / 2) / (cylinder.rate * up);
    const Trace trace = run_scene(
        "tipping_cylinder",
        {{"mu", mu}, {"heading", heading * M_PI / 180}, {"run.tolerance", tolerance}, {"run.until", tips + 0.005}});
    EXPECT_TRUE(trace.report.switches.empty());
    EXPECT_EQ(count_events(trace, EventKind::impact) + count_events(trace, EventKind::stick), 0);
    const std::vector<double> times = list_times(trace, EventKind::face);
    ASSERT_EQ(times.size(), 1U);
    // Each of the four points and the others that are asked for may seem to pull a little: redundant contacts by twice
    // the margin (kShared in contact_watch.cc) times the size of the largest force. That is taken to be the weight;
    // with friction it is up to 3 % more.
    const double late = (4 + ArcPoints::kSlots) * 2 * kForceMargin * 2 * cylinder.a * cylinder.m * kGravity;
    EXPECT_NEAR(times[0], tips, late / (cylinder.rate * up));
    // Straight ahead: what is across is errors of steps.
    const double angle = heading * M_PI / 180;
    const Vector3<double> across(-std::sin(angle), std::cos(angle), 0);
    EXPECT_LT(std::abs(velocity(trace.report.last).dot(across)), 10 * tolerance);
    EXPECT_LT(cylinder.a * std::abs(angular_velocity(trace.report.last).z()), 10 * tolerance);
  }
}

TEST(LandingCoin, StrikesAtItsLowestPoint) {
  const double a = 0.01, h = 0.001, m = 0.005, drop = 0.005, A = m * (a * a / 4 + h * h / 3);
  const double time = std::sqrt(2 * drop / kGravity), v = kGravity * time;
  for (const double tilt : {0.3, 0.02, 1e-4, 1e-6}) {
    for (const double turn : {0.0, 0.5, M_PI / 4, 1.4}) {
      SCOPED_TRACE(fmt::format("tilt {}, turn {}", tilt, turn));
      const double heading = 1.1;
      const Trace trace =
          run_scene("landing_coin", {{"tilt", tilt}, {"heading", heading}, {"turn", turn}, {"run.until", time + 1e-9}});
      const std::vector<double> times = list_times(trace, EventKind::impact);
      ASSERT_FALSE(times.empty());
      EXPECT_NEAR(times[0], time, 1e-11);
      const double r = a * std::cos(tilt) - h * std::sin(tilt), impulse = m * v / (1 + m * r * r / A);
      for (std::size_t i = 1; i < trace.samples.size(); ++i) {
        const State &before = trace.samples[i - 1].state, &now = trace.samples[i].state;
        if (now.t != before.t) continue;
        EXPECT_NEAR(velocity(now).z(), impulse / m - v, 1e-10 * v);
        const Vector3<double> across(-std::sin(heading), std::cos(heading), 0);
        EXPECT_LT((angular_velocity(now) + across * (impulse * r / A)).norm(), 1e-10 * impulse * r / A);
        break;
      }
    }
  }
}

/// A coin that lands flat while it turns about a diameter is struck fastest at a point between those that are fixed in
/// it; asked for the impact alone, that point is there, whatever the direction.
TEST(LandingCoin, IsStruckAtItsFastestPoint) {
  const double a = 0.01, fall = 0.3, spin = 2;
  for (const double heading : {0.0, 0.3, 2.0, -1.1}) {
    Scenario scenario = read_scene("landing_coin", {{"tilt", 0}, {"drop", 0}});
    const Vector3<double> w(-spin * std::sin(heading), spin * std::cos(heading), 0);
    scenario.initial.v << w, Vector3<double>(0, 0, -fall);
    const ImpactInstant impact = assemble_impact(scenario, scenario.initial);
    double fastest = 0;
    for (const ImpactContact& contact : impact.contacts) {
      fastest = std::max(fastest, -impact.problem.rows.b()(contact.row));
    }
    EXPECT_NEAR(fastest, fall + a * spin, 1e-12) << heading;
  }
}

TEST(LandingCoin, TurnsWithTheWorld) {
  for (const double tilt : {0.05, 1e-3}) {
    for (const double mu : {0.0, 0.3}) {
      const auto run = [&](double heading, double turn) {
        return run_scene("landing_coin", {{"tilt", tilt}, {"heading", heading}, {"turn", turn}, {"mu", mu}})
            .report.last;
      };
      const State first = run(0, 0);
      for (const double heading : {0.7, 2.5, -1.3}) {
        EXPECT_LT(compare_turned(first, run(heading, 0), heading, false), 1e-8) << tilt << " " << mu << " " << heading;
        EXPECT_LT(compare_turned(first, run(heading, 0.4), heading, true), 1e-8) << tilt << " " << mu << " " << heading;
      }
    }
  }
}

/// It rattles, lands flat all but exactly, where its lowest point runs round the rim within 1e-10 s, and rests: nothing
/// is lost that impacts and friction do not account for. Each of a hundred pieces of the motion may be off by the
/// tolerance.
TEST(LandingCoin, LosesOnlyWhatIsAccountedFor) {
  for (const double tilt : {1e-4, 1e-3, 0.1}) {
    for (const double heading : {0.0, 1.1}) {
      for (const double mu : {0.0, 0.3}) {
        SCOPED_TRACE(fmt::format("tilt {}, heading {}, mu {}", tilt, heading, mu));
        const Trace trace = run_scene("landing_coin", {{"tilt", tilt},
                                                       {"heading", heading},
                                                       {"turn", 1},
                                                       {"e", 0.5},
                                                       {"mu", mu},
                                                       {"run.until", 0.5},
                                                       {"run.sample", 0.1},
                                                       {"run.tolerance", 1e-8}});
        EXPECT_EQ(trace.report.status, RunStatus::done);
        EXPECT_GT(count_events(trace, EventKind::impact), 20);
        EXPECT_LT(std::abs(trace.report.energy.error()), 100 * 1e-8 * trace.report.energy.start);
      }
    }
  }
}

}  // namespace
}  // namespace thenar::round_face_test
