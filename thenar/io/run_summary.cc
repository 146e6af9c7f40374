// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "thenar/base/text.h"
#include "thenar/io/trace_writer.h"

namespace thenar {
namespace {

constexpr std::size_t kLongestSlug = 80;
/// Rows of the table; a larger model is cut short and says so.
constexpr int kMostTableRows = 60;

std::string table_of_positions(const Scenario& scenario, const RunReport& report) {
  const std::vector<std::string> columns = trace_columns(scenario);
  const int rows = std::min(scenario.model.position_count(), kMostTableRows);
  std::size_t width = 8;
  for (int i = 0; i < rows; ++i) width = std::max(width, columns[static_cast<std::size_t>(i) + 1].size() - 2);
  std::string out =
      fmt::format("  {:<{}}  {:>12}  {:>12}  {:>12}  {:>12}\n", "position", width, "start", "end", "min", "max");
  for (int i = 0; i < rows; ++i) {
    // Column 0 is the time; "q." is left out.
    out += fmt::format("  {:<{}}  {:>12.6g}  {:>12.6g}  {:>12.6g}  {:>12.6g}\n",
                       columns[static_cast<std::size_t>(i) + 1].substr(2), width, report.first.q(i), report.last.q(i),
                       report.q_min(i), report.q_max(i));
  }
  if (rows < scenario.model.position_count()) {
    out += fmt::format("  ... and {} more, all in the trace\n", scenario.model.position_count() - rows);
  }
  return out;
}

}  // namespace

std::string run_summary_json(const Scenario& scenario, const RunReport& report, const RunFiles& files) {
  using Json = nlohmann::ordered_json;
  Json file_map = Json::object();
  for (const auto& [kind, path] : files) file_map[kind] = path;
  const EnergyBalance& energy = report.energy;
  const Json out = {
      {"name", scenario.name},
      {"status", to_string(report.status)},
      {"reason", report.reason},
      {"t_end", report.last.t},
      {"wall_s", report.wall_s},
      {"engine", "event"},
      {"steps", report.steps},
      {"events", Json::object()},
      {"switches", Json::array()},
      {"verdicts", Json::array()},
      {"max_gap_violation", 0},
      {"energy",
       {{"start", energy.start}, {"end", energy.end}, {"work", energy.work}, {"dissipated", energy.dissipated}}},
      {"files", file_map},
  };
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string run_summary_text(const Scenario& scenario, const RunReport& report, const RunFiles& files) {
  const EnergyBalance& energy = report.energy;
  std::string out = fmt::format("{}: {}{}\n", scenario.name, to_string(report.status),
                                report.reason.empty() ? "" : " (" + report.reason + ")");
  const double speed = report.wall_s > 0 ? report.last.t / report.wall_s : 0;
  out += fmt::format("  {:.6g} s simulated in {} steps, {:.3g} s of computing ({:.3g} x real time)\n\n", report.last.t,
                     report.steps, report.wall_s, speed);
  out += table_of_positions(scenario, report);
  out += fmt::format("\n  energy (J): start {:.8g} + work {:.8g} - dissipated {:.8g} = end {:.8g}, off by {:.2g}\n",
                     energy.start, energy.work, energy.dissipated, energy.end, energy.error());
  for (const auto& [kind, path] : files) out += fmt::format("  {}: {}\n", kind, path);
  return out;
}

std::string slug(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (out.size() >= kLongestSlug) break;
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if (is_word_character(c)) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "run" : out;
}

}  // namespace thenar
