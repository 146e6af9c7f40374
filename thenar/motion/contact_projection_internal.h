// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Puts q on gap = 0 and v on J v = 0 of rows that hold, by the smallest change in the metric of the kinetic energy:
///
///     v ← v − M⁻¹ Jᵀ A⁺ J v,   A = J M⁻¹ Jᵀ, singular where rows are redundant

#include <span>
#include <tuple>
#include <vector>

#include "thenar/motion/held_rows_internal.h"
#include "thenar/motion/least_solver_internal.h"

namespace thenar::internal {

/// Puts positions and velocities of constant joint rows on their bounds exactly: off by rounding, a stop would not
/// touch.
void put_on_constant_rows(std::span<JointRow> joint_rows, std::span<const int> held, VectorX<double>& q,
                          VectorX<double>& v);

class ContactProjection {
 public:
  /// The model must outlive it.
  explicit ContactProjection(const Model& model);

  /// Joint rows are held in v; those that depend on several joints in q as well. `precisely`: also along rows that
  /// nearly depend on each other, which uses the heap. Returns the kinetic energy that v loses by it, J.
  double project(HeldRows& rows, std::span<JointRow> joint_rows, std::span<const int> held, VectorX<double>& q,
                 VectorX<double>& v, bool precisely);

  /// Storage for these rows.
  void prepare(const HeldRows& rows, std::span<const JointRow> joint_rows);
  /// What projections leave behind for those that follow, for the same rows.
  using Memory = std::tuple<LeastSolver, LeastSolver, bool>;
  auto tie_memory() { return std::tie(speeds_solver_, gaps_solver_, has_gap_storage_); }
  auto tie_memory() const { return std::tie(speeds_solver_, gaps_solver_, has_gap_storage_); }

 private:
  bool project_position(HeldRows& rows, std::span<JointRow> joint_rows, std::span<const int> held, VectorX<double>& q,
                        const VectorX<double>& v);
  double collect_gaps(HeldRows& rows, std::span<JointRow> joint_rows, std::span<const int> held, const double* q);
  void project_precisely(HeldRows& rows, VectorX<double>& v);

  long long version_ = -1;        ///< of the rows for which storage was made
  SparseRows gap_rows_;           ///< those with a value in q
  bool has_gap_storage_ = false;  ///< whether gaps were ever solved for
  MatrixX<double> response_, gap_response_;
  LeastSolver speeds_solver_, gaps_solver_;
  VectorX<double> speeds_, gaps_, z_, q_next_;
};

/// Projects a state on contacts and joint rows that a caller names, whatever a motion holds.
class StateProjection {
 public:
  /// The model must outlive it.
  explicit StateProjection(const Model& model) : model_(&model), rows_(model) {}
  void project(std::span<JointRow> joint_rows, std::span<const int> held, std::vector<HeldContact> contacts,
               VectorX<double>& q, VectorX<double>& v);

 private:
  const Model* model_;
  HeldRows rows_;
};

}  // namespace thenar::internal
