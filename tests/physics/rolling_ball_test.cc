// SPDX-License-Identifier: BSD-3-Clause
//
// Balls that roll, slip and spin, whole motions against closed forms.

#include "motion_scenes.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::rolling_ball_test {
namespace {

using namespace test;

/// Errors of position and velocity are some tens of local errors of kTolerance, in units of the ball's path.
constexpr double kError = 100 * kTolerance;

double radians(double degrees) { return degrees * M_PI / 180; }

TEST(RollingBall, DescendsInclineAtFiveSevenths) {
  for (const double slope : {5.0, 25.0, 45.0, 70.0}) {
    for (const double r : {0.01, 0.2}) {
      SCOPED_TRACE(fmt::format("{} degrees, r = {}", slope, r));
      const double angle = radians(slope), a = 5.0 / 7 * kGravity * std::sin(angle);
      const Trace trace = run_scene("ball_on_incline", {{"slope", angle}, {"r", r}, {"mu", 0.3 * std::tan(angle)}});
      EXPECT_TRUE(trace.events.empty());
      const Vector3<double> down(std::cos(angle), 0, -std::sin(angle)), start = position(trace.samples[0].state);
      for (const Sample& sample : trace.samples) {
        const double t = sample.state.t;
        EXPECT_LT((position(sample.state) - start - 0.5 * a * t * t * down).norm(), kError * a);
        EXPECT_LT((velocity(sample.state) - a * t * down).norm(), kError * a);
        EXPECT_NEAR(angular_velocity(sample.state)(1), a * t / r, kError * a / r);
        EXPECT_NEAR(sample.contacts[0].force_on_A.normal, 0.2 * kGravity * std::cos(angle), 1e-9);
        EXPECT_NEAR(std::hypot(sample.contacts[0].force_on_A.along_T, sample.contacts[0].force_on_A.along_U),
                    2.0 / 5 * 0.2 * a, 1e-9);
      }
    }
  }
}

TEST(RollingBall, SlipsDownAnInclineIffFrictionIsBelowTwoSeventhsOfItsTangent) {
  for (const double slope : {10.0, 30.0, 60.0}) {
    for (const double off : {-1e-1, -1e-3, -1e-5, 1e-5, 1e-3, 1e-1}) {
      SCOPED_TRACE(fmt::format("{} degrees, friction off by {}", slope, off));
      const double angle = radians(slope), mu = 2.0 / 7 * std::tan(angle) * (1 + off), r = 0.04;
      const Trace trace = run_scene("ball_on_incline", {{"slope", angle}, {"mu", mu}});
      const bool slips = off < 0;
      const double along = kGravity * (slips ? std::sin(angle) - mu * std::cos(angle) : 5.0 / 7 * std::sin(angle));
      const double turn = slips ? 2.5 * mu * kGravity * std::cos(angle) / r : along / r;
      const State& last = trace.report.last;
      EXPECT_NEAR(velocity(last).norm(), along, kError * along);
      EXPECT_NEAR(angular_velocity(last)(1), turn, kError * turn);
      EXPECT_EQ(trace.samples.back().contacts[0].mode, slips ? ContactMode::slide : ContactMode::roll);
      EXPECT_NEAR(trace.report.energy.dissipated,
                  slips ? mu * 0.2 * kGravity * std::cos(angle) * 0.5 * (along - r * turn) : 0, kError);
    }
  }
}

/// The ball of sliding_ball.yaml as textbooks have it.
struct SlidingBall {
  double v, spin_x, spin_y, mu, r;

  Eigen::Vector2d slip() const { return {v - r * spin_y, r * spin_x}; }
  double time() const { return 2 * slip().norm() / (7 * mu * kGravity); }
  Eigen::Vector2d velocity(double t) const {
    return Eigen::Vector2d(v, 0) - mu * kGravity * std::min(t, time()) * slip().normalized();
  }
  Eigen::Vector2d position(double t) const {
    const double sliding = std::min(t, time());
    return Eigen::Vector2d(v, 0) * sliding - 0.5 * mu * kGravity * sliding * sliding * slip().normalized() +
           velocity(t) * (t - sliding);
  }
};

TEST(RollingBall, RollsAfterSlidingForTheKnownTime) {
  const SlidingBall cases[] = {
      {2, 0, 0, 0.3, 0.1},     // thrown
      {2, 0, 0, 0.05, 0.1},    //
      {0, 0, 30, 0.3, 0.1},    // set down spinning
      {1, 0, 40, 0.3, 0.1},    // topspin
      {1, 0, -15, 0.3, 0.1},   // backspin, goes on
      {1, 0, -40, 0.3, 0.1},   // backspin, comes back
      {1, 25, -10, 0.3, 0.1},  // askew: the middle follows a parabola
      {0.1, -300, 100, 0.2, 0.01},
  };
  for (const SlidingBall& ball : cases) {
    SCOPED_TRACE(fmt::format("v {} spin {} {} mu {} r {}", ball.v, ball.spin_x, ball.spin_y, ball.mu, ball.r));
    const Trace trace = run_scene("sliding_ball", {{"v", ball.v},
                                                   {"spin_x", ball.spin_x},
                                                   {"spin_y", ball.spin_y},
                                                   {"spin_z", 7},
                                                   {"mu", ball.mu},
                                                   {"r", ball.r},
                                                   {"run.until", 1.5 * ball.time()},
                                                   {"run.sample", 0.1 * ball.time()}});
    const double speed = std::abs(ball.v) + ball.slip().norm();
    ASSERT_EQ(trace.events.size(), 1U);
    EXPECT_EQ(trace.events[0].kind, EventKind::stick);
    EXPECT_NEAR(trace.events[0].t, ball.time(), kError * ball.time());
    for (const Sample& sample : trace.samples) {
      const double t = sample.state.t;
      EXPECT_LT((position(sample.state).head<2>() - ball.position(t)).norm(), kError * speed * ball.time()) << t;
      EXPECT_LT((velocity(sample.state).head<2>() - ball.velocity(t)).norm(), kError * speed) << t;
      EXPECT_NEAR(angular_velocity(sample.state)(2), 7, kError * 7);
    }
    const Eigen::Vector2d end = Eigen::Vector2d(ball.v, 0) - 2.0 / 7 * ball.slip();
    EXPECT_LT((velocity(trace.report.last).head<2>() - end).norm(), kError * speed);
    EXPECT_EQ(trace.samples.back().contacts[0].mode, ContactMode::roll);
  }
}

TEST(RollingBall, CirclesOnATurntableAtTwoSevenths) {
  for (const double W : {-6.0, 2.0, 4.0}) {
    for (const Eigen::Vector2d& v : {Eigen::Vector2d(0, 0), Eigen::Vector2d(0, 0.3), Eigen::Vector2d(-0.1, -0.05)}) {
      SCOPED_TRACE(fmt::format("W = {}, v = ({}, {})", W, v.x(), v.y()));
      const Trace trace = run_scene("ball_on_turntable", {{"W", W}, {"vx", v.x()}, {"vy", v.y()}, {"spin_z", 2}});
      EXPECT_TRUE(trace.events.empty());
      const Eigen::Vector2d start(0.3, 0.1);
      const double rate = 2.0 / 7 * W;
      const Eigen::Vector2d middle = start + Eigen::Vector2d(-v.y(), v.x()) / rate;
      for (const Sample& sample : trace.samples) {
        const Eigen::Vector2d expected = middle + Eigen::Rotation2D<double>(rate * sample.state.t) * (start - middle);
        // The ball takes up to 0.1 kg · 0.5 m · 2 m/s of 1e9 W from the table: 1e-9 at most, of the order of 1e-10.
        EXPECT_LT((sample.state.q.segment<2>(1) - expected).norm(), 1e-9) << sample.state.t;
        EXPECT_EQ(sample.contacts[0].mode, ContactMode::roll);
      }
    }
  }
}

TEST(SoftBall, StopsSpinningAfterTheKnownTime) {
  for (const double spin : {-50.0, 5.0, 20.0}) {
    for (const double torsion : {2e-3, 1e-2}) {
      for (const double r : {0.02, 0.05}) {
        SCOPED_TRACE(fmt::format("spin {} torsion {} r {}", spin, torsion, r));
        const double stop = 0.4 * r * r * std::abs(spin) / (torsion * kGravity);
        const Scenario scenario = read_scene(
            "spinning_ball",
            {{"spin", spin}, {"torsion", torsion}, {"r", r}, {"run.until", 1.5 * stop}, {"run.sample", 0.11 * stop}});
        const Trace trace = record(scenario);
        ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
        ASSERT_EQ(trace.events.size(), 1U);
        EXPECT_EQ(trace.events[0].kind, EventKind::stick);
        // Slip across the spin is stiff, the more so the slower the spin: many steps, whose errors add up.
        const double error = 4 * kTolerance * (10 + static_cast<double>(trace.report.steps));
        // Slip slower than 1e-10 of what belongs to the size of the scene counts as none (contact_engine.cc), and up to
        // ten times that friction leans to the direction that slip had (held_contact.cc), on either side of rest.
        const Scales scales = find_scales(scenario.model, scenario.initial);
        const double slow = 20 * 1e-10 * scales.length / scales.time * 0.4 / torsion;
        EXPECT_NEAR(trace.events[0].t, stop, (error + slow / std::abs(spin)) * stop);
        // Errors of a speed that stays 0 are tolerated in proportion to the scene's (Tolerances::velocity_weight).
        const double fastest = std::abs(spin) + 1 / scales.time;
        for (const Sample& sample : trace.samples) {
          const double left = std::max(0.0, 1 - sample.state.t / stop);
          EXPECT_NEAR(angular_velocity(sample.state)(2), left * spin, error * std::abs(spin));
          EXPECT_LT(angular_velocity(sample.state).head<2>().norm(), error * fastest);
          EXPECT_LT(velocity(sample.state).norm(), error * r * fastest);
        }
        EXPECT_NEAR(trace.report.energy.dissipated, 0.2 * 0.3 * r * r * spin * spin, kError);
      }
    }
  }
}

TEST(SoftBall, IsSaidToSpinUntilItStops) {
  for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
    SCOPED_TRACE(tolerance);
    const Trace trace = run_scene("spinning_ball", {{"run.tolerance", tolerance}});
    for (const Sample& sample : trace.samples) {
      const bool spins = sample.state.t < trace.events.at(0).t;
      EXPECT_STREQ(to_string(sample.contacts[0].mode), to_string(spins ? ContactMode::spin : ContactMode::stick))
          << sample.state.t;
    }
  }
}

}  // namespace
}  // namespace thenar::rolling_ball_test
