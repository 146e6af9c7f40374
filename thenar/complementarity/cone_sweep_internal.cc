// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/cone_sweep_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "thenar/complementarity/cone_local_internal.h"

namespace thenar::internal {

double sweep_blocks(const ConeSystem& system, Eigen::Ref<Eigen::VectorXd> z, Eigen::Ref<Eigen::VectorXd> w) {
  const auto A = system.A();
  double largest = 0;
  for (const ConeBlock& block : system.blocks()) {
    const BlockMatrix B = diagonal_block_of(block, A);
    const BlockVector before = block_of(block, z);
    const BlockVector q = block_of(block, w) - B * before;
    const BlockVector change = solve_block(block, B, q) - before;
    const double moved = change.lpNorm<Eigen::Infinity>();
    if (!(moved > 0)) continue;
    for (int k = 0; k < block.size; ++k) {
      z[block.first + k] += change[k];
      w.noalias() += change[k] * A.col(block.first + k);
    }
    largest = std::max(largest, moved);
  }
  return largest;
}

void calc_system_motion(const ConeSystem& system, const Eigen::Ref<const Eigen::VectorXd>& z,
                        Eigen::Ref<Eigen::VectorXd> w) {
  w = system.b();
  for (int j = 0; j < system.size(); ++j) {
    if (z[j] != 0) w.noalias() += z[j] * system.A().col(j);
  }
}

void demand_cone_problem(const ConstraintProblem& problem, int max_rows, std::span<const double> warm_start) {
  if (problem.size() > max_rows) {
    throw std::invalid_argument(
        fmt::format("constraint problem has {} rows, the solver was made for {}", problem.size(), max_rows));
  }
  if (const auto fault = problem.find_fault()) throw std::invalid_argument("constraint problem: " + *fault);
  if (!warm_start.empty() && static_cast<int>(warm_start.size()) != problem.size()) {
    throw std::invalid_argument(fmt::format("warm start has {} numbers, the constraint problem has {} rows",
                                            warm_start.size(), problem.size()));
  }
}

}  // namespace thenar::internal
