// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_verify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "thenar/complementarity/grade.h"
#include "thenar/modes/motion_check_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

using Long = long double;
using LongVector = VectorX<Long>;
using LongMatrix = MatrixX<Long>;
using Index = Eigen::Index;
using Slip = FrictionChoice::Kind;

/// What counts as zero, scaled: the search decides to 1e-8.
constexpr Long kVerifyTolerance = 1e-7L;
/// Equations whose pivots are below this depend on each other: the data are doubles.
constexpr Long kPivot = 1e-11L;
constexpr Long kLongInfinity = std::numeric_limits<Long>::infinity();
/// Points of a cell that no grader objects to.
constexpr double kWorstGrade = 1e-8;
/// A covered node may leave out what is smaller than kVerifyTolerance for forces up to this.
constexpr Long kCoverReach = 1e3L;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// What a choice allows a row or an unknown to be.
enum class Range : std::uint8_t { free, at_least_zero, at_most_zero, zero };

/// Of an interval: z_t = s e, |s| ≤ limit zₙ, against the slip e · w_t; a rhombus is two of them.
struct Friction {
  int normal = -1;
  std::vector<int> rows;
  std::vector<std::array<Long, 2>> corners, rays;  ///< of polygons
  bool is_smooth = false;
  Long limit = 0;           ///< of intervals
  std::array<Long, 2> e{};  ///< of intervals
  int first_column = 0, sum_row = 0;

  bool is_interval() const { return rays.empty(); }
  int places() const { return static_cast<int>(is_interval() ? 2 : is_smooth ? rays.size() : 2 * corners.size()); }
  int columns() const { return static_cast<int>(is_interval() ? 1 : corners.size()); }
};

Long cross(const std::array<Long, 2>& a, const std::array<Long, 2>& b) { return a[0] * b[1] - a[1] * b[0]; }

/// Unknowns, rows and parts of mode_proof.h.
class Form {
 public:
  explicit Form(const ConstraintProblem& p) : problem(p), n(p.size()) {
    find_units();
    find_parts();
  }
  /// T, R and r, which short proofs do without.
  void write_rows() {
    add_columns();
    add_rows();
  }

  const ConstraintProblem& problem;
  Index n;
  LongVector force_unit, motion_unit;
  std::vector<int> bilaterals, normals;  ///< rows of the problem
  std::vector<Friction> frictions;
  LongMatrix T, R;
  LongVector t, r, column_unit;
  std::vector<bool> is_free;

 private:
  static bool is_bilateral(const ConstraintRow& row) {
    return row.kind == RowKind::bilateral || (row.kind == RowKind::boxed && std::isinf(row.limit));
  }

  void find_units() {
    LongVector root(n);
    Long level = 0;
    for (Index i = 0; i < n; ++i) {
      const Long diagonal = problem.A()(i, i);
      root(i) = diagonal > 0 ? std::sqrt(diagonal) : 1;
      level = std::max(level, std::abs(problem.b()(i)) / root(i));
    }
    if (level == 0) level = 1;
    motion_unit = level * root;
    force_unit = level * root.cwiseInverse();
  }

  void find_parts() {
    for (int i = 0; i < n; ++i) {
      const ConstraintRow& row = problem.row(i);
      if (is_bilateral(row)) bilaterals.push_back(i);
      if (row.kind == RowKind::unilateral || row.kind == RowKind::normal) normals.push_back(i);
    }
    find_frictions();
  }

  void add_columns() {
    std::vector<LongVector> columns;
    std::vector<Long> units;
    for (const int i : bilaterals) {
      columns.push_back(LongVector::Unit(n, i));
      units.push_back(force_unit(i));
    }
    t = LongVector::Zero(n);
    is_free.assign(columns.size(), true);
    for (const int i : normals) {
      columns.push_back(LongVector::Unit(n, i));
      units.push_back(force_unit(i));
      for (Index k = i + 1; k < n && problem.row(static_cast<int>(k)).kind == RowKind::sliding; ++k) {
        columns.back()(k) = problem.row(static_cast<int>(k)).limit;
      }
    }
    for (Friction& friction : frictions) {
      friction.first_column = static_cast<int>(columns.size());
      const auto add = [&](const std::array<Long, 2>& force) {
        columns.push_back(LongVector::Zero(n));
        for (std::size_t k = 0; k < friction.rows.size(); ++k) columns.back()(friction.rows[k]) = force[k];
        units.push_back(friction.normal < 0 ? 1 : force_unit(normals[at(friction.normal)]));
      };
      for (const auto& corner : friction.corners) add(corner);
      if (!friction.is_interval()) continue;
      add({friction.limit * friction.e[0], friction.limit * friction.e[1]});
      LongVector& least = friction.normal < 0 ? t : columns[bilaterals.size() + at(friction.normal)];
      least -= columns.back();
    }
    is_free.resize(columns.size(), false);
    T.resize(n, static_cast<Index>(columns.size()));
    column_unit.resize(T.cols());
    for (Index j = 0; j < T.cols(); ++j) {
      T.col(j) = columns[at(j)];
      column_unit(j) = units[at(j)];
    }
  }

  void find_frictions() {
    int normal = -1;
    for (int i = 0; i < n; ++i) {
      const ConstraintRow& row = problem.row(i);
      if (row.kind == RowKind::unilateral) ++normal;
      if (row.kind == RowKind::boxed && !is_bilateral(row)) add_interval(-1, i);
      if (row.kind != RowKind::normal) continue;
      ++normal;
      int k = i + 1;
      const bool has_two = k + 1 < n && problem.row(k + 1).kind == RowKind::tangent;
      if (row.faces == 4 && has_two && problem.row(k).limit > 0) {
        add_rhombus(normal, k);
        k += 2;
      } else if (row.faces >= 3 && has_two && problem.row(k).limit > 0) {
        add_polygon(normal, k, row.faces);
        k += 2;
      } else if (row.faces == 0 && has_two && problem.row(k).limit > 0 && problem.row(k + 1).limit > 0) {
        add_ellipse(normal, k);
        k += 2;
      }
      for (; k < n && problem.row(k).kind == RowKind::tangent; ++k) add_interval(normal, k);
    }
  }

  void add_interval(int normal, int row) {
    const Long limit = problem.row(row).limit;
    if (limit > 0) add_interval(normal, {row}, limit, {1, 0});
  }
  void add_interval(int normal, const std::vector<int>& rows, Long limit, const std::array<Long, 2>& e) {
    frictions.emplace_back();
    frictions.back().normal = normal;
    frictions.back().rows = rows;
    frictions.back().limit = limit;
    frictions.back().e = e;
  }

  /// From (0, −μ₂) to (μ₁, 0) and from (0, μ₂) to (μ₁, 0) are its edges; halves of them, per largest μ.
  void add_rhombus(int normal, int row) {
    const Long x = problem.row(row).limit, y = problem.row(row + 1).limit, limit = std::max(x, y);
    add_interval(normal, {row, row + 1}, limit, {x / (2 * limit), y / (2 * limit)});
    add_interval(normal, {row, row + 1}, limit, {-x / (2 * limit), y / (2 * limit)});
  }

  /// Cosine and sine of 2πj/count; contacts have the same count, as a rule.
  const std::vector<std::array<Long, 2>>& circle(int count) {
    if (circle_.size() == at(count)) return circle_;
    circle_.clear();
    for (int j = 0; j < count; ++j) {
      const Long angle = 2 * std::numbers::pi_v<Long> * j / count;
      circle_.push_back({std::cos(angle), std::sin(angle)});
    }
    return circle_;
  }

  void add_polygon(int normal, int row, int faces) {
    Friction out;
    out.normal = normal;
    out.rows = {row, row + 1};
    for (const auto& corner : circle(faces)) {
      out.corners.push_back({problem.row(row).limit * corner[0], problem.row(row + 1).limit * corner[1]});
    }
    for (int j = 0; j < faces; ++j) {
      const auto& a = out.corners[at(j)];
      const auto& b = out.corners[at((j + 1) % faces)];
      const Long length = std::hypot(b[0] - a[0], b[1] - a[1]);
      out.rays.push_back({-(b[1] - a[1]) / length, (b[0] - a[0]) / length});
    }
    frictions.push_back(std::move(out));
  }

  /// Corners c, then p of mode_parts.h.
  void add_ellipse(int normal, int row) {
    constexpr int k = kSmoothPlaces;
    const std::array<Long, 2> mu{problem.row(row).limit, problem.row(row + 1).limit};
    Friction out;
    out.normal = normal;
    out.rows = {row, row + 1};
    out.is_smooth = true;
    const std::vector<std::array<Long, 2>>& turn = circle(2 * k);
    const Long reach = 1 / turn[1][0];
    for (int j = 0; j < k; ++j) {
      const auto& middle = turn[at((2 * j + 2 * k - 1) % (2 * k))];
      out.corners.push_back({reach * mu[0] * middle[0], reach * mu[1] * middle[1]});
    }
    for (int j = 0; j < k; ++j) {
      const auto& end = turn[at(2 * j)];
      const Long x = end[0] / mu[0], y = end[1] / mu[1];
      out.corners.push_back({mu[0] * end[0], mu[1] * end[1]});
      out.rays.push_back({-x / std::hypot(x, y), -y / std::hypot(x, y)});
    }
    frictions.push_back(std::move(out));
  }

  void add_rows() {
    const LongMatrix A = problem.A().cast<Long>(), AT = A * T;
    const LongVector w0 = A * t + problem.b().cast<Long>();
    std::vector<LongVector> rows;
    std::vector<Long> constants;
    const auto add = [&](const LongVector& row, Long constant) {
      rows.push_back(row);
      constants.push_back(constant);
    };
    for (const int i : bilaterals) add(AT.row(i), w0(i));
    for (const int i : normals) add(AT.row(i), w0(i));
    for (Friction& friction : frictions) {
      friction.sum_row = static_cast<int>(rows.size());
      LongVector sum = LongVector::Zero(T.cols());
      const Long width = friction.is_interval() ? 2 : 1;
      if (friction.normal >= 0) sum(static_cast<Index>(bilaterals.size()) + friction.normal) = width;
      for (int c = 0; c < friction.columns(); ++c) sum(friction.first_column + c) = -1;
      add(sum, friction.normal >= 0 ? 0 : width);
      const auto add_slip = [&](const std::array<Long, 2>& direction) {
        LongVector row = LongVector::Zero(T.cols());
        Long constant = 0;
        for (std::size_t k = 0; k < friction.rows.size(); ++k) {
          row += direction[k] * AT.row(friction.rows[k]).transpose();
          constant += direction[k] * w0(friction.rows[k]);
        }
        add(row, constant);
      };
      if (friction.is_interval()) add_slip(friction.e);
      for (const auto& ray : friction.rays) add_slip({-ray[1], ray[0]});
    }
    R.resize(static_cast<Index>(rows.size()), T.cols());
    r.resize(R.rows());
    for (Index i = 0; i < R.rows(); ++i) {
      R.row(i) = rows[at(i)];
      r(i) = constants[at(i)];
    }
  }

  std::vector<std::array<Long, 2>> circle_;
};

/// What a run of places of a polygon uses.
struct Run {
  std::vector<bool> corners;
  int from = 0, to = 0;
  bool is_one_ray = false, is_convex = false;
};

Run read_run(const Friction& friction, int first, int count) {
  const int size = static_cast<int>(friction.corners.size());
  Run out{.corners = std::vector<bool>(at(size), false)};
  for (int i = first; i < first + count; ++i) {
    const int place = i % friction.places();
    if (friction.is_smooth) {
      const int k = friction.places();
      out.corners[at(place)] = out.corners[at(k + place)] = out.corners[at(k + (place + k - 1) % k)] = true;
      continue;
    }
    out.corners[at(place / 2)] = true;
    if (place % 2 == 1) out.corners[at((place / 2 + 1) % size)] = true;
  }
  const int begin = first % friction.places(), end = (first + count - 1) % friction.places();
  if (friction.is_smooth) {
    out.from = (begin + friction.places() - 1) % friction.places();
    out.to = end;
  } else {
    out.from = begin % 2 == 1 ? begin / 2 : (begin / 2 + size - 1) % size;
    out.to = end / 2;
    out.is_one_ray = count == 1 && begin % 2 == 1;
  }
  const auto &a = friction.rays[at(out.from)], &b = friction.rays[at(out.to)];
  const Long turn = cross(a, b);
  out.is_convex = turn > 1e-12L || (std::abs(turn) <= 1e-12L && a[0] * b[0] + a[1] * b[1] < 0);
  return out;
}

/// The bounds of a choice.
struct Bounds {
  std::vector<Range> rows, columns;
};

Bounds read_bounds(const Form& form, const ModeChoice& choice) {
  Bounds out;
  out.rows.assign(at(form.R.rows()), Range::free);
  out.columns.assign(at(form.R.cols()), Range::at_least_zero);
  const std::size_t bilaterals = form.bilaterals.size();
  for (std::size_t i = 0; i < bilaterals; ++i) {
    out.rows[i] = Range::zero;
    out.columns[i] = Range::free;
  }
  for (std::size_t p = 0; p < form.normals.size(); ++p) {
    out.rows[bilaterals + p] = choice.normals[p] == NormalChoice::held ? Range::zero : Range::at_least_zero;
    if (choice.normals[p] == NormalChoice::open) out.columns[bilaterals + p] = Range::zero;
  }
  for (std::size_t p = 0; p < form.frictions.size(); ++p) {
    const Friction& friction = form.frictions[p];
    const FrictionChoice& slip = choice.frictions[p];
    const std::size_t sum = at(friction.sum_row);
    if (friction.normal >= 0 && choice.normals[at(friction.normal)] == NormalChoice::open) {
      // zₙ = 0 leaves no friction.
      for (int c = 0; c < friction.columns(); ++c) out.columns[at(friction.first_column + c)] = Range::zero;
    }
    const bool is_low = friction.is_interval() && slip.first % 2 == 0;
    out.rows[sum] = slip.kind == Slip::slip && !is_low ? Range::zero : Range::at_least_zero;
    if (slip.kind == Slip::stick) {
      const std::size_t slip_rows = friction.is_interval() ? 1 : friction.rays.size();
      for (std::size_t k = 1; k <= slip_rows; ++k) out.rows[sum + k] = Range::zero;
    }
    if (slip.kind != Slip::slip) continue;
    if (friction.is_interval()) {
      if (is_low) out.columns[at(friction.first_column)] = Range::zero;
      out.rows[sum + 1] = is_low ? Range::at_least_zero : Range::at_most_zero;
      continue;
    }
    const Run run = read_run(friction, slip.first, slip.count);
    for (std::size_t c = 0; c < run.corners.size(); ++c) {
      if (!run.corners[c]) out.columns[at(friction.first_column) + c] = Range::zero;
    }
    if (run.is_one_ray) {
      const std::size_t rays = friction.rays.size();
      out.rows[sum + 1 + at(run.from)] = Range::zero;
      out.rows[sum + 1 + (at(run.from) + rays - 1) % rays] = Range::at_least_zero;
    } else if (run.is_convex) {
      out.rows[sum + 1 + at(run.from)] = Range::at_least_zero;
      out.rows[sum + 1 + at(run.to)] = Range::at_most_zero;
    }
  }
  return out;
}

/// (1) of mode_proof.h: g · x + g₀ ≤ value + slack Σ x̂, for x in units in which forces are about 1.
struct ProvedBound {
  Long value = 0, slack = 0;
};

/// Entries of y with a sign that proves nothing are left out.
ProvedBound calc_bound(const Form& form, const Bounds& bounds, const VectorX<double>& y, const LongVector& g, Long g0) {
  const Long rounding = static_cast<Long>(form.R.rows() + 4) * std::numeric_limits<Long>::epsilon();
  std::vector<Index> rows;  // most entries are 0
  for (Index i = 0; i < y.size(); ++i) {
    const Range range = bounds.rows[at(i)];
    const bool is_useless = y(i) == 0 || range == Range::free || (range == Range::at_least_zero && y(i) < 0) ||
                            (range == Range::at_most_zero && y(i) > 0);
    if (!is_useless) rows.push_back(i);
  }
  ProvedBound out;
  out.value = g0 + rounding * std::abs(g0);
  for (const Index i : rows) out.value += y(i) * form.r(i) + rounding * std::abs(y(i) * form.r(i));
  for (Index j = 0; j < form.R.cols(); ++j) {
    const Range range = bounds.columns[at(j)];
    if (range == Range::zero) continue;
    Long sum = g(j), size = std::abs(g(j));
    for (const Index i : rows) {
      const Long term = y(i) * form.R(i, j);
      sum += term;
      size += std::abs(term);
    }
    const Long error = rounding * size;
    const Long excess = range == Range::free ? std::abs(sum) + error : std::max(sum + error, Long(0));
    out.slack = std::max(out.slack, excess * form.column_unit(j));
  }
  return out;
}

/// The forces that the equations of a choice leave: z₀ + K t; scaled.
struct EndForces {
  LongVector z0;
  LongMatrix K;
  bool is_consistent = true;
};

EndForces solve_end(const Form& form, const Bounds& bounds) {
  std::vector<Index> rows, columns;
  for (Index i = 0; i < form.R.rows(); ++i) {
    if (bounds.rows[at(i)] == Range::zero) rows.push_back(i);
  }
  for (Index j = 0; j < form.R.cols(); ++j) {
    if (bounds.columns[at(j)] != Range::zero) columns.push_back(j);
  }
  EndForces out{form.t.cwiseQuotient(form.force_unit), LongMatrix(form.n, 0)};
  if (columns.empty()) return out;
  const LongVector column_unit = form.column_unit(columns);
  LongMatrix E = form.R(rows, columns) * column_unit.asDiagonal();
  LongVector e = form.r(rows);
  for (Index i = 0; i < E.rows(); ++i) {
    const Long size = E.row(i).cwiseAbs().maxCoeff();
    if (size == 0) continue;
    E.row(i) /= size;
    e(i) /= size;
  }
  const LongMatrix to_force =
      form.force_unit.cwiseInverse().asDiagonal() * form.T(Eigen::all, columns) * column_unit.asDiagonal();
  LongVector x = LongVector::Zero(E.cols());
  LongMatrix kernel = LongMatrix::Identity(E.cols(), E.cols());
  if (E.rows() > 0) {
    Eigen::FullPivLU<LongMatrix> lu(E);
    lu.setThreshold(kPivot);
    x = lu.solve(LongVector(-e));
    kernel = lu.rank() == E.cols() ? LongMatrix(E.cols(), 0) : kernel_of(lu);
    out.is_consistent = (E * x + e).cwiseAbs().maxCoeff() <= kVerifyTolerance * (1 + x.cwiseAbs().maxCoeff());
  }
  out.z0 += to_force * x;
  for (Index k = 0; k < kernel.cols(); ++k) kernel.col(k) /= kernel.col(k).cwiseAbs().maxCoeff();
  out.K = to_force * kernel;
  return out;
}

class Checker {
 public:
  Checker(const ConstraintProblem& problem, const ModeClaim& claim) : problem_(problem), claim_(claim), form_(problem) {
    const auto unit = form_.motion_unit;
    A_ = unit.cwiseInverse().asDiagonal() * problem.A().cast<Long>() * form_.force_unit.asDiagonal();
    b_ = problem.b().cast<Long>().cwiseQuotient(unit);
  }

  ModeVerification check() {
    out_.reach = std::numeric_limits<double>::infinity();
    if (!check_cells()) return out_;
    if (claim_.verdict == Verdict::undecided) return hold();
    if (claim_.verdict == Verdict::several && !check_two_motions()) return out_;
    const bool has_tree = walk_tree();
    out_.is_list_proved = has_tree && is_list_proved_;
    if (claim_.verdict == Verdict::several) return hold();
    if (!has_tree) return out_;
    return hold();
  }

 private:
  ModeVerification hold() {
    out_.result = ModeVerification::Result::holds;
    out_.reason.clear();
    return out_;
  }
  bool refute(const std::string& reason) {
    out_.result = ModeVerification::Result::refuted;
    out_.reason = reason;
    return false;
  }
  bool leave(const std::string& reason) {
    out_.result = ModeVerification::Result::unchecked;
    out_.reason = reason;
    return false;
  }

  LongVector scale(const VectorX<double>& z) const { return z.cast<Long>().cwiseQuotient(form_.force_unit); }
  LongVector calc_motion(const LongVector& z) const { return A_ * z + b_; }

  /// Every point of a cell is a solution, and what is said about the cell fits its points.
  bool check_cells() {
    if (claim_.verdict == Verdict::none && !claim_.cells.empty())
      return refute("no solution is claimed, but there are cells");
    const bool needs_cell = claim_.verdict != Verdict::none && claim_.verdict != Verdict::undecided;
    if (needs_cell && claim_.cells.empty()) return refute("a solution is claimed, but there is no cell");
    for (std::size_t i = 0; i < claim_.cells.size(); ++i) {
      if (!check_cell(claim_.cells[i], "cell " + std::to_string(i + 1))) return false;
    }
    return true;
  }

  bool check_cell(const ModeCell& cell, const std::string& name) {
    if (cell.z.size() != problem_.size() || cell.w.size() != problem_.size()) {
      return refute(name + " has vectors of a wrong size");
    }
    if (!check_point(cell.z, &cell.w, name)) return false;
    for (const VectorX<double>& z : cell.vertices) {
      if (z.size() != problem_.size()) return refute(name + " has a vertex of a wrong size");
      if (z != cell.z && !check_point(z, nullptr, "a vertex of " + name)) return false;
    }
    const LongVector w = calc_motion(scale(cell.z));
    Long difference = 0;
    for (const VectorX<double>& z : cell.vertices) {
      difference = std::max(difference, (calc_motion(scale(z)) - w).cwiseAbs().maxCoeff());
    }
    if (cell.motion_unique && difference > kVerifyTolerance) return refute(name + " has more than one motion");
    if (cell.forces_unique && (cell.vertices.size() > 1 || !cell.rays.empty() || !cell.lines.empty())) {
      return refute(name + " has more than one force");
    }
    if (!check_span(cell, name)) return false;
    return check_states(cell, w, name);
  }

  bool check_span(const ModeCell& cell, const std::string& name) {
    if (cell.span.rows() != problem_.size()) return refute(name + " has a span of a wrong size");
    if (cell.forces_unique != (cell.span.cols() == 0)) return refute(name + " has a span that does not fit");
    for (Index k = 0; cell.motion_unique && k < cell.span.cols(); ++k) {
      const LongVector direction = scale(cell.span.col(k));
      const Long size = direction.cwiseAbs().maxCoeff();
      if (!(size > 0) || (A_ * direction).cwiseAbs().maxCoeff() > kVerifyTolerance * size) {
        return refute(name + " has internal forces that move something");
      }
    }
    return true;
  }

  bool check_point(const VectorX<double>& z, const VectorX<double>* w, const std::string& name) {
    const std::span<const double> forces(z.data(), at(z.size()));
    const ConstraintGrade grade =
        w != nullptr ? grade_solution(problem_, forces, std::span<const double>(w->data(), at(w->size())))
                     : grade_solution(problem_, forces);
    // Forces that grow without end may come near a solution in parts of their size while there is none.
    const Long size = 1 + scale(z).cwiseAbs().maxCoeff();
    if (!(grade.worst() <= kWorstGrade) || grade.worst() * size > kVerifyTolerance) {
      return refute(name + " is not a solution: row " + std::to_string(grade.worst_row) + " is violated");
    }
    out_.residual = std::max(out_.residual, grade.worst());
    return true;
  }

  /// States are told by the motion; where it is not unique, by that inside the cell, of which only some is seen here.
  bool check_states(const ModeCell& cell, const LongVector& w, const std::string& name) {
    if (cell.states.size() != form_.normals.size()) return refute(name + " has a wrong number of states");
    if (!cell.motion_unique) return true;
    const Long zero = 100 * kVerifyTolerance;
    for (std::size_t p = 0; p < cell.states.size(); ++p) {
      const int row = form_.normals[p];
      Long slip = 0;
      bool slides = false;
      for (int k = row + 1; k < problem_.size(); ++k) {
        const RowKind kind = problem_.row(k).kind;
        if (problem_.row(row).kind != RowKind::normal || (kind != RowKind::tangent && kind != RowKind::sliding)) break;
        slides = slides || kind == RowKind::sliding;
        slip = std::max(slip, std::abs(w(k)));
      }
      const bool is_open = cell.states[p] == ContactState::open;
      if (w(row) > zero && !is_open) return refute(name + ": a contact opens that is said not to");
      if (w(row) < kVerifyTolerance / 1e3L && is_open)
        return refute(name + ": a contact does not open that is said to");
      if (is_open || w(row) > kVerifyTolerance / 1e3L) continue;
      const bool is_sliding = cell.states[p] == ContactState::slide;
      if ((slides || slip > zero) && !is_sliding) return refute(name + ": a contact slides that is said not to");
      if (!slides && slip < kVerifyTolerance / 1e3L && is_sliding) {
        return refute(name + ": a contact does not slide that is said to");
      }
    }
    return true;
  }

  bool check_two_motions() {
    std::vector<LongVector> motions;
    for (const ModeCell& cell : claim_.cells) {
      motions.push_back(calc_motion(scale(cell.z)));
      for (const VectorX<double>& z : cell.vertices) motions.push_back(calc_motion(scale(z)));
      for (const VectorX<double>& ray : cell.rays) {
        const VectorX<double> z = cell.z + ray;
        if (!check_point(z, nullptr, "a ray")) return false;
        motions.push_back(calc_motion(scale(z)));
      }
    }
    for (const LongVector& w : motions) {
      if ((w - motions.front()).cwiseAbs().maxCoeff() > kVerifyTolerance) return true;
    }
    return refute("several motions are claimed, but all that are shown are the same");
  }

  /// Goes through the tree from its root. False with a reason.
  bool walk_tree() {
    visited_.assign(claim_.tree.size(), false);
    ModeChoice choice;
    choice.normals.assign(form_.normals.size(), NormalChoice::undecided);
    choice.frictions.assign(form_.frictions.size(), FrictionChoice{});
    sticks_somewhere_.assign(form_.frictions.size(), 0);
    solutions_ = 0;
    is_list_proved_ = true;
    if (claim_.tree.empty()) return refute("there is no proof");
    if (claim_.tree.front().kind == ModeNode::Kind::one_motion) return check_whole_motion();
    form_.write_rows();
    return walk(0, choice, false, false);
  }

  bool walk(int index, ModeChoice& choice, bool is_normal_child, bool is_sibling_covered) {
    const std::string name = "node " + std::to_string(index);
    if (index < 0 || at(index) >= claim_.tree.size() || visited_[at(index)])
      return refute(name + " is not part of a tree");
    visited_[at(index)] = true;
    const ModeNode& node = claim_.tree[at(index)];
    switch (node.kind) {
      case ModeNode::Kind::branch:
        return walk_branch(node, name, choice);
      case ModeNode::Kind::empty:
        return check_empty(node, name, choice);
      case ModeNode::Kind::covered:
        if (is_normal_child && is_sibling_covered) return refute(name + " and its sibling cover each other");
        return check_covered(node, name, choice);
      case ModeNode::Kind::cell:
        solutions_ += node.cell >= 0;
        return check_end(node, name, choice);
      case ModeNode::Kind::one_motion:
        ++solutions_;
        return check_one_motion(node, name, choice);
      case ModeNode::Kind::unexplored:
        break;
    }
    return leave(name + " is not explored");
  }

  bool walk_branch(const ModeNode& node, const std::string& name, ModeChoice& choice) {
    const std::size_t parts = node.on_normal ? choice.normals.size() : choice.frictions.size();
    if (node.part < 0 || at(node.part) >= parts) return refute(name + " decides a part that does not exist");
    last_ = {node.on_normal, node.part};
    if (node.on_normal) {
      NormalChoice& normal = choice.normals[at(node.part)];
      if (normal != NormalChoice::undecided || node.children.size() != 2) return refute(name + " is no branch");
      const auto is_covered = [&](int child) {
        return child >= 0 && at(child) < claim_.tree.size() && claim_.tree[at(child)].kind == ModeNode::Kind::covered;
      };
      const bool both = is_covered(node.children[0]) && is_covered(node.children[1]);
      const long long before = solutions_;
      normal = NormalChoice::open;
      if (!walk(node.children[0], choice, true, both)) return false;
      const long long between = solutions_;
      last_ = {true, node.part};
      normal = NormalChoice::held;
      if (!walk(node.children[1], choice, true, both)) return false;
      if ((is_covered(node.children[0]) && solutions_ == between) ||
          (is_covered(node.children[1]) && between == before)) {
        return refute(name + " has a child that its sibling is said to cover, but that has no solutions");
      }
      normal = NormalChoice::undecided;
      return true;
    }
    FrictionChoice& friction = choice.frictions[at(node.part)];
    const FrictionChoice before = friction;
    if (before.kind == Slip::stick || (before.kind == Slip::slip && before.count == 1)) {
      return refute(name + " is no branch");
    }
    std::vector<FrictionChoice> next;
    const bool is_whole = before.kind == Slip::undecided;
    const int first = is_whole ? 0 : before.first;
    const int count = is_whole ? form_.frictions[at(node.part)].places() : before.count;
    if (is_whole) next.push_back({.kind = Slip::stick});
    next.push_back({.kind = Slip::slip, .first = first, .count = count / 2});
    next.push_back({.kind = Slip::slip, .first = first + count / 2, .count = count - count / 2});
    if (node.children.size() != next.size()) return refute(name + " has a wrong number of children");
    for (std::size_t k = 0; k < next.size(); ++k) {
      last_ = {false, node.part};
      friction = next[k];
      const long long before_child = solutions_;
      if (!walk(node.children[k], choice, false, false)) return false;
      if (next[k].kind == Slip::stick) sticks_somewhere_[at(node.part)] = solutions_ > before_child;
    }
    friction = before;
    return true;
  }

  bool check_empty(const ModeNode& node, const std::string& name, const ModeChoice& choice) {
    if (node.y.size() != form_.R.rows() || !node.y.allFinite()) return refute(name + " has no vector that fits");
    const ProvedBound bound =
        calc_bound(form_, read_bounds(form_, choice), node.y, LongVector::Zero(form_.R.cols()), 0);
    if (!(bound.value < 0)) return refute(name + " is said to be empty, which its vector does not prove");
    const Long reach = bound.slack > 0 ? -bound.value / bound.slack : kLongInfinity;
    out_.reach = std::min(out_.reach, static_cast<double>(reach));
    if (reach < static_cast<Long>(kLeastModeReach)) {
      return refute(name + " is said to be empty, which its vector does not prove for forces above " +
                    std::to_string(static_cast<double>(reach)));
    }
    return true;
  }

  bool check_covered(const ModeNode& node, const std::string& name, const ModeChoice& choice) {
    if (node.y.size() != form_.R.rows() || !node.y.allFinite()) return refute(name + " has no vector that fits");
    LongVector g = LongVector::Zero(form_.R.cols());
    Long g0 = 0, unit = 1;
    if (!last_.on_normal) {
      if (!sticks_somewhere_[at(last_.part)]) return refute(name + " is covered by a child without solutions");
      const Friction& friction = form_.frictions[at(last_.part)];
      if (!add_slip(friction, choice.frictions[at(last_.part)], g, g0)) return refute(name + " cannot be covered");
      unit = form_.motion_unit(friction.rows[0]);
    } else if (choice.normals[at(last_.part)] == NormalChoice::open) {
      add_motion(form_.normals[at(last_.part)], 1, g, g0);
      unit = form_.motion_unit(form_.normals[at(last_.part)]);
    } else {
      g(static_cast<Index>(form_.bilaterals.size()) + last_.part) = 1;
      unit = form_.force_unit(form_.normals[at(last_.part)]);
    }
    const ProvedBound bound = calc_bound(form_, read_bounds(form_, choice), node.y, g, g0);
    if (bound.value + kCoverReach * bound.slack <= kVerifyTolerance * unit) return true;
    return refute(name + " is said to be covered, which its vector does not prove");
  }

  /// Adds factor times the motion of a row.
  void add_motion(int row, Long factor, LongVector& g, Long& g0) const {
    const LongVector gradient = problem_.A().row(row).cast<Long>();
    g += factor * (gradient.transpose() * form_.T).transpose();
    g0 += factor * (problem_.b()(row) + gradient.dot(form_.t));
  }

  /// d · w_t of a covered slip; false if there is no such d.
  bool add_slip(const Friction& friction, const FrictionChoice& choice, LongVector& g, Long& g0) const {
    if (choice.kind != Slip::slip) return false;
    if (friction.is_interval()) {
      const Long sign = choice.first % 2 == 0 ? 1 : -1;
      for (std::size_t k = 0; k < friction.rows.size(); ++k) add_motion(friction.rows[k], sign * friction.e[k], g, g0);
      return true;
    }
    const Run run = read_run(friction, choice.first, choice.count);
    if (!run.is_one_ray && !run.is_convex) return false;
    const auto &from = friction.rays[at(run.from)], &to = friction.rays[at(run.to)];
    if (std::hypot(from[0] + to[0], from[1] + to[1]) < 1e-6L) return false;
    for (std::size_t k = 0; k < 2; ++k) add_motion(friction.rows[k], from[k] + to[k], g, g0);
    return true;
  }

  /// Everything is decided here: what are the solutions?
  bool check_end(const ModeNode& node, const std::string& name, const ModeChoice& choice) {
    if (!is_end(choice)) return refute(name + " is said to be a cell, but not everything is decided");
    if (slips_on_smooth_cone(choice))
      return leave(name + " slips on a smooth cone, of which more than one answer may be left");
    const EndForces end = solve_end(form_, read_bounds(form_, choice));
    if (!end.is_consistent) return true;
    const LongVector w0 = calc_motion(end.z0);
    const Long size = 1 + end.z0.cwiseAbs().maxCoeff();
    const bool is_point = end.K.cols() == 0 || end.K.cwiseAbs().maxCoeff() <= kVerifyTolerance;
    if (is_point && !is_solution(end.z0)) return true;  // the equations have one solution, which is none of the problem
    const bool is_motion_fixed = is_point || (A_ * end.K).cwiseAbs().maxCoeff() <= kVerifyTolerance * size;
    check_listed(node, choice, end, is_point);
    if (claim_.verdict == Verdict::several) return true;
    if (claim_.cells.empty()) return refute(name + " has a solution, and none is claimed");
    if (!is_motion_fixed) return leave(name + ": whether it has one motion is not seen from its equations");
    const LongVector z = scale(claim_.cells.front().z), w = calc_motion(z);
    if ((w0 - w).cwiseAbs().maxCoeff() > kVerifyTolerance * size) {
      return is_point ? refute(name + " has another motion") : leave(name + " may have another motion");
    }
    if (claim_.verdict == Verdict::unique) {
      if (!is_point) return leave(name + ": whether it has one force is not seen from its equations");
      if ((end.z0 - z).cwiseAbs().maxCoeff() > kVerifyTolerance * size) return refute(name + " has other forces");
    }
    return true;
  }

  /// All solutions of the problem have the motion of a cell.
  bool check_whole_motion() {
    const ModeNode& root = claim_.tree.front();
    return check_one_motion(root, "the root", [](const internal::MotionCheck& check, const LongVector&) {
      return check.find_differences();
    });
  }

  /// All solutions of the node have the motion of a cell.
  bool check_one_motion(const ModeNode& node, const std::string& name, const ModeChoice& choice) {
    const EndForces end = solve_end(form_, read_bounds(form_, choice));
    if (!end.is_consistent) return true;  // no solution obeys the decisions
    return check_one_motion(
        node, name, [&](const internal::MotionCheck&, const LongVector& z) { return find_differences(end, z); });
  }

  template <class Differences>
  bool check_one_motion(const ModeNode& node, const std::string& name, const Differences& differences) {
    if (node.cell < 0 || at(node.cell) >= claim_.cells.size())
      return refute(name + " names a cell that does not exist");
    const ModeCell& cell = claim_.cells[at(node.cell)];
    const LongVector z = scale(cell.z), w = calc_motion(z);
    const internal::MotionCheck check(problem_, A_, z, w, form_.force_unit);
    const internal::MotionCheck::Result result = check.check(differences(check, z), node.y);
    if (!result.fault.empty()) return refute(name + " " + result.fault);
    is_list_proved_ = is_list_proved_ && has_all_forces(cell.choice, w);
    if (claim_.verdict == Verdict::several) return true;
    const LongVector first = calc_motion(scale(claim_.cells.front().z));
    const Long size = 1 + z.cwiseAbs().maxCoeff();
    if ((w - first).cwiseAbs().maxCoeff() > kVerifyTolerance * size) return refute(name + " has another motion");
    if (claim_.verdict == Verdict::unique && !result.proves_forces && !check.has_one_force()) {
      return leave(name + ": whether its motion has one force is not seen from its equations");
    }
    return true;
  }

  /// Directions that span z − z* for all z that obey the equations of a choice.
  static LongMatrix find_differences(const EndForces& end, const LongVector& known) {
    const LongVector offset = end.z0 - known;
    const bool is_known_there = offset.cwiseAbs().maxCoeff() <= kVerifyTolerance * kVerifyTolerance;
    LongMatrix out(end.K.rows(), end.K.cols() + (is_known_there ? 0 : 1));
    out.leftCols(end.K.cols()) = end.K;
    if (!is_known_there) out.col(end.K.cols()) = offset;
    return out;
  }

  /// Whether a choice admits all forces that have the motion w.
  bool has_all_forces(const ModeChoice& choice, const LongVector& w) const {
    if (choice.normals.size() != form_.normals.size() || choice.frictions.size() != form_.frictions.size())
      return false;
    for (std::size_t p = 0; p < choice.normals.size(); ++p) {
      const Long opening = w(form_.normals[p]);
      if (choice.normals[p] == NormalChoice::open ? opening < kVerifyTolerance / 1e3L : opening > kVerifyTolerance)
        return false;
    }
    for (std::size_t p = 0; p < choice.frictions.size(); ++p) {
      const Friction& friction = form_.frictions[p];
      const bool is_open = friction.normal >= 0 && choice.normals[at(friction.normal)] == NormalChoice::open;
      if (!is_open && !is_place_of(friction, choice.frictions[p], w)) return false;
    }
    return true;
  }

  /// e · w_t of an interval, in the unit of its first row.
  Long calc_speed(const Friction& friction, const LongVector& w) const {
    Long out = 0;
    for (std::size_t k = 0; k < friction.rows.size(); ++k) {
      out += friction.e[k] * w(friction.rows[k]) * form_.motion_unit(friction.rows[k]);
    }
    return out / form_.motion_unit(friction.rows[0]);
  }
  Long calc_slip(const Friction& friction, const LongVector& w) const {
    return friction.is_interval() ? std::abs(calc_speed(friction, w)) : w(friction.rows).cwiseAbs().maxCoeff();
  }

  /// Whether friction under the slip of w is all in the place that is chosen.
  bool is_place_of(const Friction& friction, const FrictionChoice& choice, const LongVector& w) const {
    if (choice.kind == Slip::stick) return calc_slip(friction, w) <= kVerifyTolerance;
    if (choice.kind != Slip::slip || choice.count != 1) return false;
    if (friction.is_interval())
      return choice.first % 2 == 0 ? calc_speed(friction, w) > 0 : calc_speed(friction, w) < 0;
    if (friction.is_smooth) return false;
    std::array<Long, 2> slip{};
    for (std::size_t k = 0; k < 2; ++k) slip[k] = w(friction.rows[k]) * form_.motion_unit(friction.rows[k]);
    const int rays = static_cast<int>(friction.rays.size()), j = choice.first / 2 % rays;
    const Long after = cross(friction.rays[at((j + rays - 1) % rays)], slip),
               before = cross(friction.rays[at(j)], slip);
    if (choice.first % 2 == 0) return after > 0 && before < 0;
    return after > 0 && std::abs(before) <= kVerifyTolerance * std::hypot(slip[0], slip[1]);
  }

  bool is_end(const ModeChoice& choice) const {
    for (const NormalChoice normal : choice.normals) {
      if (normal == NormalChoice::undecided) return false;
    }
    for (std::size_t p = 0; p < choice.frictions.size(); ++p) {
      const int normal = form_.frictions[p].normal;
      if (normal >= 0 && choice.normals[at(normal)] == NormalChoice::open) continue;
      const FrictionChoice& friction = choice.frictions[p];
      if (friction.kind == Slip::undecided || (friction.kind == Slip::slip && friction.count != 1)) return false;
    }
    return true;
  }

  bool slips_on_smooth_cone(const ModeChoice& choice) const {
    for (std::size_t p = 0; p < choice.frictions.size(); ++p) {
      const Friction& friction = form_.frictions[p];
      const bool is_open = friction.normal >= 0 && choice.normals[at(friction.normal)] == NormalChoice::open;
      if (friction.is_smooth && !is_open && choice.frictions[p].kind == Slip::slip) return true;
    }
    return false;
  }

  bool is_solution(const LongVector& z) const {
    const VectorX<double> forces = form_.force_unit.cwiseProduct(z).cast<double>();
    return grade_solution(problem_, std::span<const double>(forces.data(), at(forces.size()))).worst() <= 1e-7;
  }

  /// Whether the solutions of an end are in the cell it names.
  void check_listed(const ModeNode& node, const ModeChoice& choice, const EndForces& end, bool is_point) {
    if (node.cell < 0 || at(node.cell) >= claim_.cells.size()) {
      is_list_proved_ = false;
      return;
    }
    const ModeCell& cell = claim_.cells[at(node.cell)];
    const bool has_one_motion = is_point || (A_ * end.K).cwiseAbs().maxCoeff() <= kVerifyTolerance;
    if (!are_in(cell.choice, choice, end.z0, is_point, has_one_motion)) is_list_proved_ = false;
  }

  /// Whether the solutions of an end obey the decisions of another choice. They are all like z if it is a point or has
  /// one motion.
  bool are_in(const ModeChoice& other, const ModeChoice& choice, const LongVector& z, bool is_point,
              bool has_one_motion) const {
    if (other.normals.size() != choice.normals.size() || other.frictions.size() != choice.frictions.size())
      return false;
    const LongVector w = calc_motion(z);
    const Long zero = kVerifyTolerance * (1 + z.cwiseAbs().maxCoeff());
    for (std::size_t p = 0; p < other.normals.size(); ++p) {
      if (other.normals[p] == choice.normals[p]) continue;
      const int row = form_.normals[p];
      const bool fits = other.normals[p] == NormalChoice::open ? is_point && std::abs(z(row)) <= zero
                                                               : has_one_motion && std::abs(w(row)) <= zero;
      if (!fits) return false;
    }
    for (std::size_t p = 0; p < other.frictions.size(); ++p) {
      const Friction& friction = form_.frictions[p];
      const bool is_open = friction.normal >= 0 && other.normals[at(friction.normal)] == NormalChoice::open;
      if (is_open || other.frictions[p] == choice.frictions[p]) continue;
      if (other.frictions[p].kind != Slip::stick) return is_point && is_same_point(z);
      if (!has_one_motion || calc_slip(friction, w) > zero) return false;
    }
    return true;
  }

  /// Whether z is a cell that is a point.
  bool is_same_point(const LongVector& z) const {
    const Long zero = kVerifyTolerance * (1 + z.cwiseAbs().maxCoeff());
    return std::any_of(claim_.cells.begin(), claim_.cells.end(), [&](const ModeCell& cell) {
      return cell.forces_unique && (z - scale(cell.z)).cwiseAbs().maxCoeff() <= zero;
    });
  }

  struct Last {
    bool on_normal = true;
    int part = 0;
  };

  const ConstraintProblem& problem_;
  const ModeClaim& claim_;
  Form form_;
  LongMatrix A_;
  LongVector b_;
  std::vector<bool> visited_;
  long long solutions_ = 0;             ///< ends of the tree so far that have some
  std::vector<char> sticks_somewhere_;  ///< by friction: in the child of its first branch in which it sticks
  Last last_;
  bool is_list_proved_ = false;
  ModeVerification out_;
};

}  // namespace

namespace {

/// Without rows the only solution is no force.
ModeVerification verify_nothing(const ModeClaim& claim) {
  ModeVerification out;
  const bool holds = claim.verdict == Verdict::unique && claim.cells.size() == 1 && claim.cells.front().z.size() == 0;
  out.result = holds ? ModeVerification::Result::holds : ModeVerification::Result::refuted;
  if (!holds) out.reason = "a problem without rows has one solution";
  out.reach = std::numeric_limits<double>::infinity();
  out.is_list_proved = holds;
  return out;
}

}  // namespace

const char* to_string(ModeVerification::Result result) {
  switch (result) {
    case ModeVerification::Result::holds:
      return "holds";
    case ModeVerification::Result::refuted:
      return "refuted";
    case ModeVerification::Result::unchecked:
      break;
  }
  return "unchecked";
}

ModeVerification verify_modes(const ConstraintProblem& problem, const ModeClaim& claim) {
  ModeVerification fault;
  if (const auto text = problem.find_fault()) {
    fault.reason = *text;
    return fault;
  }
  if (!problem.A().allFinite() || !problem.b().allFinite()) {
    fault.reason = "A or b has a number that is not finite";
    return fault;
  }
  if (problem.size() == 0) return verify_nothing(claim);
  return Checker(problem, claim).check();
}

}  // namespace thenar
