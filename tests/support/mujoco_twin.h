// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The same tree in MuJoCo, which its own parser reads: an independent formulation, whose answers are compared in our
/// coordinates.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "mjcf.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/model/model.h"
#include "thenar/spatial/rotation.h"

namespace thenar::test {

class MujocoTwin {
 public:
  explicit MujocoTwin(const Model& model, const MujocoShapes& shapes = {}) {
    std::string xml = "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option gravity=\"" +
                      numbers(model.gravity()) + "\"/>" + write_worldbody(model, shapes) + "</mujoco>";
    // One file per process: tests run side by side.
    const std::string path = fmt::format("{}thenar_twin_{}.xml", testing::TempDir(), getpid());
    std::ofstream(path) << xml;
    char error[500] = "";
    model_.reset(mj_loadXML(path.c_str(), nullptr, error, sizeof error));
    std::filesystem::remove(path);
    if (model_ != nullptr) data_.reset(mj_makeData(model_.get()));
    EXPECT_TRUE(model_ != nullptr) << error;
  }

  bool is_loaded() const { return model_ != nullptr; }
  mjModel& model() { return *model_; }
  mjData& data() { return *data_; }

  /// The state in our coordinates, and forces that stay.
  void set(const Model& model, const VectorX<double>& q, const VectorX<double>& v, const VectorX<double>& tau) {
    for (const Joint& joint : model.joints()) write_joint(joint, q, v, tau);
  }

  /// v̇ in our coordinates.
  VectorX<double> accelerations(const Model& model, const VectorX<double>& q, const VectorX<double>& v,
                                const VectorX<double>& tau, const std::vector<BodyWrench<double>>& wrenches) {
    set(model, q, v, tau);
    mj_kinematics(model_.get(), data_.get());
    for (const BodyWrench<double>& w : wrenches) write_wrench(model.body(w.body).name, w.wrench);
    mj_forward(model_.get(), data_.get());
    VectorX<double> vdot(model.velocity_count());
    for (const Joint& joint : model.joints()) read_joint(joint, q, vdot);
    return vdot;
  }

 private:
  /// Turns vectors in our joint frame F into the body axes in which MuJoCo expresses a rotation's rates.
  static Matrix3<double> body_from_joint_frame(const Joint& joint, const VectorX<double>& q) {
    const int at = joint.q_start + (joint.spec.kind == JointKind::free ? 3 : 0);
    const Matrix3<double> R_FM = rotation_from_quaternion(q(at), q(at + 1), q(at + 2), q(at + 3)).eigen();
    return joint.spec.X_BM.R * R_FM.transpose();
  }

  int joint_id(const Joint& joint, int k) const {
    const int id = mj_name2id(model_.get(), mjOBJ_JOINT, fmt::format("{}.{}", joint.spec.name, k).c_str());
    EXPECT_GE(id, 0);
    return id;
  }

  void write_joint(const Joint& joint, const VectorX<double>& q, const VectorX<double>& v, const VectorX<double>& tau) {
    if (joint.nv == 0) return;
    const bool is_ball = joint.spec.kind == JointKind::spherical, is_free = joint.spec.kind == JointKind::free;
    if (!is_ball && !is_free) {
      for (int k = 0; k < joint.nv; ++k) {
        const int id = joint_id(joint, k);
        data_->qpos[model_->jnt_qposadr[id]] = q(joint.q_start + k);
        data_->qvel[model_->jnt_dofadr[id]] = v(joint.v_start + k);
        data_->qfrc_applied[model_->jnt_dofadr[id]] = tau(joint.v_start + k);
      }
      return;
    }
    const int id = joint_id(joint, 0), dof = model_->jnt_dofadr[id];
    double* position = data_->qpos + model_->jnt_qposadr[id];
    const int rotation = is_free ? 3 : 0;
    // R_PB = R_PB(0) R(quat): the same turn, seen from the body's axes.
    const Vector3<double> axis = joint.spec.X_BM.R * q.segment<3>(joint.q_start + rotation + 1);
    position[rotation] = q(joint.q_start + rotation);
    for (int i = 0; i < 3; ++i) position[rotation + 1 + i] = axis(i);
    const Matrix3<double> R = body_from_joint_frame(joint, q);
    const Vector3<double> w = R * v.segment<3>(joint.v_start), torque = R * tau.segment<3>(joint.v_start);
    for (int i = 0; i < 3; ++i) {
      data_->qvel[dof + rotation + i] = w(i);
      data_->qfrc_applied[dof + rotation + i] = torque(i);
      if (!is_free) continue;
      position[i] = q(joint.q_start + i);
      data_->qvel[dof + i] = v(joint.v_start + 3 + i);
      data_->qfrc_applied[dof + i] = tau(joint.v_start + 3 + i);
    }
  }

  void read_joint(const Joint& joint, const VectorX<double>& q, VectorX<double>& vdot) const {
    if (joint.nv == 0) return;
    const bool is_free = joint.spec.kind == JointKind::free;
    if (joint.spec.kind != JointKind::spherical && !is_free) {
      for (int k = 0; k < joint.nv; ++k) vdot(joint.v_start + k) = data_->qacc[model_->jnt_dofadr[joint_id(joint, k)]];
      return;
    }
    const double* qacc = data_->qacc + model_->jnt_dofadr[joint_id(joint, 0)];
    // d(Rᵀ w)/dt = Rᵀ ẇ, since w is the rate of R itself.
    const Vector3<double> alpha = Eigen::Map<const Vector3<double>>(qacc + (is_free ? 3 : 0));
    vdot.segment<3>(joint.v_start) = body_from_joint_frame(joint, q).transpose() * alpha;
    if (is_free) vdot.segment<3>(joint.v_start + 3) = Eigen::Map<const Vector3<double>>(qacc);
  }

  /// MuJoCo applies wrenches at the body's centre of mass, force first.
  void write_wrench(const std::string& body, const Wrench<double>& wrench) {
    const int id = mj_name2id(model_.get(), mjOBJ_BODY, body.c_str());
    const Eigen::Map<const Vector3<double>> com(data_->xipos + 3 * id), origin(data_->xpos + 3 * id);
    const Vector3<double> torque = wrench.moment.eigen() - (com - origin).cross(wrench.force.eigen());
    Eigen::Map<Vector3<double>>(data_->xfrc_applied + 6 * id) = wrench.force.eigen();
    Eigen::Map<Vector3<double>>(data_->xfrc_applied + 6 * id + 3) = torque;
  }

  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
};

}  // namespace thenar::test
