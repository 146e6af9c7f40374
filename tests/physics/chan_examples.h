// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Runs of the examples of Chan (1998, chapter 6), scenes/chan.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"
#include "thenar/spatial/rotation.h"

namespace thenar::test {

inline Scenario read_example(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return read_scenario(fmt::format("{}/scenes/chan/{}.yaml", THENAR_SOURCE_DIR, name), overrides);
}

/// Every run of an example reaches its end, keeps bodies apart (1e-9 of the scene's size, some 0.3 m, is what counts as
/// an overlap), and has books of energy that balance.
inline Trace run_example(const Scenario& scenario) {
  Trace trace = record(scenario);
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  EXPECT_LE(trace.report.max_gap_violation, 3e-10);
  EXPECT_NEAR(trace.report.energy.error(), 0, 1e-8);
  return trace;
}

/// Friction and mass, one at a time, a tenth less and a tenth more.
inline std::vector<std::string> list_changes(double mu, double mass) {
  std::vector<std::string> out;
  for (const double factor : {0.9, 1.1}) {
    out.push_back(fmt::format("parameters.mu={:.17g}", factor * mu));
    out.push_back(fmt::format("parameters.mass={:.17g} kg", factor * mass));
  }
  return out;
}

/// Where the coordinates of a joint, or of a free object of that name, begin in q and in v.
inline int position_of(const Scenario& s, const std::string& joint) {
  return s.model.joint(*s.model.find_joint(joint)).q_start;
}
inline int velocity_of(const Scenario& s, const std::string& joint) {
  return s.model.joint(*s.model.find_joint(joint)).v_start;
}

/// How a free object has turned since it stood along the axes of the world: rotation vector, rad.
inline Vector3<double> find_turn(const Scenario& s, const State& state, const std::string& object) {
  const Vector4<double> quaternion = state.q.segment<4>(position_of(s, object) + 3);
  const Vec3<double> turn = rotation_vector_from_quaternion(quaternion);
  return {turn.x, turn.y, turn.z};
}

/// The contact of this name in a row, if it is held there.
inline const Contact* find_held(const Sample& sample, const std::string& name) {
  for (const Contact& contact : sample.contacts) {
    if (contact.name == name && contact.mode != ContactMode::open) return &contact;
  }
  return nullptr;
}

/// All numbers of two runs of a scenario are the same.
inline void expect_same_bits(const Scenario& scenario) {
  const Trace one = record(scenario), two = record(scenario);
  ASSERT_EQ(one.samples.size(), two.samples.size());
  ASSERT_EQ(one.events.size(), two.events.size());
  for (std::size_t i = 0; i < one.samples.size(); ++i) {
    const Sample &a = one.samples[i], &b = two.samples[i];
    ASSERT_TRUE(a.state.t == b.state.t && a.state.q == b.state.q && a.state.v == b.state.v && a.tau == b.tau) << i;
    ASSERT_EQ(a.contacts.size(), b.contacts.size()) << i;
    for (std::size_t k = 0; k < a.contacts.size(); ++k)
      ASSERT_EQ(a.contacts[k].force_on_A, b.contacts[k].force_on_A) << i;
  }
  for (std::size_t i = 0; i < one.events.size(); ++i) {
    ASSERT_EQ(one.events[i].t, two.events[i].t);
    ASSERT_EQ(one.events[i].where(), two.events[i].where());
  }
}

}  // namespace thenar::test
