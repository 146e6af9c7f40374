// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Scenarios with contacts, made without files, and contacts that hold in them.

#include <vector>

#include "../support/builders.h"
#include "thenar/contact/contact_finder.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/motion/held_contact.h"

namespace thenar::test {

inline constexpr double kBallRadius = 0.1;  // m
inline constexpr double kBallMass = 1;      // kg

/// A ball whose lowest point is `gap` above a fixed floor. Its velocities are those of a free joint: angular, linear.
inline Scenario ball_over_floor(double gap, const ContactLaw& law = {}) {
  ModelBuilder builder;
  const BodyIndex floor = builder.add_body({.name = "floor"}, kWorld, {.name = "ground", .kind = JointKind::fixed});
  const BodyIndex ball =
      builder.add_body({.name = "ball", .mass = mass_properties_from_mass(Sphere{kBallRadius}, kBallMass)}, kWorld,
                       {.name = "ball", .kind = JointKind::free});
  Scenario s = at_rest(std::move(builder).finalize());
  s.initial.q(2) = kBallRadius + gap;
  s.shapes = {{ball, Sphere{kBallRadius}, {}}, {floor, Plane{}, {}}};
  s.contacts = ContactRules{.law = law};
  return s;
}

/// An ellipsoid and a fixed ball that touch in a place where nothing is along an axis.
inline Scenario ellipsoid_on_ball(const ContactLaw& law = {}) {
  ModelBuilder builder;
  JointSpec post{.name = "post", .kind = JointKind::fixed};
  post.X_PF = Pose<double>::translation({0.02, -0.03, -0.1});
  const BodyIndex ball = builder.add_body({.name = "post"}, kWorld, post);
  const Ellipsoid egg{{0.05, 0.07, 0.04}};
  const BodyIndex body = builder.add_body({.name = "egg", .mass = mass_properties_from_mass(egg, 0.3)}, kWorld,
                                          {.name = "egg", .kind = JointKind::free});
  Scenario s = at_rest(std::move(builder).finalize());
  s.shapes = {{body, egg, {}}, {ball, Sphere{0.1}, {}}};
  s.contacts = ContactRules{.law = law};
  s.initial.q.tail<4>() << 0.8, 0.36, -0.48, 0;
  s.initial.v << 1.3, -0.7, 2.1, 0.2, -0.3, 0.1;
  // Down onto the ball along the normal, which stays the same.
  s.initial.q.head<3>() << 0.01, 0.02, 0.06;
  Workspace<double> workspace(s.model);
  ContactFinder finder(s.model, s.shapes, *s.contacts);
  update_positions(s.model, s.initial.q.data(), workspace);
  finder.update(workspace, 1);
  const FoundContact& found = finder.contacts().front();
  s.initial.q.head<3>() -= found.gap * found.N.eigen();
  return s;
}

/// The contacts of the initial state, or of `state`, all held in one way.
inline std::vector<HeldContact> hold_contacts(const Scenario& s, ContactHold hold, const State& state,
                                              double no_slip = 1e-10, double margin = 1e-6) {
  Workspace<double> workspace(s.model);
  ContactFinder finder(s.model, s.shapes, *s.contacts);
  update_positions(s.model, state.q.data(), workspace);
  update_velocities(s.model, state.v.data(), workspace);
  finder.update(workspace, margin);
  const LawTable laws(s.model, *s.contacts);
  std::vector<HeldContact> out;
  for (const FoundContact& found : finder.contacts()) {
    out.emplace_back(s.model, workspace, finder, found, laws.find_law(found.body_A, found.body_B), hold, no_slip);
  }
  return out;
}
inline std::vector<HeldContact> hold_contacts(const Scenario& s, ContactHold hold, double no_slip = 1e-10) {
  return hold_contacts(s, hold, s.initial, no_slip);
}

}  // namespace thenar::test
