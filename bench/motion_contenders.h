// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A scenario carried through time by Thenar or by a peer, in one form: rows of states, and how far the motion came.

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hash.h"
#include "peers/loaded_peer.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/simulation/simulate.h"

namespace thenar::bench {

struct Motion {
  std::vector<State> rows;  ///< the first at t = 0, the last good one at the end
  bool is_done = false;     ///< reached the end of the run
  long long steps = 0;
  long long evaluations = 0;  ///< of forward dynamics, those for Jacobians included; 0 where not known

  double reached() const { return rows.back().t; }
};

/// Of the bits of the last state.
inline std::uint64_t hash_of_end(const Motion& motion) {
  Hash hash;
  for (const VectorX<double>* vector : {&motion.rows.back().q, &motion.rows.back().v}) {
    for (const double x : *vector) hash.add(x);
  }
  return hash.value();
}

/// Who moves the scenario, and how.
struct Mover {
  std::string name, setting;
  std::function<Motion()> move;
};

inline Motion move_by_thenar(const Scenario& scenario) {
  Motion motion;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    motion.rows.push_back(sample.state);
    return true;
  };
  const RunReport report = simulate(scenario, callbacks);
  motion.is_done = report.status == RunStatus::done;
  motion.steps = report.steps;
  motion.evaluations = report.evaluations;
  return motion;
}

/// Steps of length h from row to row.
inline Motion move_by_peer(const Peer& peer, const Scenario& scenario, PeerIntegrator integrator, double h) {
  const RunOptions& run = scenario.run;
  const int rows = static_cast<int>(std::lround(run.until / run.sample));
  const int steps = static_cast<int>(std::lround(run.sample / h));
  Motion motion;
  motion.rows.push_back(scenario.initial);
  State state = scenario.initial;
  for (int row = 1; row <= rows; ++row) {
    const int made = peer.advance(peer.self, integrator, h, steps, state.q.data(), state.v.data());
    motion.steps += made;
    if (made < steps) return motion;
    state.t = row * run.sample;
    motion.rows.push_back(state);
  }
  motion.is_done = true;
  return motion;
}

inline Scenario with_integrator(Scenario scenario, IntegratorKind kind, double step) {
  scenario.run.integrator = kind;
  scenario.run.step = step;
  return scenario;
}

inline Scenario with_tolerance(Scenario scenario, double tolerance) {
  scenario.run.integrator = IntegratorKind::automatic;
  scenario.run.tolerance = tolerance;
  scenario.run.step.reset();
  return scenario;
}

inline Mover fixed_step_mover(const Scenario& scenario, IntegratorKind kind, double step) {
  auto own = std::make_shared<const Scenario>(with_integrator(scenario, kind, step));
  return {fmt::format("Thenar {}", to_string(kind)), fmt::format("{:g} ms", step * 1e3),
          [own] { return move_by_thenar(*own); }};
}

inline Mover automatic_mover(const Scenario& scenario, double tolerance) {
  auto own = std::make_shared<const Scenario>(with_tolerance(scenario, tolerance));
  return {"Thenar auto", fmt::format("tol {:.0e}", tolerance), [own] { return move_by_thenar(*own); }};
}

inline const char* to_string(PeerIntegrator integrator) {
  constexpr const char* kNames[] = {"Euler", "implicit", "implicitfast", "RK4"};
  return kNames[integrator];
}

/// The peer and the scenario must outlive it.
inline Mover peer_mover(const LoadedPeer& peer, const Scenario& scenario, PeerIntegrator integrator, double h) {
  return {peer.name() + " " + to_string(integrator), fmt::format("{:.4g} ms", h * 1e3),
          [&peer, &scenario, integrator, h] { return move_by_peer(peer.peer(), scenario, integrator, h); }};
}

/// Whether this version of the peer has the integrator.
inline bool can_move(const LoadedPeer& peer, const Scenario& scenario, PeerIntegrator integrator) {
  State state = scenario.initial;
  return peer.peer().advance(peer.peer().self, integrator, scenario.run.sample, 0, state.q.data(), state.v.data()) == 0;
}

/// Refuses a peer that moves another mechanism: the first accelerations must be ours, and so must the velocities after
/// some steps of the classical Runge–Kutta method, which both have. Only rounding may differ: of 1e-16 in every
/// operation, made larger by the condition of the mass matrix, which is 2e4 for the hand.
inline void require_same_mechanism(const LoadedPeer& peer, const Scenario& scenario, double h) {
  constexpr int kSteps = 100;
  constexpr double kLargestDifference = 1e-9;
  const Model& model = scenario.model;
  const State& initial = scenario.initial;
  const Peer& p = peer.peer();
  const auto require = [&](const char* what, const VectorX<double>& theirs, const VectorX<double>& ours) {
    const double difference = (theirs - ours).norm() / ours.norm();
    if (difference < kLargestDifference) return;
    throw std::runtime_error(
        fmt::format("{}: {} of {} differ by {:.1e}", scenario.name, what, peer.name(), difference));
  };
  const VectorX<double> tau = VectorX<double>::Zero(model.velocity_count());
  VectorX<double> ours = tau, theirs = tau;
  Workspace<double> workspace(model);
  forward_dynamics<double>(model, initial.q.data(), initial.v.data(), tau.data(), {}, workspace, ours.data());
  p.forward_dynamics(p.self, initial.q.data(), initial.v.data(), tau.data(), theirs.data());
  require("the first accelerations", theirs, ours);

  Scenario start = with_integrator(scenario, IntegratorKind::rk4, h);
  start.run.until = start.run.sample = kSteps * h;
  const State our_end = move_by_thenar(start).rows.back();
  const State their_end = move_by_peer(p, start, kPeerRk4, h).rows.back();
  require("velocities after a few steps", their_end.v, our_end.v);
}

}  // namespace thenar::bench
