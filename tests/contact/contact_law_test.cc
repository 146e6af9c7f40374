// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "random_shapes.h"
#include "thenar/contact/contact_rules.h"

namespace thenar::contact_law_test {
namespace {

using test::make_joint;
using test::unit_mass;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ContactLaw, StaticFrictionIsTheKineticOneUnlessSaid) {
  EXPECT_EQ(ContactLaw().friction, kDefaultFriction);
  EXPECT_EQ(ContactLaw().static_friction, kDefaultFriction);
  EXPECT_EQ((ContactLaw{.friction = 0.8}).static_friction, 0.8);
  EXPECT_EQ((ContactLaw{.friction = 0.8, .static_friction = 0.9}).static_friction, 0.9);
  EXPECT_EQ((ContactLaw{.fingertip = Fingertip::frictionless}).static_friction, 0);
}

TEST(ContactLaw, GoodLawsHaveNoFault) {
  using enum Fingertip;
  for (const ContactLaw& law : {ContactLaw(), ContactLaw{.fingertip = frictionless}, ContactLaw{.friction = 0},
                                ContactLaw{.fingertip = soft, .torsion = 1e-3}, ContactLaw{.restitution = 1},
                                ContactLaw{.mode = DeclaredMode::roll}, ContactLaw{.mode = DeclaredMode::slide},
                                ContactLaw{.mode = DeclaredMode::slide, .slip = {std::cos(2.0), std::sin(2.0)}}}) {
    EXPECT_EQ(law.find_fault().value_or(""), "");
  }
}

TEST(ContactLaw, FaultsAreNamedWithTheirValues) {
  using enum Fingertip;
  const auto fault = [](const ContactLaw& law) { return law.find_fault().value_or(""); };
  EXPECT_EQ(fault({.friction = -1}), "friction must be finite and not negative, found -1");
  EXPECT_EQ(fault({.friction = kInfinity}), "friction must be finite and not negative, found inf");
  EXPECT_EQ(fault({.friction = 0.6, .static_friction = 0.5}),
            "static friction must be finite and not less than the kinetic 0.6, found 0.5");
  EXPECT_NE(fault({.static_friction = kInfinity}), "");
  EXPECT_NE(fault({.static_friction = kNan}), "");
  EXPECT_EQ(fault({.fingertip = frictionless, .friction = 0, .static_friction = 0.1}),
            "a frictionless fingertip has no friction, found 0.1");
  EXPECT_EQ(fault({.fingertip = soft}), "the torsion of a soft fingertip must be finite and greater than 0, found 0");
  EXPECT_NE(fault({.fingertip = soft, .torsion = kInfinity}), "");
  EXPECT_EQ(fault({.torsion = 0.01}), "only a soft fingertip has torsion, found 0.01");
  EXPECT_EQ(fault({.restitution = 1.5}), "restitution must be between 0 and 1, found 1.5");
  EXPECT_NE(fault({.restitution = kNan}), "");
  EXPECT_EQ(fault({.slip = {1, 0}}), "only a contact that is declared to slide has a direction of slip");
  EXPECT_EQ(fault({.mode = DeclaredMode::slide, .slip = {1, 1}}),
            "the direction of slip must be a unit vector or zero, found (1, 1)");
  EXPECT_NE(fault({.mode = DeclaredMode::slide, .slip = {kNan, 0}}), "");
}

TEST(FrictionCone, IsCalledAsInFiles) {
  using Kind = FrictionCone::Kind;
  EXPECT_EQ(to_string(FrictionCone()), "circular");
  EXPECT_EQ(to_string(FrictionCone{Kind::box}), "box");
  EXPECT_EQ(to_string(FrictionCone{Kind::polygon, 8}), "8");
}

TEST(FrictionCone, HasFacesIfItIsAPolygon) {
  using Kind = FrictionCone::Kind;
  EXPECT_FALSE(FrictionCone().find_fault());
  EXPECT_FALSE((FrictionCone{Kind::polygon, 3}).find_fault());
  EXPECT_FALSE((FrictionCone{Kind::polygon, 64}).find_fault());
  EXPECT_EQ((FrictionCone{Kind::polygon, 2}).find_fault(), "a polygonal cone has 3 to 64 faces, found 2");
  EXPECT_EQ((FrictionCone{Kind::polygon, 65}).find_fault(), "a polygonal cone has 3 to 64 faces, found 65");
  EXPECT_EQ((FrictionCone{Kind::box, 4}).find_fault(), "only a polygonal cone has faces, found 4");
}

/// `count` bodies on the world.
Model make_bodies(int count) {
  ModelBuilder builder;
  for (int i = 0; i < count; ++i) {
    const std::string name = "body" + std::to_string(i);
    builder.add_body({name, unit_mass()}, kWorld, make_joint(name, JointKind::free));
  }
  return std::move(builder).finalize();
}

TEST(LawTable, PairsWithoutARuleHaveTheCommonLaw) {
  const ContactRules rules{.law = {.friction = 0.1}, .pairs = {{{BodyIndex(1)}, {BodyIndex(2)}, {.friction = 0.2}}}};
  const LawTable table(make_bodies(3), rules);
  EXPECT_EQ(table.find_law(BodyIndex(1), BodyIndex(3)), rules.law);
  EXPECT_EQ(table.find_law(kWorld, BodyIndex(1)), rules.law);
  EXPECT_EQ(table.find_law(BodyIndex(1), BodyIndex(1)), rules.law);
  EXPECT_EQ(table.find_law(BodyIndex(1), BodyIndex(2)).friction, 0.2);
}

TEST(LawTable, OrderOfTheBodiesDoesNotMatter) {
  const ContactRules rules{.pairs = {{{BodyIndex(1)}, {BodyIndex(2)}, {.friction = 0.2}}}};
  const LawTable table(make_bodies(2), rules);
  EXPECT_EQ(table.find_law(BodyIndex(2), BodyIndex(1)).friction, 0.2);
}

TEST(LawTable, ALaterRuleWinsWhateverTheOrderOfItsBodies) {
  const BodyIndex a(1), b(2), c(3);
  const LawTable table(make_bodies(3), {.pairs = {{{a, b, c}, {a, b, c}, {.friction = 0.1}},
                                                  {{b}, {a, c}, {.friction = 0.2}},
                                                  {{a}, {b}, {.friction = 0.3}}}});
  EXPECT_EQ(table.find_law(a, b).friction, 0.3);
  EXPECT_EQ(table.find_law(b, a).friction, 0.3);
  EXPECT_EQ(table.find_law(b, c).friction, 0.2);
  EXPECT_EQ(table.find_law(a, c).friction, 0.1);
}

TEST(LawTable, AgreesWithASearchThroughAllRules) {
  constexpr int kBodies = 12;
  std::mt19937 random(7);
  const auto pick = [&random](double chance) {
    std::vector<BodyIndex> out;
    for (int i = 0; i <= kBodies; ++i) {
      if (std::bernoulli_distribution(chance)(random)) out.push_back(BodyIndex(i));
    }
    return out;
  };
  const auto has = [](const std::vector<BodyIndex>& bodies, BodyIndex body) {
    return std::find(bodies.begin(), bodies.end(), body) != bodies.end();
  };
  const Model model = make_bodies(kBodies);
  for (int trial = 0; trial < 50; ++trial) {
    ContactRules rules;
    for (int k = 0; k < 10; ++k) rules.pairs.push_back({pick(0.3), pick(0.2), {.friction = 1.0 + k}});
    const LawTable table(model, rules);
    for (int i = 0; i <= kBodies; ++i) {
      for (int j = 0; j <= kBodies; ++j) {
        const BodyIndex x(i), y(j);
        ContactLaw expected = rules.law;
        for (const PairRule& rule : rules.pairs) {
          if ((has(rule.a, x) && has(rule.b, y)) || (has(rule.a, y) && has(rule.b, x))) expected = rule.law;
        }
        ASSERT_EQ(table.find_law(x, y), expected) << trial << ": " << i << ", " << j;
      }
    }
  }
}

TEST(LawTable, RefusesRulesWithAFault) {
  const auto refusal = [model = make_bodies(1)](const ContactRules& rules) -> std::string {
    try {
      LawTable(model, rules);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.law = {.restitution = 2}}), "the law of all pairs: restitution must be between 0 and 1, found 2");
  EXPECT_EQ(refusal({.pairs = {{}, {.law = {.torsion = 1}}}}),
            "the law of pair rule 1: only a soft fingertip has torsion, found 1");
  EXPECT_EQ(refusal({.cone = {FrictionCone::Kind::polygon, 1}}), "a polygonal cone has 3 to 64 faces, found 1");
}

}  // namespace
}  // namespace thenar::contact_law_test
