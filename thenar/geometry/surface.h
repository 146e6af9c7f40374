// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Smooth surfaces: the faces, edges and vertices that shapes are made of, each in a frame F of its own.
///
/// | surface            | set of points                        | radius 0      | chart u                         |
/// |--------------------|--------------------------------------|---------------|---------------------------------|
/// | `SphereSurface`    | origin ⊕ r (r < 0: a hollow ball)    | vertex        | longitude, latitude             |
/// | `CylinderSurface`  | z axis ⊕ r                           | straight edge | angle about z, z                |
/// | `RingSurface`      | ellipse in the x-y plane ⊕ r         | rim           | angle of the ellipse, of n      |
/// | `ConeSurface`      | side of a cone, apex at the origin   | –             | angle about z, −slant           |
/// | `PlaneSurface`     | x-y plane, normal z                  | –             | x, y                            |
/// | `EllipsoidSurface` | semi-axes along x, y, z              | –             | longitude, latitude of A⁻¹ p    |
/// | `CapsuleSurface`   | segment on the z axis ⊕ r            | –             | of the cylinder or of a ball    |
///
/// ("⊕ r": all points at distance r, with the normal pointing away.) A torus is a ring whose ellipse is a circle
/// (make_torus_surface()). A capsule is a cylinder and two balls; its normal is continuous, its curvature jumps at the
/// seams.
///
/// Laws of the concept `SmoothSurface`, tested for every model (tests/geometry/surface_test.cc), with
/// e = evaluate(chart, u):
///   1. e.n, e.x, e.y are orthonormal and right-handed; e.D, e.N, e.connection are the derivatives that
///      contact_element.h says, and n · dp = 0.
///   2. N D⁻¹ is symmetric wherever D is invertible; Dᵀ N is symmetric everywhere.
///   3. chart_coordinates(chart, e.p, e.n) = u (angles up to 2π).
///   4. snap(e.p, e.n) is the same point and normal, in some frame, with its own local coordinates.
///   5. pick_chart(p, n) names a chart that is regular there. Where charts have poles (sphere-like surfaces, which need
///      two of them) the latitude is within 45°, so that det D is at least 0.7 of its value on the chart's equator.
///   6. Charts that overlap have the same p and n there, and the same curvature as a tensor on the tangent plane.
///   7. With the forms (δ₁, δ₂) = D du, (ν₁, ν₂) = N du and γ = connection · du: dδ₁ = γ ∧ δ₂, dδ₂ = −γ ∧ δ₁ (γ follows
///      from the metric), the same for ν (Codazzi), and dγ = −ν₁ ∧ ν₂ = −det(curvature) dA (Gauss).
///
/// Evaluation is a template over the scalar: double, long double, duals.

#include <concepts>
#include <variant>

#include "thenar/base/sincos.h"
#include "thenar/geometry/contact_element.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {

/// Laws: see the top of the file.
template <class S>
concept SmoothSurface = requires(const S& s, int chart, const Vector2<double>& u, const Vec3<double>& p,
                                 const Vec3<double>& n) {
  { s.chart_count() } -> std::same_as<int>;
  { s.pick_chart(p, n) } -> std::same_as<int>;
  { s.evaluate(chart, u) } -> std::same_as<ContactElement<double>>;
  { s.chart_coordinates(chart, p, n) } -> std::same_as<Vector2<double>>;
  { s.snap(p, n) } -> std::same_as<ContactElement<double>>;
};

namespace internal {

/// Elements whose second coordinate runs along a meridian: D and N are diagonal, and only x turns.
template <class T>
ContactElement<T> make_diagonal(const Vec3<T>& p, const Vec3<T>& n, const Vec3<T>& x, const Vec3<T>& y, T d1, T d2,
                                T n1, T n2, T connection1) {
  ContactElement<T> e{p, n, x, y, {}, {}, {}};
  e.D << d1, T(0), T(0), d2;
  e.N << n1, T(0), T(0), n2;
  e.connection << connection1, T(0);
  return e;
}

/// (x, y)/|(x, y)|, or (1, 0) when both are zero.
template <class T>
Vector2<T> direction_of(const T& x, const T& y) {
  using std::sqrt;
  const T length2 = x * x + y * y;
  if (!(plain(length2) > 0)) return {T(1), T(0)};
  const T inverse = T(1) / sqrt(length2);
  return {x * inverse, y * inverse};
}

/// Sphere-like surfaces have two charts of longitude and latitude: chart 0 with poles on z, chart 1 with poles on x
/// (axes renamed x → y → z → x). to_chart() turns surface axes into chart axes, from_chart() turns them back.
template <class T>
Vec3<T> to_chart(int chart, const Vec3<T>& a) {
  return chart == 0 ? a : Vec3<T>{a.y, a.z, a.x};
}
template <class T>
Vec3<T> from_chart(int chart, const Vec3<T>& a) {
  return chart == 0 ? a : Vec3<T>{a.z, a.x, a.y};
}

}  // namespace internal

/// The points at distance |radius| of the origin. radius > 0: a ball; 0: a vertex; < 0: a hollow ball, whose body is
/// outside and whose normal points to the centre.
struct SphereSurface {
  double radius = 0;

  int chart_count() const { return 2; }

  /// Chart 0 up to latitudes of 45°, so that neither is near its poles.
  template <class T>
  int pick_chart(const Vec3<T>&, const Vec3<T>& n) const {
    return plain(n.z) * plain(n.z) <= plain(n.x) * plain(n.x) + plain(n.y) * plain(n.y) ? 0 : 1;
  }

  template <class T>
  ContactElement<T> evaluate(int chart, const Vector2<T>& u) const {
    T s1, c1, s2, c2;
    sincos(u(0), s1, c1);
    sincos(u(1), s2, c2);
    const auto turn = [chart](const Vec3<T>& a) { return internal::from_chart(chart, a); };
    const Vec3<T> n = turn({c2 * c1, c2 * s1, s2});
    ContactElement<T> e = internal::make_diagonal<T>(Vec3<T>::zero(), n, turn({-s1, c1, T(0)}),
                                                     turn({-s2 * c1, -s2 * s1, c2}), T(0), T(0), c2, T(1), s2);
    e.grow(T(radius));
    return e;
  }

  template <class T>
  Vector2<T> chart_coordinates(int chart, const Vec3<T>&, const Vec3<T>& n) const {
    using std::atan2, std::sqrt;
    const Vec3<T> m = internal::to_chart(chart, n);
    return {atan2(m.y, m.x), atan2(m.z, sqrt(m.x * m.x + m.y * m.y))};
  }

  template <class T>
  ContactElement<T> snap(const Vec3<T>&, const Vec3<T>& near_n) const {
    ContactElement<T> e;
    e.p = Vec3<T>::zero();
    e.n = normalized(near_n);
    complete_frame(e.n, e.x, e.y);
    e.D.setZero();
    e.N.setIdentity();
    e.connection.setZero();  // of the frame that is carried along, not of the one complete_frame() gives elsewhere
    e.grow(T(radius));
    return e;
  }
};

/// The points at distance `radius` of the z axis; 0: a straight edge.
struct CylinderSurface {
  double radius = 0;

  int chart_count() const { return 1; }
  template <class T>
  int pick_chart(const Vec3<T>&, const Vec3<T>&) const {
    return 0;
  }

  template <class T>
  ContactElement<T> evaluate(int, const Vector2<T>& u) const {
    T s, c;
    sincos(u(0), s, c);
    return make(c, s, u(1));
  }

  template <class T>
  Vector2<T> chart_coordinates(int, const Vec3<T>& p, const Vec3<T>& n) const {
    using std::atan2;
    return {atan2(n.y, n.x), p.z};
  }

  template <class T>
  ContactElement<T> snap(const Vec3<T>& near_p, const Vec3<T>& near_n) const {
    const Vector2<T> c = internal::direction_of(near_n.x, near_n.y);
    return make(c(0), c(1), near_p.z);
  }

 private:
  template <class T>
  ContactElement<T> make(const T& c, const T& s, const T& z) const {
    const Vec3<T> n{c, s, T(0)}, zero = Vec3<T>::zero();
    return internal::make_diagonal<T>({T(radius) * c, T(radius) * s, z}, n, {-s, c, T(0)}, {zero.x, zero.y, T(1)},
                                      T(radius), T(1), T(1), T(0), T(0));
  }
};

/// The points at distance `radius` of an ellipse in the x-y plane with semi-axes a, b > 0 along x, y. radius 0: a rim,
/// of which the normals of all directions across the curve are elements. A torus when a = b.
struct RingSurface {
  double a = 0, b = 0;
  double radius = 0;

  int chart_count() const { return 1; }
  template <class T>
  int pick_chart(const Vec3<T>&, const Vec3<T>&) const {
    return 0;
  }

  template <class T>
  ContactElement<T> evaluate(int, const Vector2<T>& u) const {
    T s1, c1, s2, c2;
    sincos(u(0), s1, c1);
    sincos(u(1), s2, c2);
    return make(c1, s1, c2, s2);
  }

  template <class T>
  Vector2<T> chart_coordinates(int, const Vec3<T>& p, const Vec3<T>& n) const {
    using std::atan2;
    const Vec3<T> curve = p - n * T(radius);
    const T angle = atan2(T(a) * curve.y, T(b) * curve.x);
    T s, c;
    sincos(angle, s, c);
    const Vector2<T> m = internal::direction_of(T(b) * c, T(a) * s);
    return {angle, atan2(n.z, n.x * m(0) + n.y * m(1))};
  }

  /// The nearest point in the sense of the chart: the angle of the curve is that of near_p − r near_n, scaled.
  template <class T>
  ContactElement<T> snap(const Vec3<T>& near_p, const Vec3<T>& near_n) const {
    const Vec3<T> curve = near_p - near_n * T(radius);
    const Vector2<T> c = internal::direction_of(curve.x * T(b), curve.y * T(a));
    const Vector2<T> m = internal::direction_of(T(b) * c(0), T(a) * c(1));
    const Vector2<T> d = internal::direction_of(near_n.x * m(0) + near_n.y * m(1), near_n.z);
    return make(c(0), c(1), d(0), d(1));
  }

 private:
  /// With t the unit tangent of the curve, m its outward normal in the plane, κ its curvature and n = c₂ m + s₂ z:
  /// ds = |c'| du₁, dt = −κ m ds, dm = κ t ds.
  template <class T>
  ContactElement<T> make(const T& c1, const T& s1, const T& c2, const T& s2) const {
    using std::sqrt;
    const T speed = sqrt(T(a) * T(a) * s1 * s1 + T(b) * T(b) * c1 * c1);  // |c'|
    const T inverse = T(1) / speed;
    const Vec3<T> m{T(b) * c1 * inverse, T(a) * s1 * inverse, T(0)}, t{-m.y, m.x, T(0)}, z{T(0), T(0), T(1)};
    const T turn = T(a) * T(b) * inverse * inverse;  // κ |c'|
    ContactElement<T> e = internal::make_diagonal<T>({T(a) * c1, T(b) * s1, T(0)}, m * c2 + z * s2, t, z * c2 - m * s2,
                                                     speed, T(0), turn * c2, T(1), turn * s2);
    e.grow(T(radius));
    return e;
  }
};

/// The surface of a torus around z: all points at distance `tube` of a circle, tube < radius.
inline RingSurface make_torus_surface(double radius, double tube) { return {radius, radius, tube}; }

/// The side of a cone around z with its apex at the origin, opening downwards. The second coordinate is −slant: the
/// distance from the apex, negative, so that it grows upwards.
struct ConeSurface {
  double sine = 0, cosine = 1;  ///< of the angle between axis and side, in (0, 90°)

  int chart_count() const { return 1; }
  template <class T>
  int pick_chart(const Vec3<T>&, const Vec3<T>&) const {
    return 0;
  }

  template <class T>
  ContactElement<T> evaluate(int, const Vector2<T>& u) const {
    T s, c;
    sincos(u(0), s, c);
    return make(c, s, u(1));
  }

  template <class T>
  Vector2<T> chart_coordinates(int, const Vec3<T>& p, const Vec3<T>& n) const {
    using std::atan2;
    const T angle = atan2(n.y, n.x);
    T s, c;
    sincos(angle, s, c);
    return {angle, T(cosine) * p.z - T(sine) * (p.x * c + p.y * s)};
  }

  template <class T>
  ContactElement<T> snap(const Vec3<T>& near_p, const Vec3<T>& near_n) const {
    const Vector2<T> c = internal::direction_of(near_n.x, near_n.y);
    return make(c(0), c(1), T(cosine) * near_p.z - T(sine) * (near_p.x * c(0) + near_p.y * c(1)));
  }

 private:
  template <class T>
  ContactElement<T> make(const T& c, const T& s, const T& slant) const {
    const Vec3<T> y{-T(sine) * c, -T(sine) * s, T(cosine)};
    return internal::make_diagonal<T>(y * slant, {T(cosine) * c, T(cosine) * s, T(sine)}, {-s, c, T(0)}, y,
                                      -T(sine) * slant, T(1), T(cosine), T(0), T(sine));
  }
};

/// The x-y plane with normal z.
struct PlaneSurface {
  int chart_count() const { return 1; }
  template <class T>
  int pick_chart(const Vec3<T>&, const Vec3<T>&) const {
    return 0;
  }
  template <class T>
  ContactElement<T> evaluate(int, const Vector2<T>& u) const {
    const T one(1), zero(0);
    return internal::make_diagonal<T>({u(0), u(1), zero}, {zero, zero, one}, {one, zero, zero}, {zero, one, zero}, one,
                                      one, zero, zero, zero);
  }
  template <class T>
  Vector2<T> chart_coordinates(int, const Vec3<T>& p, const Vec3<T>&) const {
    return {p.x, p.y};
  }
  template <class T>
  ContactElement<T> snap(const Vec3<T>& near_p, const Vec3<T>&) const {
    return evaluate<T>(0, {near_p.x, near_p.y});
  }
};

/// An ellipsoid. Its charts are those of the unit ball that it is stretched from, p = A s with A = diag(semi-axes);
/// they are not orthogonal, so that D has an entry above its diagonal.
struct EllipsoidSurface {
  Vec3<double> semi_axes = Vec3<double>::zero();

  int chart_count() const { return 2; }

  template <class T>
  int pick_chart(const Vec3<T>& p, const Vec3<T>&) const {
    return SphereSurface().pick_chart(p, unstretch(p));
  }

  template <class T>
  ContactElement<T> evaluate(int chart, const Vector2<T>& u) const {
    T s1, c1, s2, c2;
    sincos(u(0), s1, c1);
    sincos(u(1), s2, c2);
    const auto turn = [chart](const Vec3<T>& a) { return internal::from_chart(chart, a); };
    const Vec3<T> s = turn({c2 * c1, c2 * s1, s2});
    // Derivatives of s: ∂₁, ∂₂, ∂₁∂₁, ∂₁∂₂.
    const Vec3<T> s_1 = turn({-c2 * s1, c2 * c1, T(0)}), s_2 = turn({-s2 * c1, -s2 * s1, c2});
    const Vec3<T> s_11 = turn({-c2 * c1, -c2 * s1, T(0)}), s_12 = turn({s2 * s1, -s2 * c1, T(0)});
    ContactElement<T> e;
    e.p = stretch(s);
    const Vec3<T> m = unstretch(s);  // n |m|
    const T inverse_m = T(1) / norm(m);
    e.n = m * inverse_m;
    const Vec3<T> p_1 = stretch(s_1), p_2 = stretch(s_2), m_1 = unstretch(s_1), m_2 = unstretch(s_2);
    const T length = norm(p_1), inverse = T(1) / length;
    e.x = p_1 * inverse;
    e.y = cross(e.n, e.x);
    e.D << length, dot(e.x, p_2), T(0), dot(e.y, p_2);
    e.N << dot(e.x, m_1) * inverse_m, dot(e.x, m_2) * inverse_m, dot(e.y, m_1) * inverse_m, dot(e.y, m_2) * inverse_m;
    e.connection << dot(e.y, stretch(s_11)) * inverse, dot(e.y, stretch(s_12)) * inverse;
    return e;
  }

  template <class T>
  Vector2<T> chart_coordinates(int chart, const Vec3<T>& p, const Vec3<T>&) const {
    return SphereSurface().chart_coordinates(chart, p, unstretch(p));
  }

  /// Along the ray from the centre. D = 1, so that N is the curvature.
  template <class T>
  ContactElement<T> snap(const Vec3<T>& near_p, const Vec3<T>&) const {
    const Vec3<T> inverse_axes = unstretch(Vec3<T>{T(1), T(1), T(1)});
    const auto shrink = [&inverse_axes](const Vec3<T>& p) {
      return Vec3<T>{p.x * inverse_axes.x, p.y * inverse_axes.y, p.z * inverse_axes.z};
    };
    const Vec3<T> s = normalized(shrink(near_p));
    ContactElement<T> e;
    e.p = stretch(s);
    const Vec3<T> m = shrink(s);
    const T inverse_m = T(1) / norm(m);
    e.n = m * inverse_m;
    complete_frame(e.n, e.x, e.y);
    // n = A⁻² p / |A⁻² p|, so that its derivative along a tangent t is A⁻² t / |A⁻² p|, tangential part.
    const Vec3<T> x = shrink(e.x), y = shrink(e.y);
    const T xy = dot(x, y) * inverse_m;
    e.D.setIdentity();
    e.N << dot(x, x) * inverse_m, xy, xy, dot(y, y) * inverse_m;
    e.connection.setZero();
    return e;
  }

 private:
  template <class T>
  Vec3<T> stretch(const Vec3<T>& s) const {
    return {T(semi_axes.x) * s.x, T(semi_axes.y) * s.y, T(semi_axes.z) * s.z};
  }
  template <class T>
  Vec3<T> unstretch(const Vec3<T>& p) const {
    return {p.x / T(semi_axes.x), p.y / T(semi_axes.y), p.z / T(semi_axes.z)};
  }
};

/// The points at distance `radius` > 0 of the segment |z| ≤ half_length. Chart 0 is that of the side, 1 and 2 are those
/// of the lower ball (SphereSurface's charts 0 and 1), 3 and 4 of the upper one. The Gauss frames of charts 0, 1 and 3
/// agree at the seams, so that ψ passes them without a jump.
struct CapsuleSurface {
  double radius = 0;
  double half_length = 0;

  int chart_count() const { return 5; }

  template <class T>
  int pick_chart(const Vec3<T>& p, const Vec3<T>& n) const {
    const int end = find_end(p);
    if (end == 0) return 0;
    return (end < 0 ? 1 : 3) + ball().pick_chart(p, n);
  }

  template <class T>
  ContactElement<T> evaluate(int chart, const Vector2<T>& u) const {
    if (chart == 0) return side().evaluate(0, u);
    ContactElement<T> e = ball().evaluate(ball_chart(chart), u);
    e.p.z += T(chart < 3 ? -half_length : half_length);
    return e;
  }

  template <class T>
  Vector2<T> chart_coordinates(int chart, const Vec3<T>& p, const Vec3<T>& n) const {
    return chart == 0 ? side().chart_coordinates(0, p, n) : ball().chart_coordinates(ball_chart(chart), p, n);
  }

  template <class T>
  ContactElement<T> snap(const Vec3<T>& near_p, const Vec3<T>& near_n) const {
    const int end = find_end(near_p);
    if (end == 0) return side().snap(near_p, near_n);
    ContactElement<T> e = ball().snap(near_p, near_n);
    e.p.z += T(end * half_length);
    return e;
  }

 private:
  SphereSurface ball() const { return {radius}; }
  CylinderSurface side() const { return {radius}; }
  static int ball_chart(int chart) { return (chart - 1) % 2; }

  /// −1 at the lower end, 1 at the upper, 0 on the side.
  template <class T>
  int find_end(const Vec3<T>& p) const {
    return plain(p.z) > half_length ? 1 : plain(p.z) < -half_length ? -1 : 0;
  }
};

using Surface = std::variant<SphereSurface, CylinderSurface, RingSurface, ConeSurface, PlaneSurface, EllipsoidSurface,
                             CapsuleSurface>;

/// An empty one; StateError if there is no such kind.
inline Surface make_surface_of_kind(unsigned char kind) {
  switch (kind) {
    case 0:
      return SphereSurface{};
    case 1:
      return CylinderSurface{};
    case 2:
      return RingSurface{};
    case 3:
      return ConeSurface{};
    case 4:
      return PlaneSurface{};
    case 5:
      return EllipsoidSurface{};
    case 6:
      return CapsuleSurface{};
    default:
      throw StateError("it holds a surface of a kind that does not exist");
  }
}

/// All kinds consist of doubles alone.
template <class Archive>
void archive_state(Archive& a, Surface& surface) {
  auto kind = static_cast<unsigned char>(surface.index());
  a(kind);
  if constexpr (Archive::kReads) surface = make_surface_of_kind(kind);
  std::visit(
      [&a](auto& s) {
        if constexpr (!std::is_empty_v<std::decay_t<decltype(s)>>) a.bytes(&s, sizeof s);
      },
      surface);
}

/// The functions of the concept for a surface of any kind.
template <class T>
int pick_chart(const Surface& surface, const Vec3<T>& p, const Vec3<T>& n) {
  return std::visit([&](const auto& s) { return s.pick_chart(p, n); }, surface);
}
template <class T>
ContactElement<T> evaluate(const Surface& surface, int chart, const Vector2<T>& u) {
  return std::visit([&](const auto& s) { return s.evaluate(chart, u); }, surface);
}
template <class T>
Vector2<T> chart_coordinates(const Surface& surface, int chart, const Vec3<T>& p, const Vec3<T>& n) {
  return std::visit([&](const auto& s) { return s.chart_coordinates(chart, p, n); }, surface);
}

}  // namespace thenar
