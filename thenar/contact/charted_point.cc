// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/charted_point.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "thenar/contact/facing_system_internal.h"
#include "thenar/contact/instantiate_internal.h"

namespace thenar {
namespace {

/// Newton's method starts near its goal and doubles its digits: a search that has not ended by then has no goal.
constexpr int kMaxIterations = 50;
/// Longest turn of a normal in one step, rad: charts stay away from their poles, and far starts do not jump.
constexpr double kMaxTurn = 0.4;

/// A rim whose plane is tilted by less against a face (rad) lies flat on it: its lowest point is rounding. One that lay
/// flat before does so until more is left of it than rounding may have added.
constexpr double kFlatRim = 1e-14, kStillFlatRim = 1e-10;

/// |a| as a plain number.
double length_of(double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); }
template <class T>
double size(const Vector2<T>& a) {
  return length_of(static_cast<double>(plain(a(0))), static_cast<double>(plain(a(1))), 0);
}
template <class T>
double size(const Vec3<T>& a) {
  return length_of(static_cast<double>(plain(a.x)), static_cast<double>(plain(a.y)), static_cast<double>(plain(a.z)));
}

/// How far a change of coordinates moves an element: point (m) and normal (rad).
struct Move {
  double length, turn;
};
template <class T>
Move calc_move(const ContactElement<T>& e, const Vector2<T>& du) {
  return {size(Vector2<T>(e.D * du)), size(Vector2<T>(e.N * du))};
}

/// After a step this small (rad, or m relative to the reach) what is left is below rounding, since errors are squared.
template <class T>
double last_step() {
  return static_cast<double>(std::sqrt(std::numeric_limits<internal::PlainNumber<T>>::epsilon())) / 4;
}
/// Derivatives are one step behind the values.
template <class T>
concept HasDerivatives = requires(const T& x) {
  x.gradient();
};
template <class T>
constexpr int kStepsAfterLast = HasDerivatives<T> ? 1 : 0;

/// The element of a point, which is moved to another chart where that is due.
template <class T>
ContactElement<T> evaluate_handed_over(const Surface& surface, ChartedPoint<T>& point) {
  const ContactElement<T> e = evaluate(surface, point.chart, point.u);
  const int chart = pick_chart(surface, e.p, e.n);
  if (chart == point.chart) return e;
  point.chart = chart;
  point.u = chart_coordinates(surface, chart, e.p, e.n);
  return evaluate(surface, chart, point.u);
}

/// r₁ = E_Aᵀ (p_B − p_A) and r₂ = E_Aᵀ n_B: zero where the elements face each other.
template <class T>
struct Residual {
  Vector2<T> r1, r2;
};
template <class T>
Residual<T> calc_residual(const FacingElements<T>& place) {
  const ContactElement<T>&A = place.A, &B = place.B;
  const Vec3<T> w = B.p - A.p;
  return {{dot(A.x, w), dot(A.y, w)}, {dot(A.x, B.n), dot(A.y, B.n)}};
}

/// Whether two elements really face each other, to `limit` (rad, and m relative to `reach`). A small step says so
/// unless the equations were singular, or the normals point the same way.
template <class T>
bool is_facing(const FacingElements<T>& place, double limit, double reach) {
  const Residual<T> residual = calc_residual(place);
  return plain(dot(place.A.n, place.B.n)) < 0 && size(residual.r2) <= limit && size(residual.r1) <= limit * reach;
}

}  // namespace

template <class T>
ChartedPoint<T> make_charted_point(const Surface& surface, int feature, const Vec3<T>& p, const Vec3<T>& n) {
  const int chart = pick_chart(surface, p, n);
  return {feature, chart, chart_coordinates(surface, chart, p, n)};
}

template <class T>
T hand_over(const Surface& surface, ChartedPoint<T>& point) {
  using std::atan2;
  const int chart = point.chart;
  const Vector2<T> u = point.u;
  const ContactElement<T> after = evaluate_handed_over(surface, point);
  if (chart == point.chart) return T(0);
  const ContactElement<T> before = evaluate(surface, chart, u);
  return atan2(dot(after.x, before.y), dot(after.x, before.x));
}

template <class T>
ContactElement<T> transform(const Placement<T>& X, const ContactElement<T>& e) {
  return {X.R * e.p + X.p, X.R * e.n, X.R * e.x, X.R * e.y, e.D, e.N, e.connection};
}

/// Goes on counting angles from those that it had before.
template <class T>
T count_turns(const T& angle, const T& before) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle + T(std::round(static_cast<double>(plain(before) - plain(angle)) / kTurn) * kTurn);
}

/// A ball or a point over a face: the place follows from the normal, without any search. False for other surfaces.
template <class T>
bool find_over_face(const Surface& A, const Surface& B, const Placement<T>& X_AB, ChartedPoint<T>& point_A,
                    ChartedPoint<T>& point_B, FacingElements<T>& place) {
  const bool is_A_ball = std::holds_alternative<SphereSurface>(A), is_B_ball = std::holds_alternative<SphereSurface>(B);
  if (!(is_A_ball && std::holds_alternative<PlaneSurface>(B)) &&
      !(is_B_ball && std::holds_alternative<PlaneSurface>(A)))
    return false;
  // Normals in the axes of their own surfaces, the middle of the ball in those of the face.
  const Vec3<T> middle = is_A_ball ? X_AB.R.transpose_times(-X_AB.p) : X_AB.p;
  const Vec3<T> z{T(0), T(0), T(1)}, n = is_A_ball ? -(X_AB.R * z) : -X_AB.R.transpose_times(z);
  ChartedPoint<T>& on_ball = is_A_ball ? point_A : point_B;
  ChartedPoint<T>& on_face = is_A_ball ? point_B : point_A;
  ChartedPoint<T> found = make_charted_point(is_A_ball ? A : B, on_ball.feature, Vec3<T>::zero(), n);
  if (found.chart == on_ball.chart) found.u(0) = count_turns<T>(found.u(0), on_ball.u(0));
  on_ball = found;
  on_face.u = Vector2<T>(middle.x, middle.y);
  place.A = evaluate(A, point_A.chart, point_A.u);
  place.B = transform(X_AB, evaluate(B, point_B.chart, point_B.u));
  place.gap = dot(place.A.n, place.B.p - place.A.p);
  return true;
}

/// A rim, or a ring, over a face: its place is the one farthest along the face's normal, or the one across, whichever
/// is nearer to the place before. On a rim that lies flat all places are alike: it stays where it was. `place` tells
/// whether it lay flat before. False for other surfaces.
template <class T>
bool find_rim_over_face(const Surface& A, const Surface& B, const Placement<T>& X_AB, ChartedPoint<T>& point_A,
                        ChartedPoint<T>& point_B, FacingElements<T>& place) {
  using std::atan2;
  using std::sqrt;
  const bool is_A_rim = std::holds_alternative<RingSurface>(A);
  const auto* ring = std::get_if<RingSurface>(is_A_rim ? &A : &B);
  if (ring == nullptr || !std::holds_alternative<PlaneSurface>(is_A_rim ? B : A)) return false;
  ChartedPoint<T>&on_rim = is_A_rim ? point_A : point_B, &on_face = is_A_rim ? point_B : point_A;
  const Vec3<T> z{T(0), T(0), T(1)}, n = is_A_rim ? -(X_AB.R * z) : -X_AB.R.transpose_times(z);
  const T tilt2 = n.x * n.x + n.y * n.y;
  const double flat = place.is_flat ? kStillFlatRim : kFlatRim;
  place.is_flat = static_cast<double>(plain(tilt2)) < flat * flat;
  if (!place.is_flat) {
    T s, c, tilt = sqrt(tilt2);
    sincos(on_rim.u(0), s, c);
    const bool is_across = plain(T(ring->b) * c * n.x + T(ring->a) * s * n.y) < 0;
    if (is_across) tilt = -tilt;
    const T side(is_across ? -1 : 1);
    on_rim.u = Vector2<T>(count_turns<T>(atan2(side * T(ring->b) * n.y, side * T(ring->a) * n.x), on_rim.u(0)),
                          count_turns<T>(atan2(n.z, tilt), on_rim.u(1)));
  } else {
    on_rim.u(1) = count_turns<T>(T(std::copysign(std::numbers::pi / 2, static_cast<double>(plain(n.z)))), on_rim.u(1));
  }
  ContactElement<T> rim = evaluate(is_A_rim ? A : B, 0, on_rim.u);
  rim.n = n;  // also where it is flat, to rounding
  const Vec3<T> p = is_A_rim ? X_AB.R.transpose_times(rim.p - X_AB.p) : X_AB.R * rim.p + X_AB.p;  // in the face's frame
  on_face.u = Vector2<T>(p.x, p.y);
  const ContactElement<T> face = evaluate(is_A_rim ? B : A, on_face.chart, on_face.u);
  place.A = is_A_rim ? rim : face;
  place.B = transform(X_AB, is_A_rim ? face : rim);
  place.gap = dot(place.A.n, place.B.p - place.A.p);
  return true;
}

/// Newton's method on r₁ = r₂ = 0, whose first-order change is facing_system_internal.h (1).
template <class T>
FacingStatus find_facing(const Surface& A, const Surface& B, const Placement<T>& X_AB, ChartedPoint<T>& point_A,
                         ChartedPoint<T>& point_B, FacingElements<T>& place) {
  const auto update_place = [&] {
    place.A = evaluate_handed_over(A, point_A);
    place.B = transform(X_AB, evaluate_handed_over(B, point_B));
    place.gap = dot(place.A.n, place.B.p - place.A.p);
  };
  if (find_over_face(A, B, X_AB, point_A, point_B, place)) {
    place.is_flat = false;
    return FacingStatus::found;
  }
  if (find_rim_over_face(A, B, X_AB, point_A, point_B, place)) {
    return place.is_flat ? FacingStatus::conforming : FacingStatus::found;
  }
  place.is_flat = false;
  const double limit = last_step<T>();
  bool is_regular = false;
  double reach = 0;
  update_place();
  for (int steps_left = kMaxIterations; steps_left > 0; --steps_left) {
    const Residual<T> residual = calc_residual(place);
    const internal::FacingSystem<T> system(place.A, place.B, place.gap);
    const internal::PairCoordinates<T> step = system.solve(-residual.r1, -residual.r2);
    is_regular = system.is_regular();

    const Move of_A = calc_move(place.A, step.A), of_B = calc_move(place.B, step.B);
    const double turn = std::max(of_A.turn, of_B.turn), length = std::max(of_A.length, of_B.length);
    const T scale(turn > kMaxTurn ? kMaxTurn / turn : 1);
    point_A.u += step.A * scale;
    point_B.u += step.B * scale;
    update_place();
    reach = size(place.A.p) + size(place.B.p - X_AB.p) + std::abs(static_cast<double>(plain(place.gap)));
    const bool is_small = turn <= limit && length <= limit * reach;
    if (is_small) steps_left = std::min(steps_left, 1 + kStepsAfterLast<T>);
  }
  if (!is_facing(place, limit, reach)) return FacingStatus::failed;
  return is_regular ? FacingStatus::found : FacingStatus::conforming;
}

#define THENAR_INSTANTIATE(T)                                                                              \
  template ChartedPoint<T> make_charted_point(const Surface&, int, const Vec3<T>&, const Vec3<T>&);        \
  template T hand_over(const Surface&, ChartedPoint<T>&);                                                  \
  template ContactElement<T> transform(const Placement<T>&, const ContactElement<T>&);                     \
  template FacingStatus find_facing(const Surface&, const Surface&, const Placement<T>&, ChartedPoint<T>&, \
                                    ChartedPoint<T>&, FacingElements<T>&);
THENAR_FOR_EACH_CONTACT_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
