// SPDX-License-Identifier: BSD-3-Clause
#include "reference_core.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thenar::reference {
namespace {

using Form = Constraint::Form;
using V = Vector3<double>;

Constraint linear(const Vec& v, Real offset, bool is_equality = false) {
  return {.form = Form::linear, .is_equality = is_equality, .v = v, .offset = offset};
}

/// −h ≤ x_axis ≤ h, in this order: upper, lower. A side of no length is one equality.
void add_slab(std::vector<Constraint>& all, int axis, Real h) {
  const Vec v = Vec::Unit(axis);
  if (h == 0) {
    all.push_back(linear(v, 0, true));
  } else {
    all.push_back(linear(v, h));
    all.push_back(linear(-v, h));
  }
}

/// A line or point: x = y = 0, |z| ≤ h.
std::vector<Constraint> segment_constraints(Real h) {
  std::vector<Constraint> all = {linear(Vec::UnitX(), 0, true), linear(Vec::UnitY(), 0, true)};
  add_slab(all, 2, h);
  return all;
}

std::vector<Constraint> box_constraints(const Vec& h) {
  std::vector<Constraint> all;
  for (int axis = 0; axis < 3; ++axis) add_slab(all, axis, h(axis));
  return all;
}

Constraint axial(Real offset, Real slope, bool is_equality = false) {
  return {.form = Form::axial, .is_equality = is_equality, .offset = offset, .slope = slope};
}

/// Σ (x_i / a_i)² ≤ 1 over the axes with a_i > 0.
Constraint quadric(const Vec& a) {
  Constraint c{.form = Form::quadric, .offset = std::numeric_limits<Real>::infinity()};
  for (int i = 0; i < 3; ++i) {
    if (a(i) == 0) continue;
    c.v(i) = 1 / (a(i) * a(i));
    c.offset = std::min(c.offset, a(i));
  }
  return c;
}

struct MakeBody {
  Body operator()(const Sphere& s) const { return {Kind::point, Vec::Zero(), s.radius, segment_constraints(0)}; }
  Body operator()(const Ellipsoid& s) const {
    const Vec a = s.semi_axes.cast<Real>();
    return {Kind::ellipsoid, a, 0, {quadric(a)}};
  }
  Body operator()(const Cylinder& s) const {
    const Real r = s.radius, h = Real(s.length) / 2;
    return {Kind::cylinder, {r, r, h}, 0, {axial(r, 0), linear(Vec::UnitZ(), h), linear(-Vec::UnitZ(), h)}};
  }
  Body operator()(const Capsule& s) const {
    const Real h = Real(s.length) / 2;
    return {Kind::segment, {0, 0, h}, s.radius, segment_constraints(h)};
  }
  /// √(x² + y²) ≤ (r / 2h)(h − z), with h half the height.
  Body operator()(const Cone& s) const {
    const Real r = s.radius, h = Real(s.height) / 2, slope = r / (2 * h);
    return {Kind::cone, {r, r, h}, 0, {axial(r / 2, slope), linear(-Vec::UnitZ(), h)}};
  }
  Body operator()(const Box& s) const {
    const Vec h = s.sides.cast<Real>() / 2;
    return {Kind::box, h, 0, box_constraints(h)};
  }
  Body operator()(const RoundedBox& s) const {
    const Vec h = s.sides.cast<Real>() / 2 - Vec::Constant(s.radius);
    return {Kind::box, h, s.radius, box_constraints(h)};
  }
  Body operator()(const Torus& s) const {
    const Real r = s.radius;
    return {Kind::circle, {r, r, 0}, s.tube, {linear(Vec::UnitZ(), 0, true), axial(r, 0, true)}};
  }
  Body operator()(const Rod& s) const {
    const Real h = Real(s.length) / 2;
    return {Kind::segment, {0, 0, h}, 0, segment_constraints(h)};
  }
  Body operator()(const Ellipse& s) const {
    const Vec a(s.a, s.b, 0);
    return {Kind::plate, a, 0, {linear(Vec::UnitZ(), 0, true), quadric(a)}};
  }
  Body operator()(const Plane&) const { return {Kind::half_space, Vec::Zero(), 0, {linear(Vec::UnitZ(), 0)}}; }
  Body operator()(const Bowl& s) const {
    const Real r = s.radius, z = r - Real(s.depth);
    const Constraint hollow{.form = Form::hollow, .v = {0, 0, z}, .offset = r};
    return {Kind::bowl, {r, std::sqrt((r - z) * (r + z)), z}, 0, {linear(Vec::UnitZ(), 0), hollow}};
  }
};

// --- Feet ----------------------------------------------------------------------------------------------------------

/// Active sets of the bodies above, by the order of their constraints.
constexpr unsigned bit(int i) { return 1u << i; }

Foot make_foot(const V& q, const V& p, unsigned bits) {
  Foot foot{p, q - p, (q - p).norm(), {bits, false}};
  if (foot.distance > 0) foot.n /= foot.distance;
  return foot;
}

/// The nearer of two, by how far out it is (or how little in).
const Foot& nearer(const Foot& a, const Foot& b) { return std::abs(a.distance) <= std::abs(b.distance) ? a : b; }

/// On a flat or curved side with outward normal n, at signed distance d.
Foot make_side_foot(const V& q, const V& n, double d, unsigned bits) { return {q - d * n, n, d, {bits, false}}; }

/// Bits of a clamped coordinate: upper or lower slab, whose first bit is `first`.
unsigned slab_bits(double q, double h, int first) { return q >= h ? bit(first) : q <= -h ? bit(first + 1) : 0; }

Foot segment_foot(const Body& body, const V& q) {
  const double h = static_cast<double>(body.size.z());
  const unsigned bits = h == 0 ? 0 : slab_bits(q.z(), h, 2);
  return make_foot(q, {0, 0, std::clamp(q.z(), -h, h)}, bits);
}

Foot box_foot(const Body& body, const V& q) {
  const V h = body.size.cast<double>();
  unsigned bits = 0;
  int first = 0;
  bool is_inside = true;
  Foot inside{V::Zero(), V::Zero(), -std::numeric_limits<double>::infinity(), {}};
  for (int i = 0; i < 3; ++i) {
    if (h(i) == 0) {
      first += 1;
      is_inside = false;
      continue;
    }
    bits |= slab_bits(q(i), h(i), first);
    if (std::abs(q(i)) >= h(i)) is_inside = false;
    const double side = q(i) < 0 ? -1 : 1, d = std::abs(q(i)) - h(i);
    if (d > inside.distance) inside = make_side_foot(q, side * V::Unit(i), d, bit(q(i) < 0 ? first + 1 : first));
    first += 2;
  }
  return is_inside ? inside : make_foot(q, q.cwiseMax(-h).cwiseMin(h), bits);
}

/// The point nearest to q of the ellipsoid (or ellipse, N = 2) with semi-axes a: a_i² q_i / (a_i² + t) with t the root
/// above −m², m the shortest semi-axis, of Σ (a_i q_i / (a_i² + t))² = 1. As 1/√Σ − 1 rises and is concave in t, Newton
/// from the left of the root stays left.
template <int N>
Eigen::Matrix<double, N, 1> find_ellipsoid_foot(const Eigen::Matrix<double, N, 1>& a,
                                                const Eigen::Matrix<double, N, 1>& q) {
  int shortest = 0;
  const double m = a.minCoeff(&shortest);
  const Eigen::Array<double, N, 1> beyond = (a.array() - m) * (a.array() + m);  // a_i² − m²
  double tau = std::max(m * std::abs(q(shortest)), 1e-16 * m * m);              // t + m², exact near the pole
  for (int iteration = 0; iteration < 60; ++iteration) {
    const Eigen::Array<double, N, 1> d = beyond + tau, squares = (a.array() * q.array() / d).square();
    const double sum = squares.sum(), slope = (squares / d).sum();
    if (sum <= 1) break;
    const double step = (std::sqrt(sum) - 1) * sum / slope;
    tau += step;
    if (step <= 1e-16 * tau) break;
  }
  Eigen::Matrix<double, N, 1> p = a.array().square() * q.array() / (beyond + tau);
  // Inside, over the middle of a flat ellipsoid, the root is the pole itself: the rest of the height is m's.
  const double level = p.cwiseQuotient(a).squaredNorm(), own = p(shortest) / m;
  if (level < 1) p(shortest) = std::copysign(m * std::sqrt(1 - level + own * own), q(shortest));
  return p;
}

Foot ellipsoid_foot(const Body& body, const V& q) {
  const V a = body.size.cast<double>();
  const V p = find_ellipsoid_foot<3>(a, q);
  const V n = p.cwiseQuotient(a.cwiseAbs2()).normalized();
  return {p, n, n.dot(q - p), {bit(0), false}};
}

Foot plate_foot(const Body& body, const V& q) {
  const Eigen::Vector2d a = body.size.head<2>().cast<double>(), in_plane = q.head<2>();
  if (in_plane.cwiseQuotient(a).squaredNorm() <= 1) return make_foot(q, {q.x(), q.y(), 0}, 0);
  const Eigen::Vector2d p = find_ellipsoid_foot<2>(a, in_plane);
  return make_foot(q, {p.x(), p.y(), 0}, bit(1));
}

/// Unit vector from the axis towards q; x if q is on it.
V radial(const V& q) {
  const double rho = std::hypot(q.x(), q.y());
  return rho > 0 ? V(q.x() / rho, q.y() / rho, 0) : V::UnitX();
}

Foot cylinder_foot(const Body& body, const V& q) {
  const double r = static_cast<double>(body.size.x()), h = static_cast<double>(body.size.z());
  const V m = radial(q);
  const double rho = std::hypot(q.x(), q.y());
  const unsigned cap = bit(q.z() < 0 ? 2 : 1);
  const V up = q.z() < 0 ? V(0, 0, -1) : V(0, 0, 1);
  const double out = rho - r, above = std::abs(q.z()) - h;
  if (out > 0 && above > 0) return make_foot(q, r * m + h * up, bit(0) | cap);
  return out > above ? make_side_foot(q, m, out, bit(0)) : make_side_foot(q, up, above, cap);
}

Foot cone_foot(const Body& body, const V& q) {
  const double r = static_cast<double>(body.size.x()), h = static_cast<double>(body.size.z());
  const V m = radial(q), rim = r * m - V(0, 0, h), apex(0, 0, h);
  const V along = (apex - rim).normalized(), n = (m * (2 * h) + V(0, 0, r)).normalized();
  const double out = n.dot(q - apex), below = -h - q.z();
  const double on = along.dot(q - rim), slant = (apex - rim).norm();
  if (out <= 0 && below <= 0) {
    return nearer(make_side_foot(q, n, out, bit(0)), make_side_foot(q, {0, 0, -1}, below, bit(1)));
  }
  if (out > 0 && on >= 0 && on <= slant) return make_side_foot(q, n, out, bit(0));
  if (below > 0 && std::hypot(q.x(), q.y()) <= r) return make_side_foot(q, {0, 0, -1}, below, bit(1));
  if (on > slant) {
    Foot foot = make_foot(q, apex, 0);
    foot.set.is_apex = true;
    return foot;
  }
  return make_foot(q, rim, bit(0) | bit(1));
}

Foot bowl_foot(const Body& body, const V& q) {
  const double r = static_cast<double>(body.size.x()), rim = static_cast<double>(body.size.y());
  const V centre = body.hollow_centre().cast<double>();
  const bool is_inside = q.z() <= 0 && (q - centre).norm() >= r;
  const double sign = is_inside ? -1 : 1;
  Foot best = make_foot(q, rim * radial(q), bit(0) | bit(1));
  best.n *= sign;
  best.distance *= sign;
  const auto offer = [&](const Foot& foot) { best = nearer(foot, best); };
  if (std::hypot(q.x(), q.y()) >= rim) offer(make_side_foot(q, {0, 0, 1}, q.z(), bit(0)));
  const V u = (q - centre).normalized();
  if (centre.z() + r * u.z() <= 0) offer(make_side_foot(q, -u, r - (q - centre).norm(), bit(1)));
  return best;
}

}  // namespace

Constraint::Values Constraint::evaluate(const Vec& x) const {
  switch (form) {
    case Form::linear:
      return {v.dot(x) - offset, v, Matrix3<Real>::Zero()};
    case Form::quadric: {
      const Vec vx = v.cwiseProduct(x);
      return {(vx.dot(x) - 1) * offset / 2, vx * offset, Matrix3<Real>((v * offset).asDiagonal())};
    }
    case Form::axial: {
      const Real rho = std::hypot(x.x(), x.y());
      const Vec m(x.x() / rho, x.y() / rho, 0), t(-m.y(), m.x(), 0);
      return {rho + slope * x.z() - offset, m + slope * Vec::UnitZ(), t * t.transpose() / rho};
    }
    case Form::hollow:
      break;
  }
  const Real distance = (x - v).norm();
  const Vec u = (x - v) / distance;
  return {offset - distance, -u, (u * u.transpose() - Matrix3<Real>::Identity()) / distance};
}

Real Body::extent() const {
  switch (kind) {
    case Kind::cylinder:
    case Kind::cone:
      return std::hypot(size.x(), size.z());
    case Kind::box:
      return size.norm();
    default:
      return size.maxCoeff();
  }
}

std::vector<Constraint> Body::active_constraints(const ActiveSet& set) const {
  if (set.is_apex) {
    return {linear(Vec::UnitX(), 0, true), linear(Vec::UnitY(), 0, true), linear(Vec::UnitZ(), size.z(), true)};
  }
  std::vector<Constraint> all;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].is_equality || set.has(static_cast<int>(i))) all.push_back(constraints[i]);
  }
  return all;
}

Body make_body(const Shape& shape) { return std::visit(MakeBody(), shape); }

template <class T>
Vector3<T> support(const Body& body, const Vector3<T>& d) {
  const Vector3<T> s = body.size.cast<T>();
  const auto ends = [](T x, T h) { return x < 0 ? -h : h; };
  const T rho = std::sqrt(d.x() * d.x() + d.y() * d.y());
  const auto round = [&](T r, T z) {
    return rho > 0 ? Vector3<T>(r * d.x() / rho, r * d.y() / rho, z) : Vector3<T>(0, 0, z);
  };
  switch (body.kind) {
    case Kind::segment:
      return {0, 0, ends(d.z(), s.z())};
    case Kind::box:
      return {ends(d.x(), s.x()), ends(d.y(), s.y()), ends(d.z(), s.z())};
    case Kind::ellipsoid:
    case Kind::plate: {
      const Vector3<T> sd = s.cwiseProduct(d);
      const T length = sd.norm();
      return length > 0 ? Vector3<T>(s.cwiseProduct(sd) / length) : Vector3<T>::Zero();
    }
    case Kind::cylinder:
      return round(s.x(), ends(d.z(), s.z()));
    case Kind::cone:
      // The tip rather than the rim: 2 h d.z ≥ r ρ.
      return 2 * s.z() * d.z() >= s.x() * rho ? Vector3<T>(0, 0, s.z()) : round(s.x(), -s.z());
    case Kind::circle:
      return round(s.x(), 0);
    default:
      return Vector3<T>::Zero();
  }
}
template Vector3<double> support<double>(const Body&, const Vector3<double>&);
template Vector3<Real> support<Real>(const Body&, const Vector3<Real>&);

ActiveSet find_active(const Body& body, const Vec& x, Real tolerance) {
  ActiveSet set;
  if (body.kind == Kind::cone && (x - body.apex()).norm() <= tolerance) return {0, true};
  for (std::size_t i = 0; i < body.constraints.size(); ++i) {
    const Constraint& c = body.constraints[i];
    if (c.is_equality || (c.form == Form::axial && x.head<2>().isZero(0))) continue;
    const auto at = c.evaluate(x);
    if (at.value >= -tolerance * at.gradient.norm()) set.bits |= bit(static_cast<int>(i));
  }
  return set;
}

Foot find_foot(const Body& body, const Vector3<double>& q) {
  switch (body.kind) {
    case Kind::point:
    case Kind::segment:
      return segment_foot(body, q);
    case Kind::box:
      return box_foot(body, q);
    case Kind::ellipsoid:
      return ellipsoid_foot(body, q);
    case Kind::cylinder:
      return cylinder_foot(body, q);
    case Kind::cone:
      return cone_foot(body, q);
    case Kind::plate:
      return plate_foot(body, q);
    case Kind::circle:
      return make_foot(q, static_cast<double>(body.size.x()) * radial(q), 0);
    case Kind::half_space:
      return make_side_foot(q, {0, 0, 1}, q.z(), bit(0));
    case Kind::bowl:
      return bowl_foot(body, q);
  }
  return {};
}

}  // namespace thenar::reference
