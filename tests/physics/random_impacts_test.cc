// SPDX-License-Identifier: BSD-3-Clause
//
// 100,000 impacts of random trees: any joints, masses over six decades, two bodies against each other or against the
// world, μ up to 3. What must hold whatever the numbers. THENAR_IMPACTS chooses another number of them.

#include <gtest/gtest.h>

#include <cstdlib>

#include "../dynamics/random_trees.h"
#include "thenar/contact/contact_frame.h"
#include "thenar/dynamics/contact_mobility.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/impact/point_impact.h"
#include "thenar/motion/state_energy.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::random_impacts_test {
namespace {

using test::RandomTree;

const int kImpacts = std::getenv("THENAR_IMPACTS") != nullptr ? std::atoi(std::getenv("THENAR_IMPACTS")) : 100000;
constexpr int kImpactsPerTree = 50;

/// One contact of a tree: its mobility by the impulse recursion, without Jacobians.
class StruckTree {
 public:
  StruckTree(const Model& model, RandomTree& random)
      : model_(model), ws_(model), mobility_(model), mass_(model), X_(model.velocity_count(), 3) {
    const VectorX<double> q = random.position(model);
    update_positions(model_, q.data(), ws_);
    factorize_articulated(model_, ws_);
    mass_.update(model_, ws_);
    M_ = mass_.dense();
  }

  /// False if the two bodies cannot approach each other.
  bool draw(RandomTree& random) {
    const auto body = [&] { return BodyIndex(static_cast<int>(random.uniform(0, model_.body_count() - 1e-9))); };
    A_ = {body(), Vec3<double>(random.vector(0.1))};
    B_ = {body(), Vec3<double>(random.vector(0.1))};
    if (model_.body(A_.body).link == model_.body(B_.body).link) return false;
    // The points are made to coincide: that of B moves to where that of A is.
    const Placement<double> X_WA = calc_body_pose(model_, ws_, A_.body), X_WB = calc_body_pose(model_, ws_, B_.body);
    B_.p_B = X_WB.R.transpose_times(X_WA.R * A_.p_B + X_WA.p - X_WB.p);
    const Vector3<double> normal = random.vector(1).normalized();
    frame_ = make_contact_frame(Vec3<double>(normal), false);
    v = random.numbers(model_.velocity_count(), 1);
    impact.tangents = 2;
    mobility_.update(model_, A_, B_, {frame_.N, frame_.T, frame_.U}, ws_);
    X_ = mobility_.X();
    impact.K.topLeftCorner<3, 3>() = mobility_.K();
    // u = Jv with Jᵀ = M X. One in four starts without slip.
    impact.u.head<3>() = X_.transpose() * (M_ * v);
    const double approach = std::abs(impact.u(0));
    if (random.uniform(0, 1) < 0.25) {
      v -= X_.rightCols<2>() *
           impact.K.block<2, 2>(1, 1).completeOrthogonalDecomposition().solve(impact.u.segment<2>(1));
      impact.u.head<3>() = X_.transpose() * (M_ * v);
      impact.u.segment<2>(1).setZero();
      if (std::abs(impact.u(0)) < 1e-4 * approach) return false;  // nothing is left but rounding
    }
    if (!(impact.K(0, 0) > 1e-9 * impact.K.norm()) || impact.u(0) == 0) return false;
    if (impact.u(0) > 0) v *= -1, impact.u *= -1;
    const double mu = random.uniform(0, 3);
    impact.friction = {mu, mu, 0};
    impact.restitution = random.uniform(0, 1);
    return true;
  }

  VectorX<double> after(const PointImpactResult& result) const { return v + X_ * result.P.head<3>(); }
  double calc_energy(const VectorX<double>& velocity) const { return 0.5 * velocity.dot(M_ * velocity); }
  /// M Δv − Jᵀ P with the Jacobians of the two points, relative.
  double calc_momentum_residual(const PointImpactResult& result) {
    const Eigen::Index nv = v.size();
    Eigen::Matrix<double, 6, Eigen::Dynamic> J_A(6, nv), J_B(6, nv);
    calc_jacobian<double>(model_, ws_, A_.body, A_.p_B, J_A);
    calc_jacobian<double>(model_, ws_, B_.body, B_.p_B, J_B);
    const Vec3<double> P = frame_.N * result.P(0) + frame_.T * result.P(1) + frame_.U * result.P(2);
    const VectorX<double> impulse = (J_A - J_B).bottomRows<3>().transpose() * Eigen::Vector3d(P.x, P.y, P.z);
    const VectorX<double> dv = X_ * result.P.head<3>();
    // Of the numbers that are summed: impulses that nearly cancel each other are large where K is nearly singular.
    const VectorX<double> terms = X_.cwiseAbs() * result.P.head<3>().cwiseAbs();
    const double scale = (M_.cwiseAbs() * terms).maxCoeff() + impulse.cwiseAbs().maxCoeff();
    return (M_ * dv - impulse).cwiseAbs().maxCoeff() / scale;
  }

  PointImpact impact;
  VectorX<double> v;

 private:
  const Model& model_;
  Workspace<double> ws_;
  ContactMobility mobility_;
  MassMatrix<double> mass_;
  MatrixX<double> M_, X_;
  BodyPoint<double> A_, B_;
  ContactFrame<double> frame_;
};

/// Smallest eigenvalue over the largest. Below 1e-12 it is the rounding of masses over six decades; K counts as
/// singular, and a rest of u_N of that size as none.
double calc_smallest_part(const Eigen::Matrix3d& K) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(K, Eigen::EigenvaluesOnly);
  return solver.eigenvalues()(0) / solver.eigenvalues()(2);
}

/// Whether dP/dP_N is the same from beginning to end, and so at its two ends of phases.
bool has_constant_friction(const PointImpactResult& result) {
  for (int k = 0; k < result.mark_count; ++k) {
    const PointImpactResult::Mark& mark = result.marks[static_cast<std::size_t>(k)];
    if (mark.kind != ImpactMark::compression_end) continue;
    const Eigen::Vector3d middle = mark.place.P.head<3>(), end = result.P.head<3>();
    return (middle / middle(0) - end / end(0)).norm() < 1e-14;
  }
  return false;
}

TEST(RandomImpacts, ObeyWhatMustHoldForAllOfThem) {
  RandomTree random(20261117);
  using enum JointKind;
  const std::vector<JointKind> kinds{revolute, prismatic, universal, spherical, planar, free};
  int done = 0, unstable = 0, newton_gains = 0, straight = 0, singular = 0;
  double poisson_gain = 0, residual = 0;
  while (done < kImpacts) {
    const Model model = random.bush(2 + static_cast<int>(random.uniform(0, 10)), kinds, -3, 3);
    StruckTree tree(model, random);
    for (int k = 0; k < kImpactsPerTree; ++k) {
      if (!tree.draw(random)) continue;
      const PointImpact& impact = tree.impact;
      const double before = tree.calc_energy(tree.v), speed = -impact.u(0);
      const StickingTest sticking = test_sticking(impact);
      unstable += !sticking.is_stable;
      if (!sticking.is_stable) {
        ASSERT_GT(sticking.rate, 0);
      }
      const bool is_singular = calc_smallest_part(impact.K.topLeftCorner<3, 3>()) < 1e-11;
      singular += is_singular;
      PointImpactResult poisson, stronge;
      for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::stronge}) {
        const PointImpactResult result = solve_point_impact(impact, law);
        ASSERT_EQ(result.status, ImpactStatus::done) << to_string(law);
        if (law == ImpactLaw::poisson) poisson = result;
        if (law == ImpactLaw::stronge) stronge = result;
        residual = std::max(residual, tree.calc_momentum_residual(result));
        // The cone, and no approach afterwards; the tolerance of the path is 1e-10.
        ASSERT_LE(result.P.segment<2>(1).norm(), impact.friction[0] * result.P(0) * (1 + 1e-9));
        ASSERT_GE(result.u(0), -(is_singular ? 1e-6 : 1e-9) * (speed + impact.K(0, 0) * result.P(0)));
        const double change = tree.calc_energy(tree.after(result)) - before;
        if (law == ImpactLaw::stronge) {
          ASSERT_LE(change, 1e-12 * before);
        }
        if (law == ImpactLaw::poisson) poisson_gain = std::max(poisson_gain, change / before);
        newton_gains += law == ImpactLaw::newton && change > 1e-9 * before;
      }
      // Where friction holds the bodies together for good (K is singular) there is no work to give back.
      const bool rebounds = stronge.u(0) > 1e-6 * impact.restitution * speed;
      if (has_constant_friction(stronge) && rebounds) {
        ++straight;
        ASSERT_LT((poisson.P - stronge.P).norm(), 1e-12 * poisson.P.norm());
      }
      ++done;
    }
  }
  std::printf(
      "%d impacts; sticking not stable in %d; Newton gains energy in %d; Poisson at most %.2g of it; momentum residual "
      "%.2g; %d singular\n",
      done, unstable, newton_gains, poisson_gain, residual, singular);
  EXPECT_GT(unstable, kImpacts / 100);
  EXPECT_GT(straight, kImpacts / 1000);
  EXPECT_GT(newton_gains, 0);
  EXPECT_LT(poisson_gain, 1e-12);
  EXPECT_LT(residual, 1e-12);
}

}  // namespace
}  // namespace thenar::random_impacts_test
