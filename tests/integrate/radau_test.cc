// SPDX-License-Identifier: BSD-3-Clause
//
// What the implicit method is for: stiff motions, at a bounded price in slopes and Jacobians.
#include <gtest/gtest.h>

#include <cmath>

#include "../support/motion_problems.h"
#include "thenar/integrate/radau_tableau_internal.h"

namespace thenar::radau_test {
namespace {

namespace radau = internal::radau;
using test::Chain;
using test::Outcome;
using test::Problem;
using test::SpinningBody;
using test::State;

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
Matrix to_matrix(const radau::Matrix& m) { return Eigen::Map<const Matrix>(m[0].data()); }

TEST(RadauTableau, IsCollocationOfOrderFive) {
  for (int power = 1; power <= 5; ++power) {
    // Weights integrate tᵏ⁻¹ exactly up to k = 5, stages up to k = 3 (HairerWanner1996, IV.5, B(5) and C(3)).
    double b = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      double c = 0;
      for (std::size_t j = 0; j < 3; ++j) c += radau::kA[i][j] * std::pow(radau::kNodes[j], power - 1);
      if (power <= 3) {
        EXPECT_NEAR(c, std::pow(radau::kNodes[i], power) / power, 1e-15);
      }
      b += radau::kA[2][i] * std::pow(radau::kNodes[i], power - 1);
    }
    EXPECT_NEAR(b, 1.0 / power, 1e-15);
  }
}

TEST(RadauTableau, TransformationSplitsTheInverse) {
  const Matrix T = to_matrix(radau::kT), inverse_T = to_matrix(radau::kInverseT);
  EXPECT_LT((T * inverse_T - Matrix::Identity()).cwiseAbs().maxCoeff(), 1e-14);
  Matrix lambda;
  lambda << radau::kGamma, 0, 0, 0, radau::kAlpha, -radau::kBeta, 0, radau::kBeta, radau::kAlpha;
  EXPECT_LT((to_matrix(radau::kA) * T * lambda * inverse_T - Matrix::Identity()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(RadauTableau, CollocationWeightsPassThroughTheStages) {
  for (std::size_t i = 0; i < 3; ++i) {
    const radau::Row weights = radau::calc_collocation_weights(radau::kNodes[i]);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(weights[j], i == j, 1e-15);
  }
}

/// v̇ = φ̈ − λ (v − φ̇) − k (x − φ) with the slow solution x = φ(t) = sin t (Prothero and Robinson's test, second order).
Problem make_prothero_robinson(double lambda, double k) {
  Problem problem(1, [lambda, k](double t, const double* x, const double* v, double* a) {
    a[0] = -std::sin(t) - lambda * (v[0] - std::cos(t)) - k * (x[0] - std::sin(t));
  });
  problem.set_jacobian([lambda, k](double, const double*, const double*, Eigen::Ref<MatrixX<double>> dv_dx,
                                   Eigen::Ref<MatrixX<double>> dv_dv) { dv_dx(0, 0) = -k, dv_dv(0, 0) = -lambda; });
  return problem;
}

TEST(Radau, OneHugeStepDampsWhatIsFast) {
  // The stability function is −3/z for large z, so a velocity off by 1 returns to 3/(h λ).
  for (const double lambda : {1e4, 1e6, 1e8, 1e10, 1e12}) {
    Problem problem = make_prothero_robinson(lambda, 1);
    const std::unique_ptr<Integrator> integrator = make_implicit_integrator(problem);
    State y(2);
    y << 0, 2;  // the slow solution starts at (0, 1)
    const State slope = calc_start_slope(problem, y);
    const double h = 0.1;
    const std::vector<double> weights(2, 10.0);
    const StepAttempt a = integrator->attempt(problem, 0, h, y.data(), slope.data(), weights);
    ASSERT_TRUE(a.accepted) << lambda;
    const double off = std::abs(integrator->end_state()(1) - std::cos(h));
    // What is left over is the method's own error on the slow solution, of order h⁴ where stiff.
    EXPECT_LT(off, 4 / (h * lambda) + 1e-5) << lambda;
    EXPECT_NEAR(integrator->end_state()(0), std::sin(h), 4 / lambda + 1e-6) << lambda;
  }
}

TEST(Radau, TheFirstStepMayJumpOntoTheSlowSolution) {
  // A start 100 weights away from it: the error estimate sees them, unless filtered twice (HairerWanner1996, 8.20).
  Problem problem = make_prothero_robinson(1e8, 1);
  const std::unique_ptr<Integrator> integrator = make_implicit_integrator(problem);
  State y(2);
  y << 0, 2;
  const State slope = calc_start_slope(problem, y);
  const StepAttempt a = integrator->attempt(problem, 0, 0.1, y.data(), slope.data(), std::vector<double>(2, 0.01));
  EXPECT_TRUE(a.accepted) << a.error;
  EXPECT_NEAR(integrator->end_state()(1), std::cos(0.1), 1e-5);
}

TEST(Radau, StiffSpringsAreDampedToo) {
  for (const double k : {1e6, 1e9, 1e12}) {
    Problem problem = make_prothero_robinson(0, k);
    const std::unique_ptr<Integrator> integrator = make_implicit_integrator(problem);
    State y(2);
    y << 1e-3, 1;
    const State slope = calc_start_slope(problem, y);
    const double h = 1;
    const std::vector<double> weights(2, 1e3);
    const StepAttempt a = integrator->attempt(problem, 0, h, y.data(), slope.data(), weights);
    ASSERT_TRUE(a.accepted) << k;
    // z = ± i h √k: the deviation of 1e-3 returns to 3e-3/(h √k), its velocity to 3e-3/h.
    EXPECT_NEAR(integrator->end_state()(0), std::sin(h), 4e-3 / (h * std::sqrt(k)) + 100 / k) << k;
    EXPECT_LT(std::abs(integrator->end_state()(1)), 2) << k;
  }
}

TEST(Radau, FollowsTheSlowSolutionWithLongStepsForAnyStiffness) {
  for (const double lambda : {1e4, 1e8, 1e12}) {
    Problem problem = make_prothero_robinson(lambda, 1);
    const std::unique_ptr<Integrator> integrator = make_implicit_integrator(problem);
    State y(2);
    y << 0, 1;
    const Outcome run = run_adaptive(problem, *integrator, y, 10, 1e-6, 1e-3);
    ASSERT_TRUE(run.finished);
    EXPECT_NEAR(run.y(0), std::sin(10), 1e-5);
    EXPECT_NEAR(run.y(1), std::cos(10), 1e-5);
    EXPECT_LT(run.accepted + run.rejected, 150) << lambda;
    EXPECT_LE(problem.jacobians, 2) << lambda;
  }
}

TEST(Radau, VanDerPolReachesThePublishedValues) {
  // ε = 1/μ² = 1e-6 from (2, 0) to t = 2: Mazzia and Magherini, Test Set for IVP Solvers, release 2.4, problem VDPOL.
  const double x = 0.1706167732170469e1, v = -0.8928097010248125;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    Problem problem = test::make_van_der_pol(1e3);
    const std::unique_ptr<Integrator> integrator = make_implicit_integrator(problem);
    const Outcome run = run_adaptive(problem, *integrator, State::Unit(2, 0) * 2, 2, tolerance, 1e-6);
    ASSERT_TRUE(run.finished);
    EXPECT_NEAR(run.y(0), x, 0.1 * tolerance) << tolerance;
    EXPECT_NEAR(run.y(1), v, 0.1 * tolerance) << tolerance;
    // The error estimate falls with h⁴, so the steps grow as tolerance^(−1/4).
    EXPECT_LT(problem.cost(), 360 * std::pow(tolerance, -0.25)) << tolerance;
  }
}

TEST(Radau, VanDerPolCostsLittleMoreWhenAThousandTimesStiffer) {
  Problem soft = test::make_van_der_pol(1e3), hard = test::make_van_der_pol(1e6);
  const State y = State::Unit(2, 0) * 2;
  const Outcome run = run_adaptive(soft, *make_implicit_integrator(soft), y, 2, 1e-5, 1e-6);
  const Outcome stiff = run_adaptive(hard, *make_implicit_integrator(hard), y, 2, 1e-5, 1e-9);
  ASSERT_TRUE(run.finished && stiff.finished);
  EXPECT_LT(stiff.accepted, 2.5 * run.accepted);
  // Against the relaxation's limit, x − x³/3 … : both lie on the slow branch v (1 − x²) = x at the end.
  EXPECT_NEAR(stiff.y(1) * (1 - stiff.y(0) * stiff.y(0)), stiff.y(0), 1e-5);
  const Outcome tight = run_adaptive(hard, *make_implicit_integrator(hard), y, 2, 1e-9, 1e-9);
  EXPECT_NEAR(stiff.y(0), tight.y(0), 1e-5);
}

TEST(Radau, StiffChainsCostAHundredthOfAnExplicitMethod) {
  for (const int n : {5, 20, 50}) {
    const Chain chain{n, 1e8};
    Problem problem = chain.make_problem();
    const Outcome run = run_adaptive(problem, *make_implicit_integrator(problem), chain.start(), 5, 1e-6, 1e-4);
    ASSERT_TRUE(run.finished);
    EXPECT_LT(run.accepted + run.rejected, 300) << n;
    EXPECT_LT(problem.slopes, 10 * run.accepted) << n;
    EXPECT_LE(problem.jacobians, 5) << n;
    // An explicit method must stay below h √k ≈ 6, which is 8,000 steps of 12 slopes.
    EXPECT_LT(problem.cost(), 96000 / 30) << n;
    // The stiff links hold to their equilibrium.
    const Outcome tight = run_adaptive(problem, *make_implicit_integrator(problem), chain.start(), 5, 1e-9, 1e-4);
    EXPECT_LT((run.y - tight.y).head(2 * n).lpNorm<Eigen::Infinity>(), 5e-6) << n;
  }
}

TEST(Radau, StiffRotationsAgreeWithTinySteps) {
  // A spring that pulls a body's axis upright, critically damped at 300/s: ẋ = J⁻¹(x) v, in a chart that moves along.
  State y = State::Zero(6);
  y.tail(3) << 3, 0.2, -1;
  SpinningBody body(1e5, 600), reference(1e5, 600);
  const Outcome exact = run_fixed(reference, *make_rk8_integrator(reference), y, 1, 4000, 1);
  const Outcome run = run_adaptive(body, *make_implicit_integrator(body), y, 1, 1e-6, 1e-4);
  ASSERT_TRUE(exact.finished && run.finished);
  EXPECT_LT((body.calc_place(run.y) - reference.calc_place(exact.y)).lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_LE(body.jacobians, 4);
  EXPECT_LT(body.cost(), 1500);
}

TEST(Radau, LinearMotionsNeedOneJacobianAndOneIterationPerStep) {
  Problem problem = make_prothero_robinson(10, 100);
  const std::unique_ptr<Integrator> integrator = make_implicit_integrator(problem);
  const Outcome run = run_adaptive(problem, *integrator, State::Unit(2, 1), 20, 1e-6, 1e-2);
  EXPECT_EQ(problem.jacobians, 1);
  // Three slopes per iteration, one at the end; every few steps a second iteration looks at the rate.
  EXPECT_LT(static_cast<double>(problem.slopes), 5.5 * run.accepted);
}

TEST(Radau, RestartKeepsTheJacobianAndResetDoesNot) {
  Problem problem = test::make_pendulum();
  const std::unique_ptr<Integrator> integrator = make_implicit_integrator(problem);
  const auto run = [&] { run_adaptive(problem, *integrator, test::pendulum_start(), 0.1, 1e-6, 0.01); };
  run();
  EXPECT_EQ(problem.jacobians, 1);
  integrator->restart();
  run();
  EXPECT_EQ(problem.jacobians, 1);
  integrator->reset();
  run();
  EXPECT_EQ(problem.jacobians, 2);
}

TEST(Radau, AJacobianOfTheWrongModeIsReplaced) {
  // After restart() the equations have changed after all: 10⁶ times stiffer. The step must still be right.
  double k = 1;
  Problem problem(1, [&k](double, const double* x, const double* v, double* a) {
    a[0] = -k * std::sinh(x[0]) - 2 * std::sqrt(k) * v[0];
  });
  const std::unique_ptr<Integrator> integrator = make_implicit_integrator(problem);
  run_adaptive(problem, *integrator, State::Unit(2, 0), 1, 1e-6, 0.01);
  k = 1e6;
  integrator->restart();
  const Outcome run = run_adaptive(problem, *integrator, State::Unit(2, 0), 1, 1e-6, 0.01);
  ASSERT_TRUE(run.finished);
  EXPECT_LT(run.y.head(2).lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_LT(run.rejected, 20);
}

TEST(Radau, TolerancesBeyondRoundingDoNotStopIt) {
  // Forces of 10⁸ are known to 10⁻⁸ only; weights of 10⁻¹² ask for more.
  const Chain chain{5, 1e8};
  Problem problem = chain.make_problem();
  const Outcome run = run_adaptive(problem, *make_implicit_integrator(problem), chain.start(), 0.1, 1e-12, 1e-4);
  ASSERT_TRUE(run.finished);
  EXPECT_LT(run.rejected, 200);
}

}  // namespace
}  // namespace thenar::radau_test
