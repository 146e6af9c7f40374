// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Forces of contacts that hold, together with those of the joint rows that hold:
///
///     v̇ = v̇_free + M⁻¹ F z,   J v̇ + drift = 0,   F = Jᵀ, for a contact that slides J_Nᵀ + Σ rₖ Jₖᵀ
///
/// (J M⁻¹ F) z = −(J v̇_free + drift) is not symmetric where something slides, and singular where contacts are redundant
/// (a box on four corners): then the forces with the least sum of squares of all that bring about this motion are
/// taken, where something slides of those that do not pull. Which forces are possible at all is for the instant to say
/// (contact_instant.h).
///
/// A contact moves with few bodies, so that rows are sparse (sparse_rows_internal.h); what is redundant stays so
/// (least_solver_internal.h). Storage is made when contacts or held joint rows change; evaluations use no heap as long
/// as it is clear what is redundant.

#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/motion/admissible_forces_internal.h"
#include "thenar/motion/held_contact.h"
#include "thenar/motion/joint_rows.h"
#include "thenar/motion/least_solver_internal.h"
#include "thenar/motion/response_parts_internal.h"
#include "thenar/motion/sparse_rows_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {

class ContactReactions {
 public:
  /// The model must outlive it. With Baumgarte's α (1/s), J v̇ + drift = −2 α J v − α² gap takes the place of 0.
  /// `acceleration` (m/s²) belongs to the scenario: where nothing acts, forces are rounding of it.
  ContactReactions(const Model& model, const FrictionCone& cone, std::optional<double> baumgarte, double acceleration);

  std::vector<HeldContact> contacts;
  /// Others from here on, without forces as yet.
  void set_contacts(std::vector<HeldContact> next);

  /// What its future depends on. `rows` are those of the joints, `laws` those of the contacts.
  template <class Archive>
  void archive(Archive& a, const LawTable& laws, std::span<const JointRow> rows);

  /// What evaluations leave behind for those that follow: as archive(), for the same contacts and joint rows.
  struct Memory {
    std::vector<HeldContact> contacts;
    std::tuple<LeastSolver, LeastSolver, LeastSolver, bool, MatrixX<double>, VectorX<double>, long long,
               VectorX<double>, VectorX<double>, VectorX<double>, std::vector<Vector4<double>>,
               std::vector<Vector4<double>>, std::vector<double>, bool, double>
        rest;
  };
  void remember(Memory& out) const;
  void recall(const Memory& memory);

  /// Follows the contacts to (q, v). False if one of them is lost. Needed by all below.
  bool update(const double* q, const double* v);
  /// The same in two steps where v̇ without reactions is asked for as well.
  void begin(const double* q, const double* v, const double* effort, std::span<const BodyWrench<double>> wrenches,
             double* vdot);
  bool follow();

  /// v̇ += M⁻¹ F z. `held` are the joint rows that hold, updated at (q, v). Returns what friction takes, W.
  double add_reactions(std::span<const JointRow> rows, std::span<const int> held, double* vdot);
  /// After that: of the joint rows, and of each contact along N, T, U and about N.
  const VectorX<double>& joint_reactions() const { return joint_reactions_; }
  const std::vector<Vector4<double>>& forces() const { return forces_; }
  /// What forces are small beside, N.
  double calc_largest_force() const;
  bool is_redundant() const { return is_redundant_; }
  /// The size of the forces that contacts could have here, N, whatever they have.
  double force_scale() const { return force_scale_; }
  const Workspace<double>& workspace() const { return workspace_; }
  /// With the factors of M after add_reactions().
  Workspace<double>& workspace() { return workspace_; }

  /// After that, where rows are redundant: how much more than their bounds forces of the same motion can have at once,
  /// N or N m, if it is at least `enough` or as much as there is (AdmissibleForces). `goes_on`: the forces found last
  /// are tried first, as long as the contacts are the same.
  double find_admissible(double enough, bool goes_on);
  /// The forces of that, of the contacts, and the contact whose bound is hardest to meet; −1 if none is.
  const std::vector<Vector4<double>>& admissible_forces() const { return admissible_forces_; }
  int tightest_contact() const;
  /// The least share of their cones that some contacts that roll can do with at once, to `precision`; `known` is one
  /// that does. Forces may be beyond their bounds by `margin`, N.
  double calc_least_share(std::span<const std::size_t> some, double known, double precision, double margin);

  /// After that: whether something slides among contacts that are not redundant. Contacts fall into parts that do not
  /// act on each other; of redundant ones forces are not unique anyway.
  bool may_be_indeterminate();
  /// Whether each of these parts has one answer to small changes of its forces (ContactResponse::is_P).
  bool is_determinate() { return !slides_ || A_.rows() == 0 || !find_parts() || parts_.are_determinate(A_); }
  /// These parts.
  std::vector<ContactResponse> list_responses() {
    return find_parts() ? parts_.list(A_) : std::vector<ContactResponse>();
  }

  /// After that: friction of what slides follows the slip.
  void add_friction_slopes(Eigen::Ref<MatrixX<double>> dv_dv);
  /// How many times faster something slides now than it did then: friction turns so much more slowly. 1 or more.
  double calc_fading() const;
  /// Derivatives of v̇ without reactions, one in each column, become those with them, J ∂v̇ = 0. Left out: how rows and
  /// reactions change.
  void constrain(Eigen::Ref<MatrixX<double>> derivatives);

  /// Puts q on gap = 0 and v on J v = 0 of the rows that hold, by the smallest change in the metric of the kinetic
  /// energy. Joint rows are held in v; those that depend on several joints in q as well. `precisely`: also along rows
  /// that nearly depend on each other, which uses the heap. Returns the kinetic energy that v loses by it, J.
  double project(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q, VectorX<double>& v,
                 bool precisely);

 private:
  using ContactRow = ContactResponse::Row;

  /// The members of Memory::rest.
  template <class Self>
  static auto tie_memory(Self& self) {
    return std::tie(self.forces_solver_, self.speeds_solver_, self.gaps_solver_, self.has_gap_storage_, self.A_,
                    self.redundant_, self.redundant_order_, self.reactions_, self.joint_reactions_, self.admissible_,
                    self.forces_, self.admissible_forces_, self.slips_, self.is_redundant_, self.force_scale_);
  }
  void prepare(std::span<const JointRow> rows, std::span<const int> held);
  bool find_parts() { return parts_.find(A_, joint_count_, contact_rows_, contacts, list_redundant_rows()); }
  std::span<const Eigen::Index> list_redundant_rows() const;
  void read_forces(const VectorX<double>& z, std::vector<Vector4<double>>& out) const;
  void set_joint_rows(std::span<const JointRow> rows, std::span<const int> held, SparseRows& out);
  void collect(std::span<const JointRow> rows, std::span<const int> held);
  void set_pushes();
  void factorize();
  void calc_response(const SparseRows& F);
  const VectorX<double>& calc_change(const SparseRows& F, const VectorX<double>& z);
  void add_baumgarte(VectorX<double>& right) const;
  void share_pressure(VectorX<double>& z);
  void update_force_scale(const double* free_acceleration);
  void add_friction_slope(const HeldContact& contact, double normal_force, Eigen::Ref<MatrixX<double>> dv_dv);
  double collect_gaps(std::span<JointRow> rows, std::span<const int> held, const double* q);
  double calc_gap_rounding() const;
  bool project_position(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q,
                        const VectorX<double>& v);
  void project_precisely(VectorX<double>& v);

  const Model* model_;
  FrictionCone cone_;
  std::optional<double> baumgarte_;
  double least_load_;  ///< m/s², below which accelerations of contacts are rounding
  Workspace<double> workspace_;
  bool is_factorized_ = false;  ///< whether it has the factors of M there

  // Made by prepare().
  bool is_prepared_ = false;
  std::vector<int> held_;  ///< for which it was
  Eigen::Index joint_count_ = 0;
  std::vector<ContactRow> contact_rows_;
  std::vector<Eigen::Index> normal_rows_;  ///< of the contacts, among all rows
  SparseRows rows_, pushes_;               ///< J of the rows that hold, and F
  SparseRows gap_rows_;                    ///< those with a value in q
  bool slides_ = false;                    ///< whether F is not Jᵀ
  AdmissibleForces bounded_;               ///< bounds of the reactions
  bool has_gap_storage_ = false;           ///< whether gaps were ever solved for

  MatrixX<double> A_, gap_A_;
  ResponseParts parts_;
  LeastSolver forces_solver_, speeds_solver_, gaps_solver_;
  VectorX<double> drift_, z_, speeds_, gaps_, reactions_, joint_reactions_;
  VectorX<double> admissible_;  ///< reactions that the bounds admit, if there are any
  VectorX<double> redundant_;   ///< those of them on redundant rows, and of which order of rows
  long long redundant_order_ = -1;
  VectorX<double> column_, effort_, change_, q_next_;
  MatrixX<double> row_change_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> slope_;
  std::vector<Vector4<double>> forces_, admissible_forces_;
  std::vector<double> slips_;  ///< of the contacts at the last add_friction_slopes(), m/s
  bool is_redundant_ = false;
  double force_scale_ = 0;
};

}  // namespace thenar::internal
