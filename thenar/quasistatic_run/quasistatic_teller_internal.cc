// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_teller_internal.h"

#include <algorithm>

namespace thenar::internal {
namespace {

/// Velocities that differ by less than this part are the same.
constexpr double kNoSlowJump = 1e-9;
/// Changes of modes within a moment before the run gives up, and how long a moment is, as a part of the run.
constexpr int kMostSlowChanges = 40;
constexpr double kMoment = 1e-9;

}  // namespace

QuasistaticTeller::QuasistaticTeller(const Scenario& scenario, const RunTaps& taps, const QuasistaticMotion& motion,
                                     QuasistaticSampler& sampler, EventLog& events)
    : taps_(taps), motion_(motion), sampler_(sampler), events_(events), changes_between_(scenario, motion) {}

void QuasistaticTeller::begin(const State& state, bool is_start) {
  changes_between_.begin();
  jumps_ = false;
  if (!is_start) before_ = sampler_.make(state, 0, 0);
}

bool QuasistaticTeller::has_jump(const State& state) const {
  const VectorX<double> jump = motion_.v() - state.v;
  const double fastest = std::max(motion_.v().cwiseAbs().maxCoeff(), state.v.cwiseAbs().maxCoeff());
  return jump.cwiseAbs().maxCoeff() > kNoSlowJump * fastest;
}

bool QuasistaticTeller::tell_change(const State& state, const std::optional<QuasistaticCrossing>& at) {
  jumps_ = has_jump(state);
  if (jumps_ && last_jump_ < state.t && !tap(before_)) return false;
  if (jumps_) last_jump_ = state.t;
  for (const Event& event : changes_between_.list(state.t, at)) events_.write(event);
  return true;
}

bool QuasistaticTeller::tell_after(const State& state) { return !jumps_ || tap(sampler_.look(state)); }

bool ModeChangeCount::note(double t, double run_length) {
  if (t > moment_ + kMoment * run_length) {
    moment_ = t;
    changes_ = 0;
  }
  return ++changes_ <= kMostSlowChanges;
}

}  // namespace thenar::internal
