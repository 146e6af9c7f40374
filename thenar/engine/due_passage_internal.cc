// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/due_passage_internal.h"

#include <algorithm>
#include <utility>

namespace thenar::internal {

bool DuePassage::pass_all() {
  return pass_loads() && pass_switch() && pass_sample() && pass_bounce_ends() && pass_check();
}

bool DuePassage::extend_horizon() {
  run_.schedule.extend_horizon();
  if (!run_.schedule.next_switch()) run_.schedule.find_next_switch(run_.state.t);
  return pass_all();
}

bool DuePassage::apply_loads() {
  run_.motion.set_loads(*std::exchange(staged_, std::nullopt));
  run_.schedule.find_next_switch(run_.state.t);
  run_.at_contact.reset();
  return instants_.settle({});
}

/// Wrenches end, and with fixed steps loads change here.
bool DuePassage::pass_loads() {
  const auto is_over = [this](const AppliedWrench& wrench) { return run_.state.t >= wrench.until; };
  const std::vector<AppliedWrench>& wrenches = run_.actuation().loads().wrenches;
  if (staged_) return apply_loads();
  if (std::none_of(wrenches.begin(), wrenches.end(), is_over)) return true;
  staged_ = run_.actuation().loads();
  std::erase_if(staged_->wrenches, is_over);
  return apply_loads();
}

bool DuePassage::pass_switch() {
  if (!run_.schedule.is_switch_due(run_.state.t)) return true;
  const ProfileSwitch& now = *run_.schedule.next_switch();
  run_.state.t = now.at.after;
  run_.motion.set_latest_time(run_.schedule.horizon());
  if (!now.is_jump) {
    run_.stepper.start(run_.state);
    run_.schedule.find_next_switch(run_.state.t);
    return true;
  }
  for (const ProfileSwitch::Change& change : now.changes) run_.log.events().write_switch(run_.state.t, change);
  run_.at_contact.reset();
  run_.at_switch = true;
  const bool is_settled = instants_.settle({});
  run_.at_switch = false;
  if (is_settled) run_.schedule.find_next_switch(run_.state.t);
  return is_settled;
}

/// Controllers with a rate look at the state; nobody is told.
bool DuePassage::pass_sample() {
  if (!run_.schedule.is_sample_due(run_.state.t)) return true;
  ControlInput now{run_.state.t, run_.state.q.data(), run_.state.v.data()};
  if (run_.scenario.contacts && run_.actuation().needs_contacts(run_.state.t)) {
    const Sample* const sample = run_.samples.make(run_.state);
    if (sample == nullptr) return run_.end(AdvanceEnd::not_finite, run_.samples.fault());
    now.contacts = sample->contacts;
  }
  run_.report.control_samples += run_.actuation().take_samples(now);
  return instants_.settle({});
}

bool DuePassage::pass_limit(int dof, int bound) {
  if (const std::string storm = instants_.note_progress(); !storm.empty()) return run_.end(AdvanceEnd::failed, storm);
  const bool returns = run_.actuation().side(dof) == bound;
  run_.actuation().set_side(dof, returns ? 0 : bound);
  run_.log.events().write_limit(run_.state.t, dof, bound, returns);
  run_.stepper.start(run_.state);
  return true;
}

/// Contacts that have gone over to the compliant model may come back.
bool DuePassage::pass_check() {
  if (run_.state.t < run_.settler.hand_over().next_check() || !run_.settler.try_back(run_.state)) return true;
  run_.at_contact.reset();
  return instants_.settle({});
}

bool DuePassage::pass_bounce_ends() {
  run_.log.pass_bounce_ends(run_.state.t);
  return true;
}

}  // namespace thenar::internal
