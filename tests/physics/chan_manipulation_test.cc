// SPDX-License-Identifier: BSD-3-Clause
//
// Examples 9 and 10 of Chan (1998, section 6.6), scenes/chan/09_push and 10_rotate: what the source tells of them.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "chan_examples.h"

namespace thenar::chan_manipulation_test {
namespace {

using namespace test;

constexpr double kMu = 0.6;
constexpr double kDegree = std::numbers::pi / 180;

struct BoxPose {
  Eigen::Vector3d p;
  Eigen::Quaterniond turn;

  /// About the vertical.
  double yaw() const { return std::atan2(turn.toRotationMatrix()(1, 0), turn.toRotationMatrix()(0, 0)); }
  /// Of its axis from the vertical.
  double tilt() const { return std::acos(std::min(1., turn.toRotationMatrix()(2, 2))); }
  Eigen::Vector3d to_box(const Vec3<double>& point) const {
    return turn.conjugate() * (Eigen::Vector3d(point.x, point.y, point.z) - p);
  }
};

BoxPose pose_of_box(const Scenario& s, const State& state) {
  const int q = position_of(s, "box");
  return {state.q.segment<3>(q), {state.q(q + 3), state.q(q + 4), state.q(q + 5), state.q(q + 6)}};
}

void expect_pushed(const Scenario& s) {
  const Trace trace = run_example(s);
  ASSERT_EQ(trace.report.status, RunStatus::done);
  const BoxPose first = pose_of_box(s, trace.report.first), last = pose_of_box(s, trace.report.last);
  EXPECT_GT(first.p.x(), 0.02);  // m: on the side of the fingers
  EXPECT_LT(last.p.x(), -0.02);  // on the side of the thumb
  EXPECT_NEAR(last.yaw(), 0, kDegree);
  EXPECT_GT(std::abs(first.yaw()), 5 * kDegree);  // squared up by the two fingertips
  double x = first.p.x();
  std::set<std::string> touching;
  bool is_pushed = false;
  for (const Sample& sample : trace.samples) {
    const BoxPose box = pose_of_box(s, sample.state);
    EXPECT_LT(box.tilt(), 0.1 * kDegree) << sample.state.t;  // it slides, it does not tip
    EXPECT_LT(box.p.x(), x + 1e-6) << sample.state.t;        // never back towards the fingers
    x = box.p.x();
    for (const Contact& contact : sample.contacts) {
      if (contact.mode != ContactMode::open && contact.name.starts_with("box/hand")) touching.insert(contact.name);
    }
    if (sample.state.t > 0.8 && sample.state.t < 1.3) {  // on the way
      EXPECT_TRUE(find_held(sample, "box/hand.index_3") && find_held(sample, "box/hand.pinkie_3")) << sample.state.t;
      const Contact* foot = find_held(sample, "box/table#0");
      ASSERT_NE(foot, nullptr);
      EXPECT_EQ(foot->mode, ContactMode::slide) << sample.state.t;
      is_pushed = true;
    }
  }
  EXPECT_TRUE(is_pushed);
  EXPECT_EQ(touching, (std::set<std::string>{"box/hand.index_3", "box/hand.pinkie_3"}));
  EXPECT_LT(trace.report.last.v.segment<6>(velocity_of(s, "box")).norm(), 1e-6);  // and comes to rest there
}

TEST(ChanPush, TwoFingersPushTheBoxToTheOtherSide) { expect_pushed(read_example("09_push")); }

TEST(ChanPush, TenPercentMoreOrLessChangeNoneOfIt) {
  for (const std::string& change : list_changes(kMu, 0.1)) {
    SCOPED_TRACE(change);
    expect_pushed(read_example("09_push", {change}));
  }
}

TEST(ChanPush, GivesTheSameBitsAgain) { expect_same_bits(read_example("09_push")); }

constexpr const char* kTurning[] = {"thumb", "middle", "ring", "pinkie"};

void expect_turned(const Scenario& s) {
  const Trace trace = run_example(s);
  ASSERT_EQ(trace.report.status, RunStatus::done);
  const BoxPose first = pose_of_box(s, trace.report.first), last = pose_of_box(s, trace.report.last);
  EXPECT_NEAR(first.yaw(), 30 * kDegree, 1e-12);
  EXPECT_NEAR(last.yaw(), 0, 3 * kDegree);  // clockwise, seen from above
  for (const char* finger : kTurning) {
    const std::string name = fmt::format("box/hand.{}_3", finger);
    SCOPED_TRACE(name);
    // Each slides while the fingers press, and again while they swing; where it touches keeps changing.
    int slides = 0, held = 0;
    Eigen::Vector3d at_start, at_end;
    bool was_sliding = false;
    for (const Sample& sample : trace.samples) {
      const Contact* contact = find_held(sample, name);
      if (contact == nullptr) continue;
      ++held;
      const bool is_sliding = contact->mode == ContactMode::slide;
      slides += is_sliding && !was_sliding;
      was_sliding = is_sliding;
      const Eigen::Vector3d place = pose_of_box(s, sample.state).to_box(contact->point_A);
      if (&sample == &trace.samples.front()) at_start = place;
      at_end = place;
    }
    EXPECT_GE(slides, 2);
    EXPECT_GT(held, 0.9 * static_cast<double>(trace.samples.size()));
    EXPECT_GT((at_end - at_start).norm(), 0.01);  // m
  }
  // The pinkie: at first in the middle of the lower edge (50 mm to either end, 40 mm below the middle of the side), in
  // the end near the end of it.
  const auto place_of_pinkie = [&](const Sample& sample) {
    return pose_of_box(s, sample.state).to_box(find_held(sample, "box/hand.pinkie_3")->point_A);
  };
  ASSERT_TRUE(find_held(trace.samples.back(), "box/hand.pinkie_3"));
  EXPECT_LT((place_of_pinkie(trace.samples.front()) - Eigen::Vector3d(0.05, 0, -0.04)).norm(), 2e-3);
  const Eigen::Vector3d end = place_of_pinkie(trace.samples.back());
  EXPECT_GT(end.y(), 0.04);
  EXPECT_LT(end.z(), -0.036);
  // The index finger has no part in it.
  for (const Sample& sample : trace.samples) EXPECT_FALSE(find_held(sample, "box/hand.index_3")) << sample.state.t;
}

TEST(ChanRotate, BoxTurnsAndFingertipsTravelOverIt) { expect_turned(read_example("10_rotate")); }

TEST(ChanRotate, TenPercentMoreOrLessChangeNoneOfIt) {
  for (const std::string& change : list_changes(kMu, 0.05)) {
    SCOPED_TRACE(change);
    expect_turned(read_example("10_rotate", {change}));
  }
}

TEST(ChanRotate, GivesTheSameBitsAgain) { expect_same_bits(read_example("10_rotate")); }

}  // namespace
}  // namespace thenar::chan_manipulation_test
