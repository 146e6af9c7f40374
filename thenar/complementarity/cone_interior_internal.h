// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A primal-dual interior-point method for cone systems, for problems in which Newton's method does not find which
/// contacts stick and slide: contacts that share few freedoms, whose forces must be redistributed inside their cones.
///
/// In the form of De Saxcé, with φ = |w_t|_C per contact and u = w + φ eₙ, a contact asks for z ∈ K, u ∈ K*, z · u = 0.
/// It is relaxed to z ∘ u = μ e (product of the second-order cone) and μ → 0. Polyhedral cones, unilateral and boxed
/// rows are inequalities s = a · z + h ≥ 0 with multipliers λ ≥ 0, u = Σ λ a, relaxed to s λ = μ. One step solves
///
///     ((I + eₙ gᵀ) A + Θ) dz = −(w + φ eₙ − u) + …,     g = dφ/dw_t,
///
/// with Θ = W² per cone, W the scaling point of Nesterov and Todd (W z = W⁻¹ u), or Σ (λ/s) a aᵀ. Θ makes the matrix
/// regular whatever the rank of A. Predictor and corrector after Mehrotra; formulas as in Vandenberghe, "The CVXOPT
/// linear and quadratic cone program solvers" (2010). The term g, which makes the matrix unsymmetric, is what lets
/// sliding contacts converge quickly (Acary, Armand, Nguyen & Shpakovych 2023); without it each step would treat φ as
/// known; after a step that had to be short it is left out for a while. There is no proof of convergence with friction:
/// steps that shrink to nothing end the search.

#include <Eigen/Core>
#include <vector>

#include "thenar/complementarity/cone_factor_internal.h"
#include "thenar/complementarity/cone_system_internal.h"

namespace thenar::internal {

struct InteriorPlan {
  bool follows_slip = true;  ///< whether the term g is used; without it steps are safer and more
  int most_steps = 40;
};

class ConeInterior {
 public:
  explicit ConeInterior(int max_rows);

  /// Whether the inequalities of the system fit into the memory: 8 per row, so k-gons with up to 24 faces.
  bool fits(const ConeSystem& system) const;

  /// Sets z and w = A z + b from a start of its own until ConeSystem::residual() is at most `goal`, or steps become
  /// short, or the plan is used up. Returns the residual.
  double run(const ConeSystem& system, double goal, const InteriorPlan& plan, Eigen::Ref<Eigen::VectorXd> z,
             Eigen::Ref<Eigen::VectorXd> w);

  int steps() const { return steps_; }  ///< of the last run

 private:
  using Vector = Eigen::Ref<Eigen::VectorXd>;
  using ConstVector = Eigen::Ref<const Eigen::VectorXd>;

  /// a · z + h ≥ 0 for the forces of one block.
  struct Facet {
    const ConeBlock* block = nullptr;
    BlockVector a = BlockVector::Zero();
    double h = 0;
    double slack = 0, multiplier = 0, d_slack = 0, d_multiplier = 0;
    double second = 0;  ///< product of the predictor's changes
  };
  /// A smooth contact.
  struct Cone {
    const ConeBlock* block = nullptr;
    BlockVector u = BlockVector::Zero(), du = BlockVector::Zero();
    BlockMatrix W = BlockMatrix::Zero(), W2 = BlockMatrix::Zero();
    BlockVector scaled = BlockVector::Zero();  ///< W z = W⁻¹ u
    BlockVector second = BlockVector::Zero();  ///< product of the predictor's changes, scaled
  };

  void start(const ConeSystem& system, Vector z, Vector w);
  void add_facets(const ConeBlock& block);
  double mean_gap(const ConstVector& z, double length) const;
  void assemble(const ConeSystem& system, const ConstVector& z, const ConstVector& w);
  void assemble_slip(const ConeSystem& system, const ConstVector& w, Eigen::Map<Eigen::MatrixXd>& matrix);
  void find_direction(const ConeSystem& system, double target, bool is_corrector);
  double longest_step(const ConstVector& z) const;
  void move(const ConeSystem& system, double length, Vector z, Vector w);

  ConeFactor factor_;
  std::vector<Facet> facets_;
  std::vector<Cone> cones_;
  Eigen::VectorXd residual_, dz_;
  bool follows_slip_ = true;
  int steps_ = 0;
};

}  // namespace thenar::internal
