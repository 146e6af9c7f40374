// SPDX-License-Identifier: BSD-3-Clause
//
// Controllers in a run: closed forms, recursions, convergence, limits, samples and the books of energy.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "../support/builders.h"
#include "thenar/control/joint_control.h"
#include "thenar/simulation/simulate.h"

namespace thenar::control_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A flywheel about z: gravity does nothing, q̈ = τ/I.
Scenario make_wheel(double inertia, double limit = kInfinity) {
  ModelBuilder builder;
  JointSpec axle{.name = "axle", .kind = JointKind::revolute};
  axle.effort = VectorX<double>::Constant(1, limit);
  builder.add_body({.name = "wheel", .mass = {.mass = 1, .inertia = {inertia, inertia, inertia, 0, 0, 0}}}, kWorld,
                   axle);
  return test::at_rest(std::move(builder).finalize());
}

Trajectory path(std::initializer_list<Waypoint> waypoints, Interpolation interpolation) {
  return Trajectory(std::vector<Waypoint>(waypoints), interpolation);
}

void drive(Scenario& s, std::vector<JointServo> servos, std::optional<double> rate = {}) {
  s.controls.push_back({std::make_shared<PdControl>(std::move(servos)), rate});
}

/// I q̈ = −kd q̇ + kp (1 − q) from rest at 0, underdamped.
double step_response(double I, double kp, double kd, double t) {
  const double a = kd / (2 * I), w = std::sqrt(kp / I - a * a);
  return 1 - std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t));
}

TEST(PdRun, StepResponseIsThatOfTheOscillator) {
  Scenario s = make_wheel(0.02);
  drive(s, {{0, 0.5, 0.04, Trajectory(1)}});
  for (const IntegratorKind kind : {IntegratorKind::explicit_pair, IntegratorKind::implicit_radau}) {
    s.run = {.until = 2, .sample = 0.1, .integrator = kind, .tolerance = 1e-10};
    const Trace trace = record(s);
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    // Local errors of 1e-10 per step, some hundred steps, and the motion forgets them at the rate a = 1/s.
    for (const Sample& row : trace.samples) {
      EXPECT_NEAR(row.state.q(0), step_response(0.02, 0.5, 0.04, row.state.t), 1e-8) << to_string(kind);
      EXPECT_NEAR(row.tau(0), 0.5 * (1 - row.state.q(0)) - 0.04 * row.state.v(0), 1e-14);
    }
  }
}

TEST(PdRun, FixedStepsAndTheMidpointRuleTakeControllersToo) {
  for (const auto& [kind, error] : {std::pair{IntegratorKind::rk4, 1e-9}, std::pair{IntegratorKind::rk8, 1e-12},
                                    std::pair{IntegratorKind::symplectic, 1e-4}}) {
    Scenario s = make_wheel(0.02);
    drive(s, {{0, 0.5, 0.04, Trajectory(1)}});
    s.run = {.until = 1, .sample = 0.1, .integrator = kind, .step = 1e-3};
    // (ω h)^p of one step over 1000 steps: (0.005)^4, (0.005)^8, (0.005)^2, up to factors of order one.
    EXPECT_NEAR(record(s).report.last.q(0), step_response(0.02, 0.5, 0.04, 1), error) << to_string(kind);
  }
}

TEST(PdRun, GravityCompensationHoldsExactly) {
  // At rest, with no error, g(q) balances gravity to rounding: nothing moves, for ever.
  Scenario s = test::pendulum(1.1);
  drive(s, {{0, 0, 0, Trajectory()}});
  s.run = {.until = 10, .sample = 1};
  const Trace trace = record(s);
  ASSERT_EQ(trace.report.status, RunStatus::done);
  EXPECT_NEAR(trace.report.last.q(0), 1.1, 1e-12);
  // The weight of 1 kg at 0.25 m; q = 0 hangs, so the effort has the sign of q.
  EXPECT_NEAR(trace.samples.back().tau(0), 0.25 * 9.81 * std::sin(1.1), 1e-12);
}

TEST(PdRun, WithoutGravityCompensationThereIsASteadyError) {
  Scenario s = test::pendulum(0);
  s.controls.push_back({std::make_shared<PdControl>(std::vector<JointServo>{{0, 20, 3, Trajectory(0.5)}}, false)});
  s.run = {.until = 10, .sample = 10};
  const double q = record(s).report.last.q(0);
  // kp (0.5 − q) = m g l sin q: Chan's reason for the gravity term.
  EXPECT_NEAR(20 * (0.5 - q), 0.25 * 9.81 * std::sin(q), 1e-7);
  EXPECT_LT(q, 0.46);
}

/// Two links that swing, carried along quintic paths by computed torque.
Scenario make_arm() {
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  for (int i = 0; i < 2; ++i) {
    MassProperties rod = mass_properties_from_mass(Rod{0.3}, 0.5);
    rod.com.z() = -0.15;
    JointSpec hinge{.name = "j" + std::to_string(i), .kind = JointKind::revolute};
    hinge.axis = Vector3<double>::UnitY();
    hinge.damping = VectorX<double>::Constant(1, 0.05);
    if (i > 0) hinge.X_PF = Pose<double>::translation({0, 0, -0.3});
    parent = builder.add_body({.name = "link" + std::to_string(i), .mass = rod}, parent, hinge);
  }
  return test::at_rest(std::move(builder).finalize());
}

TEST(ComputedTorqueRun, TracksAQuinticToIntegrationError) {
  const Trajectory first = path({{0, 0}, {0.6, 1.2}, {1, 0.4}}, Interpolation::quintic);
  const Trajectory second = path({{0, 0}, {0.3, -1}, {1, 0.7}}, Interpolation::quintic);
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    Scenario s = make_arm();
    s.controls.push_back(
        {std::make_shared<ComputedTorque>(std::vector<JointServo>{{0, 100, 20, first}, {1, 100, 20, second}})});
    s.run = {.until = 1.2, .sample = 0.05, .tolerance = tolerance};
    const Trace trace = record(s);
    ASSERT_EQ(trace.report.status, RunStatus::done);
    double worst = 0;
    for (const Sample& row : trace.samples) {
      worst = std::max(worst, std::abs(row.state.q(0) - first.evaluate(row.state.t).value));
      worst = std::max(worst, std::abs(row.state.q(1) - second.evaluate(row.state.t).value));
    }
    // Local errors of the tolerance, which the law itself pulls back at 10/s: tens of tolerances at most.
    EXPECT_LT(worst, 30 * tolerance);
    // Waypoints are no events: efforts are continuous there.
    EXPECT_EQ(trace.report.events[static_cast<std::size_t>(EventKind::control)], 0);
  }
}

TEST(ComputedTorqueRun, ErrorDecaysAsChosen) {
  // Kp = 100, Kd = 20: e = (1 + 10 t) exp(−10 t) e₀, whatever the tree does.
  Scenario s = make_arm();
  s.initial.q << 0.3, -0.2;
  s.controls.push_back({std::make_shared<ComputedTorque>(
      std::vector<JointServo>{{0, 100, 20, Trajectory(0)}, {1, 100, 20, Trajectory(0)}})});
  s.run = {.until = 0.5, .sample = 0.1, .tolerance = 1e-11};
  for (const Sample& row : record(s).samples) {
    const double decay = (1 + 10 * row.state.t) * std::exp(-10 * row.state.t);
    EXPECT_NEAR(row.state.q(0), 0.3 * decay, 1e-9);
    EXPECT_NEAR(row.state.q(1), -0.2 * decay, 1e-9);
  }
}

TEST(PdRun, ConvergesWithTheTolerance) {
  const auto run = [](double tolerance) {
    Scenario s = make_arm();
    const Trajectory target = path({{0, 0}, {0.3, 0.8}, {0.7, -0.4}}, Interpolation::linear);
    drive(s, {{0, 3, 0.3, target}, {1, 2, 0.1, target}});
    s.run = {.until = 1, .sample = 1, .tolerance = tolerance};
    return record(s).report.last;
  };
  const State best = run(1e-13);
  for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
    EXPECT_LT((run(tolerance).q - best.q).lpNorm<Eigen::Infinity>(), 100 * tolerance) << tolerance;
  }
}

TEST(PdRun, StiffGainsGoToTheImplicitMethod) {
  // 1 N m s/rad on 1e-5 kg m²: settles within 1e-5 s, then creeps with kp/kd = 5/s. An explicit method would need
  // 1e5 steps per second, and Newton's iteration would not converge without the derivatives of the law.
  Scenario s = make_wheel(1e-5);
  drive(s, {{0, 5, 1, Trajectory(1)}});
  s.run = {.until = 1, .sample = 0.1, .tolerance = 1e-8};
  const Trace trace = record(s);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_GT(trace.report.implicit_steps, 0);
  EXPECT_LT(trace.report.steps, 400);
  // I q̈ + kd q̇ + kp q = kp: two real roots.
  const double root = std::sqrt(1 - 4 * 1e-5 * 5), slow = -2 * 5 / (1 + root), fast = -(1 + root) / 2e-5;
  for (const Sample& row : trace.samples) {
    const double e = (slow * std::exp(fast * row.state.t) - fast * std::exp(slow * row.state.t)) / (slow - fast);
    EXPECT_NEAR(row.state.q(0), 1 - e, 1e-6) << row.state.t;
  }
}

TEST(PdRun, EnergyCloses) {
  Scenario s = make_arm();
  const Trajectory target = path({{0, 0}, {0.3, 0.8}, {0.7, -0.4}}, Interpolation::hold);
  drive(s, {{0, 3, 0.3, target}, {1, 2, 0.1, target}});
  s.run = {.until = 1, .sample = 0.1, .tolerance = 1e-10};
  const RunReport report = record(s).report;
  EXPECT_GT(std::abs(report.energy.work), 0.1);
  EXPECT_NEAR(report.energy.error(), 0, 1e-9);
}

// --- Targets that jump ---

TEST(PdRun, JumpOfATargetIsAnEventAtItsTime) {
  Scenario s = make_wheel(0.02);
  drive(s, {{0, 0.5, 0.04, path({{0, 0}, {0.3, 1}}, Interpolation::hold)}});
  s.run = {.until = 1, .sample = 0.1, .tolerance = 1e-11};
  const Trace trace = record(s);
  ASSERT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(trace.events[0].kind, EventKind::control);
  EXPECT_EQ(trace.events[0].t, 0.3);
  EXPECT_EQ(trace.events[0].where(), "control 'pd_gravity'");
  EXPECT_NEAR(trace.report.last.q(0), step_response(0.02, 0.5, 0.04, 0.7), 1e-9);
}

// --- Samples ---

TEST(SampledControl, EqualsTheRecursionByHand) {
  // Between samples the effort u is constant, so q ← q + v h + u h²/2I, v ← v + u h/I exactly.
  constexpr double I = 0.02, kp = 0.5, kd = 0.04, rate = 100;
  Scenario s = make_wheel(I);
  drive(s, {{0, kp, kd, Trajectory(1)}}, rate);
  s.run = {.until = 1, .sample = 0.05, .tolerance = 1e-10};
  const Trace trace = record(s);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_EQ(trace.report.control_samples, 100);
  EXPECT_EQ(trace.events.size(), 0u);  // samples are counted, not told
  std::vector<double> at_sample;
  double q = 0, v = 0;
  for (int k = 0; k < 100; ++k) {
    at_sample.push_back(q);
    const double u = kp * (1 - q) - kd * v, h = 1 / rate;
    q += v * h + u * h * h / (2 * I);
    v += u * h / I;
  }
  // A quadratic is exact for the method: rounding only, over 100 intervals.
  EXPECT_NEAR(trace.report.last.q(0), q, 1e-12);
  EXPECT_NEAR(trace.report.last.v(0), v, 1e-12);
  EXPECT_GT(std::abs(q - step_response(I, kp, kd, 1)), 1e-3);  // and not the continuous law
  for (const Sample& row : trace.samples) {
    const auto k = static_cast<std::size_t>(std::lround(row.state.t * rate));
    if (k < at_sample.size()) {
      EXPECT_NEAR(row.state.q(0), at_sample[k], 1e-12);
    }
  }
}

TEST(SampledControl, TendsToTheContinuousLaw) {
  // The delay of half a period on average: an error of first order.
  double last = 0;
  for (const double rate : {200.0, 400.0, 800.0}) {
    Scenario s = make_wheel(0.02);
    drive(s, {{0, 0.5, 0.04, Trajectory(1)}}, rate);
    s.run = {.until = 1, .sample = 1};
    const double error = std::abs(record(s).report.last.q(0) - step_response(0.02, 0.5, 0.04, 1));
    if (last > 0) {
      EXPECT_NEAR(last / error, 2, 0.1);
    }
    last = error;
  }
}

TEST(SampledControl, TwoRatesAndAContinuousLawAddUp) {
  Scenario s = make_wheel(0.02);
  drive(s, {{0, 0.2, 0, Trajectory(1)}}, 30);
  drive(s, {{0, 0.2, 0, Trajectory(1)}}, 50);
  drive(s, {{0, 0, 0.04, Trajectory(0)}});
  s.torques.push_back({0, Expression(0.01)});
  s.run = {.until = 1, .sample = 0.01};
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.control_samples, 80);
  EXPECT_NEAR(trace.samples[0].tau(0), 0.41, 1e-14);
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-8);
}

/// A law with memory: the integral of the error, summed up sample by sample.
class Pid final : public Controller {
 public:
  Pid(double kp, double ki, double kd, double period, double target)
      : kp_(kp), ki_(ki), kd_(kd), period_(period), target_(target) {}
  std::string_view kind() const override { return "pid"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Pid>(*this); }
  void add_efforts(const Model&, double t, const double* q, const double* v, double* tau) override {
    EXPECT_NEAR(t, calls_++ * period_, 1e-12);  // once per sample, in the order of time
    sum_ += period_ * (target_ - q[0]);
    tau[0] += kp_ * (target_ - q[0]) + ki_ * sum_ - kd_ * v[0];
  }

 private:
  double kp_, ki_, kd_, period_, target_;
  double sum_ = 0;
  int calls_ = 0;
};

TEST(SampledControl, LawMayHaveMemory) {
  // The integral takes away the steady error that gravity leaves (WithoutGravityCompensationThereIsASteadyError).
  Scenario s = test::pendulum(0);
  s.controls.push_back({std::make_shared<Pid>(20, 40, 3, 1e-3, 0.5), 1e3});
  s.run = {.until = 10, .sample = 1};
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.control_samples, 10000);
  // The slow mode decays as exp(−ki/kp t) = exp(−2 t).
  EXPECT_NEAR(trace.report.last.q(0), 0.5, 1e-6);
  // A second run starts anew: every run has a copy of its own.
  EXPECT_EQ(record(s).report.last.q(0), trace.report.last.q(0));
}

// --- Limits ---

/// Full effort until the command falls below the limit, then linear: the time and the state of the change by hand.
TEST(EffortLimit, SwitchesWhereTheCommandPassesIt) {
  constexpr double I = 0.02, kp = 0.5, kd = 0.04, limit = 0.3;
  Scenario s = make_wheel(I, limit);
  drive(s, {{0, kp, kd, Trajectory(1)}});
  s.run = {.until = 1, .sample = 0.05, .tolerance = 1e-11};
  const Trace trace = record(s);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  // kp (1 − a t²/2) − kd a t = limit with a = limit/I.
  const double a = limit / I;
  const double t1 = (-kd * a + std::sqrt(kd * kd * a * a + 2 * kp * a * (kp - limit))) / (kp * a);
  ASSERT_GE(trace.events.size(), 1u);
  EXPECT_NEAR(trace.events[0].t, t1, 1e-12);
  EXPECT_EQ(trace.events[0].where(), "the effort of joint 'axle'");
  EXPECT_EQ(describe(trace.events[0]), "comes back from its upper limit of 0.3 N m");
  for (const Sample& row : trace.samples) {
    EXPECT_LE(std::abs(row.tau(0)), limit);
    if (row.state.t >= t1) continue;
    EXPECT_EQ(row.tau(0), limit);
    EXPECT_NEAR(row.state.q(0), 0.5 * a * row.state.t * row.state.t, 1e-12);
  }
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-10);
}

TEST(EffortLimit, KeepsTheOrderOfTheMethod) {
  // A swing that meets both limits many times: the error falls with the tolerance as without limits.
  const auto run = [](double tolerance) {
    Scenario s = make_wheel(0.02, 0.2);
    drive(s, {{0, 0.5, 0.002, path({{0, 1}, {1, -1}, {2, 1}}, Interpolation::hold)}});
    s.run = {.until = 4, .sample = 1, .tolerance = tolerance};
    return record(s);
  };
  const Trace best = run(1e-13);
  ASSERT_GE(best.events.size(), 8u);  // two jumps of the target, six passages of a limit
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const Trace trace = run(tolerance);
    ASSERT_EQ(trace.events.size(), best.events.size());
    EXPECT_LT(std::abs(trace.report.last.q(0) - best.report.last.q(0)), 100 * tolerance) << tolerance;
    EXPECT_LT(trace.report.rejected_steps, trace.report.steps / 2);  // kinks are met, not stumbled over
  }
}

TEST(EffortLimit, CutsProfilesToo) {
  // 1 N m sin(π t) cut at 0.5: v(1) = ∫τ/I by hand.
  Scenario s = make_wheel(0.02, 0.5);
  s.torques.push_back({0, Expression::parse("sin(pi*t)", kProfileVariables)});
  s.run = {.until = 1, .sample = 0.1, .tolerance = 1e-11};
  const Trace trace = record(s);
  const double t1 = 1.0 / 6,
               impulse = 2 * (1 - std::cos(std::numbers::pi * t1)) / std::numbers::pi + 0.5 * (1 - 2 * t1);
  EXPECT_NEAR(trace.report.last.v(0), impulse / 0.02, 1e-8);
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_NEAR(trace.events[0].t, t1, 1e-11);
  EXPECT_NEAR(trace.events[1].t, 1 - t1, 1e-11);
}

TEST(EffortLimit, HoldsWhereStiffnessMeetsIt) {
  // Stiff gains behind a limit: the implicit method must let go of the feedback at the limit and take it up again.
  Scenario s = make_wheel(1e-5, 0.5);
  drive(s, {{0, 50, 1, path({{0, 0}, {0.2, 1}}, Interpolation::linear)}});
  s.run = {.until = 0.5, .sample = 0.01, .tolerance = 1e-8};
  const Trace trace = record(s);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_LT(trace.report.steps, 2000);
  EXPECT_NEAR(trace.report.last.q(0), 1, 1e-5);
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-8);
}

TEST(EffortLimit, OnAStopTheJointLeavesWhenTheCutEffortLetsIt) {
  // The command would hold the pendulum on its stop against gravity; what the actuator has left does not.
  Scenario s = make_wheel(0.02, 0.1);
  s.model = [] {
    ModelBuilder builder;
    JointSpec axle{.name = "axle", .kind = JointKind::revolute};
    axle.effort = VectorX<double>::Constant(1, 0.1);
    builder.add_body({.name = "wheel", .mass = {.mass = 1, .inertia = {0.02, 0.02, 0.02, 0, 0, 0}}}, kWorld, axle);
    builder.add_stop({.dof = 0, .side = StopSide::lower, .bound = {Expression(0.0)}});
    return std::move(builder).finalize();
  }();
  drive(s, {{0, 5, 0, Trajectory(-1)}});  // presses on the stop with 5 N m, of which 0.1 are there
  s.torques.push_back({0, Expression::parse("50*t", kProfileVariables)});
  s.run = {.until = 0.2, .sample = 0.2, .tolerance = 1e-10};
  const Trace trace = record(s);
  // The command 50 t − 5 passes −0.1 at 0.098 s and 0 at 0.1 s, where the joint leaves.
  ASSERT_EQ(trace.report.events[static_cast<std::size_t>(EventKind::limit_off)], 1);
  for (const Event& event : trace.events) {
    if (event.kind == EventKind::limit_off) {
      EXPECT_NEAR(event.t, 0.1, 1e-9);
    }
  }
  EXPECT_NEAR(trace.events[0].t, 0.098, 1e-11);
}

// --- Faults ---

class Broken final : public Controller {
 public:
  std::string_view kind() const override { return "broken"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Broken>(*this); }
  void add_efforts(const Model&, double t, const double*, const double*, double* tau) override {
    tau[0] += t < 0.5 ? 0 : std::nan("");
  }
};

TEST(ControlFault, LawThatGivesNoNumberEndsTheRunWithItsName) {
  Scenario s = make_wheel(0.02);
  s.controls.push_back({std::make_shared<Broken>()});
  s.run = {.until = 1, .sample = 0.1};
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("control 'broken' asks joint 'axle' for an effort of nan"), std::string::npos)
      << trace.report.reason;
  for (const Sample& row : trace.samples) EXPECT_TRUE(row.state.q.allFinite() && row.tau.allFinite());
}

TEST(ControlFault, ScenarioThatCannotRunIsRefused) {
  Scenario s = make_wheel(0.02);
  s.controls.push_back({std::make_shared<Broken>(), -5});
  EXPECT_THROW(simulate(s), std::invalid_argument);
  s.controls = {{nullptr}};
  EXPECT_THROW(simulate(s), std::invalid_argument);
  s.controls.clear();
  drive(s, {{3, 1, 1, Trajectory()}});
  EXPECT_THROW(simulate(s), std::invalid_argument);
}

}  // namespace
}  // namespace thenar::control_test
