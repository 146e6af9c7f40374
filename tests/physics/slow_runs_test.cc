// SPDX-License-Identifier: BSD-3-Clause
// Runs of slow motion: whole motions with closed forms, jams with their proofs, events, and what runs with inertia
// approach as they become slower.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/quasistatic/quasistatic_verify.h"
#include "thenar/simulation/simulate.h"
#include "thenar/trace/quasistatic_end.h"

namespace thenar::slow_runs_test {
namespace {

constexpr double kGravity = 9.81;

Scenario read_slow(const std::string& name, std::vector<std::string> overrides = {}) {
  return read_scenario(std::string(THENAR_SOURCE_DIR) + "/scenes/truth/" + name + ".yaml", overrides);
}

const Contact* find_contact(const Sample& sample, const std::string& name) {
  for (const Contact& contact : sample.contacts) {
    if (contact.name == name) return &contact;
  }
  return nullptr;
}

double parameter(const Scenario& scenario, const std::string& name) {
  for (const Parameter& value : scenario.parameters) {
    if (value.name == name) return value.value;
  }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

std::vector<std::string> list_events(const Trace& trace, EventKind kind) {
  std::vector<std::string> out;
  for (const Event& event : trace.events) {
    if (event.kind == kind) out.push_back(event.where());
  }
  return out;
}

/// What every run promises: books that close, no overlap, friction that only takes.
void expect_sound(const Trace& trace) {
  const EnergyBalance& energy = trace.report.energy;
  const double size = std::abs(energy.work) + std::abs(energy.dissipated) + std::abs(energy.end - energy.start);
  // Powers are integrated by a rule of degree 8 wherever one of degree 4 agrees with it to 1e-4.
  EXPECT_NEAR(energy.error(), 0, 1e-7 * size + 1e-13);
  EXPECT_LT(trace.report.max_gap_violation, 1e-9);
  double dissipated = 0;
  for (const Sample& sample : trace.samples) {
    EXPECT_GE(sample.energy.dissipated, dissipated - 1e-9 * size);
    dissipated = sample.energy.dissipated;
    for (const Contact& contact : sample.contacts) {
      EXPECT_GE(contact.force_on_A.normal, -1e-9 * (1 + std::abs(contact.force_on_A.normal)));
      EXPECT_LE(std::abs(contact.force_on_A.along_T), contact.friction * contact.force_on_A.normal * (1 + 1e-7) + 1e-7);
      if (contact.mode != ContactMode::open) {
        EXPECT_LT(std::abs(contact.gap), 1e-12);
      }
    }
  }
}

void expect_proved_end(const RunReport& report) {
  ASSERT_NE(report.quasistatic_end, nullptr);
  const QuasistaticEnd& end = *report.quasistatic_end;
  EXPECT_EQ(end.answer.verdict, QuasistaticVerdict::none);
  const QuasistaticClaim claim{end.answer.verdict, end.answer.solutions, end.answer.is_list_complete, end.answer.tree};
  const Verification check = verify_quasistatic(end.problem, claim);
  EXPECT_TRUE(check.holds()) << check.reason;
}

TEST(SlowPeg, HasTheForcesOfItsClosedForm) {
  const Scenario scenario = read_slow("slow_peg");
  const Trace trace = record(scenario);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  expect_sound(trace);
  const double mu = parameter(scenario, "mu"), l = parameter(scenario, "l"), r = parameter(scenario, "r");
  int rows = 0;
  for (const Sample& sample : trace.samples) {
    if (sample.state.t == 0 || sample.state.t >= scenario.run.until) continue;  // at rest
    const double a = sample.state.q(3), D = l * std::sin(a) - mu * (l * std::cos(a) + r) - mu * mu * r;
    const double wall = kGravity * (l / 2 * std::cos(a) + mu * r) / D, floor = kGravity + mu * wall;
    EXPECT_NEAR(find_contact(sample, "peg/wall")->force_on_A.normal, wall, 1e-9 * wall);
    EXPECT_NEAR(find_contact(sample, "peg/floor")->force_on_A.normal, floor, 1e-9 * floor);
    EXPECT_NEAR(find_contact(sample, "peg/finger.tip")->force_on_A.normal, mu * floor + wall, 1e-9 * wall);
    // Its foot is where the finger is, its head on the wall.
    EXPECT_NEAR(sample.state.q(1) - l / 2 * std::cos(a), sample.state.q(0), 1e-12);
    EXPECT_NEAR(sample.state.q(2), r + l / 2 * std::sin(a), 1e-12);
    ++rows;
  }
  EXPECT_GT(rows, 30);
}

TEST(SlowPeg, IsStuckWhereItIsTooFlat) {
  // D = 0 at tan a = 0.6 or so.
  const Trace trace = record(read_slow("slow_peg", {"parameters.mu=0.65"}));
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("jams"), std::string::npos) << trace.report.reason;
  expect_proved_end(trace.report);
}

class SlowDrawer : public testing::TestWithParam<double> {};

TEST_P(SlowDrawer, JamsAtTheTextbookRatioWhileItIsPushed) {
  const double mu = GetParam();
  const Scenario scenario = read_slow("slow_drawer", {fmt::format("parameters.mu={}", mu)});
  const Trace trace = record(scenario);
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("jams"), std::string::npos) << trace.report.reason;
  expect_proved_end(trace.report);
  expect_sound(trace);
  const double l = 0.2, e = 0.05, speed = 0.01, jam = (l / (2 * mu) - e) / speed;
  // The force grows beyond all bounds there; what is a part 1e-8 of it is none.
  EXPECT_NEAR(trace.report.last.t, jam, 1e-6 * jam);
  for (const Sample& sample : trace.samples) {
    if (sample.state.t > 0.99 * jam) continue;
    const double force = 1 / (1 - 2 * mu * (e + speed * sample.state.t) / l);
    EXPECT_NEAR(find_contact(sample, "drawer/pusher.tip")->force_on_A.normal, force, 1e-9 * force);
    EXPECT_NEAR(sample.state.q(2), speed * sample.state.t, 1e-12);
  }
}
INSTANTIATE_TEST_SUITE_P(Friction, SlowDrawer, testing::Values(0.5, 0.8, 1.1));

TEST(SlowBlock, TipsAboutItsFarCornerUntilItFalls) {
  const Scenario scenario = read_slow(
      "slowly_pushed_block", {"run.engine=quasistatic", "run.until=20", "run.sample=0.5", "parameters.h=0.35"});
  const Trace trace = record(scenario);
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("no slow motion"), std::string::npos) << trace.report.reason;
  expect_proved_end(trace.report);
  const double w = 0.2, height = 0.6;
  EXPECT_NEAR(trace.report.last.q(3), -std::atan2(w, height), 1e-8) << "its weight is above the corner";
  for (const Sample& sample : trace.samples) {
    const double x = sample.state.q(1), y = sample.state.q(2), yaw = sample.state.q(3);
    EXPECT_NEAR(x + w / 2 * std::cos(yaw) + height / 2 * std::sin(yaw), w / 2, 1e-12) << "the corner stays";
    EXPECT_NEAR(y + w / 2 * std::sin(yaw) - height / 2 * std::cos(yaw), 0, 1e-12);
  }
}

TEST(SlowBlock, SlidesWhereItIsPushedLowAndPaysForIt) {
  const Trace trace = record(read_slow("slowly_pushed_block", {"run.engine=quasistatic"}));
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  expect_sound(trace);
  EXPECT_NEAR(trace.report.last.q(1), 0.01, 1e-14);
  EXPECT_NEAR(trace.report.energy.dissipated, 0.4 * kGravity * 0.01, 1e-13);
}

TEST(SlowPush, MeetsTheBlockAndIsBlockedByTheWall) {
  const Trace trace = record(read_slow("slow_push_to_wall"));
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("blocked"), std::string::npos) << trace.report.reason;
  expect_proved_end(trace.report);
  expect_sound(trace);
  EXPECT_EQ(list_events(trace, EventKind::touch), std::vector<std::string>{"block/finger.tip"});
  EXPECT_EQ(list_events(trace, EventKind::slip).size(), 4u)
      << "the corners of the block, two of them behind the others";
  const Event& first = trace.events.front();
  const double s = first.t / 10, way = s * s * s * (10 - 15 * s + 6 * s * s) * 0.3;  // quintic
  EXPECT_NEAR(way, 0.08, 1e-12);
  EXPECT_NEAR(trace.report.last.q(0), 0.23, 1e-12);
  EXPECT_NEAR(trace.report.last.q(1), 0.15, 1e-12);
}

TEST(SlowFingers, CarryTheBlockIfTheySqueezeItEnough) {
  for (const double squeeze : {9.7, 9.9}) {
    const Trace trace =
        record(read_slow("slow_two_fingers", {fmt::format("parameters.squeeze={}", squeeze), "run.until=1"}));
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    expect_sound(trace);
    const bool carries = 2 * 0.5 * squeeze > kGravity;
    EXPECT_NEAR(trace.report.last.q(5), carries ? 0.15 : 0.1, 1e-9);
  }
}

TEST(SlowFingers, LeaveTheBlockWhenTheStopIsMet) {
  // The pressing finger meets its stop while the block is carried towards it, and the block cannot go on.
  const Scenario scenario =
      read_slow("slow_two_fingers", {"hands[1].bodies[1].joint.limits=[-0.1, 0.02]", "parameters.squeeze=15"});
  const Trace trace = record(scenario);
  EXPECT_EQ(trace.report.status, RunStatus::failed);
  EXPECT_NE(trace.report.reason.find("blocked"), std::string::npos) << trace.report.reason;
  expect_proved_end(trace.report);
  EXPECT_NEAR(trace.report.last.q(3), 0.02, 1e-12);
}

TEST(QuasistaticRun, StopsWhereSeveralMotionsArePossible) {
  // Nothing holds the drawer back: it may run ahead of the finger.
  const std::vector<std::string> loose{"parameters.load=0", "run.until=1"};
  const Trace stopped = record(read_slow("slow_drawer", loose));
  EXPECT_EQ(stopped.report.status, RunStatus::failed);
  EXPECT_NE(stopped.report.reason.find("several motions"), std::string::npos) << stopped.report.reason;
  ASSERT_NE(stopped.report.quasistatic_end, nullptr);
  std::vector<std::string> least = loose;
  least.emplace_back("run.on_indeterminate=min_acceleration");
  const Trace trace = record(read_slow("slow_drawer", least));
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_NEAR(trace.report.last.q(2), 0.01, 1e-12) << "it does not run ahead";
  EXPECT_EQ(trace.report.verdicts.front().verdict, Verdict::several);
}

TEST(QuasistaticRun, GivesTheSameBitsAgain) {
  const Trace a = record(read_slow("slow_wedge")), b = record(read_slow("slow_wedge"));
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    EXPECT_EQ(a.samples[i].state.q, b.samples[i].state.q);
    EXPECT_EQ(a.samples[i].state.v, b.samples[i].state.v);
  }
}

// --- Against dynamics ------------------------------------------------------------------------------------------------

struct Deviation {
  double position = 0;  ///< m or rad
  double force = 0;     ///< in parts of the largest one
};

/// A run with inertia, which takes `duration`, against the slow one, row by row in the middle of the way.
Deviation compare(const std::string& name, double duration, std::vector<std::string> overrides = {}) {
  overrides.push_back(fmt::format("parameters.duration={}", duration));
  Scenario slow = read_slow(name, overrides);
  overrides.emplace_back("run.engine=event");
  const Scenario fast = read_slow(name, overrides);
  const Trace expected = record(slow), found = record(fast);
  EXPECT_EQ(expected.report.status, RunStatus::done) << expected.report.reason;
  EXPECT_EQ(found.report.status, RunStatus::done) << found.report.reason;
  Deviation out;
  double force = 0;
  for (const Sample& row : expected.samples) {
    const double share = row.state.t / slow.run.until;
    if (share < 0.55 || share > 0.8) continue;
    for (const Sample& other : found.samples) {
      if (other.state.t != row.state.t) continue;
      out.position = std::max(out.position, (other.state.q - row.state.q).cwiseAbs().maxCoeff());
      for (const Contact& contact : row.contacts) {
        const Contact* same = find_contact(other, contact.name);
        if (contact.mode == ContactMode::open || same == nullptr) continue;
        force = std::max(force, contact.force_on_A.normal);
        out.force = std::max(out.force, std::abs(contact.force_on_A.normal - same->force_on_A.normal));
      }
    }
  }
  out.force /= force;
  return out;
}

/// Accelerations along a path fall with the square of the time that it takes, and so do the forces of inertia. Joints
/// stay behind their targets by force over stiffness, which moves bodies by some times that.
void expect_second_order(const std::string& name) {
  const Deviation fast = compare(name, 1), slow = compare(name, 4);
  EXPECT_GT(fast.force, 1e-3) << "inertia is felt";
  EXPECT_LT(slow.force, fast.force / 12) << "16 but for the stiffness";
  EXPECT_LT(slow.position, 1e-3);
}

TEST(AgainstDynamics, PegInACornerConvergesWithTheSquareOfItsSpeed) { expect_second_order("slow_peg"); }
TEST(AgainstDynamics, WedgeConvergesWithTheSquareOfItsSpeed) { expect_second_order("slow_wedge"); }

TEST(AgainstDynamics, DampedFingerConvergesWithItsSpeed) {
  // A drag of the pressing finger takes force in proportion to its speed, the more so the heavier it is.
  const std::vector<std::string> heavy{"parameters.drag=20 N s/m"};
  const Deviation fast = compare("slow_two_fingers", 1, heavy), slow = compare("slow_two_fingers", 4, heavy);
  EXPECT_GT(fast.force, 1e-2);
  EXPECT_LT(slow.force, fast.force / 3.5) << "4 but for inertia";
  EXPECT_GT(slow.force, fast.force / 5);
  EXPECT_LT(slow.position, 1e-4);
}

}  // namespace
}  // namespace thenar::slow_runs_test
