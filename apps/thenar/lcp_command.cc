// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "commands.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/lcp_answer.h"
#include "thenar/io/text_file.h"

namespace thenar::app {
namespace {

volatile std::sig_atomic_t is_interrupted = 0;
/// More than any dense problem and its proof take.
constexpr std::size_t kMostBytes = std::size_t{1} << 32;

std::string read_text(const std::string& file) {
  if (file != "-") return read_file(file, kMostBytes);
  std::ostringstream text;
  text << std::cin.rdbuf();
  return text.str();
}

Lcp read_problem_file(const std::string& file) {
  std::istringstream in(read_text(file));
  return read_lcp(in, file == "-" ? "standard input" : file);
}

/// Goes on until Ctrl-C; a line of progress on a terminal.
bool report_progress(long long nodes, bool is_quiet) {
  if (!is_quiet && nodes > 0 && nodes % 1024 == 0) fmt::print(stderr, "\r{} nodes", nodes);
  return is_interrupted == 0;
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
  options.search.goes_on = [is_quiet](long long nodes) { return report_progress(nodes, is_quiet); };
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  report.answer = solve_lcp(report.problem, options);
  if (!is_quiet && report.answer.nodes > 1024) fmt::print(stderr, "\r");
  if (command.p) report.p_test = test_p_matrix(report.problem.M);
  fmt::print("{}", command.json ? lcp_json(report) : lcp_text(report));
  return report.answer.status == LcpStatus::unsolved ? kRunFailed : kDone;
}

int verify(const VerifyCommand& command) {
  const std::vector<CheckedClaim> claims = verify_lcp_json(read_text(command.file), command.file);
  bool holds = true;
  for (const CheckedClaim& claim : claims) {
    const Verification& check = claim.check;
    holds = holds && check.holds();
    if (check.holds()) {
      fmt::print("holds: {} (residual {:.1e}{})\n", claim.claim, check.residual,
                 check.reach > 0 ? fmt::format(", reach {:.1e}", check.reach) : "");
    } else {
      fmt::print("{}: {}: {}\n", to_string(check.result), claim.claim, check.reason);
    }
  }
  if (claims.empty()) fmt::print("the answer claims nothing\n");
  return holds && !claims.empty() ? kDone : kRunFailed;
}

}  // namespace thenar::app
