// SPDX-License-Identifier: BSD-3-Clause
//
// Random scenes: objects of all shapes that fall, roll, tumble and strike each other, hands of random trees among them
// with random torques, any friction and restitution. Whatever happens, a run ends done or with a physical reason that
// it states, every number is finite, nothing is inside anything else, friction adds no energy.
//
//     THENAR_SCENES=500 tests/physics/physics_random_scenes_test        # the shares of docs/verification.md
//     THENAR_SCENES=1 THENAR_SCENES_FROM=98 THENAR_SCENES_OUT=. …       # also writes scene_98.yaml, for thenar run

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

#include "energy_books.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::random_scenes_test {
namespace {

constexpr double kSeconds = 2;
constexpr double kDeepest = 1e-9;  // m, what bodies may be inside each other

class SceneMaker {
 public:
  explicit SceneMaker(unsigned seed) : random_(seed) {}

  std::string make() {
    std::string text = "thenar: 1\nname: random\nobjects:\n  - {name: floor, joint: fixed, shape: {plane: {}}}\n";
    const int objects = pick(1, 4), hands = pick(0, 2);
    for (int i = 0; i < objects; ++i) text += make_object(i);
    if (hands > 0) text += "hands:\n";
    for (int i = 0; i < hands; ++i) text += make_hand(i);
    if (!torques_.empty()) text += "control:\n  - torque: {" + torques_ + "}\n";
    const std::string tip =
        pick(0, 4) == 0 ? fmt::format(", fingertip: soft, torsion: {:.4f}", uniform(0.0005, 0.01)) : "";
    const auto [friction, restitution] = draw<2>({{{0, 1.2}, {0, 0.8}}});
    text +=
        fmt::format("contacts: {{law: rigid, friction: {:.3f}, restitution: {:.3f}{}}}\n", friction, restitution, tip);
    text += fmt::format("run: {{until: {}, sample: 0.05, on_indeterminate: first}}\n", kSeconds);
    return text;
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  struct Range {
    double low, high;
  };
  /// Numbers of these ranges. The last is drawn first: in that order the scenes below were found, and compilers differ
  /// in the order in which they evaluate arguments.
  template <std::size_t kCount>
  std::array<double, kCount> draw(const std::array<Range, kCount>& ranges) {
    std::array<double, kCount> out;
    for (std::size_t i = kCount; i-- > 0;) out[i] = uniform(ranges[i].low, ranges[i].high);
    return out;
  }
  std::array<double, 3> draw_sides(double least, double most) {
    return draw<3>({{{least, most}, {least, most}, {least, most}}});
  }

  std::string make_shape(double size) {
    switch (pick(0, 6)) {
      case 0:
        return fmt::format("{{sphere: {:.4f}}}", size);
      case 1: {
        const auto [x, y, z] = draw_sides(0.6, 1.1);
        return fmt::format("{{box: [{:.4f}, {:.4f}, {:.4f}]}}", size * x, size * y, size * z);
      }
      case 2:
        return fmt::format("{{capsule: {{radius: {:.4f}, length: {:.4f}}}}}", 0.4 * size, 1.1 * size);
      case 3:
        return fmt::format("{{cylinder: {{radius: {:.4f}, length: {:.4f}}}}}", 0.7 * size, uniform(0.3, 1.2) * size);
      case 4: {
        const auto [x, y, z] = draw_sides(0.4, 1);
        return fmt::format("{{ellipsoid: [{:.4f}, {:.4f}, {:.4f}]}}", size * x, size * y, size * z);
      }
      case 5:
        return fmt::format("{{rounded_box: {{sides: [{0:.4f}, {0:.4f}, {1:.4f}], radius: {2:.4f}}}}}", size, 0.8 * size,
                           0.1 * size);
      default:
        return fmt::format("{{cone: {{radius: {:.4f}, height: {:.4f}}}}}", 0.6 * size, 0.9 * size);
    }
  }

  /// Objects stand apart at the start, one above the other or side by side, and fly towards each other.
  std::string make_object(int i) {
    const double x = 0.25 * (i % 2) + uniform(-0.02, 0.02), z = 0.15 + 0.25 * (i / 2) + uniform(0, 0.05);
    const auto [mass, y, roll, pitch, yaw, along, across, up, w_x, w_y, w_z] = draw<11>({{{0.05, 1},
                                                                                          {-0.02, 0.02},
                                                                                          {-3, 3},
                                                                                          {-1.5, 1.5},
                                                                                          {-3, 3},
                                                                                          {0, 1},
                                                                                          {-0.3, 0.3},
                                                                                          {-1, 0.5},
                                                                                          {-8, 8},
                                                                                          {-8, 8},
                                                                                          {-8, 8}}});
    const std::string shape = make_shape(uniform(0.04, 0.09));
    return fmt::format(
        "  - {{name: object{}, shape: {}, mass: {:.3f}, pose: {{xyz: [{:.4f}, {:.4f}, {:.4f}], rpy: [{:.3f}, {:.3f}, "
        "{:.3f}]}}, velocity: {{linear: [{:.3f}, {:.3f}, {:.3f}], angular: [{:.2f}, {:.2f}, {:.2f}]}}}}\n",
        i, shape, mass, x, y, z, roll, pitch, yaw, (i % 2 == 0 ? 1 : -1) * along, across, up, w_x, w_y, w_z);
  }

  /// A finger or two of capsules on a base in the air, over the objects.
  std::string make_hand(int i) {
    const auto [y, z] = draw<2>({{{-0.05, 0.05}, {0.45, 0.6}}});
    std::string text = fmt::format("  - name: hand{}\n    base: {{xyz: [{:.3f}, {:.3f}, {:.3f}]}}\n    bodies:\n", i,
                                   -0.25 + 0.75 * i, y, z);
    const int links = pick(1, 3);
    for (int k = 0; k < links; ++k) {
      const char* axis = pick(0, 2) == 0 ? "[1, 0, 0]" : "[0, 1, 0]";
      const double mass = uniform(0.03, 0.2);
      const bool has_limits = pick(0, 2) == 0;
      const double damping = uniform(0, 0.01);
      text += fmt::format(
          "      - {{name: l{0}, {1}joint: {{name: j{0}, type: revolute, axis: {2}, damping: {3:.4f}{4}{5}}}, shape: "
          "{{capsule: {{radius: 0.012, length: 0.12}}}}, shape_pose: {{xyz: [0, 0, -0.07]}}, mass: {6:.3f}}}\n",
          k, k > 0 ? fmt::format("parent: l{}, ", k - 1) : "", axis, damping,
          k > 0 ? ", frame: {xyz: [0, 0, -0.15]}" : "", has_limits ? ", limits: [-1.5, 1.5]" : "", mass);
      const auto [torque, rate] = draw<2>({{{-0.3, 0.3}, {1, 8}}});
      torques_ += fmt::format("{}hand{}.j{}: {:.3f}*sin({:.2f}*t)", torques_.empty() ? "" : ", ", i, k, torque, rate);
    }
    return text;
  }

  std::mt19937 random_;
  std::string torques_;
};

struct Outcome {
  std::map<std::string, int> reasons;  ///< how often each, without its numbers
  int done = 0;
};

/// A reason without numbers and names, so that they can be counted.
std::string shorten(const std::string& reason) {
  std::string out;
  for (const char c : reason.substr(0, reason.find_first_of(":(;")))
    if (!std::isdigit(static_cast<unsigned char>(c))) out += c;
  return out;
}

void check_rows(const Trace& trace, unsigned seed) {
  double dissipated = 0;
  const double energy_scale = std::abs(trace.report.energy.start) + trace.report.energy.dissipated + 1e-3;
  for (const Sample& sample : trace.samples) {
    ASSERT_TRUE(sample.state.q.allFinite() && sample.state.v.allFinite()) << "seed " << seed;
    for (const Contact& contact : sample.contacts) {
      ASSERT_TRUE(std::isfinite(contact.gap) && std::isfinite(contact.force_on_A.normal)) << "seed " << seed;
      ASSERT_GT(contact.gap, -kDeepest) << "seed " << seed << " t " << sample.state.t << " " << contact.name;
    }
    // Impacts of several contacts may gain (docs/impacts.md); nothing else does.
    EXPECT_GT(sample.energy.dissipated, dissipated - 1e-6 * energy_scale) << "seed " << seed << " t " << sample.state.t;
    dissipated = sample.energy.dissipated;
  }
  EXPECT_LT(trace.report.max_gap_violation, kDeepest) << "seed " << seed;
  EXPECT_LT(std::abs(trace.report.energy.error()), 1e-4 * energy_scale) << "seed " << seed;
}

TEST(RandomScenes, EndDoneOrWithAReason) {
  const char* wish = std::getenv("THENAR_SCENES");
  const char* first = std::getenv("THENAR_SCENES_FROM");
  const char* folder = std::getenv("THENAR_SCENES_OUT");
  const unsigned from = first != nullptr ? static_cast<unsigned>(std::atoi(first)) : 1;
  const unsigned count = wish != nullptr ? static_cast<unsigned>(std::atoi(wish)) : 12;
  Outcome outcome;
  for (unsigned seed = from; seed < from + count; ++seed) {
    const std::string text = SceneMaker(seed).make();
    if (folder != nullptr) std::ofstream(fmt::format("{}/scene_{}.yaml", folder, seed)) << text;
    const Trace trace = record(parse_scenario(text, "random.yaml"));
    check_rows(trace, seed);
    if (wish != nullptr) {
      fmt::print("seed {} {} t {:.4f} steps {} wall {:.3f} events {} bridged {:.2g} {}\n", seed,
                 to_string(trace.report.status), trace.report.last.t, trace.report.steps, trace.report.wall_s,
                 trace.events.size(), trace.report.bridged_s, trace.report.reason.substr(0, 150));
      std::fflush(stdout);
    }
    if (trace.report.status == RunStatus::done) {
      ++outcome.done;
    } else {
      EXPECT_FALSE(trace.report.reason.empty()) << "seed " << seed;
      ++outcome.reasons[shorten(trace.report.reason)];
    }
  }
  for (const auto& [reason, times] : outcome.reasons) fmt::print("{} x {}\n", times, reason);
  fmt::print("{} of {} done\n", outcome.done, count);
  // 490 of 500 were; which ones, rounding decides, since these motions are chaotic.
  EXPECT_GE(outcome.done, 0.75 * count);
}

// Scenes that once ended for no physical reason: a stop that is left for a contact to be put in touch (30), corners of
// patches that are nearer than the shapes (211, 283), nearly dependent rows (281), a round face whose rim strikes
// between its points (347), differences of forces that hardly move anything (654), features that also face each
// other elsewhere, where they overlap, which gained energy (944).
TEST(RandomScenes, ThatOnceFailedEnd) {
  for (const unsigned seed : {30u, 211u, 281u, 283u, 347u, 654u, 944u}) {
    const Trace trace = record(parse_scenario(SceneMaker(seed).make(), "random.yaml"));
    check_rows(trace, seed);
    const bool is_physical = trace.report.reason.find("Painlevé") != std::string::npos;
    EXPECT_TRUE(trace.report.status == RunStatus::done || is_physical) << seed << ": " << trace.report.reason;
  }
}

// Rigid bodies have no motion in these; with layers, which take over and go again, they end.
TEST(RandomScenes, WithoutARigidMotionGoOnWithLayers) {
  int count = 0;  // which of them jam, rounding may decide
  for (const unsigned seed : {35u, 63u}) {
    SCOPED_TRACE(seed);
    const Scenario rigid = parse_scenario(SceneMaker(seed).make(), "random.yaml");
    const Trace jammed = record(rigid);
    if (jammed.report.reason.find("Painlevé") == std::string::npos) continue;
    ++count;
    Scenario automatic = rigid;
    automatic.contacts->law.model = ContactModel::automatic;
    const Trace trace = record(automatic);
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    ASSERT_GE(trace.report.switches.size(), 1u);
    EXPECT_EQ(trace.report.switches[0].t, jammed.report.last.t);
    test::expect_energy_never_grows(trace, test::find_energy_error(trace, rigid.run.tolerance, 1));
  }
  EXPECT_GE(count, 1);
}

// Bodies that slide on each other until their force grows without end, and the run says so: two links of one finger in
// 267. Which of these scenes jam, rounding decides: what comes before is chaotic.
TEST(RandomScenes, ThatJamSaySo) {
  int count = 0;
  for (const unsigned seed : {267u, 347u, 861u}) {
    const Trace trace = record(parse_scenario(SceneMaker(seed).make(), "random.yaml"));
    if (trace.report.status == RunStatus::done) continue;
    EXPECT_NE(trace.report.reason.find("Painlevé"), std::string::npos) << seed << ": " << trace.report.reason;
    count += trace.report.reason.find("jams while it slides") != std::string::npos;
  }
  EXPECT_GE(count, 1);
}

}  // namespace
}  // namespace thenar::random_scenes_test
