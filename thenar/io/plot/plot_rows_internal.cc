// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/plot_rows_internal.h"

#include <algorithm>
#include <array>

#include "thenar/base/numbers.h"
#include "thenar/base/text.h"

namespace thenar::internal {
namespace {

/// What a contact has in a row in which it is apart.
enum class Apart { zero, none };

/// A column of contacts.csv.
struct PlottedQuantity {
  const char *name, *unit;
  double (*find)(const Contact&);
  Apart apart;
};

constexpr std::array<PlottedQuantity, 13> kQuantities{{
    {"gap", "m", [](const Contact& c) { return c.gap; }, Apart::none},
    {"fN", "N", [](const Contact& c) { return c.force_on_A.normal; }, Apart::zero},
    {"fT", "N", [](const Contact& c) { return c.force_on_A.along_T; }, Apart::zero},
    {"fU", "N", [](const Contact& c) { return c.force_on_A.along_U; }, Apart::zero},
    {"torsion", "N m", [](const Contact& c) { return c.force_on_A.torsion; }, Apart::zero},
    {"vT", "m/s", [](const Contact& c) { return c.slip[0]; }, Apart::none},
    {"vU", "m/s", [](const Contact& c) { return c.slip[1]; }, Apart::none},
    {"uA1", "", [](const Contact& c) { return c.u_A[0]; }, Apart::none},
    {"uA2", "", [](const Contact& c) { return c.u_A[1]; }, Apart::none},
    {"uB1", "", [](const Contact& c) { return c.u_B[0]; }, Apart::none},
    {"uB2", "", [](const Contact& c) { return c.u_B[1]; }, Apart::none},
    {"psi", "rad", [](const Contact& c) { return c.psi; }, Apart::none},
    {"margin", "", [](const Contact& c) { return c.margin; }, Apart::none},
}};

double find_value(const PlottedQuantity& quantity, const Contact& contact) {
  const bool is_held = contact.mode != ContactMode::open;
  if (is_held || std::string_view(quantity.name) == "gap") return quantity.find(contact);
  return quantity.apart == Apart::zero ? 0 : kNotANumber;
}

/// Places are not drawn, and contacts only if asked for.
TraceFiles keep_needed(TraceFiles files, bool with_contacts) {
  files.contact_frames.clear();
  if (!with_contacts) files.contacts.clear();
  return files;
}

}  // namespace

bool is_about_contacts(const std::string& pattern) {
  const std::size_t dot = pattern.find('.');
  if (dot == std::string::npos) return false;
  const std::string quantity = pattern.substr(0, dot);
  for (const char* name : {"q", "v", "tau"}) {
    if (matches_glob(quantity, name)) return false;
  }
  return std::any_of(kQuantities.begin(), kQuantities.end(),
                     [&](const PlottedQuantity& known) { return matches_glob(quantity, known.name); });
}

std::string unit_of_contacts(std::string_view quantity) {
  for (const PlottedQuantity& known : kQuantities) {
    if (quantity == known.name) return known.unit;
  }
  return {};
}

PlotRows::PlotRows(const TraceFiles& files, bool with_contacts) : rows_(keep_needed(files, with_contacts)) {
  const std::size_t state_count = state_columns().size();
  if (with_contacts && !files.contacts.empty()) {
    contact_columns_.push_back("t");
    ContactTraceReader lines(files.contacts);
    while (lines.next()) {
      const std::string& name = lines.contact().name;
      if (!first_columns_.emplace(name, state_count + contact_columns_.size()).second) continue;
      for (const PlottedQuantity& quantity : kQuantities) contact_columns_.push_back(quantity.name + ("." + name));
    }
  }
  row_.resize(state_count + contact_columns_.size());
}

bool PlotRows::next() {
  if (!rows_.next()) return false;
  const std::span<const double> states = rows_.states().row();
  auto rest = std::copy(states.begin(), states.end(), row_.begin());
  if (contact_columns_.empty()) return true;
  *rest++ = states[0];
  for (std::size_t i = 0; rest != row_.end(); ++rest, ++i) {
    *rest = kQuantities[i % kQuantities.size()].apart == Apart::zero ? 0 : kNotANumber;
  }
  for (const Contact& contact : rows_.contacts()) {
    const std::size_t first = first_columns_.at(contact.name);
    for (std::size_t i = 0; i < kQuantities.size(); ++i) row_[first + i] = find_value(kQuantities[i], contact);
  }
  return true;
}

}  // namespace thenar::internal
