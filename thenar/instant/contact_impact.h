// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The impact of a state: which contacts and stops are struck, and what the velocities are afterwards. All contacts
/// that touch and all stops that are met take part, with locks and couplings; what they do is impact_problem.h.
///
/// Dry friction of joints, gravity, springs and motors are finite forces: their impulse in an instant is 0.

#include <array>
#include <string>
#include <vector>

#include "thenar/contact/contact_finder.h"
#include "thenar/impact/impact_problem.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

struct ImpactContact {
  std::string name;  ///< A/B or A/B#k
  FoundContact place;
  ContactLaw law;
  double restitution = 0;                              ///< at this speed of approach
  Vector4<double> velocity = Vector4<double>::Zero();  ///< of A relative to B before: N, T, U, rotation about N
  int row = -1;                                        ///< its normal row
  std::array<int, 3> tangent_rows{-1, -1, -1};         ///< T, U, torsion; −1 where it has none
  /// J of velocity: 4 × nv.
  Eigen::Matrix<double, 4, Eigen::Dynamic> J;
};

/// A stop that is met, or the joint rests on.
struct ImpactStop {
  std::string name;  ///< "lower stop of 'hand.index'"
  int dof = 0;
  bool is_upper = false;
  int row = -1;
  double rate = 0;  ///< rad/s or m/s, negative when it is approached
  double restitution = 0;
};

struct ImpactInstant {
  std::vector<ImpactContact> contacts;
  std::vector<ImpactStop> stops;
  ImpactProblem problem;
  VectorX<double> v;     ///< before
  MatrixX<double> J, X;  ///< of the problem's rows; X = M⁻¹ Jᵀ
  double rest = 0;       ///< m/s: slower is at rest

  /// Whether anything is struck.
  bool is_struck() const;
  /// v⁺ = v + X z.
  VectorX<double> calc_velocity(const VectorX<double>& z) const { return v + X * z; }
  /// The fastest that a contact point could move with velocities of these sizes, m/s.
  double calc_fastest(const VectorX<double>& velocities) const;
};

/// What impulses leave of a speed that should be 0, as a part of the fastest: what their solvers promise.
constexpr double kLeftByImpulses = 1e-8;

/// Throws std::runtime_error with a message for the user if bodies overlap. Round faces that land flat have the points
/// of their rims that the impact by the scenario's law needs.
ImpactInstant assemble_impact(const Scenario& scenario, const State& state);

namespace internal {
class AssemblyContext;
/// The same with what a run has at hand, and without asking for points.
ImpactInstant assemble_impact(AssemblyContext& context, const State& state);
}  // namespace internal

/// The impact of one given contact alone, with the locks, couplings and stops of the model.
ImpactInstant assemble_impact(const Scenario& scenario, const State& state, const StruckPoint& struck);

}  // namespace thenar
