// SPDX-License-Identifier: BSD-3-Clause
//
// A ladder that slides down a wall, boxes that tip, rock and land: times by quadrature, speeds by energy.

#include "motion_scenes.h"

namespace thenar::ladder_and_box_test {
namespace {

using namespace test;

/// Forces are found beyond their bounds by 1e-7 of the largest (contact_watch.h), a little late.
constexpr double kForceMargin = 1e-7;

double radians(double degrees) { return degrees * M_PI / 180; }

TEST(Ladder, LeavesTheWallWhereAndWhenEnergySays) {
  const double l = 2;
  for (const double start : {30.0, 55.0, 70.0, 85.0}) {
    for (const double spin : {0.0, 0.5}) {
      SCOPED_TRACE(fmt::format("{} degrees, spin {}", start, spin));
      const double angle = radians(start);
      const double leaves = std::asin(2.0 / 3 * std::sin(angle) + 2.0 / 9 * l * spin * spin / kGravity);
      const auto rate = [&](double q) {
        return std::sqrt(spin * spin + 3 * kGravity / l * (std::sin(angle) - std::sin(q)));
      };
      const double time = integrate([&](double q) { return 1 / rate(q); }, leaves, angle);
      // Flat on the floor: energy without that of the horizontal speed, which stays.
      const double w = rate(leaves), V = l / 2 * w * std::sin(leaves);
      const double energy = spin * spin * l * l / 6 + kGravity * l / 2 * std::sin(angle);  // per kg
      const double landing = std::sqrt(2 * (energy - V * V / 2) / (l * l / 3));
      const Trace trace = run_scene("ladder", {{"angle", angle}, {"spin", spin}, {"run.until", time + 1}});
      ASSERT_GE(trace.events.size(), 2U);
      EXPECT_EQ(trace.events[0].kind, EventKind::break_away);
      EXPECT_EQ(trace.events[0].where(), "ladder/wall");
      // The wall's force falls by about 3/2 m g per radian: the angle is late by the margin over that.
      EXPECT_NEAR(trace.events[0].t, time, 10 * kForceMargin / w);
      EXPECT_EQ(trace.events[1].kind, EventKind::impact);
      for (std::size_t i = 1; i < trace.samples.size(); ++i) {
        const State &before = trace.samples[i - 1].state, &now = trace.samples[i].state;
        if (now.t < trace.events[0].t) {
          EXPECT_NEAR(now.v(2), rate(-now.q(2)), 1e-10);
        } else if (now.t < trace.events[1].t) {
          EXPECT_NEAR(now.v(0), V, 1e-7 * V);
        }
        if (now.t != before.t) continue;
        EXPECT_NEAR(before.v(2), landing, 1e-7 * landing);
        EXPECT_NEAR(before.q(2), 0, 1e-11);
        EXPECT_NEAR(now.v(2), 0, 1e-12);
      }
      EXPECT_NEAR(trace.report.last.v(0), V, 1e-7 * V);
    }
  }
}

TEST(TippingBox, TipsWhenThePushBalancesItsWeight) {
  for (const double push : {0.3, 0.45, 0.6}) {
    for (const double width : {0.1, 0.2}) {
      for (const double rate : {2.0, 20.0}) {
        SCOPED_TRACE(fmt::format("push at {}, width {}, rate {}", push, width, rate));
        const double mu = 1.2 * width / 2 / push, onset = kGravity * width / 2 / (rate * push);
        const Trace trace = run_scene(
            "tipping_box", {{"push", push}, {"width", width}, {"rate", rate}, {"mu", mu}, {"run.until", 1.05 * onset}});
        EXPECT_EQ(count_events(trace, EventKind::break_away), 2);
        ASSERT_GE(trace.events.size(), 1U);
        EXPECT_EQ(trace.events[0].kind, EventKind::break_away);
        // Forces of four corners are redundant: found when the corners rise with about 1e-7 g, where the moment is too
        // large by inertia/width times that.
        const double inertia = (width * width + 0.6 * 0.6) / 3;
        EXPECT_NEAR(trace.events[0].t, onset, 2 * kForceMargin * kGravity * inertia / (width * rate * push));
      }
    }
  }
}

TEST(TippingBox, SlidesWhenFrictionGivesWayFirst) {
  for (const double push : {0.1, 0.3, 0.6}) {
    SCOPED_TRACE(push);
    const double mu = 0.8 * 0.1 / push, onset = mu * kGravity / 10;
    const Trace trace = run_scene("tipping_box", {{"push", push}, {"mu", mu}, {"run.until", 1.02 * onset}});
    EXPECT_EQ(count_events(trace, EventKind::slip), 4);
    ASSERT_GE(trace.events.size(), 1U);
    EXPECT_EQ(trace.events[0].kind, EventKind::slip);
    EXPECT_NEAR(trace.events[0].t, onset, 10 * kForceMargin * kGravity / 10);
  }
}

/// A box on an edge, as of scenes/truth/rocking_box.yaml.
struct Rocking {
  double width = 0.2, height = 0.6;

  double R() const { return std::hypot(width, height) / 2; }
  double balance() const { return std::atan2(width, height); }
  /// Rate at the tilt q when let go at rest at `tilt`.
  double rate(double tilt, double q) const {
    return std::sqrt(std::max(0.0, 1.5 * kGravity / R() * (std::cos(balance() - tilt) - std::cos(balance() - q))));
  }
  double time(double tilt, double q) const {
    return std::abs(integrate([&](double x) { return 1 / rate(tilt, x); }, q, tilt));
  }
  /// The tilt at which it turns round when it leaves the floor with the rate w.
  double turning(double w) const {
    return balance() - std::acos(std::min(1.0, std::cos(balance()) + w * w / (1.5 * kGravity / R())));
  }
};

TEST(RockingBox, LandsAndRocksOnAsHousnerSays) {
  for (const double width : {0.1, 0.2, 0.4}) {
    for (const double part : {0.2, 0.8}) {  // of the tilt of balance
      SCOPED_TRACE(fmt::format("width {}, {} of the balance", width, part));
      const Rocking box{.width = width};
      const double s = std::sin(box.balance()), ratio = 1 - 1.5 * s * s;
      double tilt = part * box.balance(), t = 0;
      const Trace trace =
          run_scene("rocking_box", {{"width", width}, {"tilt", tilt}, {"run.until", 5 * box.time(tilt, 0)}});
      const std::vector<double> impacts = list_times(trace, EventKind::impact);
      ASSERT_GE(impacts.size(), 2U);
      std::size_t row = 1;
      for (std::size_t k = 0; k < std::min<std::size_t>(impacts.size(), 3); ++k) {
        t += box.time(tilt, 0);
        const double w = box.rate(tilt, 0);
        EXPECT_NEAR(impacts[k], t, 1e-9) << k;
        while (row < trace.samples.size() && trace.samples[row].state.t != trace.samples[row - 1].state.t) ++row;
        ASSERT_LT(row, trace.samples.size());
        EXPECT_NEAR(std::abs(trace.samples[row - 1].state.v(2)), w, 1e-9) << k;
        EXPECT_NEAR(std::abs(trace.samples[row].state.v(2)), ratio * w, 1e-9) << k;
        ++row;
        tilt = box.turning(ratio * w);
        t += box.time(tilt, 0);  // up to where it turns round, on the other edge
      }
      EXPECT_LT(trace.report.max_gap_violation, 1e-11);
    }
  }
}

TEST(RockingBox, FallsOverBeyondItsBalance) {
  const Rocking box;
  // Let go later than this, friction of 3 holds all the way: with p the angle of the middle over the edge to the
  // vertical, it takes up to 3 cos(p0)/sin(p0)^2.
  for (const double beyond : {1.0, 1.15}) {
    SCOPED_TRACE(beyond);
    const double tilt = box.balance() + beyond, landing = box.rate(tilt, M_PI / 2), time = box.time(tilt, M_PI / 2);
    const Trace trace = run_scene("rocking_box", {{"tilt", tilt}, {"run.until", time + 0.2}});
    const std::vector<double> impacts = list_times(trace, EventKind::impact);
    ASSERT_EQ(impacts.size(), 1U);
    EXPECT_NEAR(impacts[0], time, 1e-9);
    double before = 0;
    for (std::size_t i = 1; i < trace.samples.size(); ++i) {
      if (trace.samples[i].state.t == trace.samples[i - 1].state.t) before = trace.samples[i - 1].state.v(2);
    }
    EXPECT_NEAR(before, landing, 1e-9);
    // On its long side, sin² of the angle of balance there is 0.9 > 2/3: it stays.
    EXPECT_LT(trace.report.last.v.norm(), 1e-10);
    EXPECT_NEAR(trace.report.last.q(2), M_PI / 2, 1e-11);
    EXPECT_NEAR(trace.report.last.q(1), 0.1, 1e-11);
  }
}

TEST(RockingBox, RestsAtOnceWhenItIsFlat) {
  const double width = 0.6, height = 0.2;
  const Trace trace = run_scene("rocking_box", {{"width", width}, {"height", height}, {"run.until", 1}});
  EXPECT_EQ(list_times(trace, EventKind::impact).size(), 1U);
  EXPECT_LT(trace.report.last.v.norm(), 1e-10);
  EXPECT_NEAR(trace.report.last.q(2), 0, 1e-11);
}

}  // namespace
}  // namespace thenar::ladder_and_box_test
