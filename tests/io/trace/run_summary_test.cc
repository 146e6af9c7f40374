// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/run_summary.h"

#include <gtest/gtest.h>

#include "../scenario_texts.h"
#include "thenar/io/answer/model_info.h"
#include "thenar/simulation/simulate.h"

namespace thenar::run_summary_test {
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
  const Scenario s = test::parse_arm("[{name: link, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}]");
  const std::string text = run_summary_text(s, simulate(s), {{"states", "out/states.csv"}});
  EXPECT_NE(text.find("arm.link"), std::string::npos);
  EXPECT_NE(text.find("energy (J)"), std::string::npos);
  EXPECT_NE(text.find("out/states.csv"), std::string::npos);
}

TEST(ModelInfo, DrawsTheTree) {
  const Scenario s = test::parse_arm(
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

/// A finger with everything that can be said about joints.
Scenario rich_finger() {
  return test::parse_arm(
      "[{name: a, joint: {name: mcp, type: universal, friction: [0, 2 mN m], limits: {lower: [-0.5*cos(bend), none], "
      "upper: [0.5, 1.5], restitution: [0.25, 0], with: {bend: mcp.1}}}, mass: 1, inertia: [1, 1, 1]}, "
      "{name: b, parent: a, joint: {name: slide, type: prismatic, limits: {lower: -1 cm}, friction: 3 N}, mass: 1, "
      "inertia: [1, 1, 1]}, "
      "{name: c, parent: b, joint: {name: dip, type: revolute, locked: true}, mass: 1, inertia: [1, 1, 1]}, "
      "{name: d, parent: c, joint: {name: tip, type: revolute}, mass: 1, inertia: [1, 1, 1]}]",
      "    couplings: [{name: tendon, joint: tip, equals: 0.7*x + y, with: {x: dip, y: mcp.1}}, {joint: mcp.0, equals: "
      "0}]\n");
}

TEST(ModelInfo, ListsWhatIsSaidAboutJoints) {
  const std::string text = model_info_text(rich_finger());
  EXPECT_NE(text.find("\nlimits\n"
                      "  arm.mcp.0: from -0.5*cos(bend) to 0.5 rad, depending on arm.mcp.1, restitution 0.25\n"
                      "  arm.mcp.1: to 1.5 rad\n"
                      "  arm.slide: from -0.01 m\n"
                      "\ndry friction\n"
                      "  arm.mcp.1: 0.002 N m\n"
                      "  arm.slide: 3 N\n"
                      "\nlocked\n"
                      "  arm.dip\n"
                      "\ncouplings\n"
                      "  arm.tendon: arm.tip = 0.7*x + y, depending on arm.mcp.1, arm.dip\n"
                      "  arm.mcp.0 = 0\n"),
            std::string::npos)
      << text;
}

TEST(RunSummary, CountsEventsByKind) {
  const Scenario s = test::parse_arm("[{name: link, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}]");
  RunReport report;
  report.first = report.last = s.initial;
  report.q_min = report.q_max = s.initial.q;
  EXPECT_NE(run_summary_text(s, report, {}).find("  events by kind: none\n"), std::string::npos);
  EXPECT_NE(run_summary_json(s, report, {}).find("\"events\": {},"), std::string::npos);
  report.events[static_cast<std::size_t>(EventKind::stick)] = 1;
  report.events[static_cast<std::size_t>(EventKind::impact)] = 12;
  EXPECT_NE(run_summary_text(s, report, {}).find("  events by kind: 12 impact, 1 stick\n"), std::string::npos);
  EXPECT_NE(run_summary_json(s, report, {}).find("\"impact\": 12,\n    \"stick\": 1\n"), std::string::npos);
}

TEST(RunSummary, TellsVerdictsOfRunsWithContacts) {
  const std::string bodies = "[{name: link, joint: {type: revolute}, mass: 1, inertia: [1, 1, 1]}]";
  const Scenario s = test::parse_arm(bodies, "contacts: {}\n"), without = test::parse_arm(bodies);
  RunReport report;
  report.first = report.last = s.initial;
  report.q_min = report.q_max = s.initial.q;
  EXPECT_NE(run_summary_json(s, report, {}).find("\"verdicts\": [],"), std::string::npos);
  EXPECT_NE(run_summary_text(s, report, {}).find("  verdicts: none\n"), std::string::npos);
  EXPECT_EQ(run_summary_text(without, report, {}).find("verdicts"), std::string::npos);
  report.verdicts = {
      {0, 0.5, Verdict::unique, true}, {0.5, 0.75, Verdict::several, false}, {0.75, 1.75, Verdict::unique, false}};
  report.max_gap_violation = 1.5e-11;
  const std::string text = run_summary_text(s, report, {});
  EXPECT_NE(text.find("  verdicts: unique for 1.5 s, several for 0.25 s; determinate for 0.5 s\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  largest penetration: 1.5e-11 (m, or rad of a stop)\n"), std::string::npos) << text;
  EXPECT_NE(run_summary_json(s, report, {})
                .find("    {\n      \"from\": 0.5,\n      \"to\": 0.75,\n"
                      "      \"verdict\": \"several\",\n      \"determinate\": false\n"),
            std::string::npos);
}

}  // namespace
}  // namespace thenar::run_summary_test
