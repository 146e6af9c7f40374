// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of joints as functions of the coordinates: values, gradients and biases against differences.

#include "thenar/motion/joint_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../support/builders.h"

namespace thenar::joint_rows_test {
namespace {

/// Three hinges and a slide. Hinge c follows a curved function of a and b, the stop of d is another one.
Model make_model() {
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  for (const char* name : {"a", "b", "c", "d"}) {
    JointSpec joint{.name = name, .kind = std::string(name) == "d" ? JointKind::prismatic : JointKind::revolute};
    joint.X_PF = Pose<double>::translation({0.1, 0, 0});
    if (std::string(name) == "a") joint.friction = VectorX<double>::Constant(1, 0.7);
    parent = builder.add_body({.name = name, .mass = test::box_mass(1, {0.1, 0.1, 0.1})}, parent, joint);
  }
  const std::vector<std::string> two{"x", "y"};
  builder.add_coupling({.name = "tendon", .dof = 2, .value = {Expression::parse("0.5*sin(x) + x*y^2", two), {0, 1}}});
  builder.add_stop({.dof = 1, .side = StopSide::lower, .bound = {Expression(-0.4), {}}, .restitution = 0.25});
  builder.add_stop({.dof = 1, .side = StopSide::upper, .bound = {Expression(0.9), {}}, .restitution = 0.5});
  builder.add_stop(
      {.dof = 3, .side = StopSide::upper, .bound = {Expression::parse("0.2*cos(x) - 0.1*sin(y)", two), {0, 2}}});
  return std::move(builder).finalize();
}

const VectorX<double>& place() {
  static const VectorX<double> q = (VectorX<double>(4) << 0.3, -0.2, 0.5, 0.1).finished();
  return q;
}
const VectorX<double>& speed() {
  static const VectorX<double> v = (VectorX<double>(4) << 1.1, -0.6, 0.4, 0.2).finished();
  return v;
}

TEST(JointRow, AllOfAModelAreLocksCouplingsStopsFriction) {
  ModelBuilder builder;
  JointSpec joint{.name = "lid", .kind = JointKind::universal};
  joint.locked = true;
  const BodyIndex lid = builder.add_body({.name = "lid", .mass = test::box_mass(1, {0.1, 0.1, 0.1})}, kWorld, joint);
  JointSpec hinge{.name = "hinge", .kind = JointKind::revolute};
  hinge.friction = VectorX<double>::Constant(1, 0.2);
  builder.add_body({.name = "key", .mass = test::box_mass(1, {0.1, 0.1, 0.1})}, lid, hinge);
  builder.add_stop({.dof = 2, .side = StopSide::upper, .bound = {Expression(1.0), {}}});
  const Model model = std::move(builder).finalize();
  const VectorX<double> q = (VectorX<double>(3) << 0.4, -0.3, 0).finished();
  std::vector<JointRow> rows = make_joint_rows(model, q);
  std::vector<std::string> sides;
  for (const JointRow& row : rows) sides.emplace_back(row.side());
  EXPECT_EQ(sides, (std::vector<std::string>{"lock", "lock", "upper", "dry friction"}));
  EXPECT_EQ(rows[0].calc_target(q.data()), 0.4) << "where it starts";
  EXPECT_EQ(rows[1].calc_target(q.data()), -0.3);
  EXPECT_FALSE(rows[3].has_value());
  EXPECT_EQ(rows[3].friction_limit(), 0.2);
  EXPECT_EQ(make_problem_row(rows[0], 5).kind, RowKind::bilateral);
  EXPECT_EQ(make_problem_row(rows[0], 5).id, 5u);
  EXPECT_EQ(make_problem_row(rows[2]).kind, RowKind::unilateral);
  EXPECT_EQ(make_problem_row(rows[3]).kind, RowKind::boxed);
  EXPECT_EQ(make_problem_row(rows[3]).limit, 0.2);
}

TEST(JointRow, GapsOfStopsArePositiveInside) {
  const Model model = make_model();
  std::vector<JointRow> rows = make_joint_rows(model, place());
  ASSERT_EQ(rows.size(), 5u);
  JointRow &lower = rows[1], &upper = rows[2];
  EXPECT_FALSE(lower.is_upper());
  EXPECT_TRUE(upper.is_upper());
  EXPECT_DOUBLE_EQ(lower.calc_value(place().data()), -0.2 + 0.4);
  EXPECT_DOUBLE_EQ(upper.calc_value(place().data()), 0.9 + 0.2);
  EXPECT_EQ(lower.restitution(), 0.25);
  EXPECT_EQ(upper.restitution(), 0.5);
  VectorX<double> q = place();
  for (JointRow* stop : {&lower, &upper}) {
    q(1) = stop->calc_target(q.data());
    EXPECT_EQ(stop->calc_value(q.data()), 0);
    EXPECT_DOUBLE_EQ(stop->multiply(speed().data()), stop->is_upper() ? 0.6 : -0.6) << "rate of the gap";
  }
}

/// Central differences over 1e-5: the error is 1e-10 of third derivatives of size 1, and rounding over 1e-5.
TEST(JointRow, GradientsAreDifferencesOfValues) {
  const Model model = make_model();
  for (JointRow& row : make_joint_rows(model, place())) {
    if (!row.has_value()) continue;
    SCOPED_TRACE(row.side());
    row.update(place().data(), speed().data());
    constexpr double kStep = 1e-5;
    for (int dof = 0; dof < 4; ++dof) {
      VectorX<double> before = place(), after = place();
      before(dof) -= kStep, after(dof) += kStep;
      const double difference = (row.calc_value(after.data()) - row.calc_value(before.data())) / (2 * kStep);
      EXPECT_NEAR(row.multiply(VectorX<double>(VectorX<double>::Unit(4, dof)).data()), difference, 1e-9) << dof;
    }
  }
}

/// The second derivative of the value along q + t v, where v̇ = 0. Differences over 1e-4: errors of 1e-8 either way.
TEST(JointRow, BiasIsTheSecondDerivativeAlongAStraightLine) {
  const Model model = make_model();
  double largest = 0;
  for (JointRow& row : make_joint_rows(model, place())) {
    if (!row.has_value()) continue;
    SCOPED_TRACE(row.side());
    row.update(place().data(), speed().data());
    constexpr double kStep = 1e-4;
    const VectorX<double> before = place() - kStep * speed(), after = place() + kStep * speed();
    const double difference =
        (row.calc_value(after.data()) - 2 * row.calc_value(place().data()) + row.calc_value(before.data())) /
        (kStep * kStep);
    EXPECT_NEAR(row.bias(), difference, 1e-6);
    largest = std::max(largest, std::abs(row.bias()));
  }
  EXPECT_GT(largest, 0.1) << "the curved rows have one";
}

TEST(JointRow, MultiplyAndItsTransposeAreAdjoint) {
  const Model model = make_model();
  const VectorX<double> x = (VectorX<double>(4) << 0.4, 2, -1, 3).finished();
  for (JointRow& row : make_joint_rows(model, place())) {
    row.update(place().data(), speed().data());
    VectorX<double> tau = VectorX<double>::Zero(4);
    row.add_transposed(2.5, tau.data());
    EXPECT_NEAR(tau.dot(x), 2.5 * row.multiply(x.data()), 1e-14);  // sums of three numbers of size 3
  }
}

TEST(JointRow, LeastValueBoundsTheGapWhereverTheOtherJointsAre) {
  const Model model = make_model();
  std::vector<JointRow> rows = make_joint_rows(model, place());
  JointRow& stop = rows[3];
  ASSERT_EQ(stop.dof(), 3);
  double nearest = 1;
  VectorX<double> q = place();
  for (double a = -3; a <= 3; a += 0.1) {
    for (double c = -3; c <= 3; c += 0.1) {
      q(0) = a, q(2) = c;
      EXPECT_GE(stop.calc_value(q.data()), stop.calc_least_value(q.data()));
      nearest = std::min(nearest, stop.calc_value(q.data()) - stop.calc_least_value(q.data()));
    }
  }
  EXPECT_LT(nearest, 1e-2) << "0.2 cos x and 0.1 sin y reach −0.3";
}

}  // namespace
}  // namespace thenar::joint_rows_test
