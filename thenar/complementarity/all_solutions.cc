// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/all_solutions.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "thenar/base/numbers.h"
#include "thenar/complementarity/clearly_p.h"
#include "thenar/complementarity/lcp_scale_internal.h"
#include "thenar/complementarity/lemke.h"
#include "thenar/complementarity/solution_cells_internal.h"
#include "thenar/linear_programs/linear_program.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

using internal::LcpScale;

using internal::kRank;
using internal::kZero;
/// Multipliers of linear programs are this good, in parts of the largest.
constexpr double kPolished = 1e-6;
/// Rows for which both halves are tried before one is chosen anyway.
constexpr int kMostTrials = 8;

enum class Decision : std::uint8_t { none, z_zero, w_zero };

/// One half of a branch: whether it matters, and the proof if it does not.
struct Half {
  ProofNode::Kind end = ProofNode::Kind::open;  ///< open: alive
  VectorX<double> y;                            ///< scaled units
  bool is_w = false;                            ///< the half with w = 0 in the row of the branch
  bool is_alive() const { return end == ProofNode::Kind::open; }
};

struct Branch {
  int row = -1;
  Half z_half, w_half;  ///< with z = 0, with w = 0
};

class Search {
 public:
  Search(const Lcp& problem, const AllSolutionsOptions& options)
      : options_(options),
        scale_(internal::LcpScaling(problem).run()),
        scaled_(internal::scale_problem(problem, scale_)),
        n_(problem.size()),
        program_(scaled_.M),
        decisions_(static_cast<std::size_t>(n_), Decision::none),
        lemke_(n_),
        hint_(VectorX<double>::Zero(n_)) {
    for (int i = 0; i < n_; ++i) {
      const bool is_free = i < scaled_.free_count;
      program_.bound_row(i, -scaled_.q(i), is_free ? -scaled_.q(i) : kInfinity);
      program_.bound_column(i, is_free ? -kInfinity : 0, kInfinity);
      if (is_free) decision(i) = Decision::w_zero;
    }
  }

  AllSolutions run() {
    const Half whole = judge(solve());
    if (whole.is_alive()) {
      keep_hint();
      explore();
    } else {
      add_end(whole, -1);
    }
    internal::merge_cells(scaled_, scale_, out_.cells, out_.tree);
    conclude();
    return std::move(out_);
  }

 private:
  Decision& decision(int i) { return decisions_[static_cast<std::size_t>(i)]; }
  Decision decision(int i) const { return decisions_[static_cast<std::size_t>(i)]; }
  bool is_free(int i) const { return i < scaled_.free_count; }

  LpStatus solve() {
    ++out_.programs;
    return program_.solve();
  }

  /// What the program's answer says about the half that it was posed for.
  Half judge(LpStatus status) const {
    if (status != LpStatus::infeasible) return {};
    Half half{ProofNode::Kind::infeasible, program_.farkas() / program_.farkas().cwiseAbs().sum(), false};
    // By how much the rows would have to give way for a point: what is zero elsewhere is zero here.
    const double violation = -half.y.dot(scaled_.q);
    return violation > kZero ? half : Half{};
  }

  void keep_hint() {
    if (program_.status() == LpStatus::optimal) hint_ = program_.x();
  }

  int add_node(ProofNode node) {
    out_.tree.push_back(std::move(node));
    return static_cast<int>(out_.tree.size()) - 1;
  }

  /// y with fewer errors: the (yᵀM)ⱼ that CLP means to be 0 are, to rounding, and no yᵢ has a wrong sign.
  VectorX<double> polish(const Half& half, int row) const {
    const double largest = half.y.cwiseAbs().maxCoeff();
    LongVector y = half.y.cast<long double>();
    std::vector<int> used, flat;
    for (int i = 0; i < n_; ++i) {
      const bool is_wrong = y(i) < 0 && decision_of_half(i, half, row) != Decision::w_zero;
      if (is_wrong || std::abs(y(i)) < kZero * kZero * largest) y(i) = 0;
      if (y(i) != 0) used.push_back(i);
    }
    LongVector slope = scaled_.M.cast<long double>().transpose() * y;
    if (half.end == ProofNode::Kind::z_vanishes) slope(row) += 1;
    if (half.end == ProofNode::Kind::w_vanishes) slope += scaled_.M.row(row).transpose().cast<long double>();
    for (int j = 0; j < n_; ++j) {
      const bool is_out = decision_of_half(j, half, row) == Decision::z_zero;
      if (!is_out && (is_free(j) || std::abs(slope(j)) < kZero * (1 + largest))) flat.push_back(j);
    }
    if (flat.empty() || used.empty() || slope(flat).cwiseAbs().maxCoeff() == 0) return y.cast<double>();
    const LongMatrix block = scaled_.M(used, flat).cast<long double>().transpose();
    Eigen::CompleteOrthogonalDecomposition<LongMatrix> decomposition(block.rows(), block.cols());
    decomposition.setThreshold(kRank).compute(block);
    const LongVector correction = decomposition.solve(LongVector(slope(flat)));
    // A large one means that these slopes were not meant to vanish together.
    if (correction.cwiseAbs().maxCoeff() > kPolished * largest) return y.cast<double>();
    for (std::size_t k = 0; k < used.size(); ++k) {
      const int i = used[k];
      const long double better = y(i) - correction(static_cast<Eigen::Index>(k));
      // A sign that changes was a zero.
      y(i) = decision_of_half(i, half, row) == Decision::w_zero ? better : std::max(better, 0.0L);
    }
    return y.cast<double>();
  }

  /// What is decided in the half that ends, which differs from the present node in `row` if there is one.
  Decision decision_of_half(int i, const Half& half, int row) const {
    if (i != row) return decision(i);
    return half.is_w ? Decision::w_zero : Decision::z_zero;
  }

  /// y in the units of the problem; z_vanishes and w_vanishes are about `row`.
  int add_end(const Half& half, int row) {
    ProofNode node;
    node.kind = half.end;
    node.y = polish(half, row);
    const double unit = half.end == ProofNode::Kind::z_vanishes   ? scale_.C(row)
                        : half.end == ProofNode::Kind::w_vanishes ? 1 / scale_.R(row)
                                                                  : 1;
    for (int i = 0; i < n_; ++i) node.y(i) *= scale_.R(i) * unit;
    return add_node(std::move(node));
  }

  /// The subtree of the present decisions.
  int explore() {
    if (has_to_stop()) return add_node({});
    if (const std::optional<int> end = try_unique_end()) return *end;
    const Branch branch = choose_branch();
    if (branch.row < 0) return add_leaf();
    ProofNode node;
    node.kind = ProofNode::Kind::branch;
    node.row = branch.row;
    const int at = add_node(std::move(node));
    // Where the last point leans to comes first: a solution, if any will do, is more likely there.
    const bool w_first = hint_(branch.row) > 0;
    for (const bool is_w : {w_first, !w_first}) {
      const Half& half = is_w ? branch.w_half : branch.z_half;
      const int child = half.is_alive() ? explore_half(branch.row, is_w) : add_end(half, branch.row);
      ProofNode& parent = out_.tree[static_cast<std::size_t>(at)];
      (is_w ? parent.w_child : parent.z_child) = child;
    }
    return at;
  }

  /// A node whose undecided rows have one solution, whatever the others say.
  std::optional<int> try_unique_end() {
    std::vector<int> undecided, held;
    for (int i = 0; i < n_; ++i) {
      if (decision(i) == Decision::none) undecided.push_back(i);
      if (decision(i) == Decision::w_zero) held.push_back(i);
    }
    if (undecided.empty()) return std::nullopt;
    const std::optional<Lcp> reduced = reduce(undecided, held);
    if (!reduced || !is_clearly_p(*reduced, undecided)) return std::nullopt;
    const LemkeResult& solved = lemke_.solve(*reduced);
    if (solved.status != LemkeStatus::solved) return std::nullopt;
    for (std::size_t k = 0; k < undecided.size(); ++k) {
      decision(undecided[k]) = solved.in_basis[k] ? Decision::w_zero : Decision::z_zero;
    }
    const std::optional<int> end = add_unique_end();
    for (const int i : undecided) decision(i) = Decision::none;
    return end;
  }

  /// Units matter to definiteness, not to minors.
  bool is_clearly_p(const Lcp& reduced, const std::vector<int>& rows) const {
    MatrixX<double> in_units = reduced.M;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto k = static_cast<Eigen::Index>(r);
      in_units.row(k) /= scale_.R(rows[r]);
      in_units.col(k) /= scale_.C(rows[r]);
    }
    return is_clearly_positive_definite(in_units) || thenar::is_clearly_p(reduced.M);
  }

  /// The undecided rows alone, with z of the held ones solved for. Nothing if that is not possible.
  std::optional<Lcp> reduce(const std::vector<int>& undecided, const std::vector<int>& held) const {
    if (held.empty()) return Lcp{scaled_.M(undecided, undecided), scaled_.q(undecided)};
    Eigen::FullPivLU<LongMatrix> lu(LongMatrix(scaled_.M(held, held).cast<long double>()));
    lu.setThreshold(kRank);
    if (!lu.isInvertible()) return std::nullopt;
    const LongMatrix inverse = inverse_of(lu), own = scaled_.M(undecided, undecided).cast<long double>(),
                     across = scaled_.M(undecided, held).cast<long double>(),
                     back = scaled_.M(held, undecided).cast<long double>();
    const LongMatrix S = own - across * inverse * back;
    // A diagonal that cancels was zero.
    const LongVector terms =
        own.diagonal().cwiseAbs() + (across.cwiseAbs() * inverse.cwiseAbs() * back.cwiseAbs()).diagonal();
    if ((S.diagonal().array() <= kZero * terms.array() + kRank).any()) return std::nullopt;
    const LongVector origin = inverse * LongVector(scaled_.q(held).cast<long double>());
    return Lcp{S.cast<double>(), (scaled_.q(undecided).cast<long double>() - across * origin).cast<double>()};
  }

  /// All rows are decided by that solution. Nothing if it is too close to call.
  std::optional<int> add_unique_end() {
    const LongMatrix M = scaled_.M.cast<long double>();
    const LongVector q = scaled_.q.cast<long double>();
    std::vector<int> alpha;
    ProofNode node;
    node.kind = ProofNode::Kind::unique;
    for (int i = 0; i < n_; ++i) {
      const bool is_held = decision(i) == Decision::w_zero;
      if (is_held) alpha.push_back(i);
      node.basis.push_back(is_held);
    }
    LongVector z = LongVector::Zero(n_);
    if (!alpha.empty()) z(alpha) = LongVector(LongMatrix(M(alpha, alpha)).fullPivLu().solve(LongVector(-q(alpha))));
    const LongVector w = M * z + q;
    long double least = 0;
    for (int i = scaled_.free_count; i < n_; ++i) {
      const bool is_held = node.basis[static_cast<std::size_t>(i)];
      least = std::min(least, is_held ? z(i) : w(i));
      if (is_held) z(i) = std::max(z(i), 0.0L);
    }
    const long double size = 1 + z.cwiseAbs().maxCoeff();
    // A clear violation, by ten times what is taken for zero, ends the node without a solution.
    if (least < -10 * kZero * size) return add_node(std::move(node));
    if (least < -kZero * size) return std::nullopt;
    SolutionCell cell;
    cell.in_basis = node.basis;
    cell.vertices.push_back(to_units(z, true));
    node.cell = static_cast<int>(out_.cells.size());
    out_.cells.push_back(std::move(cell));
    return add_node(std::move(node));
  }

  int explore_half(int row, bool is_w) {
    decide(row, is_w ? Decision::w_zero : Decision::z_zero);
    const int child = explore();
    decide(row, Decision::none);
    return child;
  }

  void decide(int row, Decision what) {
    decision(row) = what;
    program_.bound_row(row, -scaled_.q(row), what == Decision::w_zero ? -scaled_.q(row) : kInfinity);
    program_.bound_column(row, 0, what == Decision::z_zero ? 0 : kInfinity);
  }

  bool has_to_stop() {
    if (!out_.reason.empty()) return true;
    const auto nodes = static_cast<long long>(out_.tree.size());
    if (nodes >= options_.most_nodes) {
      out_.reason = "more nodes than the limit";
    } else if (static_cast<int>(out_.cells.size()) >= options_.most_cells) {
      out_.reason = "as many cells as asked for";
    } else if (options_.goes_on && nodes % 64 == 0 && !options_.goes_on(nodes)) {
      out_.reason = "interrupted";
    }
    return !out_.reason.empty();
  }

  /// A row of which one half ends if there is one; row −1 if all are decided.
  Branch choose_branch() {
    if (const std::optional<Branch> forced = find_row_forced_by_signs()) return *forced;
    Branch chosen;
    int trials = 0;
    for (const int row : order_rows()) {
      Branch branch{row, try_z_half(row), try_w_half(row)};
      // The same set twice: one of them is enough.
      if (!branch.z_half.is_alive() && branch.w_half.end == ProofNode::Kind::z_vanishes) branch.w_half = {};
      if (!branch.z_half.is_alive() || !branch.w_half.is_alive()) return branch;
      if (chosen.row < 0) chosen = branch;
      if (++trials >= kMostTrials) break;
    }
    return chosen;
  }

  /// Undecided rows; first those in which the last point is farthest from z = 0 or w = 0.
  std::vector<int> order_rows() const {
    std::vector<int> rows;
    VectorX<double> violation(n_), lean(n_);
    const VectorX<double> w = scaled_.M * hint_ + scaled_.q;
    for (int i = 0; i < n_; ++i) {
      violation(i) = std::min(hint_(i), w(i));
      lean(i) = std::max(hint_(i), w(i));
      if (decision(i) == Decision::none) rows.push_back(i);
    }
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
      const bool has_a = violation(a) > kZero, has_b = violation(b) > kZero;
      if (has_a != has_b) return has_a;
      return has_a ? violation(a) > violation(b) : lean(a) > lean(b);
    });
    return rows;
  }

  /// Interval arithmetic on w = M z + q with z from 0 to ∞: what the signs of a row's entries say.
  std::optional<Branch> find_row_forced_by_signs() const {
    for (int i = 0; i < n_; ++i) {
      if (decision(i) != Decision::none) continue;
      bool has_negative = false, has_other_positive = false;
      for (int j = 0; j < n_; ++j) {
        if (decision(j) == Decision::z_zero) continue;
        const double entry = scaled_.M(i, j);
        has_negative = has_negative || entry < 0 || (is_free(j) && entry != 0);
        has_other_positive = has_other_positive || (j != i && entry > 0) || (is_free(j) && entry != 0);
      }
      const VectorX<double> unit = VectorX<double>::Unit(n_, i);
      // w > 0 whatever z is; or w < 0 unless z > 0.
      if (!has_negative && scaled_.q(i) > 0) return Branch{i, {}, {ProofNode::Kind::infeasible, -unit, true}};
      if (!has_other_positive && scaled_.q(i) < 0) return Branch{i, {ProofNode::Kind::infeasible, unit, false}, {}};
    }
    return std::nullopt;
  }

  /// z = 0 in `row`: what is the largest w there?
  Half try_z_half(int row) {
    decide(row, Decision::z_zero);
    for (int j = 0; j < n_; ++j) program_.set_cost(j, -scaled_.M(row, j));
    const LpStatus status = solve();
    Half half = judge(status);
    if (status == LpStatus::optimal && program_.activity()(row) + scaled_.q(row) <= kZero) {
      half = {ProofNode::Kind::w_vanishes, program_.multipliers(), false};
    }
    if (half.is_alive()) keep_hint();
    program_.clear_costs();
    decide(row, Decision::none);
    return half;
  }

  Half try_w_half(int row) {
    decide(row, Decision::w_zero);
    program_.set_cost(row, -1);
    const LpStatus status = solve();
    Half half = judge(status);
    if (status == LpStatus::optimal && program_.x()(row) <= kZero) {
      half = {ProofNode::Kind::z_vanishes, program_.multipliers(), true};
    }
    half.is_w = true;
    if (half.is_alive()) keep_hint();
    program_.clear_costs();
    decide(row, Decision::none);
    return half;
  }

  /// All rows are decided: S(α).
  int add_leaf() {
    std::vector<bool> in_basis;
    for (int i = 0; i < n_; ++i) in_basis.push_back(decision(i) == Decision::w_zero);
    const std::optional<Generators> found = internal::find_solution_set(scaled_, in_basis, options_.most_generators);
    if (!found) {
      out_.reason = "a cell has too many vertices";
      return add_node({});
    }
    if (found->vertices.empty()) return add_empty_leaf();
    SolutionCell cell;
    cell.in_basis = std::move(in_basis);
    for (const LongVector& z : found->vertices) cell.vertices.push_back(to_units(z, true));
    for (const LongVector& z : found->rays) cell.rays.push_back(to_units(z, false));
    for (const LongVector& z : found->lines) cell.lines.push_back(to_units(z, false));
    ProofNode node;
    node.kind = ProofNode::Kind::cell;
    node.cell = static_cast<int>(out_.cells.size());
    out_.cells.push_back(std::move(cell));
    return add_node(std::move(node));
  }

  /// Signs alone have led here, or the programs see a point within their tolerance that is none: too close to call.
  int add_empty_leaf() {
    const Half leaf = judge(solve());
    if (!leaf.is_alive()) return add_end(leaf, -1);
    out_.reason = "a basis is feasible to within the tolerance only";
    return add_node({});
  }

  /// z of a vertex in the units of the problem, or the direction of a ray, its largest component 1 in size.
  VectorX<double> to_units(const LongVector& z, bool is_point) const {
    LongVector out = z;
    for (int j = 0; j < n_; ++j) out(j) *= static_cast<long double>(scale_.C(j));
    if (!is_point) out /= out.cwiseAbs().maxCoeff();
    return out.cast<double>();
  }

  void conclude() {
    if (!out_.reason.empty()) {
      out_.count = SolutionCount::undecided;
    } else if (out_.cells.empty()) {
      out_.count = SolutionCount::none;
    } else {
      const bool is_point = out_.cells.size() == 1 && out_.cells.front().is_point();
      out_.count = is_point ? SolutionCount::unique : SolutionCount::several;
    }
  }

  const AllSolutionsOptions& options_;
  LcpScale scale_;
  Lcp scaled_;
  int n_;
  LinearProgram program_;
  std::vector<Decision> decisions_;
  LemkeSolver lemke_;
  VectorX<double> hint_;  ///< a point of the last relaxation that was alive
  AllSolutions out_;
};

/// No rows: z = () is the solution.
AllSolutions answer_nothing() {
  AllSolutions out;
  out.count = SolutionCount::unique;
  out.cells.resize(1);
  out.cells.front().vertices.emplace_back(0);
  out.tree.resize(1);
  out.tree.front().kind = ProofNode::Kind::cell;
  out.tree.front().cell = 0;
  return out;
}

}  // namespace

const char* to_string(SolutionCount count) {
  switch (count) {
    case SolutionCount::none:
      return "none";
    case SolutionCount::unique:
      return "unique";
    case SolutionCount::several:
      return "several";
    case SolutionCount::undecided:
      return "undecided";
  }
  return "";
}

const char* to_string(ProofNode::Kind kind) {
  switch (kind) {
    case ProofNode::Kind::open:
      return "open";
    case ProofNode::Kind::branch:
      return "branch";
    case ProofNode::Kind::infeasible:
      return "infeasible";
    case ProofNode::Kind::z_vanishes:
      return "z_vanishes";
    case ProofNode::Kind::w_vanishes:
      return "w_vanishes";
    case ProofNode::Kind::cell:
      return "cell";
    case ProofNode::Kind::unique:
      return "unique";
  }
  return "";
}

AllSolutions find_all_solutions(const Lcp& problem, const AllSolutionsOptions& options) {
  const int n = problem.size();
  if (problem.M.rows() != n || problem.M.cols() != n || problem.free_count < 0 || problem.free_count > n) {
    throw std::invalid_argument("find_all_solutions: M must be square, of the size of q");
  }
  if (!problem.M.allFinite() || !problem.q.allFinite()) {
    throw std::invalid_argument("find_all_solutions: M and q must be finite");
  }
  if (n == 0) return answer_nothing();
  return Search(problem, options).run();
}

}  // namespace thenar
