// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/rk4.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/builders.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/motion/forces.h"

namespace thenar::rk4_test {
namespace {

/// Springs and dampers only, for any scalar.
template <class T>
class PassiveDrive final : public Drive<T> {
 public:
  explicit PassiveDrive(const Model& model) : model_(&model) {}
  PowerFlow<T> evaluate(double, const T* q, const T* v, Workspace<T>&, T* tau,
                        std::span<const BodyWrench<T>>&) override {
    std::fill_n(tau, model_->velocity_count(), T(0));
    add_passive_forces(*model_, q, v, tau);
    return {};
  }

 private:
  const Model* model_;
};

template <class T>
struct Numbers {
  std::vector<T> q, v;
};

template <class T>
Numbers<T> run(const Scenario& s, double until, int steps) {
  Numbers<T> x{{s.initial.q.begin(), s.initial.q.end()}, {s.initial.v.begin(), s.initial.v.end()}};
  PassiveDrive<T> drive(s.model);
  Rk4Scratch<T> scratch(s.model);
  for (int i = 0; i < steps; ++i) {
    rk4_step<T>(s.model, i * until / steps, until / steps, x.q.data(), x.v.data(), drive, scratch);
  }
  return x;
}

template <class T>
T distance(const Numbers<T>& a, const Numbers<T>& b) {
  T sum(0);
  for (std::size_t i = 0; i < a.q.size(); ++i) sum += (a.q[i] - b.q[i]) * (a.q[i] - b.q[i]);
  for (std::size_t i = 0; i < a.v.size(); ++i) sum += (a.v[i] - b.v[i]) * (a.v[i] - b.v[i]);
  return std::sqrt(sum);
}

/// Order seen when the step is halved, against a solution with steps 16 times shorter than the finer one.
double observed_order(const Scenario& s, double until, int steps) {
  const Numbers<long double> exact = run<long double>(s, until, 32 * steps);
  const long double coarse = distance(run<long double>(s, until, steps), exact);
  const long double fine = distance(run<long double>(s, until, 2 * steps), exact);
  return static_cast<double>(std::log2(coarse / fine));
}

TEST(Rk4, FreeAsymmetricTopHasOrderFour) {
  Scenario s = test::free_box();
  s.initial.v << 3, 0.2, -1, 0.1, 0.2, 0.3;  // tumbles about its middle axis, the hard one
  for (const int steps : {50, 100, 200}) EXPECT_NEAR(observed_order(s, 2, steps), 4, 0.15) << steps;
}

TEST(Rk4, TreeWithEveryJointHasOrderFour) {
  for (const int steps : {50, 100}) EXPECT_NEAR(observed_order(test::mixed_tree(), 0.5, steps), 4, 0.15) << steps;
}

TEST(Rk4, ConstantSpinIsExact) {
  // About a principal axis the velocity is constant and the rotation vector grows linearly: no error but rounding.
  Scenario s = test::free_box();
  s.model = [] {
    ModelBuilder builder;
    builder.set_gravity(Vector3<double>::Zero());
    builder.add_body({.name = "box", .mass = test::box_mass(2, {0.3, 0.2, 0.1})}, kWorld,
                     {.name = "box", .kind = JointKind::free});
    return std::move(builder).finalize();
  }();
  s.initial.v << 0, 0, 2, 0, 0, 0;
  const Numbers<double> x = run<double>(s, 1, 10);
  EXPECT_NEAR(x.q[3], std::cos(1.0), 1e-15);
  EXPECT_NEAR(x.q[6], std::sin(1.0), 1e-15);
  EXPECT_NEAR(x.v[2], 2, 1e-15);
}

TEST(Rk4, LanesOfAPackEqualSingleRuns) {
  const Scenario s = test::mixed_tree();
  const auto nq = static_cast<std::size_t>(s.model.position_count()),
             nv = static_cast<std::size_t>(s.model.velocity_count());
  std::vector<Pack4> q(nq), v(nv);
  for (std::size_t i = 0; i < nq; ++i) q[i] = Pack4(s.initial.q(static_cast<int>(i)));
  for (std::size_t i = 0; i < nv; ++i) {
    for (int lane = 0; lane < Pack4::kLanes; ++lane)
      v[i].set(lane, s.initial.v(static_cast<int>(i)) * (1 + 0.1 * lane));
  }
  ScenarioForces<Pack4> forces(s);
  Rk4Scratch<Pack4> scratch(s.model);
  for (int i = 0; i < 20; ++i) rk4_step(s.model, 0.01 * i, 0.01, q.data(), v.data(), forces, scratch);
  for (int lane = 0; lane < Pack4::kLanes; ++lane) {
    Scenario single = s;
    single.initial.v *= 1 + 0.1 * lane;
    const Numbers<double> x = run<double>(single, 0.2, 20);
    // The lanes go through the same operations; only contractions and the order of sums may differ.
    for (std::size_t i = 0; i < nq; ++i) EXPECT_NEAR(q[i][lane], x.q[i], 1e-12);
    for (std::size_t i = 0; i < nv; ++i) EXPECT_NEAR(v[i][lane], x.v[i], 1e-11);
  }
}

TEST(Rk4, QuaternionsStayUnit) {
  Scenario s = test::mixed_tree();
  const Numbers<double> x = run<double>(s, 1, 100);
  const double norm = std::sqrt(x.q[3] * x.q[3] + x.q[4] * x.q[4] + x.q[5] * x.q[5] + x.q[6] * x.q[6]);
  EXPECT_NEAR(norm, 1, 1e-15);
}

}  // namespace
}  // namespace thenar::rk4_test
