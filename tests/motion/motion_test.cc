// SPDX-License-Identifier: BSD-3-Clause
//
// The equations of motion of a mode: charts, reactions of held rows, power, derivatives, and the way back to the rows.

#include "thenar/motion/motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "../support/contact_scenes.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/motion/state_energy.h"
#include "thenar/motion/step_chart.h"

namespace thenar::motion_test {
namespace {

MatrixX<double> calc_mass_matrix(const Model& model, const VectorX<double>& q) {
  Workspace<double> workspace(model);
  MassMatrix<double> mass(model);
  update_positions(model, q.data(), workspace);
  mass.update(model, workspace);
  return mass.dense();
}

/// Three hinges; the third follows a curved function of the first, the second has a stop at 0.2 rad.
Scenario make_coupled_arm() {
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  for (const char* name : {"a", "b", "c"}) {
    JointSpec joint{.name = name, .kind = JointKind::revolute};
    joint.axis = Vector3<double>::UnitY();
    joint.X_PF = Pose<double>::translation({0.1, 0, 0.3});
    parent = builder.add_body({.name = name, .mass = test::box_mass(1, {0.1, 0.1, 0.3})}, parent, joint);
  }
  const std::vector<std::string> x{"x"};
  builder.add_coupling({.name = "tendon", .dof = 2, .value = {Expression::parse("sin(x) + x^2", x), {0}}});
  builder.add_stop({.dof = 1, .side = StopSide::lower, .bound = {Expression(0.2), {}}});
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.torques.push_back({0, Expression(1.5)});
  s.initial.q << 0.4, 0.2, std::sin(0.4) + 0.16;
  s.initial.v << 1.2, 0, (std::cos(0.4) + 0.8) * 1.2;
  return s;
}

MatrixX<double> jacobian(const std::vector<JointRow>& rows, int nv) {
  MatrixX<double> J = MatrixX<double>::Zero(static_cast<Eigen::Index>(rows.size()), nv);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    VectorX<double> row = VectorX<double>::Zero(nv);
    rows[k].add_transposed(1, row.data());
    J.row(static_cast<Eigen::Index>(k)) = row.transpose();
  }
  return J;
}

TEST(Mode, HoldsRowsInAscendingOrderEachOnce) {
  Mode mode;
  for (const int row : {5, 2, 7, 2, 5}) mode.hold(row);
  EXPECT_EQ(mode.held, (std::vector<int>{2, 5, 7}));
  EXPECT_TRUE(mode.holds(7));
  EXPECT_FALSE(mode.holds(3));
}

/// q₀ ⊕ x moves with the velocity v when x moves with the rate that v turns into. Differences over 1e-6.
TEST(ConstrainedMotion, ChartRatesMoveThePositionWithItsVelocity) {
  const Scenario s = test::mixed_tree();
  ConstrainedMotion motion(s);
  motion.set_origin(s.initial.q);
  const int nv = motion.size(), nq = s.model.position_count();
  VectorX<double> x(nv), q(nq), later(nq), moved(nq);
  for (int i = 0; i < nv; ++i) x(i) = 0.8 * std::sin(1.0 + 3 * i);
  VectorX<double> rate = s.initial.v;
  turn_into_chart_rate(s.model, x.data(), rate.data());
  EXPECT_GT((rate - s.initial.v).norm(), 1e-2) << "rotations far from the origin of the chart";
  constexpr double kStep = 1e-6;
  const VectorX<double> x_later = x + kStep * rate, step = kStep * s.initial.v;
  motion.calc_position(x.data(), q.data());
  motion.calc_position(x_later.data(), later.data());
  integrate_position(s.model, q.data(), step.data(), moved.data());
  EXPECT_LT((later - moved).norm(), 1e-11);  // second order in a step of 1e-6, with constants of size 1
  // Of the free base, the ball and the tip.
  const double largest = std::max({x.segment<3>(0).norm(), x.segment<3>(6).norm(), x.segment<3>(12).norm()});
  EXPECT_NEAR(calc_largest_rotation(s.model, x.data()), largest, 1e-14);
}

TEST(ConstrainedMotion, HeldRowsHaveNoAccelerationAndTheReactionsOfDenseAlgebra) {
  const Scenario s = make_coupled_arm();
  ConstrainedMotion motion(s);
  const int nv = motion.size();
  motion.set_origin(s.initial.q);
  Mode mode;
  mode.slip.assign(2, 0);
  motion.hold({mode, {}});
  VectorX<double> y = VectorX<double>::Zero(2 * nv + 2), slope = y, free(nv);
  y.segment(nv, nv) = s.initial.v;
  motion.calc_slope(0, y.data(), slope.data());
  free = slope.segment(nv, nv);
  mode.held = {0, 1};
  motion.hold({mode, {}});
  motion.calc_slope(0, y.data(), slope.data());
  const VectorX<double> vdot = slope.segment(nv, nv);

  std::vector<JointRow> rows = motion.rows();
  for (JointRow& row : rows) row.update(s.initial.q.data(), s.initial.v.data());
  const MatrixX<double> J = jacobian(rows, nv), M = calc_mass_matrix(s.model, s.initial.q),
                        X = M.llt().solve(J.transpose());
  const VectorX<double> bias = Eigen::Vector2d(rows[0].bias(), rows[1].bias());
  EXPECT_GT(std::abs(bias(0)), 0.1) << "the coupling is curved";
  // Accelerations of size 100; the condition of M and A is below 1000.
  EXPECT_LT((J * vdot + bias).norm(), 1e-11);
  const VectorX<double> z = -(J * X).llt().solve(J * free + bias);
  EXPECT_LT((motion.reactions() - z).norm(), 1e-11 * z.norm());
  EXPECT_LT((vdot - free - X * z).norm(), 1e-11 * vdot.norm());
}

/// dE/dt = work − dissipated, by differences of the energy over 1e-5 along q and v.
TEST(ConstrainedMotion, PowerOfItsForcesIsTheRateOfEnergy) {
  Scenario s = test::mixed_tree();
  s.torques.push_back({s.model.velocity_count() - 1, Expression(0.7)});
  WrenchProfile wrench;
  wrench.body = s.model.body_of("slide");
  wrench.force = {Expression(1), Expression(-2), Expression(0.5)};
  s.wrenches.push_back(wrench);
  ConstrainedMotion motion(s);
  const int nv = motion.size();
  motion.set_origin(s.initial.q);
  VectorX<double> y = VectorX<double>::Zero(2 * nv + 2), slope = y;
  y.segment(nv, nv) = s.initial.v;
  motion.calc_slope(0, y.data(), slope.data());
  const VectorX<double> vdot = slope.segment(nv, nv);
  const double work = slope(2 * nv), dissipated = slope(2 * nv + 1);
  constexpr double kStep = 1e-5;
  State before = s.initial, after = s.initial;
  const VectorX<double> way = kStep * s.initial.v, back = -way;
  integrate_position(s.model, s.initial.q.data(), way.data(), after.q.data());
  integrate_position(s.model, s.initial.q.data(), back.data(), before.q.data());
  after.v += kStep * vdot, before.v -= kStep * vdot;
  const double rate = (calc_energy(s.model, after) - calc_energy(s.model, before)) / (2 * kStep);
  EXPECT_GT(std::abs(rate), 0.1);
  EXPECT_GT(dissipated, 1e-3);
  // Third derivatives of some thousand times 1e-10, and rounding over 1e-5.
  EXPECT_NEAR(work - dissipated, rate, 1e-6 * (1 + std::abs(rate)));
}

/// Differences over 1e-6: errors of 1e-9 of accelerations of size 100. Of rows that do not curve: of others it leaves
/// out how J turns, which costs iterations alone.
TEST(ConstrainedMotion, JacobianIsTheDifferenceOfSlopes) {
  const Scenario s = make_coupled_arm();
  for (const std::vector<int>& held : {std::vector<int>{}, {1}}) {
    SCOPED_TRACE(held.size());
    ConstrainedMotion motion(s);
    const int nv = motion.size();
    motion.set_origin(s.initial.q);
    Mode mode;
    mode.slip.assign(2, 0);
    mode.held = held;
    motion.hold({mode, {}});
    VectorX<double> y = VectorX<double>::Zero(2 * nv + 2), slope = y, before = y, after = y;
    y.segment(nv, nv) = s.initial.v;
    motion.calc_slope(0, y.data(), slope.data());
    MatrixX<double> dx(nv, nv), dv(nv, nv);
    motion.calc_jacobian(0, y.data(), slope.data(), dx, dv);
    constexpr double kStep = 1e-6;
    for (int j = 0; j < 2 * nv; ++j) {
      VectorX<double> y_before = y, y_after = y;
      y_before(j) -= kStep, y_after(j) += kStep;
      motion.calc_slope(0, y_before.data(), before.data());
      motion.calc_slope(0, y_after.data(), after.data());
      const VectorX<double> difference = (after - before).segment(nv, nv) / (2 * kStep);
      const VectorX<double> column = j < nv ? dx.col(j) : dv.col(j - nv);
      EXPECT_LT((column - difference).norm(), 1e-6 * (1 + difference.norm())) << j;
    }
  }
}

TEST(ConstrainedMotion, ProjectionIsTheSmallestChangeInTheNormOfKineticEnergy) {
  const Scenario s = make_coupled_arm();
  ConstrainedMotion motion(s);
  Mode mode;
  mode.slip.assign(2, 0);
  mode.held = {0, 1};
  motion.hold({mode, {}});
  VectorX<double> q = s.initial.q, v = s.initial.v;
  q += 1e-4 * Eigen::Vector3d(1, -2, 3);
  v += 1e-4 * Eigen::Vector3d(-3, 1, 2);
  const VectorX<double> v_before = v;
  motion.project(q, v);
  std::vector<JointRow> rows = motion.rows();
  for (JointRow& row : rows) {
    row.update(q.data(), v.data());
    // Newton's iteration on the curved row ends in rounding, or where one step of it leaves 1e-8 squared.
    EXPECT_NEAR(row.calc_value(q.data()), 0, 1e-12);
    EXPECT_NEAR(row.multiply(v.data()), 0, 1e-12);
  }
  // M Δv lies in the range of Jᵀ: nothing is changed along what the rows leave free.
  const MatrixX<double> J = jacobian(rows, 3), M = calc_mass_matrix(s.model, q);
  const VectorX<double> push = M * (v - v_before);
  const VectorX<double> free = Eigen::FullPivLU<MatrixX<double>>(J).kernel().col(0).normalized();
  EXPECT_GT(push.norm(), 1e-6);
  EXPECT_LT(std::abs(free.dot(push)), 1e-9 * push.norm() + 1e-16);
}

TEST(ConstrainedMotion, AMemoryBringsBackPlacesAndForcesOfContacts) {
  Scenario s = test::ball_over_floor(0);
  s.initial.v << 0, 10, 0, 1, 0, 0;  // rolls
  ConstrainedMotion motion(s);
  motion.hold({motion.mode(), test::hold_contacts(s, ContactHold::rolling)});
  const int nv = motion.size();
  motion.set_origin(s.initial.q);
  VectorX<double> y = VectorX<double>::Zero(2 * nv + 2), slope = y;
  y.segment(nv, nv) = s.initial.v;
  motion.calc_slope(0, y.data(), slope.data());
  // The weight is carried, and steady rolling needs no friction.
  EXPECT_NEAR(motion.contact_forces().front()(0), 9.81, 1e-12);
  EXPECT_NEAR(motion.contact_forces().front().segment<2>(1).norm(), 0, 1e-12);
  std::optional<ConstrainedMotion::Memory> memory;
  motion.remember(memory);
  const double place = motion.contacts().front().kinematics().p_A().x;
  const long long evaluations = motion.evaluations();
  VectorX<double> later = y;
  later.head(nv) += 0.3 * s.initial.v;
  motion.calc_slope(0.3, later.data(), slope.data());
  motion.follow_contacts(s.initial.q, s.initial.v * 2);
  motion.recall(*memory);
  EXPECT_EQ(motion.evaluations(), evaluations);
  EXPECT_EQ(motion.contacts().front().kinematics().p_A().x, place);
  EXPECT_NEAR(motion.contact_forces().front()(0), 9.81, 1e-12);
}

}  // namespace
}  // namespace thenar::motion_test
