// SPDX-License-Identifier: BSD-3-Clause
//
// Contacts in a row of a trace: a ball that rests, rolls, slides and spins on a floor, and what is near.

#include "thenar/engine/contact_sampler.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "../support/contact_scenes.h"

namespace thenar::contact_sampler_test {
namespace {

constexpr double kWeight = 9.81 * test::kBallMass;

/// The contacts of the initial state, those that touch being held in one way.
class Sampled {
 public:
  Sampled(Scenario s, std::optional<ContactHold> hold)
      : scenario_(std::move(s)),
        motion_(scenario_),
        watch_(scenario_, motion_),
        tolerances_(scenario_.model, find_scales(scenario_.model, scenario_.initial), scenario_.run.tolerance),
        sampler_(scenario_, motion_, watch_, tolerances_) {
    if (hold) motion_.hold({motion_.mode(), test::hold_contacts(scenario_, *hold)});
    const int nv = motion_.size();
    VectorX<double> y = VectorX<double>::Zero(2 * nv + motion_.quadrature_count()), slope = y;
    y.segment(nv, nv) = scenario_.initial.v;
    motion_.set_origin(scenario_.initial.q);
    motion_.calc_slope(0, y.data(), slope.data());
    sampler_.fill(scenario_.initial, contacts);
  }

  double calc_penetration(double gap) {
    State state = scenario_.initial;
    state.q(2) = test::kBallRadius + gap;
    return sampler_.calc_penetration(state);
  }

  std::vector<Contact> contacts;

 private:
  const Scenario scenario_;
  ConstrainedMotion motion_;
  ContactWatch watch_;
  Tolerances tolerances_;
  ContactSampler sampler_;
};

/// With the angular and the linear velocity of a free joint.
Contact sample_ball(const ContactLaw& law, ContactHold hold, const std::array<double, 6>& v) {
  Scenario s = test::ball_over_floor(0, law);
  for (int i = 0; i < 6; ++i) s.initial.v(i) = v[static_cast<std::size_t>(i)];
  const Sampled sampled(std::move(s), hold);
  EXPECT_EQ(sampled.contacts.size(), 1u);
  return sampled.contacts.front();
}

ContactLaw make_soft() {
  ContactLaw law{.fingertip = Fingertip::soft, .friction = 0.5};
  law.torsion = 2e-3;
  return law;
}

TEST(ContactSampler, SaysWhatAContactDoes) {
  using enum ContactHold;
  const ContactLaw point{.friction = 0.5}, smooth_law{.fingertip = Fingertip::frictionless};
  EXPECT_EQ(sample_ball(point, rolling, {}).mode, ContactMode::stick);
  EXPECT_EQ(sample_ball(point, rolling, {0, 10, 0, 1, 0, 0}).mode, ContactMode::roll);
  EXPECT_EQ(sample_ball(point, sliding, {0, 0, 0, 1, 0, 0}).mode, ContactMode::slide);
  EXPECT_EQ(sample_ball(smooth_law, smooth, {0, 0, 0, 1, 0, 0}).mode, ContactMode::slide);
  EXPECT_EQ(sample_ball(smooth_law, smooth, {}).mode, ContactMode::stick);
  EXPECT_EQ(sample_ball(make_soft(), sliding, {0, 0, 3, 0, 0, 0}).mode, ContactMode::spin);
  EXPECT_EQ(sample_ball(make_soft(), sliding, {0, 0, 3, 1, 0, 0}).mode, ContactMode::slide);
}

TEST(ContactSampler, ForcesAndMarginsAreThoseOfCoulomb) {
  const Contact rests = sample_ball({.friction = 0.5}, ContactHold::rolling, {});
  EXPECT_NEAR(rests.force_on_A.normal, kWeight, 1e-11);
  EXPECT_NEAR(rests.margin, 1, 1e-12) << "no friction is needed";
  EXPECT_EQ(rests.friction, 0.5);
  const Contact slides = sample_ball({.friction = 0.5}, ContactHold::sliding, {0, 0, 0, 3, 4, 0});
  const Eigen::Vector2d friction(slides.force_on_A.along_T, slides.force_on_A.along_U);
  const Eigen::Vector2d slip(slides.slip[0], slides.slip[1]);
  EXPECT_NEAR(slip.norm(), 5, 1e-13);
  EXPECT_LT((friction + 0.5 * kWeight * slip / 5).norm(), 1e-8);
  EXPECT_EQ(slides.margin, -1);
  EXPECT_EQ(sample_ball({.fingertip = Fingertip::frictionless}, ContactHold::smooth, {0, 0, 0, 3, 4, 0}).margin, 0);
}

/// Rolls on with 2/7 of a push at its middle as friction; the margin is what is left of the cone.
TEST(ContactSampler, TheMarginIsWhatIsLeftOfTheCone) {
  Scenario s = test::ball_over_floor(0, {.friction = 0.5});
  WrenchProfile push;
  push.body = s.model.body_of("ball");
  push.force = {Expression(7), Expression(0), Expression(0)};
  s.wrenches.push_back(push);
  const Sampled sampled(s, ContactHold::rolling);
  EXPECT_NEAR(sampled.contacts.front().margin, 1 - 2 / (0.5 * kWeight), 1e-9);
}

TEST(ContactSampler, OpenPairsAreThoseWithinTheMargin) {
  Scenario s = test::ball_over_floor(0.03);
  s.contacts->margin = 0.05;
  Sampled near(s, std::nullopt);
  ASSERT_EQ(near.contacts.size(), 1u);
  const Contact& contact = near.contacts.front();
  EXPECT_TRUE(contact.is_open());
  EXPECT_EQ(contact.name, "ball/floor");
  EXPECT_NEAR(contact.gap, 0.03, 1e-15);
  EXPECT_NEAR(contact.N.z, 1, 1e-15);
  EXPECT_NEAR(contact.point_A.z, 0.03, 1e-15);
  EXPECT_EQ(contact.force_on_A, ContactForce{});
  EXPECT_EQ(contact.friction, 0);
  s.contacts->margin = 0.02;
  EXPECT_TRUE(Sampled(s, std::nullopt).contacts.empty());
}

TEST(ContactSampler, PenetrationIsTheDeepestOverlap) {
  Sampled sampled(test::ball_over_floor(0), ContactHold::rolling);
  EXPECT_NEAR(sampled.calc_penetration(-1e-3), 1e-3, 1e-15);
  EXPECT_EQ(sampled.calc_penetration(1e-3), 0);
  EXPECT_NEAR(sampled.calc_penetration(-2e-4), 2e-4, 1e-15);
}

TEST(ContactSampler, APlaceIsThatOfItsContact) {
  const Scenario s = test::ellipsoid_on_ball();
  const std::vector<HeldContact> held = test::hold_contacts(s, ContactHold::rolling);
  const Contact contact = describe_place(held.front());
  EXPECT_EQ(contact.name, held.front().name());
  EXPECT_EQ(contact.gap, held.front().gap());
  EXPECT_NEAR(dot(contact.N, contact.T), 0, 1e-15);
  // On the fixed ball of 0.1 m about (0.02, −0.03, −0.1).
  EXPECT_NEAR((contact.point_A.eigen() - Vector3<double>(0.02, -0.03, -0.1)).norm(), 0.1, 1e-12);
}

}  // namespace
}  // namespace thenar::contact_sampler_test
