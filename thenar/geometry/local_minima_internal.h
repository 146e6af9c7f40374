// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The places where a pair that is not convex is nearest: local minima of its distance, and points of arcs and lines
/// along which the distance hardly changes.

#include <algorithm>
#include <array>
#include <cstddef>

#include "thenar/geometry/distance.h"

namespace thenar::internal {

struct LocalMinima {
  static constexpr int kCapacity = 16;
  /// Numbers of points that are fixed in a shape: those of a circle at its angles 0°, 90°, 180° and 270°; and from
  /// kFirstEnd on the ends of arcs.
  static constexpr int kFirstFixed = 1, kFixedCount = 4, kFirstEnd = kFirstEndNumber;
  static constexpr bool is_fixed(int number) { return is_fixed_number(number); }
  /// The numbers of minima with the same features, counted by i = 0, 1, … along the circle: 0, 8, 9, …
  static constexpr int number_minimum(int i) { return i == 0 ? 0 : 7 + i; }

  /// `number` tells places with the same features apart.
  struct Place : Proximity {
    int number = 0;
  };

  std::array<Place, kCapacity> places;  ///< by gap, the nearest first
  int count = 0;
  bool is_ring = false;   ///< whether fixed points of a circle are among them
  ArcPoints arc;          ///< of the circle, asked for besides
  double resolution = 0;  ///< m, places that are nearer to each other are one

  void clear(double new_resolution) {
    count = 0;
    is_ring = false;
    resolution = new_resolution;
  }
  const Place& operator[](int i) const { return places[static_cast<std::size_t>(i)]; }

  /// Adds a place. One that is there already keeps the lower gap and, if either has one, the number of a fixed point.
  /// When the list is full, the farthest is lost.
  void add(const Proximity& place, int number) {
    is_ring = is_ring || is_fixed(number);
    for (int i = 0; i < count; ++i) {
      Place& known = places[static_cast<std::size_t>(i)];
      const Vec3<double> d = known.p_A - place.p_A;
      if (dot(d, d) > resolution * resolution || dot(known.N, place.N) < 0.9) continue;
      if (is_fixed(number)) known.number = number;
      if (!(place.gap < known.gap)) return;
      number = known.number;
      std::move(places.begin() + i + 1, places.begin() + count, places.begin() + i);
      --count;
      break;
    }
    if (count == kCapacity && !(place.gap < places.back().gap)) return;
    int at = count < kCapacity ? count++ : kCapacity - 1;
    for (; at > 0 && place.gap < places[static_cast<std::size_t>(at - 1)].gap; --at) {
      places[static_cast<std::size_t>(at)] = places[static_cast<std::size_t>(at - 1)];
    }
    static_cast<Proximity&>(places[static_cast<std::size_t>(at)]) = place;
    places[static_cast<std::size_t>(at)].number = number;
  }

  /// Forgets what is farther than `margin` (m), except for the nearest.
  void drop_beyond(double margin) {
    while (count > 1 && places[static_cast<std::size_t>(count - 1)].gap > margin) --count;
  }
};

}  // namespace thenar::internal
