// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Laws that bring joints to where they are to be. With the error e = q_d − q and its rate ė = q̇_d − q̇:
///
///     PdControl       τ = Kp e + Kd ė + g(q)                     Chan (5.1), which has q̇_d = 0
///     ComputedTorque  τ = M(q) (q̈_d + Kd ė + Kp e) + c(q, v) − passive(q, v)
///
/// Both are positive in the direction of their joint. g(q) is the effort that holds the hand up against gravity at
/// rest, by inverse dynamics of its own tree: what it carries is not in it, springs are not, and joints that the law
/// does not drive get none. ComputedTorque makes the error follow ë + Kd ė + Kp e = 0 where nothing else acts on the
/// hand; it takes springs and dampers of the model into account, but no dry friction, and joints that it does not drive
/// as not accelerating.

#include <vector>

#include "thenar/control/controller.h"
#include "thenar/control/trajectory.h"
#include "thenar/dynamics/workspace.h"

namespace thenar {

/// One degree of freedom that is driven; it must have a coordinate (Model::dof_coordinate).
struct JointServo {
  int dof = 0;
  double kp = 0;  ///< PdControl: N m/rad or N/m; ComputedTorque: 1/s²
  double kd = 0;  ///< PdControl: N m s/rad or N s/m; ComputedTorque: 1/s
  Target target;  ///< rad or m
};

/// What the two have in common.
class JointControl : public Controller {
 public:
  void prepare(const Model& model) override;
  std::optional<ControlSwitch> find_switch(double from, double to) const override;
  std::optional<std::span<double>> memory() override { return std::span<double>(); }
  bool set_target(int dof, std::optional<double> target) override;
  /// What it drives, and where to.
  const std::vector<JointServo>& servos() const { return servos_; }

 protected:
  /// `jumping`: the highest derivative of targets whose jump makes the efforts jump.
  JointControl(std::vector<JointServo> servos, int jumping)
      : servos_(std::move(servos)), set_targets_(servos_.size()), jumping_(jumping) {}

  struct Error {
    double position = 0, rate = 0;
    double acceleration = 0;  ///< desired
  };
  Error calc_error(std::size_t servo, int coordinate, double t, const double* q, const double* v) const;

  std::vector<JointServo> servos_;
  std::vector<std::optional<double>> set_targets_;  ///< per servo: set from outside (set_target)
  int jumping_;
  std::vector<Workspace<double>> workspace_;  ///< one, from prepare() on
  VectorX<double> velocity_, effort_, passive_;
};

class PdControl final : public JointControl {
 public:
  explicit PdControl(std::vector<JointServo> servos, bool compensates_gravity = true)
      : JointControl(std::move(servos), 1), compensates_gravity_(compensates_gravity) {}

  std::string_view kind() const override { return compensates_gravity_ ? "pd_gravity" : "pd"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<PdControl>(*this); }
  void add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) override;
  bool add_derivatives(const Model& model, double t, const double* q, const double* v, Eigen::Ref<MatrixX<double>> dq,
                       Eigen::Ref<MatrixX<double>> dv) override;
  void prepare(const Model& model) override;

 private:
  void add_gravity_derivatives(const Model& model, const double* q, Eigen::Ref<MatrixX<double>> dq);

  bool compensates_gravity_;
  VectorX<double> q_shifted_, increment_, shifted_;
};

class ComputedTorque final : public JointControl {
 public:
  explicit ComputedTorque(std::vector<JointServo> servos) : JointControl(std::move(servos), 2) {}

  std::string_view kind() const override { return "computed_torque"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<ComputedTorque>(*this); }
  void add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) override;
};

}  // namespace thenar
