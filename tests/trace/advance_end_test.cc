// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/trace/advance_end.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace thenar::advance_end_test {
namespace {

TEST(AdvanceEnd, MotionGoesOnFromWhatTheCallAskedFor) {
  for (const AdvanceEnd end : {AdvanceEnd::reached, AdvanceEnd::event, AdvanceEnd::budget, AdvanceEnd::interrupted}) {
    EXPECT_TRUE(can_go_on(end)) << to_string(end);
  }
  for (const AdvanceEnd end :
       {AdvanceEnd::stopped, AdvanceEnd::indeterminate, AdvanceEnd::jam, AdvanceEnd::not_finite, AdvanceEnd::failed}) {
    EXPECT_FALSE(can_go_on(end)) << to_string(end);
  }
}

TEST(AdvanceEnd, WordsDiffer) {
  std::set<std::string> words;
  constexpr int kCount = static_cast<int>(AdvanceEnd::failed) + 1;
  for (int i = 0; i < kCount; ++i) words.insert(to_string(static_cast<AdvanceEnd>(i)));
  EXPECT_EQ(words.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(words.count(""), 0u);
}

}  // namespace
}  // namespace thenar::advance_end_test
