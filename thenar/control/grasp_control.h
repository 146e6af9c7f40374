// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Laws that think in forces of fingertips. A fingertip is a point on a link, such as the centre of a spherical tip;
/// a force f that it shall exert becomes joint efforts τ = Jᵀ f, with J the Jacobian of that point. Inertia of the
/// fingers and their weight are not in it: put `pd_gravity` beside it.
///
/// **Squeeze.** Two fingertips a and b press towards each other: f on b along the line from b to a, and the opposite.
/// The pair exerts no net force on what is between them and, if the tips touch it on that line, no moment: an
/// internal force.
///
/// **ObjectControl.** The wrench that carries the object along its path, about its centre of mass C,
///
///     (1)  F = m (p̈_d − g) + Kp (p_d − p) + Kd (ṗ_d − ṗ),
///     (2)  M = I ω̇_d + ω × I ω + Kr e + Dr (ω_d − ω),     e: rotation vector from the present to the desired axes,
///
/// is shared among the fingertips by the grasp map G, Σ f_i = F and Σ r_i × f_i = M with r_i from C to tip i. The
/// forces are the squeeze s_i (towards the middle of all tips, the same for each) plus the least change, in the sum of
/// squares, that makes up the wrench:
///
///     (3)  f = s + G⁺ ((M, F) − G s).
///
/// With fewer than three tips, or tips on a line, part of the wrench cannot be made; (3) leaves that part out. What the
/// tips are asked to do need not be possible: contacts pull nothing, and friction has its bounds.

#include <vector>

#include "thenar/base/expression.h"
#include "thenar/control/controller.h"
#include "thenar/control/trajectory.h"
#include "thenar/dynamics/operational_inertia.h"

namespace thenar {

/// What turns forces of points on a model into efforts of its actuators.
class FingertipForces {
 public:
  void prepare(const Model& model);
  /// For points and velocities at this state.
  void update(const Model& model, const double* q, const double* v);
  const Workspace<double>& workspace() const { return workspace_.front(); }

  Vec3<double> calc_position(const Model& model, const BodyPoint<double>& tip) const;
  /// tau += Jᵀ f for the joints that have actuators: not for free and planar joints, which float.
  void add_efforts(const Model& model, const BodyPoint<double>& tip, const Vec3<double>& force, double* tau);

 private:
  std::vector<Workspace<double>> workspace_;  ///< one, from prepare() on
  Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian_;
};

class Squeeze final : public Controller {
 public:
  /// `force`: a function of time, N.
  Squeeze(const BodyPoint<double>& a, const BodyPoint<double>& b, Expression force)
      : a_(a), b_(b), force_(std::move(force)) {}

  std::string_view kind() const override { return "squeeze"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<Squeeze>(*this); }
  std::optional<std::span<double>> memory() override { return std::span<double>(); }
  void prepare(const Model& model) override { tips_.prepare(model); }
  void add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) override;
  std::optional<ControlSwitch> find_switch(double from, double to) const override;

 private:
  BodyPoint<double> a_, b_;
  Expression force_;
  FingertipForces tips_;
};

class ObjectControl final : public Controller {
 public:
  struct Options {
    BodyIndex object;
    std::vector<BodyPoint<double>> fingertips{};
    PoseTrajectory path{};            ///< of the object's frame, in the world
    double kp = 0, kd = 0;            ///< N/m, N s/m
    double kp_turn = 0, kd_turn = 0;  ///< N m/rad, N m s/rad
    Expression squeeze{};             ///< N, a function of time
  };
  explicit ObjectControl(Options options) : options_(std::move(options)) {}

  std::string_view kind() const override { return "object"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<ObjectControl>(*this); }
  std::optional<std::span<double>> memory() override { return std::span<double>(); }
  void prepare(const Model& model) override;
  void add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) override;
  std::optional<ControlSwitch> find_switch(double from, double to) const override;

  /// Forces that the fingertips were asked for in the last call, world axes, N.
  const std::vector<Vec3<double>>& forces() const { return forces_; }

 private:
  Wrench<double> calc_wrench(const Model& model, double t) const;
  void share(const Wrench<double>& wrench, const Vec3<double>& center, double squeeze);

  Options options_;
  FingertipForces tips_;
  std::vector<Vec3<double>> positions_, forces_;
};

}  // namespace thenar
