// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/pair_filter.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "random_shapes.h"

namespace thenar::pair_filter_test {
namespace {

using test::make_joint;
using test::unit_mass;
using Names = std::pair<std::string, std::string>;

TEST(PairFilter, SetsPairsBothWays) {
  PairFilter filter(130, false);  // three words per row
  const std::vector<int> a{0, 64, 129}, b{5, 64};
  filter.set(a, b, true);
  for (int i = 0; i < 130; ++i) {
    for (int j = 0; j < 130; ++j) {
      const auto is_a = [](int k) { return k == 0 || k == 64 || k == 129; };
      const auto is_b = [](int k) { return k == 5 || k == 64; };
      EXPECT_EQ(filter.allows(i, j), (is_a(i) && is_b(j)) || (is_a(j) && is_b(i))) << i << " " << j;
    }
  }
  EXPECT_EQ(filter.count_pairs(), 5);  // 0-5, 0-64, 5-64, 5-129, 64-129
  filter.set(a, a, false);
  EXPECT_EQ(filter.count_pairs(), 3);
  EXPECT_EQ(PairFilter(130, true).count_pairs(), 130 * 129 / 2);
}

/// A palm on a fixed base with two fingers of two links each, the first finger by a universal joint made of two hinges
/// with an empty body between them; a ball, a box, a table, a wall.
class Scene : public ::testing::Test {
 protected:
  Scene() {
    const BodyIndex base = add("hand.base", kWorld, JointKind::fixed, false, false);
    const BodyIndex palm = add("hand.palm", base, JointKind::fixed);
    const BodyIndex pad = add("hand.pad", palm, JointKind::fixed);
    const BodyIndex cross = add("hand.cross", palm, JointKind::revolute, false, false);
    const BodyIndex index_1 = add("hand.index_1", cross, JointKind::revolute);
    add("hand.index_2", index_1, JointKind::revolute);
    const BodyIndex thumb_1 = add("hand.thumb_1", pad, JointKind::spherical);
    const BodyIndex bone = add("hand.thumb_2", thumb_1, JointKind::revolute, true, false);  // a mass without a shape
    add("hand.thumb_3", bone, JointKind::revolute);
    add("ball", kWorld, JointKind::free);
    add("box", kWorld, JointKind::planar);
    add("table", kWorld, JointKind::fixed, false, true);
    add("wall", kWorld, JointKind::fixed, false, true);
    model_ = std::move(builder_).finalize();
  }

  BodyIndex add(const std::string& name, BodyIndex parent, JointKind kind, bool has_mass = true,
                bool has_shape = true) {
    const BodyIndex body = builder_.add_body({.name = name, .mass = has_mass ? unit_mass() : MassProperties()}, parent,
                                             make_joint(name, kind, {0.1, 0, 0}));
    if (has_shape) shapes_.push_back({body, Sphere{0.01}, {}});
    return body;
  }

  std::set<Names> pairs(const ContactRules& rules = {}) const {
    const ShapedBodies found = find_touching_pairs(model_, shapes_, rules);
    std::set<Names> out;
    for (int i = 0; i < found.filter.count(); ++i) {
      EXPECT_FALSE(found.filter.allows(i, i));
      for (int j = i + 1; j < found.filter.count(); ++j) {
        EXPECT_EQ(found.filter.allows(i, j), found.filter.allows(j, i));
        if (found.filter.allows(i, j)) out.insert({name(found, i), name(found, j)});
      }
    }
    return out;
  }
  std::string name(const ShapedBodies& found, int i) const {
    return model_.body(found.bodies[static_cast<std::size_t>(i)]).name;
  }
  BodyIndex body(const std::string& name) const { return *model_.find_body(name); }

  ModelBuilder builder_;
  Model model_;
  std::vector<BodyShape> shapes_;
};

TEST_F(Scene, AllPairsButNeighboursAndRigidOnes) {
  const std::set<Names> found = pairs();
  // Left out: what is welded or fixed (palm, pad, table, wall), and neighbours: index_1 on the palm with its pad, over
  // the empty cross; index_2 on index_1; thumb_1 on the pad with its palm. thumb_3 may touch thumb_1: there is a bone
  // between them.
  const std::set<Names> left_out{
      {"hand.palm", "hand.pad"},     {"hand.palm", "table"},       {"hand.palm", "wall"},
      {"hand.pad", "table"},         {"hand.pad", "wall"},         {"table", "wall"},
      {"hand.palm", "hand.index_1"}, {"hand.pad", "hand.index_1"}, {"hand.index_1", "hand.index_2"},
      {"hand.palm", "hand.thumb_1"}, {"hand.pad", "hand.thumb_1"}};
  const std::vector<std::string> names{"hand.palm",    "hand.pad", "hand.index_1", "hand.index_2", "hand.thumb_1",
                                       "hand.thumb_3", "ball",     "box",          "table",        "wall"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      const Names pair{names[i], names[j]};
      EXPECT_EQ(found.contains(pair), !left_out.contains(pair)) << pair.first << " and " << pair.second;
    }
  }
}

TEST_F(Scene, ExclusionsAreTakenAway) {
  ContactRules rules;
  rules.excluded = {{{body("hand.index_2"), body("hand.thumb_3")}, {body("ball")}}, {{body("box")}, {body("table")}}};
  std::set<Names> expected = pairs();
  EXPECT_EQ(expected.erase({"hand.index_2", "ball"}) + expected.erase({"hand.thumb_3", "ball"}) +
                expected.erase({"box", "table"}),
            3u);
  EXPECT_EQ(pairs(rules), expected);
}

TEST_F(Scene, AListNamesNeighboursTooButNothingRigid) {
  ContactRules rules;
  rules.all_pairs = false;
  rules.pairs = {{{body("hand.index_1")}, {body("hand.index_2"), body("ball"), body("hand.base")}},
                 {{body("table"), body("ball")}, {body("wall"), body("ball")}}};
  EXPECT_EQ(pairs(rules),
            (std::set<Names>{
                {"hand.index_1", "hand.index_2"}, {"hand.index_1", "ball"}, {"ball", "table"}, {"ball", "wall"}}));
  rules.excluded = {{{body("ball")}, {body("table")}}};
  EXPECT_FALSE(pairs(rules).contains({"ball", "table"}));
}

TEST_F(Scene, NamedNeighboursAreAddedToAllPairs) {
  ContactRules rules;
  rules.pairs = {{{body("hand.index_1")}, {body("hand.index_2"), body("ball")}}};
  std::set<Names> expected = pairs();
  expected.insert({"hand.index_1", "hand.index_2"});
  EXPECT_EQ(pairs(rules), expected);
}

TEST(TouchingPairs, ShapesOfTheWorldMeetEverythingThatMoves) {
  ModelBuilder builder;
  const BodyIndex arm = builder.add_body({"arm", unit_mass()}, kWorld, make_joint("hinge", JointKind::revolute));
  const Model model = std::move(builder).finalize();
  const std::vector<BodyShape> shapes{{kWorld, Plane{}, {}}, {arm, Sphere{1}, {}}};
  const ShapedBodies found = find_touching_pairs(model, shapes, {});
  EXPECT_TRUE(found.filter.allows(0, 1));  // the ground is nobody's neighbour
}

TEST(TouchingPairs, HingesAboutOnePointAreOneJoint) {
  // A knuckle of two hinges with a part between them that has mass and shape, as many models have it.
  const auto find = [](const Vector3<double>& between, JointKind kind) {
    ModelBuilder builder;
    const BodyIndex palm = builder.add_body({"palm", unit_mass()}, kWorld, make_joint("palm", JointKind::fixed));
    const BodyIndex knuckle = builder.add_body({"knuckle", unit_mass()}, palm, make_joint("a", kind, {1, 0, 0}));
    const BodyIndex pad = builder.add_body({"pad", unit_mass()}, knuckle, make_joint("", JointKind::fixed, {2, 3, 4}));
    const BodyIndex finger =
        builder.add_body({"finger", unit_mass()}, pad, make_joint("b", JointKind::revolute, between));
    const Model model = std::move(builder).finalize();
    const std::vector<BodyShape> shapes{{palm, Sphere{1}, {}}, {knuckle, Sphere{1}, {}}, {finger, Sphere{1}, {}}};
    const ShapedBodies found = find_touching_pairs(model, shapes, {});
    EXPECT_FALSE(found.filter.allows(0, 1));
    EXPECT_FALSE(found.filter.allows(1, 2));
    return found.filter.allows(0, 2);
  };
  EXPECT_FALSE(find({-2, -3, -4}, JointKind::revolute));
  EXPECT_FALSE(find({-2, -3, -4}, JointKind::spherical));
  EXPECT_TRUE(find({-2, -3, -3.9}, JointKind::revolute));
  EXPECT_TRUE(find({-2, -3, -4}, JointKind::prismatic));  // slides away
}

TEST(TouchingPairs, AFreeJointJoinsNothing) {
  ModelBuilder builder;
  const BodyIndex cart = builder.add_body({"cart", unit_mass()}, kWorld, make_joint("slide", JointKind::prismatic));
  const BodyIndex load = builder.add_body({"load", unit_mass()}, cart, make_joint("load", JointKind::free));
  const Model model = std::move(builder).finalize();
  const std::vector<BodyShape> shapes{{cart, Sphere{1}, {}}, {load, Sphere{1}, {}}};
  EXPECT_TRUE(find_touching_pairs(model, shapes, {}).filter.allows(0, 1));
}

}  // namespace
}  // namespace thenar::pair_filter_test
