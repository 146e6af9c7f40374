// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Scenario: all that a run needs, in one value: the model, where it starts, what drives it and for how long.
/// Files are read into it by thenar/io/scenario/scenario_reader.h; programs may fill it by hand.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thenar/base/expression.h"
#include "thenar/contact/body_shape.h"
#include "thenar/contact/contact_rules.h"
#include "thenar/control/controller.h"
#include "thenar/impact/impact_options.h"
#include "thenar/model/model.h"
#include "thenar/scenario/state.h"

namespace thenar {

/// The names of the values that every profile below is evaluated with, in this order: the time (s) and the level of the
/// joint (Joint::level; for a wrench, of its body's joint).
inline const std::array<std::string, 2> kProfileVariables{"t", "level"};

/// Effort of an actuator on one degree of freedom as a function of time, N m or N.
struct TorqueProfile {
  int dof = 0;
  Expression value;
};

/// A controller and how it runs. Efforts of several entries add up.
struct ControlEntry {
  std::shared_ptr<const Controller> law;
  /// Hz: the law is evaluated at 0, 1/rate, 2/rate, …, and its efforts are held between. Nothing: it acts at all times.
  std::optional<double> rate{};
};

/// A force and a torque on a body as functions of time.
struct WrenchProfile {
  BodyIndex body;
  Vector3<double> point_B = Vector3<double>::Zero();  ///< where the force acts, in the body's frame, m
  std::array<Expression, 3> force;                    ///< N
  std::array<Expression, 3> torque;                   ///< N m
  bool in_world_axes = true;                          ///< else both are in the axes of the body
};

/// The method that carries the motion through time (integrator.h, symplectic.h).
enum class IntegratorKind {
  automatic,       ///< explicit or implicit, whichever is cheaper as the run goes
  explicit_pair,   ///< error-controlled Dormand–Prince 8(5,3)
  implicit_radau,  ///< error-controlled Radau IIA of order 5, for stiff motions
  rk4,             ///< fixed steps, order 4
  rk8,             ///< fixed steps, order 8
  symplectic       ///< fixed steps, order 2, implicit midpoint in canonical momenta
};

/// Whether steps are chosen by the tolerance; the others have fixed steps.
constexpr bool has_error_control(IntegratorKind kind) { return kind <= IntegratorKind::implicit_radau; }

/// The word used in files: auto, explicit, implicit, rk4, rk8, symplectic.
const char* to_string(IntegratorKind kind);

/// What carries a run on.
enum class EngineKind : std::uint8_t {
  event,       ///< motion with inertia, from event to event
  step,        ///< motion with inertia, in steps of one length with one contact problem each
  quasistatic  ///< slow motion, in which inertia does not matter (quasistatic_scene.h)
};
/// The word used in files: event, step, quasistatic.
const char* to_string(EngineKind engine);

/// What a run does at an instant at which rigid contacts have several answers, or none.
enum class OnIndeterminate : std::uint8_t {
  stop,             ///< ends, with the answers listed
  first,            ///< goes on with the first answer
  min_acceleration  ///< goes on with the answer that accelerates least, in the norm of the kinetic energy; in slow
                    ///< motion with the one that moves least
};
/// The word used in files: stop, first, min_acceleration.
const char* to_string(OnIndeterminate choice);

/// How a run proceeds. Rows are written at 0, sample, 2 sample, … and at `until`, and before and after every jump of a
/// velocity. A method of fixed steps makes ceil(sample / step) equal steps between two rows, so that every row is hit
/// exactly; the others choose their steps by the tolerance and write rows from their dense output.
struct RunOptions {
  EngineKind engine = EngineKind::event;
  double until = 1;      ///< s
  double sample = 1e-2;  ///< s, time between rows
  IntegratorKind integrator = IntegratorKind::automatic;
  double tolerance = 1e-8;       ///< largest local error, relative to the scales of the scenario (tolerances.h)
  std::optional<double> step{};  ///< s, longest step; default: 1 ms for fixed steps, no limit for the others
  OnIndeterminate on_indeterminate = OnIndeterminate::stop;
  /// Of the step engine: whether the motion is the only one is asked so often, s. Nothing: never.
  std::optional<double> verdicts{};
  /// Baumgarte's α, 1/s: contacts and stops that hold are drawn back to their rows by J v̇ + drift = −2α J v − α² gap
  /// instead of by projection after every step. Nothing: projection.
  std::optional<double> baumgarte{};

  static constexpr double kDefaultFixedStep = 1e-3;
  static constexpr double kTightestTolerance = 1e-14;
  static constexpr double kLoosestTolerance = 1e-1;

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

/// A named number of a scenario, `$name` in its file.
struct Parameter {
  std::string name;
  double value = 0;                   ///< SI
  std::vector<std::string> drives{};  ///< the entries that use it: "objects.box.mass", "contacts.friction"
};

struct Scenario;

/// Makes a scenario again with other values of parameters, from what was read once. Threads may share it.
class ScenarioSource {
 public:
  virtual ~ScenarioSource() = default;
  /// All other parameters have the values or expressions of the file. Throws InputError.
  virtual Scenario make(std::span<const NamedValue> values) const = 0;
  /// A number that differs if any entry of the files does.
  virtual std::uint64_t fingerprint() const = 0;
};

/// Two bodies that strike in a given point, whatever their shapes.
struct StruckPoint {
  BodyIndex body_A, body_B;
  Vec3<double> point = Vec3<double>::zero();    ///< world, m
  Vec3<double> normal = Vec3<double>{0, 0, 1};  ///< unit vector from B into A, world
  ContactLaw law;
};
struct Scenario {
  std::string name;
  Model model;
  State initial;
  std::vector<TorqueProfile> torques;  ///< at most one per degree of freedom
  std::vector<ControlEntry> controls;
  std::vector<WrenchProfile> wrenches;
  std::vector<BodyShape> shapes;
  std::optional<ContactRules> contacts;  ///< if the user asks for contacts
  ImpactOptions impact;                  ///< how contacts strike
  std::optional<StruckPoint> strike;     ///< a contact given by itself, for `thenar impact`
  RunOptions run;
  std::vector<Parameter> parameters;
  std::vector<NamedValue> changed{};               ///< parameters that with_parameters() has set
  std::shared_ptr<const ScenarioSource> source{};  ///< nullptr where a program has filled the scenario
};

/// The scenario with other values of some of its parameters; those that are expressions of others follow them.
/// Controllers that a program has added stay; other changes that it has made to what was read do not. Throws
/// std::invalid_argument for names that are no parameters and numbers that are not finite, InputError where the file's
/// rules are broken ("must be greater than 0").
Scenario with_parameters(const Scenario& scenario, std::span<const NamedValue> values);

/// A degree of freedom that nothing resists, so that no finite acceleration exists.
struct InertiaFault {
  JointIndex joint;
  std::string message;  ///< "joint 'x' has no inertia to move: …"
};

/// Looks for a joint without inertia at position q (articulated inertia zero or lost in rounding). Empty when every
/// degree of freedom can be accelerated.
std::optional<InertiaFault> find_inertia_fault(const Model& model, const VectorX<double>& q);

}  // namespace thenar
