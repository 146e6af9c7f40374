// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What joints do at one instant: which stops are struck and how velocities jump, then which rows hold and which joints
/// slip in the motion that follows. Both questions are one constraint problem each over all rows at once, so several
/// stops met together, or one met while others hold, are answered together.
///
/// Impact, with Newton's restitution e of each stop. Rows have no friction, so the energy lost is
/// ½ Σ p (1 − e) |rate before| over the stops that are approached, and without restitution nothing is ever gained (v⁺
/// is then the point nearest to v⁻, in the metric of M, of a convex cone):
///
///     v⁺ = v⁻ + M⁻¹ Jᵀ p,   stops that touch: 0 ≤ p ⊥ J v⁺ + e min(J v⁻, 0) ≥ 0,   locks and couplings: J v⁺ = 0.
///
/// Dry friction is a finite force and takes no part in it. Afterwards, over the rows at rest:
///
///     v̇ = v̇_free + M⁻¹ Jᵀ z,   stops: 0 ≤ z ⊥ J v̇ + bias ≥ 0,   dry friction: |z| ≤ f, against the motion.
///
/// The reaction of a stop is unilateral (Carv 3.3 tests the outer torque of the joint alone, which is wrong when other
/// joints push on it; see physics errata): the joint leaves when its reaction would have to pull.

#include <string>
#include <vector>

#include "thenar/complementarity/exact_solver.h"
#include "thenar/motion/motion.h"
#include "thenar/scenario/tolerances.h"

namespace thenar {

/// A stop that was struck.
struct Strike {
  int row = 0;
  double rate_before = 0;  ///< rad/s or m/s, negative
  double rate_after = 0;
  double impulse = 0;  ///< N m s or N s
};

/// How a stop takes part in an impact.
enum class StopResponse : char {
  elastic,  ///< with its restitution
  plastic,  ///< without
  capture   ///< the joint stays there: what is left of its bouncing is too small to follow
};

/// A held row whose reaction has just reached its bound: the lower one (a stop would pull; friction at −f) or the
/// upper one (friction at +f).
struct Trigger {
  int row = -1;
  bool at_upper = false;
  bool insists = false;  ///< gives way whatever the solver thinks: it has been asked at this instant before
};

class InstantSolver {
 public:
  /// Both must outlive it.
  InstantSolver(ConstrainedMotion& motion, const Tolerances& tolerances);

  /// Finds the stops that touch at (q, v), or will within no time, and puts their coordinates on the bound.
  void find_touching(VectorX<double>& q, const VectorX<double>& v);
  bool touches(int row) const { return touching_[static_cast<std::size_t>(row)] != 0; }

  /// Lets velocities jump where a touching stop is approached, or captures its joint; `responses` has an entry per row.
  /// Returns the stops struck, none if nothing jumped. Needs find_touching.
  const std::vector<Strike>& resolve_impact(const VectorX<double>& q, VectorX<double>& v,
                                            const std::vector<StopResponse>& responses);
  /// In the last impact, J.
  double energy_lost() const { return energy_lost_; }

  /// The mode of the motion that follows (q, v) at time t; small speeds of joints that come to rest are set to zero.
  /// Needs find_touching and speeds that approach no touching stop. At the trigger's own instant its row could hold or
  /// give way, as far as numbers tell; since its reaction is on the way out, it gives way. The motion is left in that
  /// mode.
  const Mode& resolve_mode(double t, const VectorX<double>& q, VectorX<double>& v, Trigger trigger);

  /// The rows that take part in the motion that follows (q, v) at time t, for which `vdot` is the acceleration without
  /// their reactions; small speeds of joints that come to rest are set to zero. Needs find_touching. The motion is left
  /// in the mode without held rows.
  const std::vector<int>& find_rows_at_rest(double t, const VectorX<double>& q, VectorX<double>& v,
                                            VectorX<double>& vdot);

  template <class Archive>
  void archive(Archive& a) {
    a(touching_);
  }

  /// Why the last problem has no answer: rows that contradict each other; empty when all is well.
  const std::string& fault() const { return fault_; }

 private:
  void choose_rows_at_rest(VectorX<double>& v);
  void set_up_problem(const VectorX<double>& q, const VectorX<double>& v);
  const ConstraintSolution& solve(const char* what);
  void read_mode(const ConstraintSolution& solution, Trigger trigger);
  JointRow& row(int i) { return motion_.rows()[static_cast<std::size_t>(i)]; }

  ConstrainedMotion& motion_;
  const Tolerances& tolerances_;
  std::vector<char> touching_;  ///< per row
  RowResponse response_;
  std::vector<int> chosen_;
  ConstraintProblem problem_;
  ExactSolver solver_;
  VectorX<double> vdot_;
  std::vector<Strike> strikes_;
  Mode mode_;
  double energy_lost_ = 0;
  std::string fault_;
};

}  // namespace thenar
