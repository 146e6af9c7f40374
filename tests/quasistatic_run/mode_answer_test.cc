// SPDX-License-Identifier: BSD-3-Clause
//
// Velocity and forces of a list of modes, as plain matrices: cases that are solved by hand.

#include "thenar/quasistatic_run/mode_answer_internal.h"

#include <gtest/gtest.h>

namespace thenar::mode_answer_test {
namespace {

using internal::EdgeForces;
using internal::ModeRules;
using Matrix = MatrixX<double>;
using Vector = VectorX<double>;

/// Accuracy of least squares and programs of numbers of size 1.
constexpr double kExact = 1e-9;

Matrix row(std::initializer_list<double> values) {
  Matrix out(1, static_cast<Eigen::Index>(values.size()));
  Eigen::Index k = 0;
  for (const double value : values) out(0, k++) = value;
  return out;
}

/// Edges of G f = load.
EdgeForces find(const Matrix& G, double load) {
  return internal::find_edge_forces(G, Vector::Constant(1, -load), Vector::Ones(1));
}

TEST(EdgeForces, AreShared) {
  const EdgeForces found = find(row({1, 1}), 1);
  EXPECT_NEAR(found.f(0), 0.5, kExact);
  EXPECT_NEAR(found.f(1), 0.5, kExact);
  EXPECT_NEAR(found.reserve, 0.5, kExact);
}

TEST(EdgeForces, NoEdgePullsIfNoneHasTo) {
  // The least squares would have the second one pull.
  const EdgeForces found = find(row({1, -1}), 1);
  EXPECT_NEAR(found.f(0), 1, kExact);
  EXPECT_NEAR(found.f(1), 0, kExact);
  EXPECT_EQ(found.reserve, 0);
  EXPECT_EQ(found.tightest, 1);
}

TEST(EdgeForces, AnEdgeThatHasToPullHasNoReserve) {
  const EdgeForces one = find(row({1}), -1);
  EXPECT_NEAR(one.reserve, -1, kExact);
  EXPECT_EQ(one.tightest, 0);
  // The best that two can do is to share it.
  EXPECT_NEAR(find(row({1, 1}), -1).reserve, -0.5, kExact);
}

TEST(EdgeForces, LoadsThatNothingBalancesHaveNone) {
  const EdgeForces nothing = find(Matrix(1, 0), 0.3);
  EXPECT_NEAR(nothing.reserve, -0.3, kExact);
  EXPECT_EQ(nothing.tightest, -1);
  EXPECT_EQ(find(Matrix(1, 0), 0).reserve, 1);
}

TEST(ModeVelocity, IsTheNearestToTheReference) {
  ModeRules rules;
  rules.P = row({1, 1});
  rules.v0 = Vector::Constant(1, -1);
  const Vector ones = Vector::Ones(2);
  // u₁ + u₂ = 1, nearest to 0 and to (1, 2).
  EXPECT_LT((internal::find_mode_velocity(rules, {0}, ones, {}) - Vector::Constant(2, 0.5)).norm(), kExact);
  const Vector reference = Eigen::Vector2d(1, 2);
  EXPECT_LT((internal::find_mode_velocity(rules, {0}, ones, reference) - Vector(Eigen::Vector2d(0, 1))).norm(), kExact);
  // Without rows it is the reference.
  EXPECT_EQ(internal::find_mode_velocity(rules, {}, ones, reference), reference);
}

}  // namespace
}  // namespace thenar::mode_answer_test
