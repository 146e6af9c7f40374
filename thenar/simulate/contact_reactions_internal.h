// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Forces of contacts that hold, together with those of the joint rows that hold:
///
///     v̇ = v̇_free + M⁻¹ F z,   J v̇ + drift = 0,   F = Jᵀ, for a contact that slides J_Nᵀ + Σ rₖ Jₖᵀ
///
/// (J M⁻¹ F) z = −(J v̇_free + drift) is not symmetric where something slides, and singular where contacts are redundant
/// (a box on four corners): then the forces with the least sum of squares of all that bring about this motion are
/// taken. Which forces are possible at all is for the instant to say (contact_instant.h).

#include <Eigen/LU>
#include <optional>
#include <span>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/simulate/held_contact.h"
#include "thenar/simulate/joint_rows.h"

namespace thenar::internal {

class ContactReactions {
 public:
  /// The model must outlive it. With Baumgarte's α (1/s), J v̇ + drift = −2 α J v − α² gap takes the place of 0.
  explicit ContactReactions(const Model& model, std::optional<double> baumgarte = {});

  std::vector<HeldContact> contacts;
  /// Others from here on, without forces as yet.
  void set_contacts(std::vector<HeldContact> next);

  /// Follows the contacts to (q, v). False if one of them is lost. Needed by all below.
  bool update(const double* q, const double* v);

  /// v̇ += M⁻¹ F z. `held` are the joint rows that hold, updated at (q, v). Returns what friction takes, W.
  double add_reactions(std::span<const JointRow> rows, std::span<const int> held, double* vdot);
  /// After that: of the joint rows, and of each contact along N, T, U and about N.
  const VectorX<double>& joint_reactions() const { return joint_reactions_; }
  const std::vector<Vector4<double>>& forces() const { return forces_; }
  bool is_redundant() const { return is_redundant_; }
  /// The size of the forces that contacts could have here, N, whatever they have.
  double force_scale() const { return force_scale_; }
  const Workspace<double>& workspace() const { return workspace_; }

  /// After that: the problem that these reactions solve if they are admissible, over the joint rows that hold and all
  /// rows of the contacts, each as it holds. `vdot` is the acceleration with reactions. z are the reactions themselves.
  void assemble(std::span<const JointRow> rows, std::span<const int> held, const FrictionCone& cone, const double* vdot,
                ConstraintProblem& problem, VectorX<double>& z);

  /// After that: derivatives of v̇ without reactions become those with them, J ∂v̇ = 0, and friction follows the slip.
  /// Left out: how rows and reactions change.
  void constrain(Eigen::Ref<MatrixX<double>> dv_dx, Eigen::Ref<MatrixX<double>> dv_dv);

  /// Puts q on gap = 0 and v on J v = 0 of the rows that hold, by the smallest change in the metric of the kinetic
  /// energy. Joint rows are held in v; those that depend on several joints in q as well.
  void project(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q, VectorX<double>& v);

 private:
  struct ContactRow {
    std::size_t contact;
    int row;  ///< of HeldContact::J
  };

  void collect(std::span<const JointRow> rows, std::span<const int> held);
  void calc_response(bool with_friction);
  void add_baumgarte(VectorX<double>& right) const;
  void update_force_scale(const Eigen::Ref<const VectorX<double>>& free_acceleration);
  bool solve_least(const MatrixX<double>& A, const VectorX<double>& b);
  void project_position(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q,
                        const VectorX<double>& v);
  void project_precisely(VectorX<double>& v) const;

  const Model* model_;
  std::optional<double> baumgarte_;
  Workspace<double> workspace_;
  std::vector<ContactRow> contact_rows_;
  Eigen::Index joint_count_ = 0;
  MatrixX<double> J_, X_, A_;
  Eigen::PartialPivLU<MatrixX<double>> lu_;
  VectorX<double> column_, z_, drift_, right_, joint_reactions_;
  std::vector<Vector4<double>> forces_;
  bool is_redundant_ = false;
  double force_scale_ = 0;
};

}  // namespace thenar::internal
