// SPDX-License-Identifier: BSD-3-Clause
/// What YY IV states of its two fingers (scenes/yy/two_finger.yaml): which contacts roll and slide over the torques of
/// the second joints (Fig 7), and the object's acceleration (Fig 8).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "thenar/instant/contact_instant.h"
#include "thenar/io/scenario/scenario_reader.h"

namespace thenar::yy_test {
namespace {

class TwoFingers {
 public:
  explicit TwoFingers(double mu) : document_(std::string(THENAR_SOURCE_DIR) + "/scenes/yy/two_finger.yaml") {
    document_.set(fmt::format("parameters.mu={}", mu));
  }

  Instant solve(double tau1, double tau2) {
    document_.set(fmt::format("parameters.tau1={}", tau1));
    document_.set(fmt::format("parameters.tau2={}", tau2));
    const Scenario scenario = document_.build();
    Instant out = solve_instant(scenario, scenario.initial);
    EXPECT_EQ(out.verdict, Verdict::unique);
    EXPECT_TRUE(out.determinate);
    return out;
  }

 private:
  ScenarioDocument document_;
};

std::string modes(const Instant& instant) {
  std::string out;
  for (const ContactMode mode : instant.cells.at(0).modes) out += to_letter(mode);
  return out;
}

/// Odd numbers keep the grid off the borders of regions that lie on the diagonal.
constexpr double kStep = 1.3;
constexpr int kCount = 12;

TEST(TwoFingers, RegionsAreSymmetricAndRollingGrowsWithFriction) {
  int previous = 0;
  for (const double mu : {0.2, 0.4, 0.6}) {
    TwoFingers fingers(mu);
    int rolling = 0;
    for (int i = 0; i < kCount; ++i) {
      for (int j = 0; j <= i; ++j) {
        const std::string here = modes(fingers.solve(kStep * i, kStep * j));
        std::string mirrored = modes(fingers.solve(kStep * j, kStep * i));
        std::reverse(mirrored.begin(), mirrored.end());
        EXPECT_EQ(here, mirrored) << "torques " << kStep * i << ", " << kStep * j;
        rolling += here == "RR";
      }
    }
    EXPECT_GT(rolling, previous) << "mu " << mu;
    previous = rolling;
  }
}

TEST(TwoFingers, LiftTheObjectWithTheirTorques) {
  TwoFingers fingers(0.4);
  double previous = -10;
  for (int i = 1; i < kCount; ++i) {
    const Instant instant = fingers.solve(kStep * i, kStep * i);
    const VectorX<double>& vdot = instant.cells.at(0).vdot;
    const double sideways = vdot(vdot.size() - 3), upwards = vdot(vdot.size() - 2);
    EXPECT_NEAR(sideways, 0, 1e-9);
    EXPECT_GT(upwards, previous);
    previous = upwards;
  }
  EXPECT_GT(previous, 0);
}

}  // namespace
}  // namespace thenar::yy_test
