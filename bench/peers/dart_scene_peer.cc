// SPDX-License-Identifier: BSD-3-Clause
//
// Contact scenes by DART (BSD-2-Clause) with the collisions of ODE, which know all our shapes as they are (DART's own
// know no capsules, those of FCL are meshes). Its friction is a pyramid. Built without -march=native, which would give
// Eigen's types other alignments than those that libdart was built with.

#include <array>
#include <dart/collision/ode/ode.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/CapsuleShape.hpp>
#include <dart/dynamics/CylinderShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlaneShape.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>
#include <memory>
#include <vector>

#include "scene_peer.h"

namespace {

namespace dyn = dart::dynamics;

struct Setting {
  const char* name;
  bool is_pgs;
};
constexpr std::array kSettings{Setting{"Dantzig", false}, Setting{"PGS", true}};

Eigen::Vector3d vector_of(const double* v) { return {v[0], v[1], v[2]}; }

dyn::ShapePtr make_shape(const SceneBody& body) {
  const double* s = body.size;
  switch (body.shape) {
    case kSceneSphere:
      return std::make_shared<dyn::SphereShape>(s[0]);
    case kSceneBox:
      return std::make_shared<dyn::BoxShape>(vector_of(s));
    case kSceneCapsule:
      return std::make_shared<dyn::CapsuleShape>(s[0], s[1]);
    case kSceneCylinder:
      return std::make_shared<dyn::CylinderShape>(s[0], s[1]);
    case kScenePlane:
      break;
  }
  return std::make_shared<dyn::PlaneShape>(Eigen::Vector3d::UnitZ(), 0.0);
}

Eigen::Isometry3d pose_of(const SceneBody& body) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = Eigen::Quaterniond(body.quat[0], body.quat[1], body.quat[2], body.quat[3]).toRotationMatrix();
  X.translation() = vector_of(body.p);
  return X;
}

dyn::BodyNode* add_fixed(dyn::Skeleton& skeleton, const SceneBody& body) {
  const auto [joint, node] = skeleton.createJointAndBodyNodePair<dyn::WeldJoint>();
  joint->setTransformFromParentBodyNode(pose_of(body));
  return node;
}

dyn::BodyNode* add_slide(dyn::Skeleton& skeleton, const SceneBody& body) {
  const auto [joint, node] = skeleton.createJointAndBodyNodePair<dyn::PrismaticJoint>();
  joint->setTransformFromParentBodyNode(pose_of(body));
  joint->setAxis(pose_of(body).linear().transpose() * Eigen::Vector3d::UnitX());
  joint->setVelocity(0, body.velocity[0]);
  return node;
}

dyn::BodyNode* add_free(dyn::Skeleton& skeleton, const SceneBody& body) {
  const auto [joint, node] = skeleton.createJointAndBodyNodePair<dyn::FreeJoint>();
  joint->setTransform(pose_of(body));
  joint->setAngularVelocity(vector_of(body.angular));
  joint->setLinearVelocity(vector_of(body.velocity));
  return node;
}

class World {
 public:
  World(const Setting& setting, const SceneDescription& scene, double h)
      : bodies_(scene.bodies, scene.bodies + scene.body_count) {
    if (setting.is_pgs) {
      world_->setConstraintSolver(std::make_unique<dart::constraint::BoxedLcpConstraintSolver>(
          std::make_shared<dart::constraint::PgsBoxedLcpSolver>(), nullptr));
    }
    world_->setGravity(vector_of(scene.gravity));
    world_->setTimeStep(h);
    world_->getConstraintSolver()->setCollisionDetector(dart::collision::OdeCollisionDetector::create());
    for (const SceneBody& body : bodies_) add(body, scene.friction);
  }

  void step() {
    const double middle = (steps_ + 0.5) * world_->getTimeStep();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (middle < bodies_[i].force_until) nodes_[i]->addExtForce(vector_of(bodies_[i].force));
    }
    world_->step();
    ++steps_;
  }

  const dyn::BodyNode& node(int body) const { return *nodes_[static_cast<std::size_t>(body)]; }

 private:
  void add(const SceneBody& body, double friction) {
    auto skeleton = dyn::Skeleton::create("body " + std::to_string(nodes_.size()));
    dyn::BodyNode* node = body.motion == kSceneFixed   ? add_fixed(*skeleton, body)
                          : body.motion == kSceneSlide ? add_slide(*skeleton, body)
                                                       : add_free(*skeleton, body);
    if (body.motion != kSceneFixed) {
      node->setInertia({body.mass, Eigen::Vector3d::Zero(), vector_of(body.inertia).asDiagonal()});
    }
    auto* shape = node->createShapeNodeWith<dyn::CollisionAspect, dyn::DynamicsAspect>(make_shape(body));
    shape->getDynamicsAspect()->setFrictionCoeff(friction);
    shape->getDynamicsAspect()->setRestitutionCoeff(0);
    if (body.motion == kSceneFixed) skeleton->setMobile(false);
    world_->addSkeleton(skeleton);
    nodes_.push_back(node);
  }

  std::vector<SceneBody> bodies_;
  std::vector<dyn::BodyNode*> nodes_;
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
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
  const dyn::BodyNode& node = static_cast<World*>(world)->node(body);
  const Eigen::Isometry3d& X = node.getWorldTransform();
  const Eigen::Vector3d p = X.translation(), v = node.getLinearVelocity(), w = node.getAngularVelocity();
  const Eigen::Quaterniond q(X.linear());
  *state = {{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}, {v.x(), v.y(), v.z()}, {w.x(), w.y(), w.z()}};
}

void destroy(void* world) { delete static_cast<World*>(world); }

}  // namespace

extern "C" __attribute__((visibility("default"))) bool thenar_scene_peer(int number, ScenePeer* peer) {
  if (number < 0 || number >= static_cast<int>(kSettings.size())) return false;
  const Setting& setting = kSettings[static_cast<std::size_t>(number)];
  *peer = {"DART 6.12", setting.name, &setting, create, step, read, destroy};
  return true;
}
