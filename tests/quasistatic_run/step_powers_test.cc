// SPDX-License-Identifier: BSD-3-Clause
//
// Books of energy in a step: powers that are polynomials add up exactly, and kinks are told.

#include "thenar/quasistatic_run/step_powers_internal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "thenar/integrate/crossing.h"

namespace thenar::step_powers_test {
namespace {

using internal::StepPowers;

/// Powers at the places of a step.
template <class Work, class Dissipated>
StepPowers make_powers(const Work& work, const Dissipated& dissipated) {
  const std::vector<double> nodes = CrossingFinder::make_nodes(internal::kSlowDegree);
  StepPowers out;
  out.work.resize(static_cast<Eigen::Index>(nodes.size()));
  out.dissipated.resize(out.work.size());
  for (Eigen::Index k = 0; k < out.work.size(); ++k) {
    out.work(k) = work(nodes[static_cast<std::size_t>(k)]);
    out.dissipated(k) = dissipated(nodes[static_cast<std::size_t>(k)]);
  }
  return out;
}

TEST(StepPowers, PolynomialsOfTheirDegreeAddUpExactly) {
  const StepPowers powers =
      make_powers([](double x) { return 3 - 2 * x + 9 * std::pow(x, 8); }, [](double x) { return 5 * std::pow(x, 4); });
  const double h = 0.4;
  for (const double theta : {0.0, 0.3, 0.5, 1.0}) {
    const StepPoint energy = powers.integrate(CrossingFinder::make_nodes(internal::kSlowDegree), h, theta);
    EXPECT_NEAR(energy.work, h * (3 * theta - theta * theta + std::pow(theta, 9)), 1e-14);
    EXPECT_NEAR(energy.dissipated, h * std::pow(theta, 5), 1e-14);
  }
}

TEST(StepPowers, AKinkIsNotSmooth) {
  const auto constant = [](double) { return 1.0; };
  EXPECT_TRUE(make_powers([](double x) { return 1 + x * x; }, constant).are_smooth());
  EXPECT_FALSE(make_powers([](double x) { return std::abs(x - 0.3); }, constant).are_smooth());
  EXPECT_FALSE(make_powers(constant, [](double x) { return std::abs(x - 0.3); }).are_smooth());
}

/// Powers that are rounding have no books to keep.
TEST(StepPowers, RoundingIsSmooth) {
  StepPowers powers = make_powers([](double x) { return 1e-12 * std::abs(x - 0.3); }, [](double) { return 0.0; });
  EXPECT_FALSE(powers.are_smooth());
  powers.usual = 1;
  EXPECT_TRUE(powers.are_smooth());
}

}  // namespace
}  // namespace thenar::step_powers_test
