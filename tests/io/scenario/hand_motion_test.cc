// SPDX-License-Identifier: BSD-3-Clause
// What the shipped hand and trees do in time: energy, symmetry, where they come to rest, and what that costs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/motion/joint_rows.h"
#include "thenar/motion/state_energy.h"
#include "thenar/simulation/simulate.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::hand_motion_test {
namespace {

Scenario read_scene(const char* name, const std::vector<std::string>& overrides = {}) {
  return read_scenario(std::filesystem::path(THENAR_SOURCE_DIR) / "scenes" / name, overrides);
}

double calc_kinetic(const Model& model, const State& state) {
  Workspace<double> workspace(model);
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, state.v.data(), workspace);
  return calc_kinetic_energy(model, workspace, state.v.data());
}

// --- The hand swings freely ---------------------------------------------------------------------------------------

/// Largest error of the energy at any row, over the largest kinetic energy.
double calc_energy_error(const Scenario& s) {
  const double start = calc_energy(s.model, s.initial);
  double error = 0, kinetic = 0;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    error = std::max(error, std::abs(calc_energy(s.model, sample.state) - start));
    kinetic = std::max(kinetic, calc_kinetic(s.model, sample.state));
    return true;
  };
  const RunReport report = simulate(s, callbacks);
  EXPECT_EQ(report.status, RunStatus::done) << report.reason;
  EXPECT_GT(kinetic, 0.1);
  return error / kinetic;
}

TEST(HandSwing, KeepsItsEnergyUnderErrorControl) {
  Scenario s = read_scene("human_hand_swing.yaml", {"run.integrator=auto", "run.tolerance=1e-10"});
  s.run.step.reset();
  // About 13,000 steps, each with a local error below the tolerance, 1e-10 of the speeds: were they all of one sign,
  // they would add up to 1e-6. They are not: 1.5e-10 is left.
  EXPECT_LE(calc_energy_error(s), 1e-8);
}

TEST(HandSwing, KeepsItsEnergyInFixedStepsOfAMillisecond) {
  // 1.1e-6 with order 8. RK4 would be at 1.7e-3 and the symplectic method, of order 2, at 3e-3.
  EXPECT_LE(calc_energy_error(read_scene("human_hand_swing.yaml")), 1e-5);
}

// --- The Y tree is its own mirror image ---------------------------------------------------------------------------

double coordinate(const Scenario& s, const State& state, int joint) {
  return state.q(s.model.joint(*s.model.find_joint("tree.j" + std::to_string(joint))).q_start);
}

/// Largest difference between the two branches at any row, rad.
double calc_asymmetry(const Scenario& s) {
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  double worst = 0;
  for (const Sample& sample : trace.samples) {
    for (int j = 2; j <= 5; ++j) {
      worst = std::max(worst, std::abs(coordinate(s, sample.state, j) - coordinate(s, sample.state, j + 4)));
    }
  }
  return worst;
}

TEST(YTree, BranchesCoincideToRounding) {
  // The same numbers, but for signs, are added and multiplied for both branches, and signs do not change rounding: the
  // recursions keep the symmetry bit by bit. Elimination in the implicit method takes the branches one after the other
  // and breaks it by an ulp or so per step, 4e-16 of angles up to 3 rad, which the dampers contract again: 2e-15 was
  // seen. Allowed is what 1000 steps could add up to without them.
  constexpr double kRounding = 1000 * 4e-16;
  for (const char* scene : {"carv/y_tree_fall.yaml", "carv/y_tree_torques.yaml"}) {
    EXPECT_LE(calc_asymmetry(read_scene(scene)), kRounding) << scene;
  }
}

// --- Damped falls end in equilibrium ------------------------------------------------------------------------------

/// Directions this much softer than the stiffest count as neutral: well above the error of differences.
constexpr double kNeutral = 1e-8;

/// Generalized forces that would hold the model at rest at q: zero in equilibrium.
VectorX<double> calc_static_forces(const Model& model, const VectorX<double>& q) {
  Workspace<double> workspace(model);
  const VectorX<double> rest = VectorX<double>::Zero(model.velocity_count());
  VectorX<double> needed(model.velocity_count()), passive = rest;
  inverse_dynamics<double>(model, q.data(), rest.data(), rest.data(), {}, workspace, needed.data());
  add_passive_forces(model, q.data(), rest.data(), passive.data());
  return needed - passive;
}

/// Its derivative by central differences, of error kStep² = 1e-10 relative.
MatrixX<double> calc_static_stiffness(const Model& model, const VectorX<double>& q) {
  constexpr double kStep = 1e-5;
  MatrixX<double> K(q.size(), q.size());
  for (int j = 0; j < q.size(); ++j) {
    const VectorX<double> dq = kStep * VectorX<double>::Unit(q.size(), j);
    K.col(j) = (calc_static_forces(model, q + dq) - calc_static_forces(model, q - dq)) / (2 * kStep);
  }
  return K;
}

/// Newton's method on the static equations. Where they leave a direction open, it is not moved along: steps are the
/// shortest ones. All joints have coordinates whose rates are their speeds.
VectorX<double> find_equilibrium(const Model& model, VectorX<double> q) {
  for (int i = 0; i < 50; ++i) {
    // The threshold comes first: set later it takes rows for neutral for which nothing was computed, and solve() reads
    // memory that was never written.
    Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> factors;
    factors.setThreshold(kNeutral).compute(calc_static_stiffness(model, q));
    const VectorX<double> dq = factors.solve(calc_static_forces(model, q));
    q -= dq;
    if (dq.cwiseAbs().maxCoeff() < 1e-12) break;
  }
  return q;
}

/// Where a run ended, and an equilibrium found without it: by Newton's method, from a start 0.05 rad away.
struct Rest {
  State end;
  VectorX<double> equilibrium;
  MatrixX<double> stiffness;  // there
  long long evaluations;
};

Rest run_to_rest(const Scenario& s) {
  const RunReport report = simulate(s);
  EXPECT_EQ(report.status, RunStatus::done) << report.reason;
  std::mt19937_64 generator(3);
  VectorX<double> start = report.last.q;
  for (double& x : start) x += std::uniform_real_distribution<double>(-0.05, 0.05)(generator);
  const VectorX<double> q = find_equilibrium(s.model, start);
  EXPECT_GT((s.initial.q - q).cwiseAbs().maxCoeff(), 1);
  return {report.last, q, calc_static_stiffness(s.model, q), report.evaluations};
}

TEST(DampedFall, ChainsComeToRestInTheirStableEquilibrium) {
  for (const char* scene : {"carv/five_link.yaml", "carv/y_tree_fall.yaml"}) {
    SCOPED_TRACE(scene);
    Scenario s = read_scene(scene);
    // The slowest motion decays with about 0.07 1/s, by e⁻²⁸ = 1e-12 in this time.
    s.run.until = 400;
    s.run.sample = 10;
    const Rest rest = run_to_rest(s);
    // Equilibria are fixed points of every method: what is left is far below the local error of a step.
    EXPECT_LT((rest.end.q - rest.equilibrium).cwiseAbs().maxCoeff(), s.run.tolerance);
    EXPECT_LT(rest.end.v.cwiseAbs().maxCoeff(), s.run.tolerance);
    // A minimum of the potential energy, not one of its other stationary points.
    EXPECT_EQ(rest.stiffness.llt().info(), Eigen::Success);
  }
}

TEST(DampedFall, HandComesToRestInItsEquilibriumAfterDays) {
  // Dampers of 3 N m s against the weight of a finger tip, some 1e-4 N m: hours. Only an implicit method that is free
  // to make long steps gets there at a price.
  Scenario s = read_scene("carv/hand_damped.yaml", {"run.tolerance=1e-6"});
  s.run.until = 1e6;
  s.run.sample = 1e5;
  s.run.step = 1e5;
  const Rest rest = run_to_rest(s);
  // The first axis of the wrist is vertical, so that weight does not turn the hand about it: any angle is an
  // equilibrium.
  const int free = s.model.joint(*s.model.find_joint("hand.wrist")).q_start;
  VectorX<double> off = rest.end.q - rest.equilibrium;
  off(free) = 0;
  // A fixed point of the method, reached to its tolerance or better.
  EXPECT_LT(off.cwiseAbs().maxCoeff(), s.run.tolerance);
  EXPECT_LT(rest.end.v.cwiseAbs().maxCoeff(), s.run.tolerance);
  // A minimum in all other directions.
  const VectorX<double> stiffness = Eigen::SelfAdjointEigenSolver<MatrixX<double>>(rest.stiffness).eigenvalues();
  EXPECT_NEAR(stiffness(0), 0, kNeutral * stiffness.maxCoeff());
  EXPECT_GT(stiffness(1), kNeutral * stiffness.maxCoeff());
  // 170 steps and 2100 evaluations were seen; explicit steps of 1e-6 s would be 1e12.
  EXPECT_LT(rest.evaluations, 10000);
}

// --- The hand with limits -----------------------------------------------------------------------------------------

TEST(HandLimits, WristIsTheFirstToMeetAStop) {
  const Scenario s = read_scene("carv/hand_limits.yaml", {"run.tolerance=1e-6"});
  const Trace trace = record(s);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  // The joints that start on their stops shudder in the first milliseconds; of the others, the wrist is the first.
  std::set<std::string> starts_on_a_stop;
  std::vector<JointRow> rows = make_joint_rows(s.model, s.initial.q);
  for (JointRow& row : rows) {
    if (row.kind() != JointRowKind::stop) continue;
    const double gap = s.initial.q(row.coordinate()) - row.calc_target(s.initial.q.data());
    if (std::abs(gap) < 1e-12) starts_on_a_stop.insert(s.model.dof_name(row.dof()));
  }
  const auto first = std::find_if(trace.events.begin(), trace.events.end(), [&](const Event& e) {
    return e.kind == EventKind::limit_on && !starts_on_a_stop.contains(e.where());
  });
  ASSERT_NE(first, trace.events.end());
  EXPECT_EQ(first->where(), "hand.wrist.1");
  // 1.81652 s at this tolerance. The wrist arrives with 0.09 rad/s, so that an error of the motion of
  // 1e-6 rad moves the time by 1e-5 s, and a run adds up several.
  EXPECT_NEAR(first->t, 1.8165, 1e-4);
  // A stop is found to Tolerances::gap_rounding, 8 eps of an angle up to π/2, and the state there is read from the
  // dense output, with as much rounding again.
  EXPECT_LE(trace.report.max_gap_violation, 2 * 8 * std::numeric_limits<double>::epsilon() * M_PI_2);
  // 5100; explicit steps would be in the millions.
  EXPECT_LT(trace.report.evaluations, 8000);
}

}  // namespace
}  // namespace thenar::hand_motion_test
