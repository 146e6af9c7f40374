// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/trace_scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "../scenario_texts.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/report/replay_data_internal.h"
#include "thenar/io/trace/shape_json_internal.h"
#include "thenar/io/trace/trace_reader.h"
#include "thenar/io/trace/trace_rows_internal.h"
#include "thenar/io/trace/trace_writer.h"
#include "thenar/model/model_builder.h"
#include "thenar/simulation/simulate.h"
#include "thenar/spatial/rotation.h"

namespace thenar::trace_scene_test {
namespace {

namespace fs = std::filesystem;

class TraceSceneTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("thenar_scene_") + test->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const Scenario& scenario, const std::vector<Sample>& samples) const {
    TraceWriter writer(scenario, folder_);
    for (const Sample& sample : samples) ASSERT_TRUE(writer.write(sample));
    ASSERT_TRUE(writer.finish());
  }

  /// Poses from the files are those of the model that was simulated.
  void expect_same_poses(const Scenario& scenario, const std::vector<Sample>& samples) const {
    write(scenario, samples);
    const TraceFiles files = find_trace(folder_);
    const TraceScene scene = read_trace_scene(files.scene);
    TraceReader reader(files.states);
    TracePoses poses(scene, reader.columns(), files.states);
    ASSERT_EQ(scene.model.body_count(), scenario.model.body_count());
    Workspace<double> workspace(scenario.model);
    for (const Sample& sample : samples) {
      ASSERT_TRUE(reader.next());
      poses.update(reader.row());
      update_positions(scenario.model, sample.state.q.data(), workspace);
      for (int i = 0; i < scenario.model.body_count(); ++i) {
        const Placement<double> expected = calc_body_pose(scenario.model, workspace, BodyIndex(i));
        const Pose<double> found = poses.pose(BodyIndex(i));
        // Frames go through quaternions, whose rounding grows along a chain of a few joints of metre size.
        EXPECT_LT((found.p - expected.p.eigen()).norm(), 1e-14) << scenario.model.body(BodyIndex(i)).name;
        EXPECT_LT((found.R - expected.R.eigen()).norm(), 1e-14) << scenario.model.body(BodyIndex(i)).name;
      }
    }
  }

  std::string read_fault(const std::string& text) const {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "scene.json", std::ios::binary) << text;
    try {
      read_trace_scene(folder_ / "scene.json");
      return "";
    } catch (const InputError& error) {
      return error.message();
    }
  }

  fs::path folder_;
};

TEST_F(TraceSceneTest, PosesOfEveryKindOfJointAreThoseOfTheModel) {
  const Scenario s = test::parse(R"(hands:
  - name: h
    base: {xyz: [0.1, 0.2, 0.3], rpy: [10 deg, 20 deg, 30 deg]}
    bodies:
      - {name: palm, joint: {name: wrist, type: universal, axis: [1, 2, 0], frame: {xyz: [0, 0.1, 0], rpy: [0.1, 0, 0]}},
         mass: 1, inertia: [1, 1, 1]}
      - {name: tip, parent: palm, joint: {name: ball, type: spherical, frame: {xyz: [0.2, 0, 0]}}, mass: 1,
         inertia: [1, 1, 1]}
      - {name: end, parent: tip, joint: {name: slide, type: prismatic, axis: [1, 1, 1]}, mass: 1, inertia: [1, 1, 1]}
      - {name: nail, parent: end, joint: {type: fixed, frame: {xyz: [0, 0, 0.1], rpy: [0, 0.5, 0]}}, mass: 1,
         inertia: [1, 1, 1]}
      - {name: claw, parent: nail, joint: {name: bend, type: revolute, axis: [0, 1, 0.5]}, mass: 1, inertia: [1, 1, 1]}
    v: {wrist: [1, 2], ball: [0.1, 0.2, 0.3], bend: 3}
objects:
  - {name: box, shape: {box: [0.1, 0.2, 0.3]}, mass: 1, velocity: {angular: [1, 2, 3]}}
  - {name: disc, shape: {sphere: 0.1}, mass: 1, joint: planar, pose: {xyz: [1, 0, 0]}}
  - {name: floor, shape: {box: [1, 1, 1]}, joint: fixed, pose: {xyz: [0, 0, -2], rpy: [0.3, 0, 0]}}
)",
                                 std::vector<std::string>{"run.until=0.3", "run.sample=0.05"});
  expect_same_poses(s, record(s).samples);
}

TEST_F(TraceSceneTest, AFreeJointOnAMovingBodyIsReadInTheWorld) {
  // states.csv tells where such a body is in the world, whatever it hangs on.
  ModelBuilder builder;
  const MassProperties mass{1, Vector3<double>::Zero(), {1, 1, 1, 0, 0, 0}};
  const BodyIndex arm =
      builder.add_body({.name = "arm", .mass = mass}, kWorld, {.name = "hinge", .kind = JointKind::revolute});
  JointSpec joint{.name = "loose", .kind = JointKind::free};
  joint.X_PF = {rotation_about_axis(Vector3<double>::UnitX(), 0.4), {1, 0, 0}};
  joint.X_BM.p = {0, 0.5, 0};
  const BodyIndex loose = builder.add_body({.name = "box", .mass = mass}, arm, joint);
  builder.add_body({.name = "tail", .mass = mass}, loose, {.name = "tail", .kind = JointKind::prismatic});
  Scenario s;
  s.name = "loose";
  s.model = std::move(builder).finalize();
  s.initial.q = s.model.neutral_position();
  s.initial.v = VectorX<double>::Zero(s.model.velocity_count());
  s.initial.q.head(4) << 0.7, 0.1, 0.2, 0.3;
  s.initial.q.tail(5) << 0.5, 0.5, -0.5, 0.5, 0.25;
  expect_same_poses(s, {Sample{s.initial, VectorX<double>::Zero(s.model.velocity_count()), {}, {}}});
}

TEST_F(TraceSceneTest, ShapesReadBackAsTheyWere) {
  const std::vector<Shape> shapes{Sphere{0.1}, Ellipsoid{{1, 2, 3}}, Cylinder{1, 2}, Capsule{0.1, 1.0 / 3},
                                  Cone{1, 2},  Box{{1, 2, 3}},       Torus{2, 0.5},  RoundedBox{{1, 2, 3}, 0.1},
                                  Rod{3},      Ellipse{1, 2},        Plane{},        Bowl{2, 1}};
  for (const Shape& shape : shapes) {
    const nlohmann::ordered_json json = internal::shape_json(shape);
    const auto found = internal::shape_from_json(nlohmann::ordered_json::parse(json.dump()));
    ASSERT_TRUE(found) << json;
    EXPECT_EQ(found->index(), shape.index());
    EXPECT_EQ(internal::shape_json(*found), json);
  }
}

TEST_F(TraceSceneTest, PlacesOfContactsAreOnTheirBodies) {
  // A ball slides to the right on the ground: forces on it are its weight upwards and μ of it to the left.
  const Scenario s = test::parse(R"(parameters: {r: 0.1, mu: 0.3, m: 0.5}
objects:
  - {name: ball, shape: {sphere: $r}, mass: $m, pose: {xyz: [0, 0, $r]}, velocity: {linear: [2, 0, 0]}}
  - {name: floor, joint: fixed, shape: {plane: {}}}
contacts: {friction: $mu}
)",
                                 std::vector<std::string>{"run.until=0.1", "run.sample=0.01"});
  const std::vector<Sample> samples = record(s).samples;
  write(s, samples);
  const TraceFiles files = find_trace(folder_);
  const TraceScene scene = read_trace_scene(files.scene);
  internal::RowsWithContacts rows(files);
  TracePoses poses(scene, rows.states().columns(), files.states);
  int count = 0;
  for (; rows.next(); ++count) {
    ASSERT_EQ(rows.contacts().size(), 1u);
    poses.update(rows.states().row());
    const Contact& c = rows.contacts().front();
    const Vector3<double> middle = poses.pose(*scene.model.find_body("ball")).p;
    // The gap is held at rounding of metres.
    EXPECT_LT((c.point_A.eigen() - (middle - 0.1 * Vector3<double>::UnitZ())).norm(), 1e-14);
    EXPECT_LT((c.N.eigen() - Vector3<double>::UnitZ()).norm(), 1e-14);
    EXPECT_LT((c.T.eigen() - Vector3<double>::UnitX()).norm(), 1e-14);
    EXPECT_EQ(c.friction, 0.3);
    const Vector3<double> weight = 0.5 * 9.81 * Vector3<double>(-0.3, 0, 1);
    EXPECT_LT((internal::calc_world_force(c).eigen() - weight).norm(), 1e-12);
  }
  EXPECT_EQ(count, 11);
}

TEST_F(TraceSceneTest, TellsWhetherItIsPlanar) {
  const auto is_planar = [&](const std::string& joint) {
    write(test::parse(fmt::format("objects: [{{name: a, shape: {{sphere: 1}}, mass: 1, joint: {}}}]\n", joint)), {});
    return read_trace_scene(folder_ / "scene.json").is_planar;
  };
  EXPECT_TRUE(is_planar("planar"));
  EXPECT_FALSE(is_planar("free"));
}

TEST_F(TraceSceneTest, FaultsSayWhereTheyAre) {
  const auto body = [](const std::string& joint, const std::string& shapes = "[]",
                       const std::string& parent = "world") {
    return fmt::format(
        R"({{"thenar":1,"name":"x","planar":false,"bodies":[{{"name":"a","parent":"{}","joint":{},"shapes":{}}}]}})",
        parent, joint, shapes);
  };
  EXPECT_EQ(read_fault(body(R"({"type":"free","name":"a"})")), "");
  EXPECT_EQ(read_fault("[1]"), "expected a JSON object");
  EXPECT_EQ(read_fault("{"), "expected a JSON object");
  EXPECT_EQ(read_fault("{}"), "'thenar' is missing");
  EXPECT_EQ(read_fault(R"({"thenar":2})"), "'thenar' expects 1, found 2");
  EXPECT_EQ(read_fault(R"({"thenar":1,"name":"x","planar":true,"bodies":{}})"), "'bodies' expects a list");
  EXPECT_EQ(read_fault(R"({"thenar":1,"name":"x","planar":true,"bodies":[{}]})"), "'bodies[0].name' is missing");
  EXPECT_EQ(read_fault(body(R"({"type":"screw"})")), "'bodies[0].joint.type' is no joint: 'screw'");
  EXPECT_EQ(read_fault(body(R"({"type":"free"})")), "'bodies[0]': the joint of body 'a' needs a name");
  EXPECT_EQ(read_fault(body(R"({"type":"free","name":"a"})", "[]", "b")),
            "'bodies[0].parent' is no body before it: 'b'");
  EXPECT_EQ(read_fault(body(R"({"type":"revolute","name":"a","axis":[0,1]})")),
            "'bodies[0].joint.axis' expects 3 numbers, found [0,1]");
  EXPECT_EQ(read_fault(body(R"({"type":"revolute","name":"a","axis":[0,0,0]})")),
            "'bodies[0]': joint 'a': the axis must be a vector other than zero");
  EXPECT_EQ(read_fault(body(R"({"type":"fixed","frame":{"xyz":[0,0,0],"quaternion":[0,0,0,0]}})")),
            "'bodies[0].joint.frame.quaternion' is none");
  for (const char* shape : {R"({"sphere":-1})", R"({"cube":1})", R"({"box":[1,2]})", R"({"rounded_box":3})", "[]"}) {
    EXPECT_EQ(read_fault(body(R"({"type":"fixed"})", fmt::format(R"([{{"shape":{}}}])", shape))),
              fmt::format("'bodies[0].shapes[0].shape' is no shape: {}", shape));
  }
}

}  // namespace
}  // namespace thenar::trace_scene_test
