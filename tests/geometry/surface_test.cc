// SPDX-License-Identifier: BSD-3-Clause
//
// The laws at the top of surface.h, for every model of the concept SmoothSurface. Lengths of the samples are of order
// 1, so that rounding errors are a few eps times the size of the terms, which `size_of` gives.

#include "thenar/geometry/surface.h"
#include "thenar/spatial/decompositions.h"

#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <random>
#include <vector>

namespace thenar::surface_test {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kPlaces = 400;  // random places per surface

using LongDouble = long double;

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(generator_); }
  /// Mostly anywhere between the limits, every fourth time within 1e-3 of one of them.
  double with_limits(double low, double high) {
    if (below(4) != 0) return uniform(low, high);
    const double inset = uniform(0, 1e-3);
    return below(2) == 0 ? low + inset : high - inset;
  }

 private:
  std::mt19937_64 generator_;
};

struct ChartPlace {
  int chart = 0;
  Vector2<double> u = Vector2<double>::Zero();
};

/// What a test needs to know of a model: examples, and random places in all charts, up to 1e-2 rad from their poles.
template <class S>
struct Samples;

constexpr double kPoleDistance = 1e-2;

ChartPlace sample_ball(Random& random) {
  const double limit = kPi / 2 - kPoleDistance;
  return {random.below(2), {random.uniform(-50, 50), random.with_limits(-limit, limit)}};
}

template <>
struct Samples<SphereSurface> {
  static std::vector<SphereSurface> list() { return {{1.0}, {0.01}, {0.0}, {-1.0}, {-0.3}}; }
  static ChartPlace place(const SphereSurface&, Random& random) { return sample_ball(random); }
};

template <>
struct Samples<CylinderSurface> {
  static std::vector<CylinderSurface> list() { return {{0.7}, {0.0}, {1e-3}}; }
  static ChartPlace place(const CylinderSurface&, Random& random) {
    return {0, {random.uniform(-50, 50), random.uniform(-3, 3)}};
  }
};

template <>
struct Samples<RingSurface> {
  // Torus, fat torus, rim, elliptic rim, flat elliptic rim, grown elliptic rims. The radius of a grown rim stays below
  // b²/a, the smallest radius of curvature of the ellipse, where its inside would fold.
  static std::vector<RingSurface> list() {
    return {make_torus_surface(1, 0.3),
            make_torus_surface(1, 0.99),
            {0.6, 0.6, 0},
            {0.8, 0.5, 0},
            {1, 0.05, 0},
            {0.8, 0.5, 0.3},
            {0.4, 0.9, 0.15}};
  }
  static ChartPlace place(const RingSurface&, Random& random) {
    return {0, {random.uniform(-50, 50), random.with_limits(-kPi, kPi)}};
  }
};

template <>
struct Samples<ConeSurface> {
  static std::vector<ConeSurface> list() {
    std::vector<ConeSurface> out;
    for (const double angle : {0.1, kPi / 4, 1.4}) out.push_back({std::sin(angle), std::cos(angle)});
    return out;
  }
  static ChartPlace place(const ConeSurface&, Random& random) {
    return {0, {random.uniform(-50, 50), random.with_limits(-2, -1e-2)}};
  }
};

template <>
struct Samples<PlaneSurface> {
  static std::vector<PlaneSurface> list() { return {{}}; }
  static ChartPlace place(const PlaneSurface&, Random& random) {
    return {0, {random.uniform(-3, 3), random.uniform(-3, 3)}};
  }
};

template <>
struct Samples<EllipsoidSurface> {
  static std::vector<EllipsoidSurface> list() {
    return {{{1, 1, 1}}, {{0.5, 0.7, 1.1}}, {{1, 1, 0.05}}, {{0.05, 1, 1}}, {{0.05, 0.05, 1}}, {{1, 0.05, 0.2}}};
  }
  static ChartPlace place(const EllipsoidSurface&, Random& random) { return sample_ball(random); }
};

template <>
struct Samples<CapsuleSurface> {
  static std::vector<CapsuleSurface> list() { return {{0.4, 0.5}, {0.01, 1.5}, {1.0, 1e-3}}; }
  /// Only places on the capsule: the lower half of the lower ball, the upper half of the upper one.
  static ChartPlace place(const CapsuleSurface& s, Random& random) {
    const int chart = random.below(5);
    if (chart == 0) return {0, {random.uniform(-50, 50), random.with_limits(-s.half_length, s.half_length)}};
    ChartPlace at = sample_ball(random);
    at.chart = chart;
    const bool is_upper = chart > 2;
    const bool has_pole_on_z = chart % 2 == 1;
    if (has_pole_on_z) {
      at.u(1) = is_upper ? std::abs(at.u(1)) : -std::abs(at.u(1));
    } else {
      at.u(0) = is_upper ? random.uniform(0.01, kPi - 0.01) : -random.uniform(0.01, kPi - 0.01);  // n.z = cos u₂ sin u₁
    }
    return at;
  }
};

template <class S>
class SmoothSurfaceLaws : public ::testing::Test {
 protected:
  /// Calls test(surface, place) for many random places of every example.
  template <class Test>
  void for_each_place(const Test& test) {
    static_assert(SmoothSurface<S>);
    Random random(20270311);
    int number = 0;
    for (const S& surface : Samples<S>::list()) {
      for (int i = 0; i < kPlaces && !this->HasFatalFailure(); ++i) {
        const ChartPlace at = Samples<S>::place(surface, random);
        SCOPED_TRACE(::testing::Message()
                     << "surface " << number << ", chart " << at.chart << ", u = " << at.u.transpose());
        test(surface, at);
      }
      ++number;
    }
  }
};

using Models = ::testing::Types<SphereSurface, CylinderSurface, RingSurface, ConeSurface, PlaneSurface,
                                EllipsoidSurface, CapsuleSurface>;
TYPED_TEST_SUITE(SmoothSurfaceLaws, Models);

template <class T>
T length(const Vec3<T>& a) {
  return std::sqrt(dot(a, a));
}

/// The largest of the quantities that an element is made of.
template <class T>
T size_of(const ContactElement<T>& e) {
  return T(1) + length(e.p) + e.D.norm() + e.N.norm() + e.connection.norm();
}

using Tangents = Eigen::Matrix<double, 3, 2>;
Tangents tangents_of(const ContactElement<double>& e) {
  Tangents out;
  out << e.x.eigen(), e.y.eigen();
  return out;
}

TYPED_TEST(SmoothSurfaceLaws, FrameIsOrthonormalAndRightHanded) {
  this->for_each_place([](const TypeParam& s, const ChartPlace& at) {
    const ContactElement<double> e = s.evaluate(at.chart, at.u);
    EXPECT_NEAR(dot(e.x, e.x), 1, 8 * kEps);
    EXPECT_NEAR(dot(e.y, e.y), 1, 8 * kEps);
    EXPECT_NEAR(dot(e.x, e.y), 0, 8 * kEps);
    EXPECT_LT(length(cross(e.x, e.y) - e.n), 8 * kEps);
  });
}

/// Derivative of f by u(k): differences of fourth order with step h, error h⁴/30 f⁽⁵⁾.
template <class F>
Vec3<LongDouble> difference(const F& f, const Vector2<LongDouble>& u, int k, LongDouble h) {
  const auto at = [&](int steps) {
    Vector2<LongDouble> moved = u;
    moved(k) += static_cast<LongDouble>(steps) * h;
    return f(moved);
  };
  return ((at(1) - at(-1)) * 8.0L - (at(2) - at(-2))) * (1 / (12 * h));
}

TYPED_TEST(SmoothSurfaceLaws, DerivativesEqualDifferences) {
  this->for_each_place([](const TypeParam& s, const ChartPlace& at) {
    const Vector2<LongDouble> u = at.u.template cast<LongDouble>();
    const ContactElement<LongDouble> e = s.evaluate(at.chart, u);
    // The step follows what turns fastest.
    const LongDouble h = 5e-4L / (1 + e.N.norm() + e.connection.norm());
    const auto p = [&](const Vector2<LongDouble>& w) { return s.evaluate(at.chart, w).p; };
    const auto n = [&](const Vector2<LongDouble>& w) { return s.evaluate(at.chart, w).n; };
    const auto x = [&](const Vector2<LongDouble>& w) { return s.evaluate(at.chart, w).x; };
    for (int k = 0; k < 2; ++k) {
      // With half the step the error falls to a sixteenth, so that the change bounds what is left 15 times over. 1e-17
      // of rounding at most in every value (the cone's sine and cosine are doubles, but enter p, n and x linearly).
      const auto expect_derivative = [&](const auto& f, const Vec3<LongDouble>& expected, LongDouble size) {
        const Vec3<LongDouble> coarse = difference(f, u, k, h), fine = difference(f, u, k, h / 2);
        const LongDouble tolerance = length(coarse - fine) + 1e-17L * size / h;
        EXPECT_LT(length(fine - expected), tolerance);
        EXPECT_LT(tolerance, 1e-7L * size) << "differences too poor to tell";
      };
      expect_derivative(p, e.x * e.D(0, k) + e.y * e.D(1, k), size_of(e));
      expect_derivative(n, e.x * e.N(0, k) + e.y * e.N(1, k), size_of(e));
      const LongDouble turn = e.connection(k);
      expect_derivative(x, e.y * turn - e.n * e.N(0, k), size_of(e));  // x turns about n and tips with it
    }
  });
}

TYPED_TEST(SmoothSurfaceLaws, DerivativesEqualDuals) {
  this->for_each_place([](const TypeParam& s, const ChartPlace& at) {
    Vector2<Dual4> u(Dual4(at.u(0)), Dual4(at.u(1)));
    u(0).seed(0, 1);
    u(1).seed(1, 1);
    const ContactElement<Dual4> moving = s.evaluate(at.chart, u);
    const ContactElement<double> e = s.evaluate(at.chart, at.u);
    const double tolerance = 32 * kEps * size_of(e);
    for (int k = 0; k < 2; ++k) {
      const auto slope = [&](const Vec3<Dual4>& a) {
        return Vec3<double>(a.x.gradient()[k], a.y.gradient()[k], a.z.gradient()[k]);
      };
      EXPECT_LT(length(slope(moving.p) - e.x * e.D(0, k) - e.y * e.D(1, k)), tolerance);
      EXPECT_LT(length(slope(moving.n) - e.x * e.N(0, k) - e.y * e.N(1, k)), tolerance);
      EXPECT_NEAR(dot(slope(moving.x), e.y), e.connection(k), tolerance);
    }
  });
}

TYPED_TEST(SmoothSurfaceLaws, CurvatureIsSymmetric) {
  this->for_each_place([](const TypeParam& s, const ChartPlace& at) {
    const ContactElement<double> e = s.evaluate(at.chart, at.u);
    const Matrix2<double> product = e.D.transpose() * e.N;
    EXPECT_NEAR(product(0, 1), product(1, 0), 16 * kEps * e.D.norm() * e.N.norm());
    const double det = e.D.determinant();
    if (det == 0) return;
    const SurfaceForms<double> forms = calc_forms(e);
    const double condition = e.D.squaredNorm() / std::abs(det);
    EXPECT_NEAR(forms.curvature(0, 1), forms.curvature(1, 0), 16 * kEps * condition * forms.curvature.norm());
    EXPECT_LE((forms.curvature * e.D - e.N).norm(), 16 * kEps * condition * e.N.norm());
    EXPECT_LE((e.D.transpose() * forms.torsion - e.connection).norm(), 16 * kEps * condition * e.connection.norm());
  });
}

/// How far a is from b, as angles.
double turn_between(double a, double b) { return std::abs(std::remainder(a - b, 2 * kPi)); }

TYPED_TEST(SmoothSurfaceLaws, ChartCoordinatesInvertTheChart) {
  this->for_each_place([](const TypeParam& s, const ChartPlace& at) {
    const ContactElement<double> e = s.evaluate(at.chart, at.u);
    const Vector2<double> u = s.chart_coordinates(at.chart, e.p, e.n);
    // sincos of an angle of 50 rad is good to 50 eps; meridians crowd towards poles and apex, 1e-2 away, and where an
    // ellipse of 1 : 20 is sharpest, its angle is 20 times as sensitive as its points.
    const double tolerance = 16 * kEps * 50 / kPoleDistance;
    const bool is_plane = std::is_same_v<TypeParam, PlaneSurface>;
    EXPECT_LT(is_plane ? std::abs(u(0) - at.u(0)) : turn_between(u(0), at.u(0)), tolerance);
    const bool is_ring = std::is_same_v<TypeParam, RingSurface>;
    EXPECT_LT(is_ring ? turn_between(u(1), at.u(1)) : std::abs(u(1) - at.u(1)), tolerance);
  });
}

/// Both elements are the same place of the same surface: point, normal, and the plane of all (dp, dn) that the surface
/// allows there. That plane is the curvature where dp may go anywhere, and exists on edges and vertices too.
void expect_same_place(const ContactElement<double>& a, const ContactElement<double>& b, double tolerance) {
  EXPECT_LT(length(a.p - b.p), tolerance);
  EXPECT_LT(length(a.n - b.n), tolerance);
  using Moves = Eigen::Matrix<double, 4, 2>;
  const Tangents base = tangents_of(a);
  const auto moves = [&](const ContactElement<double>& e) {
    Moves m;
    m << base.transpose() * tangents_of(e) * e.D, base.transpose() * tangents_of(e) * e.N;
    m.col(0).normalize();
    m.col(1) -= m.col(0) * m.col(0).dot(m.col(1));
    m.col(1).normalize();
    return m;
  };
  const Moves of_a = moves(a), of_b = moves(b);
  EXPECT_LT((of_b - of_a * (of_a.transpose() * of_b)).norm(), tolerance);
}

/// p and n carry errors of some eps, the plane of moves those of D and N, enlarged where the chart is sheared: a third
/// of det D/|D|² is lost on a sphere-like surface near a pole, up to 1/20 more on an ellipsoid of 1 : 20.
double same_place_tolerance(const ContactElement<double>& e) {
  return 16 * kEps * size_of(e) * 50 * 20 / kPoleDistance;
}

TYPED_TEST(SmoothSurfaceLaws, SnapFindsTheSamePlace) {
  this->for_each_place([](const TypeParam& s, const ChartPlace& at) {
    const ContactElement<double> e = s.evaluate(at.chart, at.u), snapped = s.snap(e.p, e.n);
    EXPECT_LT(length(e.p - snapped.p), 64 * kEps * size_of(e));
    EXPECT_LT(length(cross(snapped.x, snapped.y) - snapped.n), 8 * kEps);
    EXPECT_LT(std::abs(dot(snapped.x, snapped.y)), 8 * kEps);
    expect_same_place(e, snapped, same_place_tolerance(e));
  });
}

TYPED_TEST(SmoothSurfaceLaws, PickedChartIsRegularAndGivesTheSamePlace) {
  this->for_each_place([](const TypeParam& s, const ChartPlace& at) {
    const ContactElement<double> e = s.evaluate(at.chart, at.u);
    const int chart = s.pick_chart(e.p, e.n);
    ASSERT_GE(chart, 0);
    ASSERT_LT(chart, s.chart_count());
    const Vector2<double> u = s.chart_coordinates(chart, e.p, e.n);
    const ContactElement<double> again = s.evaluate(chart, u);
    expect_same_place(e, again, same_place_tolerance(e));
    // Regular: no direction of u leaves both p and n where they are.
    const Matrix2<double> gram = again.D.transpose() * again.D + again.N.transpose() * again.N;
    EXPECT_GT(gram.determinant(), 0);
    const bool has_poles = s.chart_count() == 2 || (s.chart_count() == 5 && chart != 0);
    if (has_poles) {
      EXPECT_LT(std::abs(u(1)), kPi / 4 + 8 * kEps);
    }
  });
}

/// dω₁₂, the only component of the derivative of a form ω = ω₁ du₁ + ω₂ du₂ over duals seeded with 0 and 1.
double exterior(const Dual4& w1, const Dual4& w2) { return w2.gradient()[0] - w1.gradient()[1]; }

/// Element with derivatives by u₁, u₂ in directions 0, 1.
template <class S>
ContactElement<Dual4> evaluate_with_slopes(const S& s, int chart, const Vector2<double>& at) {
  Vector2<Dual4> u(Dual4(at(0)), Dual4(at(1)));
  u(0).seed(0, 1);
  u(1).seed(1, 1);
  return s.evaluate(chart, u);
}

TYPED_TEST(SmoothSurfaceLaws, StructureEquationsHold) {
  this->for_each_place([](const TypeParam& s, const ChartPlace& at) {
    const ContactElement<double> e = s.evaluate(at.chart, at.u);
    const ContactElement<Dual4> d = evaluate_with_slopes(s, at.chart, at.u);
    // (γ ∧ form)₁₂ for the row of D or N.
    const auto wedge = [&](const Matrix2<double>& rows, int row) {
      return e.connection(0) * rows(row, 1) - e.connection(1) * rows(row, 0);
    };
    // Slopes of D and N on a sharp ellipsoid are larger than their values by |N|.
    const double tolerance = 64 * kEps * size_of(e) * size_of(e);
    EXPECT_NEAR(exterior(d.D(0, 0), d.D(0, 1)), wedge(e.D, 1), tolerance);
    EXPECT_NEAR(exterior(d.D(1, 0), d.D(1, 1)), -wedge(e.D, 0), tolerance);
    EXPECT_NEAR(exterior(d.N(0, 0), d.N(0, 1)), wedge(e.N, 1), tolerance);
    EXPECT_NEAR(exterior(d.N(1, 0), d.N(1, 1)), -wedge(e.N, 0), tolerance);
    EXPECT_NEAR(exterior(d.connection(0), d.connection(1)), -e.N.determinant(), tolerance);
  });
}

/// The connection as the metric alone gives it: γ with dδ₁ = γ ∧ δ₂ and dδ₂ = −γ ∧ δ₁, for invertible D.
template <class S>
Vector2<double> connection_of_metric(const S& s, int chart, const Vector2<double>& u) {
  const ContactElement<Dual4> d = evaluate_with_slopes(s, chart, u);
  const ContactElement<double> e = s.evaluate(chart, u);
  Matrix2<double> wedge;
  wedge << e.D(1, 1), -e.D(1, 0), -e.D(0, 1), e.D(0, 0);
  return wedge.inverse() * Vector2<double>(exterior(d.D(0, 0), d.D(0, 1)), exterior(d.D(1, 0), d.D(1, 1)));
}

/// Theorema egregium: differences of connection_of_metric, which never looks at a normal, give the curvature that the
/// normals give. Away from poles and apex, where the metric's slopes outgrow it.
TYPED_TEST(SmoothSurfaceLaws, GaussCurvatureFollowsFromTheMetric) {
  this->for_each_place([](const TypeParam& s, const ChartPlace& at) {
    const ContactElement<double> e = s.evaluate(at.chart, at.u);
    const bool is_near_pole = e.connection.norm() > 4 * (1 + e.N.norm());
    const double det = e.D.determinant();
    if (std::abs(det) < 1e-4 || is_near_pole) return;
    const auto slope = [&](int of, int along, double h) {
      const auto value = [&](int steps) {
        Vector2<double> u = at.u;
        u(along) += steps * h;
        return connection_of_metric(s, at.chart, u)(of);
      };
      return (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12 * h);
    };
    const double h = 4e-3 / (1 + e.N.norm());
    const auto curl = [&](double step) { return slope(1, 0, step) - slope(0, 1, step); };
    // Order 4: the change when the step is halved bounds the error; rounding of 50 rad and of the 2 × 2 inverse, over
    // h.
    const double coarse = curl(h), fine = curl(h / 2);
    const double rounding = 64 * kEps * 50 * size_of(e) * e.D.squaredNorm() / std::abs(det) / h;
    const double tolerance = std::abs(coarse - fine) + rounding;
    EXPECT_NEAR(fine, -e.N.determinant(), tolerance);
    EXPECT_LT(tolerance, 1e-3 * (1 + e.N.squaredNorm())) << "differences too poor to tell";
    const SurfaceForms<double> forms = calc_forms(e);
    EXPECT_NEAR(fine / det, -forms.curvature.determinant(), tolerance / std::abs(det));
  });
}

/// Places at the limit between two charts, in both.
TEST(SphereSurface, ChartsAgreeWhereTheyHandOver) {
  Random random(5);
  for (const double radius : {1.0, 0.0, -0.4}) {
    const SphereSurface s{radius};
    for (int i = 0; i < kPlaces; ++i) {
      const Vector2<double> u(random.uniform(-kPi, kPi), kPi / 4 + random.uniform(-1e-3, 1e-3));
      const ContactElement<double> e = s.evaluate(0, u);
      const Vector2<double> v = s.chart_coordinates(1, e.p, e.n);
      if (std::abs(v(1)) > 1.4) continue;
      const ContactElement<double> again = s.evaluate(1, v);
      expect_same_place(e, again, 64 * kEps);
      EXPECT_EQ(s.pick_chart(e.p, e.n), u(1) < kPi / 4 ? 0 : 1);
    }
  }
}

TEST(EllipsoidSurface, CurvatureHasItsClosedForm) {
  Random random(6);
  for (const Vec3<double>& axes : {Vec3<double>{0.5, 0.7, 1.1}, Vec3<double>{1, 1, 0.05}, Vec3<double>{0.05, 1, 0.3}}) {
    const EllipsoidSurface s{axes};
    const double a2 = axes.x * axes.x, b2 = axes.y * axes.y, c2 = axes.z * axes.z;
    for (int i = 0; i < kPlaces; ++i) {
      const ChartPlace at = sample_ball(random);
      const ContactElement<double> e = s.evaluate(at.chart, at.u);
      // With h the distance of the tangent plane from the centre: Gauss curvature h⁴/(abc)², sum of the principal
      // curvatures h³ (a² + b² + c² − |p|²)/(abc)² (do Carmo, Differential Geometry of Curves and Surfaces, 3-3).
      const double h = dot(e.p, e.n), volume2 = a2 * b2 * c2;
      const double gauss = h * h * h * h / volume2;
      const double sum = h * h * h * (a2 + b2 + c2 - dot(e.p, e.p)) / volume2;
      const Matrix2<double> curvature = calc_forms(e).curvature;
      const double tolerance = 256 * kEps * e.D.squaredNorm() / e.D.determinant();
      EXPECT_NEAR(curvature.determinant() / gauss, 1, tolerance * sum * sum / gauss);
      EXPECT_NEAR(curvature.trace() / sum, 1, tolerance * curvature.norm() / sum);
    }
  }
}

TEST(RingSurface, TorusHasItsClosedForm) {
  Random random(7);
  const double R = 0.8, r = 0.3;
  const RingSurface torus = make_torus_surface(R, r);
  for (int i = 0; i < kPlaces; ++i) {
    const Vector2<double> u(random.uniform(-kPi, kPi), random.uniform(-kPi, kPi));
    const SurfaceForms<double> forms = calc_forms(torus.evaluate(0, u));
    const double reach = R + r * std::cos(u(1));
    EXPECT_NEAR(forms.curvature(0, 0), std::cos(u(1)) / reach, 8 * kEps / (R - r));  // negative inside
    EXPECT_NEAR(forms.curvature(1, 1), 1 / r, 8 * kEps / r);
    EXPECT_NEAR(forms.torsion(0), std::sin(u(1)) / reach, 8 * kEps / (R - r));
    EXPECT_EQ(forms.torsion(1), 0);
  }
}

/// Gauss–Bonnet: the integral of the Gauss curvature is 4π on an ellipsoid, 0 on a torus. The rectangle rule converges
/// faster than any power on periodic functions; along the latitude the Gauss–Legendre points of tests would do, but
/// with det N itself as integrand it is the area of the unit sphere, and the midpoint rule in sin u₂ is exact for a
/// ball.
TEST(SmoothSurface, TotalCurvatureIsThatOfTheTopology) {
  const auto total = [](const auto& s, double low, double high, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        // u₂ = middle + half sin(π/2 sin(π/2 t)).
        const double t = -1 + (2 * j + 1.0) / n;
        const double inner = kPi / 2 * std::sin(kPi / 2 * t);
        const double half = (high - low) / 2, u2 = (low + high) / 2 + half * std::sin(inner);
        const double slope = half * std::cos(inner) * kPi / 2 * kPi / 2 * std::cos(kPi / 2 * t);
        const Vector2<double> u(2 * kPi * i / n, u2);
        sum += s.evaluate(0, u).N.determinant() * slope;
      }
    }
    return sum * 2 * kPi / n * 2 / n;
  };
  // Order 1/n⁴ at least: n = 400 leaves 1e-8.
  EXPECT_NEAR(total(EllipsoidSurface{{0.5, 0.7, 1.1}}, -kPi / 2, kPi / 2, 400), 4 * kPi, 1e-8);
  EXPECT_NEAR(total(EllipsoidSurface{{1, 0.8, 0.3}}, -kPi / 2, kPi / 2, 400), 4 * kPi, 1e-8);
  EXPECT_NEAR(total(SphereSurface{-0.7}, -kPi / 2, kPi / 2, 400), 4 * kPi, 1e-8);
  EXPECT_NEAR(total(make_torus_surface(1, 0.4), -kPi, kPi, 400), 0, 1e-8);
  EXPECT_NEAR(total(RingSurface{0.8, 0.5, 0.2}, -kPi, kPi, 400), 0, 1e-8);
}

/// Chan A.2 describes the fingertip by the angles (about y, then from it) that are our chart with its axes renamed:
/// metric r, r cos u; curvature 1/r; torsion tan(u)/r up to the sign that the order of the coordinates gives.
TEST(SphereSurface, HasMontanasForms) {
  const double r = 0.013;
  const SurfaceForms<double> forms = calc_forms(SphereSurface{r}.evaluate<double>(0, {0.4, 0.9}));
  EXPECT_NEAR(forms.metric(0, 0), r * std::cos(0.9), kEps);
  EXPECT_NEAR(forms.metric(1, 1), r, kEps);
  EXPECT_NEAR(forms.curvature(0, 0), 1 / r, 8 * kEps / r);
  EXPECT_NEAR(forms.curvature(1, 1), 1 / r, 8 * kEps / r);
  EXPECT_NEAR(forms.torsion(0), std::tan(0.9) / r, 8 * kEps / r);
  EXPECT_EQ(forms.torsion(1), 0);
}

TEST(CapsuleSurface, SeamsKeepPointNormalAndFrame) {
  const CapsuleSurface s{0.3, 0.7};
  Random random(8);
  for (int i = 0; i < kPlaces; ++i) {
    const double angle = random.uniform(-kPi, kPi);
    for (const int end : {-1, 1}) {
      const ContactElement<double> side = s.evaluate<double>(0, {angle, end * s.half_length});
      const ContactElement<double> ball = s.evaluate<double>(end < 0 ? 1 : 3, {angle, 0});
      EXPECT_LT(length(side.p - ball.p), 4 * kEps);
      EXPECT_LT(length(side.n - ball.n), 4 * kEps);
      EXPECT_LT(length(side.x - ball.x), 4 * kEps);
      EXPECT_LT(length(side.y - ball.y), 4 * kEps);
      // The charts follow each other over the seam.
      const ContactElement<double> below = s.evaluate<double>(0, {angle, end * (s.half_length - 1e-9)});
      const ContactElement<double> above = s.evaluate<double>(end < 0 ? 1 : 3, {angle, end * 1e-9});
      EXPECT_EQ(s.pick_chart(below.p, below.n), 0);
      EXPECT_EQ(s.pick_chart(above.p, above.n), end < 0 ? 1 : 3);
    }
  }
}

TEST(Surface, AnyKindAnswersAsItself) {
  const EllipsoidSurface ellipsoid{{0.5, 0.7, 1.1}};
  const Surface any = ellipsoid;
  const Vector2<double> u(0.3, 0.2);
  const ContactElement<double> e = ellipsoid.evaluate(1, u), same = evaluate(any, 1, u);
  EXPECT_EQ(length(e.p - same.p), 0);
  EXPECT_EQ(e.N, same.N);
  EXPECT_EQ(pick_chart(any, e.p, e.n), ellipsoid.pick_chart(e.p, e.n));
  EXPECT_EQ(chart_coordinates(any, 1, e.p, e.n), ellipsoid.chart_coordinates(1, e.p, e.n));
}

}  // namespace
}  // namespace thenar::surface_test
