// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/known_answer_internal.h"

#include <cmath>

#include "thenar/complementarity/grade.h"
#include "thenar/modes/motion_form_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// Of the cone solver: answers are given to users, and stand in proofs.
constexpr double kAnswerTolerance = 1e-12;

/// Of a contact that slips with w_t along an interval, or in two directions.
FrictionChoice read_place(const FrictionPart& part, const VectorX<double>& slip) {
  using Kind = FrictionChoice::Kind;
  if (part.is_interval()) return {.kind = Kind::slip, .first = slip(0) > 0 ? 0 : 1, .count = 1};
  const int rays = static_cast<int>(part.rays.cols());
  constexpr double kOnRay = 1e-9;
  const auto turn = [&](int ray) {  // sine of the angle from the ray to the slip
    const Eigen::Vector2d r = part.rays.col((ray + rays) % rays);
    return (r.x() * slip(1) - r.y() * slip(0)) / slip.norm();
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
    const VectorX<double> w_t = w(part.rows);
    const VectorX<double> slip = part.is_interval() ? VectorX<double>::Constant(1, part.motion_axis.dot(w_t)) : w_t;
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
      solver_(problem.size(), ConeOptions{.tolerance = kAnswerTolerance}) {}

std::optional<VectorX<double>> AnswerFinder::find_forces(std::span<const double> start) {
  const ConeSolution& solution = solver_.solve(problem_, start);
  if (static_cast<int>(solution.z.size()) != problem_.size()) return std::nullopt;
  const VectorX<double> z = Eigen::Map<const VectorX<double>>(solution.z.data(), problem_.size());
  if (!z.allFinite()) return std::nullopt;
  const VectorX<double> polished = polish(z);
  if (is_solution(polished)) return polished;
  if (is_solution(z)) return z;
  return std::nullopt;
}

/// The cone solver stops at its tolerance. Where the motion decides everything and forces follow from linear equations,
/// their solution is good to rounding.
VectorX<double> AnswerFinder::polish(const VectorX<double>& z) const {
  if (!has_exact_mode_parts(problem_)) return z;
  const VectorX<double> scaled_z = z.cwiseQuotient(scaled_.force_unit);
  const ModeChoice choice = read_choice(parts_, scaled_.A * scaled_z + scaled_.b, calc_zero(z));
  const Eigen::Index n = z.size();
  MatrixX<double> E = scaled_.A;
  VectorX<double> e = scaled_.b;
  const auto fix_force = [&](int row, double c = 0, int normal = -1) {  // z = c zₙ, or c
    E.row(row).setZero();
    E(row, row) = 1;
    if (normal >= 0) E(row, normal) = -c;
    e(row) = normal >= 0 ? 0 : -c;
  };
  std::vector<bool> has_part(static_cast<std::size_t>(n), false);
  for (std::size_t p = 0; p < parts_.normals.size(); ++p) {
    const int row = parts_.normals[p].row;
    if (choice.normals[p] == NormalChoice::open) fix_force(row);
    for (int k = row + 1; k < n && problem_.row(k).kind == RowKind::sliding; ++k) {
      fix_force(k, problem_.row(k).limit * scaled_.force_unit(row) / scaled_.force_unit(k), row);
    }
  }
  for (std::size_t p = 0; p < parts_.frictions.size(); ++p) {
    const FrictionPart& part = parts_.frictions[p];
    const FrictionChoice& slip = choice.frictions[p];
    const int normal = part.normal < 0 ? -1 : parts_.normals[static_cast<std::size_t>(part.normal)].row;
    if (part.is_interval()) {
      const bool is_second = has_part[static_cast<std::size_t>(part.rows[0])];
      const int row = part.rows[is_second ? 1 : 0];
      has_part[static_cast<std::size_t>(row)] = true;
      fix_interval(part, slip, row, normal, E, e);
      continue;
    }
    const bool is_edge = slip.first % 2 == 1;
    if (slip.kind == FrictionChoice::Kind::slip && is_edge) return z;
    for (std::size_t k = 0; k < part.rows.size(); ++k) {
      const int row = part.rows[k];
      has_part[static_cast<std::size_t>(row)] = true;
      const double unit = (normal < 0 ? 1 : scaled_.force_unit(normal)) / scaled_.force_unit(row);
      if (slip.kind == FrictionChoice::Kind::undecided) fix_force(row);
      if (slip.kind != FrictionChoice::Kind::slip) continue;
      fix_force(row, part.corners(static_cast<Eigen::Index>(k), slip.first / 2) * unit, normal);
    }
  }
  for (int i = 0; i < n; ++i) {
    const ConstraintRow& row = problem_.row(i);
    const bool is_smooth_row = row.kind == RowKind::tangent || (row.kind == RowKind::boxed && row.limit == 0);
    if (is_smooth_row && !has_part[static_cast<std::size_t>(i)]) fix_force(i);
  }
  const VectorX<double> exact = solve(Eigen::PartialPivLU<MatrixX<double>>(E), VectorX<double>(-e));
  // Redundant contacts have equations that depend on each other, and no use for this.
  constexpr double kNear = 1e-8;
  const bool is_near = exact.allFinite() &&
                       (exact - scaled_z).lpNorm<Eigen::Infinity>() <= kNear * (1 + scaled_z.lpNorm<Eigen::Infinity>());
  if (!is_near) return z;
  return exact.cwiseProduct(scaled_.force_unit);
}

/// Row `row` of E z + e = 0 says what an interval has decided: no slip, or the force.
void AnswerFinder::fix_interval(const FrictionPart& part, const FrictionChoice& slip, int row, int normal,
                                MatrixX<double>& E, VectorX<double>& e) const {
  E.row(row).setZero();
  e(row) = 0;
  for (std::size_t k = 0; k < part.rows.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (slip.kind == FrictionChoice::Kind::stick) {
      E.row(row) += part.motion_axis(i) * scaled_.A.row(part.rows[k]);
      e(row) += part.motion_axis(i) * scaled_.b(part.rows[k]);
    } else {
      E(row, part.rows[k]) = part.force_axis(i);
    }
  }
  if (slip.kind != FrictionChoice::Kind::slip) return;
  const double most = part.limit * (normal < 0 ? 1 : scaled_.force_unit(normal)) / scaled_.force_unit(part.rows[0]);
  (normal < 0 ? e(row) : E(row, normal)) += slip.first % 2 == 0 ? most : -most;
}

std::optional<ModeCell> AnswerFinder::find(std::span<const double> start) {
  const auto z = find_forces(start);
  if (!z) return std::nullopt;
  return make_answer(*z);
}

/// Forces that grow without end may come near a solution in parts of their size while no solution exists.
bool AnswerFinder::is_solution(const VectorX<double>& z) const {
  constexpr double kWorst = 1e-9, kWorstMotion = 1e-8;
  const double worst =
      grade_solution(problem_, std::span<const double>(z.data(), static_cast<std::size_t>(z.size()))).worst();
  const double size = 1 + z.cwiseQuotient(scaled_.force_unit).lpNorm<Eigen::Infinity>();
  return worst <= kWorst && worst * size <= kWorstMotion;
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
  return make_span(z);
}

ModeCell AnswerFinder::make_span(const VectorX<double>& z) const {
  ModeCell out = make_point(z);
  out.span = MotionForm(problem_, scaled_, z).find_free_forces();
  out.forces_unique = out.is_listed = out.span.cols() == 0;
  if (!out.forces_unique) out.vertices.clear();
  return out;
}

}  // namespace thenar::internal
