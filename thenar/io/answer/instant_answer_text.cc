// SPDX-License-Identifier: BSD-3-Clause
/// Answers of an instant as text for people.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/io/answer/instant_answer.h"
#include "thenar/io/answer/instant_names_internal.h"
#include "thenar/io/text/text_table_internal.h"

namespace thenar {
namespace {

using internal::number_text;
using internal::Table;

std::string verdict_sentence(Verdict verdict, std::size_t answers, const std::string& reason) {
  switch (verdict) {
    case Verdict::unique:
      return "This is the only answer.";
    case Verdict::unique_motion:
      return "There is one motion. More forces than one bring it about; the smallest are shown.";
    case Verdict::several:
      return fmt::format("There are several answers with different motions{}.",
                         answers > 1 ? "" : ", which go over into each other");
    case Verdict::none:
      return "There is no answer: rigid bodies with Coulomb friction contradict each other here.";
    case Verdict::undecided:
      break;
  }
  const char* const what = answers == 0 ? "Whether there is an answer" : "Whether there are other answers";
  return fmt::format("{} is undecided: {}.", what, reason);
}

/// "stick", or "roll -> slide" where a contact changes what it does.
std::string transition_text(const InstantContact& contact, ContactMode next) {
  const ContactMode now = contact.now();
  const bool goes_on = now == next || (now == ContactMode::roll && next == ContactMode::stick);
  return goes_on ? to_next_word(next) : fmt::format("{} -> {}", to_next_word(now), to_next_word(next));
}

std::string percent_text(double part) {
  const double percent = 100 * part;
  return std::abs(percent) < 1e-6 ? "0 %" : fmt::format("{:.3g} %", percent);
}

std::string slip_margin_text(const std::optional<double>& slip, bool is_bound) {
  if (!slip) return "";
  return fmt::format("{}{} of its friction left", is_bound ? "at least " : "", percent_text(*slip));
}

std::string bracket_text(const ForceBracket& bracket, double scale) {
  if (std::isinf(bracket.most)) return fmt::format("f_N can be {} and more", number_text(bracket.least, scale));
  if (bracket.most - bracket.least <= 1e-9 * scale) return "";
  return fmt::format("f_N can be {} to {}", number_text(bracket.least, scale), number_text(bracket.most, scale));
}

std::string slide_text(const ContactMargins& margins) {
  if (!(margins.slip_speed > 0)) return fmt::format("begins at {:.4g} m/s2", margins.slip_rate);
  std::string out = fmt::format("{:.4g} m/s, {:+.4g} m/s2", margins.slip_speed, margins.slip_rate);
  if (margins.slip_rate < 0) out += fmt::format(", stops in about {:.3g} s", -margins.slip_speed / margins.slip_rate);
  return out;
}

/// Points of a patch slip when the patch does, which has a line of its own.
std::string hold_text(const ContactMargins& margins, bool has_patch, double scale) {
  std::string out = has_patch ? "" : slip_margin_text(margins.slip, margins.is_bound);
  if (!has_patch && margins.impending != std::array<double, 2>{}) {
    out += fmt::format(", then slips along ({:.3g}, {:.3g})", margins.impending[0] + 0.0, margins.impending[1] + 0.0);
  }
  const std::string bracket = bracket_text(margins.normal, scale);
  if (!bracket.empty()) out += (out.empty() ? "" : "; ") + bracket;
  return out;
}

/// How far it is to the next transition.
std::string margin_text(ContactMode mode, const ContactMargins& margins, bool has_patch, double scale) {
  switch (mode) {
    case ContactMode::open:
      return fmt::format("opens at {:.4g} m/s2", margins.opening);
    case ContactMode::slide:
    case ContactMode::spin:
      return slide_text(margins);
    case ContactMode::roll:
    case ContactMode::stick:
      break;
  }
  return hold_text(margins, has_patch, scale);
}

double largest_force(const InstantCell& cell) {
  double out = 0;
  for (const auto& force : cell.forces) {
    for (const double part : force) out = std::max(out, std::abs(part));
  }
  return out;
}

std::string contacts_text(const Instant& instant, const InstantCell& cell) {
  const double scale = largest_force(cell);
  const bool is_soft = std::any_of(instant.contacts.begin(), instant.contacts.end(),
                                   [](const InstantContact& contact) { return contact.tangent_rows[2] >= 0; });
  Table table(is_soft ? 6 : 5);
  std::vector<std::string> head{"contact", "next", "f_N/N", "f_T/N", "f_U/N"};
  if (is_soft) head.push_back("torsion/Nm");
  if (!cell.margins.empty()) head.push_back("how far from the next change");
  table.add(std::move(head));
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    std::vector<std::string> row{instant.contacts[i].name, transition_text(instant.contacts[i], cell.modes[i])};
    for (std::size_t k = 0; k < (is_soft ? 4 : 3); ++k) row.push_back(number_text(cell.forces[i][k], scale));
    const bool has_patch = std::any_of(instant.patches.begin(), instant.patches.end(), [&](const InstantPatch& patch) {
      return std::count(patch.contacts.begin(), patch.contacts.end(), static_cast<int>(i)) > 0;
    });
    if (!cell.margins.empty()) row.push_back(margin_text(cell.modes[i], cell.margins[i], has_patch, scale));
    table.add(std::move(row));
  }
  return table.text();
}

std::string patches_text(const Instant& instant, const InstantCell& cell) {
  if (cell.patches.empty()) return "";
  const double scale = largest_force(cell);
  Table table(8);
  table.add({"patch", "next", "f_N/N", "f_T/N", "f_U/N", "m_N/Nm", "m_T/Nm", "m_U/Nm", "points together"});
  for (std::size_t i = 0; i < cell.patches.size(); ++i) {
    const PatchAnswer& patch = cell.patches[i];
    std::vector<std::string> row{
        fmt::format("{} ({} points)", instant.patches[i].name, instant.patches[i].contacts.size()),
        to_string(patch.mode)};
    for (const double part : patch.force) row.push_back(number_text(part, scale));
    for (const double part : patch.moment) row.push_back(number_text(part, scale));
    row.push_back(slip_margin_text(patch.slip, patch.is_bound));
    table.add(std::move(row));
  }
  return table.text();
}

std::string accelerations_text(const Model& model, const Instant& instant, const InstantCell& cell) {
  const auto largest = [](const VectorX<double>& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; };
  const double scale = std::max(largest(cell.vdot), largest(instant.proof->vdot_free));
  Table table(1);
  table.add({"acceleration", "m/s2, rad/s2"});
  for (const Joint& joint : model.joints()) {
    if (joint.nv == 0) continue;
    std::string numbers;
    for (int k = 0; k < joint.nv; ++k) {
      if (k > 0) numbers += ", ";
      if (joint.nv > 1) numbers += internal::acceleration_part(joint, k) + " ";
      numbers += number_text(cell.vdot(joint.v_start + k), scale);
    }
    table.add({internal::acceleration_name(model, joint), numbers});
  }
  return table.text();
}

std::string list_text(const Instant& instant, const std::vector<int>& contacts) {
  std::string out;
  for (const int i : contacts) {
    out += (out.empty() ? "" : ", ") + instant.contacts[static_cast<std::size_t>(i)].name;
  }
  return out;
}

std::string rule_text(const Instant& instant, const StickFirst& rule) {
  std::string out;
  if (!rule.held.empty()) {
    out += fmt::format("Static friction, stick first: held by it {} {}.\n", rule.held.size() == 1 ? "is" : "are",
                       list_text(instant, rule.held));
  }
  if (!rule.released.empty()) {
    out += fmt::format("Static friction gives way at {}: kinetic friction there.\n", list_text(instant, rule.released));
  }
  return out;
}

std::string internal_forces_text(const ModeCell& cell) {
  if (cell.forces_unique || !cell.motion_unique) return {};
  const Eigen::Index count = cell.span.cols();
  return fmt::format("  {} internal force{} that move{} nothing: --json has them\n", count, count == 1 ? "" : "s",
                     count == 1 ? "s" : "");
}

std::string answer_head(std::size_t k, std::size_t count, bool motion_unique, bool forces_unique) {
  return fmt::format("\nAnswer{}{}\n", count > 1 ? fmt::format(" {} of {}", k + 1, count) : "",
                     !motion_unique   ? ", one of a range of motions"
                     : !forces_unique ? ", the smallest of many forces"
                                      : "");
}

std::string row_name(const ConstraintProblem& problem, int i) {
  return fmt::format("{} {}", i, to_string(problem.row(i).kind));
}

}  // namespace

std::string instant_text(const Scenario& scenario, const Instant& instant) {
  std::string out = fmt::format(
      "{}: {} contact{}, {} cone\n", scenario.name, instant.contacts.size(), instant.contacts.size() == 1 ? "" : "s",
      instant.cone.find_first_not_of("0123456789") == std::string::npos ? instant.cone + "-sided" : instant.cone);
  out += verdict_sentence(instant.verdict, instant.cells.size(), instant.reason) + '\n';
  if (instant.stick_first) out += rule_text(instant, *instant.stick_first);
  out += fmt::format("verdict {}, {}determinate\n", to_string(instant.verdict), instant.determinate ? "" : "not ");
  for (std::size_t k = 0; k < instant.cells.size(); ++k) {
    const InstantCell& cell = instant.cells[k];
    out += answer_head(k, instant.cells.size(), cell.motion_unique, cell.forces_unique);
    if (!instant.contacts.empty()) out += contacts_text(instant, cell);
    out += patches_text(instant, cell);
    out += internal_forces_text(instant.proof->answer.cells[cell.number]);
    out += accelerations_text(scenario.model, instant, cell);
  }
  return out;
}

std::string problem_answer_text(const std::string& name, const ConstraintProblem& problem, const ModeAnswer& answer) {
  std::string out =
      fmt::format("{}: {} rows\n{}\nverdict {}\n", name, problem.size(),
                  verdict_sentence(answer.verdict, answer.cells.size(), answer.reason), to_string(answer.verdict));
  for (std::size_t k = 0; k < answer.cells.size(); ++k) {
    const ModeCell& cell = answer.cells[k];
    out += answer_head(k, answer.cells.size(), cell.motion_unique, cell.forces_unique);
    Table table(4);
    table.add({"row", "state", "force z", "motion w"});
    const double force = cell.z.size() > 0 ? cell.z.cwiseAbs().maxCoeff() : 0;
    const double motion = cell.w.size() > 0 ? cell.w.cwiseAbs().maxCoeff() : 0;
    std::size_t part = 0;
    for (int i = 0; i < problem.size(); ++i) {
      const RowKind kind = problem.row(i).kind;
      const bool has_state = kind == RowKind::unilateral || kind == RowKind::normal;
      table.add({row_name(problem, i), has_state ? to_string(cell.states[part++]) : "", number_text(cell.z(i), force),
                 number_text(cell.w(i), motion)});
    }
    out += table.text();
  }
  return out;
}

}  // namespace thenar
