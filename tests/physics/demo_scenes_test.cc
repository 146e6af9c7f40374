// SPDX-License-Identifier: BSD-3-Clause
/// What the scenes that are shown first promise, read from their traces: a hand that picks a peg up, turns it and sets
/// it down; two arms with a crate; a machine on four legs. Each also with other friction and masses.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "thenar/dynamics/kinematics.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"
#include "thenar/spatial/rotation.h"

namespace thenar::demo_scenes_test {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Friction and mass of a scene are its parameters `mu` and `mass`.
struct Change {
  double friction = 1, mass = 1;
};

/// As they are, and both changed by a tenth; with THENAR_SCENES in the environment, all that may be.
std::vector<Change> list_changes() {
  if (!std::getenv("THENAR_SCENES")) return {{1, 1}, {0.9, 1.1}, {1.1, 0.9}};
  std::vector<Change> out;
  for (const double friction : {0.9, 1.0, 1.1}) {
    for (const double mass : {0.9, 1.0, 1.1}) out.push_back({friction, mass});
  }
  return out;
}

/// A run of a scene, with an object whose way is told.
class SceneRun {
 public:
  SceneRun(const std::string& name, const std::string& body, const Change& change) : scenario_(read(name, change)) {
    body_ = *scenario_.model.find_body(body);
    trace_ = record(scenario_);
    EXPECT_EQ(trace_.report.status, RunStatus::done) << trace_.report.reason;
    EXPECT_EQ(trace_.report.bridged_s, 0);
    EXPECT_LE(trace_.report.max_gap_violation, 1e-9);
  }

  const Trace& trace() const { return trace_; }
  const std::vector<Sample>& samples() const { return trace_.samples; }
  double find_parameter(const std::string& name) const {
    for (const auto& parameter : scenario_.parameters) {
      if (parameter.name == name) return parameter.value;
    }
    ADD_FAILURE() << name;
    return 0;
  }

  Placement<double> pose(const Sample& sample) const {
    Workspace<double> workspace(scenario_.model);
    update_positions(scenario_.model, sample.state.q.data(), workspace);
    return calc_body_pose(scenario_.model, workspace, body_);
  }

  /// Speed of its coordinates in the last row.
  double last_speed() const {
    const Joint& joint = scenario_.model.joint(scenario_.model.body(body_).joint);
    return samples().back().state.v.segment(joint.v_start, joint.nv).norm();
  }

  /// The turn from one row to another, rad, as a rotation vector in world axes.
  Vec3<double> turn(const Sample& from, const Sample& to) const {
    const Mat3<double> R = pose(to).R * pose(from).R.transpose();
    return rotation_vector_from_quaternion(quaternion_from_rotation(R.eigen()));
  }

 private:
  static Scenario read(const std::string& name, const Change& change) {
    const std::string path = fmt::format("{}/scenes/{}.yaml", THENAR_SOURCE_DIR, name);
    std::vector<std::string> overrides;
    for (const auto& parameter : read_scenario(path).parameters) {
      const double factor = parameter.name == "mu" ? change.friction : parameter.name == "mass" ? change.mass : 1;
      if (factor != 1)
        overrides.push_back(fmt::format("parameters.{}={:.17g}", parameter.name, factor * parameter.value));
    }
    return read_scenario(path, overrides);
  }

  Scenario scenario_;
  BodyIndex body_;
  Trace trace_;
};

bool touches(const Sample& sample, const std::string& part) {
  return std::any_of(sample.contacts.begin(), sample.contacts.end(), [&](const Contact& contact) {
    return contact.mode != ContactMode::open && contact.name.find(part) != std::string::npos;
  });
}

/// The longest stretch of rows in which `is_so` holds: first and last index.
template <class Condition>
std::pair<std::size_t, std::size_t> find_longest(const std::vector<Sample>& samples, const Condition& is_so) {
  std::pair<std::size_t, std::size_t> best{0, 0};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::size_t end = i;
    while (end < samples.size() && is_so(samples[end])) ++end;
    if (end > i && end - 1 - i > best.second - best.first) best = {i, end - 1};
    i = end;
  }
  return best;
}

/// What a contact of the object did in a stretch of rows.
struct Deeds {
  double rolled = 0, slid = 0;  ///< how far the point went on the object, m
  double slipping = 0;          ///< for how long it slid, s
};

std::map<std::string, Deeds> sum_up(const SceneRun& run, std::size_t first, std::size_t last) {
  std::map<std::string, Deeds> out;
  std::map<std::string, Vec3<double>> before;
  for (std::size_t i = first; i <= last; ++i) {
    const Sample& sample = run.samples()[i];
    const Placement<double> X = run.pose(sample);
    const double dt = i > first ? sample.state.t - run.samples()[i - 1].state.t : 0;
    for (const Contact& contact : sample.contacts) {
      if (contact.mode == ContactMode::open) continue;
      const Vec3<double> point = X.R.transpose_times(contact.point_A - X.p);
      const auto known = before.find(contact.name);
      const double way = known == before.end() ? 0 : std::sqrt(dot(point - known->second, point - known->second));
      Deeds& deeds = out[contact.name];
      const bool slides = contact.mode == ContactMode::slide;
      (slides ? deeds.slid : deeds.rolled) += way;
      if (slides) deeds.slipping += dt;
      before[contact.name] = point;
      if (!slides) {
        EXPECT_LE(std::hypot(contact.slip[0], contact.slip[1]), 1e-9) << contact.name;
      }
    }
  }
  return out;
}

TEST(DemoScenes, HandPicksAPegUpTurnsItAndSetsItDown) {
  for (const Change& change : list_changes()) {
    SCOPED_TRACE(fmt::format("friction times {}, mass times {}", change.friction, change.mass));
    const SceneRun run("demo", "peg", change);
    const auto& samples = run.samples();
    EXPECT_NEAR(run.trace().report.energy.error(), 0, 1e-4 * run.trace().report.energy.start);
    // Picked up: held by the hand alone, for two seconds and more, 40 mm above the stand.
    const auto [first, last] = find_longest(samples, [](const Sample& sample) {
      return touches(sample, "peg/hand.") && !touches(sample, "peg/stand") && !touches(sample, "peg/table");
    });
    EXPECT_GT(samples[last].state.t - samples[first].state.t, 2);
    double highest = 0;
    for (std::size_t i = first; i <= last; ++i) highest = std::max(highest, run.pose(samples[i]).p.z);
    EXPECT_GT(highest, run.pose(samples[first]).p.z + 0.04);
    // Turned in the hand, which does not turn itself, by a quarter about y.
    const Vec3<double> held_turn = run.turn(samples[first], samples[last]);
    EXPECT_NEAR(held_turn.y, 90 * kDegree, 10 * kDegree);
    EXPECT_NEAR(std::hypot(held_turn.x, held_turn.z), 0, 5 * kDegree);
    // Between thumb and three fingers that roll, under a fourth that slides.
    std::map<std::string, Deeds> deeds = sum_up(run, first, last);
    for (const char* finger : {"thumb", "index", "middle", "ring"}) {
      const Deeds& own = deeds[fmt::format("peg/hand.{}_3", finger)];
      EXPECT_GT(own.rolled, 0.008) << finger;  // a radian of the tip
      EXPECT_LT(own.slid, 0.1 * own.rolled) << finger;
    }
    const Deeds& pinkie = deeds["peg/hand.pinkie_3"];
    EXPECT_GT(pinkie.slid, 0.008);
    EXPECT_GT(pinkie.slipping, 0.5);
    // Set down: it rests on the stand on its next side, and the hand is open.
    EXPECT_TRUE(touches(samples.back(), "peg/stand"));
    EXPECT_FALSE(touches(samples.back(), "hand."));
    EXPECT_LT(run.last_speed(), 1e-6);
    const Vec3<double> turn = run.turn(samples.front(), samples.back());
    EXPECT_NEAR(turn.y, 90 * kDegree, 2 * kDegree);
    EXPECT_NEAR(run.pose(samples.back()).p.z, run.pose(samples.front()).p.z, 1e-6);
  }
}

TEST(DemoScenes, TwoArmsLiftACrateAndTurnIt) {
  for (const Change& change : list_changes()) {
    SCOPED_TRACE(fmt::format("friction times {}, mass times {}", change.friction, change.mass));
    const SceneRun run("two_arms", "crate", change);
    const auto& samples = run.samples();
    const auto [first, last] = find_longest(samples, [](const Sample& sample) {
      return touches(sample, "crate/left.palm") && touches(sample, "crate/right.palm") &&
             !touches(sample, "crate/floor");
    });
    EXPECT_GT(samples[last].state.t - samples[first].state.t, 2);
    // In the air it does not slip on the palms, and turns with them.
    for (const auto& [name, deeds] : sum_up(run, first, last)) EXPECT_EQ(deeds.slipping, 0) << name;
    const double wanted = run.find_parameter("turn");
    EXPECT_NEAR(run.turn(samples[first], samples[last]).z, wanted, 2 * kDegree);
    EXPECT_FALSE(touches(samples.back(), "palm"));
    EXPECT_TRUE(touches(samples.back(), "crate/floor"));
    EXPECT_NEAR(run.turn(samples.front(), samples.back()).z, wanted, 2 * kDegree);
    EXPECT_LT(run.last_speed(), 1e-6);
  }
}

TEST(DemoScenes, FourLegsTrot) {
  for (const Change& change : list_changes()) {
    SCOPED_TRACE(fmt::format("friction times {}, mass times {}", change.friction, change.mass));
    const SceneRun run("legged", "trunk.body", change);
    const auto& samples = run.samples();
    EXPECT_GT(run.pose(samples.back()).p.x, 0.7);             // forwards
    EXPECT_LT(std::abs(run.pose(samples.back()).p.y), 0.15);  // and about straight on
    for (const Sample& sample : samples) {
      const Placement<double> X = run.pose(sample);
      EXPECT_GT(X.p.z, 0.22);
      EXPECT_GT(X.R.z.z, std::cos(10 * kDegree));  // upright
      EXPECT_FALSE(touches(sample, "body/floor"));
    }
    // Every foot steps; feet on a diagonal do it together more often than neighbours do.
    std::map<std::string, int> strikes, slips;
    for (const Event& event : run.trace().events) {
      if (event.kind == EventKind::impact) ++strikes[event.where()];
      if (event.kind == EventKind::slip) ++slips[event.where()];
    }
    for (const char* leg : {"front_left", "front_right", "hind_left", "hind_right"}) {
      EXPECT_GE(strikes[fmt::format("{}.shank/floor", leg)], 4) << leg;
    }
    EXPECT_FALSE(slips.empty());
    int diagonal = 0, side = 0;
    for (const Sample& sample : samples) {
      const bool fl = touches(sample, "front_left"), fr = touches(sample, "front_right");
      const bool hl = touches(sample, "hind_left"), hr = touches(sample, "hind_right");
      diagonal += (fl && hr && !fr && !hl) || (fr && hl && !fl && !hr);
      side += (fl && hl && !fr && !hr) || (fr && hr && !fl && !hl);
    }
    EXPECT_GT(diagonal, 5 * side);
    EXPECT_LT(run.last_speed(), 0.05);  // stands again
  }
}

}  // namespace
}  // namespace thenar::demo_scenes_test
