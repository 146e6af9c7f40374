// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of the answer with which a run goes on.

#include "thenar/engine/answer_choice_internal.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "../support/builders.h"

namespace thenar::answer_choice_test {
namespace {

using internal::AnswerChoice;
using internal::choose_answer;
using enum ContactMode;

/// Contacts with friction that are in touch; `slides` of each.
Instant make_instant(Verdict verdict, const std::vector<bool>& slides) {
  Instant out;
  out.verdict = verdict;
  int row = 0;
  for (const bool does : slides) {
    InstantContact contact;
    contact.name = "a/b#" + std::to_string(row / 2);
    contact.slides = does;
    contact.row = row;
    contact.tangent_rows[0] = row + 1;
    row += 2;
    out.contacts.push_back(contact);
  }
  return out;
}

void add_cell(Instant& instant, std::vector<ContactMode> modes, const VectorX<double>& vdot = Eigen::Vector2d(0, 0)) {
  InstantCell cell;
  cell.modes = std::move(modes);
  cell.vdot = vdot;
  instant.cells.push_back(cell);
}

/// Two slides of 1 kg and 100 kg.
Scenario make_scenario(OnIndeterminate choice) {
  ModelBuilder builder;
  for (const double mass : {1.0, 100.0}) {
    const std::string name = mass > 1 ? "heavy" : "light";
    builder.add_body({.name = name, .mass = test::box_mass(mass, {0.1, 0.1, 0.1})}, kWorld,
                     {.name = name, .kind = JointKind::prismatic});
  }
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.run.on_indeterminate = choice;
  return s;
}

AnswerChoice choose(const Instant& instant, OnIndeterminate choice = OnIndeterminate::stop,
                    const std::string& jam = "") {
  const Scenario s = make_scenario(choice);
  return choose_answer(s, instant, s.initial, jam);
}

TEST(AnswerChoice, OneMotionIsTaken) {
  for (const Verdict verdict : {Verdict::unique, Verdict::unique_motion, Verdict::undecided}) {
    Instant instant = make_instant(verdict, {false});
    add_cell(instant, {slide});
    const AnswerChoice choice = choose(instant);
    EXPECT_TRUE(choice.goes_on);
    EXPECT_EQ(choice.cell, 0u);
  }
}

TEST(AnswerChoice, WithoutAnAnswerTheCauseIsTold) {
  EXPECT_EQ(choose(make_instant(Verdict::none, {false})).cause, AdvanceEnd::jam);
  Instant unknown = make_instant(Verdict::undecided, {false});
  unknown.reason = "out of time";
  const AnswerChoice stuck = choose(unknown);
  EXPECT_FALSE(stuck.goes_on);
  EXPECT_TRUE(stuck.is_stuck) << "that says nothing about the motion";
  EXPECT_EQ(stuck.cause, AdvanceEnd::failed);
  EXPECT_NE(stuck.fault.find("out of time"), std::string::npos);
  const AnswerChoice jammed = choose(unknown, OnIndeterminate::first, "a/b jams");
  EXPECT_EQ(jammed.cause, AdvanceEnd::jam);
  EXPECT_EQ(jammed.fault, "a/b jams");
  EXPECT_FALSE(jammed.is_stuck);
}

TEST(AnswerChoice, WhatRestsRestsOnIfItCan) {
  Instant instant = make_instant(Verdict::several, {false, true});
  add_cell(instant, {slide, slide});
  add_cell(instant, {roll, open});
  add_cell(instant, {roll, slide});
  for (const OnIndeterminate rule :
       {OnIndeterminate::stop, OnIndeterminate::first, OnIndeterminate::min_acceleration}) {
    const AnswerChoice choice = choose(instant, rule);
    EXPECT_TRUE(choice.goes_on);
    EXPECT_EQ(choice.cell, 2u) << "the one that rolls rolls on, the one that slides slides on";
  }
}

TEST(AnswerChoice, CellsOfTheSameModesAreOneMotion) {
  Instant instant = make_instant(Verdict::several, {true, true});
  add_cell(instant, {slide, open});
  add_cell(instant, {slide, open});
  EXPECT_TRUE(choose(instant).goes_on);
}

TEST(AnswerChoice, AmongOthersTheScenarioChooses) {
  Instant instant = make_instant(Verdict::several, {false});
  add_cell(instant, {slide}, Eigen::Vector2d(0, 1));
  add_cell(instant, {open}, Eigen::Vector2d(5, 0));
  const AnswerChoice stop = choose(instant);
  EXPECT_FALSE(stop.goes_on);
  EXPECT_EQ(stop.cause, AdvanceEnd::indeterminate);
  EXPECT_EQ(stop.fault, "rigid bodies have several motions here: (1) a/b#0 slide; (2) a/b#0 break;");
  EXPECT_EQ(choose(instant, OnIndeterminate::first).cell, 0u);
  EXPECT_EQ(choose(instant, OnIndeterminate::min_acceleration).cell, 1u)
      << "100 kg at 1 m/s² are more than 1 kg at 5 m/s²";
  std::swap(instant.cells[0], instant.cells[1]);
  EXPECT_EQ(choose(instant, OnIndeterminate::min_acceleration).cell, 0u) << "wherever it is in the list";
}

TEST(AnswerChoice, ALongListIsCutShort) {
  Instant instant = make_instant(Verdict::several, {false});
  for (int k = 0; k < 11; ++k) add_cell(instant, {k % 2 == 0 ? slide : open});
  EXPECT_NE(choose(instant).fault.find("(8) a/b#0 break; and 3 more;"), std::string::npos);
}

}  // namespace
}  // namespace thenar::answer_choice_test
