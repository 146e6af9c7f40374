// SPDX-License-Identifier: BSD-3-Clause
//
// The number that a snapshot and its scenario share: the same of equal scenarios, another one if any entry differs.

#include "thenar/simulation/scenario_fingerprint_internal.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "../support/builders.h"

namespace thenar::scenario_fingerprint_test {
namespace {

using internal::calc_fingerprint;

/// The numbers that a model is built from, to be changed one by one.
struct Numbers {
  double mass = 1, place = 0.1, outer_place = 0, damping = 0.2, friction = 0.3, effort = 5, armature = 1e-3;
  double stiffness = 4, rest = 0.1, bound = 0.5, restitution = 0.6;
  const char* tendon = "0.5*x";
  bool is_upper = true, locked = false;
  double gravity = 9.81;
};

Scenario make_scenario(const Numbers& n = {}) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, -n.gravity});
  BodyIndex parent = kWorld;
  for (const char* name : {"a", "b", "c"}) {
    JointSpec joint{.name = name, .kind = JointKind::revolute};
    joint.X_PF = Pose<double>::translation({n.place, 0, 0});
    joint.X_BM = Pose<double>::translation({0, n.outer_place, 0});
    joint.damping = VectorX<double>::Constant(1, n.damping);
    joint.friction = VectorX<double>::Constant(1, n.friction);
    joint.effort = VectorX<double>::Constant(1, n.effort);
    joint.armature = VectorX<double>::Constant(1, n.armature);
    joint.spring = JointSpring{MatrixX<double>::Constant(1, 1, n.stiffness), VectorX<double>::Constant(1, n.rest)};
    joint.locked = n.locked && std::string(name) == "a";
    parent = builder.add_body({.name = name, .mass = test::box_mass(n.mass, {0.1, 0.1, 0.1})}, parent, joint);
  }
  builder.add_stop({.dof = 1,
                    .side = n.is_upper ? StopSide::upper : StopSide::lower,
                    .bound = {Expression(n.bound), {}},
                    .restitution = n.restitution});
  const std::vector<std::string> x{"x"};
  builder.add_coupling({.name = "tendon", .dof = 2, .value = {Expression::parse(n.tendon, x), {0}}});
  Scenario s = test::at_rest(std::move(builder).finalize());
  s.torques.push_back({0, Expression(2)});
  WrenchProfile wrench;
  wrench.body = BodyIndex(1);
  s.wrenches.push_back(wrench);
  for (int i = 1; i <= 3; ++i) s.shapes.push_back({BodyIndex(i), Sphere{0.1}, {}});
  s.contacts = ContactRules{};
  s.contacts->pairs.push_back({.a = {BodyIndex(1)}, .b = {BodyIndex(3)}});
  return s;
}

Scenario with(void (*change)(Numbers&)) {
  Numbers n;
  change(n);
  return make_scenario(n);
}
Scenario with(void (*change)(Scenario&)) {
  Scenario s = make_scenario();
  change(s);
  return s;
}

TEST(Fingerprint, OfEqualScenariosIsEqual) {
  EXPECT_EQ(calc_fingerprint(make_scenario()), calc_fingerprint(make_scenario()));
  Scenario renamed = make_scenario();
  renamed.name = "another name";
  EXPECT_EQ(calc_fingerprint(renamed), calc_fingerprint(make_scenario())) << "a name moves nothing";
}

TEST(Fingerprint, DiffersWithEveryNumberOfTheModel) {
  std::map<std::uint64_t, std::string> seen{{calc_fingerprint(make_scenario()), "nothing"}};
  const auto look = [&](const char* name, void (*change)(Numbers&)) {
    const auto [place, is_new] = seen.emplace(calc_fingerprint(with(change)), name);
    EXPECT_TRUE(is_new) << name << " is as " << place->second;
  };
  look("mass", [](Numbers& n) { n.mass = 2; });
  look("place of joints", [](Numbers& n) { n.place = 0.2; });
  look("place of bodies", [](Numbers& n) { n.outer_place = 0.2; });
  look("damping", [](Numbers& n) { n.damping = 0.3; });
  look("friction", [](Numbers& n) { n.friction = 0.4; });
  look("effort", [](Numbers& n) { n.effort = 6; });
  look("armature", [](Numbers& n) { n.armature = 2e-3; });
  look("stiffness", [](Numbers& n) { n.stiffness = 5; });
  look("rest of springs", [](Numbers& n) { n.rest = 0.2; });
  look("stop", [](Numbers& n) { n.bound = 0.6; });
  look("side of the stop", [](Numbers& n) { n.is_upper = false; });
  look("restitution of the stop", [](Numbers& n) { n.restitution = 0.7; });
  look("coupling", [](Numbers& n) { n.tendon = "0.6*x"; });
  look("lock", [](Numbers& n) { n.locked = true; });
  look("gravity", [](Numbers& n) { n.gravity = 1.62; });
}

TEST(Fingerprint, DiffersWithEveryEntryOfTheScenario) {
  std::map<std::uint64_t, std::string> seen{{calc_fingerprint(make_scenario()), "nothing"}};
  const auto look = [&](const char* name, void (*change)(Scenario&)) {
    const auto [place, is_new] = seen.emplace(calc_fingerprint(with(change)), name);
    EXPECT_TRUE(is_new) << name << " is as " << place->second;
  };
  look("position", [](Scenario& s) { s.initial.q(1) = 0.1; });
  look("velocity", [](Scenario& s) { s.initial.v(1) = 0.1; });
  look("torque", [](Scenario& s) { s.torques[0].value = Expression(3); });
  look("joint of the torque", [](Scenario& s) { s.torques[0].dof = 1; });
  look("force", [](Scenario& s) { s.wrenches[0].force[1] = Expression(1); });
  look("torque of a wrench", [](Scenario& s) { s.wrenches[0].torque[1] = Expression(1); });
  look("point of a wrench", [](Scenario& s) { s.wrenches[0].point_B.x() = 0.1; });
  look("axes of a wrench", [](Scenario& s) { s.wrenches[0].in_world_axes = false; });
  look("size of a shape", [](Scenario& s) { s.shapes[0].shape = Sphere{0.2}; });
  look("place of a shape", [](Scenario& s) { s.shapes[0].X_BS.p.x() = 0.1; });
  look("no contacts", [](Scenario& s) { s.contacts.reset(); });
  look("friction", [](Scenario& s) { s.contacts->law.friction = 0.7; });
  look("static friction", [](Scenario& s) { s.contacts->law.static_friction = 0.7; });
  look("restitution", [](Scenario& s) { s.contacts->law.restitution = 0.5; });
  look("declared mode", [](Scenario& s) { s.contacts->law.mode = DeclaredMode::slide; });
  look("declared slip", [](Scenario& s) { s.contacts->law.slip = {1, 0}; });
  look("layer", [](Scenario& s) { s.contacts->law.layer.constants.stiffness = 1e4; });
  look("mass of the layer", [](Scenario& s) { s.contacts->law.layer.mass = 1; });
  look("time of the layer", [](Scenario& s) { s.contacts->law.layer.time = 1; });
  look("loaded layer", [](Scenario& s) { s.contacts->law.starts_loaded = true; });
  look("cone", [](Scenario& s) { s.contacts->cone = {FrictionCone::Kind::polygon, 4}; });
  look("named pairs only", [](Scenario& s) { s.contacts->all_pairs = false; });
  look("law of a pair", [](Scenario& s) { s.contacts->pairs[0].law.friction = 0.1; });
  look("bodies of a pair", [](Scenario& s) { s.contacts->pairs[0].b = {BodyIndex(2)}; });
  look("excluded pair", [](Scenario& s) { s.contacts->excluded = {{{BodyIndex(1)}, {BodyIndex(3)}}}; });
  look("margin", [](Scenario& s) { s.contacts->margin = 0.1; });
  look("law of impacts", [](Scenario& s) { s.impact.law = ImpactLaw::newton; });
  look("treatment of impacts", [](Scenario& s) { s.impact.treatment = ImpactTreatment::sequential; });
  look("tolerance", [](Scenario& s) { s.run.tolerance = 1e-9; });
  look("end", [](Scenario& s) { s.run.until = 2; });
  look("integrator", [](Scenario& s) { s.run.integrator = IntegratorKind::rk4; });
  look("answers", [](Scenario& s) { s.run.on_indeterminate = OnIndeterminate::first; });
}

TEST(HashBytes, SeesEveryByteAndGoesOnFromAnotherHash) {
  const std::string text = "nineteen characters";
  const std::uint64_t whole = internal::hash_bytes(text.data(), text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] ^= 1;
    EXPECT_NE(internal::hash_bytes(other.data(), other.size()), whole) << i;
    EXPECT_NE(internal::hash_bytes(text.data(), i), whole) << i;
  }
  EXPECT_EQ(internal::hash_bytes(nullptr, 0), internal::kHashStart);
  EXPECT_EQ(internal::hash_bytes(text.data() + 8, text.size() - 8, internal::hash_bytes(text.data(), 8)), whole);
}

}  // namespace
}  // namespace thenar::scenario_fingerprint_test
