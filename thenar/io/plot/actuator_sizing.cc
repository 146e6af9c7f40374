// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/actuator_sizing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/plot/svg_plot.h"
#include "thenar/io/text/json_internal.h"
#include "thenar/io/trace/trace_reader.h"

namespace thenar {
namespace {

using internal::Json;

/// A degree of freedom with its columns while the trace is read.
struct MeteredDof {
  std::string name;
  MotionKind kind = MotionKind::not_known;
  std::size_t speed = 0, effort = 0;  // Columns.
  std::optional<std::size_t> position;
  DemandMeter meter;
  OperatingCloud cloud;
};

using ColumnIndex = std::unordered_map<std::string, std::size_t>;

/// The column whose rate is the speed of `dof`: q of the same name, or x of vx for a free body. Rotations in space have
/// none, for a quaternion is no integral of an angular velocity.
std::optional<std::size_t> find_position(const std::string& dof, const ColumnIndex& columns,
                                         const std::vector<MotionKind>& kinds) {
  std::vector<std::string> candidates{"q." + dof};
  const std::size_t dot = dof.rfind('.');
  if (dot != std::string::npos && dof[dot + 1] == 'v')
    candidates.push_back("q." + dof.substr(0, dot + 1) + dof.substr(dot + 2));
  for (const std::string& candidate : candidates) {
    const auto found = columns.find(candidate);
    if (found != columns.end() && kinds[found->second] != MotionKind::number) return found->second;
  }
  return std::nullopt;
}

/// The degrees of freedom with columns tau.
std::vector<MeteredDof> find_dofs(const std::vector<std::string>& columns, const std::vector<MotionKind>& kinds,
                                  const SourceMark& header) {
  ColumnIndex index;
  for (std::size_t i = 0; i < columns.size(); ++i) index.emplace(columns[i], i);
  std::vector<MeteredDof> dofs;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto [quantity, name] = split_column(columns[i]);
    if (quantity != "tau" || name.empty()) continue;
    const std::string dof(name);
    const auto speed = index.find("v." + dof);
    if (speed == index.end()) {
      throw InputError(header, fmt::format("there is {} but no {}", quote(columns[i]), quote("v." + dof)));
    }
    dofs.push_back({dof, kinds[i], speed->second, i, find_position(dof, index, kinds), {}, {}});
  }
  if (dofs.empty()) throw InputError(header, "no column 'tau.*': the trace has no joint that an actuator could drive");
  return dofs;
}

void read_demands(TraceReader& reader, std::vector<MeteredDof>& dofs, bool with_cloud) {
  while (reader.next()) {
    const std::span<const double> row = reader.row();
    for (MeteredDof& dof : dofs) {
      const double speed = row[dof.speed], effort = row[dof.effort];
      dof.meter.add({reader.t(), effort, speed});
      if (dof.position) dof.meter.add_position(row[*dof.position]);
      if (with_cloud) dof.cloud.add(speed, effort);
    }
  }
}

std::string name_of_run(const std::filesystem::path& states) {
  return std::filesystem::absolute(states).parent_path().filename().string();
}

/// Joints of one kind have one set of units and one set of tables.
struct Units {
  std::string title, effort, speed, position;
};

Units units_of(MotionKind kind) {
  const char* title = kind == MotionKind::turning   ? "turning joints"
                      : kind == MotionKind::sliding ? "sliding joints"
                                                    : "joints";
  return {title, unit_of("tau", kind), unit_of("v", kind), unit_of("q", kind)};
}

/// Rows of texts as a table: names to the left, the rest to the right.
class TextTable {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string write() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line = fmt::format("  {:<{}}", row[0], widths[0]);
      for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], widths[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string show(double value) { return fmt::format("{:.4g}", value + 0.0); }  // No "-0".

std::string motion_table(const std::vector<const JointDemand*>& joints, const Units& units) {
  TextTable table;
  table.add({"joint", "peak effort", "at", "at speed", "rms effort", "peak speed", "at", "at effort", "mean speed",
             "from", "to"});
  table.add({"", units.effort, "s", units.speed, units.effort, units.speed, "s", units.effort, units.speed,
             units.position, units.position});
  for (const JointDemand* joint : joints) {
    const ActuatorDemand& demand = joint->demand;
    std::vector<std::string> row{joint->name, "not driven", "-", "-", "-"};
    if (demand.driven) {
      row = {joint->name, show(std::abs(demand.peak_effort.effort)), show(demand.peak_effort.t),
             show(std::abs(demand.peak_effort.speed)), show(demand.rms_effort)};
    }
    for (const double value : {std::abs(demand.peak_speed.speed), demand.peak_speed.t}) row.push_back(show(value));
    row.push_back(demand.driven ? show(std::abs(demand.peak_speed.effort)) : "-");
    row.push_back(show(demand.mean_speed));
    row.push_back(demand.range ? show(demand.range->first) : "-");
    row.push_back(demand.range ? show(demand.range->second) : "-");
    table.add(std::move(row));
  }
  return table.write();
}

/// Power and time of a peak, or dashes.
std::array<std::string, 2> show_peak(const std::optional<OperatingPoint>& peak) {
  if (!peak) return {"-", "-"};
  return {show(std::abs(peak->power())), show(peak->t)};
}

std::string power_table(const std::vector<const JointDemand*>& joints, const Units& units) {
  TextTable table;
  table.add({"joint", "peak power", "at", "braking", "at", "mean |power|", "delivered", "absorbed", "corner effort",
             "corner speed"});
  table.add({"", "W", "s", "W", "s", "W", "J", "J", units.effort, units.speed});
  for (const JointDemand* joint : joints) {
    const ActuatorDemand& demand = joint->demand;
    if (!demand.driven) continue;
    const auto power = show_peak(demand.peak_power), braking = show_peak(demand.peak_braking);
    const OperatingPoint corner = demand.corner();
    table.add({joint->name, power[0], power[1], braking[0], braking[1], show(demand.mean_power), show(demand.delivered),
               show(demand.absorbed), show(std::abs(corner.effort)), show(std::abs(corner.speed))});
  }
  return table.write();
}

/// What an actuator must be able to do.
struct Required {
  double peak_effort = 0, continuous_effort = 0, speed = 0, power = 0;
};

Required require(const ActuatorDemand& demand, double safety) {
  return {safety * std::abs(demand.peak_effort.effort), safety * demand.rms_effort,
          safety * std::abs(demand.peak_speed.speed), safety * std::abs(demand.corner().power())};
}

std::string required_table(const std::vector<const JointDemand*>& joints, const Units& units, double safety) {
  TextTable table;
  table.add({"joint", "peak effort", "continuous effort", "speed", "power"});
  table.add({"", units.effort, units.effort, units.speed, "W"});
  for (const JointDemand* joint : joints) {
    if (!joint->demand.driven) continue;
    const Required required = require(joint->demand, safety);
    table.add({joint->name, show(required.peak_effort), show(required.continuous_effort), show(required.speed),
               show(required.power)});
  }
  return table.write();
}

Json peak_time_json(const std::optional<OperatingPoint>& peak) { return peak ? Json(peak->t) : Json(nullptr); }

Json demand_json(const JointDemand& joint, double safety) {
  const ActuatorDemand& demand = joint.demand;
  const OperatingPoint &effort = demand.peak_effort, &speed = demand.peak_speed, corner = demand.corner();
  const Required required = require(demand, safety);
  return {
      {"name", joint.name},
      {"driven", demand.driven},
      {"units", {{"effort", unit_of("tau", joint.kind)}, {"speed", unit_of("v", joint.kind)}}},
      {"effort",
       {{"peak", std::abs(effort.effort)},
        {"peak_t", effort.t},
        {"speed_at_peak", effort.speed},
        {"rms", demand.rms_effort}}},
      {"speed",
       {{"peak", std::abs(speed.speed)},
        {"peak_t", speed.t},
        {"effort_at_peak", speed.effort},
        {"mean", demand.mean_speed}}},
      {"power",
       {{"peak", demand.peak_power ? demand.peak_power->power() : 0.0},
        {"peak_t", peak_time_json(demand.peak_power)},
        {"braking", demand.peak_braking ? -demand.peak_braking->power() : 0.0},
        {"braking_t", peak_time_json(demand.peak_braking)},
        {"mean_abs", demand.mean_power}}},
      {"corner", {{"t", corner.t}, {"effort", corner.effort}, {"speed", corner.speed}, {"power", corner.power()}}},
      {"energy", {{"delivered", demand.delivered}, {"absorbed", demand.absorbed}}},
      {"range", demand.range ? Json{demand.range->first, demand.range->second} : Json(nullptr)},
      {"required",
       {{"peak_effort", required.peak_effort},
        {"continuous_effort", required.continuous_effort},
        {"speed", required.speed},
        {"power", required.power}}},
  };
}

ChartPanel envelope_panel(const JointDemand& joint) {
  const ActuatorDemand& demand = joint.demand;
  const OperatingPoint corner = demand.corner();
  const PlotPoint end = demand.envelope.back();
  std::vector<PlotPoint> region = demand.envelope;
  region.insert(region.begin(), {0, 0});
  ChartPanel panel{.title = joint.name};
  panel.x = {"|v|", unit_of("v", joint.kind), {}};
  panel.y = {"|τ|", unit_of("tau", joint.kind), {}};
  // From zero, with room for the largest values and the markers on them.
  constexpr double kLargest = std::numeric_limits<double>::max();
  panel.x.range = AxisRange{0, end.x > 0 ? std::min(1.08 * end.x, kLargest) : 1};
  panel.y.range = AxisRange{0, std::min(1.12 * demand.envelope.front().y, kLargest)};
  panel.series.push_back({"envelope", "", 4, SeriesShape::region, region});
  panel.series.push_back({"rows of the trace", "", 0, SeriesShape::dots, joint.cloud});
  panel.series.push_back({"continuous (RMS) effort",
                          fmt::format("RMS effort {}", show(demand.rms_effort)),
                          14,
                          SeriesShape::line,
                          {{0, demand.rms_effort}, {panel.x.range->hi, demand.rms_effort}}});
  panel.series.push_back({"largest power",
                          fmt::format("{} W at t = {} s", show(std::abs(corner.power())), show(corner.t)),
                          1,
                          SeriesShape::marker,
                          {{std::abs(corner.speed), std::abs(corner.effort)}}});
  return panel;
}

std::string describe_envelope(const JointDemand& joint) {
  const ActuatorDemand& demand = joint.demand;
  return fmt::format(" {}: up to {} {} and {} {}, largest power {} W.", joint.name,
                     show(std::abs(demand.peak_effort.effort)), unit_of("tau", joint.kind),
                     show(std::abs(demand.peak_speed.speed)), unit_of("v", joint.kind),
                     show(std::abs(demand.corner().power())));
}

}  // namespace

SizingReport size_actuators(const std::filesystem::path& trace, bool with_cloud) {
  const TraceFiles files = find_trace(trace);
  TraceReader reader(files.states);
  const auto sliding = files.summary.empty() ? std::nullopt : read_sliding_joints(files.summary);
  const std::vector<MotionKind> kinds = find_motion_kinds(reader.columns(), sliding);
  std::vector<MeteredDof> dofs = find_dofs(reader.columns(), kinds, {files.states.string(), 1, 0});
  read_demands(reader, dofs, with_cloud);

  SizingReport report{.name = name_of_run(files.states)};
  for (const MeteredDof& dof : dofs) {
    report.joints.push_back({dof.name, dof.kind, dof.meter.demand(), dof.cloud.points()});
  }
  report.duration = report.joints.front().demand.duration;
  if (!(report.duration > 0)) {
    throw InputError({files.states.string(), 0, 0}, "the rows span no time, so that there is nothing to size");
  }
  if (reader.has_cut_end()) {
    report.notes.push_back(fmt::format("{}: note: the last line is cut and was left out", files.states.string()));
  }
  return report;
}

std::string sizing_text(const SizingReport& report, double safety) {
  std::string out = fmt::format("{}: actuators over {:.6g} s\n", report.name, report.duration);
  for (const MotionKind kind : {MotionKind::turning, MotionKind::sliding, MotionKind::not_known}) {
    std::vector<const JointDemand*> joints;
    for (const JointDemand& joint : report.joints) {
      if (joint.kind == kind) joints.push_back(&joint);
    }
    if (joints.empty()) continue;
    const Units units = units_of(kind);
    if (kind == MotionKind::not_known) {
      out += "\nThe trace does not say which of these joints turn (N m, rad/s) and which slide (N, m/s).\n";
    }
    out += fmt::format("\n{}: effort, speed and range\n\n{}", units.title, motion_table(joints, units));
    const bool is_driven = std::any_of(joints.begin(), joints.end(), [](auto* joint) { return joint->demand.driven; });
    if (!is_driven) continue;
    out += fmt::format("\n{}: power and energy\n\n{}", units.title, power_table(joints, units));
    out += fmt::format("\n{}: required of the actuators, {:g} times the run\n\n{}", units.title, safety,
                       required_table(joints, units, safety));
  }
  return out;
}

std::string sizing_json(const SizingReport& report, double safety) {
  Json joints = Json::array();
  for (const JointDemand& joint : report.joints) joints.push_back(demand_json(joint, safety));
  const Json out = {{"name", report.name}, {"duration", report.duration}, {"safety", safety}, {"joints", joints}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string plot_envelopes(const SizingReport& report) {
  Chart chart{.name = "Effort against speed, " + report.name,
              .description = "Effort against speed, both without sign."};
  for (const JointDemand& joint : report.joints) {
    if (!joint.demand.driven || chart.panels.size() == kMostEnvelopePanels) continue;
    chart.panels.push_back(envelope_panel(joint));
    chart.description += describe_envelope(joint);
  }
  if (chart.panels.empty())
    throw InputError({report.name, 0, 0}, "no joint is driven, so that there is nothing to plot");
  chart.columns = chart.panels.size() == 1 ? 1 : chart.panels.size() <= 4 ? 2 : 3;
  return draw_svg(chart);
}

}  // namespace thenar
