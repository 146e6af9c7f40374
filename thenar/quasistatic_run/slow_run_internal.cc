// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/slow_run_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/engine/contact_teller_internal.h"
#include "thenar/engine/event_teller.h"
#include "thenar/instant/contact_names.h"
#include "thenar/instant/flat_rim_internal.h"
#include "thenar/instant/row_assembly_internal.h"
#include "thenar/motion/forces.h"
#include "thenar/quasistatic_run/slow_sampler_internal.h"
#include "thenar/quasistatic_run/slow_teller_internal.h"
#include "thenar/quasistatic_run/slow_watch_internal.h"
#include "thenar/trace/quasistatic_end.h"
#include "thenar/trace/row_times.h"

namespace thenar::internal {
namespace {

using Clock = std::chrono::steady_clock;
using Vector = VectorX<double>;

/// A list of modes has clearly ended where a slip or the forces' reserve is so far beyond its bound.
constexpr double kClear = 1e-5;
/// How far behind an event the question is asked, as parts of the longest step: the first try, and at most.
constexpr double kFirstLook = 1e-5, kFarthestLook = 1e-2;
/// What candidates may have against them there.
constexpr double kFits = 1e-6;
/// Nodes of a search at an instant: seconds.
constexpr long long kMostNodes = 200'000;
/// Changes of modes within a moment before the run gives up, and how long a moment is, as a part of the run.
constexpr int kMostSlowChanges = 40;
constexpr double kMoment = 1e-9;
/// Joints nearer to a stop than this are on it, rad or m.
constexpr double kSlowOnStop = 1e-9;
/// Velocities that differ by less than this part are the same.
constexpr double kNoSlowJump = 1e-9;

class SlowRun {
 public:
  SlowRun(const Scenario& scenario, const RunCallbacks& callbacks)
      : scenario_(scenario),
        callbacks_(callbacks),
        tolerances_(scenario.model, find_scales(scenario.model, scenario.initial), scenario.run.tolerance),
        motion_(scenario, tolerances_),
        trial_(scenario, tolerances_),
        step_(scenario, motion_, tolerances_),
        sampler_(scenario, motion_, tolerances_, report_),
        finder_(scenario.model, scenario.shapes, find_contact_rules(scenario)),
        laws_(scenario.model, find_contact_rules(scenario)),
        names_(scenario.model),
        slow_teller_(scenario, motion_),
        teller_(scenario.model, motion_.stops(), callbacks.on_event),
        times_(scenario.run),
        workspace_(scenario.model),
        q_(scenario.initial.q) {
    report_.q_min = report_.q_max = q_;
  }

  RunReport execute() {
    const auto start = Clock::now();
    advance_to_end();
    report_.steps = step_.steps();
    report_.rejected_steps = step_.rejected();
    report_.evaluations = motion_.evaluations();
    report_.events = teller_.counts();
    report_.last = {t_, q_, v_};
    report_.energy.end = sampler_.calc_potential(q_);
    if (!report_.verdicts.empty()) report_.verdicts.back().to = t_;
    report_.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
    return report_;
  }

 private:
  void advance_to_end() {
    motion_.assembler().place_driven(0, q_);
    report_.first = {0, q_, Vector::Zero(scenario_.model.velocity_count())};
    v_ = report_.first.v;
    find_next_switch();
    const bool is_settled = settle({});
    report_.first = {0, q_, v_};
    report_.energy.start = sampler_.calc_potential(q_);
    sampler_.note_extremes(q_);
    if (!write_row() || !is_settled) return;
    while (t_ < scenario_.run.until) {
      if (!advance()) {
        if (t_ > last_time_) write_row();
        return;
      }
    }
    if (callbacks_.on_progress) callbacks_.on_progress(t_);
  }

  // --- From event to event ----------------------------------------------------------------------------------------

  bool advance() {
    double t_limit = scenario_.run.until;
    if (switch_) t_limit = std::min(t_limit, switch_->at.before);
    if (t_limit > t_ && !take_step(t_limit)) return false;
    if (!pass_switch() || !write_due()) return false;
    return !is_interrupted();
  }

  bool take_step(double t_limit) {
    if (!step_.step(t_limit)) {
      return end(RunStatus::failed, fmt::format("no step succeeds at t = {:.9g} s: contacts cannot be followed", t_));
    }
    step_.look();
    std::optional<SlowCrossing> crossing = step_.find_crossing();
    while (!step_.has_smooth_powers() && step_.shorten()) {
      step_.look();
      crossing = step_.find_crossing();
    }
    const double theta = crossing ? crossing->theta : 1;
    if (!write_inside(theta)) return false;
    const StepPoint energy = step_.calc_energy(theta);
    report_.energy.work += energy.work;
    report_.energy.dissipated += energy.dissipated;
    step_.accept(theta);
    t_ = step_.t();
    q_ = step_.q();
    motion_.evaluate(t_, q_);
    v_ = motion_.v();
    sampler_.note_extremes(q_);
    if (!q_.allFinite()) return end(RunStatus::failed, fmt::format("positions are not finite at t = {:.9g} s", t_));
    return !crossing || settle(crossing);
  }

  void find_next_switch() { switch_ = find_profile_switch(scenario_, t_, scenario_.run.until); }

  bool pass_switch() {
    if (!switch_ || t_ < switch_->at.before || switch_->at.after > scenario_.run.until) return true;
    t_ = switch_->at.after;
    motion_.project(t_, q_);
    if (switch_->is_jump) {
      for (const ProfileSwitch::Change& change : switch_->changes) teller_.tell_switch(t_, change);
    }
    find_next_switch();
    return settle({});
  }

  // --- One instant ------------------------------------------------------------------------------------------------

  /// The list of modes of what follows. False when the run must end.
  bool settle(const std::optional<SlowCrossing>& at) {
    if (!note_progress(at)) return false;
    slow_teller_.begin();
    if (has_settled_) before_ = sampler_.make({t_, q_, v_}, 0, 0);
    const bool is_geometric = !at || at->is_geometric();
    if (is_geometric && !find_contacts()) return false;
    const double t_asked = is_geometric ? find_time_asked() : 0;
    const Place place = is_geometric ? Place{t_asked, q_} : look_behind();
    if (!motion_.update(place.t, place.q)) {
      return end(RunStatus::failed, fmt::format("a contact cannot be followed at t = {:.9g} s", t_));
    }
    const QuasistaticProblem problem = motion_.problem();
    QuasistaticOptions options{.all = true, .most_nodes = kMostNodes};
    if (callbacks_.interrupt != nullptr) {
      options.goes_on = [&](long long) { return !callbacks_.interrupt->load(std::memory_order_relaxed); };
    }
    QuasistaticAnswer answer = solve_quasistatic(problem, options);
    if (is_interrupted()) return false;
    note_verdict(answer);
    if (!choose(place, problem, answer)) {
      keep_end(place.t, problem, std::move(answer));
      return false;
    }
    return tell(at);
  }

  struct Place {
    double t;
    Vector q;
  };

  bool note_progress(const std::optional<SlowCrossing>& at) {
    if (t_ > moment_ + kMoment * scenario_.run.until) {
      moment_ = t_;
      changes_ = 0;
    }
    if (++changes_ <= kMostSlowChanges) return true;
    return end(RunStatus::failed, fmt::format("contacts change their modes again and again at t = {:.9g} s{}", t_,
                                              at ? fmt::format(" (the last one: '{}')", at->name) : ""));
  }

  /// What touches here; bodies that have just met are put on each other. Contacts that last keep their axes.
  bool find_contacts() {
    std::vector<HeldContact> old = motion_.contacts();
    const double size = step_.size();
    const double touch = is_first_ ? ContactTolerances(size).touch() : calc_touch(scenario_.run.tolerance, size);
    update_positions(scenario_.model, q_.data(), workspace_);
    update_velocities(scenario_.model, Vector::Zero(scenario_.model.velocity_count()).eval().data(), workspace_);
    finder_.update(workspace_, touch);
    std::vector<FoundContact> places;
    std::vector<HeldContact> contacts;
    try {
      for (FoundContact found : finder_.contacts()) {
        if (found.gap < -ContactTolerances(size).touch()) {
          return end(RunStatus::failed, fmt::format("'{}' overlap by {:.3g} m at t = {:.9g} s",
                                                    contact_name(scenario_.model, found), -found.gap, t_));
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
      return end(RunStatus::failed, fmt::format("{} at t = {:.9g} s", error.what(), t_));
    }
    const std::vector<std::string> names = names_.update(places);
    for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].set_name(names[i]);
    std::vector<int> stops;
    for (std::size_t i = 0; i < motion_.stops().size(); ++i) {
      if (std::abs(motion_.stops()[i].calc_value(q_.data())) <= kSlowOnStop) stops.push_back(static_cast<int>(i));
    }
    motion_.set_contacts(std::move(contacts), std::move(stops));
    motion_.project(t_, q_);
    is_first_ = false;
    return true;
  }

  /// The time whose drives decide: now, or a little later where everything that is driven is at rest now and will not
  /// be.
  double find_time_asked() const {
    if (is_driven(t_)) return t_;
    double t_end = scenario_.run.until;
    if (switch_) t_end = std::min(t_end, switch_->at.before);
    const double later = t_ + 1e-3 * (t_end - t_);
    return is_driven(later) ? later : t_;
  }
  bool is_driven(double t) const {
    const std::vector<int>& dofs = motion_.assembler().joint_dofs();
    return std::any_of(dofs.begin(), dofs.end(), [&](int dof) { return motion_.assembler().calc_rate(dof, t) != 0; });
  }

  /// Where the old list of modes would be, so much later that it is clearly none any more.
  Place look_behind() {
    const Vector v = motion_.v();
    Vector q(q_);
    double t = t_;
    double t_end = scenario_.run.until;
    if (switch_) t_end = std::min(t_end, switch_->at.before);
    for (double part = kFirstLook; part <= kFarthestLook; part *= 4) {
      const double dt = std::min(part * step_.longest_step(), t_end - t_);
      t = t_ + dt;
      const Vector dq = dt * v;
      integrate_position(scenario_.model, q_.data(), dq.data(), q.data());
      motion_.project(t, q);
      if (!motion_.evaluate(t, q)) break;
      const std::vector<double> slips = motion_.list_strict();
      const double least = slips.empty() ? 1 : *std::min_element(slips.begin(), slips.end());
      if (motion_.reserve() < -kClear || least < -kClear * motion_.speed_scale()) break;
    }
    return {t, q};
  }

  // --- Which answer -----------------------------------------------------------------------------------------------

  struct Candidate {
    ModeLabels labels;
    Vector u, reference;
    double motion = 0;  ///< size of the velocity
  };

  bool choose(const Place& place, const QuasistaticProblem& problem, const QuasistaticAnswer& answer) {
    if (answer.solutions.empty()) {
      const bool jams = answer.verdict == QuasistaticVerdict::none;
      return end(RunStatus::failed, jams ? describe_jam(answer)
                                         : fmt::format("no answer is found at t = {:.9g} s: {}", t_, answer.reason));
    }
    std::vector<Candidate> candidates;
    for (const QuasistaticSolution& solution : answer.solutions) {
      candidates.push_back(make_candidate(problem, solution));
    }
    if (candidates.size() > 1) keep_those_that_go_on(place, candidates);
    const bool is_several = candidates.size() > 1 || !answer.solutions.front().velocity_unique;
    std::size_t chosen = 0;
    if (answer.verdict == QuasistaticVerdict::several && is_several) {
      const std::optional<std::size_t> choice = choose_among(place.t, candidates);
      if (!choice) return end(RunStatus::failed, describe_several(answer));
      chosen = *choice;
    }
    motion_.set_modes(candidates[chosen].labels, candidates[chosen].reference);
    motion_.evaluate(t_, q_);
    return true;
  }

  std::string describe_jam(const QuasistaticAnswer& answer) const {
    // A proof of one node tells that there are no forces, or no velocities, whatever contacts do.
    if (answer.tree.size() == 1 && answer.tree.front().kind == QuasistaticNode::Kind::no_forces) {
      return fmt::format("nothing that touches balances the loads at t = {:.9g} s: what comes next is no slow motion",
                         t_);
    }
    if (answer.tree.size() == 1 && answer.tree.front().kind == QuasistaticNode::Kind::no_motion) {
      return fmt::format("it is blocked at t = {:.9g} s: the given velocities would press bodies into each other", t_);
    }
    return fmt::format("it jams at t = {:.9g} s: no velocity and forces go together (proof of {} nodes)", t_,
                       answer.tree.size());
  }

  Candidate make_candidate(const QuasistaticProblem& problem, const QuasistaticSolution& solution) const {
    Candidate out{find_solution_labels(problem, solution), solution.q_dot, {}, 0};
    const auto add = [&](double value) {
      out.u.conservativeResize(out.u.size() + 1);
      out.u(out.u.size() - 1) = value;
    };
    for (const int joint : problem.effort_joints()) add(solution.theta_dot(joint));
    // Where other velocities have the same labels, the least of them may do.
    const bool wants_least = scenario_.run.on_indeterminate != OnIndeterminate::first;
    if (!solution.velocity_unique && !wants_least) out.reference = out.u;
    return out;
  }

  /// Lists that are no answer any more as soon as they move are none.
  void keep_those_that_go_on(const Place& place, std::vector<Candidate>& candidates) {
    std::vector<Candidate> kept;
    for (Candidate& candidate : candidates) {
      trial_.set_contacts(motion_.contacts(), motion_.held_stops());
      trial_.set_modes(candidate.labels, candidate.reference);
      if (goes_on(trial_, place, candidate)) kept.push_back(std::move(candidate));
    }
    if (!kept.empty()) candidates = std::move(kept);
  }

  bool goes_on(SlowMotion& trial, const Place& place, Candidate& candidate) const {
    if (!trial.evaluate(place.t, place.q)) return false;
    const auto fits = [&] {
      const std::vector<double> slips = trial.list_strict();
      return trial.reserve() >= -kFits && parts(trial.u(), candidate.labels) &&
             std::all_of(slips.begin(), slips.end(), [&](double slip) { return slip >= -kFits * trial.speed_scale(); });
    };
    if (!fits()) {
      candidate.reference = candidate.u;
      trial.set_modes(trial.labels(), candidate.reference);
      if (!trial.evaluate(place.t, place.q) || !fits()) return false;
    }
    const Vector v = trial.v();
    candidate.motion = 0;
    for (int i = 0; i < v.size(); ++i) candidate.motion += std::pow(v(i) / tolerances_.unit(i), 2);
    const double dt = kFirstLook * step_.longest_step();
    Vector q(place.q);
    const Vector dq = dt * v;
    integrate_position(scenario_.model, place.q.data(), dq.data(), q.data());
    trial.project(place.t + dt, q);
    return trial.evaluate(place.t + dt, q) && fits();
  }

  /// Whether what breaks does so at this velocity, where motion_ was updated last.
  bool parts(const Vector& u, const ModeLabels& labels) const {
    const ModeRules& rules = motion_.rules();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const int row = rules.contacts[i].normal;
      if (labels[i] == 0 && !(rules.P.row(row).dot(u) + rules.v0(row) > 0)) return false;
    }
    return true;
  }

  std::optional<std::size_t> choose_among(double t, const std::vector<Candidate>& candidates) const {
    const auto least = std::min_element(candidates.begin(), candidates.end(),
                                        [](const Candidate& a, const Candidate& b) { return a.motion < b.motion; });
    const auto place = static_cast<std::size_t>(least - candidates.begin());
    if (!is_driven(t) && least->motion == 0) return place;
    switch (scenario_.run.on_indeterminate) {
      case OnIndeterminate::stop:
        return std::nullopt;
      case OnIndeterminate::first:
        return 0;
      case OnIndeterminate::min_acceleration:
        break;
    }
    return place;
  }

  std::string describe_several(const QuasistaticAnswer& answer) const {
    constexpr std::size_t kMostListed = 8;
    std::string out =
        fmt::format("several motions are possible at t = {:.9g} s, and 'on_indeterminate' says stop:", t_);
    for (std::size_t k = 0; k < std::min(kMostListed, answer.solutions.size()); ++k) {
      out += fmt::format("{} ({}) ", k == 0 ? "" : ";", k + 1);
      for (std::size_t i = 0; i < answer.solutions[k].modes.size(); ++i) {
        out += fmt::format("{}{} {}", i == 0 ? "" : ", ", row_name(i), to_string(answer.solutions[k].modes[i]));
      }
      if (!answer.solutions[k].velocity_unique) out += " with more than one velocity";
    }
    if (answer.solutions.size() > kMostListed) out += fmt::format("; {} in all", answer.solutions.size());
    return out;
  }
  std::string row_name(std::size_t i) const {
    if (i < motion_.contacts().size()) return motion_.contacts()[i].name();
    const int stop = motion_.held_stops()[i - motion_.contacts().size()];
    return scenario_.model.dof_name(motion_.stops()[static_cast<std::size_t>(stop)].dof()) + " on its stop";
  }

  void keep_end(double t, const QuasistaticProblem& problem, QuasistaticAnswer answer) {
    auto kept = std::make_shared<QuasistaticEnd>();
    kept->t = t;
    kept->problem = problem;
    kept->answer = std::move(answer);
    for (int i = 0; i < problem.contact_count(); ++i) kept->contacts.push_back(row_name(static_cast<std::size_t>(i)));
    for (const int dof : motion_.assembler().object_dofs()) kept->objects.push_back(scenario_.model.dof_name(dof));
    for (const int dof : motion_.assembler().joint_dofs()) kept->joints.push_back(scenario_.model.dof_name(dof));
    report_.quasistatic_end = std::move(kept);
    motion_.clear_modes();
    v_.setZero();
  }

  // --- What is told -----------------------------------------------------------------------------------------------

  void note_verdict(const QuasistaticAnswer& answer) {
    Verdict verdict = Verdict::undecided;
    switch (answer.verdict) {
      case QuasistaticVerdict::unique:
        verdict =
            answer.solutions.front().forces_unique ? Verdict::unique : Verdict::unique_motion_indeterminate_forces;
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
      verdicts.back().to = t_;
      if (verdicts.back().verdict == verdict) return;
      if (verdicts.back().from == t_) verdicts.pop_back();
    }
    verdicts.push_back({t_, t_, verdict, determinate});
  }

  /// Rows before and after a jump of velocities, and the events between them.
  bool tell(const std::optional<SlowCrossing>& at) {
    const Vector jump = motion_.v() - v_;
    const double fastest = std::max(motion_.v().cwiseAbs().maxCoeff(), v_.cwiseAbs().maxCoeff());
    const bool jumps = has_settled_ && jump.cwiseAbs().maxCoeff() > kNoSlowJump * fastest;
    if (jumps && last_time_ < t_ && !deliver(before_)) return false;
    if (has_settled_) {
      for (const Event& event : slow_teller_.tell(t_, at)) teller_.tell(event);
    }
    has_settled_ = true;
    v_ = motion_.v();
    step_.start(t_, q_);
    return !jumps || write_row();
  }

  // --- Rows -------------------------------------------------------------------------------------------------------

  bool write_inside(double theta) {
    const double t_end = step_.t_end(theta);
    while (next_ <= times_.count() && times_.time(next_) < t_end) {
      const double t = times_.time(next_), part = (t - step_.t()) / step_.h();
      const Vector q = step_.interpolate(part).q;
      sampler_.note_extremes(q);
      step_.interpolate(part);
      const StepPoint energy = step_.calc_energy(part);
      if (!deliver(sampler_.make({t, q, v_}, energy.work, energy.dissipated))) return false;
      ++next_;
    }
    return true;
  }

  bool write_due() {
    if (next_ > times_.count() || t_ != times_.time(next_)) return true;
    ++next_;
    return last_time_ == t_ || write_row();
  }

  bool write_row() {
    motion_.evaluate(t_, q_);
    return deliver(sampler_.make({t_, q_, v_}, 0, 0));
  }

  bool deliver(const Sample& sample) {
    last_time_ = sample.state.t;
    if (callbacks_.on_sample && !callbacks_.on_sample(sample)) {
      return end(RunStatus::failed, fmt::format("stopped by its caller at t = {:.6g} s", sample.state.t));
    }
    ++report_.rows;
    return true;
  }

  // --- How a run ends ---------------------------------------------------------------------------------------------

  bool is_interrupted() {
    if (callbacks_.on_progress) callbacks_.on_progress(t_);
    if (!callbacks_.interrupt || !callbacks_.interrupt->load(std::memory_order_relaxed)) return false;
    if (t_ >= scenario_.run.until) return false;
    end(RunStatus::interrupted, fmt::format("interrupted at t = {:.6g} s", t_));
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
  Tolerances tolerances_;
  SlowMotion motion_, trial_;
  SlowStep step_;
  RunReport report_;
  SlowSampler sampler_;
  ContactFinder finder_;
  LawTable laws_;
  ContactNames names_;
  SlowTeller slow_teller_;
  EventTeller teller_;
  RowTimes times_;
  Workspace<double> workspace_;
  Sample before_;  ///< the row before a jump of velocities
  std::optional<ProfileSwitch> switch_;
  double t_ = 0;
  Vector q_, v_;
  double last_time_ = -1;
  double moment_ = -1;
  int changes_ = 0;
  bool is_first_ = true, has_settled_ = false;
  long long next_ = 1;
};

}  // namespace

RunReport simulate_slowly(const Scenario& scenario, const RunCallbacks& callbacks) {
  return SlowRun(scenario, callbacks).execute();
}

}  // namespace thenar::internal
