// SPDX-License-Identifier: BSD-3-Clause
//
// A step does not touch the heap.

#include <gtest/gtest.h>

#include <string>

#include "../dynamics/random_trees.h"
#include "../support/builders.h"
#include "../support/heap_counter.h"
#include "thenar/control/grasp_control.h"
#include "thenar/control/joint_control.h"
#include "thenar/control/whole_arm.h"
#include "thenar/dynamics/batch_stepper.h"
#include "thenar/events/event_watch.h"
#include "thenar/motion/forces.h"
#include "thenar/motion/stepper.h"

namespace thenar::simulate_allocation_test {
namespace {

using test::count_allocations;

TEST(Allocation, Rk4StepUsesNoHeap) {
  Scenario s = test::mixed_tree();
  s.torques.push_back({7, Expression::parse("sin(t)*level", kProfileVariables)});
  WrenchProfile wrench;
  wrench.body = BodyIndex(2);
  wrench.force[1] = Expression::parse("0.1*cos(t)", kProfileVariables);
  s.wrenches.push_back(wrench);
  ScenarioForces<double> forces(s);
  Rk4Scratch<double> scratch(s.model);
  EXPECT_EQ(
      count_allocations([&] { rk4_step(s.model, 0, 1e-3, s.initial.q.data(), s.initial.v.data(), forces, scratch); }),
      0);
  EXPECT_TRUE(s.initial.q.allFinite());
}

TEST(Allocation, BatchStepUsesNoHeap) {
  const Scenario s = test::mixed_tree();
  Batch batch(s.model, 20);
  BatchStepper stepper(s.model);
  EXPECT_EQ(count_allocations([&] { stepper.step(s.model, 1e-3, batch); }), 0);
}

/// The first two joints of the first finger, which torques press on their lower stops.
bool is_held(int dof) { return dof == 3 || dof == 4; }

/// A hand of three fingers on a ball joint, with springs, stops and a driven wrist; `damping` is that of every joint,
/// N m s. The other joints move between their stops.
Scenario make_hand(double damping) {
  using enum JointKind;
  test::RandomTree random(5);
  ModelBuilder builder;
  const auto add = [&](const std::string& name, BodyIndex parent, JointKind kind) {
    JointSpec joint = random.joint(name, kind);
    joint.damping = VectorX<double>::Constant(velocity_count(kind), damping);
    joint.effort = VectorX<double>::Constant(velocity_count(kind), 100);  // watched, never reached
    if (kind == revolute) joint.spring = JointSpring{MatrixX<double>::Constant(1, 1, 0.1), VectorX<double>::Zero(1)};
    return builder.add_body({name, random.mass(-1.5, -1)}, parent, joint);
  };
  const BodyIndex palm = add("palm", kWorld, spherical);
  int dof = velocity_count(spherical);
  for (int finger = 0; finger < 3; ++finger) {
    BodyIndex parent = palm;
    for (int i = 0; i < 3; ++i, ++dof) {
      parent = add("f" + std::to_string(finger) + std::to_string(i), parent, revolute);
      builder.add_stop({.dof = dof, .side = StopSide::lower, .bound = {Expression(is_held(dof) ? 0.0 : -3.0)}});
      builder.add_stop({.dof = dof, .side = StopSide::upper, .bound = {Expression(3.0)}});
    }
  }
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.torques.push_back({0, Expression::parse("0.01*sin(t)", kProfileVariables)});
  for (int i = 0; i < dof; ++i) {
    if (is_held(i)) s.torques.push_back({i, Expression(-1)});
  }
  return s;
}

void hold_two_stops(ConstrainedMotion& motion) {
  Mode mode = motion.mode();
  for (int i = 0; i < static_cast<int>(motion.rows().size()); ++i) {
    const JointRow& row = motion.rows()[static_cast<std::size_t>(i)];
    if (row.kind() == JointRowKind::stop && is_held(row.dof()) && std::string(row.side()) == "lower")
      mode.held.push_back(i);
  }
  ASSERT_EQ(mode.held.size(), 2u);
  motion.hold({mode, {}});
}

/// All that a run does between two events, `steps` times.
void make_steps(Stepper& stepper, EventWatch& watch, int steps) {
  for (int i = 0; i < steps; ++i) {
    ASSERT_TRUE(stepper.step(stepper.has_error_control() ? 1e3 : stepper.t() + 1e-3));
    EventWatch::Finding finding = watch.find(stepper);
    while (finding.retry) {
      ASSERT_TRUE(stepper.retry(*finding.retry));
      finding = watch.find(stepper);
    }
    ASSERT_FALSE(finding.crossing);
    stepper.interpolate(0.3);
    stepper.accept(1);
  }
}

TEST(Allocation, StepsBetweenEventsUseNoHeap) {
  using enum IntegratorKind;
  for (const IntegratorKind integrator : {explicit_pair, implicit_radau, automatic, rk4, rk8, symplectic}) {
    for (const double damping : {0.0, 1.0}) {
      // Stiff dampers are beyond the explicit methods of fixed step.
      if (damping > 0 && !has_error_control(integrator)) continue;
      SCOPED_TRACE(std::string(to_string(integrator)) + " with damping " + std::to_string(damping));
      Scenario s = make_hand(damping);
      s.run.integrator = integrator;
      s.run.tolerance = 1e-6;
      s.run.step = 4e-3;  // s, so that all steps together are over before the fingers meet a stop
      ConstrainedMotion motion(s);
      const Tolerances tolerances(s.model, find_scales(s.model, s.initial), s.run.tolerance);
      Stepper stepper(motion, s.run, tolerances);
      EventWatch watch(motion, tolerances);
      hold_two_stops(motion);
      stepper.start(s.initial);
      make_steps(stepper, watch, 30);
      EXPECT_TRUE(watch.has_work());
      EXPECT_EQ(count_allocations([&] { make_steps(stepper, watch, 30); }), 0);
      EXPECT_EQ(stepper.implicit_steps() > 0, integrator == implicit_radau || (integrator == automatic && damping > 0));
    }
  }
}

/// The hand above under feedback: computed torque and a squeeze, held at stops, behind limits of efforts that nothing
/// reaches; or gains that are stiff for its links.
Scenario make_controlled_hand(bool is_stiff) {
  Scenario s = make_hand(0.01);
  std::vector<JointServo> servos;
  for (int dof = 6; dof < s.model.velocity_count(); ++dof) {
    const std::vector<Waypoint> points{{0, 0}, {0.4, 0.3}};
    const Trajectory target(points, Interpolation::quintic);
    servos.push_back({dof, is_stiff ? 5.0 : 40.0, is_stiff ? 1.0 : 10.0, target});
  }
  const auto tip = [&](const char* name) { return BodyPoint<double>{*s.model.find_body(name), {0.01, 0, 0}}; };
  s.controls.push_back({std::make_shared<Squeeze>(tip("f12"), tip("f22"), Expression(0.01))});
  if (is_stiff) {
    s.controls.push_back({std::make_shared<PdControl>(servos)});
  } else {
    s.controls.push_back({std::make_shared<ComputedTorque>(servos)});
  }
  return s;
}

TEST(Allocation, ControllersUseNoHeap) {
  using enum IntegratorKind;
  for (const bool is_stiff : {false, true}) {
    for (const IntegratorKind integrator : {explicit_pair, implicit_radau}) {
      if (is_stiff && integrator == explicit_pair) continue;
      SCOPED_TRACE(std::string(to_string(integrator)) + (is_stiff ? ", stiff" : ""));
      Scenario s = make_controlled_hand(is_stiff);
      s.run.integrator = integrator;
      s.run.tolerance = 1e-6;
      s.run.step = 4e-3;
      ConstrainedMotion motion(s);
      const Tolerances tolerances(s.model, find_scales(s.model, s.initial), s.run.tolerance);
      Stepper stepper(motion, s.run, tolerances);
      EventWatch watch(motion, tolerances);
      hold_two_stops(motion);
      motion.actuation().keep_sides(0, s.initial.q.data(), s.initial.v.data());
      stepper.start(s.initial);
      make_steps(stepper, watch, 30);
      EXPECT_TRUE(motion.actuation().has_feedback());
      EXPECT_EQ(count_allocations([&] { make_steps(stepper, watch, 30); }), 0);
    }
  }
}

TEST(Allocation, ObjectControlUsesNoHeap) {
  const Scenario s = test::free_box();
  ObjectControl law(
      {.object = BodyIndex(1),
       .fingertips = {{BodyIndex(1), {0.1, 0, 0}}, {BodyIndex(1), {0, 0.1, 0}}, {BodyIndex(1), {0, 0, 0.1}}},
       .kp = 1,
       .squeeze = Expression(1.0)});
  law.prepare(s.model);
  VectorX<double> tau = VectorX<double>::Zero(6);
  EXPECT_EQ(
      count_allocations([&] { law.add_efforts(s.model, 0.1, s.initial.q.data(), s.initial.v.data(), tau.data()); }), 0);
  EXPECT_GT(law.forces()[0].eigen().norm(), 0);
}

/// Two balls on rails press on one that floats between them.
TEST(Allocation, WholeArmUsesNoHeap) {
  ModelBuilder builder;
  const MassProperties mass = mass_properties_from_mass(Sphere{0.1}, 1);
  WholeArm::Options options;
  options.margin = 0.1;
  for (const double x : {-0.2, 0.2}) {
    const std::string name = x < 0 ? "left" : "right";
    JointSpec rail{.name = name, .kind = JointKind::prismatic, .X_PF = Pose<double>::translation({x, 0, 0})};
    rail.axis = Vector3<double>::UnitX();
    const BodyIndex arm = builder.add_body({name, mass}, kWorld, rail);
    options.arms.push_back({arm, 0.5, Expression(2.0)});
    options.shapes.push_back({arm, Sphere{0.1}, {}});
  }
  options.object = builder.add_body({"ball", mass}, kWorld, {.name = "ball", .kind = JointKind::free});
  options.shapes.push_back({options.object, Sphere{0.1}, {}});
  const Model model = std::move(builder).finalize();
  WholeArm law(std::move(options));
  law.prepare(model);
  const VectorX<double> q = model.neutral_position(), v = VectorX<double>::Zero(8);
  VectorX<double> tau = v;
  const auto evaluate = [&] { law.add_efforts(model, 0.1, q.data(), v.data(), tau.data()); };
  for (int i = 0; i < 2; ++i) evaluate();  // the finder's storage grows with what it has found before
  EXPECT_EQ(count_allocations(evaluate), 0);
  ASSERT_EQ(law.plan().size(), 2U);
  EXPECT_NEAR(law.plan()[0].force, 2, 1e-9);
}

}  // namespace
}  // namespace thenar::simulate_allocation_test
