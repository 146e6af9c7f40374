// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What contacts that hold must keep ≥ 0 while their mode lasts, at nine places of a step.
///
/// Most steps are clear at a glance: forces and slips in five of the nine places stay farther from their bounds than
/// they change. Then the other places are not looked at. What was seen at the end of a step when it was made is not
/// evaluated again.

#include <span>
#include <vector>

#include "thenar/events/touch_watch.h"
#include "thenar/motion/stepper.h"

namespace thenar::internal {

/// Of the polynomials through the places.
inline constexpr int kContactDegree = 8;
/// How far beyond the limits of its features a contact must be to leave them, as a part of the size of the scene.
inline constexpr double kContactExitMargin = 1e-11;
/// Slips slower than so many times what counts as none have just begun.
inline constexpr double kBeginning = 100;

/// Of one contact.
struct HeldValues {
  double normal = 0, friction = 0, slip = 0, exit = 0;
};

class HeldValueTable {
 public:
  /// All must outlive it. `nodes`: the places, kContactDegree + 1 of them.
  HeldValueTable(const Scenario& scenario, ConstrainedMotion& motion, const TouchWatch& touches,
                 const std::vector<double>& nodes)
      : scenario_(scenario), motion_(motion), touches_(touches), nodes_(nodes) {}

  /// To be called when the stepper has made a step, before anything else is evaluated: forces at its end are known.
  void note_end(const Stepper& stepper);
  /// Whether five of the places say that nothing can happen. If not, all nine are known. Forces may be beyond their
  /// bounds by `force_margin` of the largest of them.
  bool is_clear_at_a_glance(Stepper& stepper, double force_margin);

  // After that, by place and contact.
  const MatrixX<double>& normal() const { return normal_; }
  const MatrixX<double>& friction() const { return friction_; }
  const MatrixX<double>& slip() const { return slip_; }
  const MatrixX<double>& exit() const { return exit_; }
  /// Whether contacts are redundant somewhere.
  bool is_redundant() const { return is_redundant_; }

  /// After an evaluation of the motion: what a contact must keep ≥ 0, with `margin` (N) to spare.
  HeldValues read(std::size_t contact, double margin) const;
  /// How far a contact is beyond its features; falling flat is leaving them, too, and so is tipping.
  double calc_exit(const HeldContact& contact) const;

  /// What is known of the ends of the last step.
  template <class Archive>
  void archive(Archive& a);

 private:
  /// The values of all contacts at an end of a step, as it came about, without margins.
  struct KnownEnd {
    double t = 0;
    std::vector<HeldValues> values;
    double largest_force = 0;  ///< N
    bool is_redundant = false;
  };

  void look_at(Stepper& stepper, double force_margin, std::span<const Eigen::Index> places);
  void set_known(const KnownEnd& known, double force_margin, Eigen::Index place);
  bool has_clear_values() const;

  const Scenario& scenario_;
  ConstrainedMotion& motion_;
  const TouchWatch& touches_;
  const std::vector<double>& nodes_;
  MatrixX<double> normal_, friction_, slip_, exit_;
  KnownEnd start_, end_;  ///< of the last step
  bool is_redundant_ = false;
};

}  // namespace thenar::internal
