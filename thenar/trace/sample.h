// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Samples: what a run says of one instant.

#include <vector>

#include "thenar/contact/contact.h"
#include "thenar/scenario/state.h"

namespace thenar {

/// Energies in a row of a trace, J. `work`, `dissipated` and `switched` are since the start:
/// total() = that of the first row + work − dissipated + switched + corrected.
struct EnergySample {
  double kinetic = 0, potential = 0, work = 0, dissipated = 0;
  double layers = 0;     ///< elastic energy of compliant contacts
  double switched = 0;   ///< what contacts that changed their model have put in (EnergyBalance)
  double corrected = 0;  ///< what the step engine's correction of positions has put in

  double total() const { return kinetic + potential + layers; }
};

/// One row of a trace. All numbers are finite.
struct Sample {
  State state;
  VectorX<double> tau;            ///< efforts of the actuators (nv), N m or N
  std::vector<Contact> contacts;  ///< of a scenario with contacts
  EnergySample energy;
};

}  // namespace thenar
