// SPDX-License-Identifier: BSD-3-Clause
//
// What touches at the start of a scenario, and what starts inside of each other.

#include "thenar/study/start_contacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../support/contact_scenes.h"

namespace thenar::start_contacts_test {
namespace {

/// Balls of 0.1 m in a row along x, at these places, over a floor.
Scenario make_row(const std::vector<double>& places, double height = 0.1) {
  ModelBuilder builder;
  const BodyIndex floor = builder.add_body({.name = "floor"}, kWorld, {.name = "floor", .kind = JointKind::fixed});
  std::vector<BodyShape> shapes{{floor, Plane{}, {}}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string name = "ball" + std::to_string(i);
    const BodyIndex ball = builder.add_body({.name = name, .mass = mass_properties_from_mass(Sphere{0.1}, 1)}, kWorld,
                                            {.name = name, .kind = JointKind::free});
    shapes.push_back({ball, Sphere{0.1}, {}});
  }
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.shapes = shapes;
  s.contacts = ContactRules{};
  for (std::size_t i = 0; i < places.size(); ++i) {
    s.initial.q(static_cast<Eigen::Index>(7 * i)) = places[i];
    s.initial.q(static_cast<Eigen::Index>(7 * i + 2)) = height;
  }
  return s;
}

TEST(StartContacts, ListWhatIsWithinTheMarginByItsGap) {
  const Scenario s = make_row({0, 0.22, 0.5});
  const ContactReport report = report_contacts(s, 0.05);
  EXPECT_EQ(report.margin, 0.05);
  EXPECT_EQ(report.pair_count, 6);
  EXPECT_NEAR(report.size, std::sqrt(0.7 * 0.7 + 2 * 0.04), 1e-12);
  ASSERT_EQ(report.entries.size(), 4u) << "each on the floor, and two near each other";
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(report.entries[static_cast<std::size_t>(i)].contact.gap, 0, 1e-15);
  EXPECT_NEAR(report.entries[3].contact.gap, 0.02, 1e-15);
  EXPECT_EQ(report.entries[3].shape_A, "sphere");
  EXPECT_EQ(report.entries[0].shape_B, "plane");
  EXPECT_TRUE(report.overlaps.empty());
  EXPECT_EQ(report_contacts(s, 0.081).entries.size(), 5u);
}

TEST(StartContacts, TheMarginIsAskedForThenThatOfTheScenarioThenATenth) {
  Scenario s = make_row({0, 0.5});
  s.contacts->margin = 0.4;
  EXPECT_EQ(report_contacts(s, 0.0).margin, 0);
  EXPECT_EQ(report_contacts(s, {}).margin, 0.4);
  s.contacts->margin.reset();
  EXPECT_NEAR(report_contacts(s, {}).margin, 0.1 * std::sqrt(0.49 + 0.08), 1e-12);
  s.contacts.reset();
  EXPECT_EQ(report_contacts(s, {}).pair_count, 3) << "all pairs where the scenario has no rules";
}

TEST(StartContacts, OverlapsAreDeeperThanRoundingTheDeepestFirst) {
  Scenario s = make_row({0, 0.19, 0.36}, 0.3);
  ContactReport report = report_contacts(s, {});
  ASSERT_EQ(report.overlaps.size(), 2u);
  EXPECT_NEAR(report.overlaps[0].depth, 0.03, 1e-12);
  EXPECT_NEAR(report.overlaps[1].depth, 0.01, 1e-12);
  EXPECT_EQ(report.overlaps[0].body_A, s.model.body_of("ball1"));
  EXPECT_EQ(report.overlaps[0].body_B, s.model.body_of("ball2"));
  s = make_row({0, 0.2 - 1e-10}, 0.3);
  EXPECT_TRUE(report_contacts(s, {}).overlaps.empty()) << "rounding of what was written";
  s = make_row({0, 0.19}, 0.3);
  s.contacts->law.model = ContactModel::compliant;
  report = report_contacts(s, {});
  EXPECT_TRUE(report.overlaps.empty()) << "what is compliant may begin pressed";
  EXPECT_EQ(report.entries.size(), 1u);
}

}  // namespace
}  // namespace thenar::start_contacts_test
