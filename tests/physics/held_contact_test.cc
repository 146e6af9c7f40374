// SPDX-License-Identifier: BSD-3-Clause
//
// Motion while contacts hold: rolling and sliding between events, against closed forms.

#include "thenar/motion/held_contact.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/motion/state_energy.h"
#include "thenar/motion/stepper.h"

namespace thenar::held_contact_test {
namespace {

constexpr double kGravity = 9.81;

std::string in_full(double x) { return fmt::format("{}", x); }

/// A scenario whose contacts all hold in one way, carried through time without events.
class HeldMotion {
 public:
  HeldMotion(const std::string& text, ContactHold hold)
      : scenario_(parse_scenario("thenar: 1\n" + text + "run: {until: 10, tolerance: 1e-11}\n", "test.yaml")),
        motion_(scenario_),
        tolerances_(scenario_.model, find_scales(scenario_.model, scenario_.initial), scenario_.run.tolerance),
        stepper_(motion_, scenario_.run, tolerances_),
        workspace_(scenario_.model),
        finder_(scenario_.model, scenario_.shapes, *scenario_.contacts) {
    const State& start = scenario_.initial;
    update_positions(scenario_.model, start.q.data(), workspace_);
    update_velocities(scenario_.model, start.v.data(), workspace_);
    finder_.update(workspace_, ContactTolerances(finder_.calc_size(workspace_)).touch());
    const LawTable laws(scenario_.model, *scenario_.contacts);
    std::vector<HeldContact> held;
    for (const FoundContact& found : finder_.contacts()) {
      held.emplace_back(scenario_.model, workspace_, finder_, found, laws.find_law(found.body_A, found.body_B), hold,
                        1e-10);
    }
    motion_.hold({motion_.mode(), std::move(held)});
    stepper_.start(start);
  }

  void run_to(double t) {
    while (stepper_.state().t < t) {
      ASSERT_TRUE(stepper_.step(t));
      stepper_.accept(1);
      note_violations();
    }
  }

  const Scenario& scenario() const { return scenario_; }
  const State& state() const { return stepper_.state(); }
  ConstrainedMotion& motion() { return motion_; }
  Stepper& stepper() { return stepper_; }
  double worst_gap() const { return worst_gap_; }
  double worst_slip() const { return worst_slip_; }

  double calc_energy() {
    update_positions(scenario_.model, state().q.data(), workspace_);
    update_velocities(scenario_.model, state().v.data(), workspace_);
    return calc_kinetic_energy(scenario_.model, workspace_, state().v.data()) +
           calc_gravity_energy(scenario_.model, workspace_);
  }

 private:
  void note_violations() {
    update_positions(scenario_.model, state().q.data(), workspace_);
    update_velocities(scenario_.model, state().v.data(), workspace_);
    for (HeldContact contact : motion_.contacts()) {
      ASSERT_TRUE(contact.update(workspace_));
      worst_gap_ = std::max(worst_gap_, std::abs(contact.gap()));
      if (contact.hold() == ContactHold::rolling) {
        worst_slip_ = std::max(worst_slip_, contact.velocity().head<3>().cwiseAbs().maxCoeff());
      }
    }
  }

  Scenario scenario_;
  ConstrainedMotion motion_;
  Tolerances tolerances_;
  Stepper stepper_;
  Workspace<double> workspace_;
  ContactFinder finder_;
  double worst_gap_ = 0, worst_slip_ = 0;
};

/// A plane tilted about y by `angle`: down is +x. The body's origin is `height` above it.
std::string incline(const std::string& body, double angle, double height, double mu) {
  const double s = std::sin(angle), c = std::cos(angle);
  return "parameters: {angle: " + in_full(angle) + "}\nobjects:\n  - {name: body, " + body + ", pose: {xyz: [" +
         in_full(height * s) + ", 0, " + in_full(height * c) +
         "], rpy: [0, $angle, 0]}}\n  - {name: floor, joint: fixed, shape: {plane: {}}, pose: {rpy: [0, $angle, 0]}}\n"
         "contacts: {friction: " +
         in_full(mu) + "}\n";
}

TEST(HeldContact, BallRollsDownAnInclineWithFiveSevenths) {
  const double angle = 0.25;
  HeldMotion motion(incline("shape: {sphere: 0.25}, mass: 3", angle, 0.25, 1), ContactHold::rolling);
  const Eigen::Vector3d start = motion.state().q.head<3>();
  motion.run_to(2);
  const double expected = 0.5 * 5.0 / 7 * kGravity * std::sin(angle) * 4;
  EXPECT_NEAR((motion.state().q.head<3>() - start).norm(), expected, 1e-9 * expected);
  EXPECT_LT(motion.worst_gap(), 1e-14 * expected);
  EXPECT_LT(motion.worst_slip(), 1e-13);
}

TEST(HeldContact, BoxSlidesDownAnInclineByCoulombsLaw) {
  const double angle = 0.5, mu = 0.3;
  HeldMotion motion(incline("shape: {box: [0.4, 0.3, 0.2]}, mass: 2, velocity: {linear: [" +
                                in_full(0.1 * std::cos(angle)) + ", 0, " + in_full(-0.1 * std::sin(angle)) + "]}",
                            angle, 0.1, mu),
                    ContactHold::sliding);
  ASSERT_EQ(motion.motion().contacts().size(), 4U);  // redundant: four corners for three directions
  const Eigen::Vector3d start = motion.state().q.head<3>();
  motion.run_to(1);
  const double a = kGravity * (std::sin(angle) - mu * std::cos(angle)), expected = 0.1 + 0.5 * a;
  EXPECT_NEAR((motion.state().q.head<3>() - start).norm(), expected, 1e-9);
  EXPECT_LT(motion.worst_gap(), 1e-14);
  double normal = 0;
  for (const Vector4<double>& force : motion.motion().contact_forces()) normal += force(0);
  EXPECT_NEAR(normal, 2 * kGravity * std::cos(angle), 1e-9);
}

TEST(HeldContact, BallInABowlKeepsItsEnergyAndItsTouch) {
  HeldMotion motion(
      "objects:\n  - {name: ball, shape: {sphere: 0.05}, mass: 0.2, pose: {xyz: [0.3, 0, -0.33541019662496846]}, "
      "velocity: "
      "{linear: [0, 0.8, 0], angular: [0, 0, 0]}}\n"
      "  - {name: bowl, joint: fixed, shape: {bowl: {radius: 0.5, depth: 0.5}}}\ncontacts: {friction: 2}\n",
      ContactHold::rolling);
  ASSERT_EQ(motion.motion().contacts().size(), 1U);
  const double start = motion.calc_energy();
  motion.run_to(5);
  // The start slips, which the first step takes away; from then on energy is kept.
  const double rolling = motion.calc_energy();
  EXPECT_LT(rolling, start + 1e-12);
  motion.run_to(20);
  EXPECT_NEAR(motion.calc_energy(), rolling, 1e-8 * std::abs(rolling));
  EXPECT_LT(motion.worst_gap(), 1e-14);
  EXPECT_LT(motion.worst_slip(), 1e-12);
}

TEST(HeldContact, SlipGoesOnSmoothlyThroughRest) {
  // A block that is braked: u = v₀ − μ g t, past its rest too, so that the event can be located inside of a step.
  const double mu = 0.2;
  HeldMotion motion(
      "objects:\n  - {name: body, shape: {box: [0.4, 0.3, 0.02]}, mass: 2, pose: {xyz: [0, 0, 0.01]}, "
      "velocity: {linear: [1, 0, 0]}}\n  - {name: floor, joint: fixed, shape: {plane: {}}}\ncontacts: "
      "{friction: 0.2}\n",
      ContactHold::sliding);
  const double rest = 1 / (mu * kGravity);
  motion.run_to(0.9 * rest);
  EXPECT_NEAR(motion.state().v(3), 0.1, 1e-10);
  ASSERT_TRUE(motion.stepper().step(1.1 * rest));
  EXPECT_NEAR(motion.stepper().interpolate(1).v(3), 1 - mu * kGravity * (motion.stepper().t() + motion.stepper().h()),
              1e-10);
}

/// A disc on a box crosses one of its edges in two points, which meet where the disc is all on the box. Beyond that the
/// rim has places on the line of the edge that look along the face: none of them is this contact.
TEST(HeldContact, OfARimAndAnEdgeIsLostWhereTheRimLeavesTheEdge) {
  HeldMotion motion(
      "objects:\n"
      "  - {name: disc, shape: {cylinder: {radius: 20 mm, length: 4 mm}}, mass: 1, pose: {xyz: [0.092, 0, 0.002]}}\n"
      "  - {name: table, joint: fixed, shape: {box: [0.2, 0.2, 0.1]}, pose: {xyz: [0, 0, -0.05]}}\n"
      "contacts: {friction: 0.3}\n",
      ContactHold::rolling);
  const Model& model = motion.scenario().model;
  Workspace<double> workspace(model);
  const auto move_to = [&](double x, double tilt) {
    VectorX<double> q = motion.state().q, turn = VectorX<double>::Zero(6);
    q(0) = x;
    turn(1) = tilt;
    VectorX<double> out(q.size());
    integrate_position(model, q.data(), turn.data(), out.data());
    update_positions(model, out.data(), workspace);
    update_velocities(model, motion.state().v.data(), workspace);
  };
  int crossings = 0;
  for (const HeldContact& held : motion.motion().contacts()) {
    if (std::abs(held.kinematics().place().A.p.x - 0.1) > 1e-12) continue;  // not over the edge
    ++crossings;
    for (const double tilt : {0.0, 1e-12, -1e-12, 1e-3, -1e-3}) {
      HeldContact contact = held;
      move_to(0.0805, tilt);
      EXPECT_TRUE(contact.update(workspace)) << tilt;
      EXPECT_LT(std::abs(contact.gap()), 0.02 * std::abs(tilt) + 1e-15);
      move_to(0.0795, tilt);
      EXPECT_FALSE(contact.update(workspace)) << tilt << " gap " << contact.gap();
    }
  }
  EXPECT_EQ(crossings, 2);
}

}  // namespace
}  // namespace thenar::held_contact_test
