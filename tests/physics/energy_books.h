// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What energy.csv must show of every run, whatever models its contacts have and change to.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/simulation/simulate.h"

namespace thenar::test {

/// What errors of all steps can add up to, at worst all on one side, J: each may be off by `tolerance` times the energy
/// that has passed, and by as much times `reach` (m), against the largest force.
inline double find_energy_error(const Trace& trace, double tolerance, double reach) {
  double energy = 0, force = 0;
  for (const Sample& s : trace.samples) {
    const EnergySample& e = s.energy;
    energy = std::max(energy, e.kinetic + std::abs(e.potential) + e.layers + std::abs(e.work) + e.dissipated);
    for (const Contact& contact : s.contacts) force = std::max(force, std::abs(contact.force_on_A.normal));
  }
  return tolerance * static_cast<double>(10 + trace.report.steps) * (energy + force * reach);
}

/// Books close in every row; dissipation never falls; and what neither controls nor changes of model have put in never
/// grows. `error` (J): of the integrator.
inline void expect_energy_never_grows(const Trace& trace, double error) {
  double least = std::numeric_limits<double>::infinity(), dissipated = 0, switched = 0;
  for (const Sample& sample : trace.samples) {
    const EnergySample& e = sample.energy;
    const double own = e.total() - e.work - e.switched;
    ASSERT_NEAR(own + e.dissipated, trace.report.energy.start, error) << sample.state.t;
    ASSERT_LE(own, least + error) << sample.state.t;
    ASSERT_GE(e.dissipated, dissipated - 1e-3 * error) << sample.state.t;
    least = std::min(least, own);
    dissipated = e.dissipated;
  }
  EXPECT_NEAR(trace.report.energy.error(), 0, error);
  for (const ModelSwitch& change : trace.report.switches) switched += change.energy;
  EXPECT_EQ(trace.samples.back().energy.switched, switched);
  EXPECT_EQ(trace.report.energy.switched, switched);
}

}  // namespace thenar::test
