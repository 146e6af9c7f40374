// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Looks into a step for the first thing that happens to contacts:
///
///     touch   the gap of two bodies closes where they are not held     break   f_N of a held contact comes to 0
///     slip    friction of what rolls no longer suffices                stick   slip comes to rest
///     face    a contact leaves one of its features: a face at its edge, an edge at its corner
///     layer   something happens to a compliant layer (layer_watch_internal.h)
///     verdict contacts cease to be determinate (DeterminacyWatch)
///
/// Every one is a function over the step that must stay ≥ 0. Forces and slips are known at nine places, of which a
/// polynomial is made whose crossings none is missed of (crossing.h). Touches are found by touch_watch.h.
///
/// Forces are found beyond their bounds by a part of the largest of them, `force_margin`, a little late: what follows
/// is decided by the instant (contact_instant.h), which takes less for nothing. Forces do not jump where a contact
/// breaks or begins to slip with μ_s = μ, so that a delay by that margin changes the motion by its square only.
///
/// Where slip is stiff (it has just begun, and its direction is no better known than the tolerance), forces are told at
/// the end of a step of the implicit method only, where transients have died out; a step in which one has
/// crossed its bound by then is made again so that it ends close behind it.
///
/// Slip that ends far inside of a long explicit step and has left its direction there has grown from rounding: slip
/// across dies out faster than such a step can follow. The step is made again, to just behind the end of the slip.
///
/// Of redundant contacts forces are one choice of many: redundant_watch_internal.h asks for others. Most steps are
/// clear at a glance (held_values_internal.h).

#include <optional>
#include <vector>

#include "thenar/events/contact_crossing.h"
#include "thenar/events/held_values_internal.h"
#include "thenar/events/redundant_watch_internal.h"
#include "thenar/events/touch_watch.h"
#include "thenar/integrate/crossing.h"
#include "thenar/motion/stepper.h"

namespace thenar {

class ContactWatch {
 public:
  static constexpr double kForceMargin = 1e-7;

  /// All must outlive it.
  ContactWatch(const Scenario& scenario, ConstrainedMotion& motion);
  ContactWatch(const ContactWatch&) = delete;
  ContactWatch& operator=(const ContactWatch&) = delete;

  struct Finding {
    std::optional<double> retry;  ///< the step must be made again with this length, s, before one can tell
    std::optional<ContactCrossing> crossing;
  };
  /// To be called when the stepper has made a step, before anything else is evaluated: forces at its end are known.
  void note_end(const Stepper& stepper) { held_.note_end(stepper); }
  /// The first crossing in the stepper's last step, if any. The motion must be in the mode of that step.
  Finding find(Stepper& stepper, double force_margin = kForceMargin);

  /// What is known of the ends of the last step.
  template <class Archive>
  void archive(Archive& a);

  /// Forces of the contacts that hold where the motion was evaluated last: the least ones if the cones admit them, else
  /// others that they do.
  const std::vector<Vector4<double>>& calc_forces();

  /// There, of contacts that roll and belong together: the least share of their cones that all of them can do with at
  /// once, over all forces that keep them where they are; `known` is one that is known to do. To kShare.
  double calc_least_share(const std::vector<std::size_t>& contacts, double known);

 private:
  bool is_astray(Stepper& stepper, const ContactCrossing& crossing);
  void find_slip_direction(Stepper& stepper, ContactCrossing& crossing);
  void find_slow_changes(Stepper& stepper, std::optional<ContactCrossing>& first);
  void find_changes(Stepper& stepper, double force_margin, std::optional<ContactCrossing>& first);
  std::optional<double> find_changes_at_end(Stepper& stepper, double force_margin,
                                            std::optional<ContactCrossing>& first);
  void find_exit(Stepper& stepper, std::size_t contact, const VectorX<double>& exits,
                 std::optional<ContactCrossing>& first);
  template <class Function>
  void narrow(const VectorX<double>& values, const Function& function, ContactCrossingKind kind, std::size_t contact,
              std::optional<ContactCrossing>& first);

  ConstrainedMotion& motion_;
  TouchWatch touches_;
  CrossingFinder crossings_;
  internal::HeldValueTable held_;
  internal::RedundantWatch redundant_;
  VectorX<double> values_;  ///< of one contact
  std::vector<Vector4<double>> forces_;
};

}  // namespace thenar
