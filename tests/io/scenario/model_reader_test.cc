// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/scenario/model_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "../scenario_texts.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/io/answer/model_info.h"
#include "thenar/spatial/rotation.h"

namespace thenar::model_reader_test {
namespace {

using test::parse;
using test::parse_arm;

constexpr double kPi = std::numbers::pi;

Pose<double> body_pose(const Model& model, const VectorX<double>& q, const std::string& name) {
  Workspace<double> workspace(model);
  update_positions(model, q.data(), workspace);
  const Placement<double> X = calc_body_pose(model, workspace, *model.find_body(name));
  return {X.R.eigen(), X.p.eigen()};
}

void expect_equal(const Pose<double>& a, const Pose<double>& b) {
  EXPECT_LT((a.R - b.R).norm(), 1e-14);
  EXPECT_LT((a.p - b.p).norm(), 1e-14);
}

Pose<double> turn_x(double a) { return Pose<double>::rotation(rotation_about_axis(Vector3<double>::UnitX(), a)); }
Pose<double> turn_z(double a) { return Pose<double>::rotation(rotation_about_axis(Vector3<double>::UnitZ(), a)); }
Pose<double> move(double x, double y, double z) { return Pose<double>::translation({x, y, z}); }

constexpr const char* kDhBodies = R"([
  {name: a, joint: {type: revolute, dh: {a: 0.3, alpha: 0.4, d: 0.1, theta: 0.7}}, mass: 1, inertia: [1, 1, 1]},
  {name: b, parent: a, joint: {type: prismatic, dh: {a: -0.2, alpha: -1.1, d: 0.05, theta: 0.2}},
   mass: 1, inertia: [1, 1, 1]}]
)";

TEST(ModelReader, StandardDenavitHartenbergIsItsMatrix) {
  const Scenario s = parse_arm(kDhBodies, "    dh: standard\n");
  VectorX<double> q(2);
  q << 0.6, -0.13;
  const Pose<double> a = turn_z(0.7 + q(0)) * move(0, 0, 0.1) * move(0.3, 0, 0) * turn_x(0.4);
  const Pose<double> b = turn_z(0.2) * move(0, 0, 0.05 + q(1)) * move(-0.2, 0, 0) * turn_x(-1.1);
  expect_equal(body_pose(s.model, q, "arm.a"), a);
  expect_equal(body_pose(s.model, q, "arm.b"), a * b);
}

TEST(ModelReader, ModifiedDenavitHartenbergIsItsMatrix) {
  const Scenario s = parse_arm(kDhBodies, "    dh: modified\n");
  VectorX<double> q(2);
  q << 0.6, -0.13;
  const Pose<double> a = turn_x(0.4) * move(0.3, 0, 0) * turn_z(0.7 + q(0)) * move(0, 0, 0.1);
  const Pose<double> b = turn_x(-1.1) * move(-0.2, 0, 0) * turn_z(0.2) * move(0, 0, 0.05 + q(1));
  expect_equal(body_pose(s.model, q, "arm.a"), a);
  expect_equal(body_pose(s.model, q, "arm.b"), a * b);
}

TEST(ModelReader, DenavitHartenbergEqualsExplicitFrames) {
  // Modified rows put everything before the joint, so an explicit frame says the same.
  const Scenario dh = parse_arm(
      "[{name: a, joint: {type: revolute, dh: {a: 0.3, alpha: 90 deg, d: 0.1}}, mass: 1, inertia: [1, 1, 1]}]",
      "    dh: modified\n");
  const Scenario frame = parse_arm(
      "[{name: a, joint: {type: revolute, frame: {xyz: [0.3, -0.1, 0], rpy: [90 deg, 0, 0]}}, mass: 1, inertia: [1, 1, "
      "1]}]");
  const VectorX<double> q = VectorX<double>::Constant(1, 0.4);
  expect_equal(body_pose(dh.model, q, "arm.a"), body_pose(frame.model, q, "arm.a"));
}

TEST(ModelReader, ChildrenMayStandBeforeTheirParents) {
  const std::string root = "{name: root, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}";
  const std::string left = "{name: left, parent: root, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}";
  const std::string right = "{name: right, parent: root, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}";
  const std::string tip = "{name: tip, parent: right, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}";
  const auto names = [](const Scenario& s) {
    std::string out;
    for (const Body& body : s.model.bodies()) out += body.name + " ";
    return out;
  };
  EXPECT_EQ(names(parse_arm("[" + tip + ", " + right + ", " + left + ", " + root + "]")),
            "world arm.base arm.root arm.right arm.tip arm.left ");
  // A file that is in order already stays as it is, also when it is not depth first.
  EXPECT_EQ(names(parse_arm("[" + root + ", " + left + ", " + right + ", " + tip + "]")),
            "world arm.base arm.root arm.left arm.right arm.tip ");
}

TEST(ModelReader, JointNameDefaultsToItsBody) {
  const Scenario s = parse_arm("[{name: link, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}]");
  EXPECT_TRUE(s.model.find_joint("arm.link"));
}

TEST(ModelReader, AllJointTypesHaveTheirCoordinates) {
  const auto counts = [](const std::string& type) {
    const Scenario s = parse_arm("[{name: link, joint: {type: " + type + "}, mass: 1, inertia: [1, 1, 1]}]");
    return std::pair(s.model.position_count(), s.model.velocity_count());
  };
  EXPECT_EQ(counts("fixed"), std::pair(0, 0));
  EXPECT_EQ(counts("revolute"), std::pair(1, 1));
  EXPECT_EQ(counts("prismatic"), std::pair(1, 1));
  EXPECT_EQ(counts("universal"), std::pair(2, 2));
  EXPECT_EQ(counts("spherical"), std::pair(4, 3));
  EXPECT_EQ(counts("planar"), std::pair(3, 3));
  EXPECT_EQ(counts("free"), std::pair(7, 6));
}

TEST(ModelReader, UnitsAreTurnedIntoSi) {
  const Scenario s = parse_arm(
      "[{name: link, joint: {type: revolute, damping: 3 mNm s/rad, armature: 20 g mm^2, spring: {stiffness: 2 N "
      "mm/deg, "
      "rest: 90 deg}}, mass: 50 g, com: [12 mm, 0, 0], inertia: [1e3 g mm^2, 1e3 g mm^2, 1e3 g mm^2]}]");
  const Joint& joint = s.model.joint(*s.model.find_joint("arm.link"));
  EXPECT_DOUBLE_EQ(joint.spec.damping(0), 0.003);
  EXPECT_DOUBLE_EQ(joint.spec.armature(0), 2e-8);
  EXPECT_DOUBLE_EQ(joint.spec.spring->stiffness(0, 0), 0.002 * 180 / kPi);
  EXPECT_DOUBLE_EQ(joint.spec.spring->rest(0), kPi / 2);
  const Body& body = s.model.body(*s.model.find_body("arm.link"));
  EXPECT_DOUBLE_EQ(body.mass.mass, 0.05);
  EXPECT_DOUBLE_EQ(body.mass.com.x(), 0.012);
  EXPECT_DOUBLE_EQ(body.mass.inertia.zz, 1e-6);
}

TEST(ModelReader, InertiaWithProductsKeepsItsOrder) {
  const Scenario s = parse_arm("[{name: link, mass: 1, inertia: [3, 4, 5, 0.1, 0.2, 0.3]}]");
  const Symmetric3<double>& I = s.model.body(*s.model.find_body("arm.link")).mass.inertia;
  EXPECT_EQ(I.xy, 0.1);
  EXPECT_EQ(I.xz, 0.2);
  EXPECT_EQ(I.yz, 0.3);
}

TEST(ModelReader, ShapeGivesMassInItsPose) {
  const Scenario s = parse_arm(
      "[{name: link, shape: {cylinder: {radius: 0.1, length: 0.6}}, shape_pose: {xyz: [0.3, 0, 0], rpy: [0, 90 deg, "
      "0]}, "
      "density: 1000}]");
  const MassProperties& mass = s.model.body(*s.model.find_body("arm.link")).mass;
  EXPECT_NEAR(mass.mass, 1000 * kPi * 0.01 * 0.6, 1e-12);
  EXPECT_DOUBLE_EQ(mass.com.x(), 0.3);
  EXPECT_NEAR(mass.inertia.xx, mass.mass * 0.005, 1e-14);  // now along the cylinder
  ASSERT_EQ(s.shapes.size(), 1u);
  EXPECT_STREQ(shape_name(s.shapes[0].shape), "cylinder");
}

TEST(ModelReader, EveryShapeHasItsSizes) {
  const auto read = [](const std::string& shape) {
    return parse_arm("[{name: link, shape: {" + shape + "}, mass: 1}]").shapes.at(0).shape;
  };
  const auto box = std::get<RoundedBox>(read("rounded_box: {sides: [1 cm, 2 cm, 3 cm], radius: 2 mm}"));
  EXPECT_EQ(box.sides, Vector3<double>(0.01, 0.02, 0.03));
  EXPECT_EQ(box.radius, 0.002);
  const auto torus = std::get<Torus>(read("torus: {radius: 3 cm, tube: 5 mm}"));
  EXPECT_EQ(torus.radius, 0.03);
  EXPECT_EQ(torus.tube, 0.005);
  const auto ellipse = std::get<Ellipse>(read("ellipse: [3 cm, 0.02]"));
  EXPECT_EQ(ellipse.a, 0.03);
  EXPECT_EQ(ellipse.b, 0.02);
  EXPECT_EQ(std::get<Cone>(read("cone: {height: 2, radius: 1}")).height, 2);
  EXPECT_EQ(std::get<Capsule>(read("capsule: {length: 2, radius: 1}")).radius, 1);
  EXPECT_EQ(std::get<Ellipsoid>(read("ellipsoid: [1, 2, 3]")).semi_axes.z(), 3);
}

TEST(ModelReader, SeveralShapesFillABody) {
  const std::string shapes =
      "shapes: [{shape: {box: [0.1, 0.1, 0.2]}, pose: {xyz: [0, 0, 0.1]}}, {shape: {sphere: 0.1}, pose: {xyz: [0, 0, "
      "0.4]}}]";
  const Scenario s = parse_arm("[{name: link, density: 500, " + shapes + "}]");
  ASSERT_EQ(s.shapes.size(), 2u);
  EXPECT_STREQ(shape_name(s.shapes[1].shape), "sphere");
  EXPECT_EQ(s.shapes[1].body, s.shapes[0].body);
  EXPECT_EQ(s.shapes[1].X_BS.p.z(), 0.4);
  const MassProperties expected =
      mass_properties_from_density(Box{{0.1, 0.1, 0.2}}, 500).expressed_in(Pose<double>::translation({0, 0, 0.1})) +
      mass_properties_from_density(Sphere{0.1}, 500).expressed_in(Pose<double>::translation({0, 0, 0.4}));
  const auto expect_same = [&](const MassProperties& found, double factor) {
    EXPECT_NEAR(found.mass, factor * expected.mass, 1e-15 * expected.mass * factor);
    EXPECT_NEAR(found.com.z(), expected.com.z(), 1e-15);
    EXPECT_NEAR(found.inertia.xx, factor * expected.inertia.xx, 1e-14 * expected.inertia.xx * factor);
    EXPECT_NEAR(found.inertia.zz, factor * expected.inertia.zz, 1e-14 * expected.inertia.zz * factor);
  };
  expect_same(s.model.body(*s.model.find_body("arm.link")).mass, 1);
  // A mass is shared by volume, which is the same at another density.
  const Scenario shared = parse_arm("[{name: link, mass: 3, " + shapes + "}]");
  expect_same(shared.model.body(*shared.model.find_body("arm.link")).mass, 3 / expected.mass);
  // Mass properties that are written out stand for themselves.
  const Scenario written = parse_arm("[{name: link, mass: 3, com: [1, 0, 0], inertia: [1, 1, 1], " + shapes + "}]");
  EXPECT_EQ(written.model.body(*written.model.find_body("arm.link")).mass.com.x(), 1);
  EXPECT_NE(model_info_text(s).find("box  sphere"), std::string::npos);
}

TEST(ModelReader, SpringsTakeNumberListAndMatrix) {
  const auto stiffness = [](const std::string& text) {
    const Scenario s = parse_arm("[{name: link, joint: {type: universal, spring: {stiffness: " + text +
                                 "}}, mass: 1, inertia: [1, 1, 1]}]");
    return s.model.springs().at(0).stiffness;
  };
  EXPECT_EQ(stiffness("2"), (MatrixX<double>(2, 2) << 2, 0, 0, 2).finished());
  EXPECT_EQ(stiffness("[2, 5]"), (MatrixX<double>(2, 2) << 2, 0, 0, 5).finished());
  EXPECT_EQ(stiffness("[[2, -4], [0, 2]]"), (MatrixX<double>(2, 2) << 2, -4, 0, 2).finished());
}

TEST(ModelReader, NonSymmetricSpringIsAcceptedAndNamed) {
  // The wrist of Carv Table 5-IV.
  const Scenario s = parse_arm(
      "[{name: palm, joint: {name: wrist, type: universal, spring: {stiffness: [[2, -4], [0, 2]], rest: [pi/32, 0]}}, "
      "mass: 1, inertia: [1, 1, 1]}]");
  EXPECT_FALSE(s.model.springs().at(0).conservative);
  ASSERT_EQ(find_remarks(s).size(), 1u);
  EXPECT_NE(find_remarks(s)[0].find("arm.wrist"), std::string::npos);
  EXPECT_NE(model_info_text(s).find("(not conservative)"), std::string::npos);
}

TEST(ModelReader, SpringsCoupleJoints) {
  const Scenario s = parse_arm(
      "[{name: a, joint: {name: pip, type: revolute}, mass: 1, inertia: [1, 1, 1]}, "
      "{name: b, parent: a, joint: {name: ball, type: spherical}, mass: 1, inertia: [1, 1, 1]}]",
      "    springs: [{joints: [ball, pip], stiffness: [[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 1, 0], [2, 0, 0, 9]], "
      "rest: [0.8, 0.6, 0, 0, 30 deg]}]\n");
  const Spring& spring = s.model.springs().at(0);
  ASSERT_EQ(spring.joints.size(), 2u);
  EXPECT_EQ(s.model.joint(spring.joints[0]).spec.name, "arm.ball");
  EXPECT_EQ(spring.stiffness(3, 3), 9);
  EXPECT_NEAR(spring.rest(4), kPi / 6, 1e-15);
  EXPECT_TRUE(spring.conservative);
}

TEST(ModelReader, ModelFileTakesParametersOfTheScenario) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "thenar_model_reader";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "arm.yaml")
      << "thenar: 1\nname: arm\nparameters: {l: 0.3 m, m: 2*$l}\nbodies:\n"
         "  - {name: link, joint: {type: revolute, axis: [1, 0, 0]}, shape: {rod: $l}, mass: $m}\n";
  const auto read = [&](const std::string& parameters) {
    return parse_scenario(
        "thenar: 1\nrun: {until: 1}\nparameters: {k: 2}\nhands: [{name: h, model: arm.yaml" + parameters + "}]\n",
        "s.yaml", folder);
  };
  EXPECT_DOUBLE_EQ(read("").model.total_mass(), 0.6);
  EXPECT_DOUBLE_EQ(read(", parameters: {l: $k}").model.total_mass(), 4);  // later parameters follow
  EXPECT_DOUBLE_EQ(read(", parameters: {m: 50 g}").model.total_mass(), 0.05);
}

TEST(ModelReader, MostBodiesAreReadAndOneMoreIsNot) {
  const auto chain = [](int count) {
    std::string text = "[{name: b0, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}";
    for (int i = 1; i < count; ++i)
      text += ", {name: b" + std::to_string(i) + ", parent: b" + std::to_string(i - 1) + "}";
    return text + "]";
  };
  EXPECT_EQ(parse_arm(chain(kMostBodies - 1)).model.body_count(), kMostBodies + 1);  // with the world and the base
  EXPECT_THROW(parse_arm(chain(kMostBodies)), InputError);
  EXPECT_THROW(parse_arm(chain(kMostBodies + 1)), InputError);
}

}  // namespace
}  // namespace thenar::model_reader_test
