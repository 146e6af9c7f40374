// SPDX-License-Identifier: BSD-3-Clause
//
// Contact scenes by ODE (LGPL or BSD): its own shapes and collisions, friction bounded by the normal force
// (dContactApprox1), everything else as it comes. Its friction is a pyramid whose axes are those of dPlaneSpace().

#include <ode/ode.h>

#include <array>
#include <memory>
#include <vector>

#include "scene_peer.h"

namespace {

struct Setting {
  const char* name;
  int iterations;  ///< of dWorldQuickStep; 0: dWorldStep
};
constexpr std::array kSettings{Setting{"dWorldStep", 0}, Setting{"dWorldQuickStep, 20 iterations", 20},
                               Setting{"dWorldQuickStep, 100 iterations", 100}};

/// For as long as the library is loaded.
struct Library {
  Library() { dInitODE2(0); }
};

dGeomID create_geom(dSpaceID space, const SceneBody& body) {
  const double* s = body.size;
  switch (body.shape) {
    case kSceneSphere:
      return dCreateSphere(space, s[0]);
    case kSceneBox:
      return dCreateBox(space, s[0], s[1], s[2]);
    case kSceneCapsule:
      return dCreateCapsule(space, s[0], s[1]);
    case kSceneCylinder:
      return dCreateCylinder(space, s[0], s[1]);
    case kScenePlane:
      break;
  }
  dMatrix3 R;
  dQtoR(body.quat, R);
  const double n[3] = {R[2], R[6], R[10]};
  return dCreatePlane(space, n[0], n[1], n[2], n[0] * body.p[0] + n[1] * body.p[1] + n[2] * body.p[2]);
}

class World {
 public:
  World(const Setting& setting, const SceneDescription& scene, double h)
      : setting_(setting), h_(h), friction_(scene.friction), bodies_(scene.bodies, scene.bodies + scene.body_count) {
    dRandSetSeed(0);
    const double* g = scene.gravity;
    dWorldSetGravity(world_, g[0], g[1], g[2]);
    if (setting.iterations > 0) dWorldSetQuickStepNumIterations(world_, setting.iterations);
    for (const SceneBody& body : bodies_) ids_.push_back(add(body));
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void step() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) push(bodies_[i], ids_[i]);
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<World*>(self)->collide(a, b); });
    if (setting_.iterations > 0) {
      dWorldQuickStep(world_, h_);
    } else {
      dWorldStep(world_, h_);
    }
    dJointGroupEmpty(contacts_);
    ++steps_;
  }

  dBodyID id(int body) const { return ids_[static_cast<std::size_t>(body)]; }

 private:
  /// Null for what is fixed.
  dBodyID add(const SceneBody& body) {
    dGeomID geom = create_geom(space_, body);
    if (body.shape == kScenePlane) return nullptr;
    if (body.motion == kSceneFixed) {
      dGeomSetPosition(geom, body.p[0], body.p[1], body.p[2]);
      dGeomSetQuaternion(geom, body.quat);
      return nullptr;
    }
    dBodyID id = dBodyCreate(world_);
    dMass mass;
    const double* I = body.inertia;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, I[0], I[1], I[2], 0, 0, 0);
    dBodySetMass(id, &mass);
    dBodySetPosition(id, body.p[0], body.p[1], body.p[2]);
    dBodySetQuaternion(id, body.quat);
    dBodySetLinearVel(id, body.velocity[0], body.velocity[1], body.velocity[2]);
    dBodySetAngularVel(id, body.angular[0], body.angular[1], body.angular[2]);
    dGeomSetBody(geom, id);
    if (body.motion == kSceneSlide) {
      dJointID slide = dJointCreateSlider(world_, nullptr);
      dJointAttach(slide, id, nullptr);
      dJointSetSliderAxis(slide, 1, 0, 0);
    }
    return id;
  }

  void push(const SceneBody& body, dBodyID id) const {
    if (id == nullptr || (steps_ + 0.5) * h_ > body.force_until) return;
    dBodyAddForce(id, body.force[0], body.force[1], body.force[2]);
  }

  void collide(dGeomID a, dGeomID b) {
    if (dGeomGetBody(a) == nullptr && dGeomGetBody(b) == nullptr) return;
    constexpr int kMostContacts = 8;
    dContact contacts[kMostContacts];
    const int count = dCollide(a, b, kMostContacts, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contacts[i].surface = {};
      contacts[i].surface.mode = dContactApprox1;
      contacts[i].surface.mu = friction_;
      dJointAttach(dJointCreateContact(world_, contacts_, &contacts[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  Setting setting_;
  double h_, friction_;
  std::vector<SceneBody> bodies_;
  std::vector<dBodyID> ids_;
  dWorldID world_ = dWorldCreate();
  dSpaceID space_ = dSimpleSpaceCreate(nullptr);
  dJointGroupID contacts_ = dJointGroupCreate(0);
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
  dBodyID id = static_cast<World*>(world)->id(body);
  const dReal *p = dBodyGetPosition(id), *q = dBodyGetQuaternion(id);
  const dReal *v = dBodyGetLinearVel(id), *w = dBodyGetAngularVel(id);
  *state = {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
}

void destroy(void* world) { delete static_cast<World*>(world); }

}  // namespace

extern "C" __attribute__((visibility("default"))) bool thenar_scene_peer(int number, ScenePeer* peer) {
  static const Library library;
  if (number < 0 || number >= static_cast<int>(kSettings.size())) return false;
  const Setting& setting = kSettings[static_cast<std::size_t>(number)];
  *peer = {"ODE 0.16", setting.name, &setting, create, step, read, destroy};
  return true;
}
