// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/gjk_internal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace thenar::internal {
namespace {

using Vec = Vec3<double>;

constexpr int kMostSimplexSteps = 100;

/// A point a − b of the difference of both sets.
struct Corner {
  Vec w, a, b;
};

/// Up to four corners, and the weights of the point of their hull that is nearest to the origin.
class Simplex {
 public:
  int size() const { return size_; }
  void add(const Corner& corner) { corners_[static_cast<std::size_t>(size_++)] = corner; }

  bool has(const Vec& w) const {
    for (int i = 0; i < size_; ++i) {
      const Vec d = at(i).w - w;
      if (dot(d, d) == 0) return true;
    }
    return false;
  }

  /// Finds the nearest point and drops the corners that it does not need. False when the hull contains the origin.
  bool reduce() {
    switch (size_) {
      case 1:
        weights_[0] = 1;
        return true;
      case 2:
        keep(nearest_on_edge(0, 1));
        return true;
      case 3:
        keep(nearest_on_triangle(0, 1, 2));
        return true;
      default:
        return reduce_tetrahedron();
    }
  }

  const Corner& corner(int i) const { return at(i); }
  Vec nearest() const { return combine(&Corner::w); }
  Vec point_of_A() const { return combine(&Corner::a); }
  Vec point_of_B() const { return combine(&Corner::b); }
  double largest_norm() const {
    double out = 0;
    for (int i = 0; i < size_; ++i) out = std::max(out, dot(at(i).w, at(i).w));
    return std::sqrt(out);
  }

 private:
  /// Corners kept of a sub-simplex, with their weights.
  struct Part {
    std::array<int, 3> index{};
    std::array<double, 3> weight{};
    int size = 0;
    double distance2 = std::numeric_limits<double>::infinity();
  };

  const Corner& at(int i) const { return corners_[static_cast<std::size_t>(i)]; }

  Vec combine(Vec Corner::*part) const {
    Vec out = Vec::zero();
    for (int i = 0; i < size_; ++i) out += at(i).*part * weights_[static_cast<std::size_t>(i)];
    return out;
  }

  void keep(const Part& part) {
    std::array<Corner, 3> kept;
    for (int i = 0; i < part.size; ++i) {
      kept[static_cast<std::size_t>(i)] = at(part.index[static_cast<std::size_t>(i)]);
    }
    size_ = part.size;
    for (int i = 0; i < size_; ++i) {
      corners_[static_cast<std::size_t>(i)] = kept[static_cast<std::size_t>(i)];
      weights_[static_cast<std::size_t>(i)] = part.weight[static_cast<std::size_t>(i)];
    }
  }

  Part nearest_on_vertex(int i) const { return {{i, 0, 0}, {1, 0, 0}, 1, dot(at(i).w, at(i).w)}; }

  Part nearest_on_edge(int i, int j) const {
    const Vec p = at(i).w, d = at(j).w - p;
    const double length2 = dot(d, d), t = -dot(p, d);
    if (!(t > 0)) return nearest_on_vertex(i);
    if (!(t < length2)) return nearest_on_vertex(j);
    const double s = t / length2;
    const Vec v = p + d * s;
    return {{i, j, 0}, {1 - s, s, 0}, 2, dot(v, v)};
  }

  /// The nearest point is inside, by the signs of its barycentric coordinates, or on one of the edges.
  Part nearest_on_triangle(int i, int j, int k) const {
    const Vec a = at(i).w, b = at(j).w, c = at(k).w;
    const Vec n = cross(b - a, c - a);
    const double area2 = dot(n, n);
    if (area2 > 0) {
      const double u = dot(cross(b, c), n), v = dot(cross(c, a), n), w = dot(cross(a, b), n);
      if (u > 0 && v > 0 && w > 0) {
        const double sum = u + v + w, height = dot(a, n);
        return {{i, j, k}, {u / sum, v / sum, w / sum}, 3, height * height / area2};
      }
    }
    Part best = nearest_on_edge(i, j);
    for (const Part& part : {nearest_on_edge(j, k), nearest_on_edge(k, i)}) {
      if (part.distance2 < best.distance2) best = part;
    }
    return best;
  }

  /// Inside when the origin is on the inner side of all faces; else on the nearest of the faces that it is outside of.
  bool reduce_tetrahedron() {
    static constexpr std::array<std::array<int, 4>, 4> kFaces{{{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}}};
    Part best;
    for (const auto& [i, j, k, opposite] : kFaces) {
      const Vec n = cross(at(j).w - at(i).w, at(k).w - at(i).w);
      const double of_origin = -dot(n, at(i).w), of_opposite = dot(n, at(opposite).w - at(i).w);
      if (of_origin * of_opposite > 0) continue;
      const Part part = nearest_on_triangle(i, j, k);
      if (part.distance2 < best.distance2) best = part;
    }
    if (best.size == 0) return false;
    keep(best);
    return true;
  }

  std::array<Corner, 4> corners_;
  std::array<double, 4> weights_{};
  int size_ = 0;
};

/// A polytope of corners around the origin, inside the difference of both sets. Its nearest face bounds the depth from
/// below; the corner farthest along that face's normal is added until it is no farther than the face.
class Polytope {
 public:
  struct Face {
    std::array<int, 3> corner{};
    Vec normal;           ///< unit, outwards
    double distance = 0;  ///< of its plane from the origin
    bool is_alive = true;
  };

  /// False when the tetrahedron is flat.
  bool start(const Simplex& simplex) {
    for (int i = 0; i < 4; ++i) corners_[static_cast<std::size_t>(i)] = simplex.corner(i);
    corner_count_ = 4;
    for (const std::array<int, 3>& face : {std::array<int, 3>{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}) {
      if (!add_face(face)) return false;
    }
    return true;
  }

  /// The nearest face, or null when there is none.
  const Face* find_nearest() const {
    const Face* best = nullptr;
    for (int i = 0; i < face_count_; ++i) {
      const Face& face = faces_[static_cast<std::size_t>(i)];
      if (face.is_alive && (best == nullptr || face.distance < best->distance)) best = &face;
    }
    return best;
  }

  /// Replaces all faces that the corner is outside of by a fan from it to their outline. False when out of room or
  /// spoilt by rounding.
  bool expand(const Corner& corner) {
    if (corner_count_ == kMostCorners) return false;
    const int tip = corner_count_++;
    corners_[static_cast<std::size_t>(tip)] = corner;
    outline_count_ = 0;
    const int old_count = face_count_;
    for (int i = 0; i < old_count; ++i) {
      Face& face = faces_[static_cast<std::size_t>(i)];
      if (!face.is_alive || !(dot(face.normal, corner.w) > face.distance)) continue;
      face.is_alive = false;
      for (std::size_t k = 0; k < 3; ++k) {
        if (!toggle_edge(face.corner[k], face.corner[(k + 1) % 3])) return false;
      }
    }
    for (int i = 0; i < outline_count_; ++i) {
      const auto& [from, to] = outline_[static_cast<std::size_t>(i)];
      if (!add_face({from, to, tip})) return false;
    }
    return outline_count_ > 2;
  }

  /// The point of a face nearest to the origin, told on both sets.
  void find_points(const Face& face, Vec& p_A, Vec& p_B) const {
    const Corner &a = at(face.corner[0]), &b = at(face.corner[1]), &c = at(face.corner[2]);
    const Vec n = cross(b.w - a.w, c.w - a.w), foot = face.normal * face.distance;
    const double u = dot(cross(b.w - foot, c.w - foot), n), v = dot(cross(c.w - foot, a.w - foot), n);
    const double w = dot(n, n) - u - v, inverse = 1 / dot(n, n);
    p_A = (a.a * u + b.a * v + c.a * w) * inverse;
    p_B = (a.b * u + b.b * v + c.b * w) * inverse;
  }

 private:
  static constexpr int kMostCorners = 64, kMostFaces = 512, kMostEdges = 128;

  const Corner& at(int i) const { return corners_[static_cast<std::size_t>(i)]; }

  /// Turned so that the origin, which is inside, is below it: the order of corners cannot tell for a sliver.
  bool add_face(std::array<int, 3> corner) {
    if (face_count_ == kMostFaces) return false;
    Vec n = cross(at(corner[1]).w - at(corner[0]).w, at(corner[2]).w - at(corner[0]).w);
    const double area = norm(n);
    if (!(area > 0)) return false;
    n = n * (1 / area);
    double distance = dot(n, at(corner[0]).w);
    if (distance < 0) {
      std::swap(corner[1], corner[2]);
      n = -n;
      distance = -distance;
    }
    faces_[static_cast<std::size_t>(face_count_++)] = {corner, n, distance, true};
    return true;
  }

  /// The outline of a set of faces: edges that belong to just one of them.
  bool toggle_edge(int from, int to) {
    for (int i = 0; i < outline_count_; ++i) {
      auto& edge = outline_[static_cast<std::size_t>(i)];
      if (edge[0] == to && edge[1] == from) {
        edge = outline_[static_cast<std::size_t>(--outline_count_)];
        return true;
      }
    }
    if (outline_count_ == kMostEdges) return false;
    outline_[static_cast<std::size_t>(outline_count_++)] = {from, to};
    return true;
  }

  std::array<Corner, kMostCorners> corners_;
  std::array<Face, kMostFaces> faces_;
  std::array<std::array<int, 2>, kMostEdges> outline_{};
  int corner_count_ = 0, face_count_ = 0, outline_count_ = 0;
};

class Gjk {
 public:
  Gjk(const Core& A, const Core& B, const Pose<double>& X_AB, double shrink)
      : A_(A), B_(B), R_AB_(X_AB.R), p_AB_(X_AB.p), shrink_(shrink) {}

  GjkResult run(double accuracy) {
    Vec v = -p_AB_;
    if (!(dot(v, v) > 0)) v = {1, 0, 0};
    for (int k = 0; k < kMostSimplexSteps; ++k) {
      const double length = norm(v);
      const Corner corner = find_corner(v * (1 / length));
      // length is an upper and v · w / length a lower bound of the distance, except in the first round.
      const bool is_done = simplex_.size() > 0 && (length - dot(v, corner.w) / length <= accuracy * length);
      if (is_done || simplex_.has(corner.w)) return finish(v);
      simplex_.add(corner);
      if (!simplex_.reduce()) return find_way_out(accuracy);
      v = simplex_.nearest();
      if (!(norm(v) > kTouching * simplex_.largest_norm())) return {};
    }
    return finish(v);
  }

 private:
  static constexpr double kTouching = 1e-15;

  Corner find_corner(const Vec& d) const {
    const Vec a = support(A_, -d).p * shrink_;
    const Vec b = p_AB_ + R_AB_ * (support(B_, R_AB_.transpose_times(d)).p * shrink_);
    return {a - b, a, b};
  }

  GjkResult finish(const Vec& v) const {
    return {GjkStatus::apart, simplex_.point_of_A(), simplex_.point_of_B(), normalized(v)};
  }

  GjkResult find_way_out(double accuracy) const {
    Polytope polytope;
    if (!polytope.start(simplex_)) return {};
    GjkResult out;
    while (const Polytope::Face* face = polytope.find_nearest()) {
      out.status = GjkStatus::overlap;
      out.N = -face->normal;
      polytope.find_points(*face, out.p_A, out.p_B);
      const Corner corner = find_corner(out.N);
      const double beyond = dot(face->normal, corner.w) - face->distance;
      if (beyond <= accuracy * std::abs(face->distance + beyond) || !polytope.expand(corner)) break;
    }
    return out;
  }

  const Core& A_;
  const Core& B_;
  Mat3<double> R_AB_;
  Vec p_AB_;
  double shrink_;
  Simplex simplex_;
};

}  // namespace

GjkResult run_gjk(const Core& A, const Core& B, const Pose<double>& X_AB, double shrink, double accuracy) {
  return Gjk(A, B, X_AB, shrink).run(accuracy);
}

}  // namespace thenar::internal
