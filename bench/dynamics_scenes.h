// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The trees of bench/dynamics: hands and chains of revolute links, every link with mass (some peers refuse massless
/// ones, so the second axis of a wrist or knuckle rides on a small carpal piece).

#include <random>
#include <string>
#include <vector>

#include "thenar/model/model_builder.h"
#include "thenar/spatial/rotation.h"

namespace thenar::bench {

struct Scene {
  std::string name;
  Model model;
};

class SceneMaker {
 public:
  /// Five fingers of three joints on a fixed palm.
  Scene hand_15() {
    ModelBuilder builder;
    for (int finger = 0; finger < 5; ++finger) add_finger(builder, kWorld, finger, 3);
    return {"hand 15", std::move(builder).finalize()};
  }

  /// The human hand of Carv 5.4: a wrist of two axes, four fingers and a thumb of four each.
  Scene hand_22() {
    ModelBuilder builder;
    const BodyIndex carpus = add_link(builder, kWorld, "carpus", 0.02);
    const BodyIndex palm = add_link(builder, carpus, "palm", 0.4);
    for (int finger = 0; finger < 5; ++finger) add_finger(builder, palm, finger, 4);
    return {"hand 22", std::move(builder).finalize()};
  }

  Scene chain(int links) {
    ModelBuilder builder;
    BodyIndex parent = kWorld;
    for (int i = 0; i < links; ++i) parent = add_link(builder, parent, std::to_string(i), 0.07);
    return {"chain " + std::to_string(links), std::move(builder).finalize()};
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  Vector3<double> vector(double scale) {
    return {uniform(-scale, scale), uniform(-scale, scale), uniform(-scale, scale)};
  }

  /// A solid block of about 3 × 2 × 2 cm on a joint with general frames.
  BodyIndex add_link(ModelBuilder& builder, BodyIndex parent, const std::string& name, double mass) {
    const Symmetric3<double> block{mass * 6.7e-5, mass * 1.1e-4, mass * 1.2e-4, 0, 0, 0};
    const MassProperties properties{mass, vector(0.02), block.rotated(Mat3<double>(rotation_from_rpy(vector(1))))};
    JointSpec joint{.name = "joint " + name, .kind = JointKind::revolute};
    joint.X_PF = {rotation_from_rpy(vector(1)), vector(0.04)};
    return builder.add_body({"link " + name, properties}, parent, joint);
  }

  void add_finger(ModelBuilder& builder, BodyIndex palm, int finger, int joints) {
    BodyIndex parent = palm;
    for (int i = 0; i < joints; ++i) {
      parent = add_link(builder, parent, std::to_string(finger) + "." + std::to_string(i), 0.02);
    }
  }

  std::mt19937_64 generator_{7};
};

}  // namespace thenar::bench
