// SPDX-License-Identifier: BSD-3-Clause
//
// Two routes, one answer. Every identity is checked twice:
//
// - in long double, where rounding (1e-19) times the condition of the mass matrix stays far below the 1e-12 that we ask
//   of the algebra: an algorithm that passes is the right algorithm;
// - in double, against what rounding allows: residuals relative to the size of the terms that are summed (backward
//   error), 1e-12, whatever the condition.

#include <gtest/gtest.h>

#include "random_trees.h"
#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/impulse_dynamics.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/dynamics/operational_inertia.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::identities_test {
namespace {

using test::NamedModel;
using test::RandomTree;

constexpr int kStatesPerModel = 100;  // times twelve models

template <class T>
struct RandomState {
  VectorX<T> q, v, tau, vdot;
  std::vector<BodyWrench<T>> wrenches;
};

template <class T>
RandomState<T> draw_state(const Model& model, RandomTree& random) {
  RandomState<T> s;
  const int nv = model.velocity_count();
  s.q = random.position(model).cast<T>();
  s.v = random.numbers(nv, 3).cast<T>();
  s.tau = random.numbers(nv, 1).cast<T>();
  s.vdot = random.numbers(nv, 20).cast<T>();
  for (int i = 1; i < model.body_count(); i += 3) {
    s.wrenches.push_back(
        {BodyIndex(i), {Vec3<double>(random.vector(0.1)).cast<T>(), Vec3<double>(random.vector(1)).cast<T>()}});
  }
  return s;
}

template <class T>
class DynamicsIdentity : public testing::Test {
 protected:
  static const std::vector<NamedModel>& models() {
    static const std::vector<NamedModel> all = test::make_test_models();
    return all;
  }
};

using Scalars = testing::Types<double, long double>;
TYPED_TEST_SUITE(DynamicsIdentity, Scalars);

TYPED_TEST(DynamicsIdentity, ArticulatedBodyEqualsMassMatrixSolve) {
  using T = TypeParam;
  RandomTree random(1);
  for (const NamedModel& item : this->models()) {
    const auto& name = item.name;
    const Model& model = item.model;
    const int nv = model.velocity_count();
    Workspace<T> ws(model);
    MassMatrix<T> mass(model);
    VectorX<T> vdot(nv), bias(nv);
    for (int k = 0; k < kStatesPerModel; ++k) {
      const RandomState<T> s = draw_state<T>(model, random);
      forward_dynamics<T>(model, s.q.data(), s.v.data(), s.tau.data(), s.wrenches, ws, vdot.data());
      inverse_dynamics<T>(model, s.q.data(), s.v.data(), nullptr, s.wrenches, ws, bias.data());
      update_positions<T>(model, s.q.data(), ws);
      mass.update(model, ws);
      const MatrixX<T> M = mass.dense();
      const VectorX<T> rhs = s.tau - bias;
      // Backward error: residual of M v̇ = τ − c against the terms that make it up.
      const VectorX<T> scale = M.cwiseAbs() * vdot.cwiseAbs() + s.tau.cwiseAbs() + bias.cwiseAbs();
      EXPECT_LE((M * vdot - rhs).cwiseAbs().maxCoeff(), T(1e-12) * scale.maxCoeff()) << name;
      VectorX<T> by_sparse = rhs;
      mass.factorize();
      mass.solve_in_place(by_sparse.data());
      EXPECT_LE((M * by_sparse - rhs).cwiseAbs().maxCoeff(), T(1e-12) * scale.maxCoeff()) << name;
      VectorX<T> by_recursion(nv);
      factorize_articulated<T>(model, ws);
      solve_articulated<T>(model, rhs.data(), ws, by_recursion.data());
      EXPECT_LE((M * by_recursion - rhs).cwiseAbs().maxCoeff(), T(1e-12) * scale.maxCoeff()) << name;
      if constexpr (std::is_same_v<T, long double>) {
        const VectorX<T> by_cholesky = M.llt().solve(rhs);
        EXPECT_LE((vdot - by_cholesky).norm(), T(1e-12) * by_cholesky.norm()) << name;
        EXPECT_LE((by_sparse - by_cholesky).norm(), T(1e-12) * by_cholesky.norm()) << name;
      }
    }
  }
}

TYPED_TEST(DynamicsIdentity, GravityForcesAreThoseOfNewtonAndEulerAtRest) {
  using T = TypeParam;
  RandomTree random(12);
  for (const NamedModel& item : this->models()) {
    const Model& model = item.model;
    const int nv = model.velocity_count();
    Workspace<T> ws(model);
    const VectorX<T> rest = VectorX<T>::Zero(nv);
    VectorX<T> weight(nv), expected(nv);
    T largest = 0, error = 0;  // over all states: near its equilibrium a pendulum has hardly any weight to compare with
    for (int k = 0; k < kStatesPerModel; ++k) {
      const RandomState<T> s = draw_state<T>(model, random);
      gravity_forces<T>(model, s.q.data(), ws, weight.data());
      inverse_dynamics<T>(model, s.q.data(), rest.data(), nullptr, {}, ws, expected.data());
      largest = std::max(largest, expected.cwiseAbs().maxCoeff());
      error = std::max(error, (weight - expected).cwiseAbs().maxCoeff());
    }
    EXPECT_LE(error, T(1e-13) * largest) << item.name;
  }
}

TYPED_TEST(DynamicsIdentity, CompositeBodyEqualsNewtonEulerColumns) {
  using T = TypeParam;
  RandomTree random(2);
  for (const NamedModel& item : this->models()) {
    const auto& name = item.name;
    const Model& model = item.model;
    const int nv = model.velocity_count();
    Workspace<T> ws(model);
    MassMatrix<T> mass(model);
    VectorX<T> bias(nv), column(nv), unit(nv), zero = VectorX<T>::Zero(nv);
    for (int k = 0; k < kStatesPerModel; ++k) {
      const RandomState<T> s = draw_state<T>(model, random);
      inverse_dynamics<T>(model, s.q.data(), zero.data(), nullptr, {}, ws, bias.data());
      update_positions<T>(model, s.q.data(), ws);
      mass.update(model, ws);
      const MatrixX<T> M = mass.dense();
      MatrixX<T> columns(nv, nv);
      for (int j = 0; j < nv; ++j) {
        unit.setZero();
        unit(j) = 1;
        inverse_dynamics<T>(model, s.q.data(), zero.data(), unit.data(), {}, ws, column.data());
        columns.col(j) = column - bias;
      }
      const T scale = M.cwiseAbs().maxCoeff() + bias.cwiseAbs().maxCoeff();
      EXPECT_LE((columns - M).cwiseAbs().maxCoeff(), T(1e-12) * scale) << name;
      VectorX<T> product(nv);
      mass.multiply(s.v.data(), product.data());
      EXPECT_LE((product - M * s.v).cwiseAbs().maxCoeff(), T(1e-12) * scale * s.v.cwiseAbs().sum()) << name;
    }
  }
}

TYPED_TEST(DynamicsIdentity, ForwardThenInverseReturnsTheForces) {
  using T = TypeParam;
  RandomTree random(3);
  for (const NamedModel& item : this->models()) {
    const auto& name = item.name;
    const Model& model = item.model;
    const int nv = model.velocity_count();
    Workspace<T> ws(model);
    VectorX<T> vdot(nv), tau(nv), bias(nv);
    for (int k = 0; k < kStatesPerModel; ++k) {
      const RandomState<T> s = draw_state<T>(model, random);
      inverse_dynamics<T>(model, s.q.data(), s.v.data(), s.vdot.data(), s.wrenches, ws, tau.data());
      forward_dynamics<T>(model, s.q.data(), s.v.data(), tau.data(), s.wrenches, ws, vdot.data());
      if constexpr (std::is_same_v<T, long double>) {
        EXPECT_LE((vdot - s.vdot).norm(), T(1e-12) * s.vdot.norm()) << name;
      }
      VectorX<T> again(nv);
      inverse_dynamics<T>(model, s.q.data(), s.v.data(), vdot.data(), s.wrenches, ws, again.data());
      inverse_dynamics<T>(model, s.q.data(), s.v.data(), nullptr, s.wrenches, ws, bias.data());
      EXPECT_LE((again - tau).norm(), T(1e-12) * (tau.norm() + bias.norm())) << name;
    }
  }
}

/// Velocity of a point by differencing its position along q ⊕ h v: central, so the error is O(h²) + ε/h.
TYPED_TEST(DynamicsIdentity, JacobiansAndBiasAccelerationsEqualDifferences) {
  using T = TypeParam;
  RandomTree random(4);
  const T h = std::is_same_v<T, double> ? T(1e-5) : T(1e-6);
  for (const NamedModel& item : this->models()) {
    const auto& name = item.name;
    const Model& model = item.model;
    const int nv = model.velocity_count();
    Workspace<T> ws(model);
    Eigen::Matrix<T, 6, Eigen::Dynamic> J(6, nv), J_plus(6, nv), J_minus(6, nv);
    for (int k = 0; k < kStatesPerModel; ++k) {
      const RandomState<T> s = draw_state<T>(model, random);
      const BodyIndex body(1 + k % (model.body_count() - 1));
      const Vec3<T> p_B = Vec3<double>(random.vector(0.1)).cast<T>();
      update_positions<T>(model, s.q.data(), ws);
      update_velocities<T>(model, s.v.data(), ws);
      calc_jacobian<T>(model, ws, body, p_B, J);
      const Motion<T> velocity = calc_point_velocity<T>(model, ws, body, p_B);
      const Motion<T> bias = calc_bias_acceleration<T>(model, ws, body, p_B);
      Vector6<T> twist, acceleration;
      twist << velocity.angular.eigen(), velocity.linear.eigen();
      acceleration << bias.angular.eigen(), bias.linear.eigen();
      const T rounding = T(100) * std::numeric_limits<T>::epsilon() * T(nv);
      EXPECT_LE((J * s.v - twist).norm(), rounding * (J.cwiseAbs() * s.v.cwiseAbs()).norm()) << name;

      const auto displaced = [&](T step, Eigen::Matrix<T, 6, Eigen::Dynamic>& out) {
        VectorX<T> dq = s.v * step, q(model.position_count());
        integrate_position<T>(model, s.q.data(), dq.data(), q.data());
        update_positions<T>(model, q.data(), ws);
        calc_jacobian<T>(model, ws, body, p_B, out);
        const Placement<T> pose = calc_body_pose<T>(model, ws, body);
        return Vector3<T>((pose.p + pose.R * p_B).eigen());
      };
      const Vector3<T> plus = displaced(h, J_plus), minus = displaced(-h, J_minus);
      const T speed = (J.cwiseAbs() * s.v.cwiseAbs()).norm();
      EXPECT_LE(((plus - minus) / (2 * h) - twist.tail(3)).norm(), T(1e-7) * speed) << name;
      EXPECT_LE(((J_plus - J_minus) / (2 * h) * s.v - acceleration).norm(), T(1e-7) * speed * s.v.norm()) << name;
    }
  }
}

/// Impulses on any bodies of any trees at once, two bodies against each other among them: Δv = M⁻¹ Σ Jᵀ P, and no other
/// tree moves.
TYPED_TEST(DynamicsIdentity, ImpulseRecursionEqualsMassMatrixRoute) {
  using T = TypeParam;
  RandomTree random(15);
  for (const NamedModel& item : this->models()) {
    const Model& model = item.model;
    const int nv = model.velocity_count();
    Workspace<T> ws(model);
    MassMatrix<T> mass(model);
    ImpulseDynamics<T> impulse_dynamics(model);
    VectorX<T> dv(nv);
    for (int k = 0; k < kStatesPerModel; ++k) {
      const RandomState<T> s = draw_state<T>(model, random);
      update_positions<T>(model, s.q.data(), ws);
      factorize_articulated<T>(model, ws);
      std::vector<BodyWrench<T>> impulses;
      VectorX<T> expected = VectorX<T>::Zero(nv);
      Eigen::Matrix<T, 6, Eigen::Dynamic> J(6, nv);
      const Vec3<T> P = Vec3<double>(random.vector(1)).cast<T>();
      BodyPoint<T> last{};
      for (int i = 0; i < 1 + k % 4; ++i) {
        const int body = static_cast<int>(random.uniform(0, model.body_count() - 1e-9));  // the world, too
        last = {BodyIndex(body), Vec3<double>(random.vector(0.05)).cast<T>()};
        const Vec3<T> part = i % 2 == 0 ? P : P * T(-1);
        impulses.push_back(make_point_impulse<T>(model, ws, last.body, last.p_B, part));
        calc_jacobian<T>(model, ws, last.body, last.p_B, J);
        Eigen::Matrix<T, 3, 1> force(part.x, part.y, part.z);
        expected += J.bottomRows(3).transpose() * force;
      }
      impulse_dynamics.apply(model, impulses, ws, dv.data());
      mass.update(model, ws);
      // Backward error: M Δv against Jᵀ P, term by term.
      const MatrixX<T> M = mass.dense();
      const T scale = (M.cwiseAbs() * dv.cwiseAbs()).maxCoeff() + expected.cwiseAbs().maxCoeff();
      EXPECT_LE((M * dv - expected).cwiseAbs().maxCoeff(), T(1e-12) * scale) << item.name;
      calc_jacobian<T>(model, ws, last.body, last.p_B, J);
      const Motion<T> change = impulse_dynamics.calc_point_change(model, ws, last.body, last.p_B);
      const VectorX<T> twist = J * dv;
      EXPECT_NEAR(static_cast<double>(change.linear.x), static_cast<double>(twist(3)),
                  1e-12 * static_cast<double>((J.cwiseAbs() * dv.cwiseAbs()).maxCoeff()))
          << item.name;
    }
  }
}

/// Ψ between points of the same link, the same branch, different branches and different trees, and the world.
TYPED_TEST(DynamicsIdentity, OperationalInertiaEqualsJacobianRoute) {
  using T = TypeParam;
  RandomTree random(5);
  for (const NamedModel& item : this->models()) {
    const auto& name = item.name;
    const Model& model = item.model;
    const int nv = model.velocity_count();
    constexpr int kPoints = 4;
    Workspace<T> ws(model);
    MassMatrix<T> mass(model);
    OperationalInertia<T> operational(model);
    MatrixX<T> result(6 * kPoints, 6 * kPoints);
    for (int k = 0; k < kStatesPerModel; ++k) {
      const RandomState<T> s = draw_state<T>(model, random);
      std::vector<BodyPoint<T>> points;
      for (int i = 0; i < kPoints; ++i) {
        const int body = static_cast<int>(random.uniform(i == 0 ? 0 : 1, model.body_count() - 1e-9));
        points.push_back({BodyIndex(body), Vec3<double>(random.vector(0.05)).cast<T>()});
      }
      points[1].body = points[2].body;  // two points of one body
      update_positions<T>(model, s.q.data(), ws);
      factorize_articulated<T>(model, ws);
      operational.update(model, ws);
      operational.calc(model, ws, points, result);
      MatrixX<T> J(6 * kPoints, nv);
      for (int i = 0; i < kPoints; ++i) {
        calc_jacobian<T>(model, ws, points[i].body, points[i].p_B, J.middleRows(6 * i, 6));
      }
      mass.update(model, ws);
      const MatrixX<T> M = mass.dense();
      const MatrixX<T> X = M.llt().solve(MatrixX<T>(J.transpose()));
      const MatrixX<T> expected = J * X;
      const T scale = expected.cwiseAbs().maxCoeff();
      if constexpr (std::is_same_v<T, long double>) {
        EXPECT_LE((result - expected).cwiseAbs().maxCoeff(), T(1e-12) * scale) << name;
      } else {
        // The reference route loses ε · cond(M); what the recursion loses is bounded by the same.
        const T condition = M.cwiseAbs().rowwise().sum().maxCoeff() *
                            M.llt().solve(MatrixX<T>::Identity(nv, nv)).cwiseAbs().rowwise().sum().maxCoeff();
        EXPECT_LE((result - expected).cwiseAbs().maxCoeff(), (T(1e-14) * condition + T(1e-12)) * scale) << name;
      }
      EXPECT_LE((result - result.transpose()).cwiseAbs().maxCoeff(), T(1e-12) * scale) << name;
    }
  }
}

/// A free tree without gravity: whatever its joints do, one evaluation gives a momentum that does not change.
TYPED_TEST(DynamicsIdentity, FreeTreeKeepsMomentum) {
  using T = TypeParam;
  RandomTree random(6);
  using enum JointKind;
  ModelBuilder builder;
  builder.set_gravity(Vector3<double>::Zero());
  BodyIndex root = builder.add_body({"root", random.mass()}, kWorld, {.name = "root", .kind = free});
  std::vector<BodyIndex> bodies = {root};
  const std::vector<JointKind> kinds = {revolute, prismatic, universal, spherical, planar, free, fixed};
  for (int i = 0; i < 24; ++i) {
    const BodyIndex parent =
        bodies[static_cast<std::size_t>(random.uniform(0, static_cast<double>(bodies.size()) - 1e-9))];
    JointSpec joint = random.joint("j" + std::to_string(i), kinds[i % kinds.size()]);
    joint.armature.setZero();  // reflected inertia is not part of the bodies' momentum
    bodies.push_back(builder.add_body({"b" + std::to_string(i), random.mass(-3, 1)}, parent, joint));
  }
  const Model model = std::move(builder).finalize();
  const int nv = model.velocity_count();
  Workspace<T> ws(model);
  VectorX<T> vdot(nv);
  for (int k = 0; k < 1000; ++k) {
    RandomState<T> s = draw_state<T>(model, random);
    s.tau.head(6).setZero();  // nothing pushes the root from outside
    forward_dynamics<T>(model, s.q.data(), s.v.data(), s.tau.data(), {}, ws, vdot.data());
    update_positions<T>(model, s.q.data(), ws);
    update_velocities<T>(model, s.v.data(), ws);
    const Wrench<T> rate = calc_momentum_rate<T>(model, ws, vdot.data());
    // Scale: the rates that the single links contribute.
    T force(0), moment(0);
    for (int i = 1; i <= model.link_count(); ++i) {
      const T m(model.link_constants()[i].inertia.mass);
      const T a = (ws.motion[i].a + ws.acceleration[i].linear).eigen().norm();
      force += m * a;
      moment += m * a * (T(0.1) + ws.origin_position[i].eigen().norm());
    }
    EXPECT_LE(rate.force.eigen().norm(), T(1e-12) * force);
    EXPECT_LE(rate.moment.eigen().norm(), T(1e-12) * moment);

    // The same by differencing the momentum itself, which shares no formula with the forces: error h² of the third
    // derivative plus ε/h.
    const T h = std::is_same_v<T, double> ? T(1e-5) : T(1e-6);
    const auto momentum = [&](T step) {
      VectorX<T> dq = s.v * step, q(model.position_count()), v = s.v + vdot * step;
      integrate_position<T>(model, s.q.data(), dq.data(), q.data());
      update_positions<T>(model, q.data(), ws);
      update_velocities<T>(model, v.data(), ws);
      return calc_momentum<T>(model, ws);
    };
    Wrench<T> difference = momentum(h);
    difference -= momentum(-h);
    EXPECT_LE(difference.force.eigen().norm() / (2 * h), T(1e-6) * force);
    EXPECT_LE(difference.moment.eigen().norm() / (2 * h), T(1e-6) * moment);
  }
}

/// Linear momentum is the total mass times the velocity of the centre of mass.
TYPED_TEST(DynamicsIdentity, MomentumIsMassTimesVelocityOfTheCenter) {
  using T = TypeParam;
  RandomTree random(8);
  const T h = std::is_same_v<T, double> ? T(1e-5) : T(1e-6);
  for (const NamedModel& item : this->models()) {
    const Model& model = item.model;
    Workspace<T> ws(model);
    T mass(0);
    for (int i = 1; i <= model.link_count(); ++i) mass += T(model.link_constants()[i].inertia.mass);
    for (int k = 0; k < 20; ++k) {
      const RandomState<T> s = draw_state<T>(model, random);
      update_positions<T>(model, s.q.data(), ws);
      update_velocities<T>(model, s.v.data(), ws);
      const Vector3<T> momentum = calc_momentum<T>(model, ws).force.eigen();
      const auto center = [&](T step) {
        VectorX<T> dq = s.v * step, q(model.position_count());
        integrate_position<T>(model, s.q.data(), dq.data(), q.data());
        update_positions<T>(model, q.data(), ws);
        return Vector3<T>(calc_center_of_mass<T>(model, ws).eigen());
      };
      // Central difference: h² of the third derivative plus ε/h, as for the Jacobians.
      const T speed = T(1) + s.v.cwiseAbs().sum();
      EXPECT_LE((mass * (center(h) - center(-h)) / (2 * h) - momentum).norm(), T(1e-7) * mass * speed) << item.name;
    }
  }
}

/// Energy rate from one evaluation: d(kinetic + gravity)/dt = τ·v + power of the wrenches.
TYPED_TEST(DynamicsIdentity, PowerOfTheForcesIsTheRateOfEnergy) {
  using T = TypeParam;
  RandomTree random(7);
  const T h = std::is_same_v<T, double> ? T(1e-5) : T(1e-6);
  for (const NamedModel& item : this->models()) {
    const auto& name = item.name;
    const Model& model = item.model;
    const int nv = model.velocity_count();
    Workspace<T> ws(model);
    VectorX<T> vdot(nv);
    for (int k = 0; k < 10; ++k) {
      const RandomState<T> s = draw_state<T>(model, random);
      forward_dynamics<T>(model, s.q.data(), s.v.data(), s.tau.data(), s.wrenches, ws, vdot.data());
      update_positions<T>(model, s.q.data(), ws);
      update_velocities<T>(model, s.v.data(), ws);
      T power = s.tau.dot(s.v), scale = s.tau.cwiseAbs().dot(s.v.cwiseAbs());
      for (const BodyWrench<T>& w : s.wrenches) {
        const T share = dot(calc_point_velocity<T>(model, ws, w.body, Vec3<T>::zero()), w.wrench);
        power += share;
        scale += std::abs(share);
      }
      const auto energy = [&](T step) {
        VectorX<T> dq = s.v * step, q(model.position_count()), v = s.v + vdot * step;
        integrate_position<T>(model, s.q.data(), dq.data(), q.data());
        update_positions<T>(model, q.data(), ws);
        update_velocities<T>(model, v.data(), ws);
        return calc_kinetic_energy<T>(model, ws, v.data()) + calc_gravity_energy<T>(model, ws);
      };
      // Central difference: its h² term grows with the third power of the rates.
      const T rate = vdot.cwiseAbs().maxCoeff() + s.v.squaredNorm();
      const T noise = std::numeric_limits<T>::epsilon() * std::abs(energy(0)) / h;
      EXPECT_LE(std::abs((energy(h) - energy(-h)) / (2 * h) - power),
                h * h * scale * rate * rate + 100 * noise + T(1e-7) * scale)
          << name;
    }
  }
}

}  // namespace
}  // namespace thenar::identities_test
