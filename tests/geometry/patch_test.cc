// SPDX-License-Identifier: BSD-3-Clause
//
// Tolerances: shapes and distances are some 0.1 m, so that 1e-14 m is some hundred roundings of the largest numbers.

#include "thenar/geometry/patch_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <set>

#include "patch_cases.h"
#include "thenar/geometry/convex_distance_internal.h"
#include "thenar/geometry/feature_surface.h"

namespace thenar::patch_test {
namespace {

using test::find_patch;
using test::make_nearest;
using test::make_patch_cases;
using test::PatchCase;
using test::place;
using test::rotate;
using test::turn;
using test::unplace;
using test::unrotate;
using test::Vec;

constexpr double kPi = std::numbers::pi;
constexpr double kRounding = 1e-14;
const Vector3<double> kX(1, 0, 0), kY(0, 1, 0), kZ(0, 0, 1);

std::vector<ContactList::Point> points_of(const ContactList& list) {
  return {list.points.begin(), list.points.begin() + list.count};
}

/// A stands on B: X_BA is given, and N is B's z axis.
PatchCase stand(const Shape& A, const Shape& B, const Pose<double>& X_BA) {
  PatchCase out{"", make_core(A), make_core(B), X_BA.inverse(), Vec::zero()};
  out.N = rotate(out.X_AB, {0, 0, 1});
  return out;
}

/// The points' places on B, in the frame of B.
std::vector<Vec> places_on_B(const PatchCase& c, const ContactList& list) {
  std::vector<Vec> out;
  for (const auto& point : points_of(list)) out.push_back(unplace(c.X_AB, point.p_B));
  return out;
}

/// That two sets of places, none of them twice, are equal.
void expect_same_places(const std::vector<Vec>& found, const std::vector<Vec>& expected, double tolerance) {
  EXPECT_EQ(found.size(), expected.size());
  for (const Vec& e : expected) {
    const long matches =
        std::count_if(found.begin(), found.end(), [&](const Vec& f) { return norm(f - e) <= tolerance; });
    EXPECT_EQ(matches, 1) << e.eigen().transpose();
  }
}

std::set<std::uint64_t> ids_of(const ContactList& list) {
  std::set<std::uint64_t> out;
  for (const auto& point : points_of(list)) out.insert(point.id);
  return out;
}

/// A box's vertex on the given sides (core.h).
int vertex(bool x, bool y, bool z) { return 18 + (x ? 1 : 0) + (y ? 2 : 0) + (z ? 4 : 0); }

// --- What every list must be ----------------------------------------------------------------------------------------

/// Whether the point is one of a rim at a fixed angle, of which the normal need not be one of the rim's.
bool is_fixed_on_rim(const PatchCase& c, const ContactList::Point& point) {
  const auto is_rim = [](CoreKind kind, int feature) {
    return (kind == CoreKind::cylinder && feature >= 3) ||
           ((kind == CoreKind::cone || kind == CoreKind::plate) && feature == 2);
  };
  const auto is_face = [](CoreKind kind, int feature) {
    return kind == CoreKind::half_space || (kind == CoreKind::box && feature < 6) ||
           (kind == CoreKind::cylinder && (feature == 1 || feature == 2)) || (kind == CoreKind::plate && feature < 2) ||
           (kind == CoreKind::cone && feature == 1);
  };
  const CoreKind a = c.A.core.kind, b = c.B.core.kind;
  return (is_rim(a, point.feature_A) && is_face(b, point.feature_B)) ||
         (is_face(a, point.feature_A) && is_rim(b, point.feature_B));
}

/// The element of the feature nearest to (p, n) is (p, n) itself.
void expect_on_features(const PatchCase& c, const ContactList::Point& point) {
  const ContactElement<double> a = snap(c.A, point.feature_A, point.p_A, -point.N);
  const ContactElement<double> b = snap(c.B, point.feature_B, unplace(c.X_AB, point.p_B), unrotate(c.X_AB, point.N));
  EXPECT_LE(norm(a.p - point.p_A), kRounding);
  EXPECT_LE(norm(b.p - unplace(c.X_AB, point.p_B)), kRounding);
  if (is_fixed_on_rim(c, point)) return;
  EXPECT_LE(norm(a.n + point.N), 1e-12);
  EXPECT_LE(norm(b.n - unrotate(c.X_AB, point.N)), 1e-12);
}

TEST(Patch, PointsLieOnTheirFeaturesWithTheirNormals) {
  for (const PatchCase& c : make_patch_cases()) {
    SCOPED_TRACE(c.name);
    const ContactList list = find_patch(c, 1e-3);
    EXPECT_GE(list.count, 2);
    EXPECT_EQ(ids_of(list).size(), static_cast<std::size_t>(list.count));
    for (const auto& point : points_of(list)) {
      EXPECT_NEAR(norm(point.N), 1, kRounding);
      EXPECT_LE(norm(point.p_A - point.p_B - point.N * point.gap), kRounding);
      EXPECT_LE(point.gap, 1e-3);
      EXPECT_EQ(point.id >> 16, make_contact_id(point.feature_A, point.feature_B, 0) >> 16);
      expect_on_features(c, point);
    }
  }
}

TEST(Patch, NoPointIsNearerThanTheNearest) {
  for (const PatchCase& c : make_patch_cases()) {
    SCOPED_TRACE(c.name);
    const Proximity nearest = make_nearest(c);
    double least = 1;
    for (const auto& point : points_of(find_patch(c, 1e-3))) {
      least = std::min(least, point.gap);
      // The points of A are no nearer to B than the gap says, which is the distance of one of them.
      EXPECT_NEAR(project(c.B.core, unplace(c.X_AB, point.p_A)).distance - c.B.radius, point.gap, 1e-3 * point.gap);
    }
    EXPECT_NEAR(least, nearest.gap, kRounding);
  }
}

TEST(Patch, LeastGapIsTheDistanceHoweverItIsTilted) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const PatchCase& c : make_patch_cases()) {
    SCOPED_TRACE(c.name);
    for (int trial = 0; trial < 200; ++trial) {
      const Vector3<double> axis(uniform(random), uniform(random), uniform(random));
      const double tilt = 0.09 * std::pow(10, -3 * std::abs(uniform(random)));
      Pose<double> X_BA = c.X_AB.inverse();
      X_BA = Pose<double>{turn(axis, tilt) * X_BA.R,
                          X_BA.p + Vector3<double>(0.01 * uniform(random), 0.01 * uniform(random), 0)};
      const Pose<double> flat = X_BA.inverse();
      X_BA.p.z() += 1e-4 - internal::find_closest_convex(c.A, c.B, flat, nullptr).gap;
      const Pose<double> X_AB = X_BA.inverse();
      const Proximity nearest = internal::find_closest_convex(c.A, c.B, X_AB, nullptr);
      if (nearest.gap <= 0) continue;  // it was beside, not below
      ContactList list;
      internal::add_patch_points(c.A, c.B, X_AB, nearest, 2e-3, list);
      double least = 1;
      for (const auto& point : points_of(list)) least = std::min(least, point.gap);
      // Rims whose lowest point is one of the four to rounding have no fifth: 1e-10 of the shapes' size.
      EXPECT_NEAR(least, nearest.gap, 1e-10 * 0.5);
      EXPECT_GE(least, nearest.gap - 1e-12);
    }
  }
}

// A cap whose rim passes a rounded vertex crosses the borders of the box's foot where the rim does not have the normal.
TEST(Patch, NothingIsNearerWhereARimPassesARoundedVertex) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const GrownCore cap = make_core(Cylinder{0.049, 0.0679});
  const GrownCore box = make_core(RoundedBox{{0.0528, 0.0528, 0.0422}, 0.0053});
  for (int trial = 0; trial < 3000; ++trial) {
    const Vector3<double> axis(uniform(random), uniform(random), 0.2 * uniform(random));
    Pose<double> X_AB{turn(axis, 0.15 * uniform(random)) * turn(kZ, kPi * uniform(random)), {}};
    const double angle = kPi * uniform(random), vertex_radius = 0.0298, beside = 0.002 * uniform(random);
    X_AB.p = {(0.049 + vertex_radius + beside) * std::cos(angle), (0.049 + vertex_radius + beside) * std::sin(angle),
              0.1};
    for (int k = 0; k < 3; ++k) X_AB.p.z() += 1e-5 - internal::find_closest_convex(cap, box, X_AB, nullptr).gap;
    const Proximity nearest = internal::find_closest_convex(cap, box, X_AB, nullptr);
    if (!(nearest.gap > 0 && nearest.gap < 1e-3)) continue;
    ContactList list;
    internal::add_patch_points(cap, box, X_AB, nearest, 2e-3, list);
    double least = 1;
    for (const auto& point : points_of(list)) least = std::min(least, point.gap);
    EXPECT_NEAR(least, nearest.gap, 2e-11) << trial;  // what counts as nothing beside these shapes
  }
}

// An edge of a box along a cylinder, to 2e-12 rad: what the search tells of their overlap is a vertex on the rim that
// is deeper by 1e-7 m than any of the corners.
TEST(Patch, CornersMendANearestPlaceThatIsTooDeep) {
  const GrownCore cylinder = make_core(Cylinder{0.0519, 0.0799});
  const GrownCore box = make_core(Box{{0.0368, 0.0366, 0.0418}});
  Pose<double> X_AB;
  X_AB.R << -0.51164459074821267, 0.85919719084625379, -2.1947400167163464e-12, 0.8591971908462539, 0.51164459074821278,
      -1.308111569426423e-12, -1.1366176028190912e-15, -2.5550132601375034e-12, -1;
  X_AB.p = {-0.075525087550303932, -0.0059920339872928758, -0.023420691084493437};
  const Proximity nearest = internal::find_closest_convex(cylinder, box, X_AB, nullptr);
  ContactList list;
  internal::add_patch_points(cylinder, box, X_AB, nearest, 1e-4, list);
  ASSERT_GE(list.count, 2);
  for (const auto& point : points_of(list)) EXPECT_NEAR(point.gap, 0, 1e-12);
}

TEST(Patch, CornersDoNotDependOnTheNearestPlace) {
  // Neither the normal nor the point of the nearest place decides where corners are, only which feet meet.
  for (const char* name : {"tilted box on box", "tilted cylinder on box", "tilted capsule on box"}) {
    SCOPED_TRACE(name);
    const std::vector<PatchCase> cases = make_patch_cases();
    const PatchCase& c =
        *std::find_if(cases.begin(), cases.end(), [name](const PatchCase& each) { return each.name == name; });
    Proximity nearest = make_nearest(c);
    ContactList expected, found;
    internal::add_patch_points(c.A, c.B, c.X_AB, nearest, 1e-3, expected);
    nearest.N = normalized(nearest.N + Vec(0.01, -0.02, 0.013));
    internal::add_patch_points(c.A, c.B, c.X_AB, nearest, 1e-3, found);
    ASSERT_EQ(found.count, expected.count);
    for (std::size_t k = 0; k < static_cast<std::size_t>(found.count); ++k) {
      EXPECT_EQ(found.points[k].id, expected.points[k].id);
      EXPECT_EQ(found.points[k].gap, expected.points[k].gap);
      EXPECT_EQ(norm(found.points[k].p_A - expected.points[k].p_A), 0);
    }
  }
}

TEST(Patch, ListIsEmptyBeyondTheMarginAndSimpleAtIt) {
  for (const PatchCase& c : make_patch_cases()) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(find_patch(c, 0.9e-4).count, 0);
    ContactList simple = find_patch(c, make_nearest(c).gap);
    ASSERT_GE(simple.count, 1);
    if (c.name.starts_with("tilted")) {
      EXPECT_EQ(simple.count, 1);
      EXPECT_EQ(simple.kind, PatchKind::points);
    }
  }
}

// --- Boxes ----------------------------------------------------------------------------------------------------------

TEST(BoxPatch, OnPlaneHasFourVerticesInOrder) {
  const PatchCase c = stand(Box{{0.2, 0.1, 0.06}}, Plane{}, {turn(kZ, 0.4), {0.3, -0.2, 0.03 - 1e-3}});
  const ContactList list = find_patch(c, 0);
  EXPECT_EQ(list.kind, PatchKind::polygon);
  ASSERT_EQ(list.count, 4);
  // Counterclockwise from above, from the smallest number on.
  const std::array<int, 4> features{vertex(0, 0, 0), vertex(1, 0, 0), vertex(1, 1, 0), vertex(0, 1, 0)};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(list.points[k].id, make_contact_id(features[k], 0, 0));
    EXPECT_NEAR(list.points[k].gap, -1e-3, kRounding);
    EXPECT_NEAR(std::abs(list.points[k].p_A.x), 0.1, kRounding);
    EXPECT_NEAR(std::abs(list.points[k].p_A.y), 0.05, kRounding);
    EXPECT_NEAR(list.points[k].p_A.z, -0.03, kRounding);
  }
}

/// A convex polygon in the plane, cut by the half-plane d · p ≤ limit (Sutherland and Hodgman).
std::vector<Vector2<double>> cut(const std::vector<Vector2<double>>& polygon, const Vector2<double>& d, double limit) {
  std::vector<Vector2<double>> out;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vector2<double>&p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
    const double a = limit - d.dot(p), b = limit - d.dot(q);
    if (a >= 0) out.push_back(p);
    if ((a > 0 && b < 0) || (a < 0 && b > 0)) out.push_back(p + (q - p) * (a / (a - b)));
  }
  return out;
}

TEST(BoxPatch, OnBoxHasTheCornersOfTheOverlap) {
  std::mt19937 random(7);
  const auto uniform = [&random](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  std::map<int, int> counts;
  for (int trial = 0; trial < 2000; ++trial) {
    const double yaw = uniform(-kPi, kPi);
    const Vector3<double> a(uniform(0.05, 0.3), uniform(0.05, 0.3), 0.1),
        b(uniform(0.05, 0.3), uniform(0.05, 0.3), 0.1);
    const Vector2<double> shift(uniform(-0.1, 0.1), uniform(-0.1, 0.1));
    const Eigen::Rotation2D<double> R(yaw);
    std::vector<Vector2<double>> overlap;
    for (const auto& [x, y] : {std::pair(-1, -1), std::pair(1, -1), std::pair(1, 1), std::pair(-1, 1)}) {
      overlap.push_back(shift + R * Vector2<double>(x * a.x() / 2, y * a.y() / 2));
    }
    for (const double sign : {-1.0, 1.0}) {
      overlap = cut(overlap, {sign, 0}, b.x() / 2);
      overlap = cut(overlap, {0, sign}, b.y() / 2);
    }
    if (overlap.size() < 3) continue;
    ++counts[static_cast<int>(overlap.size())];
    const PatchCase c = stand(Box{a}, Box{b}, {turn(kZ, yaw), {shift.x(), shift.y(), 0.1 - 1e-4}});
    const ContactList list = find_patch(c, 0);
    EXPECT_EQ(list.kind, PatchKind::polygon);
    std::vector<Vec> expected;
    for (const auto& p : overlap) expected.push_back({p.x(), p.y(), 0.05});
    const std::vector<Vec> found = places_on_B(c, list);
    // Crossings of borders that are almost parallel are as ill-conditioned as 1/sin of their angle.
    expect_same_places(found, expected, 1e-14 / std::abs(std::sin(2 * yaw)));
    for (const auto& point : points_of(list)) EXPECT_NEAR(point.gap, -1e-4, kRounding);
    // In order, counterclockwise from above.
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Vec &p = found[k], &q = found[(k + 1) % found.size()], &r = found[(k + 2) % found.size()];
      EXPECT_GT(cross(q - p, r - q).z, 0);
    }
  }
  for (int corners = 3; corners <= 8; ++corners) EXPECT_GT(counts[corners], 0) << corners;
}

TEST(BoxPatch, EqualBoxesShareFourCornersWhateverTheRounding) {
  for (const double yaw : {0.0, 1e-14, -3e-14, kPi / 2, kPi}) {
    for (const double shift : {0.0, 1e-14, -2e-13}) {
      const PatchCase c = stand(Box{{0.1, 0.1, 0.1}}, Box{{0.1, 0.1, 0.1}}, {turn(kZ, yaw), {shift, -shift, 0.1}});
      const ContactList list = find_patch(c, 1e-4);
      EXPECT_EQ(list.count, 4);
      for (const auto& point : points_of(list)) {
        EXPECT_GE(point.feature_A, 18);
        EXPECT_EQ(point.feature_B, 5);
      }
    }
  }
}

TEST(BoxPatch, AlignedBordersGiveEachCornerOnce) {
  // A sticks out over B along x, their sides along x are in one plane: two vertices of A, two of B.
  const PatchCase c = stand(Box{{0.1, 0.1, 0.1}}, Box{{0.1, 0.1, 0.1}}, {turn(kZ, 0), {0.03, 0, 0.1}});
  const ContactList list = find_patch(c, 1e-4);
  expect_same_places(places_on_B(c, list),
                     {{-0.02, -0.05, 0.05}, {-0.02, 0.05, 0.05}, {0.05, -0.05, 0.05}, {0.05, 0.05, 0.05}}, kRounding);
  EXPECT_TRUE(ids_of(list).contains(make_contact_id(vertex(0, 0, 0), 5, 0)));
  EXPECT_TRUE(ids_of(list).contains(make_contact_id(4, vertex(1, 1, 1), 0)));
}

TEST(BoxPatch, TippingOverAnEdgeKeepsIdentitiesAndClosedFormGaps) {
  // The box turns about its lower edge at x = +a/2 until it stands on its side. Its four lower vertices leave the list
  // where they pass the margin, those of the next face enter it; the two of the edge stay.
  const double a = 0.1, height = 0.06, gap = 2e-5, margin = 1e-3;
  const auto find = [&](double angle) {
    const Pose<double> about_edge{turn(kY, angle), {0, 0, gap}};
    return stand(Box{{a, 0.16, height}}, Plane{}, about_edge * Pose<double>::translation({-a / 2, 0, height / 2}));
  };
  const auto expected_gap = [&](int feature, double angle) {
    const int sides = feature - 18;
    const double x = (sides & 1) != 0 ? 0 : -a, z = (sides & 4) != 0 ? height : 0;
    return gap - std::sin(angle) * x + std::cos(angle) * z;
  };
  std::vector<int> counts;
  for (int k = 0; k <= 4000; ++k) {
    const double angle = kPi / 2 * k / 4000;
    const PatchCase c = find(angle);
    const ContactList list = find_patch(c, margin);
    std::set<std::uint64_t> expected;
    for (int feature = 18; feature < 26; ++feature) {
      const double there = expected_gap(feature, angle);
      if (there <= margin) expected.insert(make_contact_id(feature, 0, 0));
    }
    EXPECT_EQ(ids_of(list), expected) << angle;
    for (const auto& point : points_of(list)) EXPECT_NEAR(point.gap, expected_gap(point.feature_A, angle), kRounding);
    EXPECT_EQ(list.kind, list.count == 2 ? PatchKind::segment : PatchKind::polygon);
    if (counts.empty() || counts.back() != list.count) counts.push_back(list.count);
  }
  EXPECT_EQ(counts, (std::vector<int>{4, 2, 4}));
}

TEST(BoxPatch, TippingOverAVertexGoesFromFourToTwoToOne) {
  const Vector3<double> corner(0.05, 0.08, -0.03), across = Vector3<double>(-0.3, 1, 0).normalized();
  std::vector<int> counts;
  for (int k = 0; k <= 400; ++k) {
    const double angle = 0.4 * k / 400;
    // About the corner, so that it stays where it is.
    const PatchCase c = stand(Box{{0.1, 0.16, 0.06}}, Plane{},
                              Pose<double>{turn(across, angle), {0, 0, 1e-5}} * Pose<double>::translation(-corner));
    const ContactList list = find_patch(c, 1e-3);
    EXPECT_TRUE(ids_of(list).contains(make_contact_id(vertex(1, 1, 0), 0, 0)));
    if (counts.empty() || counts.back() != list.count) counts.push_back(list.count);
    EXPECT_EQ(list.kind == PatchKind::points, list.count == 1);
  }
  EXPECT_EQ(counts.front(), 4);
  EXPECT_EQ(counts.back(), 1);
  EXPECT_TRUE(std::is_sorted(counts.rbegin(), counts.rend()));
}

TEST(BoxPatch, OnAVertexTheEdgeThatIsMoreLevelCounts) {
  // 0.098 rad about one side and 0.03 rad about the other: too steep for the face, and two edges are level enough.
  const Matrix3<double> R = turn(kY, 0.098) * turn(kX, 0.03), S = turn(kX, 0.098) * turn(kY, -0.03);
  const PatchCase c = stand(Box{{0.1, 0.1, 0.1}}, Plane{}, {R, {0, 0, 0.06}});
  const PatchCase d = stand(Box{{0.1, 0.1, 0.1}}, Plane{}, {S, {0, 0, 0.06}});
  for (const PatchCase& each : {c, d}) {
    const ContactList list = find_patch(each, 1);
    EXPECT_EQ(list.kind, PatchKind::segment);
    ASSERT_EQ(list.count, 2);
    // The two lowest vertices.
    std::vector<double> heights;
    for (int k = 0; k < 8; ++k) {
      const auto side = [k](int bit) { return (k & bit) != 0 ? 0.05 : -0.05; };
      heights.push_back(unplace(each.X_AB, {side(1), side(2), side(4)}).z);
    }
    std::sort(heights.begin(), heights.end());
    EXPECT_NEAR(std::min(list.points[0].gap, list.points[1].gap), heights[0], kRounding);
    EXPECT_NEAR(std::max(list.points[0].gap, list.points[1].gap), heights[1], kRounding);
  }
}

/// Distance of the infinite lines through p, q along d, e; positive.
double line_distance(const Vec& p, const Vec& d, const Vec& q, const Vec& e) {
  return std::abs(dot(normalized(cross(d, e)), p - q));
}

TEST(BoxPatch, TiltedGapsAreThoseOfTheFeatures) {
  // A tilted box that sticks out over two borders: vertices against the plane, edges against edges.
  const PatchCase c = stand(Box{{0.2, 0.2, 0.04}}, Box{{0.2, 0.2, 0.04}},
                            {turn(kX + 0.3 * kY, 0.01) * turn(kZ, 0.5), {0.08, 0.05, 0.0415}});
  const ContactList list = find_patch(c, 0.1);
  int edges = 0, vertices = 0;
  for (const auto& point : points_of(list)) {
    const ContactElement<double> a = snap(c.A, point.feature_A, point.p_A, -point.N);
    if (point.feature_A >= 18) {
      ++vertices;
      EXPECT_NEAR(point.gap, unplace(c.X_AB, a.p).z - 0.02, kRounding);
    } else if (point.feature_B >= 18) {
      ++vertices;
      EXPECT_NEAR(point.gap, -0.02 - point.p_B.z, kRounding);
    } else {
      ++edges;
      // CylinderSurface: y is along the axis.
      const ContactElement<double> b =
          snap(c.B, point.feature_B, unplace(c.X_AB, point.p_B), unrotate(c.X_AB, point.N));
      EXPECT_NEAR(point.gap, line_distance(a.p, a.y, place(c.X_AB, b.p), rotate(c.X_AB, b.y)), kRounding);
    }
  }
  EXPECT_GE(edges, 2);
  EXPECT_GE(vertices, 2);
}

TEST(BoxPatch, RoundedBoxStandsOnTheEndsOfItsFlatPart) {
  const PatchCase c = stand(RoundedBox{{0.2, 0.1, 0.06}, 0.02}, Plane{}, {turn(kZ, 0.4), {0.3, -0.2, 0.03}});
  const ContactList list = find_patch(c, 1e-4);
  EXPECT_EQ(list.kind, PatchKind::polygon);
  ASSERT_EQ(list.count, 4);
  for (const auto& point : points_of(list)) {
    EXPECT_NEAR(std::abs(point.p_A.x), 0.08, kRounding);
    EXPECT_NEAR(std::abs(point.p_A.y), 0.03, kRounding);
    EXPECT_NEAR(point.gap, 0, kRounding);
  }
}

TEST(BoxPatch, TiltedRoundedBoxHasTheGapsOfItsBalls) {
  const Pose<double> X_BA{turn(kX - 0.5 * kY, 0.02), {0, 0, 0.0305}};
  const PatchCase c = stand(RoundedBox{{0.2, 0.1, 0.06}, 0.02}, Plane{}, X_BA);
  const ContactList list = find_patch(c, 0.1);
  ASSERT_EQ(list.count, 4);
  for (const auto& point : points_of(list)) {
    const int s = point.feature_A - 18;
    const Vec ball{(s & 1) != 0 ? 0.08 : -0.08, (s & 2) != 0 ? 0.03 : -0.03, -0.01};
    EXPECT_NEAR(point.gap, place(X_BA, ball).z - 0.02, kRounding);
  }
}

TEST(BoxPatch, RoundedBoxWithoutFlatPartIsACapsuleOrABall) {
  // A core of 0.1 × 0 × 0: two points on every side, always the same.
  std::set<std::uint64_t> ids;
  for (const double angle : {0.0, 0.3, kPi / 2, 2.0}) {
    const PatchCase c = stand(RoundedBox{{0.14, 0.04, 0.04}, 0.02}, Plane{}, {turn(kX, angle), {0, 0, 0.02}});
    const ContactList list = find_patch(c, 1e-4);
    EXPECT_EQ(list.kind, PatchKind::segment);
    expect_same_places(places_on_B(c, list), {{-0.05, 0, 0}, {0.05, 0, 0}}, kRounding);
    ids.merge(ids_of(list));
  }
  EXPECT_EQ(ids.size(), 2u);
  const PatchCase ball = stand(RoundedBox{{0.04, 0.04, 0.04}, 0.02}, Plane{}, {turn(kX, 0.01), {0, 0, 0.02}});
  EXPECT_EQ(find_patch(ball, 1e-4).count, 1);
}

// --- Lines ----------------------------------------------------------------------------------------------------------

/// Turns z to x.
Matrix3<double> lie_down() { return turn(kY, kPi / 2); }

TEST(LinePatch, CapsuleOnPlaneHasTwoEnds) {
  const double tilt = 0.004;
  const PatchCase c = stand(Capsule{0.02, 0.14}, Plane{}, {turn(kZ, 0.3) * turn(kY, kPi / 2 + tilt), {0, 0, 0.0201}});
  const ContactList list = find_patch(c, 1);
  EXPECT_EQ(list.kind, PatchKind::segment);
  ASSERT_EQ(list.count, 2);
  EXPECT_EQ(list.points[0].id, make_contact_id(1, 0, 0));
  EXPECT_EQ(list.points[1].id, make_contact_id(2, 0, 0));
  EXPECT_NEAR(list.points[0].gap, 1e-4 + 0.07 * std::sin(tilt), kRounding);
  EXPECT_NEAR(list.points[1].gap, 1e-4 - 0.07 * std::sin(tilt), kRounding);
}

TEST(LinePatch, SteepCapsuleHasOneContact) {
  const PatchCase c = stand(Capsule{0.02, 0.14}, Plane{}, {turn(kY, kPi / 2 + 0.11), {0, 0, 0.02}});
  const ContactList list = find_patch(c, 1);
  ASSERT_EQ(list.count, 1);
  EXPECT_EQ(list.kind, PatchKind::points);
  EXPECT_EQ(list.points[0].id, make_contact_id(2, 0, 0));
}

TEST(LinePatch, CapsuleOnBoxEndsAtItsEndOrAtTheBorder) {
  const double yaw = 0.4;
  const PatchCase c =
      stand(Capsule{0.02, 0.2}, Box{{0.2, 0.2, 0.04}}, {turn(kZ, yaw) * lie_down(), {0.05, 0.01, 0.0401}});
  const ContactList list = find_patch(c, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::segment);
  ASSERT_EQ(list.count, 2);
  EXPECT_EQ(list.points[0].id, make_contact_id(1, 5, 0));
  EXPECT_EQ(list.points[1].id, make_contact_id(0, 6 + 4 + 3, 0));  // the upper edge along y at +x
  expect_same_places(
      places_on_B(c, list),
      {{0.05 - 0.1 * std::cos(yaw), 0.01 - 0.1 * std::sin(yaw), 0.02}, {0.1, 0.01 + 0.05 * std::tan(yaw), 0.02}},
      kRounding);
  for (const auto& point : points_of(list)) EXPECT_NEAR(point.gap, 1e-4, kRounding);
}

TEST(LinePatch, CapsuleAcrossACornerOfABox) {
  // Along the diagonal, exactly through two vertices.
  const PatchCase c =
      stand(Capsule{0.02, 0.4}, Box{{0.2, 0.2, 0.04}}, {turn(kZ, kPi / 4) * lie_down(), {0, 0, 0.0401}});
  expect_same_places(places_on_B(c, find_patch(c, 1e-3)), {{-0.1, -0.1, 0.02}, {0.1, 0.1, 0.02}}, 1e-9);
}

TEST(LinePatch, CapsuleUponAnEdgeOfABox) {
  // Inside, exactly upon and just outside of the border: the same places, up to what the line is moved.
  for (const double off : {-1e-5, 0.0, 1e-13, 1e-5, 1e-3}) {
    SCOPED_TRACE(off);
    PatchCase c = stand(Capsule{0.02, 0.14}, Box{{0.2, 0.2, 0.04}}, {lie_down(), {0.06, 0.1 + off, 0.0401}});
    const double aside = std::max(off, 0.0), gap = std::hypot(aside, 0.0201) - 0.02;
    c.N = rotate(c.X_AB, normalized(Vec(0, aside, 0.0201)));
    const ContactList list = find_patch(c, 1e-3);
    EXPECT_EQ(list.kind, PatchKind::segment);
    const double y = std::min(0.1, 0.1 + off);
    expect_same_places(places_on_B(c, list), {{-0.01, y, 0.02}, {0.1, y, 0.02}}, kRounding);
    for (const auto& point : points_of(list)) EXPECT_NEAR(point.gap, gap, kRounding);
  }
}

TEST(LinePatch, CapsuleAlmostAlongARoundedEdgeEndsAtAnEnd) {
  // Turned and tilted a little over the border of the flat part: the nearest points of the line and the edge that it is
  // seen to cross are often at an end of one of them, which then is the feature, not the line.
  const Shape box = RoundedBox{{0.2, 0.2, 0.04}, 0.01};
  int ends = 0;
  for (const double off : {-2e-3, -1e-4, 1e-4, 2e-3}) {
    for (const double turned : {-0.08, -0.02, 0.003, 0.05}) {
      for (const double tilted : {-0.06, -0.001, 0.001, 0.06}) {
        SCOPED_TRACE(testing::Message() << off << " " << turned << " " << tilted);
        const PatchCase c = stand(Capsule{0.02, 0.06}, box,
                                  {turn(kZ, turned) * turn(kY, tilted) * lie_down(), {0.06, 0.09 + off, 0.0405}});
        PairMemory memory;
        ContactList list;
        find_contacts(c.A, Pose<double>(), c.B, c.X_AB, 1e-2, memory, list);
        EXPECT_EQ(ids_of(list).size(), static_cast<std::size_t>(list.count));
        for (const auto& point : points_of(list)) {
          expect_on_features(c, point);
          const bool is_edge = point.feature_B >= 6 && point.feature_B < 18;
          ends += is_edge && point.feature_A != 0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(ends, 10);
}

TEST(LinePatch, CylinderLyingOnPlaneAndBox) {
  const double tilt = 0.003;
  const Matrix3<double> R = turn(kZ, 0.3) * turn(kY, kPi / 2 + tilt);
  const PatchCase on_plane = stand(Cylinder{0.05, 0.12}, Plane{}, {R, {0, 0, 0.0502}});
  const ContactList list = find_patch(on_plane, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::segment);
  ASSERT_EQ(list.count, 2);
  EXPECT_EQ(list.points[0].id, make_contact_id(3, 0, 0));
  EXPECT_EQ(list.points[1].id, make_contact_id(4, 0, 0));
  // The lowest points of the rims.
  EXPECT_NEAR(list.points[0].gap, 0.0502 + 0.06 * std::sin(tilt) - 0.05 * std::cos(tilt), kRounding);
  EXPECT_NEAR(list.points[1].gap, 0.0502 - 0.06 * std::sin(tilt) - 0.05 * std::cos(tilt), kRounding);
  // Over the border of a box: the side against its edge, 0.05 m from the axis.
  const Matrix3<double> rising = turn(kZ, 0.3) * turn(kY, kPi / 2 - tilt);
  const PatchCase on_box = stand(Cylinder{0.05, 0.12}, Box{{0.1, 0.3, 0.04}}, {rising, {0.03, 0, 0.0702}});
  const ContactList over = find_patch(on_box, 1e-3);
  ASSERT_EQ(over.count, 2);
  EXPECT_EQ(over.points[1].id, make_contact_id(0, 6 + 4 + 3, 0));
  const Vec axis = rotate(on_box.X_AB.inverse(), {0, 0, 1});
  EXPECT_NEAR(over.points[1].gap, line_distance({0.03, 0, 0.0702}, axis, {0.05, 0, 0.02}, {0, 1, 0}) - 0.05, kRounding);
}

TEST(LinePatch, ConeLyingHasApexAndRim) {
  const double half_angle = std::atan2(0.04, 0.1), slant = std::hypot(0.04, 0.1);
  const auto lay = [&](double tilt) {
    // The apex at a height of 1e-4, the side rising by `tilt` towards the rim.
    const Matrix3<double> R = turn(kY, kPi / 2 + half_angle + tilt);
    return stand(Cone{0.04, 0.1}, Plane{}, {R, Vector3<double>(0, 0, 1e-4) - R * (0.05 * kZ)});
  };
  for (const double tilt : {0.0, 0.003, -0.0005}) {
    const PatchCase c = lay(tilt);
    const ContactList list = find_patch(c, 1e-3);
    EXPECT_EQ(list.kind, PatchKind::segment);
    ASSERT_EQ(list.count, 2);
    EXPECT_EQ(list.points[0].id, make_contact_id(2, 0, 0));
    EXPECT_EQ(list.points[1].id, make_contact_id(3, 0, 0));
    EXPECT_NEAR(list.points[0].gap, 1e-4 + slant * std::sin(tilt), kRounding);
    EXPECT_NEAR(list.points[1].gap, 1e-4, kRounding);
  }
}

/// A and B beside each other along x, both with axes along z in the frame of A, and the nearest place in the middle.
ContactList put_beside(const Shape& A, const Shape& B, const Pose<double>& X_AB, const Proximity& nearest,
                       double margin) {
  ContactList out;
  internal::add_patch_points(make_core(A), make_core(B), X_AB, nearest, margin, out);
  return out;
}

TEST(LinePatch, ParallelCylindersAndCapsulesTouchAlongALine) {
  // Axes 0.0701 m apart; A from −0.1 to 0.1 m, B from −0.02 to 0.13 m.
  const Pose<double> X_AB = Pose<double>::translation({-0.0701, 0, 0.055});
  const Proximity nearest{1e-4, {-0.05, 0, 0.03}, {-0.0501, 0, 0.03}, {1, 0, 0}, 0, 0};
  const std::vector<std::tuple<Shape, Shape, std::uint64_t, std::uint64_t>> pairs = {
      {Cylinder{0.05, 0.2}, Cylinder{0.02, 0.15}, make_contact_id(0, 3, 1), make_contact_id(4, 0, 1)},
      {Cylinder{0.05, 0.2}, Capsule{0.02, 0.15}, make_contact_id(0, 1, 0), make_contact_id(4, 0, 1)},
      {Capsule{0.05, 0.2}, Cylinder{0.02, 0.15}, make_contact_id(0, 3, 1), make_contact_id(2, 0, 0)},
      {Capsule{0.05, 0.2}, Capsule{0.02, 0.15}, make_contact_id(0, 1, 0), make_contact_id(2, 0, 0)}};
  for (const auto& [A, B, lower, upper] : pairs) {
    SCOPED_TRACE(std::string(shape_name(A)) + " and " + shape_name(B));
    const ContactList list = put_beside(A, B, X_AB, nearest, 1e-3);
    EXPECT_EQ(list.kind, PatchKind::segment);
    ASSERT_EQ(list.count, 2);
    // Which end comes first follows A's axis; the sense in which rim and side cross is the same at both.
    EXPECT_EQ(list.points[0].id & ~3ull, lower & ~3ull);
    EXPECT_EQ(list.points[1].id & ~3ull, upper & ~3ull);
    EXPECT_LE(norm(list.points[0].p_A - Vec(-0.05, 0, -0.02)), kRounding);
    EXPECT_LE(norm(list.points[1].p_A - Vec(-0.05, 0, 0.1)), kRounding);
    for (const auto& point : points_of(list)) EXPECT_NEAR(point.gap, 1e-4, kRounding);
  }
}

TEST(LinePatch, LinesThatCrossUnderASmallAngleHaveEndsAndTheMiddle) {
  // Capsules over each other in the middle, turned by β about N: the ends are beside the other's line by 0.1 sin β.
  const double beta = 0.02;
  const Pose<double> X_AB{turn(kX, beta), {-0.0401, 0, 0}};
  const Proximity nearest{1e-4, {-0.02, 0, 0}, {-0.0201, 0, 0}, {1, 0, 0}, 0, 0};
  const ContactList list = put_beside(Capsule{0.02, 0.2}, Capsule{0.02, 0.24}, X_AB, nearest, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::segment);
  ASSERT_EQ(list.count, 3);
  EXPECT_EQ(list.points[1].id, make_contact_id(0, 0, 0));
  EXPECT_EQ(list.points[1].gap, 1e-4);
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
    EXPECT_NEAR(list.points[k].gap, std::hypot(0.0401, 0.1 * std::sin(beta)) - 0.04, kRounding);
  }
  // Across each other there is nothing but the middle.
  const Pose<double> across{turn(kX, 0.11), {-0.0401, 0, 0}};
  EXPECT_EQ(put_beside(Capsule{0.02, 0.2}, Capsule{0.02, 0.24}, across, nearest, 1).count, 1);
}

TEST(LinePatch, RodsInOnePlaneTouchAtTheEndsOfTheirOverlap) {
  // Thin rods in the x-z plane, B leaning towards A by 1 mrad: no radius, and the normal is good at touching too.
  for (const double gap : {1e-4, 0.0, -1e-4}) {
    const Pose<double> X_AB = Pose<double>{turn(kY, 1e-3), {-gap, 0, 0.05}} * Pose<double>::translation({0, 0, 0.05});
    // A's end at z = 0.1, B's at z = 0.05; B's line passes z = 0.1 at x = −gap + 0.05 tan(1e-3).
    const Vec along = rotate(X_AB, {0, 0, 1}), N{along.z, 0, -along.x}, end{0, 0, 0.1};
    const double distance = dot(N, end - place(X_AB, Vec::zero()));
    const Proximity nearest{distance, end, end - N * distance, N, 2, 0};
    const ContactList list = put_beside(Rod{0.2}, Rod{0.1}, X_AB, nearest, 1e-3);
    EXPECT_EQ(list.kind, PatchKind::segment);
    ASSERT_EQ(list.count, 2);
    EXPECT_EQ(list.points[0].id, make_contact_id(0, 1, 0));
    EXPECT_NEAR(list.points[0].gap, gap, kRounding);
    EXPECT_EQ(list.points[1].id, make_contact_id(2, 0, 0));
    EXPECT_NEAR(list.points[1].gap, distance, kRounding);
  }
}

TEST(LinePatch, RodsThatCrossHaveOneContact) {
  // 0.05 rad out of one plane: they are nowhere else near each other, whatever the height of one above the other is.
  const Pose<double> X_AB{turn(kX, 0.05), {-1e-4, 0, 0}};
  const Proximity nearest{1e-4, {0, 0, 0}, {-1e-4, 0, 0}, {1, 0, 0}, 0, 0};
  EXPECT_EQ(put_beside(Rod{0.2}, Rod{0.2}, X_AB, nearest, 1).count, 1);
}

TEST(LinePatch, ConesAlongACommonRuling) {
  // Two equal cones beside each other, upright: their sides lie on each other only if one of them stands on its head.
  // With B upside down and shifted along the ruling, the overlap is from an apex or rim of the one to that of the
  // other.
  const double half_angle = std::atan2(0.04, 0.1), slant = std::hypot(0.04, 0.1);
  const Vec ruling{-std::sin(half_angle), 0, std::cos(half_angle)}, n{std::cos(half_angle), 0, std::sin(half_angle)};
  // B is A turned by 180° about the y axis through the middle of the ruling at y = 0, x > 0, then moved along both.
  const Vec middle{0.02, 0, 0};
  const double along = 0.01, apart = 1e-4;
  const Vec shift = ruling * along + n * apart;
  const Matrix3<double> R = turn(kY, kPi);
  const Pose<double> X_AB{R, middle.eigen() - R * middle.eigen() + shift.eigen()};
  const Proximity nearest{apart, middle, middle + n * apart, -n, 0, 0};
  const ContactList list = put_beside(Cone{0.04, 0.1}, Cone{0.04, 0.1}, X_AB, nearest, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::segment);
  ASSERT_EQ(list.count, 2);
  const Vec apex_A{0, 0, 0.05}, apex_B = apex_A - ruling * (slant - along);
  EXPECT_EQ(list.points[0].id, make_contact_id(0, 3, 0));
  EXPECT_EQ(list.points[1].id, make_contact_id(3, 0, 0));
  EXPECT_LE(norm(list.points[0].p_A - apex_B), kRounding);
  EXPECT_LE(norm(list.points[1].p_A - apex_A), kRounding);
  for (const auto& point : points_of(list)) EXPECT_NEAR(point.gap, apart, kRounding);
}

// --- Round faces ----------------------------------------------------------------------------------------------------

TEST(RoundPatch, StandingCylinderHasFourPointsAtBodyAngles) {
  const double yaw = 0.3;
  for (const Shape& below : {Shape(Plane{}), Shape(Box{{0.3, 0.3, 0.04}}), Shape(Cylinder{0.1, 0.04})}) {
    const double top = std::holds_alternative<Plane>(below) ? 0 : 0.02;
    const PatchCase c = stand(Cylinder{0.05, 0.12}, below, {turn(kZ, yaw), {0.01, 0.02, top + 0.0601}});
    const ContactList list = find_patch(c, 1e-3);
    EXPECT_EQ(list.kind, PatchKind::ring);
    ASSERT_EQ(list.count, 4);
    for (int k = 0; k < 4; ++k) {
      const auto& point = list.points[static_cast<std::size_t>(k)];
      EXPECT_EQ(point.id, make_contact_id(3, point.feature_B, k + 1));
      EXPECT_LE(norm(point.p_A - Vec(0.05 * std::cos(k * kPi / 2), 0.05 * std::sin(k * kPi / 2), -0.06)), kRounding);
      EXPECT_NEAR(point.gap, 1e-4, kRounding);
    }
  }
}

TEST(RoundPatch, TiltedCylinderHasItsLowestPointToo) {
  const double tilt = 0.004;
  const Pose<double> X_BA{turn(Vector3<double>(-std::sin(0.5), std::cos(0.5), 0), tilt), {0, 0, 0.0603}};
  const PatchCase c = stand(Cylinder{0.05, 0.12}, Plane{}, X_BA);
  const ContactList list = find_patch(c, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::ring);
  ASSERT_EQ(list.count, 5);
  for (const auto& point : points_of(list)) EXPECT_NEAR(point.gap, place(X_BA, point.p_A).z, kRounding);
  EXPECT_EQ(list.points[0].id, make_contact_id(3, 0, 0));  // at 0.5 rad, between the first and the second
  EXPECT_EQ(list.points[1].id, make_contact_id(3, 0, 2));
  EXPECT_EQ(list.points[4].id, make_contact_id(3, 0, 1));
  // The identity stays when it tilts so much that this point is all.
  const PatchCase steep = stand(Cylinder{0.05, 0.12}, Plane{},
                                {turn(Vector3<double>(-std::sin(0.5), std::cos(0.5), 0), 0.2), {0, 0, 0.06}});
  const ContactList simple = find_patch(steep, 1);
  ASSERT_EQ(simple.count, 1);
  EXPECT_EQ(simple.points[0].id, make_contact_id(3, 0, 0));
}

TEST(RoundPatch, CylinderOverTheBorderOfABoxCrossesItTwice) {
  const PatchCase c = stand(Cylinder{0.05, 0.12}, Box{{0.2, 0.4, 0.04}}, {turn(kZ, 0.3), {0.08, 0, 0.0801}});
  const ContactList list = find_patch(c, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::ring);
  const double y = std::sqrt(0.05 * 0.05 - 0.02 * 0.02);
  std::vector<Vec> expected{{0.1, y, 0.02}, {0.1, -y, 0.02}};
  for (int k = 0; k < 4; ++k) {
    const double angle = 0.3 + k * kPi / 2;
    const Vec on_rim{0.08 + 0.05 * std::cos(angle), 0.05 * std::sin(angle), 0.02};
    if (on_rim.x < 0.1) expected.push_back(on_rim);
  }
  EXPECT_EQ(expected.size(), 5u);
  expect_same_places(places_on_B(c, list), expected, kRounding);
  const int edge = 6 + 4 + 3;
  EXPECT_TRUE(ids_of(list).contains(make_contact_id(3, edge, 1)));
  EXPECT_TRUE(ids_of(list).contains(make_contact_id(3, edge, 2)));
}

TEST(RoundPatch, BoxOnSmallCylinderHasVerticesAndCrossings) {
  // The corner of a box inside of the cap: one vertex, two crossings, and what is left of the rim's four points.
  const PatchCase c = stand(Box{{0.2, 0.2, 0.04}}, Cylinder{0.05, 0.04}, {turn(kZ, 0), {0.09, 0.08, 0.0401}});
  const ContactList list = find_patch(c, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::polygon);
  expect_same_places(places_on_B(c, list),
                     {{-0.01, -0.02, 0.02},
                      {-0.01, std::sqrt(0.05 * 0.05 - 0.01 * 0.01), 0.02},
                      {std::sqrt(0.05 * 0.05 - 0.02 * 0.02), -0.02, 0.02},
                      {0.05, 0, 0.02},
                      {0, 0.05, 0.02}},
                     kRounding);
}

TEST(RoundPatch, InscribedCylinderOnlyTouchesTheBorder) {
  // Body angles on the tangent points, or not; rounding decides nothing.
  for (const double yaw : {0.0, 1e-13, 0.4}) {
    const PatchCase c = stand(Cylinder{0.05, 0.1}, Box{{0.1, 0.1, 0.04}}, {turn(kZ, yaw), {1e-14, 0, 0.0701}});
    EXPECT_EQ(find_patch(c, 1e-3).count, 4) << yaw;
  }
}

TEST(RoundPatch, EqualCylindersOnEachOther) {
  const auto pile = [](double yaw, const Vector3<double>& shift) {
    return stand(Cylinder{0.05, 0.1}, Cylinder{0.05, 0.1}, {turn(kZ, yaw), Vector3<double>(0, 0, 0.1001) + shift});
  };
  EXPECT_EQ(find_patch(pile(0, {0, 0, 0}), 1e-3).count, 4);
  EXPECT_EQ(find_patch(pile(0, {1e-14, -1e-14, 0}), 1e-3).count, 4);
  EXPECT_EQ(find_patch(pile(0.3, {0, 0, 0}), 1e-3).count, 8);  // four of each rim
  // Shifted by d, the rims cross at x = d/2.
  const double d = 0.03;
  const PatchCase c = pile(0.3, {d, 0, 0});
  const ContactList list = find_patch(c, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::ring);
  int crossings = 0;
  for (const auto& point : points_of(list)) {
    if (point.feature_A != 3 || point.feature_B != 4) continue;
    ++crossings;
    const Vec at = unplace(c.X_AB, point.p_B);
    EXPECT_NEAR(at.x, d / 2, kRounding);
    EXPECT_NEAR(std::abs(at.y), std::sqrt(0.05 * 0.05 - d * d / 4), kRounding);
  }
  EXPECT_EQ(crossings, 2);
}

TEST(RoundPatch, EllipsesCrossInUpToFourPoints) {
  const GrownCore A = make_core(Ellipse{0.09, 0.05}), B = make_core(Ellipse{0.05, 0.1});
  const auto level = [](const GrownCore& plate, const Vec& p) {
    return p.x * p.x / (plate.core.size.x * plate.core.size.x) + p.y * p.y / (plate.core.size.y * plate.core.size.y);
  };
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::map<int, int> counts;
  for (int trial = 0; trial < 300; ++trial) {
    const PatchCase c = stand(Ellipse{0.09, 0.05}, Ellipse{0.05, 0.1},
                              {turn(kZ, 3 * uniform(random)), {0.1 * uniform(random), 0.1 * uniform(random), 1e-4}});
    // Changes of side, seen at a thousand points of A's rim.
    int changes = 0;
    for (int k = 0; k < 1000; ++k) {
      const auto is_inside = [&](int i) {
        const double angle = 2 * kPi * i / 1000;
        return level(B, unplace(c.X_AB, {0.09 * std::cos(angle), 0.05 * std::sin(angle), 0})) < 1;
      };
      if (is_inside(k) != is_inside(k + 1)) ++changes;
    }
    if (changes == 0) continue;
    const ContactList list = find_patch(c, 1e-3);
    int crossings = 0;
    for (const auto& point : points_of(list)) {
      const Vec on_B = unplace(c.X_AB, point.p_B);
      EXPECT_LE(level(A, point.p_A), 1 + 1e-9);
      EXPECT_LE(level(B, on_B), 1 + 1e-9);
      if (point.feature_A != 2 || point.feature_B != 2) continue;
      ++crossings;
      EXPECT_NEAR(level(A, point.p_A), 1, 1e-12);
      EXPECT_NEAR(level(B, on_B), 1, 1e-12);
    }
    EXPECT_EQ(crossings, changes);
    ++counts[crossings];
  }
  EXPECT_GT(counts[2], 0);
  EXPECT_GT(counts[4], 0);
}

TEST(RoundPatch, PlateStandsOnTheEndsOfItsAxes) {
  const PatchCase c = stand(Ellipse{0.09, 0.05}, Plane{}, {turn(kX, kPi), {0, 0, 1e-4}});
  const ContactList list = find_patch(c, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::ring);
  expect_same_places(places_on_B(c, list), {{0.09, 0, 0}, {-0.09, 0, 0}, {0, 0.05, 0}, {0, -0.05, 0}}, kRounding);
}

TEST(RoundPatch, ConeStandsOnItsRim) {
  const PatchCase c = stand(Cone{0.04, 0.1}, Plane{}, {turn(kZ, 0.1), {0, 0, 0.0501}});
  const ContactList list = find_patch(c, 1e-3);
  EXPECT_EQ(list.kind, PatchKind::ring);
  ASSERT_EQ(list.count, 4);
  for (const auto& point : points_of(list)) EXPECT_EQ(point.feature_A, 2);
}

TEST(RoundPatch, CapOnABigBallIsARingWhileItsRimIsWithinTheMargin) {
  // A peg of 5 mm on a ball of 2 m: its rim is 6.25e-6 m above the ball.
  const PatchCase c = stand(Cylinder{0.005, 0.02}, Sphere{2}, {turn(kZ, 0.2), {0, 0, 2.01 + 1e-4}});
  const double rim_gap = std::hypot(2 + 1e-4, 0.005) - 2;
  const ContactList wide = find_patch(c, 2e-4), narrow = find_patch(c, 1.01e-4);
  EXPECT_EQ(wide.kind, PatchKind::ring);
  ASSERT_EQ(wide.count, 5);  // the middle of the cap is nearer
  EXPECT_EQ(std::count_if(wide.points.begin(), wide.points.begin() + 5,
                          [&](const auto& point) { return std::abs(point.gap - rim_gap) < kRounding; }),
            4);
  EXPECT_EQ(narrow.count, 1);
  // On a small ball the rim would touch with a normal that it does not have.
  const PatchCase small = stand(Cylinder{0.005, 0.02}, Sphere{0.01}, {turn(kZ, 0.2), {0, 0, 0.02 + 1e-4}});
  EXPECT_EQ(find_patch(small, 0.1).count, 1);
}

// --- Invariance -----------------------------------------------------------------------------------------------------

/// The same points, found by their identities.
void expect_same_list(const ContactList& found, const ContactList& expected,
                      const std::function<ContactList::Point(const ContactList::Point&)>& change, double scale,
                      double tolerance) {
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.kind, expected.kind);
  for (const auto& original : points_of(expected)) {
    const ContactList::Point point = change(original);
    const auto all = points_of(found);
    const auto other = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.id == point.id; });
    ASSERT_NE(other, all.end()) << std::hex << point.id;
    EXPECT_NEAR(other->gap, point.gap * scale, tolerance);
    EXPECT_LE(norm(other->p_A - point.p_A * scale), tolerance);
    EXPECT_LE(norm(other->p_B - point.p_B * scale), tolerance);
    EXPECT_LE(norm(other->N - point.N), 1e-12);
  }
}

TEST(PatchInvariance, MovingTheWorldChangesRoundingOnly) {
  const Pose<double> X_WA{turn({1, 2, 3}, 2), {3, -2, 1}};
  for (const PatchCase& c : make_patch_cases()) {
    SCOPED_TRACE(c.name);
    const Pose<double> X_WB = X_WA * c.X_AB;
    PatchCase moved = c;
    moved.X_AB = X_WA.inverse() * X_WB;  // rounded as lengths of 4 m are
    const auto same = [](const ContactList::Point& point) { return point; };
    expect_same_list(find_patch(moved, 1e-3), find_patch(c, 1e-3), same, 1, 4e-14);
  }
}

TEST(PatchInvariance, UnitsDoNotMatter) {
  for (const double scale : {1e-3, 25.4, 1e6}) {
    for (const PatchCase& c : make_patch_cases()) {
      SCOPED_TRACE(c.name);
      PatchCase scaled = c;
      scaled.X_AB.p *= scale;
      for (GrownCore* core : {&scaled.A, &scaled.B}) {
        core->core.size = core->core.size * scale;
        core->radius *= scale;
      }
      ContactList found;
      Proximity nearest = make_nearest(c);
      nearest.gap *= scale;
      nearest.p_A = nearest.p_A * scale;
      nearest.p_B = nearest.p_B * scale;
      internal::add_patch_points(scaled.A, scaled.B, scaled.X_AB, nearest, 1e-3 * scale, found);
      const auto same = [](const ContactList::Point& point) { return point; };
      expect_same_list(found, find_patch(c, 1e-3), same, scale, kRounding * scale);
    }
  }
}

/// The point of the pair (B, A), in the frame of B, that `point` of (A, B) in the frame of A is.
ContactList::Point exchange(const ContactList::Point& point, const Pose<double>& X_AB, int number) {
  ContactList::Point out;
  out.gap = point.gap;
  out.p_A = unplace(X_AB, point.p_B);
  out.p_B = unplace(X_AB, point.p_A);
  out.N = -unrotate(X_AB, point.N);
  out.feature_A = point.feature_B;
  out.feature_B = point.feature_A;
  out.id = make_contact_id(out.feature_A, out.feature_B, number);
  return out;
}

TEST(PatchInvariance, ExchangingAAndBMirrorsTheList) {
  for (const PatchCase& c : make_patch_cases()) {
    if (c.name == "plate on plate") continue;  // two crossings of one sense: numbered along A's rim
    SCOPED_TRACE(c.name);
    ContactList found;
    const Proximity nearest = exchange({make_nearest(c), 0}, c.X_AB, 0);
    internal::add_patch_points(c.B, c.A, c.X_AB.inverse(), nearest, 1e-3, found);
    const auto change = [&](const ContactList::Point& point) {
      return exchange(point, c.X_AB, static_cast<int>(point.id & 0xffff));
    };
    expect_same_list(found, find_patch(c, 1e-3), change, 1, kRounding);
  }
}

// --- Continuity -----------------------------------------------------------------------------------------------------

TEST(PatchContinuity, GapsMoveNoFasterThanTheShapes) {
  // Every case is rocked and slid; whoever is in two lists that follow each other has moved by no more than any point
  // of A (within 0.2 m of the middle) did: 0.2 |ω| + |v|, and so has not jumped.
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double step = 1e-6;
  for (const PatchCase& c : make_patch_cases()) {
    SCOPED_TRACE(c.name);
    for (int trial = 0; trial < 100; ++trial) {
      const Vector3<double> axis(uniform(random), uniform(random), uniform(random));
      const Vector3<double> v(0.1 * uniform(random), 0.1 * uniform(random), 0.1 * uniform(random));
      const double tilt = 0.04 * uniform(random);
      std::map<std::uint64_t, double> last;
      for (int k = 0; k < 5; ++k) {
        const Pose<double> X_BA = c.X_AB.inverse();
        PatchCase moved = c;
        moved.X_AB = Pose<double>{turn(axis, tilt + k * step) * X_BA.R, X_BA.p + v * (k * step)}.inverse();
        moved.N = rotate(moved.X_AB, {0, 0, 1});
        std::map<std::uint64_t, double> now;
        for (const auto& point : points_of(find_patch(moved, 1))) {
          now[point.id] = point.gap;
          const auto before = last.find(point.id);
          if (before == last.end()) continue;
          EXPECT_LE(std::abs(point.gap - before->second), (0.2 + v.norm()) * step);
        }
        last = now;
      }
    }
  }
}

TEST(PatchContinuity, EdgesThatAreAlmostParallelHaveSmoothGaps) {
  // With a yaw not much larger than the tilt, the common normal of two edges turns away from the normals of the faces,
  // and their nearest points run off. A jump by 0.5 % of the gap of 3 mm, as between the cosines of 0 and kPatchAngle,
  // would be a second difference of 1.5e-5 m, and a kink of a tenth of the speed one of 1e-7 m; smooth ones are of
  // second order in the step of 1e-5 rad.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int steps = 300;
  const double step = 1e-5;
  for (const double radius : {0.0, 0.01}) {
    int followed = 0;
    for (int trial = 0; trial < 100; ++trial) {
      const Vector3<double> start(0.03 * uniform(random), 0.03 * uniform(random), 0.2 * uniform(random));
      const Vector3<double> rate(uniform(random), uniform(random), uniform(random));
      std::map<std::uint64_t, std::vector<double>> gaps;
      for (int k = 0; k < steps; ++k) {
        const Vector3<double> phi = start + rate * (k * step);
        const PatchCase c =
            stand(RoundedBox{{0.14, 0.12, 0.1}, radius}, Box{{0.14 - 2 * radius, 0.12 - 2 * radius, 0.1}},
                  {turn(phi, phi.norm()), {0.001, 0.002, 0.103}});
        for (const auto& point : points_of(find_patch(c, 1))) {
          const auto is_edge = [](int feature) { return feature >= 6 && feature < 18; };
          if (is_edge(point.feature_A) && is_edge(point.feature_B)) gaps[point.id].push_back(point.gap);
        }
      }
      for (const auto& [id, g] : gaps) {
        if (g.size() < static_cast<std::size_t>(steps)) continue;  // it came or went
        for (std::size_t k = 2; k < g.size(); ++k) {
          ++followed;
          EXPECT_LE(std::abs(g[k] - 2 * g[k - 1] + g[k - 2]), 5e-8);
        }
      }
    }
    EXPECT_GT(followed, 100 * steps);
  }
}

}  // namespace
}  // namespace thenar::patch_test
