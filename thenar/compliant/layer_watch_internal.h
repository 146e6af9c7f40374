// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Looks into a step for the first change of a compliant layer: it lets go, presses again, begins to slip or to stick,
/// is left behind by its bodies, or leaves the features that they touch with. Each is a function over the step that
/// must stay ≥ 0; they are looked at in five places of it. Phases are kept in a step (layer_contacts_internal.h), so
/// that what is found has the order of the method, and one that is missed only makes a kink.

#include <array>
#include <optional>

#include "thenar/compliant/compliant_contacts_internal.h"
#include "thenar/events/contact_watch.h"

namespace thenar::internal {

class LayerWatch {
 public:
  /// All must outlive it. `size` (m) is that of the scene.
  LayerWatch(ConstrainedMotion& motion, const LayerMargins& margins, double size)
      : motion_(motion), margins_(margins), size_(size) {}

  /// Keeps the first change in the stepper's last step if it comes before `first`.
  void find(Stepper& stepper, std::optional<ContactCrossing>& first);

 private:
  static constexpr int kValues = 3;
  using Values = std::array<double, kValues>;

  Values read(std::size_t contact, double allowed_exit) const;

  ConstrainedMotion& motion_;
  LayerMargins margins_;
  double size_;
  std::vector<Values> before_, after_;  ///< of all layers at two neighbouring places
  std::vector<double> allowed_exits_;
};

}  // namespace thenar::internal
