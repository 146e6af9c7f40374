// SPDX-License-Identifier: BSD-3-Clause
#include "reference_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>

#include "reference_cone_program.h"

namespace thenar::reference {
namespace {

using V = Vector3<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Cone program --------------------------------------------------------------------------------------------------

using Program = ConeProgram<Real>;

/// Unknowns that place a point in a body: x_i = size_i y_i.
int count_unknowns(const Body& body) {
  switch (body.kind) {
    case Kind::point:
      return 0;
    case Kind::segment:
      return 1;
    case Kind::plate:
      return 2;
    default:
      return 3;
  }
}
/// The axis of the first unknown: a segment has z only.
int first_axis(const Body& body) { return body.kind == Kind::segment ? 2 : 0; }

/// |y| ≤ bound − slope y₃ for the first `size` unknowns, from column `first` on.
void add_round(Program& program, int first, int size, Real bound, Real slope = 0) {
  const int row = program.add_cone(1 + size);
  program.h()(row) = bound;
  if (slope != 0) program.G()(row, first + 2) = slope;
  for (int i = 0; i < size; ++i) program.G()(row + 1 + i, first + i) = -1;
}

/// ± y ≤ 1.
void add_side(Program& program, int column, Real sign) {
  const int row = program.add_cone(1);
  program.h()(row) = 1;
  program.G()(row, column) = sign;
}
void add_sides(Program& program, int column) {
  add_side(program, column, 1);
  add_side(program, column, -1);
}

void add_body(Program& program, const Body& body, int first) {
  switch (body.kind) {
    case Kind::segment:
      return add_sides(program, first);
    case Kind::box:
      for (int i = 0; i < 3; ++i) add_sides(program, first + i);
      return;
    case Kind::ellipsoid:
      return add_round(program, first, 3, 1);
    case Kind::plate:
      return add_round(program, first, 2, 1);
    case Kind::cylinder:
      add_round(program, first, 2, 1);
      return add_sides(program, first + 2);
    case Kind::cone:
      add_round(program, first, 2, 0.5L, 0.5L);
      return add_side(program, first + 2, -1);
    default:
      return;
  }
}

Vec place_point(const Body& body, const Program::Unknowns& x, int first) {
  Vec p = Vec::Zero();
  for (int i = 0; i < count_unknowns(body); ++i) {
    const int axis = first_axis(body) + i;
    p(axis) = body.size(axis) * x(first + i);
  }
  return p;
}

// --- Branch and bound over directions --------------------------------------------------------------------------------

/// A unit vector and the support point that goes with it.
struct Corner {
  V n, c;
  double value() const { return n.dot(c); }
};
struct Triangle {
  Corner corners[3];

  double edge() const { return (corners[0].n - corners[1].n).norm(); }
  V middle() const { return (corners[0].n + corners[1].n + corners[2].n).normalized(); }
  /// Distance of its plane from the origin: the shortest that a mean of its corners can be.
  double height() const {
    const V a = corners[0].n, across = (corners[1].n - a).cross(corners[2].n - a).normalized();
    return std::abs(a.dot(across));
  }
  /// The largest that a linear function with values up to `most` at the corners can be at a unit vector inside.
  double bound(double most) const { return most > 0 ? most / height() : most; }
};

using CornerAt = std::function<Corner(const V&)>;

/// The least over t in [0, 1] of the largest component of (1 − t) x + t y: at an end or where two components are equal.
double find_least_maximum(const V& x, const V& y) {
  double least = std::min(x.maxCoeff(), y.maxCoeff());
  for (int i = 0; i < 3; ++i) {
    const int k = (i + 1) % 3;
    const double at_x = x(i) - x(k), at_y = y(i) - y(k);
    if ((at_x < 0) == (at_y < 0)) continue;
    const double t = at_x / (at_x - at_y);
    least = std::min(least, ((1 - t) * x + t * y).maxCoeff());
  }
  return least;
}
/// The same over all means of three vectors, if all components are equal at the least; infinite otherwise.
double find_least_maximum(const V& x, const V& y, const V& z) {
  // Weights w with w₁ x + w₂ y + w₃ z = (1, 1, 1), by Cramer's rule.
  const V weights(V::Ones().dot(y.cross(z)), V::Ones().dot(z.cross(x)), V::Ones().dot(x.cross(y)));
  const double sum = weights.sum();
  const bool is_mean = sum != 0 && (weights / sum).minCoeff() >= 0;
  return is_mean ? x.dot(y.cross(z)) / sum : kInfinity;
}

std::vector<Triangle> make_octahedron(const CornerAt& corner_at) {
  std::vector<Triangle> all;
  for (int i = 0; i < 8; ++i) {
    const auto axis = [&](int k) { return corner_at(V::Unit(k) * ((i >> k & 1) != 0 ? -1 : 1)); };
    all.push_back({{axis(0), axis(1), axis(2)}});
  }
  return all;
}

void split(const Triangle& t, const CornerAt& corner_at, std::vector<Triangle>& out) {
  Corner middles[3];
  for (int i = 0; i < 3; ++i) {
    middles[i] = corner_at((t.corners[(i + 1) % 3].n + t.corners[(i + 2) % 3].n).normalized());
  }
  out.push_back({{middles[0], middles[1], middles[2]}});
  for (int i = 0; i < 3; ++i) out.push_back({{t.corners[i], middles[(i + 2) % 3], middles[(i + 1) % 3]}});
}

constexpr std::size_t kMostTriangles = 4000;

/// Halves triangles down to edges of `resolution` (rad), but for those whose upper bound is below best(), and returns
/// the last.
Directions branch_and_bound(const CornerAt& corner_at, const std::function<double(const Triangle&)>& upper_bound,
                            const std::function<double()>& best, double resolution) {
  std::vector<Triangle> level = make_octahedron(corner_at), next;
  Directions out;
  while (!level.empty() && level.front().edge() > resolution) {
    next.clear();
    for (const Triangle& t : level) {
      if (upper_bound(t) >= best()) split(t, corner_at, next);
    }
    level.swap(next);
    out.is_complete = level.size() <= kMostTriangles;
    if (!out.is_complete) return out;
  }
  for (const Triangle& t : level) {
    const double upper = upper_bound(t);
    if (upper >= best()) out.spots.push_back({t.middle(), upper});
  }
  std::sort(out.spots.begin(), out.spots.end(), [](const auto& x, const auto& y) { return x.upper > y.upper; });
  return out;
}

}  // namespace

std::optional<NearestPoints> find_nearest_apart(const Body& A, const Body& B, const Pose<Real>& X_AB) {
  // Unknowns: the distance in units of `scale`, then those of A and of B.
  const int first_A = 1, first_B = first_A + count_unknowns(A);
  const Real scale = X_AB.p.norm() + A.extent() + B.extent();
  Program program(first_B + count_unknowns(B));
  program.c()(0) = 1;
  const int row = program.add_cone(4);
  program.G()(row, 0) = -1;
  program.h().segment(row + 1, 3) = -X_AB.p / scale;
  for (int i = 0; i < count_unknowns(A); ++i) {
    const int axis = first_axis(A) + i;
    program.G()(row + 1 + axis, first_A + i) = -A.size(axis) / scale;
  }
  for (int i = 0; i < count_unknowns(B); ++i) {
    const int axis = first_axis(B) + i;
    program.G().block(row + 1, first_B + i, 3, 1) = X_AB.R.col(axis) * B.size(axis) / scale;
  }
  add_body(program, A, first_A);
  add_body(program, B, first_B);
  const auto solution = program.solve(1e-16L);
  NearestPoints out;
  out.a = place_point(A, solution.x, first_A);
  out.b = place_point(B, solution.x, first_B);
  const Vec w = out.a - X_AB * out.b;
  out.gap = w.norm();
  if (!(out.gap > 0)) return std::nullopt;
  out.n = w / out.gap;
  out.set_A = find_active(A, out.a, 1e-6L * A.extent());
  out.set_B = find_active(B, out.b, 1e-6L * B.extent());
  return out;
}

Real calc_separation(const Body& A, const Body& B, const Pose<Real>& X_AB, const Vec& n) {
  const Vec a = support<Real>(A, -n), b = support<Real>(B, X_AB.R.transpose() * n);
  return n.dot(a - X_AB * b);
}

Directions find_separating_directions(const Body& A, const Body& B, const Pose<Real>& X_AB, double known,
                                      double resolution) {
  const Matrix3<double> R = X_AB.R.cast<double>();
  const V p = X_AB.p.cast<double>();
  double best = known;
  const CornerAt corner_at = [&](const V& n) {
    const Corner corner{n, support<double>(A, -n) - p - R * support<double>(B, R.transpose() * n)};
    best = std::max(best, corner.value());
    return corner;
  };
  // For any point c of A − B, s(n) ≤ n · c: the support points of the corners and of the middle bound it, and so do the
  // means of them: the best mean tells where several support points are equally far.
  const auto upper_bound = [&](const Triangle& t) {
    const Corner middle = corner_at(t.middle());
    V values[4];  // of each support point at the three corners
    for (int k = 0; k < 4; ++k) {
      const V& c = k < 3 ? t.corners[k].c : middle.c;
      for (int i = 0; i < 3; ++i) values[k](i) = t.corners[i].n.dot(c);
    }
    double least = kInfinity;
    for (int k = 0; k < 4; ++k) {
      for (int l = 0; l < k; ++l) least = std::min(least, find_least_maximum(values[k], values[l]));
      least = std::min(least, find_least_maximum(values[k], values[(k + 1) % 4], values[(k + 2) % 4]));
    }
    return t.bound(least);
  };
  const double slack = 1e-15 * (p.norm() + static_cast<double>(A.extent() + B.extent()));
  return branch_and_bound(
      corner_at, upper_bound, [&] { return best - slack; }, resolution);
}

Directions find_farthest_directions(const Body& A, const V& centre, double least,
                                    const std::function<bool(const V& u, double margin)>& is_wanted) {
  const CornerAt corner_at = [&](const V& u) {
    const Corner corner{u, support<double>(A, u) - centre};
    const double distance = corner.c.norm();
    if (distance > 0 && is_wanted(corner.c / distance, -1e-6)) least = std::max(least, distance * (1 - 1e-9));
    return corner;
  };
  // From outside, A is seen only in directions u with n · u ≥ nearest / farthest, n the direction of its nearest point.
  const Foot foot = find_foot(A, centre);
  const double nearest = std::max(0.0, foot.distance), farthest = centre.norm() + static_cast<double>(A.extent());
  const auto is_seen = [&](const Triangle& t) {
    double most = -kInfinity;
    for (const Corner& corner : t.corners) most = std::max(most, -foot.n.dot(corner.n));
    return nearest == 0 || t.bound(most) >= nearest / farthest * (1 - 1e-9);
  };
  // The support function is convex: between the corners it is at most their largest value, over the height.
  const auto upper_bound = [&](const Triangle& t) {
    if (!is_wanted(t.middle(), t.edge()) || !is_seen(t)) return -kInfinity;
    double most = -kInfinity;
    for (const Corner& corner : t.corners) most = std::max(most, corner.value());
    return t.bound(most);
  };
  return branch_and_bound(
      corner_at, upper_bound, [&] { return std::max(least, nearest); }, 1e-2);
}

namespace {

/// Signed distance of the points of a circle from a body.
class CircleDistance {
 public:
  CircleDistance(double radius, const Pose<double>& X_BC, const Body& B) : radius_(radius), X_BC_(X_BC), B_(B) {}
  Foot foot(double angle) const {
    return find_foot(B_, X_BC_ * V(radius_ * std::cos(angle), radius_ * std::sin(angle), 0));
  }
  double operator()(double angle) const { return foot(angle).distance; }

 private:
  double radius_;
  Pose<double> X_BC_;
  const Body& B_;
};

/// The place of a minimum between low and high, by golden sections.
double narrow_minimum(const CircleDistance& f, double low, double high) {
  const double ratio = 2 - std::numbers::phi;
  double left = low + ratio * (high - low), right = high - ratio * (high - low);
  double f_left = f(left), f_right = f(right);
  while (high - low > 1e-7) {
    if (f_left < f_right) {
      high = right;
      right = left;
      f_right = f_left;
      f_left = f(left = low + ratio * (high - low));
    } else {
      low = left;
      left = right;
      f_left = f_right;
      f_right = f(right = high - ratio * (high - low));
    }
  }
  return (low + high) / 2;
}

}  // namespace

std::vector<CircleMinimum> find_circle_minima(double radius, const Pose<double>& X_BC, const Body& B) {
  const CircleDistance f(radius, X_BC, B);
  constexpr int kFirst = 48;
  constexpr double kWhole = 2 * std::numbers::pi, kShortest = kWhole / kFirst / 64;
  std::map<double, double> samples;  // from 0 to 2π, both ends
  std::vector<std::pair<double, double>> arcs, next;
  double best = kInfinity;
  const auto sample = [&](double angle) { best = std::min(best, samples[angle] = f(angle)); };
  for (int i = 0; i <= kFirst; ++i) {
    sample(kWhole * i / kFirst);
    if (i > 0) arcs.push_back({kWhole * (i - 1) / kFirst, kWhole * i / kFirst});
  }
  // The distance changes by no more than the point moves.
  const auto can_hold_best = [&](const std::pair<double, double>& arc) {
    const double width = arc.second - arc.first;
    return (samples[arc.first] + samples[arc.second] - radius * width) / 2 <= best;
  };
  for (double width = kWhole / kFirst; width > kShortest; width /= 2) {
    next.clear();
    for (const auto& arc : arcs) {
      if (!can_hold_best(arc)) continue;
      const double middle = (arc.first + arc.second) / 2;
      sample(middle);
      next.push_back({arc.first, middle});
      next.push_back({middle, arc.second});
    }
    arcs.swap(next);
  }
  // Every sample that is not above its neighbours has a minimum near it. The two ends are the same point.
  std::vector<std::pair<double, double>> in_order(samples.begin(), std::prev(samples.end()));
  std::vector<CircleMinimum> out;
  const std::size_t count = in_order.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [left, f_left] = in_order[(i + count - 1) % count];
    const auto& [right, f_right] = in_order[(i + 1) % count];
    const auto& [angle, value] = in_order[i];
    const double low = left > angle ? left - kWhole : left, high = right < angle ? right + kWhole : right;
    if (value > f_left || value > f_right || value - radius * (high - low) > best) continue;
    const double place = narrow_minimum(f, low, high);
    out.push_back({place, f.foot(place)});
  }
  return out;
}

}  // namespace thenar::reference
