// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/known_answer_internal.h"

#include <cmath>

#include "thenar/complementarity/grade.h"
#include "thenar/modes/motion_form_internal.h"

namespace thenar::internal {
namespace {

/// Of the cone solver: answers are given to users, and stand in proofs.
constexpr double kTolerance = 1e-12;

/// Of a contact that slips with w_t in one or two directions.
FrictionChoice read_place(const FrictionPart& part, const Eigen::Vector2d& slip) {
  using Kind = FrictionChoice::Kind;
  if (part.rows.size() == 1) return {.kind = Kind::slip, .first = slip.x() > 0 ? 0 : 1, .count = 1};
  const int rays = static_cast<int>(part.rays.cols());
  constexpr double kOnRay = 1e-9;
  const auto turn = [&](int ray) {  // sine of the angle from the ray to the slip
    const Eigen::Vector2d r = part.rays.col((ray + rays) % rays);
    return (r.x() * slip.y() - r.y() * slip.x()) / slip.norm();
  };
  for (int j = 0; j < rays; ++j) {
    const bool is_ahead = part.rays.col(j).dot(slip) > 0;
    if (!part.is_smooth && is_ahead && std::abs(turn(j)) <= kOnRay) {
      return {.kind = Kind::slip, .first = 2 * j + 1, .count = 1};
    }
  }
  for (int j = 0; j < rays; ++j) {
    if (turn(j - 1) >= 0 && turn(j) <= 0) return {.kind = Kind::slip, .first = part.is_smooth ? j : 2 * j, .count = 1};
  }
  return {};
}

}  // namespace

ModeChoice read_choice(const ModeParts& parts, const VectorX<double>& w, double zero) {
  ModeChoice out;
  for (const NormalPart& part : parts.normals) {
    out.normals.push_back(w(part.row) > zero ? NormalChoice::open : NormalChoice::held);
  }
  for (const FrictionPart& part : parts.frictions) {
    const bool is_open = part.normal >= 0 && out.normals[static_cast<std::size_t>(part.normal)] == NormalChoice::open;
    const Eigen::Vector2d slip(w(part.rows[0]), part.rows.size() > 1 ? w(part.rows[1]) : 0);
    FrictionChoice choice;
    if (!is_open && slip.norm() <= zero) choice.kind = FrictionChoice::Kind::stick;
    if (!is_open && slip.norm() > zero) choice = read_place(part, slip);
    out.frictions.push_back(choice);
  }
  return out;
}

AnswerFinder::AnswerFinder(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts,
                           int most_generators)
    : problem_(problem),
      scaled_(scaled),
      parts_(parts),
      most_generators_(most_generators),
      solver_(problem.size(), ConeOptions{.tolerance = kTolerance}) {}

std::optional<VectorX<double>> AnswerFinder::find_forces(std::span<const double> start) {
  const ConeSolution& solution = solver_.solve(problem_, start);
  if (static_cast<int>(solution.z.size()) != problem_.size()) return std::nullopt;
  const VectorX<double> z = Eigen::Map<const VectorX<double>>(solution.z.data(), problem_.size());
  if (!z.allFinite() || !is_solution(z)) return std::nullopt;
  return z;
}

std::optional<ModeCell> AnswerFinder::find(std::span<const double> start) {
  const auto z = find_forces(start);
  if (!z) return std::nullopt;
  return make_answer(*z);
}

bool AnswerFinder::is_solution(const VectorX<double>& z) const {
  constexpr double kWorst = 1e-9;
  return grade_solution(problem_, std::span<const double>(z.data(), static_cast<std::size_t>(z.size()))).worst() <=
         kWorst;
}

double AnswerFinder::calc_zero(const VectorX<double>& z) const {
  return kModeZero * (1 + z.cwiseQuotient(scaled_.force_unit).lpNorm<Eigen::Infinity>());
}

bool AnswerFinder::moves_alike(const ModeCell& a, const ModeCell& b) const {
  return (a.w - b.w).cwiseQuotient(scaled_.motion_unit).lpNorm<Eigen::Infinity>() <= calc_zero(a.z);
}

ModeCell AnswerFinder::make_point(const VectorX<double>& z) const {
  ModeCell out;
  out.z = z;
  out.w = problem_.A() * z + problem_.b();
  const VectorX<double> w = out.w.cwiseQuotient(scaled_.motion_unit);
  out.states = find_states(problem_, parts_, w, calc_zero(z));
  out.choice = read_choice(parts_, w, calc_zero(z));
  out.span.resize(z.size(), 0);
  out.vertices.push_back(z);
  return out;
}

/// Sections of smooth cones are the polygons around them in a cell: its point with the smallest forces may be outside,
/// and its corners are.
ModeCell AnswerFinder::make_answer(const VectorX<double>& z) const {
  ModeCell point = make_point(z);
  if (has_mode_parts(problem_)) {
    const VectorX<double> w = point.w.cwiseQuotient(scaled_.motion_unit);
    std::optional<ModeCell> cell = make_cell(problem_, scaled_, parts_, point.choice, most_generators_, &w);
    if (cell && is_solution(cell->z)) {
      if (!has_exact_mode_parts(problem_) && !cell->forces_unique) {
        cell->vertices.clear();
        cell->rays.clear();
        cell->lines.clear();
        cell->is_listed = false;
      }
      return *cell;
    }
  }
  point.span = MotionForm(problem_, scaled_, z).find_free_forces();
  point.forces_unique = point.is_listed = point.span.cols() == 0;
  if (!point.forces_unique) point.vertices.clear();
  return point;
}

}  // namespace thenar::internal
