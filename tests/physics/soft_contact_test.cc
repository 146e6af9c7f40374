// SPDX-License-Identifier: BSD-3-Clause
//
// Soft fingertips: spin that begins, goes on and ends, alone and together with slip, against closed forms; and coins,
// whose face resists spin like a ring.

#include "motion_scenes.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::soft_contact_test {
namespace {

using namespace test;

/// A ball on a soft floor, under a force along x and a torque about z through its middle. Rolling, the force takes
/// friction 2/7 F; slip of its lowest point has the inertia 2/7 m, spin about the vertical 2/5 m r².
struct SoftBall {
  double m = 0.3, r = 0.05, mu = 0.4, torsion = 2e-3;

  double weight() const { return m * kGravity; }
  double slip_inertia() const { return 2.0 / 7 * m; }
  double spin_inertia() const { return 0.4 * m * r * r; }

  Scenario read(const std::string& force, const std::string& torque, double until, double tolerance,
                const std::string& velocity = "") const {
    return parse_scenario(
        fmt::format("thenar: 1\nobjects:\n"
                    "  - {{name: ball, shape: {{sphere: {}}}, mass: {}, pose: {{xyz: [0, 0, {}]}}{}}}\n"
                    "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}}}\n"
                    "contacts: {{friction: {:.17g}, fingertip: soft, torsion: {:.17g}}}\n"
                    "wrenches: [{{body: ball, force: [\"{}\", 0, 0], torque: [0, 0, \"{}\"]}}]\n"
                    "run: {{until: {:.17g}, sample: {:.17g}, tolerance: {}}}\n",
                    r, m, r, velocity, mu, torsion, force, torque, until, until / 50, tolerance),
        "test.yaml");
  }
};

std::string text(double x) { return fmt::format("({:.17g})", x); }

Trace run(const Scenario& scenario) {
  Trace trace = record(scenario);
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  return trace;
}

std::string list_events(const Trace& trace) {
  std::string out;
  for (const Event& event : trace.events) out += fmt::format("{} ", to_string(event.kind));
  return out;
}

/// Errors of steps, at worst all on one side.
double calc_error(const Trace& trace, double tolerance) {
  return 4 * tolerance * (10 + static_cast<double>(trace.report.steps));
}

TEST(LayerContact, SpinBeginsAndEndsUnderATorqueThatGrowsAndIsTakenAway) {
  // I w' = k t - bound from t1 = bound/k on; without the torque, from t2 on, I w' = -bound.
  const SoftBall ball;
  constexpr double kTolerance = 1e-10;
  for (const double k : {0.01, 0.02, -0.05}) {
    SCOPED_TRACE(k);
    const double bound = ball.torsion * ball.weight(), t1 = bound / std::abs(k), t2 = 1.7 * t1;
    const auto spin_at = [&](double t) {
      const double w2 = 0.5 * k / ball.spin_inertia() * std::pow(std::clamp(t, t1, t2) - t1, 2);
      const double slowed = bound / ball.spin_inertia() * std::max(0.0, t - t2);
      return std::copysign(std::max(0.0, std::abs(w2) - slowed), k);
    };
    const double t3 = t2 + std::abs(spin_at(t2)) * ball.spin_inertia() / bound;
    const Trace trace =
        run(ball.read("0", fmt::format("t < {} ? {}*t : 0", text(t2), text(k)), t3 + 0.3 * t1, kTolerance));
    ASSERT_EQ(list_events(trace), "slip control stick ");
    // Late by the margin of forces, 1e-7 of the weight, over the rate of friction as the cone measures it.
    const double delay = 1e-7 * ball.weight() * ball.torsion / ball.mu / std::abs(k),
                 error = calc_error(trace, kTolerance);
    EXPECT_GT(trace.events[0].t, t1);
    EXPECT_LT(trace.events[0].t, t1 + 2 * delay);
    EXPECT_NEAR(trace.events[2].t, t3, error + 1e-7 * t3);
    const double speed = std::abs(spin_at(t2));
    for (const Sample& sample : trace.samples) {
      SCOPED_TRACE(sample.state.t);
      const bool spins = sample.state.t > trace.events[0].t && sample.state.t < trace.events[2].t;
      EXPECT_STREQ(to_string(sample.contacts[0].mode), spins ? "spin" : "stick");
      EXPECT_NEAR(angular_velocity(sample.state)(2), spin_at(sample.state.t), error * (1 + speed));
      EXPECT_LT(velocity(sample.state).norm(), error * (1 + speed) * ball.r);
    }
    EXPECT_NE(describe(trace.events[0]).find("alpha_N = "), std::string::npos) << describe(trace.events[0]);
    EXPECT_NE(describe(trace.events[2]).find("N m"), std::string::npos) << describe(trace.events[2]);
  }
}

TEST(LayerContact, GivesWayWhereForceAndTorqueMeetTheLimitSurface) {
  // A constant force takes a share of the ellipse while the ball rolls; what is left is the torque at which it spins.
  const SoftBall ball;
  for (const double share : {0.0, 0.3, 0.6, 0.95}) {
    SCOPED_TRACE(share);
    const double k = 0.02, onset = ball.torsion * ball.weight() * std::sqrt(1 - share * share) / k;
    const double force = 3.5 * share * ball.mu * ball.weight();
    const Trace trace = run(ball.read(text(force), fmt::format("{}*t", k), 1.1 * onset, 1e-10));
    ASSERT_EQ(list_events(trace), "slip ");
    // The rate at which the size of friction grows there: that of its torsional part, times its share.
    const double rate = k * ball.mu / ball.torsion * std::sqrt(1 - share * share);
    EXPECT_GT(trace.events[0].t, onset);
    EXPECT_LT(trace.events[0].t, onset + 2 * 1e-7 * std::max(ball.weight(), force) / rate);
    for (const Sample& sample : trace.samples) {
      const bool slides = sample.state.t > trace.events[0].t;
      const char* motion =
          slides ? (share > 0 ? "slide" : "spin") : (share > 0 && sample.state.t > 0 ? "roll" : "stick");
      EXPECT_STREQ(to_string(sample.contacts[0].mode), motion) << sample.state.t;
    }
  }
}

TEST(LayerContact, SlidesAndSpinsInOneDirectionUnderLoadsThatDriveIt) {
  // Loads that are to bring about slip a t and spin alpha t: inertia, and friction on the ellipse along that direction.
  // Taken away, and with mu^2/inertia the same for both, both shrink alike: p = |mu u, mu_tau w| by mu^2/inertia f_N.
  SoftBall ball;
  ball.torsion = ball.mu * std::sqrt(ball.spin_inertia() / ball.slip_inertia());
  constexpr double kTolerance = 1e-10, kPush = 0.2;
  for (const auto& [a, alpha] : {std::pair(2.0, 30.0), std::pair(0.5, -60.0), std::pair(4.0, 5.0)}) {
    SCOPED_TRACE(fmt::format("a {} alpha {}", a, alpha));
    const double p = std::hypot(ball.mu * a, ball.torsion * alpha), N = ball.weight();
    const double force = 3.5 * (ball.slip_inertia() * a + ball.mu * ball.mu * N * a / p);
    const double torque = ball.spin_inertia() * alpha + ball.torsion * ball.torsion * N * alpha / p;
    const double stop = kPush + p * kPush / (ball.mu * ball.mu / ball.slip_inertia() * N);
    const Trace trace = run(ball.read(fmt::format("{}*step({} - t)", text(force), kPush),
                                      fmt::format("{}*step({} - t)", text(torque), kPush), 1.2 * stop, kTolerance));
    EXPECT_EQ(list_events(trace), "control control stick ");
    const std::vector<double> sticks = list_times(trace, EventKind::stick);
    ASSERT_EQ(sticks.size(), 1U);
    const double error = calc_error(trace, kTolerance);
    EXPECT_NEAR(sticks[0], stop, error * stop);
    for (const Sample& sample : trace.samples) {
      SCOPED_TRACE(sample.state.t);
      const double t = sample.state.t;
      const double time = t < kPush ? t : kPush * std::max(0.0, (stop - t) / (stop - kPush));
      const Contact& contact = sample.contacts[0];
      EXPECT_NEAR(std::hypot(contact.slip[0], contact.slip[1]), a * time, error * (1 + a));
      EXPECT_NEAR(angular_velocity(sample.state)(2), alpha * time, error * (1 + std::abs(alpha)));
      if (t < stop) {
        EXPECT_STREQ(to_string(contact.mode), "slide");
      }
    }
  }
}

TEST(LayerContact, SlipAndSpinEndTogetherWhateverTheirInertias) {
  // u' = -k1 u/p, w' = -k2 w/p with p = |mu u, mu_tau w|: in the time s with dt = p ds both fall exponentially, and end
  // at t = int p ds.
  const SoftBall ball;
  constexpr double kTolerance = 1e-10;
  for (const auto& [slip, spin] : {std::pair(0.5, 40.0), std::pair(0.5, 1.0), std::pair(0.02, 100.0)}) {
    const double v = slip, w = spin;  // clang 14 cannot capture names of a structured binding
    SCOPED_TRACE(fmt::format("v {} w {}", v, w));
    const double k1 = ball.mu * ball.mu * ball.weight() / ball.slip_inertia();
    const double k2 = ball.torsion * ball.torsion * ball.weight() / ball.spin_inertia();
    const auto p = [&](double s) {
      return std::hypot(ball.mu * v * std::exp(-k1 * s), ball.torsion * w * std::exp(-k2 * s));
    };
    const double slowest = std::min(k1, k2);
    double stop = 0;  // in pieces that double: the integrand is smooth on the scale of 1/k1
    for (double s = 0, h = 0.1 / std::max(k1, k2); s * slowest < 45; s += h, h *= 1.2) stop += integrate(p, s, s + h);
    const Scenario scenario = ball.read("0", "0", 1.2 * stop, kTolerance,
                                        fmt::format(", velocity: {{linear: [{}, 0, 0], angular: [0, 0, {}]}}", v, w));
    const Trace trace = run(scenario);
    ASSERT_EQ(list_events(trace), "stick ");
    // Slip slower than ten tolerances counts as none (contact_engine.cc): in the end only spin is left, which falls by
    // bound/inertia.
    const Scales scales = find_scales(scenario.model, scenario.initial);
    const double none = 10 * kTolerance * scales.length / scales.time * ball.mu / ball.torsion;
    const double rest = none * ball.spin_inertia() / (ball.torsion * ball.weight());
    EXPECT_NEAR(trace.events[0].t, stop, calc_error(trace, kTolerance) * stop + rest);
    EXPECT_NEAR(velocity(trace.report.last).norm(), 5.0 / 7 * v, calc_error(trace, kTolerance));
    EXPECT_STREQ(to_string(trace.samples.back().contacts[0].mode), "roll");
  }
}

TEST(SpinningCoin, StopsAfterTheKnownTimeAndStaysWhereItIs) {
  constexpr double kTolerance = 1e-10;
  for (const double torsion : {1e-6, 2e-3, 2e-2}) {  // almost none, some, more than friction at the rim
    for (const double spin : {40.0, -5.0}) {
      SCOPED_TRACE(fmt::format("torsion {} spin {}", torsion, spin));
      const double a = 0.012, mu = 0.2;
      const double stop = 0.5 * a * a * std::abs(spin) / (kGravity * std::hypot(mu * a, torsion));
      const Trace trace = run_scene("spinning_coin", {{"spin", spin},
                                                      {"torsion", torsion},
                                                      {"run.until", 1.5 * stop},
                                                      {"run.sample", 0.07 * stop},
                                                      {"run.tolerance", kTolerance}});
      const std::vector<double> sticks = list_times(trace, EventKind::stick);
      ASSERT_EQ(sticks.size(), 1U);
      EXPECT_EQ(count_events(trace, EventKind::stick), 4);
      EXPECT_EQ(trace.events.size(), 4U);
      const double error = calc_error(trace, kTolerance);
      EXPECT_NEAR(sticks[0], stop, error * stop);
      for (const Sample& sample : trace.samples) {
        const double left = std::max(0.0, 1 - sample.state.t / stop);
        EXPECT_NEAR(angular_velocity(sample.state)(2), left * spin, error * std::abs(spin));
        EXPECT_LT(position(sample.state).head<2>().norm(), error * a);
        for (const Contact& contact : sample.contacts) {
          EXPECT_STREQ(to_string(contact.mode), sample.state.t < sticks[0] ? "slide" : "stick");
        }
      }
      EXPECT_NEAR(trace.report.energy.dissipated, 0.25 * 0.008 * a * a * spin * spin, error * 0.008 * kGravity * a);
    }
  }
}

}  // namespace
}  // namespace thenar::soft_contact_test
