// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "thenar/contact/contact.h"
#include "thenar/scenario/state.h"
#include "thenar/trace/event.h"
#include "thenar/trace/run_report.h"

namespace thenar::internal {

/// A contact in a step, with its mean force.
struct StepContactState {
  std::uint64_t id = 0;
  Contact contact;
};

template <class Archive>
void archive_state(Archive& a, StepContactState& x) {
  Contact& c = x.contact;
  a(x.id, c.id, c.name, c.body_A, c.body_B, c.mode, c.gap, c.force_on_A.normal, c.force_on_A.along_T,
    c.force_on_A.along_U, c.force_on_A.torsion, c.slip, c.u_A, c.u_B, c.psi, c.margin, c.point_A, c.N, c.T, c.friction);
}

/// A step that was made and is to be taken.
struct MadeStep {
  double h = 0;  ///< s
  State end;
  EnergyBalance energy;         ///< what it adds
  std::vector<Event> events{};  ///< at its end
  std::vector<StepContactState> contacts{};
  std::vector<char> stops{};     ///< per joint row: whether a joint presses on this stop
  VectorX<double> acceleration;  ///< without impacts
  double grade = 0, overlap = 0;
  bool is_flagged = false;

  template <class Archive>
  void archive(Archive& a);
};

}  // namespace thenar::internal
