// SPDX-License-Identifier: BSD-3-Clause
// The symplectic method is symplectic: its step map in canonical coordinates (x, π) preserves Ω = dx ∧ dπ, which a test
// of energy alone would not show.
#include "thenar/motion/symplectic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "../support/builders.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/motion/state_energy.h"
#include "thenar/simulation/simulate.h"
#include "thenar/spatial/rotation.h"

namespace thenar::symplectic_test {
namespace {

/// Calls visit(coordinates of its quaternion, first degree of freedom) for every rotation in space.
template <class Visit>
void visit_rotations(const Model& model, const Visit& visit) {
  for (const Joint& joint : model.joints()) {
    if (joint.spec.kind == JointKind::spherical) visit(joint.q_start, joint.v_start);
    if (joint.spec.kind == JointKind::free) visit(joint.q_start + 3, joint.v_start);
  }
}

Vec3<double> three(const VectorX<double>& x, int i) { return {x(i), x(i + 1), x(i + 2)}; }

/// Canonical coordinates around a position q₀: z = (x, π) with q = q₀ ⊕ x and π = ∂L/∂ẋ = Jᵀ(x) M(q) v, where v = J(x)
/// ẋ with J the left Jacobian of rotations in space. One chart serves all starts near q₀, another all ends.
class CanonicalChart {
 public:
  CanonicalChart(const Model& model, VectorX<double> origin) : model_(&model), origin_(std::move(origin)) {}

  State to_state(const VectorX<double>& z) const {
    const int n = model_->velocity_count();
    const VectorX<double> x = z.head(n);
    State state{0, origin_, z.tail(n)};
    integrate_position(*model_, origin_.data(), x.data(), state.q.data());
    visit_rotations(*model_, [&](int, int i) {
      state.v.segment<3>(i) = left_jacobian_inverse_transpose(three(x, i), three(state.v, i)).eigen();
    });
    state.v = calc_mass_matrix(state.q).ldlt().solve(state.v);
    return state;
  }

  VectorX<double> from_state(const State& state) const {
    const int n = model_->velocity_count();
    VectorX<double> x(n), z(2 * n);
    for (int i = 0; i < n; ++i) {
      const int k = model_->dof_coordinate(i);
      if (k >= 0) x(i) = state.q(k) - origin_(k);
    }
    visit_rotations(*model_, [&](int k, int i) {
      Vector4<double> back = origin_.segment<4>(k);
      back.tail<3>() *= -1;
      x.segment<3>(i) =
          rotation_vector_from_quaternion<double>(multiply_quaternions<double>(state.q.segment<4>(k), back)).eigen();
    });
    VectorX<double> momentum = calc_mass_matrix(state.q) * state.v;
    visit_rotations(*model_, [&](int, int i) {
      momentum.segment<3>(i) = left_jacobian(-three(x, i), three(momentum, i)).eigen();  // Jᵀ(x) = J(−x)
    });
    z << x, momentum;
    return z;
  }

 private:
  MatrixX<double> calc_mass_matrix(const VectorX<double>& q) const {
    Workspace<double> workspace(*model_);
    MassMatrix<double> mass(*model_);
    update_positions(*model_, q.data(), workspace);
    mass.update(*model_, workspace);
    return mass.dense();
  }

  const Model* model_;
  VectorX<double> origin_;
};

using MakeIntegrator = std::function<std::unique_ptr<Integrator>(ConstrainedMotion&)>;

/// One step of length h from a state at t = 0.
State make_step(const Scenario& scenario, const MakeIntegrator& make, double h, const State& from) {
  ConstrainedMotion motion(scenario);
  const auto integrator = make(motion);
  const int n = motion.size();
  motion.set_origin(from.q);
  VectorX<double> y = VectorX<double>::Zero(2 * n + motion.quadrature_count()), slope = y;
  y.segment(n, n) = from.v;
  motion.calc_slope(0, y.data(), slope.data());
  EXPECT_TRUE(integrator->attempt(motion, 0, h, y.data(), slope.data(), {}).accepted);
  State to{h, from.q, integrator->end_state().segment(n, n)};
  motion.calc_position(integrator->end_state().data(), to.q.data());
  return to;
}

/// Largest entry of Sᵀ Ω S − Ω, S being the Jacobian of the step map from canonical coordinates around the start to
/// those around the end.
double calc_symplectic_defect(const Scenario& scenario, const MakeIntegrator& make, double h) {
  const int n = scenario.model.velocity_count();
  const CanonicalChart start(scenario.model, scenario.initial.q);
  const CanonicalChart end(scenario.model, make_step(scenario, make, h, scenario.initial).q);
  const VectorX<double> z = start.from_state(scenario.initial);
  const auto map = [&](const VectorX<double>& at) {
    return end.from_state(make_step(scenario, make, h, start.to_state(at)));
  };
  const auto difference = [&](int j, double step) -> VectorX<double> {
    const VectorX<double> dz = step * VectorX<double>::Unit(2 * n, j);
    return (map(z + dz) - map(z - dz)) / (2 * step);
  };
  MatrixX<double> S(2 * n, 2 * n), Omega = MatrixX<double>::Zero(2 * n, 2 * n);
  // Differences of order 4: their error is some 1e2 kStep⁴ = 6e-12 from fifth derivatives and 1e-15/kStep = 2e-12 from
  // rounding.
  constexpr double kStep = 5e-4;
  for (int j = 0; j < 2 * n; ++j) S.col(j) = (4 * difference(j, kStep / 2) - difference(j, kStep)) / 3;
  Omega.topRightCorner(n, n).setIdentity();
  Omega.bottomLeftCorner(n, n) = -MatrixX<double>::Identity(n, n);
  return (S.transpose() * Omega * S - Omega).cwiseAbs().maxCoeff();
}

/// A chain of boxes of 1 kg with sides of about 1 m, so that coordinates and momenta are all of order 1.
Scenario make_chain(const std::vector<JointKind>& kinds) {
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string name = "b" + std::to_string(i);
    JointSpec joint{.name = name, .kind = kinds[i]};
    joint.X_PF = Pose<double>::translation({0.1, 0, i == 0 ? 0.0 : -1.0});
    joint.axis = {0.1 * static_cast<double>(i), 1, 0.2};
    const MassProperties box =
        test::box_mass(1, {0.5, 0.7, 1}).expressed_in(Pose<double>::translation({0.05, 0.02, -0.5}));
    parent = builder.add_body({.name = name, .mass = box}, parent, joint);
  }
  Scenario s = test::at_rest(std::move(builder).finalize());
  for (int i = 0; i < s.initial.q.size(); ++i) s.initial.q(i) += 0.5 * std::sin(2.0 + i);
  visit_rotations(s.model, [&](int k, int) { s.initial.q.segment<4>(k).normalize(); });
  for (int i = 0; i < s.initial.v.size(); ++i) s.initial.v(i) = 1.5 * std::cos(1.0 + 2 * i);
  return s;
}

std::unique_ptr<Integrator> make_symplectic(ConstrainedMotion& motion) { return make_symplectic_integrator(motion); }
std::unique_ptr<Integrator> make_rk4(ConstrainedMotion& motion) { return make_rk4_integrator(motion); }

/// Well above what differences cost; the least of the defects of RK4 below, at its local order of 5, is 2e-5.
constexpr double kDifferenceError = 5e-10;

void expect_symplectic(const std::vector<JointKind>& kinds) {
  const Scenario s = make_chain(kinds);
  for (const double h : {0.1, 0.05}) {
    EXPECT_LT(calc_symplectic_defect(s, make_symplectic, h), kDifferenceError) << h;
    // The same step of a method that is not symplectic fails the test.
    EXPECT_GT(calc_symplectic_defect(s, make_rk4, h), 1e4 * kDifferenceError) << h;
  }
}

TEST(Symplectic, StepOfADoublePendulumPreservesTheCanonicalForm) {
  expect_symplectic({JointKind::revolute, JointKind::revolute});
}

TEST(Symplectic, StepPreservesTheCanonicalFormAlsoWithBallJoints) {
  // Where the chart of a step moves with its start: not every midpoint rule in canonical momenta is symplectic then.
  expect_symplectic({JointKind::revolute, JointKind::spherical, JointKind::revolute});
  expect_symplectic({JointKind::spherical, JointKind::prismatic, JointKind::spherical});
}

TEST(Symplectic, StepPreservesTheCanonicalFormAlsoOnAFreeBase) {
  expect_symplectic({JointKind::free, JointKind::revolute, JointKind::spherical});
}

/// The error of the energy, J, of a pendulum that swings by 2.5 rad.
struct EnergyBand {
  double first_mean = 0, last_mean = 0;  // over the first and the last tenth of the run
  double deviation = 0;                  // the largest
};

EnergyBand swing(IntegratorKind integrator, double step, long long steps) {
  Scenario s = test::pendulum(2.5);
  const double duration = static_cast<double>(steps) * step;
  s.run = {.until = duration, .sample = step, .integrator = integrator, .step = step};
  const double start = calc_energy(s.model, s.initial);
  EnergyBand band;
  long long first = 0, last = 0;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    const double error = calc_energy(s.model, sample.state) - start;
    band.deviation = std::max(band.deviation, std::abs(error));
    if (sample.state.t <= 0.1 * duration) band.first_mean += error, ++first;
    if (sample.state.t >= 0.9 * duration) band.last_mean += error, ++last;
    return true;
  };
  EXPECT_EQ(simulate(s, callbacks).status, RunStatus::done);
  band.first_mean /= static_cast<double>(first);
  band.last_mean /= static_cast<double>(last);
  return band;
}

TEST(Symplectic, EnergyOfAPendulumDoesNotDriftInAHundredThousandSteps) {
  const double step = 0.02;
  const long long steps = 100000;
  const EnergyBand band = swing(IntegratorKind::symplectic, step, steps);
  // A tenth of the run holds about 100 swings of 2 s; what is left of a swing that is cut off moves the mean by no more
  // than a hundredth of the deviation.
  EXPECT_NEAR(band.last_mean, band.first_mean, 0.01 * band.deviation);
  // RK4, though closer to the truth at first, drifts by more than all of that.
  const EnergyBand drifting = swing(IntegratorKind::rk4, step, steps);
  EXPECT_GT(std::abs(drifting.last_mean - drifting.first_mean), 0.1 * band.deviation);
  // The deviation is C h² with C = 10 J/s² and a relative error of order (h ω)² = 1 %.
  const EnergyBand finer = swing(IntegratorKind::symplectic, step / 2, steps / 50);
  EXPECT_NEAR(band.deviation / finer.deviation, 4, 0.1);
  EXPECT_LT(band.deviation, 10 * step * step);
}

}  // namespace
}  // namespace thenar::symplectic_test
