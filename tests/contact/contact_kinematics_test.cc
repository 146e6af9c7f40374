// SPDX-License-Identifier: BSD-3-Clause
//
// Rates of the coordinates, ψ, gap and relative velocity against differences along random motions, against Montana's
// form, and under changes that must not matter. Sizes, speeds and times are of order 1.

#include "thenar/contact/contact_kinematics.h"

#include <gtest/gtest.h>

#include <numbers>

#include "random_contacts.h"
#include "thenar/contact/facing_system_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::contact_kinematics_test {
namespace {

using test::cast;
using test::compose;
using test::differentiate;
using test::feature_kinds;
using test::FeatureKind;
using test::inverse;
using test::make_facing_pose;
using test::MovingPose;
using test::Random;
using test::random_point;
using test::random_pose;
using test::SmoothMotion;
using L = long double;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;

template <class T>
T length(const Vec3<T>& a) {
  return std::sqrt(dot(a, a));
}

/// Two features that face each other at time 0, and their motions.
struct MovingPair {
  Surface A, B;
  ChartedPoint<double> point_A, point_B;
  Placement<L> X_A, X_B;  ///< at time 0
  SmoothMotion motion_A, motion_B;

  template <class T>
  Placement<T> pose_A(const T& t) const {
    return compose(motion_A.at(t), cast<T>(X_A));
  }
  template <class T>
  Placement<T> pose_B(const T& t) const {
    return compose(motion_B.at(t), cast<T>(X_B));
  }
};

MovingPair make_pair(const FeatureKind& A, const FeatureKind& B, double gap, Random& random) {
  MovingPair pair;
  pair.A = A.make(random);
  pair.B = B.make(random);
  pair.point_A = random_point(pair.A, random);
  pair.point_B = random_point(pair.B, random);
  const ContactElement<L> e_A = evaluate<L>(pair.A, pair.point_A.chart, pair.point_A.u.cast<L>());
  const ContactElement<L> e_B = evaluate<L>(pair.B, pair.point_B.chart, pair.point_B.u.cast<L>());
  pair.X_A = random_pose<L>(random, 1);
  pair.X_B = compose(pair.X_A, make_facing_pose<L>(e_A, e_B, random.uniform(-3, 3), gap));
  pair.motion_A = SmoothMotion::random_start(random);
  pair.motion_B = SmoothMotion::random_start(random);
  return pair;
}

/// The state of a pair at an instant, found by Newton's method alone: u_A, u_B, ψ, gap, v_C, ω_C.
using Facts = Eigen::Matrix<L, 12, 1>;

/// The bodies at an instant and the place where the features face each other, in world axes.
struct Instant {
  MovingPose<L> A, B;
  ChartedPoint<L> point_A, point_B;
  FacingElements<L> place;
  FacingStatus status;

  PairMotion<L> velocity() const { return {A.velocity_at(place.A.p), B.velocity_at(place.B.p)}; }
  PairMotion<L> acceleration() const { return {A.acceleration_at(place.A.p), B.acceleration_at(place.B.p)}; }
};

Instant find_instant(const MovingPair& pair, L t) {
  Instant now;
  now.A = differentiate<L>([&](const auto& s) { return pair.pose_A(s); }, t);
  now.B = differentiate<L>([&](const auto& s) { return pair.pose_B(s); }, t);
  now.point_A = {0, pair.point_A.chart, pair.point_A.u.cast<L>()};
  now.point_B = {0, pair.point_B.chart, pair.point_B.u.cast<L>()};
  FacingElements<L> in_A;
  now.status = find_facing<L>(pair.A, pair.B, compose(inverse(now.A.X), now.B.X), now.point_A, now.point_B, in_A);
  now.place = {transform(now.A.X, in_A.A), transform(now.A.X, in_A.B), in_A.gap};
  return now;
}

Facts collect_facts(const Instant& now, const ContactFrame<L>& start_frame) {
  const ContactFrame<L> frame = carry_frame<L>(start_frame, -now.place.A.n);
  const PairMotion<L> V = now.velocity();
  const Vec3<L> v = express_in(frame, V.A.linear - V.B.linear), w = express_in(frame, V.A.angular - V.B.angular);
  Facts facts;
  facts << now.point_A.u, now.point_B.u, calc_psi(now.place), now.place.gap, v.eigen(), w.eigen();
  return facts;
}

/// Differences of fourth order around time 0: error h⁴ f⁽⁵⁾/30 and h⁴ f⁽⁶⁾/90.
struct Differences {
  Facts first, second;
};
Differences difference(const std::array<Facts, 5>& f, L h) {
  return {((f[3] - f[1]) * 8 - (f[4] - f[0])) / (12 * h),
          ((f[3] + f[1]) * 16 - (f[4] + f[0]) - f[2] * 30) / (12 * h * h)};
}

/// What the library says the derivatives of Facts are; of the second ones u, ψ and gap only.
Differences calc_derivatives(const MovingPair& pair, const Instant& now, const ContactFrame<L>& frame) {
  const PairMotion<L> V = now.velocity(), acceleration = now.acceleration();
  const ContactVelocity<L> rates = calc_contact_velocity<L>(now.place, V);
  const ElementRates<L> rates_A = calc_element_rates<L>(pair.A, now.point_A.chart, now.point_A.u, rates.u_A);
  const ElementRates<L> rates_B = calc_element_rates<L>(pair.B, now.point_B.chart, now.point_B.u, rates.u_B);
  const ContactAcceleration<L> second =
      calc_contact_acceleration<L>(now.place, rates_A, rates_B, V, acceleration, rates);
  // Here V̇ is that of the bodies' origins: what the material points' accelerations have beyond it is the spin term.
  const auto spin = [](const MovingPose<L>& body, const Vec3<L>& p) {
    return Motion<L>{Vec3<L>::zero(), cross(body.velocity.angular, cross(body.velocity.angular, p - body.X.p))};
  };
  const auto linear_part = [](const MovingPose<L>& body, const Vec3<L>& p) {
    return body.acceleration.shifted(p - body.X.p);
  };
  const ContactDrift<L> drift =
      calc_contact_drift<L>(frame, V, {spin(now.A, now.place.A.p), spin(now.B, now.place.B.p)}, rates);
  const Motion<L> a_A = linear_part(now.A, now.place.A.p), a_B = linear_part(now.B, now.place.B.p);
  const Vec3<L> v_rate = express_in(frame, a_A.linear - a_B.linear) + drift.sum().linear;
  const Vec3<L> w_rate = express_in(frame, a_A.angular - a_B.angular) + drift.sum().angular;
  Differences out;
  out.first << rates.u_A, rates.u_B, rates.psi, rates.gap, v_rate.eigen(), w_rate.eigen();
  out.second.setZero();
  out.second.head<6>() << second.u_A, second.u_B, second.psi, second.gap;
  return out;
}

/// Largest entry of the first derivatives up to which a random pair is used: beyond it (nearly conforming places) the
/// motion is so fast that differences cannot follow.
constexpr L kTooFast = 30;

/// Compares one random pair; false if differences cannot tell: it moves too fast for them, or changes its charts.
bool compare_with_differences(const MovingPair& pair) {
  const Instant now = find_instant(pair, 0);
  const ContactFrame<L> frame = make_contact_frame<L>(-now.place.A.n, false);
  const Differences exact = calc_derivatives(pair, now, frame);
  const L speed = exact.first.cwiseAbs().maxCoeff();
  if (now.status != FacingStatus::found || !(speed < kTooFast)) return false;
  // The cone's sine and cosine are doubles, so that its normal has unit length to kEps only.
  EXPECT_LT(std::abs(exact.first(6) - exact.second(5)), 4 * kEps * (1 + speed) * (1 + speed))
      << "row N of v̇_C is the gap acceleration";

  // The time in which rates change by themselves sets the step.
  const L h = 2e-3L / (1 + speed + std::sqrt(exact.second.cwiseAbs().maxCoeff()));
  std::array<Facts, 9> f;  // at −2h, −3h/2, … 2h
  for (int i = 0; i < 9; ++i) {
    const Instant then = find_instant(pair, (i - 4) * h / 2);
    EXPECT_EQ(then.status, FacingStatus::found);
    if (then.point_A.chart != pair.point_A.chart || then.point_B.chart != pair.point_B.chart) return false;
    f[i] = collect_facts(then, frame);
    const L jump = f[i](4) - f[0](4);  // ψ without its jump at ±π
    f[i](4) -= std::round(jump / (2 * std::numbers::pi_v<L>)) * 2 * std::numbers::pi_v<L>;
  }
  const Differences coarse = difference({f[0], f[2], f[4], f[6], f[8]}, h);
  const Differences fine = difference({f[2], f[3], f[4], f[5], f[6]}, h / 2);
  // Halving the step divides the error by 16, so that the change is 15 times what is left. Places are found to
  // 1e-18 (eps of long double times conditions up to kTooFast), which differences divide by h and h².
  const L rounding = 1e-17L;
  const Facts tolerance1 = (coarse.first - fine.first).cwiseAbs() + Facts::Constant(rounding / h);
  const Facts tolerance2 = (coarse.second - fine.second).cwiseAbs() + Facts::Constant(10 * rounding / (h * h));
  if (tolerance1.maxCoeff() > 1e-7L * (1 + speed) || tolerance2.head<6>().maxCoeff() > 1e-4L / h) return false;
  for (int i = 0; i < 12; ++i) EXPECT_LT(std::abs(fine.first(i) - exact.first(i)), tolerance1(i)) << "rate " << i;
  for (int i = 0; i < 6; ++i) {
    EXPECT_LT(std::abs(fine.second(i) - exact.second(i)), tolerance2(i)) << "second rate " << i;
  }
  return true;
}

/// Pairs that conform to each other at every place.
bool always_conforms(const std::string& A, const std::string& B) {
  const auto is_ruled = [](const std::string& name) {
    return name == "edge" || name == "cylinder" || name == "cone" || name == "face";
  };
  return (A == "face" && is_ruled(B)) || (B == "face" && is_ruled(A));
}

/// Every kind of feature against every other, apart, touching and overlapping.
TEST(ContactKinematics, RatesEqualDifferencesAlongRandomMotions) {
  Random random(31);
  for (const FeatureKind& A : feature_kinds()) {
    for (const FeatureKind& B : feature_kinds()) {
      if (always_conforms(A.name, B.name)) continue;
      SCOPED_TRACE(A.name + " on " + B.name);
      int compared = 0;
      for (int i = 0; i < 90 && compared < 9; ++i) {
        const std::array<double, 3> gaps{0, random.uniform(0, 0.5), random.uniform(-0.05, 0)};
        // Some never touch in a regular place: two vertices, a vertex and an edge.
        compared += compare_with_differences(make_pair(A, B, gaps[static_cast<std::size_t>(i % 3)], random)) ? 1 : 0;
      }
      EXPECT_GE(compared, 4);
    }
  }
}

Matrix2<double> montanas_rotation(double psi) {
  Matrix2<double> R;
  R << std::cos(psi), -std::sin(psi), -std::sin(psi), -std::cos(psi);
  return R;
}

/// A touching pair in double precision, with random velocities.
struct TouchingPair {
  Surface A, B;
  ChartedPoint<double> point_A, point_B;
  double psi = 0;
  FacingElements<double> place;
  PairMotion<double> velocity;
};

TouchingPair make_touching_pair(const FeatureKind& A, const FeatureKind& B, double gap, Random& random) {
  TouchingPair pair;
  pair.A = A.make(random);
  pair.B = B.make(random);
  pair.point_A = random_point(pair.A, random);
  pair.point_B = random_point(pair.B, random);
  pair.psi = random.uniform(-3, 3);
  const ContactElement<double> e_A = evaluate(pair.A, pair.point_A.chart, pair.point_A.u);
  const ContactElement<double> e_B = evaluate(pair.B, pair.point_B.chart, pair.point_B.u);
  const Placement<double> X_WA = random_pose(random, 1), X_AB = make_facing_pose(e_A, e_B, pair.psi, gap);
  pair.place = {transform(X_WA, e_A), transform(compose(X_WA, X_AB), e_B), gap};
  pair.velocity = {{random.vector(1), random.vector(1)}, {random.vector(1), random.vector(1)}};
  return pair;
}

TEST(ContactKinematics, PsiIsTheAngleBetweenTheGaussFrames) {
  Random random(32);
  for (int i = 0; i < 100; ++i) {
    const TouchingPair pair = make_touching_pair(feature_kinds()[1], feature_kinds()[11], 0, random);
    const ContactElement<double>&A = pair.place.A, &B = pair.place.B;
    EXPECT_NEAR(std::remainder(calc_psi(pair.place) - pair.psi, 2 * kPi), 0, 16 * kEps);
    // Turning x_A about n_A by −ψ lays it on x_B.
    const Vec3<double> turned = A.x * std::cos(-pair.psi) + A.y * std::sin(-pair.psi);
    EXPECT_LT(length(turned - B.x), 16 * kEps);
    EXPECT_LT(length(A.n + B.n), 16 * kEps);
  }
}

/// Chan (2.4), with curvature, metric and torsion and a 2 × 2 inverse: another route to the same rates.
TEST(ContactKinematics, AgreesWithMontanasForm) {
  Random random(33);
  int compared = 0;
  for (const FeatureKind& kind_A : feature_kinds()) {
    for (const FeatureKind& kind_B : feature_kinds()) {
      SCOPED_TRACE(kind_A.name + " on " + kind_B.name);
      for (int i = 0; i < 20; ++i) {
        const TouchingPair pair = make_touching_pair(kind_A, kind_B, 0, random);
        const ContactElement<double>&A = pair.place.A, &B = pair.place.B;
        const ContactVelocity<double> rates = calc_contact_velocity(pair.place, pair.velocity);
        if (!rates.is_regular || A.D.determinant() == 0 || B.D.determinant() == 0) continue;
        const SurfaceForms<double> forms_A = calc_forms(A), forms_B = calc_forms(B);
        const Matrix2<double> R = montanas_rotation(pair.psi);
        const Matrix2<double> relative = forms_A.curvature + R * forms_B.curvature * R;
        const Vector2<double> v(dot(A.x, rates.v), dot(A.y, rates.v));
        const Vector2<double> w(-dot(A.y, rates.w), dot(A.x, rates.w));
        const Matrix2<double> inverse = relative.inverse();
        const Vector2<double> u_A = forms_A.metric.inverse() * inverse * (w - R * forms_B.curvature * R * v);
        const Vector2<double> u_B = forms_B.metric.inverse() * R * inverse * (w + forms_A.curvature * v);
        const double psi =
            dot(rates.w, A.n) + forms_A.torsion.dot(forms_A.metric * u_A) + forms_B.torsion.dot(forms_B.metric * u_B);
        // Rounding grows with the conditions of the inverses of this route.
        const auto condition = [](const Matrix2<double>& m) { return m.squaredNorm() / std::abs(m.determinant()); };
        const double tolerance = 128 * kEps * condition(relative) * condition(forms_A.metric) *
                                 condition(forms_B.metric) * (1 + forms_A.curvature.norm() + forms_B.curvature.norm());
        const double size = 1 + u_A.norm() + u_B.norm();
        EXPECT_LT((rates.u_A - u_A).norm(), tolerance * size);
        EXPECT_LT((rates.u_B - u_B).norm(), tolerance * size);
        EXPECT_NEAR(rates.psi, psi, tolerance * size * (1 + A.connection.norm() + B.connection.norm()));
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(ContactKinematics, PureRollingHasEqualArcSpeeds) {
  Random random(34);
  for (const FeatureKind& kind_A : feature_kinds()) {
    for (const FeatureKind& kind_B : feature_kinds()) {
      TouchingPair pair = make_touching_pair(kind_A, kind_B, 0, random);
      pair.velocity.A.linear = pair.velocity.B.linear;
      const ContactVelocity<double> rates = calc_contact_velocity(pair.place, pair.velocity);
      if (!rates.is_regular) continue;
      const double speed = (pair.place.A.D * rates.u_A).norm();
      // Terms as large as |D| |u̇| cancel.
      const double tolerance =
          64 * kEps * (1 + pair.place.A.D.norm() * rates.u_A.norm() + pair.place.B.D.norm() * rates.u_B.norm() + speed);
      EXPECT_NEAR(speed, (pair.place.B.D * rates.u_B).norm(), tolerance * 50) << kind_A.name << " on " << kind_B.name;
      EXPECT_LT(length(rates.travel_A - rates.travel_B), tolerance * 50) << kind_A.name << " on " << kind_B.name;
      EXPECT_EQ(rates.gap, 0);
    }
  }
}

/// Chan, footnote 2 of chapter 6, says that the fingertip's coordinates stay in rolling; it is sliding without turning
/// on a flat face that leaves them.
TEST(ContactKinematics, SlidingWithoutTurningOnAFaceLeavesTheBallsCoordinates) {
  Random random(35);
  TouchingPair pair = make_touching_pair(feature_kinds()[1], feature_kinds()[10], 0, random);
  pair.velocity.A.angular = pair.velocity.B.angular = random.vector(1);
  const ContactVelocity<double> rates = calc_contact_velocity(pair.place, pair.velocity);
  EXPECT_LT(rates.u_A.norm(), 16 * kEps);
  EXPECT_GT(rates.u_B.norm(), 0.1);
}

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  EXPECT_LT(length(a - b), tolerance);
}

/// Calls test(pair, rates, tolerance) for random regular pairs of all kinds.
template <class Test>
void for_each_regular_pair(unsigned seed, const Test& test) {
  Random random(seed);
  for (const FeatureKind& kind_A : feature_kinds()) {
    for (const FeatureKind& kind_B : feature_kinds()) {
      SCOPED_TRACE(kind_A.name + " on " + kind_B.name);
      const TouchingPair pair = make_touching_pair(kind_A, kind_B, random.uniform(0, 0.3), random);
      const ContactVelocity<double> rates = calc_contact_velocity(pair.place, pair.velocity);
      if (!rates.is_regular) continue;
      // Rates carry errors of eps times their own size, enlarged by as much as they exceed the velocities (the
      // condition of the equations).
      const double size = 1 + rates.u_A.norm() + rates.u_B.norm();
      if (size < 100) test(pair, rates, 64 * kEps * size * size);
    }
  }
}

TEST(ContactKinematics, DoesNotDependOnWhereTheWorldIs) {
  Random random(36);
  for_each_regular_pair(37, [&](const TouchingPair& pair, const ContactVelocity<double>& rates, double tolerance) {
    // Seen from another world that moves: everything turned, and a common twist added.
    const Placement<double> X = random_pose(random, 1);
    const Motion<double> drift{random.vector(1), random.vector(1)};
    const FacingElements<double> place{transform(X, pair.place.A), transform(X, pair.place.B), pair.place.gap};
    const auto seen = [&](const Motion<double>& m, const Vec3<double>& p) {
      Motion<double> out{X.R * m.angular, X.R * m.linear};
      out += drift.shifted(p);
      return out;
    };
    const PairMotion<double> velocity{seen(pair.velocity.A, place.A.p), seen(pair.velocity.B, place.B.p)};
    const ContactVelocity<double> again = calc_contact_velocity(place, velocity);
    EXPECT_LT((again.u_A - rates.u_A).norm(), tolerance);
    EXPECT_LT((again.u_B - rates.u_B).norm(), tolerance);
    EXPECT_NEAR(again.psi, rates.psi, tolerance);
    expect_near(again.travel_A, X.R * rates.travel_A, tolerance);
    expect_near(again.travel_B, X.R * rates.travel_B, tolerance);
    expect_near(again.N, X.R * rates.N + cross(drift.angular, X.R * -pair.place.A.n), tolerance);
    // ġ is the same, though v has got drift.angular × (p_A − p_B), which is normal to N only.
    EXPECT_NEAR(again.gap, rates.gap, tolerance);
  });
}

TEST(ContactKinematics, SwappingTheBodiesSwapsTheAnswers) {
  for_each_regular_pair(38, [](const TouchingPair& pair, const ContactVelocity<double>& rates, double tolerance) {
    const ContactVelocity<double> swapped =
        calc_contact_velocity<double>({pair.place.B, pair.place.A, pair.place.gap}, {pair.velocity.B, pair.velocity.A});
    EXPECT_LT((swapped.u_A - rates.u_B).norm(), tolerance);
    EXPECT_LT((swapped.u_B - rates.u_A).norm(), tolerance);
    EXPECT_NEAR(swapped.psi, rates.psi, tolerance);
    EXPECT_NEAR(swapped.gap, rates.gap, tolerance);
    expect_near(swapped.N, -rates.N, tolerance);
    EXPECT_NEAR(std::remainder(calc_psi<double>({pair.place.B, pair.place.A, 0}) - pair.psi, 2 * kPi), 0, 16 * kEps);
  });
}

/// The element of a surface with all lengths `scale` times as large, on which coordinates keep their numbers.
ContactElement<double> enlarged(ContactElement<double> e, double scale) {
  e.p = e.p * scale;
  e.D *= scale;
  return e;
}

TEST(ContactKinematics, UnitsOfLengthDoNotMatter) {
  const double scale = 1000;
  for_each_regular_pair(39, [&](const TouchingPair& pair, const ContactVelocity<double>& rates, double tolerance) {
    const auto faster = [&](const Motion<double>& m) { return Motion<double>{m.angular, m.linear * scale}; };
    const ContactVelocity<double> again = calc_contact_velocity<double>(
        {enlarged(pair.place.A, scale), enlarged(pair.place.B, scale), pair.place.gap * scale},
        {faster(pair.velocity.A), faster(pair.velocity.B)});
    EXPECT_TRUE(again.is_regular);
    EXPECT_LT((again.u_A - rates.u_A).norm(), tolerance);
    EXPECT_LT((again.u_B - rates.u_B).norm(), tolerance);
    EXPECT_NEAR(again.psi, rates.psi, tolerance);
    EXPECT_NEAR(again.gap / scale, rates.gap, tolerance);
    expect_near(again.travel_A * (1 / scale), rates.travel_A, tolerance);
  });
}

/// The measure of facing_system_internal.h has its closed forms.
TEST(FacingSystem, KnowsHowFarAPairIsFromConforming) {
  const auto is_regular = [](const Surface& A, const Surface& B, const Vector2<double>& u_A, const Vector2<double>& u_B,
                             double psi) {
    const ContactElement<double> e_A = evaluate(A, 0, u_A), e_B = evaluate(B, 0, u_B);
    const FacingElements<double> place{e_A, transform(make_facing_pose(e_A, e_B, psi, 0.0), e_B), 0};
    return internal::FacingSystem<double>(place.A, place.B, 0).is_regular();
  };
  const Vector2<double> u(0.3, 0.2), apart(0.1, -0.8);
  const double limit = std::sqrt(internal::kConformingMeasure<double>);
  // Edges that cross at an angle θ: sin²θ. ψ = π lays one along the other, as 0 does.
  for (const double parallel : {0.0, kPi}) {
    EXPECT_FALSE(is_regular(CylinderSurface{0}, CylinderSurface{0}, u, apart, parallel));
    EXPECT_FALSE(is_regular(CylinderSurface{0}, CylinderSurface{0}, u, apart, parallel + 0.9 * limit));
    EXPECT_TRUE(is_regular(CylinderSurface{0}, CylinderSurface{0}, u, apart, parallel + 1.1 * limit));
    EXPECT_TRUE(is_regular(CylinderSurface{0.3}, CylinderSurface{0}, u, apart, parallel + 1.1 * limit));
  }
  // Ball in a bowl: ((R − r)/(R + r))².
  EXPECT_FALSE(is_regular(SphereSurface{0.4}, SphereSurface{-0.4}, u, u, 1));
  EXPECT_FALSE(is_regular(SphereSurface{0.4}, SphereSurface{-0.4 * (1 + 1.8 * limit)}, u, u, 1));
  EXPECT_TRUE(is_regular(SphereSurface{0.4}, SphereSurface{-0.4 * (1 + 2.2 * limit)}, u, u, 1));
  // On a plane: a ball of any size never conforms, lines and planes always do, a rim does when it lies flat.
  EXPECT_TRUE(is_regular(SphereSurface{1e9}, PlaneSurface{}, u, u, 1));
  EXPECT_TRUE(is_regular(SphereSurface{1e-9}, PlaneSurface{}, u, u, 1));
  EXPECT_TRUE(is_regular(SphereSurface{0}, PlaneSurface{}, u, u, 1));
  EXPECT_FALSE(is_regular(CylinderSurface{0.4}, PlaneSurface{}, u, u, 1));
  EXPECT_FALSE(is_regular(ConeSurface{0.6, 0.8}, PlaneSurface{}, apart, u, 1));
  EXPECT_FALSE(is_regular(PlaneSurface{}, PlaneSurface{}, u, apart, 1));
  EXPECT_TRUE(is_regular(RingSurface{0.5, 0.5, 0}, PlaneSurface{}, u, u, 1));
  EXPECT_FALSE(is_regular(RingSurface{0.5, 0.5, 0}, PlaneSurface{}, {0.3, kPi / 2}, u, 1));
  // Vertices that touch face each other with any normal.
  EXPECT_FALSE(is_regular(SphereSurface{0}, SphereSurface{0}, u, u, 1));
}

/// Conforming pairs: the rates are finite, and satisfy the equations where the motion allows it.
TEST(ContactKinematics, ConformingPairsAreReportedAndMoveConsistently) {
  const auto touch = [](const Surface& A, const Vector2<double>& u_A, const Surface& B, const Vector2<double>& u_B,
                        double psi) {
    const ContactElement<double> e_A = evaluate(A, 0, u_A), e_B = evaluate(B, 0, u_B);
    return FacingElements<double>{e_A, transform(make_facing_pose(e_A, e_B, psi, 0.0), e_B), 0};
  };
  const double r = 0.3;
  // A cylinder that rolls on a plane about its own axis, and slides.
  const FacingElements<double> cylinder = touch(CylinderSurface{r}, {0.7, 0.2}, PlaneSurface{}, {0.1, 0.4}, 0.9);
  const ContactElement<double>& A = cylinder.A;
  const Vec3<double> slide = A.x * 0.4 + A.y * 0.7;
  const ContactVelocity<double> rolling =
      calc_contact_velocity<double>(cylinder, {{A.y * 2.0, slide}, Motion<double>::zero()});
  EXPECT_FALSE(rolling.is_regular);
  expect_near(rolling.travel_B - rolling.travel_A, slide, 16 * kEps);
  EXPECT_NEAR(std::abs(dot(rolling.travel_A, A.x)), 2 * r, 16 * kEps);
  EXPECT_LT(length(rolling.N), 16 * kEps);
  // Face on face, sliding and spinning.
  const FacingElements<double> faces = touch(PlaneSurface{}, {1, 2}, PlaneSurface{}, {0.1, 0.4}, -1.9);
  const ContactVelocity<double> sliding = calc_contact_velocity<double>(
      faces, {{faces.A.n * 3.0, faces.A.x * 0.4 + faces.A.y * 0.7}, Motion<double>::zero()});
  EXPECT_FALSE(sliding.is_regular);
  expect_near(sliding.travel_B - sliding.travel_A, faces.A.x * 0.4 + faces.A.y * 0.7, 16 * kEps);
  EXPECT_NEAR(sliding.psi, 3, 16 * kEps);
  // A motion that would tear them apart still gives finite numbers, second rates included.
  const PairMotion<double> tipping{{{1, 2, 3}, {4, 5, 6}}, Motion<double>::zero()};
  const ContactVelocity<double> torn = calc_contact_velocity<double>(faces, tipping);
  const ElementRates<double> rates_A = calc_element_rates<double>(PlaneSurface{}, 0, {1, 2}, torn.u_A);
  const ElementRates<double> rates_B = calc_element_rates<double>(PlaneSurface{}, 0, {0.1, 0.4}, torn.u_B);
  const ContactAcceleration<double> second =
      calc_contact_acceleration<double>(faces, rates_A, rates_B, tipping, tipping, torn);
  EXPECT_TRUE(torn.u_A.allFinite() && torn.u_B.allFinite() && second.u_A.allFinite() && second.u_B.allFinite());
}

/// Duals carry the derivative by a velocity through the whole of it: rates are linear in the velocities.
TEST(ContactKinematics, RatesOverDualsAreLinearInTheVelocities) {
  Random random(40);
  const TouchingPair pair = make_touching_pair(feature_kinds()[5], feature_kinds()[11], 0.1, random);
  const auto lift = [](const ContactElement<double>& e) {
    ContactElement<Dual4> out;
    out.p = e.p.cast<Dual4>(), out.n = e.n.cast<Dual4>(), out.x = e.x.cast<Dual4>(), out.y = e.y.cast<Dual4>();
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) out.D(i, j) = e.D(i, j), out.N(i, j) = e.N(i, j);
      out.connection(i) = e.connection(i);
    }
    return out;
  };
  const FacingElements<Dual4> place{lift(pair.place.A), lift(pair.place.B), Dual4(pair.place.gap)};
  const auto lift_motion = [](const Motion<double>& m) {
    return Motion<Dual4>{m.angular.cast<Dual4>(), m.linear.cast<Dual4>()};
  };
  PairMotion<Dual4> velocity{lift_motion(pair.velocity.A), lift_motion(pair.velocity.B)};
  velocity.A.angular.y.seed(2, 1);
  const ContactVelocity<Dual4> rates = calc_contact_velocity(place, velocity);
  const PairMotion<double> unit{{{0, 1, 0}, Vec3<double>::zero()}, Motion<double>::zero()};
  const ContactVelocity<double> column = calc_contact_velocity(pair.place, unit);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(rates.u_A(i).gradient()[2], column.u_A(i), 64 * kEps * (1 + column.u_A.norm()));
    EXPECT_NEAR(rates.u_B(i).gradient()[2], column.u_B(i), 64 * kEps * (1 + column.u_B.norm()));
  }
  EXPECT_NEAR(rates.psi.gradient()[2], column.psi, 64 * kEps * (1 + std::abs(column.psi)));
}

TEST(ContactKinematics, FrameIsCarriedByTheSmallestRotation) {
  Random random(41);
  for (int i = 0; i < 100; ++i) {
    const Vec3<double> from = normalized(random.vector(1)), to = normalized(random.vector(1));
    if (dot(from, to) < -0.9) continue;
    const ContactFrame<double> frame = make_contact_frame(from, false), carried = carry_frame(frame, to);
    EXPECT_NEAR(dot(carried.T, carried.U), 0, 16 * kEps);
    expect_near(cross(carried.N, carried.T), carried.U, 16 * kEps);
    // What lies along the axis of rotation stays.
    const Vec3<double> axis = cross(from, to);
    expect_near(express_in(frame, axis), express_in(carried, axis), 64 * kEps);
  }
}

}  // namespace
}  // namespace thenar::contact_kinematics_test
