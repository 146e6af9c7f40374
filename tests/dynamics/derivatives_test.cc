// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/derivatives.h"

#include <gtest/gtest.h>

#include "random_trees.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar::derivatives_test {
namespace {

using test::RandomTree;
using L = long double;
using VectorL = VectorX<L>;

VectorL forward_reference(const Model& model, const VectorL& q, const VectorL& v, const VectorL& tau,
                          Workspace<L>& ws) {
  VectorL total = tau, vdot(model.velocity_count());
  add_passive_forces<L>(model, q.data(), v.data(), total.data());
  forward_dynamics<L>(model, q.data(), v.data(), total.data(), {}, ws, vdot.data());
  return vdot;
}

VectorL inverse_reference(const Model& model, const VectorL& q, const VectorL& v, const VectorL& vdot,
                          Workspace<L>& ws) {
  VectorL tau(model.velocity_count()), passive = VectorL::Zero(model.velocity_count());
  inverse_dynamics<L>(model, q.data(), v.data(), vdot.data(), {}, ws, tau.data());
  add_passive_forces<L>(model, q.data(), v.data(), passive.data());
  return tau - passive;
}

/// Fourth-order central difference in long double along one direction of q (block 0), v (1) or the input (2): its error
/// is h⁴/30 of the fifth derivative (1e-17 at the rates of these states) plus 1e-19/h of rounding.
template <class Function>
VectorX<double> difference(const Model& model, const Function& f, const VectorX<double>& q, const VectorX<double>& v,
                           const VectorX<double>& input, int block, int i) {
  const L h = 1e-4L;
  const auto at = [&](L step) {
    VectorL ql = q.cast<L>(), vl = v.cast<L>(), ul = input.cast<L>(), dq = VectorL::Zero(model.velocity_count());
    (block == 0 ? dq : (block == 1 ? vl : ul))(i) += step;
    VectorL moved(ql.size());
    integrate_position<L>(model, ql.data(), dq.data(), moved.data());
    return f(moved, vl, ul);
  };
  const VectorL d = (L(8) * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  return d.cast<double>();
}

std::vector<Model> models() {
  using enum JointKind;
  RandomTree random(31);
  std::vector<Model> all;
  all.push_back(random.hand(universal, {3, 3, 3, 3}, true));
  all.push_back(random.chain({free, revolute, spherical, prismatic, planar}));
  // Springs and dampers of every sort, a non-symmetric one among them.
  ModelBuilder builder;
  JointSpec wrist = random.joint("wrist", universal);
  MatrixX<double> K(2, 2);
  K << 2, -4, 0, 2;
  wrist.spring = JointSpring{K, VectorX<double>::Constant(2, 0.1)};
  wrist.damping = VectorX<double>::Constant(2, 0.3);
  const BodyIndex palm = builder.add_body({"palm", random.mass()}, kWorld, wrist);
  JointSpec ball = random.joint("ball", spherical);
  MatrixX<double> S(3, 3);
  S << 1, 0.2, 0, 0.2, 2, -0.1, 0, -0.1, 3;
  VectorX<double> rest(4);
  rest << 0.8, 0.6, 0, 0;
  ball.spring = JointSpring{S, rest};
  builder.add_body({"b", random.mass()}, palm, ball);
  all.push_back(std::move(builder).finalize());
  return all;
}

void expect_close(const MatrixX<double>& result, const MatrixX<double>& expected, const char* what) {
  // Rounding of the dual run: 1e-16 times the condition of the mass matrix (up to 1e5 here), with room.
  EXPECT_LE((result - expected).cwiseAbs().maxCoeff(), 1e-9 * expected.cwiseAbs().maxCoeff()) << what;
}

template <class Function>
void check(const Model& model, const DynamicsDerivatives::Result& result, const Function& f, const VectorX<double>& q,
           const VectorX<double>& v, const VectorX<double>& input) {
  const int nv = model.velocity_count();
  MatrixX<double> expected[3];
  for (int block = 0; block < 3; ++block) {
    expected[block].resize(nv, nv);
    for (int i = 0; i < nv; ++i) expected[block].col(i) = difference(model, f, q, v, input, block, i);
  }
  expect_close(result.dq, expected[0], "dq");
  expect_close(result.dv, expected[1], "dv");
  expect_close(result.dinput, expected[2], "dinput");
}

TEST(Derivatives, EqualLongDoubleDifferences) {
  RandomTree random(32);
  for (const Model& model : models()) {
    const int nv = model.velocity_count();
    DynamicsDerivatives derivatives(model);
    Workspace<L> ws(model);
    for (int k = 0; k < 5; ++k) {
      const VectorX<double> q = random.position(model), v = random.numbers(nv, 2), input = random.numbers(nv, 1);
      check(
          model, derivatives.forward(model, q.data(), v.data(), input.data()),
          [&](const VectorL& a, const VectorL& b, const VectorL& c) { return forward_reference(model, a, b, c, ws); },
          q, v, input);
      check(
          model, derivatives.inverse(model, q.data(), v.data(), input.data()),
          [&](const VectorL& a, const VectorL& b, const VectorL& c) { return inverse_reference(model, a, b, c, ws); },
          q, v, input);
    }
  }
}

/// The derivative of the inverse is the inverse of the derivative: M · M⁻¹ = 1.
TEST(Derivatives, MassMatrixAndItsInverseMultiplyToOne) {
  RandomTree random(33);
  for (const Model& model : models()) {
    const int nv = model.velocity_count();
    DynamicsDerivatives derivatives(model);
    const VectorX<double> q = random.position(model), v = random.numbers(nv, 2), u = random.numbers(nv, 1);
    const MatrixX<double> inverse = derivatives.forward(model, q.data(), v.data(), u.data()).dinput;
    const MatrixX<double> mass = derivatives.inverse(model, q.data(), v.data(), u.data()).dinput;
    const double size = (mass.cwiseAbs() * inverse.cwiseAbs()).maxCoeff();
    EXPECT_LE((mass * inverse - MatrixX<double>::Identity(nv, nv)).cwiseAbs().maxCoeff(), 1e-13 * size);
  }
}

}  // namespace
}  // namespace thenar::derivatives_test
