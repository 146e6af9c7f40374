// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Runs of shipped scenes with other entries, and what is read from their traces.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::test {

inline constexpr double kGravity = 9.81;
/// Local errors of the runs below, relative to the scales of the scene; those of some tens of steps add up.
inline constexpr double kTolerance = 1e-12;

struct Entry {
  std::string path;
  double value = 0;
};

/// The scene `truth/NAME` (or any other, by its path below scenes/), with these parameters, at kTolerance unless
/// `run.tolerance` is among the entries. "mu" is short for "parameters.mu".
inline Scenario read_scene(const std::string& name, const std::vector<Entry>& entries = {}) {
  std::vector<std::string> overrides{fmt::format("run.tolerance={}", kTolerance)};
  for (const Entry& entry : entries) {
    const bool is_parameter = entry.path.find('.') == std::string::npos;
    overrides.push_back(fmt::format("{}{}={:.17g}", is_parameter ? "parameters." : "", entry.path, entry.value));
  }
  const std::string folder = name.find('/') == std::string::npos ? "truth/" : "";
  return read_scenario(fmt::format("{}/scenes/{}{}.yaml", THENAR_SOURCE_DIR, folder, name), overrides);
}

inline Trace run_scene(const std::string& name, const std::vector<Entry>& entries = {}) {
  Trace trace = record(read_scene(name, entries));
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  return trace;
}

/// Times at which events of a kind happen, each once, however many contacts share it.
inline std::vector<double> list_times(const Trace& trace, EventKind kind) {
  std::vector<double> out;
  for (const Event& event : trace.events) {
    if (event.kind == kind && (out.empty() || event.t > out.back())) out.push_back(event.t);
  }
  return out;
}

inline int count_events(const Trace& trace, EventKind kind) {
  return static_cast<int>(trace.report.events[static_cast<std::size_t>(kind)]);
}

/// Of a free body alone in its scene.
inline Vector3<double> position(const State& state) { return state.q.head<3>(); }
inline Vector3<double> angular_velocity(const State& state) { return state.v.head<3>(); }
inline Vector3<double> velocity(const State& state) { return state.v.segment<3>(3); }

/// ∫ f over [a, b], for functions with square-root ends like those of times along a fall: x = a + (b − a) s² (3 − 2 s)
/// makes them smooth, and Gauss's rule of 5 points on 200 pieces leaves rounding.
template <class Function>
double integrate(const Function& f, double a, double b) {
  constexpr int kPieces = 200;
  constexpr double kPlaces[] = {0, 0.5384693101056831, 0.9061798459386640};
  constexpr double kWeights[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  double sum = 0;
  const auto value = [&](double s) { return f(a + (b - a) * s * s * (3 - 2 * s)) * (b - a) * 6 * s * (1 - s); };
  for (int i = 0; i < kPieces; ++i) {
    const double middle = (i + 0.5) / kPieces, half = 0.5 / kPieces;
    sum += half * kWeights[0] * value(middle);
    for (int k = 1; k < 3; ++k) {
      sum += half * kWeights[k] * (value(middle - half * kPlaces[k]) + value(middle + half * kPlaces[k]));
    }
  }
  return sum;
}

}  // namespace thenar::test
