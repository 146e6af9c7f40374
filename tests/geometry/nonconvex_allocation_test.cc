// SPDX-License-Identifier: BSD-3-Clause
//
// Finding the places of rings and bowls does not touch the heap.

#include <gtest/gtest.h>

#include "../support/heap_counter.h"
#include "nonconvex_pairs.h"
#include "thenar/geometry/bowl_distance_internal.h"
#include "thenar/geometry/ring_distance_internal.h"

namespace thenar::nonconvex_allocation_test {
namespace {

TEST(NonconvexAllocation, NoHeapUse) {
  test::RandomCores random(1);
  const GrownCore ring = test::make_circle(1, 0.2), bowl = test::make_bowl(1, 0.8);
  for (const CoreKind kind : {CoreKind::point, CoreKind::segment, CoreKind::box, CoreKind::ellipsoid,
                              CoreKind::cylinder, CoreKind::cone, CoreKind::plate, CoreKind::circle}) {
    for (int i = 0; i < 20; ++i) {
      const GrownCore other = random.core(kind, 0.1, 1);
      const Pose<double> X{random.rotation(), 0.5 * random.vector()};
      internal::LocalMinima out;
      EXPECT_EQ(test::count_allocations([&] { internal::find_ring_minima(ring, other, X, 0.5, out); }), 0);
      EXPECT_EQ(test::count_allocations([&] { internal::find_bowl_minima(other, bowl, X, 0.5, out); }), 0);
    }
  }
}

}  // namespace
}  // namespace thenar::nonconvex_allocation_test
