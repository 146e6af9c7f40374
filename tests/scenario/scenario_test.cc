// SPDX-License-Identifier: BSD-3-Clause
//
// Faults of run options, values of parameters, and joints that nothing resists.

#include "thenar/scenario/scenario.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/builders.h"

namespace thenar::scenario_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Run options ---

/// The fault of options in which one number is changed.
template <class T>
std::string fault_with(T RunOptions::*field, T value) {
  RunOptions options;
  options.*field = value;
  return options.find_fault();
}

TEST(RunOptions, OfDefaultsHaveNoFault) { EXPECT_EQ(RunOptions{}.find_fault(), ""); }

TEST(RunOptions, FaultsNameTheNumberThatIsWrong) {
  for (const double value : {0.0, -1.0, kNaN, kInfinity}) {
    SCOPED_TRACE(value);
    EXPECT_EQ(fault_with(&RunOptions::until, value).find("until must be greater than 0 s"), 0u);
    EXPECT_EQ(fault_with(&RunOptions::sample, value).find("sample must be greater than 0 s"), 0u);
    EXPECT_EQ(fault_with(&RunOptions::step, std::optional(value)).find("step must be greater than 0 s"), 0u);
  }
  for (const double value : {0.0, -1e-8, 9e-15, 0.11, kNaN}) {
    SCOPED_TRACE(value);
    EXPECT_EQ(fault_with(&RunOptions::tolerance, value).find("tolerance must lie between"), 0u);
  }
  EXPECT_EQ(fault_with(&RunOptions::tolerance, RunOptions::kTightestTolerance), "");
  EXPECT_EQ(fault_with(&RunOptions::tolerance, RunOptions::kLoosestTolerance), "");
}

TEST(RunOptions, RefuseMoreRowsOrStepsThanAnyoneMeans) {
  EXPECT_EQ(fault_with(&RunOptions::sample, 1.01 / RunOptions::kMostRows), "");
  EXPECT_NE(fault_with(&RunOptions::sample, 0.99 / RunOptions::kMostRows).find("take a longer sample"),
            std::string::npos);
  EXPECT_EQ(fault_with(&RunOptions::step, std::optional(1.01 / RunOptions::kMostSteps)), "");
  EXPECT_NE(fault_with(&RunOptions::step, std::optional(0.99 / RunOptions::kMostSteps)).find("take a longer step"),
            std::string::npos);
}

TEST(IntegratorKind, WordsDifferAndFixedStepsHaveNoErrorControl) {
  std::set<std::string> words;
  int adaptive = 0;
  for (int i = 0; i <= static_cast<int>(IntegratorKind::symplectic); ++i) {
    const auto kind = static_cast<IntegratorKind>(i);
    words.insert(to_string(kind));
    adaptive += has_error_control(kind);
  }
  EXPECT_EQ(words, (std::set<std::string>{"auto", "explicit", "implicit", "rk4", "rk8", "symplectic"}));
  EXPECT_EQ(adaptive, 3);
  EXPECT_FALSE(has_error_control(IntegratorKind::rk4));
}

// --- Parameters ---

/// Makes a pendulum and remembers the values that it was asked for.
class PendulumSource final : public ScenarioSource {
 public:
  Scenario make(std::span<const NamedValue> values) const override {
    asked.assign(values.begin(), values.end());
    return test::pendulum(0);
  }
  std::uint64_t fingerprint() const override { return 1; }

  mutable std::vector<NamedValue> asked;
};

class NoEffort final : public Controller {
 public:
  std::string_view kind() const override { return "none"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<NoEffort>(*this); }
  void add_efforts(const Model&, double, const double*, const double*, double*) override {}
};

Scenario make_parametric(std::shared_ptr<const ScenarioSource> source) {
  Scenario out = test::pendulum(0);
  out.name = "swing";
  out.parameters = {{.name = "friction"}, {.name = "mass"}};
  out.source = std::move(source);
  return out;
}

std::string message_of(const Scenario& scenario, const NamedValue& value) {
  try {
    with_parameters(scenario, std::vector<NamedValue>{value});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(WithParameters, RefusesNamesAndNumbersThatAreNone) {
  const auto source = std::make_shared<PendulumSource>();
  Scenario scenario = make_parametric(source);
  EXPECT_EQ(message_of(scenario, {"frictoin", 1}),
            "scenario 'swing' has no parameter 'frictoin', did you mean 'friction'?; it has: friction, mass");
  EXPECT_EQ(message_of(scenario, {"colour", 1}), "scenario 'swing' has no parameter 'colour'; it has: friction, mass");
  EXPECT_EQ(message_of(scenario, {"mass", kInfinity}), "the parameter 'mass' must be a finite number, not inf");
  EXPECT_TRUE(source->asked.empty());
  scenario.parameters.clear();
  EXPECT_EQ(message_of(scenario, {"mass", 1}), "scenario 'swing' has no parameter 'mass'; it has: none");
}

TEST(WithParameters, NeedsASourceOnlyToChangeSomething) {
  const Scenario scenario = make_parametric(nullptr);
  EXPECT_NE(message_of(scenario, {"mass", 1}).find("was not read from a file"), std::string::npos);
  EXPECT_EQ(with_parameters(scenario, {}).name, "swing");
}

TEST(WithParameters, KeepsEarlierValuesAndControllersOfTheProgram) {
  const auto source = std::make_shared<PendulumSource>();
  Scenario scenario = make_parametric(source);
  const auto law = std::make_shared<NoEffort>();
  scenario.controls.push_back({law});
  Scenario once = with_parameters(scenario, std::vector<NamedValue>{{"mass", 2}});
  EXPECT_EQ(once.controls.size(), 1u);
  once.parameters = scenario.parameters;
  once.source = source;
  const Scenario twice = with_parameters(once, std::vector<NamedValue>{{"friction", 0.3}, {"mass", 5}});
  ASSERT_EQ(source->asked.size(), 2u);
  EXPECT_EQ(source->asked[0].name, "mass");
  EXPECT_EQ(source->asked[0].value, 5) << "the later value counts";
  EXPECT_EQ(source->asked[1].name, "friction");
  ASSERT_EQ(twice.changed.size(), 2u);
  EXPECT_EQ(twice.changed[0].value, 5);
  ASSERT_EQ(twice.controls.size(), 1u);
  EXPECT_EQ(twice.controls[0].law, law);
}

// --- Inertia ---

/// A hinge about z that carries a body of the inner mass, on which a slide along x carries one of the outer mass.
Model make_two_links(double inner, double outer, double armature = 0) {
  ModelBuilder builder;
  const auto mass = [](double m) { return m > 0 ? test::box_mass(m, {0.1, 0.1, 0.1}) : MassProperties{}; };
  JointSpec hinge{.name = "hinge", .kind = JointKind::revolute};
  hinge.armature = VectorX<double>::Constant(1, armature);
  const BodyIndex link = builder.add_body({.name = "link", .mass = mass(inner)}, kWorld, hinge);
  JointSpec slide{.name = "slide", .kind = JointKind::prismatic};
  slide.axis = Vector3<double>::UnitX();
  slide.armature = VectorX<double>::Constant(1, armature);
  builder.add_body({.name = "tip", .mass = mass(outer)}, link, slide);
  return std::move(builder).finalize();
}

TEST(InertiaFault, IsOfTheJointThatMovesNoMass) {
  const VectorX<double> q = VectorX<double>::Zero(2);
  EXPECT_FALSE(find_inertia_fault(make_two_links(1, 1), q));
  EXPECT_FALSE(find_inertia_fault(make_two_links(0, 1), q)) << "the tip has inertia about the hinge";
  EXPECT_FALSE(find_inertia_fault(make_two_links(0, 0, 1e-6), q)) << "armature is inertia";
  const Model model = make_two_links(1, 0);
  const auto fault = find_inertia_fault(model, q);
  ASSERT_TRUE(fault);
  EXPECT_EQ(model.joint(fault->joint).spec.name, "slide");
  EXPECT_EQ(fault->message.find("joint 'slide' has no inertia to move: give body 'tip' a mass"), 0u);
}

/// However it lies in its body: rounding leaves a little of the zero then, of either sign.
TEST(InertiaFault, SeesTheDirectionThatAThinRodDoesNotResist) {
  for (double angle = 0; angle < 3; angle += 0.1) {
    SCOPED_TRACE(angle);
    const Matrix3<double> turn = Eigen::AngleAxisd(angle, Vector3<double>(1, 2, -1).normalized()).toRotationMatrix();
    const MassProperties rod = mass_properties_from_mass(Rod{0.5}, 1).expressed_in(Pose<double>::rotation(turn));
    ModelBuilder builder;
    builder.add_body({.name = "rod", .mass = rod}, kWorld, {.name = "ball", .kind = JointKind::spherical});
    const Model model = std::move(builder).finalize();
    const auto fault = find_inertia_fault(model, model.neutral_position());
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->message.find("joint 'ball' has no inertia to move in one of its directions"), 0u);
  }
}

}  // namespace
}  // namespace thenar::scenario_test
