// SPDX-License-Identifier: BSD-3-Clause
// Runs with inertia approach the quasistatic motion as they become slower, and the problem of a scenario is the one
// that is written down by hand.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/quasistatic/quasistatic_solver.h"
#include "thenar/quasistatic_run/quasistatic_scene.h"
#include "thenar/simulation/simulate.h"

namespace thenar::slow_motion_test {
namespace {

/// scenes/truth/slowly_pushed_block.yaml with a finger that follows a smooth path of 40 mm in `duration`.
Scenario read_push(double height, double duration) {
  const std::string path = std::string(THENAR_SOURCE_DIR) + "/scenes/truth/slowly_pushed_block.yaml";
  const std::string control = fmt::format(
      "control=[{{pd: {{kp: 1.0e+4 N/m, kd: 200 N s/m, targets: [[0, {{finger.slide: 0}}], [{}, {{finger.slide: 40 "
      "mm}}]]}}}}]",
      duration);
  const std::string run = fmt::format("run={{until: {}, sample: {}}}", duration, duration / 40);
  const std::string h = fmt::format("parameters.h={}", height);
  return read_scenario(path, std::vector<std::string>{h, "parameters.speed=0", control, run});
}

struct Deviation {
  double velocity = 0;  ///< of the block, in parts of the finger's
  double force = 0;     ///< of the finger on the block, in parts of the quasistatic one
  int rows = 0;
};

/// The largest ones over the second half of the path, where the start has died away and the finger still moves.
Deviation compare_with_quasistatic(double height, double duration) {
  const Scenario scenario = read_push(height, duration);
  Scenario slow = scenario;
  slow.controls.clear();
  Deviation out;
  const Trace trace = record(scenario);
  EXPECT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  for (const Sample& sample : trace.samples) {
    const double share = sample.state.t / duration;
    if (share < 0.5 || share > 0.8) continue;
    const QuasistaticScene scene = assemble_quasistatic(slow, sample.state);
    const QuasistaticAnswer answer = solve_quasistatic(scene.problem, {.all = true});
    EXPECT_EQ(answer.verdict, QuasistaticVerdict::unique);
    if (answer.solutions.size() != 1) return out;
    const QuasistaticSolution& solution = answer.solutions.front();
    const double speed = std::abs(solution.theta_dot(0));
    for (std::size_t k = 0; k < scene.object_dofs.size(); ++k) {
      const double found = sample.state.v(scene.object_dofs[k]);
      out.velocity = std::max(out.velocity, std::abs(found - solution.q_dot(static_cast<int>(k))) / speed);
    }
    for (std::size_t i = 0; i < scene.contacts.size(); ++i) {
      if (scene.contacts[i] != "block/finger.tip") continue;
      const double expected = solution.c_n(static_cast<int>(i));
      for (const Contact& contact : sample.contacts) {
        if (contact.name != scene.contacts[i]) continue;
        out.force = std::max(out.force, std::abs(contact.force_on_A.normal - expected) / expected);
      }
    }
    ++out.rows;
  }
  return out;
}

/// Accelerations along a path fall with the square of the time it takes, and so do the forces of inertia. Velocities
/// follow from the contacts alone.
void expect_convergence(double height) {
  const Deviation fast = compare_with_quasistatic(height, 1), slow = compare_with_quasistatic(height, 4);
  ASSERT_GT(fast.rows, 8);
  ASSERT_GT(slow.rows, 8);
  EXPECT_GT(fast.force, 0.005) << "inertia is felt";
  EXPECT_LT(slow.force, fast.force / 12) << "16 but for the start";
  EXPECT_LT(fast.velocity, 1e-6);
  EXPECT_LT(slow.velocity, 1e-6);
}

TEST(QuasistaticMotion, OfASlidingBlockIsQuasistatic) { expect_convergence(0.2); }
TEST(QuasistaticMotion, OfATippingBlockIsQuasistatic) { expect_convergence(0.35); }

TEST(QuasistaticScene, IsTheProblemWrittenByHand) {
  Scenario scenario = read_push(0.2, 1);
  scenario.controls.clear();
  scenario.initial.v.setZero();
  const QuasistaticScene scene = assemble_quasistatic(scenario, scenario.initial);
  ASSERT_EQ(scene.contacts.size(), 5u)
      << "the finger, and the corners of the box, of which two look the same in the plane";
  ASSERT_EQ(scene.object_dofs.size(), 3u);
  ASSERT_EQ(scene.joint_dofs.size(), 1u);
  const QuasistaticProblem& problem = scene.problem;
  EXPECT_LT((problem.g_obj - Eigen::Vector3d(0, -9.81, 0)).norm(), 1e-12);
  for (int i = 0; i < problem.contact_count(); ++i) {
    const bool is_finger = scene.contacts[static_cast<std::size_t>(i)] == "block/finger.tip";
    const Eigen::Vector2d n = is_finger ? Eigen::Vector2d(1, 0) : Eigen::Vector2d(0, 1), t(-n.y(), n.x());
    EXPECT_LT((problem.W_n.col(i).head<2>() - n).norm(), 1e-12);
    EXPECT_LT((problem.W_t.col(i).head<2>() - t).norm(), 1e-12) << "90° further than the normal";
    EXPECT_NEAR(problem.J_n(i, 0), is_finger ? 1 : 0, 1e-12);
    EXPECT_NEAR(problem.mu(i), is_finger ? 0 : 0.4, 1e-15);
    // r × n about the middle of the box: the finger pushes 0.1 m below it.
    EXPECT_NEAR(is_finger ? problem.W_n(2, i) : std::abs(problem.W_n(2, i)), 0.1, 1e-12);
  }
}

}  // namespace
}  // namespace thenar::slow_motion_test
