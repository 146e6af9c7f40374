// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/spatial/inertia.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

bool all_finite(const MassProperties& p) {
  return std::isfinite(p.mass) && p.com.allFinite() && p.inertia.matrix().allFinite();
}

}  // namespace

std::optional<std::string> MassProperties::find_fault() const {
  if (!all_finite(*this)) return "mass, centre of mass and inertia must be finite numbers";
  if (mass < 0) return fmt::format("mass must not be negative, found {} kg", mass);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia.matrix(), Eigen::EigenvaluesOnly);
  const Vector3<double> moments = solver.eigenvalues();  // ascending
  // Rounding in files and in the eigenvalues: a thin rod or a flat plate sits exactly on the boundary.
  const double slack = 1e-9 * std::abs(moments(2));
  if (moments(0) < -slack) {
    return fmt::format("inertia must be positive semidefinite, found principal moments {:.6g}, {:.6g}, {:.6g} kg m²",
                       moments(0), moments(1), moments(2));
  }
  if (moments(0) + moments(1) < moments(2) - slack) {
    return fmt::format(
        "inertia violates the triangle inequality: the largest principal moment must not exceed the sum of the other "
        "two, found {:.6g}, {:.6g}, {:.6g} kg m²",
        moments(0), moments(1), moments(2));
  }
  if (mass == 0 && moments(2) > 0) return "a body without mass cannot have inertia";
  return std::nullopt;
}

MassProperties MassProperties::expressed_in(const Pose<double>& X_AB) const {
  return {mass, X_AB * com, inertia.rotated(X_AB.R)};
}

MassProperties MassProperties::operator+(const MassProperties& other) const {
  const double total = mass + other.mass;
  if (total == 0) return {};
  const Vector3<double> centre = (mass * com + other.mass * other.com) / total;
  Symmetric3<double> sum = Symmetric3<double>::zero();
  for (const MassProperties* part : {this, &other}) {
    const Vector3<double> d = part->com - centre;
    sum += part->inertia;
    sum += Symmetric3<double>::from_matrix(part->mass *
                                           (d.squaredNorm() * Matrix3<double>::Identity() - d * d.transpose()));
  }
  return {total, centre, sum};
}

RigidInertia<double> make_rigid_inertia(const MassProperties& properties) {
  const RigidInertia<double> about_com{properties.mass, Vec3<double>::zero(), properties.inertia};
  return about_com.moved_by(properties.com);
}

}  // namespace thenar
