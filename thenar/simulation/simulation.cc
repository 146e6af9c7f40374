// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/simulation.h"
#include "thenar/simulation/scenario_fingerprint_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/engine/event_run_internal.h"
#include "thenar/quasistatic_run/quasistatic_run_internal.h"
#include "thenar/simulation/body_gap_internal.h"
#include "thenar/simulation/parameter_change_internal.h"
#include "thenar/simulation/recorder_internal.h"
#include "thenar/simulation/scenario_check_internal.h"

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
  return std::make_unique<internal::EventRun>(scenario, start, taps);
}

/// What is left of a limit after so much of it has been used.
long long subtract(long long limit, long long used) {
  return limit == std::numeric_limits<long long>::max() ? limit : limit - used;
}

}  // namespace

class Simulation::Body {
 public:
  explicit Body(std::shared_ptr<const Scenario> scenario)
      : base_(scenario), scenario_(std::move(scenario)), workspace_(scenario_->model) {
    taps_.on_event = [this](const Event& event) { take(event); };
    taps_.on_jump = [this](const Sample& sample) { return !recorder_ || recorder_->write(sample); };
    taps_.on_progress = [this](double t) {
      if (recorder_) recorder_->note_progress(t);
    };
    start(make_start(*scenario_));
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  const Scenario& scenario() const { return *scenario_; }
  const Model& model() const { return scenario_->model; }
  const ExternalLoads& loads() const { return loads_; }
  internal::Engine& engine() { return *engine_; }

  /// A motion that begins here.
  void start(const State& state) {
    engine_ = make_engine(*scenario_, state, taps_);
    if (!loads_.empty()) engine_->change_loads(loads_);
    if (recorder_) recorder_->follow(*scenario_, *engine_);
    forget_views();
  }

  void reset() {
    loads_ = {};
    start(make_start(*scenario_));
  }

  AdvanceReport advance_to(double t, const Budget& budget, const std::function<bool(const Event&)>& is_wanted,
                           bool stops_behind_events);

  /// The motion has begun, and what was set acts, as far as the method lets it.
  void bring_up_to_date() {
    if (engine_->has_begun() && !is_stale_) return;
    begin();
    if (is_stale_) engine_->advance({.t = engine_->time()});
    is_stale_ = false;
  }

  const Sample& sample() {
    bring_up_to_date();
    if (sample_ == nullptr) sample_ = engine_->make_sample();
    if (sample_ == nullptr) throw std::runtime_error(engine_->report().reason);
    return *sample_;
  }

  /// Positions and velocities of the present state.
  Workspace<double>& workspace() {
    if (has_workspace_) return workspace_;
    const State& state = engine_->state();
    update_positions(model(), state.q.data(), workspace_);
    update_velocities(model(), state.v.data(), workspace_);
    has_workspace_ = true;
    return workspace_;
  }

  void change_loads(ExternalLoads loads) {
    const double t = engine_->time();
    std::erase_if(loads.wrenches, [t](const AppliedWrench& wrench) { return wrench.until <= t; });
    loads_ = std::move(loads);
    engine_->change_loads(loads_);
    is_stale_ = true;
    forget_views();
  }

  /// The motion goes on with other values of parameters.
  void change_parameters(std::span<const NamedValue> values);

  void check_dof(int dof) const {
    if (dof >= 0 && dof < model().velocity_count()) return;
    throw std::invalid_argument(
        fmt::format("there is no degree of freedom {}; the model has {}", dof, model().velocity_count()));
  }

  std::uint64_t fingerprint() {
    if (!fingerprint_) fingerprint_ = internal::calc_fingerprint(*base_);
    return *fingerprint_;
  }
  const std::shared_ptr<const Scenario>& base() const { return base_; }

  void save(std::vector<std::byte>& out) {
    out.clear();
    StateWriter writer(out);
    std::vector<std::pair<std::string, double>> changed = list_changed();
    writer(changed, loads_, is_stale_);
    engine_->save(writer);
  }

  /// Throws StateError.
  void load(const std::vector<std::byte>& bytes) {
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

  void set_interrupt(const std::atomic<bool>* flag) { taps_.interrupt = flag; }
  std::vector<Event> take_events() { return std::exchange(events_, {}); }
  void record(RunCallbacks callbacks) {
    recorder_.emplace(std::move(callbacks));
    recorder_->follow(*scenario_, *engine_);
    if (recorder_->interrupt() != nullptr) taps_.interrupt = recorder_->interrupt();
  }

  void record_last() {
    if (recorder_) recorder_->write_last();
  }

  RunReport report() {
    RunReport out = engine_->report();
    if (last_end_ == AdvanceEnd::interrupted && !engine_->has_ended()) {
      out.status = RunStatus::interrupted;
      out.reason = describe_interrupt();
    }
    out.rows = recorder_ ? recorder_->rows() : 0;
    out.wall_s = wall_s_;
    return out;
  }

 private:
  /// Settles the first instant; a motion that begins with a jump has its first rows before and after it.
  void begin() {
    if (engine_->has_begun()) return;
    engine_->begin();
    forget_views();
    if (recorder_) recorder_->write_first();
  }

  void take(const Event& event) {
    if (recorder_ && recorder_->takes_events()) {
      recorder_->write(event);
    } else {
      events_.push_back(event);
    }
    is_met_ = is_met_ || (stops_behind_events_ && (*is_wanted_ == nullptr || (*is_wanted_)(event)));
  }

  AdvanceEnd go_on(double t, internal::AdvanceLimits limits);
  /// Parameters that differ from those of the base.
  std::vector<std::pair<std::string, double>> list_changed() const;
  void take_scenario(const std::vector<std::pair<std::string, double>>& changed);
  void set_scenario(std::shared_ptr<const Scenario> scenario, const State& state);
  std::string describe_interrupt() { return fmt::format("interrupted at t = {:.6g} s", engine_->time()); }
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
  StateWriter writer(bytes);
  engine_->save(writer);
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

Simulation::Simulation(Scenario scenario) : Simulation(std::make_shared<const Scenario>(std::move(scenario))) {}

Simulation::Simulation(std::shared_ptr<const Scenario> scenario) {
  internal::check_scenario(*scenario);
  body_ = std::make_unique<Body>(std::move(scenario));
}

Simulation::Simulation(const Simulation& other) : Simulation(other.body_->base()) { restore(other.save()); }
Simulation& Simulation::operator=(const Simulation& other) {
  if (this != &other) *this = Simulation(other);
  return *this;
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const Scenario& Simulation::scenario() const { return body_->scenario(); }
const Model& Simulation::model() const { return body_->model(); }
double Simulation::time() const { return body_->engine().time(); }
const State& Simulation::state() const { return body_->engine().state(); }
const ExternalLoads& Simulation::loads() const { return body_->loads(); }
const Sample& Simulation::sample() const { return body_->sample(); }
std::vector<Event> Simulation::new_events() { return body_->take_events(); }
void Simulation::set_interrupt(const std::atomic<bool>* flag) { body_->set_interrupt(flag); }
void Simulation::reset() { body_->reset(); }
void Simulation::record(RunCallbacks callbacks) { body_->record(std::move(callbacks)); }
void Simulation::record_last() { body_->record_last(); }
RunReport Simulation::report() const { return body_->report(); }

void Simulation::set_state(const VectorX<double>& q, const VectorX<double>& v) {
  const Model& m = model();
  if (q.size() != m.position_count() || v.size() != m.velocity_count()) {
    throw std::invalid_argument(fmt::format("the state has {} positions and {} velocities, the model needs {} and {}",
                                            q.size(), v.size(), m.position_count(), m.velocity_count()));
  }
  if (!q.allFinite() || !v.allFinite()) throw std::invalid_argument("a state must consist of finite numbers");
  body_->start({time(), q, v});
}

// --- Going on -------------------------------------------------------------------------------------------------------

AdvanceReport Simulation::advance(double dt, const Budget& budget) {
  if (!(dt >= 0) || !std::isfinite(dt)) {
    throw std::invalid_argument(fmt::format("a simulation advances by a time of 0 s or more, not by {} s", dt));
  }
  return advance_to(time() + dt, budget);
}

AdvanceReport Simulation::advance_to(double t, const Budget& budget) {
  if (!(t >= time()) || !std::isfinite(t)) {
    throw std::invalid_argument(fmt::format("a simulation at t = {} s does not go to t = {} s", time(), t));
  }
  return body_->advance_to(t, budget, {}, false);
}

AdvanceReport Simulation::run_until_event(double latest, const std::function<bool(const Event&)>& is_wanted,
                                          const Budget& budget) {
  if (!(latest >= time()) || !std::isfinite(latest)) {
    throw std::invalid_argument(fmt::format("a simulation at t = {} s does not go to t = {} s", time(), latest));
  }
  return body_->advance_to(latest, budget, is_wanted, true);
}

// --- What drives it -------------------------------------------------------------------------------------------------

namespace {

/// An entry among one per degree of freedom.
void set_entry(std::vector<std::optional<double>>& entries, int count, int dof, std::optional<double> value) {
  if (entries.empty()) entries.resize(static_cast<std::size_t>(count));
  entries[static_cast<std::size_t>(dof)] = value;
  const bool is_empty =
      std::none_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.has_value(); });
  if (is_empty) entries.clear();
}

}  // namespace

void Simulation::set_effort(int dof, std::optional<double> effort) {
  body_->check_dof(dof);
  if (effort && !std::isfinite(*effort)) {
    throw std::invalid_argument(
        fmt::format("the effort of '{}' must be finite, not {}", model().dof_name(dof), *effort));
  }
  ExternalLoads loads = body_->loads();
  set_entry(loads.efforts, model().velocity_count(), dof, effort);
  internal::check_loads(scenario(), loads);
  body_->change_loads(std::move(loads));
}

void Simulation::set_target(int dof, std::optional<double> target) {
  body_->check_dof(dof);
  if (target && !std::isfinite(*target)) {
    throw std::invalid_argument(
        fmt::format("the target of '{}' must be finite, not {}", model().dof_name(dof), *target));
  }
  ExternalLoads loads = body_->loads();
  set_entry(loads.targets, model().velocity_count(), dof, target);
  internal::check_loads(scenario(), loads);
  body_->change_loads(std::move(loads));
}

void Simulation::apply_wrench(const AppliedWrench& wrench) {
  ExternalLoads loads = body_->loads();
  loads.wrenches.push_back(wrench);
  internal::check_loads(scenario(), loads);
  body_->change_loads(std::move(loads));
}

void Simulation::set_parameter(std::string_view name, double value) {
  const NamedValue one[] = {{std::string(name), value}};
  body_->change_parameters(one);
}

void Simulation::set_parameters(std::span<const NamedValue> values) {
  if (!values.empty()) body_->change_parameters(values);
}

void Simulation::clear_wrenches() {
  ExternalLoads loads = body_->loads();
  loads.wrenches.clear();
  body_->change_loads(std::move(loads));
}

// --- Keeping --------------------------------------------------------------------------------------------------------

Snapshot Simulation::save() const {
  Snapshot out;
  save(out);
  return out;
}

void Simulation::save(Snapshot& out) const {
  out.scenario_ = body_->fingerprint();
  out.time_ = time();
  out.silent_law_ = body_->engine().find_silent_law();
  out.silent_laws_ = body_->engine().copy_silent_laws();
  body_->save(out.bytes_);
}

void Simulation::restore(const Snapshot& snapshot) {
  if (snapshot.empty()) throw std::invalid_argument("the snapshot is empty");
  if (snapshot.scenario_ != body_->fingerprint()) {
    throw std::invalid_argument(fmt::format("the snapshot is of another scenario or model than '{}'", scenario().name));
  }
  try {
    body_->load(snapshot.bytes_);
    body_->engine().adopt_silent_laws(snapshot.silent_laws_);
  } catch (const StateError& error) {
    body_->reset();
    throw std::invalid_argument(fmt::format("the snapshot is damaged: {}", error.what()));
  } catch (const std::runtime_error& error) {  // parameters that the scenario refuses
    body_->reset();
    throw std::invalid_argument(fmt::format("the snapshot is damaged: {}", error.what()));
  }
}

// --- Looking --------------------------------------------------------------------------------------------------------

Instant Simulation::instant(const InstantOptions& options) const {
  body_->bring_up_to_date();
  return body_->engine().solve_present(options);
}

Pose<double> Simulation::pose(BodyIndex body) const {
  const Placement<double> X_WB = calc_body_pose(model(), body_->workspace(), body);
  return {X_WB.R.eigen(), X_WB.p.eigen()};
}

MatrixX<double> Simulation::jacobian(BodyIndex body, const Vec3<double>& point_B) const {
  Eigen::Matrix<double, 6, Eigen::Dynamic> out(6, model().velocity_count());
  calc_jacobian<double>(model(), body_->workspace(), body, point_B, out);
  return out;
}

MatrixX<double> Simulation::mass_matrix() const {
  MassMatrix<double> out(model());
  out.update(model(), body_->workspace());
  return out.dense();
}

std::vector<BodyGap> Simulation::gaps(std::span<const std::pair<BodyIndex, BodyIndex>> pairs) const {
  return internal::find_gaps(scenario(), body_->workspace(), pairs);
}

}  // namespace thenar
