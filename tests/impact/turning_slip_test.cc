// SPDX-License-Identifier: BSD-3-Clause
//
// Impacts in space whose slip turns: no closed form, so that they are compared with a plain integration, with
// themselves at tighter tolerances, and with what must hold whatever the numbers.

#include <gtest/gtest.h>

#include "random_impacts.h"
#include "reference_impact.h"

namespace thenar::turning_slip_test {
namespace {

using test::RandomImpacts;

constexpr std::array<ImpactLaw, 3> kLaws{ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge};

/// Largest difference of two impulses, relative to |u_N| / K_NN of the impact or the impulse itself.
double calc_difference(const PointImpact& impact, const Vector4<double>& a, const Vector4<double>& b) {
  return (a - b).norm() / std::max(-impact.u(0) / impact.K(0, 0), a.norm());
}

TEST(TurningSlip, EqualsAPlainIntegration) {
  // The reference is wrong by about one of its steps, 1/4000 of the impulse, where slip comes to rest or a phase ends,
  // and less where not; with ten times as many steps it comes nearer.
  RandomImpacts random(7);
  double coarse = 0, fine = 0;
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    PointImpact impact = random.draw(2);
    impact.friction[0] = impact.friction[1] = random.uniform(0.05, 1);
    for (const ImpactLaw law : kLaws) {
      const PointImpactResult result = solve_point_impact(impact, law);
      ASSERT_EQ(result.status, ImpactStatus::done);
      if (result.has(ImpactMark::recompression)) continue;
      const double size = std::max(-impact.u(0) / impact.K(0, 0), result.P.norm());
      const double error_1 = (test::integrate_reference(impact, law, 400).P - result.P.head<3>()).norm() / size;
      const double error_2 = (test::integrate_reference(impact, law, 4000).P - result.P.head<3>()).norm() / size;
      EXPECT_LT(error_2, 5e-4) << "impact " << i << ", " << to_string(law);
      coarse += error_1, fine += error_2;
      ++compared;
    }
  }
  EXPECT_GT(compared, 150);
  EXPECT_LT(fine, 0.2 * coarse);
}

TEST(TurningSlip, ConvergesWithTheTolerance) {
  RandomImpacts random(8);
  std::array<double, 3> worst{};
  constexpr std::array<double, 3> kTolerances{1e-4, 1e-7, 1e-10};
  int turned = 0;
  for (int i = 0; i < 2000; ++i) {
    const PointImpact impact = random.draw(2 + i % 2);
    for (const ImpactLaw law : kLaws) {
      const PointImpactResult exact = solve_point_impact(impact, law, {.tolerance = 1e-14});
      ASSERT_EQ(exact.status, ImpactStatus::done);
      turned += exact.steps > 5;
      for (std::size_t k = 0; k < 3; ++k) {
        const PointImpactResult result = solve_point_impact(impact, law, {.tolerance = kTolerances[k]});
        worst[k] = std::max(worst[k], calc_difference(impact, result.P, exact.P));
      }
    }
  }
  EXPECT_GT(turned, 1000);
  for (std::size_t k = 0; k < 3; ++k) {
    std::printf("tolerance %g: worst %g\n", kTolerances[k], worst[k]);
    EXPECT_LT(worst[k], 100 * kTolerances[k]);
  }
}

}  // namespace
}  // namespace thenar::turning_slip_test
