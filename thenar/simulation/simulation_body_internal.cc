// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/simulation_body_internal.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "thenar/dynamics/kinematics.h"
#include "thenar/engine/event_run_internal.h"
#include "thenar/quasistatic_run/quasistatic_run_internal.h"
#include "thenar/simulation/parameter_change_internal.h"
#include "thenar/simulation/scenario_check_internal.h"
#include "thenar/simulation/scenario_fingerprint_internal.h"
#include "thenar/step/step_run_internal.h"

namespace thenar {
namespace {

using Clock = std::chrono::steady_clock;

State make_start(const Scenario& scenario) {
  State start = scenario.initial;
  start.t = 0;
  return start;
}

std::unique_ptr<internal::Engine> make_engine(const Scenario& scenario, const State& start,
                                              const internal::RunTaps& taps) {
  if (scenario.run.engine == EngineKind::quasistatic)
    return std::make_unique<internal::QuasistaticRun>(scenario, start, taps);
  if (scenario.run.engine == EngineKind::step) return std::make_unique<internal::StepRun>(scenario, start, taps);
  return std::make_unique<internal::EventRun>(scenario, start, taps);
}

/// What is left of a limit after so much of it has been used.
long long subtract(long long limit, long long used) {
  return limit == std::numeric_limits<long long>::max() ? limit : limit - used;
}

}  // namespace

Simulation::Body::Body(std::shared_ptr<const Scenario> scenario)
    : base_(scenario), scenario_(std::move(scenario)), workspace_(scenario_->model) {
  taps_.on_event = [this](const Event& event) { take(event); };
  taps_.on_jump = [this](const Sample& sample) { return !recorder_ || recorder_->write(sample); };
  taps_.on_progress = [this](double t) {
    if (recorder_) recorder_->note_progress(t);
  };
  start(make_start(*scenario_));
}

void Simulation::Body::start(const State& state) {
  engine_ = make_engine(*scenario_, state, taps_);
  if (!loads_.empty()) engine_->change_loads(loads_);
  if (recorder_) recorder_->follow(*scenario_, *engine_);
  forget_views();
}

void Simulation::Body::reset() {
  loads_ = {};
  events_.clear();
  last_end_ = AdvanceEnd::reached;
  wall_s_ = 0;
  start(make_start(*scenario_));
}

void Simulation::Body::bring_up_to_date() {
  if (engine_->has_begun() && !is_stale_) return;
  begin();
  if (is_stale_) engine_->advance({.t = engine_->time()});
  is_stale_ = false;
}

const Sample& Simulation::Body::sample() {
  bring_up_to_date();
  if (sample_ == nullptr) sample_ = engine_->make_sample();
  if (sample_ == nullptr) throw std::runtime_error(engine_->report().reason);
  return *sample_;
}

Workspace<double>& Simulation::Body::workspace() {
  if (has_workspace_) return workspace_;
  const State& state = engine_->state();
  update_positions(model(), state.q.data(), workspace_);
  update_velocities(model(), state.v.data(), workspace_);
  has_workspace_ = true;
  return workspace_;
}

void Simulation::Body::change_loads(ExternalLoads loads) {
  const double t = engine_->time();
  std::erase_if(loads.wrenches, [t](const AppliedWrench& wrench) { return wrench.until <= t; });
  loads_ = std::move(loads);
  engine_->change_loads(loads_);
  is_stale_ = true;
  forget_views();
}

void Simulation::Body::check_dof(int dof) const {
  if (dof >= 0 && dof < model().velocity_count()) return;
  throw std::invalid_argument(
      fmt::format("there is no degree of freedom {}; the model has {}", dof, model().velocity_count()));
}

std::uint64_t Simulation::Body::fingerprint() {
  if (!fingerprint_) fingerprint_ = internal::calc_fingerprint(*base_);
  return *fingerprint_;
}

void Simulation::Body::save(std::vector<std::byte>& out) {
  StateWriter writer(out);
  std::vector<std::pair<std::string, double>> changed = list_changed();
  writer(changed, loads_, is_stale_);
  engine_->save(writer);
}

void Simulation::Body::load(const std::vector<std::byte>& bytes) {
  StateReader reader(bytes.data(), bytes.size());
  std::vector<std::pair<std::string, double>> changed;
  reader(changed, loads_, is_stale_);
  take_scenario(changed);
  engine_->load(reader);
  if (reader.left() > 0) throw StateError("it is longer than it should be");
  if (recorder_) recorder_->follow(*scenario_, *engine_);
  events_.clear();
  last_end_ = engine_->ended_by();
  forget_views();
}

void Simulation::Body::record(RunCallbacks callbacks) {
  recorder_.emplace(std::move(callbacks));
  recorder_->follow(*scenario_, *engine_);
  if (recorder_->interrupt() != nullptr) taps_.interrupt = recorder_->interrupt();
}

RunReport Simulation::Body::report() {
  RunReport out = engine_->report();
  if (last_end_ == AdvanceEnd::interrupted && !engine_->has_ended()) {
    out.status = RunStatus::interrupted;
    out.reason = describe_interrupt();
  }
  out.rows = recorder_ ? recorder_->rows() : 0;
  out.wall_s = wall_s_;
  return out;
}

void Simulation::Body::begin() {
  if (engine_->has_begun()) return;
  engine_->begin();
  forget_views();
  if (recorder_) recorder_->write_first();
}

void Simulation::Body::take(const Event& event) {
  if (recorder_ && recorder_->takes_events()) {
    recorder_->write(event);
  } else {
    events_.push_back(event);
  }
  is_met_ = is_met_ || (stops_behind_events_ && (*is_wanted_ == nullptr || (*is_wanted_)(event)));
}

std::string Simulation::Body::describe_interrupt() {
  return fmt::format("interrupted at t = {:.6g} s", engine_->time());
}

std::vector<std::pair<std::string, double>> Simulation::Body::list_changed() const {
  std::vector<std::pair<std::string, double>> out;
  if (scenario_ == base_) return out;
  for (const NamedValue& value : scenario_->changed) out.emplace_back(value.name, value.value);
  return out;
}

/// The engine is one of the new scenario, at this state; the old scenario is still there while the old engine goes.
void Simulation::Body::set_scenario(std::shared_ptr<const Scenario> scenario, const State& state) {
  engine_ = make_engine(*scenario, state, taps_);
  scenario_ = std::move(scenario);
  workspace_ = Workspace<double>(scenario_->model);
  if (recorder_) recorder_->follow(*scenario_, *engine_);
  forget_views();
}

/// The scenario of a snapshot.
void Simulation::Body::take_scenario(const std::vector<std::pair<std::string, double>>& changed) {
  if (changed == list_changed()) return;
  std::vector<NamedValue> values;
  for (const auto& [name, value] : changed) values.push_back({name, value});
  auto scenario = base_;
  if (!values.empty()) scenario = std::make_shared<const Scenario>(with_parameters(*base_, values));
  const std::string fixed = internal::find_fixed_difference(*base_, *scenario);
  if (!fixed.empty()) throw StateError(fmt::format("its parameters change {}", fixed));
  internal::check_scenario(*scenario);
  set_scenario(std::move(scenario), make_start(*base_));
}

/// What the motion is in goes over to an engine of the new scenario, which then starts anew from there.
void Simulation::Body::change_parameters(std::span<const NamedValue> values) {
  auto next = std::make_shared<const Scenario>(with_parameters(*scenario_, values));
  internal::check_scenario(*next);
  if (const std::string fixed = internal::find_fixed_difference(*scenario_, *next); !fixed.empty()) {
    throw std::invalid_argument(
        fmt::format("'{}' changes {}, which a motion that has begun cannot change: make a simulation of "
                    "with_parameters(scenario, …) instead",
                    values.front().name, fixed));
  }
  if (!engine_->has_begun()) {
    const bool is_at_start = engine_->state() == make_start(*scenario_);
    set_scenario(next, is_at_start ? make_start(*next) : State(engine_->state()));
    if (!loads_.empty()) engine_->change_loads(loads_);
    return;
  }
  engine_->take_present();
  const double energy = engine_->report().energy.end;
  std::vector<std::byte> bytes;
  {
    StateWriter writer(bytes);
    engine_->save(writer);
  }
  const auto laws = engine_->copy_silent_laws();
  set_scenario(next, engine_->state());
  StateReader reader(bytes.data(), bytes.size());
  engine_->load(reader);
  engine_->adopt_silent_laws(laws);
  engine_->add_energy(engine_->report().energy.end - energy);
  engine_->change_loads(loads_);
  is_stale_ = true;
  forget_views();
}

AdvanceReport Simulation::Body::advance_to(double t, const Budget& budget,
                                           const std::function<bool(const Event&)>& is_wanted,
                                           bool stops_behind_events) {
  const auto start = Clock::now();
  is_wanted_ = &is_wanted;
  stops_behind_events_ = stops_behind_events;
  is_met_ = false;
  const long long steps = engine_->steps(), events = engine_->events();
  internal::AdvanceLimits limits{.t = t, .steps = budget.steps, .events = budget.events, .stop = &is_met_};
  if (std::isfinite(budget.wall_s)) {
    limits.deadline = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget.wall_s));
  }
  begin();
  last_end_ = engine_->has_ended() ? engine_->ended_by() : go_on(t, limits);
  is_stale_ = false;
  forget_views();
  stops_behind_events_ = false;
  wall_s_ += std::chrono::duration<double>(Clock::now() - start).count();
  AdvanceReport out{last_end_, engine_->time(), engine_->steps() - steps, engine_->events() - events, {}};
  if (!out.ok()) out.reason = engine_->report().reason;
  if (out.end == AdvanceEnd::interrupted) out.reason = describe_interrupt();
  return out;
}

/// From row to row, if they are recorded.
AdvanceEnd Simulation::Body::go_on(double t, internal::AdvanceLimits limits) {
  if (recorder_ && !recorder_->write_first()) return engine_->ended_by();
  const long long steps = engine_->steps(), events = engine_->events();
  const long long most_steps = limits.steps, most_events = limits.events;
  for (;;) {
    limits.t = recorder_ ? std::min(t, recorder_->next_time()) : t;
    limits.steps = subtract(most_steps, engine_->steps() - steps);
    limits.events = subtract(most_events, engine_->events() - events);
    const AdvanceEnd end = engine_->advance(limits);
    if (recorder_ && !recorder_->note_end()) return engine_->ended_by();
    if (end != AdvanceEnd::reached || !(engine_->time() < t)) return end;
  }
}

}  // namespace thenar
