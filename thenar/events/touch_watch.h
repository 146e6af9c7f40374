// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The first time inside a step at which two bodies meet in a point that is not held.
///
/// Gaps are continuous, but features come and go, so that they are followed from place to place with their rates: no
/// touch passes between two places that are nearer to each other than what the bodies can travel, and where that does
/// not exclude one, the places are halved until bodies move less than kSmallMove of their size, or the cubic through
/// gaps and rates stays clear of 0.
///
/// Most steps are clear at a glance: gaps at both ends are longer than what bodies travel in all of the step, and what
/// is held turns too little to come to touch in further points. Then the other places are not looked at.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "thenar/contact/contact_finder.h"
#include "thenar/integrate/step_view.h"
#include "thenar/motion/held_contact.h"
#include "thenar/motion/layer_contacts_internal.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

struct Touch {
  double theta = 1;  ///< where in the step, just after
  std::string name;  ///< A/B
};

class TouchWatch {
 public:
  /// How often the time between two places is halved to see whether bodies meet in it.
  static constexpr int kMostHalvings = 12;

  /// The scenario must outlive it.
  explicit TouchWatch(const Scenario& scenario);

  /// The first touch in the step, if any, of points other than those held and those with a compliant layer.
  std::optional<Touch> find(StepView& step, std::span<const HeldContact> held,
                            std::span<const internal::LayerContact> layers = {});

  template <class Archive>
  void archive(Archive& a) {
    a(finder_);
  }

  double size() const { return size_; }  ///< of the scene, m
  const ContactFinder& finder() const { return finder_; }

 private:
  /// Two shapes that are near each other at some place of the step, and the nearest of their points that is not held.
  struct NearPair {
    int shape_A = 0, shape_B = 0;
    double gap = 0, rate = 0;  ///< m, m/s
  };
  /// What is known at one place of the step.
  struct Place {
    double theta = 0;
    std::vector<NearPair> pairs;  ///< by the numbers of their shapes
    std::vector<double> speeds;   ///< of each shape's fastest point, m/s
    std::vector<double> turns;    ///< of each shape, rad/s
  };
  /// How deep two shapes may be in each other: what the step starts with is no crossing.
  struct Allowance {
    int shape_A, shape_B;
    double gap;  ///< m
  };
  void look_at_speeds(StepView& step, double theta, Place& out);
  void look_at(StepView& step, double theta, Place& out);
  bool is_held(const FoundContact& found) const;
  bool is_held(int shape_A, int shape_B) const;
  double calc_rate(const FoundContact& found) const;
  double calc_gap(StepView& step, double theta, int shape_A, int shape_B);
  void list_seen(const Place& before, const Place& after);
  double find_allowance(int shape_A, int shape_B) const;
  void find_touch(StepView& step, const Place& before, const Place& after, int shape_A, int shape_B, double allowed,
                  int depth, std::optional<Touch>& first);
  void keep_touch(StepView& step, double before, double after, int shape_A, int shape_B, double allowed,
                  std::optional<Touch>& first);
  void choose_reach(StepView& step);
  double find_fastest() const;
  bool turns_little(StepView& step) const;
  bool is_far_from_touch(StepView& step);

  const Scenario& scenario_;
  Workspace<double> workspace_;
  ContactFinder finder_;
  std::span<const HeldContact> held_;
  std::span<const internal::LayerContact> layers_;
  std::vector<double> nodes_;
  std::vector<double> speeds_;  ///< of each shape, the largest in the step, m/s
  std::vector<double> turns_;   ///< and its fastest turn, rad/s
  std::vector<double> radii_;   ///< of each shape about its body's origin, m; infinite of planes and bowls
  std::array<Place, kMostHalvings + 2> places_;  ///< both ends of what is looked at, then the middles between them
  std::vector<Allowance> allowances_;
  std::vector<std::pair<int, int>> seen_;  ///< shapes that are near each other at one of two places
  double size_ = 0, reach_ = 0;            ///< m: of the scene; pairs farther apart than `reach_` are not looked at
};

}  // namespace thenar
