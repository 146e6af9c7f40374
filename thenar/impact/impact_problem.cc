// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/impact/impact_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "thenar/complementarity/constraint_front.h"
#include "thenar/impact/impulse_refinement_internal.h"
#include "thenar/impact/least_impulse_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

/// Velocities below this part of the largest are none, once impulses have acted.
constexpr double kRest = 1e-12;
/// Where the true cone's answer is not found: within 0.12 % of the circle.
constexpr int kFinestPolygon = 64;

void check(const ImpactProblem& problem) {
  const ConstraintProblem& rows = problem.rows;
  if (const auto fault = rows.find_fault()) throw std::invalid_argument(*fault);
  if (static_cast<int>(problem.restitution.size()) != rows.size()) {
    throw std::invalid_argument(fmt::format("{} restitutions for {} rows", problem.restitution.size(), rows.size()));
  }
  for (int i = 0; i < rows.size(); ++i) {
    const RowKind kind = rows.row(i).kind;
    if (kind == RowKind::boxed || kind == RowKind::sliding || rows.row(i).faces != 0) {
      throw std::invalid_argument(
          fmt::format("row {} is {}: impacts have bilateral, unilateral, normal and tangent "
                      "rows, on smooth cones",
                      i, to_string(kind)));
    }
    const double e = problem.restitution[static_cast<std::size_t>(i)];
    if (!(e >= 0 && e <= 1)) throw std::invalid_argument(fmt::format("restitution of row {} is {}", i, e));
  }
}

/// Rows that can be struck: normal and unilateral ones.
std::vector<int> find_heads(const ConstraintProblem& rows) {
  std::vector<int> out;
  for (int i = 0; i < rows.size(); ++i) {
    if (rows.row(i).kind == RowKind::normal || rows.row(i).kind == RowKind::unilateral) out.push_back(i);
  }
  return out;
}

std::vector<int> find_bilateral(const ConstraintProblem& rows) {
  std::vector<int> out;
  for (int i = 0; i < rows.size(); ++i) {
    if (rows.row(i).kind == RowKind::bilateral) out.push_back(i);
  }
  return out;
}

/// Work of impulses z that grow in proportion while the rows' velocities go from `before` to `after`.
ImpactEnergy calc_work(const ConstraintProblem& rows, const VectorX<double>& z, const VectorX<double>& before,
                       const VectorX<double>& after) {
  ImpactEnergy out;
  for (int i = 0; i < rows.size(); ++i) {
    const double work = 0.5 * z(i) * (before(i) + after(i));
    if (rows.row(i).kind == RowKind::tangent) {
      out.friction += work;
    } else if (before(i) < 0 && after(i) > 0) {
      const double share = before(i) / (before(i) - after(i));  // of z, when the velocity is 0
      out.compression += 0.5 * z(i) * share * before(i);
      out.restitution += 0.5 * z(i) * (1 - share) * after(i);
    } else {
      (work < 0 ? out.compression : out.restitution) += work;
    }
  }
  return out;
}

/// What the bilateral rows (of a column order `held`) answer to impulses on rows: z_B = −A_BB⁺ A_Br z_r.
class BilateralRows {
 public:
  explicit BilateralRows(const ConstraintProblem& rows) : rows_(rows), held_(find_bilateral(rows)) {
    if (held_.empty()) return;
    factor_.compute(pick(held_, held_));
  }

  bool empty() const { return held_.empty(); }

  /// Impulses of all rows, given those of `chosen`.
  VectorX<double> complete(const std::vector<int>& chosen, const VectorX<double>& z) const {
    VectorX<double> out = VectorX<double>::Zero(rows_.size());
    for (std::size_t k = 0; k < chosen.size(); ++k) out(chosen[k]) = z(static_cast<Eigen::Index>(k));
    if (held_.empty()) return out;
    const VectorX<double> given = pick(held_, chosen) * z, solved = factor_.solve(given), answer = -solved;
    for (std::size_t k = 0; k < held_.size(); ++k) out(held_[k]) = answer(static_cast<Eigen::Index>(k));
    return out;
  }

  /// A of the chosen rows with the bilateral ones held.
  MatrixX<double> reduce(const std::vector<int>& chosen) const {
    MatrixX<double> out = pick(chosen, chosen);
    if (!held_.empty()) {
      const MatrixX<double> across = pick(held_, chosen);
      out -= across.transpose() * MatrixX<double>(factor_.solve(across));
    }
    return 0.5 * (out + out.transpose());
  }

 private:
  MatrixX<double> pick(const std::vector<int>& a, const std::vector<int>& b) const {
    MatrixX<double> out(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows_.A()(a[i], b[j]);
      }
    }
    return out;
  }

  const ConstraintProblem& rows_;
  const std::vector<int> held_;
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> factor_;
};

std::vector<int> rows_of(const ConstraintProblem& rows, int head) {
  std::vector<int> out{head};
  for (int k = 1; k <= rows.tangent_count(head); ++k) out.push_back(head + k);
  return out;
}

PointImpact isolate(const ImpactProblem& problem, const BilateralRows& bilateral, int head, const VectorX<double>& u) {
  const std::vector<int> chosen = rows_of(problem.rows, head);
  const auto size = static_cast<Eigen::Index>(chosen.size());
  PointImpact out;
  out.tangents = static_cast<int>(size) - 1;
  out.K.topLeftCorner(size, size) = bilateral.reduce(chosen);
  for (Eigen::Index k = 0; k < size; ++k) out.u(k) = u(chosen[static_cast<std::size_t>(k)]);
  for (int k = 0; k < out.tangents; ++k)
    out.friction[static_cast<std::size_t>(k)] = problem.rows.row(head + 1 + k).limit;
  out.restitution = problem.restitution[static_cast<std::size_t>(head)];
  return out;
}

class ImpactSolver {
 public:
  ImpactSolver(const ImpactProblem& problem, const ImpactOptions& options)
      : problem_(problem), rows_(problem.rows), options_(options), A_(rows_.A()), b_(rows_.b()), bilateral_(rows_) {
    scale_ = b_.size() > 0 ? b_.lpNorm<Eigen::Infinity>() : 0;
  }

  ImpactAnswer solve() {
    answer_.law = options_.law;
    answer_.z = answer_.z_compression = VectorX<double>::Zero(rows_.size());
    answer_.w = b_;
    if (!A_.allFinite() || !b_.allFinite()) {
      answer_.reason = "the matrix or the velocities are not finite";
      return answer_;
    }
    const std::vector<int> heads = find_heads(rows_);
    answer_.status = ImpactStatus::done;
    if (std::none_of(heads.begin(), heads.end(), [&](int i) { return b_(i) < 0; })) {
      answer_.status = ImpactStatus::no_approach;
    } else if (heads.size() == 1 || options_.treatment == ImpactTreatment::sequential) {
      solve_in_sequence(heads);
    } else {
      solve_together();
    }
    return answer_;
  }

 private:
  void solve_in_sequence(const std::vector<int>& heads) {
    while (answer_.status == ImpactStatus::done) {
      const auto head =
          *std::min_element(heads.begin(), heads.end(), [&](int i, int j) { return answer_.w(i) < answer_.w(j); });
      if (answer_.w(head) >= -kRest * scale_) break;
      if (answer_.impacts++ == options_.most_impacts) {
        cut_sequence();
        break;
      }
      strike(head);
    }
    answer_.gain = std::max(0.0, calc_change());
    if (options_.cap_energy) cap();
  }

  void strike(int head) {
    const PointImpactResult hit = solve_point_impact(isolate(problem_, bilateral_, head, answer_.w), options_.law,
                                                     {.tolerance = options_.tolerance});
    if (hit.status != ImpactStatus::done) {
      fail("an impact could not be followed");
      return;
    }
    const std::vector<int> chosen = rows_of(rows_, head);
    const auto size = static_cast<Eigen::Index>(chosen.size());
    const VectorX<double> z = bilateral_.complete(chosen, hit.P.head(size));
    answer_.z += z;
    answer_.w += A_ * z;
    answer_.energy += hit.energy;
    for (int k = 0; k < hit.mark_count; ++k) {
      if (hit.marks[static_cast<std::size_t>(k)].kind != ImpactMark::compression_end) continue;
      answer_.z_compression += bilateral_.complete(chosen, hit.marks[static_cast<std::size_t>(k)].place.P.head(size));
      break;
    }
  }

  void cut_sequence() {
    answer_.is_cut = true;
    const VectorX<double> before = answer_.w;
    const auto rest = solve_rows(rows_, before);
    if (!rest) return;
    answer_.z += *rest;
    answer_.z_compression += *rest;
    answer_.w += A_ * *rest;
    answer_.energy += calc_work(rows_, *rest, before, answer_.w);
  }

  void solve_together() {
    const auto z_c = solve_rows(rows_, b_);
    if (!z_c) return;
    answer_.z_compression = internal::find_least_impulse(rows_, *z_c, A_ * *z_c + b_);
    if (options_.law == ImpactLaw::newton) {
      solve_newton();
    } else if (options_.law == ImpactLaw::frictionless) {
      solve_without_friction();
    } else {
      answer_.law = ImpactLaw::poisson;
      solve_poisson();
    }
  }

  void solve_poisson() {
    const VectorX<double> w_c = A_ * answer_.z_compression + b_;
    const auto z_r = solve_restitution(w_c);
    if (!z_r) return;
    answer_.z = answer_.z_compression + *z_r;
    answer_.w = A_ * answer_.z + b_;
    answer_.energy = calc_work(rows_, answer_.z_compression, b_, w_c);
    answer_.energy += calc_work(rows_, *z_r, w_c, answer_.w);
    finish();
  }

  /// (2) of impact_problem.h; nothing to do where all e z_c are 0.
  std::optional<VectorX<double>> solve_restitution(const VectorX<double>& w_c) {
    const int n = rows_.size();
    VectorX<double> known = VectorX<double>::Zero(n);
    std::vector<int> doubled;  // contacts with friction under a known normal impulse
    for (int i = 0; i < n; ++i) {
      const RowKind kind = rows_.row(i).kind;
      if (kind != RowKind::normal && kind != RowKind::unilateral) continue;
      known(i) = problem_.restitution[static_cast<std::size_t>(i)] * std::max(0.0, answer_.z_compression(i));
      if (kind == RowKind::normal && known(i) > 0) doubled.push_back(i);
    }
    if (known.isZero(0)) return VectorX<double>::Zero(n);
    const VectorX<double> b = A_ * known + w_c;
    const std::vector<int> copies = list_copies(doubled);
    ConstraintProblem problem(n + static_cast<int>(copies.size()));
    const auto source = [&](int i) { return i < n ? i : copies[static_cast<std::size_t>(i - n)]; };
    const auto is_known = [&](int i) { return i >= n && rows_.row(source(i)).kind == RowKind::normal; };
    for (int i = 0; i < problem.size(); ++i) {
      problem.row(i) = rows_.row(source(i));
      problem.b()(i) = is_known(i) ? -A_(source(i), source(i)) * known(source(i)) : b(source(i));
      for (int j = 0; j < problem.size(); ++j) {
        const bool is_own = is_known(i) || is_known(j);
        problem.A()(i, j) = is_own && i != j ? 0 : A_(source(i), source(j));
      }
    }
    const auto z = solve_rows(problem, problem.b());
    if (!z) return std::nullopt;
    VectorX<double> out = known + z->head(n);
    for (int i = n; i < problem.size(); ++i) {
      if (!is_known(i)) out(source(i)) += (*z)(i);
    }
    return out;
  }

  std::vector<int> list_copies(const std::vector<int>& heads) const {
    std::vector<int> out;
    for (const int i : heads) {
      const std::vector<int> rows = rows_of(rows_, i);
      out.insert(out.end(), rows.begin(), rows.end());
    }
    return out;
  }

  /// Moreau: restitution in b.
  void solve_newton() {
    ConstraintProblem problem = rows_;
    for (const int i : find_heads(rows_)) {
      problem.b()(i) += problem_.restitution[static_cast<std::size_t>(i)] * std::min(b_(i), 0.0);
    }
    const auto z = solve_rows(problem, problem.b());
    if (!z) return;
    answer_.z = internal::find_least_impulse(problem, *z, A_ * *z + problem.b());
    answer_.w = A_ * answer_.z + b_;
    answer_.energy = calc_work(rows_, answer_.z, b_, answer_.w);
    finish();
  }

  /// Newton's law with all tangent rows left out.
  void solve_without_friction() {
    ImpactProblem smooth{rows_, problem_.restitution};
    for (int i = 0; i < rows_.size(); ++i) smooth.rows.row(i).limit = 0;
    ImpactOptions options = options_;
    options.law = ImpactLaw::newton;
    answer_ = ImpactSolver(smooth, options).solve();
    answer_.law = ImpactLaw::frictionless;
  }

  void finish() {
    answer_.gain = std::max(0.0, calc_change());
    if (options_.cap_energy) cap();
  }

  /// ½ zᵀ (w + b): what impulses do to the kinetic energy.
  double calc_change() const { return 0.5 * answer_.z.dot(answer_.w + b_); }

  /// The largest θ in z_c + θ (z − z_c) that gains nothing: a root of ½ zᵀ A z + bᵀ z, which is not positive at θ = 0.
  void cap() {
    if (!(answer_.gain > 0)) return;
    const VectorX<double> z_r = answer_.z - answer_.z_compression;
    const VectorX<double> w_c = A_ * answer_.z_compression + b_;
    const double square = 0.5 * z_r.dot(A_ * z_r), linear = z_r.dot(w_c);
    const double constant = 0.5 * answer_.z_compression.dot(w_c + b_);
    const double root = std::sqrt(std::max(0.0, linear * linear - 4 * square * constant));
    const double theta = std::clamp(-2 * constant / (linear + root), 0.0, 1.0);
    answer_.z = answer_.z_compression + theta * z_r;
    answer_.w = A_ * answer_.z + b_;
    answer_.energy = calc_work(rows_, answer_.z_compression, b_, w_c);
    answer_.energy += calc_work(rows_, theta * z_r, w_c, answer_.w);
    answer_.is_capped = true;
  }

  std::optional<VectorX<double>> solve_rows(const ConstraintProblem& rows, const VectorX<double>& b) {
    ConstraintProblem problem = rows;
    problem.b() = b;
    ConstraintFront front(problem.size());
    const ConstraintAnswer& found = front.solve(problem);
    if (found.status == SolveStatus::solved) {
      return internal::refine_impulse(problem, Eigen::Map<const VectorX<double>>(found.z.data(), problem.size()));
    }
    if (found.status == SolveStatus::infeasible) {
      fail("rows contradict each other");
      return std::nullopt;
    }
    if (const auto z = solve_from_polygons(problem)) return z;
    fail("the impulses of several contacts could not be found");
    return std::nullopt;
  }

  /// Masses that differ by millions can be too much for the cone solver. Polygons have a method that does not mind, and
  /// from their answers it is not far to the one on the true cone; if that is not found, the finest polygon has to do.
  std::optional<VectorX<double>> solve_from_polygons(const ConstraintProblem& problem) {
    std::optional<VectorX<double>> out;
    for (const int faces : {8, 16, 32, kFinestPolygon}) {
      ConstraintProblem polygon = problem;
      for (int i = 0; i < problem.size(); ++i) {
        const bool has_plane = problem.row(i).kind == RowKind::normal && problem.tangent_count(i) >= 2;
        if (has_plane) polygon.row(i).faces = faces;
      }
      ConstraintFront front(problem.size());
      const ConstraintAnswer& start = front.solve(polygon);
      if (start.status != SolveStatus::solved) continue;
      out = Eigen::Map<const VectorX<double>>(start.z.data(), problem.size());
      const VectorX<double> z = internal::refine_impulse(problem, *out);
      const std::span<const double> numbers(z.data(), static_cast<std::size_t>(z.size()));
      if (grade_solution(problem, numbers).worst() <= ConstraintFront::kWorstGrade) return z;
    }
    answer_.is_polygonal = out.has_value();
    return out;
  }

  void fail(const char* reason) {
    answer_.status = ImpactStatus::fault;
    answer_.reason = reason;
  }

  const ImpactProblem& problem_;
  const ConstraintProblem& rows_;
  const ImpactOptions& options_;
  const MatrixX<double> A_;
  const VectorX<double> b_;
  const BilateralRows bilateral_;
  double scale_ = 0;
  ImpactAnswer answer_;
};

/// Rows that impulses cannot reach each other in: a finger that leans on its stop has no part in what another one
/// strikes, and must not decide which method is taken there. Each list is in the order of the rows.
std::vector<std::vector<int>> find_parts(const ConstraintProblem& rows) {
  const auto A = rows.A();
  std::vector<std::vector<int>> out;
  std::vector<bool> is_taken(static_cast<std::size_t>(rows.size()), false);
  const auto are_joined = [&](int i, int j) {
    const bool is_same_contact = i < j ? j - i <= rows.tangent_count(i) : i - j <= rows.tangent_count(j);
    const double coupling = std::max(std::abs(A(i, j)), std::abs(A(j, i)));
    return is_same_contact || !(coupling <= rows.accuracy * std::sqrt(A(i, i) * A(j, j)));  // NaN joins
  };
  for (int first = 0; first < rows.size(); ++first) {
    if (is_taken[static_cast<std::size_t>(first)]) continue;
    std::vector<int> part{first};
    is_taken[static_cast<std::size_t>(first)] = true;
    for (std::size_t k = 0; k < part.size(); ++k) {
      for (int j = first + 1; j < rows.size(); ++j) {
        if (is_taken[static_cast<std::size_t>(j)] || !are_joined(part[k], j)) continue;
        is_taken[static_cast<std::size_t>(j)] = true;
        part.push_back(j);
      }
    }
    std::sort(part.begin(), part.end());
    out.push_back(std::move(part));
  }
  return out;
}

ImpactProblem pick_rows(const ImpactProblem& problem, const std::vector<int>& part) {
  ImpactProblem out{ConstraintProblem(static_cast<int>(part.size())), {}};
  out.rows.accuracy = problem.rows.accuracy;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto row = static_cast<int>(i);
    out.rows.row(row) = problem.rows.row(part[i]);
    out.rows.b()(row) = problem.rows.b()(part[i]);
    out.restitution.push_back(problem.restitution[static_cast<std::size_t>(part[i])]);
    for (std::size_t j = 0; j < part.size(); ++j) {
      out.rows.A()(row, static_cast<int>(j)) = problem.rows.A()(part[i], part[j]);
    }
  }
  return out;
}

/// Nothing is struck.
ImpactAnswer make_rest(const ImpactProblem& problem, const ImpactOptions& options) {
  ImpactAnswer out;
  out.status = ImpactStatus::no_approach;
  out.law = options.law;
  out.z = out.z_compression = VectorX<double>::Zero(problem.rows.size());
  out.w = problem.rows.b();
  return out;
}

void add_part(const ImpactAnswer& answer, const std::vector<int>& part, ImpactAnswer& out) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    out.z(part[i]) = answer.z(row);
    out.z_compression(part[i]) = answer.z_compression(row);
    out.w(part[i]) = answer.w(row);
  }
  if (out.status != ImpactStatus::fault) out.status = answer.status;
  if (out.reason.empty()) out.reason = answer.reason;
  if (answer.law != out.law) out.law = answer.law;
  out.energy += answer.energy;
  out.gain += answer.gain;
  out.is_capped = out.is_capped || answer.is_capped;
  out.is_polygonal = out.is_polygonal || answer.is_polygonal;
  out.impacts += answer.impacts;
  out.is_cut = out.is_cut || answer.is_cut;
}

}  // namespace

ImpactAnswer solve_impact(const ImpactProblem& problem, const ImpactOptions& options) {
  check(problem);
  const std::vector<std::vector<int>> parts = find_parts(problem.rows);
  if (parts.size() <= 1) return ImpactSolver(problem, options).solve();
  ImpactAnswer out = make_rest(problem, options);
  for (const std::vector<int>& part : parts) {
    const ImpactProblem own = pick_rows(problem, part);
    const ImpactAnswer answer = ImpactSolver(own, options).solve();
    if (answer.status != ImpactStatus::no_approach) add_part(answer, part, out);
  }
  return out;
}

PointImpact isolate_point(const ImpactProblem& problem, int row) {
  return isolate(problem, BilateralRows(problem.rows), row, problem.rows.b());
}

}  // namespace thenar
