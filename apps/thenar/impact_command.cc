// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "commands.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/answer/impact_report.h"
#include "thenar/io/plot/png.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::app {
namespace {

void check_picture(const std::string& plot) {
  const std::filesystem::path picture(plot);
  if (plot.empty() || picture.extension() == ".svg" || is_png_name(picture)) return;
  throw InputError({"--out", 0, 0}, fmt::format("expects a file called .svg or .png, found '{}'", plot));
}

[[noreturn]] void fail_without_impact(const ImpactCommand& command, const ImpactInstant& instant) {
  const std::size_t touching = instant.contacts.size() + instant.stops.size();
  throw InputError(
      {command.scenario, 0, 0},
      touching == 0
          ? std::string("nothing touches at the start, so that nothing is struck; 'thenar check --contacts' "
                        "lists the gaps, '--after 0' takes the first impact of the run, and 'strike' gives a "
                        "contact by itself")
          : fmt::format("{} contacts and stops touch at the start, but none of them is approached; "
                        "'thenar solve' tells what they do next, and '--after 0' takes the first impact of the run",
                        touching));
}

/// Moves the start of the scenario to the first impact of its run at `after` or later.
void advance(Scenario& scenario, double after, const std::string& file) {
  State last;
  std::optional<State> struck;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    last = sample.state;
    return !struck;
  };
  callbacks.on_event = [&](const Event& event) {
    if (event.kind == EventKind::impact && event.t >= after && !struck) struck = last;
  };
  const RunReport report = simulate(scenario, callbacks);
  if (!struck) {
    throw InputError({file, 0, 0},
                     report.status == RunStatus::done
                         ? fmt::format("nothing is struck from {} s on until {} s", after, scenario.run.until)
                         : fmt::format("the run fails before anything is struck: {}", report.reason));
  }
  scenario.initial = *std::move(struck);
}

ImpactInstant assemble(const Scenario& scenario) {
  return scenario.strike ? assemble_impact(scenario, scenario.initial, *scenario.strike)
                         : assemble_impact(scenario, scenario.initial);
}

std::string draw(const Scenario& scenario, const ImpactInstant& instant) {
  try {
    return plot_impact(scenario, instant);
  } catch (const std::invalid_argument& error) {
    throw InputError({"--out", 0, 0}, error.what());
  }
}

}  // namespace

int impact(const ImpactCommand& command) {
  check_picture(command.plot);
  Scenario scenario = read_scenario(command.scenario, command.overrides);
  if (command.after) advance(scenario, *command.after, command.scenario);
  const ImpactInstant instant = assemble(scenario);
  if (!instant.is_struck()) fail_without_impact(command, instant);
  const ImpactComparison comparison = compare_impact_laws(scenario, scenario.initial, instant, scenario.impact);
  if (!command.plot.empty()) write_picture(draw(scenario, instant), command.plot);
  fmt::print("{}",
             command.json ? impact_json(scenario, instant, comparison) : impact_text(scenario, instant, comparison));
  const auto failed = [](const ImpactOutcome& outcome) { return outcome.answer.status == ImpactStatus::fault; };
  return std::any_of(comparison.outcomes.begin(), comparison.outcomes.end(), failed) ? kRunFailed : kDone;
}

}  // namespace thenar::app
