// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/run_summary.h"

#include <gtest/gtest.h>

#include "scenario_texts.h"
#include "thenar/io/model_info.h"

namespace thenar {
namespace {

TEST(Slug, IsSafeForAFolder) {
  EXPECT_EQ(slug("rotate a box, 5 Fingers"), "rotate-a-box-5-fingers");
  EXPECT_EQ(slug("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(slug("  "), "run");
  EXPECT_EQ(slug("\xc3\xa4"), "run");
  EXPECT_EQ(slug("..."), "run");
  EXPECT_LE(slug(std::string(500, 'a')).size(), 80u);
}

TEST(RunSummary, TextNamesJointsAndEnergy) {
  const Scenario s = testing::parse_arm("[{name: link, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}]");
  const std::string text = run_summary_text(s, simulate(s), {{"states", "out/states.csv"}});
  EXPECT_NE(text.find("arm.link"), std::string::npos);
  EXPECT_NE(text.find("energy (J)"), std::string::npos);
  EXPECT_NE(text.find("out/states.csv"), std::string::npos);
}

TEST(ModelInfo, DrawsTheTree) {
  const Scenario s = testing::parse_arm(
      "[{name: palm, mass: 1, inertia: [1, 1, 1]}, {name: a, parent: palm, joint: {type: revolute}, mass: 1, inertia: "
      "[1, 1, 1]}, "
      "{name: b, parent: palm, joint: {type: universal}, mass: 1, inertia: [1, 1, 1]}]");
  EXPECT_EQ(model_info_text(s),
            "test: 4 bodies, 4 joints, 3 degrees of freedom, 3 kg\n\n"
            "world\n"
            "`-- arm.base  [fixed]\n"
            "    `-- arm.palm  [fixed]  1 kg\n"
            "        |-- arm.a  [revolute arm.a]  1 kg\n"
            "        `-- arm.b  [universal arm.b, 2 DoF]  1 kg\n");
}

}  // namespace
}  // namespace thenar
