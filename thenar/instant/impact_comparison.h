// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One impact under every law and method, side by side.
///
/// **Velocity propagation** (Chan 5.3.3, equation 5.7) is there to be compared with: every contact that is struck is
/// solved as if nothing else touched, one after the other, and then the joints of the fingers that hold the object are
/// given the velocities with which their contacts follow it. No impulse acts on the fingers for that, so that momentum
/// does not balance, and a finger in the way of the object is not met as an obstacle.

#include <cstdint>
#include <vector>

#include "thenar/instant/contact_impact.h"

namespace thenar {

/// Chan's propagation of velocities.
struct PropagatedImpact {
  ImpactStatus status = ImpactStatus::fault;
  VectorX<double> z;  ///< impulses of the contacts that are struck
  VectorX<double> v;  ///< after
  /// Momentum from nowhere: v⁺ − v − X z over X z, in the norm of the kinetic energy.
  double momentum_defect = 0;
};
PropagatedImpact propagate_velocities(const Scenario& scenario, const State& state, const ImpactInstant& instant,
                                      const ImpactOptions& options);

/// How several contacts are taken.
enum class ImpactMethod : std::uint8_t {
  path,  ///< there is only one contact: followed in impulse space
  simultaneous,
  sequential,
  propagation
};
/// The word used in files.
const char* to_string(ImpactMethod method);

/// What one law makes of an impact.
struct ImpactOutcome {
  ImpactMethod method = ImpactMethod::path;
  ImpactLaw law = ImpactLaw::poisson;
  ImpactAnswer answer{};                         ///< of propagation: status and z alone
  VectorX<double> v{};                           ///< velocities after
  double energy_after = 0;                       ///< kinetic, J
  double momentum_defect = 0;                    ///< of propagation
  std::vector<PointImpactResult::Mark> marks{};  ///< of a path
};

/// The impact under every law, side by side.
struct ImpactComparison {
  double energy_before = 0;  ///< kinetic, J
  std::vector<ImpactOutcome> outcomes;
};
ImpactComparison compare_impact_laws(const Scenario& scenario, const State& state, const ImpactInstant& instant,
                                     const ImpactOptions& options);

}  // namespace thenar
