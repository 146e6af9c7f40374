// SPDX-License-Identifier: BSD-3-Clause
//
// Lanes equal the scalar result: a pack of states gives what each state gives alone, batches likewise, and a hand whose
// fingers run side by side accelerates as the same hand link by link.

#include <gtest/gtest.h>

#include "random_trees.h"
#include "thenar/dynamics/batch.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"

namespace thenar::lanes_test {
namespace {

using test::RandomTree;

struct States {
  std::vector<VectorX<double>> q, v, tau, vdot;
};

States draw(const Model& model, RandomTree& random, int count) {
  States s;
  for (int i = 0; i < count; ++i) {
    s.q.push_back(random.position(model));
    s.v.push_back(random.numbers(model.velocity_count(), 3));
    s.tau.push_back(random.numbers(model.velocity_count(), 1));
    s.vdot.push_back(random.numbers(model.velocity_count(), 20));
  }
  return s;
}

template <class T>
std::vector<T> pack(const std::vector<VectorX<double>>& states) {
  std::vector<T> packs(static_cast<std::size_t>(states[0].size()));
  for (std::size_t i = 0; i < packs.size(); ++i) {
    for (int lane = 0; lane < kLaneCount<T>; ++lane) packs[i].set(lane, states[lane](static_cast<Eigen::Index>(i)));
  }
  return packs;
}

/// Two accelerations of one state agree if their difference, as a force, is rounding of the forces that made them.
void expect_same_motion(const Model& model, const VectorX<double>& q, const VectorX<double>& a,
                        const VectorX<double>& b, const std::string& name) {
  Workspace<double> ws(model);
  update_positions(model, q.data(), ws);
  MassMatrix<double> mass(model);
  mass.update(model, ws);
  const MatrixX<double> M = mass.dense();
  const double scale = (M.cwiseAbs() * a.cwiseAbs()).maxCoeff();
  EXPECT_LE((M * (a - b)).cwiseAbs().maxCoeff(), 1e-12 * scale) << name;
}

template <class T>
void check_packs() {
  RandomTree random(21);
  for (const auto& [name, model] : test::make_test_models()) {
    Workspace<T> packed(model);
    Workspace<double> single(model);
    const auto nv = static_cast<std::size_t>(model.velocity_count());
    std::vector<T> vdot(nv), tau(nv);
    for (int k = 0; k < 5; ++k) {
      const States s = draw(model, random, kLaneCount<T>);
      forward_dynamics<T>(model, pack<T>(s.q).data(), pack<T>(s.v).data(), pack<T>(s.tau).data(), {}, packed,
                          vdot.data());
      inverse_dynamics<T>(model, pack<T>(s.q).data(), pack<T>(s.v).data(), pack<T>(s.vdot).data(), {}, packed,
                          tau.data());
      for (int lane = 0; lane < kLaneCount<T>; ++lane) {
        VectorX<double> a(model.velocity_count()), b(model.velocity_count()), f(model.velocity_count());
        forward_dynamics<double>(model, s.q[lane].data(), s.v[lane].data(), s.tau[lane].data(), {}, single, a.data());
        inverse_dynamics<double>(model, s.q[lane].data(), s.v[lane].data(), s.vdot[lane].data(), {}, single, f.data());
        double worst = 0;
        for (std::size_t i = 0; i < nv; ++i) {
          b(static_cast<Eigen::Index>(i)) = vdot[i][lane];
          worst = std::max(worst, std::abs(tau[i][lane] - f(static_cast<Eigen::Index>(i))));
        }
        expect_same_motion(model, s.q[lane], a, b, name);
        EXPECT_LE(worst, 1e-13 * f.cwiseAbs().maxCoeff()) << name;
      }
    }
  }
}

TEST(Lanes, FourStatesAtOnceEqualOneByOne) { check_packs<Pack4>(); }

TEST(Batch, AnyNumberOfStatesEqualsOneByOne) {
  RandomTree random(22);
  const Model model = random.hand(JointKind::free, {3, 4, 3}, true);
  const int nv = model.velocity_count();
  for (const int count : {1, 3, 4, 5, 37}) {
    Batch batch(model, count);
    const States s = draw(model, random, count);
    for (int i = 0; i < count; ++i) {
      batch.set_state(i, s.q[i].data(), s.v[i].data());
      batch.set_tau(i, s.tau[i].data());
    }
    batch.forward_dynamics(model);
    Workspace<double> ws(model);
    for (int i = 0; i < count; ++i) {
      VectorX<double> alone(nv), together(nv), q(model.position_count()), v(nv);
      forward_dynamics<double>(model, s.q[i].data(), s.v[i].data(), s.tau[i].data(), {}, ws, alone.data());
      batch.get_vdot(i, together.data());
      batch.get_state(i, q.data(), v.data());
      EXPECT_EQ(q, s.q[i]);
      EXPECT_EQ(v, s.v[i]);
      expect_same_motion(model, s.q[i], alone, together, "batch");
    }
  }
  EXPECT_THROW(Batch(model, 0), std::invalid_argument);
}

/// The model as ModelBuilder makes it uses lanes for the fingers (where the machine has wide registers); a pack run
/// does not. Wrenches on finger links, the palm and the world included.
TEST(FingersSideBySide, EqualLinkByLink) {
  RandomTree random(23);
  using enum JointKind;
  std::vector<Model> hands;
  hands.push_back(random.hand(fixed, {3, 3, 3, 3, 3}, false));
  hands.push_back(random.hand(universal, {3, 3, 3, 3, 4}, true));
  hands.push_back(random.hand(free, {1, 2, 3, 4, 5, 4, 3, 2, 1, 3, 3}, false));
  for (const Model& model : hands) {
    Workspace<double> ws(model);
    Workspace<Pack4> packed(model);
    const int nv = model.velocity_count();
    std::vector<Pack4> together(static_cast<std::size_t>(nv));
    for (int k = 0; k < 100; ++k) {
      const States s = draw(model, random, 1);
      const States four{std::vector(4, s.q[0]), std::vector(4, s.v[0]), std::vector(4, s.tau[0]), {}};
      std::vector<BodyWrench<double>> wrenches;
      std::vector<BodyWrench<Pack4>> wrenches4;
      for (int i = 0; i < model.body_count(); i += 2) {
        const Wrench<double> w{Vec3<double>(random.vector(0.1)), Vec3<double>(random.vector(1))};
        wrenches.push_back({BodyIndex(i), w});
        wrenches4.push_back({BodyIndex(i), {w.moment.cast<Pack4>(), w.force.cast<Pack4>()}});
      }
      VectorX<double> a(nv), b(nv);
      forward_dynamics<double>(model, s.q[0].data(), s.v[0].data(), s.tau[0].data(), wrenches, ws, a.data());
      forward_dynamics<Pack4>(model, pack<Pack4>(four.q).data(), pack<Pack4>(four.v).data(),
                              pack<Pack4>(four.tau).data(), wrenches4, packed, together.data());
      for (int i = 0; i < nv; ++i) b(i) = together[static_cast<std::size_t>(i)][3];
      expect_same_motion(model, s.q[0], a, b, "hand");

      inverse_dynamics<double>(model, s.q[0].data(), s.v[0].data(), s.vdot[0].data(), wrenches, ws, a.data());
      inverse_dynamics<Pack4>(model, pack<Pack4>(four.q).data(), pack<Pack4>(four.v).data(),
                              pack<Pack4>(std::vector(4, s.vdot[0])).data(), wrenches4, packed, together.data());
      for (int i = 0; i < nv; ++i) b(i) = together[static_cast<std::size_t>(i)][2];
      EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 1e-13 * a.cwiseAbs().maxCoeff());
    }
  }
}

/// Whether fingers went side by side or not.
TEST(ForwardDynamics, LeavesFramesMotionsAndFactors) {
  RandomTree random(24);
  for (const auto& [name, model] : test::make_test_models()) {
    SCOPED_TRACE(name);
    const int nv = model.velocity_count();
    Workspace<double> ws(model), expected(model);
    for (int k = 0; k < 10; ++k) {
      const States s = draw(model, random, 1);
      VectorX<double> a(nv), b(nv);
      forward_dynamics_with_factors(model, s.q[0].data(), s.v[0].data(), s.tau[0].data(), {}, ws, a.data());
      forward_dynamics<double>(model, s.q[0].data(), s.v[0].data(), s.tau[0].data(), {}, expected, b.data());
      EXPECT_EQ(a, b);
      update_positions(model, s.q[0].data(), expected);
      update_velocities(model, s.v[0].data(), expected);
      factorize_articulated(model, expected);
      for (int i = 0; i < model.body_count(); ++i) {
        const Vec3<double> p{0.1, -0.2, 0.3};
        const Placement<double> X = calc_body_pose(model, ws, BodyIndex(i)),
                                Y = calc_body_pose(model, expected, BodyIndex(i));
        EXPECT_LT((X.R.eigen() - Y.R.eigen()).norm() + (X.p - Y.p).eigen().norm(), 1e-13 * (1 + Y.p.eigen().norm()));
        for (const auto calc : {calc_point_velocity<double>, calc_bias_acceleration<double>}) {
          const Motion<double> V = calc(model, ws, BodyIndex(i), p), W = calc(model, expected, BodyIndex(i), p);
          EXPECT_LT((V.linear - W.linear).eigen().norm(),
                    1e-12 * (1 + W.linear.eigen().norm() + W.angular.eigen().norm()));
          EXPECT_LT((V.angular - W.angular).eigen().norm(), 1e-12 * (1 + W.angular.eigen().norm()));
        }
      }
      solve_articulated(model, s.tau[0].data(), ws, a.data());
      solve_articulated(model, s.tau[0].data(), expected, b.data());
      expect_same_motion(model, s.q[0], b, a, name);
    }
  }
}

}  // namespace
}  // namespace thenar::lanes_test
