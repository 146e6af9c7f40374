// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_parts.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace thenar {
namespace {

/// |s| ≤ limit.
FrictionPart make_interval(int normal, int row, double limit) {
  FrictionPart out;
  out.normal = normal;
  out.rows = {row};
  out.limit = limit;
  out.motion_axis = out.force_axis = VectorX<double>::Ones(1);
  return out;
}

/// The corners (±μ₁, 0), (0, ±μ₂) of (8) of constraint_problem.h are ±e₁ ± e₂ times the larger of μ₁ and μ₂. Halves,
/// not unit vectors: sums and differences of whole numbers stay exact.
void add_rhombus(const ConstraintProblem& problem, int normal, int row, std::vector<FrictionPart>& out) {
  const Eigen::Vector2d mu(problem.row(row).limit, problem.row(row + 1).limit);
  const double limit = mu.maxCoeff();
  for (const double side : {1.0, -1.0}) {
    FrictionPart part = make_interval(normal, row, limit);
    part.rows.push_back(row + 1);
    part.motion_axis = 0.5 * Eigen::Vector2d(side * mu.x() / limit, mu.y() / limit);
    part.force_axis = Eigen::Vector2d(side * limit / mu.x(), limit / mu.y());
    out.push_back(part);
  }
}

/// (8) of constraint_problem.h.
FrictionPart make_polygon(const ConstraintProblem& problem, int normal, int row, int faces) {
  FrictionPart out;
  out.normal = normal;
  out.rows = {row, row + 1};
  out.corners.resize(2, faces);
  out.rays.resize(2, faces);
  for (int j = 0; j < faces; ++j) {
    const Eigen::Vector2d corner = calc_regular_corner(j, faces);
    out.corners.col(j) << problem.row(row).limit * corner.x(), problem.row(row + 1).limit * corner.y();
  }
  for (int j = 0; j < faces; ++j) {
    const Eigen::Vector2d edge = out.corners.col((j + 1) % faces) - out.corners.col(j);
    out.rays.col(j) << -edge.y(), edge.x();  // inward: corners run counterclockwise
    out.rays.col(j).normalize();
  }
  return out;
}

/// (7) of constraint_problem.h in two directions. At the angle t the ellipse has the point (μ₁ cos t, μ₂ sin t) and the
/// outward normal (cos t / μ₁, sin t / μ₂).
FrictionPart make_ellipse(const ConstraintProblem& problem, int normal, int row) {
  constexpr int k = kSmoothPlaces;
  const Eigen::Vector2d mu(problem.row(row).limit, problem.row(row + 1).limit);
  FrictionPart out;
  out.normal = normal;
  out.rows = {row, row + 1};
  out.corners.resize(2, 2 * k);
  out.rays.resize(2, k);
  out.is_smooth = true;
  const double reach = 1 / std::cos(std::numbers::pi / k);
  for (int j = 0; j < k; ++j) {
    const Eigen::Vector2d end = calc_regular_corner(2 * j, 2 * k),
                          middle = calc_regular_corner(2 * j + 2 * k - 1, 2 * k);
    out.corners.col(j) = reach * mu.cwiseProduct(middle);
    out.corners.col(k + j) = mu.cwiseProduct(end);
    out.rays.col(j) = -end.cwiseQuotient(mu).normalized();
  }
  return out;
}

class PartMaker {
 public:
  explicit PartMaker(const ConstraintProblem& problem) : problem_(problem) {}

  ModeParts make() {
    for (int i = 0; i < problem_.size(); ++i) {
      const ConstraintRow& row = problem_.row(i);
      if (row.kind == RowKind::unilateral) out_.normals.push_back({i});
      if (row.kind == RowKind::normal) add_contact(i);
      if (row.kind == RowKind::boxed && std::isfinite(row.limit)) add_interval(-1, i);
    }
    return std::move(out_);
  }

 private:
  void add_contact(int i) {
    const int normal = static_cast<int>(out_.normals.size());
    out_.normals.push_back({i});
    const int count = problem_.tangent_count(i), faces = problem_.row(i).faces;
    if (count == 0 || problem_.row(i + 1).kind == RowKind::sliding) return;
    int k = i + 1;
    if (count >= 2 && faces >= 3 && problem_.row(k).limit > 0) {
      if (faces == 4) {
        add_rhombus(problem_, normal, k, out_.frictions);
      } else {
        out_.frictions.push_back(make_polygon(problem_, normal, k, faces));
      }
      k += 2;
    } else if (count == 2 && faces == 0 && problem_.row(k).limit > 0 && problem_.row(k + 1).limit > 0) {
      out_.frictions.push_back(make_ellipse(problem_, normal, k));
      k += 2;
    }
    for (; k <= i + count; ++k) add_interval(normal, k);
  }

  void add_interval(int normal, int row) {
    if (problem_.row(row).limit > 0) out_.frictions.push_back(make_interval(normal, row, problem_.row(row).limit));
  }

  const ConstraintProblem& problem_;
  ModeParts out_;
};

}  // namespace

namespace {

/// Directions with friction of the smooth cone of normal row i; 0 for other rows and cones.
int count_smooth_directions(const ConstraintProblem& problem, int i) {
  const ConstraintRow& row = problem.row(i);
  if (row.kind != RowKind::normal || row.faces != 0) return 0;
  int out = 0;
  for (int k = i + 1; k <= i + problem.tangent_count(i); ++k) {
    out += problem.row(k).kind == RowKind::tangent && problem.row(k).limit > 0;
  }
  return out;
}

}  // namespace

bool has_mode_parts(const ConstraintProblem& problem) {
  for (int i = 0; i < problem.size(); ++i) {
    const int directions = count_smooth_directions(problem, i);
    if (directions > 2 || (directions == 2 && problem.tangent_count(i) > 2)) return false;
  }
  return true;
}

bool has_exact_mode_parts(const ConstraintProblem& problem) {
  for (int i = 0; i < problem.size(); ++i) {
    if (count_smooth_directions(problem, i) > 1) return false;
  }
  return true;
}

ModeParts make_mode_parts(const ConstraintProblem& problem) {
  if (const auto fault = problem.find_fault()) throw std::invalid_argument("make_mode_parts: " + *fault);
  if (!has_mode_parts(problem)) {
    throw std::invalid_argument(
        "make_mode_parts: smooth limit surfaces of soft fingers have no parts; give their normal rows faces");
  }
  return PartMaker(problem).make();
}

std::vector<int> find_corners(const FrictionPart& part, int first, int count) {
  const int corners = static_cast<int>(part.corners.cols());
  std::vector<bool> used(static_cast<std::size_t>(corners), false);
  const auto use = [&](int c) { used[static_cast<std::size_t>(c)] = true; };
  for (int i = first; i < first + count; ++i) {
    const int place = i % part.place_count();
    if (part.is_smooth) {
      const int k = part.place_count();
      use(place);
      use(k + place);
      use(k + (place + k - 1) % k);
    } else {
      use(place / 2);
      if (place % 2 == 1) use((place / 2 + 1) % corners);
    }
  }
  std::vector<int> out;
  for (int c = 0; c < corners; ++c) {
    if (used[static_cast<std::size_t>(c)]) out.push_back(c);
  }
  return out;
}

RayRange find_rays(const FrictionPart& part, int first, int count) {
  const int rays = static_cast<int>(part.rays.cols());
  const int begin = first % part.place_count(), end = (first + count - 1) % part.place_count();
  RayRange out;
  if (part.is_smooth) {
    out.from = (begin + rays - 1) % rays;
    out.to = end;
  } else {
    out.from = begin % 2 == 0 ? (begin / 2 + rays - 1) % rays : begin / 2;
    out.to = end / 2;
  }
  if (count == 1) return out;
  const Eigen::Vector2d from = part.rays.col(out.from), to = part.rays.col(out.to);
  const double cross = from.x() * to.y() - from.y() * to.x();
  constexpr double kHalfTurn = 1e-12;
  const bool is_half = std::abs(cross) <= kHalfTurn && from.dot(to) < 0;
  out.is_convex = is_half || cross > kHalfTurn;
  return out;
}

}  // namespace thenar
