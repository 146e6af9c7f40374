// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A model in the words of MuJoCo's files (MJCF), with all digits.

#include <fmt/format.h>

#include <functional>
#include <span>
#include <string>
#include <variant>

#include "thenar/contact/body_shape.h"
#include "thenar/model/model.h"
#include "thenar/spatial/decompositions.h"
#include "thenar/spatial/rotation.h"

namespace thenar::test {

inline std::string numbers(const Vector3<double>& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}

inline std::string quaternion(const Matrix3<double>& R) {
  const Vector4<double> q = quaternion_from_rotation(R);
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q(0), q(1), q(2), q(3));
}

/// Principal moments and axes: MuJoCo's own diagonalization of a full inertia is good to 1e-7 only.
inline std::string inertial(const MassProperties& m) {
  const Eigen::SelfAdjointEigenSolver<Matrix3<double>> solver(m.inertia.matrix());
  Matrix3<double> R = solver.eigenvectors();
  if (R.determinant() < 0) R.col(0) *= -1;
  return fmt::format("<inertial pos=\"{}\" quat=\"{}\" mass=\"{:.17g}\" diaginertia=\"{}\"/>", numbers(m.com),
                     quaternion(R), m.mass, numbers(solver.eigenvalues()));
}

inline double scalar_stiffness(const Joint& joint) {
  return joint.spec.spring ? joint.spec.spring->stiffness(0, 0) : 0;
}

/// One MuJoCo joint of our joint's body; `k` counts our degrees of freedom.
inline std::string mujoco_joint(const Joint& joint, int k, const char* type, const Vector3<double>& axis_F,
                                const Vector3<double>& from_M) {
  const Pose<double>& X_BM = joint.spec.X_BM;
  const double rest = joint.spec.spring && joint.nq == joint.nv ? joint.spec.spring->rest(k) : 0;
  return fmt::format(
      "<joint name=\"{}.{}\" type=\"{}\" axis=\"{}\" pos=\"{}\" armature=\"{:.17g}\" damping=\"{:.17g}\" "
      "stiffness=\"{:.17g}\" springref=\"{:.17g}\"/>",
      joint.spec.name, k, type, numbers(X_BM.R * axis_F.normalized()), numbers(X_BM * from_M), joint.spec.armature(k),
      joint.spec.damping(k), scalar_stiffness(joint), rest);
}

inline std::string mujoco_joints(const Joint& joint) {
  const JointSpec& spec = joint.spec;
  const Vector3<double> zero = Vector3<double>::Zero();
  using V = Vector3<double>;
  switch (spec.kind) {
    case JointKind::fixed:
      return "";
    case JointKind::revolute:
      return mujoco_joint(joint, 0, "hinge", spec.axis, zero);
    case JointKind::prismatic:
      return mujoco_joint(joint, 0, "slide", spec.axis, zero);
    case JointKind::universal:
      return mujoco_joint(joint, 0, "hinge", spec.axis, -spec.offset) +
             mujoco_joint(joint, 1, "hinge", spec.second_axis, zero);
    case JointKind::planar:
      return mujoco_joint(joint, 0, "slide", V::UnitX(), zero) + mujoco_joint(joint, 1, "slide", V::UnitY(), zero) +
             mujoco_joint(joint, 2, "hinge", V::UnitZ(), zero);
    case JointKind::spherical:
      return mujoco_joint(joint, 0, "ball", V::UnitZ(), zero);
    case JointKind::free:
      return fmt::format("<joint name=\"{}.0\" type=\"free\" armature=\"{:.17g}\" damping=\"{:.17g}\"/>", spec.name,
                         spec.armature(0), spec.damping(0));
  }
  return "";
}

/// XML of the shapes of a body; nothing where only its dynamics matter.
using MujocoShapes = std::function<std::string(BodyIndex)>;

inline void write_body(const Model& model, BodyIndex index, const MujocoShapes& shapes, std::string& xml) {
  const Body& body = model.body(index);
  if (index != kWorld) {
    const Joint& joint = model.joint(body.joint);
    Pose<double> X_FM0;  // F and M coincide at q = 0, but for the offset of a universal joint
    if (joint.spec.kind == JointKind::universal) X_FM0.p = joint.spec.offset;
    const Pose<double> X_PB = joint.spec.X_PF * X_FM0 * joint.spec.X_BM.inverse();
    xml += fmt::format("<body name=\"{}\" pos=\"{}\" quat=\"{}\">", body.name, numbers(X_PB.p), quaternion(X_PB.R));
    xml += inertial(body.mass) + mujoco_joints(joint);
  }
  if (shapes) xml += shapes(index);
  for (int i = 1; i < model.body_count(); ++i) {
    if (model.body(BodyIndex(i)).parent == index) write_body(model, BodyIndex(i), shapes, xml);
  }
  if (index != kWorld) xml += "</body>\n";
}

/// The geom of a shape, which has to be a sphere, a box, a capsule or a cylinder; `more` are its other attributes.
inline std::string mujoco_geom(const BodyShape& shape, const std::string& more) {
  const auto write = [&](const char* type, const std::string& size) {
    return fmt::format("<geom type=\"{}\" size=\"{}\" pos=\"{}\" quat=\"{}\" {}/>", type, size, numbers(shape.X_BS.p),
                       quaternion(shape.X_BS.R), more);
  };
  if (const auto* box = std::get_if<Box>(&shape.shape)) return write("box", numbers(0.5 * box->sides));
  if (const auto* sphere = std::get_if<Sphere>(&shape.shape))
    return write("sphere", fmt::format("{:.17g}", sphere->radius));
  if (const auto* cylinder = std::get_if<Cylinder>(&shape.shape)) {
    return write("cylinder", fmt::format("{:.17g} {:.17g}", cylinder->radius, 0.5 * cylinder->length));
  }
  const Capsule& capsule = std::get<Capsule>(shape.shape);
  return write("capsule", fmt::format("{:.17g} {:.17g}", capsule.radius, 0.5 * capsule.length));
}

/// Bodies of the model below the world.
inline std::string write_worldbody(const Model& model, const MujocoShapes& shapes) {
  std::string xml = "<worldbody>";
  write_body(model, kWorld, shapes, xml);
  return xml + "</worldbody>";
}

}  // namespace thenar::test
