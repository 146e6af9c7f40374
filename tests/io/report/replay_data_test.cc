// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/report/replay_data_internal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "thenar/model/model_builder.h"

namespace thenar::internal::replay_data_test {
namespace {

/// An arm that turns about z, with a fixed post beside it.
TraceScene make_scene() {
  ModelBuilder builder;
  const BodyIndex arm = builder.add_body({.name = "hand.arm"}, kWorld, {.name = "hinge", .kind = JointKind::revolute});
  JointSpec joint;
  joint.X_PF.p = {0, 2, 0};
  builder.add_body({.name = "post"}, kWorld, joint);
  TraceScene out;
  out.name = "arm";
  out.model = std::move(builder).finalize();
  out.shapes = {{arm, Sphere{0.5}, Pose<double>::translation({1, 0, 0})}};
  return out;
}

const std::vector<std::string> kColumns{"t", "q.hinge", "v.hinge"};

template <class T>
std::vector<T> decode(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned word = 0, bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    word = word << 6 | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(word >> (bits -= 8) & 0xff);
  }
  std::vector<T> out(bytes.size() / sizeof(T));
  EXPECT_EQ(out.size() * sizeof(T), bytes.size());
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

Contact make_contact(const std::string& name, double gap) {
  Contact out{.name = name, .mode = ContactMode::roll, .gap = gap, .force_on_A = {2, 3, 4, 0}};
  out.point_A = {0, 1, 0};
  out.N = {0, 0, 1};
  out.T = {1, 0, 0};
  out.friction = 0.5;
  return out;
}

bool has_time(const ReplayBuilder& replay, double t) {
  return std::find(replay.times().begin(), replay.times().end(), t) != replay.times().end();
}

TEST(ReplayData, HasPosesAndPlacesOfContactsInBodyAxes) {
  const TraceScene scene = make_scene();
  ReplayBuilder replay(scene, kColumns, "states.csv", {0, 2}, 3, {});
  for (const double t : {0.0, 1.0, 2.0}) {
    // The arm stands along y in the second row, where the contact is.
    const std::vector<double> row{t, t * std::acos(0.0), 0};
    replay.take(row, t == 1 ? std::vector{make_contact("hand.arm/post", 0.25), make_contact("no/body", 0)}
                            : std::vector<Contact>());
  }
  replay.finish();
  const auto data = nlohmann::json::parse(replay.json());
  EXPECT_EQ(decode<double>(data["times"]), (std::vector<double>{0, 1, 2}));
  const auto poses = decode<float>(data["poses"]);
  ASSERT_EQ(poses.size(), 21u);  // One body moves.
  EXPECT_NEAR(poses[7 + 3], std::sqrt(0.5), 1e-7);
  EXPECT_NEAR(poses[7 + 6], std::sqrt(0.5), 1e-7);
  ASSERT_EQ(data["contacts"].size(), 1u);  // What is between no bodies of the scene is left out.
  EXPECT_EQ(data["contacts"][0]["spans"], nlohmann::json::parse("[[1,1]]"));
  EXPECT_EQ(data["contacts"][0]["A"], 1);
  EXPECT_EQ(data["contacts"][0]["B"], 2);
  // (0, 1, 0) on the arm is its x axis now; on the post, 0.25 m lower and from its origin at y = 2. Force 2 N + 3 T + 4
  // U.
  const std::vector<float> expected{1, 0, 0, 0, -1, -0.25, 0, 0, 1, 3, 4, 2, 0.5};
  const auto points = decode<float>(data["points"]);
  ASSERT_EQ(points.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(points[i], expected[i], 1e-6) << i;
  EXPECT_EQ(data["bodies"][1]["is_link"], true);
  EXPECT_EQ(data["bodies"][1]["moves"], true);
  EXPECT_EQ(data["bodies"][1]["shapes"][0]["shape"]["sphere"], 0.5);
  EXPECT_EQ(data["bodies"][2]["pose"], nlohmann::json::parse("[0.0,2.0,0.0,1.0,0.0,0.0,0.0]"));
}

TEST(ReplayData, ContactsThatComeAndGoHaveStretches) {
  const TraceScene scene = make_scene();
  ReplayBuilder replay(scene, kColumns, "states.csv", {0, 4}, 5, {});
  for (int i = 0; i < 5; ++i) {
    const std::vector<double> row{static_cast<double>(i), 0, 0};
    replay.take(row, i == 2 ? std::vector<Contact>() : std::vector{make_contact("hand.arm/post#1", 0)});
  }
  replay.finish();
  const auto data = nlohmann::json::parse(replay.json());
  EXPECT_EQ(data["contacts"][0]["spans"], nlohmann::json::parse("[[0,2],[3,2]]"));
  EXPECT_EQ(decode<float>(data["points"]).size(), 4u * 13u);
}

TEST(ReplayData, LongRunsAreThinnedButKeepTheRowsAroundEvents) {
  const TraceScene scene = make_scene();
  // 200 s in rows of 1 ms; events between two rows, at a row, and a jump with two rows of one time.
  ReplayBuilder replay(scene, kColumns, "states.csv", {0, 200}, 200002, {50.0005, 60.001, 70});
  const int rows = 200001;
  for (int i = 0; i < rows; ++i) {
    const std::vector<double> row{i / 1000.0, i / 1000.0, 0};
    replay.take(row, {});
    if (i == 70000) replay.take(row, {});
  }
  replay.finish();
  EXPECT_LE(replay.frame_count(), 6000u);
  EXPECT_GE(replay.frame_count(), 2000u);
  EXPECT_FALSE(replay.has_lost_events());
  for (const double t : {0.0, 50.0, 50.001, 60.0, 60.001, 69.999, 200.0}) EXPECT_TRUE(has_time(replay, t)) << t;
  EXPECT_EQ(std::count(replay.times().begin(), replay.times().end(), 70.0), 2);
  double longest = 0;
  for (std::size_t i = 1; i < replay.frame_count(); ++i) {
    longest = std::max(longest, replay.times()[i] - replay.times()[i - 1]);
  }
  EXPECT_LE(longest, 200.0 / 2000);
}

TEST(ReplayData, ShortRunsKeepEveryRow) {
  const TraceScene scene = make_scene();
  ReplayBuilder replay(scene, kColumns, "states.csv", {0, 0.1}, 101, {0.01});
  for (int i = 0; i <= 100; ++i) replay.take(std::vector<double>{i / 1000.0, 0, 0}, {});
  replay.finish();
  EXPECT_EQ(replay.frame_count(), 101u);
}

TEST(ReplayData, RunsWithFewRowsKeepThemAllWhateverHappens) {
  const TraceScene scene = make_scene();
  ReplayBuilder replay(scene, kColumns, "states.csv", {0, 100}, 2001, std::vector<double>(100000, 50.0));
  for (int i = 0; i <= 2000; ++i) replay.take(std::vector<double>{i / 20.0, 0, 0}, {});
  replay.finish();
  EXPECT_EQ(replay.frame_count(), 2001u);
  EXPECT_FALSE(replay.has_lost_events());
}

TEST(ReplayData, TooManyEventsAreTold) {
  const TraceScene scene = make_scene();
  std::vector<double> events;
  for (int i = 0; i < 100000; ++i) events.push_back(i / 10000.0);
  ReplayBuilder replay(scene, kColumns, "states.csv", {0, 10}, 100001, events);
  for (int i = 0; i <= 100000; ++i) replay.take(std::vector<double>{i / 10000.0, 0, 0}, {});
  replay.finish();
  EXPECT_TRUE(replay.has_lost_events());
  EXPECT_LE(replay.frame_count(), 7000u);
}

TEST(ReplayData, ATraceWithoutRowsHasNoFrames) {
  const TraceScene scene = make_scene();
  ReplayBuilder replay(scene, kColumns, "states.csv", {0, 1}, 0, {});
  replay.finish();
  EXPECT_EQ(replay.frame_count(), 0u);
}

TEST(ReplayData, BodiesOfAContactAreFoundByItsName) {
  const Model model = make_scene().model;
  const auto found = find_contact_bodies(model, "hand.arm/post#12");
  ASSERT_TRUE(found);
  EXPECT_EQ(model.body(found->first).name, "hand.arm");
  EXPECT_EQ(model.body(found->second).name, "post");
  EXPECT_FALSE(find_contact_bodies(model, "hand.arm"));
  EXPECT_FALSE(find_contact_bodies(model, "hand.arm/table"));
}

}  // namespace
}  // namespace thenar::internal::replay_data_test
