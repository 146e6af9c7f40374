// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/report/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include "thenar/base/diagnostic.h"
#include "thenar/io/plot/svg_text_internal.h"
#include "thenar/io/report/replay_bundle_internal.h"
#include "thenar/io/report/report_data_internal.h"
#include "thenar/io/report/report_template_internal.h"
#include "thenar/io/text/replace_file.h"
#include "thenar/io/text/text_file.h"

namespace thenar {
namespace {

using internal::escape_xml;
using internal::ReportContact;
using internal::ReportData;
using internal::ReportMark;
using internal::ReportPanel;
using internal::ReportSegment;
using internal::ReportSeries;
using internal::ReportSummary;

/// Lanes are drawn this wide and stretched to the page.
constexpr double kLaneWidth = 1000;
constexpr int kStyledColours = 8;  // As in the style; beyond them dashes.

constexpr std::array kModes{ContactMode::stick, ContactMode::roll, ContactMode::slide, ContactMode::spin,
                            ContactMode::open};
constexpr std::array kVerdicts{Verdict::unique, Verdict::unique_motion, Verdict::several, Verdict::none,
                               Verdict::undecided};

/// A time of the run in the units of a lane.
double lane_x(const ReportData& data, double t) {
  return kLaneWidth * std::clamp((t - data.time.lo) / (data.time.hi - data.time.lo), 0.0, 1.0);
}

/// A number with all digits, for the script.
std::string exact(double value) {
  std::string out;
  append_number(value, out);
  return out;
}

std::string plural(long long count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string style_class(int style) {
  return fmt::format("s{} d{}", style % kStyledColours, style / kStyledColours % 3);
}

// Heading.

void add_fact(const char* name, const std::string& value, std::string& out) {
  out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escape_xml(value));
}

void add_run_facts(const ReportData& data, std::string& out) {
  const ReportSummary& s = data.summary;
  const double duration = data.time.hi - data.time.lo;
  add_fact("computing",
           s.wall_s > 0 ? fmt::format("{:.3g} s, {:.3g} × real time", s.wall_s, duration / s.wall_s)
                        : fmt::format("{:.3g} s", s.wall_s),
           out);
  std::string steps = fmt::format("{} {}", s.steps, s.integrator);
  if (s.engine == "step") {
    steps = fmt::format("{} of one length, worst grade {:.2g}", s.steps, s.worst_grade);
    if (s.flagged_steps > 0) add_fact("flagged: no good answer", fmt::format("{} steps", s.flagged_steps), out);
  }
  if (s.implicit_steps > 0) steps += fmt::format(", {} implicit", s.implicit_steps);
  if (s.rejected_steps > 0) steps += fmt::format(", {} rejected", s.rejected_steps);
  add_fact("steps", steps, out);
}

std::string describe_contacts(const ReportData& data) {
  const auto held = std::count_if(data.contacts.begin(), data.contacts.end(),
                                  [](const ReportContact& contact) { return contact.is_ever_held; });
  return fmt::format("{} held, {} only near", held, data.contacts_only_near);
}

void add_heading(const ReportData& data, std::string& out) {
  const ReportSummary& s = data.summary;
  const std::string status = s.is_there ? s.status : "no summary";
  out += fmt::format("<header>\n<h1>{}</h1>\n<span class=\"status {}\">{}</span>\n", escape_xml(s.name),
                     status == "done" ? "good" : "bad", escape_xml(status));
  if (!s.reason.empty()) out += fmt::format("<p class=\"reason\">{}</p>\n", escape_xml(s.reason));
  if (!s.is_there) out += "<p class=\"reason\">The run did not end by itself; this is what it left behind.</p>\n";
  out += "<dl class=\"facts\">\n";
  add_fact("time", fmt::format("{:.6g} s to {:.6g} s", data.time.lo, data.time.hi), out);
  add_fact("rows", fmt::format("{}", data.rows), out);
  if (s.is_there) add_run_facts(data, out);
  if (data.has_contacts) add_fact("contacts", describe_contacts(data), out);
  add_fact("events", fmt::format("{}", data.event_count), out);
  if (s.is_there)
    add_fact("farthest beyond a surface or stop", fmt::format("{:.3g} m or rad", s.max_gap_violation), out);
  if (data.energy_error) add_fact("energy off by at most", fmt::format("{:.3g} J", *data.energy_error), out);
  out += "</dl>\n";
  for (const std::string& note : data.notes) out += fmt::format("<p class=\"note\">{}</p>\n", escape_xml(note));
  out += "</header>\n";
}

// Replay.

void add_replay(const ReportData& data, std::string& out) {
  if (data.motion.empty()) return;
  if (internal::kReplayParts.empty()) {
    out +=
        "<p class=\"note\">There is no replay: this Thenar was built without npm (docs/dependencies.md says how to "
        "have "
        "it).</p>\n";
    return;
  }
  out += "<section id=\"replay\"></section>\n";
}

void add_scripts(const ReportData& data, std::string& out) {
  const auto add = [&](std::span<const std::string_view> parts) {
    out += "<script>//<![CDATA[\n";
    for (const std::string_view part : parts) out += part;
    out += "\n//]]></script>\n";
  };
  add({&internal::kReportScript, 1});
  if (data.motion.empty() || internal::kReplayParts.empty()) return;
  out += fmt::format("<script type=\"application/json\" id=\"motion\">{}</script>\n", data.motion);
  add(internal::kReplayParts);
}

// Lanes.

/// `style` is that of the lines that belong to the row, or negative.
void open_row(const char* kind, const std::string& label, int style, std::string& out) {
  out += fmt::format("<div class=\"row {}\"><div class=\"label\" title=\"{}\">", kind, escape_xml(label));
  if (style >= 0) out += fmt::format("<i class=\"{}\"></i>", style_class(style));
  out += fmt::format("{}</div>", escape_xml(label));
}

void open_lane(const std::string& description, std::string& out) {
  out += fmt::format(
      "<svg class=\"lane\" viewBox=\"0 0 {} 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">\n",
      kLaneWidth, escape_xml(description));
}

void add_segment(const ReportData& data, const ReportSegment& segment, const char* kind, std::string& out) {
  const double from = lane_x(data, segment.from), width = lane_x(data, segment.to) - from;
  const std::string rest = segment.is_hatched ? ", not determinate" : "";
  out += fmt::format(
      "<g class=\"{0} {0}-{1}\" data-from=\"{2}\" data-to=\"{3}\" data-word=\"{1}{4}\">"
      "<title>{1}{4}, {5:.6g} s to {6:.6g} s</title>"
      "<rect x=\"{7:.5f}\" y=\"0\" width=\"{8:.5f}\" height=\"10\"/>",
      kind, escape_xml(segment.word), exact(segment.from), exact(segment.to), rest, segment.from, segment.to, from,
      width);
  if (segment.is_hatched) {
    out += fmt::format("<rect class=\"loose\" x=\"{:.5f}\" y=\"7.5\" width=\"{:.5f}\" height=\"2.5\"/>", from, width);
  }
  out += "</g>\n";
}

void add_segments(const ReportData& data, const std::string& label, int style,
                  const std::vector<ReportSegment>& segments, const char* kind, std::string& out) {
  open_row(kind, label, style, out);
  open_lane(label + " over time", out);
  for (const ReportSegment& segment : segments) add_segment(data, segment, kind, out);
  out += "</svg><div class=\"read\"></div></div>\n";
}

std::string describe(const ReportMark& mark) {
  std::string text = fmt::format("{} at t = {:.9g} s", mark.first.kind, mark.first.t);
  if (!mark.first.where.empty()) text += "\n" + mark.first.where;
  if (!mark.first.cause.empty()) text += ": " + mark.first.cause;
  if (mark.count > 1) text += fmt::format("\nand {} more until t = {:.9g} s", mark.count - 1, mark.last);
  return text;
}

void add_marks(const ReportData& data, const std::string& kind, const std::vector<ReportMark>& marks,
               std::string& out) {
  open_row("marks", kind, -1, out);
  open_lane("events of kind " + kind, out);
  for (const ReportMark& mark : marks) {
    out += fmt::format(
        "<g class=\"mark\" data-event=\"{}\"><title>{}</title><path class=\"hit\" d=\"M{:.5f} 0v10\"/>"
        "<path class=\"tick\" d=\"M{:.5f} 0v10\"/></g>\n",
        mark.index, escape_xml(describe(mark)), lane_x(data, mark.first.t), lane_x(data, mark.first.t));
  }
  out += fmt::format("</svg><div class=\"read count\">{}</div></div>\n", plural(data.counts.at(kind), "event"));
}

void add_key(const char* kind, const char* word, const char* label, std::string& out) {
  out += fmt::format("<span class=\"key\"><i class=\"{0} {0}-{1}\"></i>{2}</span>\n", kind, word, label);
}

/// The colours of modes and verdicts that occur.
void add_legend(const ReportData& data, std::string& out) {
  const auto occurs = [](const std::vector<ReportSegment>& segments, const char* word) {
    return std::any_of(segments.begin(), segments.end(), [&](const ReportSegment& s) { return s.word == word; });
  };
  out += "<div class=\"keys\"><b>mode</b>";
  for (const ContactMode mode : kModes) add_key("mode", to_string(mode), to_string(mode), out);
  if (!data.verdicts.empty()) {
    out += "<b>verdict</b>";
    for (const Verdict verdict : kVerdicts) {
      const char* word = to_string(verdict);
      if (occurs(data.verdicts, word)) add_key("verdict", word, word, out);
    }
    add_key("verdict", "loose", "not determinate", out);
  }
  out += "</div>\n";
}

void add_lanes(const ReportData& data, std::string& out) {
  if (!data.verdicts.empty()) add_segments(data, "verdict", -1, data.verdicts, "verdict", out);
  for (const ReportContact& contact : data.contacts) {
    add_segments(data, contact.name, contact.style, contact.segments, "mode", out);
  }
  if (data.contacts_left_out > 0) {
    out += fmt::format("<p class=\"note\">{} more are in contacts.csv.</p>\n",
                       plural(static_cast<long long>(data.contacts_left_out), "contact"));
  }
  for (const auto& [kind, marks] : data.marks) add_marks(data, kind, marks, out);
}

// Panels.

void add_panel(const ReportPanel& panel, std::size_t index, std::string& out) {
  out += fmt::format(
      "<div class=\"row chart\" data-panel=\"{}\"><div class=\"label\" title=\"{}\">{}"
      "<small data-unit=\"{}\">{}</small></div><svg class=\"plot\" role=\"img\" aria-label=\"{}\"></svg>"
      "<div class=\"lines\">\n",
      index, escape_xml(panel.hint), escape_xml(panel.title), escape_xml(panel.unit), escape_xml(panel.unit),
      escape_xml(panel.title + " over time: " + panel.hint));
  for (const ReportSeries& series : panel.series) {
    out += fmt::format(
        "<button type=\"button\" class=\"line {}\" title=\"{}\"><i></i><span>{}</span><output></output>"
        "</button>\n",
        style_class(series.style), escape_xml(series.name), escape_xml(series.name));
  }
  if (panel.left_out > 0) out += fmt::format("<p class=\"note\">and {} more in the trace</p>\n", panel.left_out);
  out += "</div></div>\n";
}

void append_list(const char* name, const std::vector<PlotPoint>& points, double PlotPoint::*part, int digits,
                 std::string& out) {
  out += fmt::format("\"{}\":[", name);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) out += ',';
    const double value = points[i].*part;
    if (std::isfinite(value)) {
      fmt::format_to(std::back_inserter(out), "{:.{}g}", value, digits);
    } else {
      out += "null";
    }
  }
  out += ']';
}

/// The numbers of all lines. There is no text in it, and thus nothing to escape.
void add_numbers(const ReportData& data, std::string& out) {
  out += fmt::format("<script type=\"application/json\" id=\"data\">{{\"from\":{},\"to\":{},\"panels\":[",
                     exact(data.time.lo), exact(data.time.hi));
  for (std::size_t i = 0; i < data.panels.size(); ++i) {
    out += i > 0 ? ",\n[" : "\n[";
    for (std::size_t k = 0; k < data.panels[i].series.size(); ++k) {
      const std::vector<PlotPoint>& points = data.panels[i].series[k].points;
      out += k > 0 ? ",\n{" : "{";
      append_list("x", points, &PlotPoint::x, 10, out);
      out += ',';
      append_list("y", points, &PlotPoint::y, 6, out);
      out += '}';
    }
    out += ']';
  }
  out += "]}</script>\n";
}

void add_stack(const ReportData& data, std::string& out) {
  if (data.has_contacts) add_legend(data, out);
  out += "<section id=\"stack\">\n";
  out +=
      "<div class=\"top\"><div class=\"row axis\"><div class=\"label\">time<small>s</small></div><svg class=\"time\" "
      "role=\"img\" aria-label=\"time axis\"></svg><div class=\"read\"><output id=\"now\"></output>"
      "<button type=\"button\" id=\"all\" hidden=\"hidden\">whole run</button></div></div>"
      "<div id=\"told\">Move over the plots to read values. Click keeps the time, drag zooms, double-click shows the "
      "whole run. Arrow keys go from event to event.</div></div>\n";
  add_lanes(data, out);
  for (std::size_t i = 0; i < data.panels.size(); ++i) add_panel(data.panels[i], i, out);
  out +=
      "<div id=\"cursor\" hidden=\"hidden\"></div><div id=\"band\" hidden=\"hidden\"></div>\n"
      "<noscript><p class=\"note\">The lines are drawn by a script in this page, which this viewer does not "
      "run.</p></noscript>\n</section>\n";
}

// Events.

void add_event_filter(const ReportData& data, std::string& out) {
  out += "<div class=\"filter\">";
  for (const auto& [kind, count] : data.counts) {
    out += fmt::format("<label><input type=\"checkbox\" checked=\"checked\" value=\"{0}\"/> {0} <b>{1}</b></label>\n",
                       escape_xml(kind), count);
  }
  out +=
      "<input type=\"search\" id=\"find\" placeholder=\"where or why\" aria-label=\"filter events by text\"/></div>\n";
}

void add_events(const ReportData& data, std::string& out) {
  out += "<section id=\"events\">\n<h2>Events</h2>\n";
  if (data.events.empty()) {
    out += "<p>None.</p>\n</section>\n";
    return;
  }
  add_event_filter(data, out);
  out +=
      "<div class=\"scroll\"><table>\n<thead><tr><th class=\"t\">t (s)</th><th>kind</th><th>where</th><th>why</th>"
      "</tr></thead>\n<tbody>\n";
  for (const TraceEvent& event : data.events) {
    out += fmt::format(
        "<tr data-t=\"{}\" data-kind=\"{}\" tabindex=\"0\"><td class=\"t\">{:.9g}</td><td>{}</td>"
        "<td>{}</td><td>{}</td></tr>\n",
        exact(event.t), escape_xml(event.kind), event.t, escape_xml(event.kind), escape_xml(event.where),
        escape_xml(event.cause));
  }
  out += "</tbody></table></div>\n";
  if (const long long more = data.event_count - static_cast<long long>(data.events.size()); more > 0) {
    out += fmt::format("<p class=\"note\">{} more are in events.jsonl.</p>\n", plural(more, "event"));
  }
  out += "</section>\n";
}

}  // namespace

std::string make_report(const std::filesystem::path& folder) {
  const ReportData data = internal::read_report_data(folder);
  // Well-formed XML as well as HTML, so that any tool can read it.
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<meta name=\"generator\" content=\"Thenar\"/>\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
      escape_xml(data.summary.name), internal::kReportStyle);
  add_heading(data, out);
  add_replay(data, out);
  if (!data.story.empty()) out += fmt::format("<p class=\"story\">{}</p>\n", escape_xml(data.story));
  add_stack(data, out);
  add_events(data, out);
  add_numbers(data, out);
  add_scripts(data, out);
  return out + "</body>\n</html>\n";
}

std::filesystem::path write_report(const std::filesystem::path& folder) {
  const std::filesystem::path path = find_trace(folder).states.parent_path() / "report.html";
  replace_file(path, make_report(folder));
  return path;
}

}  // namespace thenar
