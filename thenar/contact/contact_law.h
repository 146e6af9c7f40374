// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a contact is made of: plain values, as a scenario says them. Solvers know nothing of them; they get rows.
///
/// The force f on A has the components f_N ≥ 0, f_T, f_U in the contact frame and, from a soft fingertip, a moment τ_N
/// about N; v_t is the slip (v_T, v_U) of A relative to B. What a fingertip can transmit (the models of Chan at
/// (2.13); an ellipse for the limit surface of the soft one):
///
///     frictionless       f_t = 0                                    τ_N = 0
///     frictional_point   |f_t| ≤ μ f_N                              τ_N = 0
///     soft               (|f_t| / μ f_N)² + (τ_N / μ_τ f_N)² ≤ 1
///
/// With slip f lies on the boundary and takes as much power from it as it can: f_t = −μ f_N v_t / |v_t| at a point.
/// While nothing slips the coefficient is μ_s ≥ μ. |f_t| is measured by the cone, one for a whole scenario (which on a
/// k-gon leaves f_t opposite to slip, and as large as the k-gon reaches there: with the most power it would jump from
/// corner to corner, with that of the circle what begins to slip would stick again at once):
///
///     circular   √(f_T² + f_U²)
///     box        max(|f_T|, |f_U|) where v_t = 0, YY (15): the square around the circle, which lets √2 μ f_N through
///                along its diagonals; with slip √(f_T² + f_U²), YY (5)
///     k ≥ 3      the regular k-gon inscribed in the circle, with a corner on +T; the square in it for k = 4

#include <array>
#include <optional>
#include <string>

#include "thenar/contact/layer_choice.h"
#include "thenar/contact/restitution.h"

namespace thenar {

enum class Fingertip { frictionless, frictional_point, soft };

/// The word used in files.
const char* to_string(Fingertip fingertip);

/// What a contact is taken to do at the start, whatever its velocity says: where nothing moves yet, several modes may
/// be consistent, and a user may know which one is meant.
enum class DeclaredMode {
  automatic,  ///< what follows from the velocity
  roll,
  slide
};

/// μ where nothing else is said: a middle value of dry contacts, no measurement.
inline constexpr double kDefaultFriction = 0.5;

struct ContactLaw {
  Fingertip fingertip = Fingertip::frictional_point;
  double friction = fingertip == Fingertip::frictionless ? 0 : kDefaultFriction;  ///< kinetic coefficient μ
  double static_friction = friction;                                              ///< μ_s ≥ μ
  double torsion = 0;           ///< μ_τ of a soft fingertip, m: largest moment about N per normal force; 0 for others
  Restitution restitution = 0;  ///< of an impact, 0 to 1
  DeclaredMode mode = DeclaredMode::automatic;
  /// Of a contact declared to slide: direction (T, U) of its impending slip, A relative to B; a unit vector, or zero
  /// where it follows from the velocity. A and B are those of the contact, whichever was named first.
  std::array<double, 2> slip{};
  ContactModel model = ContactModel::automatic;
  LayerChoice layer{};  ///< what gives way where it is compliant
  /// Of a compliant contact that does not overlap at the start of a run: its layer begins with the force of a rigid
  /// one.
  bool starts_loaded = false;

  /// What is wrong with these values, or nothing.
  std::optional<std::string> find_fault() const;

  friend bool operator==(const ContactLaw&, const ContactLaw&) = default;
};

struct FrictionCone {
  enum class Kind { circular, box, polygon };

  /// 64 corners are within 0.12 % of the circle; beyond, the circle itself is the cheaper cone.
  static constexpr int kFewestFaces = 3;
  static constexpr int kMostFaces = 64;

  Kind kind = Kind::circular;
  int faces = 0;  ///< of a polygon

  /// What is wrong with these values, or nothing.
  std::optional<std::string> find_fault() const;

  friend bool operator==(const FrictionCone&, const FrictionCone&) = default;
};

/// The word used in files and verdicts: "circular", "box", or the number of faces.
std::string to_string(const FrictionCone& cone);

/// |(f_T, f_U)| as the cone measures it: μ f_N on its boundary.
double calc_cone_size(const FrictionCone& cone, double f_T, double f_U);

/// Friction of a contact that slides as a part of what the circle, or the ellipsoid of a soft one, lets through: how
/// far a k-gon reaches in that direction; 1 for the others. `direction` is that of friction f_k/μ_k along T, U and
/// about N, a unit vector.
double calc_sliding_share(const FrictionCone& cone, const std::array<double, 3>& direction);

/// The cone as ConstraintRow::faces of a contact that does not slide.
int count_faces(const FrictionCone& cone);

}  // namespace thenar
