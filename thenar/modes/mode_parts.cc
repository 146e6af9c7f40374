// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_parts.h"

#include <cmath>
#include <stdexcept>

namespace thenar {
namespace {

/// |s| ≤ limit.
FrictionPart make_interval(int normal, int row, double limit) {
  FrictionPart out{.normal = normal, .rows = {row}, .corners = MatrixX<double>(1, 2), .rays = {}};
  out.corners << -limit, limit;
  return out;
}

/// (8) of constraint_problem.h.
FrictionPart make_polygon(const ConstraintProblem& problem, int normal, int row, int faces) {
  FrictionPart out{.normal = normal,
                   .rows = {row, row + 1},
                   .corners = MatrixX<double>(2, faces),
                   .rays = MatrixX<double>(2, faces)};
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
      out_.frictions.push_back(make_polygon(problem_, normal, k, faces));
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

bool has_mode_parts(const ConstraintProblem& problem) {
  for (int i = 0; i < problem.size(); ++i) {
    const ConstraintRow& row = problem.row(i);
    if (row.kind != RowKind::normal || row.faces != 0) continue;
    int rough = 0;
    for (int k = i + 1; k <= i + problem.tangent_count(i); ++k) {
      rough += problem.row(k).kind == RowKind::tangent && problem.row(k).limit > 0;
    }
    if (rough > 1) return false;
  }
  return true;
}

ModeParts make_mode_parts(const ConstraintProblem& problem) {
  if (const auto fault = problem.find_fault()) throw std::invalid_argument("make_mode_parts: " + *fault);
  if (!has_mode_parts(problem)) {
    throw std::invalid_argument("make_mode_parts: smooth cones are not polyhedral; give their normal rows faces");
  }
  return PartMaker(problem).make();
}

std::vector<int> find_corners(const FrictionPart& part, int first, int count) {
  const int corners = static_cast<int>(part.corners.cols());
  std::vector<bool> used(static_cast<std::size_t>(corners), false);
  for (int i = first; i < first + count; ++i) {
    const int place = i % part.place_count();
    if (part.rows.size() == 1) {
      used[static_cast<std::size_t>(place)] = true;
    } else {
      used[static_cast<std::size_t>(place / 2)] = true;
      if (place % 2 == 1) used[static_cast<std::size_t>((place / 2 + 1) % corners)] = true;
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
  out.from = begin % 2 == 0 ? (begin / 2 + rays - 1) % rays : begin / 2;
  out.to = end / 2;
  if (count == 1) return out;
  const Eigen::Vector2d from = part.rays.col(out.from), to = part.rays.col(out.to);
  const double cross = from.x() * to.y() - from.y() * to.x();
  constexpr double kHalfTurn = 1e-12;
  const bool is_half = std::abs(cross) <= kHalfTurn && from.dot(to) < 0;
  out.is_convex = is_half || cross > kHalfTurn;
  return out;
}

}  // namespace thenar
