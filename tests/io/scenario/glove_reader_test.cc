// SPDX-License-Identifier: BSD-3-Clause
//
// Recorded gloves as targets of joints. The refusals are in bad/.

#include "thenar/io/scenario/glove_reader_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/io/text/text_file.h"
#include "thenar/motion/actuation.h"
#include "thenar/simulation/simulate.h"

namespace thenar::glove_reader_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot(THENAR_SOURCE_DIR);

/// A hand that follows gloves/grasp.csv, fixed where it starts but for its controller.
Scenario parse_glove(const std::string& model, const std::string& mapping, const std::string& more = "") {
  return parse_scenario("thenar: 1\ngravity: [0, 0, 0]\nhands: [{name: hand, model: models/" + model +
                            ".yaml}]\ncontrol: [{pd: {kp: 1, glove: {recording: gloves/grasp.csv, mapping: gloves/" +
                            mapping + ".yaml, hand: hand}" + more + "}}]\nrun: {until: 1}\n",
                        "test.yaml", kRoot, {});
}

/// Efforts by name of the degree of freedom; with kp = 1 and q = 0 they are the targets.
std::map<std::string, double> find_targets(const Scenario& s, double t) {
  Actuation actuation(s);
  VectorX<double> tau(s.model.velocity_count());
  actuation.calc_commands(t, s.model.neutral_position().data(), s.initial.v.data(), tau.data());
  std::map<std::string, double> out;
  for (int i = 0; i < tau.size(); ++i) out[s.model.dof_name(i)] = tau(i);
  return out;
}

std::map<std::string, double> sensors_at(std::size_t sample) {
  const internal::GloveRecording recording = internal::read_glove_recording(kRoot / "gloves/grasp.csv");
  std::map<std::string, double> out;
  for (std::size_t i = 0; i < recording.sensors.size(); ++i) out[recording.sensors[i]] = recording.samples[sample][i];
  return out;
}

TEST(GloveRecording, HasTheSensorsOfACyberGlove) {
  const internal::GloveRecording recording = internal::read_glove_recording(kRoot / "gloves/grasp.csv");
  EXPECT_EQ(recording.sensors.size(), 22u);
  EXPECT_EQ(recording.sensors.front(), "G_ThumbRotate");
  EXPECT_EQ(recording.sensors.back(), "G_WristYaw");
  EXPECT_EQ(recording.times.size(), 151u);
  // As a hand moves: within half a turn, and no faster than 10 rad/s.
  for (std::size_t i = 1; i < recording.times.size(); ++i) {
    for (std::size_t k = 0; k < 22; ++k) {
      EXPECT_LT(std::abs(recording.samples[i][k]), 1.6);
      EXPECT_LT(std::abs(recording.samples[i][k] - recording.samples[i - 1][k]), 10 * 0.02);
    }
  }
}

/// What is said about a recording with this text.
std::string complaint_about(const std::string& text) {
  const fs::path path = fs::temp_directory_path() / ("thenar_glove_" + std::to_string(std::hash<std::string>{}(text)));
  write_file(path, text);
  std::string message;
  try {
    internal::read_glove_recording(path);
  } catch (const InputError& error) {
    message = std::to_string(error.mark().line) + ": " + error.message();
  }
  fs::remove(path);
  return message;
}

TEST(GloveRecording, FaultsAreToldWithTheirLine) {
  EXPECT_EQ(complaint_about("t,S1\n0,0.1\n0.1,0.2\n"), "");
  EXPECT_EQ(complaint_about("t,S1\n0,0.1\n0.1,0.2\n0.1,0.3\n"), "4: two samples at t = 0.1 s");
  EXPECT_EQ(complaint_about("t,S1\n1,0.1\n0,0.2\n"), "3: time goes back: t = 0 after 1");
  EXPECT_EQ(complaint_about("t,S1\n0,open\n"), "2: column 'S1' expects a finite number, found 'open'");
  EXPECT_EQ(complaint_about("t,S1\n0,nan\n"), "2: column 'S1' expects a finite number, found 'nan'");
  EXPECT_EQ(complaint_about("t,S1\n"), "1: the recording has no samples");
  EXPECT_EQ(complaint_about("t\n0\n"), "1: the recording has no sensors beside 't'");
  EXPECT_EQ(complaint_about(""), "1: the file is empty, expected the header of a recording");
  EXPECT_EQ(complaint_about("time,S1\n0,0.1\n"), "1: not a recording: the first column must be 't', found 'time'");
  EXPECT_EQ(complaint_about("\xff\xfet"), "1: not a recording: the first column must be 't', found '??t'");
  EXPECT_EQ(complaint_about("t,,S1\n0,0,0.1\n"), "1: not a recording: a column has no name");
}

/// Programs that write tables do not all end the last line, and some put a byte order mark before the first.
TEST(GloveRecording, OfOtherProgramsLosesNoSample) {
  EXPECT_EQ(complaint_about("t,S1\n0,0.1\n0.1,0.2,0.3"), "3: the row has 3 values, expected 2, one per column");
  const fs::path path = fs::temp_directory_path() / "thenar_glove_open_end";
  write_file(path, "\xEF\xBB\xBFt,S1\r\n0,0.1\r\n0.1,0.25");
  const internal::GloveRecording recording = internal::read_glove_recording(path);
  fs::remove(path);
  EXPECT_EQ(recording.sensors, std::vector<std::string>{"S1"});
  EXPECT_EQ(recording.times, (std::vector<double>{0, 0.1}));
  EXPECT_EQ(recording.samples.back().front(), 0.25);
}

TEST(GloveMapping, IsTableFivePointTwoOfChan) {
  const Scenario s = parse_glove("chan_hand", "cyberglove_chan");
  for (const std::size_t sample : {0u, 40u, 65u, 110u}) {
    const std::map<std::string, double> q = find_targets(s, 0.02 * static_cast<double>(sample));
    std::map<std::string, double> S = sensors_at(sample);
    const double S03 = S["G_ThumbAb"], S23 = S["G_MiddleIndexAb"], S33 = S["G_RingMiddleAb"], S43 = S["G_PinkieRingAb"];
    const std::map<std::string, double> expected{
        {"hand.thumb_1", -S03 / 2},          {"hand.thumb_2", S["G_ThumbMPJ"]},   {"hand.thumb_3", S["G_ThumbIJ"]},
        {"hand.index_1", -(S23 - S03) / 2},  {"hand.index_2", S["G_IndexMPJ"]},   {"hand.index_3", S["G_IndexPIJ"]},
        {"hand.middle_1", -(S33 - S23) / 2}, {"hand.middle_2", S["G_MiddleMPJ"]}, {"hand.middle_3", S["G_MiddlePIJ"]},
        {"hand.ring_1", -(S43 - S33) / 2},   {"hand.ring_2", S["G_RingMPJ"]},     {"hand.ring_3", S["G_RingPIJ"]},
        {"hand.pinkie_1", S43 / 2},          {"hand.pinkie_2", S["G_PinkieMPJ"]}, {"hand.pinkie_3", S["G_PinkiePIJ"]}};
    ASSERT_EQ(q.size(), expected.size());
    for (const auto& [name, value] : expected) EXPECT_NEAR(q.at(name), value, 1e-15) << name << " of sample " << sample;
  }
}

TEST(GloveMapping, DrivesOtherHandsToo) {
  const Scenario s = parse_glove("human_hand", "cyberglove_human");
  const std::map<std::string, double> q = find_targets(s, 0.02 * 65);
  std::map<std::string, double> S = sensors_at(65);
  EXPECT_NEAR(q.at("hand.index_mcp.0"), S["G_MiddleIndexAb"], 1e-15);
  EXPECT_NEAR(q.at("hand.index_mcp.1"), S["G_IndexMPJ"], 1e-15);
  EXPECT_NEAR(q.at("hand.little_dip"), S["G_PinkieDIJ"], 1e-15);
  EXPECT_EQ(q.size(), 22u);
}

TEST(GloveMapping, HandFollowsTheRecordingWithoutEvents) {
  // Spline through the samples: continuous efforts, so that no sample of the glove is an event.
  Scenario s = parse_glove("chan_hand", "cyberglove_chan", ", kd: 0.05");
  s.run = {.until = 1.2, .sample = 0.1};
  const Trace trace = record(s);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_EQ(trace.report.events[static_cast<std::size_t>(EventKind::control)], 0);
  const std::map<std::string, double> want = find_targets(s, 1.2);
  for (int i = 0; i < s.model.velocity_count(); ++i) {
    // Lag I q̈/kp of links of some 1e-4 kg m² with tremor of 0.1° at 10 Hz, and dead time kd·0: below a degree.
    EXPECT_NEAR(trace.report.last.q(i), want.at(s.model.dof_name(i)), 0.017) << s.model.dof_name(i);
  }
}

}  // namespace
}  // namespace thenar::glove_reader_test
