// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace thenar {

/// What ends an impact: how much of the compression is given back.
enum class ImpactLaw : std::uint8_t {
  frictionless,  ///< Newton's law without any friction: the closed form, for comparison
  newton,        ///< the normal velocity returns with −e of what it was; with friction this can gain energy
  poisson,       ///< restitution brings e of the normal impulse of compression (Chan 4.1)
  stronge        ///< restitution brings back e² of the work of compression; never gains energy
};

inline constexpr std::array<ImpactLaw, 4> kImpactLaws{ImpactLaw::frictionless, ImpactLaw::newton, ImpactLaw::poisson,
                                                      ImpactLaw::stronge};

/// The word used in files.
constexpr const char* to_string(ImpactLaw law) {
  switch (law) {
    case ImpactLaw::frictionless:
      return "frictionless";
    case ImpactLaw::newton:
      return "newton";
    case ImpactLaw::poisson:
      return "poisson";
    case ImpactLaw::stronge:
      break;
  }
  return "stronge";
}

/// Work of the contact forces of an impact on the bodies, J. Their sum is the change of kinetic energy.
struct ImpactEnergy {
  double compression = 0;  ///< of normal forces while the contact is compressed, ≤ 0
  double restitution = 0;  ///< of normal forces while it is given back
  double friction = 0;  ///< of friction, and of torsion of soft fingertips; ≤ 0 along a path, not so in a simultaneous
                        ///< impact, whose impulses are taken to grow in proportion

  double change() const { return compression + restitution + friction; }
  ImpactEnergy& operator+=(const ImpactEnergy& other) {
    compression += other.compression;
    restitution += other.restitution;
    friction += other.friction;
    return *this;
  }
  friend ImpactEnergy operator*(double factor, const ImpactEnergy& energy) {
    return {factor * energy.compression, factor * energy.restitution, factor * energy.friction};
  }
};

}  // namespace thenar
