// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/spatial/inertia.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "thenar/spatial/rotation.h"

namespace thenar::inertia_test {
namespace {

std::mt19937_64 generator(7);

double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); }
Vector3<double> random_vector(double scale) {
  return {uniform(-scale, scale), uniform(-scale, scale), uniform(-scale, scale)};
}

MassProperties random_mass() {
  MassProperties m{.mass = uniform(0.1, 2), .com = random_vector(0.2)};
  const double x = uniform(1, 2), y = uniform(1, 2), z = uniform(1, 2);
  m.inertia =
      Symmetric3<double>{y + z, x + z, x + y, 0, 0, 0}.rotated(Mat3<double>(rotation_from_rpy(random_vector(3))));
  return m;
}

Matrix6<double> dense(const ArticulatedInertia<double>& I) {
  Matrix6<double> m;
  m << I.J.matrix(), I.H.eigen(), I.H.eigen().transpose(), I.M.matrix();
  return m;
}

/// Motion at the new point to motion at the old one, which lies at r.
Matrix6<double> shift(const Vector3<double>& r) {
  Matrix6<double> X = Matrix6<double>::Identity();
  X.bottomLeftCorner<3, 3>() = -skew<double>(Vec3<double>(r)).eigen();
  return X;
}

TEST(Inertia, MovingAnArticulatedInertiaIsACongruence) {
  for (int i = 0; i < 100; ++i) {
    ArticulatedInertia<double> I = ArticulatedInertia<double>::rigid(make_rigid_inertia(random_mass()));
    I += ArticulatedInertia<double>::rigid(make_rigid_inertia(random_mass())).moved_by(random_vector(1));
    const Wrench<double> U{random_vector(0.3), random_vector(0.3)};
    I.subtract_outer(U, {U.moment * 0.7, U.force * 0.7});
    const Vector3<double> r = random_vector(1);
    const Matrix6<double> X = shift(r), expected = X.transpose() * dense(I) * X;
    EXPECT_LE((dense(I.moved_by(Vec3<double>(r))) - expected).norm(), 1e-14 * expected.norm());
  }
}

TEST(Inertia, RigidAndArticulatedFormsAgree) {
  for (int i = 0; i < 100; ++i) {
    const RigidInertia<double> I = make_rigid_inertia(random_mass());
    const Vec3<double> r(random_vector(1));
    EXPECT_LE((dense(ArticulatedInertia<double>::rigid(I.moved_by(r))) -
               dense(ArticulatedInertia<double>::rigid(I).moved_by(r)))
                  .norm(),
              1e-13);
    const Motion<double> a{random_vector(1), random_vector(1)};
    Vector6<double> x;
    x << a.angular.eigen(), a.linear.eigen();
    const Vector6<double> y = dense(ArticulatedInertia<double>::rigid(I)) * x;
    const Wrench<double> f = I * a;
    EXPECT_LE((f.moment.eigen() - y.head(3)).norm() + (f.force.eigen() - y.tail(3)).norm(), 1e-14 * y.norm());
  }
}

TEST(Inertia, WeldingEqualsTheSumAboutAnyPoint) {
  for (int i = 0; i < 100; ++i) {
    const MassProperties a = random_mass(), b = random_mass();
    const RigidInertia<double> welded = make_rigid_inertia(a + b);
    RigidInertia<double> sum = make_rigid_inertia(a);
    sum += make_rigid_inertia(b);
    EXPECT_NEAR(welded.mass, sum.mass, 1e-14);
    EXPECT_LE((welded.h - sum.h).eigen().norm(), 1e-14);
    EXPECT_LE((welded.J.matrix() - sum.J.matrix()).norm(), 1e-13);
  }
}

TEST(Inertia, ChangingFramesKeepsKineticEnergy) {
  const MassProperties m = random_mass();
  const Pose<double> X_AB{rotation_from_rpy(random_vector(2)), random_vector(1)};
  const MassProperties in_A = m.expressed_in(X_AB);
  const Vector3<double> w_A = random_vector(1), v_Ao = random_vector(1);
  const Motion<double> at_A{w_A, v_Ao};
  const Vector3<double> w_B = X_AB.R.transpose() * w_A, v_Bo = X_AB.R.transpose() * (v_Ao + w_A.cross(X_AB.p));
  const Motion<double> at_B{w_B, v_Bo};
  EXPECT_NEAR(dot(at_A, make_rigid_inertia(in_A) * at_A), dot(at_B, make_rigid_inertia(m) * at_B), 1e-13);
}

TEST(MassProperties, NamesWhatIsWrong) {
  MassProperties m{.mass = 1, .inertia = {1, 1, 1, 0, 0, 0}};
  EXPECT_FALSE(m.find_fault());
  m.inertia = {1, 1, 2, 0, 0, 0};  // a flat plate sits on the boundary
  EXPECT_FALSE(m.find_fault());
  m.inertia = {0, 1, 1, 0, 0, 0};  // so does a thin rod
  EXPECT_FALSE(m.find_fault());
  m.inertia = {1, 1, 2.01, 0, 0, 0};
  EXPECT_NE(m.find_fault()->find("triangle inequality"), std::string::npos);
  m.inertia = {1, 1, 1, 2, 0, 0};
  EXPECT_NE(m.find_fault()->find("positive semidefinite"), std::string::npos);
  m = {.mass = -1};
  EXPECT_NE(m.find_fault()->find("negative"), std::string::npos);
  m = {.mass = 0, .inertia = {1, 1, 1, 0, 0, 0}};
  EXPECT_NE(m.find_fault()->find("without mass"), std::string::npos);
  m = {.mass = std::numeric_limits<double>::quiet_NaN()};
  EXPECT_NE(m.find_fault()->find("finite"), std::string::npos);
}

}  // namespace
}  // namespace thenar::inertia_test
