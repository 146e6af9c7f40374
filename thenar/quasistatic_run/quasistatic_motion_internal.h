// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Slow motion in one list of modes, between two events, in the form that integrators want.
///
/// The rows of v = P u + v₀ that the labels say are zero (ModeRules) tell the velocity,
///
///     u = u_ref − A⁺ (A u_ref + a₀),                                                                           (1)
///
/// with A, a₀ those rows; where they leave a freedom, it is the velocity nearest to u_ref (least squares in which a
/// scale of length stands beside a turn by 1). Position-controlled joints are where they are to be. There is no inertia
/// and hence no state but positions: they are the inner states of MotionEquations, in the chart q = q₀ ⊕ x.
///
/// Forces are any f ≥ 0 of the edges that the labels admit with G f + h = 0. Their *reserve* is the least of them in
/// the usual strength; where wrenches depend on each other, 0 if there are any, or else the largest s such that all can
/// be s at once: the list of modes ends where it falls below 0.

#include <optional>
#include <string>
#include <vector>

#include "thenar/integrate/integrator.h"
#include "thenar/motion/held_contact.h"
#include "thenar/quasistatic/mode_rules.h"
#include "thenar/quasistatic/quasistatic_solver.h"
#include "thenar/quasistatic_run/held_projection_internal.h"
#include "thenar/quasistatic_run/mode_answer_internal.h"
#include "thenar/quasistatic_run/quasistatic_scene.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::internal {

class QuasistaticMotion final : public MotionEquations {
 public:
  /// All must outlive it.
  QuasistaticMotion(const Scenario& scenario, const Tolerances& tolerances);
  QuasistaticMotion(const QuasistaticMotion&) = delete;
  QuasistaticMotion& operator=(const QuasistaticMotion&) = delete;

  QuasistaticAssembler& assembler() { return assembler_; }
  const QuasistaticAssembler& assembler() const { return assembler_; }
  const Model& model() const { return scenario_.model; }
  std::vector<JointRow>& stops() { return stops_; }
  const std::vector<JointRow>& stops() const { return stops_; }

  /// What touches from here on, all of it, contacts before stops (numbers of stops()): update() tells its problem.
  void set_contacts(std::vector<HeldContact> contacts, std::vector<int> stops);
  /// What it does: labels of contacts, then stops, as those of ModeRules; and u_ref, or nothing for 0. Those that break
  /// are given up.
  void set_modes(const ModeLabels& labels, const VectorX<double>& reference);
  /// Nothing is known any more of what it does.
  void clear_modes() { labels_.clear(); }
  const std::vector<HeldContact>& contacts() const { return contacts_; }
  const std::vector<int>& held_stops() const { return held_stops_; }
  const ModeLabels& labels() const { return labels_; }

  /// Positions that are driven, then what is held put on gap = 0, by the least change of what is not driven.
  void project(double t, VectorX<double>& q);
  /// Problem and rules at (t, q), without velocities. False where contacts cannot be followed.
  bool update(double t, const VectorX<double>& q);
  /// And velocities and forces of the modes.
  bool evaluate(double t, const VectorX<double>& q);

  // Answers to that.
  const QuasistaticProblem& problem() const { return now_.problem; }
  const ModeRules& rules() const { return now_.rules; }
  const VectorX<double>& u() const { return now_.u; }                    ///< unknowns of the problem
  const VectorX<double>& v() const { return now_.v; }                    ///< of the model
  const VectorX<double>& row_speeds() const { return now_.row_speeds; }  ///< of the rows of rules()
  double reserve() const { return now_.reserve; }
  QuasistaticSolution solution() const;  ///< velocities and forces
  /// Power of actuators and wrenches, and of friction (W), there.
  double calc_work_rate() const;
  double calc_dissipation() const;
  /// Rows that must not change their sign, times that sign.
  std::vector<double> list_strict() const;
  /// Of which contact or stop each of these is.
  const std::vector<int>& strict_owners() const { return now_.rows.strict_owners; }
  double speed_scale() const { return now_.rules.still / kStill; }
  const Workspace<double>& workspace() const { return workspace_; }
  /// Which contact, or stop behind them, has the edge with the least share of the reserve.
  int tightest() const { return now_.tightest; }

  /// Problem, velocities and forces at a place.
  struct Evaluation {
    QuasistaticProblem problem;
    ModeRules rules;
    ModeRows rows;
    VectorX<double> u, v, row_speeds, f;
    double reserve = 0;
    int tightest = -1;
  };
  /// What the last evaluation has left.
  struct Memory {
    std::vector<HeldContact> contacts;
    Evaluation evaluation;
    long long evaluations;
  };
  /// What its future depends on.
  template <class Archive>
  void archive(Archive& a);
  Memory remember() const;
  void recall(const Memory& memory);

  // MotionEquations, around the origin.
  void set_origin(const VectorX<double>& q);
  void calc_position(double t, const double* x, VectorX<double>& q) const;
  int size() const override { return 0; }
  int inner_count() const override { return model().velocity_count(); }
  int quadrature_count() const override { return 0; }
  void calc_slope(double t, const double* y, double* slope) override;
  void calc_jacobian(double, const double*, const double*, Eigen::Ref<MatrixX<double>>,
                     Eigen::Ref<MatrixX<double>>) override {}
  long long evaluations() const { return evaluations_; }

 private:
  void find_velocity();
  void find_forces();
  int owner_of_edge(std::size_t k) const;
  VectorX<double> expand(const VectorX<double>& u) const;

  const Scenario& scenario_;
  const Tolerances& tolerances_;
  LawTable laws_;  ///< of contacts that are read from a snapshot
  QuasistaticAssembler assembler_;
  std::vector<JointRow> stops_;
  std::vector<HeldContact> contacts_;
  std::vector<int> held_stops_;
  ModeLabels labels_;
  VectorX<double> reference_;
  Workspace<double> workspace_;
  VectorX<double> origin_, rest_, units_;  ///< units_: of the unknowns, m or rad
  HeldProjection projection_;
  Evaluation now_;  ///< the last one
  long long evaluations_ = 0;
  double t_evaluated_ = 0;  ///< s, at the last update, with the positions there
  VectorX<double> q_evaluated_;
};

}  // namespace thenar::internal
