// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// MuJoCo (Apache-2.0) behind the interface of the benchmark. The tree goes in as MJCF; the timed calls run only the
/// stages of mj_forward that smooth forward dynamics needs, which is faster than mj_forward with all its flags off.
/// MuJoCo has no articulated-body algorithm: its forward dynamics is a sparse factorization of the mass matrix, so
/// both forward entries are the same. Motion in time is mj_step, with constraints, contacts, actuators and sensors off.
/// One source for the old library of the distribution and a new one.

#include <mujoco/mujoco.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "link_order.h"
#include "mujoco_model.h"
#include "peer.h"

namespace {

using thenar_peer::attribute;
using thenar_peer::DataPtr;
using thenar_peer::LinkOrder;
using thenar_peer::ModelPtr;

std::string header_text(const PeerTree& tree) {
  const double* g = tree.gravity;
  return "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option" +
         attribute("gravity", {g[0], g[1], g[2]}) +
         "><flag constraint=\"disable\" contact=\"disable\" actuation=\"disable\" sensor=\"disable\"/></option>";
}

/// Principal moments and axes. MuJoCo 2 could diagonalize by itself, but only to eight digits.
std::string inertia_text(const PeerTree& tree, int link) {
  const double* I = tree.inertia + 6 * link;
  Eigen::Matrix3d about_com;
  about_com << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(about_com);
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) *= -1.0;
  const Eigen::Vector3d moments = solver.eigenvalues();
  const Eigen::Quaterniond quat(axes);
  return attribute("diaginertia", {moments.x(), moments.y(), moments.z()}) +
         attribute("quat", {quat.w(), quat.x(), quat.y(), quat.z()});
}

Eigen::Isometry3d placement_of(const PeerTree& tree, int link) {
  Eigen::Isometry3d X_PF = Eigen::Isometry3d::Identity();
  X_PF.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(tree.R_PF + 9 * link);
  X_PF.translation() = Eigen::Map<const Eigen::Vector3d>(tree.p_PF + 3 * link);
  return X_PF;
}

std::vector<double> numbers_of(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

/// A joint of the body whose frame, at q = 0, lies at X_LB from the frame of the joint's link.
std::string joint_text(const PeerTree& tree, int link, const Eigen::Isometry3d& X_LB) {
  const Eigen::Isometry3d X_BL = X_LB.inverse();
  return "<joint name=\"" + std::to_string(link) + "\" type=\"" + (tree.is_prismatic[link] ? "slide" : "hinge") + "\"" +
         attribute("pos", numbers_of(X_BL.translation())) + attribute("axis", numbers_of(X_BL.linear().col(2))) +
         attribute("damping", {tree.damping[link]}) + " limited=\"false\"/>";
}

/// The opening of the element of a body. MuJoCo refuses links without mass, but a body may have several joints, which
/// turn one after another: `links` are those without mass and, last, the one that they carry.
std::string body_text(const PeerTree& tree, const std::vector<int>& links) {
  const int carried = links.back();
  const double* c = tree.com + 3 * carried;
  Eigen::Isometry3d X_LB = Eigen::Isometry3d::Identity();
  std::string joints;
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    joints = joint_text(tree, *link, X_LB) + joints;
    X_LB = placement_of(tree, *link) * X_LB;
  }
  const Eigen::Isometry3d& X_PB = X_LB;
  const Eigen::Vector3d x = X_PB.linear().col(0), y = X_PB.linear().col(1);
  return "<body" + attribute("pos", numbers_of(X_PB.translation())) +
         attribute("xyaxes", {x.x(), x.y(), x.z(), y.x(), y.y(), y.z()}) + "><inertial" +
         attribute("pos", {c[0], c[1], c[2]}) + attribute("mass", {tree.mass[carried]}) + inertia_text(tree, carried) +
         "/>" + joints;
}

/// Links nest; walking them depth first, a link's element stays open until the next link is not below it. A link
/// without mass waits for the next one, which it carries.
std::string mjcf_text(const PeerTree& tree) {
  std::string text = header_text(tree) + "<worldbody>";
  std::vector<int> open = {-1}, together;
  for (const int link : thenar_peer::depth_first_links(tree)) {
    together.push_back(link);
    if (tree.mass[link] == 0) continue;
    for (; open.back() != tree.parent[together.front()]; open.pop_back()) text += "</body>";
    text += body_text(tree, together);
    open.push_back(link);
    together.clear();
  }
  for (; open.back() != -1; open.pop_back()) text += "</body>";
  return text + "</worldbody></mujoco>";
}

ModelPtr load_model(const PeerTree& tree) {
  ModelPtr model = thenar_peer::load_mjcf(mjcf_text(tree));
  if (model->nv != tree.link_count) throw std::runtime_error("not as many degrees of freedom as links");
  return model;
}

std::vector<int> link_at_dof(const mjModel& m) {
  std::vector<int> link_at(static_cast<std::size_t>(m.nv));
  for (int joint = 0; joint < m.njnt; ++joint) {
    link_at[static_cast<std::size_t>(m.jnt_dofadr[joint])] = std::stoi(mj_id2name(&m, mjOBJ_JOINT, joint));
  }
  return link_at;
}

struct MujocoPeer {
  explicit MujocoPeer(const PeerTree& tree)
      : model(load_model(tree)),
        data(mj_makeData(model.get())),
        order(link_at_dof(*model)),
        name(std::string("MuJoCo ") + mj_versionString()) {
    if (!data) throw std::runtime_error("no memory for the data");
    mj_forward(model.get(), data.get());
  }

  /// Poses and velocities, which both directions of the dynamics start from.
  void set_state(const double* q, const double* v) {
    order.to_peer(q, data->qpos);
    order.to_peer(v, data->qvel);
    mj_kinematics(model.get(), data.get());
    mj_comPos(model.get(), data.get());
    mj_comVel(model.get(), data.get());
  }

  ModelPtr model;
  DataPtr data;
  LinkOrder order;
  std::string name;
};

/// mj_makeM took over from mj_crb in 3.3.2 (a version number then had three digits).
void fill_mass_matrix(const mjModel* m, mjData* d) {
#if mjVERSION_HEADER >= 332
  mj_makeM(m, d);
#else
  mj_crb(m, d);
#endif
}

bool forward_dynamics(void* self, const double* q, const double* v, const double* tau, double* qdd) {
  MujocoPeer& p = *static_cast<MujocoPeer*>(self);
  const mjModel* m = p.model.get();
  mjData* d = p.data.get();
  p.set_state(q, v);
  fill_mass_matrix(m, d);
  mj_factorM(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  p.order.to_peer(tau, d->qfrc_applied);
  for (int i = 0; i < m->nv; ++i) d->qfrc_smooth[i] = d->qfrc_applied[i] - d->qfrc_bias[i];
  mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
  p.order.from_peer(d->qacc, qdd);
  return true;
}

bool inverse_dynamics(void* self, const double* q, const double* v, const double* qdd, double* tau) {
  MujocoPeer& p = *static_cast<MujocoPeer*>(self);
  mjData* d = p.data.get();
  p.set_state(q, v);
  p.order.to_peer(qdd, d->qacc);
  mj_rne(p.model.get(), d, 1, d->qfrc_inverse);
  p.order.from_peer(d->qfrc_inverse, tau);
  return true;
}

/// −1 where this version has no such integrator.
int integrator_of(PeerIntegrator integrator) {
  switch (integrator) {
    case kPeerEuler:
      return mjINT_EULER;
    case kPeerImplicit:
      return mjINT_IMPLICIT;
    case kPeerImplicitFast:
#if mjVERSION_HEADER >= 300
      return mjINT_IMPLICITFAST;
#else
      return -1;
#endif
    case kPeerRk4:
      return mjINT_RK4;
  }
  return -1;
}

int advance(void* self, PeerIntegrator integrator, double h, int steps, double* q, double* v) {
  MujocoPeer& p = *static_cast<MujocoPeer*>(self);
  mjModel* m = p.model.get();
  mjData* d = p.data.get();
  if (integrator_of(integrator) < 0) return -1;
  m->opt.integrator = integrator_of(integrator);
  m->opt.timestep = h;
  for (const int kind : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC}) d->warning[kind].number = 0;
  mju_zero(d->qfrc_applied, m->nv);
  p.order.to_peer(q, d->qpos);
  p.order.to_peer(v, d->qvel);
  int made = 0;
  for (; made < steps; ++made) {
    mj_step(m, d);
    if (thenar_peer::has_blown_up(*d)) break;
  }
  p.order.from_peer(d->qpos, q);
  p.order.from_peer(d->qvel, v);
  return made;
}

void destroy(void* self) { delete static_cast<MujocoPeer*>(self); }

bool refuse(char* error, std::string why) {
  std::replace(why.begin(), why.end(), '\n', ' ');
  std::snprintf(error, 256, "MuJoCo %s: %s", mj_versionString(), why.c_str());
  return false;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) bool thenar_peer_create(const PeerTree* tree, Peer* peer,
                                                                          char* error) {
  // Two versions in one process share their symbols' names: open peers with RTLD_LOCAL, link the program to neither.
  if (mj_version() != mjVERSION_HEADER) return refuse(error, "this is not the library the peer was built for");
  try {
    auto self = std::make_unique<MujocoPeer>(*tree);
    const char* name = self->name.c_str();
    *peer = Peer{name, self.release(), forward_dynamics, forward_dynamics, inverse_dynamics, advance, destroy};
    mju_user_warning = thenar_peer::ignore_warning;
    return true;
  } catch (const std::exception& e) {
    return refuse(error, e.what());
  }
}
