// SPDX-License-Identifier: BSD-3-Clause
//
// What every integrator promises: its order, at the ends of steps and between, errors in proportion to the tolerance,
// quadratures, and good manners at steps that fail.
#include "thenar/integrate/integrator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "../support/motion_problems.h"

namespace thenar::integrator_test {
namespace {

using test::Chain;
using test::Outcome;
using test::Problem;
using test::SpinningBody;
using test::State;

using Maker = std::unique_ptr<Integrator> (*)(const MotionEquations&);

double largest(const State& y) { return y.lpNorm<Eigen::Infinity>(); }

std::vector<double> equal_weights(const Problem& problem, double weight) {
  return std::vector<double>(static_cast<std::size_t>(2 * problem.size()), weight);
}

// --- Order -----------------------------------------------------------------------------------------------------------

struct Method {
  const char* name;
  Maker make;
  int order;
  int dense_order;  // p when the error between the ends of a step falls with h^(p + 1)
  int steps;        // per orbit, so that errors are asymptotic and well above rounding
};
void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }

class OrderTest : public ::testing::TestWithParam<Method> {};

struct LocalErrors {
  double end = 0, between = 0;
};

/// Largest errors of single steps of length 2π/steps that start on Kepler's orbit, all around it.
LocalErrors calc_local_errors(Maker make, int steps) {
  constexpr double kEccentricity = 0.3;
  const double h = 2 * std::numbers::pi / steps;
  Problem problem = test::make_kepler();
  const std::unique_ptr<Integrator> integrator = make(problem);
  const std::vector<double> weights = equal_weights(problem, 1);  // no step is turned down
  LocalErrors errors;
  State slope(4), y(4);
  for (int i = 0; i < steps; ++i) {
    const State start = test::calc_kepler(kEccentricity, i * h);
    problem.calc_slope(i * h, start.data(), slope.data());
    integrator->reset();
    EXPECT_TRUE(integrator->attempt(problem, i * h, h, start.data(), slope.data(), weights).accepted);
    errors.end = std::max(errors.end, largest(integrator->end_state() - test::calc_kepler(kEccentricity, (i + 1) * h)));
    for (const double theta : {0.25, 0.5, 0.8}) {
      integrator->interpolate(theta, y.data());
      errors.between = std::max(errors.between, largest(y - test::calc_kepler(kEccentricity, (i + theta) * h)));
    }
  }
  return errors;
}

TEST_P(OrderTest, IsThatOfTheTheory) {
  const Method& m = GetParam();
  const LocalErrors coarse = calc_local_errors(m.make, m.steps), fine = calc_local_errors(m.make, 2 * m.steps);
  EXPECT_NEAR(std::log2(coarse.end / fine.end), m.order + 1, 0.2) << coarse.end << " " << fine.end;
  EXPECT_NEAR(std::log2(coarse.between / fine.between), m.dense_order + 1, 0.2)
      << coarse.between << " " << fine.between;
}

INSTANTIATE_TEST_SUITE_P(Integrators, OrderTest,
                         ::testing::Values(Method{"rk4", make_rk4_integrator, 4, 3, 200},
                                           Method{"rk8", make_rk8_integrator, 8, 7, 50},
                                           Method{"explicit", make_explicit_integrator, 8, 7, 50},
                                           Method{"implicit", make_implicit_integrator, 5, 3, 200}),
                         [](const ::testing::TestParamInfo<Method>& test) { return std::string(test.param.name); });

/// Largest error of single steps of length h of a tumbling body from different spins, against 20 short steps of
/// order 8.
double calc_local_error_on_rotations(Maker make, double h) {
  State y = State::Zero(6);
  const auto run = [&](Maker method, int steps) {
    SpinningBody body(20, 0.1);
    const Outcome outcome = run_fixed(body, *method(body), y, h, steps, 1);
    EXPECT_TRUE(outcome.finished);
    return body.calc_place(outcome.y);
  };
  double error = 0;
  for (int i = 0; i < 8; ++i) {
    y.tail(3) << 3 * std::sin(2 * i), 2 * std::cos(3 * i), 3 * std::sin(5 * i + 1);
    error = std::max(error, largest(run(make, 1) - run(make_rk8_integrator, 20)));
  }
  return error;
}

TEST(Integrator, KeepsItsOrderInChartsOfRotations) {
  for (const double h : {0.02, 0.01}) {
    const double ratio = calc_local_error_on_rotations(make_rk4_integrator, h) /
                         calc_local_error_on_rotations(make_rk4_integrator, h / 2);
    EXPECT_NEAR(std::log2(ratio), 5, 0.2) << h;
  }
  for (const double h : {0.16, 0.12}) {
    const double ratio = calc_local_error_on_rotations(make_rk8_integrator, h) /
                         calc_local_error_on_rotations(make_rk8_integrator, h / 2);
    EXPECT_NEAR(std::log2(ratio), 9, 0.2) << h;
  }
}

// --- Error control ---------------------------------------------------------------------------------------------------

class AdaptiveTest : public ::testing::TestWithParam<Maker> {};

INSTANTIATE_TEST_SUITE_P(Integrators, AdaptiveTest,
                         ::testing::Values(make_explicit_integrator, make_implicit_integrator),
                         [](const ::testing::TestParamInfo<Maker>& test) {
                           return test.index == 0 ? "explicit" : "implicit";
                         });

TEST_P(AdaptiveTest, ErrorFallsInProportionToTheTolerance) {
  Problem problem = test::make_pendulum();
  const State exact = run_fixed(problem, *make_rk8_integrator(problem), test::pendulum_start(), 20, 8000, 1).y;
  // The motion is stable, so that local errors add up to no more than a few tolerances.
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    const std::unique_ptr<Integrator> integrator = GetParam()(problem);
    const Outcome run = run_adaptive(problem, *integrator, test::pendulum_start(), 20, tolerance, 0.01);
    ASSERT_TRUE(run.finished);
    EXPECT_LT(largest((run.y - exact).head(2)), 5 * tolerance);
    EXPECT_GT(largest((run.y - exact).head(2)), 1e-4 * tolerance);  // no effort wasted
  }
}

TEST_P(AdaptiveTest, ErrorEstimateHasItsOrder) {
  // h⁸ from the formulas of order 5 and 3, h⁴ from that of order 3.
  const bool is_explicit = GetParam() == make_explicit_integrator;
  Problem problem = test::make_kepler();
  const std::unique_ptr<Integrator> integrator = GetParam()(problem);
  const auto estimate = [&](int steps) {
    double error = 0;
    for (int i = 0; i < steps; ++i) {
      const double h = 2 * std::numbers::pi / steps;
      const State y = test::calc_kepler(0.3, i * h), slope = calc_start_slope(problem, y);
      integrator->reset();
      error = std::max(error,
                       integrator->attempt(problem, i * h, h, y.data(), slope.data(), equal_weights(problem, 1)).error);
    }
    return error;
  };
  const int steps = is_explicit ? 100 : 200;
  EXPECT_NEAR(std::log2(estimate(steps) / estimate(2 * steps)), is_explicit ? 8 : 4, 0.2);
}

TEST_P(AdaptiveTest, ErrorIsInProportionInChartsOfRotations) {
  State y = State::Zero(6);
  y.tail(3) << 3, 0.2, -1;
  const auto place_of = [&](Maker make, double tolerance) {
    SpinningBody body(20, 0.1);
    const std::unique_ptr<Integrator> integrator = make(body);
    const Outcome run = run_adaptive(body, *integrator, y, 2, tolerance, 1e-3);
    EXPECT_TRUE(run.finished);
    return body.calc_place(run.y);
  };
  const State exact = place_of(make_explicit_integrator, 1e-13);
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    EXPECT_LT(largest(place_of(GetParam(), tolerance) - exact), 10 * tolerance);
  }
}

TEST_P(AdaptiveTest, QuadraturesBalanceTheEnergy) {
  Problem problem = test::make_pendulum();
  const double before = test::calc_pendulum_energy(test::pendulum_start());
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const std::unique_ptr<Integrator> integrator = GetParam()(problem);
    const Outcome run = run_adaptive(problem, *integrator, test::pendulum_start(), 20, tolerance, 0.01);
    const double dissipated = run.y(2), work = run.y(3);
    EXPECT_GT(dissipated, 1);  // so that there is something to balance
    // Energy changes by up to 9 per unit of x and 4 per unit of v; a run of 20 s has tens of steps.
    EXPECT_NEAR(test::calc_pendulum_energy(run.y) - before, work - dissipated, 100 * tolerance) << tolerance;
  }
}

TEST_P(AdaptiveTest, QuadraturesHoldWhereDampersAreStiff) {
  const Chain chain{5, 1e5};
  Problem problem = chain.make_problem();
  const double exact = run_adaptive(problem, *make_explicit_integrator(problem), chain.start(), 2, 1e-12, 1e-5).y(10);
  for (const double tolerance : {1e-5, 1e-7}) {
    const std::unique_ptr<Integrator> integrator = GetParam()(problem);
    const Outcome run = run_adaptive(problem, *integrator, chain.start(), 2, tolerance, 1e-5);
    // The springs give off some 10⁴, first at a rate that changes by 2 √k per unit of velocity.
    EXPECT_NEAR(run.y(10), exact, 100 * tolerance) << tolerance;
  }
}

TEST_P(AdaptiveTest, AgreesWithFixedStepsForAnyNumberOfCoordinates) {
  for (const int n : {1, 2, 3, 4, 7, 16, 17, 33, 50}) {
    const Chain chain{n, 100};
    Problem problem = chain.make_problem();
    const State exact = run_fixed(problem, *make_rk8_integrator(problem), chain.start(), 1, 400, 1).y;
    const std::unique_ptr<Integrator> integrator = GetParam()(problem);
    const Outcome run = run_adaptive(problem, *integrator, chain.start(), 1, 1e-7, 1e-3);
    ASSERT_TRUE(run.finished);
    EXPECT_LT(largest((run.y - exact).head(2 * n)), 1e-7) << n;
  }
}

TEST_P(AdaptiveTest, StepsDoNotGrowRightAfterARejection) {
  Problem problem = test::make_kepler();
  const State y = test::calc_kepler(0.9, 0), slope = calc_start_slope(problem, y);
  const std::vector<double> weights = equal_weights(problem, 1e-8);
  const std::unique_ptr<Integrator> integrator = GetParam()(problem);
  double h = 1;
  StepAttempt a = integrator->attempt(problem, 0, h, y.data(), slope.data(), weights);
  ASSERT_FALSE(a.accepted);
  while (!a.accepted) {
    EXPECT_LT(a.next_h, h);
    h = a.next_h;
    a = integrator->attempt(problem, 0, h, y.data(), slope.data(), weights);
  }
  EXPECT_LE(a.next_h, h);
  EXPECT_LE(a.error, 1);
  // A step far too short may grow several times over, once.
  integrator->reset();
  a = integrator->attempt(problem, 0, h / 100, y.data(), slope.data(), weights);
  EXPECT_GT(a.next_h, h / 100 * 5);
  EXPECT_LE(a.next_h, h / 100 * 8);
}

TEST_P(AdaptiveTest, StiffnessIsStepTimesSpectralRadius) {
  struct Case {
    double k, c, radius;
  };
  for (const Case& c : {Case{1e4, 0, 100}, Case{1e4, 20, 100}, Case{0.01, 0, 0.1}, Case{1, 1e3, 1e3}}) {
    Problem problem(1, [c](double t, const double* x, const double* v, double* a) {
      a[0] = -c.k * x[0] - c.c * v[0] + std::sin(t);
    });
    const std::unique_ptr<Integrator> integrator = GetParam()(problem);
    State y = State::Unit(2, 0), slope = calc_start_slope(problem, y);
    const double h = 4 / c.radius;  // about where the explicit method becomes unstable
    std::vector<double> seen;
    for (int i = 0; i < 21; ++i) {
      const StepAttempt a = integrator->attempt(problem, i * h, h, y.data(), slope.data(), equal_weights(problem, 1e5));
      ASSERT_TRUE(a.accepted);
      seen.push_back(a.stiffness);
      y = integrator->end_state(), slope = integrator->end_slope();
    }
    std::nth_element(seen.begin(), seen.begin() + 10, seen.end());
    EXPECT_NEAR(seen[10], 4, 0.5) << c.k << " " << c.c;
  }
}

/// A fast mode that is nothing but rounding lets long steps pass, and grows inside of them: by thousands where the step
/// ends, by millions between. With friction at right angles to a slip that speeds up, stiffness is also over when the
/// step ends, and only the equations know of it.
class FadingMode : public Problem {
 public:
  explicit FadingMode(bool fades)
      : Problem(2,
                [fades](double t, const double* x, const double* v, double* a) {
                  const double rate = fades ? 200 / (0.05 + t) : 2000;
                  a[0] = -x[0];
                  a[1] = -rate * v[1];
                }),
        fades_(fades) {}
  bool has_fading_stiffness() const override { return fades_; }

 private:
  bool fades_;
};

TEST(Integrator, ExplicitStepsLetNoRoundingGrowBetweenTheirEnds) {
  constexpr double kTolerance = 1e-11, kNoise = 1e-16;
  for (const bool fades : {false, true}) {
    SCOPED_TRACE(fades ? "fades" : "lasts");
    FadingMode problem(fades);
    const std::unique_ptr<Integrator> integrator = make_explicit_integrator(problem);
    State y(4), between(4);
    y << 1, 0, 0, kNoise;
    double worst = 0;
    const Outcome run =
        run_adaptive(problem, *integrator, y, 1, kTolerance, 0.3, [&](double, double, Integrator& step) {
          for (int i = 1; i < 20; ++i) {
            step.interpolate(0.05 * i, between.data());
            worst = std::max(worst, std::abs(between(3)));
          }
        });
    ASSERT_TRUE(run.finished);
    // Once the weights in the places that are looked at, a few times as much between them.
    EXPECT_LT(worst, 20 * kTolerance);
  }
}

// --- Manners ---------------------------------------------------------------------------------------------------------

class MannersTest : public ::testing::TestWithParam<Method> {};

INSTANTIATE_TEST_SUITE_P(Integrators, MannersTest,
                         ::testing::Values(Method{"rk4", make_rk4_integrator, 4, 3, 0},
                                           Method{"rk8", make_rk8_integrator, 8, 7, 0},
                                           Method{"explicit", make_explicit_integrator, 8, 7, 0},
                                           Method{"implicit", make_implicit_integrator, 5, 3, 0}),
                         [](const ::testing::TestParamInfo<Method>& test) { return std::string(test.param.name); });

TEST_P(MannersTest, EndSlopeIsTheSlopeAtTheEnd) {
  Problem problem = test::make_pendulum();
  const std::unique_ptr<Integrator> integrator = GetParam().make(problem);
  run_fixed(problem, *integrator, test::pendulum_start(), 1, 20, 1, [&](double t, double h, Integrator& i) {
    State slope(4);
    problem.calc_slope(t + h, i.end_state().data(), slope.data());
    EXPECT_EQ(slope, i.end_slope());
  });
}

TEST_P(MannersTest, LastEvaluationOfAnAcceptedAttemptIsAtItsEnd) {
  double last_t = 0, last_x = 0;
  Problem problem(1, [&](double t, const double* x, const double*, double* a) {
    a[0] = -std::sin(x[0]) + t;
    last_t = t, last_x = x[0];
  });
  problem.set_quadratures(1, [](double, const double* x, const double*, double* g) { g[0] = x[0]; });
  const std::unique_ptr<Integrator> integrator = GetParam().make(problem);
  run_fixed(problem, *integrator, State::Unit(3, 0), 1, 20, 1, [&](double t, double h, Integrator& i) {
    EXPECT_EQ(last_t, t + h);
    EXPECT_EQ(last_x, i.end_state()(0));
  });
}

TEST_P(MannersTest, AMotionWithoutCoordinatesHasItsQuadratures) {
  Problem problem(0, [](double, const double*, const double*, double*) {});
  problem.set_quadratures(1, [](double t, const double*, const double*, double* g) { g[0] = std::cos(t); });
  const std::unique_ptr<Integrator> integrator = GetParam().make(problem);
  const Outcome outcome = run_fixed(problem, *integrator, State::Zero(1), 1, 10, 1);
  ASSERT_TRUE(outcome.finished);
  EXPECT_NEAR(outcome.y(0), std::sin(1.0), 1e-7);  // h⁴/2880, Simpson's rule
}

TEST_P(MannersTest, InterpolationMeetsBothEndsExactlyAndSmoothly) {
  Problem problem = test::make_pendulum();
  const std::unique_ptr<Integrator> integrator = GetParam().make(problem);
  State start = test::pendulum_start();
  run_fixed(problem, *integrator, start, 1, 20, 1, [&](double, double, Integrator& i) {
    State y(4);
    i.interpolate(0, y.data());
    EXPECT_EQ(y, start);
    i.interpolate(1, y.data());
    EXPECT_EQ(y, i.end_state());
    i.interpolate(1e-12, y.data());
    EXPECT_LT(largest(y - start), 1e-11);
    i.interpolate(1 - 1e-12, y.data());
    EXPECT_LT(largest(y - i.end_state()), 1e-11);
    start = i.end_state();
  });
}

TEST_P(MannersTest, AStepMayStartAtEndStateItself) {
  Problem problem = test::make_pendulum();
  const std::unique_ptr<Integrator> integrator = GetParam().make(problem), other = GetParam().make(problem);
  const std::vector<double> weights = equal_weights(problem, 1);
  const State y = test::pendulum_start(), slope = calc_start_slope(problem, y);
  for (Integrator* i : {integrator.get(), other.get()}) {
    ASSERT_TRUE(i->attempt(problem, 0, 0.01, y.data(), slope.data(), weights).accepted);
  }
  const State middle = other->end_state(), middle_slope = other->end_slope();
  integrator->attempt(problem, 0.01, 0.01, integrator->end_state().data(), integrator->end_slope().data(), weights);
  other->attempt(problem, 0.01, 0.01, middle.data(), middle_slope.data(), weights);
  EXPECT_EQ(integrator->end_state(), other->end_state());
}

TEST_P(MannersTest, TwoRunsAreEqualToTheLastBit) {
  const Chain chain{7, 1e4};
  const auto run = [&] {
    Problem problem = chain.make_problem();
    const std::unique_ptr<Integrator> integrator = GetParam().make(problem);
    return integrator->has_error_control() ? run_adaptive(problem, *integrator, chain.start(), 0.5, 1e-6, 1e-3).y
                                           : run_fixed(problem, *integrator, chain.start(), 0.5, 500, 1).y;
  };
  EXPECT_EQ(run(), run());
}

TEST_P(MannersTest, ResetForgetsEverything) {
  const Chain chain{3, 1e4};
  Problem problem = chain.make_problem();
  const std::unique_ptr<Integrator> used = GetParam().make(problem), fresh = GetParam().make(problem);
  run_fixed(problem, *used, State::Constant(7, 0.01), 0.5, 500, 10);
  used->reset();
  EXPECT_EQ(run_fixed(problem, *used, chain.start(), 0.5, 500, 10).y,
            run_fixed(problem, *fresh, chain.start(), 0.5, 500, 10).y);
}

/// A step from x = 0 at unit speed into x > 0.5, where there is no slope.
Problem make_cliff() {
  return Problem(1, [](double, const double* x, const double*, double* a) {
    a[0] = x[0] > 0.5 ? std::numeric_limits<double>::quiet_NaN() : -x[0];
  });
}

TEST_P(MannersTest, WhereThereIsNoSlopeTheStepIsNotAccepted) {
  Problem problem = make_cliff();
  const std::unique_ptr<Integrator> integrator = GetParam().make(problem);
  const State y = State::Unit(2, 1), slope = calc_start_slope(problem, y);
  const std::vector<double> weights = equal_weights(problem, 0.1);
  ASSERT_TRUE(integrator->attempt(problem, 0, 0.1, y.data(), slope.data(), weights).accepted);
  const State end = integrator->end_state(), end_slope = integrator->end_slope();
  const StepAttempt a = integrator->attempt(problem, 0, 1, y.data(), slope.data(), weights);
  EXPECT_FALSE(a.accepted);
  EXPECT_EQ(a.error, 0);
  EXPECT_EQ(a.next_h, integrator->has_error_control() ? 0.1 : 1);
  EXPECT_FALSE(problem.saw_not_finite);  // no slope is asked for at a state made of one that is not finite
  // Nothing of the failed step is left.
  EXPECT_EQ(integrator->end_state(), end);
  EXPECT_EQ(integrator->end_slope(), end_slope);
  ASSERT_TRUE(integrator->attempt(problem, 0, 0.1, y.data(), slope.data(), weights).accepted);
  EXPECT_LT(largest(integrator->end_state() - end), 1e-4);
}

TEST_P(MannersTest, AStartThatIsNotFiniteIsNotAccepted) {
  Problem problem = test::make_pendulum();
  const std::unique_ptr<Integrator> integrator = GetParam().make(problem);
  State y = test::pendulum_start();
  const State slope = calc_start_slope(problem, y);
  const std::vector<double> weights = equal_weights(problem, 1);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    State bad_slope = slope;
    bad_slope(1) = bad;
    EXPECT_FALSE(integrator->attempt(problem, 0, 0.01, y.data(), bad_slope.data(), weights).accepted);
  }
  EXPECT_TRUE(integrator->attempt(problem, 0, 0.01, y.data(), slope.data(), weights).accepted);
}

TEST_P(AdaptiveTest, ARejectedStepLeavesNothingBehind) {
  Problem problem = test::make_kepler();
  const std::unique_ptr<Integrator> integrator = GetParam()(problem), fresh = GetParam()(problem);
  const State y = test::calc_kepler(0.5, 0), slope = calc_start_slope(problem, y);
  const State copy = y, slope_copy = slope;
  const std::vector<double> weights = equal_weights(problem, 1e-6);
  const State end = integrator->end_state();
  ASSERT_FALSE(integrator->attempt(problem, 0, 1, y.data(), slope.data(), weights).accepted);
  EXPECT_EQ(y, copy);
  EXPECT_EQ(slope, slope_copy);
  EXPECT_EQ(integrator->end_state(), end);
  ASSERT_TRUE(integrator->attempt(problem, 0, 0.01, y.data(), slope.data(), weights).accepted);
  ASSERT_TRUE(fresh->attempt(problem, 0, 0.01, y.data(), slope.data(), weights).accepted);
  // The implicit method may iterate once more or less.
  EXPECT_LT(largest(integrator->end_state() - fresh->end_state()), 0.01 * 1e-6);
}

TEST(Integrator, FixedStepsKeepTheirLength) {
  Problem problem = test::make_pendulum();
  const State y = test::pendulum_start(), slope = calc_start_slope(problem, y);
  for (const Maker make : {make_rk4_integrator, make_rk8_integrator}) {
    const std::unique_ptr<Integrator> integrator = make(problem);
    EXPECT_FALSE(integrator->has_error_control());
    const StepAttempt a = integrator->attempt(problem, 0, 0.3, y.data(), slope.data(), {});
    EXPECT_TRUE(a.accepted);
    EXPECT_EQ(a.next_h, 0.3);
    EXPECT_EQ(a.error, 0);
  }
}

TEST(Integrator, ExplicitStepCostsTwelveSlopesAndDenseOutputThree) {
  Problem problem = test::make_pendulum();
  const State y = test::pendulum_start(), slope = calc_start_slope(problem, y);
  const std::vector<double> weights = equal_weights(problem, 1);
  const std::unique_ptr<Integrator> integrator = make_explicit_integrator(problem);
  problem.slopes = 0;
  integrator->attempt(problem, 0, 0.01, y.data(), slope.data(), weights);
  EXPECT_EQ(problem.slopes, 12);
  State between(4);
  integrator->interpolate(1, between.data());
  EXPECT_EQ(problem.slopes, 12);
  integrator->interpolate(0.5, between.data());
  integrator->interpolate(0.6, between.data());
  EXPECT_EQ(problem.slopes, 15);
}

}  // namespace
}  // namespace thenar::integrator_test
