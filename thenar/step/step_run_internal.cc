// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_run_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/motion/state_energy.h"
#include "thenar/scenario/state_check.h"
#include "thenar/step/step_question_internal.h"

namespace thenar::internal {
namespace {

constexpr int kStepsPerProgress = 1024;
/// Nodes that the search for other answers may take where a verdict is asked for.
constexpr long long kVerdictNodes = 400;

}  // namespace

StepRun::StepRun(const Scenario& scenario, const State& start, const RunTaps& taps)
    : scenario_(scenario),
      taps_(taps),
      tolerances_(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
      maker_(scenario, start.q, tolerances_),
      events_(scenario.model, maker_.joint_rows(), taps.on_event),
      sampler_(scenario),
      grid_(scenario.run),
      state_(start) {
  acceleration_.setZero(scenario.model.velocity_count());
  stops_.assign(maker_.joint_rows().size(), 0);
  report_.first = report_.last = state_;
  report_.q_min = report_.q_max = state_.q;
  energy().start = calc_energy(scenario.model, state_);
}

bool StepRun::begin() {
  has_begun_ = true;
  if (staged_loads_) maker_.set_loads(*std::exchange(staged_loads_, std::nullopt));
  return pass_due();
}

const RunReport& StepRun::report() {
  if (!report_.verdicts.empty()) report_.verdicts.back().to = state_.t;
  report_.last = state_;
  energy().end = calc_energy(scenario_.model, state_);
  report_.events = events_.counts();
  return report_;
}

// --- From step to step -----------------------------------------------------------------------------------------------

AdvanceEnd StepRun::advance(const AdvanceLimits& limits) {
  const AdvanceMeter meter(limits, steps(), events());
  while (!has_ended() && time() < limits.t) {
    if (made_ && limits.t < made_->end.t) {
      look_inside(limits.t);
      return AdvanceEnd::reached;
    }
    if (!made_) {
      if (taps_.on_progress && report_.steps % kStepsPerProgress == 0) taps_.on_progress(state_.t);
      if (taps_.interrupt != nullptr && taps_.interrupt->load(std::memory_order_relaxed)) {
        return AdvanceEnd::interrupted;
      }
    }
    if (!(made_ ? commit() : prepare())) return ended_by_;
    if (made_) continue;
    const AdvanceEnd end = meter.check(steps(), events());
    if (end != AdvanceEnd::reached) return end;
  }
  return ended_by_;
}

bool StepRun::prepare() {
  std::string fault;
  made_.emplace();
  try {
    const double t_end = grid_.next_step_time(state_.t, grid_.first_after(state_.t));
    fault = maker_.make({state_, acceleration_, contacts_, report_.steps == 0}, t_end, *made_);
  } catch (const NoInstantError& error) {
    fault = error.what();
  }
  if (fault.empty()) return true;
  const bool is_finite = is_good(made_->end);
  made_.reset();
  return end(is_finite ? AdvanceEnd::failed : AdvanceEnd::not_finite,
             fmt::format("{} in the step after t = {:.9g} s", fault, state_.t));
}

/// The step that was made is taken.
bool StepRun::commit() {
  MadeStep made = std::move(*made_);
  made_.reset();
  is_inside_ = false;
  state_ = std::move(made.end);
  acceleration_ = std::move(made.acceleration);
  ++report_.steps;
  ++report_.evaluations;
  report_.flagged_steps += made.is_flagged ? 1 : 0;
  report_.worst_grade = std::max(report_.worst_grade, made.grade);
  report_.max_gap_violation = std::max(report_.max_gap_violation, made.overlap);
  report_.q_min = report_.q_min.cwiseMin(state_.q);
  report_.q_max = report_.q_max.cwiseMax(state_.q);
  energy().work += made.energy.work;
  energy().dissipated += made.energy.dissipated;
  energy().corrected += made.energy.corrected;
  contacts_ = std::move(made.contacts);
  for (Event& event : made.events) events_.write(event);
  for (std::size_t i = 0; i < made.stops.size(); ++i) {
    if (made.stops[i] == stops_[i]) continue;
    if (made.stops[i] != 0) {
      events_.write_rest(state_.t, static_cast<int>(i), 0);
    } else {
      events_.write_throw(state_.t, static_cast<int>(i), 0);
    }
  }
  stops_ = std::move(made.stops);
  return pass_due();
}

/// Whether the motion from here on is the only one.
void StepRun::ask_verdict() {
  next_verdict_ = state_.t + *scenario_.run.verdicts * (1 - 1e-9);
  VerdictInterval now{.from = state_.t, .to = state_.t, .verdict = Verdict::undecided, .determinate = false};
  try {
    InstantOptions options;
    options.margins = false;
    options.search.most_nodes = kVerdictNodes;
    options.search.is_brief = true;
    const Instant instant = solve_present(options);
    now.verdict = instant.verdict;
    now.determinate = instant.determinate;
  } catch (const NoInstantError&) {  // something is about to strike
  }
  if (!report_.verdicts.empty()) report_.verdicts.back().to = state_.t;
  report_.verdicts.push_back(now);
}

/// Loads that change or end, and samples of controllers: between two steps.
bool StepRun::pass_due() {
  if (scenario_.run.verdicts && scenario_.contacts && state_.t >= next_verdict_) ask_verdict();
  if (staged_loads_) maker_.set_loads(*std::exchange(staged_loads_, std::nullopt));
  ExternalLoads loads = maker_.actuation().loads();
  const auto is_over = [this](const AppliedWrench& wrench) { return state_.t >= wrench.until; };
  if (std::erase_if(loads.wrenches, is_over) > 0) maker_.set_loads(loads);
  if (state_.t < maker_.actuation().next_sample()) return true;
  ControlInput now{state_.t, state_.q.data(), state_.v.data()};
  if (scenario_.contacts && maker_.actuation().needs_contacts(state_.t)) {
    const Sample* const sample = sampler_.make(state_, contacts_, energy(), maker_.actuation());
    if (sample == nullptr) return end(AdvanceEnd::not_finite, sampler_.fault());
    now.contacts = sample->contacts;
  }
  report_.control_samples += maker_.actuation().take_samples(now);
  return true;
}

// --- What is seen and set --------------------------------------------------------------------------------------------

/// Positions of each half of the step, velocities between its ends.
void StepRun::look_inside(double t) {
  const MadeStep& made = *made_;
  const double part = (t - state_.t) / made.h;
  is_inside_ = true;
  view_.t = t;
  view_.v = (1 - part) * state_.v + part * made.end.v;
  view_.q.resize(state_.q.size());
  const bool is_first = part <= 0.5;
  const VectorX<double> way =
      is_first ? VectorX<double>(part * made.h * state_.v) : VectorX<double>((part - 1) * made.h * made.end.v);
  integrate_position(scenario_.model, (is_first ? state_ : made.end).q.data(), way.data(), view_.q.data());
}

const Sample* StepRun::make_sample() {
  const Sample* const sample =
      sampler_.make(state(), is_inside_ ? made_->contacts : contacts_, energy(), maker_.actuation());
  if (sample == nullptr) end(AdvanceEnd::not_finite, sampler_.fault());
  return sample;
}

void StepRun::change_loads(const ExternalLoads& loads) {
  staged_loads_ = loads;
  if (!made_ && has_begun_) pass_due();
  if (!has_ended()) return;
  ended_by_ = AdvanceEnd::reached;
  report_.status = RunStatus::done;
  report_.reason.clear();
}

/// Parameters change on the grid: the step that was made is taken.
void StepRun::take_present() {
  if (made_) commit();
}

Instant StepRun::solve_present(const InstantOptions& options) {
  InstantOptions now = options;
  now.time = time();
  State present = state();
  AssemblyContext context(scenario_, present);
  context.motion().actuation().take_over(maker_.actuation());
  context.motion().set_loads(maker_.actuation().loads());
  context.obeys_declared = false;
  const double h = scenario_.run.step.value_or(RunOptions::kDefaultFixedStep);
  put_in_touch(context, is_inside_ ? made_->contacts : contacts_, stops_, maker_.calc_reach(h), present);
  return internal::solve_instant(context, present, now);
}

bool StepRun::end(AdvanceEnd why, const std::string& reason) {
  if (has_ended()) return false;
  ended_by_ = why;
  report_.status = RunStatus::failed;
  report_.reason = reason;
  return false;
}

template <class Archive>
void StepRun::archive(Archive& a) {
  ExternalLoads loads = maker_.actuation().loads();
  a(loads);
  if constexpr (Archive::kReads) maker_.set_loads(loads);
  a(maker_, events_, report_, state_, view_, is_inside_, acceleration_);
  a(contacts_, stops_, staged_loads_, has_begun_, ended_by_, next_verdict_);
  char has_made = made_ ? 1 : 0;
  a(has_made);
  if constexpr (Archive::kReads) {
    made_.reset();
    if (has_made != 0) made_.emplace();
  }
  if (made_) a(*made_);
}
THENAR_INSTANTIATE_ARCHIVE(StepRun);

}  // namespace thenar::internal
