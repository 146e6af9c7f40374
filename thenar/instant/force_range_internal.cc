// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/force_range_internal.h"

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
/// Half-planes that a force is as near to as this part of its size meet there.
constexpr double kCorner = 1e-9;
/// Newton's method mostly ends within these; after them every other step halves the bracket.
constexpr int kQuickRounds = 6;
/// Least shares of polyhedral cones are told to this.
constexpr double kResolution = 1e-10;
/// Forces below this part of the largest are none.
constexpr double kLoaded = 1e-9;
/// Slips lose this part of the power that friction can take from them, at most: rounding of w.
constexpr double kPowerError = 1e-9;
/// Of tangents to smooth sections, and of shares. A section in the plane takes some ten, a limit surface more.
constexpr int kMostRangeRounds = 100;

/// Half-planes |sₖ| ≤ μₖ.
void add_interval(MatrixX<double>& gradients, Index k, double limit) {
  const Index columns = gradients.cols();
  gradients.conservativeResize(Eigen::NoChange, columns + 2);
  gradients.rightCols(2).setZero();
  gradients(k, columns) = 1 / limit;
  gradients(k, columns + 1) = -1 / limit;
}

/// Edges of the regular polygon, (8) of constraint_problem.h.
void add_polygon(MatrixX<double>& gradients, int faces, const Vector& limits) {
  for (int j = 0; j < faces; ++j) {
    const Eigen::Vector2d middle = 0.5 * (calc_regular_corner(j, faces) + calc_regular_corner((j + 1) % faces, faces));
    gradients.conservativeResize(Eigen::NoChange, gradients.cols() + 1);
    gradients.rightCols(1).setZero();
    gradients.rightCols(1).topRows(2) = middle.cwiseQuotient(limits.head<2>()) / middle.squaredNorm();
  }
}

}  // namespace

double Section::calc_gauge(const Vector& s) const {
  if (is_smooth) return s.cwiseQuotient(limits).norm();
  return std::max(0.0, (gradients.transpose() * s).maxCoeff());
}

Vector Section::find_gradient(const Vector& s) const {
  const double gauge = calc_gauge(s);
  if (!(gauge > 0)) return Vector::Zero(s.size());
  if (is_smooth) return s.cwiseQuotient(limits.cwiseAbs2()) / gauge;
  Vector out = Vector::Zero(s.size());
  int count = 0;
  for (Index j = 0; j < gradients.cols(); ++j) {
    if (gradients.col(j).dot(s) < (1 - kCorner) * gauge) continue;
    out += gradients.col(j);
    ++count;
  }
  return out / count;
}

double Section::calc_power(const Vector& w) const {
  if (is_smooth) return w.cwiseProduct(limits).norm();
  const Vector scaled = w.cwiseProduct(limits);
  const Index planar = polygon > 0 ? 2 : 0;
  const double box = scaled.tail(scaled.size() - planar).lpNorm<1>();
  double best = 0;
  for (int j = 0; j < polygon; ++j) best = std::max(best, -scaled.head<2>().dot(calc_regular_corner(j, polygon)));
  return box + best;
}

Section make_section(const ConstraintProblem& problem, int normal) {
  Section out;
  out.normal = normal;
  const int count = problem.row(normal).kind == RowKind::normal ? problem.tangent_count(normal) : 0;
  for (int i = normal + 1; i <= normal + count; ++i) {
    if (problem.row(i).kind == RowKind::tangent && problem.row(i).limit > 0) out.rows.push_back(i);
  }
  const auto n = static_cast<Index>(out.rows.size());
  out.limits.resize(n);
  for (Index k = 0; k < n; ++k) out.limits(k) = problem.row(out.rows[static_cast<std::size_t>(k)]).limit;
  out.gradients.resize(n, 0);
  const int faces = problem.row(normal).faces;
  out.is_smooth = faces == 0 && n > 1;
  out.polygon = faces > kBoxFaces && n > 1 ? faces : 0;
  if (out.polygon > 0) add_polygon(out.gradients, faces, out.limits);
  for (Index k = out.polygon > 0 ? 2 : 0; k < n; ++k) add_interval(out.gradients, k, out.limits(k));
  return out;
}

double calc_share(const Section& section, const Vector& z) {
  if (section.rows.empty() || !(z(section.normal) > 0)) return 0;
  return section.calc_gauge(section.friction(z)) / z(section.normal);
}

ForceRange::ForceRange(const ConstraintProblem& problem, const ModeCell& cell)
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

void ForceRange::add_boxed(const ConstraintRow& row, int i, double w, double no_motion) {
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

void ForceRange::add_contact(const ConstraintProblem& problem, const ModeCell& cell, int normal, ContactState state) {
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
void ForceRange::add_slip(const Section& section, const Vector& w) {
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
void ForceRange::solve_equations(const ConstraintProblem& problem) {
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
MatrixX<double> ForceRange::calc_directions(const Vector& norm) const {
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
ForceRange::Line ForceRange::half_plane(const Section& section, Index j, double t, double delta) const {
  Line out{zero(), delta, section.normal};
  for (std::size_t k = 0; k < section.rows.size(); ++k) {
    out.a(section.rows[k]) = -section.gradients(static_cast<Index>(k), j);
  }
  out.a(section.normal) = t;
  return out;
}

std::vector<ForceRange::Line> ForceRange::collect_lines(const Question& question) const {
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
std::optional<ForceRange::Optimum> ForceRange::minimize(const Question& question) const {
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
void ForceRange::read_multipliers(const std::vector<Line>& lines, const Vector& multipliers, Optimum& out) const {
  out.slip = Vector::Zero(size_);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].delta == 0) continue;
    const double multiplier = std::max(multipliers(static_cast<Index>(i)), 0.0);
    out.slip += multiplier * lines[i].a.head(size_);
    out.fall += multiplier * out.x(lines[i].normal);
  }
  for (const Section& section : sections_) out.slip(section.normal) = 0;
}

std::optional<ForceRange::Optimum> ForceRange::minimize_smooth(const Question& question) {
  for (int round = 0; round < kMostRangeRounds; ++round) {
    std::optional<Optimum> out = minimize(question);
    if (!out || !add_tangents(question, *out)) return out;
  }
  return std::nullopt;
}

/// Adds tangents to smooth sections that an optimum violates; whether there are any.
bool ForceRange::add_tangents(const Question& question, const Optimum& optimum) {
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

/// The least (side = 1) or largest (−1) sum of normal forces.
ForceRange::Question ForceRange::ask_sum(std::span<const int> normals, double side) const {
  Question out{.cost = zero(), .norm = Vector::Unit(size_ + 1, size_), .start = point_, .shared = {}};
  for (const int i : normals) out.cost(i) = side;
  return out;
}

std::optional<ForceBracket> ForceRange::calc_bracket(std::span<const int> normals) {
  ForceBracket out;
  for (const double side : {1.0, -1.0}) {
    const Question question = ask_sum(normals, side);
    const std::optional<Optimum> optimum = minimize_smooth(question);
    if (!optimum) return std::nullopt;
    const double sum = optimum->is_ray ? kInfinity : std::max(side * question.cost.dot(optimum->x), 0.0);
    (side > 0 ? out.least : out.most) = sum;
  }
  return out;
}

/// A point (y, s) of the motion at which these rows carry a force, with Σ yₙ = 1.
std::optional<Vector> ForceRange::find_loaded(std::span<const int> normals) {
  const Question question = ask_sum(normals, -1);
  const auto sum = [&](const Vector& x) { return -question.cost.dot(x); };
  Vector out = point_;
  if (!(sum(out) > kLoaded * point_.head(size_).lpNorm<Eigen::Infinity>())) {
    const std::optional<Optimum> most = minimize_smooth(question);
    if (!most) return std::nullopt;
    out = most->is_ray ? Vector(point_ + most->x) : most->x;
    if (!(sum(out) > kLoaded * out.head(size_).lpNorm<Eigen::Infinity>())) return std::nullopt;
  }
  return out / sum(out);
}

std::optional<LeastShare> ForceRange::calc_least_share(std::span<const int> normals) {
  Question question{.cost = zero(), .delta_cost = 1, .norm = zero(), .start = {}, .shared = {}};
  for (const int i : normals) question.norm(i) = 1;
  for (std::size_t k = 0; k < sections_.size(); ++k) {
    if (std::find(normals.begin(), normals.end(), sections_[k].normal) != normals.end()) question.shared.push_back(k);
  }
  std::optional<Vector> start = find_loaded(normals);
  if (question.shared.empty() || !start) return std::nullopt;
  question.start = std::move(*start);
  const bool is_smooth = std::any_of(question.shared.begin(), question.shared.end(),
                                     [&](std::size_t k) { return sections_[k].is_smooth; });
  const double resolution = is_smooth ? kSectionError : kResolution;
  LeastShare out{1, question.start.head(size_), Vector::Zero(size_)};
  double low = -1;  // nothing is known to be too little
  question.t = 1;
  for (int round = 0; round < kMostRangeRounds; ++round) {
    const std::optional<Optimum> optimum = minimize_smooth(question);
    if (!optimum || optimum->is_ray) return std::nullopt;
    if (optimum->delta > resolution) {
      low = question.t;
    } else {
      out = {question.t, optimum->x.head(size_), optimum->slip};
      question.start = optimum->x;
    }
    if (std::abs(optimum->delta) <= resolution || out.share - low <= resolution) return out;
    double next = question.t + optimum->delta / optimum->fall;  // Newton's step
    const bool is_slow = round >= kQuickRounds && round % 2 == 0;
    if (is_slow || !(next > low && next < out.share)) next = std::max(0.0, 0.5 * (low + out.share));
    question.t = next;
    question.start_delta = std::max(0.0, calc_excess(question));
  }
  return std::nullopt;
}

/// The δ that the start needs.
double ForceRange::calc_excess(const Question& question) const {
  double out = -kInfinity;
  for (const std::size_t k : question.shared) {
    const Section& section = sections_[k];
    const double gauge = section.calc_gauge(section.friction(question.start));
    out = std::max(out, gauge - question.t * question.start(section.normal));
  }
  return out;
}

}  // namespace thenar::internal
