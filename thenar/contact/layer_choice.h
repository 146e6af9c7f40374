// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Which model a contact follows, and of what its compliant layer is (compliant_layer.h), as a scenario says it.

#include <memory>
#include <optional>
#include <string>

namespace thenar {

class LayerLaw;

enum class ContactModel {
  automatic,  ///< rigid, and compliant where rigid bodies do not tell what happens (SYK Fig. 4)
  rigid,
  compliant
};
/// The word used in files.
const char* to_string(ContactModel model);

/// Springs and dampers, in SI units.
struct LayerConstants {
  double stiffness = 0;        ///< K, N/m
  double damping = 0;          ///< C, N s/m
  double shear_stiffness = 0;  ///< k, N/m
  double shear_damping = 0;    ///< c, N s/m

  /// SYK (13) with K̄ = C̄ = 1 in all directions: of the scale ε, for a mass m₀ (kg) and a time t₀ (s).
  static LayerConstants from_scale(double epsilon, double mass, double time);

  /// What is wrong with these values, or nothing.
  std::optional<std::string> find_fault() const;

  friend bool operator==(const LayerConstants&, const LayerConstants&) = default;
};

/// A value; what it does not say follows from the scales of the scenario (make_layer).
struct LayerChoice {
  enum class Kind { scaled, kelvin_voigt, hunt_crossley, custom };
  /// ε where nothing is said: a load of the scenario's own weight presses a layer by this part of its length.
  static constexpr double kDefaultScale = 1e-4;

  Kind kind = Kind::scaled;
  double scale = kDefaultScale;              ///< ε of SYK (13)
  std::optional<double> mass{}, time{};      ///< m₀, kg, and t₀, s, of SYK (13)
  LayerConstants constants{};                ///< of the others
  double exponent = 1.5, dissipation = 0;    ///< of Hunt–Crossley
  std::shared_ptr<const LayerLaw> custom{};  ///< a law of one's own

  /// What is wrong with these values, or nothing.
  std::optional<std::string> find_fault() const;

  friend bool operator==(const LayerChoice&, const LayerChoice&) = default;
};

}  // namespace thenar
