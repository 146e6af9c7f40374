// SPDX-License-Identifier: BSD-3-Clause
//
// What holds for every impact of one contact, and closed forms in space.

#include "thenar/impact/point_impact.h"

#include <gtest/gtest.h>

#include <numbers>

#include "random_impacts.h"

namespace thenar::point_impact_test {
namespace {

using test::RandomImpacts;

/// A ball of radius 1 and mass 1, K_NN = 1, K_TT = K_UU = 7/2, spin about N aside.
PointImpact make_ball(double u_T, double u_U, double mu, double e) {
  PointImpact out;
  out.K.topLeftCorner<3, 3>() = Eigen::Vector3d(1, 3.5, 3.5).asDiagonal();
  out.u << -1, u_T, u_U, 0;
  out.friction = {mu, mu, 0};
  out.restitution = e;
  return out;
}

TEST(SpinningBall, SlidesOrSticksAsInTextbooks) {
  // Friction is along the slip all the way: |P_t| = μ (1 + e), or 2/7 |u_t| where that is less, and then u_t = 0.
  for (const double mu : {0.0, 0.1, 0.3, 1.0, 3.0}) {
    for (const double e : {0.0, 0.4, 1.0}) {
      for (int k = 0; k < 12; ++k) {
        const double angle = k * std::numbers::pi / 6, slip = 0.2 + k;
        const PointImpact impact = make_ball(slip * std::cos(angle), slip * std::sin(angle), mu, e);
        const double friction = std::min(mu * (1 + e), 2 * slip / 7);
        for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge}) {
          const PointImpactResult result = solve_point_impact(impact, law);
          EXPECT_NEAR(result.P(0), 1 + e, 1e-14);
          EXPECT_NEAR(result.P(1), -friction * std::cos(angle), 1e-14 * (1 + slip));
          EXPECT_NEAR(result.P(2), -friction * std::sin(angle), 1e-14 * (1 + slip));
          EXPECT_NEAR(result.u(0), e, 1e-14);
          EXPECT_NEAR(result.u.segment<2>(1).norm(), slip - 3.5 * friction, 1e-13 * (1 + slip));
        }
      }
    }
  }
}

TEST(PointImpact, DoesNothingWithoutApproach) {
  PointImpact impact = make_ball(1, 0, 0.3, 0.5);
  impact.u(0) = 0;
  EXPECT_EQ(solve_point_impact(impact, ImpactLaw::stronge).status, ImpactStatus::no_approach);
  impact.u(0) = 0.1;
  const PointImpactResult result = solve_point_impact(impact, ImpactLaw::poisson);
  EXPECT_EQ(result.status, ImpactStatus::no_approach);
  EXPECT_EQ(result.P.norm(), 0);
  EXPECT_EQ(result.u, impact.u);
}

TEST(PointImpact, NamesNumbersThatAreNoImpact) {
  PointImpact impact = make_ball(1, 0, 0.3, 0.5);
  impact.K(0, 0) = 0;
  EXPECT_EQ(solve_point_impact(impact, ImpactLaw::poisson).status, ImpactStatus::fault);
  impact = make_ball(std::nan(""), 0, 0.3, 0.5);
  EXPECT_EQ(solve_point_impact(impact, ImpactLaw::poisson).status, ImpactStatus::fault);
  impact = make_ball(1, 0, INFINITY, 0.5);
  EXPECT_EQ(solve_point_impact(impact, ImpactLaw::poisson).status, ImpactStatus::fault);
}

TEST(PointImpact, SingularMobilityIsMet) {
  // A pendulum of one joint strikes the floor: u_N and u_T depend on each other, K has rank 1. With μ |K_TN| ≥ K_NN …
  // the joint jams: it cannot leave again; with less friction it rebounds.
  for (const double slope : {-0.8, 0.5, 2.0}) {
    for (const double mu : {0.1, 0.4, 1.0, 3.0}) {
      PointImpact impact;
      impact.tangents = 1;
      impact.K.topLeftCorner<2, 2>() << 1, slope, slope, slope * slope;
      impact.u << -1, -slope, 0, 0;
      impact.friction = {mu, 0, 0};
      impact.restitution = 0.5;
      for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge}) {
        const PointImpactResult result = solve_point_impact(impact, law);
        ASSERT_EQ(result.status, ImpactStatus::done) << slope << ' ' << mu;
        EXPECT_NEAR(result.u(1), slope * result.u(0), 1e-12);
        EXPECT_LE(std::abs(result.P(1)), mu * result.P(0) * (1 + 1e-12));
        if (mu * std::abs(slope) >= 1) {
          EXPECT_NEAR(result.u(0), 0, 1e-12);
        } else {
          EXPECT_GT(result.u(0), 0.01);
        }
      }
    }
  }
}

TEST(PointImpact, ChainInAPlaneEqualsThePlanarImpact) {
  // The same contact with its out-of-plane row, which nothing moves, and turned about N.
  const double angle = 0.7;
  const Eigen::Rotation2Dd turn(angle);
  PointImpact planar;
  planar.tangents = 1;
  planar.K.topLeftCorner<2, 2>() << 2, 0.9, 0.9, 1.5;
  planar.u << -1, 0.4, 0, 0;
  planar.friction = {0.5, 0, 0};
  planar.restitution = 0.6;
  PointImpact spatial = planar;
  spatial.tangents = 2;
  spatial.friction = {0.5, 0.5, 0};
  const Eigen::Vector2d direction = turn * Eigen::Vector2d::UnitX();
  spatial.K.block<1, 2>(0, 1) = 0.9 * direction.transpose();
  spatial.K.block<2, 1>(1, 0) = 0.9 * direction;
  spatial.K.block<2, 2>(1, 1) = 1.5 * direction * direction.transpose();
  spatial.u.segment<2>(1) = 0.4 * direction;
  for (const ImpactLaw law : kImpactLaws) {
    const PointImpactResult a = solve_point_impact(planar, law), b = solve_point_impact(spatial, law);
    EXPECT_NEAR(a.P(0), b.P(0), 1e-14);
    EXPECT_NEAR(a.P(1), b.P.segment<2>(1).dot(direction), 1e-14);
  }
}

TEST(PointImpact, DoesNotDependOnTangentsOrUnits) {
  RandomImpacts random(21);
  for (int i = 0; i < 300; ++i) {
    const PointImpact impact = random.draw(2);
    PointImpact turned = impact, scaled = impact;
    const Eigen::Rotation2Dd turn(random.uniform(0, 6));
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    R.bottomRightCorner<2, 2>() = turn.toRotationMatrix();
    turned.K.topLeftCorner<3, 3>() = R * impact.K.topLeftCorner<3, 3>() * R.transpose();
    turned.u.head<3>() = R * impact.u.head<3>();
    scaled.K *= 1e6;
    scaled.u *= 1e-3;
    for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge}) {
      const PointImpactResult a = solve_point_impact(impact, law), b = solve_point_impact(turned, law),
                              c = solve_point_impact(scaled, law);
      // The tolerance, a few times.
      const double size = 1e-9 * std::max(a.P.norm(), -impact.u(0) / impact.K(0, 0));
      EXPECT_LT((R * a.P.head<3>() - b.P.head<3>()).norm(), size);
      EXPECT_LT((a.P - 1e9 * c.P).norm(), size);
    }
  }
}

TEST(Sticking, HasExactlyOneDivergingRayWhereItIsNotStable) {
  // All directions n with a − K_tt μ n along n, by the signs of the slope across on a fine circle; of those, slip grows
  // along exactly one if sticking is not stable, and along none if it is.
  RandomImpacts random(22);
  int unstable = 0;
  constexpr int kDirections = 4000;
  for (int i = 0; i < 500; ++i) {
    const PointImpact impact = random.draw(2);
    const double mu = impact.friction[0];
    const Eigen::Matrix2d K_tt = impact.K.block<2, 2>(1, 1);
    const Eigen::Vector2d a = impact.K.block<2, 1>(1, 0);
    const auto slope = [&](double theta) -> Eigen::Vector2d {
      const Eigen::Vector2d n(std::cos(theta), std::sin(theta));
      const Eigen::Vector2d rate = a - mu * K_tt * n;
      return {n.dot(rate), n(0) * rate(1) - n(1) * rate(0)};
    };
    int rays = 0;
    double direction = 0;
    for (int k = 0; k < kDirections; ++k) {
      const double low = 2 * std::numbers::pi * k / kDirections, high = 2 * std::numbers::pi * (k + 1) / kDirections;
      if (slope(low)(1) * slope(high)(1) > 0 || slope(low)(0) < 0) continue;
      ++rays;
      direction = 0.5 * (low + high);
    }
    const StickingTest test = test_sticking(impact);
    if (std::abs(test.share - 1) < 1e-2) continue;  // grid and border
    EXPECT_EQ(rays, test.is_stable ? 0 : 1) << i;
    if (test.is_stable) continue;
    ++unstable;
    const Eigen::Vector2d found = Eigen::Vector2d(test.direction[0], test.direction[1]).normalized();
    EXPECT_NEAR(found.dot(Eigen::Vector2d(std::cos(direction), std::sin(direction))), 1, 1e-5);
    EXPECT_GT(test.rate, 0);
  }
  EXPECT_GT(unstable, 100);
}

TEST(PointImpact, CompressesTwiceWhereSlipTurnsIntoTheBodies) {
  // Rare: u_N comes back to 0 in restitution. Impulses and work of both compressions count.
  RandomImpacts random(1);
  int found = 0;
  for (int i = 0; i < 40000 && found < 5; ++i) {
    const PointImpact impact = random.draw(2);
    const PointImpactResult result = solve_point_impact(impact, ImpactLaw::stronge);
    if (!result.has(ImpactMark::recompression)) continue;
    ++found;
    EXPECT_GE(result.u(0), 0);
    const double e = impact.restitution;
    EXPECT_NEAR(result.energy.restitution, -e * e * result.energy.compression,
                1e-9 * std::abs(result.energy.compression));
  }
  EXPECT_GE(found, 1);
}

TEST(PointImpact, ObeysItsLaw) {
  RandomImpacts random(23);
  for (int i = 0; i < 5000; ++i) {
    const PointImpact impact = random.draw(1 + i % 3);
    const double e = impact.restitution;
    const PointImpactResult newton = solve_point_impact(impact, ImpactLaw::newton),
                            stronge = solve_point_impact(impact, ImpactLaw::stronge);
    EXPECT_NEAR(newton.u(0), -e * impact.u(0), 1e-9 * -impact.u(0));
    EXPECT_NEAR(stronge.energy.restitution, -e * e * stronge.energy.compression,
                1e-9 * std::abs(stronge.energy.compression));
    for (const PointImpactResult* result : {&newton, &stronge}) {
      // Slip may turn far more energy than compression does, and the parts are found to the same share of what they sum
      // to.
      const double size = std::max(std::abs(result->energy.compression), std::abs(result->energy.change()));
      EXPECT_NEAR(result->energy.change(), test::calc_energy_change(impact, *result), 2e-9 * size);
    }
  }
}

}  // namespace
}  // namespace thenar::point_impact_test
