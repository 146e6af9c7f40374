// SPDX-License-Identifier: BSD-3-Clause
//
// Carv 5.2: an inverted double pendulum that strikes the ground again and again (scenes/carv/double_pendulum.yaml). The
// motion between impacts is integrated, the instant at which the end meets the ground found on the dense output.

#include <gtest/gtest.h>

#include <cmath>

#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/contact_impact.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/motion/state_energy.h"
#include "thenar/motion/stepper.h"

namespace thenar::carv_impact_test {
namespace {

constexpr double kTolerance = 1e-12;

class StrikingPendulum {
 public:
  explicit StrikingPendulum(double e)
      : scenario_(read_scenario(std::string(THENAR_SOURCE_DIR) + "/scenes/carv/double_pendulum.yaml",
                                std::vector<std::string>{"parameters.e=" + std::to_string(e), "run.tolerance=1e-12"})),
        motion_(scenario_),
        tolerances_(scenario_.model, find_scales(scenario_.model, scenario_.initial), kTolerance),
        stepper_(motion_, scenario_.run, tolerances_) {
    stepper_.start(scenario_.initial);
  }

  const Scenario& scenario() const { return scenario_; }

  /// Integrates to the next instant at which an end of the upper link comes down to the ground.
  State find_touch() {
    for (;;) {
      EXPECT_TRUE(stepper_.step(1e3));
      double before = 0, after = 1;
      bool crosses = false;
      for (int k = 1; k <= 32 && !crosses; ++k) {  // a bounce may begin and end within one step
        after = k / 32.0;
        crosses = height(stepper_.interpolate(after).q) < 0;
        if (!crosses) before = after;
      }
      if (!crosses) {
        stepper_.accept(1);
        continue;
      }
      while (after - before > 1e-16) {
        const double middle = 0.5 * (before + after);
        if (middle == before || middle == after) break;
        (height(stepper_.interpolate(middle).q) < 0 ? after : before) = middle;
      }
      stepper_.accept(before);
      return stepper_.state();
    }
  }

  void go_on(const State& state) { stepper_.start(state); }

  /// Of the lower end of the upper link.
  static double height(const VectorX<double>& q) {
    return std::min(std::sin(q(0)), std::sin(q(0)) + std::sin(q(0) + q(1)));
  }

  double calc_energy(const State& state) const {
    Workspace<double> ws(scenario_.model);
    update_positions(scenario_.model, state.q.data(), ws);
    update_velocities(scenario_.model, state.v.data(), ws);
    return calc_kinetic_energy(scenario_.model, ws, state.v.data()) + calc_gravity_energy(scenario_.model, ws);
  }

 private:
  Scenario scenario_;
  ConstrainedMotion motion_;
  Tolerances tolerances_;
  Stepper stepper_;
};

/// Follows `count` impacts; returns the largest error of the rebound ratio.
double follow_impacts(StrikingPendulum& pendulum, int count, double e, std::vector<double>& energies) {
  double worst = 0;
  energies.push_back(pendulum.calc_energy(pendulum.scenario().initial));
  for (int i = 0; i < count; ++i) {
    State state = pendulum.find_touch();
    const ImpactInstant instant = assemble_impact(pendulum.scenario(), state);
    EXPECT_EQ(instant.contacts.size(), 1U);
    const ImpactAnswer answer = solve_impact(instant.problem);
    EXPECT_EQ(answer.status, ImpactStatus::done);
    state.v = instant.calc_velocity(answer.z);
    const double before = instant.contacts[0].velocity(0), after = instant.contacts[0].J.row(0).dot(state.v);
    worst = std::max(worst, std::abs(after / before + e));
    energies.push_back(pendulum.calc_energy(state));
    pendulum.go_on(state);
  }
  return worst;
}

TEST(CarvalhosDoublePendulum, ReboundsElasticallyAndKeepsItsEnergy) {
  StrikingPendulum pendulum(1);
  std::vector<double> energies;
  // Theirs: 1.3e-5 on average.
  EXPECT_LT(follow_impacts(pendulum, 20, 1, energies), 1e-12);
  // Errors of single steps add up, and grow in a motion this sensitive; here over 20 impacts.
  for (const double energy : energies) EXPECT_NEAR(energy, energies[0], 1e3 * kTolerance * std::abs(energies[0]));
}

TEST(CarvalhosDoublePendulum, LosesEnergyAtEveryImpactWithHalfTheRestitution) {
  StrikingPendulum pendulum(0.5);
  std::vector<double> energies;
  EXPECT_LT(follow_impacts(pendulum, 10, 0.5, energies), 1e-12);
  for (std::size_t i = 1; i < energies.size(); ++i) EXPECT_LT(energies[i], energies[i - 1]) << i;
}

}  // namespace
}  // namespace thenar::carv_impact_test
