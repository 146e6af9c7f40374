// SPDX-License-Identifier: BSD-3-Clause
//
// No call of the dynamics touches the heap.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

#include "../support/heap_counter.h"
#include "random_trees.h"
#include "thenar/dynamics/batch.h"
#include "thenar/dynamics/derivatives.h"
#include "thenar/dynamics/energy.h"
#include "thenar/dynamics/impulse_dynamics.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/dynamics/operational_inertia.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar::dynamics_allocation_test {
namespace {

using test::count_allocations;
using test::RandomTree;

TEST(Allocation, TheCounterCounts) {
  // volatile: the compiler may otherwise drop a pair of new and delete.
  EXPECT_EQ(count_allocations([] {
              void* volatile p = std::malloc(100);
              std::free(p);
            }),
            1);
  EXPECT_GE(count_allocations([] {
              const VectorX<double> x = VectorX<double>::Ones(1000);
              EXPECT_EQ(x.sum(), 1000);
            }),
            1);
}

template <class T>
std::vector<T> spread(const VectorX<double>& x) {
  std::vector<T> out;
  for (const double value : x) out.push_back(T(value));
  return out;
}

template <class T>
void expect_no_allocations(const Model& model, RandomTree& random) {
  const auto q = spread<T>(random.position(model));
  const auto v = spread<T>(random.numbers(model.velocity_count(), 1));
  auto tau = spread<T>(random.numbers(model.velocity_count(), 1)), out = tau;
  Workspace<T> ws(model);
  MassMatrix<T> mass(model);
  OperationalInertia<T> operational(model);
  ImpulseDynamics<T> impulse_dynamics(model);
  const std::vector<BodyPoint<T>> points = {{BodyIndex(1), Vec3<T>::zero()},
                                            {BodyIndex(model.body_count() - 1), Vec3<T>::zero()}};
  const std::vector<BodyWrench<T>> wrenches = {{BodyIndex(1), Wrench<T>::zero()}};
  MatrixX<T> lambda(12, 12);
  Eigen::Matrix<T, 6, Eigen::Dynamic> J(6, model.velocity_count());
  EXPECT_EQ(count_allocations([&] {
              add_passive_forces(model, q.data(), v.data(), tau.data());
              forward_dynamics<T>(model, q.data(), v.data(), tau.data(), wrenches, ws, out.data());
              inverse_dynamics<T>(model, q.data(), v.data(), out.data(), wrenches, ws, tau.data());
              gravity_forces<T>(model, q.data(), ws, tau.data());
              update_positions(model, q.data(), ws);
              update_velocities(model, v.data(), ws);
              calc_jacobian<T>(model, ws, points[1].body, points[1].p_B, J);
              calc_bias_acceleration<T>(model, ws, points[1].body, points[1].p_B);
              mass.update(model, ws);
              mass.factorize();
              mass.solve_in_place(out.data());
              factorize_articulated(model, ws);
              solve_articulated(model, tau.data(), ws, out.data());
              impulse_dynamics.apply(model, wrenches, ws, out.data());
              operational.update(model, ws);
              operational.calc(model, ws, points, lambda);
              calc_kinetic_energy(model, ws, v.data());
              calc_gravity_energy(model, ws);
              calc_spring_energy(model, q.data());
              calc_momentum(model, ws);
              calc_momentum_rate(model, ws, out.data());
            }),
            0);
}

TEST(Allocation, NoCallOfTheDynamicsUsesTheHeap) {
  RandomTree random(51);
  for (const auto& [name, model] : test::make_test_models()) {
    SCOPED_TRACE(name);
    expect_no_allocations<double>(model, random);
    expect_no_allocations<long double>(model, random);
    expect_no_allocations<Pack4>(model, random);
    expect_no_allocations<Dual4>(model, random);
  }
}

TEST(Allocation, BatchesAndDerivativesAllocateOnlyWhenMade) {
  RandomTree random(52);
  const Model model = random.hand(JointKind::universal, {3, 3, 3, 3}, true);
  Batch batch(model, 20);
  DynamicsDerivatives derivatives(model);
  const VectorX<double> q = random.position(model), v = random.numbers(model.velocity_count(), 1);
  EXPECT_EQ(count_allocations([&] {
              for (int i = 0; i < 20; ++i) batch.set_state(i, q.data(), v.data());
              batch.forward_dynamics(model);
              derivatives.forward(model, q.data(), v.data(), v.data());
              derivatives.inverse(model, q.data(), v.data(), v.data());
            }),
            0);
}

/// Memory linear in the number of links: the workspace of ten times the links takes ten times the bytes.
TEST(Allocation, WorkspaceIsLinearInTheLinks) {
  RandomTree random(53);
  const auto bytes = [&](int links) {
    const Model model = random.chain(std::vector<JointKind>(static_cast<std::size_t>(links), JointKind::revolute));
    const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    const Workspace<double> ws(model);
    return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd - before);
  };
  const double hundred = bytes(100), thousand = bytes(1000);
  EXPECT_GT(hundred, 100 * sizeof(double) * 30);
  EXPECT_NEAR(thousand / hundred, 10, 0.5);
}

}  // namespace
}  // namespace thenar::dynamics_allocation_test
