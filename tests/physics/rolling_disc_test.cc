// SPDX-License-Identifier: BSD-3-Clause
//
// Discs that roll on their edge: steady motions in closed form (derived in scenes/truth/rolling_disc.yaml), and motions
// that keep their energy.

#include "motion_scenes.h"

namespace thenar::rolling_disc_test {
namespace {

using namespace test;

/// The rate w about the disc's axis in steady motion, as in the scene.
double find_spin(double tilt, double W, double a, double h, double m) {
  const double s = std::sin(tilt), c = std::cos(tilt), lever = a * s + h * c;
  const double A = m * (a * a / 4 + h * h / 3), C = m * a * a / 2;
  return (A * W * W * s * c - m * kGravity * (a * c - h * s) + m * W * W * h * s * lever) /
         (W * (C * s + m * a * lever));
}

TEST(RollingDisc, PrecessesSteadilyAtTheClosedForm) {
  const double a = 0.1, m = 0.5;
  for (const double tilt : {20.0, 45.0, 60.0, 80.0}) {
    for (const double W : {1.5, 4.0}) {
      for (const double h : {2e-3, 1e-2}) {
        SCOPED_TRACE(fmt::format("tilt {} degrees, W = {}, h = {}", tilt, W, h));
        const double angle = tilt * M_PI / 180, s = std::sin(angle), c = std::cos(angle);
        const double spin = find_spin(angle, W, a, h, m), V = h * W * s - a * spin;
        if (tilt > 75 && V * V < kGravity * a / 3) continue;  // nearly upright and slow, it falls over (Routh)
        // Enough friction for the centripetal force; one turn of the circle.
        const Trace trace = run_scene("rolling_disc", {{"tilt", angle},
                                                       {"W", W},
                                                       {"h", h},
                                                       {"mu", 1.5 * std::abs(W * V) / kGravity + 0.1},
                                                       {"run.until", 2 * M_PI / W},
                                                       {"run.sample", 0.05}});
        EXPECT_TRUE(trace.events.empty());
        const double radius = -V / W;
        const Eigen::Vector2d centre(0, -radius);
        double worst = 0, lean = 0;
        for (const Sample& sample : trace.samples) {
          const double phase = W * sample.state.t;
          const Eigen::Vector2d expected = centre + radius * Eigen::Vector2d(-std::sin(phase), std::cos(phase));
          worst = std::max(worst, (position(sample.state).head<2>() - expected).norm());
          worst = std::max(worst, std::abs(position(sample.state)(2) - (a * s + h * c)));
          const Eigen::Quaterniond turn(sample.state.q(3), sample.state.q(4), sample.state.q(5), sample.state.q(6));
          lean = std::max(lean, std::abs((turn * Vector3<double>(0, 0, 1))(2) - c));
        }
        // Errors of single steps, 1e-12 of angles and 1e-12 of 1 m/s, grow where the steady motion is not stable: at
        // low rates by e^(some sqrt(g/a) t); 1e-9 leaves room for three decades of it.
        EXPECT_LT(worst, 1e-9 * (1 + std::abs(radius)));
        EXPECT_LT(lean, 1e-9);
      }
    }
  }
}

TEST(RollingDisc, RollsStraightWhenUpright) {
  for (const double v : {0.0, 0.3, 2.0}) {
    for (const double h : {1e-3, 5e-2}) {
      SCOPED_TRACE(fmt::format("v = {}, h = {}", v, h));
      const Trace trace = run_scene("upright_disc", {{"v", v}, {"h", h}});
      EXPECT_TRUE(trace.events.empty());
      for (const Sample& sample : trace.samples) {
        const Vector3<double> expected(v * sample.state.t, 0, 0.1);
        EXPECT_LT((position(sample.state) - expected).norm(), 1e-10) << sample.state.t;
      }
    }
  }
}

TEST(EulersDisc, KeepsItsEnergyWhileItWobbles) {
  // Not steady: the disc rises and falls, its axis nods. Nothing slips, so that friction does no work.
  for (const double tilt : {10.0, 25.0}) {
    for (const double wobble : {-1.0, 1.0}) {
      SCOPED_TRACE(fmt::format("tilt {} degrees, wobble {}", tilt, wobble));
      const Trace trace =
          run_scene("rolling_disc", {{"tilt", tilt * M_PI / 180}, {"W", 20}, {"wobble", wobble}, {"mu", 3}});
      EXPECT_TRUE(trace.events.empty());
      double highest = 0, lowest = 1, worst = 0;
      const double start = trace.report.energy.start;
      for (const Sample& sample : trace.samples) {
        highest = std::max(highest, sample.state.q(2));
        lowest = std::min(lowest, sample.state.q(2));
        worst = std::max(worst, std::abs(sample.energy.kinetic + sample.energy.potential - start));
        EXPECT_NEAR(sample.energy.dissipated, 0,
                    4 * std::numeric_limits<double>::epsilon() * start);  // rounding of energies
      }
      EXPECT_GT(highest - lowest, 1e-4);
      EXPECT_LT(worst, 1e3 * kTolerance * start);  // some hundred steps
    }
  }
}

}  // namespace
}  // namespace thenar::rolling_disc_test
