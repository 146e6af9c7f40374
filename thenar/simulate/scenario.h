// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Scenario: all that a run needs, in one value: the model, where it starts, what drives it and for how long.
/// Files are read into it by thenar/io/scenario_reader.h; programs may fill it by hand.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "thenar/base/expression.h"
#include "thenar/geometry/shape.h"
#include "thenar/model/model.h"
#include "thenar/simulate/state.h"

namespace thenar {

/// The names of the values that every profile below is evaluated with, in this order: the time (s) and the level of the
/// joint (Joint::level; for a wrench, of its body's joint).
inline const std::array<std::string, 2> kProfileVariables{"t", "level"};

/// Effort of an actuator on one degree of freedom as a function of time, N m or N.
struct TorqueProfile {
  int dof = 0;
  Expression value;
};

/// A force and a torque on a body as functions of time.
struct WrenchProfile {
  BodyIndex body;
  Vector3<double> point_B = Vector3<double>::Zero();  ///< where the force acts, in the body's frame, m
  std::array<Expression, 3> force;                    ///< N
  std::array<Expression, 3> torque;                   ///< N m
  bool in_world_axes = true;                          ///< else both are in the axes of the body
};

/// A solid that belongs to a body.
struct BodyShape {
  BodyIndex body;
  Shape shape;
  Pose<double> X_BS;
};

/// How a run proceeds. Rows are written at 0, sample, 2 sample, … and at `until`; between two rows the integrator makes
/// ceil(sample / step) equal steps, so that no step is longer than `step` and every row is hit exactly.
struct RunOptions {
  double until = 1;      ///< s
  double step = 1e-3;    ///< s, longest step
  double sample = 1e-2;  ///< s, time between rows

  /// The number of rows and steps a run may have: beyond it, something is mistyped.
  static constexpr double kMostRows = 1e7;
  static constexpr double kMostSteps = 1e10;

  /// What is wrong with these numbers, or an empty string.
  std::string find_fault() const;
};

struct NamedValue {
  std::string name;
  double value = 0;  ///< SI
};

struct Scenario {
  std::string name;
  Model model;
  State initial;
  std::vector<TorqueProfile> torques;  ///< at most one per degree of freedom
  std::vector<WrenchProfile> wrenches;
  std::vector<BodyShape> shapes;
  RunOptions run;
  std::vector<NamedValue> parameters;  ///< as set when the scenario was read
};

/// A degree of freedom that nothing resists, so that no finite acceleration exists.
struct InertiaFault {
  JointIndex joint;
  std::string message;  ///< "joint 'x' has no inertia to move: …"
};

/// Looks for a joint without inertia at position q (articulated inertia zero or lost in rounding). Empty when every
/// degree of freedom can be accelerated.
std::optional<InertiaFault> find_inertia_fault(const Model& model, const VectorX<double>& q);

}  // namespace thenar
