// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Looks into a step for the first thing that ends its mode: a gap that closes, a reaction that leaves its bounds, a
/// slip that stops, an actuator that reaches its limit or comes back from it. Gaps and slips are functions of the dense
/// output; reactions cost an evaluation of the dynamics each, so they are looked at in a few places, and a step in
/// which these do not suffice to tell their sign is made shorter.
///
/// Where the motion is stiff, reactions are exact at the stages of the implicit method only: between them the dense
/// output leaves the slow motion by as much as its error, which stiff dampers turn into large forces. So reactions are
/// looked at there, and a step in which something happens is made again so that it ends close behind it.

#include <optional>
#include <vector>

#include "thenar/integrate/crossing.h"
#include "thenar/motion/stepper.h"

namespace thenar {

enum class CrossingKind { gap, reaction, slip, effort };

struct Crossing {
  double theta = 1;  ///< where in the step, just after the function has left its bounds
  int row = -1;      ///< of an effort: the degree of freedom
  CrossingKind kind = CrossingKind::gap;
  bool at_upper = false;  ///< a reaction of dry friction, or an effort, left its upper bound or came back from it
};

class EventWatch {
 public:
  /// Both must outlive it.
  EventWatch(ConstrainedMotion& motion, const Tolerances& tolerances);

  /// Whether there is anything to watch in the present mode.
  bool has_work() const;

  struct Finding {
    std::optional<double> retry;  ///< the step must be made again with this length, s, before one can tell
    std::optional<Crossing> crossing;
  };
  /// The first crossing in the stepper's last step. The motion must be in the mode of that step.
  Finding find(Stepper& stepper);

 private:
  bool find_gaps_in_reach(Stepper& stepper);
  void sample_states(Stepper& stepper);
  void watch_gaps(Stepper& stepper);
  void move_to_contact(Stepper& stepper, JointRow& stop);
  void watch_slips(Stepper& stepper);
  bool watch_reactions(Stepper& stepper);
  void look_at_commands(Stepper& stepper, std::size_t place);
  bool has_clear_commands(std::size_t middle, std::size_t end) const;
  bool watch_efforts(Stepper& stepper);
  bool watch_limit(Stepper& stepper, int dof, int bound);
  double calc_command(Stepper& stepper, double theta, int dof);
  bool are_trusted(double nothing) const;
  bool watch_bound(Stepper& stepper, Eigen::Index k, double sign);
  double calc_margin(double reaction, int row, double sign) const;
  template <class Function>
  bool keep_first(CrossingFinder& finder, const VectorX<double>& values, const Function& function, Crossing found);

  ConstrainedMotion& motion_;
  const Tolerances& tolerances_;
  std::vector<JointRow> rows_;  ///< copies, which may be evaluated without disturbing the motion's
  CrossingFinder fine_, explicit_places_, implicit_places_;
  CrossingFinder* places_ = nullptr;  ///< where reactions are looked at in this step
  std::vector<char> in_reach_;        ///< per row: a stop that the step may have met
  MatrixX<double> q_, v_;             ///< per node of fine_
  MatrixX<double> reactions_;         ///< per place
  MatrixX<double> commands_;          ///< of actuators, per place
  VectorX<double> command_;
  VectorX<double> values_, place_values_;
  std::optional<Crossing> first_;
};

template <class Archive>
void archive_state(Archive& a, Crossing& at) {
  a(at.theta, at.row, at.kind, at.at_upper);
}

}  // namespace thenar
