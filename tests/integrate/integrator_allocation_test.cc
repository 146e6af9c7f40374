// SPDX-License-Identifier: BSD-3-Clause
//
// Steps of the integrators do not touch the heap, for any size up to 50, accepted or not.
#include <gtest/gtest.h>

#include "../support/heap_counter.h"
#include "../support/motion_problems.h"

namespace thenar::integrator_allocation_test {
namespace {

using test::Chain;
using test::Problem;
using test::State;

TEST(Allocation, IntegratorsUseNoHeap) {
  for (const auto make :
       {make_rk4_integrator, make_rk8_integrator, make_explicit_integrator, make_implicit_integrator}) {
    for (const int n : {1, 2, 5, 8, 16, 17, 24, 33, 50}) {
      const Chain chain{n, 1e4};
      Problem problem = chain.make_problem();
      State y = chain.start(), slope = calc_start_slope(problem, y), between(2 * n + 1);
      const std::vector<double> weights(static_cast<std::size_t>(2 * n), 1e-4);
      const std::unique_ptr<Integrator> integrator = make(problem);
      int accepted = 0, rejected = 0;
      const auto run = [&] {
        double h = integrator->has_error_control() ? 1 : 1e-4;
        for (int i = 0; i < 40; ++i) {
          const StepAttempt a = integrator->attempt(problem, 0, h, y.data(), slope.data(), weights);
          h = a.next_h;
          if (!a.accepted) {
            ++rejected;
            continue;
          }
          ++accepted;
          integrator->interpolate(0.5, between.data());
          y = integrator->end_state(), slope = integrator->end_slope();
          if (i == 30) integrator->reset();
          if (i == 35) integrator->restart();
        }
      };
      EXPECT_EQ(test::count_allocations(run), 0) << n;
      EXPECT_GT(accepted, 10) << n;
      EXPECT_EQ(rejected > 0, integrator->has_error_control()) << n;
    }
  }
}

}  // namespace
}  // namespace thenar::integrator_allocation_test
