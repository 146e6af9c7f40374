// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/report/report_story_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "thenar/spatial/rotation.h"

namespace thenar::internal::report_story_test {
namespace {

ReportData make_data() {
  ReportData data;
  data.time = {0, 1};
  data.has_contacts = true;
  return data;
}

ReportContact contact(const std::string& name, std::vector<ReportSegment> segments) {
  ReportContact out;
  out.name = name;
  out.segments = std::move(segments);
  return out;
}

TEST(ReportStory, TellsWhatAContactDoesOneAfterTheOther) {
  ReportData data = make_data();
  data.contacts = {contact("ball/floor", {{0, 0.2912, "slide"}, {0.2912, 1, "roll"}})};
  EXPECT_EQ(tell_story(data, {}), "The ball slides on the floor until 0.2912 s and rolls until the end.");
}

TEST(ReportStory, TellsWhatHoldsThroughout) {
  ReportData data = make_data();
  data.contacts = {contact("ball/one.tip", {{0, 1, "stick"}})};
  EXPECT_EQ(tell_story(data, {}), "The ball rests against one.tip throughout.");
}

TEST(ReportStory, TellsHowBodiesMeetAndPart) {
  ReportData data = make_data();
  data.contacts = {contact("box/hand.index", {{0, 0.121, "open"}, {0.121, 0.16, "slide"}}),
                   contact("box/table", {{0.5, 0.75, "roll"}})};
  data.events = {
      {0.121, "impact", "box/hand.index", "struck at 0.31 m/s, without rebound", "strikes", {{"before", -0.31}}},
      {0.16, "break", "box/hand.index", ""},
      {0.5, "touch", "box/table", ""}};
  EXPECT_EQ(tell_story(data, {}),
            "The box strikes hand.index at 0.121 s with 0.31 m/s, slides until 0.16 s and leaves it. "
            "The box touches the table at 0.5 s, rolls until 0.75 s and leaves it.");
}

TEST(ReportStory, PointsOfAPairAreToldTogether) {
  ReportData data = make_data();
  // One point slides from 0.25 on, so the pair does; the impacts of both points at one time are one.
  data.contacts = {contact("box/table#0", {{0, 0.25, "stick"}, {0.25, 0.5, "slide"}}),
                   contact("box/table#1", {{0, 0.5, "stick"}, {0.5, 1, "roll"}})};
  data.events = {{0.5, "impact", "box/table#0", "struck at 1 m/s, without rebound", "strikes", {{"before", -1}}},
                 {0.5, "impact", "box/table#1", "struck at 2 m/s, without rebound", "strikes", {{"before", -2}}}};
  EXPECT_EQ(
      tell_story(data, {}),
      "The box rests on the table until 0.25 s, slides until 0.5 s, strikes it at 0.5 s with 1 m/s and rolls until "
      "the end.");
}

TEST(ReportStory, SumsUpWhatIsTooLongToTell) {
  ReportData data = make_data();
  ReportContact& ball = data.contacts.emplace_back(contact("ball/floor", {{0.9, 1, "stick"}}));
  for (int i = 0; i < 10; ++i) {
    const double t = 0.1 + 0.05 * i;
    data.events.push_back({t, "impact", "ball/floor", "struck", "strikes", {{"before", i == 0 ? -2.5 : -1}}});
    ball.segments.insert(ball.segments.end() - 1, {t, t + 0.01, "slide"});
  }
  data.events.push_back({0.9, "zeno", "ball/floor", ""});
  EXPECT_EQ(
      tell_story(data, {}),
      "The ball strikes the floor 10 times between 0.1 s and 0.55 s with at most 2.5 m/s, slides for 0.1 s and rests "
      "for 0.1 s in all; its bouncing ends at 0.9 s.");
}

TEST(ReportStory, ManyPairsAreCounted) {
  ReportData data = make_data();
  for (int i = 0; i < 9; ++i) data.contacts.push_back(contact("box" + std::to_string(i) + "/table", {{0, 1, "stick"}}));
  const std::string story = tell_story(data, {});
  EXPECT_NE(story.find("The box5 rests on the table throughout. 3 more pairs of bodies touch."), std::string::npos);
}

TEST(ReportStory, TellsVerdictsAndUntilWhenTheyHold) {
  ReportData data = make_data();
  data.verdicts = {{0, 0.4, "unique"}, {0.4, 0.5, "several"}, {0.5, 1, "unique"}};
  EXPECT_EQ(tell_story(data, {}),
            "Nothing touches. The verdict is unique until 0.4 s, several until 0.5 s and unique until the end.");
  data.verdicts = {{0, 1, "unique_motion"}};
  EXPECT_EQ(tell_story(data, {}), "Nothing touches. The verdict is unique in motion but not in forces throughout.");
  data.verdicts.clear();
  for (int i = 0; i < 15; ++i) data.verdicts.push_back({i / 15.0, (i + 1) / 15.0, i % 3 == 1 ? "none" : "unique"});
  EXPECT_EQ(tell_story(data, {}),
            "Nothing touches. The verdict is none for 0.333 s in all and unique for 0.667 s in all.");
}

TEST(ReportStory, TellsJointsAtTheirStops) {
  ReportData data = make_data();
  data.has_contacts = false;
  data.events = {{0.25, "limit_on", "hand.wrist.0", ""},
                 {0.3, "impact", "hand.elbow", "struck the lower stop at 1 rad/s"},
                 {0.5, "impact", "hand.elbow", "struck the lower stop at 1 rad/s"}};
  EXPECT_EQ(tell_story(data, {}),
            "hand.elbow meets a stop twice, first at 0.3 s and hand.wrist.0 meets a stop at 0.25 s.");
}

TEST(ReportStory, TellsWhereObjectsAreInTheEnd) {
  ReportData data = make_data();
  data.contacts = {contact("box/table", {{0.5, 1, "stick"}})};
  StoryBody box{"box", {}, {rotation_about_axis(Vector3<double>::UnitZ(), 32 * std::numbers::pi / 180), {0.3, 0.4, 0}}};
  StoryBody cup{"cup", {}, {}};
  EXPECT_EQ(
      tell_story(data, {box, cup}),
      "The box touches the table at 0.5 s and rests until the end. At the end the box is 0.5 m from where it began, "
      "turned by 32° about z, and rests on the table; the cup is where it began.");
}

TEST(ReportStory, WhatHoldsAnObjectInTheEndIsToldTogether) {
  ReportData data = make_data();
  data.contacts = {contact("ball/one.tip", {{0, 1, "roll"}}), contact("ball/palm", {{0, 1, "roll"}}),
                   contact("ball/two.tip", {{0, 1, "roll"}})};
  const std::string story = tell_story(data, {{"ball", {}, {}}});
  EXPECT_NE(story.find("the ball is where it began and rolls against one.tip and two.tip and rolls on the palm."),
            std::string::npos)
      << story;
}

TEST(ReportStory, TellsWhatLinksHoldAloneAndHowItMovesMeanwhile) {
  ReportData data = make_data();
  data.contacts = {contact("peg/stand", {{0, 0.2, "stick"}, {0.8, 1, "stick"}}),
                   contact("peg/hand.thumb", {{0.1, 0.5, "roll"}, {0.5, 0.6, "slide"}, {0.6, 0.9, "roll"}}),
                   contact("peg/hand.pinkie", {{0.15, 0.9, "slide"}})};
  StoryBody peg{"peg", {}, {}};
  const Matrix3<double> quarter = rotation_about_axis(Vector3<double>::UnitY(), std::numbers::pi / 2);
  peg.way = {
      {0, {}}, {0.2, {}}, {0.5, Pose<double>::translation({0, 0, 0.05})}, {0.8, Pose<double>::rotation(quarter)}};
  const std::string story = tell_story(data, {peg});
  EXPECT_TRUE(
      story.starts_with("From 0.2 s to 0.8 s the peg is held by hand.thumb and hand.pinkie alone: it turns by 90° "
                        "about y and goes as far "
                        "as 0.05 m. Most of that time it rolls on hand.thumb and slides on hand.pinkie. "))
      << story;
  // Long lists of what those links do are not told; strikes are counted.
  for (int i = 0; i < 9; ++i) {
    data.events.push_back({0.1 + 0.01 * i, "impact", "peg/hand.thumb", "struck", "strikes", {{"before", -0.02}}});
  }
  const std::string brief = tell_story(data, {peg});
  EXPECT_NE(brief.find("These links strike it 9 times in all, with at most 0.02 m/s."), std::string::npos) << brief;
  EXPECT_EQ(brief.find("The peg strikes hand.thumb"), std::string::npos) << brief;
}

TEST(ReportStory, TellsTheJointThatWentFarthest) {
  EXPECT_EQ(tell_story({}, {}, {{"arm", true, 0, 0.5}, {"tip", true, 1, -std::numbers::pi / 6}, {"cart", false, 0, 9}}),
            "Of the joints tip ends farthest from its start, at −30° after 57.3°.");
  EXPECT_EQ(tell_story({}, {}, {{"arm", true, 1, 1}, {"cart", false, 0, 0.25}}),
            "Of the joints cart ends farthest from its start, at 0.25 m after 0 m.");
}

TEST(ReportStory, ARunWithoutAnythingHasNone) { EXPECT_EQ(tell_story({}, {}), ""); }

TEST(DescribeTurn, NamesAxesAndSigns) {
  const auto turn = [](const Vector3<double>& axis, double degrees) {
    return describe_turn(rotation_about_axis(axis.normalized(), degrees * std::numbers::pi / 180));
  };
  EXPECT_EQ(turn({0, 1, 0}, 90), "turned by 90° about y");
  EXPECT_EQ(turn({1, 0, 0}, -12.5), "turned by 12.5° about −x");
  EXPECT_EQ(turn({3, 0, -4}, 20), "turned by 20° about (0.6, 0, −0.8)");
  EXPECT_EQ(turn({1, 0, 0}, 0), "");
}

}  // namespace
}  // namespace thenar::internal::report_story_test
