// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The forces of a scenario at one instant: actuators, wrenches on bodies, springs and dampers.

#include <vector>

#include "thenar/simulate/rk4.h"
#include "thenar/simulate/scenario.h"

namespace thenar {

/// Refers to the scenario, which must outlive it. With a pack as T all lanes feel the same profiles.
template <class T>
class ScenarioForces final : public Drive<T> {
 public:
  explicit ScenarioForces(const Scenario& scenario);

  /// Writes the efforts of the actuators alone (nv), N m or N.
  void calc_efforts(double t, T* tau) const;

  PowerFlow<T> evaluate(double t, const T* q, const T* v, Workspace<T>& workspace, T* tau,
                        std::span<const BodyWrench<T>>& wrenches) override;

 private:
  T calc_wrenches(double t, const T* q, const T* v, Workspace<T>& workspace);

  const Scenario* scenario_;
  bool has_nonconservative_spring_ = false;
  std::vector<double> torque_levels_;  // Per torque profile.
  std::vector<double> wrench_levels_;  // Per wrench profile.
  std::vector<BodyWrench<T>> wrenches_;
  std::vector<T> spring_tau_;
};

/// Names the first profile whose value at time t is not a finite number, with its expression and value; empty when all
/// are finite.
std::string find_bad_profile(const Scenario& scenario, double t);

/// A jump or a kink of one or more profiles.
struct ProfileSwitch {
  /// One of them: "the torque of joint 'arm.hinge'", and its values at the two times, N m or N.
  struct Change {
    std::string where;
    const char* unit = "";
    double before = 0, after = 0;
  };
  Expression::Switch at;  ///< s
  std::vector<Change> changes;
};
/// The first one between two times, of any profile, and all profiles that it is one of.
std::optional<ProfileSwitch> find_profile_switch(const Scenario& scenario, double from, double to);

}  // namespace thenar
