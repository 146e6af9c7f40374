// SPDX-License-Identifier: BSD-3-Clause
//
// Finding a patch does not touch the heap.

#include <gtest/gtest.h>

#include "../support/heap_counter.h"
#include "patch_cases.h"

namespace thenar::patch_allocation_test {
namespace {

TEST(PatchAllocation, NoHeapUse) {
  for (const test::PatchCase& c : test::make_patch_cases()) {
    const Proximity nearest = test::make_nearest(c);
    ContactList list;
    EXPECT_EQ(test::count_allocations([&] { internal::add_patch_points(c.A, c.B, c.X_AB, nearest, 1e-3, list); }), 0)
        << c.name;
    EXPECT_GE(list.count, 2);
  }
}

}  // namespace
}  // namespace thenar::patch_allocation_test
