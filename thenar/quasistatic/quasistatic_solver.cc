// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/quasistatic_solver.h"

#include <cmath>

#include "thenar/quasistatic/mode_tree_internal.h"
#include "thenar/quasistatic/quasistatic_grade.h"
#include "thenar/quasistatic/quasistatic_verify.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

using Vector = VectorX<double>;
using internal::LabelledPoint;
using internal::ModeLabels;
using internal::ModePoint;
using internal::ModeRules;

/// In the plane, labels of the search (0 breaks, then slide+, slide−, roll) are those of the enumeration in its order;
/// in space label s + 1 is sector s, and the last one rolls.
void name_modes(const QuasistaticProblem& problem, const ModeLabels& labels, QuasistaticSolution& out) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const int label = labels[i];
    if (!problem.is_spatial()) {
      out.modes.push_back(kQuasistaticModes[label]);
      continue;
    }
    const bool has_friction = problem.mu(static_cast<Eigen::Index>(i)) > 0;
    const bool slides = label > 0 && (!has_friction || label <= 2 * problem.sides);
    out.modes.push_back(label == 0 ? QuasistaticMode::breaks
                                   : (slides ? QuasistaticMode::slides : QuasistaticMode::rolls));
    out.sectors.push_back(slides && has_friction ? label - 1 : -1);
  }
}

/// Forces of contacts from shares of the edges.
void add_forces(const QuasistaticProblem& problem, const ModeRules& rules, const Vector& f, QuasistaticSolution& out) {
  const int n = problem.contact_count();
  out.c_n = out.c_t = Vector::Zero(n);
  if (problem.is_spatial()) out.c_u = Vector::Zero(n);
  for (int i = 0; i < n; ++i) {
    const auto& edges = rules.contacts[static_cast<std::size_t>(i)].edges;
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const double share = f(edges[k]);
      out.c_n(i) += share;
      if (edges.size() == 1) continue;
      const double angle = 2 * M_PI * static_cast<double>(k) / static_cast<double>(edges.size());
      if (problem.is_spatial()) {
        out.c_t(i) += problem.mu(i) * share * std::cos(angle);
        out.c_u(i) += problem.mu(i) * share * std::sin(angle);
      } else {
        out.c_t(i) += (k == 0 ? 1 : -1) * problem.mu(i) * share;
      }
    }
  }
}

/// u of a point of X, by least squares.
Vector find_motion(const ModeRules& rules, const Vector& x) {
  const auto n = static_cast<Eigen::Index>(rules.contacts.size());
  Vector v(2 * n);
  v << x.head(n), x.segment(n, n) - x.tail(n);
  if (rules.P.cols() == 0) return Vector();
  return rules.P.colPivHouseholderQr().solve(Vector(v - rules.v0));
}

bool is_several(const std::vector<LabelledPoint>& solutions) {
  return solutions.size() > 1 || (solutions.size() == 1 && !solutions.front().point.velocity_unique);
}

QuasistaticVerdict find_verdict(const internal::ModeTreeResult& found) {
  if (is_several(found.solutions)) return QuasistaticVerdict::several;
  if (!found.is_complete) return QuasistaticVerdict::undecided;
  return found.solutions.empty() ? QuasistaticVerdict::none : QuasistaticVerdict::unique;
}

/// Keeps the solutions that `is_kept` says, and the numbers that the tree calls them by.
template <class Predicate>
void keep_solutions(QuasistaticAnswer& answer, const Predicate& is_kept) {
  std::vector<int> numbers(answer.solutions.size(), -1);
  std::vector<QuasistaticSolution> kept;
  for (std::size_t k = 0; k < answer.solutions.size(); ++k) {
    if (!is_kept(k)) continue;
    numbers[k] = static_cast<int>(kept.size());
    kept.push_back(std::move(answer.solutions[k]));
  }
  answer.solutions = std::move(kept);
  for (QuasistaticNode& node : answer.tree) {
    if (node.solution >= 0) node.solution = numbers[static_cast<std::size_t>(node.solution)];
  }
}

/// Where rows nearly depend on each other, the check decides whether they do.
void settle_uniqueness(const QuasistaticProblem& problem, QuasistaticSolution& solution) {
  const auto stands = [&] {
    return verify_quasistatic(problem, {QuasistaticVerdict::undecided, {solution}, false, {}}).holds();
  };
  for (int k = 0; k < 4 && !stands(); ++k) {
    if (k % 2 == 0) solution.velocity_unique = !solution.velocity_unique;
    if (k % 2 == 1) solution.forces_unique = !solution.forces_unique;
  }
}

/// Lets the tree lead to a solution that one of its ends excludes: a solution to within tolerances is one, and what the
/// end proves still excludes everything beside it.
class Graft {
 public:
  Graft(const ModeRules& rules, std::vector<QuasistaticNode>& tree) : rules_(rules), tree_(tree) {}

  void add(const ModeLabels& labels, int solution) {
    std::vector<int> decisions(labels.size(), kUndecided);
    std::size_t at = 0;
    while (tree_[at].contact >= 0) {
      const auto contact = static_cast<std::size_t>(tree_[at].contact);
      at = static_cast<std::size_t>(tree_[at].children[decide(decisions[contact], labels[contact])]);
    }
    if (tree_[at].kind != QuasistaticNode::Kind::no_motion && tree_[at].kind != QuasistaticNode::Kind::no_forces)
      return;
    const QuasistaticNode end = tree_[at];
    for (std::size_t contact = 0; contact < labels.size(); ++contact) {
      while (decisions[contact] < 0)
        at = divide(at, static_cast<int>(contact), decisions[contact], labels[contact], end);
    }
    tree_[at] = QuasistaticNode{};
    tree_[at].kind = QuasistaticNode::Kind::solution;
    tree_[at].solution = solution;
  }

 private:
  static constexpr int kUndecided = -2, kTouches = -1;

  /// The next decision on the way to a label, and the number of the child that it leads to.
  static std::size_t decide(int& decision, int label) {
    if (decision == kUndecided) {
      decision = label == 0 ? 0 : kTouches;
      return label == 0 ? 0 : 1;
    }
    decision = label;
    return static_cast<std::size_t>(label - 1);
  }

  std::size_t divide(std::size_t at, int contact, int& decision, int label, const QuasistaticNode& end) {
    const bool is_first = decision == kUndecided;
    const std::size_t count = is_first ? 2 : rules_.contacts[static_cast<std::size_t>(contact)].modes.size();
    QuasistaticNode branch;
    branch.kind = is_first ? QuasistaticNode::Kind::touch_branch : QuasistaticNode::Kind::mode_branch;
    branch.contact = contact;
    for (std::size_t c = 0; c < count; ++c) branch.children.push_back(static_cast<int>(tree_.size() + c));
    tree_.insert(tree_.end(), count, end);
    tree_[at] = branch;
    return static_cast<std::size_t>(branch.children[decide(decision, label)]);
  }

  const ModeRules& rules_;
  std::vector<QuasistaticNode>& tree_;
};

void lead_to_all(const QuasistaticProblem& problem, const ModeRules& rules, QuasistaticAnswer& answer) {
  std::vector<bool> is_reached(answer.solutions.size(), false);
  for (const QuasistaticNode& node : answer.tree) {
    if (node.solution >= 0) is_reached[static_cast<std::size_t>(node.solution)] = true;
  }
  Graft graft(rules, answer.tree);
  for (std::size_t k = 0; k < is_reached.size(); ++k) {
    if (!is_reached[k]) {
      graft.add(internal::find_solution_labels(problem, answer.solutions[k]), static_cast<int>(k));
    }
  }
}

/// What does not stand a check is not claimed.
void withdraw_unproved(const QuasistaticProblem& problem, const ModeRules& rules, QuasistaticAnswer& answer) {
  keep_solutions(answer, [&](std::size_t k) {
    return grade_quasistatic(problem, answer.solutions[k]).worst() <= kQuasistaticGrade;
  });
  for (QuasistaticSolution& solution : answer.solutions) settle_uniqueness(problem, solution);
  if (answer.is_list_complete) {
    lead_to_all(problem, rules, answer);
    const bool is_several =
        answer.solutions.size() > 1 || (answer.solutions.size() == 1 && !answer.solutions.front().velocity_unique);
    answer.verdict = is_several                 ? QuasistaticVerdict::several
                     : answer.solutions.empty() ? QuasistaticVerdict::none
                                                : QuasistaticVerdict::unique;
  }
  const QuasistaticClaim claim{answer.verdict, answer.solutions, answer.is_list_complete, answer.tree};
  const Verification check = verify_quasistatic(problem, claim);
  if (check.holds()) return;
  answer.is_list_complete = false;
  if (answer.verdict != QuasistaticVerdict::several) answer.verdict = QuasistaticVerdict::undecided;
  answer.reason = "the proof does not hold in higher precision: " + check.reason;
}

}  // namespace

QuasistaticSolution internal::make_quasistatic_solution(const QuasistaticProblem& problem, const ModeRules& rules,
                                                        const LabelledPoint& found) {
  const int freedoms = problem.object_freedoms();
  QuasistaticSolution out;
  name_modes(problem, found.labels, out);
  out.velocity_unique = found.point.velocity_unique;
  out.forces_unique = found.point.forces_unique;
  out.q_dot = found.point.u.head(freedoms);
  add_forces(problem, rules, found.point.f, out);
  out.theta_dot = problem.theta_dot;
  out.tau = problem.J_n.transpose() * out.c_n + problem.J_t.transpose() * out.c_t + problem.g_man;
  if (problem.is_spatial()) out.tau += problem.J_u.transpose() * out.c_u;
  const std::vector<int> efforts = problem.effort_joints();
  for (std::size_t k = 0; k < efforts.size(); ++k) {
    out.theta_dot(efforts[k]) = found.point.u(freedoms + static_cast<Eigen::Index>(k));
    out.tau(efforts[k]) = problem.tau(efforts[k]);
  }
  return out;
}

ModeLabels internal::find_solution_labels(const QuasistaticProblem& problem, const QuasistaticSolution& solution) {
  ModeLabels out;
  for (std::size_t i = 0; i < solution.modes.size(); ++i) {
    const QuasistaticMode mode = solution.modes[i];
    int label = static_cast<int>(mode);  // in the plane those of the enumeration in its order
    if (problem.is_spatial() && mode != QuasistaticMode::breaks) {
      const bool has_friction = problem.mu(static_cast<Eigen::Index>(i)) > 0;
      label = mode == QuasistaticMode::slides ? solution.sectors[i] + 1 : 2 * problem.sides + 1;
      if (!has_friction) label = 1;
    }
    out.push_back(label);
  }
  return out;
}

const char* to_string(QuasistaticVerdict verdict) {
  switch (verdict) {
    case QuasistaticVerdict::unique:
      return "unique";
    case QuasistaticVerdict::several:
      return "several";
    case QuasistaticVerdict::none:
      return "none";
    case QuasistaticVerdict::undecided:
      break;
  }
  return "undecided";
}

QuasistaticAnswer solve_quasistatic(const QuasistaticProblem& problem, const QuasistaticOptions& options) {
  problem.check();
  const ModeRules rules = internal::make_mode_rules(problem);
  QuasistaticAnswer out;
  std::vector<ModeLabels> known;
  if (options.uses_pairs && !problem.is_spatial()) {
    PairSearchOptions pairs = options.pairs;
    if (options.goes_on) pairs.goes_on = [&] { return options.goes_on(0); };
    out.pairs = search_pairs(problem, pairs);
    if (out.pairs.status == PairSearch::Status::solved) {
      known.push_back(internal::find_labels(rules, find_motion(rules, out.pairs.x)));
    }
  }
  internal::ModeTreeOptions tree;
  tree.most_nodes = options.searches ? options.most_nodes : 0;
  tree.goes_on = options.goes_on;
  if (!options.all) tree.is_enough = is_several;
  internal::ModeTreeResult found = internal::search_modes(rules, tree, known);
  out.verdict = find_verdict(found);
  out.is_list_complete = found.is_complete;
  for (const LabelledPoint& solution : found.solutions)
    out.solutions.push_back(internal::make_quasistatic_solution(problem, rules, solution));
  out.tree = std::move(found.nodes);
  out.programs = found.programs;
  if (!found.is_complete) out.reason = found.reason;
  withdraw_unproved(problem, rules, out);
  return out;
}

}  // namespace thenar
