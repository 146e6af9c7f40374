// SPDX-License-Identifier: BSD-3-Clause
#include "contact_contenders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "hash.h"
#include "peers/shared_library.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::bench {
namespace {

PathPoint point_of(double t, const SceneBodyState& state) {
  const double *p = state.p, *v = state.velocity;
  return {t, {p[0], p[1], p[2]}, {v[0], v[1], v[2]}};
}

bool is_finite(const PathPoint& point) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(point.p[i]) || !std::isfinite(point.v[i])) return false;
  }
  return true;
}

/// m, of the first body and what it stands on, for peers: with a gap of 0 rounding decides which corners of a box touch
/// in the first step, and whoever misses one falls and tilts.
constexpr double kOverlap = 1e-9;

/// A world of a peer.
class SceneWorld {
 public:
  SceneWorld(const ScenePeer& peer, const ContactScene& scene, double h) : peer_(peer) {
    ContactScene overlapping = scene;
    for (std::size_t i = 0; i < 3; ++i) overlapping.bodies[0].p[i] -= kOverlap * scene.up[i];
    const SceneDescription description = overlapping.description();
    char error[256] = "";
    world_ = peer.create(peer.self, &description, h, error);
    if (world_ == nullptr) throw std::runtime_error(error);
  }
  SceneWorld(const SceneWorld&) = delete;
  SceneWorld& operator=(const SceneWorld&) = delete;
  ~SceneWorld() { peer_.destroy(world_); }

  Path move(double until, double h, double sample) const {
    const int rows = static_cast<int>(std::lround(until / sample)), steps = static_cast<int>(std::lround(sample / h));
    Path path;
    path.points.push_back(read(0));
    for (int row = 1; row <= rows; ++row) {
      if (!peer_.step(world_, steps)) return path;
      const PathPoint point = read(row * sample);
      if (!is_finite(point)) return path;
      path.points.push_back(point);
      path.steps += steps;
    }
    path.is_done = true;
    return path;
  }

 private:
  PathPoint read(double t) const {
    SceneBodyState state{};
    peer_.read(world_, 0, &state);
    return point_of(t, state);
  }

  ScenePeer peer_;
  void* world_ = nullptr;
};

/// The first body of a ContactScene in a state.
PathPoint find_first_body(const Model& model, const State& state) {
  const Joint& joint = model.joint(model.body(model.find_body("b0").value()).joint);
  PathPoint point{.t = state.t};
  for (int i = 0; i < 3; ++i) {
    point.p[static_cast<std::size_t>(i)] = state.q(joint.q_start + i);
    point.v[static_cast<std::size_t>(i)] = state.v(joint.v_start + 3 + i);
  }
  return point;
}

Path move_scenario(const Scenario& scenario) {
  Path path;
  RunCallbacks callbacks;
  callbacks.on_sample = [&](const Sample& sample) {
    path.points.push_back(find_first_body(scenario.model, sample.state));
    return true;
  };
  const RunReport report = simulate(scenario, callbacks);
  if (report.status != RunStatus::done) throw std::runtime_error(report.reason);
  path.is_done = true;
  path.steps = report.steps;
  path.evaluations = report.evaluations;
  return path;
}

/// Seconds of CPU that one run takes per simulated second.
double time_run(const MeasuredPath& measured) {
  const std::function<Path()> run = measured.mover.prepare();
  const double start = thread_seconds();
  const Path path = run();
  const double seconds = thread_seconds() - start;
  if (path.hash_of_end() != measured.path->hash_of_end()) {
    throw std::runtime_error(
        fmt::format("{}, {}: another end in another run", measured.mover.name, measured.mover.setting));
  }
  // A run that blew up counts with the time it reached.
  return seconds / std::max(path.points.back().t, measured.mover.step);
}

}  // namespace

std::uint64_t Path::hash_of_end() const {
  Hash hash;
  for (const Numbers3& numbers : {points.back().p, points.back().v}) {
    for (const double x : numbers) hash.add(x);
  }
  return hash.value();
}

const PathPoint& Path::at(double t) const {
  const PathPoint* found = &points.front();
  for (const PathPoint& point : points) {
    if (point.t <= t * (1 + 1e-12)) found = &point;
  }
  return *found;
}

double MeasuredPath::median() const { return Contender{.name = {}, .call = {}, .seconds = seconds}.median(); }

std::vector<ScenePeer> open_scene_peers(const std::string& folder) {
  std::vector<ScenePeer> peers;
  for (const auto& library : list_libraries(folder)) {
    std::string why_not;
    const auto get = load_function<ThenarScenePeer>(library, "thenar_scene_peer", why_not);
    if (get == nullptr) fmt::print(stderr, "{} left out: {}\n", library.stem().string(), why_not);
    ScenePeer peer{};
    for (int number = 0; get != nullptr && get(number, &peer); ++number) peers.push_back(peer);
  }
  return peers;
}

SceneMover scene_peer_mover(const ScenePeer& peer, const ContactScene& scene, double h, double sample) {
  const auto prepare = [peer, &scene, h, sample]() -> std::function<Path()> {
    return [world = std::make_shared<SceneWorld>(peer, scene, h), until = scene.until, h, sample] {
      return world->move(until, h, sample);
    };
  };
  return {fmt::format("{} {}", peer.name, peer.setting), fmt::format("{:g} ms", h * 1e3), true, h, prepare};
}

SceneMover scene_thenar_mover(const ContactScene& scene, double tolerance, double sample) {
  const std::string run = fmt::format("sample: {}, tolerance: {}", sample, tolerance);
  auto scenario = std::make_shared<const Scenario>(parse_scenario(scene.scenario_text(run), scene.name));
  const auto prepare = [scenario]() -> std::function<Path()> {
    return [scenario] { return move_scenario(*scenario); };
  };
  return {"Thenar event", fmt::format("tol {:.0e}", tolerance), false, 0, prepare};
}

std::vector<MeasuredPath> measure_scene_movers(std::vector<SceneMover> movers, int rounds) {
  std::vector<MeasuredPath> measured;
  for (SceneMover& mover : movers) {
    MeasuredPath& one = measured.emplace_back(MeasuredPath{.mover = std::move(mover)});
    try {
      one.path = one.mover.prepare()();
    } catch (const std::exception& error) {
      one.why_not = error.what();
    }
  }
  for (int round = 0; round < rounds; ++round) {
    for (MeasuredPath& one : measured) {
      if (one.path) one.seconds.push_back(time_run(one));
    }
  }
  return measured;
}

}  // namespace thenar::bench
