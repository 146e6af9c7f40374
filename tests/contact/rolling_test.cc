// SPDX-License-Identifier: BSD-3-Clause
//
// Known results of rolling, integrated by Montana's equations with the classical Runge–Kutta method: body A rolls on
// body B, which rests in the world. Coordinates, ψ and the pose of A are integrated side by side and must agree.

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "random_contacts.h"
#include "runge_kutta.h"
#include "thenar/spatial/rotation.h"

namespace thenar::rolling_test {
namespace {

using test::compose;
using test::inverse;
using test::make_facing_pose;
using test::runge_kutta_step;

constexpr double kPi = std::numbers::pi;
/// (h rate)⁴ t with 4000 steps over a motion of a few turns is 1e-11; another factor of ten for its constant.
constexpr double kTolerance = 1e-10;
constexpr int kSteps = 4000;

double length(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }

/// u_A, u_B, ψ, gap, orientation of A (quaternion), position of A.
using RollState = Eigen::Matrix<double, 13, 1>;

class Roller {
 public:
  /// Velocities of A relative to B at the contact: ω_A, and the slip (0 for rolling).
  struct Twist {
    Vec3<double> w;
    Vec3<double> slip = Vec3<double>::zero();
  };
  /// The law of motion: from time, the two elements and the orientation of A.
  using Law = std::function<Twist(double, const FacingElements<double>&, const Mat3<double>&)>;

  Roller(const Surface& A, const ChartedPoint<double>& point_A, const Surface& B, const ChartedPoint<double>& point_B,
         double psi)
      : surface_A_(A), surface_B_(B), point_A_(point_A), point_B_(point_B) {
    const Placement<double> X = pose_of_coordinates(point_A.u, point_B.u, psi, 0);
    y_ << point_A.u, point_B.u, psi, 0, quaternion_from_rotation(X.R.eigen()), X.p.eigen();
  }

  void roll(double duration, const Law& law, int steps = kSteps) {
    const auto rates = [&](double t, const RollState& y) { return calc_rates(t, y, law); };
    const double h = duration / steps;
    for (int i = 0; i < steps; ++i) {
      y_ = runge_kutta_step(rates, i * h, y_, h);
      hand_over_both();
      expect_consistent();
      if (::testing::Test::HasFailure()) return;
    }
  }

  double psi() const { return y_(4); }
  Mat3<double> R() const { return rotation_from_quaternion(y_(6), y_(7), y_(8), y_(9)); }
  Vec3<double> p() const { return {y_(10), y_(11), y_(12)}; }
  Vector2<double> u_A() const { return y_.head<2>(); }
  Vector2<double> u_B() const { return y_.segment<2>(2); }
  /// In the frames of A and B.
  ContactElement<double> element_A() const { return evaluate<double>(surface_A_, point_A_.chart, y_.head<2>()); }
  ContactElement<double> element_B() const { return evaluate<double>(surface_B_, point_B_.chart, y_.segment<2>(2)); }
  int hand_overs() const { return hand_overs_; }

 private:
  /// X_WA that makes the coordinates face each other.
  Placement<double> pose_of_coordinates(const Vector2<double>& u_A, const Vector2<double>& u_B, double psi,
                                        double gap) const {
    const ContactElement<double> e_A = evaluate(surface_A_, point_A_.chart, u_A);
    const ContactElement<double> e_B = evaluate(surface_B_, point_B_.chart, u_B);
    return inverse(make_facing_pose(e_A, e_B, psi, gap));
  }

  RollState calc_rates(double t, const RollState& y, const Law& law) const {
    const ContactElement<double> e_A = evaluate<double>(surface_A_, point_A_.chart, y.head<2>());
    const ContactElement<double> e_B = evaluate<double>(surface_B_, point_B_.chart, y.segment<2>(2));
    const Placement<double> X_WA = inverse(make_facing_pose(e_A, e_B, y(4), y(5)));
    const FacingElements<double> place{transform(X_WA, e_A), e_B, y(5)};
    const Mat3<double> R = rotation_from_quaternion(y(6), y(7), y(8), y(9));
    const Twist twist = law(t, place, R);
    const ContactVelocity<double> rates = calc_contact_velocity(place, {{twist.w, twist.slip}, Motion<double>::zero()});
    EXPECT_TRUE(rates.is_regular);
    // Equal arc speeds, whatever the surfaces: both places run over their surfaces with the same velocity.
    EXPECT_LT(length(rates.travel_B - rates.travel_A - twist.slip), 1e-13 * (1 + length(rates.travel_A)));
    const Vector4<double> turn = multiply_quaternions<double>({0, twist.w.x, twist.w.y, twist.w.z}, y.segment<4>(6));
    const Vec3<double> p_WA{y(10), y(11), y(12)};
    RollState out;
    out << rates.u_A, rates.u_B, rates.psi, rates.gap, turn / 2,
        (twist.slip + cross(twist.w, p_WA - place.A.p)).eigen();
    return out;
  }

  void hand_over_both() {
    point_A_.u = y_.head<2>(), point_B_.u = y_.segment<2>(2);
    const int charts = 10 * point_A_.chart + point_B_.chart;
    y_(4) += hand_over(surface_A_, point_A_) + hand_over(surface_B_, point_B_);
    y_.head<2>() = point_A_.u, y_.segment<2>(2) = point_B_.u;
    hand_overs_ += charts != 10 * point_A_.chart + point_B_.chart ? 1 : 0;
    y_.segment<4>(6).normalize();
  }

  /// The pose that the twist gives A is the one that its contact coordinates give it.
  void expect_consistent() {
    const Placement<double> X = pose_of_coordinates(y_.head<2>(), y_.segment<2>(2), y_(4), y_(5));
    EXPECT_LT(length(X.p - p()), kTolerance);
    EXPECT_LT((X.R.eigen() - R().eigen()).norm(), kTolerance);
  }

  Surface surface_A_, surface_B_;
  ChartedPoint<double> point_A_, point_B_;
  RollState y_;
  int hand_overs_ = 0;
};

/// A closed curve on the unit sphere, with its velocity.
struct SphereCurve {
  std::function<Vec3<double>(double)> point, velocity;
  double duration;
};

/// Rolls a ball on a plane so that the contact runs along the curve on the ball: ω ⊥ n and ω × n = −R ṅ.
Roller::Law follow(const SphereCurve& curve) {
  return [curve](double t, const FacingElements<double>& place, const Mat3<double>& R) {
    return Roller::Twist{-cross(place.A.n, R * curve.velocity(t))};
  };
}

/// ψ changes by less the solid angle on the left of the curve (Gauss–Bonnet), and the ball comes back turned about the
/// normal by it. Returns how often charts changed.
int expect_solid_angle(const std::vector<SphereCurve>& pieces, double solid_angle) {
  const double r = 0.3;
  const SphereSurface ball{r};
  const Vec3<double> n = pieces.front().point(0);
  Roller roller(ball, make_charted_point<double>(ball, 0, n * r, n), PlaneSurface{}, {0, 0, {0.2, -0.1}}, 0.7);
  const Mat3<double> R_start = roller.R();
  for (const SphereCurve& piece : pieces) roller.roll(piece.duration, follow(piece));
  const SphereCurve& last = pieces.back();
  EXPECT_LT(length(last.point(last.duration) - n), 1e-14) << "the curve is not closed";
  EXPECT_LT(length(roller.element_A().n - n), kTolerance);
  EXPECT_NEAR(std::remainder(roller.psi() - 0.7 + solid_angle, 2 * kPi), 0, kTolerance);
  const Matrix3<double> turned = rotation_about_axis({0, 0, 1}, solid_angle) * R_start.eigen();
  EXPECT_LT((roller.R().eigen() - turned).norm(), kTolerance);
  return roller.hand_overs();
}

/// The circle at the angle `opening` from the unit vector `axis`, once around, counter-clockwise seen from outside.
SphereCurve make_circle(const Vec3<double>& axis, double opening) {
  Vec3<double> x, y;
  complete_frame(axis, x, y);
  const double s = std::sin(opening), c = std::cos(opening);
  return {[=](double t) { return axis * c + (x * std::cos(t) + y * std::sin(t)) * s; },
          [=](double t) { return (y * std::cos(t) - x * std::sin(t)) * s; }, 2 * kPi};
}

TEST(Rolling, CircleOnBallTurnsItByItsSolidAngle) {
  test::Random random(61);
  int hand_overs = 0;
  for (const double opening : {0.2, 0.7, kPi / 2, 2.5}) {
    for (int i = 0; i < 3; ++i) {
      const Vec3<double> axis = normalized(random.vector(1));
      hand_overs += expect_solid_angle({make_circle(axis, opening)}, 2 * kPi * (1 - std::cos(opening)));
    }
  }
  EXPECT_GT(hand_overs, 10);
}

/// The great arc from a to b, orthogonal unit vectors.
SphereCurve make_quarter(const Vec3<double>& a, const Vec3<double>& b) {
  return {[=](double t) { return a * std::cos(t) + b * std::sin(t); },
          [=](double t) { return b * std::cos(t) - a * std::sin(t); }, kPi / 2};
}

TEST(Rolling, OctantOfBallTurnsItByARightAngle) {
  // Away from the axes of the charts, and along them.
  const Matrix3<double> R = rotation_from_rpy({0.3, -0.5, 0.8});
  for (const Matrix3<double>& frame : {R, Matrix3<double>(Matrix3<double>::Identity())}) {
    const Vec3<double> x(Vector3<double>(frame.col(0))), y(Vector3<double>(frame.col(1))),
        z(Vector3<double>(frame.col(2)));
    expect_solid_angle({make_quarter(x, y), make_quarter(y, z), make_quarter(z, x)}, kPi / 2);
  }
}

/// A curve with wobbles around the z axis of the ball; its solid angle ∮ (1 − cos θ) dφ by the rectangle rule, which is
/// exact to rounding for such periodic functions.
TEST(Rolling, WobblyCurveOnBallTurnsItByItsSolidAngle) {
  const auto theta = [](double t) { return 0.8 + 0.3 * std::cos(3 * t) + 0.1 * std::sin(5 * t); };
  const auto theta_rate = [](double t) { return -0.9 * std::sin(3 * t) + 0.5 * std::cos(5 * t); };
  const SphereCurve curve{[=](double t) {
                            return Vec3<double>(std::sin(theta(t)) * std::cos(t), std::sin(theta(t)) * std::sin(t),
                                                std::cos(theta(t)));
                          },
                          [=](double t) {
                            const double s = std::sin(theta(t)), c = std::cos(theta(t)), rate = theta_rate(t);
                            return Vec3<double>(c * rate * std::cos(t) - s * std::sin(t),
                                                c * rate * std::sin(t) + s * std::cos(t), -s * rate);
                          },
                          2 * kPi};
  double solid_angle = 0;
  const int n = 200;
  for (int i = 0; i < n; ++i) solid_angle += (1 - std::cos(theta(2 * kPi * i / n))) * 2 * kPi / n;
  EXPECT_GT(expect_solid_angle({curve}, solid_angle), 0);
}

/// Rolling over a table by d (m) in direction e turns a ball about z × e by |d|/r. A rectangle brings the ball back,
/// but not its orientation: the product of four such turns.
TEST(Rolling, BallAroundRectangleOnTable) {
  const double r = 0.25;
  const SphereSurface ball{r};
  for (const auto& [a, b] : {std::pair{0.7, 0.4}, std::pair{kPi / 2 * r, kPi / 2 * r}, std::pair{1.9, 0.1}}) {
    Roller roller(ball, {0, 0, {0.4, -0.3}}, PlaneSurface{}, {0, 0, {0, 0}}, 0.2);
    Matrix3<double> expected = roller.R().eigen();
    const Vec3<double> start = roller.p();
    const std::array<Vec3<double>, 4> sides{Vec3<double>{a, 0, 0}, {0, b, 0}, {-a, 0, 0}, {0, -b, 0}};
    for (const Vec3<double>& side : sides) {
      const Vec3<double> w = cross(Vec3<double>{0, 0, 1}, side) * (1 / r);
      roller.roll(1, [&](double, const FacingElements<double>&, const Mat3<double>&) { return Roller::Twist{w}; });
      expected = rotation_about_axis(w.eigen().normalized(), length(w)) * expected;
    }
    EXPECT_LT(roller.u_B().norm(), kTolerance);
    EXPECT_LT(length(roller.p() - start), kTolerance);
    EXPECT_LT((roller.R().eigen() - expected).norm(), kTolerance);
    // The contact on the ball is where its frame sees the table.
    const Vec3<double> down(Vector3<double>(-expected.transpose().col(2)));
    EXPECT_LT(length(roller.element_A().n - down), kTolerance);
  }
}

/// Rolls without spin so that the contact point moves with unit speed along a direction of the tangent plane: A turns
/// as much as both normals bend along it, (K_A + K̃_B) of the direction.
Roller::Law roll_along(const std::function<Vec3<double>(double, const ContactElement<double>&)>& direction) {
  return [direction](double t, const FacingElements<double>& place, const Mat3<double>&) {
    const Vec3<double> e = direction(t, place.B);
    const auto normal_change = [&](const ContactElement<double>& element) {
      const Vector2<double> in_frame(dot(element.x, e), dot(element.y, e));
      const Vector2<double> change = calc_forms(element).curvature * in_frame;
      return element.x * change(0) + element.y * change(1);
    };
    // n_A must turn as −n_B: ω × n_A = −(dn_A + dn_B), ω ⊥ n_A.
    const Vec3<double> turn = normal_change(place.A) + normal_change(place.B);
    return Roller::Twist{-cross(place.A.n, turn)};
  };
}

/// A ball of radius r once around the great circle of a ball of radius R turns (R + r)/r times: the coin paradox.
TEST(Rolling, BallAroundBallTurnsOnceMore) {
  const double R = 0.7, r = 0.23;
  // Around a circle through both charts of the fixed ball.
  const Vec3<double> axis = normalized(Vec3<double>{0.3, 0.9, 0.2});
  const Vec3<double> n = normalized(cross(axis, Vec3<double>{1, 0, 0}));
  const SphereSurface fixed{R}, ball{r};
  Roller roller(ball, {0, 0, {0.4, -0.3}}, fixed, make_charted_point<double>(fixed, 0, n * R, n), 0.5);
  const Matrix3<double> start = roller.R().eigen();
  roller.roll(2 * kPi * R,
              roll_along([&](double, const ContactElement<double>& B) { return normalized(cross(axis, B.n)); }), 20000);
  EXPECT_LT(length(roller.element_B().n - n), kTolerance);
  const Matrix3<double> expected = rotation_about_axis(axis.eigen(), 2 * kPi * (R + r) / r) * start;
  EXPECT_LT((roller.R().eigen() - expected).norm(), kTolerance);
  EXPECT_GT(roller.hand_overs(), 4);
}

/// In a bowl of radius R the ball turns backwards, by (R − r)/r of the way its centre goes around.
TEST(Rolling, BallInBowlTurnsBackwards) {
  const double R = 0.9, r = 0.2;
  const Vec3<double> axis = normalized(Vec3<double>{0.2, 0.5, -0.8});
  const Vec3<double> out = normalized(cross(axis, Vec3<double>{0, 1, 0}));
  const SphereSurface bowl{-R}, ball{r};
  Roller roller(ball, {0, 0, {0.4, -0.3}}, bowl, make_charted_point<double>(bowl, 0, out * R, -out), 0.5);
  const Matrix3<double> start = roller.R().eigen();
  const double way = 1.3;  // rad around the bowl
  roller.roll(way * R, roll_along([&](double, const ContactElement<double>& B) { return cross(axis, -B.n); }));
  const Vec3<double> end(Vector3<double>(rotation_about_axis(axis.eigen(), way) * out.eigen()));
  EXPECT_LT(length(roller.element_B().p - end * R), kTolerance);
  EXPECT_LT(length(roller.p() - end * (R - r)), kTolerance);
  const Matrix3<double> expected = rotation_about_axis(axis.eigen(), -way * (R - r) / r) * start;
  EXPECT_LT((roller.R().eigen() - expected).norm(), kTolerance);
}

/// Without spin the geodesic curvature of the track is the same on both bodies: a ball that rolls around a parallel of
/// a bowl draws a circle, with cot(opening)/r = cot(opening')/R.
TEST(Rolling, WithoutSpinGeodesicCurvatureIsTheSameOnBothBodies) {
  const double R = 1.0, r = 0.3, opening = 0.6;
  const SphereSurface bowl{-R}, ball{r};
  const Vec3<double> up{0, 0, 1}, out{std::sin(opening), 0, -std::cos(opening)};
  Roller roller(ball, {0, 0, {0.4, -0.3}}, bowl, make_charted_point<double>(bowl, 0, out * R, -out), 0.5);
  const Roller::Law law =
      roll_along([&](double, const ContactElement<double>& B) { return normalized(cross(up, -B.n)); });
  // The track on the ball: circumscribe three of its points, then check the others.
  std::vector<Vec3<double>> track;
  const double ring = 2 * kPi * R * std::sin(opening);
  for (int i = 0; i < 20; ++i) {
    track.push_back(roller.element_A().p);
    roller.roll(ring / 20, law, 400);
  }
  EXPECT_LT(length(roller.element_B().p - out * R), kTolerance);
  const Vec3<double> axis = normalized(cross(track[2] - track[0], track[4] - track[0]));
  const double height = dot(axis, track[0]);
  for (const Vec3<double>& p : track) EXPECT_NEAR(dot(axis, p), height, kTolerance);
  const double circle = std::acos(std::abs(height) / r);
  EXPECT_NEAR(1 / std::tan(circle) / r, 1 / std::tan(opening) / R, 10 * kTolerance);
}

/// A plane rolls over an ellipsoid along a principal ellipse, which is a geodesic: the contact draws a straight line on
/// the plane, as long as the arc of the ellipse, and the plane turns by the angle between the normals.
TEST(Rolling, PlaneOverEllipsoidUnrollsItsEllipse) {
  const double a = 0.6, b = 0.35, c = 0.45;
  const EllipsoidSurface ellipsoid{{a, b, c}};
  // In the x-z plane of the ellipsoid, from the latitude 0.1 over the pole region, hence through both charts.
  const auto point = [&](double t) { return Vec3<double>{a * std::cos(t), 0, c * std::sin(t)}; };
  const auto speed = [&](double t) { return std::hypot(a * std::sin(t), c * std::cos(t)); };
  const double t0 = 0.1, t1 = 2.2;
  // Simpson's rule, error 1e-14 with 2000 intervals.
  double arc = 0;
  const int n = 2000;
  for (int i = 0; i < n; ++i) {
    const double h = (t1 - t0) / n, t = t0 + i * h;
    arc += h / 6 * (speed(t) + 4 * speed(t + h / 2) + speed(t + h));
  }
  const Vec3<double> start = point(t0);
  const Vec3<double> n_start = normalized(Vec3<double>{start.x / (a * a), 0, start.z / (c * c)});
  Roller roller(PlaneSurface{}, {0, 0, {0.3, 0.2}}, ellipsoid, make_charted_point<double>(ellipsoid, 0, start, n_start),
                0.4);
  const Matrix3<double> R_start = roller.R().eigen();
  const Vec3<double> side{0, 1, 0};
  roller.roll(arc, roll_along([&](double, const ContactElement<double>& B) { return cross(side, B.n) * -1.0; }), 20000);
  const Vec3<double> end = point(t1);
  EXPECT_LT(length(roller.element_B().p - end), kTolerance);
  EXPECT_GT(roller.hand_overs(), 0);
  // On the plane: straight, the same length.
  EXPECT_NEAR((roller.u_A() - Vector2<double>(0.3, 0.2)).norm(), arc, kTolerance);
  // Turn of the plane: angle between the normals about −y.
  const Vec3<double> n_end = normalized(Vec3<double>{end.x / (a * a), 0, end.z / (c * c)});
  const double angle = std::atan2(n_end.z, n_end.x) - std::atan2(n_start.z, n_start.x);
  const Matrix3<double> expected = rotation_about_axis({0, -1, 0}, angle) * R_start;
  EXPECT_LT((roller.R().eigen() - expected).norm(), kTolerance);
}

/// Spin about the normal turns ψ and nothing else; sliding carries both coordinates.
TEST(Rolling, SpinTurnsPsiAlone) {
  const SphereSurface ball{0.3};
  Roller roller(ball, {0, 0, {0.4, -0.3}}, PlaneSurface{}, {0, 0, {0.2, 0.1}}, 0.5);
  const Vector2<double> u_A = roller.u_A(), u_B = roller.u_B();
  roller.roll(2, [](double, const FacingElements<double>& place, const Mat3<double>&) {
    return Roller::Twist{place.A.n * 1.5};
  });
  EXPECT_LT((roller.u_A() - u_A).norm(), kTolerance);
  EXPECT_LT((roller.u_B() - u_B).norm(), kTolerance);
  EXPECT_NEAR(roller.psi(), 0.5 + 3, kTolerance);
}

}  // namespace
}  // namespace thenar::rolling_test
