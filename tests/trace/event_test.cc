// SPDX-License-Identifier: BSD-3-Clause
//
// Events in words: every cause with all of its numbers, with some of them and with none.

#include "thenar/trace/event.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace thenar::event_test {
namespace {

constexpr int kCauseCount = static_cast<int>(EventCause::leaves_limit) + 1;

/// The numbers of every cause, in the order that event.h lists.
const std::map<EventCause, std::vector<EventNumber>>& numbers_of_causes() {
  static const std::map<EventCause, std::vector<EventNumber>> numbers{
      {EventCause::gap_closes, {{"approach", 0.125, "m/s"}, {"f_N", 3, "N"}}},
      {EventCause::meets_layer, {{"approach", 0.125, "m/s"}, {"f_N", 3, "N"}}},
      {EventCause::strikes, {{"before", -0.5, "m/s"}, {"after", 0.25, "m/s"}}},
      {EventCause::rests, {{"effort", 2, "N m"}}},
      {EventCause::thrown_off, {{"rate", 0.5, "rad/s"}}},
      {EventCause::would_pull, {{"acceleration", 4, "m/s^2"}}},
      {EventCause::unloaded, {}},
      {EventCause::margin_used_up, {{"f_N", 3, "N"}, {"a_T", 1, ""}, {"a_U", 2, "m/s^2"}, {"alpha_N", 5, "rad/s^2"}}},
      {EventCause::friction_moves, {{"mu", 0.25, ""}, {"f_N", 3, "N"}, {"v_T", 1, ""}, {"v_U", 2, "m/s"}}},
      {EventCause::slides, {{"v_T", 1, ""}, {"v_U", 2, "m/s"}, {"w_N", 5, "rad/s"}}},
      {EventCause::left_by_impact, {{"v_T", 1, ""}, {"v_U", 2, "m/s"}, {"w_N", 5, "rad/s"}}},
      {EventCause::joint_friction, {{"limit", 2, "N m"}, {"acceleration", -4, "rad/s^2"}, {"direction", -1, ""}}},
      {EventCause::begins, {}},
      {EventCause::layer_friction, {{"f_t", 1.5, "N"}, {"limit", 2, "N"}}},
      {EventCause::comes_to_rest, {{"f_t", 1.5, ""}, {"limit", 2, "N"}, {"torsion", 0.5, ""}, {"limit", 1, "N m"}}},
      {EventCause::leaves_points, {{"gap", 0.5, "m"}, {"rate", 0.25, "m/s"}}},
      {EventCause::layer_unloaded, {}},
      {EventCause::leaves_layer, {}},
      {EventCause::goes_over, {{"x", 1, "m"}, {"y", 2, "m"}, {"z", 3, "m"}}},
      {EventCause::layer_goes_over, {}},
      {EventCause::bounces_end, {{"impacts", 17, ""}}},
      {EventCause::crowded, {{"duration", 0.5, "s"}}},
      {EventCause::to_compliant, {{"energy", 0.5, "J"}}},
      {EventCause::to_rigid, {{"energy", -0.5, "J"}}},
      {EventCause::jumps, {{"before", 1, "N"}, {"after", 2, "N"}}},
      {EventCause::kink, {{"after", 2, "N"}}},
      {EventCause::law_switches, {}},
      {EventCause::reaches_limit, {{"limit", 2, "N m"}}},
      {EventCause::leaves_limit, {{"limit", 2, "N m"}}}};
  return numbers;
}

Event make_event(EventKind kind, EventCause cause) {
  Event out;
  out.kind = kind;
  out.cause = cause;
  out.numbers = numbers_of_causes().at(cause);
  return out;
}

std::string say(EventKind kind, EventCause cause, std::optional<StopSide> side = {}) {
  Event event = make_event(kind, cause);
  event.side = side;
  return describe(event);
}

TEST(Event, FindsItsNumbersByName) {
  const Event event = make_event(EventKind::slip, EventCause::margin_used_up);
  EXPECT_EQ(event.find("f_N"), 3);
  EXPECT_EQ(event.find("alpha_N"), 5);
  EXPECT_FALSE(event.find("f_n"));
  EXPECT_FALSE(event.find(""));
  EXPECT_FALSE(Event{}.find("f_N"));
}

TEST(Event, WordsOfKindsAndCausesDiffer) {
  std::set<std::string> kinds, causes;
  for (int i = 0; i < kEventKindCount; ++i) kinds.insert(to_string(static_cast<EventKind>(i)));
  for (int i = 0; i < kCauseCount; ++i) causes.insert(to_string(static_cast<EventCause>(i)));
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(kEventKindCount));
  EXPECT_EQ(causes.size(), static_cast<std::size_t>(kCauseCount));
  EXPECT_EQ(kinds.count("") + causes.count(""), 0u);
  EXPECT_EQ(numbers_of_causes().size(), causes.size());
}

/// A trace of an older program, or one that a program has made, may lack numbers.
TEST(Describe, HasWordsForEveryCauseHoweverFewNumbersThereAre) {
  for (const auto& [cause, numbers] : numbers_of_causes()) {
    for (int kind = 0; kind < kEventKindCount; ++kind) {
      for (std::size_t count = 0; count <= numbers.size(); ++count) {
        Event event = make_event(static_cast<EventKind>(kind), cause);
        event.numbers.resize(count, EventNumber{"", 0, ""});
        EXPECT_FALSE(describe(event).empty()) << to_string(cause) << ' ' << count;
        for (const StopSide side : {StopSide::lower, StopSide::upper}) {
          event.side = side;
          EXPECT_FALSE(describe(event).empty()) << to_string(cause) << ' ' << count;
        }
      }
    }
  }
}

TEST(Describe, SaysEveryNumberThatItIsGiven) {
  // Counts of words that stand for a sign instead of saying it are left out.
  for (const auto& [cause, numbers] : numbers_of_causes()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (cause == EventCause::joint_friction && i == 2) continue;  // "negative"
      Event event = make_event(EventKind::slip, cause);
      const std::string before = describe(event);
      event.numbers[i].value = cause == EventCause::strikes && i == 0 ? -77 : 77;
      EXPECT_EQ(before.find("77"), std::string::npos);
      EXPECT_NE(describe(event).find("77"), std::string::npos) << to_string(cause) << ' ' << numbers[i].name;
    }
  }
}

TEST(Describe, SaysWhatHappened) {
  using enum EventCause;
  EXPECT_EQ(say(EventKind::touch, gap_closes), "the gap closes at 0.125 m/s, without an impact; f_N = 3 N");
  EXPECT_EQ(say(EventKind::impact, strikes), "struck at 0.5 m/s, leaves at 0.25 m/s");
  EXPECT_EQ(say(EventKind::impact, strikes, StopSide::upper), "struck the upper stop at 0.5 m/s, leaves at 0.25 m/s");
  EXPECT_EQ(say(EventKind::limit_on, rests, StopSide::lower), "rests on the lower stop, pressed by 2 N m");
  EXPECT_EQ(say(EventKind::break_away, thrown_off), "thrown off at 0.5 rad/s");
  EXPECT_EQ(say(EventKind::break_away, would_pull), "f_N = 0, it would have to pull; opens with a_N = 4 m/s^2");
  EXPECT_EQ(say(EventKind::limit_off, would_pull, StopSide::upper),
            "leaves the upper stop with 4 m/s^2: it would have to pull");
  EXPECT_EQ(say(EventKind::slip, slides), "slides at v_T = 1, v_U = 2 m/s, w_N = 5 rad/s");
  EXPECT_EQ(say(EventKind::slip, joint_friction),
            "dry friction of 2 N m gives way, motion is negative with -4 rad/s^2");
  EXPECT_EQ(say(EventKind::stick, comes_to_rest),
            "slip has come to rest, and friction holds with 1.5 of 2 N and 0.5 of 1 N m");
  EXPECT_EQ(say(EventKind::zeno, bounces_end), "bouncing ends, after 17 impacts and infinitely many more");
  EXPECT_EQ(say(EventKind::control, jumps), "jumps from 1 to 2 N");
  EXPECT_EQ(say(EventKind::control, reaches_limit, StopSide::upper), "reaches its upper limit of 2 N m");
  EXPECT_EQ(say(EventKind::control, leaves_limit, StopSide::lower), "comes back from its lower limit of 2 N m");
}

TEST(Describe, AnImpactWithoutReboundSaysSo) {
  Event event = make_event(EventKind::impact, EventCause::strikes);
  event.numbers[1].value = 0;
  EXPECT_EQ(describe(event), "struck at 0.5 m/s, without rebound");
}

TEST(Describe, ATurnOfSlipComesFirst) {
  Event event = make_event(EventKind::slip, EventCause::slides);
  const std::string plain = describe(event);
  event.has_turned = true;
  EXPECT_EQ(describe(event), "slip has come to rest and begins in another direction: " + plain);
}

TEST(Describe, NotesNameWhatNumbersCannot) {
  Event event = make_event(EventKind::model, EventCause::to_compliant);
  event.note = "forces are not unique";
  EXPECT_EQ(describe(event), "from rigid to compliant: forces are not unique; puts in 0.5 J");
  event = make_event(EventKind::face, EventCause::goes_over);
  EXPECT_EQ(describe(event), "goes over to other features at (1, 2, 3) m");
  event.note = "an edge on a face";
  EXPECT_EQ(describe(event), "goes over to an edge on a face at (1, 2, 3) m");
}

}  // namespace
}  // namespace thenar::event_test
