// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/model/model_builder.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

/// Fewer fingers than this do not pay for loading and summing the lanes; without wide registers none do.
#ifdef __AVX__
constexpr int kMinFingersInLanes = 3;
#else
constexpr int kMinFingersInLanes = FingerGroup::kLanes + 1;
#endif

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

Vector3<double> unit_axis(const Vector3<double>& axis, const std::string& joint) {
  const double norm = axis.norm();
  if (!(norm > 0) || !std::isfinite(norm))
    fail(fmt::format("joint '{}': the axis must be a vector other than zero", joint));
  return axis / norm;
}

/// A per-degree-of-freedom vector of the joint, zero where nothing was said.
VectorX<double> sized(const VectorX<double>& given, int n, const char* what, const std::string& joint) {
  if (given.size() == 0) return VectorX<double>::Zero(n);
  if (given.size() != n) {
    fail(fmt::format("joint '{}': {} needs {} number(s), one per degree of freedom, found {}", joint, what, n,
                     given.size()));
  }
  if (!given.allFinite() || given.minCoeff() < 0)
    fail(fmt::format("joint '{}': {} must be finite and not negative", joint, what));
  return given;
}

/// The largest efforts of the joint's actuators, infinite where nothing was said.
VectorX<double> sized_effort(const VectorX<double>& given, int n, const std::string& joint) {
  if (given.size() == 0) return VectorX<double>::Constant(n, std::numeric_limits<double>::infinity());
  if (given.size() != n) {
    fail(fmt::format("joint '{}': effort needs {} number(s), one per degree of freedom, found {}", joint, n,
                     given.size()));
  }
  if (!(given.minCoeff() > 0)) fail(fmt::format("joint '{}': effort must be greater than zero", joint));
  return given;
}

/// Which entry of q has the rate v(v_start + i), or −1.
int coordinate_of(const Joint& joint, int i) {
  if (joint.spec.kind == JointKind::spherical) return -1;
  if (joint.spec.kind == JointKind::free) return i < 3 ? -1 : joint.q_start + i - 3;
  return joint.q_start + i;
}

const char* to_string(StopSide side) { return side == StopSide::lower ? "lower" : "upper"; }

}  // namespace

void ModelBuilder::check_names(const BodySpec& body, const JointSpec& joint) const {
  if (body.name.empty()) fail("a body needs a name");
  if (model_.find_body(body.name)) fail(fmt::format("there is already a body named '{}'", body.name));
  if (joint.name.empty() && joint.kind == JointKind::fixed) return;
  if (joint.name.empty()) fail(fmt::format("the joint of body '{}' needs a name", body.name));
  if (model_.find_joint(joint.name)) fail(fmt::format("there is already a joint named '{}'", joint.name));
}

BodyIndex ModelBuilder::add_body(const BodySpec& spec, BodyIndex parent, const JointSpec& joint_spec) {
  check_names(spec, joint_spec);
  if (const auto fault = spec.mass.find_fault()) fail(fmt::format("body '{}': {}", spec.name, *fault));
  if (parent.value() >= model_.body_count()) fail(fmt::format("body '{}': its parent does not exist", spec.name));
  const int nv = velocity_count(joint_spec.kind);
  Joint joint{.spec = joint_spec,
              .parent = parent,
              .child = BodyIndex(model_.body_count()),
              .q_start = model_.nq_,
              .nq = position_count(joint_spec.kind),
              .v_start = model_.nv_,
              .nv = nv};
  joint.spec.damping = sized(joint_spec.damping, nv, "damping", joint_spec.name);
  joint.spec.armature = sized(joint_spec.armature, nv, "armature", joint_spec.name);
  joint.spec.friction = sized(joint_spec.friction, nv, "friction", joint_spec.name);
  joint.spec.effort = sized_effort(joint_spec.effort, nv, joint_spec.name);
  const Body& parent_body = model_.body(parent);
  joint.level = (parent == kWorld ? 0 : model_.joint(parent_body.joint).level) + (nv > 0 ? 1 : 0);

  Body body{.name = spec.name, .parent = parent, .joint = JointIndex(model_.joint_count()), .mass = spec.mass};
  if (joint_spec.kind == JointKind::fixed) {
    weld(body, joint);
  } else {
    add_links(body, joint);
  }
  for (int i = 0; i < nv; ++i) {
    model_.dof_joint_.push_back(body.joint);
    model_.dof_coordinate_.push_back(coordinate_of(joint, i));
  }
  model_.nq_ += joint.nq;
  model_.nv_ += joint.nv;
  model_.body_by_name_[body.name] = model_.body_count();
  if (!joint_spec.name.empty()) model_.joint_by_name_[joint_spec.name] = model_.joint_count();
  model_.bodies_.push_back(body);
  model_.joints_.push_back(joint);
  if (joint_spec.spring) add_spring({body.joint}, joint_spec.spring->stiffness, joint_spec.spring->rest);
  return joint.child;
}

void ModelBuilder::weld(Body& body, const Joint& joint) {
  const Body& parent = model_.body(joint.parent);
  body.link = parent.link;
  body.X_LB = parent.X_LB * joint.spec.X_PF * joint.spec.X_BM.inverse();
  MassProperties& mass = link_mass_[static_cast<std::size_t>(body.link)];
  mass = mass + body.mass.expressed_in(body.X_LB);
}

int ModelBuilder::add_link(LinkKind kind, int parent, const Pose<double>& X_PF, const Joint& joint, int dof_offset,
                           int dof_count) {
  model_.links_.push_back({.kind = kind,
                           .parent = parent,
                           .q = joint.q_start + dof_offset,
                           .v = joint.v_start + dof_offset,
                           .nv = dof_count});
  model_.constants_.push_back({X_PF.R, X_PF.p, RigidInertia<double>::zero()});
  link_mass_.push_back({});
  return model_.link_count();
}

void ModelBuilder::add_links(Body& body, Joint& joint) {
  const JointSpec& spec = joint.spec;
  const Body& parent = model_.body(joint.parent);
  const Pose<double> X_PF = parent.X_LB * spec.X_PF;
  // Where the joint frame M, and with it the body, sits in the last link's frame.
  Pose<double> X_LM;
  switch (spec.kind) {
    case JointKind::revolute:
    case JointKind::prismatic: {
      const Matrix3<double> R_FL = rotation_with_z_along(unit_axis(spec.axis, spec.name));
      body.link = add_link(spec.kind == JointKind::revolute ? LinkKind::revolute : LinkKind::prismatic, parent.link,
                           X_PF * Pose<double>::rotation(R_FL), joint, 0, 1);
      X_LM = Pose<double>::rotation(R_FL.transpose());
      break;
    }
    case JointKind::universal: {
      const Vector3<double> first = unit_axis(spec.axis, spec.name);
      const Vector3<double> second = unit_axis(spec.second_axis, spec.name);
      if (first.cross(second).norm() < 1e-6)
        fail(fmt::format("joint '{}': the two axes must not be parallel", spec.name));
      const Matrix3<double> R_FK = rotation_with_z_along(first);
      const int carrier = add_link(LinkKind::revolute, parent.link, X_PF * Pose<double>::rotation(R_FK), joint, 0, 1);
      const Pose<double> X_FL{rotation_with_z_along(second), spec.offset};
      body.link = add_link(LinkKind::revolute, carrier, Pose<double>::rotation(R_FK.transpose()) * X_FL, joint, 1, 1);
      // At q = 0 the body's joint frame M coincides with F in orientation and sits on the second axis.
      X_LM = Pose<double>::rotation(X_FL.R.transpose());
      break;
    }
    case JointKind::spherical:
      body.link = add_link(LinkKind::ball, parent.link, X_PF, joint, 0, 3);
      break;
    case JointKind::planar:
      body.link = add_link(LinkKind::planar, parent.link, X_PF, joint, 0, 3);
      break;
    case JointKind::free:
      body.link = add_link(LinkKind::free, parent.link, X_PF, joint, 0, 6);
      break;
    case JointKind::fixed:
      THENAR_DEMAND(false);
  }
  body.X_LB = X_LM * spec.X_BM.inverse();
  link_mass_.back() = body.mass.expressed_in(body.X_LB);
}

void ModelBuilder::add_spring(const std::vector<JointIndex>& joints, const MatrixX<double>& stiffness,
                              const VectorX<double>& rest) {
  int nq = 0, nv = 0;
  std::string names;
  for (const JointIndex i : joints) {
    nq += model_.joint(i).nq;
    nv += model_.joint(i).nv;
    names += (names.empty() ? "'" : ", '") + model_.joint(i).spec.name + "'";
  }
  if (stiffness.rows() != nv || stiffness.cols() != nv) {
    fail(fmt::format("spring on {}: the stiffness must be {} x {}, found {} x {}", names, nv, nv, stiffness.rows(),
                     stiffness.cols()));
  }
  if (rest.size() != nq)
    fail(fmt::format("spring on {}: the rest position needs {} number(s), found {}", names, nq, rest.size()));
  if (!stiffness.allFinite() || !rest.allFinite()) fail(fmt::format("spring on {}: numbers must be finite", names));
  // A spring switched off by a parameter need not be asked for its force.
  if (stiffness.isZero(0)) return;
  model_.springs_.push_back({joints, stiffness, rest, stiffness == stiffness.transpose()});
}

void ModelBuilder::check_coordinate(int dof, const std::string& what) const {
  if (dof < 0 || dof >= model_.nv_) fail(fmt::format("{}: there is no degree of freedom {}", what, dof));
  if (model_.dof_coordinate(dof) < 0) {
    fail(
        fmt::format("{}: '{}' is a rotation in space, which has no coordinate of its own", what, model_.dof_name(dof)));
  }
}

void ModelBuilder::check_function(const CoordinateFunction& function, const std::string& what) const {
  for (const int dof : function.dofs) check_coordinate(dof, what);
  if (function.value.variable_count() > function.dofs.size()) {
    fail(fmt::format("{}: '{}' needs {} coordinates, found {}", what, function.value.text(),
                     function.value.variable_count(), function.dofs.size()));
  }
  if (!function.value.is_smooth()) {
    fail(fmt::format("{}: '{}' is not smooth; use functions without jumps and kinks", what, function.value.text()));
  }
}

void ModelBuilder::add_stop(const Stop& stop) {
  check_coordinate(stop.dof, "a stop");
  const std::string what = fmt::format("the {} stop of '{}'", to_string(stop.side), model_.dof_name(stop.dof));
  check_function(stop.bound, what);
  for (const int dof : stop.bound.dofs) {
    if (dof == stop.dof) fail(fmt::format("{}: it cannot depend on its own coordinate", what));
  }
  if (!(stop.restitution >= 0 && stop.restitution <= 1)) {
    fail(fmt::format("{}: the restitution must lie between 0 and 1, found {}", what, stop.restitution));
  }
  for (const Stop& other : model_.stops_) {
    if (other.dof == stop.dof && other.side == stop.side) fail(fmt::format("{}: there is already one", what));
  }
  model_.stops_.push_back(stop);
}

void ModelBuilder::add_coupling(const Coupling& coupling) {
  const std::string what = fmt::format("coupling '{}'", coupling.name);
  check_coordinate(coupling.dof, what);
  check_function(coupling.value, what);
  for (const int dof : coupling.value.dofs) {
    if (dof == coupling.dof) fail(fmt::format("{}: '{}' cannot follow itself", what, model_.dof_name(dof)));
  }
  for (const Coupling& other : model_.couplings_) {
    if (other.name == coupling.name) fail(fmt::format("{}: there is already one of that name", what));
  }
  model_.couplings_.push_back(coupling);
}

Model ModelBuilder::finalize() && {
  Model& m = model_;
  for (std::size_t i = 1; i < m.links_.size(); ++i) {
    m.constants_[i].inertia = make_rigid_inertia(link_mass_[i]);
    m.links_[i].has_mass = link_mass_[i].mass > 0;
  }
  m.damping_.setZero(m.nv_);
  m.armature_.setZero(m.nv_);
  m.dry_friction_.setZero(m.nv_);
  m.effort_limit_.setZero(m.nv_);
  for (int k = 0; k < m.joint_count(); ++k) {
    const Joint& joint = m.joint(JointIndex(k));
    m.damping_.segment(joint.v_start, joint.nv) = joint.spec.damping;
    m.armature_.segment(joint.v_start, joint.nv) = joint.spec.armature;
    m.dry_friction_.segment(joint.v_start, joint.nv) = joint.spec.friction;
    m.effort_limit_.segment(joint.v_start, joint.nv) = joint.spec.effort;
  }
  m.has_effort_limits_ = !(m.effort_limit_.array() == std::numeric_limits<double>::infinity()).all();
  m.has_damping_ = (m.damping_.array() != 0).any();
  m.dof_parent_.assign(static_cast<std::size_t>(m.nv_), -1);
  m.dof_depth_.assign(static_cast<std::size_t>(m.nv_), 0);
  m.dof_is_angular_.assign(static_cast<std::size_t>(m.nv_), true);
  for (std::size_t i = 1; i < m.links_.size(); ++i) {
    const Link& link = m.links_[i];
    const Link& parent = m.links_[static_cast<std::size_t>(link.parent)];
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const int up = k > link.v ? k - 1 : (link.parent == 0 ? -1 : parent.v + parent.nv - 1);
      m.dof_parent_[static_cast<std::size_t>(k)] = up;
      m.dof_is_angular_[static_cast<std::size_t>(k)] = is_angular(link.kind, k - link.v);
      m.dof_depth_[static_cast<std::size_t>(k)] = up < 0 ? 0 : m.dof_depth(up) + 1;
    }
  }
  m.finger_lanes_ = find_finger_lanes(m.links_, m.constants_, m.armature_, kMinFingersInLanes);
  return std::move(model_);
}

}  // namespace thenar
