// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What can happen to contacts inside of a step, and where in it.

#include <array>
#include <cstdint>
#include <string>

namespace thenar {

enum class ContactCrossingKind : std::uint8_t { touch, break_away, slip, stick, face, layer, verdict };
/// The word used in files.
const char* to_string(ContactCrossingKind kind);

struct ContactCrossing {
  double theta = 1;  ///< where in the step, just after
  ContactCrossingKind kind = ContactCrossingKind::touch;
  int held = -1;     ///< place among the contacts of the motion; −1 of a touch or a layer
  std::string name;  ///< of the contact
  /// Of a slip: the direction along T, U and about N in which it begins, as far as the watch can tell.
  std::array<double, 3> slip{};
};

template <class Archive>
void archive_state(Archive& a, ContactCrossing& at) {
  a(at.theta, at.kind, at.held, at.name, at.slip);
}

}  // namespace thenar
