// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One step after Moreau, with all forces half-way (step_dynamics_internal.h, step_rows_internal.h):
///
///     q_M = q ⊕ h/2 v                 contacts, Jacobians and forces
///     v* = v, or after an impact      what has just closed and is approached (step_impacts_internal.h)
///     v⁺ = v* + … h f + Jᵀ z          z by the contact problem (step_solver_internal.h)
///     q⁺ = q_M ⊕ h/2 v⁺ ⊕ δ           δ closes the gaps of what presses, or overlaps: positions only

#include <string>
#include <vector>

#include "thenar/engine/engine_internal.h"
#include "thenar/instant/contact_names.h"
#include "thenar/motion/least_solver_internal.h"
#include "thenar/step/step_impacts_internal.h"
#include "thenar/step/step_sampler_internal.h"
#include "thenar/step/step_solver_internal.h"

namespace thenar::internal {

/// What a step goes on from.
struct LastStep {
  const State& state;
  const VectorX<double>& acceleration;  ///< without impacts
  const std::vector<StepContactState>& contacts;
  bool is_start = false;  ///< nothing was made before
};

class StepMaker {
 public:
  /// Both must outlive it. `start`: positions at which the motion begins.
  StepMaker(const Scenario& scenario, const VectorX<double>& start, const Tolerances& tolerances);

  Actuation& actuation() { return dynamics_.actuation(); }
  const Actuation& actuation() const { return dynamics_.actuation(); }
  void set_loads(const ExternalLoads& loads) { dynamics_.set_loads(loads); }
  const std::vector<JointRow>& joint_rows() const { return impacts_.joint_rows(); }

  /// The step that ends at t_end. Empty, or why there is none. Throws NoInstantError.
  std::string make(const LastStep& last, double t_end, MadeStep& step);

  /// How near what has pressed still presses after a step of length h, m.
  double calc_reach(double h) const;

  template <class Archive>
  void archive(Archive& a) {
    a(dynamics_.actuation(), rows_, solver_, names_, impacts_, gaps_solver_);
  }

 private:
  void push(const VectorX<double>& acceleration, MadeStep& step);
  void choose_gaps(double h);
  void find_positions(MadeStep& step);
  void book_energy(MadeStep& step);
  void note_contacts(const LastStep& last, MadeStep& step);
  std::string explain(const State& state, const MadeStep& step);
  double usual_acceleration() const;

  const Scenario& scenario_;
  const Tolerances& tolerances_;
  StepImpacts impacts_;
  StepDynamics dynamics_;
  StepRows rows_;
  StepSolver solver_;
  ContactNames names_;
  double size_ = 0;  ///< of the scene, m
  VectorX<double> v_start_, change_, effort_;
  std::vector<Eigen::Index> chosen_;  ///< rows whose gaps are closed
  std::vector<double> gaps_;
  LeastSolver gaps_solver_;
};

}  // namespace thenar::internal
