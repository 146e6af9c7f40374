// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random trees and states for tests of the dynamics: chains, bushes, hands, free bases, every joint type, masses over
/// four decades, several trees in one world. One seed gives one tree.

#include <random>
#include <string>
#include <vector>

#include "thenar/model/model_builder.h"
#include "thenar/spatial/rotation.h"

namespace thenar::test {

struct NamedModel {
  std::string name;
  Model model;
};

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : generator_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  Vector3<double> vector(double scale) {
    return scale * Vector3<double>(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
  }
  Matrix3<double> rotation() { return rotation_from_rpy(vector(3)); }

  /// A solid box of random proportions: always physical. Its mass is 10^uniform(low, high) kg.
  MassProperties mass(double low = -2, double high = 0) {
    MassProperties m;
    m.mass = std::pow(10.0, uniform(low, high));
    m.com = vector(0.05);
    const double x2 = std::pow(uniform(0.02, 0.1), 2), y2 = std::pow(uniform(0.02, 0.1), 2),
                 z2 = std::pow(uniform(0.02, 0.1), 2);
    const Symmetric3<double> box{m.mass * (y2 + z2) / 12, m.mass * (x2 + z2) / 12, m.mass * (x2 + y2) / 12, 0, 0, 0};
    m.inertia = box.rotated(Mat3<double>(rotation()));
    return m;
  }

  JointSpec joint(const std::string& name, JointKind kind) {
    JointSpec spec{.name = name, .kind = kind};
    spec.X_PF = {rotation(), vector(0.1)};
    spec.X_BM = {rotation(), vector(0.03)};
    spec.axis = vector(1);
    spec.second_axis = vector(1);
    spec.offset = vector(0.02);
    spec.armature = VectorX<double>::Constant(velocity_count(kind), 0);
    for (double& a : spec.armature) a = uniform(0, 1e-4);
    return spec;
  }

  Model chain(const std::vector<JointKind>& kinds, double mass_low = -2, double mass_high = 0) {
    ModelBuilder builder;
    BodyIndex parent = kWorld;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const std::string n = std::to_string(i);
      parent = builder.add_body({"b" + n, mass(mass_low, mass_high)}, parent, joint("j" + n, kinds[i]));
    }
    return std::move(builder).finalize();
  }

  /// n bodies, each on a random earlier one (or the world), with joints of random kinds.
  Model bush(int n, const std::vector<JointKind>& kinds, double mass_low = -2, double mass_high = 0) {
    ModelBuilder builder;
    for (int i = 0; i < n; ++i) {
      const std::string name = std::to_string(i);
      const BodyIndex parent(static_cast<int>(uniform(0, i + 0.999)));
      const JointKind kind = kinds[static_cast<std::size_t>(uniform(0, static_cast<double>(kinds.size()) - 1e-9))];
      builder.add_body({"b" + name, mass(mass_low, mass_high)}, parent, joint("j" + name, kind));
    }
    return std::move(builder).finalize();
  }

  /// A palm on `base`, with fingers of the given numbers of revolute joints; `universal_knuckles` makes the first joint
  /// of each finger universal.
  Model hand(JointKind base, const std::vector<int>& fingers, bool universal_knuckles) {
    ModelBuilder builder;
    const BodyIndex palm = builder.add_body({"palm", mass(-1, 0)}, kWorld, joint("wrist", base));
    for (std::size_t f = 0; f < fingers.size(); ++f) {
      BodyIndex parent = palm;
      for (int i = 0; i < fingers[f]; ++i) {
        const std::string n = std::to_string(f) + "_" + std::to_string(i);
        const bool universal = universal_knuckles && i == 0;
        parent = builder.add_body({"b" + n, mass(-2.5, -1)}, parent,
                                  joint("j" + n, universal ? JointKind::universal : JointKind::revolute));
      }
    }
    return std::move(builder).finalize();
  }

  /// A state with speeds of a few rad/s and m/s.
  VectorX<double> position(const Model& model) {
    VectorX<double> q(model.position_count());
    for (double& x : q) x = uniform(-1.5, 1.5);
    for (const Joint& joint : model.joints()) {
      if (joint.spec.kind == JointKind::spherical) q.segment(joint.q_start, 4).normalize();
      if (joint.spec.kind == JointKind::free) q.segment(joint.q_start + 3, 4).normalize();
    }
    return q;
  }
  VectorX<double> numbers(int n, double scale) {
    VectorX<double> x(n);
    for (double& value : x) value = uniform(-scale, scale);
    return x;
  }

 private:
  std::mt19937_64 generator_;
};

/// The models on which the identities of the dynamics are tested.
inline std::vector<NamedModel> make_test_models() {
  using enum JointKind;
  RandomTree random(20261115);
  std::vector<NamedModel> models;
  models.push_back({"pendulum", random.chain({revolute})});
  models.push_back({"revolute chain", random.chain(std::vector<JointKind>(10, revolute))});
  models.push_back(
      {"chain of every joint", random.chain({universal, prismatic, spherical, revolute, planar, fixed, free})});
  models.push_back({"five fingers on the world", random.hand(fixed, {3, 3, 3, 3, 3}, false)});
  models.push_back({"22-DoF hand", random.hand(universal, {3, 3, 3, 3}, true)});
  models.push_back({"uneven hand on a free base", random.hand(free, {4, 4, 4, 5, 5}, false)});
  models.push_back({"ten fingers", random.hand(planar, {3, 2, 3, 1, 3, 3, 4, 3, 3, 2}, false)});
  models.push_back({"free chain", random.chain({free, revolute, prismatic, spherical, revolute})});
  models.push_back(
      {"bush of every joint", random.bush(30, {revolute, prismatic, universal, spherical, planar, fixed, free})});
  models.push_back({"bush, masses over four decades", random.bush(25, {revolute, universal, spherical, fixed}, -3, 1)});
  models.push_back({"forest of free bodies", random.bush(8, {free})});
  models.push_back({"long chain", random.chain(std::vector<JointKind>(60, revolute))});
  return models;
}

}  // namespace thenar::test
