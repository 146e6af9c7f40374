// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What contacts are made of: the keys that `contacts` and the entries of its `pairs` share, and those that only one of
/// them has. An entry says what differs from `contacts`, key by key.

#include <optional>

#include "thenar/contact/contact_law.h"
#include "thenar/io/text/reader.h"

namespace thenar::internal {

/// Coefficients of Coulomb friction, with slip and without.
struct CoulombFriction {
  double kinetic = kDefaultFriction;
  double at_rest = kDefaultFriction;
};

/// What is said about the law of a contact. A value that the fingertip has no use for is kept: an entry of `pairs` may
/// choose another fingertip.
struct LawChoices {
  Fingertip fingertip = Fingertip::frictional_point;
  CoulombFriction friction;
  std::optional<double> torsion;  ///< there if the fingertip is soft
  Restitution restitution = 0;
  ContactModel model = ContactModel::automatic;
  LayerChoice layer;
  bool starts_loaded = false;

  ContactLaw make_law() const;
};

/// The keys `friction`, `fingertip`, `torsion` and `restitution` of a mapping, and `law`, `layer` and `start` of one
/// about runs.
class LawReader {
 public:
  /// Asks for the keys, so that they are known when the mapping is finished.
  explicit LawReader(MapReader& mapping, bool is_about_runs = true);

  /// What the keys say, and `inherited` where they are missing.
  LawChoices read(const LawChoices& inherited, const Parameters& parameters) const;

 private:
  void read_friction(const Parameters& parameters, LawChoices& out) const;
  void read_torsion(const Parameters& parameters, LawChoices& out) const;

  std::optional<Field> friction_, fingertip_, torsion_, restitution_, law_, layer_, start_;
};

/// The keys `mode` and `slip` of an entry of `pairs`: what its contacts do at the start.
class StartReader {
 public:
  /// Asks for the keys.
  explicit StartReader(MapReader& mapping);

  /// Sets the mode and the slip of the law.
  void read(const Parameters& parameters, ContactLaw& law) const;

 private:
  std::optional<Field> mode_, slip_;
};

/// Of what a compliant contact is made: {scale, mass, time}, or {type, stiffness, damping, …}.
LayerChoice read_layer(const Field& field, const Parameters& parameters);

/// circular, box, or a number of faces.
FrictionCone read_cone(const Field& field, const Parameters& parameters);

}  // namespace thenar::internal
