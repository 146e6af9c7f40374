// SPDX-License-Identifier: BSD-3-Clause
//
// Bullet's distance of convex shapes: GJK, with GJK-EPA for those that overlap, on exact shapes without margins but for
// those that are rounded. Ellipsoid and plate are shapes of our own, by their support functions, as Bullet intends.

#include <bullet/BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <bullet/BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <bullet/BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <bullet/BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <bullet/btBulletCollisionCommon.h>

#include <cmath>
#include <memory>

#include "distance_peer.h"

namespace {

/// An ellipsoid, or a flat ellipse where a semi-axis is zero.
class EllipsoidShape : public btConvexInternalShape {
 public:
  explicit EllipsoidShape(const btVector3& semi_axes) : semi_axes_(semi_axes) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    setMargin(0);
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& d) const override {
    const btVector3 stretched = d * semi_axes_;
    const btScalar length = stretched.length();
    return length > 0 ? stretched * semi_axes_ / length : btVector3(0, 0, 0);
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* vectors, btVector3* supports,
                                                         int count) const override {
    for (int i = 0; i < count; ++i) supports[i] = localGetSupportingVertexWithoutMargin(vectors[i]);
  }
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  const char* getName() const override { return "ellipsoid"; }

 private:
  btVector3 semi_axes_;
};

using Convex = std::unique_ptr<btConvexShape>;

Convex without_margin(Convex shape) {
  shape->setMargin(0);
  return shape;
}

/// Null for shapes that are not convex.
Convex make_shape(const PeerShape& shape) {
  const auto s = [&](int i) { return static_cast<btScalar>(shape.size[i]); };
  switch (shape.kind) {
    case 0:
      return std::make_unique<btSphereShape>(s(0));
    case 1:
      return std::make_unique<EllipsoidShape>(btVector3(s(0), s(1), s(2)));
    case 2:
      return without_margin(std::make_unique<btCylinderShapeZ>(btVector3(s(0), s(0), s(1) / 2)));
    case 3:
      return std::make_unique<btCapsuleShapeZ>(s(0), s(1));
    case 4:
      return without_margin(std::make_unique<btConeShapeZ>(s(0), s(1)));
    case 5:
      return without_margin(std::make_unique<btBoxShape>(btVector3(s(0), s(1), s(2)) / 2));
    case 6: {
      // Within the half sides, a margin rounds the edges.
      auto box = std::make_unique<btBoxShape>(btVector3(s(0), s(1), s(2)) / 2);
      box->setMargin(s(3));
      return box;
    }
    case 8:
      return std::make_unique<btCapsuleShapeZ>(btScalar(0), s(0));
    case 9:
      return std::make_unique<EllipsoidShape>(btVector3(s(0), s(1), 0));
    default:
      return nullptr;
  }
}

btTransform make_transform(const PeerPose& X) {
  const auto at = [](double x) { return static_cast<btScalar>(x); };
  const double* R = X.R;
  return btTransform(
      btMatrix3x3(at(R[0]), at(R[1]), at(R[2]), at(R[3]), at(R[4]), at(R[5]), at(R[6]), at(R[7]), at(R[8])),
      btVector3(at(X.p[0]), at(X.p[1]), at(X.p[2])));
}

struct Pair {
  Convex A, B;
  btVoronoiSimplexSolver simplex;
  btGjkEpaPenetrationDepthSolver penetration;
  btVector3 axis{0, 1, 0};
};

void* create_pair(const void*, const PeerShape* A, const PeerShape* B) {
  auto pair = std::make_unique<Pair>();
  pair->A = make_shape(*A);
  pair->B = make_shape(*B);
  if (pair->A == nullptr || pair->B == nullptr) return nullptr;
  return pair.release();
}

bool find_closest(void* self, const PeerPose* X_WA, const PeerPose* X_WB, bool is_warm, PeerProximity* out) {
  Pair& pair = *static_cast<Pair*>(self);
  btGjkPairDetector detector(pair.A.get(), pair.B.get(), &pair.simplex, &pair.penetration);
  if (is_warm) detector.setCachedSeparatingAxis(pair.axis);
  btGjkPairDetector::ClosestPointInput input;
  input.m_transformA = make_transform(*X_WA);
  input.m_transformB = make_transform(*X_WB);
  btPointCollector found;
  detector.getClosestPoints(input, found, nullptr);
  if (is_warm) pair.axis = detector.getCachedSeparatingAxis();
  if (!found.m_hasResult) return false;
  out->gap = found.m_distance;
  for (int i = 0; i < 3; ++i) {
    out->N[i] = found.m_normalOnBInWorld[i];
    out->p_B[i] = found.m_pointInWorld[i];
    out->p_A[i] = out->p_B[i] + out->gap * out->N[i];
  }
  return true;
}

void destroy_pair(void* pair) { delete static_cast<Pair*>(pair); }

}  // namespace

extern "C" __attribute__((visibility("default"))) bool thenar_distance_peer(int number, DistancePeer* peer) {
  if (number != 0) return false;
  *peer = {"Bullet 3.24", sizeof(btScalar) == sizeof(double) ? "double" : "single", nullptr, create_pair, find_closest,
           destroy_pair};
  return true;
}
