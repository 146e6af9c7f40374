// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Small models that several tests use.

#include "thenar/model/model_builder.h"
#include "thenar/scenario/scenario.h"

namespace thenar::test {

inline MassProperties box_mass(double mass, const Vector3<double>& sides) {
  return mass_properties_from_mass(Box{sides}, mass);
}

/// A scenario around a model, at rest in its neutral position.
inline Scenario at_rest(Model model, double until = 1) {
  Scenario s;
  s.name = "test";
  s.model = std::move(model);
  s.initial = {0, s.model.neutral_position(), VectorX<double>::Zero(s.model.velocity_count())};
  s.run.until = until;
  return s;
}

/// A thin rod of 1 kg and 0.5 m that hangs at its end from a hinge about y; q = 0 hangs straight down.
inline Scenario pendulum(double angle, double damping = 0) {
  ModelBuilder builder;
  MassProperties rod = mass_properties_from_mass(Rod{0.5}, 1);
  rod.com.z() = -0.25;
  JointSpec hinge{.name = "hinge", .kind = JointKind::revolute};
  hinge.axis = Vector3<double>::UnitY();
  hinge.damping = VectorX<double>::Constant(1, damping);
  builder.add_body({.name = "rod", .mass = rod}, kWorld, hinge);
  Scenario s = at_rest(std::move(builder).finalize());
  s.initial.q(0) = angle;
  return s;
}

/// One free body with three different moments of inertia.
inline Scenario free_box() {
  ModelBuilder builder;
  builder.add_body({.name = "box", .mass = box_mass(2, {0.3, 0.2, 0.1})}, kWorld,
                   {.name = "box", .kind = JointKind::free});
  return at_rest(std::move(builder).finalize());
}

/// A tree with every kind of joint, springs and dampers.
inline Scenario mixed_tree() {
  ModelBuilder builder;
  const MassProperties mass =
      box_mass(0.4, {0.1, 0.12, 0.3}).expressed_in(Pose<double>::translation({0.02, 0.01, 0.1}));
  const auto spec = [](const char* name, JointKind kind) {
    JointSpec joint{.name = name, .kind = kind};
    joint.X_PF = Pose<double>::translation({0.05, -0.03, 0.2});
    joint.axis = {0.2, 1, 0.1};
    joint.second_axis = {1, 0, 0.3};
    joint.damping = VectorX<double>::Constant(velocity_count(kind), 0.02);
    return joint;
  };
  const BodyIndex base = builder.add_body({.name = "base", .mass = mass}, kWorld, spec("base", JointKind::free));
  const BodyIndex ball = builder.add_body({.name = "ball", .mass = mass}, base, spec("ball", JointKind::spherical));
  const BodyIndex cross = builder.add_body({.name = "cross", .mass = mass}, base, spec("cross", JointKind::universal));
  JointSpec sprung = spec("slide", JointKind::prismatic);
  sprung.spring = JointSpring{MatrixX<double>::Constant(1, 1, 40), VectorX<double>::Constant(1, 0.02)};
  builder.add_body({.name = "slide", .mass = mass}, ball, sprung);
  JointSpec ball_spring = spec("tip", JointKind::spherical);
  VectorX<double> rest(4);
  rest << 0.8, 0.6, 0, 0;
  MatrixX<double> K(3, 3);
  K << 2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 3;
  ball_spring.spring = JointSpring{K, rest};
  builder.add_body({.name = "tip", .mass = mass}, cross, ball_spring);
  // A spring without a potential between two joints.
  MatrixX<double> coupling(3, 3);
  coupling << 1, 0.5, 0.2, -0.5, 1, 0.1, 0, 0.3, 1;
  builder.add_spring({builder.joint_of(cross), builder.joint_of(builder.add_body({.name = "flat", .mass = mass}, cross,
                                                                                 spec("flat", JointKind::revolute)))},
                     coupling, VectorX<double>::Zero(3));
  Scenario s = at_rest(std::move(builder).finalize());
  for (int i = 0; i < s.initial.v.size(); ++i) s.initial.v(i) = 0.3 * std::sin(1.0 + i);
  return s;
}

}  // namespace thenar::test
