// SPDX-License-Identifier: BSD-3-Clause
//
// What the measured tosses of cube_toss_test.cc tell of the cube by momentum alone, without any run and without any law
// of contact (docs/validation.md): its flight shows where the centre of mass is, and its first impact the inertia.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "cube_toss.h"

namespace thenar::cube_toss_balance_test {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

Eigen::Matrix3d make_cross_matrix(const Vector3d& a) {
  return (Eigen::Matrix3d() << 0, -a(2), a(1), a(2), 0, -a(0), -a(1), a(0), 0).finished();
}

/// Equations A x = b with more rows than unknowns.
struct Equations {
  MatrixXd A;
  VectorXd b;
};

struct Estimate {
  VectorXd x, deviation;  // least squares and its standard deviation
  double residual = 0;    // rms
};

Estimate solve_least_squares(const std::vector<Equations>& all) {
  MatrixXd normal = MatrixXd::Zero(all.front().A.cols(), all.front().A.cols());
  VectorXd right = VectorXd::Zero(normal.rows());
  double rows = 0, squares = 0;
  for (const auto& [A, b] : all)
    normal += A.transpose() * A, right += A.transpose() * b, rows += static_cast<double>(b.size());
  Estimate estimate;
  estimate.x = normal.ldlt().solve(right);
  for (const auto& [A, b] : all) squares += (A * estimate.x - b).squaredNorm();
  estimate.residual = std::sqrt(squares / rows);
  estimate.deviation = estimate.residual * normal.inverse().diagonal().cwiseSqrt();
  return estimate;
}

/// The same with less weight on equations that fit far worse than most.
Estimate solve_robustly(const std::vector<Equations>& all) {
  std::vector<Equations> weighted = all;
  Estimate estimate = solve_least_squares(weighted);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> residuals;
    for (const auto& [A, b] : all) residuals.push_back((A * estimate.x - b).norm());
    std::vector<double> sorted = residuals;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double weight = std::min(1.0, std::pow(2 * sorted[sorted.size() / 2] / residuals[i], 2));
      weighted[i] = {weight * all[i].A, weight * all[i].b};
    }
    estimate = solve_least_squares(weighted);
  }
  return estimate;
}

/// Of the flight of a toss, along a world axis: p = c + v t − g t²/2 e_z + R m for all frames, with c and v eliminated.
/// Unknowns: m, the middle of the cube relative to the centre of mass in body axes, and g.
Equations make_flight_equations(const Toss& toss, std::size_t count, int axis) {
  const auto n = static_cast<Eigen::Index>(count);
  MatrixXd line(n, 2), A(n, 4);
  VectorXd b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const CubeFrame& frame = toss.frames[static_cast<std::size_t>(i)];
    const double t = static_cast<double>(i) * kFrameTime;
    line.row(i) << 1, t;
    A.row(i) << frame.rotation.toRotationMatrix().row(axis), axis == 2 ? -0.5 * t * t : 0.0;
    b(i) = frame.position(axis);
  }
  const MatrixXd rest = MatrixXd::Identity(n, n) - line * (line.transpose() * line).inverse() * line.transpose();
  return {rest * A, rest * b};
}

/// In body axes.
Vector3d find_lowest_corner(const CubeFrame& frame) {
  const Vector3d up = frame.rotation.conjugate() * Vector3d::UnitZ();
  return (up.array() > 0).select(Vector3d::Constant(-0.5 * kCubeWidth), Vector3d::Constant(0.5 * kCubeWidth));
}

/// Height of the lowest corner but this one.
double calc_lowest_other(const CubeFrame& frame, const Vector3d& corner) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int flips = 1; flips < 8; ++flips) {
    const Vector3d signs((flips & 1) != 0 ? -1 : 1, (flips & 2) != 0 ? -1 : 1, (flips & 4) != 0 ? -1 : 1);
    lowest = std::min(lowest, (frame.position + frame.rotation * signs.cwiseProduct(corner))(2));
  }
  return lowest;
}

/// The first impact of a toss: changes of velocity at the time of the first frame with a corner in the table.
struct FirstImpact {
  Eigen::Matrix3d R;     // of the cube
  Vector3d r;            // from the middle to the corner, world
  Vector3d before;       // velocity of the corner
  Vector3d speed, spin;  // changes
};

/// Velocities before are those of the flight, after it those of three frames. Nothing where another corner comes near
/// the table in these frames.
std::optional<FirstImpact> measure_first_impact(const Toss& toss) {
  constexpr std::size_t kFrames = 2;
  const std::size_t down = count_flight_frames(toss, 0);
  if (down + 1 + kFrames >= toss.frames.size()) return {};
  const Vector3d corner = find_lowest_corner(toss.frames[down]);
  for (std::size_t i = down; i <= down + 1 + kFrames; ++i) {
    if (calc_lowest_other(toss.frames[i], corner) < 0.004) return {};
  }
  const CubeFrame start = prepare_start(toss, TossStart::flight).frames.front();
  const CubeFrame &from = toss.frames[down + 1], &to = toss.frames[down + 1 + kFrames];
  const Vector3d gravity(0, 0, -9.81);
  const double time = static_cast<double>(kFrames) * kFrameTime;
  FirstImpact impact;
  impact.R = toss.frames[down].rotation.toRotationMatrix();
  impact.r = impact.R * corner;
  // The impact is half a frame before `down` on average.
  const Vector3d before = start.velocity + (static_cast<double>(down) - 0.5) * kFrameTime * gravity;
  const Vector3d after = (to.position - from.position) / time - (0.5 * time + 1.5 * kFrameTime) * gravity;
  impact.before = before + start.spin.cross(impact.r);
  impact.speed = after - before;
  impact.spin = calc_mean_spin(from.rotation, to.rotation, time) - start.spin;
  return impact;
}

/// (r − R d) × P = I Δω and P = m (Δv + Δω × R d), to first order in d. Unknowns: I and d, the centre of mass relative
/// to the middle in body axes; the latter only if it is asked for.
Equations make_impact_equations(const FirstImpact& impact, bool with_offset) {
  MatrixXd A(3, with_offset ? 4 : 1);
  A.col(0) = impact.spin;
  if (with_offset) {
    A.rightCols(3) = -kCubeMass *
                     (make_cross_matrix(impact.speed) + make_cross_matrix(impact.r) * make_cross_matrix(impact.spin)) *
                     impact.R;
  }
  return {A, kCubeMass * impact.r.cross(impact.speed)};
}

double show_quartiles(const char* name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  std::printf("    %s: median %.3f, quartiles %.3f, %.3f\n", name, values[n / 2], values[n / 4], values[3 * n / 4]);
  return values[n / 2];
}

class CubeTossBalance : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const std::vector<Toss> all = read_tosses(kTrackedScale);
    if (all.empty()) GTEST_SKIP() << "needs ../shared/data/cube_toss";
    tosses_ = GetParam() ? select_training(all) : select_test(all);
  }

  std::vector<Toss> tosses_;
};

TEST_P(CubeTossBalance, FlightTellsTheCentreOfMass) {
  std::vector<Equations> equations;
  for (const Toss& toss : tosses_) {
    const std::size_t count = count_flight_frames(toss, 0.006);
    if (count < 6) continue;
    for (int axis = 0; axis < 3; ++axis) equations.push_back(make_flight_equations(toss, count, axis));
  }
  const Estimate estimate = solve_least_squares(equations);
  const Vector3d offset = -estimate.x.head<3>();
  std::printf(
      "centre of mass, flight: %.2f, %.2f, %.2f mm (± %.2f, %.2f, %.2f), g %.3f ± %.3f m/s², left over %.3f mm\n",
      1e3 * offset(0), 1e3 * offset(1), 1e3 * offset(2), 1e3 * estimate.deviation(0), 1e3 * estimate.deviation(1),
      1e3 * estimate.deviation(2), estimate.x(3), estimate.deviation(3), 1e3 * estimate.residual);
  EXPECT_NEAR(offset(2), 5.3e-3, 1.5e-3);
  EXPECT_LT(offset.head<2>().norm(), 2e-3);
  EXPECT_NEAR(estimate.x(3), 9.81, 0.03);  // with true lengths
}

TEST_P(CubeTossBalance, FirstImpactsTellTheInertia) {
  std::vector<Equations> central, general;
  std::vector<double> restitutions, frictions;
  for (const Toss& toss : tosses_) {
    const std::optional<FirstImpact> impact = measure_first_impact(toss);
    if (!impact) continue;
    central.push_back(make_impact_equations(*impact, false));
    general.push_back(make_impact_equations(*impact, true));
    const Vector3d change = impact->speed + impact->spin.cross(impact->r);
    restitutions.push_back(-(impact->before + change)(2) / impact->before(2));
    frictions.push_back(impact->speed.head<2>().norm() / impact->speed(2));
  }
  const Estimate one = solve_robustly(central), four = solve_robustly(general);
  std::printf("%zu first impacts of one corner. Centre of mass in the middle: inertia %.2e ± %.2e kg m²\n",
              central.size(), one.x(0), one.deviation(0));
  std::printf(
      "    elsewhere: inertia %.2e ± %.2e, centre of mass %.1f, %.1f, %.1f mm (± %.1f, %.1f, %.1f); left over %.0f "
      "%%\n",
      four.x(0), four.deviation(0), 1e3 * four.x(1), 1e3 * four.x(2), 1e3 * four.x(3), 1e3 * four.deviation(1),
      1e3 * four.deviation(2), 1e3 * four.deviation(3), 100 * four.residual / one.residual);
  EXPECT_NEAR(four.x(0), 1.1e-3, 0.15e-3);  // not 0.81e-3
  EXPECT_NEAR(four.x(3), 7e-3, 2.5e-3);
  // Half a frame more or less between the impact and the frames after it is 0.03.
  EXPECT_NEAR(show_quartiles("restitution", restitutions), 0.3, 0.06);
  EXPECT_NEAR(show_quartiles("tangential over normal impulse", frictions), 0.17, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Tosses, CubeTossBalance, testing::Bool(),
                         [](const auto& is_training) { return is_training.param ? "training" : "test"; });

}  // namespace
}  // namespace thenar::cube_toss_balance_test
