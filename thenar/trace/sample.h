// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Samples: what a run says of one instant.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "thenar/scenario/state.h"

namespace thenar {

/// What a contact does in a row of a trace.
enum class ContactMotion : std::uint8_t {
  free,   ///< apart, within the margin of the scenario
  fixed,  ///< held, without any relative motion
  roll,   ///< held, without slip, while the bodies turn on each other
  slide,  ///< held, with slip
  spin    ///< held by a soft fingertip that turns about N and does not slip otherwise
};
/// The word used in files: free, fixed, roll, slide, spin.
const char* to_string(ContactMotion motion);

/// One contact in a row of a trace. Forces are on A, vectors along N, T, U of the contact frame.
struct ContactSample {
  std::string name;  ///< A/B or A/B#k
  ContactMotion motion = ContactMotion::free;
  double gap = 0;                      ///< m
  std::array<double, 4> force{};       ///< N, T, U, N, and torsion about N, N m
  std::array<double, 2> slip{};        ///< velocity of A relative to B along T, U, m/s
  std::array<double, 2> u_A{}, u_B{};  ///< surface coordinates, in their charts
  double psi = 0;                      ///< rad
  /// The smallest relative change of f_N that brings the force to its cone, of the patch where there is one; −1 while
  /// sliding, 0 of what is free or has no friction.
  double margin = 0;
  /// Where it is, in world axes: the point on A (m; that on B is gap N before it), and N and T of the contact frame.
  /// A pair that is free has no T. N is 0 where nothing is known of the place.
  Vec3<double> point_A = Vec3<double>::zero(), N = Vec3<double>::zero(), T = Vec3<double>::zero();
  double friction = 0;  ///< coefficient of the cone that bounds the force now; 0 of what is free
};

/// Energies in a row of a trace, J. `work`, `dissipated` and `switched` are since the start:
/// total() = that of the first row + work − dissipated + switched.
struct EnergySample {
  double kinetic = 0, potential = 0, work = 0, dissipated = 0;
  double layers = 0;    ///< elastic energy of compliant contacts
  double switched = 0;  ///< what contacts that changed their model have put in (EnergyBalance)

  double total() const { return kinetic + potential + layers; }
};

/// One row of a trace. All numbers are finite.
struct Sample {
  State state;
  VectorX<double> tau;                  ///< efforts of the actuators (nv), N m or N
  std::vector<ContactSample> contacts;  ///< of a scenario with contacts
  EnergySample energy;
};

}  // namespace thenar
