// SPDX-License-Identifier: BSD-3-Clause
// What the shipped hand and trees do in time: energy, symmetry, where they come to rest, and what that costs.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/io/scenario_reader.h"
#include "thenar/simulate/simulate.h"

namespace thenar {
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
  std::printf("ENERGY %s tol %g: %g of %g J, steps %lld evals %lld implicit %lld wall %g\n", to_string(s.run.integrator), s.run.tolerance, error / kinetic, kinetic,
              report.steps, report.evaluations, report.implicit_steps, report.wall_s);
  return error / kinetic;
}

TEST(HandSwing, KeepsItsEnergyUnderErrorControl) {
  for (const char* tol : {"1e-6", "1e-8", "1e-10"}) {
  Scenario s = read_scene("human_hand_swing.yaml", {"run.integrator=auto", std::string("run.tolerance=") + tol});
  s.run.step.reset();
  calc_energy_error(s);
  }
}

TEST(HandSwing, KeepsItsEnergyInFixedStepsOfAMillisecond) {
  EXPECT_LE(calc_energy_error(read_scene("human_hand_swing.yaml")), 1e-5);
  for (const char* method : {"rk4", "symplectic"}) calc_energy_error(read_scene("human_hand_swing.yaml", {std::string("run.integrator=") + method}));
}

// --- The Y tree is its own mirror image ---------------------------------------------------------------------------

double coordinate(const Scenario& s, const State& state, int joint) {
  return state.q(s.model.joint(*s.model.find_joint("tree.j" + std::to_string(joint))).q_start);
}

double calc_asymmetry(const Scenario& s) {
  const Trace trace = record(s);
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  double worst = 0, last = 0;
  for (const Sample& sample : trace.samples) {
    for (int j = 2; j <= 5; ++j) {
      worst = std::max(worst, std::abs(coordinate(s, sample.state, j) - coordinate(s, sample.state, j + 4)));
    }
    if (sample.state.t >= last) std::printf("   t %g worst %g\n", sample.state.t, worst), last += 2;
  }
  return worst;
}

TEST(YTree, BranchesCoincide) {
  for (const char* scene : {"carv/y_tree_fall.yaml", "carv/y_tree_torques.yaml"}) {
    SCOPED_TRACE(scene);
    std::printf("ASYMMETRY %s %g\n", scene, calc_asymmetry(read_scene(scene)));
  }
}

// --- Damped falls end in equilibrium ------------------------------------------------------------------------------

/// Generalized forces that would hold the model at rest at q: zero in equilibrium.
VectorX<double> calc_static_forces(const Model& model, const VectorX<double>& q) {
  Workspace<double> workspace(model);
  const VectorX<double> rest = VectorX<double>::Zero(model.velocity_count());
  VectorX<double> needed(model.velocity_count()), passive = rest;
  inverse_dynamics<double>(model, q.data(), rest.data(), rest.data(), {}, workspace, needed.data());
  add_passive_forces(model, q.data(), rest.data(), passive.data());
  return needed - passive;
}

MatrixX<double> calc_static_stiffness(const Model& model, const VectorX<double>& q) {
  constexpr double kStep = 1e-5;
  MatrixX<double> K(q.size(), q.size());
  for (int j = 0; j < q.size(); ++j) {
    const VectorX<double> dq = kStep * VectorX<double>::Unit(q.size(), j);
    K.col(j) = (calc_static_forces(model, q + dq) - calc_static_forces(model, q - dq)) / (2 * kStep);
  }
  return K;
}

/// Newton's method on the static equations; all joints have coordinates whose rates are their speeds.
VectorX<double> find_equilibrium(const Model& model, VectorX<double> q) {
  for (int i = 0; i < 50; ++i) {
    const VectorX<double> dq = calc_static_stiffness(model, q).partialPivLu().solve(calc_static_forces(model, q));
    q -= dq;
    if (dq.cwiseAbs().maxCoeff() < 1e-13) break;
  }
  return q;
}

TEST(DampedFall, Explore) {
  const auto explore = [](const char* name, Scenario s) {
    const RunReport report = simulate(s);
    EXPECT_EQ(report.status, RunStatus::done) << report.reason;
    std::mt19937_64 generator(3);
    VectorX<double> q = report.last.q;
    for (double& x : q) x += std::uniform_real_distribution<double>(-0.1, 0.1)(generator);
    const VectorX<double> e = find_equilibrium(s.model, q);
    const MatrixX<double> K = calc_static_stiffness(s.model, e);
    const Eigen::SelfAdjointEigenSolver<MatrixX<double>> eig(K);
    std::printf("FALL %s until %g: distance %g, v %g, from start %g, force %g, stiffness %g .. %g, steps %lld implicit %lld evals %lld wall %g\n", name, s.run.until, (e - report.last.q).cwiseAbs().maxCoeff(),
      report.last.v.cwiseAbs().maxCoeff(), (e - s.initial.q).cwiseAbs().maxCoeff(), calc_static_forces(s.model, e).cwiseAbs().maxCoeff(), eig.eigenvalues()(0), eig.eigenvalues().tail(1)(0), report.steps, report.implicit_steps, report.evaluations, report.wall_s);
  };
  for (double until : {20., 60., 200.}) {
    Scenario s = read_scene("carv/five_link.yaml");
    s.run.until = until; s.run.sample = 1;
    explore("five_link", s);
  }
  for (double until : {60., 200.}) {
    Scenario s = read_scene("carv/y_tree_fall.yaml");
    s.run.until = until; s.run.sample = 1;
    explore("y_tree", s);
  }
  for (double until : {200., 2e4, 1e6, 1e7}) {
    for (double step : {0., 1e5}) {
    if (step == 0 && until > 1e5) continue;
    Scenario s = read_scene("carv/hand_damped.yaml", {"run.tolerance=1e-6"});
    s.run.until = until; s.run.sample = until / 10;
    if (step > 0) s.run.step = step;
    explore("hand_damped", s);
    }
  }
}

// --- The hand with limits -----------------------------------------------------------------------------------------

TEST(HandLimits, WristIsTheFirstToMeetAStop) {
  const Scenario s = read_scene("carv/hand_limits.yaml", {"run.tolerance=1e-6"});
  const Trace trace = record(s);
  for (const Event& e : trace.events) std::printf("EVENT %.8f %s %s %s\n", e.t, to_string(e.kind), e.where.c_str(), e.cause.c_str());
  std::printf("LIMITS evals %lld gap %g steps %lld\n", trace.report.evaluations, trace.report.max_gap_violation, trace.report.steps);
}

}  // namespace
}  // namespace thenar
