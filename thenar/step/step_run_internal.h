// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The step engine: motion with inertia in steps of one length, each of which has one contact problem.
///
/// step_maker_internal.h makes a step; this class takes it, keeps its books, and says what happened.
///
/// **Cutting.** Steps end on the grid of the scenario's rows. A call that ends inside of a step reads the state between
/// its ends; the step, with its events, is taken when a later time is asked for. Loads change on the grid.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thenar/engine/engine_internal.h"
#include "thenar/engine/event_log.h"
#include "thenar/step/made_step_internal.h"
#include "thenar/step/step_maker_internal.h"
#include "thenar/step/step_sampler_internal.h"
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
  std::string find_silent_law() const override { return maker_.actuation().find_silent_law(); }
  std::vector<std::shared_ptr<const Controller>> copy_silent_laws() const override {
    return maker_.actuation().copy_silent_laws();
  }
  void adopt_silent_laws(std::span<const std::shared_ptr<const Controller>> laws) override {
    maker_.actuation().adopt_silent_laws(laws);
  }
  bool end(AdvanceEnd why, const std::string& reason) override;
  AdvanceEnd ended_by() const override { return ended_by_; }
  long long steps() const override { return report_.steps; }
  long long events() const override { return events_.total(); }
  const RunReport& report() override;

 private:
  // All of these are false when the motion has ended.
  bool prepare();
  bool commit();
  bool pass_due();

  void ask_verdict();
  void look_inside(double t);
  EnergyBalance& energy() { return report_.energy; }

  template <class Archive>
  void archive(Archive& a);

  const Scenario& scenario_;
  const RunTaps& taps_;
  AdvanceEnd ended_by_ = AdvanceEnd::reached;
  bool has_begun_ = false;
  Tolerances tolerances_;
  StepMaker maker_;
  EventLog events_;
  StepSampler sampler_;
  RowTimes grid_;
  RunReport report_;
  std::optional<ExternalLoads> staged_loads_;
  double next_verdict_ = 0;  ///< s

  State state_, view_;
  bool is_inside_ = false;
  VectorX<double> acceleration_;            ///< of the last step, without impacts
  std::vector<StepContactState> contacts_;  ///< at state_
  std::vector<char> stops_;                 ///< per joint row: whether it is a stop that is pressed
  std::optional<MadeStep> made_;            ///< from state_
};

}  // namespace thenar::internal
