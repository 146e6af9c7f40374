// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/lcp_solver.h"

#include <stdexcept>

#include "thenar/complementarity/clearly_p.h"
#include "thenar/complementarity/lemke.h"
#include "thenar/complementarity/verify.h"

namespace thenar {
namespace {

void take_one(const Lcp& problem, LcpAnswer& out) {
  LemkeSolver solver(problem.size());
  const LemkeResult& found = solver.solve(problem);
  out.pivots = found.pivots;
  if (found.status != LemkeStatus::solved || !(found.residual <= kSolvedResidual)) return;
  out.status = LcpStatus::solved;
  out.z = Eigen::Map<const VectorX<double>>(found.z.data(), problem.size());
  out.residual = found.residual;
  out.proof = LcpProof::solution;
}

SolutionCell make_point(const Lcp& problem, const VectorX<double>& z) {
  SolutionCell cell;
  cell.vertices.push_back(z);
  for (int i = 0; i < problem.size(); ++i) cell.in_basis.push_back(i < problem.free_count || z(i) > 0);
  return cell;
}

/// Nothing is claimed that the independent check does not confirm: badly scaled problems can deceive the search.
void require_proof(const Lcp& problem, AllSolutions& found) {
  const Verification check = verify_all_solutions(problem, found.cells, found.tree);
  if (check.holds()) return;
  found.count = SolutionCount::undecided;
  found.reason = "the numbers do not allow a proof: " + check.reason;
  found.cells.clear();
}

/// Puts what the search found where Lemke's method left gaps.
void take_search(const Lcp& problem, AllSolutions&& found, LcpAnswer& out) {
  out.nodes = static_cast<long long>(found.tree.size());
  if (found.is_complete()) require_proof(problem, found);
  out.count = found.count;
  out.reason = found.reason;
  if (out.status != LcpStatus::solved && !found.cells.empty()) {
    out.z = found.cells.front().vertices.front();
    out.residual = calc_residual(problem, {out.z.data(), static_cast<std::size_t>(out.z.size())});
    if (out.residual <= kSolvedResidual) {
      out.status = LcpStatus::solved;
      out.proof = LcpProof::solution;
    } else {
      out.reason = "the best point that was found has a larger residual than a solution";
    }
  }
  if (found.count == SolutionCount::none) out.status = LcpStatus::infeasible;
  if (found.is_complete()) out.proof = LcpProof::tree;
  if (found.cells.empty() && out.status == LcpStatus::solved) found.cells.push_back(make_point(problem, out.z));
  out.cells = std::move(found.cells);
  out.tree = std::move(found.tree);
}

}  // namespace

const char* to_string(LcpStatus status) {
  switch (status) {
    case LcpStatus::solved:
      return "solved";
    case LcpStatus::infeasible:
      return "infeasible";
    case LcpStatus::unsolved:
      return "unsolved";
  }
  return "";
}

LcpAnswer solve_lcp(const Lcp& problem, const LcpOptions& options) {
  if (!problem.M.allFinite() || !problem.q.allFinite()) {
    throw std::invalid_argument("solve_lcp: M and q must be finite");
  }
  LcpAnswer out;
  take_one(problem, out);
  if (out.status == LcpStatus::solved) {
    if (!options.all) return out;
    if (is_clearly_positive_definite(problem.M)) {
      out.count = SolutionCount::unique;
      out.proof = LcpProof::positive_definite;
      out.cells.push_back(make_point(problem, out.z));
      return out;
    }
  }
  AllSolutionsOptions search = options.search;
  if (!options.all) search.most_cells = 1;
  take_search(problem, find_all_solutions(problem, search), out);
  return out;
}

}  // namespace thenar
