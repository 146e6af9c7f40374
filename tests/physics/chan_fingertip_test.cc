// SPDX-License-Identifier: BSD-3-Clause
//
// Examples 3 and 4 of Chan (1998, sections 6.3 and 6.4), scenes/chan/03 and 04: a box rolls and slides on a fingertip.

#include <cmath>
#include <numbers>

#include "chan_examples.h"

namespace thenar::chan_fingertip_test {
namespace {

using namespace test;

constexpr double kMu = 0.6, kMass = 0.1, kRadius = 8e-3;
constexpr double kDegree = std::numbers::pi / 180;
const std::string kTip = "box/hand.index_3";

/// The rows in which the box is on the fingertip as it is in the first row, and then not any more.
std::vector<const Sample*> list_rows(const Trace& trace, ContactMode motion) {
  std::vector<const Sample*> out;
  for (const Sample& sample : trace.samples) {
    const Contact* contact = find_held(sample, kTip);
    const bool is_fixed = contact && contact->mode == ContactMode::stick && motion == ContactMode::roll;
    if (contact && (contact->mode == motion || is_fixed)) out.push_back(&sample);
  }
  return out;
}

/// How far the contact has gone over the box and over the fingertip, m, along its path. Chords of rows 2 ms apart are
/// shorter than arcs by less than 1e-4 of them. The box has coordinates in m; the tip longitude and latitude.
struct Ways {
  double box = 0, tip = 0;
};
Ways measure_ways(const std::vector<const Sample*>& rows) {
  Ways ways;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Contact &a = *find_held(*rows[i - 1], kTip), &b = *find_held(*rows[i], kTip);
    ways.box += std::hypot(b.u_A[0] - a.u_A[0], b.u_A[1] - a.u_A[1]);
    const double along = std::cos(0.5 * (a.u_B[1] + b.u_B[1])) * (b.u_B[0] - a.u_B[0]);
    ways.tip += kRadius * std::hypot(along, b.u_B[1] - a.u_B[1]);
  }
  return ways;
}

/// The force on the box in the axes of the world.
Vec3<double> force_on_box(const Sample& sample) {
  const Contact& c = *find_held(sample, kTip);
  return c.N * c.force_on_A.normal + c.T * c.force_on_A.along_T + cross(c.N, c.T) * c.force_on_A.along_U;
}

// Example 3.

void expect_rolling(const Scenario& s, const Trace& trace) {
  const auto rolling = list_rows(trace, ContactMode::roll), sliding = list_rows(trace, ContactMode::slide);
  ASSERT_GT(rolling.size(), 40u);
  // It rolls from the start, most of the time that it is on the tip, until friction does not suffice any more.
  EXPECT_EQ(rolling.front()->state.t, 0);
  EXPECT_GT(rolling.size(), 2 * sliding.size());
  ASSERT_FALSE(sliding.empty());
  EXPECT_LT(rolling.back()->state.t, sliding.front()->state.t);
  // Both contact points move, by the same length (the source's footnote has the box's at rest): some 45 degrees of the
  // tip, and 0.8 radians on the tip are 0.8 times 8 mm on the box.
  const Ways ways = measure_ways(rolling);
  EXPECT_GT(ways.tip, 35 * kDegree * kRadius);
  EXPECT_NEAR(ways.box / ways.tip, 1, 1e-3);
  // In the plane of x and z: it goes down and its front goes down.
  double sideways = 0, forward = 0;
  for (const Sample* sample : rolling) {
    const Vec3<double> f = force_on_box(*sample);
    sideways = std::max(sideways, std::abs(f.y));
    forward = std::max(forward, std::hypot(f.x, f.z));
  }
  EXPECT_LT(sideways, 0.1 * forward);
  const State& end = trace.samples.back().state;
  const Vector3<double> turn = find_turn(s, end, "box");
  EXPECT_GT(turn.y(), 45 * kDegree);
  EXPECT_LT(std::hypot(turn.x(), turn.z()), 0.15 * turn.y());
  const Vector3<double> way = (end.q - trace.samples.front().state.q).segment<3>(position_of(s, "box"));
  EXPECT_LT(way.z(), -8e-3);
  EXPECT_LT(std::abs(way.y()), 0.15 * std::abs(way.z()));
  // The finger gives way under the box, the others do not move.
  const VectorX<double> moved = (end.q - trace.samples.front().state.q).cwiseAbs();
  EXPECT_GT(moved(position_of(s, "hand.index_2")), 0.02);  // rad
  EXPECT_GT(moved(position_of(s, "hand.index_3")), 0.01);
  for (const char* finger : {"thumb", "middle", "ring", "pinkie"}) {
    EXPECT_LT(moved.segment<3>(position_of(s, fmt::format("hand.{}_1", finger))).maxCoeff(), 1e-9) << finger;
  }
}

TEST(ChanFingertip, ABoxRollsOnIt) {
  const Scenario s = read_example("03_rolling");
  expect_rolling(s, run_example(s));
}

TEST(ChanFingertip, ABoxRollsOnItWithOtherFrictionAndMass) {
  for (const std::string& change : list_changes(kMu, kMass)) {
    SCOPED_TRACE(change);
    const Scenario s = read_example("03_rolling", {change});
    expect_rolling(s, run_example(s));
  }
}

TEST(ChanFingertip, WithoutFrictionABoxSlidesOnItFromTheStart) {
  const Trace trace = run_example(read_example("03_rolling", {"parameters.mu=0"}));
  EXPECT_TRUE(list_rows(trace, ContactMode::roll).size() <= 1);
  const Ways ways = measure_ways(list_rows(trace, ContactMode::slide));
  EXPECT_GT(std::abs(ways.box / ways.tip - 1), 0.2);
}

// Example 4.

void expect_sliding(const Scenario& s, const Trace& trace, double mu) {
  const auto sliding = list_rows(trace, ContactMode::slide);
  EXPECT_TRUE(list_rows(trace, ContactMode::roll).empty());
  ASSERT_GT(sliding.size(), 70u);  // of 100, until the box leaves the tip
  const Ways ways = measure_ways(sliding);
  EXPECT_GT(ways.box, 60e-3);
  EXPECT_LT(ways.tip, 0.06 * ways.box);
  for (const Sample* sample : sliding) {
    const Contact& c = *find_held(*sample, kTip);
    EXPECT_NEAR(std::hypot(c.force_on_A.along_T, c.force_on_A.along_U), mu * c.force_on_A.normal, 1e-12);
    EXPECT_LE(c.force_on_A.along_T * c.slip[0] + c.force_on_A.along_U * c.slip[1], 0);  // against the slip
    EXPECT_NEAR(sample->state.q(position_of(s, "box") + 1), -36e-3, 1e-12);
  }
  // Down the slope, in front of the hand.
  const Vector3<double> way = (sliding.back()->state.q - sliding.front()->state.q).segment<3>(position_of(s, "box"));
  EXPECT_GT(way.x(), 30e-3);
  EXPECT_LT(way.z(), -50e-3);
  EXPECT_GT(std::abs(trace.report.last.q(position_of(s, "hand.index_2"))), 0.02);
}

TEST(ChanFingertip, ABoxSlidesOnIt) {
  const Scenario s = read_example("04_sliding");
  expect_sliding(s, run_example(s), kMu);
}

TEST(ChanFingertip, ABoxSlidesOnItWithOtherFrictionAndMass) {
  for (const std::string& change : list_changes(kMu, kMass)) {
    SCOPED_TRACE(change);
    const Scenario s = read_example("04_sliding", {change});
    const Trace trace = run_example(s);
    expect_sliding(s, trace, find_held(trace.samples.front(), kTip)->friction);
  }
}

TEST(ChanFingertip, TwoRunsAreTheSame) {
  expect_same_bits(read_example("03_rolling"));
  expect_same_bits(read_example("04_sliding"));
}

}  // namespace
}  // namespace thenar::chan_fingertip_test
