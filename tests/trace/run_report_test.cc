// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/trace/run_report.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace thenar::run_report_test {
namespace {

TEST(EnergyBalance, ClosesWhenEnergyIsWhatCameInLessWhatWasTaken) {
  EnergyBalance energy{.start = 5, .end = 4.25, .work = 2, .dissipated = 3, .switched = 0.25};
  EXPECT_EQ(energy.error(), 0);
  energy.end += 0.5;  // energy from nowhere
  EXPECT_EQ(energy.error(), 0.5);
  energy.end -= 1;
  EXPECT_EQ(energy.error(), -0.5);
}

TEST(RunStatus, AnInterruptedRunHasNotDoneWhatWasAsked) {
  EXPECT_EQ(std::string(to_string(RunStatus::done)), "done");
  EXPECT_EQ(std::string(to_string(RunStatus::failed)), "failed");
  EXPECT_EQ(std::string(to_string(RunStatus::interrupted)), "failed");
}

/// Bytes of a report that is read back are those of the report.
TEST(RunReport, SurvivesTheArchive) {
  RunReport report;
  report.status = RunStatus::failed;
  report.reason = "two answers";
  report.steps = 12, report.rejected_steps = 3, report.rows = 7;
  report.events[2] = 4;
  report.energy = {.start = 1, .end = 2, .work = 3, .dissipated = 4, .switched = 5};
  report.verdicts = {{.from = 0, .to = 1, .verdict = Verdict::several, .determinate = false}};
  report.switches = {{.t = 0.5, .to_compliant = false, .contacts = {"a/b#1"}, .why = "settled", .energy = 2}};
  report.first = {0, VectorX<double>::Zero(1), VectorX<double>::Ones(1)};
  report.last = {1, VectorX<double>::Ones(1), VectorX<double>::Zero(1)};
  report.q_min = VectorX<double>::Constant(1, -1), report.q_max = VectorX<double>::Constant(1, 1);
  std::vector<std::byte> bytes, again;
  StateWriter{bytes}(report);
  RunReport read;
  StateReader reader(bytes.data(), bytes.size());
  reader(read);
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_EQ(read.reason, "two answers");
  EXPECT_EQ(read.events[2], 4);
  EXPECT_EQ(read.last, report.last);
  ASSERT_EQ(read.switches.size(), 1u);
  EXPECT_EQ(read.switches[0].contacts, std::vector<std::string>{"a/b#1"});
  StateWriter{again}(read);
  EXPECT_EQ(again, bytes);
}

}  // namespace
}  // namespace thenar::run_report_test
