// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/export/trace_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "thenar/base/diagnostic.h"
#include "thenar/io/trace/trace_reader.h"

namespace thenar::trace_export_test {
namespace {

namespace fs = std::filesystem;

class TraceExport : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("thenar_export_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    // An arm that turns about z, a rod at its end; it turns by 90° in the second second, and stands after a jump.
    write(
        "scene.json",
        "{\"thenar\":1,\"name\":\"arm\",\"planar\":true,\"bodies\":["
        "{\"name\":\"arm\",\"parent\":\"world\",\"joint\":{\"type\":\"revolute\",\"name\":\"hinge\",\"axis\":[0,0,1]},"
        "\"shapes\":[]},"
        "{\"name\":\"post\",\"parent\":\"world\",\"joint\":{\"type\":\"fixed\"},\"shapes\":[]},"
        "{\"name\":\"end\",\"parent\":\"arm\",\"joint\":{\"type\":\"fixed\",\"frame\":{\"xyz\":[2,0,0],\"quaternion\":"
        "[1,0,0,0]}},\"shapes\":[]}]}");
    const double quarter = std::numbers::pi / 2;
    write("states.csv", fmt::format("t,q.hinge,v.hinge\n0,0,0\n1,0,0\n2,{0},0\n2,{0},1\n2.5,{0},0\n", quarter));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  std::vector<std::vector<double>> read_poses() const {
    TraceReader reader(folder_ / "poses.csv");
    EXPECT_EQ(fmt::format("{}", fmt::join(reader.columns(), " ")),
              "t arm.x arm.y arm.z arm.qw arm.qx arm.qy arm.qz end.x end.y end.z end.qw end.qx end.qy end.qz");
    std::vector<std::vector<double>> out;
    while (reader.next()) out.emplace_back(reader.row().begin(), reader.row().end());
    return out;
  }

  fs::path folder_;
};

TEST_F(TraceExport, PosesAreThoseOfTheRows) {
  export_poses(folder_, folder_ / "poses.csv");
  const auto rows = read_poses();
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1], (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0}));
  EXPECT_NEAR(rows[2][8], 0, 1e-15);
  EXPECT_NEAR(rows[2][9], 2, 1e-15);
  EXPECT_NEAR(rows[2][11], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(rows[2][14], std::sqrt(0.5), 1e-15);
}

TEST_F(TraceExport, PosesBetweenRowsAreOnLinesAndShortestTurns) {
  export_poses(folder_, folder_ / "poses.csv", 0.25);
  const auto rows = read_poses();
  ASSERT_EQ(rows.size(), 11u);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i][0], 0.25 * static_cast<double>(i));
  // Half way from (2, 0) to (0, 2), turned by 45°.
  EXPECT_NEAR(rows[6][8], 1, 1e-15);
  EXPECT_NEAR(rows[6][9], 1, 1e-15);
  EXPECT_NEAR(rows[6][11], std::cos(std::numbers::pi / 8), 1e-15);
  EXPECT_NEAR(rows[6][14], std::sin(std::numbers::pi / 8), 1e-15);
  EXPECT_NEAR(rows[10][9], 2, 1e-15);
}

TEST_F(TraceExport, SpacingsThatMakeNoSenseAreRefused) {
  for (const double every : {0.0, -1.0, 1e-9, std::nan("")}) {
    EXPECT_THROW(export_poses(folder_, folder_ / "poses.csv", every), std::invalid_argument) << every;
  }
  EXPECT_FALSE(fs::exists(folder_ / "poses.csv"));
}

TEST_F(TraceExport, FaultsLeaveNothingBehind) {
  write("states.csv", "t,q.hinge,v.hinge\n0,0,0\n1,nan,0\n");
  EXPECT_THROW(export_poses(folder_, folder_ / "poses.csv"), InputError);
  EXPECT_THROW(export_mcap(folder_, folder_ / "trace.mcap"), InputError);
  fs::remove(folder_ / "scene.json");
  try {
    export_mcap(folder_, folder_ / "trace.mcap");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(error.message().find("there is no scene.json beside states.csv"), std::string::npos);
  }
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(entry.path().filename(), "states.csv");
  EXPECT_THROW(export_poses(folder_ / "missing", folder_ / "poses.csv"), InputError);
}

TEST_F(TraceExport, WhatCannotBeWrittenIsTold) {
  EXPECT_THROW(export_mcap(folder_, folder_), std::runtime_error);
  EXPECT_THROW(export_mcap(folder_, folder_ / "missing" / "a.mcap"), std::runtime_error);
}

}  // namespace
}  // namespace thenar::trace_export_test
