// SPDX-License-Identifier: BSD-3-Clause
//
// Runs with compliant contacts against closed forms: bounces, oscillations of what sticks, forces of grasps that rigid
// bodies leave open; and what springs and friction must never do: creep, drag back, or make energy.

#include <numbers>

#include "energy_books.h"
#include "motion_scenes.h"
#include "thenar/contact/compliant_layer.h"
#include "thenar/motion/state_energy.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::compliant_test {
namespace {

using namespace test;

constexpr double kSmall = 1e-9;  ///< tolerance of the runs

/// A body that can move along z and x but not turn, with a ball of radius 5 cm above a floor.
std::string make_ball(double mass, double height, double vz, double vx, const std::string& contacts,
                      const std::string& gravity, double until) {
  return fmt::format(
      "thenar: 1\ngravity: {}\nhands:\n  - name: cart\n    bodies:\n"
      "      - {{name: slide, joint: {{name: z, type: prismatic, axis: [0, 0, 1]}}, mass: 1e-3 kg, inertia: [1e-9, "
      "1e-9, "
      "1e-9]}}\n"
      "      - {{name: ball, parent: slide, joint: {{name: x, type: prismatic, axis: [1, 0, 0]}}, mass: {:.17g}, "
      "shape: {{sphere: 5 cm}}}}\n"
      "    q: {{z: {:.17g}}}\n    v: {{z: {:.17g}, x: {:.17g}}}\n"
      "objects: [{{name: floor, joint: fixed, shape: {{plane: {{}}}}}}]\n"
      "contacts: {{law: compliant, {}}}\nrun: {{until: {:.17g}, sample: {:.17g}, tolerance: {}}}\n",
      gravity, mass - 1e-3, 0.05 + height, vz, vx, contacts, until, until / 200, kSmall);
}

Trace run(const std::string& text) {
  Trace trace = record(parse_scenario(text, "test.yaml"));
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  expect_energy_never_grows(trace, find_energy_error(trace, kSmall, 1));
  return trace;
}

// --- Bounces ---------------------------------------------------------------------------------------------------------

TEST(CompliantContact, BouncesOnKelvinVoigtAsTheClosedFormSays) {
  // Without gravity: d(t) = v/w exp(-z w0 t) sin(w t) until K d + C d' = 0, at tan(w t) = 2 z sqrt(1 - z^2)/(2 z^2 -
  // 1); it leaves with exp(-z w0 t) of its speed.
  constexpr double kMass = 0.4, kSpeed = 0.7, kStiffness = 3e4;
  for (const double zeta : {0.02, 0.1, 0.4, 0.8}) {
    SCOPED_TRACE(zeta);
    const double w0 = std::sqrt(kStiffness / kMass), w = w0 * std::sqrt(1 - zeta * zeta);
    const double t_c = std::atan2(2 * zeta * std::sqrt(1 - zeta * zeta), 2 * zeta * zeta - 1) / w;
    const double e = std::exp(-zeta * w0 * t_c);
    const std::string layer = fmt::format("layer: {{stiffness: {:.17g}, damping: {:.17g}}}, friction: 0", kStiffness,
                                          2 * zeta * std::sqrt(kStiffness * kMass));
    const Trace trace = run(make_ball(kMass, 0.007, -kSpeed, 0, layer, "[0, 0, 0]", 0.05));
    const auto touch = list_times(trace, EventKind::touch), leave = list_times(trace, EventKind::break_away);
    ASSERT_EQ(touch.size(), 1u);
    ASSERT_EQ(leave.size(), 1u);
    EXPECT_NEAR(touch[0], 0.01, 1e-9);
    EXPECT_NEAR(leave[0] - touch[0], t_c, 1e-5 * t_c);
    EXPECT_NEAR(trace.report.last.v(0), e * kSpeed, 1e-6 * kSpeed);
    EXPECT_EQ(trace.report.last.inner.size(), 0);
    EXPECT_NEAR(trace.report.energy.dissipated, 0.5 * kMass * kSpeed * kSpeed * (1 - e * e), 1e-6);
  }
}

TEST(CompliantContact, BouncesOnHuntCrossleyAsItsRelationSays) {
  // m v dv = -K d^n (1 + a v) dd: v/a - ln(1 + a v)/a^2 is K d^(n+1)/((n+1) m) on both ways.
  constexpr double kMass = 0.4, kSpeed = 0.8, kStiffness = 2e6, kExponent = 1.5;
  for (const double a : {0.1, 0.4, 1.0}) {
    SCOPED_TRACE(a);
    const auto way = [&](double v) { return v / a - std::log1p(a * v) / (a * a); };
    const std::string layer = fmt::format(
        "friction: 0, layer: {{type: hunt_crossley, stiffness: {:.17g}, exponent: {}, dissipation: {:.17g}, "
        "shear_stiffness: 0, shear_damping: 1}}",
        kStiffness, kExponent, a);
    const Trace trace = run(make_ball(kMass, 0.008, -kSpeed, 0, layer, "[0, 0, 0]", 0.04));
    const double leaves = trace.report.last.v(0);
    EXPECT_GT(leaves, 0.2 * kSpeed);
    EXPECT_LT(leaves, kSpeed);
    EXPECT_NEAR(way(-leaves), way(kSpeed), 1e-6 * way(kSpeed));
    EXPECT_EQ(list_times(trace, EventKind::touch).size(), 1u);
    EXPECT_EQ(list_times(trace, EventKind::break_away).size(), 1u);
  }
}

TEST(CompliantContact, ComesToRestOnItsLayer) {
  // Under gravity it hops a few times, then rests at m g/K.
  const Trace trace =
      run(make_ball(0.5, 0.02, 0, 0, "friction: 0, layer: {stiffness: 2e4, damping: 20}", "[0, 0, -9.81]", 3));
  EXPECT_GE(list_times(trace, EventKind::touch).size(), 3u);
  EXPECT_LT(list_times(trace, EventKind::touch).size(), 40u);
  EXPECT_NEAR(trace.report.last.q(0), 0.05 - 0.5 * kGravity / 2e4, 1e-8);
  EXPECT_NEAR(trace.samples.back().contacts[0].force_on_A.normal, 0.5 * kGravity, 1e-4);
}

TEST(CompliantContact, AStiffLayerCostsTheImplicitMethodNoMore) {
  // What rests on layers a hundred and ten thousand times as stiff: steps do not follow 1/sqrt(K).
  long long steps[2];
  for (int i = 0; i < 2; ++i) {
    const double stiffness = i == 0 ? 1e6 : 1e10;
    const Trace trace = run(make_ball(
        0.5, 0, 0, 0, fmt::format("layer: {{stiffness: {}, damping: {}}}", stiffness, 2 * std::sqrt(0.5 * stiffness)),
        "[0.5, 0, -9.81]", 2));
    // Stability alone would ask the explicit method for a step every 6 sqrt(m/K), 2 s long.
    EXPECT_GT(trace.report.implicit_steps, 0);
    EXPECT_LT(static_cast<double>(trace.report.steps), 2 / (6 * std::sqrt(0.5 / stiffness)) / 3);
    EXPECT_NEAR(trace.samples.back().contacts[0].force_on_A.normal, 0.5 * kGravity, 1e-3);
    steps[i] = trace.report.steps;
  }
  EXPECT_LT(steps[1], 3 * steps[0]);
}

// --- Along the surface -----------------------------------------------------------------------------------------------

TEST(CompliantContact, WhatSticksSwingsWithTheFrequencyOfItsLayer) {
  // m x'' + c x' + k x = 0 from x' = v.
  constexpr double kMass = 0.5, kShear = 4000, kDamping = 6, kSpeed = 0.01;
  const std::string layer =
      fmt::format("friction: 0.8, layer: {{stiffness: 1e5, damping: 400, shear_stiffness: {}, shear_damping: {}}}",
                  kShear, kDamping);
  const double depth = kMass * kGravity / 1e5;
  const Trace trace = run(make_ball(kMass, -depth, 0, kSpeed, layer, "[0, 0, -9.81]", 0.3));
  constexpr double kMoves = kMass - 1e-3;  // the slide does not
  const double decay = kDamping / (2 * kMoves), w = std::sqrt(kShear / kMoves - decay * decay);
  for (const Sample& sample : trace.samples) {
    const double t = sample.state.t;
    EXPECT_NEAR(sample.state.q(1), kSpeed / w * std::exp(-decay * t) * std::sin(w * t), 1e-8) << t;
    ASSERT_EQ(sample.state.inner.size(), 1);  // nothing moves along y
    EXPECT_NEAR(sample.state.inner(0), sample.state.q(1), 1e-8);
  }
  EXPECT_EQ(count_events(trace, EventKind::slip), 0);
}

TEST(CompliantContact, SlipEndsWhereCoulombSaysInTheStiffLimit) {
  // v^2/(2 mu g), and then it rests: what the layer adds is of the order of mu m g/k.
  constexpr double kMass = 0.5, kSpeed = 0.8, kMu = 0.3;
  for (const double stiffness : {1e5, 1e6}) {
    const double damping = 2 * std::sqrt(kMass * stiffness), depth = kMass * kGravity / stiffness;
    const std::string layer =
        fmt::format("friction: {}, layer: {{stiffness: {}, damping: {:.17g}}}", kMu, stiffness, damping);
    const Trace trace = run(make_ball(kMass, -depth, 0, kSpeed, layer, "[0, 0, -9.81]", 1));
    const double way = kSpeed * kSpeed * (kMass - 1e-3) / (2 * kMu * kMass * kGravity);
    EXPECT_NEAR(trace.report.last.q(1), way, 4 * kMu * depth) << stiffness;
    EXPECT_EQ(count_events(trace, EventKind::slip), 0);  // it slips from the start
    EXPECT_GE(count_events(trace, EventKind::stick), 1);
  }
}

TEST(CompliantContact, ASoftFingertipResistsSpinLikeASpring) {
  // About N stiffness and damping are (mu_tau/mu)^2 of those along the surface.
  constexpr double kMu = 0.5, kTorsion = 0.004, kShear = 5000, kDamping = 5, kMass = 0.3, kSpin = 0.02;
  const double depth = kMass * kGravity / 1e5, inertia = 0.4 * kMass * 0.05 * 0.05;
  const std::string text = fmt::format(
      "thenar: 1\nobjects:\n"
      "  - {{name: ball, shape: {{sphere: 5 cm}}, mass: {}, pose: {{xyz: [0, 0, {:.17g}]}}, velocity: {{angular: [0, "
      "0, {}]}}}}\n"
      "  - {{name: floor, joint: fixed, shape: {{plane: {{}}}}}}\n"
      "contacts: {{law: compliant, fingertip: soft, friction: {}, torsion: {}, layer: {{stiffness: 1e5, damping: 300, "
      "shear_stiffness: {}, shear_damping: {}}}}}\nrun: {{until: 0.5, sample: 5 ms, tolerance: {}}}\n",
      kMass, 0.05 - depth, kSpin, kMu, kTorsion, kShear, kDamping, kSmall);
  const Trace trace = run(text);
  const double share = kTorsion * kTorsion / (kMu * kMu), decay = share * kDamping / (2 * inertia);
  const double w = std::sqrt(share * kShear / inertia - decay * decay);
  for (const Sample& sample : trace.samples) {
    const double t = sample.state.t;
    const double expected = kSpin * std::exp(-decay * t) * (std::cos(w * t) - decay / w * std::sin(w * t));
    EXPECT_NEAR(sample.state.v(2), expected, 1e-6 * kSpin) << t;
  }
}

constexpr double kPushMu = 0.5, kCubeMass = 0.3;

/// A cube of 4 cm on a table, and a probe on a rail that pushes it with 12 N and is drawn back; `probe` is the law of
/// the probe.
std::string make_push(const std::string& law, const std::string& probe = "friction: 0") {
  return fmt::format(
      "thenar: 1\nhands:\n  - name: probe\n    bodies:\n"
      "      - {{name: tip, joint: {{name: x, type: prismatic, axis: [1, 0, 0], frame: {{xyz: [0, 0, 1.2 cm]}}, "
      "damping: 30}}, mass: 0.2 "
      "kg, shape: {{sphere: 1 cm}}}}\n    q: {{x: -3 cm}}\n"
      "objects:\n  - {{name: cube, shape: {{box: [4 cm, 4 cm, 4 cm]}}, mass: 0.3 kg, pose: {{xyz: [0, 0, 2 cm]}}}}\n"
      "  - {{name: table, joint: fixed, shape: {{plane: {{}}}}}}\n"
      "contacts: {{friction: 0.5, {}, pairs: [auto, {{a: probe.tip, b: cube, {}}}], exclude: [[\"probe.*\", "
      "table]]}}\n"
      "control: [{{torque: {{probe.x: \"t < 0.25 ? 12 : -6\"}}}}]\n"
      "run: {{until: 1.5, sample: 10 ms, tolerance: 1e-8}}\n",
      law, probe);
}

/// `stiffness` of all layers (N/m), `shear` of that along the surface of the probe.
std::string make_push_with_friction(double stiffness, double shear) {
  const auto layer = [&](double along) {
    return fmt::format(
        "layer: {{stiffness: {:.17g}, damping: {:.17g}, shear_stiffness: {:.17g}, shear_damping: {:.17g}}}", stiffness,
        std::sqrt(0.1 * stiffness), along * stiffness, std::sqrt(0.1 * along * stiffness));
  };
  return make_push("law: compliant, " + layer(0.5), fmt::format("friction: {}, {}", kPushMu, layer(shear)));
}

TEST(CompliantContact, PushAndReleaseLeavesTheCubeWhereItWasPushed) {
  const Trace rigid = record(parse_scenario(make_push("law: rigid"), "test.yaml"));
  ASSERT_EQ(rigid.report.status, RunStatus::done) << rigid.report.reason;
  const Trace soft =
      run(make_push("law: compliant, layer: {stiffness: 2e5, damping: 150, shear_stiffness: 1e5, shear_damping: 100}"));
  const auto x_of = [](const Sample& sample) { return sample.state.q(1); };
  const double end = x_of(soft.samples.back());
  EXPECT_GT(end, 0.06);
  // Both end where they were pushed to, and the layers differ by what they are pressed and sheared.
  EXPECT_NEAR(end, x_of(rigid.samples.back()), 0.01 * end);
  // From the moment it has come to rest, it stays.
  for (const Sample& sample : soft.samples) {
    if (sample.state.t < 1) continue;
    EXPECT_NEAR(x_of(sample), end, 1e-7) << sample.state.t;
  }
}

TEST(CompliantContact, APushedCubeGoesAsFarAsLayersShareItsWeight) {
  // With friction at the probe this carries a part F of the weight, and the table brakes with mu (m g - F) only: any
  // |F| <= mu N would do, and rigid bodies do not tell. Layers do, by the ratio of their stiffnesses, however stiff.
  const auto end_of = [](const Trace& trace) { return trace.samples.back().state.q(1); };
  const auto probe_of = [](const Trace& trace) {
    for (const Sample& sample : trace.samples) {
      if (sample.state.t < 0.2) continue;
      for (const Contact& contact : sample.contacts) {
        if (contact.name == "cube/probe.tip") return contact.force_on_A;
      }
    }
    return ContactForce{};
  };
  const std::string none = "law: compliant, layer: {stiffness: 2e6, damping: 450}";
  const double smooth = end_of(run(make_push(none)));
  double before = smooth;
  for (const double shear : {1e-3, 0.05, 0.5, 5.0}) {
    SCOPED_TRACE(shear);
    const Trace trace = run(make_push_with_friction(2e6, shear));
    const ContactForce force = probe_of(trace);
    // Long since as fast as it gets.
    EXPECT_NEAR(force.normal, kPushMu * (kCubeMass * kGravity - force.along_U), 1e-4);
    EXPECT_LE(std::abs(force.along_U), kPushMu * force.normal * (1 + 1e-9));
    EXPECT_GT(end_of(trace), before);
    before = end_of(trace);
    if (shear == 1e-3) {
      EXPECT_NEAR(end_of(trace), smooth, 1e-5);
    } else if (shear == 0.5) {
      EXPECT_NEAR(end_of(run(make_push_with_friction(2e7, shear))), end_of(trace), 1e-5);
    } else if (shear == 5) {  // more than friction has
      EXPECT_NEAR(force.normal, kPushMu * kCubeMass * kGravity / (1 + kPushMu * kPushMu), 1e-4);
    }
  }
  EXPECT_GT(before - smooth, 0.003);
}

TEST(CompliantContact, ABoxHeldByTwoFingersDoesNotCreep) {
  const std::string text =
      "thenar: 1\nhands:\n"
      "  - {name: left, bodies: [{name: tip, joint: {name: x, type: prismatic, axis: [1, 0, 0], frame: {xyz: [-4 cm, "
      "0, 0]}, damping: 5}, "
      "mass: 0.1 kg, shape: {sphere: 1 cm}}]}\n"
      "  - {name: right, bodies: [{name: tip, joint: {name: x, type: prismatic, axis: [-1, 0, 0], frame: {xyz: [4 cm, "
      "0, 0]}, "
      "damping: 5}, mass: 0.1 kg, shape: {sphere: 1 cm}}]}\n"
      "objects:\n  - {name: box, shape: {box: [6 cm, 6 cm, 6 cm]}, mass: 0.2 kg}\n"
      "contacts: {law: compliant, friction: 0.6, fingertip: soft, torsion: 5 mm, "
      "layer: {stiffness: 5e4, damping: 60}}\n"
      "control: [{torque: {left.x: 5, right.x: 5}}]\n"
      "run: {until: 6, sample: 0.1, tolerance: 1e-9}\n";
  const Trace trace = run(text);
  const int z = 2 + 2;  // after both fingers
  const double sag = 0.2 * kGravity / (2 * 5e4);
  for (const Sample& sample : trace.samples) {
    if (sample.state.t < 1.5) continue;
    EXPECT_NEAR(sample.state.q(z), -sag, 2e-8) << sample.state.t;
    EXPECT_LT(std::abs(sample.state.v(7)), 1e-8);
  }
  EXPECT_EQ(count_events(trace, EventKind::slip), 0);
}

TEST(CompliantContact, AGraspThatBeginsLoadedIsInEquilibrium) {
  // The same box, and one on a table: with the rigid forces, friction included, nothing moves from the first instant
  // on.
  const std::string fingers =
      "thenar: 1\nhands:\n"
      "  - {name: left, bodies: [{name: tip, joint: {name: x, type: prismatic, axis: [1, 0, 0], frame: {xyz: [-4 cm, "
      "0, "
      "0]}}, mass: 0.1 kg, shape: {sphere: 1 cm}}]}\n"
      "  - {name: right, bodies: [{name: tip, joint: {name: x, type: prismatic, axis: [-1, 0, 0], frame: {xyz: [4 cm, "
      "0, "
      "0]}}, mass: 0.1 kg, shape: {sphere: 1 cm}}]}\n"
      "objects:\n  - {name: box, shape: {box: [6 cm, 6 cm, 6 cm]}, mass: 0.2 kg}\n";
  const std::string table =
      "thenar: 1\nobjects:\n  - {name: box, shape: {box: [6 cm, 6 cm, 6 cm]}, mass: 0.2 kg, pose: {xyz: [0, 0, 3 "
      "cm]}}\n"
      "  - {name: table, joint: fixed, shape: {plane: {}}}\n";
  const std::string contacts =
      "contacts: {law: compliant, start: loaded, friction: 0.6, fingertip: soft, torsion: 5 mm, layer: {stiffness: "
      "5e4, "
      "damping: 60}}\n";
  const std::string end = "run: {until: 1, sample: 0.05, tolerance: 1e-9}\n";
  for (const bool is_held : {true, false}) {
    const Trace trace = run(is_held ? fingers + contacts + "control: [{torque: {left.x: 5, right.x: 5}}]\n" + end
                                    : table + contacts + end);
    const VectorX<double>& q = trace.samples.front().state.q;
    for (const Sample& sample : trace.samples) {
      // Forces are told to 1e-10 of the weight or so, for which a layer gives way by 1e-14 m; steps may be off by their
      // tolerance of the box's size.
      EXPECT_LT((sample.state.q - q).cwiseAbs().maxCoeff(), 1e-9 * 0.06) << sample.state.t;
      double carried = 0;
      for (const Contact& contact : sample.contacts) {
        carried +=
            is_held ? std::hypot(contact.force_on_A.along_T, contact.force_on_A.along_U) : contact.force_on_A.normal;
      }
      EXPECT_NEAR(carried, 0.2 * kGravity, 1e-6);
    }
    EXPECT_TRUE(trace.events.empty());
    EXPECT_GT(trace.samples.front().energy.layers, 0);
  }
}

TEST(CompliantContact, WhatOverlapsIsPressedByThatThoughOthersBeginLoaded) {
  const Trace trace =
      run("thenar: 1\nobjects:\n"
          "  - {name: deep, shape: {sphere: 3 cm}, mass: 0.2 kg, pose: {xyz: [0, 0, 2.999 cm]}}\n"
          "  - {name: just, shape: {sphere: 3 cm}, mass: 0.2 kg, pose: {xyz: [20 cm, 0, 3 cm]}}\n"
          "  - {name: table, joint: fixed, shape: {plane: {}}}\n"
          "contacts: {law: compliant, start: loaded, layer: {stiffness: 5e4, damping: 60}}\n"
          "run: {until: 0.1, sample: 0.01, tolerance: 1e-9}\n");
  for (const Contact& contact : trace.samples.front().contacts) {
    const bool is_deep = contact.name.starts_with("deep/");
    if (is_deep || contact.name.starts_with("just/")) {
      EXPECT_NEAR(contact.force_on_A.normal, is_deep ? 5e4 * 1e-5 : 0.2 * kGravity, 1e-9) << contact.name;
    }
  }
  EXPECT_GE(trace.samples.front().contacts.size(), 2u);
}

/// A law of one's own: K (d + d²/D), without a damper.
class Hardening final : public LayerLaw {
 public:
  static constexpr double kStiffness = 2e4, kDepth = 1e-3;

  std::string_view kind() const override { return "hardening"; }
  std::unique_ptr<LayerLaw> clone() const override { return std::make_unique<Hardening>(*this); }
  LayerForce calc_normal(double d, double) const override {
    return {kStiffness * d * (1 + d / kDepth), kStiffness * (1 + 2 * d / kDepth), 0};
  }
  double calc_depth(double force, double) const override {
    return 0.5 * kDepth * (std::sqrt(1 + 4 * force / (kStiffness * kDepth)) - 1);
  }
  double calc_energy(double d) const override { return d > 0 ? kStiffness * d * d * (0.5 + d / (3 * kDepth)) : 0; }
  double shear_stiffness() const override { return 0; }
  double shear_damping() const override { return 1; }
};

TEST(CompliantContact, UsersMayAddALaw) {
  // Without a damper it leaves as fast as it came, after the depth that takes all of its energy.
  Scenario scenario = parse_scenario(make_ball(0.4, 0.005, -0.5, 0, "friction: 0", "[0, 0, 0]", 0.04), "test.yaml");
  scenario.contacts->law.layer = {.kind = LayerChoice::Kind::custom, .custom = std::make_shared<Hardening>()};
  scenario.run.sample = 1e-5;
  const Trace trace = record(scenario);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_NEAR(trace.report.last.v(0), 0.5, 1e-7);
  double deepest = 0;
  for (const Sample& sample : trace.samples) deepest = std::max(deepest, 0.05 - sample.state.q(0));
  // Rows 1e-5 s apart miss the deepest by a g dt²/8.
  EXPECT_NEAR(Hardening().calc_energy(deepest), 0.5 * 0.4 * 0.25, 1e-6);
}

TEST(CompliantContact, GoesTogetherWithRigidContacts) {
  // A ball drops on a box that slides on a table: only the ball has a layer.
  const Trace trace =
      run("thenar: 1\nobjects:\n"
          "  - {name: ball, shape: {sphere: 2 cm}, mass: 0.1 kg, pose: {xyz: [0, 0.001, 12 cm]}}\n"
          "  - {name: box, shape: {box: [6 cm, 6 cm, 6 cm]}, mass: 0.3 kg, pose: {xyz: [0, 0, 3 cm]}, velocity: "
          "{linear: [0.4, 0, "
          "0]}}\n"
          "  - {name: table, joint: fixed, shape: {plane: {}}}\n"
          "contacts: {friction: 0.5, pairs: [auto, {a: ball, b: box, law: compliant, layer: {stiffness: 1e4, damping: "
          "5}}]}\n"
          "run: {until: 0.5, sample: 5 ms}\n");
  EXPECT_GE(count_events(trace, EventKind::touch), 2);
  EXPECT_EQ(count_events(trace, EventKind::impact), 0);  // a force of a layer is finite: nothing strikes the table
  for (const Sample& sample : trace.samples) EXPECT_NEAR(sample.state.q(9), 0.03, 1e-9) << sample.state.t;
}

// --- What rigid bodies leave open ------------------------------------------------------------------------------------

TEST(CompliantContact, IndeterminateForcesAreTheStiffnessWeightedLeastSquares) {
  // A plank on four balls in a row: min sum f^2/k over all f with the right sum and moment. No row of supports is rigid
  // enough to be told by statics.
  constexpr double kMass = 2;
  constexpr double kPlaces[] = {-0.3, -0.1, 0.15, 0.35};
  constexpr double kStiffness[] = {2e6, 5e6, 1e6, 8e6};
  std::string objects =
      "  - {name: plank, joint: planar, shape: {box: [1, 0.04, 0.1]}, mass: 2 kg, pose: {xyz: [0.03, 0.02, 0]}}\n";
  std::string pairs;
  for (int i = 0; i < 4; ++i) {
    objects += fmt::format("  - {{name: b{}, joint: fixed, shape: {{sphere: 2 cm}}, pose: {{xyz: [{}, -0.02, 0]}}}}\n",
                           i, kPlaces[i]);
    pairs += fmt::format("{}{{a: plank, b: b{}, layer: {{stiffness: {}, damping: 3000}}}}", i == 0 ? "" : ", ", i,
                         kStiffness[i]);
  }
  const Trace trace = run("thenar: 1\ngravity: [0, -9.81, 0]\nobjects:\n" + objects +
                          "contacts: {law: compliant, friction: 0, pairs: [" + pairs +
                          "]}\nrun: {until: 1, sample: 0.1, tolerance: 1e-10}\n");
  // Least squares in x = f/sqrt(k): sum f = m g, sum f (p - p_plank) = 0.
  Eigen::Matrix<double, 2, 4> balance;
  for (int i = 0; i < 4; ++i) {
    balance.col(i) << std::sqrt(kStiffness[i]), std::sqrt(kStiffness[i]) * (kPlaces[i] - 0.03);
  }
  const Eigen::Vector4d x = balance.completeOrthogonalDecomposition().solve(Eigen::Vector2d(kMass * kGravity, 0));
  ASSERT_EQ(trace.samples.back().contacts.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    // Depths of 1e-5 m turn the plank by as much: a change of the arms of the second order.
    EXPECT_NEAR(trace.samples.back().contacts[static_cast<std::size_t>(i)].force_on_A.normal,
                x(i) * std::sqrt(kStiffness[i]), 1e-4 * kMass * kGravity)
        << i;
  }
}

}  // namespace
}  // namespace thenar::compliant_test
