// SPDX-License-Identifier: BSD-3-Clause
//
// The same trees in MuJoCo give the same accelerations. MuJoCo is an independent formulation (composite bodies about
// the centre of mass, sparse factorization) and its own parser reads what we write, so frames, inertias, signs,
// springs, dampers, armature and outer wrenches are all compared. 1e-9 of the largest acceleration: both sides round to
// 1e-16 times the condition of the mass matrix, which is below 1e6 for these trees.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <Eigen/Eigenvalues>
#include <filesystem>
#include <fstream>
#include <memory>

#include "random_trees.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar {
namespace {

using test::RandomTree;

std::string numbers(const Vector3<double>& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }

std::string quaternion(const Matrix3<double>& R) {
  const Vector4<double> q = quaternion_from_rotation(R);
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q(0), q(1), q(2), q(3));
}

/// Principal moments and axes: MuJoCo's own diagonalization of a full inertia is good to 1e-7 only.
std::string inertial(const MassProperties& m) {
  const Eigen::SelfAdjointEigenSolver<Matrix3<double>> solver(m.inertia.matrix());
  Matrix3<double> R = solver.eigenvectors();
  if (R.determinant() < 0) R.col(0) *= -1;
  return fmt::format("<inertial pos=\"{}\" quat=\"{}\" mass=\"{:.17g}\" diaginertia=\"{}\"/>", numbers(m.com),
                     quaternion(R), m.mass, numbers(solver.eigenvalues()));
}

double scalar_stiffness(const Joint& joint) { return joint.spec.spring ? joint.spec.spring->stiffness(0, 0) : 0; }

/// One MuJoCo joint of our joint's body; `k` counts our degrees of freedom.
std::string mujoco_joint(const Joint& joint, int k, const char* type, const Vector3<double>& axis_F,
                         const Vector3<double>& from_M) {
  const Pose<double>& X_BM = joint.spec.X_BM;
  const double rest = joint.spec.spring && joint.nq == joint.nv ? joint.spec.spring->rest(k) : 0;
  return fmt::format(
      "<joint name=\"{}.{}\" type=\"{}\" axis=\"{}\" pos=\"{}\" armature=\"{:.17g}\" damping=\"{:.17g}\" "
      "stiffness=\"{:.17g}\" springref=\"{:.17g}\"/>",
      joint.spec.name, k, type, numbers(X_BM.R * axis_F.normalized()), numbers(X_BM * from_M), joint.spec.armature(k),
      joint.spec.damping(k), scalar_stiffness(joint), rest);
}

std::string mujoco_joints(const Joint& joint) {
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

void write_body(const Model& model, BodyIndex index, std::string& xml) {
  const Body& body = model.body(index);
  if (index != kWorld) {
    const Joint& joint = model.joint(body.joint);
    Pose<double> X_FM0;  // F and M coincide at q = 0, but for the offset of a universal joint
    if (joint.spec.kind == JointKind::universal) X_FM0.p = joint.spec.offset;
    const Pose<double> X_PB = joint.spec.X_PF * X_FM0 * joint.spec.X_BM.inverse();
    xml += fmt::format("<body name=\"{}\" pos=\"{}\" quat=\"{}\">", body.name, numbers(X_PB.p), quaternion(X_PB.R));
    xml += inertial(body.mass) + mujoco_joints(joint);
  }
  for (int i = 1; i < model.body_count(); ++i) {
    if (model.body(BodyIndex(i)).parent == index) write_body(model, BodyIndex(i), xml);
  }
  if (index != kWorld) xml += "</body>\n";
}

class MujocoTwin {
 public:
  explicit MujocoTwin(const Model& model) {
    std::string xml = "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option gravity=\"" +
                      numbers(model.gravity()) + "\"/><worldbody>";
    write_body(model, kWorld, xml);
    xml += "</worldbody></mujoco>";
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

  /// v̇ in our coordinates.
  VectorX<double> accelerations(const Model& model, const VectorX<double>& q, const VectorX<double>& v,
                                const VectorX<double>& tau, const std::vector<BodyWrench<double>>& wrenches) {
    for (const Joint& joint : model.joints()) write_joint(joint, q, v, tau);
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

/// A random tree that MuJoCo can hold too: free joints on the world only (with M = B and F = world), one armature,
/// damping and stiffness per joint.
Model random_twin_model(RandomTree& random, int bodies, double mass_low, double mass_high) {
  using enum JointKind;
  ModelBuilder builder;
  const std::vector<JointKind> kinds = {revolute, prismatic, universal, spherical, planar, fixed, revolute};
  for (int i = 0; i < bodies; ++i) {
    const std::string n = std::to_string(i);
    const BodyIndex parent(static_cast<int>(random.uniform(0, i + 0.999)));
    JointKind kind = kinds[static_cast<std::size_t>(random.uniform(0, 6.999))];
    if (parent == kWorld) kind = i % 2 == 0 ? free : kind;
    JointSpec joint = random.joint("j" + n, kind);
    if (kind == free) joint.X_PF = joint.X_BM = {};
    joint.armature.setConstant(random.uniform(0, 1e-3));
    joint.damping = VectorX<double>::Constant(velocity_count(kind), random.uniform(0, 0.1));
    if (kind == revolute || kind == prismatic || kind == spherical) {
      VectorX<double> rest = VectorX<double>::Zero(position_count(kind));
      if (kind == spherical)
        rest(0) = 1;
      else
        rest(0) = random.uniform(-1, 1);
      const int nv = velocity_count(kind);
      joint.spring = JointSpring{MatrixX<double>::Identity(nv, nv) * random.uniform(0, 2), rest};
    }
    builder.add_body({"b" + n, random.mass(mass_low, mass_high)}, parent, joint);
  }
  return std::move(builder).finalize();
}

TEST(Mujoco, SameTreesAccelerateTheSame) {
  RandomTree random(11);
  for (int tree = 0; tree < 30; ++tree) {
    const bool wide = tree % 3 == 0;
    const Model model = random_twin_model(random, 4 + tree, wide ? -3 : -2, wide ? 1 : 0);
    MujocoTwin twin(model);
    ASSERT_TRUE(twin.is_loaded());
    Workspace<double> ws(model);
    VectorX<double> vdot(model.velocity_count());
    for (int k = 0; k < 40; ++k) {
      const VectorX<double> q = random.position(model), v = random.numbers(model.velocity_count(), 2);
      const VectorX<double> tau = random.numbers(model.velocity_count(), 0.5);
      std::vector<BodyWrench<double>> wrenches;
      for (int i = 1; i < model.body_count(); i += 2) {
        wrenches.push_back({BodyIndex(i), {Vec3<double>(random.vector(0.05)), Vec3<double>(random.vector(0.5))}});
      }
      const VectorX<double> theirs = twin.accelerations(model, q, v, tau, wrenches);
      VectorX<double> total = tau;
      add_passive_forces(model, q.data(), v.data(), total.data());
      forward_dynamics<double>(model, q.data(), v.data(), total.data(), wrenches, ws, vdot.data());
      EXPECT_LE((vdot - theirs).cwiseAbs().maxCoeff(), 1e-9 * theirs.cwiseAbs().maxCoeff()) << "tree " << tree;
    }
  }
}

/// The hands that go through the lanes.
TEST(Mujoco, HandsAccelerateTheSame) {
  RandomTree random(12);
  for (const JointKind base : {JointKind::fixed, JointKind::universal}) {
    for (const bool knuckles : {false, true}) {
      const Model model = random.hand(base, {3, 3, 3, 4, 2}, knuckles);
      MujocoTwin twin(model);
      ASSERT_TRUE(twin.is_loaded());
      Workspace<double> ws(model);
      VectorX<double> vdot(model.velocity_count());
      for (int k = 0; k < 100; ++k) {
        const VectorX<double> q = random.position(model), v = random.numbers(model.velocity_count(), 2);
        const VectorX<double> tau = random.numbers(model.velocity_count(), 0.5);
        const std::vector<BodyWrench<double>> wrenches = {
            {BodyIndex(4), {Vec3<double>(0.01, 0, 0.02), Vec3<double>(0.1, -1, 0)}},
            {BodyIndex(1), {Vec3<double>(0, 0.1, 0.2), Vec3<double>(1, 1, 0)}}};
        const VectorX<double> theirs = twin.accelerations(model, q, v, tau, wrenches);
        forward_dynamics<double>(model, q.data(), v.data(), tau.data(), wrenches, ws, vdot.data());
        EXPECT_LE((vdot - theirs).cwiseAbs().maxCoeff(), 1e-9 * theirs.cwiseAbs().maxCoeff());
      }
    }
  }
}

}  // namespace
}  // namespace thenar
