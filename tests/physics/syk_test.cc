// SPDX-License-Identifier: BSD-3-Clause
/// What SYK 4.2 state of their second example (scenes/syk/translate.yaml): an ellipse that four sliding links
/// translate, and where in time and friction the rigid problem is determinate (Fig. 10).
///
///     A = W_Nᵀ M⁻¹ W_μ                                                                          (SYK 12, with W_μ)

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "newton_euler.h"
#include "thenar/complementarity/p_matrix.h"
#include "thenar/io/scenario_reader.h"
#include "thenar/simulate/contact_instant.h"

namespace thenar {
namespace {

/// Contacts in the order of the links.
enum Link : std::size_t { kLink1, kLink2, kLink3, kLink4 };

class Translation {
 public:
  Translation() : document_(std::string(THENAR_SOURCE_DIR) + "/scenes/syk/translate.yaml") {}

  void set(const char* name, double value) { document_.set(fmt::format("parameters.{}={}", name, value)); }
  Scenario build(double t) {
    set("t", t);
    return document_.build();
  }
  Instant solve(double t) {
    const Scenario scenario = build(t);
    Instant out = solve_instant(scenario, scenario.initial);
    EXPECT_EQ(out.contacts.size(), 4U);
    EXPECT_EQ(out.problem.size(), 8);
    for (const InstantCell& cell : out.cells) EXPECT_LE(test::calc_momentum_residual(scenario, out, cell), 1e-10);
    return out;
  }
  bool is_determinate(double t) { return solve(t).determinate; }

 private:
  ScenarioDocument document_;
};

/// A of the sliding contacts, from the rows of the problem: friction is its ratio times the normal force.
MatrixX<double> make_sliding_matrix(const ConstraintProblem& problem) {
  MatrixX<double> out(4, 4);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const double ratio = problem.row(2 * j + 1).limit;
      out(i, j) = problem.A()(2 * i, 2 * j) + ratio * problem.A()(2 * i, 2 * j + 1);
    }
  }
  return out;
}

/// The instant between two at which `f` changes, to 1e-6 s.
template <class Function>
double find_change(double from, double to, const Function& f) {
  const bool before = f(from);
  EXPECT_NE(f(to), before);
  while (to - from > 1e-6) {
    const double middle = (from + to) / 2;
    (f(middle) == before ? from : to) = middle;
  }
  return (from + to) / 2;
}

/// The formulas of the scene: rates are derivatives of positions, all links touch and stay in touch.
TEST(SykTranslation, StatesFollowTheTask) {
  Translation task;
  constexpr double kStep = 1e-4;
  for (const double t : {0.05, 0.2, 0.42, 0.5, 0.643, 0.8, 0.95}) {
    SCOPED_TRACE(fmt::format("t = {}", t));
    const VectorX<double> before = task.build(t - kStep).initial.q, after = task.build(t + kStep).initial.q;
    const VectorX<double> v = task.build(t).initial.v;
    // Central difference: h²/6 times third derivatives of 10 to 100 rad/s³.
    EXPECT_LE(((after - before) / (2 * kStep) - v).norm(), 30 * kStep * kStep);
    for (const InstantContact& contact : task.solve(t).contacts) {
      EXPECT_LE(std::abs(contact.place.gap), 1e-15);
      EXPECT_LE(std::abs(contact.velocity[0]), 1e-15);
      EXPECT_TRUE(contact.slides);
    }
  }
  const Scenario start = task.build(0), end = task.build(1);
  EXPECT_EQ(start.initial.v.norm(), 0);
  EXPECT_EQ(end.initial.v.norm(), 0);
  EXPECT_NEAR(start.initial.q(5), 0.12, 1e-15);
  EXPECT_NEAR(end.initial.q(5), 0.18, 1e-15);
}

TEST(SykTranslation, IsDeterminateAtTwoTenthsAndNotAtFive) {
  Translation task;
  for (const double t : {0.2, 0.5}) {
    const Instant instant = task.solve(t);
    const bool is_P = test_p_matrix(make_sliding_matrix(instant.problem)).is_P;
    EXPECT_EQ(is_P, t == 0.2);
    EXPECT_EQ(instant.determinate, is_P);
  }
}

/// SYK change to the compliant model at 0.420 s and back at 0.643 s, of a simulated run under a feedback law of which
/// the paper does not give the numbers. On the planned motion itself A stops being P at 0.436 s (1.7 mm further) and is
/// P again where the slips of links 2 and 4 reverse.
TEST(SykTranslation, IsNotDeterminateInTheMiddleUntilTheSlipsOfTheSecondLinksReverse) {
  Translation task;
  const auto is_determinate = [&](double t) { return task.is_determinate(t); };
  const double lost = find_change(0.2, 0.5, is_determinate), regained = find_change(0.5, 0.8, is_determinate);
  const double reversed =
      find_change(0.5, 0.8, [&](double t) { return task.solve(t).contacts[kLink2].velocity[1] > 0; });
  fmt::print("determinate until {:.4f} s and from {:.4f} s\n", lost, regained);
  EXPECT_NEAR(lost, 0.420, 0.02);
  EXPECT_NEAR(regained, 0.643, 0.03);
  EXPECT_NEAR(regained, reversed, 2e-6);
  for (double t = 0.05; t < 1; t += 0.05) {
    const Instant instant = task.solve(t);
    EXPECT_EQ(instant.determinate, t < lost || t > regained) << t;
    // Slips of mirrored links are opposite; those of the first links never reverse.
    EXPECT_GT(instant.contacts[kLink1].velocity[1], 0);
    EXPECT_EQ(instant.contacts[kLink2].velocity[1] > 0, t > reversed) << t;
    EXPECT_NEAR(instant.contacts[kLink3].velocity[1], -instant.contacts[kLink1].velocity[1], 1e-15);
    EXPECT_NEAR(instant.contacts[kLink4].velocity[1], -instant.contacts[kLink2].velocity[1], 1e-15);
  }
}

/// Fig. 10: the region of friction coefficients in which A is P holds the origin, where A is definite, and (0.8, 0.6)
/// at 0.2 s; at 0.5 s it is smaller. It does not depend on the torques.
TEST(SykTranslation, RegionOfDeterminateFrictionShrinks) {
  constexpr int kCount = 11;
  std::array<int, 2> inside{};
  for (const std::size_t k : {0U, 1U}) {
    Translation task;
    for (int i = 0; i < kCount; ++i) {
      for (int j = 0; j < kCount; ++j) {
        task.set("mu1", 1.2 * (i + 0.5) / kCount);
        task.set("mu2", 1.2 * (j + 0.5) / kCount);
        task.set("tau1", 1 + 0.3 * i);
        task.set("tau2", 2 - 0.2 * j);
        const Instant instant = task.solve(k == 0 ? 0.2 : 0.5);
        EXPECT_EQ(instant.determinate, test_p_matrix(make_sliding_matrix(instant.problem)).is_P);
        inside[k] += instant.determinate;
      }
    }
  }
  fmt::print("determinate at {} and {} of {} points\n", inside[0], inside[1], kCount * kCount);
  EXPECT_GT(inside[0], inside[1]);
  EXPECT_GT(inside[1], 0);
  EXPECT_LT(inside[0], kCount * kCount);
}

/// Efforts that move the system as planned, with the normal force f2 > 0 of links 2 and 4 chosen.
struct PlannedEffort {
  VectorX<double> vdot, tau;
  double f1 = 0, f2 = 0;
};

/// By symmetry links 1 and 3 press alike, 2 and 4 too; the object's acceleration ÿ gives f1:
/// 2 f1 c1 + 2 f2 c2 = m ÿ with cᵢ = (N + r T) · y.
PlannedEffort plan_effort(Translation& task, double t, double f2) {
  constexpr double kStep = 1e-4, kMass = 1.69;
  PlannedEffort out;
  out.f2 = f2;
  out.vdot = (task.build(t + kStep).initial.v - task.build(t - kStep).initial.v) / (2 * kStep);
  const Scenario scenario = task.build(t);
  const Instant instant = solve_instant(scenario, scenario.initial);
  const auto ratio = [&](std::size_t i) { return instant.problem.row(instant.contacts[i].tangent_rows[0]).limit; };
  const auto upwards = [&](std::size_t i) {
    return instant.contacts[i].place.N.y + ratio(i) * instant.contacts[i].place.T.y;
  };
  out.f1 = (kMass * out.vdot(5) / 2 - f2 * upwards(kLink2)) / upwards(kLink1);
  Workspace<double> workspace(scenario.model);
  update_positions(scenario.model, scenario.initial.q.data(), workspace);
  std::vector<BodyWrench<double>> wrenches;
  for (std::size_t i = 0; i < 4; ++i) {
    const double normal = i % 2 == 0 ? out.f1 : f2;
    test::add_contact_wrenches(scenario.model, workspace, instant.contacts[i].place, {normal, ratio(i) * normal, 0, 0},
                               wrenches);
  }
  out.tau.resize(scenario.model.velocity_count());
  inverse_dynamics<double>(scenario.model, scenario.initial.q.data(), scenario.initial.v.data(), out.vdot.data(),
                           wrenches, workspace, out.tau.data());
  return out;
}

/// With torques of inverse dynamics the planned motion is the only answer where A is P.
TEST(SykTranslation, MovesAsPlannedWithTheTorquesOfInverseDynamics) {
  for (const double t : {0.1, 0.2, 0.3, 0.4, 0.7, 0.8, 0.9}) {
    SCOPED_TRACE(fmt::format("t = {}", t));
    Translation task;
    // After the slips have reversed the friction of all links points down: they brake, and press as little as that
    // needs.
    const PlannedEffort plan = plan_effort(task, t, t < 0.5 ? 6 : 0.1);
    ASSERT_GT(plan.f1, 0);
    EXPECT_LE(plan.tau.tail<3>().norm(), 1e-5);  // the object needs no effort of its own
    task.set("tau1", -plan.tau(0));
    task.set("tau2", -plan.tau(1));
    const Instant instant = task.solve(t);
    EXPECT_EQ(instant.verdict, Verdict::unique);
    EXPECT_TRUE(instant.determinate);
    // As exact as the differences of v: 1e-8 times fifth derivatives of positions.
    EXPECT_LE((instant.cells.at(0).vdot - plan.vdot).norm(), 1e-4 * (1 + plan.vdot.norm()));
    EXPECT_NEAR(instant.cells[0].forces[kLink1][0], plan.f1, 1e-4 * plan.f1);
    EXPECT_NEAR(instant.cells[0].forces[kLink2][0], plan.f2, 1e-4 * plan.f2);
  }
}

}  // namespace
}  // namespace thenar
