// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The quasistatic problem of a scenario (quasistatic_problem.h): what moves slowly, and what pushes.
///
/// Joints of hands are position-controlled. One with a target (pd, pd_gravity, computed_torque) is where its target is,
/// whatever the gains; the others have the velocity of the state. Those with a torque are effort-controlled, with the
/// effort it has at that time; locked ones stand still. Objects are passive: everything on a planar or free joint that
/// carries nothing. Contacts are those that touch in the state, each with its (kinetic) coefficient of friction; joints
/// on a stop touch it without friction. Weight, wrenches and springs are loads; what depends on velocity, damping above
/// all, is none here, since velocities are small.
///
/// What leaves the x-y plane is a problem in space, with polygons of friction of as many sides as the scenario's cone
/// has; kDefaultSides where it is a circle.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thenar/control/trajectory.h"
#include "thenar/motion/forces.h"
#include "thenar/motion/joint_rows.h"
#include "thenar/quasistatic/quasistatic_problem.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

/// Of polygons that stand for circles of friction.
inline constexpr int kDefaultSides = 8;

struct QuasistaticScene {
  QuasistaticProblem problem;
  std::vector<std::string> contacts;         ///< names, A/B; of a stop that of its joint
  std::vector<int> object_dofs, joint_dofs;  ///< of the rows of W and of the columns of J, in the model's velocities
};

/// What is asked of a scenario for slow motion and it does not have; empty if it has all. It may have controllers with
/// targets and torques, but no others; no couplings, no dry friction of effort-controlled joints, and in space no box
/// of friction and no soft fingertips.
std::string find_quasistatic_fault(const Scenario& scenario);

/// A row of velocities v = n · v of the model, with the tangents that friction acts along.
struct QuasistaticRow {
  std::string name;
  VectorX<double> n, t, u;  ///< nv each; u in space only
  double mu = 0;
};

/// Makes problems of a scenario that has no fault, at any time and position.
class QuasistaticAssembler {
 public:
  /// The scenario must outlive it.
  explicit QuasistaticAssembler(const Scenario& scenario);

  /// Efforts of effort-controlled joints and wrenches that are set from outside, from here on.
  void set_loads(const ExternalLoads& loads) { forces_.set_loads(loads); }

  const std::vector<int>& object_dofs() const { return object_dofs_; }
  const std::vector<int>& joint_dofs() const { return joint_dofs_; }
  /// Of a degree of freedom: whether its velocity is to be found.
  bool is_unknown(int dof) const { return is_unknown_[static_cast<std::size_t>(dof)]; }
  bool is_spatial() const { return sides_ > 0; }

  /// Position-controlled joints of a run are where they are to be at time t; their rates.
  void place_driven(double t, VectorX<double>& q) const;
  double calc_rate(int dof, double t) const;

  /// The problem of these rows at (t, q). With `v`, position-controlled joints without a target have these velocities.
  QuasistaticProblem assemble(double t, const VectorX<double>& q, std::span<const QuasistaticRow> rows,
                              const VectorX<double>* v = nullptr);
  /// In the last problem, power of wrenches at velocities v, W.
  double calc_wrench_power(const VectorX<double>& v) const { return wrench_effort_.dot(v); }

 private:
  struct Driven {
    int dof = 0, coordinate = -1;
    std::optional<Target> target;
    double start = 0, rate = 0;
  };
  const Driven* find_driven(int dof) const;
  void update_loads(double t, const VectorX<double>& q);

  const Scenario& scenario_;
  ScenarioForces<double> forces_;
  Workspace<double> workspace_;
  std::vector<bool> is_unknown_;
  std::vector<int> object_dofs_, joint_dofs_;
  std::vector<Driven> driven_;
  int sides_ = 0;
  VectorX<double> load_, effort_, wrench_effort_, rest_;
};

/// A stop that a joint is on, as a row.
QuasistaticRow make_stop_row(const Model& model, JointRow& stop, const VectorX<double>& q, bool is_spatial);

/// The problem at a state. Throws std::runtime_error where the scenario has none, or bodies overlap.
QuasistaticScene assemble_quasistatic(const Scenario& scenario, const State& state);

}  // namespace thenar
