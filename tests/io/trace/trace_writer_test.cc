// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/trace_writer.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "../scenario_texts.h"
#include "thenar/model/model_builder.h"
#include "thenar/simulation/simulate.h"
#include "thenar/spatial/rotation.h"

namespace thenar::trace_writer_test {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("thenar_trace_" + name);
  fs::remove_all(folder);
  return folder;
}

std::vector<std::vector<double>> read_rows(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // header
  std::vector<std::vector<double>> rows;
  while (std::getline(file, line)) {
    std::vector<double> row;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      double value = 0;
      EXPECT_EQ(std::from_chars(cell.data(), cell.data() + cell.size(), value).ptr, cell.data() + cell.size()) << cell;
      row.push_back(value);
    }
    rows.push_back(row);
  }
  return rows;
}

Scenario mixed_scenario(const std::string& more = "") {
  return test::parse(R"(hands:
  - name: h
    bodies:
      - {name: palm, joint: {name: wrist, type: universal}, mass: 1, inertia: [1, 1, 1]}
      - {name: tip, parent: palm, joint: {name: ball, type: spherical}, mass: 1, inertia: [1, 1, 1]}
      - {name: end, parent: tip, joint: {name: slide, type: prismatic}, mass: 1, inertia: [1, 1, 1]}
    v: {wrist: [1, 2], ball: [0.1, 0.2, 0.3]}
objects:
  - {name: box, shape: {box: [0.1, 0.2, 0.3]}, mass: 1, velocity: {angular: [1, 2, 3]}}
  - {name: disc, shape: {sphere: 0.1}, mass: 1, joint: planar}
  - {name: floor, shape: {box: [1, 1, 1]}, joint: fixed}
)" + more);
}

TEST(TraceColumns, AreNamedByJointAndBody) {
  EXPECT_EQ(fmt::format("{}", fmt::join(trace_columns(mixed_scenario()), " ")),
            "t q.h.wrist.0 q.h.wrist.1 q.h.ball.0 q.h.ball.1 q.h.ball.2 q.h.ball.3 q.h.slide "
            "q.box.x q.box.y q.box.z q.box.qw q.box.qx q.box.qy q.box.qz q.disc.x q.disc.y q.disc.yaw "
            "v.h.wrist.0 v.h.wrist.1 v.h.ball.0 v.h.ball.1 v.h.ball.2 v.h.slide "
            "v.box.wx v.box.wy v.box.wz v.box.vx v.box.vy v.box.vz v.disc.x v.disc.y v.disc.yaw "
            "tau.h.wrist.0 tau.h.wrist.1 tau.h.ball.0 tau.h.ball.1 tau.h.ball.2 tau.h.slide");
}

TEST(TraceColumns, DrivenBaseHasEfforts) {
  const Scenario s = test::parse(
      "hands: [{name: h, base_joint: planar, bodies: [{name: palm, mass: 1, inertia: [1, 1, 1]}]}]\n"
      "control: [{torque: {h.base: [1 N, 0, 0]}}]\n");
  EXPECT_EQ(fmt::format("{}", fmt::join(trace_columns(s), " ")),
            "t q.h.base.x q.h.base.y q.h.base.yaw v.h.base.x v.h.base.y v.h.base.yaw "
            "tau.h.base.x tau.h.base.y tau.h.base.yaw");
}

TEST(TraceWriter, NumbersReadBackBitEqual) {
  const Scenario s = mixed_scenario("control: [{torque: {h.slide: sin(t)/3}}]\n");
  const fs::path folder = fresh_folder("bits");
  const Trace trace = record(s);
  TraceWriter writer(s, folder);
  for (const Sample& sample : trace.samples) ASSERT_TRUE(writer.write(sample));
  ASSERT_TRUE(writer.finish());
  const auto rows = read_rows(writer.path());
  ASSERT_EQ(rows.size(), trace.samples.size());
  const auto nq = static_cast<std::size_t>(s.model.position_count()),
             nv = static_cast<std::size_t>(s.model.velocity_count());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    ASSERT_EQ(rows[r].size(), trace_columns(s).size());
    EXPECT_EQ(rows[r][0], trace.samples[r].state.t);
    for (std::size_t i = 0; i < nq; ++i) EXPECT_EQ(rows[r][1 + i], trace.samples[r].state.q(static_cast<int>(i)));
    for (std::size_t i = 0; i < nv; ++i) EXPECT_EQ(rows[r][1 + nq + i], trace.samples[r].state.v(static_cast<int>(i)));
    EXPECT_EQ(rows[r].back(), trace.samples[r].tau(5));
  }
}

TEST(TraceWriter, RowsBeforeAndAfterAJumpHaveTheSameTime) {
  const Scenario s = mixed_scenario();
  Sample before{s.initial, VectorX<double>::Zero(s.model.velocity_count()), {}, {}}, after = before;
  before.state.t = after.state.t = 0.3;
  before.state.v(0) = 2;
  after.state.v(0) = -1;
  TraceWriter writer(s, fresh_folder("jump"));
  ASSERT_TRUE(writer.write(before) && writer.write(after) && writer.finish());
  const auto rows = read_rows(writer.path());
  ASSERT_EQ(rows.size(), 2u);
  const auto column = 1 + static_cast<std::size_t>(s.model.position_count());
  EXPECT_EQ(rows[0][0], rows[1][0]);
  EXPECT_EQ(rows[0][column], 2);
  EXPECT_EQ(rows[1][column], -1);
}

TEST(TraceWriter, FreeJointOnAMovingBodyIsWrittenInWorldAxes) {
  // A free joint that hangs on a hinge turned by 90° about z, a metre along the turned x axis.
  ModelBuilder builder;
  const MassProperties mass{1, Vector3<double>::Zero(), {1, 1, 1, 0, 0, 0}};
  const BodyIndex arm =
      builder.add_body({.name = "arm", .mass = mass}, kWorld, {.name = "hinge", .kind = JointKind::revolute});
  JointSpec joint{.name = "loose", .kind = JointKind::free};
  joint.X_PF = Pose<double>::translation({1, 0, 0});
  builder.add_body({.name = "ball", .mass = mass}, arm, joint);
  Scenario s;
  s.model = std::move(builder).finalize();
  Sample sample;
  sample.state = {0, s.model.neutral_position(), VectorX<double>::Zero(7)};
  sample.state.q(0) = std::acos(0.0);
  sample.state.q(1) = 0.5;  // along x of the arm
  sample.state.v(0) = 2;    // the hinge turns
  sample.tau.setZero(7);
  TraceWriter writer(s, fresh_folder("free"));
  ASSERT_TRUE(writer.write(sample) && writer.finish());
  const std::vector<double> row = read_rows(writer.path()).at(0);
  EXPECT_NEAR(row[2], 0, 1e-15);               // x
  EXPECT_NEAR(row[3], 1.5, 1e-15);             // y
  EXPECT_NEAR(row[5], std::sqrt(0.5), 1e-15);  // qw
  EXPECT_NEAR(row[8], std::sqrt(0.5), 1e-15);  // qz
  EXPECT_NEAR(row[9 + 3], 2, 1e-15);           // wz, after v.hinge
  EXPECT_NEAR(row[9 + 4], -3, 1e-15);          // vx = -w y
}

TEST(TraceWriter, FolderThatCannotBeMadeIsReported) {
  const fs::path folder = fresh_folder("blocked");
  std::ofstream(folder) << "a file where the folder should be";
  const Scenario s = mixed_scenario();
  try {
    TraceWriter writer(s, folder / "inner");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot create the folder"), std::string::npos) << error.what();
  }
  EXPECT_THROW(TraceWriter(s, folder), std::runtime_error);
}

TEST(TraceWriter, FullDiskIsReported) {
  const fs::path folder = fresh_folder("full");
  fs::create_directories(folder);
  fs::create_symlink("/dev/full", folder / "states.csv");
  const Scenario s = mixed_scenario();
  try {
    TraceWriter writer(s, folder);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("No space left on device"), std::string::npos) << error.what();
  }
}

TEST(TraceWriter, RowsReachTheFileWholeBeforeTheEnd) {
  const Scenario s = mixed_scenario();
  const fs::path folder = fresh_folder("early");
  TraceWriter writer(s, folder);
  const Trace trace = record(s);
  for (int i = 0; i < 70; ++i) ASSERT_TRUE(writer.write(trace.samples[static_cast<std::size_t>(i)]));
  // Nothing was finished, and still the first rows are there, none of them cut.
  const auto rows = read_rows(folder / "states.csv");
  EXPECT_GE(rows.size(), 64u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), trace_columns(s).size());
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Sample make_sample(const Scenario& s, double t) {
  Sample sample;
  sample.state = s.initial;
  sample.state.t = t;
  sample.tau.setZero(s.model.velocity_count());
  sample.energy = {1.0 / 3, -2, 0.5, 0.25, 0.125, -0.5, 0.0625};
  return sample;
}

TEST(TraceWriter, EnergiesHaveALinePerRow) {
  const Scenario s = mixed_scenario();
  TraceWriter writer(s, fresh_folder("energy"));
  ASSERT_TRUE(writer.write(make_sample(s, 0)) && writer.write(make_sample(s, 0.1)) && writer.finish());
  EXPECT_EQ(writer.energy_path().filename(), "energy.csv");
  EXPECT_EQ(read_text(writer.energy_path()),
            "t,kinetic,potential,work,dissipated,layers,switched,corrected\n"
            "0,0.3333333333333333,-2,0.5,0.25,0.125,-0.5,0.0625\n"
            "0.1,0.3333333333333333,-2,0.5,0.25,0.125,-0.5,0.0625\n");
}

TEST(TraceWriter, ContactsHaveALinePerRowAndContact) {
  const Scenario s = mixed_scenario("contacts: {}\n");
  TraceWriter writer(s, fresh_folder("contacts"));
  Sample sample = make_sample(s, 0.1);
  sample.contacts = {{.name = "box/disc",
                      .mode = ContactMode::slide,
                      .gap = -1e-12,
                      .force_on_A = {1, 0.25, 0, 0},
                      .slip = {0.5, 0},
                      .u_A = {1, 2},
                      .u_B = {3, 4},
                      .psi = 5,
                      .margin = -1},
                     {.name = "box/floor#1", .gap = 1.0 / 3}};
  ASSERT_TRUE(writer.write(make_sample(s, 0)));  // without any contact
  ASSERT_TRUE(writer.write(sample) && writer.finish());
  ASSERT_TRUE(writer.contacts_path());
  EXPECT_EQ(read_text(*writer.contacts_path()),
            "t,contact,mode,gap,fN,fT,fU,torsion,vT,vU,uA1,uA2,uB1,uB2,psi,margin\n"
            "0.1,box/disc,slide,-1e-12,1,0.25,0,0,0.5,0,1,2,3,4,5,-1\n"
            "0.1,box/floor#1,open,0.3333333333333333,0,0,0,0,0,0,0,0,0,0,0,0\n");
}

TEST(TraceWriter, ContactsOfAnEarlierRunAreNotMistakenForThisOne) {
  const fs::path folder = fresh_folder("stale");
  const Scenario with = mixed_scenario("contacts: {}\n"), without = mixed_scenario();
  EXPECT_TRUE(TraceWriter(with, folder).contacts_path());
  EXPECT_TRUE(fs::exists(folder / "contacts.csv"));
  EXPECT_FALSE(TraceWriter(without, folder).contacts_path());
  EXPECT_FALSE(fs::exists(folder / "contacts.csv"));
}

TEST(TraceWriter, FullDiskIsReportedForEveryFile) {
  const Scenario s = mixed_scenario("contacts: {}\n");
  for (const char* name : {"energy.csv", "contacts.csv"}) {
    const fs::path folder = fresh_folder("full_too");
    fs::create_directories(folder);
    fs::create_symlink("/dev/full", folder / name);
    try {
      TraceWriter writer(s, folder);
      ADD_FAILURE() << name;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

TEST(TraceWriter, RowsOfContactsReachTheFileWhole) {
  const Scenario s = mixed_scenario("contacts: {}\n");
  TraceWriter writer(s, fresh_folder("contacts_early"));
  Sample sample = make_sample(s, 0);
  sample.contacts.assign(3, {});
  for (int i = 0; i < 70; ++i) ASSERT_TRUE(writer.write(sample));
  const std::string text = read_text(*writer.contacts_path());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 3 * 64);
  EXPECT_EQ(text.back(), '\n');
}

}  // namespace
}  // namespace thenar::trace_writer_test
