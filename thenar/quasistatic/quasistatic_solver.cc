// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/quasistatic_solver.h"

#include <Eigen/QR>

#include "thenar/quasistatic/mode_tree_internal.h"
#include "thenar/quasistatic/quasistatic_grade.h"
#include "thenar/quasistatic/quasistatic_verify.h"

namespace thenar {
namespace {

using Vector = VectorX<double>;
using internal::LabelledPoint;
using internal::ModeLabels;
using internal::ModePoint;
using internal::ModeRules;

/// Labels of the search (0 breaks, then slide+, slide−, roll) are those of the enumeration in its order.
std::vector<QuasistaticMode> name_modes(const ModeLabels& labels) {
  std::vector<QuasistaticMode> out;
  for (const int label : labels) out.push_back(kQuasistaticModes[label]);
  return out;
}

QuasistaticSolution make_solution(const QuasistaticProblem& problem, const ModeRules& rules,
                                  const LabelledPoint& found) {
  const int n = problem.contact_count(), freedoms = problem.object_freedoms();
  QuasistaticSolution out;
  out.modes = name_modes(found.labels);
  out.velocity_unique = found.point.velocity_unique;
  out.forces_unique = found.point.forces_unique;
  out.q_dot = found.point.u.head(freedoms);
  out.c_n = out.c_t = Vector::Zero(n);
  for (int i = 0; i < n; ++i) {
    const auto& edges = rules.contacts[static_cast<std::size_t>(i)].edges;
    const double plus = found.point.f(edges.front());
    const double minus = edges.size() > 1 ? found.point.f(edges.back()) : 0;
    out.c_n(i) = plus + minus;
    out.c_t(i) = problem.mu(i) * (plus - minus);
  }
  out.theta_dot = problem.theta_dot;
  out.tau = problem.J_n.transpose() * out.c_n + problem.J_t.transpose() * out.c_t + problem.g_man;
  const std::vector<int> efforts = problem.effort_joints();
  for (std::size_t k = 0; k < efforts.size(); ++k) {
    out.theta_dot(efforts[k]) = found.point.u(freedoms + static_cast<Eigen::Index>(k));
    out.tau(efforts[k]) = problem.tau(efforts[k]);
  }
  return out;
}

/// u of a point of X, by least squares.
Vector find_motion(const ModeRules& rules, const Vector& x) {
  const auto n = static_cast<Eigen::Index>(rules.contacts.size());
  Vector v(2 * n);
  v << x.head(n), x.segment(n, n) - x.tail(n);
  if (rules.P.cols() == 0) return Vector();
  return rules.P.colPivHouseholderQr().solve(v - rules.v0);
}

bool is_several(const std::vector<LabelledPoint>& solutions) {
  return solutions.size() > 1 || (solutions.size() == 1 && !solutions.front().point.velocity_unique);
}

QuasistaticVerdict find_verdict(const internal::ModeTreeResult& found) {
  if (is_several(found.solutions)) return QuasistaticVerdict::several;
  if (!found.is_complete) return QuasistaticVerdict::undecided;
  return found.solutions.empty() ? QuasistaticVerdict::none : QuasistaticVerdict::unique;
}

/// What does not stand a check is not claimed.
void withdraw_unproved(const QuasistaticProblem& problem, QuasistaticAnswer& answer) {
  std::erase_if(answer.solutions, [&](const QuasistaticSolution& solution) {
    return !(grade_quasistatic(problem, solution).worst() <= kQuasistaticGrade);
  });
  const QuasistaticClaim claim{answer.verdict, answer.solutions, answer.is_list_complete, answer.tree};
  const Verification check = verify_quasistatic(problem, claim);
  if (check.holds()) return;
  answer.is_list_complete = false;
  if (answer.verdict != QuasistaticVerdict::several) answer.verdict = QuasistaticVerdict::undecided;
  answer.reason = "the proof does not hold in higher precision: " + check.reason;
}

}  // namespace

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
  const ModeRules rules = internal::make_planar_rules(problem);
  QuasistaticAnswer out;
  std::vector<ModeLabels> known;
  if (options.uses_pairs) {
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
    out.solutions.push_back(make_solution(problem, rules, solution));
  out.tree = std::move(found.nodes);
  out.programs = found.programs;
  if (!found.is_complete) out.reason = found.reason;
  withdraw_unproved(problem, out);
  return out;
}

}  // namespace thenar
