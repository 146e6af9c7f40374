// SPDX-License-Identifier: BSD-3-Clause
// Runs every scenario that is shipped, and checks what its source says about it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"

namespace thenar::scenes_test {
namespace {

namespace fs = std::filesystem;

const fs::path kScenes = fs::path(THENAR_SOURCE_DIR) / "scenes";

double position(const Scenario& s, const State& state, const std::string& joint) {
  return state.q(s.model.joint(*s.model.find_joint(joint)).q_start);
}

TEST(Scenes, AllRunAndBalanceTheirEnergy) {
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kScenes)) {
    if (entry.path().extension() != ".yaml" || entry.path().parent_path().filename() == "ptl")
      continue;  // bare problems
    SCOPED_TRACE(entry.path().string());
    const Scenario s = read_scenario(entry.path());
    if (s.contacts || s.strike) continue;  // tests/physics has those with exact answers
    const RunReport report = simulate(s);
    EXPECT_EQ(report.status, RunStatus::done) << report.reason;
    const EnergyBalance& e = report.energy;
    // Energy has no natural zero: add what it takes to lift everything by 10 cm.
    const double lift = s.model.total_mass() * s.model.gravity().norm() * 0.1;
    const double scale = std::abs(e.start) + std::abs(e.end) + std::abs(e.work) + e.dissipated + lift;
    EXPECT_LT(std::abs(e.error()), 1e-6 * scale);
    ++count;
  }
  EXPECT_GE(count, 6);
}

TEST(Scenes, ModelsHaveTheirDegreesOfFreedom) {
  const fs::path models = fs::path(THENAR_SOURCE_DIR) / "models";
  EXPECT_EQ(read_scenario_or_model(models / "chan_hand.yaml").scenario.model.velocity_count(), 15);
  EXPECT_EQ(read_scenario_or_model(models / "human_hand.yaml").scenario.model.velocity_count(), 22);
}

/// θ(t) of a pendulum released at rest from θ₀: sin(θ/2) = k cd(ω₀ t | k), k = sin(θ₀/2), by descending Landen steps.
double pendulum_angle(double theta0, double omega0, double t) {
  // Jacobi's functions by the arithmetic-geometric mean (Abramowitz and Stegun 16.4).
  const double k = std::sin(theta0 / 2);
  double a[20] = {1}, c[20] = {k}, b = std::sqrt(1 - k * k);
  int n = 0;
  while (std::abs(c[n]) > 1e-16) {
    a[n + 1] = 0.5 * (a[n] + b);
    c[n + 1] = 0.5 * (a[n] - b);
    b = std::sqrt(a[n] * b);
    ++n;
  }
  double phi = std::ldexp(a[n] * omega0 * t, n);
  for (int i = n; i > 0; --i) phi = 0.5 * (phi + std::asin(c[i] * std::sin(phi) / a[i]));
  const double sn = std::sin(phi), cn = std::cos(phi), dn = std::sqrt(1 - k * k * sn * sn);
  return 2 * std::asin(k * cn / dn);
}

TEST(CarvPendulum, FollowsTheEllipticFunction) {
  // Carv 5.1.1 claims 1e-5 % of the analytic solution; the solution here is of the equation with the right inertia.
  const Scenario s = read_scenario(kScenes / "carv/pendulum.yaml");
  const double m = 1, l = 0.5, r = 0.02, inertia = m * (l * l / 3 + r * r / 4);
  const double omega0 = std::sqrt(m * 9.81 * l / 2 / inertia);
  const Trace trace = record(s);
  double worst = 0;
  for (const Sample& sample : trace.samples) {
    worst = std::max(worst, std::abs(sample.state.q(0) - pendulum_angle(std::numbers::pi / 2, omega0, sample.state.t)));
  }
  EXPECT_LT(worst, 1e-7 * std::numbers::pi / 2);
}

TEST(CarvFiveLink, ComesToRestHanging) {
  const Scenario s = read_scenario(kScenes / "carv/five_link.yaml");
  const RunReport report = simulate(s);
  // All links point down: the height of the centre of mass is the lowest one, 0.5 m of length per link.
  double lowest = 0;
  for (int i = 0; i < 5; ++i) lowest -= 9.81 * 0.5 * (i + 0.5);
  EXPECT_NEAR(report.energy.end, lowest, 0.01 * std::abs(lowest));
}

TEST(CarvTree, BranchesCoincideInFreeFallAndEndAtRest) {
  const Scenario s = read_scenario(kScenes / "carv/y_tree_fall.yaml");
  const Trace trace = record(s);
  for (const Sample& sample : trace.samples) {
    for (int j = 2; j <= 5; ++j) {
      EXPECT_NEAR(position(s, sample.state, "tree.j" + std::to_string(j)),
                  position(s, sample.state, "tree.j" + std::to_string(j + 4)), 1e-9);
    }
  }
  EXPECT_NEAR(std::abs(position(s, trace.report.last, "tree.j1")), std::numbers::pi, 0.02);
  EXPECT_LT(trace.report.last.v.cwiseAbs().maxCoeff(), 0.02);
  // "the branch joints going to 0 or 2π" (Carv 5.3.1)
  for (int j = 2; j <= 9; ++j)
    EXPECT_NEAR(std::cos(position(s, trace.report.last, "tree.j" + std::to_string(j))), 1, 1e-3);
}

TEST(CarvTree, TorquesDependOnTheLevelAndKeepTheBranchesTogether) {
  const Scenario s = read_scenario(kScenes / "carv/y_tree_torques.yaml");
  const Trace trace = record(s);
  for (const Sample& sample : trace.samples) {
    const double t = sample.state.t;
    EXPECT_NEAR(sample.tau(0), 80 * std::sin(t), 1e-12);
    EXPECT_NEAR(sample.tau(1), 60 * std::sin(t), 1e-12);
    EXPECT_NEAR(sample.tau(4), 0, 1e-12);
    for (int j = 2; j <= 5; ++j) {
      EXPECT_NEAR(position(s, sample.state, "tree.j" + std::to_string(j)),
                  position(s, sample.state, "tree.j" + std::to_string(j + 4)), 1e-6);
    }
  }
}

}  // namespace
}  // namespace thenar::scenes_test
