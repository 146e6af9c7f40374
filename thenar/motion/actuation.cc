// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/actuation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "thenar/dynamics/kinematics.h"

namespace thenar {
namespace {

/// Steps of the differences, rad or m and rad/s or m/s: efforts are good to half their digits, which is more than
/// Newton's iteration needs.
constexpr double kShift = 1e-7;

/// The first sample time of that rate after t.
double find_next_sample(double rate, double t) {
  double k = std::floor(t * rate);
  while (k / rate <= t) ++k;
  return k / rate;
}

}  // namespace

Actuation::Actuation(const Scenario& scenario) : scenario_(&scenario) {
  const Model& model = scenario.model;
  const int nq = model.position_count(), nv = model.velocity_count();
  for (const TorqueProfile& torque : scenario.torques) {
    torque_levels_.push_back(model.joint(model.dof_joint(torque.dof)).level);
  }
  for (const ControlEntry& entry : scenario.controls) {
    Law law{.controller = entry.law->clone(), .rate = entry.rate.value_or(0), .held = VectorX<double>::Zero(nv)};
    law.controller->prepare(model);
    if (law.rate > 0) law.next_sample = 0;
    laws_.push_back(std::move(law));
  }
  sides_.assign(static_cast<std::size_t>(nv), 0);
  q_shifted_.setZero(nq);
  for (VectorX<double>* vector : {&v_shifted_, &increment_, &commands_, &base_, &shifted_}) vector->setZero(nv);
}

bool Actuation::has_feedback() const {
  return std::any_of(laws_.begin(), laws_.end(), [](const Law& law) { return !law.has_sample; });
}

bool Actuation::is_steady() const {
  return !has_feedback() && std::all_of(scenario_->torques.begin(), scenario_->torques.end(),
                                        [](const TorqueProfile& torque) { return torque.value.is_constant(); });
}

void Actuation::calc_commands(double t, const double* q, const double* v, double* tau) {
  const int nv = scenario_->model.velocity_count();
  std::fill_n(tau, nv, 0.0);
  for (std::size_t i = 0; i < torque_levels_.size(); ++i) {
    const TorqueProfile& torque = scenario_->torques[i];
    if (loads_.sets_effort(torque.dof)) continue;
    const std::array<double, 2> values{t, torque_levels_[i]};
    tau[torque.dof] += torque.value.evaluate(values);
  }
  for (std::size_t i = 0; i < loads_.efforts.size(); ++i) tau[i] += loads_.efforts[i].value_or(0);
  for (Law& law : laws_) {
    if (law.has_sample) {
      for (int i = 0; i < nv; ++i) tau[i] += law.held(i);
    } else {
      law.controller->add_efforts(scenario_->model, t, q, v, tau);
    }
  }
}

void Actuation::cut(double* tau) const {
  const VectorX<double>& limit = scenario_->model.effort_limit();
  for (int i = 0; i < limit.size(); ++i) tau[i] = std::clamp(tau[i], -limit(i), limit(i));
}

void Actuation::calc_cut_efforts(double t, const double* q, const double* v, double* tau) {
  calc_commands(t, q, v, tau);
  if (has_limits()) cut(tau);
}

void Actuation::calc_efforts(double t, const double* q, const double* v, double* tau) {
  if (!keeps_sides_) return calc_cut_efforts(t, q, v, tau);
  calc_commands(t, q, v, tau);
  if (!has_limits()) return;
  const VectorX<double>& limit = scenario_->model.effort_limit();
  for (int i = 0; i < limit.size(); ++i) {
    if (side(i) != 0) tau[i] = side(i) * limit(i);
  }
}

/// Of a law that does not know them.
void Actuation::add_differences(Controller& law, double t, const double* q, const double* v,
                                Eigen::Ref<MatrixX<double>> dq, Eigen::Ref<MatrixX<double>> dv) {
  const Model& model = scenario_->model;
  base_.setZero();
  law.add_efforts(model, t, q, v, base_.data());
  std::copy_n(v, v_shifted_.size(), v_shifted_.data());
  increment_.setZero();
  for (int j = 0; j < model.velocity_count(); ++j) {
    increment_(j) = kShift;
    integrate_position(model, q, increment_.data(), q_shifted_.data());
    increment_(j) = 0;
    shifted_.setZero();
    law.add_efforts(model, t, q_shifted_.data(), v, shifted_.data());
    dq.col(j) += (shifted_ - base_) / kShift;
    v_shifted_(j) = v[j] + kShift;
    shifted_.setZero();
    law.add_efforts(model, t, q, v_shifted_.data(), shifted_.data());
    dv.col(j) += (shifted_ - base_) / (v_shifted_(j) - v[j]);
    v_shifted_(j) = v[j];
  }
}

void Actuation::calc_derivatives(double t, const double* q, const double* v, Eigen::Ref<MatrixX<double>> dq,
                                 Eigen::Ref<MatrixX<double>> dv) {
  const Model& model = scenario_->model;
  dq.setZero();
  dv.setZero();
  for (Law& law : laws_) {
    if (law.has_sample || law.controller->add_derivatives(model, t, q, v, dq, dv)) continue;
    add_differences(*law.controller, t, q, v, dq, dv);
  }
  if (!has_limits()) return;
  if (!keeps_sides_) calc_commands(t, q, v, commands_.data());
  for (int i = 0; i < model.velocity_count(); ++i) {
    const bool is_cut = keeps_sides_ ? side(i) != 0 : std::abs(commands_(i)) > model.effort_limit()(i);
    if (!is_cut) continue;
    dq.row(i).setZero();
    dv.row(i).setZero();
  }
}

double Actuation::next_sample() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Law& law : laws_) next = std::min(next, law.next_sample);
  return next;
}

int Actuation::take_samples(const ControlInput& now) {
  int count = 0;
  for (Law& law : laws_) {
    if (now.t < law.next_sample) continue;
    law.held.setZero();
    law.controller->sample(scenario_->model, now, law.held.data());
    law.has_sample = true;
    law.next_sample = find_next_sample(law.rate, now.t);
    ++count;
  }
  return count;
}

void Actuation::take_over(const Actuation& other) {
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    laws_[i].held = other.laws_[i].held;
    laws_[i].has_sample = other.laws_[i].has_sample;
    laws_[i].next_sample = other.laws_[i].next_sample;
  }
}

bool Actuation::needs_contacts(double t) const {
  return std::any_of(laws_.begin(), laws_.end(),
                     [t](const Law& law) { return t >= law.next_sample && law.controller->sees_contacts(); });
}

std::optional<Actuation::LawSwitch> Actuation::find_law_switch(double from, double to) const {
  std::optional<LawSwitch> first;
  for (const Law& law : laws_) {
    const auto found = law.rate > 0 ? std::nullopt : law.controller->find_switch(from, first ? first->at.after : to);
    if (!found || (first && found->before >= first->at.before && (first->at.is_jump || !found->is_jump))) continue;
    first = LawSwitch{*found, law.controller->kind()};
  }
  return first;
}

void Actuation::set_loads(const ExternalLoads& loads) {
  loads_ = loads;
  for (int dof = 0; dof < scenario_->model.velocity_count(); ++dof) {
    const auto target = loads.targets.empty() ? std::nullopt : loads.targets[static_cast<std::size_t>(dof)];
    for (Law& law : laws_) law.controller->set_target(dof, target);
  }
}

void Actuation::keep_sides(double t, const double* q, const double* v) {
  keeps_sides_ = true;
  if (!has_limits()) return;
  calc_commands(t, q, v, commands_.data());
  const VectorX<double>& limit = scenario_->model.effort_limit();
  for (int i = 0; i < limit.size(); ++i) {
    set_side(i, commands_(i) > limit(i) ? 1 : commands_(i) < -limit(i) ? -1 : 0);
  }
}

double Actuation::calc_margin(int dof, int bound, double command) const {
  const double inside = scenario_->model.effort_limit()(dof) - bound * command;
  return side(dof) == bound ? -inside : inside;
}

std::string Actuation::find_bad_law(double t, const double* q, const double* v) {
  for (Law& law : laws_) {
    shifted_.setZero();
    law.controller->add_efforts(scenario_->model, t, q, v, shifted_.data());
    for (int i = 0; i < shifted_.size(); ++i) {
      if (std::isfinite(shifted_(i))) continue;
      return fmt::format("control '{}' asks joint '{}' for an effort of {} at t = {} s", law.controller->kind(),
                         scenario_->model.dof_name(i), shifted_(i), t);
    }
  }
  return "";
}

std::string Actuation::find_silent_law() const {
  const auto silent = std::find_if(laws_.begin(), laws_.end(), [](const Law& law) { return law.is_silent(); });
  return silent == laws_.end() ? std::string() : std::string(silent->controller->kind());
}

std::vector<std::shared_ptr<const Controller>> Actuation::copy_silent_laws() const {
  std::vector<std::shared_ptr<const Controller>> out;
  for (const Law& law : laws_) {
    if (law.is_silent()) out.push_back(law.controller->clone());
  }
  return out;
}

void Actuation::adopt_silent_laws(std::span<const std::shared_ptr<const Controller>> laws) {
  for (Law& law : laws_) {
    if (!law.is_silent() || laws.empty()) continue;
    law.controller = laws.front()->clone();
    laws = laws.subspan(1);
  }
}

template <class Archive>
void Actuation::archive(Archive& a) {
  for (Law& law : laws_) {
    a(law.next_sample, law.has_sample, law.held);
    const auto memory = law.controller->memory();
    const std::size_t count = a.size(memory ? memory->size() : 0, sizeof(double));
    if (count != (memory ? memory->size() : 0)) throw StateError("it holds a controller with another memory");
    if (memory) a.bytes(memory->data(), memory->size_bytes());
  }
  a(sides_, keeps_sides_);
}
THENAR_INSTANTIATE_ARCHIVE(Actuation);

}  // namespace thenar
