// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/report/report_lines_internal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "thenar/base/numbers.h"

namespace thenar::internal {
namespace {

/// A quantity of contacts that has a panel.
struct ReportedQuantity {
  const char *title, *unit, *hint;
  double (*find)(const Contact&);
  bool is_zero_apart;  // A contact without a line in a row has this quantity zero, rather than none.
};

constexpr std::array<ReportedQuantity, 5> kContactQuantities{{
    {"normal force", "N", "force of each contact along its normal",
     [](const Contact& c) { return c.force_on_A.normal; }, true},
    {"friction force", "N", "size of the tangential force of each contact",
     [](const Contact& c) { return std::hypot(c.force_on_A.along_T, c.force_on_A.along_U); }, true},
    {"friction margin", "",
     "smallest relative change of the normal force that brings the force to its cone; −1 while sliding, none while "
     "open",
     [](const Contact& c) { return c.mode == ContactMode::open ? kNotANumber : c.margin; }, false},
    {"gap", "m", "distance of the bodies, negative where they are inside each other; only within the margin",
     [](const Contact& c) { return c.gap; }, false},
    {"slip speed", "m/s", "size of the relative tangential velocity of each contact",
     [](const Contact& c) { return std::hypot(c.slip[0], c.slip[1]); }, true},
}};

/// The word for a quantity of states.csv.
std::string title_of(std::string_view quantity) {
  return quantity == "q" ? "position" : quantity == "v" ? "velocity" : "effort";
}

std::string hint_of(std::string_view quantity) {
  return quantity == "q"   ? "positions of joints and bodies"
         : quantity == "v" ? "velocities of joints and bodies"
                           : "efforts of the actuators; those that are zero throughout are left out";
}

}  // namespace

ContactLines::ContactLines(std::vector<ReportContact>& contacts, std::size_t bins) {
  for (const bool is_held : {true, false}) {
    for (ReportContact& contact : contacts) {
      if (contact.is_ever_held != is_held || tracks_.size() == kMostLines) continue;
      contact.style = static_cast<int>(tracks_.size());
      indices_.emplace(contact.name, tracks_.size());
      tracks_.push_back({contact.name, std::vector(kContactQuantities.size(), LineBuilder(bins))});
    }
  }
  left_out_ = contacts.size() - tracks_.size();
}

std::size_t ContactLines::count_lines(const std::vector<ReportContact>& contacts) {
  return std::min(contacts.size(), kMostLines) * kContactQuantities.size();
}

void ContactLines::take(const Contact& contact, double t) {
  const auto found = indices_.find(contact.name);
  if (found == indices_.end()) return;
  Track& track = tracks_[found->second];
  track.is_there = true;
  for (std::size_t k = 0; k < kContactQuantities.size(); ++k) {
    const double value = kContactQuantities[k].find(contact);
    if (std::isnan(value)) track.lines[k].break_line();
    if (!std::isnan(value)) track.lines[k].add(t, value);
  }
}

void ContactLines::end_row(double t) {
  for (Track& track : tracks_) {
    for (std::size_t k = 0; !track.is_there && k < kContactQuantities.size(); ++k) {
      if (kContactQuantities[k].is_zero_apart) {
        track.lines[k].add(t, 0);
      } else {
        track.lines[k].break_line();
      }
    }
    track.is_there = false;
  }
}

void ContactLines::build(std::vector<ReportPanel>& out) const {
  for (std::size_t k = 0; k < kContactQuantities.size() && !tracks_.empty(); ++k) {
    const ReportedQuantity& quantity = kContactQuantities[k];
    ReportPanel panel{quantity.title, quantity.unit, quantity.hint};
    panel.left_out = left_out_;
    for (const Track& track : tracks_) {
      panel.series.push_back({track.name, static_cast<int>(panel.series.size()), track.lines[k].points()});
    }
    out.push_back(std::move(panel));
  }
}

StateLines::StateLines(std::span<const std::string> columns, std::span<const MotionKind> kinds) {
  std::vector<std::size_t> counts;
  std::unordered_map<std::string, int> styles;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const auto [quantity, dof] = split_column(columns[i]);
    if (kinds[i] == MotionKind::number || kinds[i] == MotionKind::no_coordinate) continue;
    const std::size_t panel = find_panel(std::string(quantity), unit_of(quantity, kinds[i]));
    counts.resize(panels_.size());
    if (counts[panel]++ >= kMostLines) {
      ++panels_[panel].left_out;
      continue;
    }
    const int style = styles.emplace(dof, static_cast<int>(styles.size())).first->second;
    lines_.push_back({i, panel, std::string(dof), style, LineBuilder(1), true});
  }
}

std::size_t StateLines::find_panel(const std::string& quantity, const std::string& unit) {
  const std::string title = title_of(quantity);
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (panels_[i].title == title && panels_[i].unit == unit) return i;
  }
  panels_.push_back({title, unit, hint_of(quantity)});
  return panels_.size() - 1;
}

void StateLines::set_bins(std::size_t bins) {
  for (Line& line : lines_) line.builder = LineBuilder(bins);
}

void StateLines::take(std::span<const double> row) {
  for (Line& line : lines_) {
    line.builder.add(row[0], row[line.column]);
    line.is_zero &= row[line.column] == 0;
  }
}

void StateLines::build(std::vector<ReportPanel>& out) const {
  std::vector<ReportPanel> panels = panels_;
  for (const Line& line : lines_) {
    ReportPanel& panel = panels[line.panel];
    if (line.is_zero && panel.title == "effort") continue;
    panel.series.push_back({line.name, line.style, line.builder.points()});
  }
  for (ReportPanel& panel : panels) {
    if (!panel.series.empty()) out.push_back(std::move(panel));
  }
}

void EnergyLines::take(std::span<const double> row) {
  const double t = row[0], kinetic = row[1], potential = row[2] + row[5];
  const double supplied = row[3] - row[4] + row[6] + (row.size() > 7 ? row[7] : 0);
  const double total = kinetic + potential;
  if (!has_start_) start_ = total - supplied;
  has_start_ = true;
  const double error = total - start_ - supplied;
  largest_error_ = std::max(largest_error_, std::abs(error));
  const std::array<double, kCount> values{kinetic, potential, total, supplied, error};
  for (std::size_t i = 0; i < kCount; ++i) lines_[i].add(t, values[i]);
}

void EnergyLines::build(std::vector<ReportPanel>& out) const {
  if (!has_start_) return;
  constexpr std::array kNames{"kinetic", "potential", "total", "supplied", "balance error"};
  ReportPanel energy{
      "energy", "J",
      "kinetic and potential energy, that of compliant layers included, and what was supplied since the start"};
  for (std::size_t i = 0; i + 1 < kCount; ++i) {
    energy.series.push_back({kNames[i], static_cast<int>(i), lines_[i].points()});
  }
  ReportPanel error{"balance error", "J",
                    "total energy less that of the start and what was supplied since: work, less what was "
                    "dissipated, and what contacts that changed their model and corrected positions have put in"};
  error.series.push_back({kNames.back(), static_cast<int>(kCount) - 1, lines_.back().points()});
  out.push_back(std::move(energy));
  out.push_back(std::move(error));
}

}  // namespace thenar::internal
