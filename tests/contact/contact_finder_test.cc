// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_finder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "random_shapes.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar::contact_finder_test {
namespace {

using test::make_joint;
using test::RandomShapes;
using test::unit_mass;

/// Rounding of coordinates of some metres, over a few operations.
constexpr double kRounding = 1e-14;

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  EXPECT_LT(norm(a - b), tolerance) << a.eigen().transpose() << " instead of " << b.eigen().transpose();
}

/// A model under construction with its shapes, at the neutral position with free bodies put where they belong.
class World {
 public:
  BodyIndex add(const std::string& name, BodyIndex parent, JointKind kind, const Vector3<double>& p) {
    return builder_.add_body({name, unit_mass()}, parent, make_joint(name, kind, p));
  }
  BodyIndex add(const std::string& name, JointKind kind, const Shape& shape, const Vector3<double>& p) {
    const BodyIndex body = add(name, kWorld, kind, p);
    add_shape(body, shape);
    return body;
  }
  void add_shape(BodyIndex body, const Shape& shape, const Vector3<double>& p = {0, 0, 0}) {
    shapes_.push_back({body, shape, Pose<double>::translation(p)});
  }

  const Model& finish() {
    model_ = std::move(builder_).finalize();
    return model_;
  }
  const std::vector<BodyShape>& shapes() const { return shapes_; }

  /// Contacts at the neutral position.
  std::vector<FoundContact> find(double margin, const ContactRules& rules = {}) const {
    Workspace<double> workspace(model_);
    const VectorX<double> q = model_.neutral_position();
    update_positions(model_, q.data(), workspace);
    ContactFinder finder(model_, shapes_, rules);
    finder.update(workspace, margin);
    return {finder.contacts().begin(), finder.contacts().end()};
  }
  std::set<std::string> names(double margin, const ContactRules& rules = {}) const {
    std::set<std::string> out;
    for (const FoundContact& contact : find(margin, rules)) out.insert(contact_name(model_, contact));
    return out;
  }

 private:
  ModelBuilder builder_;
  Model model_;
  std::vector<BodyShape> shapes_;
};

TEST(ContactFinder, ABallOverATableHasOneContact) {
  World world;
  const BodyIndex ball = world.add("ball", JointKind::free, Sphere{0.1}, {0.3, 0.2, 1.15});
  const BodyIndex table = world.add("table", JointKind::fixed, Plane{}, {0, 0, 1});
  world.finish();
  EXPECT_TRUE(world.find(0.04).empty());
  const std::vector<FoundContact> found = world.find(0.06);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].body_A, ball);
  EXPECT_EQ(found[0].body_B, table);
  EXPECT_NEAR(found[0].gap, 0.05, kRounding);
  expect_near(found[0].p_A, {0.3, 0.2, 1.05}, kRounding);
  expect_near(found[0].p_B, {0.3, 0.2, 1}, kRounding);
  expect_near(found[0].N, {0, 0, 1}, kRounding);
  expect_near(found[0].T, {1, 0, 0}, kRounding);
  expect_near(found[0].U, {0, 1, 0}, kRounding);
  EXPECT_EQ(world.names(0.06), std::set<std::string>{"ball/table"});
}

TEST(ContactFinder, ABoxOnATableHasFourPoints) {
  World world;
  world.add("table", JointKind::fixed, Plane{}, {0, 0, 0});
  world.add("box", JointKind::free, Box{{0.2, 0.4, 0.1}}, {0, 0, 0.05});
  world.finish();
  const std::vector<FoundContact> found = world.find(0.01);
  ASSERT_EQ(found.size(), 4u);
  std::set<std::uint64_t> ids;
  std::set<std::pair<bool, bool>> corners;
  for (const FoundContact& contact : found) {
    EXPECT_NEAR(contact.gap, 0, kRounding);
    expect_near(contact.N, {0, 0, 1}, kRounding);
    EXPECT_NEAR(std::abs(contact.p_A.x), 0.1, kRounding);
    EXPECT_NEAR(std::abs(contact.p_A.y), 0.2, kRounding);
    EXPECT_EQ(contact.patch, PatchKind::polygon);
    ids.insert(contact.id);
    corners.insert({contact.p_A.x > 0, contact.p_A.y > 0});
  }
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(corners.size(), 4u);
  EXPECT_EQ(world.names(0.01), (std::set<std::string>{"box/table#0", "box/table#1", "box/table#2", "box/table#3"}));
}

TEST(ContactFinder, AnObjectIsABeforeALinkAndALinkBeforeTheGround) {
  // Everything within reach of everything; the table first in the model, the objects last. The palm is fixed to the
  // world but carries a finger, so it is a link.
  World world;
  world.add("table", JointKind::fixed, Sphere{0.1}, {0, 0, 0});
  const BodyIndex palm = world.add("hand.palm", JointKind::fixed, Sphere{0.1}, {1, 0, 0});
  const BodyIndex first = world.add("hand.first", palm, JointKind::revolute, {1, 0, 0});
  world.add_shape(first, Sphere{0.1});
  const BodyIndex tip = world.add("hand.tip", first, JointKind::revolute, {1, 0, 0});
  world.add_shape(tip, Sphere{0.1});
  world.add("ball", JointKind::planar, Sphere{0.1}, {4, 0, 0});
  world.add("egg", JointKind::free, Sphere{0.1}, {5, 0, 0});
  world.finish();
  EXPECT_EQ(world.names(10),
            (std::set<std::string>{"ball/egg", "ball/hand.palm", "ball/hand.first", "ball/hand.tip", "ball/table",
                                   "egg/hand.palm", "egg/hand.first", "egg/hand.tip", "egg/table", "hand.palm/hand.tip",
                                   "hand.first/table", "hand.tip/table"}));
  ContactRules rules;
  rules.excluded = {{{palm, first, tip}, {palm, first, tip}}};
  EXPECT_EQ(world.names(10, rules).count("hand.palm/hand.tip"), 0u);
}

TEST(ContactFinder, NormalsPointIntoA) {
  World world;
  const BodyIndex arm = world.add("arm", kWorld, JointKind::revolute, {0, 0, 0});
  world.add_shape(arm, Sphere{0.1});
  world.add("ball", JointKind::free, Sphere{0.1}, {0.3, 0, 0});
  world.finish();
  const std::vector<FoundContact> found = world.find(0.2);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].body_A.value(), 2);  // the ball
  expect_near(found[0].N, {1, 0, 0}, kRounding);
  expect_near(found[0].T, {0, 1, 0}, kRounding);  // the normal is along x
}

TEST(ContactFinder, PlanarProblemsTurnTheNormalForTheTangent) {
  World world;
  world.add("disc", JointKind::planar, Sphere{0.1}, {0, 0, 0});
  world.add("post", JointKind::fixed, Sphere{0.1}, {0, 0.3, 0});
  const Model& model = world.finish();
  EXPECT_TRUE(is_planar(model));
  const std::vector<FoundContact> found = world.find(0.2);
  ASSERT_EQ(found.size(), 1u);
  expect_near(found[0].N, {0, -1, 0}, kRounding);
  expect_near(found[0].T, {1, 0, 0}, kRounding);
  expect_near(found[0].U, {0, 0, 1}, kRounding);
}

TEST(ContactFinder, PointsOfABodyWithSeveralShapesAreNumberedThrough) {
  World world;
  const BodyIndex bell = world.add("bell", JointKind::free, Sphere{0.1}, {0, 0, 0.1});
  world.add("table", JointKind::fixed, Plane{}, {0, 0, 0});
  world.add_shape(bell, Sphere{0.1}, {0.5, 0, 0});  // listed after the table's shape
  world.finish();
  const std::vector<FoundContact> found = world.find(0.01);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].shape_A, found[1].shape_A);
  EXPECT_EQ(world.names(0.01), (std::set<std::string>{"bell/table#0", "bell/table#1"}));
}

/// Free bodies of every shape in a heap over a table; heaps are loose, so that overlaps stay shallow.
class Heap {
 public:
  Heap(RandomShapes& random, int count) : random_(random) {
    ModelBuilder builder;
    for (int i = 0; i < count; ++i) {
      const std::string name = "b" + std::to_string(i);
      const BodyIndex body = builder.add_body({name, unit_mass()}, kWorld, make_joint(name, JointKind::free));
      shapes.push_back({body, random.bounded(i % RandomShapes::kBoundedKinds), {}});
    }
    const BodyIndex table = builder.add_body({"table"}, kWorld, make_joint("table", JointKind::fixed, {0, 0, -0.2}));
    shapes.push_back({table, Plane{}, {}});
    model = std::move(builder).finalize();
    q = model.neutral_position();
    for (int i = 0; i < count; ++i) {
      const Pose<double> X = random.pose(0.2);
      q.segment(7 * i, 7) << X.p, quaternion_from_rotation(X.R);
    }
  }

  void move(double step) {
    VectorX<double> dq(model.velocity_count()), next(q.size());
    for (double& x : dq) x = random_.uniform(-step, step);
    integrate_position(model, q.data(), dq.data(), next.data());
    q = next;
  }

  Model model;
  std::vector<BodyShape> shapes;
  VectorX<double> q;

 private:
  RandomShapes& random_;
};

TEST(ContactFinder, FindsWhatEveryPairForItselfHas) {
  // The broad phase loses nothing, and memories do not change what is found beyond rounding.
  RandomShapes random(5);
  Heap heap(random, 30);
  ContactFinder finder(heap.model, heap.shapes, {});
  Workspace<double> workspace(heap.model);
  const double margin = 0.01;
  std::size_t points = 0;
  for (int step = 0; step < 100; ++step, heap.move(0.005)) {
    update_positions(heap.model, heap.q.data(), workspace);
    finder.update(workspace, margin);
    std::size_t next = 0;
    for (std::size_t a = 0; a < heap.shapes.size(); ++a) {
      for (std::size_t b = a + 1; b < heap.shapes.size(); ++b) {
        const auto pose = [&](std::size_t i) {
          const Placement<double> X = calc_body_pose(heap.model, workspace, heap.shapes[i].body);
          return Pose<double>{X.R.eigen(), X.p.eigen()};
        };
        PairMemory fresh;
        ContactList list;
        find_contacts(make_core(heap.shapes[a].shape), pose(a), make_core(heap.shapes[b].shape), pose(b), margin, fresh,
                      list);
        for (int k = 0; k < list.count; ++k, ++next) {
          ASSERT_LT(next, finder.contacts().size());
          const FoundContact& found = finder.contacts()[next];
          const ContactList::Point& expected = list.points[static_cast<std::size_t>(k)];
          ASSERT_EQ(found.shape_A, static_cast<int>(a));
          ASSERT_EQ(found.shape_B, static_cast<int>(b));
          EXPECT_EQ(found.id >> 16, expected.id >> 16);  // the features; numbers tell of the past
          EXPECT_NEAR(found.gap, expected.gap, 1e-12);
        }
      }
    }
    EXPECT_EQ(next, finder.contacts().size());
    points += next;
  }
  EXPECT_GT(points, 500u);
}

TEST(ContactFinder, SizeIsTheDiagonalOfTheBoundedShapes) {
  World world;
  world.add("a", JointKind::free, Box{{1, 2, 2}}, {0, 0, 0});
  world.add("b", JointKind::free, Sphere{0.5}, {0, 0, 10});
  world.add("table", JointKind::fixed, Plane{}, {0, 0, -100});
  const Model& model = world.finish();
  Workspace<double> workspace(model);
  update_positions(model, model.neutral_position().data(), workspace);
  EXPECT_NEAR(ContactFinder(model, world.shapes(), {}).calc_size(workspace), std::sqrt(1 + 4 + 11.5 * 11.5), kRounding);
  EXPECT_EQ(ContactFinder(model, {}, {}).calc_size(workspace), 0);
}

TEST(IsPlanar, AsksForHingesAlongZAndSlidesAcross) {
  const auto is_planar_with = [](JointKind kind, const Vector3<double>& axis, const Vector3<double>& rpy) {
    ModelBuilder builder;
    JointSpec first = make_joint("first", JointKind::revolute), second = make_joint("second", kind, {1, 0, 0});
    second.axis = axis;
    second.X_PF.R = rotation_from_rpy(rpy);
    const BodyIndex parent = builder.add_body({"a", unit_mass()}, kWorld, first);
    builder.add_body({"b", unit_mass()}, parent, second);
    return is_planar(std::move(builder).finalize());
  };
  constexpr double kQuarter = std::numbers::pi / 2;
  EXPECT_TRUE(is_planar_with(JointKind::revolute, {0, 0, 1}, {0, 0, 0.3}));
  EXPECT_TRUE(is_planar_with(JointKind::revolute, {0, 0, -2}, {0, 0, 0}));
  EXPECT_TRUE(is_planar_with(JointKind::revolute, {0, 1, 0}, {kQuarter, 0, 0}));
  EXPECT_TRUE(is_planar_with(JointKind::prismatic, {1, 2, 0}, {0, 0, 0.3}));
  EXPECT_TRUE(is_planar_with(JointKind::planar, {0, 0, 1}, {0, 0, 0.3}));
  EXPECT_FALSE(is_planar_with(JointKind::revolute, {0, 1, 0}, {0, 0, 0}));
  EXPECT_FALSE(is_planar_with(JointKind::prismatic, {0, 0, 1}, {0, 0, 0}));
  EXPECT_FALSE(is_planar_with(JointKind::planar, {0, 0, 1}, {0.1, 0, 0}));
  EXPECT_FALSE(is_planar_with(JointKind::spherical, {0, 0, 1}, {0, 0, 0}));
  EXPECT_FALSE(is_planar_with(JointKind::free, {0, 0, 1}, {0, 0, 0}));
  EXPECT_FALSE(is_planar(Model()));
}

}  // namespace
}  // namespace thenar::contact_finder_test
