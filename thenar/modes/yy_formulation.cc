// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/yy_formulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "thenar/complementarity/clearly_p.h"
#include "thenar/complementarity/generators.h"
#include "thenar/complementarity/grade.h"
#include "thenar/complementarity/p_matrix.h"
#include "thenar/modes/mode_relaxation_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

using Eigen::Index;
using VectorList = std::vector<VectorX<double>>;

/// Forces and motions that are zero, scaled; what find_all_solutions() decides to.
constexpr double kZeroOfCell = 1e-8;
/// Forces and motions that are the same, scaled.
constexpr double kSame = 1e-7;
/// Parts of 1 by which a minor has to be positive.
constexpr double kClearMinor = 1e-10;

template <class Derived>
typename Derived::Scalar largest_of(const Eigen::MatrixBase<Derived>& v) {
  return v.size() > 0 ? v.template lpNorm<Eigen::Infinity>() : 0;
}

bool is_effectively_bilateral(const ConstraintRow& row) {
  return row.kind == RowKind::bilateral || (row.kind == RowKind::boxed && std::isinf(row.limit));
}

bool is_one_sided(const ConstraintRow& row) { return row.kind == RowKind::unilateral || row.kind == RowKind::normal; }

template <class Condition>
std::vector<int> find_rows(const ConstraintProblem& problem, const Condition& holds) {
  std::vector<int> out;
  for (int i = 0; i < problem.size(); ++i) {
    if (holds(problem.row(i))) out.push_back(i);
  }
  return out;
}

void check(const ConstraintProblem& problem, const std::string& caller) {
  if (const auto fault = problem.find_fault()) throw std::invalid_argument(caller + ": " + *fault);
  if (!problem.A().allFinite() || !problem.b().allFinite()) {
    throw std::invalid_argument(caller + ": A or b has a number that is not finite");
  }
}

/// Whether every contact's directions have bounds of their own.
bool has_box_cones(const ConstraintProblem& problem) {
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.row(i).kind != RowKind::normal || problem.row(i).faces == kBoxFaces) continue;
    int rough = 0;
    for (int k = i + 1; k <= i + problem.tangent_count(i); ++k) {
      rough += problem.row(k).kind == RowKind::tangent && problem.row(k).limit > 0;
    }
    if (rough > 1) return false;
  }
  return true;
}

/// The problem in the units of ScaledProblem. Ratios between rows of different units (torsion) change with them.
struct UnitProblem {
  explicit UnitProblem(const ConstraintProblem& original) : problem(original) {
    const internal::ScaledProblem scaled(original);
    problem.A() = scaled.A;
    problem.b() = scaled.b;
    force_unit = scaled.force_unit;
    int normal = -1;
    for (int i = 0; i < problem.size(); ++i) {
      ConstraintRow& row = problem.row(i);
      if (row.kind == RowKind::normal) normal = i;
      if (row.kind == RowKind::boxed) row.limit /= force_unit(i);
      if (row.kind == RowKind::tangent || row.kind == RowKind::sliding) row.limit *= force_unit(normal) / force_unit(i);
    }
  }

  ConstraintProblem problem;
  VectorX<double> force_unit;  ///< z = ẑ force_unit
};

void check_signs(std::span<const int> signs, std::size_t count) {
  const bool are_signs = std::all_of(signs.begin(), signs.end(), [](int s) { return s == 1 || s == -1; });
  if (signs.size() != count || !are_signs) {
    throw std::invalid_argument("make_yy_lcp: expected " + std::to_string(count) + " signs, each +1 or -1");
  }
}

/// Sᵀ A G with zeros where terms cancel to within the error of A (ConstraintProblem::accuracy): what is left there is
/// no coupling, but would be one to whoever takes logarithms of entries, as the units of find_all_solutions() do.
MatrixX<double> calc_product(const ConstraintProblem& problem, const MatrixX<double>& S, const MatrixX<double>& G) {
  const double rounding = std::numeric_limits<double>::epsilon() * problem.size();
  const VectorX<double> size = problem.A().diagonal().cwiseAbs().cwiseSqrt();
  const VectorX<double> row_size = S.cwiseAbs().transpose() * size, column_size = G.cwiseAbs().transpose() * size;
  const double error = std::max(problem.accuracy, rounding);
  MatrixX<double> out = S.transpose() * problem.A() * G;
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      if (std::abs(out(i, j)) <= error * row_size(i) * column_size(j)) out(i, j) = 0;
    }
  }
  return out;
}

/// The signs numbered `number`: bit k is set where the sign of directions[k] is −1.
std::vector<int> make_signs(std::size_t count, long long number) {
  std::vector<int> out(count);
  for (std::size_t k = 0; k < count; ++k) out[k] = (number >> k) % 2 == 0 ? 1 : -1;
  return out;
}

// ---- Cells of one sign set
// --------------------------------------------------------------------------------------------

/// A polyhedron of forces by its corners, and by its conditions in the unknowns of the LCP that it comes from. Scaled.
struct Piece {
  std::shared_ptr<const YyLcp> yy;
  std::vector<int> signs;
  std::vector<bool> in_basis;
  VectorList vertices, rays, lines;
};

enum class Corner : std::uint8_t { vertex, ray, line };

/// Whether a corner (forces z) meets the conditions of `piece`: complementary ones as its basis says, and (23).
bool meets(const VectorX<double>& z, Corner kind, const Piece& piece) {
  const YyLcp& yy = *piece.yy;
  const bool is_point = kind == Corner::vertex;
  const Index directions = yy.bound_constant.size();
  // x from z, (1): Sᵀ z is x but for Δₖ = sₖ zₖ + βₖ, and β depends on normal forces alone.
  VectorX<double> x = yy.S.transpose() * z;
  VectorX<double> beta = yy.bound * x;
  if (is_point) beta += yy.bound_constant;
  x.tail(directions) += beta;
  VectorX<double> w = yy.lcp.M * x;
  if (is_point) w += yy.lcp.q;
  const VectorX<double> side = beta - x.tail(directions);

  const double tolerance = 10 * kZeroOfCell * ((is_point ? 1 : 0) + largest_of(x));
  const auto is_zero = [&](double value) { return std::abs(value) <= tolerance; };
  const auto is_admissible = [&](double value) { return kind == Corner::line ? is_zero(value) : value >= -tolerance; };
  for (int i = 0; i < yy.lcp.size(); ++i) {
    const bool is_basic = piece.in_basis[static_cast<std::size_t>(i)];
    if (!is_zero(is_basic ? w(i) : x(i))) return false;
    if (i >= yy.lcp.free_count && !is_admissible(is_basic ? x(i) : w(i))) return false;
  }
  return std::all_of(side.begin(), side.end(), is_admissible);
}

bool is_part_of(const Piece& part, const Piece& whole) {
  const auto fits = [&](const VectorList& corners, Corner kind) {
    return std::all_of(corners.begin(), corners.end(), [&](const VectorX<double>& z) { return meets(z, kind, whole); });
  };
  return fits(part.vertices, Corner::vertex) && fits(part.rays, Corner::ray) && fits(part.lines, Corner::line);
}

/// Orthonormal columns that span the directions in which a cell of an LCP extends.
LongMatrix find_span(const SolutionCell& cell) {
  const VectorX<double>& start = cell.vertices.front();
  std::vector<LongVector> directions;
  const auto add = [&](const VectorX<double>& direction, double least) {
    if (direction.norm() > least) directions.push_back(direction.normalized().cast<long double>());
  };
  for (const VectorX<double>& x : cell.vertices) add(x - start, kZeroOfCell * (1 + largest_of(x)));
  for (const VectorX<double>& x : cell.rays) add(x, 0);
  for (const VectorX<double>& x : cell.lines) add(x, 0);
  LongMatrix all(start.size(), static_cast<Index>(directions.size()));
  for (std::size_t k = 0; k < directions.size(); ++k) all.col(static_cast<Index>(k)) = directions[k];
  if (all.cols() == 0) return all;
  Eigen::ColPivHouseholderQR<LongMatrix> qr(all);
  qr.setThreshold(kZeroOfCell);
  return first_columns(qr.householderQ(), qr.rank());
}

/// The part of a cell that meets (23), as generators in x. Nothing if there are more than `most`.
std::optional<Generators> cut_cell(const YyLcp& yy, const SolutionCell& cell, int most) {
  const Index directions = yy.bound_constant.size(), unknowns = yy.lcp.size(), free = yy.lcp.free_count;
  const LongMatrix span = find_span(cell);
  // x = start + span t. The start is next to 0: vertices may be far away, and would spoil the accuracy of others.
  LongVector start = cell.vertices.front().cast<long double>();
  start -= (span * (span.transpose() * start)).eval();
  const long double tolerance = kZeroOfCell * (1 + largest_of(start));
  const LongMatrix bound = yy.bound.cast<long double>();
  const LongVector side = bound * start + yy.bound_constant.cast<long double>() - start.tail(directions);
  if (span.cols() == 0) {
    return directions == 0 || side.minCoeff() >= -tolerance ? Generators{{start}, {}, {}} : Generators{};
  }
  // t is bounded by what is not 0 all over the cell (x in the basis, w elsewhere) and by (23).
  const LongMatrix M = yy.lcp.M.cast<long double>();
  const LongVector w = M * start + yy.lcp.q.cast<long double>();
  const LongMatrix w_by_t = M * span;
  LongMatrix by_t(unknowns - free + directions, span.cols());
  LongVector constant(by_t.rows());
  for (Index i = free; i < unknowns; ++i) {
    const bool is_basic = cell.in_basis[static_cast<std::size_t>(i)];
    by_t.row(i - free) = is_basic ? span.row(i) : w_by_t.row(i);
    constant(i - free) = is_basic ? start(i) : w(i);
  }
  by_t.bottomRows(directions) = bound * span - span.bottomRows(directions);
  constant.tail(directions) = side;

  std::optional<Generators> out = find_generators(by_t, constant, tolerance, most);
  if (!out) return out;
  for (LongVector& t : out->vertices) t = (start + span * t).eval();
  for (LongVector& t : out->rays) t = (span * t).eval();
  for (LongVector& t : out->lines) t = (span * t).eval();
  return out;
}

/// Forces that are 0 to rounding, beside the largest and `size`, are 0.
VectorX<double> remove_rounding(const LongVector& z, long double size) {
  constexpr long double kRounding = 1e-15L;
  const long double nothing = kRounding * (size + largest_of(z));
  return z.unaryExpr([&](long double force) { return std::abs(force) > nothing ? force : 0; }).cast<double>();
}

// ---- All sign sets
// ----------------------------------------------------------------------------------------------------

/// A point well inside.
VectorX<double> find_middle(const Piece& piece) {
  VectorX<double> out = VectorX<double>::Zero(piece.vertices.front().size());
  for (const VectorX<double>& z : piece.vertices) out += z / static_cast<double>(piece.vertices.size());
  for (const VectorX<double>& z : piece.rays) out += z;
  return out;
}

class YySearch {
 public:
  YySearch(const ConstraintProblem& problem, const YyOptions& options)
      : options_(options), unit_(problem), direction_count_(find_yy_directions(problem).size()) {}

  YyAnswer run() {
    constexpr std::size_t kMostBits = 62;
    if (direction_count_ > kMostBits || (1LL << direction_count_) > options_.most_sign_sets) {
      give_up("2^" + std::to_string(direction_count_) + " sets of signs, more than " +
              std::to_string(options_.most_sign_sets));
    }
    const long long count = is_complete_ ? 1LL << direction_count_ : 0;
    for (; out_.sign_sets < count && is_complete_; ++out_.sign_sets) {
      search(make_signs(direction_count_, out_.sign_sets));
    }
    out_.is_complete = is_complete_;
    const Verdict verdict = count_answers();
    out_.verdict = is_complete_ || verdict == Verdict::several ? verdict : Verdict::undecided;
    for (const Piece& piece : pieces_) out_.cells.push_back(make_cell(piece));
    return std::move(out_);
  }

 private:
  const ConstraintProblem& problem() const { return unit_.problem; }

  void give_up(const std::string& reason) {
    if (is_complete_) out_.reason = reason;
    is_complete_ = false;
  }

  void search(const std::vector<int>& signs) {
    const auto yy = std::make_shared<const YyLcp>(make_yy_lcp(problem(), signs));
    const AllSolutions all = find_all_solutions(yy->lcp, options_.search);
    if (!all.is_complete()) give_up("a set of signs was not searched to the end: " + all.reason);
    for (const SolutionCell& cell : all.cells) {
      const std::optional<Generators> part = cut_cell(*yy, cell, options_.search.most_generators);
      if (!part) {
        give_up("a cell with more than " + std::to_string(options_.search.most_generators) + " corners");
      } else if (!part->vertices.empty()) {
        add({yy, signs, cell.in_basis, {}, {}, {}}, *part);
      }
    }
  }

  /// Keeps the piece unless another sign set or basis had it, and leaves out those that it contains.
  void add(Piece piece, const Generators& corners) {
    const LongMatrix G = piece.yy->G.cast<long double>();
    const LongVector origin = piece.yy->origin.cast<long double>();
    for (const LongVector& x : corners.vertices) piece.vertices.push_back(remove_rounding(G * x + origin, 1));
    for (const LongVector& x : corners.rays) piece.rays.push_back(remove_rounding(G * x, 0));
    for (const LongVector& x : corners.lines) piece.lines.push_back(remove_rounding(G * x, 0));
    if (!std::all_of(piece.vertices.begin(), piece.vertices.end(), [&](const auto& z) { return is_solution(z); })) {
      return give_up("an answer to a set of signs is none to the problem");
    }
    const bool is_known =
        std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& other) { return is_part_of(piece, other); });
    if (is_known) return;
    std::erase_if(pieces_, [&](const Piece& other) { return is_part_of(other, piece); });
    pieces_.push_back(std::move(piece));
    if (static_cast<int>(pieces_.size()) > options_.most_cells) {
      give_up("more than " + std::to_string(options_.most_cells) + " cells");
    }
  }

  /// The search for all solutions decides by numbers that may be rounding.
  bool is_solution(const VectorX<double>& z) const {
    constexpr double kWorst = 1e-7;
    const std::span<const double> forces(z.data(), static_cast<std::size_t>(z.size()));
    return grade_solution(problem(), forces).worst() <= kWorst;
  }

  VectorX<double> calc_motion(const VectorX<double>& z) const { return problem().A() * z + problem().b(); }

  /// What the pieces say, if they are all there are: corner by corner, whether it has the motion and the forces of the
  /// first.
  Verdict count_answers() const {
    if (pieces_.empty()) return Verdict::none;
    const VectorX<double>& first = pieces_.front().vertices.front();
    const VectorX<double> motion = calc_motion(first);
    bool has_one_motion = true, has_one_force = true;
    for (const Piece& piece : pieces_) {
      for (const VectorX<double>& z : piece.vertices) {
        const double same = kSame * (1 + std::max(largest_of(z), largest_of(first)));
        has_one_motion = has_one_motion && largest_of(calc_motion(z) - motion) <= same;
        has_one_force = has_one_force && largest_of(z - first) <= same;
      }
      for (const VectorList* list : {&piece.rays, &piece.lines}) {
        for (const VectorX<double>& z : *list) {
          has_one_motion = has_one_motion && largest_of(problem().A() * z) <= kSame * largest_of(z);
          has_one_force = false;
        }
      }
    }
    if (!has_one_motion) return Verdict::several;
    return has_one_force ? Verdict::unique : Verdict::unique_motion;
  }

  /// In the units of the problem.
  YyCell make_cell(const Piece& piece) const {
    const auto to_forces = [&](const VectorList& list) {
      VectorList out;
      for (const VectorX<double>& z : list) out.push_back(z.cwiseProduct(unit_.force_unit));
      return out;
    };
    return {piece.signs,           piece.in_basis,        find_states(find_middle(piece)), to_forces(piece.vertices),
            to_forces(piece.rays), to_forces(piece.lines)};
  }

  /// Labels by motion first (YY III C, (a1)–(b2)).
  std::vector<ContactState> find_states(const VectorX<double>& z) const {
    const VectorX<double> w = calc_motion(z);
    const double tolerance = kZeroOfCell * (1 + largest_of(z));
    std::vector<ContactState> out;
    for (const int row : find_rows(problem(), is_one_sided)) {
      const int friction = problem().row(row).kind == RowKind::normal ? problem().tangent_count(row) : 0;
      const bool slips =
          friction > 0 && (problem().is_sliding_contact(row) || largest_of(w.segment(row + 1, friction)) > tolerance);
      out.push_back(w(row) > tolerance ? ContactState::open : slips ? ContactState::slide : ContactState::stick);
    }
    return out;
  }

  const YyOptions& options_;
  const UnitProblem unit_;
  std::size_t direction_count_;
  bool is_complete_ = true;
  std::vector<Piece> pieces_;
  YyAnswer out_;
};

// ---- Determinacy
// ------------------------------------------------------------------------------------------------------

/// The problem of the rows that are not bilateral, whose motion takes the bilateral forces along:
/// A ← A_cc − A_cb A_bb⁺ A_bc, b ← b_c − A_cb A_bb⁺ b_b. A_bb may be singular: A = J M⁻¹ Jᵀ has A_bc in the range of
/// A_bb.
ConstraintProblem eliminate_bilateral_rows(const ConstraintProblem& problem) {
  const std::vector<int> gone = find_rows(problem, is_effectively_bilateral);
  if (gone.empty()) return problem;
  const std::vector<int> kept = find_rows(problem, [](const auto& row) { return !is_effectively_bilateral(row); });
  const MatrixX<double> A = problem.A();
  const VectorX<double> b = problem.b();
  // The rank is judged with the diagonal at 1, so that units do not matter; D (D A_bb D)⁺ D serves as A_bb⁺.
  const VectorX<double> D = A.diagonal()(gone).unaryExpr([](double a) { return a > 0 ? 1 / std::sqrt(a) : 1; });
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> factor;
  factor.setThreshold(std::max(problem.accuracy, kClearMinor));
  factor.compute(D.asDiagonal() * A(gone, gone) * D.asDiagonal());
  const MatrixX<double> by_forces = A(kept, gone) * D.asDiagonal();
  ConstraintProblem out(static_cast<int>(kept.size()));
  out.A() = A(kept, kept) - by_forces * factor.solve(MatrixX<double>(D.asDiagonal() * A(gone, kept)));
  out.b() = b(kept) - by_forces * factor.solve(VectorX<double>(D.cwiseProduct(b(gone))));
  out.accuracy = problem.accuracy;
  for (std::size_t i = 0; i < kept.size(); ++i) out.row(static_cast<int>(i)) = problem.row(kept[i]);
  return out;
}

/// Whether M is a P-matrix, by at least kClearMinor; up to `most_rows` by its minors.
std::optional<bool> find_whether_p(const MatrixX<double>& M, int most_rows) {
  if (M.rows() == 0) return true;
  if (!(M.diagonal().minCoeff() > 0)) return false;
  const VectorX<double> inverse = M.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixX<double> scaled = inverse.asDiagonal() * M * inverse.asDiagonal();
  if (is_clearly_p(scaled)) return true;
  // Redundant contacts, the usual case of "no", are seen by the rank: no need to come across a minor that is 0.
  Eigen::FullPivLU<MatrixX<double>> lu(scaled);
  lu.setThreshold(kClearMinor);
  if (lu.rank() < M.rows()) return false;
  if (M.rows() > most_rows) return std::nullopt;
  return is_p_matrix_by(scaled, kClearMinor);
}

/// The signs that a solution has, 0 where it belongs to both. All scaled.
std::vector<int> find_signs(const ConstraintProblem& problem, const VectorX<double>& z) {
  const VectorX<double> w = problem.A() * z + problem.b();
  const double tolerance = kZeroOfCell * (1 + largest_of(z));
  const auto sign_of = [&](double value) { return value > tolerance ? 1 : value < -tolerance ? -1 : 0; };
  std::vector<int> out;
  for (const YyDirection& direction : find_yy_directions(problem)) {
    const int slip = sign_of(w(direction.row));
    out.push_back(slip != 0 ? slip : -sign_of(z(direction.row)));
  }
  return out;
}

/// `signs` with its zeros, which are at `places`, replaced by the signs numbered `number`.
std::vector<int> fill_signs(std::vector<int> signs, const std::vector<std::size_t>& places, long long number) {
  const std::vector<int> choice = make_signs(places.size(), number);
  for (std::size_t k = 0; k < places.size(); ++k) signs[places[k]] = choice[k];
  return signs;
}

}  // namespace

std::vector<YyDirection> find_yy_directions(const ConstraintProblem& problem) {
  if (const auto fault = problem.find_fault()) throw std::invalid_argument("find_yy_directions: " + *fault);
  std::vector<YyDirection> out;
  int normal = -1;
  for (int i = 0; i < problem.size(); ++i) {
    const ConstraintRow& row = problem.row(i);
    if (row.kind == RowKind::normal) normal = i;
    if (is_effectively_bilateral(row) || !(row.limit > 0)) continue;
    if (row.kind == RowKind::tangent) out.push_back({i, normal, row.limit});
    if (row.kind == RowKind::boxed) out.push_back({i, -1, row.limit});
  }
  return out;
}

YyLcp make_yy_lcp(const ConstraintProblem& problem, std::span<const int> signs) {
  const std::vector<YyDirection> directions = find_yy_directions(problem);
  check_signs(signs, directions.size());
  const std::vector<int> free = find_rows(problem, is_effectively_bilateral);
  const std::vector<int> one_sided = find_rows(problem, is_one_sided);
  const auto direction_count = static_cast<Index>(directions.size());
  const Index first_delta = static_cast<Index>(free.size() + one_sided.size()),
              unknowns = first_delta + direction_count;

  YyLcp out;
  out.S = MatrixX<double>::Zero(problem.size(), unknowns);
  out.origin = VectorX<double>::Zero(problem.size());
  out.bound = MatrixX<double>::Zero(direction_count, unknowns);
  out.bound_constant = VectorX<double>::Zero(direction_count);
  std::vector<Index> column_of(static_cast<std::size_t>(problem.size()), -1);
  Index column = 0;
  for (const std::vector<int>* rows : {&free, &one_sided}) {
    for (const int row : *rows) {
      out.S(row, column) = 1;
      column_of[static_cast<std::size_t>(row)] = column++;
    }
  }
  for (Index k = 0; k < direction_count; ++k) {
    const YyDirection& direction = directions[static_cast<std::size_t>(k)];
    out.S(direction.row, first_delta + k) = signs[static_cast<std::size_t>(k)];
  }

  // G is S but for friction: zₖ = −sₖ βₖ + sₖ Δₖ (YY (18), (24)), and zₖ = rₖ zₙ where a contact slides (YY (5), (12)).
  out.G = out.S;
  for (Index k = 0; k < direction_count; ++k) {
    const YyDirection& direction = directions[static_cast<std::size_t>(k)];
    const double friction = -signs[static_cast<std::size_t>(k)] * direction.limit;
    if (direction.normal < 0) {
      out.origin(direction.row) = friction;
      out.bound_constant(k) = direction.limit;
    } else {
      const Index normal = column_of[static_cast<std::size_t>(direction.normal)];
      out.G(direction.row, normal) = friction;
      out.bound(k, normal) = direction.limit;
    }
  }
  for (const int row : one_sided) {
    if (!problem.is_sliding_contact(row)) continue;
    for (int k = row + 1; k <= row + problem.tangent_count(row); ++k) {
      out.G(k, column_of[static_cast<std::size_t>(row)]) = problem.row(k).limit;
    }
  }
  // YY (27), (28)
  out.lcp.M = calc_product(problem, out.S, out.G);
  out.lcp.q = out.S.transpose() * (problem.A() * out.origin + problem.b());
  out.lcp.free_count = static_cast<int>(free.size());
  return out;
}

YyAnswer find_all_yy(const ConstraintProblem& problem, const YyOptions& options) {
  check(problem, "find_all_yy");
  if (!has_box_cones(problem)) {
    throw std::invalid_argument("find_all_yy: contacts with two rough directions need the box cone, faces = 2");
  }
  return YySearch(problem, options).run();
}

Determinacy calc_determinacy(const ConstraintProblem& problem, const VectorX<double>& z) {
  check(problem, "calc_determinacy");
  if (z.size() != problem.size() || !z.allFinite()) {
    throw std::invalid_argument("calc_determinacy: z must have one finite number for each row");
  }
  const UnitProblem unit(problem);
  const std::vector<int> signs = find_signs(unit.problem, z.cwiseQuotient(unit.force_unit));
  std::vector<std::size_t> both;
  for (std::size_t k = 0; k < signs.size(); ++k) {
    if (signs[k] == 0) both.push_back(k);
  }
  const ConstraintProblem reduced = eliminate_bilateral_rows(problem);
  const ConstraintProblem reduced_unit = eliminate_bilateral_rows(unit.problem);

  constexpr std::size_t kMostBoth = 12;
  const long long sets = 1LL << std::min(both.size(), kMostBoth);
  const int most_rows = kMostDeterminacyRows - static_cast<int>(both.size());
  std::optional<bool> answer = true;
  std::vector<int> named = fill_signs(signs, both, 0);
  for (long long number = 0; number < sets && answer != false; ++number) {
    const std::vector<int> candidate = fill_signs(signs, both, number);
    const std::optional<bool> is_P = find_whether_p(make_yy_lcp(reduced_unit, candidate).lcp.M, most_rows);
    if (is_P == true || (is_P == std::nullopt && answer == std::nullopt)) continue;
    answer = is_P;
    named = candidate;
  }
  if (both.size() > kMostBoth && answer == true) answer = std::nullopt;
  return {answer, make_yy_lcp(reduced, named).lcp.M, named};
}

}  // namespace thenar
