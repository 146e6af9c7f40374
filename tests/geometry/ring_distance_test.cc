// SPDX-License-Identifier: BSD-3-Clause
//
// A circle against every other core: closed forms, dense sampling of its angle, continuity along motions, and what is
// reported where the distance is constant along the circle.

#include "thenar/geometry/ring_distance_internal.h"

#include <numbers>
#include <vector>

#include "nonconvex_pairs.h"

namespace thenar::ring_distance_test {
namespace {

using internal::find_ring_minima;
using internal::LocalMinima;
using test::make_circle;
using test::RandomCores;
using test::Vec;

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Lengths are of order 1: some tens of roundings.
constexpr double kTolerance = 1e-14;

constexpr std::array kOthers{CoreKind::point,     CoreKind::segment,    CoreKind::box,
                             CoreKind::ellipsoid, CoreKind::cylinder,   CoreKind::cone,
                             CoreKind::plate,     CoreKind::half_space, CoreKind::circle};

Pose<double> tilted(double angle, const Vector3<double>& p) {
  return {Eigen::AngleAxisd(angle, Vector3<double>::UnitX()).toRotationMatrix(), p};
}

/// f of (1) in the header.
double calc_height(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double angle) {
  const double r = A.core.size.x;
  const Vector3<double> c(r * std::cos(angle), r * std::sin(angle), 0);
  return project(B.core, Vec(Vector3<double>(X_AB.inverse() * c))).distance;
}

struct CircleMinimum {
  double angle, f;
};

/// All local minima by sampling, refined by golden section: f to rounding, angles to 1e-7.
std::vector<CircleMinimum> sample_minima(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, int count) {
  const auto f = [&](double angle) { return calc_height(A, B, X_AB, angle); };
  const double step = 2 * kPi / count;
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(f(i * step));
  const auto value = [&](int i) { return values[static_cast<std::size_t>((i + count) % count)]; };
  std::vector<CircleMinimum> found;
  for (int i = 0; i < count; ++i) {
    if (!(value(i) < value(i - 1) && value(i) <= value(i + 1))) continue;
    double low = (i - 1) * step, high = (i + 1) * step;
    const double golden = 2 - std::numbers::phi;
    for (int k = 0; k < 60; ++k) {
      const double a = low + golden * (high - low), b = high - golden * (high - low);
      (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
    }
    const double angle = 0.5 * (low + high);
    found.push_back({angle, std::min(f(angle), value(i))});
  }
  return found;
}

/// The angle of a place on the circle of A.
double angle_of(const GrownCore& A, const Proximity& place) {
  const Vec c = place.p_A + place.N * A.radius;
  return std::atan2(c.y, c.x);
}

bool contains(const LocalMinima& out, const GrownCore& A, double angle, double gap) {
  for (int i = 0; i < out.count; ++i) {
    const double off = std::remainder(angle_of(A, out[i]) - angle, 2 * kPi);
    if (std::abs(off) < 1e-3 && std::abs(out[i].gap - gap) < 1e-11) return true;
  }
  return false;
}

/// The nearest place is the least of a dense sampling, and all minima within the margin are there.
void expect_like_sampling(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin,
                          int samples) {
  LocalMinima out;
  find_ring_minima(A, B, X_AB, margin, out);
  ASSERT_GE(out.count, 1);
  const double radii = A.radius + B.radius;
  double least = kInfinity;
  for (const CircleMinimum& m : sample_minima(A, B, X_AB, samples)) {
    least = std::min(least, m.f - radii);
    if (m.f - radii < margin - 1e-9 && out.count < LocalMinima::kCapacity) {
      EXPECT_TRUE(contains(out, A, m.angle, m.f - radii)) << "no place at " << m.angle << ", gap " << m.f - radii;
    }
  }
  if (least < kInfinity) {
    EXPECT_NEAR(out[0].gap, least, 4 * kTolerance);
  }
  for (int i = 0; i < out.count; ++i) {
    test::expect_witnesses(A, B, X_AB, out[i]);
    if (i > 0) {
      EXPECT_LE(out[i].gap, margin);
    }
    if (i > 0) {
      EXPECT_GE(out[i].gap, out[i - 1].gap);
    }
    // A smooth minimum is where N is across the curve; rounding of N grows as the distance that it comes from shrinks.
    const bool is_smooth = !LocalMinima::is_fixed(out[i].number) && out[i].gap + radii > 1e-3;
    const double angle = angle_of(A, out[i]);
    if (is_smooth) {
      EXPECT_LT(std::abs(out[i].N.y * std::cos(angle) - out[i].N.x * std::sin(angle)), 1e-11);
    }
  }
}

TEST(RingDistance, TorusAndBallInClosedForm) {
  RandomCores random(1);
  for (int i = 0; i < 2000; ++i) {
    const GrownCore A = make_circle(random.uniform(0.2, 2), random.uniform(0.01, 0.2));
    const GrownCore B{{CoreKind::point, {0, 0, 0}}, random.uniform(0.01, 1)};
    const Pose<double> X_AB{random.rotation(), random.vector()};
    LocalMinima out;
    find_ring_minima(A, B, X_AB, 0, out);
    const double rho = X_AB.p.head<2>().norm();
    const double distance = std::hypot(rho - A.core.size.x, X_AB.p.z());
    EXPECT_NEAR(out[0].gap, distance - A.radius - B.radius, kTolerance);
    const Vector3<double> N((A.core.size.x - rho) * X_AB.p.x() / rho, (A.core.size.x - rho) * X_AB.p.y() / rho,
                            -X_AB.p.z());
    EXPECT_LT((out[0].N.eigen() - N / distance).norm(), 1e-13 / distance);
  }
}

TEST(RingDistance, TorusAndPlaneInClosedForm) {
  const GrownCore A = make_circle(0.5, 0.1), B{{CoreKind::half_space, {0, 0, 0}}, 0};
  RandomCores random(2);
  for (int i = 0; i < 1000; ++i) {
    const Pose<double> X_AB{random.rotation(), random.vector()};
    LocalMinima out;
    find_ring_minima(A, B, X_AB, -kInfinity, out);
    const Vector3<double> n = X_AB.R.col(2);
    EXPECT_NEAR(out[0].gap, -n.dot(X_AB.p) - 0.5 * n.head<2>().norm() - 0.1, kTolerance);
    EXPECT_LT((out[0].N.eigen() - n).norm(), 1e-15);
  }
}

TEST(RingDistance, CoaxialToriTouchAlongARing) {
  for (const double height : {0.3, -0.8, 0.0}) {
    const GrownCore A = make_circle(1, 0.1), B = make_circle(0.6, 0.2);
    const Pose<double> X_AB{Eigen::AngleAxisd(0.7, Vector3<double>::UnitZ()).toRotationMatrix(), {0, 0, height}};
    LocalMinima out;
    find_ring_minima(A, B, X_AB, 1, out);
    ASSERT_EQ(out.count, 4);
    EXPECT_TRUE(out.is_ring);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(out[i].gap, std::hypot(0.4, height) - 0.3, kTolerance);
  }
}

// Two links of a chain, the middle of B's circle on that of A and its plane across it: with u = 1 − cos φ,
// f² = b² + 2 u (1 − b), so that the nearest place is at φ = 0 if b < 1, at φ = π if b > 1, and everywhere if b = 1.
TEST(RingDistance, LinksOfAChainInClosedForm) {
  const GrownCore A = make_circle(1, 0.1);
  const Pose<double> X_AB = tilted(kPi / 2, {1, 0, 0});
  for (const double b : {0.3, 0.9, 0.999, 1.001, 1.4, 2.5}) {
    LocalMinima out;
    find_ring_minima(A, make_circle(b, 0.05), X_AB, 0, out);
    EXPECT_NEAR(out[0].gap, (b < 1 ? b : std::abs(b - 2)) - 0.15, kTolerance) << b;
    EXPECT_NEAR(std::cos(angle_of(A, out[0])), b < 1 ? 1 : -1, 1e-12) << b;
  }
  LocalMinima out;
  find_ring_minima(A, make_circle(1, 0.05), X_AB, 1, out);
  EXPECT_TRUE(out.is_ring);
  EXPECT_NEAR(out[0].gap, 0.85, kTolerance);
}

TEST(RingDistance, FindsAllMinimaOfRandomPairs) {
  RandomCores random(7);
  for (const CoreKind kind : kOthers) {
    for (int i = 0; i < 300; ++i) {
      SCOPED_TRACE(testing::Message() << test::name_of(kind) << " " << i);
      const GrownCore A = make_circle(1, random.log_uniform(0.01, 0.5)), B = random.core(kind, 0.02, 3);
      Pose<double> X_AB{random.rotation(), random.vector() * random.log_uniform(0.01, 3)};
      if (i % 2 == 1) {
        LocalMinima out;
        find_ring_minima(A, B, X_AB, 0, out);
        test::move_apart(X_AB, out[0], random.uniform(-1e-2, 1e-2) - out[0].gap);
      }
      expect_like_sampling(A, B, X_AB, i % 4 < 2 ? 1e-3 : 0.3, 2000);
      if (HasFailure()) return;
    }
  }
}

// Features that are a thousandth of the circle, whose minima are as close to each other as they are small.
TEST(RingDistance, FindsAllMinimaOfSmallShapes) {
  RandomCores random(4);
  for (const CoreKind kind : kOthers) {
    if (kind == CoreKind::half_space) continue;
    for (int i = 0; i < 60; ++i) {
      SCOPED_TRACE(testing::Message() << test::name_of(kind) << " " << i);
      const GrownCore A = make_circle(1, 0.001), B = random.core(kind, 0.001, 0.02);
      const double angle = random.uniform(0, 2 * kPi);
      const Vector3<double> near(std::cos(angle), std::sin(angle), 0);
      const Pose<double> X_AB{random.rotation(), near + 0.01 * random.vector()};
      expect_like_sampling(A, B, X_AB, 0.01, 20000);
      if (HasFailure()) return;
    }
  }
}

// Axes along axes and middles on them: samples of the search fall on corners, and slopes are exactly 0.
TEST(RingDistance, FindsAllMinimaOfAlignedPairs) {
  RandomCores random(5);
  const auto step = [&random] { return 0.25 * random.below(9) - 1; };
  for (const CoreKind kind : kOthers) {
    for (int i = 0; i < 150; ++i) {
      SCOPED_TRACE(testing::Message() << test::name_of(kind) << " " << i);
      const GrownCore A = make_circle(1, 0.125);
      GrownCore B = random.core(kind, 0.1, 1);
      for (double* size : {&B.core.size.x, &B.core.size.y, &B.core.size.z}) *size = std::ceil(4 * *size) / 4;
      const double x = step(), y = step(), z = step();
      const Pose<double> X_AB{random.aligned_rotation(), {x, y, z}};
      // Golden section stands still where f is constant; only the least value counts there.
      LocalMinima out;
      find_ring_minima(A, B, X_AB, 0.2, out);
      double least = kInfinity;
      for (int k = 0; k < 1440; ++k) least = std::min(least, calc_height(A, B, X_AB, k * kPi / 720));
      EXPECT_LE(out[0].gap, least - A.radius - B.radius + 1e-14);
      for (int k = 0; k < out.count; ++k) test::expect_witnesses(A, B, X_AB, out[k]);
    }
  }
}

// A square peg that touches the inside of a ring with its four edges, and one that leans into it with two of them,
// 0.1 rad from each other.
TEST(RingDistance, PegTouchesWithEachOfItsEdges) {
  const GrownCore A = make_circle(1, 0.1);
  LocalMinima out;
  const double half = 0.89 / std::sqrt(2.0);
  find_ring_minima(A, {{CoreKind::box, {half, half, 2}}, 0}, {}, 0.02, out);
  EXPECT_EQ(out.count, 4);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(out[i].gap, 0.01, kTolerance);
  const double reach = std::sqrt(0.81 - 0.0025);
  find_ring_minima(A, {{CoreKind::box, {0.05, 0.05, 2}}, 0}, {Matrix3<double>::Identity(), {reach - 0.05, 0, 0}}, 1e-3,
                   out);
  ASSERT_EQ(out.count, 2);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(out[i].gap, 0, kTolerance);
  EXPECT_NEAR(std::abs(std::sin(angle_of(A, out[0]))), 0.05 / 0.9, 1e-12);
}

TEST(RingDistance, GapIsContinuousAlongMotions) {
  RandomCores random(6);
  for (const CoreKind kind : kOthers) {
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(testing::Message() << test::name_of(kind) << " " << i);
      const GrownCore A = make_circle(1, random.uniform(0.05, 0.3)), B = random.core(kind, 0.1, 1);
      Pose<double> X_AB{random.rotation(), 0.7 * random.vector()};
      const Vector3<double> v = 1e-2 * random.vector(), w = 1e-2 * random.vector();
      const Matrix3<double> turn = Eigen::AngleAxisd(w.norm(), w.normalized()).toRotationMatrix();
      LocalMinima out;
      double last = kInfinity;
      for (int step = 0; step < 200; ++step) {
        find_ring_minima(A, B, X_AB, 1e-3, out);
        // No point of the circle, which is what B's motion is relative to, moves more than this.
        const double most = v.norm() + w.norm() * (1 + X_AB.p.norm());
        if (step > 0) {
          EXPECT_LE(std::abs(out[0].gap - last), most + kTolerance);
        }
        last = out[0].gap;
        X_AB.p += v;
        X_AB.R = turn * X_AB.R;
      }
    }
  }
}

// --- Where the distance is constant ----------------------------------------------------------------------------------

TEST(RingDistance, TorusLyingOnAPlaneHasFourFixedPoints) {
  const GrownCore A = make_circle(0.5, 0.1), B{{CoreKind::half_space, {0, 0, 0}}, 0};
  for (const double tilt : {0.0, 1e-16, 1e-12, 1e-6, 1e-3, 0.05}) {
    const double height = 0.1 + 0.5 * std::sin(tilt);
    const Pose<double> X_AB = tilted(
        tilt, Eigen::AngleAxisd(tilt, Vector3<double>::UnitX()).toRotationMatrix() * Vector3<double>(0, 0, -height));
    LocalMinima out;
    find_ring_minima(A, B, X_AB, 0.1, out);
    EXPECT_TRUE(out.is_ring);
    EXPECT_NEAR(out[0].gap, 0, kTolerance) << tilt;
    int fixed = 0;
    for (int i = 0; i < out.count; ++i) {
      if (!LocalMinima::is_fixed(out[i].number)) continue;
      ++fixed;
      const int k = out[i].number - LocalMinima::kFirstFixed;
      EXPECT_NEAR(std::remainder(angle_of(A, out[i]) - k * kPi / 2, 2 * kPi), 0, 1e-14) << tilt;
      // Each has its own height: the plane rises along y.
      EXPECT_NEAR(out[i].gap, 0.5 * (1 - std::sin(k * kPi / 2)) * std::sin(tilt), kTolerance) << tilt;
    }
    EXPECT_EQ(fixed, 4) << tilt;
  }
}

TEST(RingDistance, SteepTorusTouchesAPlaneInOnePoint) {
  const GrownCore A = make_circle(0.5, 0.1), B{{CoreKind::half_space, {0, 0, 0}}, 0};
  LocalMinima out;
  find_ring_minima(A, B, tilted(0.8, {0, 0, -0.7}), 1, out);
  EXPECT_EQ(out.count, 1);
  EXPECT_FALSE(out.is_ring);
}

TEST(RingDistance, RingOnAFingerThatFillsItHasFourFixedPoints) {
  const GrownCore A = make_circle(1, 0.2);
  const std::vector<GrownCore> fingers{{{CoreKind::cylinder, {0.799, 0, 3}}, 0},
                                       {{CoreKind::segment, {0, 0, 3}}, 0.799},
                                       {{CoreKind::ellipsoid, {0.799, 0.799, 2}}, 0},
                                       {{CoreKind::point, {0, 0, 0}}, 0.799}};
  for (const GrownCore& B : fingers) {
    LocalMinima out;
    find_ring_minima(A, B, {}, 0.01, out);
    EXPECT_EQ(out.count, 4) << test::name_of(B.core.kind);
    EXPECT_TRUE(out.is_ring);
    for (int i = 0; i < out.count; ++i) EXPECT_NEAR(out[i].gap, 0.001, kTolerance);
    // Off its axis by less than the play: the nearest place, and those fixed points that are within the margin.
    find_ring_minima(A, B, {Matrix3<double>::Identity(), {3e-4, 4e-4, 0}}, 0.01, out);
    EXPECT_EQ(out.count, 5) << test::name_of(B.core.kind);
    EXPECT_NEAR(out[0].gap, 0.0005, kTolerance);
    EXPECT_EQ(out[0].number, 0);
  }
}

// A ring of radius 1 on a table that ends at x = 0.5: it lies on an arc from 60° to 300°.
TEST(RingDistance, RingOverTheEdgeOfATableHasTheEndsOfItsArc) {
  const GrownCore A = make_circle(1, 0.1), B{{CoreKind::box, {3, 3, 0.5}}, 0};
  LocalMinima out;
  find_ring_minima(A, B, {Matrix3<double>::Identity(), {-2.5, 0, -0.601}}, 0.01, out);
  int ends = 0;
  bool has_180 = false;
  for (int i = 0; i < out.count; ++i) {
    EXPECT_NEAR(out[i].gap, 0.001, kTolerance);
    const double angle = angle_of(A, out[i]);
    if (out[i].number >= LocalMinima::kFirstEnd) {
      EXPECT_NEAR(std::abs(angle), kPi / 3, 1e-12);
      ++ends;
    }
    if (out[i].number == LocalMinima::kFirstFixed + 2) has_180 = true;
    EXPECT_GE(std::abs(angle), kPi / 3 - 1e-12);
  }
  EXPECT_EQ(ends, 2);
  EXPECT_TRUE(has_180);
}

TEST(LocalMinima, KeepsTheNearestInOrderAndEachPlaceOnce) {
  LocalMinima list;
  list.clear(1e-6);
  Proximity place;
  place.N = {0, 0, 1};
  for (int i = 0; i < 20; ++i) {
    place.gap = (7 * i) % 20;
    place.p_A = {place.gap, 0, 0};
    list.add(place, 0);
  }
  ASSERT_EQ(list.count, LocalMinima::kCapacity);
  for (int i = 0; i < list.count; ++i) EXPECT_EQ(list[i].gap, i);
  place.gap = -1;
  place.p_A = {3 + 1e-7, 0, 0};
  list.add(place, LocalMinima::kFirstFixed);
  EXPECT_EQ(list.count, LocalMinima::kCapacity);
  EXPECT_EQ(list[0].gap, -1);
  EXPECT_EQ(list[0].number, LocalMinima::kFirstFixed);
  EXPECT_EQ(list[4].gap, 4);
  list.drop_beyond(5);
  EXPECT_EQ(list.count, 6);
}

}  // namespace
}  // namespace thenar::ring_distance_test
