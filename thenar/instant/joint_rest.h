// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Joints at one instant: which stops touch, and which rows of joints are at rest and take part in the motion that
/// follows. What they do then is decided together with the contacts (contact_impact.h, contact_instant.h).
///
/// The reaction of a stop is unilateral (Carv 3.3 tests the outer torque of the joint alone, which is wrong when other
/// joints push on it; see physics errata): the joint leaves when its reaction would have to pull.

#include <string>
#include <vector>

#include "thenar/motion/motion.h"
#include "thenar/scenario/tolerances.h"

namespace thenar {

/// A held row whose reaction has just reached its bound: the lower one (a stop would pull; friction at −f) or the
/// upper one (friction at +f).
struct Trigger {
  int row = -1;
  bool at_upper = false;
  bool insists = false;  ///< gives way whatever the solver says: the run has been at this instant before
};

class JointRest {
 public:
  /// Both must outlive it.
  JointRest(ConstrainedMotion& motion, const Tolerances& tolerances);

  /// Finds the stops that touch at (q, v), or will within no time, and puts their coordinates on the bound.
  void find_touching(VectorX<double>& q, const VectorX<double>& v);
  bool touches(int row) const { return touching_[static_cast<std::size_t>(row)] != 0; }

  /// The rows that take part in the motion that follows (q, v) at time t, for which `vdot` is the acceleration without
  /// their reactions; small speeds of joints that come to rest are set to zero. Needs find_touching.
  const std::vector<int>& find_rows_at_rest(double t, const VectorX<double>& q, VectorX<double>& v,
                                            VectorX<double>& vdot);

  /// Of the others, per row: the direction in which a joint with dry friction slips, else 0 (Mode::slip).
  const std::vector<int>& slip() const { return slip_; }

  /// Names rows of joints that no motion from the state satisfies together: "no motion satisfies all of: …". Empty if
  /// there are none. Needs find_touching.
  std::string explain_contradiction(double t, const VectorX<double>& q, VectorX<double> v);

  template <class Archive>
  void archive(Archive& a) {
    a(touching_);
  }

 private:
  void choose_rows_at_rest(VectorX<double>& v);
  JointRow& row(int i) { return motion_.rows()[static_cast<std::size_t>(i)]; }

  ConstrainedMotion& motion_;
  const Tolerances& tolerances_;
  std::vector<char> touching_;  ///< per row
  std::vector<int> chosen_;
  std::vector<int> slip_;
};

}  // namespace thenar
