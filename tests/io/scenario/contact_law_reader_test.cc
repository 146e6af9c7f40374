// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "../scenario_texts.h"
#include "thenar/contact/pair_filter.h"

// What the reader refuses, with the messages, is in bad/contacts_*.yaml.

namespace thenar::contact_law_reader_test {
namespace {

/// A ball and a cube over a table and beside a wall, with parameters; `contacts` is in flow style.
ContactRules read(const std::string& contacts) {
  return *test::parse(
              "parameters: {mu: 0.4, depth: 4 mm, faces: 6}\n"
              "objects:\n"
              "  - {name: ball, shape: {sphere: 1 cm}, mass: 1}\n"
              "  - {name: cube, shape: {box: [1, 1, 1]}, mass: 1}\n"
              "  - {name: table, joint: fixed, shape: {plane: {}}}\n"
              "  - {name: wall, joint: fixed, shape: {plane: {}}}\n"
              "contacts: " +
              contacts + "\n")
              .contacts;
}

/// The law of an entry for ball and table, under `common` keys of `contacts`, each with a comma after it.
ContactLaw read_entry(const std::string& entry, const std::string& common = "") {
  const ContactRules rules = read("{" + common + "pairs: [{a: ball, b: table, " + entry + "}]}");
  EXPECT_EQ(rules.find_fault().value_or(""), "");
  return rules.pairs.at(0).law;
}

TEST(ContactLawReader, DefaultsAreThoseOfTheDocument) {
  for (const char* text : {"{}", "{pairs: auto}", "{pairs: [[ball, table]]}"}) {
    const ContactRules rules = read(text);
    EXPECT_EQ(rules.law, ContactLaw());
    EXPECT_EQ(rules.cone, FrictionCone());
    for (const PairRule& rule : rules.pairs) EXPECT_EQ(rule.law, ContactLaw());
  }
  EXPECT_EQ(ContactLaw().fingertip, Fingertip::frictional_point);
  EXPECT_EQ(ContactLaw().friction, 0.5);
  EXPECT_EQ(ContactLaw().restitution, 0);
  EXPECT_EQ(ContactLaw().mode, DeclaredMode::automatic);
}

TEST(ContactLawReader, EveryKeyIsRead) {
  const ContactRules rules =
      read("{friction: {static: 0.7, kinetic: 0.6}, fingertip: soft, torsion: 5 mm, restitution: 0.3, cone: box}");
  EXPECT_EQ(rules.law, (ContactLaw{.fingertip = Fingertip::soft,
                                   .friction = 0.6,
                                   .static_friction = 0.7,
                                   .torsion = 0.005,
                                   .restitution = 0.3}));
  EXPECT_EQ(rules.cone, (FrictionCone{FrictionCone::Kind::box}));
  EXPECT_EQ(rules.find_fault().value_or(""), "");
}

TEST(ContactLawReader, OneCoefficientIsBothFrictions) {
  EXPECT_EQ(read("{friction: 0.6}").law, (ContactLaw{.friction = 0.6, .static_friction = 0.6}));
  EXPECT_EQ(read("{friction: 0}").law, (ContactLaw{.friction = 0, .static_friction = 0}));
  EXPECT_EQ(read("{friction: {static: 0.6, kinetic: 0.6}}").law, read("{friction: 0.6}").law);
}

TEST(ContactLawReader, NumbersMayBeParametersAndExpressions) {
  const ContactRules rules = read(
      "{friction: {static: 2*$mu, kinetic: $mu}, fingertip: soft, torsion: $depth, restitution: $mu/2, cone: 2*$faces, "
      "pairs: [{a: ball, b: table, slip: [$mu - 1, 0.8]}]}");
  EXPECT_EQ(rules.law, (ContactLaw{.fingertip = Fingertip::soft,
                                   .friction = 0.4,
                                   .static_friction = 0.8,
                                   .torsion = 0.004,
                                   .restitution = 0.2}));
  EXPECT_EQ(to_string(rules.cone), "12");
  EXPECT_NEAR(rules.pairs.at(0).law.slip[0], -0.6, 2e-16);
}

TEST(ContactLawReader, ConeIsAWordOrANumberOfFaces) {
  EXPECT_EQ(to_string(read("{cone: circular}").cone), "circular");
  EXPECT_EQ(to_string(read("{cone: box}").cone), "box");
  EXPECT_EQ(to_string(read("{cone: 3}").cone), "3");
  EXPECT_EQ(to_string(read("{cone: 64}").cone), "64");
  EXPECT_EQ(to_string(read("{cone: 'max(4, 5)'}").cone), "5");
}

TEST(ContactLawReader, FrictionlessFingertipsNeedNoCoefficient) {
  const ContactLaw frictionless{.fingertip = Fingertip::frictionless, .friction = 0, .static_friction = 0};
  EXPECT_EQ(read("{fingertip: frictionless}").law, frictionless);
  EXPECT_EQ(read("{fingertip: frictionless, friction: 0}").law, frictionless);
  EXPECT_EQ(read("{fingertip: frictionless, friction: {static: 0, kinetic: 0}}").law, frictionless);
}

TEST(ContactLawReader, EntriesInheritWhatTheyDoNotSay) {
  const std::string common =
      "friction: {static: 0.7, kinetic: 0.6}, fingertip: soft, torsion: 5 mm, restitution: 0.3, ";
  ContactLaw expected = read("{" + common + "}").law;
  EXPECT_EQ(read_entry("", common), expected);
  expected.restitution = 0.1;
  EXPECT_EQ(read_entry("restitution: 0.1", common), expected);
  expected.torsion = 0.001;
  EXPECT_EQ(read_entry("restitution: 0.1, torsion: 1 mm", common), expected);
  expected.friction = expected.static_friction = 0.2;  // a coefficient replaces both of the common ones
  EXPECT_EQ(read_entry("restitution: 0.1, torsion: 1 mm, friction: 0.2", common), expected);
}

TEST(ContactLawReader, AnEntryOfAnotherFingertipDropsWhatItHasNoUseFor) {
  const std::string common = "friction: 0.6, fingertip: soft, torsion: 5 mm, ";
  EXPECT_EQ(read_entry("fingertip: frictional_point", common), (ContactLaw{.friction = 0.6, .static_friction = 0.6}));
  EXPECT_EQ(read_entry("fingertip: frictionless", common), (ContactLaw{.fingertip = Fingertip::frictionless}));
  EXPECT_EQ(read_entry("fingertip: soft, torsion: 2 mm", "friction: 0.6, "),
            (ContactLaw{.fingertip = Fingertip::soft, .friction = 0.6, .torsion = 0.002}));
}

TEST(ContactLawReader, AFrictionalEntryAmongFrictionlessOnesHasTheDefaultCoefficient) {
  const std::string common = "fingertip: frictionless, ";
  EXPECT_EQ(read_entry("fingertip: frictional_point", common), ContactLaw());
  EXPECT_EQ(read_entry("fingertip: frictional_point, friction: 0.3", common).friction, 0.3);
}

TEST(ContactLawReader, EntriesDeclareHowContactsStart) {
  EXPECT_EQ(read_entry("mode: roll"), (ContactLaw{.mode = DeclaredMode::roll}));
  EXPECT_EQ(read_entry("mode: slide"), (ContactLaw{.mode = DeclaredMode::slide}));
  EXPECT_EQ(read_entry("mode: slide, slip: +"), (ContactLaw{.mode = DeclaredMode::slide, .slip = {1, 0}}));
  EXPECT_EQ(read_entry("slip: '-'"), (ContactLaw{.mode = DeclaredMode::slide, .slip = {-1, 0}}));
  EXPECT_EQ(read_entry("slip: [0, -5]"), (ContactLaw{.mode = DeclaredMode::slide, .slip = {0, -1}}));
}

TEST(ContactLawReader, SlipIsNormalisedWhateverItsLength) {
  for (const char* text : {"[3, 4]", "[3e-320, 4e-320]", "[1.2e308, 1.6e308]", "[3e-200, 4e-200]"}) {
    const ContactLaw law = read_entry(std::string("slip: ") + text);
    // Each component is a quotient of numbers within a rounding or two; 3e-320 itself has but four digits.
    const double tolerance = std::string(text).find("e-320") == std::string::npos ? 4e-16 : 1e-4;
    EXPECT_NEAR(law.slip[0], 0.6, tolerance) << text;
    EXPECT_NEAR(law.slip[1], 0.8, tolerance) << text;
  }
}

TEST(ContactLawReader, AListMayAddExceptionsToAuto) {
  const Scenario s = test::parse(
      "objects:\n"
      "  - {name: ball, shape: {sphere: 1 cm}, mass: 1}\n"
      "  - {name: cube, shape: {box: [1, 1, 1]}, mass: 1}\n"
      "  - {name: table, joint: fixed, shape: {plane: {}}}\n"
      "contacts: {friction: 0.6, pairs: [auto, {a: ball, b: \"*\", friction: 0.2}, {a: table, b: ball, "
      "restitution: 1}]}\n");
  const ContactRules& rules = *s.contacts;
  const BodyIndex ball = *s.model.find_body("ball"), cube = *s.model.find_body("cube"),
                  table = *s.model.find_body("table");
  EXPECT_TRUE(rules.all_pairs);
  EXPECT_EQ(find_touching_pairs(s.model, s.shapes, rules).filter.count_pairs(), 3);
  const LawTable laws(s.model, rules);
  EXPECT_EQ(laws.find_law(cube, table), (ContactLaw{.friction = 0.6}));
  EXPECT_EQ(laws.find_law(cube, ball), (ContactLaw{.friction = 0.2}));
  EXPECT_EQ(laws.find_law(ball, table), (ContactLaw{.friction = 0.6, .restitution = 1}));
  EXPECT_TRUE(read("{pairs: [auto]}").all_pairs);
}

TEST(ContactLawReader, RestitutionMayBeAFunctionOfTheApproachSpeed) {
  const Restitution e = read("{restitution: 0.8/(1 + v)}").law.restitution;
  EXPECT_FALSE(e.is_constant());
  EXPECT_DOUBLE_EQ(e.at(0), 0.8);
  EXPECT_DOUBLE_EQ(e.at(3), 0.2);
  EXPECT_TRUE(read("{restitution: 0.8}").law.restitution.is_constant());
  // What the file promises at some speeds it need not keep at others.
  EXPECT_EQ(read("{restitution: 0.5 + step(v - 1000)}").law.restitution.at(2000), 1);
}

ImpactOptions read_impact(const std::string& text) {
  return test::parse(
             "objects: [{name: ball, shape: {sphere: 1 cm}, mass: 1}]\n"
             "contacts: {impact: " +
             text + "}\n")
      .impact;
}

TEST(ContactLawReader, ImpactsHaveALawATreatmentAndAWordAboutEnergy) {
  EXPECT_EQ(ImpactOptions().law, ImpactLaw::poisson);
  EXPECT_EQ(read_impact("stronge").law, ImpactLaw::stronge);
  const ImpactOptions all = read_impact("{law: newton, several: sequential, energy: cap}");
  EXPECT_EQ(all.law, ImpactLaw::newton);
  EXPECT_EQ(all.treatment, ImpactTreatment::sequential);
  EXPECT_TRUE(all.cap_energy);
  EXPECT_FALSE(read_impact("{energy: report}").cap_energy);
}

TEST(ContactLawReader, LayersAreReadByScaleInUnitsAndByHertz) {
  const ContactRules rules = read(
      "{law: compliant, layer: {scale: 1e-3, mass: 1.69, time: 1 s}, pairs: [auto,\n"
      "  {a: ball, b: table, layer: {stiffness: 20 kN/m, damping: 15 N s/m, shear_stiffness: 5e3}},\n"
      "  {a: cube, b: table, law: rigid},\n"
      "  {a: cube, b: ball, layer: {type: hunt_crossley, stiffness: 1e7, dissipation: 0.3 s/m, shear_stiffness: 1e4,\n"
      "   shear_damping: 10}}]}");
  EXPECT_EQ(rules.find_fault().value_or(""), "");
  EXPECT_EQ(rules.law.model, ContactModel::compliant);
  EXPECT_EQ(rules.law.layer.kind, LayerChoice::Kind::scaled);
  EXPECT_EQ(rules.law.layer.scale, 1e-3);
  EXPECT_EQ(rules.law.layer.mass, 1.69);
  EXPECT_EQ(rules.law.layer.time, 1);
  const ContactLaw& springs = rules.pairs.at(0).law;
  EXPECT_EQ(springs.model, ContactModel::compliant);
  EXPECT_EQ(springs.layer.kind, LayerChoice::Kind::kelvin_voigt);
  EXPECT_EQ(springs.layer.constants, (LayerConstants{2e4, 15, 5e3, 15}));
  EXPECT_EQ(rules.pairs.at(1).law.model, ContactModel::rigid);
  EXPECT_EQ(rules.pairs.at(1).law.layer, rules.law.layer);
  const LayerChoice& hertz = rules.pairs.at(2).law.layer;
  EXPECT_EQ(hertz.kind, LayerChoice::Kind::hunt_crossley);
  EXPECT_EQ(hertz.constants, (LayerConstants{1e7, 0, 1e4, 10}));
  EXPECT_EQ(hertz.exponent, 1.5);
  EXPECT_EQ(hertz.dissipation, 0.3);
  EXPECT_EQ(read("{}").law.model, ContactModel::automatic);
  EXPECT_EQ(read("{}").law.layer, LayerChoice());
}

TEST(ContactLawReader, StrikeIsAContactByItself) {
  const Scenario s = parse_scenario(
      "thenar: 1\nobjects: [{name: a, mass: 1, inertia: [1, 1, 1]}, {name: b, mass: 1, inertia: [1, 1, 1]}]\n"
      "contacts: {friction: 0.7, restitution: 0.2}\n"
      "strike: {a: a, b: b, point: [1 cm, 0, 0], normal: [0, 3, 4], restitution: 0.9}\n",
      "strike.yaml");
  ASSERT_TRUE(s.strike);
  EXPECT_EQ(s.strike->body_B, *s.model.find_body("b"));
  EXPECT_DOUBLE_EQ(s.strike->point.x, 0.01);
  EXPECT_DOUBLE_EQ(s.strike->normal.y, 0.6);
  EXPECT_EQ(s.strike->law.friction, 0.7);  // of `contacts`
  EXPECT_EQ(s.strike->law.restitution, 0.9);
}

}  // namespace
}  // namespace thenar::contact_law_reader_test
