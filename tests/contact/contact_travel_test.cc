// SPDX-License-Identifier: BSD-3-Clause
//
// Coordinates integrated by Montana's equations stay on the places that Newton's method finds afresh, over long motions
// with rolling, sliding and twisting at once and through changes of charts. The integration sees the relative twist
// only, never the pose. Lengths of order 1 m, rates of order 1 rad/s.

#include <gtest/gtest.h>

#include <numbers>

#include "random_contacts.h"
#include "runge_kutta.h"

namespace thenar::contact_travel_test {
namespace {

using test::compose;
using test::differentiate;
using test::inverse;
using test::make_facing_pose;
using test::MovingPose;
using test::runge_kutta_step;
using test::turned_about;

constexpr double kPi = std::numbers::pi;
/// m and rad. The classical method with steps of 1 ms leaves (h rate)⁴ t ~ 1e-11 at rates of a
/// few rad/s over 40 s.
constexpr double kTolerance = 1e-9;
constexpr double kStep = 1e-3, kDuration = 40;

double length(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }

/// u_A, u_B, ψ, gap.
using Coordinates = Eigen::Matrix<double, 6, 1>;

struct Traveller {
  Surface A, B;
  ChartedPoint<double> point_A, point_B;
  double psi = 0, gap = 0;
  int hand_overs = 0;

  Coordinates pack() const {
    Coordinates y;
    y << point_A.u, point_B.u, psi, gap;
    return y;
  }
  void unpack(const Coordinates& y) { point_A.u = y.head<2>(), point_B.u = y.segment<2>(2), psi = y(4), gap = y(5); }

  /// The two elements in A's frame, as the coordinates have them.
  FacingElements<double> place(const Coordinates& y) const {
    const ContactElement<double> e_A = evaluate<double>(A, point_A.chart, y.head<2>());
    const ContactElement<double> e_B = evaluate<double>(B, point_B.chart, y.segment<2>(2));
    return {e_A, transform(make_facing_pose(e_A, e_B, y(4), y(5)), e_B), y(5)};
  }

  /// Montana's equations with A at rest; `motion` is B's in A's frame.
  Coordinates rates(const Coordinates& y, const MovingPose<double>& motion) const {
    const FacingElements<double> at = place(y);
    const ContactVelocity<double> v = calc_contact_velocity(at, {Motion<double>::zero(), motion.velocity_at(at.B.p)});
    EXPECT_TRUE(v.is_regular);
    Coordinates out;
    out << v.u_A, v.u_B, v.psi, v.gap;
    return out;
  }

  void hand_over_both() {
    const int charts = 10 * point_A.chart + point_B.chart;
    psi += hand_over(A, point_A) + hand_over(B, point_B);
    if (charts != 10 * point_A.chart + point_B.chart) ++hand_overs;
  }
};

/// Where the features face each other now, found from the place before.
struct Witness {
  ChartedPoint<double> point_A, point_B;
  FacingElements<double> place;

  void update(const Traveller& t, const Placement<double>& X_AB) {
    EXPECT_EQ(find_facing(t.A, t.B, X_AB, point_A, point_B, place), FacingStatus::found);
  }
};

void expect_on_witness(const Traveller& traveller, const Witness& witness, const Placement<double>& X_AB, double t) {
  const FacingElements<double> at = traveller.place(traveller.pack());
  EXPECT_LT(length(at.A.p - witness.place.A.p), kTolerance) << "t = " << t;
  EXPECT_LT(length(at.B.p - witness.place.B.p), kTolerance) << "t = " << t;
  EXPECT_LT(length(at.A.n - witness.place.A.n), kTolerance) << "t = " << t;
  EXPECT_NEAR(at.gap, witness.place.gap, kTolerance) << "t = " << t;
  // ψ in the traveller's charts, from the true pose.
  const ContactElement<double> e_B = evaluate(traveller.B, traveller.point_B.chart, traveller.point_B.u);
  const double psi = calc_psi<double>({at.A, transform(X_AB, e_B), 0});
  EXPECT_NEAR(std::remainder(traveller.psi - psi, 2 * kPi), 0, kTolerance) << "t = " << t;
}

/// Follows a pair for kDuration. `pose` maps time to X_AB; the search for the first place starts at the given points.
/// Returns how often charts changed.
template <class Pose>
int travel(const Surface& A, const ChartedPoint<double>& point_A, const Surface& B, const ChartedPoint<double>& point_B,
           const Pose& pose) {
  Traveller traveller{A, B, point_A, point_B};
  Witness witness{point_A, point_B, {}};
  witness.update(traveller, pose(0.0));
  traveller.point_A = witness.point_A;
  traveller.point_B = witness.point_B;
  traveller.psi = calc_psi(witness.place);
  traveller.gap = witness.place.gap;
  const auto rates = [&](double t, const Coordinates& y) { return traveller.rates(y, differentiate<double>(pose, t)); };
  const int steps = static_cast<int>(kDuration / kStep + 0.5);
  for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
    traveller.unpack(runge_kutta_step(rates, i * kStep, traveller.pack(), kStep));
    traveller.hand_over_both();
    if ((i + 1) % 20 == 0) {
      const double t = (i + 1) * kStep;
      witness.update(traveller, pose(t));
      expect_on_witness(traveller, witness, pose(t), t);
    }
  }
  return traveller.hand_overs;
}

/// A point at `distance` of the origin that wanders over all directions.
template <class T>
Vec3<T> wander(const T& t, const T& distance) {
  T s1, c1, s2, c2, swing, unused;
  sincos(t * T(0.37), swing, unused);
  sincos(t * T(0.7), s1, c1);
  sincos(swing * T(1.4), s2, c2);
  return Vec3<T>(c1 * c2, s1 * c2, s2) * distance;
}

template <class T>
Mat3<T> tumble(const T& t) {
  Mat3<T> R = turned_about(Mat3<T>::identity(), 0, t * T(0.8));
  R = turned_about(R, 1, t * T(0.3) + T(0.4));
  return turned_about(R, 2, t * T(-0.5));
}

/// The point of a surface whose direction from the origin is nearest to d, found on a coarse grid.
ChartedPoint<double> point_towards(const Surface& surface, const Vec3<double>& d) {
  ChartedPoint<double> best;
  double largest = -2;
  const int charts = std::visit([](const auto& s) { return s.chart_count(); }, surface);
  for (int chart = 0; chart < charts; ++chart) {
    for (double u1 = -3.1; u1 < 3.2; u1 += 0.1) {
      for (double u2 = -0.75; u2 < 0.8; u2 += 0.1) {
        const ContactElement<double> e = evaluate<double>(surface, chart, {u1, u2});
        const double cosine = dot(e.n, d) / length(d);
        if (cosine > largest) largest = cosine, best = {0, chart, {u1, u2}};
      }
    }
  }
  return best;
}

/// travel() for two bodies around their origins, B outside of A (or A hollow around B): the first places are where the
/// normals point from centre to centre.
template <class Pose>
int travel_around(const Surface& A, const Surface& B, const Pose& pose, double side = 1) {
  const Placement<double> X = pose(0.0);
  return travel(A, point_towards(A, X.p * side), B, point_towards(B, X.R.transpose_times(X.p) * -side), pose);
}

TEST(ContactTravel, EllipsoidAroundEllipsoid) {
  const int hand_overs =
      travel_around(EllipsoidSurface{{0.5, 0.3, 0.25}}, EllipsoidSurface{{0.25, 0.35, 0.2}}, [](const auto& t) {
        using T = std::decay_t<decltype(t)>;
        return Placement<T>{tumble(t), wander(t, T(1.1))};
      });
  EXPECT_GT(hand_overs, 10);
}

TEST(ContactTravel, BallAroundFlatEllipsoid) {
  const int hand_overs = travel_around(EllipsoidSurface{{0.5, 0.5, 0.025}}, SphereSurface{0.2}, [](const auto& t) {
    using T = std::decay_t<decltype(t)>;
    return Placement<T>{tumble(t * T(0.4)), wander(t * T(0.4), T(0.9))};
  });
  EXPECT_GT(hand_overs, 4);
}

TEST(ContactTravel, EllipsoidInBowl) {
  const int hand_overs = travel_around(
      SphereSurface{-1}, EllipsoidSurface{{0.25, 0.2, 0.18}},
      [](const auto& t) {
        using T = std::decay_t<decltype(t)>;
        return Placement<T>{tumble(t), wander(t, T(0.6))};
      },
      -1);
  EXPECT_GT(hand_overs, 10);
}

TEST(ContactTravel, VertexAroundEllipsoid) {
  const int hand_overs = travel_around(EllipsoidSurface{{0.5, 0.4, 0.3}}, SphereSurface{0}, [](const auto& t) {
    using T = std::decay_t<decltype(t)>;
    return Placement<T>{tumble(t), wander(t, T(0.8))};
  });
  EXPECT_GT(hand_overs, 10);
}

/// A ball winds around the tube of a ring while it goes around the ring, many times through the hole: its place is
/// known.
TEST(ContactTravel, BallWindsThroughRing) {
  const RingSurface ring = make_torus_surface(0.8, 0.2);
  const double ball = 0.15, gap = 0.05;
  const auto pose = [&](const auto& t) {
    using T = std::decay_t<decltype(t)>;
    T s1, c1, s2, c2;
    sincos(t * T(0.31) + T(0.2), s1, c1);
    sincos(t * T(1.3), s2, c2);
    const T reach = T(0.8) + c2 * T(0.2 + ball + gap);
    return Placement<T>{tumble(t), {reach * c1, reach * s1, s2 * T(0.2 + ball + gap)}};
  };
  const Placement<double> X = pose(0.0);
  const Vec3<double> towards = X.R.transpose_times(-ring.evaluate<double>(0, {0.2, 0}).n);
  EXPECT_GT(travel(ring, {0, 0, {0.2, 0}}, SphereSurface{ball}, point_towards(SphereSurface{ball}, towards), pose), 10);
}

/// A finger through a ring: cylinder against the inside of a torus.
TEST(ContactTravel, CylinderInsideRing) {
  const auto pose = [](const auto& t) {
    using T = std::decay_t<decltype(t)>;
    T s, c, tilt, unused;
    sincos(t * T(0.9), s, c);
    sincos(t * T(1.7), tilt, unused);
    Mat3<T> R = turned_about(Mat3<T>::identity(), 0, tilt * T(0.2) + T(0.1));
    R = turned_about(R, 2, t * T(0.6));
    return Placement<T>{R, {c * T(0.3), s * T(0.3), t * T(0.02)}};
  };
  const Placement<double> X = pose(0.0);
  // The place on the inside of the ring that the cylinder leans to.
  const Vec3<double> n = X.R.transpose_times(Vec3<double>{1, 0, 0});
  travel(make_torus_surface(0.9, 0.2), {0, 0, {0, kPi}}, CylinderSurface{0.25}, {0, 0, {std::atan2(n.y, n.x), 0}},
         pose);
}

/// A coin with an elliptic rim that rolls, spins and wobbles over a table.
TEST(ContactTravel, EllipticCoinOnTable) {
  const auto pose = [](const auto& t) {
    using T = std::decay_t<decltype(t)>;
    T wobble, lift, unused;
    sincos(t * T(1.1), wobble, unused);
    sincos(t * T(0.7), lift, unused);
    Mat3<T> R = turned_about(Mat3<T>::identity(), 2, t * T(0.5));
    R = turned_about(R, 0, T(0.9) + wobble * T(0.3));
    R = turned_about(R, 2, t * T(-1.4));
    return inverse(Placement<T>{R, {t * T(0.1), wobble * T(0.2), T(0.5) + lift * T(0.1)}});
  };
  // The lowest point of the coin, whose tilt is 0.9 about its x axis: there n = −z of the table.
  travel(RingSurface{0.5, 0.35, 0}, {0, 0, {-kPi / 2, -0.6}}, PlaneSurface{}, {0, 0, {0, 0}}, pose);
}

TEST(ContactTravel, CrossingEdges) {
  const auto pose = [](const auto& t) {
    using T = std::decay_t<decltype(t)>;
    T swing, slide, unused;
    sincos(t * T(0.6), swing, unused);
    sincos(t * T(0.9), slide, unused);
    Mat3<T> R = turned_about(Mat3<T>::identity(), 2, slide * T(0.5));
    R = turned_about(R, 0, T(1.4) + swing * T(0.5));
    return Placement<T>{R, {T(0.3) + slide * T(0.1), swing * T(0.3), slide * T(0.5)}};
  };
  travel(CylinderSurface{0}, {0, 0, {0, 0}}, CylinderSurface{0}, {0, 0, {kPi, 0}}, pose);
}

TEST(ContactTravel, BallAroundCone) {
  const double s = 0.5, c = std::sqrt(0.75);
  const auto pose = [](const auto& t) {
    using T = std::decay_t<decltype(t)>;
    T s1, c1, rise, unused;
    sincos(t * T(1.2), s1, c1);
    sincos(t * T(0.8), rise, unused);
    return Placement<T>{tumble(t), {c1 * T(0.8), s1 * T(0.8), T(-0.8) + rise * T(0.2)}};
  };
  const Placement<double> X = pose(0.0);
  const Vec3<double> n{-c, 0, -s};
  EXPECT_GT(travel(ConeSurface{s, c}, {0, 0, {0, -1}}, SphereSurface{0.1},
                   point_towards(SphereSurface{0.1}, X.R.transpose_times(n)), pose),
            10);
}

/// Over the seams of a capsule the curvature jumps, and an integrator that steps over a seam is of second order there.
/// So steps end on seams: the time is found by bisection.
TEST(ContactTravel, BallAroundCapsuleOverItsSeams) {
  const CapsuleSurface capsule{0.3, 0.4};
  const auto pose = [](const auto& t) {
    using T = std::decay_t<decltype(t)>;
    T s, c, swing, unused;
    sincos(t * T(0.8), s, c);
    sincos(t * T(0.5), swing, unused);
    return Placement<T>{tumble(t), Vec3<T>(c * T(0.7), s * T(0.7), swing * T(0.9))};
  };
  Traveller traveller{capsule, SphereSurface{0.1}, {0, 0, {0, 0}}, {}};
  const Placement<double> X = pose(0.0);
  traveller.point_B = point_towards(traveller.B, X.R.transpose_times(Vec3<double>{-1, 0, 0}));
  Witness witness{traveller.point_A, traveller.point_B, {}};
  witness.update(traveller, X);
  traveller.point_A = witness.point_A, traveller.point_B = witness.point_B;
  traveller.psi = calc_psi(witness.place), traveller.gap = witness.place.gap;
  const auto rates = [&](double t, const Coordinates& y) { return traveller.rates(y, differentiate<double>(pose, t)); };
  // Which part of the capsule: z beyond a seam, in whatever chart.
  const auto part = [&](const Coordinates& y) {
    const double z = evaluate<double>(traveller.A, traveller.point_A.chart, y.head<2>()).p.z;
    return z > capsule.half_length ? 1 : z < -capsule.half_length ? -1 : 0;
  };
  int seams = 0;
  double t = 0;
  for (int i = 0; t < kDuration && !HasFailure(); ++i) {
    const Coordinates from = traveller.pack();
    const int here = part(from);
    double h = kStep;
    Coordinates to = runge_kutta_step(rates, t, from, h);
    if (part(to) != here) {
      double low = 0, high = kStep;
      for (int k = 0; k < 60; ++k) {
        h = (low + high) / 2;
        (part(runge_kutta_step(rates, t, from, h)) == here ? low : high) = h;
      }
      h = high;
      to = runge_kutta_step(rates, t, from, h);
      ++seams;
    }
    traveller.unpack(to);
    traveller.hand_over_both();
    t += h;
    if (i % 20 == 0) {
      witness.update(traveller, pose(t));
      expect_on_witness(traveller, witness, pose(t), t);
    }
  }
  EXPECT_GT(seams, 5);
  EXPECT_GT(traveller.hand_overs, 20);
}

/// Handing a place over and back restores u and ψ, and leaves the place.
TEST(ChartedPoint, HandOverKeepsThePlace) {
  test::Random random(51);
  for (const Surface& surface : {Surface(SphereSurface{0.4}), Surface(EllipsoidSurface{{0.5, 0.3, 0.8}}),
                                 Surface(SphereSurface{0}), Surface(CapsuleSurface{0.3, 0.5})}) {
    for (int i = 0; i < 200; ++i) {
      const bool is_capsule = std::holds_alternative<CapsuleSurface>(surface);
      // Beyond the limit of the chart.
      ChartedPoint<double> point{7, is_capsule ? 3 : 0, {random.uniform(-3, 3), random.uniform(0.8, 1.4)}};
      const ContactElement<double> before = evaluate(surface, point.chart, point.u);
      const double angle = hand_over(surface, point);
      EXPECT_EQ(point.chart, is_capsule ? 4 : 1);
      EXPECT_EQ(point.feature, 7);
      const ContactElement<double> after = evaluate(surface, point.chart, point.u);
      EXPECT_LT(length(after.p - before.p), 1e-15);
      EXPECT_LT(length(after.n - before.n), 1e-15);
      // x turned by `angle` about n.
      EXPECT_LT(length(before.x * std::cos(angle) + before.y * std::sin(angle) - after.x), 1e-14);
      EXPECT_EQ(hand_over(surface, point), 0);
    }
  }
}

/// A vertex at its origin on a plane at its origin: there is no length to measure steps by.
TEST(FindFacing, FindsPlacesWithoutSize) {
  const Mat3<double> R = turned_about(turned_about(Mat3<double>::identity(), 0, 2.8), 1, 0.3);
  for (const double away : {0.0, 1e-17, 1e-9}) {
    ChartedPoint<double> vertex = make_charted_point<double>(SphereSurface{0}, 0, {0, 0, 0}, {0, 0, 1}), place_on_plane;
    FacingElements<double> place;
    EXPECT_EQ(
        find_facing<double>(SphereSurface{0}, PlaneSurface{}, {R, {away, 0, away}}, vertex, place_on_plane, place),
        FacingStatus::found);
    EXPECT_LT(length(place.A.n + R.z), 1e-15);
    EXPECT_NEAR(place.gap, away * dot(Vec3<double>{1, 0, 1}, -R.z), 1e-15 * away);
  }
}

/// Newton's method says what it found: planes that are parallel conform, others have no such place.
TEST(FindFacing, TellsConformingFromNone) {
  const Placement<double> parallel{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {0.3, 0.2, 0.5}};
  ChartedPoint<double> a, b;
  FacingElements<double> place;
  EXPECT_EQ(find_facing<double>(PlaneSurface{}, PlaneSurface{}, parallel, a, b, place), FacingStatus::conforming);
  EXPECT_NEAR(place.gap, 0.5, 1e-15);
  EXPECT_LT(std::hypot(place.A.p.x - place.B.p.x, place.A.p.y - place.B.p.y), 1e-15);
  const Placement<double> tilted{turned_about(parallel.R, 0, 1e-3), parallel.p};
  EXPECT_EQ(find_facing<double>(PlaneSurface{}, PlaneSurface{}, tilted, a, b, place), FacingStatus::failed);
  // Normals that point the same way never face each other.
  const Placement<double> same{Mat3<double>::identity(), {0, 0, 0.5}};
  EXPECT_EQ(find_facing<double>(PlaneSurface{}, PlaneSurface{}, same, a, b, place), FacingStatus::failed);
}

}  // namespace
}  // namespace thenar::contact_travel_test
