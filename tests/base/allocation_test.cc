// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../support/heap_counter.h"
#include "thenar/base/expression.h"

namespace thenar::base_allocation_test {
namespace {

TEST(Expression, UsesNoHeapOnceParsed) {
  const std::vector<std::string> names{"t"};
  const Expression expression =
      Expression::parse("t < 2 ? max(sin(9*t), 0.1)*blend(t, 0, 1) : floor(t) + pulse(mod(t, 1), 0.3, 0.301)", names);
  const double values[] = {0.4}, rates[] = {1};
  double sum = 0;
  int switches = 0;
  EXPECT_EQ(test::count_allocations([&] {
              sum += expression.evaluate(values) + expression.evaluate_along(values, rates).second;
              double from = 0;
              while (const auto found = expression.find_switch(values, 0, from, 5)) {
                from = found->after;
                ++switches;
              }
            }),
            0);
  EXPECT_NE(sum, 0);
  EXPECT_GT(switches, 10);
}

}  // namespace
}  // namespace thenar::base_allocation_test
