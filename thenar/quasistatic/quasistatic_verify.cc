// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/quasistatic_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/base/numbers.h"
#include "thenar/quasistatic/quasistatic_grade.h"

namespace thenar {
namespace {

using Real = long double;
using Mode = QuasistaticMode;
using Kind = QuasistaticNode::Kind;
using Rows = std::vector<std::vector<Real>>;

/// Velocities below this part of the usual one are none.
constexpr Real kNothing = 1e-6L;
/// Where a proof says no more than that a velocity stays below that, others may be this much larger than usual.
constexpr double kLeastStrictReach = 100;
/// Pivots below this, of rows of length 1, are rounding.
constexpr Real kPivot = 1e-8L;
constexpr Real kPi = 3.14159265358979323846264338327950288L;

Verification refuted(std::string reason) { return {Verification::Result::refuted, std::move(reason), 0, 0}; }

/// Rank of rows after each is scaled to length 1, by elimination with complete pivoting.
int find_rank(Rows rows) {
  std::erase_if(rows, [](std::vector<Real>& row) {
    Real square = 0;
    for (const Real entry : row) square += entry * entry;
    if (!(square > 0)) return true;
    for (Real& entry : row) entry /= std::sqrt(square);
    return false;
  });
  int rank = 0;
  while (rank < static_cast<int>(rows.size())) {
    std::size_t best_row = 0, best_column = 0;
    Real largest = 0;
    for (std::size_t i = static_cast<std::size_t>(rank); i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows[i].size(); ++j) {
        if (std::abs(rows[i][j]) <= largest) continue;
        largest = std::abs(rows[i][j]);
        best_row = i;
        best_column = j;
      }
    }
    if (!(largest > kPivot)) break;
    const auto top = static_cast<std::size_t>(rank);
    std::swap(rows[top], rows[best_row]);
    for (std::size_t i = top + 1; i < rows.size(); ++i) {
      const Real factor = rows[i][best_column] / rows[top][best_column];
      for (std::size_t j = 0; j < rows[i].size(); ++j) rows[i][j] -= factor * rows[top][j];
      rows[i][best_column] = 0;
    }
    ++rank;
  }
  return rank;
}

/// A row of v that is zero (0), positive (1) or negative (−1).
struct Sign {
  std::size_t row;
  int sign;
};

/// v = P u + v₀ and the wrenches of the edges of friction once more, from the problem itself.
struct Numbers {
  explicit Numbers(const QuasistaticProblem& problem)
      : contacts(problem.contact_count()), sides(problem.sides), slips(count_slips(problem.sides)) {
    for (int j = 0; j < problem.joint_count(); ++j) {
      if (!problem.is_position_controlled[static_cast<std::size_t>(j)]) unknown_.push_back(j);
    }
    const auto n = static_cast<std::size_t>(contacts);
    add_rows(problem, problem.W_n, problem.J_n, normals_, v0);
    P = normals_;
    std::vector<Real> t_known, u_known;
    add_rows(problem, problem.W_t, problem.J_t, t_, t_known);
    if (sides > 0) add_rows(problem, problem.W_u, problem.J_u, u_, u_known);
    for (std::size_t i = 0; i < n; ++i) {
      for (int j = 0; j < slips; ++j) {
        const auto [x, y] = slip_direction(j);
        std::vector<Real> row = t_[i];
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = x * t_[i][k] + (sides > 0 ? y * u_[i][k] : 0);
        P.push_back(row);
        v0.push_back(x * t_known[i] + (sides > 0 ? y * u_known[i] : 0));
      }
    }
    for (const Real known : v0) speed = std::max(speed, std::abs(known));
    if (!(speed > 0)) speed = 1;
    for (int k = 0; k < problem.object_freedoms(); ++k) h.push_back(problem.g_obj(k));
    for (const int j : unknown_) h.push_back(static_cast<Real>(problem.tau(j)) - problem.g_man(j));
    for (int i = 0; i < contacts; ++i) mu.push_back(problem.mu(i));
    for (std::size_t k = 0; k < h.size(); ++k) {
      Real lever = 0;
      for (const auto& row : P) lever = std::max(lever, std::abs(row[k]));
      levers.push_back(lever);
      force = std::max(force, std::abs(h[k]) / (lever > 0 ? lever : 1));
    }
    if (!(force > 0)) force = 1;
  }

  /// Edges of the cone of a contact: in the plane n + μ t, n − μ t.
  int edge_count(int contact) const {
    if (!(mu[static_cast<std::size_t>(contact)] > 0)) return 1;
    return sides > 0 ? sides : 2;
  }
  std::vector<Real> edge(int contact, int number) const {
    const auto i = static_cast<std::size_t>(contact);
    std::vector<Real> out = normals_[i];
    if (edge_count(contact) == 1) return out;
    const auto [x, y] = corner(number);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += mu[i] * (x * t_[i][k] + (sides > 0 ? y * u_[i][k] : 0));
    return out;
  }
  /// Friction of an edge per μ c_n.
  std::pair<Real, Real> corner(int number) const {
    if (sides == 0) return {number == 0 ? 1 : -1, 0};
    const Real angle = 2 * kPi * static_cast<Real>(number) / static_cast<Real>(sides);
    return {std::cos(angle), std::sin(angle)};
  }
  const std::vector<Real>& direction(int contact, int which) const {
    return (which == 0 ? normals_ : (which == 1 ? t_ : u_))[static_cast<std::size_t>(contact)];
  }

  /// Ways to touch.
  int mode_count(int contact) const {
    if (sides == 0) return 3;
    return mu[static_cast<std::size_t>(contact)] > 0 ? 2 * sides + 1 : 1;
  }
  /// The way with that number, from 1 on: signs of slips.
  std::vector<Sign> signs_of(int contact, int mode) const {
    if (sides == 0) return {slip(contact, 0, mode == 1 ? 1 : (mode == 2 ? -1 : 0))};
    if (mode_count(contact) == 1) return {};
    const int j = (mode - 1) / 2;
    std::vector<Sign> out;
    if (mode == mode_count(contact)) {
      for (int slip_number = 0; slip_number < slips; ++slip_number) out.push_back(slip(contact, slip_number, 0));
    } else if (mode % 2 == 1) {
      out = {slip(contact, j, 1), slip(contact, j - 1, -1)};
    } else {
      out = {slip(contact, j, 0), slip(contact, j - 1, -1), slip(contact, j + 1, 1)};
    }
    return out;
  }
  /// And the edges that may carry force in it.
  std::vector<int> edges_of(int contact, int mode) const {
    std::vector<int> all;
    for (int e = 0; e < edge_count(contact); ++e) all.push_back(e);
    if (all.size() == 1 || mode == mode_count(contact)) return all;
    if (sides == 0) return {mode == 1 ? 1 : 0};
    const int j = (mode - 1) / 2;
    return mode % 2 == 1 ? std::vector<int>{j} : std::vector<int>{j, (j + 1) % sides};
  }
  /// The number of the way that a solution's contact has; 0 if it breaks.
  int mode_of(const QuasistaticSolution& solution, std::size_t contact) const {
    const int last = mode_count(static_cast<int>(contact));
    switch (solution.modes[contact]) {
      case Mode::breaks:
        return 0;
      case Mode::slides_plus:
        return 1;
      case Mode::slides_minus:
        return 2;
      case Mode::slides:
        return last == 1 ? 1 : solution.sectors[contact] + 1;
      case Mode::rolls:
        break;
    }
    return last;
  }

  int contacts, sides, slips;
  Rows P;
  std::vector<Real> v0, h, mu, levers;
  Real speed = 0, force = 0;

 private:
  /// Slips along directions that are opposite to others are not rows of their own.
  static int count_slips(int sides) { return sides == 0 ? 1 : (sides % 2 == 0 ? sides / 2 : sides); }
  /// From corner j to corner j + 1.
  std::pair<Real, Real> slip_direction(int j) const {
    if (sides == 0) return {1, 0};
    const auto [x0, y0] = corner(j);
    const auto [x1, y1] = corner(j + 1);
    const Real length = std::hypot(x1 - x0, y1 - y0);
    return {(x1 - x0) / length, (y1 - y0) / length};
  }
  Sign slip(int contact, int j, int sign) const {
    if (sides > 0) j = (j + sides) % sides;
    const bool is_opposite = j >= slips;
    return {static_cast<std::size_t>(contacts + contact * slips + (is_opposite ? j - slips : j)),
            is_opposite ? -sign : sign};
  }
  void add_rows(const QuasistaticProblem& problem, const MatrixX<double>& W, const MatrixX<double>& J, Rows& rows,
                std::vector<Real>& knowns) const {
    for (int i = 0; i < contacts; ++i) {
      std::vector<Real> row;
      for (Eigen::Index k = 0; k < W.rows(); ++k) row.push_back(W(k, i));
      for (const int j : unknown_) row.push_back(-static_cast<Real>(J(i, j)));
      rows.push_back(row);
      Real known = 0;
      for (int j = 0; j < problem.joint_count(); ++j) {
        if (problem.is_position_controlled[static_cast<std::size_t>(j)]) {
          known -= static_cast<Real>(J(i, j)) * problem.theta_dot(j);
        }
      }
      knowns.push_back(known);
    }
  }

  std::vector<int> unknown_;
  Rows normals_, t_, u_;
};

/// What is decided about a contact on the way to a node: 0 breaks, k > 0 touches in the k-th way.
constexpr int kOpen = -2, kTouches = -1;

// One solution.

/// Whether the labels leave one velocity: the rows that vanish have full rank.
bool has_one_velocity(const Numbers& numbers, const QuasistaticSolution& solution) {
  Rows rows;
  for (std::size_t i = 0; i < solution.modes.size(); ++i) {
    const int mode = numbers.mode_of(solution, i);
    if (mode == 0) continue;
    rows.push_back(numbers.P[i]);
    for (const Sign& sign : numbers.signs_of(static_cast<int>(i), mode)) {
      if (sign.sign == 0) rows.push_back(numbers.P[sign.row]);
    }
  }
  return find_rank(std::move(rows)) == static_cast<int>(numbers.h.size());
}

/// Directions in which the force of a contact can change both ways within its cone: none of what carries nothing, its
/// edge or two of them on the boundary, all inside.
void add_shares(const Numbers& numbers, const QuasistaticSolution& solution, int i, Real nothing, Rows& out) {
  const Real mu = numbers.mu[static_cast<std::size_t>(i)], c_n = solution.c_n(i), c_t = solution.c_t(i);
  const Real c_u = numbers.sides > 0 ? static_cast<Real>(solution.c_u(i)) : 0;
  if (!(c_n > nothing)) return;
  const auto edges = numbers.edges_of(i, numbers.mode_of(solution, static_cast<std::size_t>(i)));
  if (edges.size() <= 2) {
    // The share of an edge is what the force is inside of the other one, c_n + (c · (d − other)) / μ |…|.
    for (std::size_t e = 0; e < edges.size(); ++e) {
      Real share = c_n;
      if (edges.size() == 2) {
        const auto [x, y] = numbers.corner(edges[e]);
        const auto [ox, oy] = numbers.corner(edges[1 - e]);
        const Real dx = x - ox, dy = y - oy;
        share = ((c_t / mu - c_n * ox) * dx + (c_u / mu - c_n * oy) * dy) / (dx * dx + dy * dy);
      }
      if (share > nothing) out.push_back(numbers.edge(i, edges[e]));
    }
    return;
  }
  // Faces that the force is on.
  std::vector<int> faces;
  for (int j = 0; j < numbers.sides; ++j) {
    const auto [x0, y0] = numbers.corner(j);
    const auto [x1, y1] = numbers.corner(j + 1);
    const Real mx = (x0 + x1) / 2, my = (y0 + y1) / 2;
    const Real slack = mu * c_n * (mx * mx + my * my) - (mx * c_t + my * c_u);
    if (!(slack > nothing * mu)) faces.push_back(j);
  }
  if (faces.empty()) {
    for (int which = 0; which < 3; ++which) out.push_back(numbers.direction(i, which));
  } else if (faces.size() == 1) {
    out.push_back(numbers.edge(i, faces[0]));
    out.push_back(numbers.edge(i, (faces[0] + 1) % numbers.sides));
  } else {
    out.push_back(numbers.edge(i, faces[0] + 1 == faces[1] ? faces[1] : 0));
  }
}

/// Whether forces could be shared in another way. Those that are not unique are given from inside of their polyhedron,
/// where all edges carry that can.
bool can_share_otherwise(const Numbers& numbers, const QuasistaticSolution& solution) {
  Real largest = 0;
  for (const double c_n : solution.c_n) largest = std::max(largest, static_cast<Real>(c_n));
  Rows carrying;
  for (int i = 0; i < numbers.contacts; ++i) {
    if (solution.modes[static_cast<std::size_t>(i)] == Mode::breaks) continue;
    add_shares(numbers, solution, i, 1e-9L * largest, carrying);
  }
  const auto count = static_cast<int>(carrying.size());
  return find_rank(std::move(carrying)) < count;
}

std::string check_solution(const QuasistaticProblem& problem, const Numbers& numbers,
                           const QuasistaticSolution& solution, double& residual) {
  const double grade = grade_quasistatic(problem, solution).worst();
  residual = std::max(residual, grade);
  if (!(grade <= kQuasistaticGrade)) return fmt::format("violates the problem by {:.3g}", grade);
  if (has_one_velocity(numbers, solution) != solution.velocity_unique) {
    return solution.velocity_unique ? "its velocity is not the only one" : "its velocity is the only one";
  }
  if (can_share_otherwise(numbers, solution) == solution.forces_unique) {
    return solution.forces_unique ? "its forces are not the only ones" : "its forces cannot be shared otherwise";
  }
  return {};
}

// The tree.

class TreeWalk {
 public:
  TreeWalk(const Numbers& numbers, const QuasistaticClaim& claim)
      : numbers_(numbers),
        claim_(claim),
        decisions_(static_cast<std::size_t>(numbers.contacts), kOpen),
        is_visited_(claim.tree.size(), false),
        is_reached_(claim.solutions.size(), false) {}

  Verification run() {
    Verification out;
    if (!visit(0)) return refuted(reason_);
    for (std::size_t k = 0; k < is_reached_.size(); ++k) {
      if (!is_reached_[k]) return refuted(fmt::format("no branch of the proof leads to solution {}", k));
    }
    out.result = Verification::Result::holds;
    out.reach = reach_;
    return out;
  }

 private:
  bool fail(int k, const std::string& what) {
    reason_ = fmt::format("node {}: {}", k, what);
    return false;
  }

  bool visit(int k) {
    if (k < 0 || k >= static_cast<int>(claim_.tree.size())) return fail(k, "there is no such node");
    if (is_visited_[static_cast<std::size_t>(k)]) return fail(k, "is reached twice");
    is_visited_[static_cast<std::size_t>(k)] = true;
    const QuasistaticNode& node = claim_.tree[static_cast<std::size_t>(k)];
    switch (node.kind) {
      case Kind::touch_branch:
        return visit_children(k, node, kOpen);
      case Kind::mode_branch:
        return visit_children(k, node, kTouches);
      case Kind::no_motion:
        return check_no_motion(k, node);
      case Kind::no_forces:
        return check_no_forces(k, node);
      case Kind::solution:
        return check_end(k, node);
      case Kind::open:
        break;
    }
    return fail(k, "is open");
  }

  bool visit_children(int k, const QuasistaticNode& node, int before) {
    if (node.contact < 0 || node.contact >= numbers_.contacts) return fail(k, "there is no such contact");
    std::vector<int> decisions{0, kTouches};
    if (before == kTouches) {
      decisions.clear();
      for (int mode = 1; mode <= numbers_.mode_count(node.contact); ++mode) decisions.push_back(mode);
    }
    if (decisions_[static_cast<std::size_t>(node.contact)] != before) return fail(k, "decides what is not open");
    if (node.children.size() != decisions.size()) return fail(k, "a branch is missing");
    for (std::size_t c = 0; c < decisions.size(); ++c) {
      decisions_[static_cast<std::size_t>(node.contact)] = decisions[c];
      if (!visit(node.children[c])) return false;
    }
    decisions_[static_cast<std::size_t>(node.contact)] = before;
    return true;
  }

  bool check_end(int k, const QuasistaticNode& node) {
    if (node.solution < 0 || node.solution >= static_cast<int>(claim_.solutions.size())) {
      return fail(k, "there is no such solution");
    }
    const QuasistaticSolution& solution = claim_.solutions[static_cast<std::size_t>(node.solution)];
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      if (decisions_[i] != numbers_.mode_of(solution, i)) return fail(k, "has other labels than its solution");
    }
    is_reached_[static_cast<std::size_t>(node.solution)] = true;
    return true;
  }

  /// Sum of |y| over rows with a strict sign; negative if y has a sign that proves nothing.
  Real sum_strict(const QuasistaticNode& node) const {
    constexpr int kAny = 2;  // nothing is known of the sign, so that y has to be 0
    std::vector<int> signs(numbers_.P.size(), kAny);
    Real strict = 0;
    for (int i = 0; i < numbers_.contacts; ++i) {
      const int decision = decisions_[static_cast<std::size_t>(i)];
      const Real normal = node.y(i);
      if (decision == kOpen && normal < 0) return -1;
      signs[static_cast<std::size_t>(i)] = decision == 0 ? 1 : 0;
      if (decision <= 0) continue;
      for (const Sign& sign : numbers_.signs_of(i, decision)) signs[sign.row] = sign.sign;
    }
    for (std::size_t r = 0; r < signs.size(); ++r) {
      const Real y = node.y(static_cast<Eigen::Index>(r));
      if (signs[r] == kAny && y != 0) return -1;
      if (signs[r] == kAny || signs[r] == 0) continue;
      if (signs[r] * y < 0) return -1;
      strict += std::abs(y);
    }
    return strict;
  }

  bool check_no_motion(int k, const QuasistaticNode& node) {
    if (node.y.size() != static_cast<Eigen::Index>(numbers_.P.size()) || !node.y.allFinite())
      return fail(k, "has not one number per row");
    const Real strict = sum_strict(node);
    if (strict < 0) return fail(k, "a number has a sign that proves nothing");
    Real sum = 0;  // y · v₀
    for (std::size_t r = 0; r < numbers_.v0.size(); ++r)
      sum += static_cast<Real>(node.y(static_cast<int>(r))) * numbers_.v0[r];
    Real rest = 0;  // |Pᵀy| times the unknowns that make usual velocities
    for (std::size_t c = 0; c < numbers_.h.size(); ++c) {
      Real entry = 0;
      for (std::size_t r = 0; r < numbers_.P.size(); ++r)
        entry += static_cast<Real>(node.y(static_cast<int>(r))) * numbers_.P[r][c];
      if (numbers_.levers[c] > 0) rest += std::abs(entry) * numbers_.speed / numbers_.levers[c];
    }
    const char* const otherwise = "does not exclude all velocities";
    if (-sum > 0 && -sum >= kLeastReach * rest) return take_reach(k, -sum, rest, kLeastReach, otherwise);
    return take_reach(k, kNothing * numbers_.speed * strict - std::max(sum, Real{0}), rest, kLeastStrictReach,
                      otherwise);
  }

  bool check_no_forces(int k, const QuasistaticNode& node) {
    if (node.y.size() != static_cast<Eigen::Index>(numbers_.h.size()) || !node.y.allFinite()) {
      return fail(k, "has not one number per unknown");
    }
    const auto work = [&](const std::vector<Real>& wrench) {
      Real out = 0;
      for (std::size_t c = 0; c < wrench.size(); ++c) out += static_cast<Real>(node.y(static_cast<int>(c))) * wrench[c];
      return out;
    };
    Real rest = 0;  // what a unit of force can do against the virtual motion
    for (int i = 0; i < numbers_.contacts; ++i) {
      const int decision = decisions_[static_cast<std::size_t>(i)];
      if (decision == 0) continue;
      const int mode = decision > 0 ? decision : numbers_.mode_count(i);
      for (const int edge : numbers_.edges_of(i, mode)) rest = std::max(rest, -work(numbers_.edge(i, edge)));
    }
    return take_reach(k, work(numbers_.h), rest * numbers_.force, kLeastReach, "does not exclude all forces");
  }

  bool take_reach(int k, Real margin, Real rest, double least, const char* otherwise) {
    if (!(margin > 0)) return fail(k, otherwise);
    const double reach = rest > 0 ? static_cast<double>(margin / rest) : kInfinity;
    reach_ = std::min(reach_, reach);
    return reach >= least || fail(k, fmt::format("{} (reach {:.1e})", otherwise, reach));
  }

  const Numbers& numbers_;
  const QuasistaticClaim& claim_;
  std::vector<int> decisions_;
  std::vector<bool> is_visited_, is_reached_;
  double reach_ = kInfinity;
  std::string reason_;
};

/// What the list amounts to if it is complete.
QuasistaticVerdict count(const std::vector<QuasistaticSolution>& solutions) {
  if (solutions.empty()) return QuasistaticVerdict::none;
  const bool is_one = solutions.size() == 1 && solutions.front().velocity_unique;
  return is_one ? QuasistaticVerdict::unique : QuasistaticVerdict::several;
}

}  // namespace

Verification verify_quasistatic(const QuasistaticProblem& problem, const QuasistaticClaim& claim) {
  problem.check();
  const Numbers numbers(problem);
  double residual = 0;
  for (std::size_t k = 0; k < claim.solutions.size(); ++k) {
    const std::string complaint = check_solution(problem, numbers, claim.solutions[k], residual);
    if (!complaint.empty()) return refuted(fmt::format("solution {} {}", k, complaint));
    for (std::size_t other = 0; other < k; ++other) {
      if (claim.solutions[other].has_modes_of(claim.solutions[k]))
        return refuted(fmt::format("solution {} stands twice", k));
    }
  }
  Verification out;
  out.result = Verification::Result::holds;
  if (claim.is_list_complete) out = TreeWalk(numbers, claim).run();
  if (!out.holds()) return out;
  out.residual = residual;
  const QuasistaticVerdict counted = count(claim.solutions);
  const bool fits =
      claim.verdict == counted || (claim.verdict == QuasistaticVerdict::undecided && !claim.is_list_complete);
  if (!fits) return refuted(fmt::format("the verdict is not that of the solutions, which is '{}'", to_string(counted)));
  const bool needs_proof = claim.verdict == QuasistaticVerdict::unique || claim.verdict == QuasistaticVerdict::none;
  if (needs_proof && !claim.is_list_complete) return refuted("the list is not said to be complete");
  return out;
}

}  // namespace thenar
