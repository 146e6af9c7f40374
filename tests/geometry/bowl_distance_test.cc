// SPDX-License-Identifier: BSD-3-Clause
//
// Bounded cores against a bowl: closed forms, search over the core's surface, the definition by wedges for cores that
// overlap with the bowl's body, continuity along motions, and what is reported where a shape lies along the bowl.

#include "thenar/geometry/bowl_distance_internal.h"

#include <functional>
#include <numbers>
#include <vector>

#include "nonconvex_pairs.h"
#include "thenar/geometry/bowl_wedge_internal.h"
#include "thenar/geometry/far_points_internal.h"

namespace thenar::bowl_distance_test {
namespace {

using internal::find_bowl_minima;
using internal::LocalMinima;
using test::make_bowl;
using test::make_circle;
using test::RandomCores;
using test::Vec;

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Lengths are of order 1: some tens of roundings.
constexpr double kTolerance = 1e-14;
constexpr int kFlat = 0, kRim = 1, kHollow = 2;

constexpr std::array kBounded{CoreKind::point,    CoreKind::segment, CoreKind::box,   CoreKind::ellipsoid,
                              CoreKind::cylinder, CoreKind::cone,    CoreKind::plate, CoreKind::circle};

Matrix3<double> turn(const Vector3<double>& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

LocalMinima find(const GrownCore& A, const GrownCore& B, const Pose<double>& X_BA, double margin) {
  LocalMinima out;
  find_bowl_minima(A, B, X_BA.inverse(), margin, out);
  return out;
}

/// Signed distance from the bowl of a point at the distance rho from its axis, from its profile: a ray and an arc.
double calc_profile_distance(const GrownCore& B, double rho, double z) {
  const double ball = B.core.size.x, rim = B.core.size.y, centre = ball - B.core.size.z;
  const double to_flat = std::hypot(std::min(0.0, rho - rim), z);
  const double lowest = -kPi / 2, highest = std::atan2(-centre, rim);
  const double angle = std::clamp(std::atan2(z - centre, rho), lowest, highest);
  const double to_hollow = std::hypot(rho - ball * std::cos(angle), z - centre - ball * std::sin(angle));
  const bool is_in_body = z <= 0 && std::hypot(rho, z - centre) >= ball;
  return (is_in_body ? -1 : 1) * std::min(to_flat, to_hollow);
}

TEST(BowlDistance, BallAtAllPlacesInClosedForm) {
  for (const double depth : {0.3, 0.7, 1.0, 1.4}) {
    const GrownCore B = make_bowl(1, depth);
    for (const double radius : {0.05, 0.6}) {
      const GrownCore A{{CoreKind::point, {0, 0, 0}}, radius};
      for (double rho = 0; rho < 1.6; rho += 0.01) {
        for (double z = -1.5; z < 1; z += 0.01) {
          const Pose<double> X_BA{Matrix3<double>::Identity(), {0.6 * rho, 0.8 * rho, z}};
          const LocalMinima out = find(A, B, X_BA, 0);
          EXPECT_NEAR(out[0].gap, calc_profile_distance(B, rho, z) - radius, kTolerance) << rho << " " << z;
        }
      }
      if (HasFailure()) return;
    }
  }
}

// --- Cores apart from the bowl: search over the surface of A --------------------------------------------------------

/// A point of the core's boundary from two numbers; u is periodic with 1, v in [0, 1].
Vec get_surface_point(const Core& core, double u, double v) {
  const Vec& s = core.size;
  const double angle = 2 * kPi * u, z = 2 * v - 1, r = std::sqrt(std::max(0.0, 1 - z * z));
  const Vec w{r * std::cos(angle), r * std::sin(angle), z};
  switch (core.kind) {
    case CoreKind::segment:
      return {0, 0, s.z * std::cos(angle)};
    case CoreKind::circle:
      return {s.x * std::cos(angle), s.x * std::sin(angle), 0};
    case CoreKind::plate:
      return {s.x * std::sqrt(v) * std::cos(angle), s.y * std::sqrt(v) * std::sin(angle), 0};
    case CoreKind::ellipsoid:
      return {s.x * w.x, s.y * w.y, s.z * w.z};
    case CoreKind::box: {
      const double scale = 1 / std::max({std::abs(w.x), std::abs(w.y), std::abs(w.z)});
      return {s.x * w.x * scale, s.y * w.y * scale, s.z * w.z * scale};
    }
    case CoreKind::cylinder: {
      const double scale = 1 / std::max(r, std::abs(z));
      return {s.x * w.x * scale, s.x * w.y * scale, s.z * w.z * scale};
    }
    case CoreKind::cone: {
      const double scale = 1 / std::max(2 * r + z, -z);
      return {s.x * w.x * scale, s.x * w.y * scale, s.z * w.z * scale};
    }
    default:
      return Vec::zero();
  }
}

struct SurfaceMinimum {
  Vec x;
  double distance;
};

/// Local minima of the distance from the bowl over the surface of A: a grid, then a random walk downhill that reaches
/// them to about 1e-9.
std::vector<SurfaceMinimum> search_surface(const GrownCore& A, const GrownCore& B, const Pose<double>& X_BA,
                                           RandomCores& random) {
  constexpr int kGrid = 40;
  const auto distance = [&](double u, double v) {
    return project(B.core, test::transform(X_BA, get_surface_point(A.core, u, v))).distance;
  };
  std::vector<double> values(kGrid * kGrid);
  const auto value = [&](int i, int j) -> double& {
    return values[static_cast<std::size_t>((i + kGrid) % kGrid * kGrid + j)];
  };
  for (int i = 0; i < kGrid; ++i) {
    for (int j = 0; j < kGrid; ++j) value(i, j) = distance((i + 0.5) / kGrid, (j + 0.5) / kGrid);
  }
  const bool is_curve = A.core.kind == CoreKind::segment || A.core.kind == CoreKind::circle;
  const auto is_lowest = [&](int i, int j) {
    for (int di = -1; di <= 1; ++di) {
      for (int dj = -1; dj <= 1; ++dj) {
        if (j + dj >= 0 && j + dj < kGrid && value(i + di, j + dj) < value(i, j)) return false;
      }
    }
    return !is_curve || j == 0;
  };
  std::vector<SurfaceMinimum> found;
  for (int i = 0; i < kGrid; ++i) {
    for (int j = 0; j < kGrid; ++j) {
      if (!is_lowest(i, j)) continue;
      double u = (i + 0.5) / kGrid, v = (j + 0.5) / kGrid, best = value(i, j), step = 0.03;
      for (int failures = 0; step > 1e-9;) {
        const double angle = random.uniform(0, 2 * kPi);
        const double u_new = u + step * std::cos(angle), v_new = std::clamp(v + step * std::sin(angle), 0.0, 1.0);
        const double d = distance(u_new, v_new);
        if (d < best) {
          u = u_new, v = v_new, best = d, failures = 0, step *= 1.3;
        } else if (++failures > 8) {
          step *= 0.6, failures = 0;
        }
      }
      found.push_back({get_surface_point(A.core, u, v), best});
    }
  }
  return found;
}

/// The walk can get stuck on an edge or where the parameters are singular: whether nothing nearby is lower.
bool is_minimum(const SurfaceMinimum& m, const GrownCore& A, const GrownCore& B, const Pose<double>& X_BA,
                RandomCores& random) {
  for (int i = 0; i < 2000; ++i) {
    const double reach = random.log_uniform(1e-5, 3e-2);
    const Vec y = m.x + Vec(random.vector()) * reach;
    const BoundaryPoint p = project(A.core, y);
    const Vec x = p.distance > 0 ? p.p : y;
    if (project(B.core, test::transform(X_BA, x)).distance < m.distance - 1e-9 * reach) return false;
  }
  return true;
}

bool contains(const LocalMinima& out, const GrownCore& A, const SurfaceMinimum& m) {
  for (int i = 0; i < out.count; ++i) {
    const Vec x = out[i].p_A + out[i].N * A.radius;
    if (norm(x - m.x) < 3e-3 && std::abs(out[i].gap - (m.distance - A.radius)) < 1e-5) return true;
  }
  return false;
}

/// A core in or above the bowl, moved until it is apart.
Pose<double> place_apart(const GrownCore& A, const GrownCore& B, double gap, RandomCores& random) {
  const double angle = random.uniform(0, 2 * kPi), rho = random.uniform(0, 1.6) * B.core.size.y;
  const double height = random.uniform(-B.core.size.z, 1);
  Pose<double> X_AB = Pose<double>{random.rotation(), {rho * std::cos(angle), rho * std::sin(angle), height}}.inverse();
  LocalMinima out;
  for (int i = 0; i < 8; ++i) {
    find_bowl_minima(A, B, X_AB, 0, out);
    test::move_apart(X_AB, out[0], gap - out[0].gap);
  }
  return X_AB.inverse();
}

TEST(BowlDistance, FindsAllMinimaOfRandomPairs) {
  RandomCores random(1);
  for (const CoreKind kind : kBounded) {
    int tried = 0;
    for (int i = 0; i < 50; ++i) {
      SCOPED_TRACE(testing::Message() << test::name_of(kind) << " " << i);
      const GrownCore B = random.core(CoreKind::bowl, 0.3, 2), A = random.core(kind, 0.03, 1);
      const double margin = i % 4 < 2 ? 1e-3 : 0.2;
      const Pose<double> X_BA =
          place_apart(A, B, i % 2 == 0 ? random.uniform(0, 0.1) : random.uniform(0, 1e-3), random);
      const LocalMinima out = find(A, B, X_BA, margin);
      if (out[0].gap < -A.radius) continue;  // stuck where there is no room
      ++tried;
      double least = kInfinity;
      for (const SurfaceMinimum& m : search_surface(A, B, X_BA, random)) {
        least = std::min(least, m.distance - A.radius);
        if (m.distance - A.radius > margin - 1e-5 || out.count == LocalMinima::kCapacity || contains(out, A, m))
          continue;
        EXPECT_FALSE(is_minimum(m, A, B, X_BA, random)) << "no place with gap " << m.distance - A.radius;
      }
      // The search ends above the minimum; that ours is not too low is what the witnesses prove.
      EXPECT_LE(out[0].gap, least + kTolerance);
      for (int k = 0; k < out.count; ++k) {
        if (kind != CoreKind::point) test::expect_witnesses(A, B, X_BA.inverse(), out[k]);
        if (k > 0) {
          EXPECT_GE(out[k].gap, out[k - 1].gap);
        }
        if (k > 0) {
          EXPECT_LE(out[k].gap, margin);
        }
      }
      if (HasFailure()) return;
    }
    EXPECT_GE(tried, 40) << test::name_of(kind);
  }
}

// --- Cores in the body: the definition of bowl_wedge_internal.h -----------------------------------------------------

/// The least over wedges W(u) of the largest separation, by a random walk from the places that were found.
double search_wedges(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, const LocalMinima& places,
                     double reach, RandomCores& random) {
  const Vec centre{0, 0, B.core.size.x - B.core.size.z};
  const auto gap_with = [&](const Vec& u) {
    return internal::find_way_out(A, X_AB, internal::make_wedge(B.core, u)).gap;
  };
  double least = kInfinity;
  for (int i = 0; i < places.count; ++i) {
    Vec u = normalized(test::transform(X_AB.inverse(), places[i].p_B) - centre);
    double best = gap_with(u), step = reach;
    for (int failures = 0; step > 1e-10;) {
      const Vec v = normalized(u + Vec(random.vector()) * step);
      const double gap = gap_with(v);
      if (gap < best) {
        u = v, best = gap, failures = 0, step *= 1.4;
      } else if (++failures > 10) {
        step *= 0.6, failures = 0;
      }
    }
    least = std::min(least, best);
  }
  return least;
}

bool is_vertex(CoreKind kind, int feature) {
  return (kind == CoreKind::segment && feature > 0) || (kind == CoreKind::box && feature >= 18) ||
         (kind == CoreKind::cone && feature == 3);
}

// Overlaps of 1e-9 to 1e-3 of cores that have no ball around them. Next to a corner of A at the rim, Newton's method
// may start from the wrong features and an approximation remain: never deeper than the definition, seldom less deep.
TEST(BowlDistance, OverlapIsTheWayOutOfTheWedges) {
  RandomCores random(2);
  int tried = 0, exact = 0;
  for (const CoreKind kind :
       {CoreKind::box, CoreKind::segment, CoreKind::ellipsoid, CoreKind::cylinder, CoreKind::cone}) {
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(testing::Message() << test::name_of(kind) << " " << i);
      const GrownCore B = random.core(CoreKind::bowl, 0.3, 2);
      GrownCore A = random.core(kind, 0.1, 1);
      A.radius = 0;
      Pose<double> X_AB = place_apart(A, B, 1e-9, random).inverse();
      LocalMinima out;
      find_bowl_minima(A, B, X_AB, 0, out);
      if (std::abs(out[0].gap) > 2e-9) continue;
      const double depth = random.log_uniform(1e-9, 1e-3);
      const bool is_corner_at_rim = out[0].feature_B == kRim && is_vertex(kind, out[0].feature_A);
      test::move_apart(X_AB, out[0], -depth);
      find_bowl_minima(A, B, X_AB, 1e-3, out);
      if (is_corner_at_rim && out[0].gap > 0) continue;  // it has slipped past
      const double expected = search_wedges(A, B, X_AB, out, std::sqrt(depth), random);
      EXPECT_LT(out[0].gap, 0);
      EXPECT_GE(out[0].gap, expected - 1e-6 * depth - kTolerance);
      EXPECT_LE(out[0].gap, 0.5 * expected);
      ++tried;
      if (std::abs(out[0].gap - expected) < 1e-4 * depth) ++exact;
    }
  }
  EXPECT_GE(tried, 150);
  EXPECT_GE(exact, tried * 95 / 100);
}

// A place that is found apart stays the same, with the same normal, when A is pressed into the bowl along it.
TEST(BowlDistance, NormalIsContinuousThroughTouching) {
  RandomCores random(3);
  int rims = 0;
  for (const CoreKind kind : kBounded) {
    for (int i = 0; i < 150; ++i) {
      SCOPED_TRACE(testing::Message() << test::name_of(kind) << " " << i);
      const GrownCore B = random.core(CoreKind::bowl, 0.3, 2), A = random.core(kind, 0.1, 1);
      Pose<double> X_AB = place_apart(A, B, 1e-4, random).inverse();
      LocalMinima out;
      find_bowl_minima(A, B, X_AB, 0, out);
      if (std::abs(out[0].gap - 1e-4) > 1e-12) continue;
      const Proximity apart = out[0];
      // At a corner of A, next to the rim, another way out is soon shorter; at the rim, any normal is as good.
      if (apart.feature_B == kRim && A.radius == 0 && is_vertex(kind, apart.feature_A)) continue;
      const Vec p = test::transform(X_AB.inverse(), apart.p_B);
      if (apart.feature_B != kRim && std::abs(std::hypot(p.x, p.y) - B.core.size.y) < 1e-2) continue;
      rims += apart.feature_B == kRim ? 1 : 0;
      for (const double gap : {1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-7}) {
        Pose<double> X = X_AB;
        test::move_apart(X, apart, gap - 1e-4);
        find_bowl_minima(A, B, X, 0, out);
        EXPECT_NEAR(out[0].gap, gap, 2e-14 * (1 + X.p.norm()));
        EXPECT_LT(norm(out[0].N - apart.N), 1e-9) << "gap " << gap << " rim " << (apart.feature_B == kRim);
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GE(rims, 150);
}

// --- Continuity -----------------------------------------------------------------------------------------------------

TEST(BowlDistance, GapIsContinuousAlongMotions) {
  RandomCores random(4);
  for (const CoreKind kind : kBounded) {
    int steps = 0;
    for (int i = 0; i < 60; ++i) {
      SCOPED_TRACE(testing::Message() << test::name_of(kind) << " " << i);
      const GrownCore B = random.core(CoreKind::bowl, 0.3, 2), A = random.core(kind, 0.1, 1);
      const double size = calc_bounding_radius(A);
      // Tubes and rounded shapes may overlap as far as their cores stay out, others a little.
      const double depth = A.radius > 0 ? A.radius : 1e-3 * size;
      Pose<double> X_BA = place_apart(A, B, random.uniform(-depth, depth), random);
      LocalMinima out = find(A, B, X_BA, 0);
      if (std::abs(out[0].gap) > depth) continue;
      const Vector3<double> normal = X_BA.R * out[0].N.eigen();
      Vector3<double> v = random.vector(), w = random.vector() / size;
      v -= 0.95 * normal * normal.dot(v);
      const double h = 0.05 * depth;
      double last = out[0].gap;
      for (int step = 0; step < 300 && std::abs(last) < depth; ++step) {
        X_BA.p += h * v;
        X_BA.R = turn(w, h * w.norm()) * X_BA.R;
        const double gap = find(A, B, X_BA, 0)[0].gap;
        EXPECT_LE(std::abs(gap - last), h * (v.norm() + w.norm() * size) + kTolerance) << "step " << step;
        last = gap;
        ++steps;
      }
      if (HasFailure()) return;
    }
    EXPECT_GE(steps, 600) << test::name_of(kind);
  }
}

// A capsule, a rounded box and a torus that slide from the hollow over the rim onto the flat part, pressed into the
// bowl by half of their radius all the way.
TEST(BowlDistance, GapIsContinuousFromHollowOverRimToFlat) {
  const std::vector<GrownCore> shapes{
      {{CoreKind::segment, {0, 0, 0.2}}, 0.1}, {{CoreKind::box, {0.1, 0.15, 0.2}}, 0.05}, make_circle(0.2, 0.08)};
  constexpr double kStep = 1e-3;
  for (const double depth : {0.4, 1.0}) {
    const GrownCore B = make_bowl(1, depth);
    for (const GrownCore& A : shapes) {
      SCOPED_TRACE(testing::Message() << test::name_of(A.core.kind) << " " << depth);
      Pose<double> X_BA{turn({1, 2, 3}, 0.8), {0, 0, 0.6}};
      std::array<int, 3> counts{};
      for (int step = 0; step < 1800; ++step) {
        // Down to the wanted depth: the gap grows with the height at the upper end of this.
        double low = -depth, high = 0.6;
        for (int k = 0; k < 50; ++k) {
          X_BA.p.z() = 0.5 * (low + high);
          (find(A, B, X_BA, 0)[0].gap > -0.5 * A.radius ? high : low) = X_BA.p.z();
        }
        const LocalMinima here = find(A, B, X_BA, 0);
        ++counts[static_cast<std::size_t>(here[0].feature_B)];
        X_BA.p += kStep * Vector3<double>(0.8, 0.6, 0);
        EXPECT_LE(std::abs(find(A, B, X_BA, 0)[0].gap - here[0].gap), kStep + kTolerance) << "step " << step;
      }
      EXPECT_GT(counts[kHollow], 50);
      EXPECT_GT(counts[kRim], 10);
      EXPECT_GT(counts[kFlat], 50);
    }
  }
}

// --- Where A lies along the bowl ------------------------------------------------------------------------------------

TEST(BowlDistance, BoxInABowlStandsOnFourCorners) {
  const GrownCore B = make_bowl(1, 0.8), A{{CoreKind::box, {0.3, 0.2, 0.1}}, 0};
  const double reach = std::sqrt(1 - 0.09 - 0.04);
  const LocalMinima out = find(A, B, {Matrix3<double>::Identity(), {0, 0, 0.2 - reach + 0.1}}, 1e-3);
  ASSERT_EQ(out.count, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(out[i].gap, 0, kTolerance);
    EXPECT_EQ(out[i].feature_B, kHollow);
    EXPECT_GE(out[i].feature_A, 18);
    EXPECT_LT(out[i].feature_A, 22);  // the lower ones
  }
}

TEST(BowlDistance, EggTouchesTheBowlWithBothEnds) {
  // Lying: the ends of the long axis are the only points of a stretched ball that can be farthest.
  const GrownCore B = make_bowl(1, 0.8), A{{CoreKind::ellipsoid, {0.6, 0.2, 0.2}}, 0};
  const LocalMinima out = find(A, B, {Matrix3<double>::Identity(), {0, 0, -0.5}}, 1);
  int hollow = 0;
  for (int i = 0; i < out.count; ++i) {
    if (LocalMinima::is_fixed(out[i].number) || out[i].feature_B != kHollow) continue;
    ++hollow;
    EXPECT_NEAR(out[i].gap, out[0].gap, kTolerance);
  }
  EXPECT_EQ(hollow, 2);
}

TEST(BowlDistance, RoundShapesInABowlTouchAlongARing) {
  const GrownCore B = make_bowl(1, 0.8);
  // Where the ring of contact is below the middle of A, and its radius.
  const std::vector<std::tuple<GrownCore, double, double>> shapes{
      {{{CoreKind::cylinder, {0.3, 0, 0.2}}, 0}, 0.2, 0.3},
      {{{CoreKind::cone, {0.3, 0, 0.2}}, 0}, 0.2, 0.3},
      {make_circle(0.4, 0.1), 0, 0.4},
      {{{CoreKind::plate, {0.4, 0.4, 0}}, 0}, 0, 0.4},
  };
  for (const auto& [A, below, radius] : shapes) {
    SCOPED_TRACE(test::name_of(A.core.kind));
    // C is at z = 0.2; touching with 1 mm of play.
    const double height = 0.2 + below - std::sqrt((0.999 - A.radius) * (0.999 - A.radius) - radius * radius);
    LocalMinima out = find(A, B, {turn({0, 0, 1}, 0.3), {0, 0, height}}, 0.01);
    EXPECT_EQ(out.count, 4);
    EXPECT_TRUE(out.is_ring);
    for (int i = 0; i < out.count; ++i) {
      EXPECT_NEAR(out[i].gap, 0.001, kTolerance);
      EXPECT_EQ(out[i].feature_B, kHollow);
      EXPECT_TRUE(LocalMinima::is_fixed(out[i].number));
    }
    // Shifted: the fixed points keep their numbers, and the nearest place is another.
    out = find(A, B, {turn({0, 0, 1}, 0.3), {3e-4, 2e-4, height}}, 0.01);
    EXPECT_EQ(out.count, 5);
    EXPECT_FALSE(LocalMinima::is_fixed(out[0].number));
  }
  // An oblate ellipsoid.
  const GrownCore A{{CoreKind::ellipsoid, {0.5, 0.5, 0.1}}, 0};
  const LocalMinima out = find(A, B, {Matrix3<double>::Identity(), {0, 0, -0.55}}, 1);
  EXPECT_TRUE(out.is_ring);
  EXPECT_GE(out.count, 4);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(out[i].gap, out[0].gap, kTolerance);
}

TEST(BowlDistance, BallThatFillsTheHollowTouchesAllOverIt) {
  const GrownCore B = make_bowl(1, 0.8);
  for (const GrownCore& A : {GrownCore{{CoreKind::point, {0, 0, 0}}, 1.0}, {{CoreKind::ellipsoid, {1, 1, 1}}, 0.0}}) {
    const LocalMinima out = find(A, B, {Matrix3<double>::Identity(), {0, 0, 0.2}}, 1e-3);
    EXPECT_TRUE(out.is_ring);
    ASSERT_GE(out.count, 5);
    Vector3<double> sum = Vector3<double>::Zero();
    for (int i = 0; i < out.count; ++i) {
      EXPECT_NEAR(out[i].gap, 0, kTolerance);
      sum += out[i].N.eigen();
    }
    // They are spread evenly around the axis and all carry.
    EXPECT_NEAR(sum.head<2>().norm(), 0, kTolerance);
    EXPECT_GT(sum.z(), 2);
  }
}

TEST(BowlDistance, LidLiesOnTheRimAndItsCornersOnTheFlatPart) {
  const GrownCore B = make_bowl(1, 0.8);
  const double rim = B.core.size.y;
  // As wide as the rim but for its corners, and smaller than the rim: the latter falls in.
  const GrownCore lid{{CoreKind::box, {1, 1, 0.05}}, 0};
  const LocalMinima out = find(lid, B, {Matrix3<double>::Identity(), {0, 0, 0.05}}, 1e-3);
  EXPECT_TRUE(out.is_ring);
  int corners = 0, rims = 0;
  for (int i = 0; i < out.count; ++i) {
    EXPECT_NEAR(out[i].gap, 0, kTolerance);
    EXPECT_NEAR(out[i].N.z, 1, kTolerance);
    corners += out[i].feature_B == kFlat ? 1 : 0;
    rims += out[i].feature_B == kRim ? 1 : 0;
  }
  EXPECT_EQ(corners, 4);
  EXPECT_GE(rims, 4);
  const GrownCore small{{CoreKind::box, {0.3, 0.3, 0.05}}, 0};
  EXPECT_GT(find(small, B, {Matrix3<double>::Identity(), {0, 0, 0.05}}, 1e-3)[0].gap, 0.3);
  EXPECT_GT(rim, 0.97);
}

TEST(BowlDistance, BoxBesideTheBowlStandsOnFourCorners) {
  const GrownCore B = make_bowl(1, 0.8), A{{CoreKind::box, {0.3, 0.2, 0.1}}, 0};
  for (const double tilt : {0.0, 1e-9, 1e-3}) {
    const LocalMinima out = find(A, B, {turn({1, 2, 0}, tilt), {2, 0, 0.1 + 1e-3}}, 2e-3);
    ASSERT_EQ(out.count, 4) << tilt;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i].feature_B, kFlat);
  }
}

// A rod that leans over the rim from the hollow, in the plane of a meridian: its distance from the rim is known, and it
// is negative when the rod has passed it.
TEST(BowlDistance, RodOverTheRimOverlapsWhenItHasPassedIt) {
  const GrownCore B = make_bowl(1, 0.8), A{{CoreKind::segment, {0, 0, 0.4}}, 0};
  const double rim = B.core.size.y, lean = 0.9;
  const Vector3<double> along(std::sin(lean), 0, std::cos(lean)), across(-std::cos(lean), 0, std::sin(lean));
  const Matrix3<double> R = turn({0, 1, 0}, lean);
  for (const double gap : {1e-2, 1e-6, 1e-10, 0.0, -1e-10, -1e-6, -1e-3}) {
    const Vector3<double> p = Vector3<double>(rim, 0, 0) + 0.1 * along + gap * across;
    const LocalMinima out = find(A, B, {R, p}, 0);
    EXPECT_NEAR(out[0].gap, gap, kTolerance);
    EXPECT_EQ(out[0].feature_A, 0);
    EXPECT_EQ(out[0].feature_B, kRim);
    EXPECT_LT((R * out[0].N.eigen() - across).norm(), 1e-12) << gap;
  }
}

// --- Farthest points of ellipsoids ----------------------------------------------------------------------------------

TEST(FarPoints, AreTheLocalMaximaOfTheDistance) {
  RandomCores random(5);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const double a = random.log_uniform(0.05, 1), b = random.log_uniform(0.05, 1), c = random.log_uniform(0.05, 1);
    Vec from = Vec(random.vector()) * random.log_uniform(1e-3, 1);
    if (i % 5 == 0) from.x = 0;
    if (i % 7 == 0) from.z = 0;
    const internal::FarPoints<3> far({a, b, c}, {from.x, from.y, from.z});
    ASSERT_GE(far.count(), 1);
    double farthest = 0;
    for (int k = 0; k < far.count(); ++k) {
      const Vec x{far[k][0], far[k][1], far[k][2]};
      farthest = std::max(farthest, norm(x - from));
      EXPECT_NEAR(x.x * x.x / (a * a) + x.y * x.y / (b * b) + x.z * x.z / (c * c), 1, 1e-14);
      const Vec n = normalized(Vec(x.x / (a * a), x.y / (b * b), x.z / (c * c)));
      EXPECT_LT(norm(cross(n, normalized(x - from))), 1e-12);
      // Nothing nearby is farther.
      for (int m = 0; m < 200; ++m) {
        const Vec s = normalized(Vec(x.x / a, x.y / b, x.z / c) + Vec(random.vector()) * 1e-3);
        EXPECT_LE(norm(Vec(a * s.x, b * s.y, c * s.z) - from), norm(x - from) + 1e-14);
      }
    }
    // No local maximum is missing: steepest ascent from anywhere ends in one of them.
    for (int m = 0; m < 20; ++m) {
      Vec x = Vec::zero(), d = Vec(random.vector());
      for (int step = 0; step < 20000; ++step) {
        const Vec s = normalized(Vec(a * d.x, b * d.y, c * d.z)), next{a * s.x, b * s.y, c * s.z};
        const bool is_done = norm(next - x) < 1e-13;
        x = next;
        d = x - from;
        if (is_done) break;
      }
      double off = kInfinity;
      for (int k = 0; k < far.count(); ++k)
        off = std::min(off, std::abs(norm(x - from) - norm(Vec(far[k][0], far[k][1], far[k][2]) - from)));
      EXPECT_LT(off, 1e-8);
      EXPECT_LE(norm(x - from), farthest + 1e-14);
    }
  }
}

TEST(FarPoints, BothEndsAreFoundFromTheMiddle) {
  const internal::FarPoints<3> far({0.2, 0.5, 0.3}, {0, 0, 0});
  ASSERT_EQ(far.count(), 2);
  EXPECT_EQ(far[0][1], -0.5);
  EXPECT_EQ(far[1][1], 0.5);
  const internal::FarPoints<2> ellipse({0.2, 0.5}, {0.01, 1e-300});
  ASSERT_EQ(ellipse.count(), 2);
  EXPECT_NEAR(ellipse[0][1], -ellipse[1][1], 1e-15);
}

}  // namespace
}  // namespace thenar::bowl_distance_test
