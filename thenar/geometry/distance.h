// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Distance of two shapes: gap, witness points, normal and touching features; and all the places where they touch.
///
/// For convex shapes the gap is the largest separation over all directions,
///
///     gap = max s(n),  |n| = 1,        s(n) = min n · a − max n · b   over points a of A and b of B
///
/// which is the distance when they are apart and less the depth of penetration when they overlap (the shortest way
/// out). It is continuous, and changes by no more than the shapes move. With a circle (torus) or a bowl the gap is the
/// least of such local values: its definition is in ring_distance_internal.h and bowl_distance_internal.h. Penetration
/// is meant to be shallow: less than the radius that cores are grown by, or than what makes another way out shorter.
///
/// A pair can touch in several places: a ring around a finger, an egg in a bowl, a face on a face. find_contacts()
/// lists them: local minima of the distance, and where faces, lines or rims lie on each other the points that span the
/// patch.

#include <array>
#include <cstdint>
#include <limits>

#include "thenar/geometry/core.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {

/// A pair of witness points.
struct Proximity {
  double gap = 0;                           ///< m, negative when they overlap
  Vec3<double> p_A = Vec3<double>::zero();  ///< m, on the boundary of A
  Vec3<double> p_B = Vec3<double>::zero();  ///< p_A − p_B = gap N
  Vec3<double> N = Vec3<double>::zero();    ///< unit normal from B into A: inward on A, outward on B
  int feature_A = 0, feature_B = 0;         ///< of the cores (core.h)
};

/// How the points of one list belong together.
enum class PatchKind : char {
  points,   ///< each is a place of its own
  segment,  ///< the two ends of a line of contact
  polygon,  ///< the corners of a flat region, in order
  ring      ///< points spread over a circle or an ellipse of contact, or over the rim of a flat round region
};

/// Contact points of one pair, in a fixed order. `id` names a point for as long as it exists: it is made of the two
/// features and a number, not of the order.
struct ContactList {
  static constexpr int kCapacity = 16;
  struct Point : Proximity {
    std::uint64_t id = 0;
  };
  std::array<Point, kCapacity> points;
  int count = 0;
  PatchKind kind = PatchKind::points;

  /// Adds a point, or does nothing when the list is full.
  void add(const Proximity& place, std::uint64_t id) {
    if (count < kCapacity) static_cast<Point&>(points[static_cast<std::size_t>(count++)]) = {place, id};
  }
};

/// Bits: 16 for each feature and 16 for a number that tells points of the same features apart.
constexpr std::uint64_t make_contact_id(int feature_A, int feature_B, int number) {
  return (static_cast<std::uint64_t>(feature_A) << 32) | (static_cast<std::uint64_t>(feature_B) << 16) |
         static_cast<std::uint64_t>(number);
}

/// The number in an identity.
constexpr int contact_number(std::uint64_t id) { return static_cast<int>(id & 0xffff); }

/// Points of a rim or a ring that were asked for (ArcPoints) have numbers from kFirstArcNumber on; those at its own
/// angles 0°, 90°, 180° and 270° 1 to 4; and from kFirstEndNumber on ends of arcs. All of them stay where they are on
/// the shape, while other numbers are those of places that travel.
inline constexpr int kFirstEndNumber = 16, kFirstArcNumber = 64;
constexpr bool is_fixed_number(int number) { return (number >= 1 && number <= 4) || number >= kFirstEndNumber; }

/// Further points of the rim of a round face, or of a ring, that are to be among the contact points where it lies on
/// something flat: the angles of its ellipse, each in a slot of its own that gives it its number; not a number where a
/// slot is free.
struct ArcPoints {
  static constexpr int kSlots = 6;
  std::array<double, kSlots> angles = make_empty();

  static constexpr std::array<double, kSlots> make_empty() {
    std::array<double, kSlots> out{};
    out.fill(std::numeric_limits<double>::quiet_NaN());
    return out;
  }
};

/// What is kept of a pair from one call to the next: where the search starts, and which place had which number. Places
/// do not depend on it beyond rounding; numbers of several places with the same features do.
struct PairMemory {
  struct Known {
    Vec3<double> p_A;
    int feature_A, feature_B, number;
  };
  bool is_set = false;
  Proximity last_A;                                 ///< the nearest place, in the frame of A
  std::array<Known, ContactList::kCapacity> known;  ///< the first known_count
  int known_count = 0;
  ArcPoints arc_A, arc_B;  ///< what the caller asks for besides, on either shape
};

template <class Archive>
void archive_state(Archive& a, Proximity& place) {
  a(place.gap, place.p_A, place.p_B, place.N, place.feature_A, place.feature_B);
}

/// Angles that are set; most pairs have none.
template <class Archive>
void archive_state(Archive& a, ArcPoints& points) {
  char any = 0;
  for (const double angle : points.angles) any = any != 0 || angle == angle ? 1 : 0;
  a(any);
  if constexpr (Archive::kReads) points = {};
  if (any != 0) a(points.angles);
}

template <class Archive>
void archive_state(Archive& a, PairMemory& memory) {
  a(memory.is_set, memory.last_A, memory.known_count, memory.arc_A, memory.arc_B);
  if (memory.known_count < 0 || memory.known_count > ContactList::kCapacity) {
    throw StateError("it holds more contact points of a pair than there can be");
  }
  for (int i = 0; i < memory.known_count; ++i) {
    PairMemory::Known& known = memory.known[static_cast<std::size_t>(i)];
    a(known.p_A, known.feature_A, known.feature_B, known.number);
  }
}

/// The nearest points of two shapes. At most one of them may be unbounded. No heap use.
Proximity find_closest(const GrownCore& A, const Pose<double>& X_WA, const GrownCore& B, const Pose<double>& X_WB,
                       PairMemory& memory);

/// All contact points with gap ≤ margin (m), the nearest included; empty when the pair is farther apart. No heap use.
void find_contacts(const GrownCore& A, const Pose<double>& X_WA, const GrownCore& B, const Pose<double>& X_WB,
                   double margin, PairMemory& memory, ContactList& out);

}  // namespace thenar
