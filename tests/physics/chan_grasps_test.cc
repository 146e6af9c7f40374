// SPDX-License-Identifier: BSD-3-Clause
//
// Examples 1 and 2 of Chan (1998, section 6.2), scenes/chan/01 and 02: changes of grasps.

#include <cmath>
#include <numbers>

#include "chan_examples.h"
#include "thenar/linear_programs/linear_program.h"

namespace thenar::chan_grasps_test {
namespace {

using namespace test;

constexpr double kMu = 0.6, kMass = 0.1;
constexpr double kDegree = std::numbers::pi / 180;

const Contact* find_hold(const Sample& sample, const std::string& finger) {
  return find_held(sample, "box/hand." + finger + "_3");
}

/// The fingers that hold the box, in the order thumb to pinkie.
std::vector<std::string> list_holders(const Sample& sample) {
  std::vector<std::string> out;
  for (const char* finger : {"thumb", "index", "middle", "ring", "pinkie"}) {
    if (find_hold(sample, finger) || find_held(sample, fmt::format("box/hand.{}_3#0", finger)) ||
        find_held(sample, fmt::format("box/hand.{}_3#1", finger))) {
      out.push_back(finger);
    }
  }
  return out;
}
using Fingers = std::vector<std::string>;

/// The last event of a kind at a finger's tip.
double find_last(const Trace& trace, EventKind kind, const std::string& finger) {
  double t = -1;
  for (const Event& event : trace.events) {
    if (event.kind == kind && event.where().starts_with("box/hand." + finger + "_3")) t = event.t;
  }
  EXPECT_GE(t, 0) << finger << " has no " << to_string(kind);
  return t;
}

double find_first(const Trace& trace, EventKind kind, const std::string& finger) {
  for (const Event& event : trace.events) {
    if (event.kind == kind && event.where().starts_with("box/hand." + finger + "_3")) return event.t;
  }
  ADD_FAILURE() << finger << " has no " << to_string(kind);
  return -1;
}

double way_of(const Scenario& s, const Sample& from, const Sample& to) {
  const int at = position_of(s, "box");
  return (to.state.q.segment<3>(at) - from.state.q.segment<3>(at)).norm();
}

/// Nothing moves until `t`, but the fingers that are named.
void expect_rest(const Scenario& s, const Trace& trace, double t) {
  for (const Sample& sample : trace.samples) {
    if (sample.state.t > t) break;
    EXPECT_LT(way_of(s, trace.samples.front(), sample), 1e-9) << sample.state.t;
    EXPECT_LT(find_turn(s, sample.state, "box").norm(), 1e-7) << sample.state.t;
  }
}

// Example 1.

void expect_regrasp(const Scenario& s, const Trace& trace) {
  const Sample &first = trace.samples.front(), &last = trace.samples.back();
  EXPECT_EQ(list_holders(first), (Fingers{"thumb", "index", "ring", "pinkie"}));
  EXPECT_EQ(list_holders(last), (Fingers{"thumb", "middle", "pinkie"}));
  const double met = find_first(trace, EventKind::impact, "middle");
  EXPECT_GT(met, 0.5);
  EXPECT_LT(met, 0.6);
  for (const char* finger : {"index", "ring"}) {
    const double left = find_last(trace, EventKind::break_away, finger);
    EXPECT_GT(left, met + 0.05) << finger;
    EXPECT_LT(left, 0.9) << finger;
    const int joint = position_of(s, fmt::format("hand.{}_3", finger));
    EXPECT_LT(last.state.q(joint), first.state.q(joint) - 0.3) << finger;  // rad: bent outwards
  }
  // The grasp holds the box in friction cones, where it was: fingers of 0.15 N m/rad give way by millimetres.
  for (const char* finger : {"thumb", "middle", "pinkie"}) {
    const Contact* contact = find_hold(last, finger);
    ASSERT_TRUE(contact);
    EXPECT_GT(contact->margin, 0.05) << finger;
    EXPECT_GT(contact->force_on_A.normal, 0.2) << finger;  // N
  }
  for (const Sample& sample : trace.samples) {
    EXPECT_LT(way_of(s, first, sample), 6e-3) << sample.state.t;
    EXPECT_LT(find_turn(s, sample.state, "box").norm(), 6 * kDegree) << sample.state.t;
  }
}

TEST(ChanGrasps, FourFingersBecomeThree) {
  const Scenario s = read_example("01_regrasp_4_to_3");
  const Trace trace = run_example(s);
  expect_rest(s, trace, 0.5);
  expect_regrasp(s, trace);
  // While the middle finger takes over, the sum of what presses against the thumb stays what it is.
  for (const Sample& sample : trace.samples) {
    if (sample.state.t < 0.6) continue;
    EXPECT_NEAR(find_hold(sample, "thumb")->force_on_A.normal, 1.2, 0.15) << sample.state.t;  // N
  }
}

TEST(ChanGrasps, ThreeFingersHoldWithOtherFrictionAndMass) {
  for (const std::string& change : list_changes(kMu, kMass)) {
    SCOPED_TRACE(change);
    const Scenario s = read_example("01_regrasp_4_to_3", {change});
    expect_regrasp(s, run_example(s));
  }
}

TEST(ChanGrasps, ThreeFingersHoldForLong) {
  // With 1.2 N the box comes back to where it is in equilibrium; with 1.5 N it turns away from the thumb, whatever the
  // friction, as docs/gallery/01_regrasp_4_to_3.md tells.
  const auto turn_until = [](const std::string& squeeze, double t) {
    const Scenario s =
        read_example("01_regrasp_4_to_3", {"parameters.squeeze=" + squeeze, fmt::format("run.until={}", t)});
    return std::abs(find_turn(s, run_example(s).samples.back().state, "box").z());
  };
  EXPECT_LT(turn_until("1.2 N", 5), 0.5 * turn_until("1.2 N", 2));
  EXPECT_GT(turn_until("1.5 N", 4), 10 * kDegree);
}

// Example 2.

/// Whether forces in the cones of these contacts can balance each other, all of them pressing: with rank 6 that is
/// force closure. Cones have 32 faces, outside or inside of the circle.
bool is_closed(const Sample& sample, const Fingers& fingers, double mu, bool outside) {
  constexpr int kFaces = 32;
  const double reach = outside ? mu / std::cos(std::numbers::pi / kFaces) : mu;
  const int count = static_cast<int>(fingers.size()) * kFaces;
  MatrixX<double> A = MatrixX<double>::Zero(7, count + 1);  // wrench; sum of shares; all but the least share
  int column = 0;
  for (const std::string& finger : fingers) {
    const Contact& contact = *find_hold(sample, finger);
    const Vec3<double> U = cross(contact.N, contact.T);
    for (int k = 0; k < kFaces; ++k, ++column) {
      const double angle = 2 * std::numbers::pi * k / kFaces;
      const Vec3<double> f = contact.N + contact.T * (reach * std::cos(angle)) + U * (reach * std::sin(angle));
      const Vec3<double> m = cross(contact.point_A, f) * 10.0;  // in units of 0.1 m
      A.col(column) << f.x, f.y, f.z, m.x, m.y, m.z, 1;
    }
  }
  // Shares are `least` + something: A (x + least 1) = 0 with the sum 1, and `least` as large as can be.
  A.col(count) = A.leftCols(count).rowwise().sum();
  A = A.unaryExpr([](double a) { return std::abs(a) < 1e-12 ? 0.0 : a; });  // sines of π: they would set the scales
  LinearProgram program(A);
  for (int i = 0; i < 6; ++i) program.bound_row(i, 0, 0);
  program.bound_row(6, 1, 1);
  for (int j = 0; j <= count; ++j) program.bound_column(j, 0, LinearProgram::kInfinity);
  program.set_cost(count, -1);
  return program.solve() == LpStatus::optimal && program.x()(count) > 1e-6 &&
         A.topLeftCorner(6, count).fullPivLu().rank() == 6;
}

/// The turn of the box about y, negative: the thumb pushes its lower end away, index and pinkie pull its upper end
/// near.
double turn_of(const Scenario& s, const Sample& sample) { return find_turn(s, sample.state, "box").y(); }

void expect_loss(const Scenario& s, const Trace& trace, double mu) {
  const Fingers all{"thumb", "index", "middle", "ring", "pinkie"}, rest{"thumb", "index", "pinkie"};
  const Sample& first = trace.samples.front();
  EXPECT_EQ(list_holders(first), all);
  EXPECT_TRUE(is_closed(first, all, mu, false));
  EXPECT_FALSE(is_closed(first, rest, mu, true));

  // The margin of the thumb says that it ends before the cube has turned: it falls to zero.
  const double slip = find_first(trace, EventKind::slip, "thumb");
  EXPECT_GT(slip, 0.2);
  EXPECT_LT(slip, 0.26);
  double margin = 1;
  for (const Sample& sample : trace.samples) {
    if (sample.state.t < 0.2) continue;
    if (sample.state.t > slip) break;
    EXPECT_LT(std::abs(turn_of(s, sample)), 1.5 * kDegree) << sample.state.t;  // 1.1 at rest, of another mass
    EXPECT_LE(find_hold(sample, "thumb")->margin, margin + 1e-6) << sample.state.t;
    margin = find_hold(sample, "thumb")->margin;
  }
  EXPECT_LT(margin, 0.05);  // in the last row before

  for (const char* finger : {"middle", "ring"}) {
    EXPECT_GT(find_first(trace, EventKind::break_away, finger), slip) << finger;
    EXPECT_FALSE(find_hold(trace.samples.back(), finger)) << finger;
  }
  double turn = 0;
  for (const Sample& sample : trace.samples) turn = std::min(turn, turn_of(s, sample));
  EXPECT_LT(turn, -20 * kDegree);
}

TEST(ChanGrasps, FiveFingersBecomeThreeAndLoseTheCube) {
  const Scenario s = read_example("02_regrasp_5_to_3");
  const Trace trace = run_example(s);
  expect_rest(s, trace, 0.2);
  expect_loss(s, trace, kMu);
  // Hand and cube are mirrored at y = 0, and so is what they do.
  for (const Sample& sample : trace.samples) {
    EXPECT_NEAR(sample.state.q(position_of(s, "box") + 1), 0, 1e-7) << sample.state.t;
    EXPECT_NEAR(find_turn(s, sample.state, "box").z(), 0, 1e-6) << sample.state.t;
  }
}

TEST(ChanGrasps, TheCubeIsLostWithOtherFrictionAndMass) {
  for (const std::string& change : list_changes(kMu, kMass)) {
    SCOPED_TRACE(change);
    const Scenario s = read_example("02_regrasp_5_to_3", {change});
    const Trace trace = run_example(s);
    expect_loss(s, trace, find_hold(trace.samples.front(), "thumb")->friction);
  }
}

TEST(ChanGrasps, TwoRunsAreTheSame) {
  expect_same_bits(read_example("01_regrasp_4_to_3"));
  expect_same_bits(read_example("02_regrasp_5_to_3"));
}

}  // namespace
}  // namespace thenar::chan_grasps_test
