// SPDX-License-Identifier: BSD-3-Clause
/// What SYK 4.2 state of their two examples (scenes/syk): four links that slide on an ellipse rotate and translate it.
/// Where in time and friction the rigid problem is determinate (Fig. 10), and what the law of control brings about;
/// beside the same in coordinates of its own (planar_grasp.h).
///
///     A = W_Nᵀ M⁻¹ W_μ                                                                          (SYK 12, with W_μ)

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "newton_euler.h"
#include "planar_grasp.h"
#include "thenar/complementarity/p_matrix.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/instant/instant_proof.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/simulation/simulate.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::syk_test {
namespace {

using test::PlanarExample;

/// Contacts in the order of the links.
enum Link : std::size_t { kLink1, kLink2, kLink3, kLink4 };

class Scene {
 public:
  explicit Scene(const char* name)
      : document_(fmt::format("{}/scenes/syk/{}.yaml", std::string(THENAR_SOURCE_DIR), name)) {}

  void set(const char* name, double value) { document_.set(fmt::format("parameters.{}={}", name, value)); }
  void set(const std::string& entry) { document_.set(entry); }
  Scenario build(double t) {
    set("t", t);
    return document_.build();
  }
  Instant solve(double t) {
    const Scenario scenario = build(t);
    Instant out = solve_instant(scenario, scenario.initial);
    EXPECT_EQ(out.contacts.size(), 4U);
    EXPECT_EQ(out.proof->problem.size(), 8);
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

/// The coordinates of planar_grasp.h of a state: absolute angles of the links.
test::Vector7 to_planar(const VectorX<double>& q) {
  test::Vector7 out;
  out << q(4), q(5), q(6), q(0), q(0) + q(1), q(2), q(2) + q(3);
  return out;
}

struct Case {
  const char* name;
  PlanarExample example;
};
std::vector<Case> both() { return {{"rotate", PlanarExample::rotate()}, {"translate", PlanarExample::translate()}}; }

/// The formulas of the scenes: states are those of the planned path, rates are derivatives of positions, all links
/// touch and stay in touch, between their ends, and slips have the directions that are declared.
TEST(Syk, StatesFollowTheTask) {
  for (const auto& [name, example] : both()) {
    Scene scene(name);
    constexpr double kStep = 1e-4;
    for (const double t : {0.05, 0.2, 0.42, 0.5, 0.643, 0.8, 0.95}) {
      SCOPED_TRACE(fmt::format("{}, t = {}", name, t));
      const VectorX<double> before = scene.build(t - kStep).initial.q, after = scene.build(t + kStep).initial.q;
      const Scenario scenario = scene.build(t);
      // Central difference: h²/6 times third derivatives of 10 to 200 rad/s³.
      EXPECT_LE(((after - before) / (2 * kStep) - scenario.initial.v).norm(), 60 * kStep * kStep);
      const test::Vector7 plan = example.plan(t);
      EXPECT_LE((to_planar(scenario.initial.q) - plan).norm(), 1e-12);
      const test::PlanarContacts contacts = example.grasp.find_contacts(plan);
      EXPECT_GT(contacts.along.minCoeff(), 0.03);
      EXPECT_LT(contacts.along.maxCoeff(), 0.2);
      const test::Vector4 slips = example.plan_slips(plan);
      const Instant instant = scene.solve(t);
      for (std::size_t i = 0; i < 4; ++i) {
        const InstantContact& contact = instant.contacts[i];
        EXPECT_LE(std::abs(contact.place.gap), 1e-15);
        EXPECT_LE(std::abs(contact.velocity[0]), 1e-15);
        EXPECT_TRUE(contact.slides);
        EXPECT_GT(contact.velocity[1] * slips(static_cast<Eigen::Index>(i)), 0);
        EXPECT_GT(contact.velocity[1] * contact.law.slip[0], 0);
      }
    }
    EXPECT_EQ(scene.build(0).initial.v.norm(), 0);
    EXPECT_EQ(scene.build(1).initial.v.norm(), 0);
    const Eigen::Vector3d end = to_planar(scene.build(1).initial.q).head<3>();
    EXPECT_LE((end - example.task.to).norm(), 1e-15);
  }
}

/// A of the library is that of the formulas of planar_grasp.h, and what is told of it is right.
TEST(Syk, MatrixIsThatOfPlanarFormulas) {
  for (const auto& [name, example] : both()) {
    Scene scene(name);
    for (const double t : {0.05, 0.3, 0.5, 0.63, 0.9}) {
      SCOPED_TRACE(fmt::format("{}, t = {}", name, t));
      const Instant instant = scene.solve(t);
      const MatrixX<double> A = make_sliding_matrix(instant.proof->problem);
      const test::Vector7 plan = example.plan(t);
      const test::Matrix4 expected = example.grasp.calc_A(plan, example.plan_slips(plan).cwiseSign());
      EXPECT_LE((A - expected).norm(), 1e-10 * expected.norm());
      EXPECT_EQ(test_p_matrix(A).is_P, test::calc_least_minor(expected) > 0);
      EXPECT_EQ(instant.determinate, test_p_matrix(A).is_P);
    }
  }
}

TEST(SykRotation, IsDeterminateOnTheWholePlannedPath) {
  const PlanarExample example = PlanarExample::rotate();
  double least = 1;
  for (int i = 1; i < 200; ++i) least = std::min(least, example.calc_least_minor(i / 200.0));
  fmt::print("least principal minor {:.2g}, in units of the largest entry\n", least);
  EXPECT_GT(least, 1e-3);
  Scene scene("rotate");
  for (double t = 0; t < 1; t += 0.0625) {  // at t = 0 as declared
    const Instant instant = scene.solve(t);
    EXPECT_EQ(instant.verdict, Verdict::unique) << t;
    EXPECT_TRUE(instant.determinate) << t;
  }
}

TEST(SykTranslation, IsDeterminateAtTwoTenthsAndNotAtFive) {
  Scene scene("translate");
  EXPECT_TRUE(scene.is_determinate(0.2));
  EXPECT_FALSE(scene.is_determinate(0.5));
}

/// SYK change to the compliant model at 0.420 s and back at 0.643 s, of a simulated run under a feedback law of which
/// the paper does not give the numbers. On the planned motion itself A stops being P at 0.436 s (1.7 mm further) and is
/// P again where the slips of links 2 and 4 reverse.
TEST(SykTranslation, IsNotDeterminateInTheMiddleUntilTheSlipsOfTheSecondLinksReverse) {
  Scene scene("translate");
  const PlanarExample example = PlanarExample::translate();
  const auto is_determinate = [&](double t) { return scene.is_determinate(t); };
  const auto is_P = [&](double t) { return example.calc_least_minor(t) > 0; };
  const double lost = find_change(0.2, 0.5, is_determinate), regained = find_change(0.5, 0.8, is_determinate);
  const double reversed =
      find_change(0.5, 0.8, [&](double t) { return scene.solve(t).contacts[kLink2].velocity[1] > 0; });
  fmt::print("on the planned path determinate until {:.4f} s and from {:.4f} s\n", lost, regained);
  EXPECT_NEAR(lost, 0.420, 0.02);
  EXPECT_NEAR(regained, 0.643, 0.03);
  EXPECT_NEAR(regained, reversed, 2e-6);
  EXPECT_NEAR(lost, find_change(0.2, 0.5, is_P), 2e-6);
  EXPECT_NEAR(regained, find_change(0.5, 0.8, is_P), 2e-6);
  for (double t = 0.05; t < 1; t += 0.05) {
    const Instant instant = scene.solve(t);
    EXPECT_EQ(instant.determinate, t < lost || t > regained) << t;
    // Slips of mirrored links are opposite; those of the first links never reverse.
    EXPECT_GT(instant.contacts[kLink1].velocity[1], 0);
    EXPECT_EQ(instant.contacts[kLink2].velocity[1] > 0, t > reversed) << t;
    EXPECT_NEAR(instant.contacts[kLink3].velocity[1], -instant.contacts[kLink1].velocity[1], 1e-15);
    EXPECT_NEAR(instant.contacts[kLink4].velocity[1], -instant.contacts[kLink2].velocity[1], 1e-15);
  }
}

/// Fig. 10: the region of friction coefficients in which A is P holds the origin, where A is definite, and (0.8, 0.6)
/// at 0.2 s; at 0.5 s it is smaller. It does not depend on what the actuators do.
TEST(SykTranslation, RegionOfDeterminateFrictionShrinks) {
  constexpr int kCount = 11;
  std::array<int, 2> inside{};
  for (const std::size_t k : {0U, 1U}) {
    Scene scene("translate");
    for (int i = 0; i < kCount; ++i) {
      for (int j = 0; j < kCount; ++j) {
        scene.set("mu1", 1.2 * (i + 0.5) / kCount);
        scene.set("mu2", 1.2 * (j + 0.5) / kCount);
        scene.set("grasp1", 1 + 0.3 * i);
        const Instant instant = scene.solve(k == 0 ? 0.2 : 0.5);
        EXPECT_EQ(instant.determinate, test_p_matrix(make_sliding_matrix(instant.proof->problem)).is_P);
        inside[k] += instant.determinate;
      }
    }
  }
  fmt::print("determinate at {} and {} of {} points\n", inside[0], inside[1], kCount * kCount);
  EXPECT_GT(inside[0], inside[1]);
  EXPECT_GT(inside[1], 0);
  EXPECT_LT(inside[0], kCount * kCount);
}

/// The law of control makes the planned motion an answer: the object accelerates as its path does, contacts stay, all
/// normal forces are positive. Where A is P it is the only one.
TEST(Syk, LawMakesThePlannedMotionAnAnswer) {
  for (const auto& [name, example] : both()) {
    Scene scene(name);
    for (const double t : {0.0, 0.1, 0.3, 0.5, 0.7, 0.9}) {
      SCOPED_TRACE(fmt::format("{}, t = {}", name, t));
      const Instant instant = scene.solve(t);
      const Eigen::Vector3d wanted = example.task.acceleration(t);
      const auto is_planned = [&](const InstantCell& cell) {
        const bool holds = std::all_of(cell.forces.begin(), cell.forces.end(), [](const auto& f) { return f[0] > 0; });
        return holds && (cell.vdot.tail<3>() - wanted).norm() < 1e-7;
      };
      const auto planned = std::find_if(instant.cells.begin(), instant.cells.end(), is_planned);
      ASSERT_NE(planned, instant.cells.end());
      if (instant.determinate) {
        EXPECT_EQ(instant.cells.size(), 1U);
      }
      // Newton and Euler for the ellipse, with the contacts of the other formulation.
      const test::Vector7 q = example.plan(t);
      const test::PlanarContacts contacts = example.grasp.find_contacts(q);
      const test::Matrix47 W = example.grasp.calc_sliding_rows(contacts, example.plan_slips(q).cwiseSign());
      test::Vector4 normal;
      for (int i = 0; i < 4; ++i) normal(i) = planned->forces[static_cast<std::size_t>(i)][0];
      const Eigen::Vector3d force = W.leftCols<3>().transpose() * normal;
      const Eigen::Vector3d mass(example.grasp.mass, example.grasp.mass, example.grasp.inertia);
      EXPECT_LE((force - mass.cwiseProduct(wanted)).norm(), 1e-8);
    }
  }
}

/// The object of a run is on its path.
void expect_on_path(const Trace& trace, const test::PlanarTask& task, double tolerance) {
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  for (const Sample& row : trace.samples) {
    EXPECT_LE((row.state.q.tail<3>() - task.position(row.state.t)).norm(), tolerance) << row.state.t;
  }
}

TEST(SykRotation, RunFollowsThePathAndStaysDeterminate) {
  const PlanarExample example = PlanarExample::rotate();
  const Trace trace = record(Scene("rotate").build(0));
  expect_on_path(trace, example.task, 1e-7);  // ten times the tolerance of a step: about a hundred of them
  // As declared, friction opposes the slip that is about to start from the first row on: nothing begins or turns.
  EXPECT_EQ(trace.report.events[static_cast<std::size_t>(EventKind::slip)], 0);
  const VerdictInterval& known = trace.report.verdicts.at(0);
  EXPECT_EQ(known.verdict, Verdict::unique);
  EXPECT_TRUE(known.determinate);
  EXPECT_GT(known.to, 0.999);
  EXPECT_LT(trace.samples[0].contacts[0].slip[0], 1e-300);
  EXPECT_GT(trace.samples[0].contacts[0].force_on_A.along_T, 0);
  for (const Sample& row : trace.samples) {
    const double t = row.state.t;
    if (!(t > 0 && t < 1)) continue;
    ASSERT_EQ(row.contacts.size(), 4U);
    test::Vector4 direction;
    for (int i = 0; i < 4; ++i) {
      const Contact& contact = row.contacts[static_cast<std::size_t>(i)];
      EXPECT_EQ(contact.mode, ContactMode::slide) << contact.name << " at " << t;
      EXPECT_GT(contact.force_on_A.normal, 0);
      EXPECT_NEAR(contact.force_on_A.along_T, -0.1 * contact.force_on_A.normal * std::copysign(1, contact.slip[0]),
                  1e-12);
      direction(i) = std::copysign(1, contact.slip[0]);
    }
    EXPECT_GT(test::calc_least_minor(example.grasp.calc_A(to_planar(row.state.q), direction)), 1e-3) << t;
  }
}

/// The slips of links 2 and 4 reverse in the run where they do on the planned path (SYK Fig. 13b), those of links 1 and
/// 3 do not; forces jump there (Fig. 12), since friction does.
TEST(SykTranslation, SlipsOfTheSecondLinksReverseInTheRun) {
  const PlanarExample example = PlanarExample::translate();
  Scenario scenario = Scene("translate").build(0);
  for (PairRule& pair : scenario.contacts->pairs) pair.law.model = ContactModel::rigid;
  const Trace trace = record(scenario);
  // While the law passes from one sign of friction to the other, for about 8 ms, it is wrong by up to 2 x 0.6 of normal
  // forces below 0.2 N: a quarter of that time squared, times 0.1 m/s², is 2e-6 m; 5.2e-6 m were found.
  expect_on_path(trace, example.task, 1e-5);
  const double planned =
      find_change(0.5, 0.8, [&](double t) { return example.plan_slips(example.plan(t))(kLink2) > 0; });
  std::vector<double> reversals;
  for (const Event& event : trace.events) {
    const bool is_second = event.where() == "object/left.link2" || event.where() == "object/right.link4";
    if (event.kind == EventKind::slip) {
      EXPECT_TRUE(is_second) << event.where();
      reversals.push_back(event.t);
    }
  }
  ASSERT_EQ(reversals.size(), 2U);
  EXPECT_NEAR(reversals[0], planned, 1e-4);  // 2e-6 m at 0.1 m/s, and some
  EXPECT_EQ(reversals[0], reversals[1]);
  for (const Sample& row : trace.samples) {
    const double t = row.state.t;
    if (t < 0.01 || t > 0.99) continue;
    EXPECT_GT(row.contacts[kLink1].slip[0], 0) << t;
    EXPECT_EQ(row.contacts[kLink2].slip[0] > 0, t > planned) << t;
    EXPECT_EQ(row.contacts[kLink4].slip[0]<0, t> planned) << t;
  }
}

/// The largest distance of the object in two runs, and the largest difference of a force from `start` on, as a part of
/// the largest one then.
struct Difference {
  double position = 0, force = 0;
};
Difference compare(const Trace& a, const Trace& b, double start) {
  Difference out;
  EXPECT_EQ(b.report.status, RunStatus::done) << b.report.reason;
  std::size_t k = 0;
  for (const Sample& row : a.samples) {
    while (k < b.samples.size() && b.samples[k].state.t < row.state.t) ++k;
    if (k == b.samples.size() || b.samples[k].state.t != row.state.t) continue;
    const Sample& other = b.samples[k];
    out.position = std::max(out.position, (row.state.q - other.state.q).segment<2>(4).norm());
    if (row.state.t < start || row.state.t > 0.95) continue;  // in the end all forces go to 0
    double largest = 0, difference = 0;
    for (const Contact& contact : row.contacts) {
      const auto same = std::find_if(other.contacts.begin(), other.contacts.end(),
                                     [&](const Contact& c) { return c.name == contact.name; });
      largest = std::max(largest, contact.force_on_A.normal);
      const ContactForce force = same == other.contacts.end() ? ContactForce{} : same->force_on_A;
      difference = std::max({difference, std::abs(contact.force_on_A.normal - force.normal),
                             std::abs(contact.force_on_A.along_T - force.along_T)});
    }
    out.force = std::max(out.force, difference / largest);
  }
  return out;
}

/// SYK Figs 7, 8: compliant runs approach the rigid one, to first order in ε where layers start with the rigid
/// forces. From layers without force the order is less, since links first have to come near.
TEST(SykRotation, CompliantRunsApproachTheRigidOne) {
  Scene scene("rotate");
  const Trace rigid = record(scene.build(0));
  ASSERT_TRUE(rigid.report.switches.empty());
  scene.set("contacts.law=compliant");
  for (const bool is_loaded : {false, true}) {
    scene.set(fmt::format("contacts.start={}", is_loaded ? "loaded" : "unloaded"));
    std::optional<Difference> before;
    for (const double epsilon : {1e-3, 5e-4, 2.5e-4}) {
      scene.set("epsilon", epsilon);
      const Difference difference = compare(rigid, record(scene.build(0)), 0.25);
      const double order = before ? std::log2(before->position / difference.position) : 0;
      fmt::print("{} layers, epsilon {}: {:.4f} mm (order {:.2f}), forces {:.1f} % from 0.25 s on\n",
                 is_loaded ? "loaded" : "unloaded", epsilon, 1e3 * difference.position, order, 100 * difference.force);
      EXPECT_LE(difference.position, 1e-3);
      if (is_loaded) {
        EXPECT_LE(difference.force, 0.05);
      }
      if (before && is_loaded) {
        EXPECT_GE(order, 0.9);
      }
      before = difference;
    }
  }
}

/// SYK Figs 11–13: over to the compliant model and back.
TEST(SykTranslation, GoesOverToTheCompliantModelAndBack) {
  Scene scene("translate");
  Scenario scenario = scene.build(0);
  scenario.run.sample = 5e-4;
  const Trace trace = record(scenario);
  ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
  const std::vector<ModelSwitch>& switches = trace.report.switches;
  ASSERT_EQ(switches.size(), 2U);
  fmt::print("over at {:.4f} s and back at {:.4f} s, where forces differ by {:.3f} of the largest\n", switches[0].t,
             switches[1].t, switches[1].disagreement);
  EXPECT_TRUE(switches[0].to_compliant);
  EXPECT_GE(switches[0].t, 0.39);
  EXPECT_LE(switches[0].t, 0.45);
  EXPECT_FALSE(switches[1].to_compliant);
  EXPECT_GE(switches[1].t, 0.61);
  EXPECT_LE(switches[1].t, 0.67);
  EXPECT_EQ(switches[0].contacts.size(), 4U);
  // Within half a millisecond around the way over forces change by less than a hundredth.
  const auto after = std::find_if(trace.samples.begin(), trace.samples.end(),
                                  [&](const Sample& row) { return row.state.t > switches[0].t; });
  ASSERT_NE(after, trace.samples.end());
  const Sample& before = *(after - 1);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(after->contacts[i].force_on_A.normal, before.contacts[i].force_on_A.normal,
                0.01 * before.contacts[0].force_on_A.normal);
    EXPECT_NEAR(after->contacts[i].force_on_A.along_T, before.contacts[i].force_on_A.along_T,
                0.01 * before.contacts[0].force_on_A.normal);
  }
  // Slips of links 2 and 4 reverse, once.
  for (const std::size_t i : {kLink2, kLink4}) {
    const double sign = i == kLink2 ? 1 : -1;
    int reversals = 0;
    for (std::size_t k = 1; k < trace.samples.size(); ++k) {
      const double t = trace.samples[k].state.t;
      if (t < 0.01 || t > 0.99) continue;
      reversals +=
          sign * trace.samples[k - 1].contacts[i].slip[0] < 0 && sign * trace.samples[k].contacts[i].slip[0] > 0;
    }
    EXPECT_EQ(reversals, 1) << i;
  }
  for (const Sample& row : trace.samples) {
    EXPECT_LE((row.state.q.tail<3>() - PlanarExample::translate().task.position(row.state.t)).norm(), 1e-3);
  }
}

/// What is lost at 0.436 s is stability against a motion to one side: mirrored links move oppositely. Motions that are
/// symmetric stay stable, so that the perfect task meets nothing of it; a part in a million of asymmetry does, the
/// sooner the stiffer the layer.
TEST(SykTranslation, LosesStabilityAgainstAsymmetryOnly) {
  const PlanarExample example = PlanarExample::translate();
  for (const double t : {0.42, 0.43, 0.44, 0.5, 0.6}) {
    const test::Vector7 q = example.plan(t);
    const test::Matrix4 A = example.grasp.calc_A(q, example.plan_slips(q).cwiseSign());
    const Eigen::Matrix2d own = A.topLeftCorner<2, 2>(), other = A.topRightCorner<2, 2>();
    const Eigen::Vector2d together = eigenvalues_of(own + other).real();
    const Eigen::Vector2d opposite = eigenvalues_of(own - other).real();
    EXPECT_GT(together.minCoeff(), 0) << t;
    EXPECT_EQ(opposite.minCoeff() > 0, t < 0.436) << t;
  }
  for (const double epsilon : {1e-3, 1e-4, 1e-5}) {
    Scene scene("translate");
    scene.set("epsilon", epsilon);
    scene.set("hands.left.bodies.link2.mass=0.5000005");
    const Trace trace = record(scene.build(0));
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    ASSERT_GE(trace.report.switches.size(), 2U);
    EXPECT_NEAR(trace.report.switches[0].t, 0.42, 0.03);
    EXPECT_EQ(trace.report.bridged_s, 0);
    EXPECT_NEAR(trace.report.last.q(5), 0.18, 2e-3);
    const auto lifts = std::find_if(trace.events.begin(), trace.events.end(),
                                    [](const Event& event) { return event.kind == EventKind::break_away; });
    if (epsilon == 1e-3) {
      // No link lifts while the layers carry the load. After the return to rigid bodies one may: at the end of the path
      // slip comes to rest, and links press with a thousandth of their force.
      EXPECT_TRUE(lifts == trace.events.end() || lifts->t > trace.report.switches[1].t) << lifts->t;
      EXPECT_NEAR(trace.report.switches[1].t, 0.64, 0.03);
      continue;
    }
    // The law knows the heavier link, so that forces stay as planned. Which of the outer links lifts, and when rigid
    // bodies come back, is up to rounding, likely amplified where A becomes singular (docs/syk.md).
    ASSERT_NE(lifts, trace.events.end());
    EXPECT_TRUE(lifts->where() == "object/left.link2" || lifts->where() == "object/right.link4") << lifts->where();
    EXPECT_GT(trace.report.switches[1].t, lifts->t);
  }
}

/// A push of a micronewton that the law does not know decides which link lifts, and does so where A becomes singular.
TEST(SykTranslation, APushThatTheLawDoesNotKnowDecidesWhichLinkLifts) {
  for (const double push : {1e-6, -1e-6}) {
    SCOPED_TRACE(push);
    Scene scene("translate");
    scene.set("epsilon", 1e-4);
    scene.set("run.until=0.437");
    scene.set(fmt::format("wrenches=[{{body: left.link2, force: [{}, 0, 0]}}]", push));
    const Trace trace = record(scene.build(0));
    ASSERT_EQ(trace.report.status, RunStatus::done) << trace.report.reason;
    const auto lifts = std::find_if(trace.events.begin(), trace.events.end(),
                                    [](const Event& event) { return event.kind == EventKind::break_away; });
    ASSERT_NE(lifts, trace.events.end());
    EXPECT_EQ(lifts->where(), push > 0 ? "object/left.link2" : "object/right.link4");
    EXPECT_NEAR(lifts->t, 0.43569, 1e-5);
  }
}

/// Without any asymmetry but rounding, links lift all the same when the layer is stiff enough, and the run goes on.
TEST(SykTranslation, RoundingIsEnoughForStiffLayers) {
  for (const double epsilon : {3e-5, 1e-5}) {
    Scene scene("translate");
    scene.set("epsilon", epsilon);
    const Trace trace = record(scene.build(0));
    ASSERT_EQ(trace.report.status, RunStatus::done) << epsilon << ": " << trace.report.reason;
    EXPECT_EQ(trace.report.bridged_s, 0);
    EXPECT_GT(trace.report.events[static_cast<std::size_t>(EventKind::break_away)], 0);
  }
}

/// Another motion: the ellipse is shifted and turned at once, along a path that the scenes were not made for.
TEST(Syk, LawFollowsOtherPaths) {
  const Scenario scenario = [] {
    ScenarioDocument document(std::string(THENAR_SOURCE_DIR) + "/scenes/syk/rotate.yaml");
    document.set(
        "control[0].whole_arm.targets=[[0, {xyz: [0, 0.152, 0], rpy: [0, 0, 70 deg]}], "
        "[1, {xyz: [0.01, 0.165, 0], rpy: [0, 0, 80 deg]}]]");
    return document.build();
  }();
  constexpr double kDegree = std::numbers::pi / 180;
  expect_on_path(record(scenario), {{0, 0.152, 70 * kDegree}, {0.01, 0.165, 80 * kDegree}}, 1e-7);
}

}  // namespace
}  // namespace thenar::syk_test
