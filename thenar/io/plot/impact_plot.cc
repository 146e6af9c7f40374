// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "thenar/io/answer/impact_report.h"
#include "thenar/io/plot/svg_plot.h"

namespace thenar {
namespace {

/// The path under one law.
struct DrawnPath {
  ImpactLaw law;
  std::vector<ImpactPathPoint> points;
  PointImpactResult result;
};

const ImpactContact& find_hardest(const ImpactInstant& instant) {
  const auto hardest =
      std::min_element(instant.contacts.begin(), instant.contacts.end(),
                       [](const ImpactContact& a, const ImpactContact& b) { return a.velocity(0) < b.velocity(0); });
  if (hardest == instant.contacts.end() || !(instant.problem.rows.b()(hardest->row) < 0)) {
    throw std::invalid_argument("no contact is struck, so that there is no path to draw");
  }
  return *hardest;
}

/// Laws follow one path and end at different places on it.
std::vector<DrawnPath> follow_laws(const PointImpact& impact) {
  std::vector<DrawnPath> out;
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge}) {
    DrawnPath path{law, {}, {}};
    path.result = solve_point_impact(impact, law, {.path = &path.points});
    out.push_back(std::move(path));
  }
  return out;
}

const DrawnPath& find_longest(const std::vector<DrawnPath>& paths) {
  return *std::max_element(paths.begin(), paths.end(),
                           [](const DrawnPath& a, const DrawnPath& b) { return a.result.P(0) < b.result.P(0); });
}

using Read = double (*)(const ImpactPathPoint&);

ChartSeries make_path_line(const std::string& label, int style, const DrawnPath& path, Read x, Read y) {
  ChartSeries out{.label = label, .style = style};
  for (const ImpactPathPoint& point : path.points) out.points.push_back({x(point), y(point)});
  return out;
}

/// The end of compression and those of the laws.
void add_path_marks(const std::vector<DrawnPath>& paths, Read x, Read y, ChartPanel& panel) {
  const auto add = [&](const std::string& name, int style, const ImpactPathPoint& place) {
    panel.series.push_back({.label = name,
                            .tooltip = name,
                            .style = style,
                            .shape = SeriesShape::marker,
                            .points = {{x(place), y(place)}}});
  };
  int style = 3;
  for (const PointImpactResult::Mark& mark : paths.front().result.marks) {
    if (mark.kind != ImpactMark::compression_end) continue;
    add("end of compression", style, mark.place);
    break;
  }
  for (const DrawnPath& path : paths) {
    ++style;
    add(to_string(path.law), style, {path.result.P, path.result.u});
  }
}

double P_N(const ImpactPathPoint& p) { return p.P(0); }
double P_T(const ImpactPathPoint& p) { return p.P(1); }
double P_U(const ImpactPathPoint& p) { return p.P(2); }
double u_N(const ImpactPathPoint& p) { return p.u(0); }
double u_T(const ImpactPathPoint& p) { return p.u(1); }
double u_U(const ImpactPathPoint& p) { return p.u(2); }

ChartPanel draw_impulses(const std::vector<DrawnPath>& paths, const PointImpact& impact) {
  const DrawnPath& longest = find_longest(paths);
  ChartPanel out{.title = "Impulse space", .x = {"normal impulse", "N s"}, .y = {"friction impulse", "N s"}};
  const double end = longest.result.P(0), most = impact.friction[0] * end;
  out.series.push_back({.label = "cone of friction", .style = 7, .points = {{end, most}, {0, 0}, {end, -most}}});
  out.series.push_back(make_path_line("P_T", 0, longest, P_N, P_T));
  if (impact.tangents >= 2) out.series.push_back(make_path_line("P_U", 1, longest, P_N, P_U));
  add_path_marks(paths, P_N, P_T, out);
  return out;
}

ChartPanel draw_slip(const std::vector<DrawnPath>& paths, const PointImpact& impact) {
  const DrawnPath& longest = find_longest(paths);
  const bool is_planar = impact.tangents < 2;
  ChartPanel out{.title = is_planar ? "Velocities" : "Slip hodograph",
                 .x = {"slip u_T", "m/s"},
                 .y = {is_planar ? "normal velocity u_N" : "slip u_U", "m/s"}};
  const Read y = is_planar ? u_N : u_U;
  out.series.push_back(make_path_line(is_planar ? "velocity" : "slip", 0, longest, u_T, y));
  add_path_marks(paths, u_T, y, out);
  return out;
}

ChartPanel draw_velocities(const std::vector<DrawnPath>& paths, const PointImpact& impact) {
  const DrawnPath& longest = find_longest(paths);
  ChartPanel out{.title = "On the way", .x = {"normal impulse", "N s"}, .y = {"relative velocity", "m/s"}};
  out.series.push_back(make_path_line("u_N", 2, longest, P_N, u_N));
  out.series.push_back(make_path_line("u_T", 0, longest, P_N, u_T));
  if (impact.tangents >= 2) out.series.push_back(make_path_line("u_U", 1, longest, P_N, u_U));
  return out;
}

}  // namespace

std::string plot_impact(const Scenario& scenario, const ImpactInstant& instant) {
  const ImpactContact& contact = find_hardest(instant);
  const PointImpact impact = isolate_point(instant.problem, contact.row);
  const std::vector<DrawnPath> paths = follow_laws(impact);
  Chart chart{.title = fmt::format("{}: impact of {}", scenario.name, contact.name),
              .description = fmt::format("Impulses and velocities of {} through its impact, as if it were alone, with "
                                         "friction {:.4g} and restitution {:.4g}; the laws of Newton, Poisson and "
                                         "Stronge end at different places of one path.",
                                         contact.name, contact.law.friction, contact.restitution),
              .width = 1080,
              .columns = 3};
  chart.panels = {draw_impulses(paths, impact), draw_slip(paths, impact), draw_velocities(paths, impact)};
  return draw_svg(chart);
}

}  // namespace thenar
