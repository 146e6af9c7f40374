// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A primal-dual interior-point method for cone systems, for problems in which Newton's method does not find which
/// contacts stick and slide: contacts that share few freedoms, whose forces must be redistributed inside their cones.
///
/// All laws become products that tend to 0 together. Unilateral and boxed rows, and normal forces: a slack a · z + h ≥
/// 0 times its multiplier. Friction: with p = z_t / zₙ, the slack s = zₙ (1 − |p|²) and the multiplier λ ≥ 0,
///
///     w_t + λ p = 0,   λ s = ω μ;      zₙ wₙ = μ;      μ → 0.                                                      (1)
///
/// Polyhedral cones have one slack and multiplier per edge (boxes two per direction), w_t = Σ λ a_t. Unlike the form of
/// De Saxcé, whose |w_t| has a kink where a contact sticks, (1) is smooth on the whole path: near the kink, steps of
/// other methods shrink to nothing. With changes dz, and λ eliminated, one step solves
///
///     (A + Θ) dz = …,   Θ = mult/slack a aᵀ for rows;   Θ_tt = λ/zₙ I + 2 λ/s p pᵀ,  Θ_tn = −2 λ/s p for friction. (2)
///
/// Θ makes the matrix regular whatever the rank of A. Predictor and corrector after Mehrotra (1992).
///
/// There is no proof of convergence: with friction the path z(μ) may turn back, in about one of 200 grasps with more
/// contacts than freedoms. Steps that shrink to nothing tell it. Another weight ω is another path to another or the
/// same solution, and mostly one that does not turn.

#include <Eigen/Core>
#include <vector>

#include "thenar/complementarity/cone_factor_internal.h"
#include "thenar/complementarity/cone_system_internal.h"

namespace thenar::internal {

/// Which path, and how fast.
struct InteriorPlan {
  double friction_weight = 10;    ///< ω of (1)
  double least_centering = 0.05;  ///< smallest goal for μ, of its last value
  double second_order = 1;        ///< share of the predictor's products that the corrector takes away
  double to_boundary = 0.9;       ///< longest step, of the way to the nearest boundary
  int most_steps = 40;
};

class ConeInterior {
 public:
  explicit ConeInterior(int max_rows);

  /// Whether the inequalities of the system fit into the memory: 9 per row, so k-gons with up to 24 faces.
  bool fits(const ConeSystem& system) const;

  /// Goes to the start of a path. The system must stay until the last advance().
  void start(const ConeSystem& system, const InteriorPlan& plan);

  /// Follows the path until ConeSystem::residual() is at most `goal`, or steps become short, or the plan is used up.
  /// Sets z and w = A z + b and returns their residual.
  double advance(double goal, Eigen::Ref<Eigen::VectorXd> z, Eigen::Ref<Eigen::VectorXd> w);

  int steps() const { return steps_; }  ///< since start()

 private:
  /// a · z + h ≥ 0 for the forces of one block; its multiplier is part of the motion along `motion`.
  struct Facet {
    const ConeBlock* block = nullptr;
    BlockVector a = BlockVector::Zero(), motion = BlockVector::Zero();
    double h = 0, weight = 1;
    double slack = 0, multiplier = 0, d_slack = 0, d_multiplier = 0;
    double second = 0;  ///< what the corrector takes away from slack × multiplier
  };
  /// The friction of a smooth contact.
  struct Disc {
    const ConeBlock* block = nullptr;
    Tangent p = Tangent::Zero();
    double normal = 0;  ///< zₙ
    double slack = 0, multiplier = 0, d_slack = 0, d_multiplier = 0;
    double second = 0;                        ///< what the corrector takes away from s λ
    Tangent second_motion = Tangent::Zero();  ///< and from λ p
  };

  void add_facets(const ConeBlock& block);
  bool make_step();
  void assemble();
  void find_direction(double target);
  void keep_second_order();
  double mean_gap(double length) const;
  double longest_step() const;
  void move(double length);

  const ConeSystem* system_ = nullptr;
  InteriorPlan plan_;
  ConeFactor factor_;
  std::vector<Facet> facets_;
  std::vector<Disc> discs_;
  double total_weight_ = 0;
  Eigen::VectorXd z_, w_, dz_;
  int steps_ = 0, short_steps_ = 0;
};

}  // namespace thenar::internal
