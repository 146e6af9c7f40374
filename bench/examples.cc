// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How many times faster than real time whole scenarios run, on one core: CPU time of simulate() alone, without reading
/// the scenario and writing its trace.
///
///     bench_examples                      scenes/chan
///     bench_examples scenes/demo.yaml
///     bench_examples --models             the same and scenes/syk with rigid, automatic and compliant contacts

#include <algorithm>
#include <fstream>

#include "measure.h"
#include "program.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::bench {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> list_examples(const std::vector<std::string>& folders) {
  std::vector<std::string> out;
  for (const std::string& folder : folders) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") out.push_back(entry.path().string());
    }
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

/// A run with all contacts of one model.
struct ModelRun {
  const char* law;
  Scenario scenario;
  RunReport report{};
};

/// "0.0123 s", or how far it came and why not farther.
std::string describe(const ModelRun& run, double cpu) {
  if (run.report.status == RunStatus::done) return fmt::format("{:.3g} s", cpu);
  return fmt::format("{:.3g} s, ends at {:.3g} s", cpu, run.report.last.t);
}

void compare_models(const std::vector<std::string>& files, const CommonOptions& common) {
  std::ofstream csv;
  if (!common.csv.empty()) csv.open(common.csv);
  csv << "scenario,law,simulated_s,cpu_s,steps,evaluations,switches,reason\n";
  fmt::print("| scenario | rigid | automatic | over rigid | switches | compliant | over rigid |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const std::string& file : files) {
    std::vector<ModelRun> models;
    for (const char* law : {"rigid", "automatic", "compliant"}) {
      models.push_back({law, read_scenario(file, std::vector<std::string>{fmt::format("contacts.law={}", law)})});
    }
    std::vector<Contender> runs;
    for (ModelRun& model : models) {
      runs.push_back({model.law, [&model] { model.report = simulate(model.scenario); }});
    }
    measure(runs, common.rounds, 0);
    const std::string name = fs::path(file).stem().string();
    for (std::size_t i = 0; i < models.size(); ++i) {
      const RunReport& report = models[i].report;
      csv << fmt::format("{},{},{},{},{},{},{},\"{}\"\n", name, models[i].law, report.last.t, runs[i].median(),
                         report.steps, report.evaluations, report.switches.size(), report.reason);
    }
    const double rigid = runs[0].median(), automatic = runs[1].median(), compliant = runs[2].median();
    fmt::print("| {} | {} | {} | {:.2f} | {} | {} | {:.2f} |\n", name, describe(models[0], rigid),
               describe(models[1], automatic), automatic / rigid, models[1].report.switches.size(),
               describe(models[2], compliant), compliant / rigid);
    for (const ModelRun& model : models) {
      if (model.report.status != RunStatus::done)
        fmt::print(stderr, "{}, {}: {}\n", name, model.law, model.report.reason);
    }
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
  bool models = false;
  app.add_option("scenarios", files, "Default: all of scenes/chan");
  app.add_flag("--models", models, "Rigid, automatic and compliant contacts beside each other; scenes/syk, too");
  common.add_to(app);
  return run_program(app, argc, argv, [&] {
    if (models) {
      compare_models(files.empty() ? list_examples({"scenes/chan", "scenes/syk"}) : files, common);
    } else {
      run(files.empty() ? list_examples({"scenes/chan"}) : files, common);
    }
  });
}
