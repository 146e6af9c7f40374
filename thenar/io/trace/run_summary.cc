// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "thenar/base/text.h"
#include "thenar/io/text/json_internal.h"
#include "thenar/io/trace/trace_units.h"
#include "thenar/io/trace/trace_writer.h"

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

using internal::Json;

/// How many of each kind, without those that did not occur.
Json events_json(const EventCounts& counts) {
  Json out = Json::object();
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) out[to_string(static_cast<EventKind>(k))] = counts[k];
  }
  return out;
}

/// "3 impact, 1 limit_on", or "none".
std::string list_events(const EventCounts& counts) {
  std::string out;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", counts[k], to_string(static_cast<EventKind>(k)));
  }
  return out.empty() ? "none" : out;
}

Json verdicts_json(const std::vector<VerdictInterval>& verdicts) {
  Json out = Json::array();
  for (const VerdictInterval& v : verdicts) {
    out.push_back({{"from", v.from}, {"to", v.to}, {"verdict", to_string(v.verdict)}, {"determinate", v.determinate}});
  }
  return out;
}

Json switches_json(const std::vector<ModelSwitch>& switches) {
  Json out = Json::array();
  for (const ModelSwitch& s : switches) {
    out.push_back({{"t", s.t},
                   {"from", s.to_compliant ? "rigid" : "compliant"},
                   {"to", s.to_compliant ? "compliant" : "rigid"},
                   {"contacts", s.contacts},
                   {"why", s.why},
                   {"disagreement", s.disagreement},
                   {"energy", s.energy}});
  }
  return out;
}

/// "unique for 1.2 s, several for 0.3 s; determinate for 1.2 s", or "none".
std::string list_verdicts(const std::vector<VerdictInterval>& verdicts) {
  constexpr std::array kAll{Verdict::unique, Verdict::unique_motion, Verdict::several, Verdict::none,
                            Verdict::undecided};
  std::string out;
  for (const Verdict verdict : kAll) {
    double time = 0;
    bool is_there = false;
    for (const VerdictInterval& v : verdicts) {
      if (v.verdict != verdict) continue;
      time += v.to - v.from;
      is_there = true;
    }
    if (is_there) out += fmt::format("{}{} for {:.6g} s", out.empty() ? "" : ", ", to_string(verdict), time);
  }
  if (out.empty()) return "none";
  double determinate = 0;
  for (const VerdictInterval& v : verdicts) determinate += v.determinate ? v.to - v.from : 0;
  return out + fmt::format("; determinate for {:.6g} s", determinate);
}

/// "213 steps (auto, 12 implicit)"
std::string describe_steps(const Scenario& scenario, const RunReport& report) {
  if (scenario.run.engine == EngineKind::step) {
    return fmt::format("{} steps of the engine 'step', worst grade {:.2g}{}", report.steps, report.worst_grade,
                       report.flagged_steps > 0 ? fmt::format(", {} FLAGGED", report.flagged_steps) : "");
  }
  const IntegratorKind integrator = scenario.run.integrator;
  const bool is_mixed = integrator == IntegratorKind::automatic && report.implicit_steps > 0;
  return fmt::format("{} steps ({}{})", report.steps, to_string(integrator),
                     is_mixed ? fmt::format(", {} implicit", report.implicit_steps) : std::string());
}

}  // namespace

std::string run_summary_json(const Scenario& scenario, const RunReport& report, const RunFiles& files) {
  Json file_map = Json::object();
  for (const auto& [kind, path] : files) file_map[kind] = path;
  const EnergyBalance& energy = report.energy;
  const Json out = {
      {"name", scenario.name},
      {"status", to_string(report.status)},
      {"reason", report.reason},
      {"t_end", report.last.t},
      {"wall_s", report.wall_s},
      {"engine", to_string(scenario.run.engine)},
      {"integrator", to_string(scenario.run.integrator)},
      {"steps", report.steps},
      {"implicit_steps", report.implicit_steps},
      {"rejected_steps", report.rejected_steps},
      {"evaluations", report.evaluations},
      {"events", events_json(report.events)},
      {"control_samples", report.control_samples},
      {"switches", switches_json(report.switches)},
      {"verdicts", verdicts_json(report.verdicts)},
      {"max_gap_violation", report.max_gap_violation},
      {"flagged_steps", report.flagged_steps},
      {"worst_grade", report.worst_grade},
      {"bridged_s", report.bridged_s},
      {"energy",
       {{"start", energy.start},
        {"end", energy.end},
        {"work", energy.work},
        {"dissipated", energy.dissipated},
        {"switched", energy.switched},
        {"corrected", energy.corrected}}},
      {"sliding_joints", find_sliding_joints(scenario)},
      {"files", file_map},
  };
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string run_summary_text(const Scenario& scenario, const RunReport& report, const RunFiles& files) {
  const EnergyBalance& energy = report.energy;
  std::string out = fmt::format("{}: {}{}\n", scenario.name, to_string(report.status),
                                report.reason.empty() ? "" : " (" + report.reason + ")");
  const double speed = report.wall_s > 0 ? report.last.t / report.wall_s : 0;
  out += fmt::format("  {:.6g} s simulated in {}, {:.3g} s of computing ({:.3g} x real time)\n\n", report.last.t,
                     describe_steps(scenario, report), report.wall_s, speed);
  out += table_of_positions(scenario, report);
  const std::string switched =
      report.switches.empty() ? std::string() : fmt::format(" + switched {:.8g}", energy.switched);
  const std::string corrected =
      energy.corrected == 0 ? std::string() : fmt::format(" + corrected {:.3g}", energy.corrected);
  out += fmt::format("\n  energy (J): start {:.8g} + work {:.8g} - dissipated {:.8g}{}{} = end {:.8g}, off by {:.2g}\n",
                     energy.start, energy.work, energy.dissipated, switched, corrected, energy.end, energy.error());
  out += fmt::format("  events by kind: {}\n", list_events(report.events));
  if (report.flagged_steps > 0) {
    out += fmt::format(
        "  flagged: in {} steps no answer was as good as 1e-8; a shorter step, or the engine 'event', may help\n",
        report.flagged_steps);
  }
  if (report.bridged_s > 0) {
    out += fmt::format("  bridged: {:.3g} s, in which contacts changed faster than can be followed (events 'zeno')\n",
                       report.bridged_s);
  }
  if (report.control_samples > 0) out += fmt::format("  samples of controllers: {}\n", report.control_samples);
  if (scenario.contacts) {
    out += fmt::format("  verdicts: {}\n", list_verdicts(report.verdicts));
    for (const ModelSwitch& s : report.switches) {
      out += fmt::format("  {} from {:.6g} s on: {}\n", s.to_compliant ? "compliant" : "rigid again", s.t, s.why);
    }
    out += fmt::format("  largest penetration: {:.3g} (m, or rad of a stop)\n", report.max_gap_violation);
  }
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
