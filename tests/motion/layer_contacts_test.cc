// SPDX-License-Identifier: BSD-3-Clause
//
// Compliant layers as a part of the motion: their energy balance, their derivatives and their phases.

#include "thenar/motion/layer_contacts_internal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "../support/contact_scenes.h"
#include "thenar/dynamics/mass_matrix.h"

namespace thenar::layer_contacts_test {
namespace {

using internal::LayerContact;
using internal::LayerContacts;

constexpr double kStiffness = 2e3, kDamping = 3, kShearStiffness = 1e3, kShearDamping = 2;
constexpr double kDepth = 1e-3;  // m

std::shared_ptr<const LayerLaw> make_layer_law() {
  return std::make_shared<KelvinVoigt>(LayerConstants{kStiffness, kDamping, kShearStiffness, kShearDamping});
}

/// An ellipsoid that presses the layer on a ball, by a millimetre where its surfaces just touch.
class PressedEgg {
 public:
  explicit PressedEgg(const ContactLaw& law, LayerPhase phase)
      : scenario_(test::ellipsoid_on_ball(law)), layers_(scenario_.model) {
    std::vector<LayerContact> contacts;
    contacts.emplace_back(test::hold_contacts(scenario_, ContactHold::smooth).front(), make_layer_law(), kDepth);
    contacts.front().phase = phase;
    layers_.set_contacts(std::move(contacts));
    shears_ = VectorX<double>::LinSpaced(layers_.shear_count(), 2e-4, -1e-4);
    look(0);
  }
  PressedEgg(const PressedEgg&) = delete;  // contacts refer to the model

  /// `time` after the start, at constant velocity, sheared by the rates of the start.
  void look(double time, const VectorX<double>& rates = {}) {
    const VectorX<double> way = time * scenario_.initial.v;
    VectorX<double> q = scenario_.initial.q, shears = shears_;
    if (rates.size() > 0) shears += time * rates;
    integrate_position(scenario_.model, scenario_.initial.q.data(), way.data(), q.data());
    ASSERT_TRUE(layers_.update(q.data(), scenario_.initial.v.data(), shears.data()));
  }
  VectorX<double> calc_effort(const VectorX<double>& v, const VectorX<double>& shears) {
    EXPECT_TRUE(layers_.update(scenario_.initial.q.data(), v.data(), shears.data()));
    VectorX<double> out = VectorX<double>::Zero(v.size());
    layers_.add_efforts(out.data());
    return out;
  }
  VectorX<double> rates() const {
    VectorX<double> out(layers_.shear_count());
    layers_.write_rates(out.data());
    return out;
  }

  const Scenario& scenario() const { return scenario_; }
  const VectorX<double>& v() const { return scenario_.initial.v; }
  const VectorX<double>& shears() const { return shears_; }
  LayerContacts& layers() { return layers_; }
  LayerContact& layer() { return layers_.contacts().front(); }

 private:
  Scenario scenario_;
  LayerContacts layers_;
  VectorX<double> shears_;
};

ContactLaw make_law(double friction, double torsion = 0) {
  ContactLaw law{.friction = friction};
  if (torsion > 0) law.fingertip = Fingertip::soft, law.torsion = torsion;
  return law;
}

/// What the bodies put in is stored or dissipated: −effort · v = dE/dt + dissipated, in either phase, with friction
/// about the normal and without. Differences over 1e-6 s.
TEST(LayerContacts, EnergyBalances) {
  for (const LayerPhase phase : {LayerPhase::sticks, LayerPhase::slips}) {
    for (const double torsion : {0.0, 5e-3}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(phase) << ' ' << torsion);
      PressedEgg egg(make_law(0.4, torsion), phase);
      EXPECT_EQ(egg.layers().shear_count(), torsion > 0 ? 3 : 2);
      const double power = egg.calc_effort(egg.v(), egg.shears()).dot(egg.v()), lost = egg.layers().calc_dissipated();
      const VectorX<double> rates = egg.rates();
      constexpr double kStep = 1e-6;
      egg.look(kStep, rates);
      const double after = egg.layers().calc_energy();
      egg.look(-kStep, rates);
      const double before = egg.layers().calc_energy(), stored = (after - before) / (2 * kStep);
      EXPECT_GT(lost, 1e-3);
      EXPECT_NEAR(-power, stored + lost, 1e-7 * (std::abs(stored) + lost));
    }
  }
}

TEST(LayerContacts, TheNormalForceIsThatOfSpringAndDamper) {
  PressedEgg egg(make_law(0.4), LayerPhase::sticks);
  const double rate = -egg.layer().place().velocity()(0);
  EXPECT_NEAR(egg.layer().depth(), kDepth, 1e-12);
  EXPECT_NEAR(egg.layer().force()(0), kStiffness * kDepth + kDamping * rate, 1e-9);
  EXPECT_EQ(egg.layers().collect_shears(), egg.shears());
}

/// Differences over 1e-6 of forces that are linear in speeds, or nearly so while the layer slips.
TEST(LayerContacts, DerivativesBySpeedAndShearAreDifferences) {
  for (const LayerPhase phase : {LayerPhase::sticks, LayerPhase::slips}) {
    SCOPED_TRACE(static_cast<int>(phase));
    PressedEgg egg(make_law(0.4, 5e-3), phase);
    const auto nv = egg.v().size();
    MatrixX<double> dx = MatrixX<double>::Zero(nv, nv), dv = dx;
    InnerJacobian inner;
    egg.layers().add_derivatives(dx, dv, inner);
    Workspace<double> workspace(egg.scenario().model);
    MassMatrix<double> mass(egg.scenario().model);
    update_positions(egg.scenario().model, egg.scenario().initial.q.data(), workspace);
    mass.update(egg.scenario().model, workspace);
    const Eigen::LLT<MatrixX<double>> inverse(mass.dense());
    constexpr double kStep = 1e-6;
    for (Eigen::Index j = 0; j < nv; ++j) {
      const VectorX<double> step = kStep * VectorX<double>::Unit(nv, j);
      const VectorX<double> difference =
          inverse.solve(egg.calc_effort(egg.v() + step, egg.shears()) - egg.calc_effort(egg.v() - step, egg.shears())) /
          (2 * kStep);
      EXPECT_LT((dv.col(j) - difference).norm(), 1e-6 * (1 + dv.norm())) << j;
    }
    for (Eigen::Index j = 0; j < egg.shears().size(); ++j) {
      const VectorX<double> step = 1e-9 * VectorX<double>::Unit(egg.shears().size(), j);
      const VectorX<double> difference =
          inverse.solve(egg.calc_effort(egg.v(), egg.shears() + step) - egg.calc_effort(egg.v(), egg.shears() - step)) /
          2e-9;
      EXPECT_LT((inner.dv_ds.col(j) - difference).norm(), 1e-5 * (1 + inner.dv_ds.norm())) << j;
    }
  }
}

/// A ball at rest on a layer that is pressed by `depth` and sheared by `shear`.
LayerPhase choose(double depth, double shear, LayerPhase before, bool is_new) {
  const Scenario s = test::ball_over_floor(0, make_law(0.5));
  LayerContacts layers(s.model);
  std::vector<LayerContact> contacts;
  contacts.emplace_back(test::hold_contacts(s, ContactHold::smooth).front(), make_layer_law(), depth);
  contacts.front().phase = before;
  contacts.front().is_new = is_new;
  layers.set_contacts(std::move(contacts));
  const VectorX<double> shears = Eigen::Vector2d(shear, 0);
  EXPECT_TRUE(layers.update(s.initial.q.data(), s.initial.v.data(), shears.data()));
  layers.contacts().front().choose_phase(1e-3, 1e-7);
  return layers.contacts().front().phase;
}

TEST(LayerContact, SticksSlipsOrIsApart) {
  const double most = 0.5 * kStiffness * kDepth / kShearStiffness;  // the shear that friction holds
  EXPECT_EQ(choose(kDepth, 0.99 * most, LayerPhase::apart, true), LayerPhase::sticks);
  EXPECT_EQ(choose(kDepth, 1.01 * most, LayerPhase::apart, true), LayerPhase::slips);
  EXPECT_EQ(choose(-kDepth, 0, LayerPhase::apart, true), LayerPhase::apart);
  EXPECT_EQ(choose(-kDepth, 0, LayerPhase::sticks, false), LayerPhase::apart);
}

/// Within the margin of 1e-3 N of normal force a layer stays what it is, so that it does not go to and fro.
TEST(LayerContact, KeepsItsPhaseWithinTheMargin) {
  const double most = 0.5 * kStiffness * kDepth / kShearStiffness, margin = 0.5 * 1e-3 / kShearStiffness;
  for (const double part : {-0.5, 0.5}) {
    EXPECT_EQ(choose(kDepth, most + part * margin, LayerPhase::sticks, false), LayerPhase::sticks);
    EXPECT_EQ(choose(kDepth, most + part * margin, LayerPhase::slips, false), LayerPhase::slips);
  }
  // Half the margin of pressing: not yet pressed for what was apart, still pressed for what was not.
  const double depth = 0.5e-3 / kStiffness;
  EXPECT_EQ(choose(depth, 0, LayerPhase::apart, false), LayerPhase::apart);
  EXPECT_EQ(choose(depth, 0, LayerPhase::sticks, false), LayerPhase::sticks);
  EXPECT_EQ(choose(4 * depth, 0, LayerPhase::apart, false), LayerPhase::sticks);
}

}  // namespace
}  // namespace thenar::layer_contacts_test
