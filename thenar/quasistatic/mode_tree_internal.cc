// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/mode_tree_internal.h"

#include <algorithm>
#include <map>
#include <utility>

#include "thenar/base/numbers.h"

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Vector = VectorX<double>;
using Kind = QuasistaticNode::Kind;

/// Decisions beside labels (0 breaks, k > 0 does the k-th thing).
constexpr int kUndecided = -2, kTouches = -1;
/// How often velocities and forces are moved towards each other in a node.
constexpr int kMostRounds = 3;
/// Products of forces and velocities below this, both in their usual units, are no conflict.
constexpr double kNoConflict = 1e-10;
/// Forces below this, in the usual strength, are rounding.
constexpr double kNoForceInTree = 1e-9;

/// Costs only help; without them nearly equal rows cannot ask for large multipliers.
LpStatus solve_or_forget_costs(LinearProgram& program) {
  if (program.solve() != LpStatus::failed) return program.status();
  program.clear_costs();
  return program.solve();
}

/// Velocities of a node, as a linear program in u and, for every row that is no normal one, its positive and negative
/// parts p and q: row − p + q = 0. Speeds are in the usual unit.
class MotionProgram {
 public:
  explicit MotionProgram(const ModeRules& rules)
      : rules_(rules),
        speed_(rules.still / kStill),
        parts_(static_cast<std::size_t>(rules.row_count()), -1),
        program_(make_matrix()) {
    for (int r = 0; r < rules.row_count(); ++r) {
      const double known = rules.v0(r) / speed_;
      program_.bound_row(r, -known, has_parts(r) ? -known : kInfinity);
    }
    for (int j = static_cast<int>(rules.P.cols()); j < program_.column_count(); ++j) {
      program_.bound_column(j, 0, kInfinity);
    }
  }

  /// `sign`: 0, ±1; nothing known of it: for normal rows ≥ 0, for others anything.
  void decide(int row, int sign) {
    const double known = rules_.v0(row) / speed_;
    if (!has_parts(row)) {
      program_.bound_row(row, (sign > 0 ? kStill : 0) - known, sign > 0 ? kInfinity : -known);
      return;
    }
    const int p = parts_[static_cast<std::size_t>(row)];
    program_.bound_column(p, sign > 0 ? kStill : 0, sign > 0 ? kInfinity : 0);
    program_.bound_column(p + 1, sign < 0 ? kStill : 0, sign < 0 ? kInfinity : 0);
  }
  void release(int row) {
    if (!has_parts(row)) {
      program_.bound_row(row, -rules_.v0(row) / speed_, kInfinity);
      return;
    }
    const int p = parts_[static_cast<std::size_t>(row)];
    program_.bound_column(p, 0, kInfinity);
    program_.bound_column(p + 1, 0, kInfinity);
  }

  /// Minimizes the conflict with these forces.
  LpStatus solve(const Vector& f) {
    Vector costs = Vector::Zero(program_.column_count());
    for (std::size_t e = 0; e < rules_.edges.size(); ++e) {
      const double force = f(static_cast<Index>(e));
      if (force <= kNoForceInTree) continue;
      const ConeEdge& edge = rules_.edges[e];
      costs.head(rules_.P.cols()) +=
          force * rules_.P.row(rules_.contacts[static_cast<std::size_t>(edge.contact)].normal);
      for (const RowSign& slip : edge.forbidden) {
        costs(parts_[static_cast<std::size_t>(slip.row)] + (slip.sign > 0 ? 0 : 1)) += force;
      }
    }
    for (int j = 0; j < program_.column_count(); ++j) program_.set_cost(j, costs(j));
    return solve_or_forget_costs(program_);
  }

  Vector u() const { return speed_ * program_.x().head(rules_.P.cols()); }
  const Vector& farkas() const { return program_.farkas(); }

 private:
  bool has_parts(int row) const { return parts_[static_cast<std::size_t>(row)] >= 0; }

  MatrixX<double> make_matrix() {
    const Index m = rules_.P.cols();
    int next = static_cast<int>(m);
    std::vector<bool> is_normal(parts_.size(), false);
    for (const RuledContact& contact : rules_.contacts) is_normal[static_cast<std::size_t>(contact.normal)] = true;
    for (std::size_t r = 0; r < parts_.size(); ++r) {
      if (!is_normal[r]) parts_[r] = std::exchange(next, next + 2);
    }
    MatrixX<double> out = MatrixX<double>::Zero(rules_.row_count(), next);
    out.leftCols(m) = rules_.P;
    for (std::size_t r = 0; r < parts_.size(); ++r) {
      if (is_normal[r]) continue;
      out(static_cast<Index>(r), parts_[r]) = -1;
      out(static_cast<Index>(r), parts_[r] + 1) = 1;
    }
    return out;
  }

  const ModeRules& rules_;
  double speed_;
  std::vector<int> parts_;  ///< column of p, −1 for normal rows
  LinearProgram program_;
};

/// Forces of a node, in the usual strength.
class ForceProgram {
 public:
  explicit ForceProgram(const ModeRules& rules) : program_(rules.G) {
    for (int i = 0; i < program_.row_count(); ++i) {
      const double load = -rules.h(i) / rules.strength;
      program_.bound_row(i, load, load);
    }
    for (int j = 0; j < program_.column_count(); ++j) program_.bound_column(j, 0, kInfinity);
  }

  void allow(int edge, bool may_carry) { program_.bound_column(edge, 0, may_carry ? kInfinity : 0); }

  LpStatus solve(const Vector& costs) {
    for (int j = 0; j < program_.column_count(); ++j) program_.set_cost(j, costs(j));
    return solve_or_forget_costs(program_);
  }
  const Vector& f() const { return program_.x(); }
  Vector virtual_motion() const { return -program_.farkas(); }

 private:
  LinearProgram program_;
};

class ModeTree {
 public:
  ModeTree(const ModeRules& rules, const ModeTreeOptions& options)
      : rules_(rules),
        options_(options),
        motion_(rules),
        forces_(rules),
        decisions_(rules.contacts.size(), kUndecided) {}

  ModeTreeResult run(const std::vector<ModeLabels>& known) {
    for (const ModeLabels& labels : known) find_or_add(labels);
    result_.nodes.emplace_back();
    explore(0, Vector(), Vector());
    result_.is_complete = std::none_of(result_.nodes.begin(), result_.nodes.end(),
                                       [](const QuasistaticNode& node) { return node.kind == Kind::open; });
    if (!result_.is_complete && result_.reason.empty()) result_.reason = "the search was interrupted";
    return std::move(result_);
  }

 private:
  QuasistaticNode& node(int k) { return result_.nodes[static_cast<std::size_t>(k)]; }
  int decision(int contact) const { return decisions_[static_cast<std::size_t>(contact)]; }

  void stop(const char* reason) {
    is_stopped_ = true;
    if (result_.reason.empty()) result_.reason = reason;
  }

  bool may_go_on() {
    const auto count = static_cast<long long>(result_.nodes.size());
    if (count > options_.most_nodes) stop("the limit of nodes was reached");
    if (options_.is_enough && options_.is_enough(result_.solutions)) stop("enough solutions were found");
    if (options_.goes_on && !options_.goes_on(count)) stop("the time was over");
    return !is_stopped_;
  }

  // Decisions.

  void decide(int contact, int what) {
    decisions_[static_cast<std::size_t>(contact)] = what;
    const RuledContact& ruled = rules_.contacts[static_cast<std::size_t>(contact)];
    if (what == kUndecided) {
      motion_.release(ruled.normal);
    } else {
      motion_.decide(ruled.normal, what == 0 ? 1 : 0);
    }
    for (const TouchMode& mode : ruled.modes) {
      for (const RowSign& sign : mode.signs) motion_.release(sign.row);
    }
    for (const int edge : ruled.edges) forces_.allow(edge, what != 0);
    if (what <= 0) return;
    const TouchMode& mode = ruled.modes[static_cast<std::size_t>(what - 1)];
    for (const RowSign& sign : mode.signs) motion_.decide(sign.row, sign.sign);
    for (const int edge : ruled.edges) {
      forces_.allow(edge, std::find(mode.edges.begin(), mode.edges.end(), edge) != mode.edges.end());
    }
  }

  /// Whether u and f still fit after the last decision, on `contact`.
  bool moves_right(int contact, const Vector& u) const {
    if (u.size() != rules_.P.cols() || u.size() == 0) return false;
    const RuledContact& ruled = rules_.contacts[static_cast<std::size_t>(contact)];
    const auto speed = [&](int row) { return rules_.P.row(row).dot(u) + rules_.v0(row); };
    if (decision(contact) == 0) return speed(ruled.normal) >= rules_.still;
    if (decision(contact) < 0) return false;
    const TouchMode& mode = ruled.modes[static_cast<std::size_t>(decision(contact) - 1)];
    return std::all_of(mode.signs.begin(), mode.signs.end(), [&](const RowSign& sign) {
      return sign.sign != 0 && sign.sign * speed(sign.row) >= rules_.still;
    });
  }
  bool pushes_right(int contact, const Vector& f) const {
    if (f.size() != rules_.edge_count() || f.size() == 0) return false;
    const RuledContact& ruled = rules_.contacts[static_cast<std::size_t>(contact)];
    const int what = decision(contact);
    return std::all_of(ruled.edges.begin(), ruled.edges.end(), [&](int edge) {
      if (f(edge) == 0 || what < 0) return true;
      if (what == 0) return false;
      const auto& allowed = ruled.modes[static_cast<std::size_t>(what - 1)].edges;
      return std::find(allowed.begin(), allowed.end(), edge) != allowed.end();
    });
  }

  // Conflict.

  /// What a unit of force of each edge would have to answer for, in the usual speed.
  Vector calc_edge_costs(const Vector& u) const {
    const Vector v = (rules_.P * u + rules_.v0) * (kStill / rules_.still);
    Vector out(rules_.edge_count());
    for (std::size_t e = 0; e < rules_.edges.size(); ++e) {
      const ConeEdge& edge = rules_.edges[e];
      double cost = std::max(0.0, v(rules_.contacts[static_cast<std::size_t>(edge.contact)].normal));
      for (const RowSign& slip : edge.forbidden) cost += std::max(0.0, slip.sign * v(slip.row));
      out(static_cast<Index>(e)) = cost;
    }
    return out;
  }

  /// Finds velocities and forces of the node, close to each other. Returns the kind of end if there are none.
  Kind meet(Vector& u, Vector& f, bool has_u, bool has_f) {
    if (f.size() != rules_.edge_count()) f = Vector::Zero(rules_.edge_count());
    if (!has_u) {
      const LpStatus status = solve_motion(f);
      if (status != LpStatus::optimal) return status == LpStatus::infeasible ? Kind::no_motion : Kind::open;
      u = motion_.u();
    }
    if (!has_f) {
      const LpStatus status = solve_forces(u);
      if (status != LpStatus::optimal) return status == LpStatus::infeasible ? Kind::no_forces : Kind::open;
      f = forces_.f();
    }
    double conflict = f.dot(calc_edge_costs(u));
    for (int round = 0; round < kMostRounds && conflict > kNoConflict; ++round) {
      if (solve_motion(f) != LpStatus::optimal) break;
      u = motion_.u();
      if (solve_forces(u) != LpStatus::optimal) break;
      f = forces_.f();
      const double last = std::exchange(conflict, f.dot(calc_edge_costs(u)));
      if (conflict > 0.999 * last) break;
    }
    return Kind::solution;
  }
  LpStatus solve_motion(const Vector& f) {
    ++result_.programs;
    return motion_.solve(f);
  }
  LpStatus solve_forces(const Vector& u) {
    ++result_.programs;
    return forces_.solve(calc_edge_costs(u));
  }

  /// Contacts that touch come first: the fewer velocities are left, the more is decided by itself. −1 if none is.
  int find_undecided() const {
    int out = -1;
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      if (decisions_[i] >= 0) continue;
      if (out < 0 || (decisions_[i] == kTouches && decision(out) == kUndecided)) out = static_cast<int>(i);
    }
    return out;
  }

  /// The undecided contact with the most conflict, or any that is undecided; −1 if none is.
  int choose(const Vector& u, const Vector& f, bool& has_conflict) const {
    const Vector costs = calc_edge_costs(u);
    int best = -1;
    double most = 0, total = 0;
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      if (decisions_[i] >= 0) continue;
      double conflict = 0;
      for (const int edge : rules_.contacts[i].edges) conflict += f(edge) > kNoForceInTree ? f(edge) * costs(edge) : 0;
      total += conflict;
      if (conflict > most) {
        most = conflict;
        best = static_cast<int>(i);
      }
    }
    has_conflict = total > kNoConflict;
    return has_conflict ? best : find_undecided();
  }

  // Solutions.

  /// Makes the node end with the solution that has these labels, or with the reason why there is none.
  QuasistaticNode find_or_add(const ModeLabels& labels) {
    QuasistaticNode out;
    out.kind = Kind::solution;
    const auto known = numbers_.find(labels);
    if (known != numbers_.end()) {
      out.solution = known->second;
      return out;
    }
    ModeFinding found = find_mode_point(rules_, labels);
    out.kind = found.end;
    out.y = std::move(found.y);
    if (!found.point) return out;
    out.solution = static_cast<int>(result_.solutions.size());
    result_.solutions.push_back({labels, std::move(*found.point)});
    numbers_.emplace(labels, out.solution);
    return out;
  }

  // The tree.

  void explore(int k, Vector u, Vector f, bool has_u = false, bool has_f = false) {
    if (!may_go_on()) return;
    const Kind end = meet(u, f, has_u, has_f);
    if (end == Kind::no_motion || end == Kind::no_forces) {
      node(k).kind = end;
      node(k).y = end == Kind::no_motion ? motion_.farkas() : forces_.virtual_motion();
      return;
    }
    // A program that fails tells nothing: the node is divided all the same, where others may tell more.
    if (end == Kind::open) {
      const int any = find_undecided();
      return any < 0 ? end_with_solution(k) : branch(k, any, Vector(), Vector());
    }
    bool has_conflict = false;
    const int contact = choose(u, f, has_conflict);
    if (contact < 0) return end_with_solution(k);
    if (!has_conflict) find_or_add(find_labels(rules_, u));
    branch(k, contact, u, f);
  }

  void end_with_solution(int k) {
    node(k) = find_or_add(ModeLabels(decisions_.begin(), decisions_.end()));
    if (node(k).kind == Kind::open) stop("a linear program failed");
  }

  void branch(int k, int contact, const Vector& u, const Vector& f) {
    const int before = decision(contact);
    std::vector<int> choices;
    if (before == kUndecided) {
      choices = {0, kTouches};
    } else {
      const std::size_t count = rules_.contacts[static_cast<std::size_t>(contact)].modes.size();
      for (std::size_t mode = 1; mode <= count; ++mode) choices.push_back(static_cast<int>(mode));
    }
    const auto first = static_cast<int>(result_.nodes.size());
    node(k).kind = before == kUndecided ? Kind::touch_branch : Kind::mode_branch;
    node(k).contact = contact;
    for (std::size_t c = 0; c < choices.size(); ++c) node(k).children.push_back(first + static_cast<int>(c));
    result_.nodes.resize(result_.nodes.size() + choices.size());
    for (const std::size_t c : order(contact, choices, u, f)) {
      decide(contact, choices[c]);
      explore(first + static_cast<int>(c), u, f, moves_right(contact, u), pushes_right(contact, f));
    }
    decide(contact, before);
  }

  /// Choices that the velocity or the forces have already come first.
  std::vector<std::size_t> order(int contact, const std::vector<int>& choices, const Vector& u, const Vector& f) {
    std::vector<std::size_t> out(choices.size());
    std::vector<int> rank(choices.size());
    for (std::size_t c = 0; c < choices.size(); ++c) {
      out[c] = c;
      decisions_[static_cast<std::size_t>(contact)] = choices[c];
      rank[c] = (moves_right(contact, u) ? 0 : 1) + (pushes_right(contact, f) ? 0 : 1);
    }
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
    return out;
  }

  const ModeRules& rules_;
  const ModeTreeOptions& options_;
  MotionProgram motion_;
  ForceProgram forces_;
  std::vector<int> decisions_;
  std::map<ModeLabels, int> numbers_;
  ModeTreeResult result_;
  bool is_stopped_ = false;
};

}  // namespace

ModeTreeResult search_modes(const ModeRules& rules, const ModeTreeOptions& options,
                            const std::vector<ModeLabels>& known) {
  return ModeTree(rules, options).run(known);
}

}  // namespace thenar::internal
