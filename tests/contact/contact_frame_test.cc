// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/contact_frame.h"

#include <gtest/gtest.h>

#include "random_shapes.h"

namespace thenar::contact_frame_test {
namespace {

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance) { EXPECT_LT(norm(a - b), tolerance); }

/// A few roundings of numbers of size 1.
constexpr double kRounding = 1e-15;

TEST(ContactFrame, IsRightHandedAndOrthonormal) {
  test::RandomShapes random(1);
  for (int i = 0; i < 1000; ++i) {
    const ContactFrame<double> C = make_contact_frame(normalized(Vec3<double>(random.vector(1))), i % 2 == 0);
    EXPECT_NEAR(dot(C.T, C.T), 1, 1e-15);
    EXPECT_NEAR(dot(C.N, C.T), 0, 3e-15);  // T is normalized after a projection that leaves at least 0.43 of it
    expect_near(C.U, cross(C.N, C.T), kRounding);
  }
}

TEST(ContactFrame, TangentIsTheProjectedXAxis) {
  const ContactFrame<double> up = make_contact_frame<double>({0, 0, 1}, false);
  expect_near(up.T, {1, 0, 0}, kRounding);
  expect_near(up.U, {0, 1, 0}, kRounding);
  const ContactFrame<double> tilted = make_contact_frame<double>({0.6, 0, 0.8}, false);
  expect_near(tilted.T, {0.8, 0, -0.6}, kRounding);
  expect_near(tilted.U, {0, 1, 0}, kRounding);
}

TEST(ContactFrame, TangentIsTheYAxisWhereTheNormalIsAlongX) {
  const ContactFrame<double> C = make_contact_frame<double>({1, 0, 0}, false);
  expect_near(C.T, {0, 1, 0}, kRounding);
  expect_near(C.U, {0, 0, 1}, kRounding);
  EXPECT_GT(make_contact_frame<double>({0.89, std::sqrt(1 - 0.89 * 0.89), 0}, false).T.x, 0);
  EXPECT_LT(make_contact_frame<double>({0.91, std::sqrt(1 - 0.91 * 0.91), 0}, false).T.x, 0);
}

TEST(ContactFrame, PlanarTangentIsTheNormalTurnedByAQuarter) {
  const ContactFrame<double> C = make_contact_frame<double>({0.6, 0.8, 0}, true);
  expect_near(C.T, {-0.8, 0.6, 0}, kRounding);
  expect_near(C.U, {0, 0, 1}, kRounding);  // out of the page
  // A planar object that lies on a table: the normal points out of the page, and the rule of space holds.
  expect_near(make_contact_frame<double>({0, 0, 1}, true).T, {1, 0, 0}, kRounding);
}

}  // namespace
}  // namespace thenar::contact_frame_test
