// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Where redundant contacts can no longer hold what they hold.
///
/// Their forces are one choice of many (the least), and one beyond its bound says nothing yet. Then it is asked whether
/// any forces of the same motion are within all bounds (AdmissibleForces), which is a convex question with one answer:
/// as long as there are, nothing happens. Whether contacts could also move otherwise is not asked, since what is at
/// rest stays there as long as forces can hold it.

#include <optional>
#include <vector>

#include "thenar/events/contact_crossing.h"
#include "thenar/events/held_values_internal.h"
#include "thenar/integrate/crossing.h"

namespace thenar::internal {

class RedundantWatch {
 public:
  /// All must outlive it; the table is that of the same nodes.
  RedundantWatch(ConstrainedMotion& motion, const HeldValueTable& held, const std::vector<double>& nodes);

  /// A step begins, with the contacts that the motion has now.
  void begin() { slacks_.resize(static_cast<Eigen::Index>(motion_.contacts().size())); }
  /// The first place of the step where they have no reserve, if it is before what is first so far.
  void find(Stepper& stepper, double force_margin, std::optional<ContactCrossing>& first);

  /// What all normal forces of the motion there can have more than friction needs, and a margin, as a part of the
  /// forces' size. Positive values are not exact. As several contacts share what one of them would have to bear alone,
  /// the margin is kShared times that of one.
  double calc_reserve(Stepper& stepper, double theta, double force_margin);
  /// After that, of redundant contacts whose forces have no more reserve: which gives way, and how. What rolls and has
  /// next to no normal force parts.
  void find_tightest(ContactCrossing& crossing) const;

 private:
  double calc_least_slack(double theta);
  std::optional<CrossingFinder::Bracket> find_bracket(Stepper& stepper, double force_margin, double end);

  ConstrainedMotion& motion_;
  const HeldValueTable& held_;
  const std::vector<double>& nodes_;
  VectorX<double> weights_, slacks_;  ///< by place, by contact
};

}  // namespace thenar::internal
