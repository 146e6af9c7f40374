// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/step_search_internal.h"

#include <limits>
#include <utility>

namespace thenar::internal {
namespace {

/// If a step violates an active constraint by more than the tolerance, it is repeated at this part of its length, as
/// long as that helps.
constexpr double kShorter = 0.3;

}  // namespace

bool StepSearch::find(int stalled) {
  double last_excess = std::numeric_limits<double>::infinity();
  contacts_.note_end();
  for (;;) {
    at_contact_.reset();
    if (!look_at_joints() || !look_at_contacts(stalled)) return false;
    theta_ = at_contact_ ? at_contact_->theta : crossing_ ? crossing_->theta : 1;
    const double excess = scenario_.contacts && stepper_.has_error_control() ? stepper_.calc_excess(theta_) : 0;
    if (excess <= 1 || excess > 0.5 * last_excess) return true;
    last_excess = excess;
    if (!retry(kShorter * theta_ * stepper_.h())) return false;
  }
}

bool StepSearch::look_at_joints() {
  if (!joints_.has_work()) return true;
  for (;;) {
    const EventWatch::Finding finding = joints_.find(stepper_);
    crossing_ = finding.crossing;
    if (!finding.retry) return true;
    if (!retry(*finding.retry)) return false;
  }
}

/// The first event of a contact, if it comes before that of the joints.
bool StepSearch::look_at_contacts(int stalled) {
  for (;;) {
    ContactWatch::Finding finding = contacts_.find_crossing(stepper_, stalled);
    at_contact_ = std::move(finding.crossing);
    if (!finding.retry) break;
    if (!retry(*finding.retry) || !look_at_joints()) return false;
  }
  if (!at_contact_ || !crossing_) return true;
  if (crossing_->theta <= at_contact_->theta) {
    at_contact_.reset();
  } else {
    crossing_.reset();
  }
  return true;
}

bool StepSearch::retry(double h) {
  if (!stepper_.retry(h)) return false;
  contacts_.note_end();
  return true;
}

}  // namespace thenar::internal
