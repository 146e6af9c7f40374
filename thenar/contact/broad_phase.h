// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Broad phase: which pairs of shapes are near enough to be looked at.
///
/// Bounded shapes are put into boxes along the axes of the world. The boxes are sorted by their lower end along the
/// axis on which they are spread out most, and swept: only boxes that overlap along it are compared on the other two.
/// Sorting starts from the order of the call before, so that it is linear in the number of shapes as long as they move
/// little. A plane or a bowl has no box; every shape is compared with it by its support along the normal, which for a
/// plane is the distance itself.
///
/// What is found does not depend on earlier calls: all allowed pairs whose boxes come within the margin, in a fixed
/// order. A pair that is left out is farther apart than the margin.
///
/// Storage grows with the number of shapes and of pairs found; a call that finds no more pairs than calls before it
/// does not touch the heap.

#include <span>
#include <vector>

#include "thenar/contact/pair_filter.h"
#include "thenar/contact/shape_bounds.h"

namespace thenar {

/// A shape and the body it belongs to, as a number of the filter.
struct BroadPhaseShape {
  GrownCore shape;
  int body = 0;
};

/// Two shapes, by their places in the list. The body of the first comes before that of the second.
struct ShapePair {
  int first = 0, second = 0;
  friend bool operator==(const ShapePair&, const ShapePair&) = default;
};

class BroadPhase {
 public:
  /// A scene with more pairs than this at once is refused by update(): something is out of proportion.
  static constexpr std::size_t kMostPairs = std::size_t{1} << 20;

  BroadPhase(std::vector<BroadPhaseShape> shapes, PairFilter filter);

  /// Finds the pairs within `margin` (m) of each other, given the poses of all shapes, which are finite. Throws
  /// std::length_error beyond kMostPairs.
  void update(std::span<const Pose<double>> X_WS, double margin);

  /// In the order of comes_before().
  std::span<const ShapePair> pairs() const { return pairs_; }
  /// By bodies, then by shapes.
  bool comes_before(const ShapePair& a, const ShapePair& b) const;

  std::span<const BroadPhaseShape> shapes() const { return shapes_; }
  const PairFilter& filter() const { return filter_; }

 private:
  void update_bounds(std::span<const Pose<double>> X_WS);
  int find_widest_axis() const;
  void update_order();
  void sweep(double margin);
  void compare_with_unbounded(std::span<const Pose<double>> X_WS, double margin);
  void add_pair(int i, int j);

  std::vector<BroadPhaseShape> shapes_;
  PairFilter filter_;
  /// What a bounded shape covers of the axis of the sweep, m.
  struct Interval {
    double low = 0, high = 0;
    int shape = 0;
  };

  std::vector<Interval> order_;  ///< by lower end, then by shape
  std::vector<int> unbounded_;   ///< the other shapes
  int axis_ = -1;                ///< 0, 1, 2; −1 before the first call
  std::vector<Bounds> bounds_;   ///< of the bounded shapes, by shape
  std::vector<ShapePair> pairs_;
};

}  // namespace thenar
