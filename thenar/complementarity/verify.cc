// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "thenar/complementarity/verify_algebra_internal.h"

namespace thenar {
namespace {

using namespace internal::verify;

constexpr Long kLongInfinity = std::numeric_limits<Long>::infinity();
/// Choices of equations that are gone through for one cell.
constexpr Long kMostChoices = 2e5L;

class Checker {
 public:
  Checker(const Lcp& problem, const std::vector<SolutionCell>& cells, const std::vector<ProofNode>& tree)
      : problem_(problem), cells_(cells), tree_(tree), n_(problem.size()), units_(problem) {}

  Verification run() {
    out_.result = Result::holds;
    out_.reach = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < cells_.size() && go(); ++k) check_cell(k);
    if (go() && tree_.empty()) fail("the tree has no root");
    zero_.assign(at(n_), Which::none);
    for (int i = 0; i < problem_.free_count; ++i) zero_[at(i)] = Which::w;
    is_seen_.assign(tree_.size(), false);
    is_listed_.assign(cells_.size(), false);
    if (go()) check_node(0, {});
    for (std::size_t k = 0; k < cells_.size() && go(); ++k) {
      if (!is_listed_[k]) fail(fmt::format("no leaf of the tree has the rows of cell {}", k));
    }
    if (go() && out_.reach < kLeastReach) {
      fail(fmt::format("solutions beyond {:.3g} units are not excluded", out_.reach));
    }
    return out_;
  }

  Verification check_point(const VectorX<double>& z, Long tolerance) {
    out_.result = Result::holds;
    out_.reach = 0;
    if (z.size() != n_ || !z.allFinite()) return refuted("z has another size than the problem, or is not finite");
    for (int i = 0; i < n_ && go(); ++i) {
      const Long z_i = z(i) / units_.z[at(i)], w_i = calc_w(z, i, true) / units_.w[at(i)];
      const Long violation = is_free(i) ? std::abs(w_i) : std::abs(std::min(z_i, w_i));
      note_residual(violation);
      if (violation > tolerance) fail(fmt::format("row {} is violated by {:.3g} units", i, violation));
    }
    return out_;
  }

 private:
  enum class Which : std::uint8_t { none, z, w };
  struct Parent {
    const ProofNode* branch = nullptr;
    bool is_w = false;
  };

  bool go() const { return out_.result == Result::holds; }
  void fail(std::string reason) {
    if (!go()) return;
    out_.result = Result::refuted;
    out_.reason = std::move(reason);
  }
  void note_residual(Long violation) {
    // Not max(): NaN must stay.
    if (!(violation <= out_.residual)) out_.residual = static_cast<double>(violation);
  }
  bool is_free(int i) const { return i < problem_.free_count; }

  template <class Vector>
  Long calc_w(const Vector& z, int i, bool is_point) const {
    Sum sum;
    if (is_point) sum.add(problem_.q(i), 1);
    for (int j = 0; j < n_; ++j) sum.add(problem_.M(i, j), static_cast<Long>(z[j]));
    return sum.value;
  }

  /// z (or the direction) fits to the cell's rows. `size`: largest |z| in units, what errors are relative to.
  void check_generator(std::size_t k, const VectorX<double>& g, bool is_point, bool is_line) {
    if (g.size() != n_ || !g.allFinite()) return fail(fmt::format("cell {}: a generator is not finite", k));
    Long size = is_point ? 1 : 0;
    for (int i = 0; i < n_; ++i) size = std::max(size, std::abs(g(i) / units_.z[at(i)]));
    if (!(size > 0)) return fail(fmt::format("cell {}: a direction is 0", k));
    for (int i = 0; i < n_; ++i) {
      const Long z_i = g(i) / units_.z[at(i)] / size, w_i = calc_w(g, i, is_point) / units_.w[at(i)] / size;
      Long violation = cells_[k].in_basis[at(i)] ? std::abs(w_i) : std::abs(z_i);
      if (!is_free(i)) {
        const Long other = cells_[k].in_basis[at(i)] ? z_i : w_i;
        violation = std::max(violation, is_line ? std::abs(other) : -other);
      }
      note_residual(violation);
      if (!(violation <= kTolerance)) {
        return fail(fmt::format("cell {}: row {} of a generator is violated by {:.3g} units", k, i, violation));
      }
    }
  }

  void check_cell(std::size_t k) {
    const SolutionCell& cell = cells_[k];
    if (static_cast<int>(cell.in_basis.size()) != n_) return fail(fmt::format("cell {} has another size", k));
    for (int i = 0; i < problem_.free_count; ++i) {
      if (!cell.in_basis[at(i)]) return fail(fmt::format("cell {} leaves the free row {} out", k, i));
    }
    if (cell.vertices.empty()) return fail(fmt::format("cell {} has no vertex", k));
    for (const auto& vertex : cell.vertices) check_generator(k, vertex, true, false);
    for (const auto& ray : cell.rays) check_generator(k, ray, false, false);
    for (const auto& line : cell.lines) check_generator(k, line, false, true);
  }

  void check_node(int number, const Parent& parent) {
    if (number < 0 || number >= static_cast<int>(tree_.size())) return fail("a branch leads out of the tree");
    if (is_seen_[at(number)]) return fail(fmt::format("node {} is met twice", number));
    is_seen_[at(number)] = true;
    const ProofNode& node = tree_[at(number)];
    switch (node.kind) {
      case ProofNode::Kind::open:
        return fail(fmt::format("node {} is open", number));
      case ProofNode::Kind::branch:
        return check_branch(number, node);
      case ProofNode::Kind::cell:
        return check_leaf(number, node);
      case ProofNode::Kind::unique:
        return check_unique(number, node);
      case ProofNode::Kind::infeasible:
        return check_multipliers(number, node, -1, false);
      case ProofNode::Kind::z_vanishes:
      case ProofNode::Kind::w_vanishes:
        return check_vanishing(number, node, parent);
    }
  }

  void check_branch(int number, const ProofNode& node) {
    if (node.row < 0 || node.row >= n_ || zero_[at(node.row)] != Which::none) {
      return fail(fmt::format("node {} branches at row {}, which is not open", number, node.row));
    }
    for (const bool is_w : {false, true}) {
      zero_[at(node.row)] = is_w ? Which::w : Which::z;
      if (go()) check_node(is_w ? node.w_child : node.z_child, {&node, is_w});
    }
    zero_[at(node.row)] = Which::none;
  }

  /// The sibling has to cover this node, so that only one of the two may be left out like this.
  void check_vanishing(int number, const ProofNode& node, const Parent& parent) {
    const bool is_z = node.kind == ProofNode::Kind::z_vanishes;
    if (parent.branch == nullptr || parent.is_w != is_z) {
      return fail(fmt::format("node {} is not on the side of its branch that it speaks of", number));
    }
    const int sibling = parent.is_w ? parent.branch->z_child : parent.branch->w_child;
    const bool is_in_tree = sibling >= 0 && sibling < static_cast<int>(tree_.size());
    if (!is_in_tree || tree_[at(sibling)].kind == ProofNode::Kind::w_vanishes ||
        tree_[at(sibling)].kind == ProofNode::Kind::z_vanishes) {
      return fail(fmt::format("node {} and its sibling refer to each other", number));
    }
    check_multipliers(number, node, parent.branch->row, is_z);
  }

  /// The inequalities of lcp_proof.h; `row` −1: infeasible.
  void check_multipliers(int number, const ProofNode& node, int row, bool is_z) {
    if (node.y.size() != n_ || !node.y.allFinite()) return fail(fmt::format("node {}: y is not finite", number));
    Sum gain;
    for (int i = 0; i < n_; ++i) {
      if (node.y(i) < 0 && zero_[at(i)] != Which::w) {
        return fail(fmt::format("node {}: y{} is negative where w may be positive", number, i));
      }
      gain.add(node.y(i), problem_.q(i));
    }
    if (row >= 0 && !is_z) gain.add(1, problem_.q(row));
    const Long slack = calc_slack(node, row, is_z);
    if (row < 0) {
      if (!(gain.upper() < 0)) return fail(fmt::format("node {}: yᵀq is not negative", number));
      note_reach(slack > 0 ? -gain.upper() / slack : kLongInfinity);
      return;
    }
    // The bound of z or w that follows, for solutions of at most kLeastReach units.
    const Long unit = is_z ? units_.z[at(row)] : units_.w[at(row)];
    const Long bound = gain.upper() / unit, drift = slack / unit;
    if (!(bound <= kTolerance)) {
      return fail(fmt::format("node {}: row {} may be {:.3g} units", number, row, bound));
    }
    note_reach(drift > 0 ? kTolerance / drift : kLongInfinity);
  }

  /// The largest (yᵀM)ⱼ that should not be positive, per unit of zⱼ.
  Long calc_slack(const ProofNode& node, int row, bool is_z) const {
    Long slack = 0;
    for (int j = 0; j < n_; ++j) {
      if (zero_[at(j)] == Which::z) continue;
      Sum sum;
      for (int i = 0; i < n_; ++i) sum.add(node.y(i), problem_.M(i, j));
      if (row >= 0 && is_z && j == row) sum.add(1, 1);
      if (row >= 0 && !is_z) sum.add(problem_.M(row, j), 1);
      const Long excess = is_free(j) ? std::abs(sum.value) + sum.error() : sum.upper();
      slack = std::max(slack, excess * units_.z[at(j)]);
    }
    return slack;
  }

  void note_reach(Long reach) { out_.reach = std::min(out_.reach, static_cast<double>(reach)); }

  /// The solutions of a leaf, found anew, are in its cell; if it has the cell's own rows, they are the cell.
  void check_leaf(int number, const ProofNode& node) {
    if (std::find(zero_.begin(), zero_.end(), Which::none) != zero_.end()) {
      return fail(fmt::format("node {} is a cell, but rows are not decided", number));
    }
    if (node.cell < 0 || node.cell >= static_cast<int>(cells_.size())) {
      return fail(fmt::format("node {} names a cell that is not there", number));
    }
    const auto k = static_cast<std::size_t>(node.cell);
    bool has_its_rows = true;
    for (int i = 0; i < n_; ++i) has_its_rows = has_its_rows && cells_[k].in_basis[at(i)] == (zero_[at(i)] == Which::w);
    const Lines lines = read_lines(cells_[k]);
    const Leaf leaf(*this, lines);
    if (leaf.is_too_large()) {
      out_.result = Result::unchecked;
      out_.reason = fmt::format("node {}: a cell of dimension {} has too many candidates", number, leaf.dimension());
      return;
    }
    const std::vector<LongList> vertices = leaf.find_vertices(), rays = leaf.find_rays();
    if (leaf.dimension() > 0 && vertices.empty() && !has_its_rows) {
      return fail(fmt::format("node {}: its solutions have no vertex, and it is not the leaf of its cell", number));
    }
    for (const LongList& vertex : vertices) check_member(number, k, vertex, true, has_its_rows, lines);
    for (const LongList& ray : rays) check_member(number, k, ray, false, has_its_rows, lines);
    if (has_its_rows) is_listed_[k] = true;
  }

  /// The open rows have one solution; it is what the node says, and in its cell or against a decided row's sign.
  void check_unique(int number, const ProofNode& node) {
    if (static_cast<int>(node.basis.size()) != n_)
      return fail(fmt::format("node {}: the basis has another size", number));
    for (int i = 0; i < n_; ++i) {
      if (zero_[at(i)] != Which::none && node.basis[at(i)] != (zero_[at(i)] == Which::w)) {
        return fail(fmt::format("node {}: the basis contradicts row {}", number, i));
      }
    }
    if (!has_p_complement())
      return fail(fmt::format("node {}: the open rows have no P-matrix beyond rounding", number));
    const std::vector<Which> decided = zero_;
    for (int i = 0; i < n_; ++i) zero_[at(i)] = node.basis[at(i)] ? Which::w : Which::z;
    const Lines none(n_);
    const Leaf leaf(*this, none);
    const std::optional<LongList> x = leaf.find_point();
    zero_ = decided;
    if (!x) return fail(fmt::format("node {}: the basis has no single point", number));
    check_unique_point(number, node, *x);
  }

  void check_unique_point(int number, const ProofNode& node, const LongList& x) {
    LongList z = x;
    for (int i = 0; i < n_; ++i) z[at(i)] *= units_.z[at(i)];
    const Long size = std::max(calc_size(x), 1.0L);
    bool is_against_sign = false;
    for (int i = 0; i < n_; ++i) {
      if (is_free(i)) continue;
      const Long own = (node.basis[at(i)] ? x[at(i)] : calc_w(z, i, true) / units_.w[at(i)]) / size;
      if (own >= -kTolerance) continue;
      if (zero_[at(i)] == Which::none) return fail(fmt::format("node {}: row {} is against its sign", number, i));
      is_against_sign = true;
    }
    if (is_against_sign != (node.cell < 0)) {
      return fail(fmt::format("node {}: its point is {} solution", number, is_against_sign ? "no" : "a"));
    }
    if (node.cell < 0) return;
    if (node.cell >= static_cast<int>(cells_.size())) {
      return fail(fmt::format("node {} names a cell that is not there", number));
    }
    const auto k = static_cast<std::size_t>(node.cell);
    const bool has_its_rows = node.basis == cells_[k].in_basis;
    check_member(number, k, x, true, has_its_rows, Lines(n_));
    if (has_its_rows) is_listed_[k] = true;
  }

  /// Whether the matrix of the open rows, once those with w = 0 are solved for, is surely a P-matrix.
  bool has_p_complement() const {
    std::vector<int> open, held;
    for (int i = 0; i < n_; ++i) {
      if (zero_[at(i)] == Which::none) open.push_back(i);
      if (zero_[at(i)] == Which::w) held.push_back(i);
    }
    // Rows of w in units, the held ones eliminated with the largest pivots first.
    std::vector<LongList> rows;
    for (const int i : held) rows.push_back(row_in_units(i));
    for (const int i : open) rows.push_back(row_in_units(i));
    std::vector<int> columns = held;
    for (std::size_t k = 0; k < held.size(); ++k) {
      std::size_t best_row = k, best_column = k;
      for (std::size_t r = k; r < held.size(); ++r) {
        for (std::size_t c = k; c < held.size(); ++c) {
          if (std::abs(rows[r][at(columns[c])]) > std::abs(rows[best_row][at(columns[best_column])])) {
            best_row = r;
            best_column = c;
          }
        }
      }
      std::swap(rows[k], rows[best_row]);
      std::swap(columns[k], columns[best_column]);
      const Long pivot = rows[k][at(columns[k])];
      if (!(std::abs(pivot) > kPivot)) return false;
      for (std::size_t r = k + 1; r < rows.size(); ++r) {
        const Long factor = rows[r][at(columns[k])] / pivot;
        for (int j = 0; j < n_; ++j) rows[r][at(j)] -= factor * rows[k][at(j)];
      }
    }
    MatrixX<double> S(static_cast<Eigen::Index>(open.size()), static_cast<Eigen::Index>(open.size()));
    for (std::size_t r = 0; r < open.size(); ++r) {
      for (std::size_t c = 0; c < open.size(); ++c) {
        S(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
            static_cast<double>(rows[held.size() + r][at(open[c])]);
      }
    }
    // Entries are about 1 in these units: what cancels to less is zero.
    if (S.rows() > 0 && !(S.diagonal().minCoeff() > static_cast<double>(kPivot))) return false;
    if (is_dominated(S) || verify_p_matrix(S).holds()) return true;
    // Definiteness is about the problem's own units.
    for (std::size_t r = 0; r < open.size(); ++r) {
      S.row(static_cast<Eigen::Index>(r)) *= static_cast<double>(units_.w[at(open[r])]);
      S.col(static_cast<Eigen::Index>(r)) /= static_cast<double>(units_.z[at(open[r])]);
    }
    return verify_positive_definite(S).holds();
  }

  LongList row_in_units(int i) const {
    LongList row(at(n_));
    for (int j = 0; j < n_; ++j) row[at(j)] = problem_.M(i, j) * units_.z[at(j)] / units_.w[at(i)];
    return row;
  }

  /// Sᵢᵢ dᵢ > Σ |Sᵢⱼ| dⱼ for a d > 0 that Jacobi's iteration finds: then S is a P-matrix.
  static bool is_dominated(const MatrixX<double>& S) {
    const int n = static_cast<int>(S.rows());
    LongList d(at(n), 1);
    constexpr int kMostTurns = 200;
    for (int turn = 0; turn < kMostTurns; ++turn) {
      bool holds = true;
      LongList next(at(n));
      for (int i = 0; i < n; ++i) {
        if (!(S(i, i) > 0)) return false;
        Long others = 0;
        for (int j = 0; j < n; ++j) others += j == i ? 0 : std::abs(static_cast<Long>(S(i, j))) * d[at(j)];
        holds = holds && S(i, i) * d[at(i)] > others * (1 + 1e-12L);
        next[at(i)] = (1 + others) / S(i, i);
      }
      if (holds) return true;
      d = std::move(next);
    }
    return false;
  }

  /// In units of z.
  LongList in_units(const VectorX<double>& z) const {
    LongList out(at(n_));
    for (int i = 0; i < n_; ++i) out[at(i)] = z(i) / units_.z[at(i)];
    return out;
  }
  static Long calc_size(const LongList& x) {
    Long size = 0;
    for (const Long a : x) size = std::max(size, std::abs(a));
    return size;
  }
  Lines read_lines(const SolutionCell& cell) const {
    Lines out(n_);
    for (const VectorX<double>& line : cell.lines) {
      LongList x = in_units(line);
      const Long size = calc_size(x);
      for (Long& a : x) a /= size;
      out.add(std::move(x));
    }
    return out;
  }

  /// A point x (in units) of a leaf has z = 0 and w = 0 where the cell has; a vertex of the cell's own leaf is one of
  /// its vertices.
  void check_member(int number, std::size_t k, const LongList& x, bool is_point, bool must_be_listed,
                    const Lines& lines) {
    const SolutionCell& cell = cells_[k];
    const Long size = std::max(calc_size(x), is_point ? 1.0L : 0.0L);
    LongList z = x;
    for (int i = 0; i < n_; ++i) z[at(i)] *= units_.z[at(i)];
    for (int i = 0; i < n_; ++i) {
      const Long w_i = calc_w(z, i, is_point) / units_.w[at(i)];
      if (std::abs(cell.in_basis[at(i)] ? w_i : x[at(i)]) > kTolerance * size) {
        return fail(fmt::format("node {}: a solution is not in cell {}", number, k));
      }
    }
    if (!must_be_listed) return;
    const auto& list = is_point ? cell.vertices : cell.rays;
    const auto is_same = [&](const VectorX<double>& g) {
      LongList other = in_units(g);
      lines.reduce(other);
      const Long size_other = is_point ? size : calc_size(other);
      for (int i = 0; i < n_; ++i) {
        if (std::abs(other[at(i)] / size_other - x[at(i)] / size) > kTolerance) return false;
      }
      return true;
    };
    if (std::none_of(list.begin(), list.end(), is_same)) {
      fail(fmt::format("node {}: cell {} lacks a {}", number, k, is_point ? "vertex" : "ray"));
    }
  }

  /// The polyhedron of a leaf in units: equations for decided rows, signs of the others. Points that differ by a line
  /// of the cell are the same.
  class Leaf {
   public:
    Leaf(const Checker& checker, const Lines& lines) : c_(checker), lines_(lines), points_(checker.n_) {
      for (int i = 0; i < c_.n_; ++i) {
        const bool is_z = c_.zero_[at(i)] == Which::z;
        is_consistent_ = points_.add(is_z ? unit_row(i) : w_row(i), is_z ? 0 : -w_constant(i)) && is_consistent_;
        if (is_z) {
          signs_.push_back({w_row(i), -w_constant(i)});
        } else if (!c_.is_free(i)) {
          signs_.push_back({unit_row(i), 0});
        }
      }
      for (const int pivot : lines_.pivots) points_.add(unit_row(pivot), 0);
    }

    int dimension() const { return points_.freedom(); }
    bool is_too_large() const {
      Long choices = 1;
      const int m = static_cast<int>(signs_.size());
      for (int k = 0; k < dimension(); ++k) choices *= static_cast<Long>(m - k) / static_cast<Long>(k + 1);
      return choices > kMostChoices;
    }

    /// The only point, if there is only one; signs are not asked for.
    std::optional<LongList> find_point() const {
      if (!is_consistent_ || dimension() > 0) return std::nullopt;
      return points_.solve();
    }

    std::vector<LongList> find_vertices() const {
      std::vector<LongList> out;
      if (!is_consistent_) return out;
      choose(points_, 0, dimension(), true, [&](const Equations& all) {
        LongList x = all.solve();
        if (has_signs(x, true)) out.push_back(std::move(x));
      });
      return out;
    }

    std::vector<LongList> find_rays() const {
      std::vector<LongList> out;
      if (!is_consistent_ || dimension() == 0) return out;
      Equations directions(c_.n_);
      for (int i = 0; i < c_.n_; ++i) directions.add(c_.zero_[at(i)] == Which::z ? unit_row(i) : w_row(i), 0);
      for (const int pivot : lines_.pivots) directions.add(unit_row(pivot), 0);
      choose(directions, 0, directions.freedom() - 1, false, [&](const Equations& all) {
        LongList x = all.find_direction();
        if (has_signs(x, false)) out.push_back(x);
        for (Long& a : x) a = -a;
        if (has_signs(x, false)) out.push_back(x);
      });
      return out;
    }

   private:
    struct Sign {
      LongList row;
      Long least;  ///< row · x ≥ least
    };

    LongList unit_row(int i) const {
      LongList row(at(c_.n_), 0);
      row[at(i)] = 1;
      return row;
    }
    LongList w_row(int i) const { return c_.row_in_units(i); }
    Long w_constant(int i) const { return c_.problem_.q(i) / c_.units_.w[at(i)]; }

    /// Calls use(equations) for each choice of `more` signs that are independent, as equations.
    template <class Use>
    void choose(const Equations& equations, std::size_t first, int more, bool is_point, const Use& use) const {
      if (more == 0) return use(equations);
      for (std::size_t k = first; k < signs_.size(); ++k) {
        Equations next = equations;
        if (!next.add(signs_[k].row, is_point ? signs_[k].least : 0) || next.rank() == equations.rank()) continue;
        choose(next, k + 1, more - 1, is_point, use);
      }
    }

    bool has_signs(const LongList& x, bool is_point) const {
      const Long size = std::max(calc_size(x), is_point ? 1.0L : 0.0L);
      return std::all_of(signs_.begin(), signs_.end(), [&](const Sign& sign) {
        Long sum = is_point ? -sign.least : 0;
        for (int j = 0; j < c_.n_; ++j) sum += sign.row[at(j)] * x[at(j)];
        return sum >= -kTolerance * size;
      });
    }

    const Checker& c_;
    const Lines& lines_;
    Equations points_;
    bool is_consistent_ = true;
    std::vector<Sign> signs_;
  };

  const Lcp& problem_;
  const std::vector<SolutionCell>& cells_;
  const std::vector<ProofNode>& tree_;
  int n_;
  Units units_;
  std::vector<Which> zero_;
  std::vector<bool> is_seen_, is_listed_;
  Verification out_;
};

}  // namespace

const char* to_string(Verification::Result result) {
  switch (result) {
    case Result::holds:
      return "holds";
    case Result::refuted:
      return "refuted";
    case Result::unchecked:
      return "unchecked";
  }
  return "";
}

Verification verify_all_solutions(const Lcp& problem, const std::vector<SolutionCell>& cells,
                                  const std::vector<ProofNode>& tree) {
  return Checker(problem, cells, tree).run();
}

Verification verify_solution(const Lcp& problem, const VectorX<double>& z, double tolerance) {
  return Checker(problem, {}, {}).check_point(z, tolerance);
}

}  // namespace thenar
