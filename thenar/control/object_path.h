// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What laws that move an object along a path have in common: where its centre of mass is to be, how far it is from
/// there, and when the path or a force that goes with it is not smooth.

#include "thenar/base/expression.h"
#include "thenar/control/controller.h"
#include "thenar/control/trajectory.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar {

/// An object on its way, by its centre of mass and in world axes: what is wanted, and by how much it differs.
struct ObjectError {
  Vec3<double> position, velocity;                  ///< wanted minus present, m, m/s
  Vec3<double> turn, angular_velocity;              ///< rotation vector from the present to the wanted axes, rad; rad/s
  Vec3<double> acceleration, angular_acceleration;  ///< wanted
};

/// Needs update_velocities.
ObjectError calc_object_error(const Model& model, const Workspace<double>& workspace, BodyIndex object,
                              const PosePoint& want);

/// A force as a function of time, N.
double evaluate_force(const Expression& force, double t);

/// The first switch of either the force or a path of which the acceleration is asked for.
std::optional<ControlSwitch> find_object_switch(const PoseTrajectory& path, const Expression& force, double from,
                                                double to);
std::optional<ControlSwitch> find_force_switch(const Expression& force, double from, double to);

}  // namespace thenar
