// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The step engine: motion with inertia in steps of one length, each of which has one contact problem.
///
/// A step from (q, v) at t, after Moreau, with all forces half-way (step_dynamics_internal.h, step_rows_internal.h):
///
///     q_M = q ⊕ h/2 v                 contacts, Jacobians and forces
///     v* = v, or after an impact      what has just closed and is approached, by the scenario's law (impact_problem.h)
///     v⁺ = v* + … h f + Jᵀ z          z by the contact problem (step_solver_internal.h)
///     q⁺ = q_M ⊕ h/2 v⁺ ⊕ δ           δ closes the gaps of what presses, or overlaps: positions only
///
/// **Cutting.** Steps end on the grid of the scenario's rows. A call that ends inside of a step reads the state between
/// its ends; the step, with its events, is taken when a later time is asked for. Loads change on the grid.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thenar/engine/engine_internal.h"
#include "thenar/engine/event_log.h"
#include "thenar/instant/contact_names.h"
#include "thenar/instant/joint_rest.h"
#include "thenar/instant/row_assembly_internal.h"
#include "thenar/motion/least_solver_internal.h"
#include "thenar/step/step_sampler_internal.h"
#include "thenar/step/step_solver_internal.h"
#include "thenar/trace/row_times.h"

namespace thenar::internal {

class StepRun final : public Engine {
 public:
  /// Both must outlive it. The scenario has been checked. `start`: where the motion begins, and when.
  StepRun(const Scenario& scenario, const State& start, const RunTaps& taps);

  bool begin() override;
  bool has_begun() const override { return has_begun_; }
  AdvanceEnd advance(const AdvanceLimits& limits) override;
  double time() const override { return is_inside_ ? view_.t : state_.t; }
  const Sample* make_sample() override;
  const State& state() override { return is_inside_ ? view_ : state_; }
  void change_loads(const ExternalLoads& loads) override;
  void take_present() override;
  void add_energy(double energy) override { report_.energy.switched += energy; }
  Instant solve_present(const InstantOptions& options) override;
  void save(StateWriter& writer) override { archive(writer); }
  void load(StateReader& reader) override { archive(reader); }
  std::string find_silent_law() const override { return dynamics_.actuation().find_silent_law(); }
  std::vector<std::shared_ptr<const Controller>> copy_silent_laws() const override {
    return dynamics_.actuation().copy_silent_laws();
  }
  void adopt_silent_laws(std::span<const std::shared_ptr<const Controller>> laws) override {
    dynamics_.actuation().adopt_silent_laws(laws);
  }
  bool end(AdvanceEnd why, const std::string& reason) override;
  AdvanceEnd ended_by() const override { return ended_by_; }
  long long steps() const override { return report_.steps; }
  long long events() const override { return events_.total(); }
  const RunReport& report() override;

 private:
  // All of these are false when the motion has ended.
  bool prepare();
  bool make_step(double t_end);
  bool resolve_impacts();
  bool commit();
  bool pass_due();

  void find_next_positions();
  void book_energy();
  void note_modes();
  void look_inside(double t);
  double calc_rest_speed() const;
  double calc_reach(double h) const;
  void put_in_touch(AssemblyContext& context, State& present) const;
  void ask_verdict();
  EnergyBalance& energy() { return report_.energy; }

  template <class Archive>
  void archive(Archive& a);

  const Scenario& scenario_;
  const RunTaps& taps_;
  AdvanceEnd ended_by_ = AdvanceEnd::reached;
  bool has_begun_ = false;
  Tolerances tolerances_;
  ConstrainedMotion motion_;  ///< of impacts, which ask for its joint rows
  JointRest joints_;
  AssemblyContext context_;
  StepDynamics dynamics_;
  StepRows rows_;
  StepSolver solver_;
  EventLog events_;
  ContactNames names_;
  StepSampler sampler_;
  RowTimes grid_;
  RunReport report_;
  double size_ = 0;  ///< of the scene, m
  std::optional<ExternalLoads> staged_loads_;

  double next_verdict_ = 0;  ///< s

  State state_, view_;
  bool is_inside_ = false;
  VectorX<double> acceleration_;  ///< of the last step, without impacts

  /// The step that was made from state_.
  struct Made {
    double h = 0;
    State end;
    EnergyBalance energy;  ///< what it adds
    std::vector<Event> events;
    std::vector<StepContactState> contacts;
    std::vector<int> joints;  ///< per joint row: 0 free, 1 held, ±2 slips
    VectorX<double> acceleration;
    double grade = 0, overlap = 0;
    bool is_flagged = false;
  };
  std::optional<Made> made_;
  std::vector<StepContactState> contacts_;  ///< at state_
  std::vector<int> joint_modes_;
  VectorX<double> v_start_, v_next_, correction_, effort_;
  LeastSolver gaps_solver_;
};

}  // namespace thenar::internal
