// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_settler_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/instant/flat_rim_internal.h"
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

Verdict read_verdict(const QuasistaticAnswer& answer) {
  switch (answer.verdict) {
    case QuasistaticVerdict::unique:
      return answer.solutions.front().forces_unique ? Verdict::unique : Verdict::unique_motion;
    case QuasistaticVerdict::several:
      return Verdict::several;
    case QuasistaticVerdict::none:
      return Verdict::none;
    case QuasistaticVerdict::undecided:
      break;
  }
  return Verdict::undecided;
}

}  // namespace

bool is_interrupted(const RunTaps& taps, double t) {
  if (taps.on_progress) taps.on_progress(t);
  return taps.interrupt != nullptr && taps.interrupt->load(std::memory_order_relaxed);
}

QuasistaticSettler::QuasistaticSettler(const Scenario& scenario, const Tolerances& tolerances, const RunTaps& taps,
                                       QuasistaticMotion& motion, const QuasistaticStep& step, RunReport& report)
    : scenario_(scenario),
      taps_(taps),
      motion_(motion),
      step_(step),
      report_(report),
      choice_(scenario, tolerances, motion, step),
      touches_(scenario, motion) {}

QuasistaticSettler::Outcome QuasistaticSettler::end(AdvanceEnd cause, std::string reason) {
  cause_ = cause;
  reason_ = std::move(reason);
  return Outcome::ended;
}

QuasistaticSettler::Outcome QuasistaticSettler::settle(State& state, const std::optional<QuasistaticCrossing>& at,
                                                       double smooth_end) {
  const bool is_geometric = !at || at->is_geometric();
  if (is_geometric && !find_contacts(state)) return end(AdvanceEnd::failed, touches_.fault());
  const double t_asked = is_geometric ? find_time_asked(state.t, smooth_end) : 0;
  const Place place = is_geometric ? Place{t_asked, state.q} : look_behind(state, smooth_end);
  if (!motion_.update(place.t, place.q)) {
    return end(AdvanceEnd::failed, fmt::format("a contact cannot be followed at t = {:.9g} s", state.t));
  }
  const QuasistaticProblem problem = motion_.problem();
  QuasistaticOptions options{.all = true, .most_nodes = kMostNodes};
  if (taps_.interrupt != nullptr) options.goes_on = [&](long long) { return !is_interrupted(taps_, state.t); };
  QuasistaticAnswer answer = solve_quasistatic(problem, options);
  if (is_interrupted(taps_, state.t)) return Outcome::interrupted;
  note_verdict(state.t, answer);
  if (!choice_.choose(state.t, place, problem, answer)) {
    keep_end(place.t, problem, std::move(answer));
    motion_.clear_modes();
    state.v.setZero();
    return end(choice_.cause(), choice_.reason());
  }
  motion_.evaluate(state.t, state.q);
  return Outcome::settled;
}

bool QuasistaticSettler::find_contacts(State& state) {
  const double size = step_.size();
  const double touch = is_first_ ? ContactTolerances(size).touch() : calc_touch(scenario_.run.tolerance, size);
  if (!touches_.find(state.t, state.q, size, touch)) return false;
  is_first_ = false;
  return true;
}

/// The time whose drives decide: now, or a little later where everything that is driven is at rest now and will not
/// be.
double QuasistaticSettler::find_time_asked(double t, double smooth_end) const {
  if (choice_.is_driven(t)) return t;
  const double later = t + 1e-3 * (smooth_end - t);
  return choice_.is_driven(later) ? later : t;
}

/// Where the old list of modes would be, so much later that it is clearly none any more.
QuasistaticSettler::Place QuasistaticSettler::look_behind(const State& state, double smooth_end) {
  const Vector v = motion_.v();
  Vector q(state.q);
  double t = state.t;
  for (double part = QuasistaticChoice::kFirstLook; part <= kFarthestLook; part *= 4) {
    const double dt = std::min(part * step_.longest_step(), smooth_end - state.t);
    t = state.t + dt;
    const Vector dq = dt * v;
    integrate_position(scenario_.model, state.q.data(), dq.data(), q.data());
    motion_.project(t, q);
    if (!motion_.evaluate(t, q)) break;
    const std::vector<double> slips = motion_.list_strict();
    const double least = slips.empty() ? 1 : *std::min_element(slips.begin(), slips.end());
    if (motion_.reserve() < -kClear || least < -kClear * motion_.speed_scale()) break;
  }
  return {t, q};
}

void QuasistaticSettler::note_verdict(double t, const QuasistaticAnswer& answer) {
  const Verdict verdict = read_verdict(answer);
  std::vector<VerdictInterval>& verdicts = report_.verdicts;
  const bool determinate = verdict == Verdict::unique;
  if (!verdicts.empty()) {
    verdicts.back().to = t;
    if (verdicts.back().verdict == verdict) return;
    if (verdicts.back().from == t) verdicts.pop_back();
  }
  verdicts.push_back({t, t, verdict, determinate});
}

/// The question that the motion has ended with.
void QuasistaticSettler::keep_end(double t, const QuasistaticProblem& problem, QuasistaticAnswer answer) {
  auto kept = std::make_shared<QuasistaticEnd>();
  kept->t = t;
  kept->problem = problem;
  kept->answer = std::move(answer);
  for (int i = 0; i < problem.contact_count(); ++i)
    kept->contacts.push_back(choice_.row_name(static_cast<std::size_t>(i)));
  for (const int dof : motion_.assembler().object_dofs()) kept->objects.push_back(scenario_.model.dof_name(dof));
  for (const int dof : motion_.assembler().joint_dofs()) kept->joints.push_back(scenario_.model.dof_name(dof));
  report_.quasistatic_end = std::move(kept);
}

}  // namespace thenar::internal
