// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/quasistatic_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

/// v = P u + v₀ and Pᵀc + h = 0 once more, from the problem itself.
struct Numbers {
  explicit Numbers(const QuasistaticProblem& problem) : contacts(problem.contact_count()) {
    std::vector<int> unknown;
    for (int j = 0; j < problem.joint_count(); ++j) {
      if (!problem.is_position_controlled[static_cast<std::size_t>(j)]) unknown.push_back(j);
    }
    for (int r = 0; r < 2 * contacts; ++r) {
      const int i = r % contacts;
      const MatrixX<double>& W = r < contacts ? problem.W_n : problem.W_t;
      const MatrixX<double>& J = r < contacts ? problem.J_n : problem.J_t;
      std::vector<Real> row;
      for (Eigen::Index k = 0; k < W.rows(); ++k) row.push_back(W(k, i));
      for (const int j : unknown) row.push_back(-static_cast<Real>(J(i, j)));
      P.push_back(row);
      Real known = 0;
      for (int j = 0; j < problem.joint_count(); ++j) {
        if (problem.is_position_controlled[static_cast<std::size_t>(j)]) {
          known -= static_cast<Real>(J(i, j)) * problem.theta_dot(j);
        }
      }
      v0.push_back(known);
      speed = std::max(speed, std::abs(known));
    }
    if (!(speed > 0)) speed = 1;
    for (int k = 0; k < problem.object_freedoms(); ++k) h.push_back(problem.g_obj(k));
    for (const int j : unknown) h.push_back(static_cast<Real>(problem.tau(j)) - problem.g_man(j));
    for (int i = 0; i < contacts; ++i) mu.push_back(problem.mu(i));
    for (std::size_t k = 0; k < h.size(); ++k) {
      Real lever = 0;
      for (const auto& row : P) lever = std::max(lever, std::abs(row[k]));
      levers.push_back(lever);
      force = std::max(force, std::abs(h[k]) / (lever > 0 ? lever : 1));
    }
    if (!(force > 0)) force = 1;
  }

  /// Wrench of the edge c = n ± μ t of a contact.
  std::vector<Real> edge(int contact, int sign) const {
    const auto i = static_cast<std::size_t>(contact);
    std::vector<Real> out = P[i];
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += static_cast<Real>(sign) * mu[i] * P[i + mu.size()][k];
    return out;
  }

  int contacts;
  Rows P;
  std::vector<Real> v0, h, mu, levers;
  Real speed = 0, force = 0;
};

/// What is decided about a contact on the way to a node.
enum class Decision : std::uint8_t { open, breaks, touches, slides_plus, slides_minus, rolls };

Decision decision_of(Mode mode) {
  switch (mode) {
    case Mode::breaks:
      return Decision::breaks;
    case Mode::slides_plus:
      return Decision::slides_plus;
    case Mode::slides_minus:
      return Decision::slides_minus;
    case Mode::rolls:
      break;
  }
  return Decision::rolls;
}

/// Signs of the edges n ± μ t that may carry force.
std::vector<int> edges_of(Decision decision, Real mu) {
  switch (decision) {
    case Decision::breaks:
      return {};
    case Decision::slides_plus:
      return {-1};
    case Decision::slides_minus:
      return {1};
    default:
      return mu > 0 ? std::vector<int>{1, -1} : std::vector<int>{1};
  }
}

// One solution.

/// Whether the labels leave one velocity: the rows that vanish have full rank.
bool has_one_velocity(const Numbers& numbers, const std::vector<Mode>& modes) {
  Rows rows;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i] != Mode::breaks) rows.push_back(numbers.P[i]);
    if (modes[i] == Mode::rolls) rows.push_back(numbers.P[i + modes.size()]);
  }
  return find_rank(std::move(rows)) == static_cast<int>(numbers.h.size());
}

/// Whether the edges that carry force could share it in another way. Forces that are not unique are given from inside
/// of their polyhedron, where all edges carry that can.
bool can_share_otherwise(const Numbers& numbers, const QuasistaticSolution& solution) {
  Real largest = 0;
  for (const double c_n : solution.c_n) largest = std::max(largest, static_cast<Real>(c_n));
  Rows carrying;
  for (int i = 0; i < numbers.contacts; ++i) {
    const Real mu = numbers.mu[static_cast<std::size_t>(i)], c_n = solution.c_n(i), c_t = solution.c_t(i);
    for (const int sign : edges_of(decision_of(solution.modes[static_cast<std::size_t>(i)]), mu)) {
      const Real share = mu > 0 ? (c_n + sign * c_t / mu) / 2 : c_n;
      if (share > 1e-9L * largest) carrying.push_back(numbers.edge(i, sign));
    }
  }
  const auto count = static_cast<int>(carrying.size());
  return find_rank(std::move(carrying)) < count;
}

std::string check_solution(const QuasistaticProblem& problem, const Numbers& numbers,
                           const QuasistaticSolution& solution, double& residual) {
  const double grade = grade_quasistatic(problem, solution).worst();
  residual = std::max(residual, grade);
  if (!(grade <= kQuasistaticGrade)) return fmt::format("violates the problem by {:.3g}", grade);
  if (has_one_velocity(numbers, solution.modes) != solution.velocity_unique) {
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
        decisions_(static_cast<std::size_t>(numbers.contacts), Decision::open),
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
        return visit_children(k, node, Decision::open, {Decision::breaks, Decision::touches});
      case Kind::mode_branch:
        return visit_children(k, node, Decision::touches,
                              {Decision::slides_plus, Decision::slides_minus, Decision::rolls});
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

  bool visit_children(int k, const QuasistaticNode& node, Decision before, const std::vector<Decision>& decisions) {
    if (node.contact < 0 || node.contact >= numbers_.contacts) return fail(k, "there is no such contact");
    Decision& decision = decisions_[static_cast<std::size_t>(node.contact)];
    if (decision != before) return fail(k, "decides what is not open");
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
    const auto& modes = claim_.solutions[static_cast<std::size_t>(node.solution)].modes;
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      if (decisions_[i] != decision_of(modes[i])) return fail(k, "has other labels than its solution");
    }
    is_reached_[static_cast<std::size_t>(node.solution)] = true;
    return true;
  }

  /// Sum of |y| over rows with a strict sign; negative if y has a sign that proves nothing.
  Real sum_strict(const QuasistaticNode& node) const {
    Real strict = 0;
    for (int i = 0; i < numbers_.contacts; ++i) {
      const Decision decision = decisions_[static_cast<std::size_t>(i)];
      const Real normal = node.y(i), tangent = node.y(numbers_.contacts + i);
      const bool touches = decision != Decision::open && decision != Decision::breaks;
      if (!touches && normal < 0) return -1;
      if (decision == Decision::breaks) strict += normal;
      if (decision == Decision::slides_plus && tangent < 0) return -1;
      if (decision == Decision::slides_minus && tangent > 0) return -1;
      if (decision == Decision::slides_plus || decision == Decision::slides_minus) strict += std::abs(tangent);
      const bool is_open = !touches || decision == Decision::touches;
      if (is_open && tangent != 0) return -1;
    }
    return strict;
  }

  bool check_no_motion(int k, const QuasistaticNode& node) {
    if (node.y.size() != 2 * numbers_.contacts || !node.y.allFinite()) return fail(k, "has not one number per row");
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
      for (const int sign :
           edges_of(decisions_[static_cast<std::size_t>(i)], numbers_.mu[static_cast<std::size_t>(i)])) {
        rest = std::max(rest, -work(numbers_.edge(i, sign)));
      }
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
  std::vector<Decision> decisions_;
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
      if (claim.solutions[other].modes == claim.solutions[k].modes)
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
