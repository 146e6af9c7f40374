// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/plot/actuator_sizing.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cmath>
#include <fstream>
#include <numbers>

#include "thenar/base/diagnostic.h"

namespace thenar::actuator_sizing_test {
namespace {

namespace fs = std::filesystem;

class ActuatorSizing : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("thenar_size_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& text) const { std::ofstream(folder_ / "states.csv", std::ios::binary) << text; }

  /// A joint driven by 3 sin ωt that moves with 7 sin ωt for 5 periods of 1 s, and one that is not driven.
  void write_sines() const {
    std::string text = "t,q.h.a,q.h.b,v.h.a,v.h.b,tau.h.a,tau.h.b\n";
    for (int i = 0; i <= 1000; ++i) {
      const double t = i / 200.0, s = std::sin(2 * std::numbers::pi * t);
      text += fmt::format("{},{},{},{},{},{},0\n", t, -s, 0.25, 7 * s, 0.5, 3 * s);
    }
    write(text);
  }

  std::string message() const {
    try {
      size_actuators(folder_, false);
      return "";
    } catch (const InputError& error) {
      return fmt::format("{}: {}", error.mark().line, error.message());
    }
  }

  fs::path folder_;
};

TEST_F(ActuatorSizing, HasTheDemandOfEveryJoint) {
  write_sines();
  const SizingReport report = size_actuators(folder_, false);
  EXPECT_DOUBLE_EQ(report.duration, 5);
  ASSERT_EQ(report.joints.size(), 2u);
  EXPECT_EQ(report.joints[0].name, "h.a");
  const ActuatorDemand& driven = report.joints[0].demand;
  EXPECT_TRUE(driven.driven);
  EXPECT_DOUBLE_EQ(driven.peak_effort.effort, 3);
  EXPECT_DOUBLE_EQ(driven.peak_effort.t, 0.25);
  EXPECT_NEAR(driven.rms_effort, 3 / std::sqrt(2), 1e-12);
  EXPECT_DOUBLE_EQ(driven.peak_power->power(), 21);
  EXPECT_NEAR(driven.delivered, 52.5, 1e-11);
  EXPECT_EQ(driven.range, (std::pair{-1.0, 1.0}));
  EXPECT_FALSE(report.joints[1].demand.driven);
  EXPECT_DOUBLE_EQ(report.joints[1].demand.mean_speed, 0.5);
}

TEST_F(ActuatorSizing, JsonSaysWhatIsNotThere) {
  write_sines();
  const std::string json = sizing_json(size_actuators(folder_, false), 2);
  for (const char* part : {"\"safety\": 2", "\"braking\": 0.0", "\"braking_t\": null", "\"driven\": false",
                           "\"effort\": \"N m | N\"", "\"peak_effort\": 6.0"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part;
  }
}

TEST_F(ActuatorSizing, TextNamesUnitsAndJointsThatAreNotDriven) {
  write_sines();
  std::ofstream(folder_ / "summary.json") << R"({"sliding_joints": ["h.b"]})";
  const std::string text = sizing_text(size_actuators(folder_, false), 1.5);
  for (const char* part : {"turning joints: effort", "sliding joints: effort", "N m", "rad/s", "m/s", "not driven",
                           "turning joints: required of the actuators, 1.5 times the run", "31.5"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find("sliding joints: power"), std::string::npos);
}

TEST_F(ActuatorSizing, RotationsInSpaceHaveNoRange) {
  write(
      "t,q.h.ball.0,q.h.ball.1,q.h.ball.2,q.h.ball.3,q.b.x,q.b.y,q.b.z,q.b.qw,q.b.qx,q.b.qy,q.b.qz,"
      "v.h.ball.0,v.b.wx,v.b.vx,tau.h.ball.0,tau.b.wx,tau.b.vx\n"
      "0,1,0,0,0,-2,0,0,1,0,0,0,1,1,1,1,1,1\n"
      "1,1,0,0,0,3,0,0,1,0,0,0,1,1,1,1,1,1\n");
  const SizingReport report = size_actuators(folder_, false);
  ASSERT_EQ(report.joints.size(), 3u);
  EXPECT_FALSE(report.joints[0].demand.range);
  EXPECT_FALSE(report.joints[1].demand.range);
  EXPECT_EQ(report.joints[2].demand.range, (std::pair{-2.0, 3.0}));
  EXPECT_EQ(report.joints[2].kind, MotionKind::sliding);
}

TEST_F(ActuatorSizing, RefusesTracesThatTellNothing) {
  write("t,q.a,v.a\n0,1,2\n1,1,2\n");
  EXPECT_EQ(message(), "1: no column 'tau.*': the trace has no joint that an actuator could drive");
  write("t,q.a,tau.a\n0,1,2\n1,1,2\n");
  EXPECT_EQ(message(), "1: there is 'tau.a' but no 'v.a'");
  write("t,v.a,tau.a\n");
  EXPECT_EQ(message(), "0: the rows span no time, so that there is nothing to size");
  write("t,v.a,tau.a\n1,1,1\n1,2,2\n");
  EXPECT_EQ(message(), "0: the rows span no time, so that there is nothing to size");
}

TEST_F(ActuatorSizing, NotesALineThatWasCut) {
  write("t,v.a,tau.a\n0,1,1\n1,2,2\n2,3");
  EXPECT_EQ(size_actuators(folder_, false).notes.size(), 1u);
}

TEST_F(ActuatorSizing, PlotHasAPanelForEveryDrivenJoint) {
  write_sines();
  const std::string svg = plot_envelopes(size_actuators(folder_, true));
  EXPECT_NE(svg.find(">h.a</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">h.b</text>"), std::string::npos);
  EXPECT_NE(svg.find("<polygon"), std::string::npos);
  write("t,v.a,tau.a,v.b,tau.b\n0,1e308,-1e308,5e-324,0\n1,0,5e-324,0,5e-324\n");
  EXPECT_EQ(plot_envelopes(size_actuators(folder_, true)).find("nan"), std::string::npos);
  write("t,v.a,tau.a\n0,1,0\n1,2,0\n");
  EXPECT_THROW(plot_envelopes(size_actuators(folder_, true)), InputError);
}

}  // namespace
}  // namespace thenar::actuator_sizing_test
