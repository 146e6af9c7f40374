// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "commands.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/instant_answer.h"
#include "thenar/io/scenario_reader.h"

namespace thenar::app {
namespace {

volatile std::sig_atomic_t is_interrupted = 0;

/// Goes on until Ctrl-C; a line of progress on a terminal.
bool report_progress(long long nodes, bool is_quiet) {
  if (!is_quiet && nodes > 0 && nodes % 1024 == 0) fmt::print(stderr, "\r{} nodes", nodes);
  return is_interrupted == 0;
}

}  // namespace

int solve(const SolveCommand& command) {
  if (command.nodes < 1) {
    throw InputError({"--nodes", 0, 0}, fmt::format("expects a number of at least 1, found {}", command.nodes));
  }
  const Scenario scenario = read_scenario(command.scenario, command.overrides);
  InstantOptions options;
  options.search.most_nodes = command.nodes;
  const bool is_quiet = command.json || isatty(STDERR_FILENO) == 0;
  options.search.goes_on = [is_quiet](long long nodes) { return report_progress(nodes, is_quiet); };
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  const Instant instant = solve_instant(scenario, scenario.initial, options);
  if (!is_quiet && instant.answer.tree.size() > 1024) fmt::print(stderr, "\r");
  fmt::print("{}", command.json ? instant_json(scenario, instant) : instant_text(scenario, instant));
  return instant.verdict == Verdict::undecided && instant.cells.empty() ? kRunFailed : kDone;
}

}  // namespace thenar::app
