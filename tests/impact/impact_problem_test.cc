// SPDX-License-Identifier: BSD-3-Clause
//
// Several impacts at once, and impacts while other contacts hold, as plain matrices.

#include "thenar/impact/impact_problem.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "random_impacts.h"
#include "thenar/complementarity/grade.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::impact_problem_test {
namespace {

constexpr double kRoundingError = 1e-13;
const int kTrials = std::getenv("THENAR_IMPACTS") != nullptr ? std::atoi(std::getenv("THENAR_IMPACTS")) : 3000;

/// Balls in a row, mass by mass, of which the first comes with unit speed; contact k is between ball k and k + 1.
struct Cradle {
  explicit Cradle(const std::vector<double>& masses, double e) {
    const int n = static_cast<int>(masses.size()) - 1;
    MatrixX<double> J = MatrixX<double>::Zero(n, n + 1);
    for (int k = 0; k < n; ++k) J(k, k) = -1, J(k, k + 1) = 1;
    mass = Eigen::Map<const VectorX<double>>(masses.data(), n + 1);
    X = mass.cwiseInverse().asDiagonal() * J.transpose();
    v = VectorX<double>::Zero(n + 1);
    v(0) = 1;
    problem.rows.resize(n);
    for (int k = 0; k < n; ++k) problem.rows.row(k).kind = RowKind::unilateral;
    problem.rows.A() = J * X;
    problem.rows.b() = J * v;
    problem.restitution.assign(static_cast<std::size_t>(n), e);
  }

  VectorX<double> after(const ImpactOptions& options) const {
    const ImpactAnswer answer = solve_impact(problem, options);
    EXPECT_EQ(answer.status, ImpactStatus::done) << answer.reason;
    return v + X * answer.z;
  }

  VectorX<double> mass, v;
  MatrixX<double> X;
  ImpactProblem problem;
};

void expect_near(const VectorX<double>& found, const std::vector<double>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found(static_cast<Eigen::Index>(i)), expected[i], kRoundingError) << "ball " << i;
  }
}

TEST(NewtonsCradle, PassesTheBallOnInSequence) {
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge}) {
    const ImpactOptions options{.law = law, .treatment = ImpactTreatment::sequential};
    expect_near(Cradle({1, 1, 1}, 1).after(options), {0, 0, 1});
    expect_near(Cradle({1, 1, 1, 1, 1}, 1).after(options), {0, 0, 0, 0, 1});
  }
}

TEST(NewtonsCradle, RecoilsWhenAllContactsActTogether) {
  // Compression ends with one common velocity 1/n; the impulse of contact k is (n − 1 − k)/n. Given back once more:
  // −1 + 2/n for the first ball, 2/n for all others. The same by Newton's law, since the others stay together.
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge}) {
    expect_near(Cradle({1, 1, 1}, 1).after({.law = law}), {-1. / 3, 2. / 3, 2. / 3});
    expect_near(Cradle({1, 1, 1, 1, 1}, 1).after({.law = law}), {-0.6, 0.4, 0.4, 0.4, 0.4});
    expect_near(Cradle({1, 1, 1}, 0).after({.law = law}), {1. / 3, 1. / 3, 1. / 3});
  }
}

TEST(NewtonsCradle, TwoBallsAreTheTextbook) {
  // v₁ = (m₁ − e m₂)/(m₁ + m₂), v₂ = (1 + e) m₁/(m₁ + m₂); masses over six decades.
  for (const double m : {1e-3, 0.2, 1.0, 30.0, 1e3}) {
    for (const double e : {0.0, 0.3, 1.0}) {
      for (const ImpactLaw law : kImpactLaws) {
        expect_near(Cradle({1, m}, e).after({.law = law}), {(1 - e * m) / (1 + m), (1 + e) / (1 + m)});
      }
    }
  }
}

TEST(NewtonsCradle, EndlessSequencesAreCutAndSaidSo) {
  // Two light balls between two heavy ones that come together, e < 1: collisions without end.
  Cradle cradle({100, 0.01, 0.01, 100}, 0.3);
  cradle.v << 1, 0, 0, -1;
  MatrixX<double> J = MatrixX<double>::Zero(3, 4);
  for (int k = 0; k < 3; ++k) J(k, k) = -1, J(k, k + 1) = 1;
  cradle.problem.rows.b() = J * cradle.v;
  const ImpactAnswer answer = solve_impact(
      cradle.problem, {.law = ImpactLaw::newton, .treatment = ImpactTreatment::sequential, .most_impacts = 20});
  ASSERT_EQ(answer.status, ImpactStatus::done);
  EXPECT_TRUE(answer.is_cut);
  EXPECT_GE(answer.w.minCoeff(), -1e-11);  // rounding of impulses of 100 N s on 10 g
}

/// A box (half sizes a, b, c; unit mass) over the floor, struck in its four lower corners.
ImpactProblem make_box(double a, double b, double c, double mu, double e, const Eigen::Matrix<double, 6, 1>& v,
                       MatrixX<double>* X_out = nullptr) {
  MatrixX<double> J(12, 6);
  int row = 0;
  for (const double x : {-a, a}) {
    for (const double y : {-b, b}) {
      const Eigen::Vector3d p(x, y, -c);
      for (const int axis : {2, 0, 1}) {  // N, T, U
        const Eigen::Vector3d direction = Eigen::Vector3d::Unit(axis);
        J.row(row).head<3>() = p.cross(direction);
        J.row(row++).tail<3>() = direction;
      }
    }
  }
  const Eigen::Vector3d inertia((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3);
  Eigen::Matrix<double, 6, 1> inverse;
  inverse << inertia.cwiseInverse(), 1, 1, 1;
  const MatrixX<double> X = inverse.asDiagonal() * J.transpose();
  ImpactProblem out;
  out.rows.resize(12);
  out.rows.A() = J * X;
  out.rows.b() = J * v;
  out.restitution.assign(12, e);
  for (int i = 0; i < 12; ++i) {
    out.rows.row(i).kind = i % 3 == 0 ? RowKind::normal : RowKind::tangent;
    out.rows.row(i).limit = i % 3 == 0 ? 0 : mu;
  }
  if (X_out != nullptr) *X_out = X;
  return out;
}

TEST(BoxLandingFlat, DoesNotSpin) {
  // Four corners for three directions: normal impulses are not unique, and only equal ones give back equally.
  for (const double mu : {0.0, 0.3, 1.0}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      Eigen::Matrix<double, 6, 1> v;
      v << 0, 0, 0, 0, 0, -1;
      MatrixX<double> X;
      const ImpactProblem problem = make_box(0.3, 0.2, 0.1, mu, e, v, &X);
      for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson}) {
        const ImpactAnswer answer = solve_impact(problem, {.law = law});
        ASSERT_EQ(answer.status, ImpactStatus::done) << answer.reason;
        const VectorX<double> after = v + X * answer.z;
        // Least impulses settle to 1e-13 of their size, and turn the box by up to 20 times that.
        EXPECT_LT(after.head<5>().norm(), 1e-11) << to_string(law);
        EXPECT_NEAR(after(5), e, 1e-12) << to_string(law);
        for (int k = 0; k < 4; ++k) EXPECT_NEAR(answer.z(3 * k), (1 + e) / 4, 1e-12);
      }
    }
  }
}

TEST(BoxLandingFlat, SlidesOnByCoulombsLaw) {
  // Low and wide: no corner lifts. Sliding along x with friction all the way, u_x loses μ (1 + e) u_N.
  const double mu = 0.1, e = 0.5;
  Eigen::Matrix<double, 6, 1> v;
  v << 0, 0, 0, 2, 0, -1;
  MatrixX<double> X;
  const ImpactProblem problem = make_box(1, 1, 0.05, mu, e, v, &X);
  const ImpactAnswer answer = solve_impact(problem, {.law = ImpactLaw::poisson});
  ASSERT_EQ(answer.status, ImpactStatus::done);
  EXPECT_NEAR((v + X * answer.z)(3), 2 - mu * (1 + e), 1e-10);
}

/// A block on a floor and a finger that strikes it from the side: rows that rest and rows that are struck.
TEST(UncoupledRows, AreProblemsByThemselves) {
  // Two contacts of bodies that have nothing to do with each other, and a stop elsewhere that is leant on.
  test::RandomImpacts random(17);
  for (int trial = 0; trial < 200; ++trial) {
    const PointImpact points[] = {random.draw(2), random.draw(2)};
    ImpactProblem both;
    both.rows.resize(7);
    both.rows.A().setZero();
    both.rows.b().setZero();
    both.rows.row(6).kind = RowKind::unilateral;
    both.rows.A()(6, 6) = 1;
    both.restitution.assign(7, 0);
    std::vector<ImpactAnswer> alone;
    for (int k = 0; k < 2; ++k) {
      ImpactProblem one;
      one.rows.resize(3);
      one.rows.A() = points[k].K.topLeftCorner<3, 3>();
      one.rows.b() = points[k].u.head<3>();
      one.restitution.assign(3, points[k].restitution);
      for (int i = 0; i < 3; ++i) {
        one.rows.row(i).kind = i == 0 ? RowKind::normal : RowKind::tangent;
        one.rows.row(i).limit = i == 0 ? 0 : points[k].friction[0];
        both.rows.row(3 * k + i) = one.rows.row(i);
        both.restitution[static_cast<std::size_t>(3 * k + i)] = points[k].restitution;
      }
      both.rows.A().block<3, 3>(3 * k, 3 * k) = one.rows.A();
      both.rows.b().segment<3>(3 * k) = one.rows.b();
      alone.push_back(solve_impact(one));
    }
    const ImpactAnswer answer = solve_impact(both);
    ASSERT_EQ(answer.status, ImpactStatus::done) << answer.reason;
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(answer.z.segment<3>(3 * k), alone[static_cast<std::size_t>(k)].z);
      EXPECT_EQ(answer.w.segment<3>(3 * k), alone[static_cast<std::size_t>(k)].w);
    }
    EXPECT_EQ(answer.z(6), 0);
    EXPECT_NEAR(answer.energy.change(), alone[0].energy.change() + alone[1].energy.change(),
                kRoundingError * std::abs(alone[0].energy.change() + alone[1].energy.change()));
  }
}

TEST(ImpactWhileOthersHold, NothingIsPushedIntoAnything) {
  test::RandomImpacts random(3);
  int gains_equal = 0, gains_unequal = 0, done = 0, polygonal = 0;
  double largest_gain = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    // A free body with masses over six decades, held by up to four heavy or light points, struck by one of them.
    const double mass = std::pow(10.0, random.uniform(-3, 3));
    const int contacts = 2 + trial % 4;
    const int n = 3 * contacts, dofs = 6 + 3 * contacts;
    Eigen::VectorXd inverse(dofs);
    inverse.head<3>() =
        Eigen::Vector3d(random.uniform(0.5, 2), random.uniform(0.5, 2), random.uniform(0.5, 2)) * 6 / mass;
    inverse.segment<3>(3).setConstant(1 / mass);
    MatrixX<double> J = MatrixX<double>::Zero(n, dofs);
    for (int k = 0; k < contacts; ++k) {
      const Eigen::Vector3d p(random.normal(), random.normal(), random.normal());
      const Eigen::Matrix3d R =
          Eigen::Quaterniond(
              Eigen::Vector4d(random.normal(), random.normal(), random.normal(), random.normal()).normalized())
              .toRotationMatrix();
      for (int i = 0; i < 3; ++i) {
        J.row(3 * k + i).head<3>() = p.cross(R.col(i)).transpose();
        J.row(3 * k + i).segment<3>(3) = R.col(i).transpose();
        J.row(3 * k + i).segment<3>(6 + 3 * k) = -R.col(i).transpose();
      }
      inverse.segment<3>(6 + 3 * k).setConstant(std::pow(10.0, random.uniform(-3, 3)));
    }
    Eigen::VectorXd v = Eigen::VectorXd::Zero(dofs);
    v.segment<3>(6) = J.row(0).segment<3>(3).transpose() * random.uniform(0.1, 3);  // finger 0 comes along N
    v.segment<3>(6) += Eigen::Vector3d(random.normal(), random.normal(), random.normal()) * 0.1;
    const MatrixX<double> X = inverse.asDiagonal() * J.transpose();
    ImpactProblem problem;
    problem.rows.resize(n);
    problem.rows.A() = J * X;
    problem.rows.b() = J * v;
    const double mu = random.uniform(0, 1.5), e = random.uniform(0, 1);
    const bool is_equal = trial % 2 == 0;
    for (int i = 0; i < n; ++i) {
      problem.rows.row(i).kind = i % 3 == 0 ? RowKind::normal : RowKind::tangent;
      problem.rows.row(i).limit = i % 3 == 0 ? 0 : mu;
      problem.restitution.push_back(is_equal ? e : random.uniform(0, 1));
    }
    if (!(problem.rows.b()(0) < 0)) continue;
    for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson}) {
      const ImpactAnswer answer = solve_impact(problem, {.law = law});
      if (answer.status != ImpactStatus::done) {
        ADD_FAILURE() << "trial " << trial << ": " << answer.reason;
        continue;
      }
      ++done;
      polygonal += answer.is_polygonal;
      // w is what is left of numbers of this size.
      const double speed =
          problem.rows.b().lpNorm<Eigen::Infinity>() + (problem.rows.A().cwiseAbs() * answer.z.cwiseAbs()).maxCoeff();
      const double before = 0.5 * v.dot(inverse.cwiseInverse().cwiseProduct(v));
      const Eigen::VectorXd after = v + X * answer.z;
      const double change = 0.5 * after.dot(inverse.cwiseInverse().cwiseProduct(after)) - before;
      // Of what is summed: impulses of heavy bodies nearly cancel in the motion of light ones.
      const double terms = answer.z.cwiseAbs().dot(problem.rows.A().cwiseAbs() * answer.z.cwiseAbs());
      EXPECT_NEAR(change, answer.energy.change(), 1e-9 * (before + terms)) << trial;
      for (int k = 0; k < contacts; ++k) {
        EXPECT_GE(answer.w(3 * k), -1e-8 * speed) << "trial " << trial << ", " << to_string(law);
        EXPECT_LE(std::hypot(answer.z(3 * k + 1), answer.z(3 * k + 2)),
                  mu * answer.z(3 * k) + 1e-8 * answer.z.lpNorm<Eigen::Infinity>());
      }
      if (law == ImpactLaw::poisson && change > 1e-9 * before) {
        ++(is_equal ? gains_equal : gains_unequal);
        largest_gain = std::max(largest_gain, change / before);
        const ImpactAnswer capped = solve_impact(problem, {.law = law, .cap_energy = true});
        EXPECT_TRUE(capped.is_capped);
        EXPECT_LE(capped.energy.change(), 1e-12 * before);
        for (int k = 0; k < contacts; ++k) EXPECT_GE(capped.w(3 * k), -1e-8 * speed);
      }
    }
  }
  std::printf(
      "%d impacts, %d on polygons; Poisson gains energy in %d with equal and %d with unequal e, at most %.3g of it\n",
      done, polygonal, gains_equal, gains_unequal, largest_gain);
  EXPECT_EQ(gains_equal, 0);
  EXPECT_GT(done, 4000);
}

}  // namespace
}  // namespace thenar::impact_problem_test
