// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What contacts do at one instant, as values: for programs that hold a simulation, for controllers, and for samples of
/// a trace.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "thenar/model/model.h"

namespace thenar {

/// What a contact does. Of what comes next, an instant says the same words (contact_instant.h): there `open` means that
/// the bodies part, and `roll` that they may turn on each other.
enum class ContactMode : std::uint8_t {
  open,   ///< apart, within the margin of the scenario
  stick,  ///< held, without any relative motion
  roll,   ///< held, without slip, while the bodies turn on each other
  slide,  ///< held, with slip
  spin    ///< held by a soft fingertip that turns about N and does not slip otherwise
};
/// The word used in files: open, stick, roll, slide, spin.
const char* to_string(ContactMode mode);

/// Tells contacts of one scenario apart for as long as they last: two shapes, and which of their points.
struct ContactId {
  int shape_A = -1, shape_B = -1;  ///< places in ContactFinder::shapes()
  std::uint64_t point = 0;

  friend auto operator<=>(const ContactId&, const ContactId&) = default;
};
template <class Archive>
void archive_state(Archive& a, ContactId& id) {
  a(id.shape_A, id.shape_B, id.point);
}

/// Names of contacts are A/B, or A/B#k for one of several points of two bodies: the part without the number, and that
/// number, if there is one.
std::string_view pair_of_contact(std::string_view contact);
std::optional<std::string_view> point_of_contact(std::string_view contact);

/// A force in a contact frame: along N, T, U (N), and a torsional moment about N (N m).
struct ContactForce {
  double normal = 0, along_T = 0, along_U = 0, torsion = 0;

  friend bool operator==(const ContactForce&, const ContactForce&) = default;
};

/// One contact at one instant. Vectors of two are along T, U of the contact frame.
struct Contact {
  ContactId id{};      ///< not in files: unknown where a trace is read
  std::string name{};  ///< A/B or A/B#k
  BodyIndex body_A{}, body_B{};
  ContactMode mode = ContactMode::open;
  double gap = 0;                      ///< m
  ContactForce force_on_A{};           ///< from B
  std::array<double, 2> slip{};        ///< velocity of A relative to B, m/s
  std::array<double, 2> u_A{}, u_B{};  ///< surface coordinates, in their charts
  double psi = 0;                      ///< rad
  /// The smallest relative change of f_N that brings the force to its cone, of the patch where there is one; −1 while
  /// sliding, 0 of what is open or has no friction.
  double margin = 0;
  /// The point on A in world axes (m; the point on B is gap N before it), and N and T of the contact frame. An open
  /// pair has no T. N is 0 where the place is unknown.
  Vec3<double> point_A = Vec3<double>::zero(), N = Vec3<double>::zero(), T = Vec3<double>::zero();
  double friction = 0;  ///< coefficient of the cone that bounds the force now; 0 of an open pair

  bool is_open() const { return mode == ContactMode::open; }
};

}  // namespace thenar
