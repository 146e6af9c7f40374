// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Numbers with units as they are written in files: "30 deg", "12 mm", "2 N m/rad", "7.8 g/cm^3". Inside the library
/// every value is in SI with angles in radians; this is the only place that knows anything else.
///
///   quantity = number [unit]                  a number alone has no dimension yet: whoever reads it assumes SI
///   unit     = factors [ "/" factor ]...      "N m/rad", "kg/m/s", "/s"
///   factors  = factor [ (" " | "*") factor ]...
///   factor   = name [ "^" integer ]           "m^2", "s^-1"
///
/// Names: m km cm mm um; kg g mg; s ms us min; rad mrad deg; N mN kN; Nm mNm; J W Hz kHz; Pa kPa MPa.
/// After a "/" no product may follow: "kg/m s" could mean two things, so write "kg/m/s" or "kg s/m".
///
/// "12 mm" gives exactly the double 0.012: powers of ten are collected and applied once.

#include <optional>
#include <string>
#include <string_view>

#include "thenar/base/text.h"

namespace thenar {

/// Exponents of metre, kilogram, second and radian. The radian is kept as if it were a base unit, so that an angle
/// written for a pure number can be told; compatible() says where it does not matter.
struct Dimension {
  int length = 0;
  int mass = 0;
  int time = 0;
  int angle = 0;

  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
};

inline constexpr Dimension kNumber{};
inline constexpr Dimension kLength{.length = 1};
inline constexpr Dimension kArea{.length = 2};
inline constexpr Dimension kVolume{.length = 3};
inline constexpr Dimension kMass{.mass = 1};
inline constexpr Dimension kTime{.time = 1};
inline constexpr Dimension kFrequency{.time = -1};
inline constexpr Dimension kAngle{.angle = 1};
inline constexpr Dimension kVelocity{.length = 1, .time = -1};
inline constexpr Dimension kAngularVelocity{.time = -1, .angle = 1};
inline constexpr Dimension kAcceleration{.length = 1, .time = -2};
inline constexpr Dimension kAngularAcceleration{.time = -2, .angle = 1};
inline constexpr Dimension kForce{.length = 1, .mass = 1, .time = -2};
inline constexpr Dimension kTorque{.length = 2, .mass = 1, .time = -2};  // Also the dimension of an energy.
inline constexpr Dimension kPower{.length = 2, .mass = 1, .time = -3};
inline constexpr Dimension kPressure{.length = -1, .mass = 1, .time = -2};
inline constexpr Dimension kInertia{.length = 2, .mass = 1};
inline constexpr Dimension kDensity{.length = -3, .mass = 1};
inline constexpr Dimension kLinearStiffness{.mass = 1, .time = -2};
inline constexpr Dimension kLinearDamping{.mass = 1, .time = -1};
inline constexpr Dimension kAngularStiffness{.length = 2, .mass = 1, .time = -2, .angle = -1};
inline constexpr Dimension kAngularDamping{.length = 2, .mass = 1, .time = -1, .angle = -1};

/// The dimension in words with its SI unit: "a length (m)", "a number without unit", "a quantity in m^4 s^-1".
std::string describe(Dimension dimension);

/// Whether a value of dimension `found` may stand where `expected` is wanted. The radian is ignored wherever a length
/// or a mass takes part ("2 N m" serves as a stiffness in N m/rad), but not otherwise: an angle is no pure number,
/// and 1 Hz is no angular velocity, since it would be 2 pi rad/s and not 1.
bool compatible(Dimension found, Dimension expected);

/// A value as written.
struct Quantity {
  double value = 0;                    ///< In SI, radians.
  std::optional<Dimension> dimension;  ///< Empty when no unit was written.
};

/// Bad number or unit; offset() counts bytes into the text.
class UnitError : public TextError {
 public:
  using TextError::TextError;
};

/// Parses a number with or without a unit, with spaces around it. The value is finite. Throws UnitError.
Quantity parse_quantity(std::string_view text);

/// Whether `text` starts as a quantity does: a number and then nothing, or a name, or "/" and a known unit. If not, it
/// may still be an expression such as "2*pi" or "1/t". Says nothing about the rest of the text.
bool looks_like_quantity(std::string_view text);

}  // namespace thenar
