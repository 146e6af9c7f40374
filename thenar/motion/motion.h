// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The equations of motion of a scenario inside one mode, between two events, in the form that integrators want.
///
/// A step is written in the chart of step_chart.h around its start q₀,
///
///     ẋ = J⁻¹(x) v,   v̇ = f(t, q₀ ⊕ x, v),   x(0) = 0.
///
/// A mode (motion_modes.h) says which rows (joint_rows.h) hold, with zero acceleration and an unknown reaction z, and
/// in which direction joints with dry friction slip:
///
///     M v̇ = τ(t, q, v) − c(q, v) − friction + layers + Jᵀ z,   J v̇ + bias = 0.
///
/// Layers are those of compliant contacts (layer_contacts_internal.h), whose shears are the inner states of the motion.
///
/// Reactions z are found, and (q, v) is put back on the rows, by joint_reactions_internal.h while no contact holds,
/// else by contact_reactions_internal.h.

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "thenar/integrate/integrator.h"
#include "thenar/motion/contact_reactions_internal.h"
#include "thenar/motion/forces.h"
#include "thenar/motion/free_derivatives_internal.h"
#include "thenar/motion/joint_reactions_internal.h"
#include "thenar/motion/layer_contacts_internal.h"
#include "thenar/motion/motion_modes.h"
#include "thenar/scenario/tolerances.h"

namespace thenar {

class ConstrainedMotion final : public MotionEquations {
 public:
  /// The scenario must outlive it. Locked joints stay where they are at `start` (nq), which is where the scenario
  /// begins unless it is given.
  explicit ConstrainedMotion(const Scenario& scenario) : ConstrainedMotion(scenario, scenario.initial.q) {}
  ConstrainedMotion(const Scenario& scenario, const VectorX<double>& start);

  const Model& model() const { return scenario_->model; }
  Actuation& actuation() { return forces_.actuation(); }
  const Actuation& actuation() const { return forces_.actuation(); }
  /// What a program sets besides the scenario, from here on.
  void set_loads(const ExternalLoads& loads) { forces_.set_loads(loads); }
  /// Commands of the actuators (nv) at that time, or at the latest that forces are asked for.
  void calc_commands(double t, const double* q, const double* v, double* tau) {
    actuation().calc_commands(std::min(t, latest_time_), q, v, tau);
  }
  /// Whether a state without velocity and acceleration stays what it is, up to the next sample of a controller.
  bool is_steady() const { return forces_.is_steady(); }
  std::vector<JointRow>& rows() { return rows_; }
  const std::vector<JointRow>& rows() const { return rows_; }

  /// The start of the step, where x = 0.
  void set_origin(const VectorX<double>& q);
  const VectorX<double>& origin() const { return origin_; }
  /// Contacts are followed from there, wherever evaluations have led them: too long a step may lose their places.
  void return_to_origin();
  /// Forces are not asked for later times than this, s: a profile may jump there, and rounding must not reach beyond.
  void set_latest_time(double t) { latest_time_ = t; }
  /// The motion goes on with these. At first nothing holds or slips.
  void hold(MotionModes modes);
  /// Nothing holds or slips.
  void release() { hold({{.held = {}, .slip = std::vector<int>(rows_.size(), 0)}, {}}); }
  const Mode& mode() const { return mode_; }
  const std::vector<HeldContact>& contacts() const { return contact_reactions_.contacts(); }
  MotionModes modes() const { return {mode_, contacts()}; }
  /// Compliant contacts from here on, sheared as they say; none at first. inner_count() follows.
  void set_layer_contacts(std::vector<internal::LayerContact> contacts);
  const std::vector<internal::LayerContact>& layer_contacts() const { return layers_.contacts(); }
  /// In the phases that they have now, which may be changed.
  std::vector<internal::LayerContact>& layer_contacts() { return layers_.contacts(); }
  /// Compliant contacts as they are at (q, v) with these shears. False if one of them is lost.
  bool follow_layer_contacts(const State& state);
  /// Their shears, one contact after the other: State::inner.
  VectorX<double> collect_shears() const { return layers_.collect_shears(); }
  /// Positions and velocities of the last evaluation with compliant contacts.
  const Workspace<double>& layer_workspace() const { return layers_.workspace(); }
  /// What layers hold at the last evaluation, J.
  double calc_layer_energy() const { return layers_.calc_energy(); }
  /// Whether the rows that held in the last evaluation depend on each other, so that forces are one choice of many.
  bool has_redundant_contacts() const { return contact_reactions_.is_redundant(); }
  /// Their forces on A in the last evaluation, along N, T, U, N, and about N, N m.
  const std::vector<Vector4<double>>& contact_forces() const { return contact_reactions_.forces(); }
  /// Whether they seem to be determinate there (ContactReactions).
  bool has_determinate_contacts() { return contact_reactions_.is_determinate(); }
  std::vector<internal::ContactResponse> list_contact_responses() { return contact_reactions_.list_responses(); }
  bool may_be_indeterminate() { return contact_reactions_.may_be_indeterminate(); }
  /// The size of the forces that they could have there, N: that of what they balance.
  double contact_force_scale() const { return contact_reactions_.force_scale(); }
  /// Contacts as they are at (q, v), with the forces of the last evaluation.
  void follow_contacts(const VectorX<double>& q, const VectorX<double>& v);
  /// The larger of that and of the forces that they have, N.
  double calc_largest_contact_force() const { return contact_reactions_.calc_largest_force(); }
  /// After an evaluation with redundant contacts: whether their bounds admit other forces of the same motion, which,
  /// and with which share of their cones some of them can do (ContactReactions).
  double find_admissible_forces(double enough, bool goes_on) {
    return contact_reactions_.find_admissible(enough, goes_on);
  }
  const std::vector<Vector4<double>>& admissible_forces() const { return contact_reactions_.admissible_forces(); }
  int tightest_contact() const { return contact_reactions_.tightest_contact(); }
  double calc_least_share(std::span<const std::size_t> some, double known, double precision, double margin) {
    return contact_reactions_.calc_least_share(some, known, precision, margin);
  }
  /// Positions and velocities of the last evaluation with contacts.
  const Workspace<double>& contact_workspace() const { return contact_reactions_.workspace(); }

  int size() const override { return model().velocity_count(); }
  int inner_count() const override { return layers_.shear_count(); }
  int quadrature_count() const override { return 2; }
  void calc_slope(double t, const double* y, double* slope) override;
  void calc_jacobian(double t, const double* y, const double* slope, Eigen::Ref<MatrixX<double>> dv_dx,
                     Eigen::Ref<MatrixX<double>> dv_dv) override;
  void calc_inner_jacobian(InnerJacobian& out) override { out = inner_jacobian_; }
  /// Friction turns with the slip u of a contact the faster the slower it is, μ/|u|: much so where slip has begun.
  bool has_fading_stiffness() const override;
  double calc_fading() const override { return contact_reactions_.calc_fading(); }

  /// q₀ ⊕ x.
  void calc_position(const double* x, double* q) const;
  /// v̇ without rows that hold, for joints that slip so (Mode::slip). Layers are sheared as they were last.
  void calc_free_acceleration(double t, const double* q, const double* v, std::span<const int> slip, double* vdot);
  /// Generalized forces and wrenches of the last evaluation, reactions of held rows included.
  const VectorX<double>& effort() const { return effort_; }
  std::span<const BodyWrench<double>> wrenches() const { return wrenches_; }
  /// Reactions of the held rows in the last evaluation.
  const VectorX<double>& reactions() const { return reactions_; }

  /// Puts (q, v) back on the held rows and couplings, from which rounding and the error of a step move it: the smallest
  /// change in the metric of the kinetic energy. Returns the energy that v loses at contacts by it, J.
  double project(VectorX<double>& q, VectorX<double>& v);

  /// The traces of past evaluations: places from which contacts are followed, forces and counts of the last one.
  struct Memory {
    internal::ContactReactions::Memory contacts;
    internal::LayerContacts layers;
    VectorX<double> effort, reactions, shears;
    long long evaluations;
  };
  /// Copies the present memory to `out`, into its storage where there is any.
  void remember(std::optional<Memory>& out) const;
  /// Restores a memory. The contacts must be those of remember().
  void recall(const Memory& memory);

  /// What its future depends on.
  template <class Archive>
  void archive(Archive& a);

  /// Forward dynamics so far; a Jacobian counts as 2 nv of them.
  long long evaluations() const { return evaluations_; }

 private:
  void set_mode(const Mode& mode);
  /// Efforts and wrenches without reactions, and what they do.
  PowerFlow<double> calc_free_efforts(double t, const double* q, const double* v, std::span<const int> slip);
  /// v̇ of the mode, and what forces do.
  PowerFlow<double> calc_acceleration(double t, const double* q, const double* v, double* vdot);
  void add_layers(const double* q, const double* v, PowerFlow<double>& power);
  void constrain(Eigen::Ref<MatrixX<double>> derivatives);
  void add_reactions(const double* q, const double* v, double* vdot);
  void add_contact_reactions(const double* q, const double* v, double* vdot, PowerFlow<double>& power);
  Workspace<double>& factorize_mass();

  const Scenario* scenario_;
  LawTable laws_;  ///< of contacts that are read from a snapshot
  Scales scales_;
  ScenarioForces<double> forces_;
  std::vector<JointRow> rows_;
  Mode mode_;
  VectorX<double> origin_;
  Workspace<double> workspace_;
  internal::FreeDerivatives derivatives_;
  VectorX<double> q_, effort_, vdot_, reactions_;
  internal::JointReactions joint_reactions_;
  internal::ContactReactions contact_reactions_;
  internal::LayerContacts layers_;
  VectorX<double> shears_;  ///< of the last evaluation
  InnerJacobian inner_jacobian_;
  std::span<const BodyWrench<double>> wrenches_;
  double latest_time_ = std::numeric_limits<double>::infinity();
  long long evaluations_ = 0;
};

}  // namespace thenar
