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
/// (ControlEntry::rate): it is called once per sample, in the order of time, and may have memory. Limits of actuators
/// are not its business: the run cuts off the sum of all efforts.

#include <memory>
#include <optional>
#include <string_view>

#include "thenar/model/model.h"

namespace thenar {

/// Where a law passes from one smooth piece to the next: the last number before and the first after, s.
struct ControlSwitch {
  double before = 0, after = 0;
  bool is_jump = true;  ///< efforts may jump there; otherwise only their derivatives do
};

class Controller {
 public:
  virtual ~Controller() = default;

  /// What it is called in files and messages: "pd_gravity".
  virtual std::string_view kind() const = 0;

  /// Every run works with copies of its own, so that laws may keep scratch memory.
  virtual std::unique_ptr<Controller> clone() const = 0;

  /// Sizes the scratch memory. Throws std::invalid_argument when the law does not fit the model.
  virtual void prepare(const Model&) {}

  /// Adds the efforts (nv, N m or N) at time t (s), positions q (nq) and velocities v (nv). No heap use.
  virtual void add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) = 0;

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
