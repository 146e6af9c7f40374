// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Looks into a step for the first thing that happens to contacts: two bodies meet, a contact that holds would have to
/// pull, friction of a rolling contact no longer suffices, slip comes to rest. Every one is a function over the step
/// that must stay ≥ 0, known at nine places, of which a polynomial is made whose crossings none is missed of
/// (crossing.h).
///
///     touch   gap of a point that is not held           break   f_N
///     slip    μ_s f_N − |f_t| of what rolls              stick   slip along its direction at the start of the step
///
/// Forces are found beyond their bounds by kForceMargin of the largest of them, a little late: what follows is decided
/// by the instant (contact_instant.h), which takes less for nothing. Forces do not jump where a contact breaks or
/// begins to slip with μ_s = μ, so that a delay by that margin changes the motion by its square only.
///
/// Where contacts are redundant their forces are one choice of many, and a force beyond its bound says nothing yet:
/// `is_certain` is false, and the instant has to be asked.

#include <optional>
#include <string>

#include "thenar/contact/contact_finder.h"
#include "thenar/simulate/crossing.h"
#include "thenar/simulate/stepper.h"

namespace thenar {

enum class ContactCrossingKind : std::uint8_t { touch, break_away, slip, stick };
/// The word used in files.
const char* to_string(ContactCrossingKind kind);

struct ContactCrossing {
  double theta = 1;  ///< where in the step, just after
  ContactCrossingKind kind = ContactCrossingKind::touch;
  int held = -1;  ///< place among the contacts of the motion; −1 of a touch
  std::string name;
  bool is_certain = true;
};

class ContactWatch {
 public:
  static constexpr double kForceMargin = 1e-7;

  /// All must outlive it.
  ContactWatch(const Scenario& scenario, ConstrainedMotion& motion);

  /// The first crossing in the stepper's last step, if any. The motion must be in the mode of that step.
  std::optional<ContactCrossing> find(Stepper& stepper);

 private:
  /// A point of two shapes that is not held.
  struct FreePoint {
    int shape_A = 0, shape_B = 0;
    std::uint64_t id = 0;
    std::string name;
  };
  /// What a contact that holds must keep ≥ 0.
  struct HeldValues {
    double normal = 0, friction = 0, slip = 0;
  };

  void look_at(Stepper& stepper, double theta);
  bool is_held(const FoundContact& found) const;
  double calc_gap(Stepper& stepper, double theta, const FreePoint& point);
  HeldValues calc_held(Stepper& stepper, double theta, std::size_t contact);
  HeldValues read_held(std::size_t contact) const;
  void find_touches(Stepper& stepper, std::optional<ContactCrossing>& first);
  void find_changes(Stepper& stepper, std::optional<ContactCrossing>& first);
  template <class Function>
  void narrow(const VectorX<double>& values, const Function& function, ContactCrossing found,
              std::optional<ContactCrossing>& first);

  const Scenario& scenario_;
  ConstrainedMotion& motion_;
  Workspace<double> workspace_;
  ContactFinder finder_;
  CrossingFinder crossings_;
  double slip_allowance_ = 0;  ///< m/s
  double reach_ = 0;           ///< m, points farther apart are not looked at
};

}  // namespace thenar
