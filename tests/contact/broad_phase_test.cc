// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/broad_phase.h"
#include "thenar/contact/no_instant_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "random_shapes.h"

namespace thenar::broad_phase_test {
namespace {

using test::RandomShapes;

/// Rounding of numbers of the size of a metre.
constexpr double kRounding = 1e-15;

/// How far a shape reaches along the unit vector d of its frame, in closed form.
double calc_reach(const Shape& shape, const Vector3<double>& d) {
  const double across = std::hypot(d.x(), d.y()), along = std::abs(d.z());
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return s->semi_axes.cwiseProduct(d).norm();
  if (const auto* s = std::get_if<Cylinder>(&shape)) return s->radius * across + s->length / 2 * along;
  if (const auto* s = std::get_if<Capsule>(&shape)) return s->radius + s->length / 2 * along;
  if (const auto* s = std::get_if<Cone>(&shape)) {
    return std::max(s->height / 2 * d.z(), s->radius * across - s->height / 2 * d.z());
  }
  if (const auto* s = std::get_if<Box>(&shape)) return s->sides.dot(d.cwiseAbs()) / 2;
  if (const auto* s = std::get_if<RoundedBox>(&shape)) {
    return s->radius + (s->sides / 2 - Vector3<double>::Constant(s->radius)).dot(d.cwiseAbs());
  }
  if (const auto* s = std::get_if<Torus>(&shape)) return s->radius * across + s->tube;
  if (const auto* s = std::get_if<Rod>(&shape)) return s->length / 2 * along;
  if (const auto* s = std::get_if<Ellipse>(&shape)) return std::hypot(s->a * d.x(), s->b * d.y());
  return 0;
}

TEST(ShapeBounds, AreTightForEveryShape) {
  RandomShapes random(2);
  for (int i = 0; i < 50 * RandomShapes::kBoundedKinds; ++i) {
    const Shape shape = random.bounded(i % RandomShapes::kBoundedKinds);
    const Pose<double> X = random.pose(1);
    const Bounds box = calc_bounds(make_core(shape), X);
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3<double> d = X.R.row(axis).transpose();
      EXPECT_NEAR(box.high.eigen()(axis), X.p(axis) + calc_reach(shape, d), kRounding) << shape_name(shape);
      EXPECT_NEAR(box.low.eigen()(axis), X.p(axis) - calc_reach(shape, -d), kRounding) << shape_name(shape);
    }
  }
}

/// A crowd of shapes, some on the same body, and a floor, a wall and a bowl.
struct Crowd {
  std::vector<BroadPhaseShape> shapes;
  std::vector<Shape> kinds;
  std::vector<Pose<double>> X_WS;
  PairFilter filter{0, false};

  Crowd(RandomShapes& random, int count, double width) {
    const int bodies = count / 2 + 3;
    for (int i = 0; i < count; ++i)
      add(random.bounded(i % RandomShapes::kBoundedKinds), random.integer(0, count / 2 - 1));
    for (Pose<double>& X : X_WS) X = random.pose(width);
    add(Plane{}, bodies - 3);
    add(Plane{}, bodies - 2);
    add(Bowl{0.5, 0.3}, bodies - 1);
    X_WS[X_WS.size() - 3] = Pose<double>::translation({0, 0, -width});
    X_WS[X_WS.size() - 2] = {rotation_from_rpy({0, 2, 1}), {width, 0, 0}};
    X_WS[X_WS.size() - 1] = {rotation_from_rpy({1, 0, 0}), {0, width, 0}};
    filter = PairFilter(bodies, true);
    for (int i = 0; i < bodies; ++i) {
      const std::vector<int> one{i}, other{random.integer(0, bodies - 1)};
      filter.set(one, one, false);
      filter.set(one, other, false);
    }
    const std::vector<int> ground{bodies - 3, bodies - 2, bodies - 1};
    filter.set(ground, ground, false);
  }

  void add(const Shape& shape, int body) {
    shapes.push_back({make_core(shape), body});
    kinds.push_back(shape);
    X_WS.emplace_back();
  }

  void move(RandomShapes& random, double step) {
    for (std::size_t i = 0; i < X_WS.size() - 3; ++i) {
      X_WS[i] = {X_WS[i].R * rotation_from_rpy(random.vector(step)), X_WS[i].p + random.vector(step)};
    }
  }

  /// All pairs, one by one, by the closed forms above.
  std::vector<ShapePair> find_pairs(double margin) const {
    std::vector<ShapePair> out;
    const int count = static_cast<int>(shapes.size());
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) {
        if (body(i) >= body(j) || !filter.allows(body(i), body(j))) continue;
        const bool i_bounded = !is_unbounded(kinds[at(i)]), j_bounded = !is_unbounded(kinds[at(j)]);
        const bool near = i_bounded && j_bounded ? boxes_meet(i, j, margin)
                          : i_bounded            ? reaches_below(i, j, margin)
                                                 : reaches_below(j, i, margin);
        if (near) out.push_back({i, j});
      }
    }
    std::sort(out.begin(), out.end(), [this](const ShapePair& a, const ShapePair& b) {
      return std::make_tuple(body(a.first), body(a.second), a.first, a.second) <
             std::make_tuple(body(b.first), body(b.second), b.first, b.second);
    });
    return out;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int body(int i) const { return shapes[at(i)].body; }
  bool boxes_meet(int i, int j, double margin) const {
    for (int axis = 0; axis < 3; ++axis) {
      const auto end = [&](int k, double sign) {
        const Vector3<double> d = sign * X_WS[at(k)].R.row(axis).transpose();
        return X_WS[at(k)].p(axis) + sign * calc_reach(kinds[at(k)], d);
      };
      if (end(i, -1) > end(j, 1) + margin || end(j, -1) > end(i, 1) + margin) return false;
    }
    return true;
  }
  bool reaches_below(int i, int ground, double margin) const {
    const Vector3<double> n = X_WS[at(ground)].R.col(2);
    const Vector3<double> down = -(X_WS[at(i)].R.transpose() * n);
    return n.dot(X_WS[at(i)].p - X_WS[at(ground)].p) - calc_reach(kinds[at(i)], down) <= margin;
  }
};

TEST(BroadPhase, EqualsAllPairsOneByOneAlongRandomMotions) {
  // Two ways to compute an end of a box differ by rounding, so that a pair at the very edge of the margin could be
  // judged differently; with random numbers that does not happen, and the lists are equal.
  RandomShapes random(3);
  std::size_t most = 0;
  for (const double width : {0.15, 0.5}) {
    Crowd crowd(random, 80, width);
    BroadPhase broad_phase(crowd.shapes, crowd.filter);
    for (int step = 0; step < 300; ++step) {
      const double margin = step % 3 == 0 ? 0.0 : random.uniform(0, 0.05);
      broad_phase.update(crowd.X_WS, margin);
      const std::vector<ShapePair> expected = crowd.find_pairs(margin);
      ASSERT_EQ(std::vector<ShapePair>(broad_phase.pairs().begin(), broad_phase.pairs().end()), expected) << step;
      most = std::max(most, expected.size());
      crowd.move(random, step % 50 == 49 ? 1.0 : 0.01);  // now and then everything is somewhere else
    }
  }
  EXPECT_GT(most, 100u);
}

TEST(BroadPhase, FindsTheSameWhateverWasBefore) {
  RandomShapes random(4);
  Crowd crowd(random, 60, 0.2);
  BroadPhase warm(crowd.shapes, crowd.filter);
  for (int step = 0; step < 50; ++step) {
    // Stretched along one axis after the other, so that the axis of the sweep changes.
    std::vector<Pose<double>> X = crowd.X_WS;
    for (Pose<double>& pose : X) pose.p(step % 3) *= 10;
    warm.update(X, 0.02);
    BroadPhase cold(crowd.shapes, crowd.filter);
    cold.update(X, 0.02);
    EXPECT_TRUE(std::equal(warm.pairs().begin(), warm.pairs().end(), cold.pairs().begin(), cold.pairs().end()));
    crowd.move(random, 0.02);
  }
}

TEST(BroadPhase, EqualPlacesAreKeptInTheOrderOfTheList) {
  std::vector<BroadPhaseShape> shapes;
  for (int i = 0; i < 5; ++i) shapes.push_back({make_core(Sphere{0.1}), 4 - i});
  BroadPhase broad_phase(shapes, PairFilter(5, true));
  const std::vector<Pose<double>> X_WS(5);
  broad_phase.update(X_WS, 0);
  ASSERT_EQ(broad_phase.pairs().size(), 10u);
  EXPECT_EQ(broad_phase.pairs()[0], (ShapePair{4, 3}));  // bodies 0 and 1
  EXPECT_EQ(broad_phase.pairs()[9], (ShapePair{1, 0}));  // bodies 3 and 4
}

TEST(BroadPhase, EmptyAndSingleScenesHaveNoPairs) {
  BroadPhase nothing({}, PairFilter(0, true));
  nothing.update({}, 1);
  EXPECT_TRUE(nothing.pairs().empty());
  BroadPhase one({{make_core(Plane{}), 0}}, PairFilter(1, true));
  one.update(std::vector<Pose<double>>(1), 1);
  EXPECT_TRUE(one.pairs().empty());
}

TEST(BroadPhase, RefusesACrowdOutOfProportion) {
  const int count = 1500;  // 1,124,250 pairs
  std::vector<BroadPhaseShape> shapes;
  for (int i = 0; i < count; ++i) shapes.push_back({make_core(Sphere{1}), i});
  BroadPhase broad_phase(shapes, PairFilter(count, true));
  EXPECT_THROW(broad_phase.update(std::vector<Pose<double>>(count), 0), NoInstantError);
}

}  // namespace
}  // namespace thenar::broad_phase_test
