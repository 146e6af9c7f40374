// SPDX-License-Identifier: BSD-3-Clause
//
// Steps through smooth motion: their lengths, what is seen inside of them, and what accepting a part of one leaves.

#include "thenar/motion/stepper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../support/builders.h"
#include "thenar/motion/state_energy.h"

namespace thenar::stepper_test {
namespace {

constexpr double kG = 9.81;

/// A box in free fall, thrown and spinning about a principal axis.
Scenario make_throw() {
  Scenario s = test::free_box();
  s.initial.v << 0, 0, 3, 1, 2, 4;
  s.run.tolerance = 1e-10;
  return s;
}

struct Steps {
  explicit Steps(const Scenario& s)
      : scenario(s),
        motion(scenario),
        tolerances(s.model, find_scales(s.model, s.initial), s.run.tolerance),
        stepper(motion, scenario.run, tolerances) {
    stepper.start(scenario.initial);
  }

  const Scenario scenario;
  ConstrainedMotion motion;
  Tolerances tolerances;
  Stepper stepper;
};

TEST(Stepper, EndsExactlyAtTheLimitAndFollowsTheParabola) {
  Steps run(make_throw());
  int steps = 0;
  double before = 0;
  for (; run.stepper.state().t < 0.7 && steps < 1000; ++steps) {
    ASSERT_TRUE(run.stepper.step(0.7));
    EXPECT_EQ(run.stepper.t(), before);
    EXPECT_LE(run.stepper.t_end(), 0.7);
    before = run.stepper.t_end();
    run.stepper.accept(1);
    EXPECT_EQ(run.stepper.state().t, before);
    if (steps > 0) {
      EXPECT_TRUE(run.stepper.goes_on() || run.stepper.state().t == 0.7);
    }
  }
  const State& end = run.stepper.state();
  EXPECT_EQ(end.t, 0.7);
  EXPECT_EQ(run.stepper.steps(), steps);
  EXPECT_NEAR(end.q(0), 0.7, 1e-12);
  EXPECT_NEAR(end.q(1), 1.4, 1e-12);
  EXPECT_NEAR(end.q(2), 4 * 0.7 - 0.5 * kG * 0.49, 1e-12);
  EXPECT_NEAR(end.v(5), 4 - kG * 0.7, 1e-12);
  EXPECT_NEAR(end.q(3), std::cos(0.5 * 3 * 0.7), 1e-9) << "turned by ω t about z";
}

TEST(Stepper, ItsDenseOutputIsTheMotion) {
  Steps run(make_throw());
  ASSERT_TRUE(run.stepper.step(0.3));
  const double h = run.stepper.h();
  for (const double theta : {0.0, 0.2, 0.5, 0.9, 1.0}) {
    SCOPED_TRACE(theta);
    const double t = theta * h;
    const Stepper::Point& point = run.stepper.interpolate(theta);
    EXPECT_NEAR(point.q(2), 4 * t - 0.5 * kG * t * t, 1e-12);
    EXPECT_NEAR(point.v(5), 4 - kG * t, 1e-12);
    EXPECT_NEAR(run.stepper.evaluate(theta)[5], -kG, 1e-11);
  }
  EXPECT_NEAR(run.stepper.evaluate_state()[5], -kG, 1e-11);
}

TEST(Stepper, AcceptingAPartIsBeingThere) {
  Steps run(make_throw());
  ASSERT_TRUE(run.stepper.step(0.3));
  const double h = run.stepper.h();
  const Stepper::Point point = run.stepper.interpolate(0.4);
  run.stepper.accept(0.4);
  const State& state = run.stepper.state();
  EXPECT_EQ(state.t, 0.4 * h);
  EXPECT_EQ(state.q, point.q);
  EXPECT_EQ(state.v, point.v);
  EXPECT_FALSE(run.stepper.goes_on());
}

TEST(Stepper, RetryIsShorterAndFromTheSamePlace) {
  Steps run(make_throw());
  ASSERT_TRUE(run.stepper.step(0.3));
  run.stepper.accept(1);
  ASSERT_TRUE(run.stepper.step(0.3));
  const double t = run.stepper.t(), h = run.stepper.h();
  ASSERT_TRUE(run.stepper.retry(0.25 * h));
  EXPECT_EQ(run.stepper.t(), t);
  EXPECT_LE(run.stepper.h(), 0.25 * h * (1 + 1e-15));
  EXPECT_FALSE(run.stepper.retry(0));
}

/// What forces do in the parts of a motion adds up to the change of energy.
TEST(Stepper, WorkAndDissipationAddUpToTheChangeOfEnergy) {
  Scenario s = test::pendulum(1, 0.05);
  s.torques.push_back({0, Expression::parse("0.4*sin(5*t)", kProfileVariables)});
  s.run.tolerance = 1e-11;
  Steps run(s);
  double work = 0, dissipated = 0;
  for (int k = 0; run.stepper.state().t < 2; ++k) {
    ASSERT_TRUE(run.stepper.step(2));
    const double part = k % 3 == 0 ? 0.6 : 1;
    const EnergyFlow<double> flow = run.stepper.accept(part);
    work += flow.work, dissipated += flow.dissipated;
    if (part < 1) run.stepper.start(State(run.stepper.state()));
  }
  EXPECT_GT(dissipated, 0.1);
  EXPECT_NEAR(calc_energy(s.model, run.stepper.state()) - calc_energy(s.model, s.initial), work - dissipated,
              1e-8);  // a thousand times the tolerance of 1e-11 in energies of size 1, over some hundred steps
}

TEST(Stepper, FixedStepsGoToTheLimitAtOnce) {
  Scenario s = test::pendulum(1);
  s.run.integrator = IntegratorKind::rk4;
  Steps run(s);
  EXPECT_FALSE(run.stepper.has_error_control());
  ASSERT_TRUE(run.stepper.step(1e-3));
  EXPECT_EQ(run.stepper.h(), 1e-3);
}

TEST(Stepper, AStiffStartTakesTheImplicitMethodWhereItMayChoose) {
  Steps choosing(make_throw());
  EXPECT_FALSE(choosing.stepper.is_implicit());
  choosing.stepper.start(choosing.scenario.initial, true);
  EXPECT_TRUE(choosing.stepper.is_implicit());
  Scenario s = make_throw();
  s.run.integrator = IntegratorKind::explicit_pair;
  Steps bound(s);
  bound.stepper.start(s.initial, true);
  EXPECT_FALSE(bound.stepper.is_implicit());
}

TEST(Stepper, WhereForcesAreNoNumbersNoStepSucceeds) {
  Scenario s = test::pendulum(0);
  s.torques.push_back({0, Expression::parse("sqrt(0.1 - t)", kProfileVariables)});
  Steps run(s);
  bool goes_on = true;
  for (int k = 0; goes_on && k < 100000; ++k) {
    goes_on = run.stepper.step(1);
    if (goes_on) run.stepper.accept(1);
  }
  EXPECT_FALSE(goes_on);
  EXPECT_LE(run.stepper.state().t, 0.1);
  EXPECT_GT(run.stepper.state().t, 0.09);
  EXPECT_GT(run.stepper.rejected(), 0);
}

}  // namespace
}  // namespace thenar::stepper_test
