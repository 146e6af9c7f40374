// SPDX-License-Identifier: BSD-3-Clause
//
// Every event says its cause in words and numbers, and events of different kinds that fall on one instant are all told.

#include <map>
#include <regex>

#include "motion_scenes.h"

namespace thenar::event_words_test {
namespace {

using namespace test;

Trace run_text(const std::string& text) {
  Trace trace = record(parse_scenario("thenar: 1\n" + text, "test.yaml"));
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  return trace;
}

/// A ball rolls from one table over to another, level with it.
const std::string kSeam =
    "objects:\n"
    "  - {name: ball, shape: {sphere: 0.05}, mass: 1, pose: {xyz: [-0.1, 0, 0.05]}, velocity: {linear: [0.5, 0, 0], "
    "angular: [0, 10, 0]}}\n"
    "  - {name: left, joint: fixed, shape: {box: [0.4, 0.4, 0.1]}, pose: {xyz: [-0.2, 0, -0.05]}}\n"
    "  - {name: right, joint: fixed, shape: {box: [0.4, 0.4, 0.1]}, pose: {xyz: [0.2, 0, -0.05]}}\n"
    "contacts: {friction: 0.5}\nrun: {until: 0.5, tolerance: 1e-10}\n";

TEST(EventWords, BallRollsOverASeamWithoutABump) {
  const Trace trace = run_text(kSeam);
  // It leaves the one face and goes over to the other, at once.
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_STREQ(to_string(trace.events[0].kind), "break");
  EXPECT_STREQ(to_string(trace.events[1].kind), "touch");
  for (const Event& event : trace.events) EXPECT_NEAR(event.t, 0.2, 1e-9);
  EXPECT_NEAR(trace.report.last.q(0), 0.15, 1e-9);
  EXPECT_NEAR(trace.report.last.q(2), 0.05, 1e-9);
  EXPECT_NEAR(trace.report.last.v(3), 0.5, 1e-9);
}

/// A joint that is pushed from stop to stop, which it strikes, rests on and leaves, and one with dry friction.
const std::string kJoints =
    "gravity: [0, 0, 0]\n"
    "hands:\n  - name: cart\n    bodies:\n"
    "      - {name: a, joint: {name: x, type: prismatic, axis: [1, 0, 0], limits: [0, 0.2]}"
    ", shape: {box: [0.1, 0.1, 0.1]}, mass: 1}\n"
    "      - {name: b, joint: {name: turn, type: revolute, axis: [0, 0, 1], limits: [-0.1, 0.1], friction: 0.01}, "
    "shape: "
    "{box: [0.1, 0.1, 0.1]}, mass: 1}\n"
    "    v: {turn: 1}\n"
    "control: [{torque: {cart.x: 2*sin(3*t), cart.turn: '0.1*min(t - 0.5, 0.2)'}}]\nrun: {until: 4}\n";

TEST(EventWords, EveryKindSaysItsCauseInWordsAndNumbers) {
  const std::string number = "-?[0-9][0-9.e+-]*";
  const auto pattern = [&](std::string text) {
    for (std::size_t i = 0; (i = text.find('#', i)) != std::string::npos;) text.replace(i, 1, number);
    return std::regex(text);
  };
  const std::map<EventKind, std::regex> patterns{
      {EventKind::touch, pattern("the gap closes at # m/s, without an impact; f_N = # N")},
      {EventKind::impact, pattern("struck( the (lower|upper) stop)? at # (m|rad)/s, "
                                  "(leaves( it)? at # (m|rad)/s|without rebound)")},
      {EventKind::limit_on, pattern("rests on the (lower|upper) stop, pressed by # (N m|N)")},
      {EventKind::limit_off, pattern("leaves the (lower|upper) stop (at # (m|rad)/s, thrown off by an impact elsewhere|"
                                     "with # (m|rad)/s\\^2: it would have to pull)")},
      {EventKind::slip,
       pattern("admissible-force margin 0, f_N = # N, a_T = #, a_U = # m/s\\^2(, alpha_N = # rad/s\\^2)?|"
               "slip has come to rest and begins in another direction: .* m/s\\^2|"
               "(slides|an impact leaves it slipping) at v_T = #, v_U = # m/s(, w_N = # rad/s)?|"
               "dry friction of # (N m|N) gives way, motion is (positive|negative) with # "
               "(m|rad)/s\\^2")},
      {EventKind::stick, pattern("slip has come to rest, and friction holds with # of # N( and # of # N m)?|"
                                 "dry friction holds with # of # (N m|N)")},
      {EventKind::break_away, pattern("f_N = 0, it would have to pull; opens with a_N = # m/s\\^2|thrown off at # m/s|"
                                      "no longer among the points in touch: gap # m, # m/s")},
      {EventKind::face, pattern("goes over to .+ on .+ at \\(#, #, #\\) m")},
      {EventKind::zeno,
       pattern("bouncing( on the (lower|upper) stop)? ends, after # impacts and infinitely many more")},
      {EventKind::control, pattern("jumps from # to # (N m|N)|passes a kink at # (N m|N)")}};
  const std::string edge =
      "objects:\n"
      "  - {name: a, shape: {box: [0.1, 0.1, 0.04]}, mass: 1, pose: {xyz: [0.1, 0, 0.02], rpy: [0, 0, 0.3]}, velocity: "
      "{linear: [1.2, 0, 0]}}\n"
      "  - {name: table, joint: fixed, shape: {box: [0.4, 0.4, 0.1]}, pose: {xyz: [0, 0, -0.05]}}\n"
      "contacts: {friction: 0.3}\nrun: {until: 1}\n";
  const std::string soft =
      "objects:\n  - {name: ball, shape: {sphere: 0.05}, mass: 0.3, pose: {xyz: [0, 0, 0.05]}}\n"
      "  - {name: floor, joint: fixed, shape: {plane: {}}}\n"
      "contacts: {friction: 0.4, fingertip: soft, torsion: 2e-3}\n"
      "wrenches: [{body: ball, torque: [0, 0, 't < 0.5 ? 0.02*t : 0']}]\nrun: {until: 1}\n";
  std::vector<Trace> traces;
  for (const std::string& text : {kSeam, kJoints, edge, soft}) traces.push_back(run_text(text));
  for (const char* name : {"bouncing_ball", "ladder", "push_and_release", "pushed_block", "sliding_ball"}) {
    traces.push_back(run_scene(name, {{"run.tolerance", 1e-8}}));
  }
  std::map<EventKind, int> counts;
  for (const Trace& trace : traces) {
    for (const Event& event : trace.events) {
      ++counts[event.kind];
      EXPECT_TRUE(std::regex_match(describe(event), patterns.at(event.kind)))
          << to_string(event.kind) << " of " << event.where() << ": " << describe(event);
    }
  }
  for (const auto& [kind, unused] : patterns) EXPECT_GT(counts[kind], 0) << to_string(kind);
}

/// Four things that have nothing to do with each other, at one time t0: a ball lands, a cart strikes its stop, a block
/// that slides comes to rest, and a force and a torque jump.
struct Coincidence {
  double t0 = 0.3, off = 0;  ///< `off`: of the jump, s

  std::string text() const {
    const double jump = t0 + off;
    return fmt::format(
        "hands:\n"
        "  - name: cart\n    base: {{xyz: [0, 1, 1]}}\n    bodies:\n"
        "      - {{name: body, joint: {{name: x, type: prismatic, axis: [1, 0, 0], limits: {{upper: {:.17g}, "
        "restitution: "
        "0.5}}}}, shape: {{box: [0.1, 0.1, 0.1]}}, mass: 2}}\n"
        "    v: {{x: 0.7}}\n"
        "objects:\n"
        "  - {{name: ball, shape: {{sphere: 0.1}}, mass: 1, pose: {{xyz: [0, 0, {:.17g}]}}}}\n"
        "  - {{name: block, shape: {{box: [0.1, 0.1, 0.04]}}, mass: 1, pose: {{xyz: [0, -1, 0.02]}}, velocity: "
        "{{linear: "
        "[{:.17g}, 0, 0]}}}}\n"
        "  - {{name: kite, shape: {{sphere: 0.1}}, mass: 0.5, pose: {{xyz: [3, 0, 5]}}}}\n"
        "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}}}\n"
        "contacts: {{friction: 0.2, restitution: 0.5, pairs: [[ball, floor], [block, floor]]}}\n"
        "control: [{{torque: {{cart.x: \"t < {:.17g} ? 0 : -3\"}}}}]\n"
        "wrenches: [{{body: kite, force: [0, 0, \"t < {:.17g} ? 0.5*9.81 : 0\"]}}]\n"
        "run: {{until: {:.17g}, tolerance: 1e-11}}\n",
        0.7 * t0, 0.1 + 0.5 * kGravity * t0 * t0, 0.2 * kGravity * t0, jump, jump, 1.5 * t0);
  }
};

TEST(SimultaneousEvents, OfDifferentKindsAreAllToldAndAllTakeEffect) {
  // At once, a hair before, a hair after, and clearly before and after.
  for (const double off : {0.0, 1e-16, -1e-16, 1e-14, -1e-14, 1e-6, -1e-6}) {
    SCOPED_TRACE(off);
    const Coincidence c{.off = off};
    const Scenario scenario = parse_scenario("thenar: 1\n" + c.text(), "test.yaml");
    const Trace trace = record(scenario);
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    std::map<std::string, double> told;
    for (const Event& event : trace.events) {
      if (event.t > c.t0 + 1e-5) continue;
      const std::string where = event.where().substr(0, event.where().find('#'));
      told[fmt::format("{} {}", to_string(event.kind), where)] = event.t;
    }
    const double jump = c.t0 + off;
    const std::map<std::string, double> expected{{"impact ball/floor", c.t0},
                                                 {"impact cart.x", c.t0},
                                                 {"stick block/floor", c.t0},
                                                 {"control the torque of joint 'cart.x'", jump},
                                                 {"control the force on body 'kite'", jump}};
    ASSERT_EQ(told.size(), expected.size()) << describe(trace.events.back());
    for (const auto& [name, t] : expected) {
      ASSERT_TRUE(told.contains(name)) << name;
      EXPECT_NEAR(told[name], t, 1e-10) << name;
    }
    for (std::size_t i = 1; i < trace.events.size(); ++i) EXPECT_GE(trace.events[i].t, trace.events[i - 1].t);
    // From there on every one of them goes its own way; the impact of the cart is where its force has jumped or not.
    const double t = 0.5 * c.t0;
    const auto at = [&](const char* joint) { return scenario.model.joint(*scenario.model.find_joint(joint)); };
    const VectorX<double>&q = trace.report.last.q, &v = trace.report.last.v;
    EXPECT_NEAR(q(at("ball").q_start + 2), 0.1 + 0.5 * kGravity * (c.t0 * t - t * t), 1e-9);
    EXPECT_NEAR(q(at("block").q_start), 0.1 * kGravity * c.t0 * c.t0, 1e-9);
    EXPECT_NEAR(v.segment<3>(at("block").v_start + 3).norm(), 0, 1e-12);
    EXPECT_NEAR(q(at("kite").q_start + 2), 5 - 0.5 * kGravity * t * t, 1e-9 + 2 * kGravity * t * std::abs(off));
    EXPECT_NEAR(q(at("cart.x").q_start), 0.7 * c.t0 - 0.35 * t - 0.75 * t * t, 1e-9 + 4 * std::abs(off));
  }
}

TEST(SimultaneousEvents, BlockIsPushedOnAtTheInstantAtWhichItStops) {
  // It slides, stops at t0, and at t0 a push begins: below friction it stays, above it goes on, to either side.
  for (const double push : {1.0, 3.0, -3.0}) {
    for (const double off : {0.0, 1e-15, -1e-15}) {
      SCOPED_TRACE(fmt::format("push {} off {}", push, off));
      const double t0 = 0.4, v = 0.2 * kGravity * t0;
      const Trace trace =
          run_text(fmt::format("objects:\n"
                               "  - {{name: block, shape: {{box: [0.1, 0.1, 0.04]}}, mass: 1, pose: {{xyz: [0, 0, "
                               "0.02]}}, velocity: {{linear: "
                               "[{:.17g}, 0, 0]}}}}\n"
                               "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}}}\n"
                               "contacts: {{friction: 0.2}}\n"
                               "wrenches: [{{body: block, force: [\"t < {:.17g} ? 0 : {}\", 0, 0]}}]\n"
                               "run: {{until: 0.8, tolerance: 1e-11}}\n",
                               v, t0 + off, push));
      const double friction = 0.2 * kGravity, a = std::copysign(std::max(0.0, std::abs(push) - friction), push);
      EXPECT_NEAR(trace.report.last.q(0), 0.5 * v * t0 + 0.5 * a * t0 * t0, 1e-8);
      EXPECT_NEAR(trace.report.last.v(3), a * t0, 1e-8);
      for (const Event& event : trace.events) EXPECT_NEAR(event.t, t0, 1e-8) << to_string(event.kind);
    }
  }
}

}  // namespace
}  // namespace thenar::event_words_test
