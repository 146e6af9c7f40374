// SPDX-License-Identifier: BSD-3-Clause
//
// Scenarios and loads that make no sense are refused with words that say why.

#include "thenar/simulation/scenario_check_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/contact_scenes.h"
#include "thenar/control/joint_control.h"

namespace thenar::scenario_check_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class Check>
std::string message_of(const Check& check) {
  try {
    check();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

std::string refuse(const Scenario& s) {
  return message_of([&] { internal::check_scenario(s); });
}
std::string refuse(const Scenario& s, const ExternalLoads& loads) {
  return message_of([&] { internal::check_loads(s, loads); });
}

class Watcher final : public Controller {
 public:
  std::string_view kind() const override { return "watcher"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Watcher>(*this); }
  void add_efforts(const Model&, double, const double*, const double*, double*) override {}
  bool sees_contacts() const override { return true; }
};

TEST(ScenarioCheck, RefusesAStateThatIsNone) {
  Scenario s = test::pendulum(0);
  EXPECT_EQ(refuse(s), "");
  s.initial.q(0) = kNaN;
  EXPECT_EQ(refuse(s), "the initial state must consist of finite numbers");
  s.initial.q.setZero(3);
  EXPECT_EQ(refuse(s), "the initial state has 3 positions and 1 velocities, the model needs 1 and 1");
}

TEST(ScenarioCheck, RefusesWhatDrivesNothing) {
  Scenario s = test::pendulum(0);
  s.torques.push_back({1, Expression(1)});
  EXPECT_EQ(refuse(s), "there is no degree of freedom 1 to drive");
  s.torques.clear();
  WrenchProfile wrench;
  wrench.body = BodyIndex(2);
  s.wrenches.push_back(wrench);
  EXPECT_EQ(refuse(s), "a wrench acts on a body that is not there");
}

TEST(ScenarioCheck, RefusesControlsThatCannotRun) {
  Scenario s = test::pendulum(0);
  s.controls.push_back({nullptr});
  EXPECT_EQ(refuse(s), "a control has no law");
  s.controls[0].law = std::make_shared<Watcher>();
  EXPECT_EQ(refuse(s), "control 'watcher' sees contacts: give it a rate, at which it looks at them");
  s.controls[0].rate = 0;
  EXPECT_EQ(refuse(s), "control 'watcher': the rate must be greater than 0 Hz, found 0 Hz");
  s.controls[0].rate = 100;
  EXPECT_EQ(refuse(s), "");
}

TEST(ScenarioCheck, RefusesMethodsThatDoNotKnowWhatThereIs) {
  Scenario s = test::ball_over_floor(0);
  s.run.integrator = IntegratorKind::symplectic;
  EXPECT_NE(refuse(s).find("the symplectic method does not know contacts"), std::string::npos);
  s.contacts.reset();
  EXPECT_EQ(refuse(s), "");
  s.run.until = -1;
  EXPECT_NE(refuse(s).find("until must be greater than 0 s"), std::string::npos);
}

TEST(ScenarioCheck, AsksForInertiaOnlyWhereThingsAccelerate) {
  ModelBuilder builder;
  builder.add_body({.name = "ghost"}, kWorld, {.name = "slide", .kind = JointKind::prismatic});
  Scenario s = test::at_rest(std::move(builder).finalize());
  EXPECT_NE(refuse(s).find("joint 'slide' has no inertia to move"), std::string::npos);
  s.run.engine = EngineKind::quasistatic;
  EXPECT_EQ(refuse(s), "");
}

TEST(LoadCheck, RefusesWrenchesOnNothingAndOfNoNumbers) {
  const Scenario s = test::pendulum(0);
  ExternalLoads loads;
  loads.wrenches.push_back({.body = BodyIndex(1)});
  EXPECT_EQ(refuse(s, loads), "");
  loads.wrenches[0].torque.y = kNaN;
  EXPECT_EQ(refuse(s, loads), "a wrench on body 'rod' must consist of finite numbers");
  loads.wrenches[0].torque.y = 0;
  loads.wrenches[0].until = kNaN;
  EXPECT_NE(refuse(s, loads).find("a time at which it ends"), std::string::npos);
  loads.wrenches[0] = {.body = BodyIndex(7)};
  EXPECT_EQ(refuse(s, loads), "there is no body 7 for a wrench to act on");
}

TEST(LoadCheck, TargetsNeedAControllerThatHasThem) {
  Scenario s = test::pendulum(0);
  ExternalLoads loads;
  loads.targets.assign(1, 0.3);
  EXPECT_EQ(refuse(s, loads), "no controller of the scenario has a target for 'hinge'");
  s.controls.push_back(
      {std::make_shared<PdControl>(std::vector<JointServo>{{.dof = 0, .kp = 1, .kd = 1, .target = {}}})});
  EXPECT_EQ(refuse(s, loads), "");
  s.run.engine = EngineKind::quasistatic;
  EXPECT_NE(refuse(s, loads).find("slow motion follows the targets of its scenario"), std::string::npos);
  loads.targets.clear();
  loads.efforts.assign(1, 2.0);
  EXPECT_NE(refuse(s, loads).find("'hinge' is position-controlled in slow motion"), std::string::npos);
  s.controls.clear();
  s.torques.push_back({0, Expression(1)});
  EXPECT_EQ(refuse(s, loads), "");
}

}  // namespace
}  // namespace thenar::scenario_check_test
