// SPDX-License-Identifier: BSD-3-Clause
//
// Methods of fixed step on motions with contacts: errors fall with the order of the method, events are located inside
// the steps, and what is a polynomial of second degree is exact with any step.

#include "motion_scenes.h"

namespace thenar::fixed_step_test {
namespace {

using namespace test;

struct Method {
  const char* name;
  int order;
  std::vector<double> parts;  ///< steps, as parts of the longest one that is sensible
};

const Method kMethods[] = {{"rk4", 4, {1, 0.7, 0.5, 0.35, 0.25}}, {"rk8", 8, {0.8, 0.65, 0.5, 0.4, 0.3, 0.25}}};

Trace run_fixed(const std::string& scene, const std::string& method, double step, std::vector<std::string> overrides) {
  overrides.push_back("run.integrator=" + method);
  overrides.push_back(fmt::format("run.step={:.17g}", step));
  Trace trace = record(read_scenario(fmt::format("{}/scenes/truth/{}.yaml", THENAR_SOURCE_DIR, scene), overrides));
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_EQ(trace.report.implicit_steps, 0);
  return trace;
}

/// The slope of log error over log step, by least squares.
double fit_order(const std::vector<double>& steps, const std::vector<double>& errors) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double a = std::log(steps[i]), b = std::log(std::max(errors[i], 1e-300));
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

/// Errors of a method over its steps fall with this order.
template <class Error>
void expect_order(const Method& method, int order, double longest, const Error& error) {
  SCOPED_TRACE(method.name);
  std::vector<double> steps, errors;
  for (const double part : method.parts) {
    steps.push_back(part * longest);
    errors.push_back(error(steps.back()));
  }
  std::string list;
  for (const double e : errors) list += fmt::format("{:.3g} ", e);
  // Half an order less is left to steps that are not yet short.
  EXPECT_GT(fit_order(steps, errors), order - 0.5) << list;
}

TEST(FixedSteps, BallOnATurntableConvergesWithTheOrderOfTheMethod) {
  // A large ball on a fast table, so that the circle is what errors come from.
  const double W = 20, rate = 2.0 / 7 * W, until = 1.2;
  const Eigen::Vector2d start(0.3, 0.1), middle = start + Eigen::Vector2d(-0.3, 0) / rate;
  const Eigen::Vector2d end = middle + Eigen::Rotation2D<double>(rate * until) * (start - middle);
  for (const Method& method : kMethods) {
    expect_order(method, method.order, method.order == 4 ? 0.1 : 0.25, [&](double step) {
      const Trace trace =
          run_fixed("ball_on_turntable", method.name, step,
                    {"parameters.W=20", "parameters.r=1", fmt::format("run.until={}", until), "run.sample=1.2"});
      return (trace.report.last.q.segment<2>(1) - end).norm();
    });
  }
}

TEST(FixedSteps, LadderLeavesTheWallAndLandsAsTheOrderOfTheMethodSays) {
  // The time at which it leaves is late by the margin of forces; that of a run with a tight tolerance is late by the
  // same, and is checked against the closed form in ladder_and_box_test.cc.
  const Trace best = run_scene("ladder", {{"run.tolerance", 1e-13}});
  const double leaves = best.events.at(0).t, lands = list_times(best, EventKind::impact).at(0);
  for (const Method& method : kMethods) {
    // The dense output in which events are found is of order 3 beside rk4, 7 beside rk8; its error is that of one step.
    const int order = method.order == 4 ? 4 : 7;
    const double longest = method.order == 4 ? 0.1 : 0.25;
    expect_order(method, order, longest, [&](double step) {
      const Trace trace = run_fixed("ladder", method.name, step, {"run.sample=1.5"});
      EXPECT_EQ(trace.events.at(0).kind, EventKind::break_away);
      return std::abs(trace.events.at(0).t - leaves);
    });
    expect_order(method, order, longest, [&](double step) {
      const Trace trace = run_fixed("ladder", method.name, step, {"run.sample=1.5"});
      return std::abs(list_times(trace, EventKind::impact).at(0) - lands);
    });
  }
}

TEST(FixedSteps, MeetEventsInsideTheirSteps) {
  // Parabolas and straight slips are exact with any step, and so are the times of what happens in them.
  for (const char* method : {"rk4", "rk8"}) {
    for (const double step : {0.05, 0.013}) {
      SCOPED_TRACE(fmt::format("{} {}", method, step));
      const double t0 = std::sqrt(2 * 0.5 / kGravity);
      const std::vector<double> impacts =
          list_times(run_fixed("bouncing_ball", method, step, {"run.until=1.6", "run.sample=0.2"}), EventKind::impact);
      ASSERT_GE(impacts.size(), 5U);
      double t = t0, flight = 2 * t0;
      for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_NEAR(impacts[k], t, 1e-11) << k;
        flight *= 0.7;
        t += flight;
      }
      const Trace ball = run_fixed("sliding_ball", method, step, {"parameters.spin_x=20", "parameters.spin_y=-30"});
      ASSERT_EQ(ball.events.size(), 1U);
      EXPECT_EQ(ball.events[0].kind, EventKind::stick);
      EXPECT_NEAR(ball.events[0].t, 2 * std::hypot(5.0, 2.0) / (7 * 0.3 * kGravity), 1e-10);
      const Trace cube = run_fixed("sliding_cube", method, step, {});
      EXPECT_NEAR(list_times(cube, EventKind::stick).at(0), 6 / (0.5 * kGravity), 1e-9);
      EXPECT_NEAR(cube.report.last.q(0), 36 / kGravity, 1e-9);
    }
  }
}

/// Slips and sticks of a run are those of another, at the same times.
void compare_changes(const Trace& trace, const Trace& best, double error) {
  for (const EventKind kind : {EventKind::slip, EventKind::stick}) {
    const std::vector<double> times = list_times(trace, kind), expected = list_times(best, kind);
    ASSERT_EQ(times.size(), expected.size());
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], error);
  }
}

TEST(FixedSteps, BlockPushedInItsPlaneSlipsAndSticksInsideTheSteps) {
  // The block of pushed_block.yaml in the vertical plane. With the order of the method the speed is off by
  // F/(m w) (w h)^p/p! or so, and slip ends off by that over the deceleration, 3 m/s^2: below 1e-9 s for both.
  const auto read = [](const std::string& options) {
    return record(parse_scenario(
        "thenar: 1\ngravity: [0, -9.81, 0]\nobjects:\n"
        "  - {name: block, joint: planar, shape: {box: [0.2, 0.05, 0.2]}, mass: 1, pose: {xyz: [0, 0.025, 0]}}\n"
        "  - {name: floor, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}\n"
        "contacts: {friction: 0.3}\nwrenches: [{body: block, force: [4*sin(5*t), 0, 0]}]\nrun: {until: 4, " +
            options + "}\n",
        "test.yaml"));
  };
  const Trace best = read("tolerance: 1e-13");
  for (const char* method : {"rk4", "rk8"}) {
    SCOPED_TRACE(method);
    const Trace trace = read(fmt::format("integrator: {}, step: 10 ms", method));
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    compare_changes(trace, best, 1e-8);
    EXPECT_NEAR(trace.report.last.q(0), best.report.last.q(0), 1e-8);
  }
}

TEST(FixedSteps, SlipThatBeginsInSpaceCostsThemTheirOrder) {
  // The direction of slip settles the faster the slower it is, which is stiff at first, and nothing takes over from
  // these methods: errors of first order (docs/motion.md). While slip is slower than friction makes it in one step,
  // friction may act the wrong way in any of a step's stages. Stages with the weights b change the slip by at most
  // Σ|b| mu g h, and the true one is slower than mu g h then: the speed is off by at most (1 + Σ|b|) mu g h, and stays
  // so until the block stops, 0.46 s later. Friction over the push, 4 sin(5 t) N on 1 kg, then leaves 2.8 m/s^2 to stop
  // it.
  const std::map<std::string, double> weights{{"rk4", 1}, {"rk8", 12.91}};  // Σ|b|; rk8: HairerNorsettWanner1993, II.10
  const Trace best = run_scene("pushed_block", {{"run.tolerance", 1e-12}, {"run.until", 0.78}});
  for (const auto& [method, weight] : weights) {
    for (const double step : {0.01, 0.001}) {
      SCOPED_TRACE(fmt::format("{} {}", method, step));
      const Trace trace = run_fixed("pushed_block", method, step, {"run.until=0.78"});
      const double speed = (1 + weight) * 0.3 * kGravity * step;
      EXPECT_NEAR(list_times(trace, EventKind::stick).at(0), list_times(best, EventKind::stick).at(0), speed / 2.8);
      EXPECT_NEAR(trace.report.last.q(0), best.report.last.q(0), speed * 0.46);
    }
  }
}

}  // namespace
}  // namespace thenar::fixed_step_test
