// SPDX-License-Identifier: BSD-3-Clause
//
// An impact of one contact uses no heap, whatever its path.

#include <gtest/gtest.h>

#include "../support/heap_counter.h"
#include "random_impacts.h"

namespace thenar::impact_allocation_test {
namespace {

TEST(ImpactAllocation, ImpactsOfOneContactUseNoHeap) {
  test::RandomImpacts random(5);
  for (int i = 0; i < 300; ++i) {
    const PointImpact impact = random.draw(i % 4);
    EXPECT_EQ(test::count_allocations([&] {
                for (const ImpactLaw law : kImpactLaws) solve_point_impact(impact, law);
                test_sticking(impact);
              }),
              0);
  }
}

}  // namespace
}  // namespace thenar::impact_allocation_test
