// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Controllers: laws that turn the state of a hand into the efforts of its actuators, τ = τ(t, q, v).
///
/// Users write their own by deriving from Controller and adding it to a scenario:
///
///     class Brake final : public Controller {
///      public:
///       std::string_view kind() const override { return "brake"; }
///       std::unique_ptr<Controller> clone() const override { return std::make_unique<Brake>(*this); }
///       void add_efforts(const Model& model, double, const double*, const double* v, double* tau) override {
///         for (int i = 0; i < model.velocity_count(); ++i) tau[i] -= 0.1 * v[i];
///       }
///     };
///     scenario.controls.push_back({std::make_shared<Brake>()});
///
/// A run takes a law as part of the equations of motion: it is evaluated at every stage of the integrator, at states
/// that are tried and given up again, in no order of time. So a law must be a function of (t, q, v) alone, without
/// memory, and smooth between the switches that it names. A law that runs at a rate of its own is sampled by the run
/// (ControlEntry::rate): it is called once per sample, in the order of time, may have memory, and may see what contacts
/// do. Limits of actuators are not its business: the run cuts off the sum of all efforts.
///
///     class Grip final : public Controller {  // squeezes harder until no contact is near slipping
///      public:
///       std::string_view kind() const override { return "grip"; }
///       std::unique_ptr<Controller> clone() const override { return std::make_unique<Grip>(*this); }
///       bool sees_contacts() const override { return true; }
///       void sample(const Model&, const ControlInput& now, double* tau) override {
///         for (const Contact& c : now.contacts) if (!c.is_open() && c.margin < 0.3) effort_ += 1e-3;
///         tau[finger_] += effort_;
///       }
///       std::optional<std::span<double>> memory() override { return std::span(&effort_, 1); }
///       …
///     };
///     scenario.controls.push_back({std::make_shared<Grip>(), 1000.0});  // Hz

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "thenar/contact/contact.h"
#include "thenar/model/model.h"

namespace thenar {

/// Where a law passes from one smooth piece to the next: the last number before and the first after, s.
struct ControlSwitch {
  double before = 0, after = 0;
  bool is_jump = true;  ///< efforts may jump there; otherwise only their derivatives do
};

/// What a sampled law sees.
struct ControlInput {
  double t = 0;                             ///< s
  const double *q = nullptr, *v = nullptr;  ///< nq and nv numbers
  /// Of the last accepted state, if the law sees contacts; none at its first sample, before forces are known.
  std::span<const Contact> contacts{};
};

class Controller {
 public:
  virtual ~Controller() = default;

  /// What it is called in files and messages: "pd_gravity".
  virtual std::string_view kind() const = 0;

  /// Every run works with copies of its own, so that laws may keep scratch memory. A copy remembers what the original
  /// does.
  virtual std::unique_ptr<Controller> clone() const = 0;

  /// Sizes the scratch memory. Throws std::invalid_argument when the law does not fit the model.
  virtual void prepare(const Model&) {}

  /// Adds the efforts (nv, N m or N) at time t (s), positions q (nq) and velocities v (nv). No heap use.
  virtual void add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) = 0;

  /// The same for a law with a rate, at its samples.
  virtual void sample(const Model& model, const ControlInput& now, double* tau) {
    add_efforts(model, now.t, now.q, now.v, tau);
  }
  /// Whether samples need contacts. Such a law must have a rate.
  virtual bool sees_contacts() const { return false; }
  /// The numbers that a law with a rate keeps from sample to sample; they belong to snapshots of a simulation. Nothing:
  /// the law does not say, and snapshots in which it takes part cannot be written to files.
  virtual std::optional<std::span<double>> memory() { return std::nullopt; }
  /// From here on the law brings this degree of freedom to `target` (rad or m), or again to where it was told to. False
  /// if it has no target there.
  virtual bool set_target(int /*dof*/, std::optional<double> /*target*/) { return false; }

  /// Adds ∂effort/∂q and ∂effort/∂v (nv × nv) at that state; directions of q are those of v (integrate_position). They
  /// serve Newton's iteration, which good approximations only make slower. False, and nothing is added, where a law
  /// does not know them: they are then found by differences. No heap use.
  virtual bool add_derivatives(const Model&, double /*t*/, const double* /*q*/, const double* /*v*/,
                               Eigen::Ref<MatrixX<double>> /*dq*/, Eigen::Ref<MatrixX<double>> /*dv*/) {
    return false;
  }

  /// The first switch with before ≥ from and after ≤ to.
  virtual std::optional<ControlSwitch> find_switch(double /*from*/, double /*to*/) const { return std::nullopt; }

 protected:
  Controller() = default;
  Controller(const Controller&) = default;
  Controller& operator=(const Controller&) = default;
};

}  // namespace thenar
