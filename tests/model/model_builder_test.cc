// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/model/model_builder.h"

#include <gtest/gtest.h>

namespace thenar::model_builder_test {
namespace {

const MassProperties kBall{.mass = 0.5, .inertia = {1e-3, 1e-3, 1e-3, 0, 0, 0}};

/// Runs `build` and returns the message of the std::invalid_argument that it must throw.
template <class Build>
std::string message_of(const Build& build) {
  try {
    build();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  ADD_FAILURE() << "no exception";
  return "";
}

TEST(ModelBuilder, NumbersCoordinatesInOrder) {
  ModelBuilder builder;
  const BodyIndex a = builder.add_body({"a", kBall}, kWorld, {.name = "ja", .kind = JointKind::free});
  const BodyIndex b = builder.add_body({"b", kBall}, a, {.name = "jb", .kind = JointKind::universal});
  const BodyIndex c = builder.add_body({"c", kBall}, b, {.kind = JointKind::fixed});
  const BodyIndex d = builder.add_body({"d", kBall}, c, {.name = "jd", .kind = JointKind::revolute});
  const Model model = std::move(builder).finalize();
  EXPECT_EQ(model.position_count(), 7 + 2 + 1);
  EXPECT_EQ(model.velocity_count(), 6 + 2 + 1);
  EXPECT_EQ(model.link_count(), 1 + 2 + 1);  // the universal joint is two links, the fixed one none
  EXPECT_EQ(model.body(c).link, model.body(b).link);
  EXPECT_EQ(model.joint(model.body(d).joint).level, 3);
  EXPECT_EQ(model.dof_name(7), "jb.1");
  EXPECT_EQ(model.dof_name(8), "jd");
  EXPECT_EQ(model.dof_parent(8), 7);
  EXPECT_EQ(model.dof_depth(8), 8);
  EXPECT_DOUBLE_EQ(model.total_mass(), 2);
  EXPECT_EQ(model.find_body("d"), d);
  EXPECT_FALSE(model.find_joint("nobody"));
  EXPECT_EQ(model.neutral_position()(3), 1);
}

TEST(ModelBuilder, WeldsFixedBodiesIntoTheirLink) {
  ModelBuilder builder;
  const BodyIndex a = builder.add_body({"a", kBall}, kWorld, {.name = "j", .kind = JointKind::revolute});
  JointSpec weld{.kind = JointKind::fixed};
  weld.X_PF = Pose<double>::translation({0.2, 0, 0});
  builder.add_body({"b", kBall}, a, weld);
  const Model model = std::move(builder).finalize();
  const RigidInertia<double>& I = model.link_constants()[1].inertia;
  EXPECT_DOUBLE_EQ(I.mass, 1);
  EXPECT_DOUBLE_EQ(I.h.x, 0.1);
  EXPECT_DOUBLE_EQ(I.J.zz, 2e-3 + 0.5 * 0.04);
}

TEST(ModelBuilder, RejectsBadArgumentsWithTheirNames) {
  const auto one = [](const JointSpec& joint, const MassProperties& mass = kBall) {
    return [=] {
      ModelBuilder builder;
      builder.add_body({"b", mass}, kWorld, joint);
    };
  };
  EXPECT_EQ(message_of(one({.name = "j", .kind = JointKind::revolute, .axis = {0, 0, 0}})),
            "joint 'j': the axis must be a vector other than zero");
  EXPECT_EQ(message_of(one({.name = "j", .kind = JointKind::universal, .axis = {0, 0, 1}, .second_axis = {0, 0, -2}})),
            "joint 'j': the two axes must not be parallel");
  EXPECT_EQ(message_of(one({.kind = JointKind::revolute})), "the joint of body 'b' needs a name");
  EXPECT_EQ(message_of(one({.name = "j", .kind = JointKind::universal, .damping = VectorX<double>::Ones(3)})),
            "joint 'j': damping needs 2 number(s), one per degree of freedom, found 3");
  EXPECT_EQ(message_of(one({.name = "j", .kind = JointKind::universal, .effort = VectorX<double>::Ones(1)})),
            "joint 'j': effort needs 2 number(s), one per degree of freedom, found 1");
  EXPECT_EQ(message_of(one({.name = "j", .kind = JointKind::revolute, .effort = VectorX<double>::Zero(1)})),
            "joint 'j': effort must be greater than zero");
  EXPECT_EQ(message_of(one({.name = "j", .kind = JointKind::revolute, .armature = -VectorX<double>::Ones(1)})),
            "joint 'j': armature must be finite and not negative");
  EXPECT_EQ(message_of(one({.name = "j",
                            .kind = JointKind::revolute,
                            .spring = JointSpring{MatrixX<double>::Ones(2, 2), VectorX<double>::Zero(1)}})),
            "spring on 'j': the stiffness must be 1 x 1, found 2 x 2");
  EXPECT_EQ(message_of(one({.name = "j", .kind = JointKind::revolute}, {.mass = -1})),
            "body 'b': mass must not be negative, found -1 kg");
  EXPECT_EQ(message_of([] {
              ModelBuilder builder;
              builder.add_body({"b", kBall}, BodyIndex(3), {.name = "j", .kind = JointKind::revolute});
            }),
            "body 'b': its parent does not exist");
  EXPECT_EQ(message_of([] {
              ModelBuilder builder;
              builder.add_body({"b", kBall}, kWorld, {.name = "j", .kind = JointKind::revolute});
              builder.add_body({"c", kBall}, kWorld, {.name = "j", .kind = JointKind::revolute});
            }),
            "there is already a joint named 'j'");
  EXPECT_EQ(message_of([] {
              ModelBuilder builder;
              builder.add_body({"world", kBall}, kWorld, {.name = "j", .kind = JointKind::revolute});
            }),
            "there is already a body named 'world'");
}

TEST(ModelBuilder, TellsConservativeSpringsFromOthers) {
  ModelBuilder builder;
  MatrixX<double> wrist(2, 2), symmetric(2, 2);
  wrist << 2, -4, 0, 2;
  symmetric << 2, -1, -1, 5;
  const VectorX<double> rest = VectorX<double>::Zero(2);
  builder.add_body({"a", kBall}, kWorld,
                   {.name = "wrist", .kind = JointKind::universal, .spring = JointSpring{wrist, rest}});
  builder.add_body({"b", kBall}, kWorld,
                   {.name = "knuckle", .kind = JointKind::universal, .spring = JointSpring{symmetric, rest}});
  const Model model = std::move(builder).finalize();
  EXPECT_FALSE(model.springs()[0].conservative);
  EXPECT_TRUE(model.springs()[1].conservative);
}

}  // namespace
}  // namespace thenar::model_builder_test
