// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_maker_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "thenar/dynamics/kinematics.h"
#include "thenar/engine/sample_maker_internal.h"
#include "thenar/motion/state_energy.h"
#include "thenar/scenario/state_check.h"
#include "thenar/step/step_changes_internal.h"

namespace thenar::internal {
namespace {

/// What touches, as a part of the size of the scene.
constexpr double kTouch = 1e-9;
/// What pressed in the last step touches in this one within so many times the way that the scene's acceleration makes.
constexpr double kReach = 2;
/// Approaches slower than so many times what the scene's acceleration makes in a step do not rebound: the hop would be
/// shorter than a step.
constexpr double kNoHop = 2;
/// Speeds that are rounding, as a part of what belongs to the scene.
constexpr double kAtRest = 1e-9;
/// Gaps that are corrected, as a part of the size of the scene: more than rounding.
constexpr double kGapRounding = 1e-15;

}  // namespace

StepMaker::StepMaker(const Scenario& scenario, const VectorX<double>& start, const Tolerances& tolerances)
    : scenario_(scenario),
      tolerances_(tolerances),
      impacts_(scenario, start, tolerances),
      dynamics_(scenario),
      rows_(scenario, impacts_.joint_rows()),
      names_(scenario.model) {
  for (VectorX<double>* vector : {&v_start_, &change_, &effort_}) vector->setZero(scenario.model.velocity_count());
  Workspace<double> workspace(scenario.model);
  update_positions(scenario.model, start.data(), workspace);
  size_ = rows_.finder().calc_size(workspace);
}

double StepMaker::usual_acceleration() const {
  const Scales& scales = tolerances_.scales();
  return scales.length / (scales.time * scales.time);
}

double StepMaker::calc_reach(double h) const { return kTouch * size_ + kReach * usual_acceleration() * h * h; }

std::string StepMaker::make(const LastStep& last, double t_end, MadeStep& step) {
  const State& state = last.state;
  const double h = step.h = t_end - state.t, rest = kAtRest * tolerances_.scales().length / tolerances_.scales().time;
  step.end.t = t_end;
  v_start_ = state.v;
  dynamics_.place(state, h, state.t + 0.5 * h);
  rows_.find(dynamics_, kTouch * size_, calc_reach(h));
  step.overlap = rows_.deepest();
  rows_.assemble(dynamics_, v_start_, h, rest);
  const double slowest = kNoHop * usual_acceleration() * h;
  const std::string fault = impacts_.resolve(rows_, dynamics_.q_mid(), kTouch * size_, slowest, v_start_, step);
  if (!fault.empty()) return fault;
  if (v_start_ != state.v) {
    step.energy.corrected += dynamics_.calc_jump_work(state.v, v_start_);
    rows_.assemble(dynamics_, v_start_, h, rest);
  }
  push(last.acceleration, step);
  find_positions(step);
  if (!is_good(step.end)) return explain(state, step);
  book_energy(step);
  note_contacts(last, step);
  return {};
}

/// v⁺.
void StepMaker::push(const VectorX<double>& acceleration, MadeStep& step) {
  dynamics_.push(v_start_, v_start_ + 0.5 * step.h * acceleration);
  rows_.set_free_velocity(dynamics_.v_free());
  const StepAnswer& answer = solver_.solve(rows_);
  step.grade = answer.grade;
  step.is_flagged = answer.is_flagged;
  step.end.v = dynamics_.v_free();
  if (answer.z.size() > 0) {
    effort_.setZero();
    rows_.J().add_transposed(answer.z.data(), effort_.data());
    dynamics_.solve(effort_.data(), change_.data());
    step.end.v += change_;
  }
  step.acceleration = (step.end.v - v_start_) / step.h;
}

/// Rows that press, or would overlap at the end of the step, with what is missing to their contact there.
void StepMaker::choose_gaps(double h) {
  chosen_.clear();
  gaps_.clear();
  const VectorX<double>& z = solver_.answer().z;
  const auto choose = [&](int row, double gap, bool presses) {
    const double then = gap + 0.5 * h * solver_.rate_after(rows_, row);
    if (!presses && then >= 0) return;
    chosen_.push_back(row);
    gaps_.push_back(-then);
  };
  for (std::size_t k = 0; k < rows_.joints().size(); ++k) {
    const StepRows::JointEntry& joint = rows_.joints()[k];
    const JointRow& row = joint_rows()[static_cast<std::size_t>(joint.joint_row)];
    if (!row.has_value() || row.kind() == JointRowKind::friction) continue;
    const int i = static_cast<int>(k);
    choose(i, joint.value, row.kind() != JointRowKind::stop || z(i) > 0);
  }
  for (const StepContact& contact : rows_.contacts()) choose(contact.row, contact.place.gap, z(contact.row) > 0);
}

/// q⁺, with gaps closed by the smallest change in the metric of the kinetic energy.
void StepMaker::find_positions(MadeStep& step) {
  const Model& model = scenario_.model;
  State& end = step.end;
  end.q.resize(model.position_count());
  change_ = 0.5 * step.h * end.v;
  integrate_position(model, dynamics_.q_mid().data(), change_.data(), end.q.data());
  choose_gaps(step.h);
  double largest = 0;
  for (const double gap : gaps_) largest = std::max(largest, std::abs(gap));
  if (!(largest > kGapRounding * std::max(1.0, size_))) return;
  const MatrixX<double> A = rows_.problem().A()(chosen_, chosen_);
  VectorX<double> z = Eigen::Map<const VectorX<double>>(gaps_.data(), static_cast<Eigen::Index>(gaps_.size()));
  gaps_solver_.factorize(A);
  gaps_solver_.solve_in_place(z);
  VectorX<double> all = VectorX<double>::Zero(rows_.problem().size());
  all(chosen_) = z;
  effort_.setZero();
  rows_.J().add_transposed(all.data(), effort_.data());
  dynamics_.solve(effort_.data(), change_.data());
  const VectorX<double> still = VectorX<double>::Zero(model.velocity_count());
  State moved{end.t, VectorX<double>(end.q.size()), still};
  integrate_position(model, end.q.data(), change_.data(), moved.q.data());
  step.energy.corrected += calc_energy(model, moved) - calc_energy(model, {end.t, end.q, still});
  end.q = moved.q;
}

/// Friction and contacts take what their impulses do along the mean motion of their rows.
void StepMaker::book_energy(MadeStep& step) {
  const PowerFlow<double> flow = dynamics_.calc_flow(v_start_, step.end.v);
  step.energy.work += flow.work;
  step.energy.dissipated += flow.dissipated;
  const StepAnswer& answer = solver_.answer();
  for (int i = 0; i < rows_.problem().size(); ++i) {
    const double after = solver_.rate_after(rows_, i) - rows_.drift_to_end(i);
    step.energy.dissipated -= answer.z(i) * 0.5 * (rows_.rate_before(i) + after);
  }
}

/// What presses and sticks in this step, for the next one, and what is new.
void StepMaker::note_contacts(const LastStep& last, MadeStep& step) {
  step.contacts = read_contacts({scenario_, tolerances_, rows_, solver_}, step.h, last.contacts, names_);
  add_contact_events(last.contacts, last.is_start, step);
  std::vector<std::uint64_t> pressed, stuck;
  for (const StepContactState& now : step.contacts) {
    if (now.contact.force_on_A.normal > 0) pressed.push_back(now.id);
    if (now.contact.mode != ContactMode::slide) stuck.push_back(now.id);
  }
  step.stops.assign(joint_rows().size(), 0);
  for (std::size_t k = 0; k < rows_.joints().size(); ++k) {
    const auto i = static_cast<std::size_t>(rows_.joints()[k].joint_row);
    const bool presses = solver_.answer().z(static_cast<Eigen::Index>(k)) > 0;
    if (joint_rows()[i].kind() != JointRowKind::stop || !presses) continue;
    step.stops[i] = 1;
    pressed.push_back(i);
  }
  rows_.note(std::move(pressed), std::move(stuck));
}

std::string StepMaker::explain(const State& state, const MadeStep& step) {
  const std::string bad = find_bad_effort(scenario_, actuation(), state.t + 0.5 * step.h, state);
  if (!bad.empty()) return bad;
  return fmt::format("{}; the motion ran away: a shorter step may help", find_bad_entry(scenario_.model, step.end));
}

}  // namespace thenar::internal
