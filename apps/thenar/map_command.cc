// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "progress_bar.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/answer/scenario_map.h"
#include "thenar/io/plot/map_file.h"
#include "thenar/io/plot/map_plot.h"
#include "thenar/io/plot/png.h"
#include "thenar/io/trace/run_summary.h"
#include "thenar/study/map_regions.h"

namespace thenar::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kMostThreads = 1024;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

/// Asks the map to end; a second signal ends the program at once.
extern "C" void on_map_signal(int number) {
  interrupted.store(true, std::memory_order_relaxed);
  std::signal(number, SIG_DFL);
}

/// Where results go.
struct MapOutputs {
  fs::path csv;
  std::vector<fs::path> pictures;
};

MapOutputs find_outputs(const MapCommand& command, const std::string& name) {
  MapOutputs out;
  for (const fs::path file : command.outputs) {
    if (file.extension() == ".csv") {
      if (!out.csv.empty()) throw InputError({"--out", 0, 0}, "names two files for the points");
      out.csv = file;
    } else if (file.extension() == ".svg" || is_png_name(file)) {
      out.pictures.push_back(file);
    } else {
      throw InputError({"--out", 0, 0},
                       fmt::format("expects a file called .csv, .svg or .png, found '{}'", file.string()));
    }
  }
  if (out.csv.empty()) out.csv = command.old_csv;
  const fs::path folder = fs::path("out") / slug(name);
  if (out.csv.empty()) out.csv = folder / "map.csv";
  if (out.pictures.empty()) out.pictures = {folder / "map.svg", folder / "map.png"};
  return out;
}

MapPhysics make_physics(const MapCommand& command) {
  const auto goes_on = [](long long) { return !interrupted.load(std::memory_order_relaxed); };
  if (command.engine == "quasistatic") {
    QuasistaticOptions options;
    options.all = true;
    options.uses_pairs = false;  // all solutions are asked for
    options.most_nodes = command.nodes;
    options.goes_on = goes_on;
    return quasistatic_physics(std::move(options));
  }
  InstantOptions options;
  options.margins = false;  // maps show modes and verdicts
  options.search.most_nodes = command.nodes;
  options.search.goes_on = goes_on;
  return instant_physics(std::move(options));
}

ScenarioMap read_map(const MapCommand& command) {
  ScenarioDocument document(command.scenario);
  for (const std::string& assignment : command.overrides) document.set(assignment);
  return ScenarioMap(std::move(document), parse_map_axis(command.x, "--x"), parse_map_axis(command.y, "--y"),
                     make_physics(command));
}

/// What came out, for the reports.
struct MapReport {
  MapGrid grid;
  std::size_t computed = 0;           ///< of the grid, by this run
  std::optional<MapRegions> regions;  ///< of a complete grid
  bool is_done = false;
};

/// Computes the grid and its regions, or as much of them as an interruption leaves.
MapReport compute(const ScenarioMap& map, MapFile& file, const MapCommand& command, bool shows_progress) {
  ProgressBar bar(shows_progress);
  MapReport report{file.found(), 0, std::nullopt, false};
  const std::size_t found = report.grid.points.size(), all = report.grid.point_count();
  bool is_refining = false;
  MapWork work{.threads = command.threads, .interrupt = &interrupted, .on_progress = {}};
  work.on_progress = [&](std::size_t done, std::size_t total) {
    if (is_refining) {
      bar.update(static_cast<double>(done) / static_cast<double>(total), "of the next points at the boundaries");
    } else {
      bar.update(static_cast<double>(found + done) / static_cast<double>(all),
                 fmt::format("{} of {} points", found + done, all));
    }
  };
  MapWorkers workers(map.make_functions(), work);
  complete_grid(report.grid, workers, [&](std::span<const MapPoint> points) { file.append(points); });
  report.computed = report.grid.points.size() - found;
  if (!report.grid.is_complete() || interrupted) return report;
  is_refining = true;
  report.regions = find_regions(report.grid, workers);
  report.is_done = !interrupted;
  return report;
}

Json axis_json(const WrittenAxis& axis) {
  return {{"name", axis.axis.name}, {"from", axis.axis.from}, {"to", axis.axis.to}, {"count", axis.axis.count}};
}

Json report_json(const ScenarioMap& map, const MapReport& report, const MapOutputs& outputs) {
  Json regions = Json::array();
  for (const MapRegion& region : report.regions->regions) {
    regions.push_back({{"modes", region.modes}, {"verdict", to_string(region.verdict)}, {"share", region.share}});
  }
  Json files = {{"csv", outputs.csv.string()}};
  for (const fs::path& picture : outputs.pictures) files[is_png_name(picture) ? "png" : "svg"] = picture.string();
  return {{"name", map.name()},
          {"x", axis_json(map.x())},
          {"y", axis_json(map.y())},
          {"points", report.grid.point_count()},
          {"computed", report.computed},
          {"boundary_points", report.regions->points},
          {"refined", report.regions->is_refined},
          {"refused", map.refused().count()},
          {"regions", regions},
          {"determinate_share", report.regions->determinate_share},
          {"files", files}};
}

std::string report_text(const ScenarioMap& map, const MapReport& report, const MapOutputs& outputs) {
  const MapRegions& regions = *report.regions;
  std::string out = fmt::format("{}: {} x {} points, {} computed now and {} at the boundaries{}\n\n", map.name(),
                                regions.x.count, regions.y.count, report.computed, regions.points,
                                regions.is_refined ? "" : " (their limit was reached)");
  for (const MapRegion& region : regions.regions) {
    out += fmt::format("  {:7.3f} %  {}\n", 100 * region.share, name_region(region));
  }
  out += fmt::format("  {:7.3f} %  determinate\n\n", 100 * regions.determinate_share);
  out += fmt::format("  csv: {}\n", outputs.csv.string());
  for (const fs::path& picture : outputs.pictures) {
    out += fmt::format("  {}: {}\n", is_png_name(picture) ? "png" : "svg", picture.string());
  }
  return out;
}

void tell_refused(const MapCommand& command, const ScenarioMap& map) {
  const RefusedPoints& refused = map.refused();
  if (refused.count() == 0) return;
  fmt::print(stderr,
             "{}: note: {} points are undecided since there is no instant to solve; at {} = {:.6g}, {} = {:.6g}: {}\n",
             command.scenario, refused.count(), map.x().axis.name, refused.place().x, map.y().axis.name,
             refused.place().y, refused.reason());
}

void check_options(const MapCommand& command) {
  if (command.threads < 0 || command.threads > kMostThreads) {
    throw InputError({"--threads", 0, 0}, fmt::format("expects a number from 1 to {}, or 0 for all cores, found {}",
                                                      kMostThreads, command.threads));
  }
  if (command.nodes < 1) {
    throw InputError({"--nodes", 0, 0}, fmt::format("expects a number of at least 1, found {}", command.nodes));
  }
}

}  // namespace

int map(const MapCommand& command) {
  check_options(command);
  const ScenarioMap scenario_map = read_map(command);
  const MapOutputs outputs = find_outputs(command, scenario_map.name());
  MapFile file(outputs.csv, scenario_map.identity(), scenario_map.x().axis, scenario_map.y().axis, command.force);
  std::signal(SIGINT, on_map_signal);
  std::signal(SIGTERM, on_map_signal);
  const MapReport report = compute(scenario_map, file, command, !command.json && isatty(STDERR_FILENO) != 0);
  tell_refused(command, scenario_map);
  if (!report.is_done) {
    fmt::print(stderr,
               "{}: error: interrupted; the points so far are in '{}', and the same command goes on from there\n",
               command.scenario, outputs.csv.string());
    return kRunFailed;
  }
  const std::string svg = plot_map(*report.regions, scenario_map.x(), scenario_map.y(), {.title = scenario_map.name()});
  for (const fs::path& picture : outputs.pictures) {
    if (picture.has_parent_path()) fs::create_directories(picture.parent_path());
    write_picture(svg, picture);
  }
  if (command.json) {
    fmt::print("{}\n", report_json(scenario_map, report, outputs).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", report_text(scenario_map, report, outputs));
  }
  return kDone;
}

}  // namespace thenar::app
