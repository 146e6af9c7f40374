// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The engines beside each other on the same scenes: what the step engine costs and how far it ends from the event
/// engine, at several steps. The CSV holds a hash of each final state, so that speed is not bought with another answer.
///
///     bench_step                          regular scenes of scenes/
///     bench_step scenes/demo.yaml

#include <array>
#include <cstring>
#include <fstream>

#include "measure.h"
#include "program.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::bench {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kScenes{"scenes/truth/ball_in_bowl.yaml",
                                       "scenes/truth/rolling_disc.yaml",
                                       "scenes/truth/sliding_ball.yaml",
                                       "scenes/truth/rocking_box.yaml",
                                       "scenes/chan/02_regrasp_5_to_3.yaml",
                                       "scenes/chan/03_rolling.yaml",
                                       "scenes/chan/04_sliding.yaml",
                                       "scenes/five_finger_carry.yaml",
                                       "scenes/grasp_box.yaml",
                                       "scenes/demo.yaml"};

/// FNV-1a over the bits of positions and velocities.
std::uint64_t hash(const State& state) {
  std::uint64_t out = 14695981039346656037u;
  for (const VectorX<double>* vector : {&state.q, &state.v}) {
    for (const double x : *vector) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &x, sizeof bits);
      out = (out ^ bits) * 1099511628211u;
    }
  }
  return out;
}

struct Run {
  std::string name;
  Scenario scenario;
  RunReport report{};
};

/// Event engine, and steps of these lengths, s.
std::vector<Run> list_runs(const std::string& file) {
  std::vector<Run> out;
  out.push_back({"event", read_scenario(file)});
  for (const double step : {2e-3, 1e-3, 5e-4}) {
    const std::array<std::string, 2> overrides{"run.engine=step", fmt::format("run.step={}", step)};
    out.push_back({fmt::format("step {:.3g} ms", 1e3 * step), read_scenario(file, overrides)});
  }
  return out;
}

void compare(const std::string& file, const CommonOptions& common, std::ofstream& csv) {
  std::vector<Run> runs = list_runs(file);
  std::vector<Contender> contenders;
  for (Run& run : runs) contenders.push_back({run.name, [&run] { run.report = simulate(run.scenario); }});
  measure(contenders, common.rounds, 0);
  const State& reference = runs[0].report.last;
  const std::string scene = fs::path(file).stem().string();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunReport& report = runs[i].report;
    const double per_second = contenders[i].median() / report.last.t;
    const double error = (report.last.q - reference.q).cwiseAbs().maxCoeff();
    const double per_step = 1e6 * contenders[i].median() / static_cast<double>(report.steps);
    fmt::print("| {} | {} | {:.3g} | {:.3g} | {} | {:.1e} | {} | {:.1e} |{}\n", i == 0 ? scene : "", runs[i].name,
               1e3 * per_second, per_step, i == 0 ? "–" : fmt::format("{:.1e}", error), report.worst_grade,
               report.flagged_steps, report.energy.error(),
               report.status == RunStatus::done ? "" : " " + report.reason);
    csv << fmt::format("{},{},{},{},{},{},{},{:016x}\n", scene, runs[i].name, per_second, per_step, error,
                       report.worst_grade, report.flagged_steps, hash(report.last));
  }
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  using namespace thenar::bench;
  CLI::App app("The engines beside each other");
  CommonOptions common;
  std::vector<std::string> scenes = kScenes;
  app.add_option("scenes", scenes, "Scenarios")->capture_default_str();
  common.add_to(app);
  return run_program(app, argc, argv, [&] {
    std::ofstream csv;
    if (!common.csv.empty()) csv.open(common.csv);
    csv << "scene,engine,cpu_s_per_s,us_per_step,error,worst_grade,flagged_steps,hash\n";
    fmt::print("| scene | engine | ms per s | us per step | error | worst grade | flagged | energy, J |\n");
    fmt::print("|---|---|---|---|---|---|---|---|\n");
    for (const std::string& scene : scenes) compare(scene, common, csv);
  });
}
