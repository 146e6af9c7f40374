// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/integrate/method_choice.h"

#include <algorithm>

namespace thenar {
namespace {

/// The explicit method's stability region reaches to about −6 on the real axis; near it, estimates scatter.
constexpr double kStabilityEdge = 6;
constexpr double kStiff = 0.6 * kStabilityEdge;
constexpr double kExplicitStageCount = 12;
/// Stiff steps in a row before the implicit method is tried: as many as a Jacobian is worth.
constexpr int kStiffSteps = 8;
/// Steps before costs are compared, and how many of them do not count: the first ones after a change pay for the start.
constexpr int kTrialSteps = 12, kStartingSteps = 3;
constexpr int kMostPatience = 64;
/// Weight of the past in averages: what cost 50 steps ago says little about now.
constexpr double kMemory = 0.98;

}  // namespace

void MethodChoice::begin_stiff() {
  patience_ = 1;  // what was learnt before is of another motion
  if (is_implicit_) return;
  change(true);
  was_told_ = true;
  explicit_cost_ = 0;
}

void MethodChoice::change(bool to_implicit) {
  is_implicit_ = to_implicit;
  was_told_ = false;
  steps_ = stiff_steps_ = 0;
  time_ = evaluations_ = 0;
}

bool MethodChoice::note_step(double h, double stiffness, double evaluations, double looked_at) {
  ++steps_;
  if (steps_ == kStartingSteps + 1 && is_implicit_) time_ = evaluations_ = 0;
  time_ = kMemory * time_ + h;
  evaluations_ = kMemory * evaluations_ + evaluations + looked_at;
  return is_implicit_ ? note_implicit_step(h, stiffness, looked_at) : note_explicit_step(stiffness, looked_at);
}

bool MethodChoice::note_explicit_step(double stiffness, double looked_at) {
  const double stiff = kStiff * kExplicitStageCount / (kExplicitStageCount + looked_at);
  stiff_steps_ = stiffness > stiff ? stiff_steps_ + 1 : 0;
  if (stiff_steps_ < kStiffSteps * patience_) return false;
  explicit_cost_ = evaluations_ / time_;
  change(true);
  return true;
}

bool MethodChoice::note_implicit_step(double h, double stiffness, double looked_at) {
  if (steps_ < kTrialSteps) return false;
  // What the explicit method needs at least for stability, and what it needed when it was left, if that was more: the
  // spectral radius says nothing about its accuracy.
  const double for_stability = (kExplicitStageCount + looked_at) * (stiffness / h) / kStabilityEdge;
  const bool is_stiff = stiffness > kStabilityEdge * kExplicitStageCount / (kExplicitStageCount + looked_at);
  if (was_told_ && is_stiff) return false;  // its first steps are short, whatever they cost
  const double explicit_cost = is_stiff ? std::max(for_stability, 0.5 * explicit_cost_) : for_stability;
  if (evaluations_ / time_ <= explicit_cost) return false;
  if (!was_told_) patience_ = std::min(2 * patience_, kMostPatience);
  change(false);
  return true;
}

}  // namespace thenar
