// SPDX-License-Identifier: BSD-3-Clause
// How far runs are from the truth: closed forms, orders of convergence and conserved quantities.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "../dynamics/random_trees.h"
#include "../support/builders.h"
#include "thenar/dynamics/energy.h"
#include "thenar/scenario/tolerances.h"
#include "thenar/simulation/simulate.h"

namespace thenar::accuracy_test {
namespace {

using enum IntegratorKind;

/// A pendulum of frequency ω₀ (at small angles) that is released at rest from θ₀: with k = sin(θ₀/2) and u = ω₀ t,
///
///     sin(θ/2) = k cd(u, k),   θ̇ = −2 ω₀ k k' sd(u, k),   k'² = 1 − k².
///
/// Jacobi's functions come from descending Landen steps (Abramowitz and Stegun 16.4) in long double, whose rounding is
/// invisible next to the errors under test.
class SwingingPendulum {
 public:
  SwingingPendulum(double angle, double frequency)
      : frequency_(frequency), k_(std::sin(static_cast<long double>(angle) / 2)) {
    long double b = std::sqrt(1 - k_ * k_);
    a_[0] = 1, c_[0] = k_;
    while (std::abs(c_[steps_]) > 1e-19L && steps_ + 1 < a_.size()) {
      a_[steps_ + 1] = (a_[steps_] + b) / 2;
      c_[steps_ + 1] = (a_[steps_] - b) / 2;
      b = std::sqrt(a_[steps_] * b);
      ++steps_;
    }
  }

  struct Point {
    double angle, speed;  // rad, rad/s
  };
  Point at(double t) const {
    long double phi = std::ldexp(a_[steps_] * frequency_ * t, static_cast<int>(steps_));
    for (std::size_t i = steps_; i > 0; --i) phi = (phi + std::asin(c_[i] * std::sin(phi) / a_[i])) / 2;
    const long double sn = std::sin(phi), cn = std::cos(phi), dn = std::sqrt(1 - k_ * k_ * sn * sn);
    return {static_cast<double>(2 * std::asin(k_ * cn / dn)),
            static_cast<double>(-2 * frequency_ * k_ * std::sqrt(1 - k_ * k_) * sn / dn)};
  }

 private:
  long double frequency_, k_;
  std::array<long double, 16> a_{}, c_{};
  std::size_t steps_ = 0;
};

constexpr double kAngle = 2;
/// The thin rod about its end: ω₀² = (m g l/2)/(m l²/3).
const double kFrequency = std::sqrt(1.5 * 9.81 / 0.5);

TEST(SwingingPendulum, SatisfiesItsEquation) {
  // The closed form against its own law, by differences of order 4: (h ω₀)⁴/30 and eps/h are both below 1e-9.
  const SwingingPendulum exact(kAngle, kFrequency);
  const double h = 1e-3;
  for (const double t : {0.3, 1.0, 7.7}) {
    const auto slope = [&](auto of) {
      return (8 * (of(exact.at(t + h)) - of(exact.at(t - h))) - (of(exact.at(t + 2 * h)) - of(exact.at(t - 2 * h)))) /
             (12 * h);
    };
    const SwingingPendulum::Point here = exact.at(t);
    EXPECT_NEAR(slope([](auto p) { return p.angle; }), here.speed, 1e-8);
    EXPECT_NEAR(slope([](auto p) { return p.speed; }), -kFrequency * kFrequency * std::sin(here.angle), 1e-7);
  }
}

/// Largest error over all rows of 10 s, of the angle (rad) and of the speed over ω₀ (also rad).
struct PendulumError {
  double angle = 0, speed = 0;
};
PendulumError run_pendulum(IntegratorKind integrator, double tolerance) {
  Scenario s = test::pendulum(kAngle);
  s.run = {.until = 10, .sample = 0.01, .integrator = integrator, .tolerance = tolerance, .step = {}};
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_EQ(trace.samples.size(), 1001u);
  const SwingingPendulum exact(kAngle, kFrequency);
  PendulumError worst;
  for (const Sample& sample : trace.samples) {
    const SwingingPendulum::Point point = exact.at(sample.state.t);
    worst.angle = std::max(worst.angle, std::abs(sample.state.q(0) - point.angle));
    worst.speed = std::max(worst.speed, std::abs(sample.state.v(0) - point.speed) / kFrequency);
  }
  return worst;
}

TEST(Pendulum, FollowsItsEllipticFunctionForTenSeconds) {
  // 10 s are nearly 60 radians of ω₀ t; local errors of 1e-11 in each of about 300 steps that all shift the phase the
  // same way would come to 3e-9, and come to 4e-10.
  for (const IntegratorKind integrator : {explicit_pair, automatic, implicit_radau}) {
    SCOPED_TRACE(to_string(integrator));
    const PendulumError error = run_pendulum(integrator, 1e-11);
    EXPECT_LE(error.angle, 1e-9);
    EXPECT_LE(error.speed, 1e-9);
  }
}

TEST(Pendulum, ErrorIsProportionalToTheTolerance) {
  for (const IntegratorKind integrator : {explicit_pair, automatic, implicit_radau}) {
    SCOPED_TRACE(to_string(integrator));
    double last = 0;
    for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
      const PendulumError error = run_pendulum(integrator, tolerance);
      const double worst = std::max(error.angle, error.speed);
      // The errors of some hundred steps add up.
      EXPECT_LE(worst, 200 * tolerance);
      // By 100 from one to the next, up to how many steps the controller gives away: within a decade.
      if (last > 0) {
        EXPECT_GT(last / worst, 10);
        EXPECT_LT(last / worst, 1000);
      }
      last = worst;
    }
  }
}

// --- Orders of the methods of fixed step --------------------------------------------------------------------------

double distance(const State& a, const State& b) {
  return std::max((a.q - b.q).cwiseAbs().maxCoeff(), (a.v - b.v).cwiseAbs().maxCoeff());
}

State run_to_end(Scenario s, const RunOptions& options) {
  s.run = options;
  const RunReport report = simulate(s);
  EXPECT_EQ(report.status, RunStatus::done) << report.reason;
  return report.last;
}

constexpr double kUntil = 0.8;

State calc_reference(const Scenario& s) {
  return run_to_end(s,
                    {.until = kUntil, .sample = kUntil, .integrator = explicit_pair, .tolerance = 1e-13, .step = {}});
}

/// From the errors with `steps` equal steps and with twice as many.
double calc_order(const Scenario& s, const State& reference, IntegratorKind integrator, int steps) {
  const auto error = [&](int n) {
    return distance(
        reference,
        run_to_end(
            s, {.until = kUntil, .sample = kUntil, .integrator = integrator, .tolerance = 1e-8, .step = kUntil / n}));
  };
  return std::log2(error(steps) / error(2 * steps));
}

/// Joints of five kinds without dampers; the tree falls and tumbles.
Scenario make_undamped_tree() {
  test::RandomTree random(7);
  ModelBuilder builder;
  const auto add = [&](const char* name, BodyIndex parent, JointKind kind) {
    JointSpec joint = random.joint(name, kind);
    return builder.add_body({name, random.mass(-0.5, 0)}, parent, joint);
  };
  const BodyIndex base = add("base", kWorld, JointKind::free);
  const BodyIndex ball = add("ball", base, JointKind::spherical);
  add("hinge", ball, JointKind::revolute);
  const BodyIndex cross = add("cross", base, JointKind::universal);
  add("slide", cross, JointKind::prismatic);
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.initial.q = random.position(s.model);
  s.initial.v = random.numbers(s.model.velocity_count(), 2);
  return s;
}

// Steps are such that errors lie between 1e-7 and 2e-3 with the longer one and stay above 1e-9 with the shorter: far
// from the 1e-12 of the reference, and far enough into the asymptotic range that the next order of h is worth 0.06.
TEST(FixedSteps, ConvergeWithTheirOrderOnATreeOfEveryJoint) {
  const Scenario s = test::mixed_tree();
  const State reference = calc_reference(s);
  EXPECT_NEAR(calc_order(s, reference, rk8, 32), 8, 0.2);
  EXPECT_NEAR(calc_order(s, reference, rk4, 200), 4, 0.2);
  EXPECT_NEAR(calc_order(s, reference, symplectic, 400), 2, 0.2);
}

TEST(FixedSteps, ConvergeWithTheirOrderWithoutDampers) {
  const Scenario s = make_undamped_tree();
  const State reference = calc_reference(s);
  EXPECT_NEAR(calc_order(s, reference, rk4, 50), 4, 0.2);
  EXPECT_NEAR(calc_order(s, reference, symplectic, 200), 2, 0.2);
}

// --- Momentum -----------------------------------------------------------------------------------------------------

/// A hand on a free base in empty space, driven by its own joints: no outer force, so its momentum stays.
Scenario make_floating_hand() {
  test::RandomTree random(11);
  ModelBuilder builder;
  builder.set_gravity(Vector3<double>::Zero());
  // Without armature, whose momentum is that of rotors which the model does not know as bodies.
  const auto add = [&](const std::string& name, double mass, BodyIndex parent, JointKind kind) {
    JointSpec joint = random.joint(name, kind);
    joint.armature = {};
    return builder.add_body({name, random.mass(mass, mass + 0.5)}, parent, joint);
  };
  const BodyIndex palm = add("palm", -0.5, kWorld, JointKind::free);
  for (int f = 0; f < 3; ++f) {
    BodyIndex parent = palm;
    for (int i = 0; i < 3; ++i) {
      const std::string name = "b" + std::to_string(f) + std::to_string(i);
      const JointKind kind = i > 0 ? JointKind::revolute : f == 0 ? JointKind::spherical : JointKind::universal;
      parent = add(name, -1.5, parent, kind);
    }
  }
  Scenario s = test::at_rest(std::move(builder).finalize(), 3);
  s.initial.q = random.position(s.model);
  s.initial.v = random.numbers(s.model.velocity_count(), 1);
  for (int i = 6; i < s.model.velocity_count(); ++i) {
    s.torques.push_back({i, Expression::parse(std::to_string(0.01 + 0.001 * i) + "*sin(5*t)", kProfileVariables)});
  }
  return s;
}

struct Books {
  Wrench<double> momentum;
  double kinetic;
};
Books calc_books(const Model& model, const State& state) {
  Workspace<double> workspace(model);
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, state.v.data(), workspace);
  return {calc_momentum(model, workspace), calc_kinetic_energy(model, workspace, state.v.data())};
}

TEST(Momentum, OfAFloatingHandStaysWithinTheTolerance) {
  Scenario s = make_floating_hand();
  double last = 1;
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    s.run.tolerance = tolerance;
    const Trace trace = record(s);
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    const Wrench<double> start = calc_books(s.model, trace.report.first).momentum;
    double linear = 0, angular = 0, kinetic = 0;
    for (const Sample& sample : trace.samples) {
      const Books now = calc_books(s.model, sample.state);
      linear = std::max(linear, (now.momentum.force - start.force).eigen().norm());
      angular = std::max(angular, (now.momentum.moment - start.moment).eigen().norm());
      kinetic = std::max(kinetic, now.kinetic);
    }
    // |p| ≤ √(2 T m), and a moment is that times a length.
    const double scale = std::sqrt(2 * kinetic * s.model.total_mass());
    const double length = find_scales(s.model, s.initial).length;
    const double error = std::max(linear / scale, angular / (scale * length));
    // No sum of forces is exactly zero in the numbers of a step, so its local errors move the momentum; of some
    // thousand steps they nearly cancel. What is left falls with the tolerance, down to a share of rounding.
    EXPECT_LT(error, 100 * tolerance);
    EXPECT_LT(error, last / 5);
    last = error;
  }
}

}  // namespace
}  // namespace thenar::accuracy_test
