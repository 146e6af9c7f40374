// SPDX-License-Identifier: BSD-3-Clause
//
// What a map keeps of an instant, and of a slow motion.

#include "thenar/study/map_point.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../support/contact_scenes.h"

namespace thenar::map_point_test {
namespace {

using Modes = std::vector<ContactMode>;

Instant make_instant(Verdict verdict, const std::vector<Modes>& cells) {
  Instant out;
  out.verdict = verdict;
  for (const Modes& modes : cells) {
    InstantCell cell;
    cell.modes = modes;
    out.cells.push_back(cell);
  }
  return out;
}

TEST(MapPoint, HasTheLettersOfItsCellsSortedAndEachOnce) {
  using enum ContactMode;
  EXPECT_EQ(describe_instant(make_instant(Verdict::unique, {{roll, slide, open, stick}})).modes, "RSBF");
  EXPECT_EQ(describe_instant(make_instant(Verdict::several, {{slide}, {open}, {slide}})).modes, "B|S");
  EXPECT_EQ(describe_instant(make_instant(Verdict::none, {})).modes, "");
  Instant instant = make_instant(Verdict::unique, {{roll}});
  instant.determinate = true;
  EXPECT_EQ(describe_instant(instant), (MapPoint{Verdict::unique, true, "R"}));
}

TEST(MapPoint, DoesNotDependOnTheOrderOfCells) {
  using enum ContactMode;
  EXPECT_EQ(describe_instant(make_instant(Verdict::several, {{roll, open}, {slide, slide}})),
            describe_instant(make_instant(Verdict::several, {{slide, slide}, {roll, open}})));
}

QuasistaticAnswer make_answer(QuasistaticVerdict verdict, const std::vector<std::vector<QuasistaticMode>>& solutions) {
  QuasistaticAnswer out;
  out.verdict = verdict;
  for (const auto& modes : solutions) {
    QuasistaticSolution solution;
    solution.modes = modes;
    solution.forces_unique = true;
    out.solutions.push_back(solution);
  }
  return out;
}

TEST(MapPoint, OfSlowMotionHasALetterForEveryMode) {
  std::string letters;
  for (const QuasistaticMode mode : kQuasistaticModes) {
    letters += describe_quasistatic(make_answer(QuasistaticVerdict::unique, {{mode}})).modes;
  }
  EXPECT_EQ(letters, "BSSRS") << "break, slide+, slide-, roll, slide";
}

TEST(MapPoint, OfSlowMotionIsUniqueOnlyIfItsForcesAre) {
  using enum QuasistaticMode;
  QuasistaticAnswer answer = make_answer(QuasistaticVerdict::unique, {{slides_plus}});
  EXPECT_EQ(describe_quasistatic(answer).verdict, Verdict::unique);
  answer.solutions[0].forces_unique = false;
  EXPECT_EQ(describe_quasistatic(answer).verdict, Verdict::unique_motion);
  // Slip to either side is one letter.
  answer = make_answer(QuasistaticVerdict::several, {{slides_plus, rolls}, {slides_minus, rolls}, {breaks, rolls}});
  EXPECT_EQ(describe_quasistatic(answer), (MapPoint{Verdict::several, false, "BR|SR"}));
  EXPECT_EQ(describe_quasistatic(make_answer(QuasistaticVerdict::none, {})).verdict, Verdict::none);
  EXPECT_EQ(describe_quasistatic(make_answer(QuasistaticVerdict::undecided, {})).verdict, Verdict::undecided);
}

TEST(MapPoint, IsThatOfTheStartOfAScenario) {
  Scenario s = test::ball_over_floor(0, {.friction = 0.3});
  EXPECT_EQ(solve_map_point(s, {}), (MapPoint{Verdict::unique, true, "F"}));
  s.initial.v(3) = 1;
  EXPECT_EQ(solve_map_point(s, {}), (MapPoint{Verdict::unique, true, "S"}));
  s.initial.v(5) = -1;
  EXPECT_THROW(solve_map_point(s, {}), std::runtime_error) << "an impact comes first";
}

}  // namespace
}  // namespace thenar::map_point_test
