// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How many times faster than real time whole scenarios run, on one core: CPU time of simulate() alone, without reading
/// the scenario and writing its trace.
///
///     bench_examples                      scenes/chan
///     bench_examples scenes/demo.yaml

#include <algorithm>
#include <fstream>

#include "measure.h"
#include "program.h"
#include "thenar/io/scenario_reader.h"
#include "thenar/simulate/simulate.h"

namespace thenar::bench {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> list_examples() {
  std::vector<std::string> out;
  for (const fs::directory_entry& entry : fs::directory_iterator("scenes/chan")) {
    if (entry.path().extension() == ".yaml") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void run(const std::vector<std::string>& files, const CommonOptions& common) {
  std::ofstream csv;
  if (!common.csv.empty()) csv.open(common.csv);
  csv << "scenario,simulated_s,cpu_s,steps,rejected,evaluations,events\n";
  fmt::print("| scenario | simulated | CPU time | × real time | steps | rejected | evaluations | events |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  for (const std::string& file : files) {
    const Scenario scenario = read_scenario(file);
    RunReport report;
    std::vector<Contender> runs{{file, [&] { report = simulate(scenario); }}};
    measure(runs, common.rounds, 0);
    long long events = 0;
    for (const long long count : report.events) events += count;
    const double t = report.last.t, cpu = runs[0].median();
    const std::string name = fs::path(file).stem().string();
    csv << fmt::format("{},{},{},{},{},{},{}\n", name, t, cpu, report.steps, report.rejected_steps, report.evaluations,
                       events);
    fmt::print("| {} | {:.3g} s | {:.3g} s | {:.3g} | {} | {} | {} | {} |{}\n", name, t, cpu, t / cpu, report.steps,
               report.rejected_steps, report.evaluations, events,
               report.status == RunStatus::done ? "" : " " + report.reason);
  }
}

}  // namespace
}  // namespace thenar::bench

int main(int argc, char** argv) {
  using namespace thenar::bench;
  CLI::App app("Whole scenarios beside real time");
  std::vector<std::string> files;
  CommonOptions common;
  common.rounds = 5;
  app.add_option("scenarios", files, "Default: all of scenes/chan");
  common.add_to(app);
  return run_program(app, argc, argv, [&] { run(files.empty() ? list_examples() : files, common); });
}
