// SPDX-License-Identifier: BSD-3-Clause
/// SYK's examples with compliant layers in the planar formulation of planar_layers.h, without the library: what
/// docs/syk.md says about growth beyond the loss of stability, and about the shear that layers begin with.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "planar_layers.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test::syk_layers_test {
namespace {

constexpr double kLost = 0.4357, kReversed = 0.6155;  // s, on the planned path (syk_test.cc)

PlanarLayers make_translation(double epsilon) {
  PlanarLayers out;
  out.example = PlanarExample::translate();
  out.law.grasp << 2.4, 0.15, 2.4, 0.15;
  out.epsilon = epsilon;
  return out;
}

/// ∫ σ dt where mirrored links do the opposite: σ² = a (1/ε + σ/√ε) with −a the least eigenvalue of that part of A
/// times the mass.
double calc_growth(const PlanarExample& example, double epsilon) {
  constexpr int kSteps = 400;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const Vector7 q = example.plan(kLost + (i + 0.5) / kSteps * (kReversed - kLost));
    const Matrix4 A = example.grasp.mass * example.grasp.calc_A(q, example.plan_slips(q).cwiseSign());
    const Eigen::Matrix2d opposite = A.topLeftCorner<2, 2>() - A.topRightCorner<2, 2>();
    const double a = -eigenvalues_of(opposite).real().minCoeff();
    if (a > 0) sum += (a + std::sqrt(a * a + 4 * a)) / 2;
  }
  return sum / kSteps * (kReversed - kLost) / std::sqrt(epsilon);
}

/// By how much a motion to one side grows until slips reverse, in the layer that A alone makes; the figures of
/// docs/syk.md.
TEST(SykLayers, AsymmetryGrowsAsTheMatrixSays) {
  const PlanarExample example = PlanarExample::translate();
  for (const double epsilon : {1e-3, 1e-4, 1e-5}) {
    const double exponent = calc_growth(example, epsilon);
    fmt::print("epsilon {:.0e}: grows by e^{:.1f} = {:.2g} until {} s\n", epsilon, exponent, std::exp(exponent),
               kReversed);
    EXPECT_NEAR(exponent, 3.7 * std::sqrt(1e-3 / epsilon), 0.1 * std::sqrt(1e-3 / epsilon));
  }
}

/// SYK 5: layers that begin with another shear than that of δ̇_T = 0. Contacts that slide do not feel it; where slips
/// reverse, what is left of it after t is exp(−t/√ε) of it.
TEST(SykLayers, ShearAtTheStartIsForgotten) {
  for (const double epsilon : {1e-3, 2.5e-4}) {
    std::array<std::vector<Vector4>, 3> forces;
    double largest = 0;
    const std::array kStarts{ShearStart::steady, ShearStart::none, ShearStart::stuck};
    for (std::size_t k = 0; k < 3; ++k) {
      PlanarLayers layers = make_translation(epsilon);
      const LayeredState start = layers.begin(kLost, kStarts[k]);
      layers.run(kLost, 0.66, 5e-5, start, [&](double, const LayeredState& state) {
        const LayerForces now = layers.calc_forces(state);
        forces[k].push_back(now.normal);
        forces[k].push_back(now.tangential);
        largest = std::max(largest, now.normal.maxCoeff());
      });
    }
    for (const std::size_t k : {1U, 2U}) {
      double before = 0, after = 0;
      for (std::size_t i = 0; i < forces[0].size(); ++i) {
        const double t = kLost + 5e-5 * static_cast<double>(i / 2);
        double& most = t < 0.58 ? before : after;
        most = std::max(most, (forces[k][i] - forces[0][i]).cwiseAbs().maxCoeff() / largest);
      }
      const double forgotten = std::exp(-(0.60 - kLost) / std::sqrt(epsilon));
      fmt::print("epsilon {}: {}: {:.2g} % of the largest force until 0.58 s, {:.2g} % later\n", epsilon,
                 k == 1 ? "no shear" : "as if stuck", 100 * before, 100 * after);
      EXPECT_LE(after, 5 * forgotten);
    }
  }
}

}  // namespace
}  // namespace thenar::test::syk_layers_test
