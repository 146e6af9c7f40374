// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/answer_choice_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"

namespace thenar::internal {
namespace {

/// Cells that a message lists.
constexpr std::size_t kMostListed = 8;

/// "box/table R, ball/box S".
std::string describe_cell(const Instant& instant, const InstantCell& cell) {
  std::string out;
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", instant.contacts[i].name, to_next_word(cell.modes[i]));
  }
  return out;
}

std::string describe_cells(const Instant& instant) {
  std::string out = "rigid bodies have several motions here:";
  for (std::size_t i = 0; i < std::min(instant.cells.size(), kMostListed); ++i) {
    out += fmt::format(" ({}) {};", i + 1, describe_cell(instant, instant.cells[i]));
  }
  if (instant.cells.size() > kMostListed) out += fmt::format(" and {} more;", instant.cells.size() - kMostListed);
  return out;
}

/// Whether every contact that rolls and presses does so in the answer, and every one that slides slides on.
bool goes_on_as_it_is(const Instant& instant, const InstantCell& cell) {
  bool any_rests = false;
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const InstantContact& contact = instant.contacts[i];
    if (contact.row < 0) continue;
    if (cell.modes[i] == ContactMode::open) return false;
    if (contact.has_friction() && contact.slides != (cell.modes[i] == ContactMode::slide)) return false;
    any_rests = any_rests || !contact.slides;
  }
  return any_rests;
}

/// The cell that accelerates least, in the norm of the kinetic energy.
std::size_t find_least_acceleration(const Scenario& scenario, const Instant& instant, const State& state) {
  Workspace<double> workspace(scenario.model);
  MassMatrix<double> mass(scenario.model);
  update_positions(scenario.model, state.q.data(), workspace);
  mass.update(scenario.model, workspace);
  const MatrixX<double> M = mass.dense();
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < instant.cells.size(); ++i) {
    const double size = instant.cells[i].vdot.dot(M * instant.cells[i].vdot);
    if (size < least) least = size, best = i;
  }
  return best;
}

/// Among several motions.
std::optional<std::size_t> choose_cell(const Scenario& scenario, const Instant& instant, const State& state) {
  for (std::size_t i = 0; i < instant.cells.size(); ++i) {
    if (goes_on_as_it_is(instant, instant.cells[i])) return i;
  }
  // One set of modes whose motion depends on how pressure is shared: as by equal springs, with the least forces.
  const auto has_same_modes = [&](const InstantCell& cell) { return cell.modes == instant.cells.front().modes; };
  if (std::all_of(instant.cells.begin(), instant.cells.end(), has_same_modes)) return 0;
  switch (scenario.run.on_indeterminate) {
    case OnIndeterminate::stop:
      return std::nullopt;
    case OnIndeterminate::first:
      return 0;
    case OnIndeterminate::min_acceleration:
      break;
  }
  return find_least_acceleration(scenario, instant, state);
}

AnswerChoice refuse(AdvanceEnd cause, std::string fault, bool is_stuck = false) {
  return {.fault = std::move(fault), .cause = cause, .is_stuck = is_stuck};
}

}  // namespace

AnswerChoice choose_answer(const Scenario& scenario, const Instant& instant, const State& state,
                           const std::string& jam) {
  switch (instant.verdict) {
    case Verdict::unique:
    case Verdict::unique_motion:
      break;
    case Verdict::undecided:
      if (!instant.cells.empty()) break;
      if (!jam.empty()) return refuse(AdvanceEnd::jam, jam);
      return refuse(AdvanceEnd::failed,
                    fmt::format("no answer was found to what the contacts do next ({})", instant.reason), true);
    case Verdict::none:
      return refuse(AdvanceEnd::jam,
                    "rigid bodies have no motion here: no forces of the contacts go with any of their modes "
                    "(Painlevé)");
    case Verdict::several:
      if (const auto cell = choose_cell(scenario, instant, state)) return {.goes_on = true, .cell = *cell};
      return refuse(AdvanceEnd::indeterminate, describe_cells(instant));
  }
  return {.goes_on = true, .cell = 0};
}

}  // namespace thenar::internal
