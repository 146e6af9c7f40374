// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// ∂v̇/∂x and ∂v̇/∂v of the motion without reactions, for Newton's method in implicit steps.
///
/// They cost as much as many evaluations and need not be exact, so that they are kept where they still serve. They are
/// those of the free motion and hence the same in every mode and for every slip: after an event they are kept if the
/// position has hardly changed since.

#include <span>

#include "thenar/dynamics/derivatives.h"
#include "thenar/motion/actuation.h"

namespace thenar::internal {

class FreeDerivatives {
 public:
  /// The model must outlive it.
  FreeDerivatives(const Model& model, bool has_controls);

  /// What holds, or which layers there are, is another from here on.
  void begin_mode() { mode_is_new_ = true; }
  /// Calculates them at (q, v), unless those that there are can be kept; tells whether it did. `effort` includes
  /// springs and dampers of the joints. A second call in the same mode says that what was kept did not serve well, but
  /// not where stiffness fades (ConstrainedMotion::has_fading_stiffness), which has new derivatives asked for all the
  /// time.
  bool update(const VectorX<double>& q, const double* v, const VectorX<double>& effort,
              std::span<const BodyWrench<double>> wrenches, bool is_stiffness_fading);
  const MatrixX<double>& dv_dx() const { return derivatives_.result().dq; }
  const MatrixX<double>& dv_dv() const { return derivatives_.result().dv; }

  /// ∂v̇ ← ∂v̇ + M⁻¹ ∂τ for the efforts of controllers. `factored` has the factors of M at q.
  void add_feedback(Actuation& actuation, double t, const double* q, const double* v, Workspace<double>& factored,
                    Eigen::Ref<MatrixX<double>> dv_dx, Eigen::Ref<MatrixX<double>> dv_dv);

  /// What its future depends on: where it was calculated, and then the numbers.
  template <class Archive>
  void archive_place(Archive& a) {
    a(q_calculated_, has_numbers_, mode_is_new_);
  }
  template <class Archive>
  void archive_numbers(Archive& a) {
    if (has_numbers_) a(derivatives_);
  }

 private:
  bool can_keep(const VectorX<double>& q, bool is_stiffness_fading) const;

  const Model* model_;
  DynamicsDerivatives derivatives_;
  VectorX<double> q_calculated_;           ///< where they were calculated last
  bool has_numbers_ = false;               ///< whether they ever were
  bool mode_is_new_ = true;                ///< whether none were asked for in this mode
  MatrixX<double> effort_dq_, effort_dv_;  ///< how the actuators answer to the state
  VectorX<double> column_;
};

}  // namespace thenar::internal
