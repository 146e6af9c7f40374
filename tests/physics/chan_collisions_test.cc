// SPDX-License-Identifier: BSD-3-Clause
//
// Examples 5 to 8 of Chan (1998, section 6.5), scenes/chan/05 to 08: what the source tells of its velocities, and that
// every jump of them is the work of impulses at the fingertips that touch.

#include <algorithm>

#include "chan_examples.h"
#include "jump_balance.h"
#include "thenar/instant/impact_comparison.h"

namespace thenar::chan_collisions_test {
namespace {

using namespace test;

constexpr double kMu = 0.6;
/// N s: hops lower than 1e-4 of the tolerance (2e-13 m here, at 2e-6 m/s) are not followed (docs/motion.md): contacts
/// that would part so slowly are held, by what that takes of 0.1 kg.
constexpr double kHop = 2e-7;

/// Of the three joints of a finger in a velocity or a jump of it.
Eigen::Vector3d finger(const Scenario& s, const std::string& name, const VectorX<double>& v) {
  Eigen::Vector3d out;
  for (int i = 0; i < 3; ++i) out(i) = v(velocity_of(s, "hand." + name + "_" + std::to_string(i + 1)));
  return out;
}
Eigen::Vector3d spin(const Scenario& s, const VectorX<double>& v) { return v.segment<3>(velocity_of(s, "cube")); }
Eigen::Vector3d drift(const Scenario& s, const VectorX<double>& v) { return v.segment<3>(velocity_of(s, "cube") + 3); }

/// Impulses at the fingertips that touch, and nothing else, make the jump: they push, friction bounds them, and energy
/// is not gained.
void expect_explained(const Scenario& s, const Jump& jump, double mu) {
  const ExplainedJump explained = explain(s, *jump.before, jump.dv());
  EXPECT_LT(explained.residual, 1e-10) << jump.t();
  for (const ContactImpulse& impulse : explained.impulses) {
    EXPECT_GE(impulse.normal, -kHop) << impulse.contact << " at " << jump.t();
    EXPECT_LE(impulse.tangential, mu * impulse.normal + kHop) << impulse.contact << " at " << jump.t();
  }
  EXPECT_LE(jump.after->energy.kinetic, jump.before->energy.kinetic * (1 + 1e-12));
  EXPECT_GE(jump.after->energy.dissipated, jump.before->energy.dissipated);
}

class ChanCollision : public ::testing::Test {
 protected:
  void run(const std::string& name, const std::vector<std::string>& overrides = {}) {
    scenario = read_example(name, overrides);
    trace = run_example(scenario);
    jumps = list_jumps(trace);
  }

  /// The index finger strikes the cube, and nothing else is struck.
  void expect_strikes(int count) {
    ASSERT_EQ(static_cast<int>(jumps.size()), count);
    for (const Event& event : trace.events) {
      EXPECT_NE(event.kind, EventKind::zeno);
      if (event.kind == EventKind::impact) {
        EXPECT_EQ(event.where(), "cube/hand.index_3");
      }
    }
    EXPECT_NEAR(jumps[0].t(), 0.12, 0.005);
    if (count > 1) {
      EXPECT_NEAR(jumps[1].t(), 0.175, 0.01);
    }
  }

  Scenario scenario;
  Trace trace;
  std::vector<Jump> jumps;
};

const char* const kCubes[] = {"05_collision_light", "06_collision_medium", "07_collision_heavy"};
constexpr double kMasses[] = {0.01, 0.1, 0.5};  // kg

TEST_F(ChanCollision, StrikesOnceAndTheHeavyCubeTwice) {
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(kCubes[i]);
    run(kCubes[i]);
    expect_strikes(i == 2 ? 2 : 1);
  }
}

TEST_F(ChanCollision, VelocitiesOfFingerAndCubeJump) {
  for (const char* name : kCubes) {
    SCOPED_TRACE(name);
    run(name);
    for (const Jump& jump : jumps) {
      expect_explained(scenario, jump, kMu);
      const VectorX<double> dv = jump.dv();
      EXPECT_GT(finger(scenario, "index", dv).tail<2>().cwiseAbs().minCoeff(), 0.1);  // rad/s
      EXPECT_GT(spin(scenario, dv).norm(), 0.1);
      EXPECT_LT(drift(scenario, dv).x(), -0.01);  // m/s, away from the fingers
      for (const char* other : {"thumb", "middle", "ring", "pinkie"}) {
        EXPECT_LT(finger(scenario, other, dv).norm(), 1e-15) << other;
      }
    }
  }
}

TEST_F(ChanCollision, HeavierCubesAreSlowerAndThrowTheFingerBackMore) {
  double speed = 1e3, back = -1e3;
  for (const char* name : kCubes) {
    SCOPED_TRACE(name);
    run(name);
    const VectorX<double>& v = jumps.at(0).after->state.v;
    EXPECT_LT(drift(scenario, v).head<2>().norm(), speed);
    speed = drift(scenario, v).head<2>().norm();
    const double now = finger(scenario, "index", jumps[0].before->state.v)(1) - finger(scenario, "index", v)(1);
    EXPECT_GT(now, back);
    back = now;
  }
  EXPECT_GT(finger(scenario, "index", jumps[0].before->state.v)(2), 0);
  EXPECT_LT(finger(scenario, "index", jumps[0].after->state.v)(2), 0);  // thrown back by the heavy one
}

TEST_F(ChanCollision, TenPercentMoreOrLessChangeNoneOfIt) {
  for (int i = 0; i < 3; ++i) {
    for (const std::string& change : list_changes(kMu, kMasses[i])) {
      SCOPED_TRACE(std::string(kCubes[i]) + ", " + change);
      run(kCubes[i], {change});
      expect_strikes(i == 2 ? 2 : 1);
    }
  }
}

TEST_F(ChanCollision, FingerThatLeansOnItsStopsElsewhereHasNoPartInIt) {
  run("07_collision_heavy");
  const VectorX<double> dv = jumps.at(0).dv();
  run("07_collision_heavy", {"hands.hand.q.thumb_1=-20 deg", "hands.hand.q.thumb_2=-20 deg"});
  EXPECT_LT((jumps.at(0).dv() - dv).norm(), 1e-10);
}

TEST_F(ChanCollision, GivesTheSameBitsAgain) {
  for (const char* name : kCubes) expect_same_bits(read_example(name));
}

/// Two knocks of the index finger at a cube that thumb, ring and pinkie hold.
class ChanMixed : public ChanCollision {
 protected:
  /// The jumps at which the index finger strikes.
  std::vector<const Jump*> list_knocks() const {
    std::vector<const Jump*> out;
    for (const Event& event : trace.events) {
      if (event.kind != EventKind::impact || event.where() != "cube/hand.index_3") continue;
      for (const Jump& jump : jumps) {
        if (jump.t() == event.t) out.push_back(&jump);
      }
    }
    return out;
  }

  void expect_described() {
    const std::vector<const Jump*> knocks = list_knocks();
    ASSERT_EQ(knocks.size(), 2U);
    EXPECT_NEAR(knocks[0]->t(), 0.16, 0.01);
    EXPECT_NEAR(knocks[1]->t(), 0.3, 0.01);
    for (const Jump& jump : jumps) EXPECT_LT(jump.t(), knocks[1]->t() + 0.1);
    for (const Sample& sample : trace.samples) {
      EXPECT_LT(finger(scenario, "middle", sample.state.v).norm(), 1e-12) << sample.state.t;
      for (const Contact& contact : sample.contacts) {
        if (contact.name == "cube/hand.middle_3") {
          EXPECT_GT(contact.gap, 0.01) << sample.state.t;  // m
        }
      }
    }
    // Each knock is felt by all fingers that hold: by the thumb behind the cube at once, by ring and pinkie, which
    // the cube leaves, when they have come after it.
    for (const Jump* knock : knocks) {
      EXPECT_GT(finger(scenario, "thumb", knock->dv()).norm(), 1) << knock->t();  // rad/s
      for (const char* name : {"ring", "pinkie"}) {
        double felt = 0;
        for (const Jump& jump : jumps) {
          if (jump.t() >= knock->t() && jump.t() < knock->t() + 0.03) {
            felt = std::max(felt, finger(scenario, name, jump.dv()).norm());
          }
        }
        EXPECT_GT(felt, 0.1) << name << " after " << knock->t();
      }
    }
    // In the end the cube is held as at the start.
    const Sample& end = trace.samples.back();
    int holding = 0;
    for (const Contact& contact : end.contacts) holding += contact.mode != ContactMode::open;
    EXPECT_EQ(holding, 3);
    const int cube = position_of(scenario, "cube");
    EXPECT_LT((end.state.q - trace.report.first.q).segment<3>(cube).norm(), 2e-3);  // m
    EXPECT_LT(2 * end.state.q.segment<3>(cube + 4).norm(), 0.04);                   // rad
    EXPECT_LT(end.state.v.segment<6>(velocity_of(scenario, "cube")).norm(), 0.02);  // creeps at kp/kd, rad/s, m/s
  }
};

TEST_F(ChanMixed, IndexKnocksTwiceAndTheMiddleFingerRests) {
  run("08_mixed");
  expect_described();
}

TEST_F(ChanMixed, EveryJumpIsTheWorkOfImpulsesAtFingertips) {
  run("08_mixed");
  ASSERT_GE(jumps.size(), 6U);
  for (const Jump& jump : jumps) expect_explained(scenario, jump, kMu);
}

TEST_F(ChanMixed, TenPercentMoreOrLessChangeNoneOfIt) {
  for (const std::string& change : list_changes(kMu, 0.1)) {
    SCOPED_TRACE(change);
    run("08_mixed", {change});
    expect_described();
  }
}

TEST_F(ChanMixed, PropagationOfVelocitiesTakesMomentumFromNowhere) {
  run("08_mixed");
  for (const Jump* knock : list_knocks()) {
    const State& state = knock->before->state;
    const ImpactInstant instant = assemble_impact(scenario, state);
    const ImpactComparison comparison = compare_impact_laws(scenario, state, instant, scenario.impact);
    const auto find = [&](ImpactMethod method) -> const ImpactOutcome& {
      return *std::find_if(comparison.outcomes.begin(), comparison.outcomes.end(), [&](const ImpactOutcome& outcome) {
        return outcome.method == method && outcome.law == ImpactLaw::poisson;
      });
    };
    // The run takes the answer that balances, over all contacts at once.
    EXPECT_LT((find(ImpactMethod::simultaneous).v - knock->after->state.v).norm(), 1e-9);
    // Chan 5.3.3 lets the fingers that hold follow the cube for nothing, and the energy is many times that of before.
    const ImpactOutcome& propagated = find(ImpactMethod::propagation);
    EXPECT_GT(propagated.momentum_defect, 1);
    EXPECT_GT(propagated.energy_after, 2 * comparison.energy_before);
    for (const char* name : {"thumb", "ring", "pinkie"}) {
      EXPECT_GT(finger(scenario, name, propagated.v).norm(), 1) << name;
    }
    EXPECT_LT(finger(scenario, "middle", propagated.v).norm(), 1e-12);
    EXPECT_GT(explain(scenario, *knock->before, propagated.v - instant.v).residual, 0.01);
  }
}

TEST_F(ChanMixed, GivesTheSameBitsAgain) { expect_same_bits(read_example("08_mixed")); }

}  // namespace
}  // namespace thenar::chan_collisions_test
