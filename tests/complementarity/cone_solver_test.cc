// SPDX-License-Identifier: BSD-3-Clause
//
// Contact problems on the true cone: closed forms, laws that any solution obeys, invariance, hyperstatic grasps, and
// the public collection in ../shared/data/lcp, which a clone does not have (then that test is skipped).

#include "thenar/complementarity/cone_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <numeric>

#include "grasp_problems.h"
#include "random_problems.h"
#include "thenar/complementarity/exact_solver.h"
#include "thenar/complementarity/gauss_seidel.h"
#include "thenar/complementarity/grade.h"
#include "thenar/complementarity/problem_text.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::cone_solver_test {
namespace {

using test::GraspProblems;

/// Grades are in other units than the solver's residual (tolerance 1e-10): for μ of 0.5 to 1 within a factor of 10.
constexpr double kGrade = 1e-9;

Eigen::Map<const VectorX<double>> view(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

ConstraintProblem one_contact(const MatrixX<double>& A, const VectorX<double>& b, const std::vector<double>& mu,
                              int faces = 0) {
  ConstraintProblem problem(static_cast<int>(b.size()));
  problem.A() = A;
  problem.b() = b;
  problem.row(0) = {.kind = RowKind::normal, .faces = faces};
  for (int k = 1; k < problem.size(); ++k) {
    problem.row(k) = {.kind = RowKind::tangent, .limit = mu[static_cast<std::size_t>(k - 1)]};
  }
  return problem;
}

void set_faces(ConstraintProblem& problem, int faces) {
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.row(i).kind == RowKind::normal) problem.row(i).faces = faces;
  }
}

// ---- closed forms ----

/// A block of mass m on an incline for a time h: stick iff tan α ≤ μ, else it slides with g (sin α − μ cos α). One
/// contact is solved to rounding.
TEST(ConeSolver, BlockOnAnInclineSticksUpToTheAngleOfFriction) {
  constexpr double kMass = 0.3, kStep = 1e-3, kGravity = 9.81, kMu = 0.6;
  ConeSolver solver(3);
  for (int degrees = 0; degrees <= 80; degrees += 2) {
    const double angle = degrees * std::numbers::pi / 180, turn = 0.7 * degrees;  // direction of the slope in the plane
    const double pull = kStep * kGravity * std::sin(angle), press = kStep * kGravity * std::cos(angle);
    const Eigen::Vector3d b(-press, pull * std::cos(turn), pull * std::sin(turn));
    const ConeSolution& s = solver.solve(one_contact(Eigen::Matrix3d::Identity() / kMass, b, {kMu, kMu}));
    ASSERT_EQ(s.status, ConeStatus::solved) << degrees;
    const bool slides = std::tan(angle) > kMu;
    const double friction = kMass * (slides ? kMu * press : pull);
    const Eigen::Vector3d expected(kMass * press, -friction * std::cos(turn), -friction * std::sin(turn));
    EXPECT_LE((view(s.z) - expected).norm(), 1e-14 * kMass * kGravity * kStep) << degrees;
    EXPECT_EQ(s.contact.at(0), slides ? ContactState::slide : ContactState::stick) << degrees;
    EXPECT_NEAR(std::hypot(s.w[1], s.w[2]), slides ? pull - kMu * press : 0, 1e-16) << degrees;
  }
}

TEST(ConeSolver, ALeavingContactCarriesNoForce) {
  ConeSolver solver(3);
  const ConeSolution& s = solver.solve(one_contact(Eigen::Matrix3d::Identity(), Eigen::Vector3d(1, 2, 3), {1, 1}));
  EXPECT_EQ(s.status, ConeStatus::solved);
  EXPECT_EQ(s.z, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(s.contact.at(0), ContactState::open);
}

/// With A diagonal zₙ is known, and a slipping soft finger is at (aₖ + λ/μₖ²) zₖ = −bₖ for the λ > 0 that puts z on the
/// limit surface: bisection on λ.
TEST(ConeSolver, SoftFingersSlipOnTheirLimitSurface) {
  GraspProblems random(61);
  ConeSolver solver(4);
  int slid = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Eigen::Vector4d a, b, mu;
    for (int k = 0; k < 4; ++k) {
      a[k] = std::exp2(random.uniform(-3, 3));
      b[k] = random.uniform(-1, 1);
      mu[k] = std::exp2(random.uniform(-4, 0));
    }
    b[0] = -random.uniform(0.1, 1);
    const auto force = [&](double lambda) {
      Eigen::Vector4d z = -b.array() / (a.array() + lambda / mu.array().square());
      z[0] = -b[0] / a[0];
      return z;
    };
    const auto excess = [&](double lambda) {
      const Eigen::Vector4d z = force(lambda);
      return (z.array() / mu.array()).tail(3).matrix().norm() - z[0];
    };
    double low = 0, high = 1;
    if (excess(0) > 0) {
      ++slid;
      while (excess(high) > 0) high *= 2;
      for (int i = 0; i < 200; ++i) (excess(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
    }
    const ConeSolution& s = solver.solve(one_contact(a.asDiagonal(), b, {mu[1], mu[2], mu[3]}));
    ASSERT_EQ(s.status, ConeStatus::solved) << trial;
    EXPECT_LE((view(s.z) - force(low)).norm(), 1e-13 * force(low).norm()) << trial;
  }
  EXPECT_GT(slid, 150);
}

/// Planar contacts have one tangent row; faces change nothing.
TEST(ConeSolver, PlanarContactsAreTheSameUnderAnyNumberOfFaces) {
  ConeSolver solver(2);
  Eigen::Matrix2d A;
  A << 2, 0.5, 0.5, 1;
  const std::vector<double> smooth = solver.solve(one_contact(A, Eigen::Vector2d(-1, 2), {0.4})).z;
  EXPECT_EQ(solver.solve(one_contact(A, Eigen::Vector2d(-1, 2), {0.4}, 5)).z, smooth);
  // wₙ = 2 zₙ + ½ z_t − 1 = 0 with z_t = −0.4 zₙ.
  EXPECT_NEAR(smooth[0], 1 / 1.8, 1e-15);
  EXPECT_NEAR(smooth[1], -0.4 / 1.8, 1e-15);
}

TEST(ConeSolver, DirectionsWithoutFrictionCarryNoForce) {
  ConeSolver solver(4);
  const MatrixX<double> A = MatrixX<double>::Identity(4, 4);
  const Eigen::Vector4d b(-1, 0.3, 0.3, 0.3);
  const ConeSolution& s = solver.solve(one_contact(A, b, {0, 0.5, 0}));
  EXPECT_EQ(s.status, ConeStatus::solved);
  EXPECT_EQ(s.z[1], 0);
  EXPECT_EQ(s.z[3], 0);
  EXPECT_NEAR(s.z[2], -0.3, 1e-14);
  EXPECT_EQ(s.w[1], 0.3);
  EXPECT_NEAR(solver.solve(one_contact(A, b, {0, 0, 0})).z[0], 1, 1e-15);
}

// ---- polyhedral cones ----

/// With A = diag the normal force is known, and friction minimises J = ½ zᵀ A z + bᵀ z over its section. The k-gon lies
/// in the disc and holds the disc shrunk by c = cos(π/k); J is convex with J(0) = 0, so with z the best of the disc
/// J(z) ≤ J_k ≤ J(c z) ≤ c J(z): what is lost is at most (1 − c) |J| ≤ π²/(2 k²) |J|.
TEST(ConeSolver, PolyhedralFrictionTendsToCircularWithTheSquareOfTheFaces) {
  ConeSolver solver(3);
  double largest = 0;
  for (const int faces : {4, 8, 16, 32, 64, 128}) {
    largest = 0;
    for (int i = 0; i < 50; ++i) {
      const double angle = 0.1234 * i;
      const Eigen::Vector3d a(1, 0.7, 1.9), b(-1, 2 * std::cos(angle), 2 * std::sin(angle));
      const auto value = [&](int k) {
        const ConeSolution& s = solver.solve(one_contact(a.asDiagonal(), b, {0.5, 0.5}, k));
        EXPECT_EQ(s.status, ConeStatus::solved);
        double J = 0;
        for (int t = 1; t < 3; ++t) J += 0.5 * a[t] * s.z[t] * s.z[t] + b[t] * s.z[t];
        return J;
      };
      const double circular = value(0), loss = (value(faces) - circular) / std::abs(circular);
      EXPECT_GE(loss, -1e-12);
      EXPECT_LE(loss, 0.5 * std::numbers::pi * std::numbers::pi / (faces * faces)) << faces << " " << i;
      largest = std::max(largest, loss);
    }
    EXPECT_GE(largest, 1.0 / (faces * faces)) << "the order is not higher";
  }
}

/// All kinds of faces at once; the grader looks at every edge by itself.
TEST(ConeSolver, SolvesGraspsWithPolyhedralConesAndTorsion) {
  GraspProblems random(62);
  ConeSolver solver(80);
  for (int trial = 0; trial < 120; ++trial) {
    ConstraintProblem problem = random.hand(4 + trial % 9, 2 + trial % 2);
    set_faces(problem, 3 + trial % 10);
    const ConeSolution& s = solver.solve(problem);
    EXPECT_EQ(s.status, ConeStatus::solved) << trial << " " << s.residual;
    EXPECT_LE(grade_solution(problem, s.z).worst(), kGrade) << trial;
  }
}

// ---- many contacts ----

TEST(ConeSolver, SolvesAllGraspsHyperstaticOrNot) {
  ConeSolver solver(60);
  for (const int contacts : {4, 5, 8, 12, 20}) {
    GraspProblems random(static_cast<unsigned>(700 + contacts));
    int sliding = 0, sticking = 0, open = 0;
    for (int trial = 0; trial < 200; ++trial) {
      const ConstraintProblem problem = random.hand(contacts);
      const ConeSolution& s = solver.solve(problem);
      EXPECT_EQ(s.status, ConeStatus::solved) << contacts << " contacts, trial " << trial << ", " << s.residual;
      const ConstraintGrade grade = grade_solution(problem, s.z);
      EXPECT_LE(grade.worst(), kGrade) << contacts << " contacts, trial " << trial;
      for (const ContactState state : s.contact) {
        sliding += state == ContactState::slide;
        sticking += state == ContactState::stick;
        open += state == ContactState::open;
      }
    }
    EXPECT_GT(sliding, 100) << contacts;
    EXPECT_GT(sticking, 100) << contacts;
    EXPECT_GT(open, 50) << contacts;
  }
}

TEST(ConeSolver, SolvesSoftFingersAndStacks) {
  GraspProblems random(63);
  ConeSolver solver(100);
  for (int trial = 0; trial < 100; ++trial) {
    for (const ConstraintProblem& problem : {random.hand(4 + trial % 17, 3), random.stack(1 + trial % 6)}) {
      const ConeSolution& s = solver.solve(problem);
      EXPECT_EQ(s.status, ConeStatus::solved) << trial << " " << s.residual;
      EXPECT_LE(grade_solution(problem, s.z).worst(), kGrade) << trial;
    }
  }
}

/// Friction takes power from the contacts and never gives: wᵀ z ≤ 0 contact by contact.
TEST(ConeSolver, FrictionNeverAddsEnergy) {
  GraspProblems random(64);
  ConeSolver solver(60);
  for (int trial = 0; trial < 100; ++trial) {
    const ConstraintProblem problem = random.hand(4 + trial % 17);
    const ConeSolution& s = solver.solve(problem);
    const double scale = view(s.z).norm() * problem.b().norm();
    for (int i = 0; i < problem.size(); i += 3) {
      EXPECT_LE(view(s.z).segment(i, 3).dot(view(s.w).segment(i, 3)), 1e-9 * scale) << trial;
    }
  }
}

/// Contacts beside bilateral, unilateral and boxed rows: a hand with joint stops, dry joint friction and a coupling.
/// The Delassus matrix of all rows is made from one Jacobian.
TEST(ConeSolver, MixesContactsWithAllOtherRows) {
  GraspProblems random(65);
  ConeSolver solver(40);
  for (int trial = 0; trial < 200; ++trial) {
    const int contacts = 1 + trial % 6, others = 6, n = 3 * contacts + others, freedoms = 8 + trial % 12;
    MatrixX<double> J(n, freedoms);
    for (int i = 0; i < J.size(); ++i) J.data()[i] = random.uniform(-1, 1);
    VectorX<double> v(freedoms);
    for (int i = 0; i < freedoms; ++i) v[i] = random.uniform(-1, 1);
    ConstraintProblem problem(n);
    problem.A() = J * J.transpose();
    problem.b() = J * v;
    for (int i = 0; i < others; ++i) {
      problem.row(i).kind = static_cast<RowKind>(i % 3);
      problem.row(i).limit = i % 3 == 2 ? 0.1 : 0;
    }
    for (int i = others; i < n; i += 3) {
      problem.row(i) = {.kind = RowKind::normal, .faces = trial % 4 == 3 ? 6 : 0};
      problem.row(i + 1) = problem.row(i + 2) = {.kind = RowKind::tangent, .limit = 0.5};
    }
    const ConeSolution& s = solver.solve(problem);
    EXPECT_EQ(s.status, ConeStatus::solved) << trial << " " << s.residual;
    EXPECT_LE(grade_solution(problem, s.z).worst(), kGrade) << trial;
    EXPECT_EQ(static_cast<int>(s.contact.size()), contacts);
  }
}

/// Without contacts w is unique and the exact solver knows it. The residual (1e-10) is in w itself.
TEST(ConeSolver, AgreesWithTheExactSolverWithoutContacts) {
  test::RandomProblems random(66);
  ConeSolver cones(20);
  ExactSolver exact(20);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = random.whole(1, 20);
    const ConstraintProblem problem = random.reals(n, std::max(1, n / 2));
    const ConeSolution& s = cones.solve(problem);
    ASSERT_EQ(s.status, ConeStatus::solved) << trial << " " << s.residual;
    const ConstraintSolution& e = exact.solve(problem);
    ASSERT_EQ(e.status, SolveStatus::solved);
    EXPECT_LE(grade_solution(problem, s.z).worst(), kGrade) << trial;
    const VectorX<double> unit = problem.A().diagonal().cwiseMax(1e-300).cwiseSqrt();
    const double difference = ((view(s.w) - view(e.w)).array() / unit.array()).matrix().norm();
    // ½ |Δv|² is at most the gap of the two objectives: residual × forces.
    const double forces = (view(s.z).array() * unit.array()).matrix().norm();
    EXPECT_LE(difference, 1e-4 * (forces + (problem.b().array() / unit.array()).matrix().norm())) << trial;
  }
}

// ---- invariance ----

/// Five point contacts: forces are unique but for chance, so that answers can be compared. Conditions up to 1e4 turn
/// the residual of 1e-10 into 1e-6.
constexpr double kSameForces = 1e-6;

TEST(ConeSolver, TangentFramesOfCircularConesDoNotMatter) {
  GraspProblems random(67);
  ConeSolver solver(15);
  for (int trial = 0; trial < 50; ++trial) {
    const ConstraintProblem problem = random.hand(5);
    MatrixX<double> R = MatrixX<double>::Identity(15, 15);
    for (int i = 0; i < 15; i += 3) {
      R.block(i + 1, i + 1, 2, 2) = Eigen::Rotation2Dd(random.uniform(0, 6)).toRotationMatrix();
    }
    ConstraintProblem turned = problem;
    turned.A() = R * problem.A() * R.transpose();
    turned.b() = R * problem.b();
    const VectorX<double> z = view(solver.solve(problem).z);
    const ConeSolution& s = solver.solve(turned);
    EXPECT_EQ(s.status, ConeStatus::solved);
    EXPECT_LE((R.transpose() * view(s.z) - z).norm(), kSameForces * z.norm()) << trial;
  }
}

/// Units by powers of two change no bit.
TEST(ConeSolver, UnitsDoNotMatter) {
  GraspProblems random(68);
  ConeSolver solver(40);
  for (int trial = 0; trial < 40; ++trial) {
    const ConstraintProblem problem = random.hand(4 + trial % 6, 3);
    ConstraintProblem scaled = problem;
    VectorX<double> d(problem.size());
    for (int i = 0; i < problem.size(); ++i) d[i] = std::exp2(std::floor(random.uniform(-8, 8)));
    scaled.A() = d.asDiagonal() * problem.A() * d.asDiagonal();
    scaled.b() = d.asDiagonal() * problem.b();
    for (int i = 0; i < problem.size(); ++i) {
      if (problem.row(i).kind == RowKind::tangent) scaled.row(i).limit *= d[i - i % 4] / d[i];
    }
    const std::vector<double> z = solver.solve(problem).z;
    const ConeSolution& s = solver.solve(scaled);
    for (int i = 0; i < problem.size(); ++i) EXPECT_EQ(s.z[i] * d[i], z[i]) << trial << " row " << i;
  }
}

TEST(ConeSolver, TheOrderOfContactsDoesNotMatter) {
  GraspProblems random(69);
  ConeSolver solver(15);
  for (int trial = 0; trial < 50; ++trial) {
    const ConstraintProblem problem = random.hand(5);
    std::vector<int> order(15);
    for (int i = 0; i < 15; ++i) order[static_cast<std::size_t>(i)] = 14 - i - (14 - i) % 3 + i % 3;
    const std::vector<double> z = solver.solve(problem).z;
    const ConeSolution& s = solver.solve(test::permuted(problem, order));
    EXPECT_EQ(s.status, ConeStatus::solved);
    double difference = 0;
    for (int i = 0; i < 15; ++i) difference = std::max(difference, std::abs(s.z[i] - z[order[i]]));
    EXPECT_LE(difference, kSameForces * view(z).norm()) << trial;
  }
}

TEST(ConeSolver, AWarmStartGivesTheSameAnswerSooner) {
  GraspProblems random(70);
  ConeSolver solver(60);
  for (int trial = 0; trial < 60; ++trial) {
    ConstraintProblem problem = random.hand(trial % 2 == 0 ? 5 : 12);
    const std::vector<double> z = solver.solve(problem).z;
    const ConeSolution& again = solver.solve(problem, z);
    EXPECT_EQ(again.z, z);
    EXPECT_EQ(again.steps, 0);
    // The next instant.
    problem.b() *= 1 + 1e-3;
    const ConeSolution& next = solver.solve(problem, z);
    EXPECT_EQ(next.status, ConeStatus::solved) << trial;
    EXPECT_LE(grade_solution(problem, next.z).worst(), kGrade) << trial;
    if (trial % 2 == 0) {
      EXPECT_LE((view(next.z) - (1 + 1e-3) * view(z)).norm(), kSameForces * view(z).norm()) << trial;
    }
    // Its own solution, and nonsense.
    EXPECT_EQ(solver.solve(problem, next.z).status, ConeStatus::solved);
    const std::vector<double> nonsense(z.size(), std::nan(""));
    EXPECT_EQ(solver.solve(problem, nonsense).status, ConeStatus::solved);
  }
}

/// Forces of 1e305 overflow the products of the interior-point method and leave NaN in its memory; no later answer may
/// depend on it. Twelve contacts need that method.
TEST(ConeSolver, EarlierProblemsDoNotMatter) {
  GraspProblems random(71);
  int by_interior = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const ConstraintProblem problem = random.hand(12);
    ConstraintProblem enormous = random.hand(20);
    enormous.b() *= 1e305;
    ConeSolver fresh(60), used(60);
    used.solve(enormous);
    EXPECT_EQ(used.solve(problem).z, fresh.solve(problem).z) << trial;
    EXPECT_EQ(used.solution().steps, fresh.solution().steps) << trial;
    by_interior += fresh.solution().method == 2;
  }
  EXPECT_GT(by_interior, 5);
}

// ---- reports ----

TEST(ConeSolver, SaysWhatItCouldNotDo) {
  ConeSolver solver(3);
  ConstraintProblem problem = one_contact(Eigen::Matrix3d::Zero(), Eigen::Vector3d(-1, 0, 0), {0.5, 0.5});
  const ConeSolution& s = solver.solve(problem);
  EXPECT_EQ(s.status, ConeStatus::not_solved);
  EXPECT_GE(s.residual, 1);
  EXPECT_EQ(s.w[0], -1);
  problem.b()[1] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solver.solve(problem).status, ConeStatus::not_finite);
  EXPECT_EQ(s.z, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(solver.solve(ConstraintProblem()).status, ConeStatus::solved);
  EXPECT_STREQ(to_string(ConeStatus::not_solved), "not solved");
  EXPECT_STREQ(to_string(ContactState::slide), "slide");
}

TEST(ConeSolver, RefusesArgumentsThatAreNoProblem) {
  ConeSolver solver(3);
  EXPECT_THROW(solver.solve(ConstraintProblem(4)), std::invalid_argument);
  EXPECT_THROW(solver.solve(ConstraintProblem(2), std::vector<double>{1}), std::invalid_argument);
  ConstraintProblem problem(1);
  problem.row(0).kind = RowKind::tangent;
  EXPECT_THROW(solver.solve(problem), std::invalid_argument);
  EXPECT_THROW(ConeSolver(3, {.tolerance = 0}), std::invalid_argument);
  EXPECT_THROW(ProjectedGaussSeidel(3, {.tolerance = -1}), std::invalid_argument);
  EXPECT_THROW(ProjectedGaussSeidel(3, {.most_sweeps = 0}), std::invalid_argument);
}

// ---- the public collection ----

/// ‖z − P_K(z − (w + μ |w_t| eₙ))‖ / ‖b‖ in the units of the data, with the projection on K written out.
double collection_residual(const ConstraintProblem& problem, const std::vector<double>& z) {
  long double sum = 0;
  const int d = problem.tangent_count(0) + 1;
  for (int first = 0; first < problem.size(); first += d) {
    const long double mu = problem.row(first + 1).limit;
    std::vector<long double> w(static_cast<std::size_t>(d)), x(w), p(w);
    for (int k = 0; k < d; ++k) {
      w[k] = problem.b()[first + k];
      for (int j = 0; j < problem.size(); ++j) w[k] += static_cast<long double>(problem.A()(first + k, j)) * z[j];
    }
    const long double slip = d > 2 ? std::hypot(w[1], w[2]) : std::abs(w[1]);
    for (int k = 0; k < d; ++k) x[k] = z[first + k] - w[k] - (k == 0 ? mu * slip : 0);
    const long double t = d > 2 ? std::hypot(x[1], x[2]) : std::abs(x[1]);
    if (t <= mu * x[0]) {
      p = x;
    } else if (mu * t > -x[0]) {
      p[0] = (x[0] + mu * t) / (1 + mu * mu);
      for (int k = 1; k < d; ++k) p[k] = mu * p[0] * x[k] / t;
    }
    for (int k = 0; k < d; ++k) sum += (z[first + k] - p[k]) * (z[first + k] - p[k]);
  }
  return static_cast<double>(std::sqrt(sum) / problem.b().norm());
}

TEST(ConeSolver, SolvesThePublicFrictionProblems) {
  const std::filesystem::path folder = std::filesystem::path(THENAR_SOURCE_DIR) / "../shared/data/lcp/friction_plain";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs ../shared/data/lcp";
  ConeSolver solver(160);
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    std::ifstream in(entry.path());
    const ConstraintProblem problem = read_friction_problem(in, name);
    const ConeSolution& s = solver.solve(problem);
    EXPECT_EQ(s.status, ConeStatus::solved) << name << " " << s.residual;
    EXPECT_LE(collection_residual(problem, s.z), 1e-9) << name;
    EXPECT_LE(grade_solution(problem, s.z).worst(), kGrade) << name;
    ++count;
  }
  EXPECT_EQ(count, 20);
}

}  // namespace
}  // namespace thenar::cone_solver_test
