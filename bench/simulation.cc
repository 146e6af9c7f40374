// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The cost of holding a motion: save, restore, contacts and instant at the middle of a grasp, a motion cut into
/// calls of 1 ms beside the same motion in one call, and how well a budget of wall time is kept.
///
///     bench_simulation                      grasp_box at 0.7 s, and the budget on the demo
///     bench_simulation scenes/legged.yaml --at 0.3

#include <algorithm>
#include <chrono>
#include <fstream>
#include <vector>

#include "measure.h"
#include "program.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulation.h"

namespace thenar::bench {
namespace {

struct Options : CommonOptions {
  std::string scene = "scenes/grasp_box.yaml", budget_scene = "scenes/demo.yaml";
  double at = 0.7;       ///< s
  double budget = 1e-3;  ///< s
};

void advance(Simulation& sim, double t) {
  const AdvanceReport report = sim.advance_to(t);
  if (!report.ok()) throw std::runtime_error(report.reason);
}

/// Microseconds per call, at one state.
void measure_calls(const Options& options, std::ofstream& csv) {
  const Scenario scenario = read_scenario(options.scene);
  Simulation sim(scenario);
  advance(sim, options.at);
  Snapshot here = sim.save();
  Simulation other(scenario);
  std::vector<Contender> calls{
      {"save", [&] { sim.save(here); }},
      {"restore", [&] { other.restore(here); }},
      {"save and restore", [&] { sim.save(here), other.restore(here); }},
      {"copy", [&] { Simulation copy(sim); }},
      {"restore and contacts", [&] { other.restore(here), other.contacts(); }},
      {"instant without margins", [&] { sim.instant({.search = {}, .margins = false}); }},
  };
  measure(calls, options.rounds, 0.02);
  fmt::print("{} at t = {} s, a snapshot of {} bytes\n\n| call | us |\n|---|---|\n", options.scene, options.at,
             here.size());
  for (const Contender& call : calls) {
    fmt::print("| {} | {:.3g} |\n", call.name, 1e6 * call.median());
    csv << fmt::format("{},{},{}\n", options.scene, call.name, call.median());
  }
}

/// Compares a motion in one call with the same motion in many.
void measure_cutting(const Options& options, std::ofstream& csv) {
  const Scenario scenario = read_scenario(options.scene);
  std::vector<Snapshot> ends(3);
  const auto run = [&](double dt, bool looks, Snapshot& end) {
    Simulation sim(scenario);
    const long long calls = std::llround(options.at / dt);
    for (long long i = 1; i <= calls; ++i) {
      advance(sim, i < calls ? static_cast<double>(i) * dt : options.at);
      if (looks) sim.contacts();
    }
    sim.save(end);
  };
  std::vector<Contender> runs{{"in one call", [&] { run(options.at, false, ends[0]); }},
                              {"in calls of 1 ms", [&] { run(1e-3, false, ends[1]); }},
                              {"in calls of 1 ms with contacts()", [&] { run(1e-3, true, ends[2]); }}};
  measure(runs, std::min(options.rounds, 5), 0);
  fmt::print("\n| {} to {} s | ratio |\n|---|---|\n", options.scene, options.at);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    fmt::print("| {} | {:.3f} |\n", runs[i].name, runs[i].median() / runs[0].median());
    csv << fmt::format("{},{},{}\n", options.scene, runs[i].name, runs[i].median());
  }
  Simulation whole(scenario), cut(scenario);
  whole.restore(ends[0]);
  cut.restore(ends[1]);
  if (!(whole.state() == cut.state())) throw std::runtime_error("the motion that was cut is another one");
}

/// Wall times of calls that have a budget.
void measure_budget(const Options& options, std::ofstream& csv) {
  using Clock = std::chrono::steady_clock;
  const Scenario scenario = read_scenario(options.budget_scene);
  std::vector<double> times;
  long long events = 0;
  for (int round = 0; round < options.rounds; ++round) {
    Simulation sim(scenario);
    while (sim.time() < scenario.run.until) {
      const auto start = Clock::now();
      const AdvanceReport report = sim.advance_to(scenario.run.until, {.wall_s = options.budget});
      times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      events += report.events;
      if (!report.ok()) throw std::runtime_error(report.reason);
    }
  }
  std::sort(times.begin(), times.end());
  const auto over = std::distance(std::upper_bound(times.begin(), times.end(), 3 * options.budget), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  fmt::print(
      "\n{}, {} calls with a budget of {:.3g} ms ({} events): median {:.3g}, 99 of 100 {:.3g}, longest {:.3g} ms; "
      "beyond three times the budget {:.2f} %\n",
      options.budget_scene, times.size(), 1e3 * options.budget, events, 1e3 * at(0.5), 1e3 * at(0.99),
      1e3 * times.back(), 100.0 * static_cast<double>(over) / static_cast<double>(times.size()));
  csv << fmt::format("{},budget 0.99,{}\n", options.budget_scene, at(0.99));
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  using namespace thenar::bench;
  CLI::App app("What it costs to hold a motion");
  Options options;
  app.add_option("scene", options.scene, "For calls and cuts")->capture_default_str();
  app.add_option("--at", options.at, "Time of the state, s")->capture_default_str();
  app.add_option("--budget-scene", options.budget_scene, "For budgets")->capture_default_str();
  options.add_to(app);
  return run_program(app, argc, argv, [&] {
    std::ofstream csv;
    if (!options.csv.empty()) csv.open(options.csv);
    csv << "scenario,call,seconds\n";
    measure_calls(options, csv);
    measure_cutting(options, csv);
    measure_budget(options, csv);
  });
}
