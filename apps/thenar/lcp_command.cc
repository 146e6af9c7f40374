// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "commands.h"
#include "search_progress.h"
#include "standard_input.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/answer/lcp_answer.h"

namespace thenar::app {
namespace {

Lcp read_problem_file(const std::string& file) {
  std::istringstream in(read_file_or_stdin(file));
  return read_lcp(in, file == "-" ? "standard input" : file);
}

}  // namespace

int lcp(const LcpCommand& command) {
  if (command.nodes < 1) {
    throw InputError({"--nodes", 0, 0}, fmt::format("expects a number of at least 1, found {}", command.nodes));
  }
  LcpReport report;
  report.problem = read_problem_file(command.file);
  if (command.p && report.problem.free_count > 0) {
    throw InputError(
        {"--p", 0, 0},
        "is about problems without free rows; 'thenar lcp --all' tells whether a solution is the only one");
  }
  if (command.p && report.problem.size() > kMostPMatrixRows) {
    throw InputError(
        {"--p", 0, 0},
        fmt::format("the test looks at all 2ⁿ minors and takes up to {} rows, found {}; without it 'thenar "
                    "lcp --all' still tells whether the solution is the only one",
                    kMostPMatrixRows, report.problem.size()));
  }
  report.lists_all = command.all;
  LcpOptions options;
  options.all = command.all;
  options.search.most_nodes = command.nodes;
  const bool is_quiet = command.json || isatty(STDERR_FILENO) == 0;
  options.search.goes_on = [is_quiet](long long nodes) { return report_nodes(nodes, is_quiet); };
  Interruption::listen();
  report.answer = solve_lcp(report.problem, options);
  if (!is_quiet && report.answer.nodes > 1024) fmt::print(stderr, "\r");
  if (command.p) report.p_test = test_p_matrix(report.problem.M);
  fmt::print("{}", command.json ? lcp_json(report) : lcp_text(report));
  return report.answer.status == LcpStatus::unsolved ? kRunFailed : kDone;
}

}  // namespace thenar::app
