// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/map_point.h"

#include <set>
#include <string>

namespace thenar {

MapPoint describe_instant(const Instant& instant) {
  std::set<std::string> cells;
  for (const InstantCell& cell : instant.cells) {
    std::string letters;
    for (const ContactMode mode : cell.modes) letters += to_letter(mode);
    cells.insert(letters);
  }
  MapPoint point{instant.verdict, instant.determinate, {}};
  for (const std::string& letters : cells) point.modes += (point.modes.empty() ? "" : "|") + letters;
  return point;
}

MapPoint describe_quasistatic(const QuasistaticAnswer& answer) {
  std::set<std::string> cells;
  bool are_forces_unique = true;
  for (const QuasistaticSolution& solution : answer.solutions) {
    std::string letters;
    for (const QuasistaticMode mode : solution.modes) letters += "BSSRS"[static_cast<int>(mode)];
    cells.insert(letters);
    are_forces_unique = are_forces_unique && solution.forces_unique;
  }
  MapPoint point;
  switch (answer.verdict) {
    case QuasistaticVerdict::unique:
      point.verdict = are_forces_unique ? Verdict::unique : Verdict::unique_motion;
      break;
    case QuasistaticVerdict::several:
      point.verdict = Verdict::several;
      break;
    case QuasistaticVerdict::none:
      point.verdict = Verdict::none;
      break;
    case QuasistaticVerdict::undecided:
      break;
  }
  for (const std::string& letters : cells) point.modes += (point.modes.empty() ? "" : "|") + letters;
  return point;
}

MapPoint solve_map_point(const Scenario& scenario, const InstantOptions& options) {
  return describe_instant(solve_instant(scenario, scenario.initial, options));
}

MapPoint solve_map_point(const QuasistaticProblem& problem, const QuasistaticOptions& options) {
  return describe_quasistatic(solve_quasistatic(problem, options));
}

}  // namespace thenar
