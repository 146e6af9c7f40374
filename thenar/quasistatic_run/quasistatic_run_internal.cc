// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_run_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/flat_rim_internal.h"
#include "thenar/instant/row_assembly_internal.h"
#include "thenar/motion/forces.h"
#include "thenar/trace/quasistatic_end.h"

namespace thenar::internal {
namespace {

using Vector = VectorX<double>;

/// A list of modes has clearly ended where a slip or the forces' reserve is so far beyond its bound.
constexpr double kClear = 1e-5;
/// How far behind an event the question is asked at most, as a part of the longest step.
constexpr double kFarthestLook = 1e-2;
/// Nodes of a search at an instant: seconds.
constexpr long long kMostNodes = 200'000;
/// Changes of modes within a moment before the run gives up, and how long a moment is, as a part of the run.
constexpr int kMostSlowChanges = 40;
constexpr double kMoment = 1e-9;
/// Joints nearer to a stop than this are on it, rad or m.
constexpr double kSlowOnStop = 1e-9;
/// Velocities that differ by less than this part are the same.
constexpr double kNoSlowJump = 1e-9;

}  // namespace

QuasistaticRun::QuasistaticRun(const Scenario& scenario, const State& start, const RunTaps& taps)
    : scenario_(scenario),
      taps_(taps),
      tolerances_(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
      motion_(scenario, tolerances_),
      step_(scenario, motion_, tolerances_),
      choice_(scenario, tolerances_, motion_, step_),
      sampler_(scenario, motion_, tolerances_, report_),
      finder_(scenario.model, scenario.shapes, find_contact_rules(scenario)),
      laws_(scenario.model, find_contact_rules(scenario)),
      names_(scenario.model),
      changes_between_(scenario, motion_),
      events_(scenario.model, motion_.stops(), taps.on_event),
      workspace_(scenario.model),
      profiles_(scenario),
      state_(start),
      horizon_(start.t + scenario.run.until) {
  report_.first = report_.last = state_;
  report_.q_min = report_.q_max = state_.q;
}

bool QuasistaticRun::begin() {
  has_begun_ = true;
  if (staged_loads_) {
    motion_.assembler().set_loads(*staged_loads_);
    profiles_.set_loads(*std::exchange(staged_loads_, std::nullopt));
  }
  motion_.assembler().place_driven(state_.t, state_.q);
  state_.v.setZero();
  report_.first = state_;
  find_next_switch();
  const bool is_settled = settle({});
  report_.first = state_;
  report_.energy.start = sampler_.calc_potential(state_.q);
  sampler_.note_extremes(state_.q);
  return is_settled;
}

const RunReport& QuasistaticRun::report() {
  report_.steps = step_.steps();
  report_.rejected_steps = step_.rejected();
  report_.evaluations = motion_.evaluations();
  report_.events = events_.counts();
  report_.last = state_;
  report_.energy.end = sampler_.calc_potential(state_.q);
  if (!report_.verdicts.empty()) report_.verdicts.back().to = state_.t;
  return report_;
}

// --- From event to event ----------------------------------------------------------------------------------------

AdvanceEnd QuasistaticRun::advance(const AdvanceLimits& limits) {
  if (due_ && !settle(std::exchange(due_, std::nullopt)->at)) return due_ ? AdvanceEnd::interrupted : ended_by_;
  if (staged_loads_ && !(cut_here() && apply_loads())) return due_ ? AdvanceEnd::interrupted : ended_by_;
  const AdvanceMeter meter(limits, steps(), events());
  while (!has_ended() && time() < limits.t) {
    if (pending_ && limits.t < step_.t_end(pending_->theta)) {
      look_inside(limits.t);
      return AdvanceEnd::reached;
    }
    if (!pending_ && is_interrupted()) return AdvanceEnd::interrupted;
    if (!(pending_ ? commit() : prepare())) return due_ ? AdvanceEnd::interrupted : ended_by_;
    if (pending_) continue;
    const AdvanceEnd end = meter.check(steps(), events());
    if (end != AdvanceEnd::reached) return end;
  }
  return ended_by_;
}

/// Where the next step must end at the latest.
double QuasistaticRun::next_limit() const {
  double limit = horizon_;
  if (switch_) limit = std::min(limit, switch_->at.before);
  for (const AppliedWrench& wrench : profiles_.loads().wrenches) limit = std::min(limit, wrench.until);
  return limit;
}

/// Makes the next step and finds what ends it, or passes what is due without one.
bool QuasistaticRun::prepare() {
  if (state_.t >= horizon_) {
    horizon_ += scenario_.run.until;
    if (!switch_) find_next_switch();
  }
  const double t_limit = next_limit();
  if (!(t_limit > state_.t)) return pass_loads() && pass_switch();
  if (!step_.step(t_limit)) {
    return end(AdvanceEnd::failed,
               fmt::format("no step succeeds at t = {:.9g} s: contacts cannot be followed", state_.t));
  }
  step_.look();
  std::optional<QuasistaticCrossing> crossing = step_.find_crossing();
  while (!step_.has_smooth_powers() && step_.shorten()) {
    step_.look();
    crossing = step_.find_crossing();
  }
  pending_ = PendingStep{crossing ? crossing->theta : 1, std::move(crossing)};
  return true;
}

/// Takes the pending step and passes the event at its end.
bool QuasistaticRun::commit() {
  const PendingStep pending = *std::exchange(pending_, std::nullopt);
  is_inside_ = false;
  take(pending.theta);
  if (!state_.q.allFinite()) {
    return end(AdvanceEnd::not_finite, fmt::format("positions are not finite at t = {:.9g} s", state_.t));
  }
  if (pending.crossing && !settle(pending.crossing)) return false;
  return pass_loads() && pass_switch();
}

/// The step, up to theta, is done.
void QuasistaticRun::take(double theta) {
  const StepPoint energy = step_.calc_energy(theta);
  report_.energy.work += energy.work;
  report_.energy.dissipated += energy.dissipated;
  step_.accept(theta);
  state_.t = step_.t();
  state_.q = step_.q();
  motion_.evaluate(state_.t, state_.q);
  state_.v = motion_.v();
  sampler_.note_extremes(state_.q);
}

/// The present state becomes the end of a step that is taken; what was made of it besides is given up.
bool QuasistaticRun::cut_here() {
  if (std::exchange(is_inside_, false)) {
    take((view_.t - step_.t()) / step_.h());
    state_.t = view_.t;
  }
  pending_.reset();
  return true;
}

void QuasistaticRun::change_loads(const ExternalLoads& loads) {
  staged_loads_ = loads;
  if (!has_ended()) return;
  ended_by_ = AdvanceEnd::reached;
  report_.status = RunStatus::done;
  report_.reason.clear();
  report_.quasistatic_end.reset();
}

bool QuasistaticRun::apply_loads() {
  motion_.assembler().set_loads(*staged_loads_);
  profiles_.set_loads(*std::exchange(staged_loads_, std::nullopt));
  find_next_switch();
  return settle({});
}

bool QuasistaticRun::pass_loads() {
  const auto is_over = [this](const AppliedWrench& wrench) { return state_.t >= wrench.until; };
  const std::vector<AppliedWrench>& wrenches = profiles_.loads().wrenches;
  if (std::none_of(wrenches.begin(), wrenches.end(), is_over)) return true;
  staged_loads_ = profiles_.loads();
  std::erase_if(staged_loads_->wrenches, is_over);
  return apply_loads();
}

void QuasistaticRun::find_next_switch() { switch_ = find_profile_switch(scenario_, profiles_, state_.t, horizon_); }

bool QuasistaticRun::pass_switch() {
  if (!switch_ || state_.t < switch_->at.before || switch_->at.after > horizon_) return true;
  state_.t = switch_->at.after;
  motion_.project(state_.t, state_.q);
  if (switch_->is_jump) {
    for (const ProfileSwitch::Change& change : switch_->changes) events_.write_switch(state_.t, change);
  }
  find_next_switch();
  return settle({});
}

// --- One instant ------------------------------------------------------------------------------------------------

/// The list of modes of what follows. False when the motion ends, or was interrupted.
bool QuasistaticRun::settle(const std::optional<QuasistaticCrossing>& at) {
  if (!note_progress(at)) return false;
  changes_between_.begin();
  if (has_settled_) before_ = sampler_.make(state_, 0, 0);
  const bool is_geometric = !at || at->is_geometric();
  if (is_geometric && !find_contacts()) return false;
  const double t_asked = is_geometric ? find_time_asked() : 0;
  const QuasistaticChoice::Place place = is_geometric ? QuasistaticChoice::Place{t_asked, state_.q} : look_behind();
  if (!motion_.update(place.t, place.q)) {
    return end(AdvanceEnd::failed, fmt::format("a contact cannot be followed at t = {:.9g} s", state_.t));
  }
  const QuasistaticProblem problem = motion_.problem();
  QuasistaticOptions options{.all = true, .most_nodes = kMostNodes};
  if (taps_.interrupt != nullptr) options.goes_on = [this](long long) { return !is_interrupted(); };
  QuasistaticAnswer answer = solve_quasistatic(problem, options);
  if (is_interrupted()) {
    due_ = DueSettle{at};
    return false;
  }
  note_verdict(answer);
  if (!choice_.choose(state_.t, place, problem, answer)) {
    keep_end(place.t, problem, std::move(answer));
    return end(choice_.cause(), choice_.reason());
  }
  motion_.evaluate(state_.t, state_.q);
  return report_change(at);
}

bool QuasistaticRun::note_progress(const std::optional<QuasistaticCrossing>& at) {
  if (state_.t > moment_ + kMoment * scenario_.run.until) {
    moment_ = state_.t;
    changes_ = 0;
  }
  if (++changes_ <= kMostSlowChanges) return true;
  return end(AdvanceEnd::failed, fmt::format("contacts change their modes again and again at t = {:.9g} s{}", state_.t,
                                             at ? fmt::format(" (the last one: '{}')", at->name) : ""));
}

/// What touches here; bodies that have just met are put on each other. Contacts that last keep their axes.
bool QuasistaticRun::find_contacts() {
  std::vector<HeldContact> old = motion_.contacts();
  const double size = step_.size();
  const double touch = is_first_ ? ContactTolerances(size).touch() : calc_touch(scenario_.run.tolerance, size);
  update_positions(scenario_.model, state_.q.data(), workspace_);
  update_velocities(scenario_.model, Vector::Zero(scenario_.model.velocity_count()).eval().data(), workspace_);
  finder_.update(workspace_, touch);
  std::vector<FoundContact> places;
  std::vector<HeldContact> contacts;
  try {
    for (FoundContact found : finder_.contacts()) {
      if (found.gap < -ContactTolerances(size).touch()) {
        return end(AdvanceEnd::failed, fmt::format("'{}' overlap by {:.3g} m at t = {:.9g} s",
                                                   contact_name(scenario_.model, found), -found.gap, state_.t));
      }
      for (HeldContact& known : old) {
        if (!is_same(known.found(), found) || !known.update(workspace_)) continue;
        const ContactFrame<double> frame = carry_frame(known.frame(), found.N);
        found.T = frame.T;
        found.U = frame.U;
      }
      HeldContact contact(scenario_.model, workspace_, finder_, found, laws_.find_law(found.body_A, found.body_B),
                          ContactHold::rolling, 0);
      if (contact.is_immovable()) continue;
      places.push_back(found);
      contacts.push_back(std::move(contact));
    }
  } catch (const std::runtime_error& error) {
    return end(AdvanceEnd::failed, fmt::format("{} at t = {:.9g} s", error.what(), state_.t));
  }
  const std::vector<std::string> names = names_.update(places);
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].set_name(names[i]);
  std::vector<int> stops;
  for (std::size_t i = 0; i < motion_.stops().size(); ++i) {
    if (std::abs(motion_.stops()[i].calc_value(state_.q.data())) <= kSlowOnStop) stops.push_back(static_cast<int>(i));
  }
  motion_.set_contacts(std::move(contacts), std::move(stops));
  motion_.project(state_.t, state_.q);
  is_first_ = false;
  return true;
}

/// The time whose drives decide: now, or a little later where everything that is driven is at rest now and will not
/// be.
double QuasistaticRun::find_time_asked() const {
  if (is_driven(state_.t)) return state_.t;
  double t_end = horizon_;
  if (switch_) t_end = std::min(t_end, switch_->at.before);
  const double later = state_.t + 1e-3 * (t_end - state_.t);
  return is_driven(later) ? later : state_.t;
}

/// Where the old list of modes would be, so much later that it is clearly none any more.
QuasistaticChoice::Place QuasistaticRun::look_behind() {
  const Vector v = motion_.v();
  Vector q(state_.q);
  double t = state_.t;
  double t_end = horizon_;
  if (switch_) t_end = std::min(t_end, switch_->at.before);
  for (double part = QuasistaticChoice::kFirstLook; part <= kFarthestLook; part *= 4) {
    const double dt = std::min(part * step_.longest_step(), t_end - state_.t);
    t = state_.t + dt;
    const Vector dq = dt * v;
    integrate_position(scenario_.model, state_.q.data(), dq.data(), q.data());
    motion_.project(t, q);
    if (!motion_.evaluate(t, q)) break;
    const std::vector<double> slips = motion_.list_strict();
    const double least = slips.empty() ? 1 : *std::min_element(slips.begin(), slips.end());
    if (motion_.reserve() < -kClear || least < -kClear * motion_.speed_scale()) break;
  }
  return {t, q};
}

/// The question that the motion has ended with.
void QuasistaticRun::keep_end(double t, const QuasistaticProblem& problem, QuasistaticAnswer answer) {
  auto kept = std::make_shared<QuasistaticEnd>();
  kept->t = t;
  kept->problem = problem;
  kept->answer = std::move(answer);
  for (int i = 0; i < problem.contact_count(); ++i)
    kept->contacts.push_back(choice_.row_name(static_cast<std::size_t>(i)));
  for (const int dof : motion_.assembler().object_dofs()) kept->objects.push_back(scenario_.model.dof_name(dof));
  for (const int dof : motion_.assembler().joint_dofs()) kept->joints.push_back(scenario_.model.dof_name(dof));
  report_.quasistatic_end = std::move(kept);
  motion_.clear_modes();
  state_.v.setZero();
}

// --- What is reported -------------------------------------------------------------------------------------------

void QuasistaticRun::note_verdict(const QuasistaticAnswer& answer) {
  Verdict verdict = Verdict::undecided;
  switch (answer.verdict) {
    case QuasistaticVerdict::unique:
      verdict = answer.solutions.front().forces_unique ? Verdict::unique : Verdict::unique_motion;
      break;
    case QuasistaticVerdict::several:
      verdict = Verdict::several;
      break;
    case QuasistaticVerdict::none:
      verdict = Verdict::none;
      break;
    case QuasistaticVerdict::undecided:
      break;
  }
  std::vector<VerdictInterval>& verdicts = report_.verdicts;
  const bool determinate = verdict == Verdict::unique;
  if (!verdicts.empty()) {
    verdicts.back().to = state_.t;
    if (verdicts.back().verdict == verdict) return;
    if (verdicts.back().from == state_.t) verdicts.pop_back();
  }
  verdicts.push_back({state_.t, state_.t, verdict, determinate});
}

/// Samples before and after a jump of velocities, and the events between them.
bool QuasistaticRun::report_change(const std::optional<QuasistaticCrossing>& at) {
  const Vector jump = motion_.v() - state_.v;
  const double fastest = std::max(motion_.v().cwiseAbs().maxCoeff(), state_.v.cwiseAbs().maxCoeff());
  const bool jumps = has_settled_ && jump.cwiseAbs().maxCoeff() > kNoSlowJump * fastest;
  if (jumps && last_jump_ < state_.t && !tap(before_)) return false;
  if (jumps) last_jump_ = state_.t;
  if (has_settled_) {
    for (const Event& event : changes_between_.list(state_.t, at)) events_.write(event);
  }
  has_settled_ = true;
  state_.v = motion_.v();
  step_.start(state_.t, state_.q);
  return !jumps || tap(look_at_present());
}

/// Nothing that is looked at leaves a trace in the motion.
Sample QuasistaticRun::look_at_present() {
  const QuasistaticMotion::Memory memory = motion_.remember();
  motion_.evaluate(state_.t, state_.q);
  Sample out = sampler_.make(state_, 0, 0);
  motion_.recall(memory);
  return out;
}

const Sample* QuasistaticRun::make_sample() {
  if (!is_inside_) {
    sample_ = look_at_present();
    return &sample_;
  }
  const QuasistaticMotion::Memory memory = motion_.remember();
  const double part = (view_.t - step_.t()) / step_.h();
  step_.interpolate(part);
  const StepPoint energy = step_.calc_energy(part);
  sample_ = sampler_.make({view_.t, view_.q, state_.v}, energy.work, energy.dissipated);
  motion_.recall(memory);
  sampler_.note_extremes(view_.q);
  return &sample_;
}

void QuasistaticRun::look_inside(double t) {
  const QuasistaticMotion::Memory memory = motion_.remember();
  is_inside_ = true;
  const StepPoint& point = step_.interpolate((t - step_.t()) / step_.h());
  view_ = {t, point.q, point.v};
  motion_.recall(memory);
}

/// What would happen next with inertia.
Instant QuasistaticRun::solve_present(const InstantOptions& options) {
  InstantOptions now = options;
  now.time = time();
  AssemblyContext context(scenario_, state());
  context.motion().set_loads(profiles_.loads());
  return thenar::internal::solve_instant(context, state(), now);
}

bool QuasistaticRun::tap(const Sample& sample) {
  if (!taps_.on_jump || taps_.on_jump(sample)) return true;
  return end(AdvanceEnd::stopped, fmt::format("stopped by its caller at t = {:.6g} s", sample.state.t));
}

// --- How it ends ------------------------------------------------------------------------------------------------

bool QuasistaticRun::is_interrupted() const {
  if (taps_.on_progress) taps_.on_progress(state_.t);
  return taps_.interrupt != nullptr && taps_.interrupt->load(std::memory_order_relaxed);
}

bool QuasistaticRun::end(AdvanceEnd why, const std::string& reason) {
  if (has_ended()) return false;
  ended_by_ = why;
  report_.status = RunStatus::failed;
  report_.reason = reason;
  return false;
}

template <class Archive>
void QuasistaticRun::archive(Archive& a) {
  ExternalLoads loads = profiles_.loads();
  a(loads);
  if constexpr (Archive::kReads) {
    profiles_.set_loads(loads);
    motion_.assembler().set_loads(loads);
  }
  a(motion_, step_, report_, sampler_, finder_, names_, events_, has_begun_, ended_by_, staged_loads_);
  char has_pending = pending_ ? 1 : 0, has_due = due_ ? 1 : 0;
  a(has_pending, has_due);
  if constexpr (Archive::kReads) {
    pending_.reset();
    due_.reset();
    if (has_pending != 0) pending_ = PendingStep();
    if (has_due != 0) due_.emplace();
  }
  if (pending_) a(pending_->theta, pending_->crossing);
  if (due_) a(due_->at);
  a(state_, view_, is_inside_, horizon_, last_jump_, moment_, changes_, is_first_, has_settled_);
  if constexpr (Archive::kReads) {
    if (has_begun_) find_next_switch();
  }
}
THENAR_INSTANTIATE_ARCHIVE(QuasistaticRun);

}  // namespace thenar::internal
