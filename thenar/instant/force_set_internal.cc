// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/force_set_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/base/numbers.h"
#include "thenar/linear_programs/linear_program.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Vector = VectorX<double>;

/// Motions of dry friction below this part of the numbers that they are the sum of are none, as in the search.
constexpr double kNoMotionInRange = 1e-8;
/// Equations whose singular values are below this depend on each other: more than the accuracy of A in double.
constexpr double kRangeRank = 1e-10;
/// Entries of programs below this part of the numbers that they are the sum of are zeros: the scaling of a program
/// would take them for data.
constexpr double kNoEntry = 1e-13;
/// Slips lose this part of the power that friction can take from them, at most: rounding of w.
constexpr double kPowerError = 1e-9;
/// Of tangents to smooth sections. A section in the plane takes some ten, a limit surface more.
constexpr int kMostTangentRounds = 100;

}  // namespace

ForceSet::ForceSet(const ConstraintProblem& problem, const ModeCell& cell)
    : size_(problem.size()), point_(problem.size() + 1) {
  point_ << cell.z, 1;
  const Vector load = problem.b().cwiseAbs() + problem.A().cwiseAbs() * cell.z.cwiseAbs();
  lines_.push_back({Vector::Unit(size_ + 1, size_)});  // s ≥ 0
  std::size_t part = 0;
  for (int i = 0; i < problem.size(); ++i) {
    const ConstraintRow& row = problem.row(i);
    if (row.kind == RowKind::boxed) add_boxed(row, i, cell.w(i), kNoMotionInRange * load(i));
    if (row.kind != RowKind::unilateral && row.kind != RowKind::normal) continue;
    lines_.push_back({Vector::Unit(size_ + 1, i)});
    add_contact(problem, cell, i, cell.states[part++]);
  }
  solve_equations(problem);
}

void ForceSet::add_boxed(const ConstraintRow& row, int i, double w, double no_motion) {
  if (std::isinf(row.limit)) return;
  for (const double side : {1.0, -1.0}) {  // side · z ≤ f, and = where it moves the other way
    Vector a = zero();
    a(i) = -side;
    a(size_) = row.limit;
    if (side * w < -no_motion) {
      equations_.push_back(std::move(a));
    } else {
      lines_.push_back({std::move(a)});
    }
  }
}

void ForceSet::add_contact(const ConstraintProblem& problem, const ModeCell& cell, int normal, ContactState state) {
  const int count = problem.row(normal).kind == RowKind::normal ? problem.tangent_count(normal) : 0;
  for (int i = normal; i <= normal + count; ++i) {
    const ConstraintRow& row = problem.row(i);
    const bool is_zero = state == ContactState::open || (row.kind == RowKind::tangent && row.limit == 0);
    if (!is_zero && row.kind != RowKind::sliding) continue;
    Vector a = zero();  // z = 0, or the ratio of what slides
    a(i) = 1;
    if (!is_zero) a(normal) = -row.limit;
    equations_.push_back(std::move(a));
  }
  Section section = make_section(problem, normal);
  if (state == ContactState::open || section.rows.empty()) return;
  if (state == ContactState::slide) add_slip(section, section.friction(cell.w));
  if (state == ContactState::stick || !section.is_smooth) sections_.push_back(std::move(section));
}

/// The friction forces that take most power from a slip: one of a smooth section, a face of others.
void ForceSet::add_slip(const Section& section, const Vector& w) {
  const double power = section.calc_power(w);
  Vector best = zero();
  best(section.normal) = -(1 - kPowerError);
  for (std::size_t k = 0; k < section.rows.size(); ++k) {
    const auto i = static_cast<Index>(k);
    best(section.rows[k]) = -w(i) / power;
    if (!section.is_smooth) continue;
    Vector a = zero();
    a(section.rows[k]) = 1;
    a(section.normal) = section.limits(i) * section.limits(i) * w(i) / power;
    equations_.push_back(std::move(a));
  }
  if (!section.is_smooth) lines_.push_back({std::move(best)});
}

/// The kernel of A y = s A z and of the other equations, in the scaled units of constraint_problem.h: there rows that
/// depend on each other are told from others.
void ForceSet::solve_equations(const ConstraintProblem& problem) {
  const Vector z = point_.head(size_), motion = problem.A() * z;
  unit_.resize(size_ + 1);
  for (Index i = 0; i < size_; ++i) unit_(i) = problem.A()(i, i) > 0 ? 1 / std::sqrt(problem.A()(i, i)) : 1;
  const double force = z.cwiseQuotient(unit_.head(size_)).lpNorm<Eigen::Infinity>();
  unit_(size_) = force > 0 ? 1 / force : 1;
  MatrixX<double> E(size_ + static_cast<Index>(equations_.size()), size_ + 1);
  E.topLeftCorner(size_, size_) = unit_.head(size_).asDiagonal() * problem.A() * unit_.head(size_).asDiagonal();
  E.topRightCorner(size_, 1) = -unit_(size_) * unit_.head(size_).cwiseProduct(motion);
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const Vector a = equations_[k].cwiseProduct(unit_);
    E.row(size_ + static_cast<Index>(k)) = a / a.norm();
  }
  const SingularValues svd = find_singular_values(E);
  const Index rank = (svd.values.array() > kRangeRank * svd.values(0)).count();
  kernel_ = svd.V.rightCols(size_ + 1 - rank);
}

/// Directions of (y, s) that solve the equations and do not change norm · (y, s).
MatrixX<double> ForceSet::calc_directions(const Vector& norm) const {
  const Vector along = kernel_.transpose() * norm.cwiseProduct(unit_);
  MatrixX<double> across = MatrixX<double>::Identity(along.size(), along.size());
  if (along.size() > 0 && along.norm() > kRangeRank) {
    across = first_columns(Eigen::HouseholderQR<MatrixX<double>>(along).householderQ(), along.size());
    across = across.rightCols(along.size() - 1).eval();
  }
  const MatrixX<double> directions = kernel_ * across;
  return unit_.asDiagonal() * (directions.array().abs() > kNoEntry).select(directions, 0.0).matrix();
}

/// t yₙ + delta δ − g · y_t ≥ 0.
ForceSet::Line ForceSet::half_plane(const Section& section, Index j, double t, double delta) const {
  Line out{zero(), delta, section.normal};
  for (std::size_t k = 0; k < section.rows.size(); ++k) {
    out.a(section.rows[k]) = -section.gradients(static_cast<Index>(k), j);
  }
  out.a(section.normal) = t;
  return out;
}

std::vector<ForceSet::Line> ForceSet::collect_lines(const Question& question) const {
  std::vector<Line> out = lines_;
  for (std::size_t k = 0; k < sections_.size(); ++k) {
    const bool is_shared = std::find(question.shared.begin(), question.shared.end(), k) != question.shared.end();
    for (Index j = 0; j < sections_[k].gradients.cols(); ++j) {
      out.push_back(half_plane(sections_[k], j, 1, 0));
      if (is_shared) out.push_back(half_plane(sections_[k], j, question.t, 1));
    }
  }
  return out;
}

/// A program in ξ and δ, (y, s) = start + directions ξ.
std::optional<ForceSet::Optimum> ForceSet::solve_program(const Question& question) const {
  const std::vector<Line> lines = collect_lines(question);
  const MatrixX<double> directions = calc_directions(question.norm);
  const Index free = directions.cols();
  MatrixX<double> matrix(static_cast<Index>(lines.size()), free + 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Vector& a = lines[i].a;
    const Vector sum = directions.transpose() * a, terms = directions.cwiseAbs().transpose() * a.cwiseAbs();
    matrix.row(static_cast<Index>(i)) << (sum.array().abs() > kNoEntry * terms.array()).select(sum, 0.0).transpose(),
        lines[i].delta;
  }
  LinearProgram program(matrix);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // The start is feasible but for its rounding.
    const double room = lines[i].a.dot(question.start) + lines[i].delta * question.start_delta;
    program.bound_row(static_cast<int>(i), std::min(0.0, -room), kInfinity);
  }
  const Vector cost = directions.transpose() * question.cost;
  for (int j = 0; j < free; ++j) program.set_cost(j, cost(j));
  program.set_cost(static_cast<int>(free), question.delta_cost);
  if (question.delta_cost == 0) program.bound_column(static_cast<int>(free), 0, 0);
  const LpStatus status = program.solve();
  if (status == LpStatus::optimal) {
    Optimum out{question.start + directions * program.x().head(free), question.start_delta + program.x()(free)};
    read_multipliers(lines, program.multipliers(), out);
    return out;
  }
  if (status == LpStatus::unbounded) {
    return Optimum{.x = directions * program.ray().head(free), .delta = program.ray()(free), .is_ray = true};
  }
  return std::nullopt;
}

/// Sums over the half-planes with δ: the slips −g, and by the envelope theorem −dδ/dt = yₙ, each times its multiplier.
void ForceSet::read_multipliers(const std::vector<Line>& lines, const Vector& multipliers, Optimum& out) const {
  out.slip = Vector::Zero(size_);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].delta == 0) continue;
    const double multiplier = std::max(multipliers(static_cast<Index>(i)), 0.0);
    out.slip += multiplier * lines[i].a.head(size_);
    out.fall += multiplier * out.x(lines[i].normal);
  }
  for (const Section& section : sections_) out.slip(section.normal) = 0;
}

std::optional<ForceSet::Optimum> ForceSet::minimize(const Question& question) {
  for (int round = 0; round < kMostTangentRounds; ++round) {
    std::optional<Optimum> out = solve_program(question);
    if (!out || !add_tangents(question, *out)) return out;
  }
  return std::nullopt;
}

/// Adds tangents to smooth sections that an optimum violates; whether there are any.
bool ForceSet::add_tangents(const Question& question, const Optimum& optimum) {
  bool is_any = false;
  const double size = optimum.x.head(size_).lpNorm<Eigen::Infinity>();
  for (std::size_t k = 0; k < sections_.size(); ++k) {
    Section& section = sections_[k];
    if (!section.is_smooth) continue;
    double allowed = optimum.x(section.normal);
    if (std::find(question.shared.begin(), question.shared.end(), k) != question.shared.end()) {
      allowed = std::min(allowed, question.t * optimum.x(section.normal) + optimum.delta);
    }
    const Vector friction = section.friction(optimum.x);
    const double tolerance = section.rows.size() > 2 ? kSurfaceError : kSectionError;
    if (section.calc_gauge(friction) - allowed <= tolerance * size) continue;
    section.gradients.conservativeResize(Eigen::NoChange, section.gradients.cols() + 1);
    section.gradients.rightCols(1) = section.find_gradient(friction);
    is_any = true;
  }
  return is_any;
}

}  // namespace thenar::internal
