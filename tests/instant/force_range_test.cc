// SPDX-License-Identifier: BSD-3-Clause
/// Forces of one motion against forces sampled all over their set, on random bodies held by contacts that stick.

#include "thenar/instant/force_range_internal.h"
#include "thenar/spatial/decompositions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace thenar::internal::force_range_test {
namespace {

using Vector = VectorX<double>;

/// Shares are told to 1e-8 of the normal force, programs to 1e-9 of numbers of size 1.
constexpr double kTolerance = 1e-7;

/// A body of unit mass and inertia held at rest by random contacts: w = 0 for the forces of the cell, and A has rank 6.
struct Grasp {
  ConstraintProblem problem;
  ModeCell cell;
  std::vector<int> normals;
};

class RandomGrasps {
 public:
  explicit RandomGrasps(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution(low, high)(generator_); }
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(generator_); }

  /// Normals lean from the vertical by up to `lean` rad: below π/2 less the cone, forces are bounded by the weight.
  Grasp grasp(int contacts, int faces, int tangents, double lean) {
    const int rows = 1 + tangents;
    MatrixX<double> J(rows * contacts, 6);
    Grasp out;
    out.problem.resize(rows * contacts);
    out.cell.z.resize(rows * contacts);
    for (int c = 0; c < contacts; ++c) {
      const double tilt = uniform(0, lean), turn = uniform(-3, 3);
      const Eigen::Vector3d normal(std::sin(tilt) * std::cos(turn), std::sin(tilt) * std::sin(turn), std::cos(tilt));
      const Eigen::Vector3d tangent = normal.unitOrthogonal(), across = normal.cross(tangent);
      const Eigen::Vector3d point{uniform(-1, 1), uniform(-1, 1), uniform(-0.2, 0.2)};  // braces: in this order
      int row = rows * c;
      out.normals.push_back(row);
      out.problem.row(row) = {.kind = RowKind::normal, .faces = faces};
      out.cell.z(row) = uniform(0.5, 2);
      for (const Eigen::Vector3d& axis : {normal, tangent, across}) {
        if (row == rows * (c + 1)) break;
        J.row(row) << point.cross(axis).transpose(), axis.transpose();
        if (row > rows * c) add_friction(out, row, rows * c, uniform(0.2, 0.7));
        ++row;
      }
      if (tangents == 3) {
        J.row(row) << normal.transpose(), 0, 0, 0;
        add_friction(out, row, rows * c, uniform(0.01, 0.1));
      }
    }
    const MatrixX<double> A = J * J.transpose();
    out.problem.A() = A;
    out.problem.b() = -A * out.cell.z;
    out.cell.w = Vector::Zero(rows * contacts);
    out.cell.states.assign(static_cast<std::size_t>(contacts), ContactState::stick);
    return out;
  }

 private:
  void add_friction(Grasp& out, int row, int normal, double limit) {
    out.problem.row(row) = {.kind = RowKind::tangent, .limit = limit};
    out.cell.z(row) = uniform(-0.5, 0.5) * limit * out.cell.z(normal);
  }

  std::mt19937 generator_;
};

/// Walks over the set of forces: along a random direction to a random place of what is inside.
class HitAndRun {
 public:
  HitAndRun(const Grasp& grasp, Vector start, unsigned seed) : z_(std::move(start)), generator_(seed) {
    const Eigen::FullPivLU<MatrixX<double>> lu(grasp.problem.A());
    kernel_ = lu.kernel();
    for (const int row : grasp.normals) sections_.push_back(make_section(grasp.problem, row));
  }

  const Vector& next() {
    Vector t(kernel_.cols());
    for (double& x : t) x = normal_(generator_);
    const Vector direction = kernel_ * t / t.norm();
    const double low = -find_end(-direction), high = find_end(direction);
    z_ += std::uniform_real_distribution(low, high)(generator_) * direction;
    return z_;
  }

 private:
  bool is_inside(const Vector& z) const {
    for (const Section& section : sections_) {
      if (!(section.calc_gauge(section.friction(z)) <= z(section.normal))) return false;
    }
    return true;
  }

  /// How far it is to the border, at most 100: sets may go on for ever.
  double find_end(const Vector& direction) const {
    double inside = 0, outside = 100;
    if (is_inside(z_ + outside * direction)) return outside;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (inside + outside);
      (is_inside(z_ + middle * direction) ? inside : outside) = middle;
    }
    return inside;
  }

  Vector z_;
  MatrixX<double> kernel_;
  std::vector<Section> sections_;
  std::mt19937 generator_;
  std::normal_distribution<double> normal_;
};

double calc_sum(const Vector& z, const std::vector<int>& rows) {
  double out = 0;
  for (const int row : rows) out += z(row);
  return out;
}

double calc_share(const Grasp& grasp, const std::vector<int>& rows, const Vector& z) {
  double out = 0;
  for (const int row : rows) out = std::max(out, calc_share(make_section(grasp.problem, row), z));
  return out;
}

void expect_reach(const Grasp& grasp, const std::vector<int>& rows, unsigned seed, double tolerance) {
  ForceRange range(grasp.problem, grasp.cell);
  const auto bracket = range.calc_bracket(rows);
  const auto least = range.calc_least_share(rows);
  ASSERT_TRUE(bracket && least);
  // The forces told bring about the motion, up to a factor, and have the share told.
  const Vector motion = grasp.problem.A() * grasp.cell.z, w = grasp.problem.A() * least->z;
  const double factor = w.dot(motion) / motion.squaredNorm();
  EXPECT_LE((w - factor * motion).norm(), tolerance * (w.norm() + motion.norm()));
  EXPECT_GE(factor, -tolerance);
  for (const int row : rows) {
    const Section section = make_section(grasp.problem, row);
    const double excess = section.calc_gauge(section.friction(least->z)) - least->share * least->z(row);
    EXPECT_LE(excess, tolerance);  // of normal forces whose sum is 1
  }
  for (const int row : grasp.normals) {
    const Section section = make_section(grasp.problem, row);
    EXPECT_LE(section.calc_gauge(section.friction(least->z)) - least->z(row), tolerance * least->z.norm());
  }
  // Neither do samples from the first forces reach farther, nor those near the best ones.
  const double scale = grasp.cell.z.lpNorm<Eigen::Infinity>();
  std::vector<Vector> starts{grasp.cell.z};
  if (factor > 1e-3) starts.push_back(0.999 * least->z / factor + 0.001 * grasp.cell.z);
  for (const Vector& start : starts) {
    HitAndRun walk(grasp, start, seed);
    for (int i = 0; i < 200; ++i) {
      const Vector& z = walk.next();
      EXPECT_GE(calc_share(grasp, rows, z), least->share - tolerance);
      EXPECT_GE(calc_sum(z, rows), bracket->least - tolerance * scale);
      EXPECT_LE(calc_sum(z, rows), bracket->most + tolerance * scale);
    }
  }
}

TEST(ForceRange, NoForcesOfTheMotionReachFarther) {
  RandomGrasps random(7);
  int unbounded = 0;
  for (unsigned trial = 0; trial < 60; ++trial) {
    const int faces = std::array{0, kBoxFaces, 4, 7}[trial % 4], tangents = trial % 5 == 0 ? 3 : 2;
    const Grasp grasp = random.grasp(random.whole(3, 5), faces, tangents, trial % 3 == 0 ? 0.3 : 3.1);
    SCOPED_TRACE(fmt::format("trial {}, faces {}, tangents {}", trial, faces, tangents));
    const bool has_surface = faces == 0 && tangents == 3;
    const double tolerance = has_surface ? 10 * kSurfaceError : kTolerance;
    expect_reach(grasp, {grasp.normals.front()}, trial, tolerance);
    expect_reach(grasp, grasp.normals, trial, tolerance);
    unbounded += std::isinf(ForceRange(grasp.problem, grasp.cell).calc_bracket(grasp.normals)->most);
  }
  EXPECT_GE(unbounded, 1);  // both kinds are there, how often each the dice say
  EXPECT_LE(unbounded, 59);
}

/// Where forces are unique the range is that force.
TEST(ForceRange, UniqueForcesHaveNoRange) {
  RandomGrasps random(8);
  for (int trial = 0; trial < 20; ++trial) {
    const Grasp grasp = random.grasp(2, trial % 2 == 0 ? 0 : 4, 2, 0.3);
    Grasp single = grasp;  // two point contacts leave one squeeze; weight on the first alone has none
    single.problem.resize(3);
    single.problem.A() = grasp.problem.A().topLeftCorner(3, 3);
    for (int i = 0; i < 3; ++i) single.problem.row(i) = grasp.problem.row(i);
    single.cell.z = grasp.cell.z.head(3);
    single.cell.w = Vector::Zero(3);
    single.cell.states.resize(1);
    single.problem.b() = -single.problem.A() * single.cell.z;
    ForceRange range(single.problem, single.cell);
    const auto bracket = range.calc_bracket(std::vector<int>{0});
    const auto least = range.calc_least_share(std::vector<int>{0});
    ASSERT_TRUE(bracket && least);
    EXPECT_NEAR(bracket->least, single.cell.z(0), kTolerance);
    EXPECT_NEAR(bracket->most, single.cell.z(0), kTolerance);
    EXPECT_NEAR(least->share, calc_share(make_section(single.problem, 0), single.cell.z), kTolerance);
  }
}

TEST(ForceRange, UnloadedContactsHaveNoShare) {
  Grasp grasp = RandomGrasps(9).grasp(1, 0, 2, 0.3);
  grasp.cell.z.setZero();
  grasp.problem.b().setZero();
  ForceRange range(grasp.problem, grasp.cell);
  EXPECT_FALSE(range.calc_least_share(grasp.normals));
}

}  // namespace
}  // namespace thenar::internal::force_range_test
