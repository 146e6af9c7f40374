// SPDX-License-Identifier: BSD-3-Clause
//
// What holds in every row of every run with contacts, over scenes with all kinds of motions: books of energy, cones,
// gaps, labels, contact coordinates; that errors follow the tolerance; that runs repeat bit by bit.

#include <algorithm>
#include <ostream>

#include "least_load.h"
#include "motion_scenes.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/motion/held_contact.h"

namespace thenar::motion_laws_test {
namespace {

using namespace test;

/// Of the runs in which laws are looked at.
constexpr double kRunTolerance = 1e-10;

struct Case {
  std::string label, scene;
  std::vector<Entry> entries{};
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
    {"block_sticks_and_slips", "pushed_block"},
    {"block_turns_round", "pushed_block", {{"F", 8}}},
    {"block_with_static_friction", "pushed_block", {{"F", 5}, {"mu_s", 0.4}}},
    {"disc_precesses", "rolling_disc"},
    {"disc_wobbles", "rolling_disc", {{"tilt", 0.3}, {"W", 20}, {"wobble", 1}, {"mu", 3}}},
    {"disc_upright", "upright_disc"},
    {"ball_bounces", "bouncing_ball", {{"v", 1}}},
    {"ladder", "ladder"},
    {"box_tips", "tipping_box"},
    {"box_rocks", "rocking_box"},
    {"box_on_table", "box_on_table"},
    {"box_on_balls", "box_on_balls", {{"run.until", 0.05}}},
    {"capsule_on_box", "capsule_on_box"},
    {"capsule_pinched", "pinched_capsule", {{"run.until", 1}, {"run.sample", 0.1}}},
    {"cube_on_wall", "cube_on_wall", {{"run.until", 1}, {"run.sample", 0.1}}},
    {"cube_slides", "sliding_cube"},
    {"cube_pushed_and_released", "push_and_release", {{"run.until", 0.5}}},
    {"ring_on_rod", "ring_on_rod"},
    {"rod_on_floor", "rod_on_floor"},
    {"rod_of_painleve", "painleve_rod"},
    {"pendulum_of_kane", "kane_pendulum"},
    {"newtons_cradle", "newtons_cradle"},
    {"two_balls", "two_balls"},
    {"double_pendulum", "carv/double_pendulum", {{"e", 0.5}}},
    {"three_fingers", "../scenes/three_finger_ball", {{"stiffness", 5}}},
    {"five_fingers", "../scenes/five_finger_box", {{"run.until", 1}, {"run.sample", 0.1}}},
};

/// How far the place with the coordinates u, in whatever chart of its surface, is from that of a point found afresh, m.
double find_distance(const ContactFinder& finder, BodyIndex body, int shape, int feature,
                     const ChartedPoint<double>& point, const std::array<double, 2>& u, bool is_pinned) {
  if (is_pinned) return 0;  // a corner of a patch has no coordinates of its own
  const BodyShape& on_body = finder.shapes()[static_cast<std::size_t>(shape)];
  const ContactSide side = make_contact_side(body, finder.core(shape), on_body.X_BS, feature);
  const Vec3<double> p = evaluate<double>(side.surface, point.chart, point.u).p;
  const int charts = std::visit([](const auto& surface) { return surface.chart_count(); }, side.surface);
  double out = INFINITY;
  for (int chart = 0; chart < charts; ++chart) {
    out = std::min(out, norm(evaluate<double>(side.surface, chart, Vector2<double>(u[0], u[1])).p - p));
  }
  return out;
}

class MotionLaws : public testing::TestWithParam<Case> {
 protected:
  Scenario scenario_ = read(kRunTolerance);
  Trace trace_ = record(scenario_);

  static Scenario read(double tolerance) {
    std::vector<Entry> entries = GetParam().entries;
    entries.push_back({"run.tolerance", tolerance});
    return read_scene(GetParam().scene, entries);
  }

  void SetUp() override { ASSERT_EQ(trace_.report.status, RunStatus::done) << trace_.report.reason; }

  /// All energy that a row has, or that has passed, or lifts everything by 10 cm: what errors of the books are relative
  /// to.
  double find_energy_scale() const {
    double out = scenario_.model.total_mass() * kGravity * 0.1;
    for (const Sample& s : trace_.samples) {
      out = std::max(out, s.energy.kinetic + std::abs(s.energy.potential) + std::abs(s.energy.work));
    }
    return out;
  }
  /// Errors of steps add up, at worst all of them on one side.
  double find_error() const { return kRunTolerance * (10 + static_cast<double>(trace_.report.steps)); }
};

TEST_P(MotionLaws, BooksOfEnergyCloseAndNothingIsWonFromFriction) {
  const double scale = find_energy_scale(), start = trace_.report.energy.start;
  double before = 0, worst = 0, won = 0;
  for (const Sample& s : trace_.samples) {
    const EnergySample& e = s.energy;
    worst = std::max(worst, std::abs(e.kinetic + e.potential - (start + e.work - e.dissipated)));
    won = std::max(won, before - e.dissipated);
    before = e.dissipated;
  }
  EXPECT_LT(worst, find_error() * scale);
  EXPECT_LE(won, 1e-12 * scale);
}

TEST_P(MotionLaws, NothingPenetrates) { EXPECT_LT(trace_.report.max_gap_violation, 1e-9); }

TEST_P(MotionLaws, ForcesStayInTheirConesAndMarginsSayHowFar) {
  const LawTable laws(scenario_.model, *scenario_.contacts);
  double fastest = 0;
  for (const Sample& s : trace_.samples) fastest = std::max(fastest, s.state.v.lpNorm<Eigen::Infinity>());
  const double rounding_of_load = find_least_load(scenario_);
  for (const Sample& s : trace_.samples) {
    double largest = rounding_of_load;
    for (const Contact& c : s.contacts) largest = std::max(largest, std::abs(c.force_on_A.normal));
    for (const Contact& c : s.contacts) {
      SCOPED_TRACE(fmt::format("{} at {}", c.name, s.state.t));
      if (c.mode == ContactMode::open) {
        EXPECT_EQ(c.margin, 0);
        EXPECT_EQ(c.force_on_A, ContactForce{});
        continue;
      }
      const std::string pair = c.name.substr(0, c.name.find('#'));
      const std::size_t slash = pair.find('/');
      const ContactLaw& law = laws.find_law(*scenario_.model.find_body(pair.substr(0, slash)),
                                            *scenario_.model.find_body(pair.substr(slash + 1)));
      const double f_t = std::hypot(c.force_on_A.along_T, c.force_on_A.along_U),
                   slack = 2e-7 * largest;  // twice the margin of forces
      EXPECT_GE(c.force_on_A.normal, -slack);
      EXPECT_LE(f_t, law.static_friction * c.force_on_A.normal + slack);
      EXPECT_LE(std::abs(c.force_on_A.torsion), law.torsion * c.force_on_A.normal + slack);
      const bool slides = c.mode == ContactMode::slide || c.mode == ContactMode::spin;
      if (slides && law.friction > 0) {
        EXPECT_EQ(c.margin, -1);
        const double speed = std::hypot(c.slip[0], c.slip[1]);
        // Friction opposes slip: its power is negative. Slip that is rounding of velocities has no direction.
        const double rounding = 1e-14 * fastest;
        EXPECT_LE(c.force_on_A.along_T * c.slip[0] + c.force_on_A.along_U * c.slip[1], slack * speed + f_t * rounding);
        if (law.fingertip != Fingertip::soft) {
          EXPECT_NEAR(f_t, law.friction * c.force_on_A.normal, slack);
        }
      } else {
        EXPECT_GE(c.margin, 0);
        EXPECT_LE(c.margin, 1);
      }
    }
  }
}

TEST_P(MotionLaws, CoordinatesOfContactsAreThoseOfPointsFoundAfresh) {
  const LawTable laws(scenario_.model, *scenario_.contacts);
  ContactFinder finder(scenario_.model, scenario_.shapes, *scenario_.contacts);
  Workspace<double> workspace(scenario_.model);
  double speed = std::sqrt(kGravity * 0.1);  // of a fall by 5 cm, where nothing moves
  for (const Sample& s : trace_.samples) speed = std::max(speed, s.state.v.cwiseAbs().maxCoeff());
  for (const Sample& s : trace_.samples) {
    update_positions(scenario_.model, s.state.q.data(), workspace);
    update_velocities(scenario_.model, s.state.v.data(), workspace);
    finder.update(workspace, 1e-9);
    for (const Contact& c : s.contacts) {
      if (c.mode == ContactMode::open) continue;
      SCOPED_TRACE(fmt::format("{} at {}", c.name, s.state.t));
      double nearest = INFINITY;
      for (const FoundContact& found : finder.contacts()) {
        if (!c.name.starts_with(scenario_.model.body(found.body_A).name + "/" +
                                scenario_.model.body(found.body_B).name))
          continue;
        const HeldContact fresh(scenario_.model, workspace, finder, found, laws.find_law(found.body_A, found.body_B),
                                ContactHold::rolling, 0);
        const GapFunction<double>& place = fresh.kinematics();
        const double off = std::max(find_distance(finder, found.body_A, found.shape_A, found.feature_A, place.point_A(),
                                                  c.u_A, place.is_pinned_A()),
                                    find_distance(finder, found.body_B, found.shape_B, found.feature_B, place.point_B(),
                                                  c.u_B, place.is_pinned_B()));
        if (off >= nearest) continue;
        nearest = off;
        EXPECT_NEAR(fresh.gap(), c.gap, 1e-12);
        if (c.mode != ContactMode::roll && c.mode != ContactMode::stick) continue;
        // No slip, and equal arc speeds over both surfaces.
        if (c.margin == 0 && laws.find_law(found.body_A, found.body_B).friction == 0) continue;
        EXPECT_LT(std::hypot(fresh.velocity()(1), fresh.velocity()(2)), 1e-12 * speed);
        EXPECT_LT(std::hypot(c.slip[0], c.slip[1]), 1e-12 * speed);
        const ContactVelocity<double>& rates = place.velocity();
        if (rates.is_regular && !place.is_pinned_A() && !place.is_pinned_B()) {
          EXPECT_NEAR(norm(rates.travel_A), norm(rates.travel_B), 1e-12 * speed + norm(rates.v));
        }
      }
      EXPECT_LT(nearest, 1e-9);
    }
  }
}

TEST_P(MotionLaws, RunsRepeatBitByBit) {
  const Trace again = record(scenario_);
  ASSERT_EQ(again.samples.size(), trace_.samples.size());
  ASSERT_EQ(again.events.size(), trace_.events.size());
  for (std::size_t i = 0; i < again.events.size(); ++i) {
    EXPECT_EQ(again.events[i].t, trace_.events[i].t);
    EXPECT_EQ(again.events[i].where(), trace_.events[i].where());
    EXPECT_EQ(describe(again.events[i]), describe(trace_.events[i]));
  }
  for (std::size_t i = 0; i < again.samples.size(); ++i) {
    EXPECT_EQ(again.samples[i].state.q, trace_.samples[i].state.q);
    EXPECT_EQ(again.samples[i].state.v, trace_.samples[i].state.v);
    EXPECT_EQ(again.samples[i].energy.dissipated, trace_.samples[i].energy.dissipated);
  }
}

/// How many events from the first on are the same, at whatever times.
std::size_t count_common_events(const Trace& a, const Trace& b) {
  std::size_t out = 0;
  while (out < std::min(a.events.size(), b.events.size()) && a.events[out].kind == b.events[out].kind &&
         a.events[out].where() == b.events[out].where()) {
    ++out;
  }
  return out;
}

TEST_P(MotionLaws, ErrorsFollowTheTolerance) {
  // What begins to slip or break is found late by the margin of forces, but so it is with every tolerance: what is left
  // are errors of steps. Some hundred of them add up in states; in times they are divided by the speed with which a
  // bound is crossed, of bounces by the speed of the last one, and are a few times larger. Below 1e-12 rounding begins
  // to tell: of positions in gaps, and so in the times of bounces (2e-14 m over the last speeds, bouncing_test.cc).
  constexpr double kOfStates = 300, kOfTimes = 1000, kRounding = 1e-11, kRoundingOfTimes = 1e-9;
  // How many of the last bounces are followed depends on the tolerance; events before them do not.
  constexpr std::size_t kFirstEvents = 16;
  const Trace best = record(read(1e-13));
  ASSERT_EQ(best.report.status, RunStatus::done) << best.report.reason;
  const double size = 1 + best.report.last.q.cwiseAbs().maxCoeff();
  const double speed = 1 + best.report.last.v.cwiseAbs().maxCoeff();
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
    SCOPED_TRACE(tolerance);
    const Trace trace = record(read(tolerance));
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    const double error = kOfStates * tolerance + kRounding;
    EXPECT_LT((trace.report.last.q - best.report.last.q).cwiseAbs().maxCoeff(), error * size);
    EXPECT_LT((trace.report.last.v - best.report.last.v).cwiseAbs().maxCoeff(), error * speed);
    const std::size_t common = count_common_events(trace, best);
    EXPECT_GE(common, std::min(kFirstEvents, best.events.size()));
    for (std::size_t i = 0; i < common; ++i) {
      EXPECT_NEAR(trace.events[i].t, best.events[i].t, (kOfTimes * tolerance + kRoundingOfTimes) * scenario_.run.until)
          << to_string(best.events[i].kind) << " of " << best.events[i].where();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, MotionLaws, testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.label; });

}  // namespace
}  // namespace thenar::motion_laws_test
