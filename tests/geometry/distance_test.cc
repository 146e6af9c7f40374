// SPDX-License-Identifier: BSD-3-Clause
//
// Distance of two shapes of every kind against a reference in long double by another method (reference_distance.h), and
// laws that it must obey: it does not depend on the order of the two, on the world's frame, on the unit of length or on
// what is remembered, and it changes by no more than the shapes move.
//
// Tolerances. Gaps: 1e-12 of the pair's length (sizes and coordinates, of the order of metres). Normals: 1e-10 rad,
// plus what the rounding of the input to double means for them: a relative displacement of ε length turns N by up to
// ∂N/∂p ε length, where ∂N/∂p is the reference's, and large where both surfaces are nearly parallel (flat ellipsoids,
// 1/curvature) or two vertices almost touch (1/gap). The same goes for the points.
//
// THENAR_DISTANCE_PAIRS=n compares n pairs of every kind with the reference (60 by default): a third apart, a third
// touching and a third overlapping a little. 2000 take five minutes. THENAR_DISTANCE_SEED=n gives other pairs.

#include "thenar/geometry/distance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "random_pairs.h"
#include "thenar/spatial/rotation.h"

namespace thenar::distance_test {
namespace {

using test::KindPair;
using test::Placement;
using test::RandomPairs;
using test::ShapePair;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr Placement kPlacements[] = {Placement::apart, Placement::touching, Placement::shallow};

int number_from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}
int pair_count() { return number_from_environment("THENAR_DISTANCE_PAIRS", 60); }
unsigned series() { return static_cast<unsigned>(number_from_environment("THENAR_DISTANCE_SEED", 0)); }

Proximity find_cold(const ShapePair& pair) {
  PairMemory memory;
  return find_closest(make_core(pair.A), pair.X_WA, make_core(pair.B), pair.X_WB, memory);
}

/// What errors of kPlaceError lengths in the relative place do to the normal (rad) and to the points (m).
constexpr double kPlaceError = 256 * kEpsilon;
double allowed_turn(const ShapePair& pair) {
  return 1e-10 + kPlaceError * (1 + pair.length * static_cast<double>(pair.expected.normal_sensitivity));
}
double allowed_travel(const ShapePair& pair) {
  return 1e-10 * pair.length + kPlaceError * pair.length * (1 + static_cast<double>(pair.expected.point_sensitivity));
}
double allowed_error(const ShapePair& pair) { return 1e-12 * pair.length; }

/// Whether both have edges or tips, which all but touch: rounding decides which of their features face each other, and
/// near a tip N turns by any angle.
bool have_touching_edges(const ShapePair& pair) {
  const auto has_edges = [](const Shape& s) {
    return std::holds_alternative<Cylinder>(s) || std::holds_alternative<Cone>(s) || std::holds_alternative<Box>(s) ||
           std::holds_alternative<Rod>(s) || std::holds_alternative<Ellipse>(s);
  };
  return std::abs(static_cast<double>(pair.expected.gap)) < 1e-10 * pair.length && has_edges(pair.A) &&
         has_edges(pair.B);
}

/// Whether N is one of several: two places are equally near, to rounding, or rounding turns it by any angle.
bool is_ambiguous(const ShapePair& pair) {
  return static_cast<double>(pair.expected.lead) <= 1e-11 * pair.length || allowed_turn(pair) > 0.01 ||
         have_touching_edges(pair);
}

struct Errors {
  double gap = 0, normal = 0, point = 0;
  int compared = 0;  ///< normals
  int improved = 0;  ///< ways out that the reference overlooked
};

/// Whether N separates overlapping convex shapes by more than the reference's direction, which is then disproved: the
/// gap is the largest separation. It happens once in some thousand pairs with edges and rims.
bool improves(const ShapePair& pair, const Proximity& found) {
  const GrownCore A = make_core(pair.A), B = make_core(pair.B);
  for (const CoreKind kind : {A.core.kind, B.core.kind}) {
    if (!is_convex(kind) || !is_bounded(kind)) return false;
  }
  const long double separation = test::calc_separation(pair, found.N.eigen());
  return pair.expected.gap < 0 && separation > pair.expected.gap + allowed_error(pair) &&
         std::abs(static_cast<double>(separation - found.gap)) <= allowed_error(pair);
}

/// Compares with the reference and keeps the largest errors.
void expect_reference(const ShapePair& pair, const Proximity& found, Errors& worst) {
  if (improves(pair, found)) {
    ++worst.improved;
    return;
  }
  const Vector3<double> N = pair.expected.N.cast<double>();
  const double gap_error = std::abs(static_cast<double>(found.gap - pair.expected.gap));
  worst.gap = std::max(worst.gap, gap_error / pair.length);
  EXPECT_LE(gap_error, allowed_error(pair)) << "gap " << static_cast<double>(pair.expected.gap);
  // The points belong to the gap and the normal.
  EXPECT_NEAR(norm(found.N), 1, 64 * kEpsilon);
  EXPECT_LE(norm(found.p_A - found.p_B - found.N * found.gap), allowed_error(pair));
  if (have_touching_edges(pair)) {
    EXPECT_GE(test::calc_separation(pair, found.N.eigen()), pair.expected.gap - kPlaceError * pair.length);
  }
  if (is_ambiguous(pair)) return;
  const double turn = (found.N.eigen() - N).norm();
  EXPECT_LE(turn, allowed_turn(pair)) << "gap " << static_cast<double>(pair.expected.gap) << ", sensitivity "
                                      << static_cast<double>(pair.expected.normal_sensitivity);
  if (allowed_turn(pair) <= 2e-10) {
    worst.normal = std::max(worst.normal, turn);
    ++worst.compared;
  }
  const double travel = (found.p_A.eigen() - pair.expected.p_A.cast<double>()).norm();
  EXPECT_LE(travel, allowed_travel(pair));
  if (allowed_travel(pair) <= 2e-10 * pair.length) worst.point = std::max(worst.point, travel / pair.length);
}

std::string describe(const Shape& shape) {
  struct Text {
    std::string operator()(const Sphere& s) { return fmt::format("{:.17g}", s.radius); }
    std::string operator()(const Ellipsoid& s) { return three(s.semi_axes); }
    std::string operator()(const Cylinder& s) { return fmt::format("{:.17g}, {:.17g}", s.radius, s.length); }
    std::string operator()(const Capsule& s) { return fmt::format("{:.17g}, {:.17g}", s.radius, s.length); }
    std::string operator()(const Cone& s) { return fmt::format("{:.17g}, {:.17g}", s.radius, s.height); }
    std::string operator()(const Box& s) { return three(s.sides); }
    std::string operator()(const RoundedBox& s) { return fmt::format("{}, {:.17g}", three(s.sides), s.radius); }
    std::string operator()(const Torus& s) { return fmt::format("{:.17g}, {:.17g}", s.radius, s.tube); }
    std::string operator()(const Rod& s) { return fmt::format("{:.17g}", s.length); }
    std::string operator()(const Ellipse& s) { return fmt::format("{:.17g}, {:.17g}", s.a, s.b); }
    std::string operator()(const Plane&) { return ""; }
    std::string operator()(const Bowl& s) { return fmt::format("{:.17g}, {:.17g}", s.radius, s.depth); }
    static std::string three(const Vector3<double>& v) {
      return fmt::format("{{{:.17g}, {:.17g}, {:.17g}}}", v.x(), v.y(), v.z());
    }
  };
  return fmt::format("{}{{{}}}", shape_name(shape), std::visit(Text(), shape));
}
/// Everything that is needed to repeat a failure.
std::string describe(const ShapePair& pair) {
  std::string text;
  for (const auto& [shape, X] : {std::pair(pair.A, pair.X_WA), std::pair(pair.B, pair.X_WB)}) {
    const Vector4<double> q = quaternion_from_rotation(X.R);
    text += fmt::format("\n  {} at ({:.17g}, {:.17g}, {:.17g}), quaternion ({:.17g}, {:.17g}, {:.17g}, {:.17g})",
                        describe(shape), X.p.x(), X.p.y(), X.p.z(), q(0), q(1), q(2), q(3));
  }
  return text;
}

class DistanceOfKind : public ::testing::TestWithParam<KindPair> {
 protected:
  /// Calls check(pair) with `count` pairs, a third of each placement.
  template <class Check>
  void for_pairs(unsigned seed, int count, const Check& check) {
    const auto kinds = static_cast<unsigned>(GetParam().A * test::kShapeKinds + GetParam().B);
    RandomPairs random(seed + 100 * kinds + 100'000 * series());
    for (int i = 0; i < count; ++i) {
      const ShapePair pair = random.pair(GetParam(), kPlacements[i % 3]);
      SCOPED_TRACE(describe(pair));
      check(random, pair);
      if (HasFailure()) return;  // one pair tells enough
    }
  }
};

TEST_P(DistanceOfKind, IsThatOfTheReference) {
  Errors worst;
  for_pairs(1, pair_count(),
            [&](RandomPairs&, const ShapePair& pair) { expect_reference(pair, find_cold(pair), worst); });
  fmt::print("{:<24} largest errors: gap {:.1e} of the length, normal {:.1e} rad ({} compared), point {:.1e}",
             test::name_of(GetParam()), worst.gap, worst.normal, worst.compared, worst.point);
  fmt::print("{}\n", worst.improved > 0 ? fmt::format("; {} shorter ways out", worst.improved) : "");
  RecordProperty("gap", fmt::format("{:.2e}", worst.gap));
  RecordProperty("normal", fmt::format("{:.2e}", worst.normal));
}

/// Two results for the same pair; `N` and the points where they are determined.
void expect_same(const ShapePair& pair, const Proximity& x, const Proximity& y) {
  EXPECT_LE(std::abs(x.gap - y.gap), allowed_error(pair));
  if (is_ambiguous(pair)) return;
  EXPECT_LE(norm(x.N - y.N), allowed_turn(pair));
  EXPECT_LE(norm(x.p_A - y.p_A), allowed_travel(pair));
}

constexpr int kLawCount = 15;

TEST_P(DistanceOfKind, DoesNotDependOnTheOrder) {
  for_pairs(2, kLawCount, [](RandomPairs&, const ShapePair& pair) {
    PairMemory memory;
    Proximity swapped = find_closest(make_core(pair.B), pair.X_WB, make_core(pair.A), pair.X_WA, memory);
    std::swap(swapped.p_A, swapped.p_B);
    swapped.N = -swapped.N;
    expect_same(pair, find_cold(pair), swapped);
  });
}

TEST_P(DistanceOfKind, DoesNotDependOnTheWorld) {
  for_pairs(3, kLawCount, [](RandomPairs& random, const ShapePair& pair) {
    const Pose<double> X{random.rotation(), random.unit_vector() * pair.length};
    ShapePair moved = pair;
    moved.X_WA = X * pair.X_WA;
    moved.X_WB = X * pair.X_WB;
    Proximity found = find_cold(moved);
    const Pose<double> back = X.inverse();
    found.p_A = Vec3<double>(back * found.p_A.eigen());
    found.p_B = Vec3<double>(back * found.p_B.eigen());
    found.N = Vec3<double>(back.R * found.N.eigen());
    expect_same(pair, find_cold(pair), found);
  });
}

Shape scaled(const Shape& shape, double k) {
  struct Scale {
    double k;
    Shape operator()(const Sphere& s) const { return Sphere{k * s.radius}; }
    Shape operator()(const Ellipsoid& s) const { return Ellipsoid{k * s.semi_axes}; }
    Shape operator()(const Cylinder& s) const { return Cylinder{k * s.radius, k * s.length}; }
    Shape operator()(const Capsule& s) const { return Capsule{k * s.radius, k * s.length}; }
    Shape operator()(const Cone& s) const { return Cone{k * s.radius, k * s.height}; }
    Shape operator()(const Box& s) const { return Box{k * s.sides}; }
    Shape operator()(const RoundedBox& s) const { return RoundedBox{k * s.sides, k * s.radius}; }
    Shape operator()(const Torus& s) const { return Torus{k * s.radius, k * s.tube}; }
    Shape operator()(const Rod& s) const { return Rod{k * s.length}; }
    Shape operator()(const Ellipse& s) const { return Ellipse{k * s.a, k * s.b}; }
    Shape operator()(const Plane&) const { return Plane{}; }
    Shape operator()(const Bowl& s) const { return Bowl{k * s.radius, k * s.depth}; }
  };
  return std::visit(Scale{k}, shape);
}

TEST_P(DistanceOfKind, DoesNotDependOnTheUnitOfLength) {
  for_pairs(4, kLawCount, [](RandomPairs&, const ShapePair& pair) {
    for (const double k : {1e-3, 1e3}) {  // km and mm
      ShapePair other = pair;
      other.A = scaled(pair.A, k);
      other.B = scaled(pair.B, k);
      other.X_WA.p *= k;
      other.X_WB.p *= k;
      Proximity found = find_cold(other);
      found.gap /= k;
      found.p_A = found.p_A * (1 / k);
      found.p_B = found.p_B * (1 / k);
      expect_same(pair, find_cold(pair), found);
    }
  });
}

/// B turned by up to `angle` and moved by up to `travel`, both at random.
Pose<double> jolt(RandomPairs& random, const Pose<double>& X, double angle, double travel) {
  return {rotation_about_axis(random.unit_vector(), angle * random.uniform(-1, 1)) * X.R,
          X.p + random.unit_vector() * travel * random.uniform(-1, 1)};
}

TEST_P(DistanceOfKind, DoesNotDependOnWhatIsRemembered) {
  for_pairs(5, kLawCount, [](RandomPairs& random, const ShapePair& pair) {
    const Proximity cold = find_cold(pair);
    const GrownCore A = make_core(pair.A), B = make_core(pair.B);
    const double size = std::min(test::calc_extent(pair.A), test::calc_extent(pair.B));
    // From the same pose, from neighbouring ones and from somewhere else altogether.
    for (const double how_far : {0.0, 1e-6, 1e-3, 0.03, 0.3, 3.0}) {
      PairMemory memory;
      find_closest(A, pair.X_WA, B, jolt(random, pair.X_WB, how_far, how_far * size), memory);
      expect_same(pair, cold, find_closest(A, pair.X_WA, B, pair.X_WB, memory));
    }
  });
}

/// No point of B moves by more than the gap may change. Paths go on straight and spinning, turn back where they get too
/// deep and end where that does not help: only shallow penetration has to be continuous.
TEST_P(DistanceOfKind, ChangesByNoMoreThanTheShapesMove) {
  constexpr int kSteps = 300;
  for_pairs(6, 6, [](RandomPairs& random, const ShapePair& pair) {
    const GrownCore A = make_core(pair.A), B = make_core(pair.B);
    // The bounded one moves: only for it is there a bound of how far its points go.
    const bool moves_B = !is_unbounded(pair.B);
    const Shape& mover = moves_B ? pair.B : pair.A;
    const double extent = test::calc_extent(mover);
    const double size = std::min(test::calc_thickness(pair.A), test::calc_thickness(pair.B));
    const double travel = 0.01 * size, angle = 0.01 * random.uniform(0, 1);
    Pose<double> X = moves_B ? pair.X_WB : pair.X_WA;
    Matrix3<double> turn = rotation_about_axis(random.unit_vector(), angle);
    Vector3<double> way = random.unit_vector() * travel;
    bool is_deep = false;
    PairMemory memory;
    const auto gap_at = [&](Proximity& found) {
      found = find_closest(A, moves_B ? pair.X_WA : X, B, moves_B ? X : pair.X_WB, memory);
      return found.gap;
    };
    Proximity found;
    double gap = gap_at(found);
    for (int step = 0; step < kSteps; ++step) {
      X = {turn * X.R, X.p + way};
      const double next = gap_at(found);
      ASSERT_LE(std::abs(next - gap), travel + angle * extent + allowed_error(pair)) << "step " << step;
      gap = next;
      // N points into A: that is away for A, back for B.
      const Vector3<double> out = found.N.eigen() * (moves_B ? -1 : 1);
      if (gap < -0.04 * size) return;
      const bool was_deep = std::exchange(is_deep, gap < -0.02 * size);
      if (is_deep && !was_deep) turn.transposeInPlace();
      if (is_deep && way.dot(out) < 0) way -= 2 * way.dot(out) * out;
      if (gap > 3 * extent && way.dot(out) > 0) way = -way;
    }
  });
}

// --- Edges and tips that have just passed each other ----------------------------------------------------------------

struct HardCase {
  const char* name;
  Shape A, B;
  Vector4<double> q;  ///< of B in A's frame (w, x, y, z)
  Vector3<double> p;
};

/// Found among some hundred thousand random pairs: several ways out are nearly equal, or the search for one is blinded
/// by rounding.
const std::vector<HardCase>& hard_cases() {
  static const std::vector<HardCase> cases = {
      {"apex beside rim, 2e-10 deep",
       Cone{0.41130206433505384, 0.83304907584390364},
       Cone{0.56155652955839308, 0.48116297604910119},
       {0.35844864437211021, 0.29521608779742564, -0.8853988552898715, -0.020758080469168813},
       {-0.53648272895619598, 0.28189867559472032, 0.49362581131956085}},
      {"vertex of a small box at a rim, 7e-8 deep",
       Cone{0.55191701482095734, 0.318799010953563},
       Box{{0.0017788128043540216, 0.0020055606649934778, 0.0060673924131917894}},
       {0.27664176058785428, 0.49112719834943802, 0.14548920484454414, 0.81307828812112948},
       {-0.55392133110618813, -0.037954348319956699, -0.15969284763772923}},
      {"edge at a rim, 4e-14 deep",
       Cone{0.56600221405858486, 0.81951647643568315},
       Box{{0.028889035795920431, 0.01298161200208991, 0.035338130579262168}},
       {0.26371770986283311, 0.44606454818058267, 0.83273721333122352, 0.19500800469340634},
       {0.50839715968863386, 0.28167550812833259, -0.41615931159012298}},
      {"edge of a tiny box on an ellipse's rim, touching",
       Box{{0.00040007122665363569, 0.00021791738405009618, 0.00032758400408925537}},
       Ellipse{0.50311391922014115, 0.15362627710277335},
       {0.30216706440367536, -0.11697330276509948, -0.54679427825029114, 0.77202870989532046},
       {0.19735757901373643, -0.2069670622661729, -0.15779661897625752}},
      {"tiny cone at an ellipse's rim, 3e-7 deep",
       Cone{0.00055059094877748561, 0.00026582453313149415},
       Ellipse{0.29856574146139397, 0.89648371099268065},
       {0.56296946803105075, -0.4288977033761317, 0.34982209478506443, 0.6137887585348113},
       {0.33817563036552978, -0.066457544850852479, 0.27245834770236083}},
  };
  return cases;
}

TEST(Distance, OfEdgesThatHavePassedEachOtherIsThatOfTheReference) {
  for (const HardCase& hard : hard_cases()) {
    SCOPED_TRACE(hard.name);
    ShapePair pair{hard.A, hard.B, {}, {}, {}, 0};
    pair.X_WB = {rotation_from_quaternion(hard.q(0), hard.q(1), hard.q(2), hard.q(3)).eigen(), hard.p};
    pair.length = test::calc_extent(hard.A) + test::calc_extent(hard.B) + hard.p.norm();
    pair.expected = test::calc_reference(pair.A, pair.X_WA, pair.B, pair.X_WB);
    ASSERT_TRUE(pair.expected.is_certified);
    Errors worst;
    expect_reference(pair, find_cold(pair), worst);
    std::swap(pair.A, pair.B);
    std::swap(pair.X_WA, pair.X_WB);
    const Proximity swapped = find_cold(pair);
    EXPECT_LE(std::abs(static_cast<double>(swapped.gap - pair.expected.gap)), allowed_error(pair));
  }
}

// --- Deep inside each other ------------------------------------------------------------------------------------------

/// Whatever the depth, the answer is a separation: a bound of the way out that the support functions confirm.
void expect_separation(const ShapePair& pair) {
  const Proximity found = find_cold(pair);
  ASSERT_NEAR(norm(found.N), 1, 64 * kEpsilon);
  const auto separation = static_cast<double>(test::calc_separation(pair, found.N.eigen()));
  EXPECT_LE(std::abs(found.gap - separation), allowed_error(pair));
}

TEST(Distance, OfDeepOverlapsIsASeparation) {
  RandomPairs random(7);
  for (const KindPair& kinds : test::all_kind_pairs()) {
    const auto is_meant = [](test::ShapeKind kind) {
      return kind != test::kTorus && kind != test::kPlane && kind != test::kBowl;
    };
    if (!is_meant(kinds.A) || !is_meant(kinds.B)) continue;
    for (int i = 0; i < 100; ++i) {
      ShapePair pair{random.shape(kinds.A), random.shape(kinds.B), {}, {}, {}, 0};
      const double reach = std::min(test::calc_extent(pair.A), test::calc_extent(pair.B));
      pair.X_WB = {random.rotation(), random.unit_vector() * reach * random.uniform(0, 1)};
      pair.length = test::calc_extent(pair.A) + test::calc_extent(pair.B) + pair.X_WB.p.norm();
      SCOPED_TRACE(describe(pair));
      expect_separation(pair);
    }
  }
}

/// The middle of a capsule so near to that of a cone that GJK sees nothing but flat tetrahedra.
TEST(Distance, OfAnOverlapThatBlindsGjkIsASeparation) {
  ShapePair pair{Capsule{0.58415158607992712, 2 * 0.13568570335665348},
                 Cone{0.99276538017960791, 2 * 0.5846200010973126},
                 {},
                 {},
                 {},
                 3};
  pair.X_WB.R << -0.39735401542769594, 0.88034238931675335, -0.25905031170712084, 0.29693036104651682,
      -0.14376330310808685, -0.94401508111271082, -0.8682984205400075, -0.45202808568884562, -0.20427545774322969;
  pair.X_WB.p = {-0.0029890431456689546, 0.073924395344007771, -0.01962350817622411};
  expect_separation(pair);
}

// --- Places with many nearest points, which random pairs never have ------------------------------------------------

struct AlignedCase {
  const char* name;
  Shape A, B;
  Vector3<double> p;  ///< of B in A's frame
  double gap;
  Vector3<double> turn = Vector3<double>::Zero();  ///< rotation vector of B, rad
};

const double kRight = std::acos(-1.0) / 2;

const std::vector<AlignedCase>& aligned_cases() {
  static const std::vector<AlignedCase> cases = {
      {"box on box", Box{{1, 1, 1}}, Box{{0.5, 0.5, 0.5}}, {0.1, 0.2, 1}, 0.25},
      {"box in box by a face", Box{{1, 1, 1}}, Box{{0.5, 0.5, 0.5}}, {0.1, 0.2, 0.74}, -0.01},
      {"boxes edge along edge", Box{{1, 1, 1}}, Box{{1, 1, 1}}, {1.5, 1.5, 0.3}, std::sqrt(0.5)},
      {"boxes vertex to vertex", Box{{1, 1, 1}}, Box{{1, 1, 1}}, {1.5, 1.5, 1.5}, std::sqrt(0.75)},
      {"box over box by an edge", Box{{2, 2, 2}}, Box{{2, 2, 2}}, {0, 0, 4}, 3 - std::sqrt(2.0), {kRight / 2, 0, 0}},
      {"box on plane", Box{{1, 2, 3}}, Plane{}, {0, 0, -2}, 0.5},
      {"rounded box on box", RoundedBox{{1, 1, 1}, 0.25}, Box{{1, 1, 1}}, {0.2, 0, 1.5}, 0.5},
      {"spheres with one centre", Sphere{0.5}, Sphere{0.25}, {0, 0, 0}, -0.75},
      {"sphere in the middle of a capsule", Sphere{0.5}, Capsule{0.25, 1}, {0, 0, 0.2}, -0.75},
      {"capsules side by side", Capsule{0.25, 1}, Capsule{0.25, 1}, {0.75, 0, 0.3}, 0.25},
      {"capsules in line", Capsule{0.25, 1}, Capsule{0.25, 1}, {0, 0, 2}, 0.5},
      {"capsules crossed", Capsule{0.25, 1}, Capsule{0.25, 1}, {0, 0.75, 0}, 0.25, {0, kRight, 0}},
      {"rods side by side", Rod{1}, Rod{0.5}, {0, 0.5, 0}, 0.5},
      {"cylinders end to end", Cylinder{0.5, 1}, Cylinder{0.25, 1}, {0, 0, 1.25}, 0.25},
      {"cylinders side by side", Cylinder{0.5, 1}, Cylinder{0.25, 1}, {1, 0, 0.1}, 0.25},
      {"cylinder on box", Cylinder{0.5, 1}, Box{{1, 1, 1}}, {0, 0, -1.25}, 0.25},
      {"cylinder lying on plane", Cylinder{0.5, 1}, Plane{}, {-0.75, 0, 0}, 0.25, {0, kRight, 0}},
      {"cone on box", Cone{0.5, 1}, Box{{2, 2, 2}}, {0, 0, -1.75}, 0.25},
      {"cones tip to tip", Cone{0.5, 1}, Cone{0.5, 1}, {0, 0, 1.25}, 0.25, {2 * kRight, 0, 0}},
      {"cones base to base", Cone{0.5, 1}, Cone{0.25, 1}, {0, 0, -1.25}, 0.25, {2 * kRight, 0, 0}},
      {"cone's tip over box", Cone{0.5, 1}, Box{{2, 2, 2}}, {0, 0, 1.75}, 0.25},
      {"ellipsoids in line", Ellipsoid{{1, 0.5, 0.05}}, Ellipsoid{{1, 0.5, 0.05}}, {0, 0, 1}, 0.9},
      {"ellipsoid and sphere", Ellipsoid{{0.5, 0.5, 0.5}}, Sphere{0.25}, {0, 1, 0}, 0.25},
      {"ellipse over ellipse", Ellipse{1, 0.5}, Ellipse{0.5, 0.25}, {0, 0, 0.5}, 0.5},
      {"ellipses side by side", Ellipse{1, 0.5}, Ellipse{0.5, 0.25}, {2, 0, 0}, 0.5},
      {"ellipse in ellipse's edge, in one plane", Ellipse{1, 0.5}, Ellipse{0.5, 0.25}, {1.49, 0, 0}, -0.01},
      {"rod in ellipse's edge, in its plane", Ellipse{0.3, 0.2}, Rod{1}, {0, 0.19, 0}, -0.01, {0, kRight, 0}},
      {"ring around cylinder", Torus{1, 0.25}, Cylinder{0.5, 3}, {0, 0, 0.2}, 0.25},
      {"ring around sphere", Torus{1, 0.25}, Sphere{0.5}, {0, 0, 0}, 0.25},
      {"rings one over the other", Torus{1, 0.25}, Torus{1, 0.25}, {0, 0, 1}, 0.5},
      {"ring in ring", Torus{1, 0.125}, Torus{0.5, 0.125}, {0, 0, 0}, 0.25},
      {"ring on plane", Torus{1, 0.25}, Plane{}, {0, 0, -0.5}, 0.25},
      {"ring on box", Torus{1, 0.25}, Box{{4, 4, 1}}, {0, 0, -1}, 0.25},
      {"sphere in the middle of a bowl", Sphere{0.5}, Bowl{1, 1}, {0, 0, 0}, 0.5},
      {"cylinder standing in a bowl", Cylinder{0.375, 1}, Bowl{1.25, 1.25}, {0, 0, 0.5}, 1.25 - std::hypot(0.375, 1)},
      {"ring in a bowl", Torus{0.75, 0.125}, Bowl{1.25, 1.25}, {0, 0, 0.5}, 1.25 - std::hypot(0.75, 0.5) - 0.125},
      {"sphere on a bowl's rim", Sphere{0.75}, Bowl{1, 1}, {0, 0, -1}, std::sqrt(2.0) - 0.75},
  };
  return cases;
}

TEST(Distance, OfAlignedShapesIsTheClosedForm) {
  for (const AlignedCase& c : aligned_cases()) {
    SCOPED_TRACE(c.name);
    const double angle = c.turn.norm();
    const Matrix3<double> R = angle > 0 ? rotation_about_axis(c.turn / angle, angle) : Matrix3<double>::Identity();
    // As it stands, and in a world where rounding breaks the symmetry.
    RandomPairs random(7);
    for (const Pose<double>& X : {Pose<double>(), Pose<double>{random.rotation(), random.unit_vector()}}) {
      PairMemory memory;
      const Proximity found = find_closest(make_core(c.A), X, make_core(c.B), X * Pose<double>{R, c.p}, memory);
      EXPECT_NEAR(found.gap, c.gap, 1e-14);
      EXPECT_NEAR(norm(found.N), 1, 64 * kEpsilon);
      EXPECT_LE(norm(found.p_A - found.p_B - found.N * found.gap), 1e-14);
    }
  }
}

/// Links of planar hands are rods that touch an ellipse in its own plane: nothing but rounding tells the normal, and
/// the points have to face each other all the same, anywhere on the rod.
TEST(Distance, OfARodThatTouchesAnEllipseHasFacingPoints) {
  constexpr double a = 0.185, b = 0.15, length = 0.3;
  RandomPairs random(11);
  for (int k = 0; k < 500; ++k) {
    const double angle = random.uniform(-4, 4), along = random.uniform(-0.45, 0.45) * length;
    // The tangent at the point with the outward normal n = (cos, sin); the rod's axis is z.
    const double c = std::cos(angle), s = std::sin(angle), h = std::hypot(a * c, b * s);
    Matrix3<double> R;
    R << c, 0, -s, s, 0, c, 0, -1, 0;
    const Vector3<double> p(a * a * c / h - along * -s, b * b * s / h - along * c, 0);
    PairMemory memory;
    const Proximity found =
        find_closest(make_core(Ellipse{a, b}), Pose<double>(), make_core(Rod{length}), Pose<double>{R, p}, memory);
    SCOPED_TRACE(fmt::format("angle {}, {} along the rod", angle, along));
    EXPECT_NEAR(found.gap, 0, 1e-15);
    EXPECT_LE(norm(found.p_A - found.p_B - found.N * found.gap), 1e-12);
    EXPECT_LE(std::abs(found.p_A.x - a * a * c / h) + std::abs(found.p_A.y - b * b * s / h), 1e-7);
  }
}

std::string test_name(const ::testing::TestParamInfo<KindPair>& info) {
  RandomPairs random(0);
  return fmt::format("{}_{}", shape_name(random.shape(info.param.A)), shape_name(random.shape(info.param.B)));
}
INSTANTIATE_TEST_SUITE_P(Every, DistanceOfKind, ::testing::ValuesIn(test::all_kind_pairs()), test_name);

}  // namespace
}  // namespace thenar::distance_test
