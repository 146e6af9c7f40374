// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The rows of contacts and joints that hold, at one state, and what forces along them do:
///
///     J v̇ + drift,   F = Jᵀ, for a contact that slides J_Nᵀ + Σ rₖ Jₖᵀ,   A = J M⁻¹ F
///
/// Joint rows come first, then those of the contacts. A contact moves with few bodies, so that rows are sparse
/// (sparse_rows_internal.h). Storage is made when contacts or held joint rows change.

#include <optional>
#include <span>
#include <vector>

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/motion/held_contact.h"
#include "thenar/motion/joint_rows.h"
#include "thenar/motion/response_parts_internal.h"
#include "thenar/motion/sparse_rows_internal.h"

namespace thenar::internal {

class HeldRows {
 public:
  /// Of a contact.
  using ContactRow = ContactResponse::Row;

  /// The model must outlive it.
  explicit HeldRows(const Model& model);

  std::vector<HeldContact> contacts;
  /// Others from here on.
  void set_contacts(std::vector<HeldContact> next);

  /// What its future depends on. `joint_rows` are those of the model, `laws` those of the contacts.
  template <class Archive>
  void archive(Archive& a, const LawTable& laws, std::span<const JointRow> joint_rows);
  /// What followed contacts were, for the same contacts.
  void recall(const std::vector<HeldContact>& known);

  /// Follows the contacts to (q, v). False if one of them is lost. Needed by all below.
  bool update(const double* q, const double* v);
  /// Does so in two steps, where v̇ without reactions is asked for as well.
  void begin(const double* q, const double* v, const double* effort, std::span<const BodyWrench<double>> wrenches,
             double* vdot);
  bool follow();

  /// Which rows there are, if this has changed.
  void prepare(std::span<const JointRow> joint_rows, std::span<const int> held);
  bool is_prepared() const { return is_prepared_; }
  /// Another number whenever prepare() has found other rows.
  long long version() const { return version_; }

  /// J and drift of all rows at the state; joint rows must be updated there.
  void collect(std::span<const JointRow> joint_rows, std::span<const int> held);
  /// After that: F from J and the friction of what slides.
  void set_pushes();

  Eigen::Index size() const { return drift_.size(); }
  Eigen::Index joint_count() const { return joint_count_; }
  std::span<const int> held() const { return held_; }
  /// Where row joint_count() + k belongs.
  const std::vector<ContactRow>& contact_rows() const { return contact_rows_; }
  /// The normals of the contacts, among all rows.
  const std::vector<Eigen::Index>& normal_rows() const { return normal_rows_; }
  /// Whether F is not Jᵀ.
  bool slides() const { return slides_; }
  const SparseRows& J() const { return J_; }
  const SparseRows& F() const { return slides_ ? pushes_ : J_; }
  const VectorX<double>& drift() const { return drift_; }

  /// J M⁻¹ F, or with J in the place of F.
  void calc_response(MatrixX<double>& out);
  void calc_symmetric_response(MatrixX<double>& out);
  /// M⁻¹ Fᵀ z for any such rows.
  const VectorX<double>& calc_change(const SparseRows& F, const VectorX<double>& z);
  /// M⁻¹ τ.
  void solve(const double* tau, double* change);
  /// Factorizes M there, if it is not yet.
  void factorize();

  const Model& model() const { return *model_; }
  const Workspace<double>& workspace() const { return workspace_; }
  Workspace<double>& workspace() { return workspace_; }

  /// Entries of held joint rows go to the first rows of `out`.
  void set_joint_rows(std::span<const JointRow> joint_rows, std::span<const int> held, SparseRows& out);

 private:
  const Model* model_;
  Workspace<double> workspace_;
  bool is_factorized_ = false;  ///< whether it has the factors of M there

  // Made by prepare().
  bool is_prepared_ = false;
  long long version_ = 0;
  std::vector<int> held_;  ///< for which it was
  Eigen::Index joint_count_ = 0;
  std::vector<ContactRow> contact_rows_;
  std::vector<Eigen::Index> normal_rows_;
  bool slides_ = false;
  SparseRows J_, pushes_;

  VectorX<double> drift_, column_, effort_, change_;
};

}  // namespace thenar::internal
