// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The forces of a scenario at one instant: actuators, wrenches on bodies, springs and dampers.

#include <vector>

#include "thenar/dynamics/rk4.h"
#include "thenar/motion/actuation.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

/// Refers to the scenario, which must outlive it. Packs of states, whose lanes all feel the same profiles, know no
/// controllers and no limits of efforts; a scenario that has some throws std::invalid_argument then.
template <class T>
class ScenarioForces final : public Drive<T> {
 public:
  explicit ScenarioForces(const Scenario& scenario);

  /// The actuators; of plain states.
  Actuation& actuation() { return actuation_; }
  const Actuation& actuation() const { return actuation_; }

  /// What a program sets besides the scenario, from here on; of plain states.
  void set_loads(const ExternalLoads& loads);

  /// Whether forces stay as they are, up to the next sample of a controller, while the state does.
  bool is_steady() const;

  PowerFlow<T> evaluate(double t, const T* q, const T* v, Workspace<T>& workspace, T* tau,
                        std::span<const BodyWrench<T>>& wrenches) override;

 private:
  void calc_efforts(double t, const T* q, const T* v, T* tau);
  T apply(Wrench<T> wrench, const Vec3<double>& point_B, bool in_world_axes, const Workspace<T>& workspace,
          BodyWrench<T>& out) const;
  T calc_wrenches(double t, const T* q, const T* v, Workspace<T>& workspace);

  const Scenario* scenario_;
  Actuation actuation_;
  bool has_nonconservative_spring_ = false;
  std::vector<double> wrench_levels_;  // Per wrench profile.
  std::vector<BodyWrench<T>> wrenches_;
  std::vector<T> spring_tau_;
};

/// Names the first profile whose value at time t is not a finite number, with its expression and value; empty when all
/// are finite.
std::string find_bad_profile(const Scenario& scenario, double t);

/// A jump or a kink of one or more profiles.
struct ProfileSwitch {
  /// One of them: "the torque of joint 'arm.hinge'", and its values at the two times, N m or N; without a unit if that
  /// is not one number.
  struct Change {
    std::string where;
    const char* unit = "";
    double before = 0, after = 0;
  };
  Expression::Switch at;  ///< s
  std::vector<Change> changes;
  bool is_jump = true;  ///< forces may jump there, or turn sharply; else only higher derivatives do: nobody is told
};
/// The first one between two times, of any profile and of any controller that is not sampled, and all profiles that it
/// is one of. What is set from outside takes the place of profiles and targets.
std::optional<ProfileSwitch> find_profile_switch(const Scenario& scenario, const Actuation& actuation, double from,
                                                 double to);

}  // namespace thenar
