// SPDX-License-Identifier: BSD-3-Clause
//
// Every shipped scene in which a hand touches something gives the same bits in two runs, one alone and one beside
// others in several threads. Runs are cut to half a second; THENAR_DETERMINISM=1 lets them go to their ends.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::determinism_test {
namespace {

namespace fs = std::filesystem;

constexpr double kLongest = 0.5;  // s
constexpr int kThreads = 4;

bool has_hand(const Model& model) {
  const auto is_driven = [](const Joint& joint) {
    return joint.nv > 0 && joint.spec.kind != JointKind::free && joint.spec.kind != JointKind::planar;
  };
  return std::any_of(model.joints().begin(), model.joints().end(), is_driven);
}

struct NamedScene {
  std::string name;
  Scenario scenario;
};

std::vector<NamedScene> read_hand_scenes() {
  std::vector<NamedScene> out;
  const fs::path scenes = fs::path(THENAR_SOURCE_DIR) / "scenes";
  for (const auto& entry : fs::recursive_directory_iterator(scenes)) {
    const bool is_problem = entry.path().parent_path().filename() == "ptl";  // bare matrices, no scenario
    if (entry.path().extension() != ".yaml" || is_problem) continue;
    Scenario scenario = read_scenario(entry.path());
    if (!scenario.contacts || scenario.strike || !has_hand(scenario.model)) continue;
    if (std::getenv("THENAR_DETERMINISM") == nullptr) scenario.run.until = std::min(scenario.run.until, kLongest);
    out.push_back({fs::relative(entry.path(), scenes).string(), std::move(scenario)});
  }
  std::sort(out.begin(), out.end(), [](const NamedScene& a, const NamedScene& b) { return a.name < b.name; });
  return out;
}

/// All that a run tells, bit by bit.
class Told {
 public:
  void add(double x) {
    char bytes[sizeof x];
    std::memcpy(bytes, &x, sizeof x);
    text_.append(bytes, sizeof x);
  }
  void add(const std::string& text) { text_ += text + '\n'; }
  void add(const VectorX<double>& x) {
    for (const double number : x) add(number);
  }
  friend bool operator==(const Told&, const Told&) = default;

 private:
  std::string text_;
};

Told run(const Scenario& scenario) {
  Told told;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    told.add(sample.state.t);
    for (const VectorX<double>* x : {&sample.state.q, &sample.state.v, &sample.tau}) told.add(*x);
    for (const Contact& contact : sample.contacts) {
      told.add(contact.name);
      told.add(contact.gap);
      const ContactForce& f = contact.force_on_A;
      for (const double force : {f.normal, f.along_T, f.along_U, f.torsion}) told.add(force);
    }
    return true;
  };
  callbacks.on_event = [&](const Event& event) {
    told.add(event.t);
    told.add(event.where() + describe(event));
  };
  const RunReport report = simulate(scenario, callbacks);
  told.add(report.reason);
  for (const double number : {report.energy.work, report.energy.dissipated, static_cast<double>(report.steps)}) {
    told.add(number);
  }
  return told;
}

TEST(Determinism, HandScenesAreBitEqualInAnyThread) {
  const std::vector<NamedScene> scenes = read_hand_scenes();
  ASSERT_GE(scenes.size(), 5U);
  std::vector<Told> alone;
  for (const NamedScene& scene : scenes) alone.push_back(run(scene.scenario));

  std::vector<Told> together(scenes.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::size_t k = next++; k < scenes.size(); k = next++) together[k] = run(scenes[k].scenario);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < scenes.size(); ++k) EXPECT_TRUE(alone[k] == together[k]) << scenes[k].name;
}

}  // namespace
}  // namespace thenar::determinism_test
