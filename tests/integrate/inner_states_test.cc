// SPDX-License-Identifier: BSD-3-Clause
//
// Motions with inner states of first order, as compliant contacts have: a mass on a spring in series with a damper.
#include <gtest/gtest.h>

#include <cmath>

#include "../support/motion_problems.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::inner_states_test {
namespace {

using test::Outcome;
using test::Problem;
using test::State;

/// Unit masses hang on Maxwell elements in a chain: the spring k of each is stretched by x_i − x_(i−1) − s_i, and its
/// damper creeps with ṡ_i = λ (x_i − x_(i−1) − s_i). w counts what the dampers take.
struct MaxwellChain {
  int n;
  double k, lambda;

  double stretch(const double* x, const double* s, int i) const { return x[i] - (i > 0 ? x[i - 1] : 0) - s[i]; }

  Problem make_problem() const {
    Problem problem(n, [c = *this](double, const double* x, const double* v, double* a) {
      const double* s = v + c.n;
      for (int i = 0; i < c.n; ++i) {
        a[i] = -x[i] - c.k * c.stretch(x, s, i) + (i + 1 < c.n ? c.k * c.stretch(x, s, i + 1) : 0);
      }
    });
    problem.set_inner(n, [c = *this](double, const double* x, const double* v, double* rate) {
      for (int i = 0; i < c.n; ++i) rate[i] = c.lambda * c.stretch(x, v + c.n, i);
    });
    problem.set_quadratures(1, [c = *this](double, const double* x, const double* v, double* power) {
      power[0] = 0;
      for (int i = 0; i < c.n; ++i) power[0] += c.k * c.lambda * std::pow(c.stretch(x, v + c.n, i), 2);
    });
    return problem;
  }

  State start() const {
    State y = State::Zero(3 * n + 1);
    for (int i = 0; i < n; ++i) y(i) = 0.3 + 0.2 * i, y(n + i) = 0.5 - 0.4 * i, y(2 * n + i) = 0.1 * i;
    return y;
  }

  /// The motion is linear: (x, v, s) at t is exp(t A) times that at 0.
  State solve(double t) const {
    Problem problem = make_problem();
    MatrixX<double> A(3 * n, 3 * n);
    State slope(3 * n + 1);
    for (int j = 0; j < 3 * n; ++j) {
      problem.calc_slope(0, State(State::Unit(3 * n + 1, j)).data(), slope.data());
      A.col(j) = slope.head(3 * n);
    }
    const Eigen::EigenSolver<MatrixX<double>> modes(A);
    const Eigen::VectorXcd amplitudes =
        modes.eigenvectors().fullPivLu().solve(start().head(3 * n).cast<std::complex<double>>());
    return (modes.eigenvectors() * (t * modes.eigenvalues()).array().exp().matrix().cwiseProduct(amplitudes)).real();
  }

  double energy(const State& y) const {
    double out = 0.5 * y.segment(n, n).squaredNorm() + 0.5 * y.head(n).squaredNorm();
    for (int i = 0; i < n; ++i) out += 0.5 * k * std::pow(stretch(y.data(), y.data() + 2 * n, i), 2);
    return out;
  }
};

TEST(InnerStates, AreFollowedWithTheOrderOfTheMethod) {
  const MaxwellChain chain{3, 20, 2};
  struct Case {
    std::unique_ptr<Integrator> (*make)(const MotionEquations&);
    int order, steps;
  };
  for (const Case& c :
       {Case{make_rk4_integrator, 4, 40}, Case{make_rk8_integrator, 8, 12}, Case{make_implicit_integrator, 5, 40}}) {
    double errors[2];
    for (int halved = 0; halved < 2; ++halved) {
      Problem problem = chain.make_problem();
      const auto integrator = c.make(problem);

      const Outcome run = run_fixed(problem, *integrator, chain.start(), 2, c.steps << halved, 1);
      ASSERT_TRUE(run.finished) << c.order;
      errors[halved] = (run.y.head(9) - chain.solve(2)).norm();
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), c.order, 0.5) << errors[0] << " " << errors[1];
  }
}

TEST(InnerStates, CloseTheBooksOfEnergy) {
  const MaxwellChain chain{4, 30, 5};
  for (auto* make : {make_explicit_integrator, make_implicit_integrator}) {
    Problem problem = chain.make_problem();
    const auto integrator = make(problem);
    const Outcome run = run_adaptive(problem, *integrator, chain.start(), 3, 1e-9, 0.01);
    ASSERT_TRUE(run.finished);
    // Errors of steps add up over some hundred steps of 1e-9 each.
    EXPECT_NEAR(chain.energy(run.y) + run.y(12), chain.energy(chain.start()), 1e-7);
    EXPECT_LT((run.y.head(12) - chain.solve(3)).cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(InnerStates, StiffOnesCostTheImplicitMethodNothing) {
  // λ → ∞: the damper gives way at once, and what is left is a mass on the spring of stiffness 1.
  double cost[2];
  for (int i = 0; i < 2; ++i) {
    const MaxwellChain chain{2, 50, i == 0 ? 1e4 : 1e9};
    Problem problem = chain.make_problem();
    const auto integrator = make_implicit_integrator(problem);
    const Outcome run = run_adaptive(problem, *integrator, chain.start(), 5, 1e-7, 1e-3);
    ASSERT_TRUE(run.finished);
    cost[i] = static_cast<double>(problem.cost());
    for (int j = 0; j < 2; ++j) {
      const double x0 = chain.start()(j), v0 = chain.start()(2 + j);
      // The transient moves velocities by k/λ of the stretch it starts with, and damping 1/λ goes on.
      EXPECT_NEAR(run.y(j), x0 * std::cos(5) + v0 * std::sin(5), 1e-5 + 400 / chain.lambda);
    }
  }
  EXPECT_LT(cost[1], 2 * cost[0]);
}

TEST(InnerStates, MayComeAndGo) {
  // One integrator for motions with and without them: the number changes at a reset.
  const MaxwellChain small{2, 20, 2};
  for (auto* make : {make_explicit_integrator, make_implicit_integrator}) {
    Problem without(2, [](double, const double* x, const double*, double* a) { a[0] = -x[0], a[1] = -x[1]; });
    without.set_quadratures(1, [](double, const double*, const double*, double* w) { w[0] = 0; });
    Problem with = small.make_problem();
    const auto integrator = make(without);
    State y = State::Zero(5);
    y(0) = 1;
    Outcome run = run_adaptive(without, *integrator, y, 1, 1e-10, 0.01);
    EXPECT_NEAR(run.y(0), std::cos(1), 1e-8);
    integrator->reset();
    run = run_adaptive(with, *integrator, small.start(), 1, 1e-10, 0.01);
    EXPECT_LT((run.y.head(6) - small.solve(1)).cwiseAbs().maxCoeff(), 1e-8);
    integrator->reset();
    run = run_adaptive(without, *integrator, y, 1, 1e-10, 0.01);
    EXPECT_NEAR(run.y(0), std::cos(1), 1e-8);
  }
}

}  // namespace
}  // namespace thenar::inner_states_test
