// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a Simulation holds: the engine that carries the motion on, the loads that a program has set, the recorder,
/// events that nobody has taken yet, and views of the present state that are made when somebody asks for them.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "thenar/dynamics/workspace.h"
#include "thenar/engine/engine_internal.h"
#include "thenar/simulation/recorder_internal.h"
#include "thenar/simulation/simulation.h"

namespace thenar {

class Simulation::Body {
 public:
  explicit Body(std::shared_ptr<const Scenario> scenario);
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  const Scenario& scenario() const { return *scenario_; }
  const Model& model() const { return scenario_->model; }
  const ExternalLoads& loads() const { return loads_; }
  internal::Engine& engine() { return *engine_; }

  /// A motion that begins here.
  void start(const State& state);

  void reset();

  AdvanceReport advance_to(double t, const Budget& budget, const std::function<bool(const Event&)>& is_wanted,
                           bool stops_behind_events);

  /// The motion has begun, and what was set acts, as far as the method lets it.
  void bring_up_to_date();

  const Sample& sample();

  /// Positions and velocities of the present state.
  Workspace<double>& workspace();

  void change_loads(ExternalLoads loads);

  /// The motion goes on with other values of parameters.
  void change_parameters(std::span<const NamedValue> values);

  /// Throws std::invalid_argument if there is no such degree of freedom.
  void check_dof(int dof) const;

  std::uint64_t fingerprint();
  const std::shared_ptr<const Scenario>& base() const { return base_; }

  void save(std::vector<std::byte>& out);

  /// Throws StateError.
  void load(const std::vector<std::byte>& bytes);

  void set_interrupt(const std::atomic<bool>* flag) { taps_.interrupt = flag; }
  std::vector<Event> take_events() { return std::exchange(events_, {}); }
  void record(RunCallbacks callbacks);

  void record_last() {
    if (recorder_) recorder_->write_last();
  }

  RunReport report();

 private:
  /// Settles the first instant; a motion that begins with a jump has its first rows before and after it.
  void begin();

  void take(const Event& event);

  AdvanceEnd go_on(double t, internal::AdvanceLimits limits);
  /// Parameters that differ from those of the base.
  std::vector<std::pair<std::string, double>> list_changed() const;
  void take_scenario(const std::vector<std::pair<std::string, double>>& changed);
  void set_scenario(std::shared_ptr<const Scenario> scenario, const State& state);
  std::string describe_interrupt();
  void forget_views() {
    sample_ = nullptr;
    has_workspace_ = false;
  }

  std::shared_ptr<const Scenario> base_;      ///< as it was given
  std::shared_ptr<const Scenario> scenario_;  ///< with parameters that were changed since
  std::optional<std::uint64_t> fingerprint_;  ///< of the base
  internal::RunTaps taps_;
  std::unique_ptr<internal::Engine> engine_;
  ExternalLoads loads_;
  bool is_stale_ = false;  ///< whether the engine has loads that do not act as yet
  std::optional<internal::Recorder> recorder_;
  std::vector<Event> events_;
  const std::function<bool(const Event&)>* is_wanted_ = nullptr;  ///< during a call
  bool stops_behind_events_ = false, is_met_ = false;
  AdvanceEnd last_end_ = AdvanceEnd::reached;
  double wall_s_ = 0;
  const Sample* sample_ = nullptr;
  Workspace<double> workspace_;
  bool has_workspace_ = false;
};

}  // namespace thenar
