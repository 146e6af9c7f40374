// SPDX-License-Identifier: BSD-3-Clause
// The automatic choice of the method, on models that it was not tuned with: it takes the explicit method where accuracy
// holds the step down, the implicit one where stability would, and pays little for finding out.
#include "thenar/simulate/method_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../dynamics/random_trees.h"
#include "builders.h"
#include "thenar/simulate/simulate.h"

namespace thenar {
namespace {

using enum IntegratorKind;

RunReport run_with(Scenario s, IntegratorKind integrator, double tolerance) {
  s.run.integrator = integrator;
  s.run.tolerance = tolerance;
  const RunReport report = simulate(s);
  EXPECT_EQ(report.status, RunStatus::done) << report.reason;
  std::printf("  %-9s tol %g steps %lld implicit %lld rejected %lld evals %lld  wall %.3f\n", to_string(integrator), tolerance,
              report.steps, report.implicit_steps, report.rejected_steps, report.evaluations, report.wall_s);
  return report;
}

double distance(const State& a, const State& b) {
  return std::max((a.q - b.q).cwiseAbs().maxCoeff(), (a.v - b.v).cwiseAbs().maxCoeff());
}

/// A chain of equal rods on hinges about y with springs and dampers; stretched out along x, so that it falls.
struct Chain {
  int links = 3;
  double mass = 1;     // kg, of one link
  double length = 0.5; // m
  double damping = 0;  // N m s
  double until = 1;    // s
};
BodyIndex add_chain(ModelBuilder& builder, BodyIndex parent, const std::string& name, const Pose<double>& X_PF, const Chain& chain) {
  // Rods with some thickness, so that nothing is without inertia.
  const double l = chain.length;
  const MassProperties rod = testing::box_mass(chain.mass, {l, l / 5, l / 5}).expressed_in(Pose<double>::translation({l / 2, 0, 0}));
  for (int i = 0; i < chain.links; ++i) {
    const std::string n = name + std::to_string(i);
    JointSpec hinge{.name = n, .kind = JointKind::revolute};
    hinge.X_PF = i == 0 ? X_PF : Pose<double>::translation({l, 0, 0});
    hinge.axis = Vector3<double>::UnitY();
    hinge.damping = VectorX<double>::Constant(1, chain.damping);
    parent = builder.add_body({.name = n, .mass = rod}, parent, hinge);
  }
  return parent;
}
Scenario make_chain(const Chain& chain) {
  ModelBuilder builder;
  add_chain(builder, kWorld, "link", {}, chain);
  return testing::at_rest(std::move(builder).finalize(), chain.until);
}

void explore(const char* name, const Scenario& s, double tolerance = 1e-8) {
  std::printf("%s\n", name);
  const RunReport a = run_with(s, automatic, tolerance), e = run_with(s, explicit_pair, tolerance), i = run_with(s, implicit_radau, tolerance);
  std::printf("  distance %g %g\n", distance(a.last, e.last), distance(i.last, e.last));
}

TEST(MethodChoice, Explore) {
  explore("pendulum", testing::pendulum(2));
  explore("chain 3", make_chain({}));
  explore("chain 10", make_chain({.links = 10, .mass = 0.1, .length = 0.1}));
  using enum JointKind;
  for (unsigned seed : {1u, 2u, 3u}) {
    test::RandomTree random(seed);
    for (Model model : {random.chain({revolute, universal, spherical}), random.hand(universal, {3, 3, 3}, true), random.bush(8, {revolute, spherical, universal})}) {
      Scenario s = testing::at_rest(std::move(model), 0.5);
      s.initial.q = random.position(s.model);
      s.initial.v = random.numbers(s.model.velocity_count(), 2);
      explore("random", s);
      explore("random, loose", s, 1e-4);
    }
  }
  for (const int links : {1, 3, 6}) {
    for (const double damping : {0.01, 0.1, 1.0, 10.0}) {
      explore(("damped " + std::to_string(links) + " " + std::to_string(damping)).c_str(), make_chain({.links = links, .mass = 0.02, .length = 0.04, .damping = damping, .until = damping > 0.5 ? 0.1 : 1}), 1e-6);
    }
  }
  {
    ModelBuilder builder;
    JointSpec slide{.name = "slide", .kind = prismatic};
    slide.spring = JointSpring{MatrixX<double>::Constant(1, 1, 1e6), VectorX<double>::Zero(1)};
    slide.damping = VectorX<double>::Constant(1, 2e3);
    const BodyIndex cart = builder.add_body({.name = "cart", .mass = testing::box_mass(1, {0.1, 0.1, 0.1})}, kWorld, slide);
    add_chain(builder, cart, "link", {}, {.links = 2, .mass = 0.3, .length = 0.3});
    explore("stiff spring", testing::at_rest(std::move(builder).finalize(), 2), 1e-6);
  }
  {
    ModelBuilder builder;
    const BodyIndex arm = add_chain(builder, kWorld, "arm", {}, {.links = 1, .mass = 5, .length = 1});
    add_chain(builder, arm, "finger", Pose<double>::translation({1, 0, 0}), {.links = 2, .mass = 0.005, .length = 0.03, .damping = 0.1});
    explore("carried finger", testing::at_rest(std::move(builder).finalize(), 1), 1e-6);
  }
  {
    ModelBuilder builder;
    JointSpec slide{.name = "slide", .kind = prismatic};
    slide.spring = JointSpring{MatrixX<double>::Constant(1, 1, 1e6), VectorX<double>::Zero(1)};
    builder.add_body({.name = "cart", .mass = testing::box_mass(1e-3, {0.01, 0.01, 0.01})}, kWorld, slide);
    Scenario s = testing::at_rest(std::move(builder).finalize(), 0.02);
    s.initial.q(0) = 1e-3;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) explore("oscillator", s, tolerance);
  }
  {
    // A pendulum beside a finger that a torque presses on its stop for the first half of the run.
    ModelBuilder builder;
    add_chain(builder, kWorld, "arm", {}, {.links = 2, .mass = 1, .length = 0.3});
    add_chain(builder, kWorld, "finger", Pose<double>::translation({0, 1, 0}), {.links = 1, .mass = 0.005, .length = 0.03, .damping = 0.1});
    builder.add_stop({.dof = 2, .side = StopSide::upper, .bound = {Expression(0.0)}});
    Scenario s = testing::at_rest(std::move(builder).finalize(), 4);
    s.torques.push_back({2, Expression::parse("t < 2 ? 0.01 : -0.01", kProfileVariables)});
    explore("finger on its stop for 2 s", s, 1e-6);
    explore("finger on its stop for 2 s", s, 1e-8);
  }
}

}  // namespace
}  // namespace thenar
