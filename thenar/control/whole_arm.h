// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Whole-arm manipulation: links, not fingertips, hold an object and move it while they slide on it (SYK 4.2). Computed
/// torque of the object's motion, for any arms, any number of links and any shapes that touch.
///
/// The object is to follow its path with the error dynamics ë + Kd ė + Kp e = 0, so its acceleration is to be
///
///     (1)  ẍ = ẍ_d + Kd (ẋ_d − ẋ) + Kp (x_d − x)             centre of mass and rotation alike.
///
/// Contacts stay, J_N v̇ + drift_N = 0, which gives the joints their accelerations; where these are not determined, they
/// are the least in the metric of the kinetic energy:
///
///     (2)  Θ̈ = −X (J_N X)⁺ (J_No v̇_o + drift_N),             X = M⁻¹ J_NΘᵀ, o: the object's columns, Θ: the joints'.
///
/// A link that has left the object comes back by the same gains: where its gap g > 0 is not small beside that of
/// `kAway`, J_N v̇ + drift_N = −(Kd ġ + Kp g) instead.
///
/// All contacts slide, so that friction is known from the normal forces λ: with the direction d of the slip,
///
///     (3)  W_μ = J_N − μ d · J_t                              SYK (3)
///     (4)  Σ W_μoᵀ λ = Q_o,   τ = Q_Θ − W_μΘᵀ λ,              Q = M v̇ + c(q, v): inverse dynamics without contacts.
///
/// d is where the *path* makes the contact slip at the present positions, not what is measured, so that it is known
/// while nothing moves yet. It changes its sign where the slip reverses; the law passes from one sign to the other
/// while the slip is below `kReversal` of the speed of the object's surface, smoothly, since no integrator likes a
/// jump.
///
/// **Grasp force.** More contacts than the object has freedoms leave (4) a choice. The links are to press with the
/// grasp force g, but with what makes up the wrench, and never pull:
///
///     (5)  minimize Σ λ_i − g log λ_i   subject to (4).
///
/// Without (4) all λ_i would be g. It is a smooth function of the state, which a bound λ ≥ 0 were not. If no positive
/// forces make the wrench, or no forces at all, the part of the wrench that is missing is as small as may be. Where
/// friction is about to jam, ever greater forces make the same wrench: none is greater than `kMost` times the largest
/// g, which it approaches smoothly.
///
/// With these efforts the motion (1) with the forces λ is an answer of the rigid problem. Whether it is the only one,
/// and stable, is another question: A = J_N M⁻¹ W_μᵀ must be a P-matrix (SYK 3.2).

#include <memory>
#include <vector>

#include "thenar/contact/contact_finder.h"
#include "thenar/contact/contact_rows.h"
#include "thenar/control/controller.h"
#include "thenar/control/trajectory.h"
#include "thenar/dynamics/mass_matrix.h"

namespace thenar {

class WholeArm final : public Controller {
 public:
  /// A link that holds the object.
  struct Arm {
    BodyIndex link;
    double friction = 0;  ///< μ that the law counts on
    Expression grasp{};   ///< g, N, a function of time; where it is not positive, the link does not press
  };
  struct Options {
    BodyIndex object;
    std::vector<Arm> arms{};
    std::vector<BodyShape> shapes{};  ///< of the object and the links; others do no harm
    double margin = 0;                ///< m: a link holds the object in all points that are nearer than this
    PoseTrajectory path{};            ///< of the object's frame, in the world
    double kp = 0, kd = 0;            ///< 1/s², 1/s
  };

  /// Slip over the speed of the object's surface (root mean square over the contacts) below which d is less than 1.
  static constexpr double kReversal = 0.01;
  /// Links are off the object at this part of `margin`: half of their error is fed back there, and next to nothing
  /// below, so that the law does not jump where contacts break.
  static constexpr double kAway = 0.04;
  /// No link presses with more than so many times the largest grasp force.
  static constexpr double kMost = 100;
  /// Points beyond these are left out.
  static constexpr int kMostContacts = 24;

  explicit WholeArm(Options options) : options_(std::move(options)) {}

  std::string_view kind() const override { return "whole_arm"; }
  std::unique_ptr<Controller> clone() const override { return std::make_unique<WholeArm>(options_); }
  std::optional<std::span<double>> memory() override { return std::span<double>(); }
  void prepare(const Model& model) override;
  void add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) override;
  std::optional<ControlSwitch> find_switch(double from, double to) const override;

  /// What the last call has planned for a contact.
  struct Plan {
    BodyIndex link;
    double force = 0;              ///< λ, N
    std::array<double, 2> slip{};  ///< d along T and U
  };
  const std::vector<Plan>& plan() const { return plan_; }

 private:
  static constexpr int kMostFreedoms = 6;
  using ContactVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostContacts, 1>;
  using ContactMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostContacts, kMostContacts>;
  using FreedomVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostFreedoms, 1>;
  using FreedomMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostFreedoms, kMostFreedoms>;
  using WrenchMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostFreedoms, kMostContacts>;

  /// All that is sized by the model.
  struct Scratch {
    Scratch(const Model& model, const Options& options);
    Workspace<double> workspace, dynamics;
    ContactFinder finder;
    MassMatrix<double> mass;
    std::vector<ContactRows> rows;
    std::vector<double> friction, grasp, gap;  ///< by contact
    Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian;
    MatrixX<double> X;  ///< nv × contacts
    MatrixX<double> W;  ///< contacts × nv, W_μ
    VectorX<double> motion, slipping, effort, passive;
    std::vector<bool> is_driven;  ///< by degree of freedom: the joints between the links and the world
  };

  void find_contacts(const Model& model, double t);
  FreedomVector calc_object_motion(const Vec3<double>& angular, const Vec3<double>& linear) const;
  void update_response(const Model& model);
  ContactVector calc_drift(const double* v) const;
  void follow(const FreedomVector& object, const ContactVector& drift, VectorX<double>& motion) const;
  void plan_slips(double t, const Vec3<double>& com_B);
  void update_friction_rows();
  void share(const Model& model);
  ContactVector find_room(const WrenchMatrix& G, const FreedomVector& wrench, const ContactVector& grasp) const;
  const MatrixX<double>& rows(int contact) const { return scratch_->rows[static_cast<std::size_t>(contact)].J; }

  Options options_;
  int count_ = 0;                 ///< contacts
  int first_ = 0, freedoms_ = 0;  ///< of the object's joint
  std::unique_ptr<Scratch> scratch_;
  ContactMatrix response_inverse_;
  std::vector<Plan> plan_;
};

}  // namespace thenar
