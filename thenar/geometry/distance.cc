// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/geometry/distance.h"

#include <algorithm>
#include <limits>

#include "thenar/base/assert.h"
#include "thenar/base/rounding_noise.h"
#include "thenar/geometry/bowl_distance_internal.h"
#include "thenar/geometry/convex_distance_internal.h"
#include "thenar/geometry/patch_internal.h"
#include "thenar/geometry/ring_distance_internal.h"

namespace thenar {
namespace {

using internal::LocalMinima;
using Vec = Vec3<double>;

bool are_convex(const GrownCore& A, const GrownCore& B) { return is_convex(A.core.kind) && is_convex(B.core.kind); }

/// The pose of B in A. The difference of both places comes first: far from the world's origin it is exact.
Pose<double> calc_relative_pose(const Pose<double>& X_WA, const Pose<double>& X_WB) {
  const Mat3<double> R_WA(X_WA.R), R_WB(X_WB.R);
  const Mat3<double> R_AB{R_WA.transpose_times(R_WB.x), R_WA.transpose_times(R_WB.y), R_WA.transpose_times(R_WB.z)};
  return {R_AB.eigen(), R_WA.transpose_times(Vec(X_WB.p) - Vec(X_WA.p)).eigen()};
}

/// From the frame of A to the world.
Proximity to_world(const Proximity& place_A, const Pose<double>& X_WA) {
  const Mat3<double> R(X_WA.R);
  const Vec p(X_WA.p);
  Proximity out = place_A;
  out.p_A = p + R * place_A.p_A;
  out.p_B = p + R * place_A.p_B;
  out.N = R * place_A.N;
  out.gap = with_noise(place_A.gap);
  return out;
}

/// Places of a pair that is not convex, in the frame of A.
void find_minima(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin, LocalMinima& out) {
  const bool A_is_ring = A.core.kind == CoreKind::circle;
  if (A_is_ring || (B.core.kind == CoreKind::bowl && is_bounded(A.core.kind))) {
    A_is_ring ? find_ring_minima(A, B, X_AB, margin, out) : find_bowl_minima(A, B, X_AB, margin, out);
    return;
  }
  const Pose<double> X_BA = X_AB.inverse();
  B.core.kind == CoreKind::circle ? find_ring_minima(B, A, X_BA, margin, out)
                                  : find_bowl_minima(B, A, X_BA, margin, out);
  for (int i = 0; i < out.count; ++i) {
    LocalMinima::Place& place = out.places[static_cast<std::size_t>(i)];
    static_cast<Proximity&>(place) = internal::swap_roles(place, X_AB);
  }
}

/// Gives minima the numbers that they had in the last call: of places with the same features, the nearest is the same
/// place, if it is near at all. New ones get numbers that are free.
class Numbering {
 public:
  Numbering(const PairMemory& memory, double reach) : memory_(memory), reach_(reach) {}

  int number(const LocalMinima::Place& place) {
    if (LocalMinima::is_fixed(place.number)) return place.number;
    const int known = find_known(place);
    if (known >= 0) {
      is_taken_[static_cast<std::size_t>(known)] = true;
      return memory_.known[static_cast<std::size_t>(known)].number;
    }
    for (int i = 0;; ++i) {
      if (is_free(place, LocalMinima::number_minimum(i))) return use(place, LocalMinima::number_minimum(i));
    }
  }

 private:
  static bool have_same_features(const Proximity& a, const PairMemory::Known& b) {
    return a.feature_A == b.feature_A && a.feature_B == b.feature_B;
  }

  int find_known(const LocalMinima::Place& place) const {
    int best = -1;
    double least = reach_ * reach_;
    for (int i = 0; i < memory_.known_count; ++i) {
      const PairMemory::Known& known = memory_.known[static_cast<std::size_t>(i)];
      if (is_taken_[static_cast<std::size_t>(i)] || LocalMinima::is_fixed(known.number)) continue;
      if (!have_same_features(place, known)) continue;
      const Vec d = known.p_A - place.p_A;
      if (dot(d, d) < least) least = dot(d, d), best = i;
    }
    return best;
  }

  /// Neither a known place nor a new one has the number.
  bool is_free(const Proximity& place, int number) const {
    for (int i = 0; i < memory_.known_count; ++i) {
      const PairMemory::Known& known = memory_.known[static_cast<std::size_t>(i)];
      if (known.number == number && have_same_features(place, known)) return false;
    }
    for (int i = 0; i < new_count_; ++i) {
      const PairMemory::Known& known = new_[static_cast<std::size_t>(i)];
      if (known.number == number && have_same_features(place, known)) return false;
    }
    return true;
  }

  int use(const Proximity& place, int number) {
    new_[static_cast<std::size_t>(new_count_++)] = {place.p_A, place.feature_A, place.feature_B, number};
    return number;
  }

  const PairMemory& memory_;
  double reach_;
  std::array<bool, ContactList::kCapacity> is_taken_{};
  std::array<PairMemory::Known, LocalMinima::kCapacity> new_;
  int new_count_ = 0;
};

void remember(const ContactList& list, PairMemory& memory) {
  memory.known_count = list.count;
  for (int i = 0; i < list.count; ++i) {
    const ContactList::Point& point = list.points[static_cast<std::size_t>(i)];
    memory.known[static_cast<std::size_t>(i)] = {point.p_A, point.feature_A, point.feature_B, contact_number(point.id)};
  }
}

/// In the frame of A.
void add_minima(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, double margin, PairMemory& memory,
                ContactList& out) {
  LocalMinima minima;
  minima.arc = A.core.kind == CoreKind::circle ? memory.arc_A : memory.arc_B;
  find_minima(A, B, X_AB, margin, minima);
  memory.last_A = minima[0];
  const double size = std::min(calc_bounding_radius(A), calc_bounding_radius(B));
  constexpr double kSamePlace = 0.3;  // of the smaller shape
  Numbering numbering(memory, kSamePlace * size);
  for (int i = 0; i < minima.count; ++i) {
    const LocalMinima::Place& place = minima[i];
    if (place.gap > margin) continue;
    out.add(place, make_contact_id(place.feature_A, place.feature_B, numbering.number(place)));
  }
  out.kind = minima.is_ring && out.count > 1 ? PatchKind::ring : PatchKind::points;
}

void check_bounded(const GrownCore& A, const GrownCore& B) {
  THENAR_DEMAND(is_bounded(A.core.kind) || is_bounded(B.core.kind));
}

}  // namespace

Proximity find_closest(const GrownCore& A, const Pose<double>& X_WA, const GrownCore& B, const Pose<double>& X_WB,
                       PairMemory& memory) {
  check_bounded(A, B);
  const Pose<double> X_AB = calc_relative_pose(X_WA, X_WB);
  if (are_convex(A, B)) {
    memory.last_A = internal::find_closest_convex(A, B, X_AB, memory.is_set ? &memory.last_A : nullptr);
  } else {
    LocalMinima minima;
    find_minima(A, B, X_AB, -std::numeric_limits<double>::infinity(), minima);
    memory.last_A = minima[0];
  }
  memory.is_set = true;
  return to_world(memory.last_A, X_WA);
}

void find_contacts(const GrownCore& A, const Pose<double>& X_WA, const GrownCore& B, const Pose<double>& X_WB,
                   double margin, PairMemory& memory, ContactList& out) {
  check_bounded(A, B);
  const Pose<double> X_AB = calc_relative_pose(X_WA, X_WB);
  out.count = 0;
  out.kind = PatchKind::points;
  if (are_convex(A, B)) {
    memory.last_A = internal::find_closest_convex(A, B, X_AB, memory.is_set ? &memory.last_A : nullptr);
    if (memory.last_A.gap <= margin) {
      internal::add_patch_points(A, B, X_AB, memory.last_A, margin, out, memory.arc_A, memory.arc_B);
    }
  } else {
    add_minima(A, B, X_AB, margin, memory, out);
    remember(out, memory);
  }
  memory.is_set = true;
  for (int i = 0; i < out.count; ++i) {
    ContactList::Point& point = out.points[static_cast<std::size_t>(i)];
    static_cast<Proximity&>(point) = to_world(point, X_WA);
  }
}

}  // namespace thenar
