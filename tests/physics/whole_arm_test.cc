// SPDX-License-Identifier: BSD-3-Clause
/// The law of whole-arm manipulation (control/whole_arm.h) in space: eight arms around an ellipsoid. Its efforts and
/// the forces that it plans on, laid on both bodies as wrenches, must move the object as its path and its error ask
/// for, and leave all contacts closed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "newton_euler.h"
#include "thenar/contact/contact_rows.h"
#include "thenar/control/whole_arm.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::whole_arm_test {
namespace {

constexpr double kKp = 30, kKd = 7, kFriction = 0.2, kTime = 0.3, kMargin = 0.05;
const Eigen::Vector3d kAxes(0.1, 0.08, 0.06);

std::string write(const Eigen::Vector3d& v) { return fmt::format("[{:.12g}, {:.12g}, {:.12g}]", v.x(), v.y(), v.z()); }

/// An arm of three joints whose last link ends in a ball that touches the ellipsoid in the direction d, nearly.
std::string write_arm(int number, const Eigen::Vector3d& d) {
  const double reach = 1 / d.cwiseQuotient(kAxes).norm();
  const Eigen::Vector3d base = 0.4 * d, elbow = -0.1 * d + Eigen::Vector3d(0.02, -0.03, 0.01 * number);
  const Eigen::Vector3d ball = (reach + 0.02) * d - base - elbow;
  return fmt::format(R"(
  - name: arm{0}
    base: {{xyz: {1}}}
    bodies:
      - {{name: upper, joint: {{name: a, type: revolute, axis: [1, 0.2, 0]}}, mass: 0.2 kg, com: {2}, inertia: [1e-4, 1e-4, 1e-4]}}
      - {{name: middle, parent: upper, joint: {{name: b, type: revolute, axis: [0, 1, 0.3], damping: 0.01, frame: {{xyz: {3}}}}},
         mass: 0.1 kg, com: {2}, inertia: [1e-4, 1e-4, 1e-4]}}
      - {{name: tip, parent: middle, joint: {{name: c, type: revolute, axis: [0.1, 0, 1]}}, mass: 0.1 kg,
         shape: {{sphere: 0.02}}, shape_pose: {{xyz: {4}}}}}
)",
                     number, write(base), write(elbow / 2), write(elbow), write(ball));
}

Scenario make_cage(double grasp) {
  std::string text = "thenar: 1\nname: cage\nhands:\n";
  std::string links;
  for (int i = 0; i < 8; ++i) {
    const Eigen::Vector3d corner((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1);
    text += write_arm(i, corner.normalized());
    links += fmt::format("{}arm{}.tip", i == 0 ? "" : ", ", i);
  }
  text += fmt::format(R"(
objects:
  - {{name: egg, shape: {{ellipsoid: {}}}, mass: 0.5 kg, com: [0.01, 0, -0.01], inertia: [1e-3, 1.2e-3, 1.5e-3]}}
contacts: {{friction: {}, margin: {}, pairs: [{{a: egg, b: "arm*"}}]}}
control:
  - whole_arm: {{body: egg, links: [{}], kp: {}, kd: {}, grasp: {},
      targets: [[0, {{xyz: [0, 0, 0]}}], [1, {{xyz: [0.02, -0.01, 0.03], rpy: [0.2, 0.1, -0.3]}}]]}}
run: {{until: 1}}
)",
                      write(kAxes), kFriction, kMargin, links, kKp, kKd, grasp);
  return parse_scenario(text, "cage");
}

struct Cage {
  Scenario scenario;
  std::unique_ptr<Controller> law;
  Workspace<double> workspace;
  ContactFinder finder;
  VectorX<double> tau;

  Cage(double grasp, unsigned seed)
      : scenario(make_cage(grasp)),
        law(scenario.controls.front().law->clone()),
        workspace(scenario.model),
        finder(scenario.model, scenario.shapes, *scenario.contacts),
        tau(VectorX<double>::Zero(scenario.model.velocity_count())) {
    const Model& model = scenario.model;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    VectorX<double> turn(model.velocity_count()), q = scenario.initial.q;
    for (double& x : turn) x = 0.01 * uniform(random);
    for (double& x : scenario.initial.v) x = 0.3 * uniform(random);
    integrate_position(model, q.data(), turn.data(), scenario.initial.q.data());
    law->prepare(model);
    law->add_efforts(model, kTime, scenario.initial.q.data(), scenario.initial.v.data(), tau.data());
    update_positions(model, scenario.initial.q.data(), workspace);
    update_velocities(model, scenario.initial.v.data(), workspace);
    finder.update(workspace, kMargin);
  }
  const std::vector<WholeArm::Plan>& plan() const { return dynamic_cast<const WholeArm&>(*law).plan(); }
  BodyIndex egg() const { return *scenario.model.find_body("egg"); }

  /// Accelerations under the efforts and the planned forces.
  VectorX<double> accelerate() {
    const Model& model = scenario.model;
    const State& state = scenario.initial;
    std::vector<BodyWrench<double>> wrenches;
    for (std::size_t i = 0; i < 8; ++i) {
      const double f = plan()[i].force;
      test::add_contact_wrenches(model, workspace, finder.contacts()[i],
                                 {f, -kFriction * f * plan()[i].slip[0], -kFriction * f * plan()[i].slip[1], 0},
                                 wrenches);
    }
    VectorX<double> forces = tau, out(model.velocity_count());
    add_passive_forces(model, state.q.data(), state.v.data(), forces.data());
    Workspace<double> scratch(model);
    forward_dynamics<double>(model, state.q.data(), state.v.data(), forces.data(), wrenches, scratch, out.data());
    return out;
  }
};

TEST(WholeArm, MovesTheObjectAsItsPathAsksAndKeepsContacts) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Cage cage(20, seed);
    const Model& model = cage.scenario.model;
    ASSERT_EQ(cage.finder.contacts().size(), 8U);
    ASSERT_EQ(cage.plan().size(), 8U);
    const VectorX<double> vdot = cage.accelerate();
    const double scale = vdot.norm();
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_GT(cage.plan()[i].force, 0.5);
      EXPECT_NEAR(std::hypot(cage.plan()[i].slip[0], cage.plan()[i].slip[1]), 1, 1e-12);
      const ContactRows rows = calc_contact_rows(model, cage.workspace, cage.finder, cage.finder.contacts()[i]);
      // Contacts stay; what is off the object comes back by the gains of its path.
      const double gap = std::max(cage.finder.contacts()[i].gap, 0.0);
      const double away = std::pow(gap / (WholeArm::kAway * kMargin), 4), part = away / (1 + away);
      const double back = part * (kKd * rows.J.row(0).dot(cage.scenario.initial.v) + kKp * gap);
      EXPECT_LE(std::abs(rows.J.row(0).dot(vdot) + rows.drift(0) + back), 1e-9 * scale);
    }
    // The error dynamics of the origin and of the axes, by the object's own coordinates (world axes). The path is
    // straight and turns about one axis; its middle is at the origin, the centre of mass off it.
    const double s = kTime, done = s * s * s * (10 - 15 * s + 6 * s * s), rate = 30 * s * s * (1 - s) * (1 - s),
                 second = 60 * s * (1 - s) * (1 - 2 * s);
    const Eigen::Vector3d shift(0.02, -0.01, 0.03);
    const Eigen::Matrix3d R_end =
        (Eigen::AngleAxisd(-0.3, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(0.1, Eigen::Vector3d::UnitY()) *
         Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitX()))
            .toRotationMatrix();
    const Eigen::AngleAxisd turn(R_end);
    const Eigen::Vector3d axis = turn.angle() * turn.axis(), com_B(0.01, 0, -0.01);
    const Eigen::Matrix3d R_d = Eigen::AngleAxisd(done * turn.angle(), turn.axis()).toRotationMatrix();
    const Placement<double> X = calc_body_pose(model, cage.workspace, cage.egg());
    const Motion<double> motion = calc_point_velocity(model, cage.workspace, cage.egg(), Vec3<double>(com_B));
    const Eigen::Vector3d w = motion.angular.eigen(), arm = X.R.eigen() * com_B, arm_d = R_d * com_B;
    const Eigen::Vector3d w_d = axis * rate, p_d = shift * done + arm_d, v_d = shift * rate + w_d.cross(arm_d);
    const Eigen::Vector3d a_d = shift * second + (axis * second).cross(arm_d) + w_d.cross(w_d.cross(arm_d));
    const Eigen::AngleAxisd off(R_d * X.R.eigen().transpose());
    const Eigen::Vector3d wanted_turn = axis * second + kKd * (w_d - w) + kKp * off.angle() * off.axis();
    const Eigen::Vector3d wanted = a_d + kKd * (v_d - motion.linear.eigen()) + kKp * (p_d - (X.p.eigen() + arm));
    // Angular velocity first, then that of the origin.
    const int first = model.joint(model.body(cage.egg()).joint).v_start;
    const Eigen::Vector3d alpha = vdot.segment<3>(first), origin = vdot.segment<3>(first + 3);
    EXPECT_LE((alpha - wanted_turn).norm(), 1e-7 * scale);
    EXPECT_LE((origin + alpha.cross(arm) + w.cross(w.cross(arm)) - wanted).norm(), 1e-7 * scale);
  }
}

/// Normal forces minimize Σ λ − g log λ among those that make the wrench: 1 − g/λ is orthogonal to forces that make
/// none. More grasp force is more of these.
TEST(WholeArm, ForcesAreTheCentreOfThoseThatMakeTheWrench) {
  std::array<double, 2> sums{};
  for (const std::size_t k : {0U, 1U}) {
    const double grasp = k == 0 ? 10 : 20;
    Cage cage(grasp, 1);
    const Model& model = cage.scenario.model;
    const int first = model.joint(model.body(cage.egg()).joint).v_start;
    MatrixX<double> G(6, 8);
    VectorX<double> slope(8);
    for (std::size_t i = 0; i < 8; ++i) {
      const ContactRows rows = calc_contact_rows(model, cage.workspace, cage.finder, cage.finder.contacts()[i]);
      const auto& [d_T, d_U] = cage.plan()[i].slip;
      const auto row = (rows.J.row(0) - kFriction * (d_T * rows.J.row(1) + d_U * rows.J.row(2))).eval();
      G.col(static_cast<Eigen::Index>(i)) = row.segment<6>(first).transpose();
      slope(static_cast<Eigen::Index>(i)) = 1 - grasp / cage.plan()[i].force;
      sums[k] += cage.plan()[i].force;
    }
    const MatrixX<double> internal = kernel_of(G.fullPivLu());
    ASSERT_EQ(internal.cols(), 2);
    EXPECT_LE((internal.transpose() * slope).norm(), 1e-8 * internal.norm());
  }
  EXPECT_GT(sums[1], 1.5 * sums[0]);
}

/// Forces that cannot be made are not asked for: links never pull, and efforts stay finite.
TEST(WholeArm, PressesLittleWhereOnlyPullingWouldHelp) {
  const std::string text = R"(
thenar: 1
name: pusher
gravity: [0, 0, 0]
hands: [{name: arm, bodies: [{name: rail, joint: {name: slide, type: prismatic, axis: [1, 0, 0]}, mass: 1 kg, shape: {sphere: 0.1}}]}]
objects: [{name: ball, shape: {sphere: 0.1}, mass: 1 kg, pose: {xyz: [0.2, 0, 0]}}]
contacts: {friction: 0}
control: [{whole_arm: {body: ball, links: [arm.rail], grasp: GRASP, targets: [[0, {xyz: [0.2, 0, 0]}], [1, {xyz: [SIDE, 0, 0]}]]}}]
run: {until: 1}
)";
  for (const auto& [end, grasp] : {std::pair(0.1, 3.0), std::pair(0.3, 3.0), std::pair(0.3, 1e-3)}) {
    std::string here = text;
    here.replace(here.find("SIDE"), 4, fmt::format("{}", end));
    here.replace(here.find("GRASP"), 5, fmt::format("{}", grasp));
    const Scenario scenario = parse_scenario(here, "pusher");
    const auto law = scenario.controls.front().law->clone();
    law->prepare(scenario.model);
    VectorX<double> tau = VectorX<double>::Zero(scenario.model.velocity_count());
    law->add_efforts(scenario.model, 0.2, scenario.initial.q.data(), scenario.initial.v.data(), tau.data());
    const double force = dynamic_cast<const WholeArm&>(*law).plan().at(0).force;
    const double wanted = (end - 0.2) * 60 * 0.2 * 0.8 * 0.6;  // m/s² of the path, and N for 1 kg
    if (wanted > WholeArm::kMost * grasp) {
      EXPECT_LE(force, WholeArm::kMost * grasp);
      EXPECT_GE(force, 0.99 * WholeArm::kMost * grasp);
    } else if (end > 0.2) {
      EXPECT_NEAR(force, wanted, 1e-8);
      EXPECT_NEAR(tau(0), 2 * wanted, 1e-8);  // moves itself, too
    } else {
      EXPECT_GE(force, 0);
      EXPECT_LE(force, 1e-4);
      EXPECT_NEAR(tau(0), wanted, 1e-4);
    }
  }
}

}  // namespace
}  // namespace thenar::whole_arm_test
