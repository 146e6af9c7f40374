// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/compliant_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace thenar::compliant_layer_test {
namespace {

const LayerConstants kSome{.stiffness = 3000, .damping = 12, .shear_stiffness = 2000, .shear_damping = 9};

ContactLaw make_soft() {
  ContactLaw law;
  law.fingertip = Fingertip::soft;
  law.friction = law.static_friction = 0.6;
  law.torsion = 0.004;
  return law;
}

ContactLaw make_point(double mu) {
  ContactLaw law;
  law.friction = law.static_friction = mu;
  return law;
}

/// Random depths, rates, shears and slips that stick and slip about as often.
class RandomLayers {
 public:
  struct State {
    double depth, rate;
    Vector3<double> shear, slip;
  };
  State next() {
    State s;
    s.depth = 1e-3 * uniform_(generator_) + 1e-3;
    s.rate = 0.1 * uniform_(generator_);
    s.shear = 1e-3 * Vector3<double>(uniform_(generator_), uniform_(generator_), 100 * uniform_(generator_));
    s.slip = 0.1 * Vector3<double>(uniform_(generator_), uniform_(generator_), 100 * uniform_(generator_));
    return s;
  }

 private:
  std::mt19937_64 generator_{7};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

LayerAnswer answer(const LayerLaw& layer, const ContactLaw& law, const RandomLayers::State& s) {
  return calc_layer(layer, law, s.depth, s.rate, s.shear, s.slip);
}

/// Length by the ellipsoid of the soft fingertip.
double measure(const Vector3<double>& f, const ContactLaw& law) {
  return std::hypot(f(0) / law.friction, f(1) / law.friction, law.torsion > 0 ? f(2) / law.torsion : 0);
}

TEST(CompliantLayer, ObeysCoulombsLaw) {
  const KelvinVoigt layer(kSome);
  const ContactLaw law = make_soft();
  RandomLayers states;
  int sticking = 0, slipping = 0;
  for (int i = 0; i < 2000; ++i) {
    const RandomLayers::State s = states.next();
    const LayerAnswer a = answer(layer, law, s);
    const Vector3<double> slip = s.slip - a.shear_rate;
    EXPECT_GE(a.f_N, 0);
    EXPECT_LE(measure(a.f_t, law), a.f_N * (1 + 1e-14));
    if (a.phase == LayerPhase::sticks) {
      EXPECT_LT(slip.norm(), 1e-14 * (1 + s.slip.norm()));
      ++sticking;
    }
    if (a.phase == LayerPhase::slips) {
      // No admissible friction takes more power from the slip: f_N times the length of μ u.
      const double most = a.f_N * std::hypot(law.friction * slip(0), law.friction * slip(1), law.torsion * slip(2));
      EXPECT_NEAR(-a.f_t.dot(slip), most, 1e-13 * most);
      ++slipping;
    }
  }
  EXPECT_GT(sticking, 200);
  EXPECT_GT(slipping, 200);
}

TEST(CompliantLayer, NeverGivesMoreThanItsSpringsHold) {
  const HuntCrossley layer(kSome, 1.5, 2);
  const ContactLaw law = make_soft();
  RandomLayers states;
  for (int i = 0; i < 2000; ++i) {
    const RandomLayers::State s = states.next();
    const LayerAnswer a = answer(layer, law, s);
    // The books of the layer: power of friction on the bodies + what springs take + what is lost = 0.
    constexpr double kStep = 1e-6;
    const double springs = (calc_shear_energy(layer, law, s.shear + kStep * a.shear_rate) -
                            calc_shear_energy(layer, law, s.shear - kStep * a.shear_rate)) /
                           (2 * kStep);
    EXPECT_NEAR(a.f_t.dot(s.slip) + springs + a.dissipated, 0, 1e-9 * (1 + std::abs(springs)));
    EXPECT_GE(a.dissipated, -1e-14);
  }
}

TEST(CompliantLayer, IsContinuousWhereStickingEnds) {
  const KelvinVoigt layer(kSome);
  const ContactLaw law = make_soft();
  RandomLayers states;
  for (int i = 0; i < 200; ++i) {
    RandomLayers::State s = states.next();
    s.shear.setZero();
    s.rate = std::abs(s.rate);
    const LayerAnswer first = answer(layer, law, s);
    // Slip at which it just sticks.
    const Vector3<double> limit = s.slip * first.f_N / (first.excess + first.f_N);
    LayerAnswer sides[2];
    for (int side = 0; side < 2; ++side) {
      s.slip = limit * (1 + (side == 0 ? -1e-9 : 1e-9));
      sides[side] = answer(layer, law, s);
    }
    EXPECT_EQ(sides[0].phase, LayerPhase::sticks);
    EXPECT_EQ(sides[1].phase, LayerPhase::slips);
    EXPECT_LT((sides[0].f_t - sides[1].f_t).norm(), 1e-8 * sides[0].f_t.norm());
    EXPECT_LT((sides[0].shear_rate - sides[1].shear_rate).norm(), 1e-8 * limit.norm());
  }
}

TEST(CompliantLayer, DerivativesAreThoseOfTheAnswer) {
  const ContactLaw law = make_soft();
  const KelvinVoigt kelvin_voigt(kSome);
  const HuntCrossley hunt_crossley(kSome, 1.5, 2);
  for (const LayerLaw* layer :
       {static_cast<const LayerLaw*>(&kelvin_voigt), static_cast<const LayerLaw*>(&hunt_crossley)}) {
    RandomLayers states;
    for (int i = 0; i < 300; ++i) {
      const RandomLayers::State s = states.next();
      const LayerAnswer a = answer(*layer, law, s);
      // Differences have errors of h² third derivatives and of rounding/h, here 1e-7 of what is differenced.
      const auto differ = [&](const std::function<void(RandomLayers::State&, double)>& move, double h) {
        RandomLayers::State up = s, down = s;
        move(up, h), move(down, -h);
        const LayerAnswer x = answer(*layer, law, up), y = answer(*layer, law, down);
        Eigen::Matrix<double, 7, 1> out;
        out << (x.f_N - y.f_N), (x.f_t - y.f_t), (x.shear_rate - y.shear_rate);
        return Eigen::Matrix<double, 7, 1>(out / (2 * h));
      };
      if (std::abs(a.excess) < 1e-3 || a.f_N < 1e-3) continue;  // a kink is near
      const auto compare = [&](const Eigen::Matrix<double, 7, 1>& found, double f_N, const Vector3<double>& f_t,
                               const Vector3<double>& rate) {
        Eigen::Matrix<double, 7, 1> expected;
        expected << f_N, f_t, rate;
        EXPECT_LT((found - expected).norm(), 1e-4 * (1 + expected.norm()));
      };
      compare(differ([](auto& x, double h) { x.depth += h; }, 1e-9), a.fN_by_depth, a.ft_by_fN * a.fN_by_depth,
              a.rate_by_fN * a.fN_by_depth);
      compare(differ([](auto& x, double h) { x.rate += h; }, 1e-7), a.fN_by_rate, a.ft_by_fN * a.fN_by_rate,
              a.rate_by_fN * a.fN_by_rate);
      for (int k = 0; k < 3; ++k) {
        const double h = k == 2 ? 1e-6 : 1e-8;
        compare(differ([k](auto& x, double d) { x.shear(k) += d; }, h), 0, a.ft_by_shear.col(k),
                a.rate_by_shear.col(k));
        compare(differ([k](auto& x, double d) { x.slip(k) += d; }, h), 0, a.ft_by_slip.col(k), a.rate_by_slip.col(k));
      }
    }
  }
}

TEST(CompliantLayer, BeginsWithTheForcesItIsTold) {
  const ContactLaw law = make_soft();
  const KelvinVoigt kelvin_voigt(kSome);
  const HuntCrossley hunt_crossley(kSome, 1.5, 2);
  for (const LayerLaw* layer :
       {static_cast<const LayerLaw*>(&kelvin_voigt), static_cast<const LayerLaw*>(&hunt_crossley)}) {
    const Vector3<double> f_t(0.4, -0.5, 0.001), slip(0.01, 0.02, 0.5);
    const double depth = layer->calc_depth(2, 0.01);
    const LayerAnswer sticks = calc_layer(*layer, law, depth, 0.01, calc_shear(*layer, law, f_t, slip), slip);
    EXPECT_NEAR(sticks.f_N, 2, 1e-13);
    EXPECT_LT((sticks.f_t - f_t).norm(), 1e-13);
    EXPECT_EQ(sticks.phase, LayerPhase::sticks);
  }
}

TEST(CompliantLayer, ScaleOfSykGivesItsConstants) {
  // SYK (13) with K̄ = C̄ = 1, t₀ = 1 s, m₀ = 1.69 kg, ε = 1e-3.
  const LayerConstants c = LayerConstants::from_scale(1e-3, 1.69, 1);
  EXPECT_NEAR(c.stiffness, 1690, 1e-9);
  EXPECT_NEAR(c.damping, 1.69 / std::sqrt(1e-3), 1e-12);
  EXPECT_FALSE(c.find_fault());
  EXPECT_TRUE((LayerConstants{1, 1, 1, 0}).find_fault());
  EXPECT_TRUE((LayerConstants{0, 1, 1, 1}).find_fault());
}

/// (position, velocity, shear) of a unit mass on a layer, carried through time by the classical method of order 4.
struct Block {
  const LayerLaw& layer;
  ContactLaw law;
  std::function<double(double)> push;  ///< along T, N
  double weight;                       ///< N

  Vector3<double> slope(double t, const Vector3<double>& y) const {
    const double depth = layer.calc_depth(weight, 0);
    const LayerAnswer a = calc_layer(layer, law, depth, 0, {y(2), 0, 0}, {y(1), 0, 0});
    return {y(1), push(t) + a.f_t(0), a.shear_rate(0)};
  }
  Vector3<double> run(Vector3<double> y, double until, int steps) const {
    const double h = until / steps;
    for (int i = 0; i < steps; ++i) {
      const double t = i * h;
      const Vector3<double> k1 = slope(t, y), k2 = slope(t + h / 2, y + h / 2 * k1);
      const Vector3<double> k3 = slope(t + h / 2, y + h / 2 * k2), k4 = slope(t + h, y + h * k3);
      y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return y;
  }
};

TEST(CompliantLayer, WhatIsPushedStaysWhereItWasPushed) {
  // Beyond its cone for half a second, then let go: it springs back by what the layer was sheared, μ N/k, and no more.
  const KelvinVoigt layer(kSome);
  const Block block{layer, make_point(0.5), [](double t) { return t < 0.5 ? 8.0 : 0.0; }, 9.81};
  const Vector3<double> pushed = block.run(Vector3<double>::Zero(), 0.5, 20000);
  // It stops after a second and swings to rest with exp(−c t/2), 4.5/s.
  const Vector3<double> left = block.run(Vector3<double>::Zero(), 8, 160000);
  EXPECT_GT(pushed(0), 0.2);
  EXPECT_GT(left(0), pushed(0));  // it slides on, and stops
  EXPECT_NEAR(left(1), 0, 1e-9);
  EXPECT_NEAR(left(2), 0, 1e-9);
}

TEST(CompliantLayer, WhatIsHeldDoesNotCreep) {
  const KelvinVoigt layer(kSome);
  const Block block{layer, make_point(0.5), [](double t) { return 4.5 * std::min(t, 1.0); }, 9.81};
  const Vector3<double> settled = block.run(Vector3<double>::Zero(), 10, 100000);
  EXPECT_NEAR(settled(0), 4.5 / kSome.shear_stiffness, 1e-12);
  const Block held{layer, make_point(0.5), [](double) { return 4.5; }, 9.81};
  const Vector3<double> later = held.run(settled, 100, 100000);
  EXPECT_LT(std::abs(later(0) - settled(0)), 1e-12);
}

TEST(HuntCrossley, RestitutionFallsWithTheSpeedOfApproach) {
  // e = 1 − 2/3 a v for small a v (Hunt and Crossley 1975): a unit mass strikes the layer and leaves it again.
  for (const double v : {0.05, 0.1}) {
    const HuntCrossley layer({.stiffness = 1e5, .shear_stiffness = 1, .shear_damping = 1}, 1.5, 0.3);
    double depth = 1e-12, rate = v;
    const double h = 1e-5;
    while (depth > 0) {
      const auto force = [&](double d, double r) { return d > 0 ? -std::max(0.0, layer.calc_normal(d, r).f) : 0.0; };
      const double k1 = force(depth, rate), k2 = force(depth + h / 2 * rate, rate + h / 2 * k1);
      const double k3 = force(depth + h / 2 * rate + h * h / 4 * k1, rate + h / 2 * k2);
      const double k4 = force(depth + h * rate + h * h / 2 * k2, rate + h * k3);
      depth += h * rate + h * h / 6 * (k1 + k2 + k3);
      rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    const double small = 0.3 * v;
    EXPECT_NEAR(-rate / v, 1 - 2.0 / 3 * small, small * small);
  }
}

}  // namespace
}  // namespace thenar::compliant_layer_test
