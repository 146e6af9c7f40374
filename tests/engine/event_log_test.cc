// SPDX-License-Identifier: BSD-3-Clause
//
// Events of joints: counted, handed on, and with the units of their degree of freedom.

#include "thenar/engine/event_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../support/builders.h"

namespace thenar::event_log_test {
namespace {

/// A hinge with a lower stop and friction, and a slide on it with an upper stop, both with limited actuators.
Model make_model() {
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  for (const JointKind kind : {JointKind::revolute, JointKind::prismatic}) {
    JointSpec joint{.name = kind == JointKind::revolute ? "hinge" : "slide", .kind = kind};
    joint.effort = VectorX<double>::Constant(1, kind == JointKind::revolute ? 3 : 40);
    if (kind == JointKind::revolute) joint.friction = VectorX<double>::Constant(1, 0.5);
    parent = builder.add_body({.name = joint.name, .mass = test::box_mass(1, {0.1, 0.1, 0.1})}, parent, joint);
  }
  builder.add_stop({.dof = 0, .side = StopSide::lower, .bound = {Expression(-1.0), {}}});
  builder.add_stop({.dof = 1, .side = StopSide::upper, .bound = {Expression(1.0), {}}});
  return std::move(builder).finalize();
}
constexpr int kHingeStop = 0, kSlideStop = 1, kHingeFriction = 2;

struct Log {
  Log() : model(make_model()), rows(make_joint_rows(model, VectorX<double>::Zero(2))), log(model, rows, on_event) {}
  Log(const Log&) = delete;  // the log refers to the rest

  Model model;
  std::vector<JointRow> rows;
  std::vector<Event> events;
  std::function<void(const Event&)> on_event = [this](const Event& event) { events.push_back(event); };
  EventLog log;
};

TEST(EventLog, HasTheUnitsOfTheDegreeOfFreedom) {
  Log log;
  log.log.write_rest(1, kHingeStop, 2);
  log.log.write_rest(1, kSlideStop, 2);
  log.log.write_throw(2, kHingeStop, 0.5);
  log.log.write_release(3, kSlideStop, 4);
  ASSERT_EQ(log.events.size(), 4u);
  EXPECT_STREQ(log.events[0].numbers[0].unit, "N m");
  EXPECT_STREQ(log.events[1].numbers[0].unit, "N");
  EXPECT_STREQ(log.events[2].numbers[0].unit, "rad/s");
  EXPECT_STREQ(log.events[3].numbers[0].unit, "m/s^2");
  EXPECT_EQ(log.events[0].where(), "hinge");
  EXPECT_EQ(log.events[0].place.dof, 0);
  EXPECT_EQ(log.events[0].side, StopSide::lower);
  EXPECT_EQ(log.events[1].side, StopSide::upper);
  EXPECT_EQ(log.events[2].find("rate"), 0.5);
  EXPECT_EQ(log.events[3].kind, EventKind::limit_off);
}

TEST(EventLog, CountsWhateverIsWritten) {
  Log log;
  log.log.write_slip(1, kHingeFriction, -1, -3);
  log.log.write_stick(2, kHingeFriction, 0.2);
  log.log.write_stick(3, kHingeFriction, -0.2);
  log.log.write_limit(4, 1, -1, false);
  EXPECT_EQ(log.log.total(), 4);
  EXPECT_EQ(log.log.counts()[static_cast<std::size_t>(EventKind::stick)], 2);
  EXPECT_EQ(log.log.counts()[static_cast<std::size_t>(EventKind::impact)], 0);
  EXPECT_EQ(log.events[0].find("limit"), 0.5);
  EXPECT_EQ(log.events[0].find("direction"), -1);
  EXPECT_FALSE(log.events[0].side) << "friction has no side";
  EXPECT_EQ(log.events[3].find("limit"), -40);
  EXPECT_EQ(log.events[3].cause, EventCause::reaches_limit);
  EXPECT_EQ(log.events[3].where(), "the effort of joint 'slide'");
}

TEST(EventLog, CountsWithoutAListener) {
  const Model model = make_model();
  const std::vector<JointRow> rows = make_joint_rows(model, VectorX<double>::Zero(2));
  const std::function<void(const Event&)> nobody;
  EventLog log(model, rows, nobody);
  log.write_strike(1, {.place = log.place_of(0), .before = -1, .after = 0.5});
  EXPECT_EQ(log.total(), 1);
}

TEST(EventLog, StrikesOfContactsAreInMetres) {
  Log log;
  FoundContact found;
  found.shape_A = 3, found.shape_B = 1, found.id = 9;
  found.body_A = BodyIndex(2), found.body_B = BodyIndex(1);
  log.log.write_strike(1, {.place = make_place("slide/hinge", found), .before = -1, .after = 0.5});
  log.log.write_strike(1, {.place = log.log.place_of(0), .before = -2, .after = 0, .side = StopSide::lower});
  EXPECT_STREQ(log.events[0].numbers[0].unit, "m/s");
  EXPECT_EQ(log.events[0].place.contact, (ContactId{3, 1, 9}));
  EXPECT_EQ(log.events[0].place.body_A, BodyIndex(2));
  EXPECT_EQ(log.events[0].place.dof, -1);
  EXPECT_STREQ(log.events[1].numbers[0].unit, "rad/s");
  EXPECT_FALSE(log.events[1].place.contact);
}

TEST(EventLog, BouncesEndOnAStopOrAtAContact) {
  Log log;
  log.log.write_bounce_end(1, {}, kSlideStop, 12);
  log.log.write_bounce_end(2, {.name = "ball/floor"}, std::nullopt, 7);
  EXPECT_EQ(log.events[0].where(), "slide");
  EXPECT_EQ(log.events[0].side, StopSide::upper);
  EXPECT_EQ(log.events[0].find("impacts"), 12);
  EXPECT_EQ(log.events[1].where(), "ball/floor");
  EXPECT_FALSE(log.events[1].side);
}

TEST(EventLog, TellsKinksFromJumps) {
  Log log;
  log.log.write_switch(1, {.where = "the torque of joint 'hinge'", .unit = "N m", .before = 2, .after = 5});
  log.log.write_switch(1, {.where = "the torque of joint 'hinge'", .unit = "N m", .before = 2, .after = 2 + 1e-12});
  log.log.write_switch(1, {.where = "control 'pd'"});
  EXPECT_EQ(log.events[0].cause, EventCause::jumps);
  EXPECT_EQ(log.events[0].find("before"), 2);
  EXPECT_EQ(log.events[0].find("after"), 5);
  EXPECT_EQ(log.events[1].cause, EventCause::kink) << "neighbouring times, values that differ by rounding";
  EXPECT_FALSE(log.events[1].find("before"));
  EXPECT_EQ(log.events[2].cause, EventCause::law_switches);
  EXPECT_TRUE(log.events[2].numbers.empty());
}

}  // namespace
}  // namespace thenar::event_log_test
