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
#include "thenar/io/text/old_words.h"

namespace {

using namespace thenar::app;

/// The name that an option had in version 0.1; it is accepted with a note.
template <class T>
void add_old_name(CLI::App& verb, const std::string& old_name, const std::string& name, T& value) {
  const std::string full = verb.get_name();
  verb.add_option_function<T>(
          old_name,
          [&value, full, old_name, name](const T& given) {
            fmt::print(stderr, "thenar {}: note: '{}' is an option of Thenar 0.1; it is '{}' now\n", full, old_name,
                       name);
            value = given;
          },
          "")
      ->group("");
}

void add_overrides(CLI::App& verb, std::vector<std::string>& overrides) {
  verb.add_option("--set", overrides,
                  "Replace a parameter or an entry of the file, for instance mu=0.3 or run.until=2 (repeatable)")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
}

CLI::App* add_run(CLI::App& app, RunCommand& command) {
  CLI::App* verb = app.add_subcommand("run", "Simulate a scenario and write its trace and report.html");
  verb->add_option("scenario", command.scenario, "Scenario file (.yaml); not needed with --resume")->type_name("FILE");
  CLI::Option* out =
      verb->add_option("-o,--out", command.out, "Folder for the results; default out/<name>")->type_name("DIR");
  verb->add_option(
          "--checkpoint-every", command.checkpoints,
          "Computing time between checkpoints, such as 60s, from which --resume and 'solve --at' go on; Ctrl-C "
          "always leaves one")
      ->type_name("TIME");
  verb->add_option("--resume", command.resume,
                   "Folder of a run that was killed or interrupted: go on from its last checkpoint")
      ->excludes(out)
      ->type_name("DIR");
  verb->add_flag("--json", command.json, "Print the summary as JSON");
  verb->add_flag("--quiet", command.quiet, "No progress bar and no summary");
  add_overrides(*verb, command.overrides);
  verb->footer(
      "Example:\n  thenar run scenes/demo.yaml --set run.until=2 -o out/short\n"
      "  thenar run scenes/demo.yaml --checkpoint-every 60s\n  thenar run --resume out/demo\n\n"
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
  CLI::Option* contacts = verb->add_flag("--contacts", command.contacts,
                                         "Also list what touches, and what nearly does, at the start; bodies inside "
                                         "each other are an error");
  verb->add_option("--margin", command.margin,
                   "How far apart listed contacts may be, such as '5 mm'; default that of the scenario, or a tenth of "
                   "its size")
      ->needs(contacts)
      ->type_name("LENGTH");
  verb->add_flag("--json", command.json, "Print JSON");
  add_overrides(*verb, command.overrides);
  verb->footer(
      "Example:\n  thenar check scenes/demo.yaml scenes/carv/*.yaml\n"
      "  thenar check --contacts scenes/truth/box_on_table.yaml --margin '1 cm'\n\n"
      "Exit code: 0 all files are good, 2 some are not.\n");
  return verb;
}

CLI::App* add_plot(CLI::App& app, PlotCommand& command) {
  CLI::App* verb = app.add_subcommand("plot", "Draw columns of a trace against time (SVG)");
  verb->add_option("trace", command.trace, "Folder of a run, or its states.csv")->required()->type_name("TRACE");
  verb->add_option("columns", command.columns,
                   "Columns of states.csv: names or patterns (* any characters, ? one); the name of the hand may be "
                   "left out")
      ->required()
      ->type_name("COLUMN");
  verb->add_option("-o,--out", command.output,
                   "File to write (.svg or .png), - for stdout; default plot.svg beside the trace")
      ->type_name("FILE");
  add_old_name(*verb, "--output", "--out", command.output);
  verb->add_option("--from", command.from, "Start of the time window, s")->type_name("TIME");
  verb->add_option("--to", command.to, "End of the time window, s")->type_name("TIME");
  verb->add_flag("--degrees", command.degrees, "Angles in degrees");
  verb->add_flag("--no-events", command.no_events, "Do not mark the events of the run");
  verb->add_option("--title", command.title, "Title on top of the picture")->type_name("TEXT");
  verb->add_option("--size", command.size, "Width and height in pixels, such as 720x400")->type_name("WxH");
  verb->footer(
      "Examples:\n  thenar plot out/demo 'q.*_2' 'tau.*_2' --degrees\n"
      "  thenar plot out/demo v.hand.index_2 --from 0.2 --to 0.6 -o index.svg\n\n"
      "Exit code: 0 the picture is written, 1 it could not be written, 2 bad input.\n");
  return verb;
}

CLI::App* add_size(CLI::App& app, SizeCommand& command) {
  CLI::App* verb = app.add_subcommand("size", "Tell what a run asks of each actuator");
  verb->add_option("trace", command.trace, "Folder of a run, or its states.csv")->required()->type_name("TRACE");
  verb->add_flag("--json", command.json, "Print JSON");
  verb->add_option("-o,--out", command.plot, "Also draw effort against speed (.svg or .png)")->type_name("FILE");
  add_old_name(*verb, "--plot", "--out", command.plot);
  verb->add_option("--safety", command.safety, "Factor on what is required, at least 1; default 1.5")
      ->type_name("FACTOR");
  verb->footer(
      "Example:\n  thenar size out/demo --safety 2 -o envelope.svg\n\n"
      "Exit code: 0 done, 1 the picture could not be written, 2 bad input.\n");
  return verb;
}

CLI::App* add_export(CLI::App& app, ExportCommand& command) {
  CLI::App* verb = app.add_subcommand("export", "Write a trace for other programs: CSV, MCAP, HTML");
  verb->add_option("trace", command.trace, "Folder of a run, or its states.csv")->required()->type_name("TRACE");
  verb->add_option("-o,--out", command.outputs,
                   "File to write, by its ending: .csv poses of all bodies, .mcap the whole trace (Foxglove, "
                   "PlotJuggler, Rerun), .html the report (repeatable); default poses.csv, trace.mcap and report.html "
                   "beside the trace")
      ->allow_extra_args(false)
      ->type_name("FILE");
  add_old_name(*verb, "--output", "--out", command.outputs);
  verb->add_option("--every", command.every, "Time between rows of the CSV, s; default the rows of the trace")
      ->type_name("TIME");
  verb->footer(
      "Examples:\n  thenar export out/demo\n  thenar export out/demo -o demo.mcap\n"
      "  thenar export out/demo -o poses.csv --every 0.01\n\n"
      "Exit code: 0 all files are written, 1 one could not be written, 2 bad input.\n");
  return verb;
}

CLI::App* add_lcp(CLI::App& app, LcpCommand& command) {
  CLI::App* verb = app.add_subcommand("lcp", "Solve a linear complementarity problem: one solution or all of them");
  verb->add_option("file", command.file, "Problem: n, the rows of M, then q; - for stdin")
      ->required()
      ->type_name("FILE");
  verb->add_flag("--all", command.all, "Every solution, and a proof that there are no others");
  verb->add_flag("--p", command.p, "Also tell whether M is a P-matrix (up to 30 rows)");
  verb->add_flag("--json", command.json, "Print JSON, with the proof");
  verb->add_option("--nodes", command.nodes, "Limit of the search; default 50000")->type_name("COUNT");
  verb->footer(
      "Example:\n  thenar lcp problem.txt --all --p\n  thenar lcp problem.txt --all --json > answer.json\n"
      "  thenar verify answer.json\n\n"
      "Exit code: 0 solved, or proved to have no solution; 1 neither within the limit; 2 bad input.\n");
  return verb;
}

CLI::App* add_quasistatic(CLI::App& app, QuasistaticCommand& command) {
  CLI::App* verb = app.add_subcommand(
      "quasistatic",
      "How an object moves when a hand moves slowly: velocities, modes and forces, or a proof that it jams");
  verb->add_option("file", command.file, "Bare problem or scenario (.yaml); - for stdin")->type_name("FILE");
  verb->add_option(
          "--random", command.random,
          "A random problem instead of a file: CONTACTS,LARGEST_MU,EFFORT_JOINTS,SEED; the two in the middle may "
          "be left out")
      ->type_name("LIST");
  verb->add_flag("--all", command.all, "Every mode-distinct solution, and a proof that there are no others");
  verb->add_flag("--json", command.json, "Print JSON, with the proof");
  verb->add_option("--seconds", command.seconds, "Limit of time; default 60")->type_name("TIME");
  verb->add_option("--method", command.method, "pairs: PTL's algorithm alone; search: over modes alone; default both")
      ->check(CLI::IsMember({"pairs", "search", "both"}));
  verb->add_option("--seed", command.seed, "Of the random restarts of PTL's algorithm; default 1")->type_name("NUMBER");
  verb->add_flag("--any-decrease", command.any_decrease, "Steps of Bennett and Mangasarian instead of linear programs");
  verb->add_flag("--original", command.original, "PTL's algorithm without its modified restart");
  verb->add_option("--problem", command.problem, "Also write the problem to this file")->type_name("FILE");
  add_overrides(*verb, command.overrides);
  verb->footer(
      "Examples:\n  thenar quasistatic scenes/ptl/set1.yaml --all\n  thenar quasistatic scenes/ptl/set4.yaml --json > "
      "jam.json\n"
      "  thenar verify jam.json\n  thenar quasistatic --random 20,1.0,10,7\n\n"
      "Exit code: 0 solved, or proved to jam; 1 neither within the limit; 2 bad input.\n");
  return verb;
}

CLI::App* add_solve(CLI::App& app, SolveCommand& command) {
  CLI::App* verb = app.add_subcommand(
      "solve",
      "What the contacts of a scenario's start do next, with which forces, and whether that is the only answer");
  verb->add_option("file", command.file,
                   "Scenario (.yaml); or a constraint problem, or an answer that carries one; - for stdin")
      ->required()
      ->type_name("FILE");
  verb->add_flag("--json", command.json, "Print JSON, with the proof");
  verb->add_option("--at", command.at, "Time in s: what contacts do when the run of the scenario has come there");
  verb->add_option("--from", command.from,
                   "Folder of a run of this scenario, whose nearest checkpoint before --at saves computing; default "
                   "out/<name>")
      ->type_name("DIR");
  verb->add_option("--problem", command.problem, "Also write the constraint problem, to be solved by itself")
      ->type_name("FILE");
  verb->add_option("--nodes", command.nodes, "Limit of the search; default 20000")->type_name("COUNT");
  add_overrides(*verb, command.overrides);
  verb->footer(
      "Example:\n  thenar solve scenes/truth/box_on_table.yaml\n"
      "  thenar solve scenes/yy/two_finger.yaml --set mu=0.2 --json | thenar verify -\n"
      "  thenar solve scenes/truth/rod_on_floor.yaml --at 0.3\n"
      "  thenar solve scenes/truth/box_on_table.yaml --problem box.txt && thenar solve box.txt\n\n"
      "Exit code: 0 answered (a proof that there is no answer is one), 1 not answered, 2 bad input.\n");
  return verb;
}

CLI::App* add_map(CLI::App& app, MapCommand& command) {
  CLI::App* verb = app.add_subcommand("map", "Draw what the contacts of a scenario's start do over two of its entries");
  verb->add_option("scenario", command.scenario, "Scenario file (.yaml)")->required()->type_name("FILE");
  verb->add_option("--x", command.x, "Entry of the x axis and its values: a parameter, or a path as of --set")
      ->required()
      ->type_name("NAME=FROM:TO:COUNT");
  verb->add_option("--y", command.y, "The same for the y axis")->required()->type_name("NAME=FROM:TO:COUNT");
  verb->add_option("--engine", command.engine, "What a point is: the instant (default), or the quasistatic motion")
      ->check(CLI::IsMember({"instant", "quasistatic"}));
  add_old_name(*verb, "--physics", "--engine", command.engine);
  verb->add_option(
          "-o,--out", command.outputs,
          "File to write, by its ending (repeatable): .csv for the points, default out/<name>/map.csv; if it has "
          "some of this map, they are not computed again; .svg or .png for the picture, default map.svg and "
          "map.png beside the points")
      ->allow_extra_args(false)
      ->type_name("FILE");
  add_old_name(*verb, "--csv", "--out", command.old_csv);
  verb->add_flag("--force", command.force, "Replace the file of points if it is of another map");
  verb->add_option("--threads", command.threads, "Default: all cores; the results are the same")->type_name("COUNT");
  verb->add_option("--nodes", command.nodes, "Limit of the search at a point; default 20000")->type_name("COUNT");
  verb->add_flag("--json", command.json, "Print the summary as JSON");
  add_overrides(*verb, command.overrides);
  verb->footer(
      "Examples:\n  thenar map scenes/yy/two_finger.yaml --x tau1=0:16:100 --y tau2=0:16:100 --set mu=0.2\n"
      "  thenar map scene.yaml --x 'tilt=0 deg:30 deg:60' --y contacts.friction=0.1:0.9:80 -o tilt.png\n\n"
      "Exit code: 0 done, 1 interrupted (the same command goes on) or not written, 2 bad input.\n");
  return verb;
}

CLI::App* add_impact(CLI::App& app, ImpactCommand& command) {
  CLI::App* verb = app.add_subcommand("impact", "What an impact does to velocities, under every law, with its energy");
  verb->add_option("scenario", command.scenario, "Scenario file (.yaml): bodies that touch and approach, or 'strike'")
      ->required()
      ->type_name("FILE");
  verb->add_flag("--json", command.json, "Print JSON");
  verb->add_option("-o,--out", command.plot, "Also draw the path in impulse space and the slip (.svg or .png)")
      ->type_name("FILE");
  add_old_name(*verb, "--plot", "--out", command.plot);
  verb->add_option("--after", command.after, "Run the scenario and take its first impact at this time or later, s")
      ->type_name("T");
  add_overrides(*verb, command.overrides);
  verb->footer(
      "Examples:\n  thenar impact scenes/truth/rod_on_floor.yaml --set mu=0.8 -o rod.svg\n"
      "  thenar impact scenes/truth/newtons_cradle.yaml\n"
      "  thenar impact scenes/chan/08_mixed.yaml --after 0\n\n"
      "Exit code: 0 done, 1 a law failed or the picture could not be written, 2 bad input or nothing is struck.\n");
  return verb;
}

CLI::App* add_verify(CLI::App& app, VerifyCommand& command) {
  CLI::App* verb = app.add_subcommand("verify", "Check an answer and its proof, by code that solves nothing");
  verb->add_option("file", command.file, "Answer of 'thenar solve', 'quasistatic' or 'lcp' with --json; - for stdin")
      ->required()
      ->type_name("FILE");
  verb->footer(
      "Example:\n  thenar lcp problem.txt --all --json | thenar verify -\n\n"
      "Exit code: 0 every claim holds, 1 some do not, 2 bad input.\n");
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
      "  thenar check scenes/carv/*.yaml\n  thenar plot out/demo 'q.*_2' --degrees\n  thenar size out/demo\n\nEvery "
      "verb has a --help of its own.\n");
  RunCommand run_command;
  InfoCommand info_command;
  CheckCommand check_command;
  PlotCommand plot_command;
  SizeCommand size_command;
  ExportCommand export_command;
  LcpCommand lcp_command;
  QuasistaticCommand quasistatic_command;
  SolveCommand solve_command;
  MapCommand map_command;
  ImpactCommand impact_command;
  VerifyCommand verify_command;
  const CLI::App* run_verb = add_run(app, run_command);
  const CLI::App* info_verb = add_info(app, info_command);
  const CLI::App* check_verb = add_check(app, check_command);
  const CLI::App* plot_verb = add_plot(app, plot_command);
  const CLI::App* size_verb = add_size(app, size_command);
  const CLI::App* export_verb = add_export(app, export_command);
  const CLI::App* lcp_verb = add_lcp(app, lcp_command);
  const CLI::App* quasistatic_verb = add_quasistatic(app, quasistatic_command);
  const CLI::App* solve_verb = add_solve(app, solve_command);
  const CLI::App* map_verb = add_map(app, map_command);
  const CLI::App* impact_verb = add_impact(app, impact_command);
  const CLI::App* verify_verb = add_verify(app, verify_command);
  if (has_unknown_verb(app, argc, argv)) return kBadInput;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  if (run_verb->parsed()) return run(run_command);
  if (info_verb->parsed()) return info(info_command);
  if (check_verb->parsed()) return check(check_command);
  if (plot_verb->parsed()) return plot(plot_command);
  if (size_verb->parsed()) return size(size_command);
  if (export_verb->parsed()) return export_trace(export_command);
  if (lcp_verb->parsed()) return lcp(lcp_command);
  if (quasistatic_verb->parsed()) return quasistatic(quasistatic_command);
  if (solve_verb->parsed()) return solve(solve_command);
  if (map_verb->parsed()) return map(map_command);
  if (impact_verb->parsed()) return impact(impact_command);
  if (verify_verb->parsed()) return verify(verify_command);
  return kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  thenar::set_note_sink([](const std::string& note) { fmt::print(stderr, "{}\n", note); });
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
