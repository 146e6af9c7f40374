// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "commands.h"
#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"

namespace {

using namespace thenar::app;

void add_overrides(CLI::App& verb, std::vector<std::string>& overrides) {
  verb.add_option("--set", overrides, "Replace an entry of the file: path=value, for instance run.until=2 (repeatable)")
      ->allow_extra_args(false)
      ->type_name("PATH=VALUE");
}

CLI::App* add_run(CLI::App& app, RunCommand& command) {
  CLI::App* verb = app.add_subcommand("run", "Simulate a scenario and write its trace");
  verb->add_option("scenario", command.scenario, "Scenario file (.yaml)")->required()->type_name("FILE");
  verb->add_option("--out", command.out, "Folder for the results; default out/<name>")->type_name("DIR");
  verb->add_flag("--json", command.json, "Print the summary as JSON");
  verb->add_flag("--quiet", command.quiet, "No progress bar and no summary");
  add_overrides(*verb, command.overrides);
  verb->footer(
      "Example:\n  thenar run scenes/demo.yaml --set run.until=2 --out out/short\n\n"
      "Exit code: 0 the run is done, 1 it failed or was interrupted, 2 bad input.\n");
  return verb;
}

CLI::App* add_info(CLI::App& app, InfoCommand& command) {
  CLI::App* verb = app.add_subcommand("info", "Show what is in a model or scenario");
  verb->add_option("file", command.file, "Model or scenario file (.yaml)")->required()->type_name("FILE");
  verb->add_flag("--json", command.json, "Print JSON");
  add_overrides(*verb, command.overrides);
  verb->footer("Example:\n  thenar info models/human_hand.yaml\n");
  return verb;
}

CLI::App* add_check(CLI::App& app, CheckCommand& command) {
  CLI::App* verb = app.add_subcommand("check", "Validate scenarios and models without running them");
  verb->add_option("files", command.files, "Scenario or model files (.yaml)")->required()->type_name("FILE");
  verb->add_flag("--json", command.json, "Print JSON");
  add_overrides(*verb, command.overrides);
  verb->footer(
      "Example:\n  thenar check scenes/demo.yaml scenes/carv/*.yaml\n\n"
      "Exit code: 0 all files are good, 2 some are not.\n");
  return verb;
}

/// Complains about a first argument that is no verb, since CLI11 only says that one is missing.
bool has_unknown_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]).starts_with('-')) return false;
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (std::find(verbs.begin(), verbs.end(), argv[1]) != verbs.end()) return false;
  const auto close = thenar::closest_match(argv[1], verbs);
  fmt::print(stderr, "thenar: error: unknown verb {}; {}verbs: {}\n", thenar::quote(argv[1]),
             close ? fmt::format("did you mean '{}'? ", *close) : std::string(), thenar::list_words(verbs));
  return true;
}

int dispatch(int argc, char** argv) {
  CLI::App app("Thenar simulates dexterous hands.", "thenar");
  app.require_subcommand(1);
  app.set_version_flag("--version", [] { return version_text(); });
  app.footer(
      "Examples:\n  thenar run scenes/demo.yaml\n  thenar info models/human_hand.yaml\n"
      "  thenar check scenes/carv/*.yaml\n\nEvery verb has a --help of its own.\n");
  RunCommand run_command;
  InfoCommand info_command;
  CheckCommand check_command;
  const CLI::App* run_verb = add_run(app, run_command);
  const CLI::App* info_verb = add_info(app, info_command);
  const CLI::App* check_verb = add_check(app, check_command);
  if (has_unknown_verb(app, argc, argv)) return kBadInput;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  if (run_verb->parsed()) return run(run_command);
  if (info_verb->parsed()) return info(info_command);
  if (check_verb->parsed()) return check(check_command);
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = dispatch(argc, argv);
    if (std::fflush(stdout) != 0) throw std::runtime_error("cannot write to the standard output");
    return code;
  } catch (const thenar::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "thenar: error: {}\n", error.what());
    return kRunFailed;
  }
}
