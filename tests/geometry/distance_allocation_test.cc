// SPDX-License-Identifier: BSD-3-Clause
//
// No distance of any two shapes touches the heap, cold or warm.

#include <gtest/gtest.h>

#include "../support/heap_counter.h"
#include "random_pairs.h"
#include "thenar/geometry/distance.h"

namespace thenar::distance_allocation_test {
namespace {

using test::Placement;

TEST(DistanceAllocation, NoDistanceUsesTheHeap) {
  test::RandomPairs random(1);
  for (const test::KindPair& kinds : test::all_kind_pairs()) {
    SCOPED_TRACE(test::name_of(kinds));
    for (const Placement placement : {Placement::apart, Placement::touching, Placement::shallow}) {
      for (int i = 0; i < 5; ++i) {
        const test::ShapePair pair = random.pair(kinds, placement);
        const GrownCore A = make_core(pair.A), B = make_core(pair.B);
        const double margin = 0.1 * pair.length;
        PairMemory memory;
        ContactList list;
        double sum = 0;
        EXPECT_EQ(test::count_allocations([&] {
                    for (int call = 0; call < 2; ++call) {
                      sum += find_closest(A, pair.X_WA, B, pair.X_WB, memory).gap;
                      find_contacts(A, pair.X_WA, B, pair.X_WB, margin, memory, list);
                    }
                  }),
                  0);
        EXPECT_TRUE(std::isfinite(sum));
      }
    }
  }
}

}  // namespace
}  // namespace thenar::distance_allocation_test
