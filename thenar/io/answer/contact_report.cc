// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/answer/contact_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "thenar/io/text/json_internal.h"

namespace thenar {
namespace {

using internal::Json;

/// Rows of the table; a longer list is cut short and says so.
constexpr std::size_t kMostContactRows = 500;

const char* to_string(PatchKind kind) {
  switch (kind) {
    case PatchKind::points:
      return "points";
    case PatchKind::segment:
      return "segment";
    case PatchKind::polygon:
      return "polygon";
    case PatchKind::ring:
      return "ring";
  }
  return "";
}

/// Numbers for people: what rounding leaves of a zero is a zero.
double tidy(double x, double scale) { return std::abs(x) <= 1e-12 * scale ? 0.0 : x; }

std::string list_numbers(const Vec3<double>& v, double scale) {
  return fmt::format("{:>10.4g} {:>10.4g} {:>10.4g}", tidy(v.x, scale), tidy(v.y, scale), tidy(v.z, scale));
}

Json point_json(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

Json entry_json(const Model& model, const ContactReport::Entry& entry) {
  const FoundContact& contact = entry.contact;
  return {{"name", contact_name(model, contact)},     {"A", model.body(contact.body_A).name},
          {"B", model.body(contact.body_B).name},     {"gap", contact.gap},
          {"normal", point_json(contact.N)},          {"tangents", {point_json(contact.T), point_json(contact.U)}},
          {"point_A", point_json(contact.p_A)},       {"point_B", point_json(contact.p_B)},
          {"shapes", {entry.shape_A, entry.shape_B}}, {"features", {entry.feature_A, entry.feature_B}},
          {"patch", to_string(contact.patch)}};
}

}  // namespace

std::string describe_overlap(const Model& model, const StartOverlap& overlap) {
  return fmt::format("'{}' and '{}' overlap by {:.6g} m at the start", model.body(overlap.body_A).name,
                     model.body(overlap.body_B).name, overlap.depth);
}

std::string contact_report_text(const Model& model, const ContactReport& report) {
  std::vector<const ContactReport::Entry*> rows;
  for (const ContactReport::Entry& entry : report.entries) rows.push_back(&entry);
  const auto key = [&report](const ContactReport::Entry* entry) {
    const FoundContact& contact = entry->contact;
    return std::make_tuple(std::round(contact.gap / (1e-12 * report.size)), contact.body_A, contact.body_B,
                           contact.number);
  };
  std::sort(rows.begin(), rows.end(), [&key](const auto* a, const auto* b) { return key(a) < key(b); });
  rows.resize(std::min(rows.size(), kMostContactRows));

  std::size_t width = 7;
  for (const ContactReport::Entry* row : rows) width = std::max(width, contact_name(model, row->contact).size());
  std::string out;
  if (!rows.empty()) {
    out += fmt::format("  {:<{}}  {:>12}  {:^32}  {:^32}  {}\n", "contact", width, "gap (m)", "normal, from B into A",
                       "point of A (m)", "features of A, B");
  }
  for (const ContactReport::Entry* row : rows) {
    const FoundContact& contact = row->contact;
    out +=
        fmt::format("  {:<{}}  {:>12.6g}  {}  {}  {} {}, {} {}\n", contact_name(model, contact), width,
                    tidy(contact.gap, report.size), list_numbers(contact.N, 1), list_numbers(contact.p_A, report.size),
                    row->shape_A, row->feature_A, row->shape_B, row->feature_B);
  }
  if (rows.size() < report.entries.size()) {
    out += fmt::format("  ... and {} more\n", report.entries.size() - rows.size());
  }
  const auto plural = [](auto count) { return count == 1 ? "" : "s"; };
  out += fmt::format("  {} contact point{} within {:.6g} m; {} pair{} of bodies may touch, {} pair{} of shapes near\n",
                     report.entries.size(), plural(report.entries.size()), report.margin, report.pair_count,
                     plural(report.pair_count), report.near_pairs, plural(report.near_pairs));
  return out;
}

nlohmann::ordered_json contact_report_json(const Model& model, const ContactReport& report) {
  Json contacts = Json::array(), overlaps = Json::array();
  for (const ContactReport::Entry& entry : report.entries) contacts.push_back(entry_json(model, entry));
  for (const StartOverlap& overlap : report.overlaps) {
    overlaps.push_back(
        {{"A", model.body(overlap.body_A).name}, {"B", model.body(overlap.body_B).name}, {"depth", overlap.depth}});
  }
  return {{"margin", report.margin},
          {"pairs", report.pair_count},
          {"near_pairs", report.near_pairs},
          {"contacts", contacts},
          {"overlaps", overlaps}};
}

}  // namespace thenar
