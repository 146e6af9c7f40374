// SPDX-License-Identifier: BSD-3-Clause
//
// The energy of a state in closed form.

#include "thenar/motion/state_energy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/builders.h"

namespace thenar::state_energy_test {
namespace {

constexpr double kG = 9.81;
/// Sums of a few numbers of size 10.
constexpr double kRounding = 1e-13;

TEST(StateEnergy, OfAPendulumIsThatOfARodAboutItsEnd) {
  const Scenario s = test::pendulum(0.7);
  State state = s.initial;
  state.v(0) = 3;
  // I = m l²/3 with m = 1 kg and l = 0.5 m; the centre is l/2 below the hinge.
  EXPECT_NEAR(calc_energy(s.model, state), 0.5 * 0.25 / 3 * 9 - kG * 0.25 * std::cos(0.7), kRounding);
}

TEST(StateEnergy, OfAFreeBoxIsTranslationTurnAndHeight) {
  const Scenario s = test::free_box();
  State state = s.initial;
  state.q.head<3>() << 4, 5, 0.3;
  state.v << 0, 0, 2, 1, -2, 3;
  const double Izz = 2 * (0.3 * 0.3 + 0.2 * 0.2) / 12;
  EXPECT_NEAR(calc_energy(s.model, state), 0.5 * Izz * 4 + 0.5 * 2 * 14 + 2 * kG * 0.3, kRounding);
}

TEST(StateEnergy, HasSpringsOnlyIfTheyHaveAPotential) {
  for (const double skew : {0.0, 1.0}) {
    ModelBuilder builder;
    builder.set_gravity(Vector3<double>::Zero());
    JointSpec joint{.name = "hook", .kind = JointKind::universal};
    MatrixX<double> K(2, 2);
    K << 4, 1 + skew, 1 - skew, 6;
    joint.spring = JointSpring{K, VectorX<double>::Zero(2)};
    builder.add_body({.name = "hook", .mass = test::box_mass(1, {0.1, 0.1, 0.1})}, kWorld, joint);
    const Model model = std::move(builder).finalize();
    State state{0, VectorX<double>::Zero(2), VectorX<double>::Zero(2)};
    EXPECT_NEAR(calc_energy(model, state), 0, kRounding);
    state.q << 0.5, -0.2;
    const double stored = 0.5 * (4 * 0.25 - 2 * 0.1 + 6 * 0.04);
    EXPECT_NEAR(calc_energy(model, state), skew == 0 ? stored : 0, kRounding);
  }
}

/// By Galilei, the energy seen from a body that moves along is less by p · u − m u²/2.
TEST(StateEnergy, ChangesWithTheObserverAsGalileiSays) {
  Scenario s = test::mixed_tree();
  const double before = calc_energy(s.model, s.initial);
  State moved = s.initial;
  const Vector3<double> u(2, 0, 0);
  const double mass = s.model.total_mass();
  moved.v.segment<3>(3) += u;
  const double plus = calc_energy(s.model, moved);
  moved.v.segment<3>(3) -= 2 * u;
  const double minus = calc_energy(s.model, moved);
  EXPECT_NEAR(plus + minus - 2 * before, mass * u.squaredNorm(), 1e2 * kRounding);  // energies of size 100
}

}  // namespace
}  // namespace thenar::state_energy_test
