// SPDX-License-Identifier: BSD-3-Clause
//
// Runs on polyhedral friction cones: the laws of motion_laws_test.cc, planar scenes as on the circle, and slip between
// the corners of a cone against its closed form.

#include <ostream>

#include "least_load.h"
#include "motion_scenes.h"

namespace thenar::cone_runs_test {
namespace {

using namespace test;

constexpr double kRunTolerance = 1e-10;

struct Case {
  std::string label, scene;
  std::vector<Entry> entries{};
  bool is_planar = false;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.label; }

const Case kCases[] = {
    {"ball_rolls_down", "ball_on_incline"},
    {"ball_slips_down", "ball_on_incline", {{"mu", 0.1}}},
    {"ball_slides_then_rolls", "sliding_ball", {{"spin_x", 20}, {"spin_y", -30}, {"spin_z", 5}}},
    {"ball_on_turntable", "ball_on_turntable", {{"run.until", 2}}},
    {"ball_in_bowl", "ball_in_bowl"},
    {"soft_ball_spins", "spinning_ball"},
    {"coin_spins", "spinning_coin"},
    {"block_sticks_and_slips", "pushed_block", {{"run.until", 2}}},
    {"block_turns_round", "pushed_block", {{"F", 8}, {"run.until", 2}}},
    {"disc_precesses", "rolling_disc"},
    {"disc_wobbles", "rolling_disc", {{"tilt", 0.3}, {"W", 20}, {"wobble", 1}, {"mu", 3}}},
    {"disc_upright", "upright_disc"},
    {"ball_bounces", "bouncing_ball", {{"v", 1}}},
    {"ladder", "ladder", {}, true},
    {"box_tips", "tipping_box"},
    {"box_rocks", "rocking_box", {}, true},
    {"box_on_table", "box_on_table"},
    {"capsule_on_box", "capsule_on_box"},
    {"capsule_pinched", "pinched_capsule", {{"run.until", 1}, {"run.sample", 0.1}}},
    {"cube_on_wall", "cube_on_wall", {{"run.until", 1}, {"run.sample", 0.1}}},
    {"cube_slides", "sliding_cube"},
    {"cube_slides_askew", "sliding_cube", {{"heading", 0.5}}},
    {"cube_pushed_and_released", "push_and_release", {{"run.until", 0.5}}},
    {"ring_on_rod", "ring_on_rod"},
    {"rod_on_floor", "rod_on_floor", {}, true},
    {"rod_of_painleve", "painleve_rod", {}, true},
    {"pendulum_of_kane", "kane_pendulum", {}, true},
    {"newtons_cradle", "newtons_cradle"},
    {"double_pendulum", "carv/double_pendulum", {{"e", 0.5}}, true},
    {"three_fingers", "../scenes/three_finger_ball", {{"stiffness", 5}}},
    {"five_fingers", "../scenes/five_finger_box", {{"run.until", 1}, {"run.sample", 0.1}}},
};

Scenario read(const Case& one, int faces) {
  std::vector<Entry> entries = one.entries;
  entries.push_back({"run.tolerance", kRunTolerance});
  Scenario scenario = read_scene(one.scene, entries);
  if (faces > 0) scenario.contacts->cone = {FrictionCone::Kind::polygon, faces};
  return scenario;
}

class ConeRuns : public testing::TestWithParam<Case> {};

TEST_P(ConeRuns, ForcesAreInTheirConesAndBooksClose) {
  for (const int faces : {4, 8}) {
    SCOPED_TRACE(faces);
    const Scenario scenario = read(GetParam(), faces);
    const Trace trace = record(scenario);
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    EXPECT_LT(trace.report.max_gap_violation, 1e-9);
    const LawTable laws(scenario.model, *scenario.contacts);
    double scale = scenario.model.total_mass() * kGravity * 0.1, worst = 0;
    for (const Sample& s : trace.samples) {
      const EnergySample& e = s.energy;
      scale = std::max(scale, e.kinetic + std::abs(e.potential) + std::abs(e.work));
      worst = std::max(worst, std::abs(e.kinetic + e.potential - (trace.report.energy.start + e.work - e.dissipated)));
      double largest = find_least_load(scenario);
      for (const Contact& c : s.contacts) largest = std::max(largest, std::abs(c.force_on_A.normal));
      for (const Contact& c : s.contacts) {
        if (c.mode == ContactMode::open) continue;
        SCOPED_TRACE(fmt::format("{} at {}", c.name, s.state.t));
        const std::string pair = c.name.substr(0, c.name.find('#'));
        const std::size_t slash = pair.find('/');
        const ContactLaw& law = laws.find_law(*scenario.model.find_body(pair.substr(0, slash)),
                                              *scenario.model.find_body(pair.substr(slash + 1)));
        const double slack = 2e-7 * largest;  // twice the margin of forces
        EXPECT_GE(c.force_on_A.normal, -slack);
        EXPECT_LE(calc_cone_size(scenario.contacts->cone, c.force_on_A.along_T, c.force_on_A.along_U),
                  law.static_friction * c.force_on_A.normal + slack);
        EXPECT_LE(std::abs(c.force_on_A.torsion), law.torsion * c.force_on_A.normal + slack);
      }
    }
    EXPECT_LT(worst, kRunTolerance * (10 + static_cast<double>(trace.report.steps)) * scale);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, ConeRuns, testing::ValuesIn(kCases), [](const auto& one) { return one.param.label; });

TEST(PolyhedralCone, IsTheCircleInAPlane) {
  for (const Case& one : kCases) {
    if (!one.is_planar) continue;
    const Trace circle = record(read(one, 0));
    for (const int faces : {4, 8}) {
      SCOPED_TRACE(fmt::format("{}, {} faces", one.label, faces));
      const Trace trace = record(read(one, faces));
      ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
      EXPECT_EQ(trace.events.size(), circle.events.size());
      EXPECT_LT((trace.report.last.q - circle.report.last.q).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((trace.report.last.v - circle.report.last.v).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(PolyhedralCone, ReachesToItsCornersAndLessBetweenThem) {
  for (const int faces : {3, 4, 8, 64}) {
    SCOPED_TRACE(faces);
    const FrictionCone cone{FrictionCone::Kind::polygon, faces};
    for (int i = 0; i < faces; ++i) {
      const double corner = 2 * M_PI * i / faces, middle = corner + M_PI / faces;
      EXPECT_NEAR(calc_sliding_share(cone, {std::cos(corner), std::sin(corner), 0}), 1, 1e-14);
      EXPECT_NEAR(calc_sliding_share(cone, {std::cos(middle), std::sin(middle), 0}), std::cos(M_PI / faces), 1e-14);
    }
    EXPECT_EQ(calc_sliding_share(cone, {0, 0, 1}), 1);
    EXPECT_NEAR(calc_sliding_share(cone, {0.6, 0, -0.8}), 1.25, 1e-14);  // slip and spin are bounded by themselves
  }
  EXPECT_EQ(calc_sliding_share({FrictionCone::Kind::box, 0}, {M_SQRT1_2, M_SQRT1_2, 0}), 1);
  EXPECT_EQ(calc_sliding_share({}, {0.6, 0.8, 0}), 1);
}

TEST(PolyhedralCone, BallPushedBetweenItsCornersSlipsWhereTheConeEnds) {
  // Rolling takes friction 2/7 F against the push. A k-gon with the radius 1 reaches cos(pi/k)/cos(a - middle of the
  // face) in the direction a; from there on friction of that share acts against the slip, which goes along the push.
  constexpr double kRate = 20, kMu = 0.3, kTolerance = 1e-10;
  for (const int faces : {4, 8}) {
    for (const double angle : {0.0, 0.5, M_PI / 4, 2.0}) {
      SCOPED_TRACE(fmt::format("{} faces, push at {} rad", faces, angle));
      const double width = 2 * M_PI / faces, middle = (std::floor(angle / width) + 0.5) * width;
      const double share = std::cos(width / 2) / std::cos(angle - middle);
      const double begins = 3.5 * share * kMu * kGravity / kRate, until = begins + 0.3;
      const Trace trace = record(parse_scenario(
          fmt::format(
              "thenar: 1\nobjects:\n  - {{name: ball, shape: {{sphere: 0.1}}, mass: 1, pose: {{xyz: [0, 0, 0.1]}}}}\n"
              "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}}}\n"
              "contacts: {{friction: {}, cone: {}}}\n"
              "wrenches: [{{body: ball, force: [{:.17g}*t, {:.17g}*t, 0]}}]\n"
              "run: {{until: {:.17g}, tolerance: {}}}\n",
              kMu, faces, kRate * std::cos(angle), kRate * std::sin(angle), until, kTolerance),
          "test.yaml"));
      ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
      ASSERT_EQ(trace.events.size(), 1U);
      EXPECT_EQ(trace.events[0].kind, EventKind::slip);
      // Late by the margin of forces, which the push overcomes at 2/7 of its rate.
      EXPECT_NEAR(trace.events[0].t, begins, 10 * 1e-7 * kGravity / kRate * 3.5);
      const double v = 5.0 / 7 * kRate * begins * begins / 2 + kRate * (until * until - begins * begins) / 2 -
                       share * kMu * kGravity * (until - begins);
      const Eigen::Vector2d along(std::cos(angle), std::sin(angle));
      const double error = 4 * kTolerance * (10 + static_cast<double>(trace.report.steps)) * (1 + v);
      EXPECT_LT((velocity(trace.report.last).head<2>() - v * along).norm(), error);
    }
  }
}

TEST(PolyhedralCone, PatchPushedBetweenItsCornersSlipsWhereTheConeEnds) {
  // The same with a block, whose four corners share friction in ways that are not determined.
  constexpr double kRate = 6, kMu = 0.3, kTolerance = 1e-10;
  for (const int faces : {4, 8}) {
    for (const double angle : {0.0, 0.5, M_PI / 4}) {
      SCOPED_TRACE(fmt::format("{} faces, push at {} rad", faces, angle));
      const double width = 2 * M_PI / faces, middle = (std::floor(angle / width) + 0.5) * width;
      const double share = std::cos(width / 2) / std::cos(angle - middle);
      const double begins = share * kMu * kGravity / kRate, until = begins + 0.3;
      const Trace trace = record(parse_scenario(
          fmt::format("thenar: 1\nobjects:\n"
                      "  - {{name: block, shape: {{box: [0.2, 0.2, 0.05]}}, mass: 1, pose: {{xyz: [0, 0, 0.025]}}}}\n"
                      "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}}}\n"
                      "contacts: {{friction: {}, cone: {}}}\n"
                      "wrenches: [{{body: block, force: [{:.17g}*t, {:.17g}*t, 0]}}]\n"
                      "run: {{until: {:.17g}, tolerance: {}}}\n",
                      kMu, faces, kRate * std::cos(angle), kRate * std::sin(angle), until, kTolerance),
          "test.yaml"));
      ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
      EXPECT_EQ(list_times(trace, EventKind::slip).size(), 1U);
      EXPECT_EQ(trace.events.size(), 4U);
      EXPECT_NEAR(trace.events.at(0).t, begins, 10 * 1e-7 * kGravity / kRate);
      const double v = 0.5 * kRate * std::pow(until - begins, 2);
      const Eigen::Vector2d along(std::cos(angle), std::sin(angle));
      // Errors of steps; and slip below a hundred tolerances leans to the direction in which it began
      // (held_contact.cc), at speeds of 1 m/s that belong to the size of the scene.
      const double error = 4 * kTolerance * (10 + static_cast<double>(trace.report.steps)) * (1 + v) + 100 * kTolerance;
      EXPECT_LT((velocity(trace.report.last).head<2>() - v * along).norm(), error);
    }
  }
}

}  // namespace
}  // namespace thenar::cone_runs_test
