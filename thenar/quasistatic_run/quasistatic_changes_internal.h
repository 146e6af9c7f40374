// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Events of slow motion: what touches, slips, sticks, breaks, goes over to other features, meets
/// or leaves a stop between two lists of modes.

#include <string>
#include <vector>

#include "thenar/quasistatic_run/quasistatic_motion_internal.h"
#include "thenar/quasistatic_run/quasistatic_watch_internal.h"
#include "thenar/trace/event.h"

namespace thenar::internal {

/// What a contact that holds does, by its label; of one without friction in space by its slip: roll or slide.
ContactMode find_hold(const QuasistaticMotion& motion, std::size_t contact);

class QuasistaticChanges {
 public:
  /// Both must outlive it.
  QuasistaticChanges(const Scenario& scenario, const QuasistaticMotion& motion)
      : scenario_(scenario), motion_(motion) {}

  /// What held up to now is as it is in the motion's last evaluation.
  void begin();
  /// What holds from now on, evaluated; `at` is what ended the stretch before.
  std::vector<Event> list(double t, const std::optional<QuasistaticCrossing>& at) const;

 private:
  struct Known {
    FoundContact place;
    std::string name;
    ContactMode hold;
    int label;
    double slip;
  };
  std::vector<char> list_old(double t, bool is_face, const QuasistaticSolution& solution,
                             std::vector<Event>& out) const;
  void compare(double t, const Known& old, std::size_t contact, const QuasistaticSolution& solution,
               std::vector<Event>& out) const;
  void list_new(double t, bool is_face, const std::vector<char>& is_new, const QuasistaticSolution& solution,
                std::vector<Event>& out) const;
  void list_stops(double t, const QuasistaticSolution& solution, std::vector<Event>& out) const;
  Event make_slip(double t, std::size_t contact, const QuasistaticSolution& solution) const;
  EventPlace place_of_stop(int stop) const;

  const Scenario& scenario_;
  const QuasistaticMotion& motion_;
  std::vector<Known> before_;
  std::vector<int> stops_before_;
};

}  // namespace thenar::internal
