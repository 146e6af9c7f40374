// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/start_contacts.h"

#include <algorithm>
#include <span>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar {
namespace {

ContactReport::Entry describe_contact(const ContactFinder& finder, const FoundContact& contact) {
  const auto shape = [&](int i) { return shape_name(finder.shapes()[static_cast<std::size_t>(i)].shape); };
  const auto feature = [&](int i, int number) { return feature_name(finder.core(i).core.kind, number); };
  return {contact, shape(contact.shape_A), shape(contact.shape_B), feature(contact.shape_A, contact.feature_A),
          feature(contact.shape_B, contact.feature_B)};
}

/// The deepest point of every two bodies, if it is deeper than `tolerance`. Contacts of two bodies follow each other.
std::vector<StartOverlap> find_overlaps(std::span<const FoundContact> contacts, double tolerance) {
  std::vector<StartOverlap> out;
  for (const FoundContact& contact : contacts) {
    if (-contact.gap <= tolerance) continue;
    if (out.empty() || out.back().body_A != contact.body_A || out.back().body_B != contact.body_B) {
      out.push_back({contact.body_A, contact.body_B, 0});
    }
    out.back().depth = std::max(out.back().depth, -contact.gap);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const StartOverlap& a, const StartOverlap& b) { return a.depth > b.depth; });
  return out;
}

}  // namespace

ContactReport report_contacts(const Scenario& scenario, std::optional<double> margin) {
  Workspace<double> workspace(scenario.model);
  update_positions(scenario.model, scenario.initial.q.data(), workspace);
  const ContactRules rules = scenario.contacts.value_or(ContactRules());
  ContactFinder finder(scenario.model, scenario.shapes, rules);
  ContactReport report;
  report.size = finder.calc_size(workspace);
  const ContactTolerances tolerances(report.size);
  report.margin = margin ? *margin : rules.margin.value_or(tolerances.default_margin());
  finder.update(workspace, report.margin);
  report.pair_count = finder.pair_count();
  report.near_pairs = finder.near_pair_count();
  report.overlaps = find_overlaps(finder.contacts(), tolerances.overlap());
  // What is compliant may begin pressed.
  const LawTable laws(scenario.model, rules);
  std::erase_if(report.overlaps, [&](const StartOverlap& overlap) {
    return laws.find_law(overlap.body_A, overlap.body_B).model == ContactModel::compliant;
  });
  for (const FoundContact& contact : finder.contacts()) report.entries.push_back(describe_contact(finder, contact));
  std::stable_sort(
      report.entries.begin(), report.entries.end(),
      [](const ContactReport::Entry& a, const ContactReport::Entry& b) { return a.contact.gap < b.contact.gap; });
  return report;
}

}  // namespace thenar
