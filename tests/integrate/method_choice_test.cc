// SPDX-License-Identifier: BSD-3-Clause
// The automatic choice of the method, on models that it was not tuned with: it takes the explicit method where accuracy
// holds the step down, the implicit one where stability would, and pays little for finding out.
#include "thenar/integrate/method_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../dynamics/random_trees.h"
#include "../support/builders.h"
#include "thenar/simulation/simulate.h"

namespace thenar::method_choice_test {
namespace {

using enum IntegratorKind;

RunReport run_with(Scenario s, IntegratorKind integrator, double tolerance) {
  s.run.integrator = integrator;
  s.run.tolerance = tolerance;
  const RunReport report = simulate(s);
  EXPECT_EQ(report.status, RunStatus::done) << report.reason;
  return report;
}

/// Largest difference of coordinates (rad, m) and speeds (rad/s, m/s).
double distance(const State& a, const State& b) {
  return std::max((a.q - b.q).cwiseAbs().maxCoeff(), (a.v - b.v).cwiseAbs().maxCoeff());
}

/// Equal links on hinges about y, stretched out along x, so that they fall.
struct Chain {
  int links = 3;
  double mass = 1;      // kg, of one link
  double length = 0.5;  // m
  double damping = 0;   // N m s
};

BodyIndex add_chain(ModelBuilder& builder, BodyIndex parent, const std::string& name, const Pose<double>& X_PF,
                    const Chain& chain) {
  const double l = chain.length;
  const MassProperties link =
      test::box_mass(chain.mass, {l, l / 5, l / 5}).expressed_in(Pose<double>::translation({l / 2, 0, 0}));
  for (int i = 0; i < chain.links; ++i) {
    const std::string n = name + std::to_string(i);
    JointSpec hinge{.name = n, .kind = JointKind::revolute};
    hinge.X_PF = i == 0 ? X_PF : Pose<double>::translation({l, 0, 0});
    hinge.axis = Vector3<double>::UnitY();
    hinge.damping = VectorX<double>::Constant(1, chain.damping);
    parent = builder.add_body({.name = n, .mass = link}, parent, hinge);
  }
  return parent;
}

Scenario make_chain(const Chain& chain, double until) {
  ModelBuilder builder;
  add_chain(builder, kWorld, "link", {}, chain);
  return test::at_rest(std::move(builder).finalize(), until);
}

/// A block on a slide with a spring.
BodyIndex add_sprung_block(ModelBuilder& builder, double mass, double stiffness, double damping) {
  JointSpec slide{.name = "slide", .kind = JointKind::prismatic};
  slide.spring = JointSpring{MatrixX<double>::Constant(1, 1, stiffness), VectorX<double>::Zero(1)};
  slide.damping = VectorX<double>::Constant(1, damping);
  return builder.add_body({.name = "block", .mass = test::box_mass(mass, {0.1, 0.1, 0.1})}, kWorld, slide);
}

// --- Soft motions -------------------------------------------------------------------------------------------------

void expect_explicit(const Scenario& s, double tolerance) {
  const RunReport chosen = run_with(s, automatic, tolerance), fixed = run_with(s, explicit_pair, tolerance);
  EXPECT_EQ(chosen.implicit_steps, 0);
  // Never changing the method, it makes the same steps.
  EXPECT_EQ(chosen.evaluations, fixed.evaluations);
  EXPECT_TRUE(chosen.last == fixed.last);
}

TEST(MethodChoice, StaysExplicitForChainsWithoutDamping) {
  for (const double tolerance : {1e-4, 1e-8, 1e-11}) {
    expect_explicit(test::pendulum(2), tolerance);
    expect_explicit(make_chain({.links = 3}, 1), tolerance);
    expect_explicit(make_chain({.links = 10, .mass = 0.1, .length = 0.1}, 1), tolerance);
  }
}

TEST(MethodChoice, StaysExplicitForRandomTreesWithoutDamping) {
  using enum JointKind;
  for (const unsigned seed : {1u, 2u, 3u}) {
    test::RandomTree random(seed);
    for (Model model : {random.chain({revolute, universal, spherical}), random.hand(universal, {3, 3, 3}, true),
                        random.bush(8, {revolute, spherical, universal})}) {
      Scenario s = test::at_rest(std::move(model), 0.5);
      s.initial.q = random.position(s.model);
      s.initial.v = random.numbers(s.model.velocity_count(), 2);
      for (const double tolerance : {1e-4, 1e-8}) expect_explicit(s, tolerance);
    }
  }
}

// --- Stiff motions ------------------------------------------------------------------------------------------------

/// What it costs to find out that a motion is stiff: the first steps, which grow from a small one to the edge of
/// stability, and 8 there, of 12 evaluations each.
constexpr long long kPriceOfFinding = 220;

/// The automatic choice ends where the explicit method ends, for less than its cost over `gain`, and costs hardly more
/// than the implicit method would from the start. 100 tolerances are the local errors of as many steps.
void expect_implicit(const Scenario& s, double tolerance, double gain) {
  const RunReport chosen = run_with(s, automatic, tolerance), slow = run_with(s, explicit_pair, tolerance);
  const RunReport implicit = run_with(s, implicit_radau, tolerance);
  EXPECT_GT(chosen.implicit_steps, 0);
  EXPECT_LT(static_cast<double>(chosen.evaluations), static_cast<double>(slow.evaluations) / gain);
  EXPECT_LE(static_cast<double>(chosen.evaluations),
            1.5 * static_cast<double>(implicit.evaluations) + static_cast<double>(kPriceOfFinding));
  EXPECT_LT(distance(chosen.last, slow.last), 100 * tolerance);
}

TEST(MethodChoice, TurnsImplicitForStiffDampers) {
  // Phalanges of 20 g and 4 cm. The fastest decay is that of the last joint of a chain, about 6 c/(m l²) and more.
  for (const int links : {1, 3, 6}) {
    for (const double damping : {0.1, 1.0, 10.0}) {
      SCOPED_TRACE(std::to_string(links) + " links, damping " + std::to_string(damping));
      // Long enough for the fast motion to end, short enough to let the explicit method finish.
      const double until = 0.1 / damping;
      expect_implicit(make_chain({.links = links, .mass = 0.02, .length = 0.04, .damping = damping}, until), 1e-6, 20);
    }
  }
}

TEST(MethodChoice, TurnsImplicitForAStiffSpringWithCriticalDamping) {
  for (const double mass : {0.1, 0.01, 0.001}) {
    ModelBuilder builder;
    const double k = 1e6;
    const BodyIndex block = add_sprung_block(builder, mass, k, 2 * std::sqrt(k * mass));
    add_chain(builder, block, "link", {}, {.links = 1, .mass = 0.3, .length = 0.3});
    SCOPED_TRACE(mass);
    // Only mildly stiff, because the pendulum moves nearly as fast: 3.1 … 5.1 were seen.
    expect_implicit(test::at_rest(std::move(builder).finalize(), 1), 1e-6, 2);
  }
}

TEST(MethodChoice, TurnsImplicitForALightDampedFingerOnAHeavyArm) {
  ModelBuilder builder;
  const BodyIndex arm = add_chain(builder, kWorld, "arm", {}, {.links = 1, .mass = 5, .length = 1});
  add_chain(builder, arm, "finger", Pose<double>::translation({1, 0, 0}),
            {.links = 2, .mass = 0.005, .length = 0.03, .damping = 0.1});
  expect_implicit(test::at_rest(std::move(builder).finalize(), 0.5), 1e-6, 100);
}

// --- Motions that change ------------------------------------------------------------------------------------------

/// A pendulum beside a damped light finger that a torque presses on its stop, until it pulls it off at t = `release`.
Scenario make_held_finger(double release, double until) {
  ModelBuilder builder;
  add_chain(builder, kWorld, "arm", {}, {.links = 1, .mass = 1, .length = 0.3});
  add_chain(builder, kWorld, "finger", Pose<double>::translation({0, 1, 0}),
            {.links = 1, .mass = 0.005, .length = 0.03, .damping = 0.1});
  builder.add_stop({.dof = 1, .side = StopSide::upper, .bound = {Expression(0.0)}});
  Scenario s = test::at_rest(std::move(builder).finalize(), until);
  s.torques.push_back({1, Expression::parse("t < " + std::to_string(release) + " ? 0.01 : -0.01", kProfileVariables)});
  return s;
}

TEST(MethodChoice, FollowsAMotionThatBecomesStiff) {
  const double tolerance = 1e-6;
  // While the finger is held, its damper does nothing and the pendulum is all that moves.
  expect_explicit(make_held_finger(2, 2), tolerance);
  expect_implicit(make_held_finger(2, 3), tolerance, 20);
}

/// The finger falls on its stop, where a stiff motion ends.
TEST(MethodChoice, ReturnsToTheExplicitMethodWhenAMotionIsNoLongerStiff) {
  ModelBuilder builder;
  add_chain(builder, kWorld, "arm", {}, {.links = 1, .mass = 1, .length = 0.3});
  add_chain(builder, kWorld, "finger", Pose<double>::translation({0, 1, 0}),
            {.links = 1, .mass = 0.005, .length = 0.03, .damping = 0.1});
  builder.add_stop({.dof = 1, .side = StopSide::upper, .bound = {Expression(0.2)}});
  // Reached after about 1 s at 0.2 rad/s.
  Scenario s = test::at_rest(std::move(builder).finalize(), 2);
  s.torques.push_back({1, Expression(0.02)});
  const RunReport before = run_with(s, automatic, 1e-8);
  s.run.until = 6;
  const RunReport chosen = run_with(s, automatic, 1e-8), implicit = run_with(s, implicit_radau, 1e-8);
  EXPECT_GT(before.implicit_steps, 0);
  EXPECT_EQ(chosen.implicit_steps, before.implicit_steps);
  // The pendulum alone takes about 5 times as many evaluations with order 5 as with order 8 at this tolerance.
  EXPECT_LT(2 * chosen.evaluations, implicit.evaluations);
}

// --- Fast oscillations --------------------------------------------------------------------------------------------

TEST(MethodChoice, StaysExplicitWhereAccuracyFollowsAFastOscillation) {
  ModelBuilder builder;
  const double k = 1e6, mass = 1e-3, amplitude = 1e-2;
  add_sprung_block(builder, mass, k, 0);
  Scenario s = test::at_rest(std::move(builder).finalize(), 0.01);
  s.initial.q(0) = amplitude;
  const double rest = -mass * 9.81 / k, frequency = std::sqrt(k / mass);
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const RunReport chosen = run_with(s, automatic, tolerance);
    const RunReport slow = run_with(s, explicit_pair, tolerance), implicit = run_with(s, implicit_radau, tolerance);
    EXPECT_LE(static_cast<double>(chosen.evaluations),
              1.3 * static_cast<double>(std::min(slow.evaluations, implicit.evaluations)));
    const double exact = rest + (amplitude - rest) * std::cos(frequency * s.run.until);
    // 316 radians of phase turn the error of a step into that of the run; the scale of errors is the size of the block.
    EXPECT_NEAR(chosen.last.q(0), exact, tolerance);
    EXPECT_NEAR(implicit.last.q(0), exact, tolerance);
  }
}

}  // namespace
}  // namespace thenar::method_choice_test
