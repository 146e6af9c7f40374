// SPDX-License-Identifier: BSD-3-Clause
/// Three fingers of three joints around a ball (scenes/three_finger_ball.yaml). The Jacobian of each finger's contact
/// is regular, so that forces at rest follow from torques: `squeeze` inwards, `lift` upwards, nothing sideways. The
/// ball can rest if these are in their cones, lift ≤ μ squeeze; whether that is the only answer the proof tells.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "newton_euler.h"
#include "thenar/complementarity/grade.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/instant/instant_proof.h"
#include "thenar/io/scenario/scenario_reader.h"

namespace thenar::three_finger_test {
namespace {

constexpr double kGravity = 9.81, kMass = 0.1;

class ThreeFingers {
 public:
  ThreeFingers() : document_(std::string(THENAR_SOURCE_DIR) + "/scenes/three_finger_ball.yaml") {}

  void set(const std::string& name, double value) { document_.set(fmt::format("parameters.{}={}", name, value)); }
  void set_cone(const std::string& cone) { document_.set("contacts.cone=" + cone); }

  /// Solves, and checks what every answer has to obey.
  Instant solve() {
    const Scenario scenario = document_.build();
    Instant out = solve_instant(scenario, scenario.initial);
    EXPECT_EQ(out.contacts.size(), 3U);
    for (const InstantCell& cell : out.cells) EXPECT_LE(test::calc_momentum_residual(scenario, out, cell), 1e-10);
    for (const ModeCell& cell : out.proof->answer.cells) {
      EXPECT_LE(grade_solution(out.proof->problem, {cell.z.data(), static_cast<std::size_t>(cell.z.size())}).worst(),
                1e-10);
    }
    return out;
  }

 private:
  ScenarioDocument document_;
};

/// Velocity of the ball's middle.
Eigen::Vector3d ball_acceleration(const InstantCell& cell) { return cell.vdot.tail<3>(); }

/// Force of a contact on the ball.
Eigen::Vector3d find_force(const Instant& instant, std::size_t contact) {
  const FoundContact& place = instant.contacts[contact].place;
  const auto& f = instant.cells.front().forces[contact];
  const auto sum = place.N * f[0] + place.T * f[1] + place.U * f[2];
  return {sum.x, sum.y, sum.z};
}

Eigen::Matrix3d turn_about_z(double angle) {
  return Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
}
constexpr double kThird = 2 * std::numbers::pi / 3;

bool all_are(const InstantCell& cell, std::initializer_list<ContactMode> allowed) {
  return std::all_of(cell.modes.begin(), cell.modes.end(), [&](ContactMode mode) {
    return std::find(allowed.begin(), allowed.end(), mode) != allowed.end();
  });
}

TEST(ThreeFingers, HoldTheBallIfAndOnlyIfFrictionCarriesIt) {
  ThreeFingers fingers;
  for (const char* cone : {"circular", "box", "4", "8", "16"}) {
    fingers.set_cone(cone);
    for (const double mu : {0.2, 0.5, 0.9}) {
      for (const double load : {0.0, 0.7, 2.0}) {
        const double lift = (kMass * kGravity + load) / 3;
        for (const double share : {0.5, 0.99, 1.01, 3.0}) {
          const double squeeze = share * lift / mu;
          SCOPED_TRACE(fmt::format("cone {}, mu {}, load {}, squeeze {}", cone, mu, load, squeeze));
          fingers.set("mu", mu), fingers.set("load", load), fingers.set("squeeze", squeeze);
          const Instant instant = fingers.solve();
          ASSERT_EQ(instant.cells.size(), 1U);
          const InstantCell& cell = instant.cells.front();
          const bool is_held = share > 1;
          EXPECT_EQ(instant.verdict, Verdict::unique);
          if (is_held) {
            EXPECT_TRUE(all_are(cell, {ContactMode::roll, ContactMode::stick}));
            EXPECT_LE(cell.vdot.norm(), 1e-9 * instant.proof->vdot_free.norm());
            // The given forces themselves.
            EXPECT_NEAR(find_force(instant, 0).x(), -squeeze, 1e-12 * squeeze);
            EXPECT_NEAR(find_force(instant, 0).z(), lift, 1e-12 * squeeze);
          } else {
            // Fingers that slip down the ball may be pulled off it.
            EXPECT_TRUE(all_are(cell, {ContactMode::slide}) || all_are(cell, {ContactMode::open}));
            EXPECT_LT(ball_acceleration(cell).z(), -1e-3 * kGravity);
          }
          // By symmetry forces are equal and in the plane of their finger, and the ball moves along z.
          EXPECT_LE(ball_acceleration(cell).head<2>().norm(), 1e-9 * kGravity);
          const Eigen::Vector3d first = find_force(instant, 0);
          EXPECT_LE(std::abs(first.y()), 1e-10 * first.norm());
          for (std::size_t i = 1; i < 3; ++i) {
            const Eigen::Vector3d expected = turn_about_z(static_cast<double>(i) * kThird) * first;
            EXPECT_LE((find_force(instant, i) - expected).norm(), 1e-10 * first.norm());
          }
        }
      }
    }
  }
}

TEST(ThreeFingers, LetTheBallFallWhenTheyOpen) {
  ThreeFingers fingers;
  fingers.set("squeeze", -1);
  fingers.set("load", 0.3);
  const Instant instant = fingers.solve();
  EXPECT_EQ(instant.verdict, Verdict::unique);
  EXPECT_TRUE(all_are(instant.cells.at(0), {ContactMode::open}));
  EXPECT_NEAR(ball_acceleration(instant.cells[0]).z(), -kGravity - 0.3 / kMass, 1e-12 * kGravity);
}

/// Which finger is stronger only turns the answer. Corners of polygons with 4 j faces stand alike at all fingers: along
/// the horizontal and the vertical tangent.
TEST(ThreeFingers, AreAlike) {
  for (const char* cone : {"box", "8", "circular"}) {
    for (const double trim : {-1.9, -0.8, 0.5, 2.0, 6.0}) {
      SCOPED_TRACE(fmt::format("cone {}, trim {}", cone, trim));
      std::vector<Instant> instants;
      for (const char* name : {"trim1", "trim2", "trim3"}) {
        ThreeFingers fingers;
        fingers.set_cone(cone);
        fingers.set(name, trim);
        instants.push_back(fingers.solve());
      }
      ASSERT_EQ(instants[0].cells.size(), 1U);
      const Eigen::Vector3d first = ball_acceleration(instants[0].cells[0]);
      EXPECT_LT(trim * first.x(), 0);  // a stronger finger pushes the ball away
      for (std::size_t i = 1; i < 3; ++i) {
        EXPECT_EQ(instants[i].verdict, instants[0].verdict);
        ASSERT_EQ(instants[i].cells.size(), 1U);
        const Eigen::Matrix3d R = turn_about_z(static_cast<double>(i) * kThird);
        EXPECT_LE((ball_acceleration(instants[i].cells[0]) - R * first).norm(), 1e-9 * kGravity);
        for (std::size_t c = 0; c < 3; ++c) {
          EXPECT_EQ(instants[i].cells[0].modes[(c + i) % 3], instants[0].cells[0].modes[c]);
          EXPECT_LE((find_force(instants[i], (c + i) % 3) - R * find_force(instants[0], c)).norm(), 1e-8);
        }
      }
    }
  }
}

}  // namespace
}  // namespace thenar::three_finger_test
