// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/constraint_front.h"

#include <stdexcept>

#include "thenar/complementarity/cone_solver.h"
#include "thenar/complementarity/constraint_reduction.h"
#include "thenar/complementarity/lemke.h"

namespace thenar {

const char* to_string(ConstraintMethod method) {
  switch (method) {
    case ConstraintMethod::none:
      return "none";
    case ConstraintMethod::exact:
      return "exact";
    case ConstraintMethod::cone:
      return "cone";
    case ConstraintMethod::lemke:
      return "lemke";
  }
  return "";
}

struct ConstraintFront::Work {
  explicit Work(int max_rows_in) : max_rows(max_rows_in), exact(max_rows_in), cone(max_rows_in) {
    const auto size = static_cast<std::size_t>(max_rows_in);
    for (auto* list : {&answer.z, &answer.w, &answer.certificate, &last_force}) list->reserve(size);
    last_basis.reserve(size);
  }

  const ConstraintAnswer& solve(const ConstraintProblem& problem) {
    answer.status = SolveStatus::failed;
    answer.method = ConstraintMethod::none;
    answer.certificate.clear();
    const bool is_done = problem.has_contacts() ? try_cone(problem) : try_exact(problem);
    if (!is_done && is_polyhedral(problem)) try_lemke(problem);
    if (answer.status == SolveStatus::solved) last_force.assign(answer.z.begin(), answer.z.end());
    return answer;
  }

  bool try_exact(const ConstraintProblem& problem) {
    const ConstraintSolution& found = exact.solve(problem, last_basis);
    if (found.status == SolveStatus::infeasible) {
      answer.status = SolveStatus::infeasible;
      answer.method = ConstraintMethod::exact;
      answer.certificate.assign(found.certificate.begin(), found.certificate.end());
      answer.z.assign(found.z.begin(), found.z.end());
      answer.w.assign(found.w.begin(), found.w.end());
      return true;
    }
    if (found.status != SolveStatus::solved) return false;
    last_basis.assign(found.basis.begin(), found.basis.end());
    return accept(problem, found.z, ConstraintMethod::exact);
  }

  bool try_cone(const ConstraintProblem& problem) {
    const bool has_last = static_cast<int>(last_force.size()) == problem.size();
    const ConeSolution& found =
        cone.solve(problem, has_last ? std::span<const double>(last_force) : std::span<const double>());
    return found.status == ConeStatus::solved && accept(problem, found.z, ConstraintMethod::cone);
  }

  bool try_lemke(const ConstraintProblem& problem) {
    if (!problem.A().allFinite() || !problem.b().allFinite()) return false;
    const ConstraintReduction reduction(problem);
    LemkeSolver lemke(reduction.lcp().size());
    const LemkeResult& found = lemke.solve(reduction.lcp());
    if (found.status != LemkeStatus::solved) return false;
    const VectorX<double> z =
        reduction.recover(Eigen::Map<const VectorX<double>>(found.z.data(), reduction.lcp().size()));
    return accept(problem, {z.data(), static_cast<std::size_t>(z.size())}, ConstraintMethod::lemke);
  }

  bool accept(const ConstraintProblem& problem, std::span<const double> z, ConstraintMethod method) {
    answer.grade = grade_solution(problem, z);
    if (!(answer.grade.worst() <= kWorstGrade)) return false;
    answer.status = SolveStatus::solved;
    answer.method = method;
    answer.z.assign(z.begin(), z.end());
    answer.w.resize(z.size());
    Eigen::Map<VectorX<double>>(answer.w.data(), problem.size()) =
        problem.A().lazyProduct(Eigen::Map<const VectorX<double>>(answer.z.data(), problem.size())) + problem.b();
    return true;
  }

  int max_rows;
  ExactSolver exact;
  ConeSolver cone;
  ConstraintAnswer answer;
  std::vector<double> last_force;
  std::vector<BasisEntry> last_basis;
};

ConstraintFront::ConstraintFront(int max_rows) : work_(std::make_unique<Work>(max_rows)) {}
ConstraintFront::~ConstraintFront() = default;
ConstraintFront::ConstraintFront(ConstraintFront&&) noexcept = default;
ConstraintFront& ConstraintFront::operator=(ConstraintFront&&) noexcept = default;

const ConstraintAnswer& ConstraintFront::solve(const ConstraintProblem& problem) {
  if (problem.size() > work_->max_rows) throw std::invalid_argument("ConstraintFront: more rows than it was made for");
  if (const auto fault = problem.find_fault()) throw std::invalid_argument("ConstraintFront: " + *fault);
  return work_->solve(problem);
}

}  // namespace thenar
