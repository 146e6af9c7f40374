// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Newton's method for the laws of all blocks at once, in the form of Alart and Curnier (1991): with one step r per
/// block, x = z − r w and P(x_t, s) the friction force under a normal force s next to x_t,
///
///     F(z):   bilateral r w = 0,   unilateral zₙ − max(0, xₙ) = 0,   boxed z − clamp(x) = 0,
///             contact   zₙ − max(0, xₙ) = 0  and  z_t − P(x_t, max(0, xₙ)) = 0.                                    (1)
///
/// F is piecewise smooth, and linear where contacts stay open or stick: one step from the right states is exact. Where
/// contacts outnumber the freedoms its derivative is singular along forces that move nothing, so Newton solves a
/// sequence of proximal problems: A + ρ I in place of A, and b − ρ z₀ in place of b, z₀ the last solution. Each is
/// regular, its solution is one of the given problem when z₀ is, and small ρ makes the sequence short. ρ shrinks with
/// success; where Newton with step halving fails, ρ grows and sweeps of Gauss–Seidel move the start.
///
/// Linearised at z, with P ≈ Dx x_t + Dr s (project_on_section()), a sliding contact gives for the next force z'
///
///     (I − Dx) z'_t + r Dx w'_t − Dr z'ₙ = 0,     w' = w + (A + ρ I)(z' − z),                                      (2)
///
/// since P is homogeneous: P(x_t, s) = Dx x_t + Dr s exactly.

#include <Eigen/Core>
#include <vector>

#include "thenar/complementarity/cone_factor_internal.h"
#include "thenar/complementarity/cone_system_internal.h"

namespace thenar::internal {

/// How hard to try.
struct NewtonPlan {
  double rho = 1e-5;      ///< first ρ; A has a diagonal near 1
  int most_steps = 10;    ///< linear solves
  int most_failures = 1;  ///< proximal problems that Newton may fail to solve
};

class ConeNewton {
 public:
  explicit ConeNewton(int max_rows);

  /// Improves z and w = A z + b until ConeSystem::residual() is at most `tolerance` or the plan is used up. Returns the
  /// residual.
  double run(const ConeSystem& system, double tolerance, const NewtonPlan& plan, Eigen::Ref<Eigen::VectorXd> z,
             Eigen::Ref<Eigen::VectorXd> w);

  int steps() const { return steps_; }  ///< linear solves of the last run

 private:
  using Vector = Eigen::Ref<Eigen::VectorXd>;
  using ConstVector = Eigen::Ref<const Eigen::VectorXd>;

  bool solve_proximal(const ConeSystem& system, int most_steps, Vector z, Vector v);
  void choose_active(const ConeSystem& system, const ConstVector& z, const ConstVector& v);
  void linearize(const ConeSystem& system, const ConstVector& z, const ConstVector& v);
  void linearize_sliding(const ConeBlock& block, const BlockVector& z, const BlockVector& x, const SectionPoint& point,
                         Eigen::Map<Eigen::MatrixXd>& matrix);
  void add_motion(const ConeSystem& system);
  double search_line(const ConeSystem& system, double merit, Vector z, Vector v);

  ConeFactor factor_;
  double rho_ = 0;
  int steps_ = 0;
  int active_count_ = 0;
  std::vector<int> active_;  ///< rows whose force is unknown, in order
  std::vector<int> place_;   ///< of a row in active_; −1 where the force is known: open or at a limit
  Eigen::VectorXd right_, dz_, dv_, trial_z_, trial_v_, start_;
};

}  // namespace thenar::internal
