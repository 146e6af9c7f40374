// SPDX-License-Identifier: BSD-3-Clause
//
// States that are none are found, and the owner of the number is named.

#include "thenar/scenario/state_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../support/builders.h"

namespace thenar::state_check_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(StateCheck, NamesTheJointOrTheBody) {
  Scenario s = test::mixed_tree();
  EXPECT_EQ(find_bad_entry(s.model, s.initial), "");
  State state = s.initial;
  state.q(s.model.joint(*s.model.find_joint("slide")).q_start) = kNaN;
  EXPECT_EQ(find_bad_entry(s.model, state), "the position of joint 'slide' is nan");
  state = s.initial;
  state.v(s.model.joint(*s.model.find_joint("cross")).v_start + 1) = -kInfinity;
  EXPECT_EQ(find_bad_entry(s.model, state), "the velocity of joint 'cross' is -inf");
  state = s.initial;
  state.q(0) = kInfinity;
  EXPECT_EQ(find_bad_entry(s.model, state), "the position of body 'base' is inf") << "it floats";
}

TEST(StateCheck, SeesEveryEntry) {
  const Scenario s = test::mixed_tree();
  EXPECT_TRUE(is_good(s.initial));
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    for (int i = 0; i < s.initial.q.size(); ++i) {
      State state = s.initial;
      state.q(i) = bad;
      EXPECT_FALSE(is_good(state)) << i;
      EXPECT_NE(find_bad_entry(s.model, state), "") << i;
    }
    for (int i = 0; i < s.initial.v.size(); ++i) {
      State state = s.initial;
      state.v(i) = bad;
      EXPECT_FALSE(is_good(state)) << i;
      EXPECT_NE(find_bad_entry(s.model, state), "") << i;
    }
    State state = s.initial;
    state.inner = VectorX<double>::Zero(3);
    EXPECT_TRUE(is_good(state));
    state.inner(2) = bad;
    EXPECT_FALSE(is_good(state));
  }
}

TEST(StateCheck, SpeedsThatNoHandReachesAreBad) {
  const Scenario s = test::pendulum(0);
  State state = s.initial;
  for (const double sign : {-1.0, 1.0}) {
    state.v(0) = sign * std::nextafter(kLargestSpeed, 0);
    EXPECT_TRUE(is_good(state));
    EXPECT_EQ(find_bad_entry(s.model, state), "");
    state.v(0) = sign * kLargestSpeed;
    EXPECT_FALSE(is_good(state));
    EXPECT_NE(find_bad_entry(s.model, state), "");
  }
  state.v(0) = 0;
  state.q(0) = 1e300;
  EXPECT_TRUE(is_good(state)) << "a far position is only far";
}

TEST(StateCheck, OwnersAreCalledWhatTheUserCallsThem) {
  const Scenario s = test::mixed_tree();
  EXPECT_EQ(owner_name(s.model, s.model.joint(*s.model.find_joint("ball"))), "joint 'ball'");
  EXPECT_EQ(owner_name(s.model, s.model.joint(*s.model.find_joint("base"))), "body 'base'");
}

}  // namespace
}  // namespace thenar::state_check_test
