// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Events of slow motion in words and numbers: what touches, slips, sticks, breaks, goes over to other features, meets
/// or leaves a stop between two lists of modes.

#include <string>
#include <vector>

#include "thenar/quasistatic_run/slow_motion_internal.h"
#include "thenar/quasistatic_run/slow_watch_internal.h"
#include "thenar/trace/event.h"

namespace thenar::internal {

/// What a contact that holds does, by its label; of one without friction in space by its slip.
enum class SlowHold : std::uint8_t { rolls, slides };
SlowHold find_hold(const SlowMotion& motion, std::size_t contact);

class SlowTeller {
 public:
  /// Both must outlive it.
  SlowTeller(const Scenario& scenario, const SlowMotion& motion) : scenario_(scenario), motion_(motion) {}

  /// What held up to now is as it is in the motion's last evaluation.
  void begin();
  /// What holds from now on, evaluated; `at` is what ended the stretch before.
  std::vector<Event> tell(double t, const std::optional<SlowCrossing>& at) const;

 private:
  struct Known {
    FoundContact place;
    std::string name;
    SlowHold hold;
    int label;
    double slip;
  };
  std::string explain_slip(std::size_t contact, const QuasistaticSolution& solution) const;

  const Scenario& scenario_;
  const SlowMotion& motion_;
  std::vector<Known> before_;
  std::vector<int> stops_before_;
};

}  // namespace thenar::internal
