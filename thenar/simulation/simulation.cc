// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/simulation/body_gap_internal.h"
#include "thenar/simulation/scenario_check_internal.h"
#include "thenar/simulation/simulation_body_internal.h"

namespace thenar {
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
