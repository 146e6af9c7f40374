// SPDX-License-Identifier: BSD-3-Clause
//
// Efforts of actuators: sums, limits and the sides that a run keeps, samples, and derivatives.

#include "thenar/motion/actuation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../support/builders.h"

namespace thenar::actuation_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two hinges, the first with an actuator of at most 2 N m.
Scenario make_arm() {
  ModelBuilder builder;
  JointSpec first{.name = "a", .kind = JointKind::revolute};
  first.effort = VectorX<double>::Constant(1, 2);
  const MassProperties mass = test::box_mass(1, {0.1, 0.1, 0.3});
  const BodyIndex upper = builder.add_body({.name = "upper", .mass = mass}, kWorld, first);
  builder.add_body({.name = "lower", .mass = mass}, upper, {.name = "b", .kind = JointKind::revolute});
  return test::at_rest(std::move(builder).finalize());
}

Expression parse(const char* text) { return Expression::parse(text, kProfileVariables); }

/// τ_a = −3 sin(q_a + q_b) − v_a², τ_b = q_a v_b: derivatives in closed form.
class CurvedLaw : public Controller {
 public:
  std::string_view kind() const override { return "curved"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<CurvedLaw>(*this); }
  void add_efforts(const Model&, double, const double* q, const double* v, double* tau) override {
    tau[0] += -3 * std::sin(q[0] + q[1]) - v[0] * v[0];
    tau[1] += q[0] * v[1];
  }
};

/// Adds up what it samples; remembers the sum if `remembers`.
class SummingLaw final : public Controller {
 public:
  explicit SummingLaw(bool remembers = true) : remembers_(remembers) {}
  std::string_view kind() const override { return "sum"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<SummingLaw>(*this); }
  void add_efforts(const Model&, double, const double*, const double*, double* tau) override { tau[1] += 100; }
  void sample(const Model&, const ControlInput& now, double* tau) override { tau[1] += sum_ += now.q[0]; }
  bool sees_contacts() const override { return true; }
  std::optional<std::span<double>> memory() override {
    return remembers_ ? std::optional(std::span(&sum_, 1)) : std::nullopt;
  }

 private:
  bool remembers_;
  double sum_ = 0;
};

VectorX<double> efforts(Actuation& actuation, double t, const VectorX<double>& q, const VectorX<double>& v) {
  VectorX<double> tau(2);
  actuation.calc_efforts(t, q.data(), v.data(), tau.data());
  return tau;
}

const VectorX<double> kRest = VectorX<double>::Zero(2);

TEST(Actuation, ProfilesLawsAndLimitsAddUpInThatOrder) {
  Scenario s = make_arm();
  s.torques.push_back({0, parse("10*t")});
  s.controls.push_back({std::make_shared<CurvedLaw>()});
  Actuation actuation(s);
  EXPECT_TRUE(actuation.is_driven());
  EXPECT_TRUE(actuation.has_limits());
  EXPECT_TRUE(actuation.has_feedback());
  EXPECT_FALSE(actuation.is_steady());
  const VectorX<double> q = Eigen::Vector2d(0.5, 0.3), v = Eigen::Vector2d(0.2, -0.4);
  const double law = -3 * std::sin(0.8) - 0.04;
  EXPECT_DOUBLE_EQ(efforts(actuation, 0.1, q, v)(0), 1 + law);
  EXPECT_DOUBLE_EQ(efforts(actuation, 0.1, q, v)(1), -0.2);
  EXPECT_EQ(efforts(actuation, 1, q, v)(0), 2) << "cut";
  EXPECT_EQ(efforts(actuation, -1, q, v)(0), -2);
  VectorX<double> command(2);
  actuation.calc_commands(1, q.data(), v.data(), command.data());
  EXPECT_DOUBLE_EQ(command(0), 10 + law) << "commands know no limits";
}

TEST(Actuation, WithoutAnythingIsSteadyAndZero) {
  const Scenario s = make_arm();
  Actuation actuation(s);
  EXPECT_FALSE(actuation.is_driven());
  EXPECT_FALSE(actuation.has_limits()) << "nothing can pass them";
  EXPECT_TRUE(actuation.is_steady());
  EXPECT_EQ(actuation.next_sample(), kInfinity);
  EXPECT_EQ(efforts(actuation, 1, kRest, kRest), kRest);
}

TEST(Actuation, KeptSidesStayALittleBeyondTheirLimit) {
  Scenario s = make_arm();
  s.torques.push_back({0, parse("t")});
  Actuation actuation(s);
  actuation.keep_sides(1.9, kRest.data(), kRest.data());
  EXPECT_EQ(actuation.side(0), 0);
  EXPECT_EQ(efforts(actuation, 2.1, kRest, kRest)(0), 2.1) << "off the limit inside the step";
  VectorX<double> cut(2);
  actuation.calc_cut_efforts(2.1, kRest.data(), kRest.data(), cut.data());
  EXPECT_EQ(cut(0), 2);
  actuation.keep_sides(2.1, kRest.data(), kRest.data());
  EXPECT_EQ(actuation.side(0), 1);
  EXPECT_EQ(efforts(actuation, 1.9, kRest, kRest)(0), 2) << "on the limit inside the step";
  actuation.keep_sides(-2.1, kRest.data(), kRest.data());
  EXPECT_EQ(actuation.side(0), -1);
  EXPECT_EQ(efforts(actuation, 0, kRest, kRest)(0), -2);
  actuation.release_sides();
  EXPECT_EQ(efforts(actuation, 0, kRest, kRest)(0), 0);
}

TEST(Actuation, MarginIsNegativeWhereTheSideMustChange) {
  Scenario s = make_arm();
  s.torques.push_back({0, parse("t")});
  Actuation actuation(s);
  for (const int side : {-1, 0, 1}) {
    actuation.set_side(0, side);
    for (const int bound : {-1, 1}) {
      const double at_limit = 2 * bound, sign = side == bound ? -1 : 1;  // at a limit, coming back is leaving
      EXPECT_DOUBLE_EQ(actuation.calc_margin(0, bound, at_limit), 0);
      EXPECT_DOUBLE_EQ(actuation.calc_margin(0, bound, at_limit + 0.25 * bound), -0.25 * sign);
      EXPECT_DOUBLE_EQ(actuation.calc_margin(0, bound, at_limit - 0.25 * bound), 0.25 * sign);
    }
  }
}

/// Differences over 1e-7: half the digits.
TEST(Actuation, DerivativesOfALawThatKnowsNoneAreItsDifferences) {
  Scenario s = make_arm();
  s.controls.push_back({std::make_shared<CurvedLaw>()});
  Actuation actuation(s);
  const VectorX<double> q = Eigen::Vector2d(0.5, 0.3), v = Eigen::Vector2d(0.2, -0.4);
  MatrixX<double> dq(2, 2), dv(2, 2), expected_dq(2, 2), expected_dv(2, 2);
  actuation.calc_derivatives(0, q.data(), v.data(), dq, dv);
  expected_dq << -3 * std::cos(0.8), -3 * std::cos(0.8), -0.4, 0;
  expected_dv << -0.4, 0, 0, 0.5;
  // The command of the first joint is beyond its limit of 2 N m: it does not answer.
  ASSERT_GT(std::abs(-3 * std::sin(0.8) - 0.04), 2);
  EXPECT_LT((dq.row(1) - expected_dq.row(1)).norm(), 1e-6);
  EXPECT_LT((dv.row(1) - expected_dv.row(1)).norm(), 1e-6);
  EXPECT_EQ(dq.row(0).norm() + dv.row(0).norm(), 0);
  actuation.keep_sides(0, kRest.data(), kRest.data());  // a place inside the limits
  actuation.calc_derivatives(0, q.data(), v.data(), dq, dv);
  EXPECT_LT((dq - expected_dq).norm(), 1e-6);
  EXPECT_LT((dv - expected_dv).norm(), 1e-6);
  actuation.set_side(1, -1);
  actuation.calc_derivatives(0, q.data(), v.data(), dq, dv);
  EXPECT_EQ(dq.row(1).norm() + dv.row(1).norm(), 0) << "kept at a limit";
}

TEST(Actuation, SamplesAreTakenWhenTheyAreDueAndHeld) {
  Scenario s = make_arm();
  s.controls.push_back({std::make_shared<SummingLaw>(), 10.0});
  Actuation actuation(s);
  EXPECT_EQ(efforts(actuation, 0, kRest, kRest)(1), 100) << "before its first sample it acts continuously";
  EXPECT_EQ(actuation.next_sample(), 0);
  EXPECT_TRUE(actuation.needs_contacts(0));
  VectorX<double> q = Eigen::Vector2d(0.25, 0);
  EXPECT_EQ(actuation.take_samples({.t = 0, .q = q.data(), .v = kRest.data()}), 1);
  EXPECT_FALSE(actuation.has_feedback());
  EXPECT_TRUE(actuation.is_steady());
  EXPECT_DOUBLE_EQ(actuation.next_sample(), 0.1);
  EXPECT_FALSE(actuation.needs_contacts(0.05));
  q(0) = 1;
  EXPECT_EQ(actuation.take_samples({.t = 0.05, .q = q.data(), .v = kRest.data()}), 0);
  EXPECT_EQ(efforts(actuation, 0.05, q, kRest)(1), 0.25);
  EXPECT_EQ(actuation.take_samples({.t = actuation.next_sample(), .q = q.data(), .v = kRest.data()}), 1);
  EXPECT_EQ(efforts(actuation, 0.15, q, kRest)(1), 1.25);
}

/// Also where k/rate times the rate is less than k in doubles, as 1/49 · 49 is.
TEST(Actuation, EverySampleHasItsTime) {
  for (const double rate : {10.0, 49.0, 1e3 / 3}) {
    Scenario s = make_arm();
    s.controls.push_back({std::make_shared<SummingLaw>(), rate});
    Actuation actuation(s);
    for (int k = 0; k < 200; ++k) {
      ASSERT_EQ(actuation.next_sample(), k / rate);
      ASSERT_EQ(actuation.take_samples({.t = k / rate, .q = kRest.data(), .v = kRest.data()}), 1);
    }
  }
}

TEST(Actuation, AnotherActuationGoesOnFromWhatWasSampled) {
  for (const bool remembers : {true, false}) {
    Scenario s = make_arm();
    s.controls.push_back({std::make_shared<SummingLaw>(remembers), 10.0});
    Actuation first(s), second(s);
    const VectorX<double> q = Eigen::Vector2d(0.25, 0);
    for (const double t : {0.0, 0.1, 0.2}) first.take_samples({.t = t, .q = q.data(), .v = kRest.data()});
    EXPECT_EQ(first.find_silent_law(), remembers ? "" : "sum");
    std::vector<std::byte> bytes;
    {
      StateWriter writer(bytes);
      first.archive(writer);
    }
    StateReader reader(bytes.data(), bytes.size());
    second.archive(reader);
    second.adopt_silent_laws(first.copy_silent_laws());
    EXPECT_EQ(efforts(second, 0.25, q, kRest)(1), 0.75) << "the value that is held";
    for (Actuation* actuation : {&first, &second}) {
      EXPECT_EQ(actuation->take_samples({.t = actuation->next_sample(), .q = q.data(), .v = kRest.data()}), 1);
    }
    EXPECT_EQ(efforts(second, 0.35, q, kRest)(1), efforts(first, 0.35, q, kRest)(1)) << "and the memory of the law";
  }
}

/// An effort that is no number, from a time on.
class BrokenLaw final : public Controller {
 public:
  std::string_view kind() const override { return "broken"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<BrokenLaw>(*this); }
  void add_efforts(const Model&, double t, const double*, const double*, double* tau) override {
    if (t >= 1) tau[1] += kInfinity;
  }
};

TEST(Actuation, ALawThatGivesNoNumberIsNamedWithItsJoint) {
  Scenario s = make_arm();
  s.controls = {{std::make_shared<CurvedLaw>()}, {std::make_shared<BrokenLaw>()}};
  Actuation actuation(s);
  EXPECT_EQ(actuation.find_bad_law(0, kRest.data(), kRest.data()), "");
  EXPECT_EQ(actuation.find_bad_law(1, kRest.data(), kRest.data()),
            "control 'broken' asks joint 'b' for an effort of inf at t = 1 s");
}

/// Switches at the times that it is made with.
class SwitchingLaw final : public Controller {
 public:
  SwitchingLaw(double at, bool is_jump) : at_(at), is_jump_(is_jump) {}
  std::string_view kind() const override { return is_jump_ ? "jump" : "kink"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<SwitchingLaw>(*this); }
  void add_efforts(const Model&, double, const double*, const double*, double*) override {}
  std::optional<ControlSwitch> find_switch(double from, double to) const override {
    if (at_ < from || at_ > to) return std::nullopt;
    return ControlSwitch{at_, at_, is_jump_};
  }

 private:
  double at_;
  bool is_jump_;
};

TEST(Actuation, TheFirstSwitchOfAContinuousLawIsFoundAndAJumpBeforeAKink) {
  Scenario s = make_arm();
  s.controls = {{std::make_shared<SwitchingLaw>(2.0, false)},
                {std::make_shared<SwitchingLaw>(2.0, true)},
                {std::make_shared<SwitchingLaw>(3.0, true)},
                {std::make_shared<SwitchingLaw>(0.5, true), 10.0}};
  const Actuation actuation(s);
  EXPECT_FALSE(actuation.find_law_switch(0, 1)) << "a sampled law has samples, no switches";
  const auto found = actuation.find_law_switch(0, 5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at.before, 2);
  EXPECT_EQ(found->kind, "jump");
  EXPECT_EQ(actuation.find_law_switch(2.5, 5)->at.before, 3);
}

}  // namespace
}  // namespace thenar::actuation_test
