// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/simulate/forces.h"

namespace thenar {
namespace {

using Clock = std::chrono::steady_clock;

/// A speed (rad/s, m/s) that no hand reaches: the state has blown up even if it is still a number.
constexpr double kLargestSpeed = 1e12;
constexpr int kStepsPerProgress = 256;
/// Slack in counting steps: 0.01 / 0.001 may come out as 10.000000000000002 and still means 10.
constexpr double kCountSlack = 1e-9;

long long count_parts(double whole, double part) {
  return std::max(1LL, static_cast<long long>(std::ceil(whole / part * (1 - kCountSlack))));
}

void check_scenario(const Scenario& s) {
  if (const std::string fault = s.run.find_fault(); !fault.empty()) throw std::invalid_argument(fault);
  if (s.initial.q.size() != s.model.position_count() || s.initial.v.size() != s.model.velocity_count()) {
    throw std::invalid_argument(
        fmt::format("the initial state has {} positions and {} velocities, the model needs {} and {}",
                    s.initial.q.size(), s.initial.v.size(), s.model.position_count(), s.model.velocity_count()));
  }
  if (!s.initial.q.allFinite() || !s.initial.v.allFinite()) {
    throw std::invalid_argument("the initial state must consist of finite numbers");
  }
  for (const TorqueProfile& torque : s.torques) {
    if (torque.dof < 0 || torque.dof >= s.model.velocity_count()) {
      throw std::invalid_argument(fmt::format("there is no degree of freedom {} to drive", torque.dof));
    }
  }
  for (const WrenchProfile& wrench : s.wrenches) {
    if (wrench.body.value() >= s.model.body_count())
      throw std::invalid_argument("a wrench acts on a body that is not there");
  }
  if (const auto fault = find_inertia_fault(s.model, s.initial.q)) throw std::invalid_argument(fault->message);
}

/// "joint 'hand.wrist'" or "body 'box'": what the user calls the owner of a bad number.
std::string owner_name(const Model& model, const Joint& joint) {
  const bool floats = joint.spec.kind == JointKind::free || joint.spec.kind == JointKind::planar;
  return floats ? fmt::format("body '{}'", model.body(joint.child).name) : fmt::format("joint '{}'", joint.spec.name);
}

/// Describes the first entry of q or v that is not finite or too fast; empty when all is well.
std::string find_bad_entry(const Model& model, const State& state) {
  for (const Joint& joint : model.joints()) {
    for (int i = joint.q_start; i < joint.q_start + joint.nq; ++i) {
      if (!std::isfinite(state.q(i)))
        return fmt::format("the position of {} is {}", owner_name(model, joint), state.q(i));
    }
    for (int i = joint.v_start; i < joint.v_start + joint.nv; ++i) {
      if (!(std::abs(state.v(i)) < kLargestSpeed)) {
        return fmt::format("the velocity of {} is {}", owner_name(model, joint), state.v(i));
      }
    }
  }
  return {};
}

bool is_good(const State& state) {
  // One comparison per number; NaN fails it.
  for (const double q : state.q) {
    if (!(std::abs(q) <= std::numeric_limits<double>::max())) return false;
  }
  for (const double v : state.v) {
    if (!(std::abs(v) < kLargestSpeed)) return false;
  }
  return true;
}

/// The loop over rows and steps, with what it needs at hand.
class Run {
 public:
  Run(const Scenario& scenario, const RunCallbacks& callbacks)
      : scenario_(scenario),
        callbacks_(callbacks),
        forces_(scenario),
        scratch_(scenario.model),
        state_(scenario.initial) {
    state_.t = 0;
    sample_.tau.setZero(scenario.model.velocity_count());
    report_.first = report_.last = next_ = state_;
    report_.q_min = report_.q_max = state_.q;
  }

  RunReport execute() {
    const auto start = Clock::now();
    report_.energy.start = calc_energy(scenario_.model, state_);
    advance_to_end();
    report_.last = state_;
    report_.energy.end = calc_energy(scenario_.model, state_);
    report_.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
    return report_;
  }

 private:
  void advance_to_end() {
    const RunOptions& run = scenario_.run;
    const long long rows = count_parts(run.until, run.sample);
    if (!emit_sample()) return;
    for (long long k = 0; k < rows; ++k) {
      const double from = static_cast<double>(k) * run.sample;
      const double to = k + 1 == rows ? run.until : static_cast<double>(k + 1) * run.sample;
      const bool arrived = advance(from, to);
      // What was reached is worth a row, even if it is not where the run was to go.
      if (arrived || state_.t > from) {
        if (!emit_sample()) return;
      }
      if (!arrived) return;
    }
    if (callbacks_.on_progress) callbacks_.on_progress(state_.t);
  }

  /// Steps of equal length from one row to the next. False when the run must end.
  bool advance(double from, double to) {
    const long long count = count_parts(to - from, scenario_.run.step);
    const double h = (to - from) / static_cast<double>(count);
    for (long long i = 0; i < count; ++i) {
      const double t_next = i + 1 == count ? to : from + static_cast<double>(i + 1) * h;
      if (!step(h, t_next)) return false;
      if (callbacks_.interrupt && callbacks_.interrupt->load(std::memory_order_relaxed)) {
        if (i + 1 == count && to == scenario_.run.until) return true;
        return end(RunStatus::interrupted, fmt::format("interrupted at t = {:.6g} s", state_.t));
      }
      if (callbacks_.on_progress && report_.steps % kStepsPerProgress == 0) callbacks_.on_progress(state_.t);
    }
    return true;
  }

  bool step(double h, double t_next) {
    next_.q = state_.q;
    next_.v = state_.v;
    next_.t = t_next;
    const EnergyFlow<double> flow =
        rk4_step(scenario_.model, state_.t, h, next_.q.data(), next_.v.data(), forces_, scratch_);
    if (!is_good(next_)) return end(RunStatus::failed, explain_failure(h));
    std::swap(state_, next_);
    ++report_.steps;
    report_.energy.work += flow.work;
    report_.energy.dissipated += flow.dissipated;
    report_.q_min = report_.q_min.cwiseMin(state_.q);
    report_.q_max = report_.q_max.cwiseMax(state_.q);
    return true;
  }

  /// Why the step from state_ gave the bad state next_: a force that is not finite, or motion that ran away.
  std::string explain_failure(double h) const {
    const std::string where =
        fmt::format("in step {} (t = {:.9g} s to {:.9g} s)", report_.steps + 1, state_.t, next_.t);
    for (const double t : {state_.t, state_.t + 0.5 * h, state_.t + h}) {
      const std::string bad = find_bad_profile(scenario_, t);
      if (!bad.empty()) return bad + " " + where;
    }
    return fmt::format("{} {}; the motion ran away, a shorter 'step' may help", find_bad_entry(scenario_.model, next_),
                       where);
  }

  bool emit_sample() {
    forces_.calc_efforts(state_.t, sample_.tau.data());
    if (!sample_.tau.allFinite()) return end(RunStatus::failed, find_bad_profile(scenario_, state_.t));
    sample_.state = state_;
    if (callbacks_.on_sample && !callbacks_.on_sample(sample_)) {
      return end(RunStatus::failed, fmt::format("stopped by its caller at t = {:.6g} s", state_.t));
    }
    ++report_.rows;
    return true;
  }

  /// Sets how the run ended, once; always false, for `return end(...)`.
  bool end(RunStatus status, const std::string& reason) {
    if (report_.status == RunStatus::done) {
      report_.status = status;
      report_.reason = reason;
    }
    return false;
  }

  const Scenario& scenario_;
  const RunCallbacks& callbacks_;
  ScenarioForces<double> forces_;
  Rk4Scratch<double> scratch_;
  State state_, next_;
  Sample sample_;
  RunReport report_;
};

}  // namespace

const char* to_string(RunStatus status) { return status == RunStatus::done ? "done" : "failed"; }

double calc_energy(const Model& model, const State& state) {
  Workspace<double> workspace(model);
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, state.v.data(), workspace);
  return calc_kinetic_energy(model, workspace, state.v.data()) + calc_gravity_energy(model, workspace) +
         calc_spring_energy(model, state.q.data());
}

RunReport simulate(const Scenario& scenario, const RunCallbacks& callbacks) {
  check_scenario(scenario);
  return Run(scenario, callbacks).execute();
}

Trace record(const Scenario& scenario) {
  Trace trace;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    trace.samples.push_back(sample);
    return true;
  };
  trace.report = simulate(scenario, callbacks);
  return trace;
}

}  // namespace thenar
