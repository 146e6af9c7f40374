// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The efforts of a scenario's actuators: torque profiles and controllers, summed, held between samples where a
/// controller has a rate, and cut off at the limits of the joints.
///
///     command = Σ profiles(t), or efforts set from outside + Σ continuous laws(t, q, v) + Σ held values of sampled
///     laws effort  = command, but at most ± the limit of the degree of freedom
///
/// The cut is a kink of the equations of motion. A run therefore goes from kink to kink like from event to event: while
/// it *keeps* the sides (keep_sides), every degree of freedom stays on the piece it is on, at a limit or off it, also a
/// little beyond, so that the motion is smooth inside a step; the run watches the commands and changes sides where one
/// of them passes a limit. Without keeping sides efforts are simply cut, as a question about a single instant wants it.

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thenar/motion/external_loads.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

class Actuation {
 public:
  /// The scenario must outlive it. Throws std::invalid_argument if a controller does not fit the model.
  explicit Actuation(const Scenario& scenario);

  /// Whether anything is driven at all.
  bool is_driven() const { return !scenario_->torques.empty() || !laws_.empty() || !loads_.efforts.empty(); }
  /// Whether efforts depend on the state, other than through samples.
  bool has_feedback() const;
  /// Whether efforts stay as they are, up to the next sample, while the state does.
  bool is_steady() const;
  /// Whether a command may pass a limit.
  bool has_limits() const { return is_driven() && scenario_->model.has_effort_limits(); }

  /// Efforts and targets that are set from outside, from here on.
  void set_loads(const ExternalLoads& loads);
  const ExternalLoads& loads() const { return loads_; }

  /// Commands (nv), before limits.
  void calc_commands(double t, const double* q, const double* v, double* tau);
  /// Efforts (nv). No heap use.
  void calc_efforts(double t, const double* q, const double* v, double* tau);
  /// The same, cut at the limits whatever sides are kept.
  void calc_cut_efforts(double t, const double* q, const double* v, double* tau);
  /// Writes ∂effort/∂q and ∂effort/∂v (nv × nv); directions of q are those of v (integrate_position).
  void calc_derivatives(double t, const double* q, const double* v, Eigen::Ref<MatrixX<double>> dq,
                        Eigen::Ref<MatrixX<double>> dv);

  // --- Samples ------------------------------------------------------------------------------------------------------

  /// When the next sample is due, s; infinity without sampled laws.
  double next_sample() const;
  /// Takes the samples that are due; how many. Before its first sample a law acts continuously.
  int take_samples(const ControlInput& now);
  /// Whether a law that samples at t sees contacts.
  bool needs_contacts(double t) const;
  /// The first switch of a law that acts continuously with before ≥ from and after ≤ to, and that law.
  struct LawSwitch {
    ControlSwitch at;
    std::string_view kind;
  };
  std::optional<LawSwitch> find_law_switch(double from, double to) const;

  /// Holds what the laws of another actuation of this scenario have sampled.
  void take_over(const Actuation& other);

  /// Samples, memories of laws and sides; loads belong to the forces.
  template <class Archive>
  void archive(Archive& a);
  /// The kind of the first law with a rate that does not say what it remembers (Controller::memory); empty if all do.
  std::string find_silent_law() const;
  /// Copies of all of them, with what they remember, and the way back.
  std::vector<std::shared_ptr<const Controller>> copy_silent_laws() const;
  void adopt_silent_laws(std::span<const std::shared_ptr<const Controller>> laws);

  // --- Limits -------------------------------------------------------------------------------------------------------

  /// Keeps every degree of freedom on the side of its limits that it is on here.
  void keep_sides(double t, const double* q, const double* v);
  void release_sides() { keeps_sides_ = false; }
  /// −1 or 1 at the lower or upper limit, 0 between them.
  int side(int dof) const { return sides_[static_cast<std::size_t>(dof)]; }
  void set_side(int dof, int side) { sides_[static_cast<std::size_t>(dof)] = side; }
  /// How far a command is inside its piece, against the limit `bound` (−1 or 1): ≥ 0 while the side may stay.
  double calc_margin(int dof, int bound, double command) const;

  /// Names the first law whose efforts are not finite here; empty when all are.
  std::string find_bad_law(double t, const double* q, const double* v);

 private:
  struct Law {
    std::unique_ptr<Controller> controller;
    double rate = 0;  ///< Hz; 0: continuous
    double next_sample = std::numeric_limits<double>::infinity();
    bool has_sample = false;
    VectorX<double> held;  ///< nv

    bool is_silent() const { return rate > 0 && !controller->memory(); }
  };
  void cut(double* tau) const;
  void add_differences(Controller& law, double t, const double* q, const double* v, Eigen::Ref<MatrixX<double>> dq,
                       Eigen::Ref<MatrixX<double>> dv);

  const Scenario* scenario_;
  ExternalLoads loads_;
  std::vector<double> torque_levels_;  ///< per torque profile
  std::vector<Law> laws_;
  std::vector<int> sides_;
  bool keeps_sides_ = false;
  VectorX<double> q_shifted_, v_shifted_, increment_, commands_, base_, shifted_;
};

}  // namespace thenar
