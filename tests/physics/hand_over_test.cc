// SPDX-License-Identifier: BSD-3-Clause
//
// From rigid to compliant contacts and back: Painlevé's rod (scenes/truth/painleve_rod.yaml) inside its paradox,
// against the limit of stiff layers; runs that never leave the rigid model; and which contacts go over.

#include <filesystem>
#include <fstream>

#include "energy_books.h"
#include "motion_scenes.h"
#include "planar_grasp.h"
#include "thenar/compliant/layer_stability_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::hand_over_test {
namespace {

using namespace test;

constexpr double kSin = 0.86602540378443865, kCos = 0.5, kRatio = 3;  // of the rod under 60 degrees: h²/(l²/12)

/// Of the lower end of the rod.
struct EndVelocity {
  double along, up;
};
EndVelocity calc_end_velocity(const State& s) {
  const double angle = s.q(2), w = s.v(2);
  return {s.v(0) + 0.5 * w * std::sin(angle), s.v(1) - 0.5 * w * std::cos(angle)};
}

/// `preload` (N) presses it at the start, which is an overlap and only for compliant contacts.
Trace run_rod(double stiffness, double damping_ratio, double spin, double preload, double until, double mu = 1.4) {
  const double damping = 2 * damping_ratio * std::sqrt(stiffness);
  std::vector<std::string> overrides{
      fmt::format("parameters.mu={}", mu), fmt::format("parameters.spin={}", spin),
      fmt::format("run={{until: {:.17g}, sample: {:.17g}, tolerance: 1e-12}}", until, until / 20),
      fmt::format("contacts.layer={{stiffness: {:.17g}, damping: {:.17g}, shear_stiffness: {:.17g}, shear_damping: "
                  "{:.17g}}}",
                  stiffness, damping, 1e4 * stiffness, 1e2 * damping)};
  if (preload > 0) {
    overrides.push_back("contacts.law=compliant");
    overrides.push_back(fmt::format("objects.0.pose.xyz=[0, {:.17g}, 0]", 0.5 * kSin - preload / stiffness));
  }
  return record(read_scenario(std::string(THENAR_SOURCE_DIR) + "/scenes/truth/painleve_rod.yaml", overrides));
}

/// How the lower end leaves the ground after an impact without collision, in the limit of stiff layers that do not give
/// along the surface. While it slides, accelerations are (up, along) = (A, B) f with A < 0 < B: depth and its rate grow
/// as exp(λ t), λ² = |A| (C λ + K), until the slip has come to rest. From there on friction holds, and up = a f.
double calc_exit_speed(double slip, double mu, double damping_ratio) {
  const double nn = 1 + kRatio * kCos * kCos, nt = kRatio * kSin * kCos, tt = 1 + kRatio * kSin * kSin;
  const double A = nn - mu * nt, B = mu * tt - nt, a = nn - nt * nt / tt;
  const double K = 1, C = 2 * damping_ratio;  // the limit does not depend on the unit of time
  const double lambda = 0.5 * (-A * C + std::sqrt(A * A * C * C - 4 * A * K));
  double rate = -A * slip / B, depth = rate / lambda;
  // The layer under the sticking end, by the classical method of order 4, until it lets go.
  const double h = 1e-5;
  const auto slope = [&](double d, double v) { return std::pair(v, -a * (K * d + C * v)); };
  while (K * depth + C * rate > 0) {
    const auto [d1, v1] = slope(depth, rate);
    const auto [d2, v2] = slope(depth + h / 2 * d1, rate + h / 2 * v1);
    const auto [d3, v3] = slope(depth + h / 2 * d2, rate + h / 2 * v2);
    const auto [d4, v4] = slope(depth + h * d3, rate + h * v3);
    depth += h / 6 * (d1 + 2 * d2 + 2 * d3 + d4);
    rate += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
  }
  return -rate;
}

TEST(HandOver, WithoutAMotionThereIsAnImpactWithoutCollision) {
  constexpr double kDamping = 0.3;
  const double exit = calc_exit_speed(1, 1.4, kDamping);
  double before = exit;
  for (const double stiffness : {1e8, 1e10, 1e12}) {
    SCOPED_TRACE(stiffness);
    const Trace first = run_rod(stiffness, kDamping, 0, 0, 100 / std::sqrt(stiffness));
    ASSERT_EQ(first.report.status, RunStatus::done) << first.report.reason;
    ASSERT_GE(first.report.switches.size(), 1u);
    EXPECT_TRUE(first.report.switches[0].to_compliant);
    EXPECT_EQ(first.report.switches[0].t, 0);
    EXPECT_NE(first.report.switches[0].why.find("no motion"), std::string::npos);
    EXPECT_LT(first.report.energy.end, first.report.energy.start);
    expect_energy_never_grows(first, find_energy_error(first, 1e-12, 1));
    const std::vector<double> leaves = list_times(first, EventKind::break_away);
    ASSERT_GE(leaves.size(), 1u);
    const EndVelocity end = calc_end_velocity(run_rod(stiffness, kDamping, 0, 0, leaves[0]).report.last);
    // The weight acts for some 20 to 40 times the time of the layer, and counts until depths are well beyond
    // g/(|A| K), a part of 2e3/sqrt(K) of those at which slip ends; layers that give along the surface, 1e-4 of those
    // along the normal, leave a part of their square root.
    const double error = std::abs(end.up - exit), unit = 1 / std::sqrt(stiffness);
    EXPECT_LT(error, 40 * kGravity * unit + exit * (2e3 * unit + 0.01)) << end.up << " " << exit;
    EXPECT_LT(error, 0.5 * before + 0.01 * exit);
    EXPECT_NEAR(end.along, 0, 0.02);
    before = error;
  }
}

TEST(HandOver, OfSeveralMotionsTheLayerTakesThatOfItsPreload) {
  // Sliding to the left with b > 0, it parts, or is pressed on the ground with b/|A| and more, which does not last.
  const double b = 0.5 * 36 * kSin - kGravity, pressed = b / (1.4 * kRatio * kSin * kCos - 1 - kRatio * kCos * kCos);
  const Trace parts = run_rod(1e8, 0.3, 6, 0, 0.01);
  ASSERT_EQ(parts.report.status, RunStatus::done) << parts.report.reason;
  ASSERT_GE(parts.report.switches.size(), 1u);
  EXPECT_NE(parts.report.switches[0].why.find("several"), std::string::npos);
  EXPECT_LT(calc_end_velocity(parts.report.last).along, -0.85);
  EXPECT_EQ(count_events(parts, EventKind::stick), 0);
  expect_energy_never_grows(parts, find_energy_error(parts, 1e-12, 1));
  const Trace less = run_rod(1e11, 0.3, 6, 0.8 * pressed, 0.01), more = run_rod(1e11, 0.3, 6, 1.2 * pressed, 0.01);
  EXPECT_LT(calc_end_velocity(less.report.last).along, -0.6);  // friction has acted for a while
  EXPECT_GT(calc_end_velocity(more.report.last).along, -0.5);
  EXPECT_GE(count_events(more, EventKind::stick), 1);
}

TEST(HandOver, NeverHappensWhereRigidBodiesTell) {
  // All of a determinate run is the same, bit for bit.
  namespace fs = std::filesystem;
  const fs::path scenes = fs::path(THENAR_SOURCE_DIR) / "scenes";
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(scenes / "truth")) paths.push_back(entry.path());
  for (const char* name : {"03_rolling", "04_sliding", "06_collision_medium", "07_collision_heavy"}) {
    paths.push_back(scenes / "chan" / (std::string(name) + ".yaml"));
  }
  int count = 0;
  for (const fs::path& path : paths) {
    const std::string name = path.stem();
    const Scenario scenario = read_scenario(path);
    if (!scenario.contacts || scenario.run.engine == EngineKind::quasistatic) continue;
    ++count;
    const Trace rigid = record(read_scenario(path, std::vector<std::string>{"contacts.law=rigid"}));
    const Trace automatic = record(scenario);
    EXPECT_TRUE(automatic.report.switches.empty()) << name;
    EXPECT_EQ(rigid.report.evaluations, automatic.report.evaluations) << name;
    ASSERT_EQ(rigid.samples.size(), automatic.samples.size()) << name;
    for (std::size_t i = 0; i < rigid.samples.size(); ++i) {
      ASSERT_EQ(rigid.samples[i].state, automatic.samples[i].state) << name;
      ASSERT_EQ(rigid.samples[i].contacts.size(), automatic.samples[i].contacts.size());
      for (std::size_t k = 0; k < rigid.samples[i].contacts.size(); ++k) {
        EXPECT_EQ(rigid.samples[i].contacts[k].force_on_A, automatic.samples[i].contacts[k].force_on_A);
      }
    }
  }
  EXPECT_GE(count, 20);
}

TEST(HandOver, OtherFrictionMovesTheSwitchToWhereTheMatrixSays) {
  // On the planned path A ceases to be a P-matrix, by the planar formulas, earlier with more friction, or never.
  for (const auto& [mu1, mu2] : {std::pair(0.7, 0.6), std::pair(0.8, 0.5), std::pair(0.8, 0.7), std::pair(0.6, 0.4)}) {
    SCOPED_TRACE(fmt::format("mu = {}, {}", mu1, mu2));
    PlanarExample example = PlanarExample::translate();
    example.grasp.mu << mu1, mu2, mu1, mu2;
    double before = 0.05, after = before;
    while (after < 0.6 && example.calc_least_minor(after) > 0) after += 0.01;
    const bool is_lost = after < 0.6;
    for (before = after - 0.01; is_lost && after - before > 1e-6;) {
      const double middle = 0.5 * (before + after);
      (example.calc_least_minor(middle) > 0 ? before : after) = middle;
    }
    const Trace trace = record(read_scenario(
        std::string(THENAR_SOURCE_DIR) + "/scenes/syk/translate.yaml",
        std::vector<std::string>{fmt::format("parameters.mu1={}", mu1), fmt::format("parameters.mu2={}", mu2),
                                 fmt::format("run.until={}", is_lost ? after + 0.01 : 0.6)}));
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    ASSERT_EQ(trace.report.switches.size(), is_lost ? 1u : 0u);
    // The run is on its path to 1e-7 m, at 0.1 m/s.
    if (is_lost) {
      EXPECT_NEAR(trace.report.switches[0].t, after, 1e-5);
    }
  }
}

// --- Where there is one motion, and where it ceases to be the only one -----------------------------------------------

constexpr double kLadderAngle = 1.05, kFloorFriction = 3.5, kWallFriction = 3, kTopHeavy = 0.45, kLadderInertia = 0.29;
constexpr double kPull = 40, kLift = -30, kLiftRate = 7500;

/// A ladder of 1 m and 1 kg slides down between wall and floor, heavy at its top, pulled off the wall and lifted more
/// and more. On the floor alone it would jam or be thrown off, so that A is no P-matrix from the first instant on.
Trace run_ladder(const std::string& law, double until) {
  const double s = std::sin(kLadderAngle), c = std::cos(kLadderAngle), spin = 3;
  return record(parse_scenario(
      fmt::format(
          "thenar: 1\ngravity: [0, -9.81, 0]\nobjects:\n"
          "  - {{name: ladder, joint: planar, shape: {{rod: 1}}, shape_pose: {{rpy: [0, 90 deg, 0]}}, mass: 1 kg, "
          "com: [{}, 0, 0], inertia: [0.15, 0.15, {}],\n"
          "     pose: {{xyz: [{:.17g}, {:.17g}, 0], rpy: [0, 0, {:.17g}]}}, "
          "velocity: {{linear: [{:.17g}, {:.17g}, 0], angular: [0, 0, {}]}}}}\n"
          "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}, pose: {{rpy: [-90 deg, 0, 0]}}}}\n"
          "  - {{name: wall, joint: fixed, shape: {{plane: {{}}}}, pose: {{rpy: [0, 90 deg, 0]}}}}\n"
          "contacts: {{law: {}, pairs: [{{a: ladder, b: floor, friction: {}}}, {{a: ladder, b: wall, friction: "
          "{}}}]}}\n"
          "wrenches: [{{body: ladder, force: [{}, {} + {}*t, 0], at: [{}, 0, 0]}}]\n"
          "run: {{until: {:.17g}, sample: 1e-4}}\n",
          -kTopHeavy, kLadderInertia, 0.5 * c, 0.5 * s, -kLadderAngle, 0.5 * s * spin, -0.5 * c * spin, spin, law,
          kFloorFriction, kWallFriction, kPull, kLift, kLiftRate, -kTopHeavy, until),
      "test.yaml"));
}

/// Acceleration of the lower end away from the floor if nothing but the force and the weight acted.
double calc_free_lift(const State& state) {
  const double w = state.v(2), arm = 0.5 + kTopHeavy;  // from the lower end to the centre of mass
  return kLift + kLiftRate * state.t - kGravity + w * w * arm * std::sin(-state.q(2));
}

TEST(HandOver, AProvedMotionStaysRigidThoughItIsNotDeterminateAndGoesOverWhereItIsNotTheOnlyOne) {
  // Up to where the lower end would rise by itself there is one motion, with both contacts pressed; from there on the
  // ladder could as well be thrown off. Nothing happens to the contacts there.
  const Trace trace = run_ladder("automatic", 0.006);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  ASSERT_FALSE(trace.report.verdicts.empty());
  EXPECT_EQ(trace.report.verdicts[0].verdict, Verdict::unique);
  EXPECT_FALSE(trace.report.verdicts[0].determinate);
  ASSERT_GE(trace.report.switches.size(), 1u);
  const double t = trace.report.switches[0].t;
  EXPECT_GT(t, 0.003);
  EXPECT_NE(trace.report.switches[0].why.find("several"), std::string::npos);
  const Trace rigid = run_ladder("rigid", t);
  EXPECT_TRUE(rigid.events.empty());
  // Answers are told apart to 1e-7 of their forces.
  EXPECT_NEAR(calc_free_lift(rigid.report.last), 0, 1e-4 * kGravity);
  expect_energy_never_grows(trace, find_energy_error(trace, 1e-8, 1));
}

TEST(HandOver, WhatRestsElsewhereHidesNothing) {
  // SYK's second example beside a box on its corners, whose forces are not unique.
  std::ifstream file(std::string(THENAR_SOURCE_DIR) + "/scenes/syk/translate.yaml");
  std::string text(std::istreambuf_iterator<char>(file), {});
  const auto insert_after = [&](const std::string& line, const std::string& what) {
    const std::size_t place = text.find(line);
    ASSERT_NE(place, std::string::npos) << line;
    text.insert(place + line.size(), what);
  };
  insert_after("\nobjects:\n",
               "  - {name: box, joint: planar, shape: {box: [0.1, 0.1, 0.1]}, mass: 1 kg, pose: {xyz: [2, 0.05, 0]}}\n"
               "  - {name: ground, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}\n");
  insert_after("\n  pairs:\n", "    - {a: box, b: ground, friction: 0.5}\n");
  insert_after("\ngravity: [0, 0, 0]\n", "wrenches: [{body: box, force: [0, -10, 0]}]\n");
  Scenario scenario = parse_scenario(text, "test.yaml");
  scenario.run.until = 0.45;
  const Trace trace = record(scenario);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_EQ(trace.report.verdicts.at(0).verdict, Verdict::unique_motion);
  ASSERT_EQ(trace.report.switches.size(), 1u);
  EXPECT_NEAR(trace.report.switches[0].t, 0.4357, 1e-4);
  EXPECT_EQ(trace.report.switches[0].contacts.size(), 4u);  // not the box
}

TEST(HandOver, LayersOfTheTranslationAreStableUntilItGoesOver) {
  // By symmetry the layers of SYK's second example fall into motions of mirrored links together and opposite, each with
  // its own two eigenvalues a of A: λ² + a m (λ/√ε + 1/ε) = 0.
  const PlanarExample example = PlanarExample::translate();
  const VectorX<double> one = VectorX<double>::Ones(4);
  for (const double epsilon : {1e-3, 1e-5}) {
    const double k = example.grasp.mass / epsilon, c = example.grasp.mass / std::sqrt(epsilon);
    for (const double t : {0.1, 0.3, 0.43, 0.435, 0.4365, 0.45, 0.5, 0.6}) {
      const test::Vector7 q = example.plan(t);
      const test::Matrix4 A = example.grasp.calc_A(q, example.plan_slips(q).cwiseSign());
      const Eigen::Matrix2d own = A.topLeftCorner<2, 2>(), other = A.topRightCorner<2, 2>();
      double expected = -std::numeric_limits<double>::infinity();
      for (const Eigen::Matrix2d& part : {Eigen::Matrix2d(own + other), Eigen::Matrix2d(own - other)}) {
        for (const std::complex<double> a : eigenvalues_of(part)) {
          const std::complex<double> root = std::sqrt(a * a * c * c - 4.0 * a * k);
          expected = std::max({expected, (0.5 * (-a * c + root)).real(), (0.5 * (-a * c - root)).real()});
        }
      }
      EXPECT_NEAR(internal::calc_layer_growth(A, k * one, c * one), expected, 1e-6 * c) << t;
      EXPECT_EQ(expected < 0, t < 0.436) << t;
    }
  }
}

TEST(HandOver, TakesOnlyTheContactsThatNeedIt) {
  // A box rests on the same ground, away from the rod.
  const std::string text =
      "thenar: 1\ngravity: [0, -9.81, 0]\nobjects:\n"
      "  - {name: rod, joint: planar, shape: {rod: 1}, shape_pose: {rpy: [0, 90 deg, 0]}, mass: 1 kg, "
      "pose: {xyz: [0, 0.43301270189221932, 0], rpy: [0, 0, 60 deg]}, velocity: {linear: [-1, 0, 0]}}\n"
      "  - {name: box, joint: planar, shape: {box: [0.2, 0.2, 0.2]}, mass: 1 kg, pose: {xyz: [2, 0.1, 0]}}\n"
      "  - {name: ground, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}\n"
      "contacts: {friction: 1.4}\nrun: {until: 0.05, sample: 0.01}\n";
  const Trace trace = record(parse_scenario(text, "test.yaml"));
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  ASSERT_GE(trace.report.switches.size(), 1u);
  EXPECT_EQ(trace.report.switches[0].contacts, std::vector<std::string>{"rod/ground"});
  for (const Sample& sample : trace.samples) {
    EXPECT_NEAR(sample.state.q(4), 0.1, 1e-15);  // rigid: it does not sink in
  }
}

TEST(HandOver, ContactsThatDoNotActOnEachOtherComeBackEachInItsOwnTime) {
  // Two rods inside their paradox on one ground, the second with a layer a hundred times as soft, which takes ten times
  // as long to throw it off and to come to rest.
  const auto rod = [](const char* name, double x) {
    return fmt::format(
        "  - {{name: {}, joint: planar, shape: {{rod: 1}}, shape_pose: {{rpy: [0, 90 deg, 0]}}, mass: 1 kg, "
        "pose: {{xyz: [{}, 0.43301270189221932, 0], rpy: [0, 0, 60 deg]}}, velocity: {{linear: [-1, 0, 0]}}}}\n",
        name, x);
  };
  const auto run = [&](const std::string& objects, const std::string& pairs) {
    return record(
        parse_scenario("thenar: 1\ngravity: [0, -9.81, 0]\nobjects:\n" + objects +
                           "  - {name: ground, joint: fixed, shape: {plane: {}}, pose: {rpy: [-90 deg, 0, 0]}}\n"
                           "contacts: {friction: 1.4, pairs: [" +
                           pairs + "]}\nrun: {until: 0.1, sample: 0.01}\n",
                       "test.yaml"));
  };
  const std::string hard = "{a: hard, b: ground, layer: {stiffness: 1e8, damping: 6e3}}";
  const std::string soft = "{a: soft, b: ground, layer: {stiffness: 1e6, damping: 6e2}}";
  const Trace both = run(rod("hard", 0) + rod("soft", 5), hard + ", " + soft);
  ASSERT_EQ(both.report.status, RunStatus::done) << both.report.reason;
  const auto times_of = [](const Trace& trace, const std::string& name, bool to_compliant) {
    std::vector<double> out;
    for (const ModelSwitch& change : trace.report.switches) {
      const auto& contacts = change.contacts;
      const bool is_of = std::find(contacts.begin(), contacts.end(), name + "/ground") != contacts.end();
      if (is_of && change.to_compliant == to_compliant) out.push_back(change.t);
    }
    return out;
  };
  for (const char* name : {"hard", "soft"}) {
    // Each as if it were alone.
    const bool is_hard = std::string_view(name) == "hard";
    const Trace alone = run(rod(name, is_hard ? 0 : 5), is_hard ? hard : soft);
    for (const bool to_compliant : {true, false}) {
      const std::vector<double> here = times_of(both, name, to_compliant), there = times_of(alone, name, to_compliant);
      ASSERT_GE(here.size(), 1u) << name;
      ASSERT_GE(there.size(), 1u) << name;
      EXPECT_NEAR(here[0], there[0], 1e-3) << name << " " << to_compliant;
    }
  }
  EXPECT_LT(times_of(both, "hard", false)[0], 0.5 * times_of(both, "soft", false)[0]);
  expect_energy_never_grows(both, find_energy_error(both, 1e-8, 1));
}

}  // namespace
}  // namespace thenar::hand_over_test
