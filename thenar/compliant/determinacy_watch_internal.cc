// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/compliant/determinacy_watch_internal.h"

#include <algorithm>

#include "thenar/compliant/layer_stability_internal.h"
#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar::internal {
namespace {

/// How closely the time is found, in halvings of a step.
constexpr int kBisections = 24;

bool has_one_motion(Verdict verdict) { return verdict == Verdict::unique || verdict == Verdict::unique_motion; }

}  // namespace

bool DeterminacyWatch::is_proved() const { return has_one_motion(verdict_); }

void DeterminacyWatch::begin(Verdict verdict) {
  verdict_ = verdict;
  watches_ = is_proved() || (verdict == Verdict::undecided && find_doubt().contacts.empty());
}

DeterminacyWatch::Doubt DeterminacyWatch::find_doubt() {
  ConstrainedMotion& motion = context_.motion();
  Doubt out;
  if (motion.contacts().empty() || !motion.may_be_indeterminate()) return out;
  for (const ContactResponse& part : motion.list_contact_responses()) {
    const bool is_P = part.is_P();
    if (is_P && is_stable(part)) continue;
    out.why = is_P ? "the layer between the bodies is not stable" : "A is not a P-matrix";
    for (const ContactResponse::Row& row : part.rows) {
      if (row.row == 0) out.contacts.push_back(motion.contacts()[row.contact].found());
    }
  }
  return out;
}

/// Of the layers that contacts would have if they went over now.
bool DeterminacyWatch::is_stable(const ContactResponse& part) {
  ConstrainedMotion& motion = context_.motion();
  VectorX<double> k(part.A.rows()), c(part.A.rows());
  for (Eigen::Index i = 0; i < part.A.rows(); ++i) {
    const auto [contact, row] = part.rows[static_cast<std::size_t>(i)];
    const LayerSlopes slopes = layers_.calc_slopes(motion.contacts()[contact], motion.contact_forces()[contact](0));
    k(i) = slopes.stiffness[static_cast<std::size_t>(row)];
    c(i) = slopes.damping[static_cast<std::size_t>(row)];
  }
  return calc_layer_growth(part.A, k, c) < 0;
}

/// What the instant says of the motion there.
Verdict DeterminacyWatch::ask(Stepper& stepper, double theta, InstantOptions options) {
  ConstrainedMotion& motion = context_.motion();
  const StepPoint& point = stepper.interpolate(theta);
  State state{stepper.t() + theta * stepper.h(), point.q, point.v, point.inner};
  options.time = state.t;
  Verdict out = Verdict::undecided;
  try {
    context_.projection().project(motion.rows(), motion.mode().held, motion.contacts(), state.q, state.v);
    update_positions(motion.model(), state.q.data(), workspace_);
    update_velocities(motion.model(), state.v.data(), workspace_);
    context_.keep_frames(workspace_);
    out = solve_instant(context_, state, options).verdict;
  } catch (const NoInstantError&) {  // something is struck there, which is looked for elsewhere
    out = verdict_;
  }
  return out;
}

/// At theta, where the motion was evaluated last.
bool DeterminacyWatch::is_lost(Stepper& stepper, double theta, const InstantOptions& options) {
  if (!is_proved()) return !find_doubt().contacts.empty();
  return !context_.motion().has_determinate_contacts() && !has_one_motion(ask(stepper, theta, options));
}

void DeterminacyWatch::find(Stepper& stepper, const InstantOptions& options, std::optional<ContactCrossing>& first) {
  ConstrainedMotion& motion = context_.motion();
  if (first || !watches_ || motion.contacts().empty() || !motion.may_be_indeterminate()) return;
  const auto is_automatic = [&](const HeldContact& contact) {
    return layers_.can_hand_over(contact.found().body_A, contact.found().body_B);
  };
  stepper.evaluate(1);
  if (std::none_of(motion.contacts().begin(), motion.contacts().end(), is_automatic)) return;
  if (!is_lost(stepper, 1, options)) return;
  double before = 0, after = 1;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (before + after);
    stepper.evaluate(middle);
    (is_lost(stepper, middle, options) ? after : before) = middle;
  }
  first = ContactCrossing{.theta = after, .kind = ContactCrossingKind::verdict, .name = {}};
}

}  // namespace thenar::internal
