// SPDX-License-Identifier: BSD-3-Clause
//
// models/chan_hand.yaml against Chan (1998), Appendix B.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "thenar/dynamics/kinematics.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/spatial/rotation.h"

namespace thenar::chan_hand_test {
namespace {

constexpr double kL1 = 0.025, kL2 = 0.045, kL3 = 0.040;

Scenario read_hand() {
  return read_scenario_or_model(std::filesystem::path(THENAR_SOURCE_DIR) / "models/chan_hand.yaml").scenario;
}

/// Chan (B.3) and the position below it: the frame at the tip in the frame of the first joint.
Pose<double> chan_forward(double t1, double t2, double t3) {
  const double c1 = std::cos(t1), s1 = std::sin(t1), c23 = std::cos(t2 + t3), s23 = std::sin(t2 + t3);
  const double out = kL1 + kL2 * std::cos(t2) + kL3 * c23;
  Pose<double> X;
  X.R << c1 * c23, -c1 * s23, s1, s1 * c23, -s1 * s23, -c1, s23, c23, 0;
  X.p << c1 * out, s1 * out, kL2 * std::sin(t2) + kL3 * s23;
  return X;
}

Pose<double> pose_of(const Model& model, const Workspace<double>& workspace, const std::string& body) {
  const Placement<double> X = calc_body_pose(model, workspace, *model.find_body("chan_hand." + body));
  return {X.R.eigen(), X.p.eigen()};
}

TEST(ChanHand, FingersAreTheDenavitHartenbergProductsOfTheSource) {
  const Model model = read_hand().model;
  Workspace<double> workspace(model);
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> angle(-1, 1);
  for (int round = 0; round < 20; ++round) {
    VectorX<double> q = VectorX<double>::NullaryExpr(15, [&] { return angle(generator); });
    update_positions(model, q.data(), workspace);
    for (const std::string finger : {"thumb", "index", "middle", "ring", "pinkie"}) {
      const auto at = [&](int k) {
        return q(model.joint(*model.find_joint("chan_hand." + finger + "_" + std::to_string(k))).q_start);
      };
      const Pose<double> root = pose_of(model, workspace, finger + "_root");
      const Pose<double> tip = pose_of(model, workspace, finger + "_3");
      const Pose<double> expected = root * chan_forward(at(1), at(2), at(3));
      EXPECT_NEAR((tip.R - expected.R).norm(), 0, 1e-14) << finger;
      EXPECT_NEAR((tip.p - expected.p).norm(), 0, 1e-15) << finger;
    }
  }
}

TEST(ChanHand, FingersStandUprightAndCloseOnEachOther) {
  const Model model = read_hand().model;
  Workspace<double> workspace(model);
  VectorX<double> q = VectorX<double>::Zero(15);
  update_positions(model, q.data(), workspace);
  EXPECT_NEAR(pose_of(model, workspace, "thumb_3").p.z(), kL1 + kL2 + kL3, 1e-15);
  const double open = (pose_of(model, workspace, "middle_3").p - pose_of(model, workspace, "thumb_3").p).x();
  EXPECT_NEAR(open, 0.09, 1e-15);
  for (const Joint& joint : model.joints()) {
    const bool bends = joint.nv > 0 && !joint.spec.name.ends_with("_1");
    if (bends) q(joint.q_start) = 0.3;
  }
  q(model.joint(*model.find_joint("chan_hand.ring_1")).q_start) = 0.1;
  update_positions(model, q.data(), workspace);
  EXPECT_GT(pose_of(model, workspace, "ring_3").p.y(), 0.012);  // towards the pinkie
  // Both sides come in by l2 sin 0.3 + l3 sin 0.6.
  const double way = kL2 * std::sin(0.3) + kL3 * std::sin(0.6);
  EXPECT_NEAR((pose_of(model, workspace, "middle_3").p - pose_of(model, workspace, "thumb_3").p).x(), open - 2 * way,
              1e-15);
  EXPECT_NEAR(pose_of(model, workspace, "index_3").p.y(), -0.036, 1e-15);
  EXPECT_NEAR(pose_of(model, workspace, "pinkie_3").p.y(), 0.036, 1e-15);
}

TEST(ChanHand, LinksHaveTheirMassesLimitsAndTips) {
  const Scenario s = read_hand();
  EXPECT_EQ(s.model.velocity_count(), 15);
  EXPECT_EQ(s.model.stops().size(), 30u);
  EXPECT_TRUE((s.model.effort_limit().array() == 0.5).all());
  int links = 0;
  for (const Body& body : s.model.bodies()) links += body.mass.mass == 0.07 ? 1 : 0;
  EXPECT_EQ(links, 15);
  // The far end of each third capsule is a hemisphere about the body's origin.
  for (const BodyShape& placed : s.shapes) {
    if (!s.model.body(placed.body).name.ends_with("_3")) continue;
    const auto& capsule = std::get<Capsule>(placed.shape);
    const Vector3<double> end = placed.X_BS * Vector3<double>(0, 0, capsule.length / 2);
    EXPECT_NEAR(end.norm(), 0, 1e-16);
  }
}

}  // namespace
}  // namespace thenar::chan_hand_test
