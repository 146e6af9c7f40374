// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/answer/contact_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "../scenario_texts.h"

namespace thenar::contact_report_test {
namespace {

using test::parse;

const std::string kTable = "  - {name: table, joint: fixed, shape: {plane: {}}}\n";

ContactReport report_truth(const std::string& name) {
  const auto path = std::filesystem::path(THENAR_SOURCE_DIR) / "scenes/truth" / (name + ".yaml");
  return report_contacts(read_scenario(path), std::nullopt);
}

void expect_near(const Vec3<double>& found, const Vec3<double>& expected) {
  // Coordinates of a metre, a few operations.
  EXPECT_LT(norm(found - expected), 1e-14) << found.eigen().transpose() << " and " << expected.eigen().transpose();
}

TEST(TruthScenes, BoxOnTableTouchesWithItsFourCorners) {
  const ContactReport report = report_truth("box_on_table");
  ASSERT_EQ(report.entries.size(), 4u);
  EXPECT_TRUE(report.overlaps.empty());
  const double c = std::cos(std::numbers::pi / 6), s = std::sin(std::numbers::pi / 6);
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.15, 0.15}) {
      const Vec3<double> corner{c * x - s * y, s * x + c * y, 0.75};
      const auto& nearest = *std::min_element(report.entries.begin(), report.entries.end(), [&](auto& a, auto& b) {
        return norm(a.contact.p_A - corner) < norm(b.contact.p_A - corner);
      });
      expect_near(nearest.contact.p_A, corner);
      expect_near(nearest.contact.p_B, corner);
      expect_near(nearest.contact.N, {0, 0, 1});
      EXPECT_NEAR(nearest.contact.gap, 0, 1e-15);
      EXPECT_EQ(nearest.feature_A.substr(0, 6), "vertex");
    }
  }
}

TEST(TruthScenes, BallInBowlTouchesTheWall) {
  const ContactReport report = report_truth("ball_in_bowl");
  ASSERT_EQ(report.entries.size(), 1u);
  const Vec3<double> d{0.5, 0, -std::sqrt(0.75)};
  const FoundContact& contact = report.entries[0].contact;
  EXPECT_NEAR(contact.gap, 0, 1e-15);
  expect_near(contact.N, -d);
  expect_near(contact.p_A, Vec3<double>(0, 0, 0.04) + d * 0.1);
}

TEST(TruthScenes, TwoBallsAreFiveCentimetresApart) {
  const ContactReport report = report_truth("two_balls");
  EXPECT_EQ(report.margin, 0.06);  // its own
  ASSERT_EQ(report.entries.size(), 1u);
  const FoundContact& contact = report.entries[0].contact;
  EXPECT_NEAR(contact.gap, 0.05, 1e-15);
  expect_near(contact.N, {-0.6, -0.8, 0});
  expect_near(contact.p_A, {1 + 0.6 * 0.03, 2 + 0.8 * 0.03, 3});
  expect_near(contact.p_B, {1.06 - 0.6 * 0.02, 2.08 - 0.8 * 0.02, 3});
}

TEST(TruthScenes, CapsuleOnBoxTouchesAlongALine) {
  const ContactReport report = report_truth("capsule_on_box");
  ASSERT_EQ(report.entries.size(), 2u);
  double product = 1;
  for (const ContactReport::Entry& entry : report.entries) {
    EXPECT_NEAR(entry.contact.gap, 0, 1e-15);
    EXPECT_EQ(entry.contact.patch, PatchKind::segment);
    expect_near(entry.contact.N, {0, 0, 1});
    expect_near(entry.contact.p_A, {std::copysign(0.05, entry.contact.p_A.x), 0.01, 0.05});
    product *= entry.contact.p_A.x;
  }
  EXPECT_LT(product, 0);  // one at either end
}

TEST(TruthScenes, RingOnRodHangsByItsTop) {
  const ContactReport report = report_truth("ring_on_rod");
  ASSERT_EQ(report.entries.size(), 1u);
  EXPECT_NEAR(report.entries[0].contact.gap, 0, 1e-15);
  expect_near(report.entries[0].contact.N, {0, 0, 1});
  expect_near(report.entries[0].contact.p_A, {0, 0, 0.005});
}

TEST(ContactReport, SortsByGap) {
  const Scenario s = parse(
      "objects:\n  - {name: a, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 0, 0.4]}}\n"
      "  - {name: b, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 5, 0.2]}}\n"
      "  - {name: c, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 9, 0.3]}}\n" +
      kTable);
  const ContactReport report = report_contacts(s, 1.0);
  std::vector<std::string> names;
  for (const ContactReport::Entry& entry : report.entries) names.push_back(contact_name(s.model, entry.contact));
  EXPECT_EQ(names, (std::vector<std::string>{"b/table", "c/table", "a/table"}));
  EXPECT_EQ(report.pair_count, 6);
  EXPECT_EQ(report.near_pairs, 3u);
  EXPECT_EQ(report_contacts(s, 0.15).entries.size(), 1u);
}

TEST(ContactReport, DefaultMarginIsATenthOfTheSize) {
  const Scenario s =
      parse("objects:\n  - {name: a, shape: {box: [1, 2, 2]}, mass: 1, pose: {xyz: [0, 0, 5]}}\n" + kTable);
  EXPECT_DOUBLE_EQ(report_contacts(s, std::nullopt).margin, 0.3);
  EXPECT_EQ(report_contacts(s, 0.0).margin, 0);
}

TEST(ContactReport, OverlapsAreThoseDeeperThanRounding) {
  // A ball of 1 m in diameter: the size of the scene is sqrt(3) m, and 1e-9 of it is rounding.
  const auto overlaps = [](double depth) {
    const std::string z = std::to_string(0.5) + " - " + std::to_string(depth * 1e9) + "e-9";
    const Scenario s =
        parse("objects:\n  - {name: ball, shape: {sphere: 0.5}, mass: 1, pose: {xyz: [0, 0, " + z + "]}}\n" + kTable);
    return report_contacts(s, std::nullopt).overlaps;
  };
  EXPECT_TRUE(overlaps(0).empty());
  EXPECT_TRUE(overlaps(1.7e-9).empty());
  ASSERT_EQ(overlaps(1.8e-9).size(), 1u);
  EXPECT_NEAR(overlaps(1e-3)[0].depth, 1e-3, 1e-15);
}

TEST(ContactReport, OverlapsNameEveryPairOnceTheDeepestFirst) {
  const Scenario s = parse(
      "objects:\n  - {name: box, shape: {box: [0.2, 0.2, 0.2]}, mass: 1, pose: {xyz: [0, 0, 0.099]}}\n"
      "  - {name: ball, shape: {sphere: 0.1}, mass: 1, pose: {xyz: [0, 1, 0.08]}}\n" +
      kTable);
  const ContactReport report = report_contacts(s, std::nullopt);
  ASSERT_EQ(report.overlaps.size(), 2u);
  EXPECT_EQ(describe_overlap(s.model, report.overlaps[0]), "'ball' and 'table' overlap by 0.02 m at the start");
  EXPECT_EQ(describe_overlap(s.model, report.overlaps[1]), "'box' and 'table' overlap by 0.001 m at the start");
}

TEST(ContactReport, RulesOfTheScenarioHold) {
  const std::string objects =
      "objects:\n  - {name: a, shape: {sphere: 0.1}, mass: 1}\n  - {name: b, shape: {sphere: 0.1}, mass: 1}\n";
  EXPECT_EQ(report_contacts(parse(objects), std::nullopt).overlaps.size(), 1u);
  const Scenario excluded = parse(objects + "contacts: {exclude: [[a, b]]}\n");
  EXPECT_TRUE(report_contacts(excluded, std::nullopt).overlaps.empty());
  EXPECT_EQ(report_contacts(excluded, std::nullopt).pair_count, 0);
}

TEST(ContactReport, ASceneWithoutShapesHasNoContacts) {
  const Scenario s = parse("objects: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n");
  const ContactReport report = report_contacts(s, std::nullopt);
  EXPECT_TRUE(report.entries.empty());
  EXPECT_NE(contact_report_text(s.model, report).find("0 contact points"), std::string::npos);
}

}  // namespace
}  // namespace thenar::contact_report_test
