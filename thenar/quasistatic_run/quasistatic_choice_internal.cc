// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_choice_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace thenar::internal {
namespace {

/// What candidates may have against them where the question is asked.
constexpr double kFits = 1e-6;
/// Answers that a message lists.
constexpr std::size_t kMostAnswersListed = 8;

}  // namespace

QuasistaticChoice::QuasistaticChoice(const Scenario& scenario, const Tolerances& tolerances, QuasistaticMotion& motion,
                                     const QuasistaticStep& step)
    : scenario_(scenario), tolerances_(tolerances), motion_(motion), trial_(scenario, tolerances), step_(step) {}

bool QuasistaticChoice::end(AdvanceEnd cause, std::string reason) {
  cause_ = cause;
  reason_ = std::move(reason);
  return false;
}

bool QuasistaticChoice::is_driven(double t) const {
  const std::vector<int>& dofs = motion_.assembler().joint_dofs();
  return std::any_of(dofs.begin(), dofs.end(), [&](int dof) { return motion_.assembler().calc_rate(dof, t) != 0; });
}

bool QuasistaticChoice::choose(double t, const Place& place, const QuasistaticProblem& problem,
                               const QuasistaticAnswer& answer) {
  if (answer.solutions.empty()) {
    if (answer.verdict == QuasistaticVerdict::none) return end(AdvanceEnd::jam, describe_jam(t, answer));
    return end(AdvanceEnd::failed, fmt::format("no answer is found at t = {:.9g} s: {}", t, answer.reason));
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
    if (!choice) return end(AdvanceEnd::indeterminate, describe_several(t, answer));
    chosen = *choice;
  }
  motion_.set_modes(candidates[chosen].labels, candidates[chosen].reference);
  return true;
}

std::string QuasistaticChoice::describe_jam(double t, const QuasistaticAnswer& answer) const {
  // A proof of one node says that there are no forces, or no velocities, whatever contacts do.
  if (answer.tree.size() == 1 && answer.tree.front().kind == QuasistaticNode::Kind::no_forces) {
    return fmt::format("nothing that touches balances the loads at t = {:.9g} s: what comes next is no slow motion", t);
  }
  if (answer.tree.size() == 1 && answer.tree.front().kind == QuasistaticNode::Kind::no_motion) {
    return fmt::format("it is blocked at t = {:.9g} s: the given velocities would press bodies into each other", t);
  }
  return fmt::format("it jams at t = {:.9g} s: no velocity and forces go together (proof of {} nodes)", t,
                     answer.tree.size());
}

QuasistaticChoice::Candidate QuasistaticChoice::make_candidate(const QuasistaticProblem& problem,
                                                               const QuasistaticSolution& solution) const {
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

void QuasistaticChoice::keep_those_that_go_on(const Place& place, std::vector<Candidate>& candidates) {
  std::vector<Candidate> kept;
  for (Candidate& candidate : candidates) {
    trial_.set_contacts(motion_.contacts(), motion_.held_stops());
    trial_.set_modes(candidate.labels, candidate.reference);
    if (goes_on(place, candidate)) kept.push_back(std::move(candidate));
  }
  if (!kept.empty()) candidates = std::move(kept);
}

bool QuasistaticChoice::goes_on(const Place& place, Candidate& candidate) {
  if (!trial_.evaluate(place.t, place.q)) return false;
  const auto fits = [&] {
    const std::vector<double> slips = trial_.list_strict();
    return trial_.reserve() >= -kFits && parts(trial_.u(), candidate.labels) &&
           std::all_of(slips.begin(), slips.end(), [&](double slip) { return slip >= -kFits * trial_.speed_scale(); });
  };
  if (!fits()) {
    candidate.reference = candidate.u;
    trial_.set_modes(trial_.labels(), candidate.reference);
    if (!trial_.evaluate(place.t, place.q) || !fits()) return false;
  }
  const VectorX<double> v = trial_.v();
  candidate.motion = 0;
  for (int i = 0; i < v.size(); ++i) candidate.motion += std::pow(v(i) / tolerances_.unit(i), 2);
  const double dt = kFirstLook * step_.longest_step();
  VectorX<double> q(place.q);
  const VectorX<double> dq = dt * v;
  integrate_position(scenario_.model, place.q.data(), dq.data(), q.data());
  trial_.project(place.t + dt, q);
  return trial_.evaluate(place.t + dt, q) && fits();
}

/// Whether what breaks does so at this velocity, where motion_ was updated last.
bool QuasistaticChoice::parts(const VectorX<double>& u, const ModeLabels& labels) const {
  const ModeRules& rules = motion_.rules();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const int row = rules.contacts[i].normal;
    if (labels[i] == 0 && !(rules.P.row(row).dot(u) + rules.v0(row) > 0)) return false;
  }
  return true;
}

std::optional<std::size_t> QuasistaticChoice::choose_among(double t, const std::vector<Candidate>& candidates) const {
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

std::string QuasistaticChoice::describe_several(double t, const QuasistaticAnswer& answer) const {
  std::string out = fmt::format("several motions are possible at t = {:.9g} s, and 'on_indeterminate' says stop:", t);
  for (std::size_t k = 0; k < std::min(kMostAnswersListed, answer.solutions.size()); ++k) {
    out += fmt::format("{} ({}) ", k == 0 ? "" : ";", k + 1);
    for (std::size_t i = 0; i < answer.solutions[k].modes.size(); ++i) {
      out += fmt::format("{}{} {}", i == 0 ? "" : ", ", row_name(i), to_string(answer.solutions[k].modes[i]));
    }
    if (!answer.solutions[k].velocity_unique) out += " with more than one velocity";
  }
  if (answer.solutions.size() > kMostAnswersListed) out += fmt::format("; {} in all", answer.solutions.size());
  return out;
}

std::string QuasistaticChoice::row_name(std::size_t i) const {
  if (i < motion_.contacts().size()) return motion_.contacts()[i].name();
  const int stop = motion_.held_stops()[i - motion_.contacts().size()];
  return scenario_.model.dof_name(motion_.stops()[static_cast<std::size_t>(stop)].dof()) + " on its stop";
}

}  // namespace thenar::internal
