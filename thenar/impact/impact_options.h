// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "thenar/impact/impact_law.h"

namespace thenar {

/// How several contacts that are struck at once are taken (impact_problem.h).
enum class ImpactTreatment : std::uint8_t { simultaneous, sequential };
/// The word used in files.
constexpr const char* to_string(ImpactTreatment treatment) {
  return treatment == ImpactTreatment::sequential ? "sequential" : "simultaneous";
}

struct ImpactOptions {
  ImpactLaw law = ImpactLaw::poisson;
  ImpactTreatment treatment = ImpactTreatment::simultaneous;
  bool cap_energy = false;
  double tolerance = 1e-10;  ///< of impulses, relative: PointImpactOptions
  int most_impacts = 1000;   ///< of a sequence
};

}  // namespace thenar
