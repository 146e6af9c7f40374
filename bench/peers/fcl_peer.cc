// SPDX-License-Identifier: BSD-3-Clause
//
// FCL's distance with nearest points, by both of its solvers, each with its own tolerance and with the one that gives
// it the least errors.

#include <fcl/config.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cmath>
#include <exception>
#include <memory>

#include "distance_peer.h"

namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

/// Null for shapes that FCL has no distance of.
Geometry make_geometry(const PeerShape& shape) {
  const double* s = shape.size;
  switch (shape.kind) {
    case 0:
      return std::make_shared<fcl::Sphered>(s[0]);
    case 1:
      return std::make_shared<fcl::Ellipsoidd>(s[0], s[1], s[2]);
    case 2:
      return std::make_shared<fcl::Cylinderd>(s[0], s[1]);
    case 3:
      return std::make_shared<fcl::Capsuled>(s[0], s[1]);
    case 4:
      return std::make_shared<fcl::Coned>(s[0], s[1]);
    case 5:
      return std::make_shared<fcl::Boxd>(s[0], s[1], s[2]);
    default:
      return nullptr;
  }
}

fcl::Transform3d make_transform(const PeerPose& X) {
  fcl::Transform3d transform = fcl::Transform3d::Identity();
  transform.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(X.R);
  transform.translation() = Eigen::Map<const fcl::Vector3d>(X.p);
  return transform;
}

struct Setting {
  const char* name;
  const char* text;
  bool is_libccd;
  double tolerance;
};
// Smaller tolerances do not make errors smaller.
constexpr Setting kSettings[] = {{"FCL " FCL_VERSION " own GJK", "tolerance 1e-6", false, 1e-6},
                                 {"FCL " FCL_VERSION " own GJK", "tolerance 1e-16", false, 1e-16},
                                 {"FCL " FCL_VERSION " libccd", "tolerance 1e-6", true, 1e-6},
                                 {"FCL " FCL_VERSION " libccd", "tolerance 1e-12", true, 1e-12}};

struct Pair {
  const Setting* setting;
  Geometry A, B;
  fcl::detail::GJKSolver_libccdd libccd;
  fcl::detail::GJKSolver_indepd own;
};

void* create_pair(const void* self, const PeerShape* A, const PeerShape* B) {
  auto pair = std::make_unique<Pair>();
  pair->setting = static_cast<const Setting*>(self);
  pair->A = make_geometry(*A);
  pair->B = make_geometry(*B);
  if (pair->A == nullptr || pair->B == nullptr) return nullptr;
  pair->libccd.distance_tolerance = pair->own.gjk_tolerance = pair->setting->tolerance;
  return pair.release();
}

void write(const fcl::Vector3d& v, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = v(i);
}

/// Gap and normal from the nearest points.
void write_points(const fcl::DistanceResultd& result, PeerProximity* out) {
  const fcl::Vector3d &p_A = result.nearest_points[0], &p_B = result.nearest_points[1];
  const double length = (p_A - p_B).norm();
  out->gap = result.min_distance;
  write(p_A, out->p_A);
  write(p_B, out->p_B);
  const double inverse = length > 0 ? (out->gap < 0 ? -1 : 1) / length : 0;
  write(fcl::Vector3d((p_A - p_B) * inverse), out->N);
}

/// libccd's solver has a signed distance.
void find_by_libccd(Pair& pair, const fcl::Transform3d& tf_A, const fcl::Transform3d& tf_B, PeerProximity* out) {
  fcl::DistanceResultd result;
  fcl::distance(pair.A.get(), tf_A, pair.B.get(), tf_B, &pair.libccd, fcl::DistanceRequestd(true, true), result);
  write_points(result, out);
}

/// The own solver is asked for contacts where its distance says that the shapes overlap.
bool find_by_own(Pair& pair, const fcl::Transform3d& tf_A, const fcl::Transform3d& tf_B, PeerProximity* out) {
  fcl::DistanceResultd result;
  fcl::distance(pair.A.get(), tf_A, pair.B.get(), tf_B, &pair.own, fcl::DistanceRequestd(true, false), result);
  if (result.min_distance > 0) {
    write_points(result, out);
    return true;
  }
  fcl::CollisionResultd contacts;
  fcl::collide(pair.A.get(), tf_A, pair.B.get(), tf_B, &pair.own, fcl::CollisionRequestd(1, true), contacts);
  if (contacts.numContacts() == 0) return false;
  // Its normal points from A to B, its point is in the middle, and its depth has either sign.
  const fcl::Contactd& contact = contacts.getContact(0);
  const double depth = std::abs(contact.penetration_depth);
  out->gap = -depth;
  write(-contact.normal, out->N);
  write(contact.pos + contact.normal * (depth / 2), out->p_A);
  write(contact.pos - contact.normal * (depth / 2), out->p_B);
  return true;
}

bool find_closest(void* self, const PeerPose* X_WA, const PeerPose* X_WB, bool is_warm, PeerProximity* out) {
  Pair& pair = *static_cast<Pair*>(self);
  const fcl::Transform3d tf_A = make_transform(*X_WA), tf_B = make_transform(*X_WB);
  try {
    if (pair.setting->is_libccd) {
      find_by_libccd(pair, tf_A, tf_B, out);
      return true;
    }
    pair.own.enableCachedGuess(is_warm);
    if (!is_warm) pair.own.setCachedGuess(fcl::Vector3d(1, 0, 0));
    return find_by_own(pair, tf_A, tf_B, out);
  } catch (const std::exception&) {
    return false;
  }
}

void destroy_pair(void* pair) { delete static_cast<Pair*>(pair); }

}  // namespace

extern "C" __attribute__((visibility("default"))) bool thenar_distance_peer(int number, DistancePeer* peer) {
  if (number >= static_cast<int>(std::size(kSettings))) return false;
  const Setting& setting = kSettings[number];
  *peer = {setting.name, setting.text, &setting, create_pair, find_closest, destroy_pair};
  return true;
}
