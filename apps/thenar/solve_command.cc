// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "commands.h"
#include "search_progress.h"
#include "standard_input.h"
#include "thenar/base/diagnostic.h"
#include "thenar/complementarity/problem_text.h"
#include "thenar/instant/instant_proof.h"
#include "thenar/io/answer/instant_answer.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/io/text/replace_file.h"
#include "thenar/io/trace/checkpoint.h"
#include "thenar/io/trace/run_summary.h"
#include "thenar/simulation/simulation.h"

namespace thenar::app {
namespace {

/// The search, with its progress on the terminal if there is one.
ModeSearchOptions make_search(const SolveCommand& command, bool is_quiet) {
  ModeSearchOptions out;
  out.most_nodes = command.nodes;
  out.goes_on = [is_quiet](long long nodes) { return report_nodes(nodes, is_quiet); };
  Interruption::listen();
  return out;
}

void wipe_progress(const ModeAnswer& answer, bool is_quiet) {
  if (!is_quiet && answer.tree.size() > 1024) fmt::print(stderr, "\r\033[K");
}

int exit_code(Verdict verdict, bool has_answers) {
  return verdict == Verdict::undecided && !has_answers ? kRunFailed : kDone;
}

void write_problem_file(const ConstraintProblem& problem, const std::string& path) {
  std::ostringstream text;
  write_problem(text, problem);
  replace_file(path, text.str());
}

/// A file that holds a problem by itself; nothing for a scenario, whose reader tells what is wrong with any other file.
std::optional<ConstraintProblem> read_problem_file(const std::string& file) {
  const bool is_readable = file == "-" || std::filesystem::is_regular_file(file);
  if (!is_readable) return std::nullopt;
  return find_problem(read_file_or_stdin(file), file == "-" ? "standard input" : file);
}

int solve_problem(const SolveCommand& command, const ConstraintProblem& problem, bool is_quiet) {
  if (!command.overrides.empty()) {
    throw InputError({"--set", 0, 0}, fmt::format("changes scenarios, but '{}' is a constraint problem", command.file));
  }
  if (problem.size() == 0) throw InputError({command.file, 0, 0}, "the problem has no rows");
  const ModeAnswer answer = solve_modes(problem, make_search(command, is_quiet));
  wipe_progress(answer, is_quiet);
  const std::string name = std::filesystem::path(command.file).stem().string();
  fmt::print("{}",
             command.json ? problem_answer_json(name, problem, answer) : problem_answer_text(name, problem, answer));
  return exit_code(answer.verdict, !answer.cells.empty());
}

/// Takes the simulation to the nearest checkpoint before a time, if there is one of this scenario.
void use_checkpoint(Simulation& simulation, const std::filesystem::path& folder, double at) {
  const std::vector<CheckpointPlace> places = list_checkpoints(folder);
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    if (place->time > at) continue;
    try {
      return simulation.restore(read_checkpoint(place->record).snapshot);
    } catch (const InputError&) {             // damaged, or of another version
    } catch (const std::invalid_argument&) {  // of another scenario
    }
  }
}

/// The instant that the run of the scenario reaches at time `at`. A run may end there because contacts have several
/// answers or none: that is what is asked.
Instant solve_at(const Scenario& scenario, const SolveCommand& command, const InstantOptions& options) {
  Simulation simulation(std::shared_ptr<const Scenario>(std::shared_ptr<void>(), &scenario));
  use_checkpoint(
      simulation,
      command.from.empty() ? std::filesystem::path("out") / slug(scenario.name) : std::filesystem::path(command.from),
      command.at);
  const AdvanceReport report = simulation.advance_to(command.at);
  constexpr double kSameTime = 1e-8;  // of a time that was read off a message with nine digits
  if (report.ok() || report.time >= command.at * (1 - kSameTime)) return simulation.instant(options);
  throw std::runtime_error(fmt::format("the run does not reach t = {:.9g} s: {} (--at)", command.at, report.reason));
}

int solve_scenario(const SolveCommand& command, bool is_quiet) {
  const Scenario scenario = read_scenario(command.file, command.overrides);
  if (scenario.strike) {
    throw InputError({command.file, 0, 0}, "'strike' is one contact by itself; 'thenar impact' tells what it does");
  }
  InstantOptions options;
  options.search = make_search(command, is_quiet);
  const Instant instant =
      command.at > 0 ? solve_at(scenario, command, options) : solve_instant(scenario, scenario.initial, options);
  wipe_progress(instant.proof->answer, is_quiet);
  if (!command.problem.empty()) write_problem_file(instant.proof->problem, command.problem);
  fmt::print("{}", command.json ? instant_json(scenario, instant) : instant_text(scenario, instant));
  return exit_code(instant.verdict, !instant.cells.empty());
}

}  // namespace

int solve(const SolveCommand& command) {
  if (!(command.at >= 0 && std::isfinite(command.at))) {
    throw InputError({"--at", 0, 0}, fmt::format("expects a time of at least 0 s, found {}", command.at));
  }
  if (command.nodes < 1) {
    throw InputError({"--nodes", 0, 0}, fmt::format("expects a number of at least 1, found {}", command.nodes));
  }
  const bool is_quiet = command.json || isatty(STDERR_FILENO) == 0;
  if (const auto problem = read_problem_file(command.file)) {
    if (!command.problem.empty()) write_problem_file(*problem, command.problem);
    return solve_problem(command, *problem, is_quiet);
  }
  if (command.file == "-") {
    throw InputError(
        {"standard input", 0, 0},
        "expects a constraint problem, or an answer of 'thenar solve --json'; scenarios are read from files");
  }
  return solve_scenario(command, is_quiet);
}

}  // namespace thenar::app
