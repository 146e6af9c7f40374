// SPDX-License-Identifier: BSD-3-Clause
//
// The programs of the nodes of a search do not touch the heap.

#include <gtest/gtest.h>

#include "../support/heap_counter.h"
#include "random_node_programs.h"

namespace thenar::modes_allocation_test {
namespace {

TEST(NodeProgramAllocation, SolvingUsesNoHeap) {
  test::RandomNodePrograms random(11);
  int optimal = 0, infeasible = 0;
  long long rebuilds = 0;
  for (int k = 0; k < 40; ++k) {
    MatrixX<double> R;
    VectorX<double> r;
    random.make(random.pick(1, 40), random.pick(1, 40), R, r);
    internal::NodeProgram program(R, r);
    random.bound_all(program);
    const VectorX<double> gradient = VectorX<double>::Random(R.cols());
    EXPECT_EQ(test::count_allocations([&] {
                for (int step = 0; step < 100; ++step) {
                  random.bound_some(program);
                  const LpStatus status = program.find_point();
                  optimal += status == LpStatus::optimal;
                  infeasible += status == LpStatus::infeasible;
                  program.maximize(gradient, 1);
                }
              }),
              0)
        << "program " << k;
    rebuilds += program.rebuilds();
  }
  EXPECT_GE(optimal, 100);
  EXPECT_GE(infeasible, 100);
  EXPECT_GE(rebuilds, 1);
}

}  // namespace
}  // namespace thenar::modes_allocation_test
