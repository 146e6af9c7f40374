// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>

#include "commands.h"
#include "search_progress.h"
#include "standard_input.h"
#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/answer/quasistatic_answer.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/io/text/replace_file.h"
#include "thenar/quasistatic/random_quasistatic.h"

namespace thenar::app {
namespace {

using Clock = std::chrono::steady_clock;

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

/// "n_c,mu,efforts,seed"; mu and efforts may be left out.
QuasistaticFile make_random(const std::string& text) {
  const auto refuse = [&](const std::string& message) -> InputError { return {{"--random", 0, 0}, message}; };
  std::vector<std::string_view> words;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    words.push_back(trim(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  RandomQuasistatic options;
  bool is_right = words.size() >= 2 && words.size() <= 4 && parse_number(words.front(), options.contacts) &&
                  parse_number(words.back(), options.seed);
  if (words.size() > 2) is_right = is_right && parse_number(words[1], options.largest_mu);
  if (words.size() > 3) is_right = is_right && parse_number(words[2], options.effort_joints);
  if (!is_right) {
    throw refuse(fmt::format(
        "expects CONTACTS,SEED or CONTACTS,LARGEST_MU,SEED or CONTACTS,LARGEST_MU,EFFORT_JOINTS,SEED, found '{}'",
        text));
  }
  try {
    return {fmt::format("random {}", text), make_random_quasistatic(options)};
  } catch (const std::invalid_argument& error) {
    throw refuse(error.what());
  }
}

QuasistaticFile read_problem(const QuasistaticCommand& command) {
  if (!command.random.empty()) {
    if (!command.file.empty()) throw InputError({"--random", 0, 0}, "makes a problem; leave out the file");
    if (!command.overrides.empty()) throw InputError({"--set", 0, 0}, "changes files; there is none with --random");
    return make_random(command.random);
  }
  if (command.file.empty()) throw InputError({"quasistatic", 0, 0}, "expects a file, or --random");
  const std::string name = command.file == "-" ? "standard input" : command.file;
  Node root = parse_document(read_file_or_stdin(command.file), name);
  if (is_quasistatic_document(root)) {
    for (const std::string& assignment : command.overrides) apply_override(root, assignment);
    return read_quasistatic(root, std::filesystem::path(name).stem().string());
  }
  if (command.file == "-") {
    throw InputError({name, 0, 0},
                     "expects a bare problem with W_n, W_t (or P), J_n, J_t, mu (docs/formats.md); scenarios are read "
                     "from files");
  }
  return make_quasistatic(read_scenario(command.file, command.overrides), command.file);
}

QuasistaticOptions make_options(const QuasistaticCommand& command, bool is_quiet) {
  QuasistaticOptions out;
  out.all = command.all;
  out.uses_pairs = command.method != "search";
  out.searches = command.method != "pairs";
  out.pairs.seed = command.seed;
  if (command.any_decrease) out.pairs.lp_step = PairSearchOptions::LpStep::any_decrease;
  if (command.original) out.pairs.restart = PairSearchOptions::Restart::original;
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(command.seconds));
  out.goes_on = [end, is_quiet](long long nodes) {
    if (!is_quiet && nodes > 0 && nodes % 1024 == 0) fmt::print(stderr, "\r{} nodes", nodes);
    return !Interruption::came() && Clock::now() < end;
  };
  return out;
}

void check_options(const QuasistaticCommand& command) {
  constexpr double kMostSeconds = 1e7;
  if (!(command.seconds > 0 && command.seconds <= kMostSeconds)) {
    throw InputError({"--seconds", 0, 0},
                     fmt::format("expects a time from 0 to {} s, found {}", kMostSeconds, command.seconds));
  }
}

}  // namespace

int quasistatic(const QuasistaticCommand& command) {
  check_options(command);
  const QuasistaticFile file = read_problem(command);
  if (file.problem.is_spatial() && command.method == "pairs") {
    throw InputError({"--method", 0, 0}, "is 'pairs', which is for problems in the plane; this one is in space");
  }
  if (!command.problem.empty()) replace_file(command.problem, write_quasistatic(file));
  const bool is_quiet = command.json || isatty(STDERR_FILENO) == 0;
  Interruption::listen();
  const QuasistaticOptions options = make_options(command, is_quiet);
  QuasistaticAnswer answer = solve_quasistatic(file.problem, options);
  if (!answer.is_list_complete && !options.goes_on(0)) {
    answer.reason = Interruption::came() ? "interrupted" : fmt::format("the time of {} s was over", command.seconds);
  }
  if (!is_quiet && answer.tree.size() > 1024) fmt::print(stderr, "\r");
  fmt::print("{}", command.json ? quasistatic_json(file, answer) : quasistatic_text(file, answer));
  return answer.verdict == QuasistaticVerdict::undecided && answer.solutions.empty() ? kRunFailed : kDone;
}

}  // namespace thenar::app
