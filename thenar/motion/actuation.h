// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The efforts of a scenario's actuators: torque profiles and controllers, summed, held between samples where a
/// controller has a rate, and cut off at the limits of the joints.
///
///     command = Σ profiles(t) + Σ continuous laws(t, q, v) + Σ held values of sampled laws
///     effort  = command, but at most ± the limit of the degree of freedom
///
/// The cut is a kink of the equations of motion. A run therefore goes from kink to kink like from event to event: while
/// it *keeps* the sides (keep_sides), every degree of freedom stays on the piece it is on, at a limit or off it, also a
/// little beyond, so that the motion is smooth inside a step; the run watches the commands and changes sides where one
/// of them passes a limit. Without keeping sides efforts are simply cut, as a question about a single instant wants it.

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "thenar/scenario/scenario.h"

namespace thenar {

class Actuation {
 public:
  /// The scenario must outlive it. Throws std::invalid_argument if a controller does not fit the model.
  explicit Actuation(const Scenario& scenario);

  /// Whether anything is driven at all.
  bool is_driven() const { return !scenario_->torques.empty() || !laws_.empty(); }
  /// Whether efforts depend on the state, other than through samples.
  bool has_feedback() const;
  /// Whether efforts stay as they are, up to the next sample, while the state does.
  bool is_steady() const;
  /// Whether a command may pass a limit.
  bool has_limits() const { return is_driven() && scenario_->model.has_effort_limits(); }

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
  /// Takes the samples that are due at t; how many. Before its first sample a law acts continuously.
  int take_samples(double t, const double* q, const double* v);

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
  };
  void cut(double* tau) const;
  void add_differences(Controller& law, double t, const double* q, const double* v, Eigen::Ref<MatrixX<double>> dq,
                       Eigen::Ref<MatrixX<double>> dv);

  const Scenario* scenario_;
  std::vector<double> torque_levels_;  ///< per torque profile
  std::vector<Law> laws_;
  std::vector<int> sides_;
  bool keeps_sides_ = false;
  VectorX<double> q_shifted_, v_shifted_, increment_, commands_, base_, shifted_;
};

}  // namespace thenar
