// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_run_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/engine/sample_maker_internal.h"
#include "thenar/instant/contact_impact.h"
#include "thenar/motion/state_energy.h"
#include "thenar/scenario/state_check.h"

namespace thenar::internal {
namespace {

constexpr int kStepsPerProgress = 1024;
/// Rounds of impacts in one step.
constexpr int kMostImpacts = 20;
/// What touches, as a part of the size of the scene.
constexpr double kTouch = 1e-9;
/// What pressed in the last step touches in this one within so many times the way that the scene's acceleration makes.
constexpr double kReach = 2;
/// Approaches slower than so many times what the scene's acceleration makes in a step do not rebound: the hop would be
/// shorter than a step.
constexpr double kNoHop = 2;
/// Nodes that the search for other answers may take where a verdict is asked for.
constexpr long long kVerdictNodes = 400;
/// Gaps that are corrected, as a part of the size of the scene: more than rounding.
constexpr double kGapRounding = 1e-15;

/// Numbers that events of steps have, by name and unit.
constexpr std::array<EventNumber, 14> kNumbers{{{"before", 0, "m/s"},
                                                {"after", 0, "m/s"},
                                                {"before", 0, "rad/s"},
                                                {"after", 0, "rad/s"},
                                                {"approach", 0, "m/s"},
                                                {"f_N", 0, "N"},
                                                {"v_T", 0, "m/s"},
                                                {"v_U", 0, "m/s"},
                                                {"f_t", 0, "N"},
                                                {"limit", 0, "N"},
                                                {"gap", 0, "m"},
                                                {"rate", 0, "m/s"},
                                                {"rate", 0, "rad/s"},
                                                {"", 0, ""}}};

template <class Archive>
void archive_number(Archive& a, EventNumber& number) {
  std::size_t place = 0;
  if constexpr (!Archive::kReads) {
    const auto is_known = [&](const EventNumber& known) {
      return std::string_view(known.name) == number.name && std::string_view(known.unit) == number.unit;
    };
    place = static_cast<std::size_t>(std::find_if(kNumbers.begin(), kNumbers.end() - 1, is_known) - kNumbers.begin());
  }
  double value = number.value;
  a(place, value);
  if (place >= kNumbers.size()) throw StateError("it holds an event that does not exist");
  number = kNumbers[place];
  number.value = value;
}

template <class Archive>
void archive_event(Archive& a, Event& event) {
  a(event.t, event.kind, event.place, event.cause, event.side);
  event.numbers.resize(a.size(event.numbers.size(), 16));
  for (EventNumber& number : event.numbers) archive_number(a, number);
}

}  // namespace

StepRun::StepRun(const Scenario& scenario, const State& start, const RunTaps& taps)
    : scenario_(scenario),
      taps_(taps),
      tolerances_(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
      motion_(scenario, start.q),
      joints_(motion_, tolerances_),
      context_(scenario, motion_, joints_, tolerances_),
      dynamics_(scenario),
      rows_(scenario, motion_.rows()),
      events_(scenario.model, motion_.rows(), taps.on_event),
      names_(scenario.model),
      sampler_(scenario, tolerances_),
      grid_(scenario.run),
      state_(start) {
  const int nv = scenario.model.velocity_count();
  for (VectorX<double>* vector : {&acceleration_, &v_start_, &v_next_, &correction_, &effort_}) vector->setZero(nv);
  joint_modes_.assign(motion_.rows().size(), 0);
  Workspace<double> workspace(scenario.model);
  update_positions(scenario.model, state_.q.data(), workspace);
  size_ = rows_.finder().calc_size(workspace);
  context_.overlap = std::numeric_limits<double>::infinity();
  context_.obeys_declared = false;
  report_.first = report_.last = state_;
  report_.q_min = report_.q_max = state_.q;
  energy().start = calc_energy(scenario.model, state_);
}

bool StepRun::begin() {
  has_begun_ = true;
  if (staged_loads_) dynamics_.set_loads(*std::exchange(staged_loads_, std::nullopt));
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
  try {
    return make_step(grid_.next_step_time(state_.t, grid_.first_after(state_.t)));
  } catch (const NoInstantError& error) {
    made_.reset();
    return end(AdvanceEnd::failed, fmt::format("{} at t = {:.9g} s", error.what(), state_.t));
  }
}

/// How near what has pressed still presses, m.
double StepRun::calc_reach(double h) const {
  const Scales& scales = tolerances_.scales();
  return kTouch * size_ + kReach * scales.length / (scales.time * scales.time) * h * h;
}

/// Of speeds that are rounding, m/s.
double StepRun::calc_rest_speed() const {
  const Scales& scales = tolerances_.scales();
  return 1e-9 * scales.length / scales.time;
}

bool StepRun::make_step(double t_end) {
  made_.emplace();
  Made& made = *made_;
  const double h = made.h = t_end - state_.t, t_mid = state_.t + 0.5 * h;
  const Scales& scales = tolerances_.scales();
  const double usual = scales.length / (scales.time * scales.time);
  v_start_ = state_.v;
  dynamics_.place(state_, h, t_mid);
  rows_.find(dynamics_, kTouch * size_, calc_reach(h));
  made.overlap = rows_.deepest();
  rows_.assemble(dynamics_, v_start_, h, calc_rest_speed());
  context_.slowest_strike = kNoHop * usual * h;
  if (!resolve_impacts()) return false;
  dynamics_.push(v_start_, v_start_ + 0.5 * h * acceleration_);
  rows_.set_free_velocity(dynamics_.v_free());
  const StepAnswer& answer = solver_.solve(rows_);
  made.grade = answer.grade;
  made.is_flagged = answer.is_flagged;
  v_next_ = dynamics_.v_free();
  if (answer.z.size() > 0) {
    effort_.setZero();
    rows_.J().add_transposed(answer.z.data(), effort_.data());
    dynamics_.solve(effort_.data(), correction_.data());
    v_next_ += correction_;
  }
  made.acceleration = (v_next_ - v_start_) / h;
  made.end.t = t_end;
  made.end.v = v_next_;
  find_next_positions();
  if (!is_good(made.end)) {
    const std::string bad = find_bad_effort(scenario_, dynamics_.actuation(), t_mid, state_);
    const std::string why = !bad.empty() ? bad
                                         : fmt::format("{}; the motion ran away: a shorter 'step' may help",
                                                       find_bad_entry(scenario_.model, made.end));
    made_.reset();
    return end(AdvanceEnd::not_finite, fmt::format("{} at t = {:.9g} s", why, t_end));
  }
  book_energy();
  made.contacts = sampler_.read_contacts(rows_, solver_, h, contacts_, names_);
  note_modes();
  return true;
}

/// What has closed and is approached, by the scenario's law, until nothing is.
bool StepRun::resolve_impacts() {
  const auto is_struck = [&] {
    const ConstraintProblem& problem = rows_.problem();
    for (int i = 0; i < problem.size(); ++i) {
      const RowKind kind = problem.row(i).kind;
      if (kind != RowKind::normal && kind != RowKind::unilateral) continue;
      if (rows_.rate_before(i) < -context_.slowest_strike) return true;
    }
    return false;
  };
  if (!is_struck()) return true;
  context_.touch = kTouch * size_;
  State mid{state_.t + 0.5 * made_->h, dynamics_.q_mid(), v_start_};
  for (int round = 0; round < kMostImpacts; ++round) {
    Workspace<double> workspace(scenario_.model);
    update_positions(scenario_.model, mid.q.data(), workspace);
    update_velocities(scenario_.model, mid.v.data(), workspace);
    const ImpactInstant impact = assemble_impact(context_, mid);
    bool any = false;
    for (int i = 0; i < impact.problem.rows.size() && !any; ++i) {
      const RowKind kind = impact.problem.rows.row(i).kind;
      any = (kind == RowKind::normal || kind == RowKind::unilateral) &&
            impact.problem.rows.b()(i) < -context_.slowest_strike;
    }
    if (!any) break;
    const ImpactAnswer answer = solve_impact(impact.problem, scenario_.impact);
    if (answer.status != ImpactStatus::done) {
      made_.reset();
      return end(AdvanceEnd::failed, fmt::format("the impact has no answer{}{} at t = {:.9g} s",
                                                 answer.reason.empty() ? "" : ": ", answer.reason, mid.t));
    }
    const double change = answer.energy.change();
    made_->energy.dissipated += std::max(0.0, -change);
    made_->energy.corrected += std::max(0.0, change);
    mid.v = impact.calc_velocity(answer.z);
    const VectorX<double> after = impact.J * mid.v;
    for (const ImpactContact& contact : impact.contacts) {
      const double before = impact.problem.rows.b()(contact.row);
      if (!(before < -impact.rest)) continue;
      const double rate = std::abs(after(contact.row)) > kLeftByImpulses * -before ? after(contact.row) : 0;
      made_->events.push_back({.t = made_->h + state_.t,
                               .kind = EventKind::impact,
                               .place = make_place(contact.name, contact.place),
                               .cause = EventCause::strikes,
                               .numbers = {{"before", before, "m/s"}, {"after", rate, "m/s"}}});
    }
    for (const ImpactStop& stop : impact.stops) {
      if (!(stop.rate < 0)) continue;
      const char* unit = scenario_.model.is_angular(stop.dof) ? "rad/s" : "m/s";
      made_->events.push_back({.t = made_->h + state_.t,
                               .kind = EventKind::impact,
                               .place = events_.place_of(stop.dof),
                               .cause = EventCause::strikes,
                               .numbers = {{"before", stop.rate, unit}, {"after", after(stop.row), unit}},
                               .side = stop.is_upper ? StopSide::upper : StopSide::lower});
    }
  }
  made_->energy.corrected += dynamics_.calc_jump_work(v_start_, mid.v);
  v_start_ = mid.v;
  rows_.assemble(dynamics_, v_start_, made_->h, calc_rest_speed());
  return true;
}

/// q⁺, with the gaps of what presses and of what overlaps closed by the smallest change in the metric of the kinetic
/// energy.
void StepRun::find_next_positions() {
  Made& made = *made_;
  const Model& model = scenario_.model;
  made.end.q.resize(state_.q.size());
  correction_ = 0.5 * made.h * v_next_;
  integrate_position(model, dynamics_.q_mid().data(), correction_.data(), made.end.q.data());
  const ConstraintProblem& problem = rows_.problem();
  std::vector<Eigen::Index> chosen;
  std::vector<double> gaps;
  double largest = 0;
  const auto choose = [&](int row, double gap, bool presses) {
    const double then = gap + 0.5 * made.h * solver_.rate_after(rows_, row);
    if (!presses && then >= 0) return;
    chosen.push_back(row);
    gaps.push_back(-then);
    largest = std::max(largest, std::abs(then));
  };
  const StepAnswer& answer = solver_.answer();
  for (std::size_t k = 0; k < rows_.joints().size(); ++k) {
    const StepRows::JointEntry& joint = rows_.joints()[k];
    const JointRow& row = motion_.rows()[static_cast<std::size_t>(joint.joint_row)];
    const auto i = static_cast<Eigen::Index>(k);
    if (row.has_value() && row.kind() != JointRowKind::friction) {
      choose(static_cast<int>(k), joint.value, row.kind() != JointRowKind::stop || answer.z(i) > 0);
    }
  }
  for (const StepContact& contact : rows_.contacts()) {
    choose(contact.row, contact.place.gap, answer.z(contact.row) > 0);
  }
  if (!(largest > kGapRounding * std::max(1.0, size_))) return;
  const MatrixX<double> A = problem.A()(chosen, chosen);
  gaps_solver_.factorize(A);
  VectorX<double> z = Eigen::Map<const VectorX<double>>(gaps.data(), static_cast<Eigen::Index>(gaps.size()));
  gaps_solver_.solve_in_place(z);
  VectorX<double> all = VectorX<double>::Zero(problem.size());
  all(chosen) = z;
  effort_.setZero();
  rows_.J().add_transposed(all.data(), effort_.data());
  dynamics_.solve(effort_.data(), correction_.data());
  State moved{made.end.t, VectorX<double>(made.end.q.size()), VectorX<double>::Zero(model.velocity_count())};
  integrate_position(model, made.end.q.data(), correction_.data(), moved.q.data());
  State before{made.end.t, made.end.q, moved.v};
  made.energy.corrected += calc_energy(model, moved) - calc_energy(model, before);
  made.end.q = moved.q;
}

/// Friction and contacts take what their impulses do along the mean motion of their rows.
void StepRun::book_energy() {
  Made& made = *made_;
  const PowerFlow<double> flow = dynamics_.calc_flow(v_start_, v_next_);
  made.energy.work += flow.work;
  made.energy.dissipated += flow.dissipated;
  const StepAnswer& answer = solver_.answer();
  for (int i = 0; i < rows_.problem().size(); ++i) {
    const double after = solver_.rate_after(rows_, i) - rows_.drift_to_end(i);
    made.energy.dissipated -= answer.z(i) * 0.5 * (rows_.rate_before(i) + after);
  }
}

/// Events of what contacts and joints do otherwise than in the step before.
void StepRun::note_modes() {
  Made& made = *made_;
  const double t = made.end.t;
  const auto add = [&](EventKind kind, const Contact& contact, EventCause cause, std::vector<EventNumber> numbers) {
    EventPlace place{contact.name, contact.id, contact.body_A, contact.body_B, -1};
    made.events.push_back({.t = t, .kind = kind, .place = place, .cause = cause, .numbers = std::move(numbers)});
  };
  const auto find = [](const std::vector<StepContactState>& list, std::uint64_t id) -> const Contact* {
    for (const StepContactState& state : list) {
      if (state.id == id) return &state.contact;
    }
    return nullptr;
  };
  std::vector<std::uint64_t> pressed, stuck;
  for (const StepContactState& now : made.contacts) {
    const Contact& contact = now.contact;
    if (contact.force_on_A.normal > 0) pressed.push_back(now.id);
    if (contact.mode != ContactMode::slide) stuck.push_back(now.id);
    const Contact* const before = find(contacts_, now.id);
    const bool slides = contact.mode == ContactMode::slide;
    if (before == nullptr) {
      const bool is_struck = std::any_of(made.events.begin(), made.events.end(), [&](const Event& event) {
        return event.kind == EventKind::impact && event.place.contact == contact.id;
      });
      if (!is_struck && report_.steps > 0) {
        add(EventKind::touch, contact, EventCause::gap_closes,
            {{"approach", 0, "m/s"}, {"f_N", contact.force_on_A.normal, "N"}});
      }
    } else if (slides != (before->mode == ContactMode::slide) && contact.friction > 0) {
      if (slides) {
        add(EventKind::slip, contact, EventCause::slides,
            {{"v_T", contact.slip[0], "m/s"}, {"v_U", contact.slip[1], "m/s"}});
      } else {
        const double f_t = std::hypot(contact.force_on_A.along_T, contact.force_on_A.along_U);
        add(EventKind::stick, contact, EventCause::comes_to_rest,
            {{"f_t", f_t, "N"}, {"limit", contact.friction * contact.force_on_A.normal, "N"}});
      }
    }
  }
  for (const StepContactState& old : contacts_) {
    if (find(made.contacts, old.id) != nullptr) continue;
    add(EventKind::break_away, old.contact, EventCause::leaves_points,
        {{"gap", old.contact.gap, "m"}, {"rate", 0, "m/s"}});
  }
  made.joints.assign(motion_.rows().size(), 0);
  for (std::size_t k = 0; k < rows_.joints().size(); ++k) {
    const auto i = static_cast<std::size_t>(rows_.joints()[k].joint_row);
    const JointRow& row = motion_.rows()[i];
    const double z = solver_.answer().z(static_cast<Eigen::Index>(k));
    if (row.kind() == JointRowKind::stop && z > 0) {
      made.joints[i] = 1;
      pressed.push_back(i);
    }
  }
  rows_.note(std::move(pressed), std::move(stuck));
}

/// The step that was made is taken.
bool StepRun::commit() {
  Made made = std::move(*made_);
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
  for (std::size_t i = 0; i < made.joints.size(); ++i) {
    if (motion_.rows()[i].kind() != JointRowKind::stop || made.joints[i] == joint_modes_[i]) continue;
    if (made.joints[i] != 0) {
      events_.write_rest(state_.t, static_cast<int>(i), 0);
    } else {
      events_.write_throw(state_.t, static_cast<int>(i), 0);
    }
  }
  joint_modes_ = std::move(made.joints);
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
  if (staged_loads_) dynamics_.set_loads(*std::exchange(staged_loads_, std::nullopt));
  ExternalLoads loads = dynamics_.actuation().loads();
  const auto is_over = [this](const AppliedWrench& wrench) { return state_.t >= wrench.until; };
  if (std::erase_if(loads.wrenches, is_over) > 0) dynamics_.set_loads(loads);
  if (state_.t < dynamics_.actuation().next_sample()) return true;
  ControlInput now{state_.t, state_.q.data(), state_.v.data()};
  if (scenario_.contacts && dynamics_.actuation().needs_contacts(state_.t)) {
    const Sample* const sample = sampler_.make(state_, contacts_, energy(), dynamics_.actuation());
    if (sample == nullptr) return end(AdvanceEnd::not_finite, sampler_.fault());
    now.contacts = sample->contacts;
  }
  report_.control_samples += dynamics_.actuation().take_samples(now);
  return true;
}

// --- What is seen and set --------------------------------------------------------------------------------------------

/// Positions of each half of the step, velocities between its ends.
void StepRun::look_inside(double t) {
  const Made& made = *made_;
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
      sampler_.make(state(), is_inside_ ? made_->contacts : contacts_, energy(), dynamics_.actuation());
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
  context.motion().actuation().take_over(dynamics_.actuation());
  context.motion().set_loads(dynamics_.actuation().loads());
  context.obeys_declared = false;
  put_in_touch(context, present);
  return internal::solve_instant(context, present, now);
}

/// What presses is on its contacts, and does not approach, to the error of a step; for an instant it has to be so
/// exactly.
void StepRun::put_in_touch(AssemblyContext& context, State& present) const {
  const Model& model = scenario_.model;
  std::vector<HeldContact> held;
  const std::vector<StepContactState>& known = is_inside_ ? made_->contacts : contacts_;
  if (!known.empty()) {
    Workspace<double> workspace(model);
    update_positions(model, present.q.data(), workspace);
    update_velocities(model, present.v.data(), workspace);
    context.finder().update(workspace, calc_reach(scenario_.run.step.value_or(RunOptions::kDefaultFixedStep)));
    for (const FoundContact& found : context.finder().contacts()) {
      const auto it = std::find_if(known.begin(), known.end(), [&](const StepContactState& contact) {
        return contact.contact.id == ContactId{found.shape_A, found.shape_B, found.id};
      });
      if (it == known.end()) continue;
      const bool slides = it->contact.mode == ContactMode::slide;
      HeldContact contact(model, workspace, context.finder(), found,
                          context.laws().find_law(found.body_A, found.body_B),
                          slides ? ContactHold::smooth : ContactHold::rolling, 0);
      if (!contact.is_immovable()) held.push_back(std::move(contact));
    }
  }
  std::vector<JointRow>& rows = context.motion().rows();
  std::vector<int> joints;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JointRowKind kind = rows[i].kind();
    const bool holds = kind == JointRowKind::lock || kind == JointRowKind::coupling ||
                       (kind == JointRowKind::stop && joint_modes_[i] != 0);
    if (holds) joints.push_back(static_cast<int>(i));
  }
  if (!held.empty() || !joints.empty()) {
    context.projection().project(rows, joints, std::move(held), present.q, present.v);
  }
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
  ExternalLoads loads = dynamics_.actuation().loads();
  a(loads);
  if constexpr (Archive::kReads) dynamics_.set_loads(loads);
  a(dynamics_.actuation(), rows_, solver_, events_, names_, report_, state_, view_, is_inside_, acceleration_);
  a(contacts_, joint_modes_, staged_loads_, has_begun_, ended_by_, next_verdict_, gaps_solver_, joints_, context_);
  char has_made = made_ ? 1 : 0;
  a(has_made);
  if constexpr (Archive::kReads) {
    made_.reset();
    if (has_made != 0) made_.emplace();
  }
  if (!made_) return;
  Made& made = *made_;
  a(made.h, made.end, made.energy.work, made.energy.dissipated, made.energy.corrected, made.contacts, made.joints,
    made.acceleration, made.grade, made.overlap, made.is_flagged);
  made.events.resize(a.size(made.events.size(), 64));
  for (Event& event : made.events) archive_event(a, event);
}
THENAR_INSTANTIATE_ARCHIVE(StepRun);

}  // namespace thenar::internal
