// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar {
namespace {

double level_of_dof(const Model& model, int dof) { return model.joint(model.dof_joint(dof)).level; }

double level_of_body(const Model& model, BodyIndex body) {
  return body == kWorld ? 0 : model.joint(model.body(body).joint).level;
}

template <class T>
Vec3<T> evaluate_three(const std::array<Expression, 3>& profile, std::span<const double> values) {
  return {T(profile[0].evaluate(values)), T(profile[1].evaluate(values)), T(profile[2].evaluate(values))};
}

}  // namespace

template <class T>
ScenarioForces<T>::ScenarioForces(const Scenario& scenario) : scenario_(&scenario), actuation_(scenario) {
  const Model& model = scenario.model;
  if (!std::is_same_v<T, double> && (!scenario.controls.empty() || actuation_.has_limits())) {
    throw std::invalid_argument("packs of states know no controllers and no limits of efforts");
  }
  for (const WrenchProfile& wrench : scenario.wrenches) {
    wrench_levels_.push_back(level_of_body(model, wrench.body));
    wrenches_.push_back({wrench.body, Wrench<T>::zero()});
  }
  for (const Spring& spring : model.springs()) has_nonconservative_spring_ |= !spring.conservative;
  spring_tau_.assign(static_cast<std::size_t>(model.velocity_count()), T(0));
}

template <class T>
void ScenarioForces<T>::set_loads(const ExternalLoads& loads) {
  actuation_.set_loads(loads);
  wrenches_.resize(scenario_->wrenches.size());
  for (const AppliedWrench& wrench : loads.wrenches) wrenches_.push_back({wrench.body, Wrench<T>::zero()});
}

template <class T>
bool ScenarioForces<T>::is_steady() const {
  const auto is_constant = [](const Expression& profile) { return profile.is_constant(); };
  return actuation_.is_steady() &&
         std::all_of(scenario_->wrenches.begin(), scenario_->wrenches.end(), [&](const WrenchProfile& wrench) {
           return std::all_of(wrench.force.begin(), wrench.force.end(), is_constant) &&
                  std::all_of(wrench.torque.begin(), wrench.torque.end(), is_constant);
         });
}

template <class T>
void ScenarioForces<T>::calc_efforts(double t, const T* q, const T* v, T* tau) {
  if constexpr (std::is_same_v<T, double>) {
    actuation_.calc_efforts(t, q, v, tau);
  } else {
    std::fill_n(tau, scenario_->model.velocity_count(), T(0));
    for (const TorqueProfile& torque : scenario_->torques) {
      const std::array<double, 2> values{t, level_of_dof(scenario_->model, torque.dof)};
      tau[torque.dof] += T(torque.value.evaluate(values));
    }
  }
}

/// Writes a wrench at `point_B` as one about its body's origin in world axes; returns its power.
template <class T>
T ScenarioForces<T>::apply(Wrench<T> wrench, const Vec3<double>& point_B, bool in_world_axes,
                           const Workspace<T>& workspace, BodyWrench<T>& out) const {
  const Placement<T> X_WB = calc_body_pose(scenario_->model, workspace, out.body);
  if (!in_world_axes) wrench = {X_WB.R * wrench.moment, X_WB.R * wrench.force};
  out.wrench = wrench.moved_by(X_WB.R * point_B.cast<T>());
  return dot(calc_point_velocity(scenario_->model, workspace, out.body, Vec3<T>::zero()), out.wrench);
}

/// Of all wrenches, with their power.
template <class T>
T ScenarioForces<T>::calc_wrenches(double t, const T* q, const T* v, Workspace<T>& workspace) {
  const Model& model = scenario_->model;
  T power(0);
  if (wrenches_.empty()) return power;
  update_positions(model, q, workspace);
  update_velocities(model, v, workspace);
  const std::size_t profile_count = scenario_->wrenches.size();
  for (std::size_t i = 0; i < profile_count; ++i) {
    const WrenchProfile& profile = scenario_->wrenches[i];
    const std::array<double, 2> values{t, wrench_levels_[i]};
    const Vec3<T> force = evaluate_three<T>(profile.force, values), torque = evaluate_three<T>(profile.torque, values);
    power += apply({torque, force}, Vec3<double>(profile.point_B), profile.in_world_axes, workspace, wrenches_[i]);
  }
  for (std::size_t i = profile_count; i < wrenches_.size(); ++i) {
    const AppliedWrench& load = actuation_.loads().wrenches[i - profile_count];
    power +=
        apply({load.torque.cast<T>(), load.force.cast<T>()}, load.point_B, load.in_world_axes, workspace, wrenches_[i]);
  }
  return power;
}

template <class T>
PowerFlow<T> ScenarioForces<T>::evaluate(double t, const T* q, const T* v, Workspace<T>& workspace, T* tau,
                                         std::span<const BodyWrench<T>>& wrenches) {
  const Model& model = scenario_->model;
  const int nv = model.velocity_count();
  PowerFlow<T> power;
  calc_efforts(t, q, v, tau);
  if (actuation_.is_driven()) {
    for (int j = 0; j < nv; ++j) power.work += tau[j] * v[j];
  }
  if (has_nonconservative_spring_) {
    std::fill(spring_tau_.begin(), spring_tau_.end(), T(0));
    add_spring_forces(model, q, false, spring_tau_.data());
    for (int j = 0; j < nv; ++j) power.work += spring_tau_[static_cast<std::size_t>(j)] * v[j];
  }
  power.work += calc_wrenches(t, q, v, workspace);
  wrenches = wrenches_;
  if (model.has_damping()) power.dissipated = calc_damping_power(model, v);
  add_passive_forces(model, q, v, tau);
  return power;
}

template class ScenarioForces<double>;
template class ScenarioForces<Pack4>;

namespace {

/// Calls visit(expression, level, "the torque of joint 'x'", "N m") for every profile that acts, until it returns true.
template <class Visit>
void visit_profiles(const Scenario& scenario, const ExternalLoads& loads, const Visit& visit) {
  const Model& model = scenario.model;
  for (const TorqueProfile& torque : scenario.torques) {
    if (loads.sets_effort(torque.dof)) continue;
    if (visit(torque.value, level_of_dof(model, torque.dof),
              fmt::format("the torque of joint '{}'", model.dof_name(torque.dof)),
              model.is_angular(torque.dof) ? "N m" : "N")) {
      return;
    }
  }
  for (const WrenchProfile& wrench : scenario.wrenches) {
    for (const auto* part : {&wrench.force, &wrench.torque}) {
      const std::string where =
          fmt::format("the {} on body '{}'", part == &wrench.force ? "force" : "torque", model.body(wrench.body).name);
      for (const Expression& e : *part) {
        if (visit(e, level_of_body(model, wrench.body), where, part == &wrench.force ? "N" : "N m")) return;
      }
    }
  }
}

}  // namespace

std::string find_bad_profile(const Scenario& scenario, double t) {
  std::string complaint;
  visit_profiles(scenario, {}, [&](const Expression& e, double level, const std::string& where, const char*) {
    const std::array<double, 2> values{t, level};
    const double value = e.evaluate(values);
    if (!std::isfinite(value)) complaint = fmt::format("{}, '{}', gives {} at t = {} s", where, e.text(), value, t);
    return !complaint.empty();
  });
  return complaint;
}

std::optional<ProfileSwitch> find_profile_switch(const Scenario& scenario, const Actuation& actuation, double from,
                                                 double to) {
  std::optional<Expression::Switch> first;
  visit_profiles(scenario, actuation.loads(), [&](const Expression& e, double level, const std::string&, const char*) {
    const std::array<double, 2> values{from, level};
    const auto found = e.find_switch(values, 0, from, first ? first->before : to);
    if (found && (!first || found->before < first->before)) first = found;
    return false;
  });
  std::optional<ProfileSwitch> out;
  if (first) {
    out = ProfileSwitch{*first, {}, true};
    visit_profiles(
        scenario, actuation.loads(),
        [&](const Expression& e, double level, const std::string& where, const char* unit) {
          const std::array<double, 2> values{from, level}, before{first->before, level}, after{first->after, level};
          // Nothing switches before the first, so that what switches up to the number after it does so there.
          if (e.find_switch(values, 0, from, first->after)) {
            out->changes.push_back({where, unit, e.evaluate(before), e.evaluate(after)});
          }
          return false;
        });
  }
  const auto law = actuation.find_law_switch(from, out ? out->at.after : to);
  const bool is_later = law && out && law->at.before >= out->at.before && (out->is_jump || !law->at.is_jump);
  if (law && !is_later) {
    out = ProfileSwitch{
        {law->at.before, law->at.after}, {{.where = fmt::format("control '{}'", law->kind)}}, law->at.is_jump};
  }
  return out;
}

}  // namespace thenar
