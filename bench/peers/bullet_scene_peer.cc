// SPDX-License-Identifier: BSD-3-Clause
//
// Contact scenes by Bullet (zlib) in double precision: btDiscreteDynamicsWorld with its sequential impulses. Planes get
// several points at once (setPlaneConvexMultipointIterations), without which boxes rock on them more, or are large
// boxes, on which they rock least; friction of two bodies is multiplied, hence the root. Bodies never sleep.

#include <bullet/btBulletDynamicsCommon.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "scene_peer.h"

namespace {

struct Setting {
  const char* name;
  int iterations;
  bool is_boxed;            ///< planes are large boxes
  bool has_two_directions;  ///< of friction in each point, not just that of the slip
};
constexpr std::array kSettings{Setting{"10 iterations", 10, false, false}, Setting{"50 iterations", 50, false, false},
                               Setting{"50 iterations, floor a box", 50, true, false},
                               Setting{"50 iterations, floor a box, 2 directions", 50, true, true}};
constexpr double kFloorWidth = 10, kFloorDepth = 2;  // m

btVector3 vector_of(const double* v) { return {v[0], v[1], v[2]}; }

std::unique_ptr<btCollisionShape> make_shape(const SceneBody& body, bool is_boxed) {
  const double* s = body.size;
  switch (body.shape) {
    case kSceneSphere:
      return std::make_unique<btSphereShape>(s[0]);
    case kSceneBox:
      return std::make_unique<btBoxShape>(vector_of(s) / 2);
    case kSceneCapsule:
      return std::make_unique<btCapsuleShapeZ>(s[0], s[1]);
    case kSceneCylinder:
      return std::make_unique<btCylinderShapeZ>(btVector3(s[0], s[0], s[1] / 2));
    case kScenePlane:
      break;
  }
  if (is_boxed) return std::make_unique<btBoxShape>(btVector3(kFloorWidth / 2, kFloorWidth / 2, kFloorDepth / 2));
  return std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0);
}

class World {
 public:
  World(const Setting& setting, const SceneDescription& scene, double h)
      : h_(h), bodies_(scene.bodies, scene.bodies + scene.body_count) {
    config_.setPlaneConvexMultipointIterations();
    world_.setGravity(vector_of(scene.gravity));
    world_.getSolverInfo().m_numIterations = setting.iterations;
    if (setting.has_two_directions) world_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    for (const SceneBody& body : bodies_) add(body, scene.friction, setting.is_boxed);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    for (const auto& rigid : rigid_) world_.removeRigidBody(rigid.get());
  }

  void step() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if ((steps_ + 0.5) * h_ < bodies_[i].force_until) rigid_[i]->applyCentralForce(vector_of(bodies_[i].force));
    }
    world_.stepSimulation(h_, 0);
    ++steps_;
  }

  const btRigidBody& rigid(int body) const { return *rigid_[static_cast<std::size_t>(body)]; }

 private:
  void add(const SceneBody& body, double friction, bool is_boxed) {
    shapes_.push_back(make_shape(body, is_boxed));
    const bool is_fixed = body.motion == kSceneFixed;
    btRigidBody::btRigidBodyConstructionInfo info(is_fixed ? 0 : body.mass, nullptr, shapes_.back().get(),
                                                  is_fixed ? btVector3(0, 0, 0) : vector_of(body.inertia));
    const double* q = body.quat;
    info.m_startWorldTransform = btTransform(btQuaternion(q[1], q[2], q[3], q[0]), vector_of(body.p));
    if (body.shape == kScenePlane && is_boxed) {
      info.m_startWorldTransform *= btTransform(btQuaternion::getIdentity(), {0, 0, -kFloorDepth / 2});
    }
    info.m_friction = std::sqrt(friction);
    rigid_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& rigid = *rigid_.back();
    rigid.setActivationState(DISABLE_DEACTIVATION);
    rigid.setLinearVelocity(vector_of(body.velocity));
    rigid.setAngularVelocity(vector_of(body.angular));
    if (body.motion == kSceneSlide) {
      rigid.setLinearFactor({1, 0, 0});
      rigid.setAngularFactor(0);
    }
    world_.addRigidBody(&rigid);
  }

  double h_;
  std::vector<SceneBody> bodies_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> rigid_;
  btDefaultCollisionConfiguration config_;
  btCollisionDispatcher dispatcher_{&config_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &config_};
  double steps_ = 0;
};

void* create(const void* self, const SceneDescription* scene, double h, char*) {
  return new World(*static_cast<const Setting*>(self), *scene, h);
}

bool step(void* world, int count) {
  for (int i = 0; i < count; ++i) static_cast<World*>(world)->step();
  return true;
}

void read(void* world, int body, SceneBodyState* state) {
  const btRigidBody& rigid = static_cast<World*>(world)->rigid(body);
  const btVector3 &p = rigid.getWorldTransform().getOrigin(), &v = rigid.getLinearVelocity();
  const btVector3& w = rigid.getAngularVelocity();
  const btQuaternion q = rigid.getWorldTransform().getRotation();
  *state = {{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}, {v.x(), v.y(), v.z()}, {w.x(), w.y(), w.z()}};
}

void destroy(void* world) { delete static_cast<World*>(world); }

}  // namespace

extern "C" __attribute__((visibility("default"))) bool thenar_scene_peer(int number, ScenePeer* peer) {
  if (number < 0 || number >= static_cast<int>(kSettings.size())) return false;
  const Setting& setting = kSettings[static_cast<std::size_t>(number)];
  *peer = {"Bullet 3.24", setting.name, &setting, create, step, read, destroy};
  return true;
}
