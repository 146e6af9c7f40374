// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Model: the immutable description of a world, a forest of bodies on joints. Built by ModelBuilder, shared by threads.
///
/// Two views of the same tree:
///
/// - Bodies and joints, as the user named them. Body 0 is the world; every other body hangs on its parent by one joint.
/// - Links, as the dynamics walk them. A link is a rigid piece with an articulated inertia of its own: a fixed body is
///   welded into its parent's link, a universal joint becomes two revolute links (the first without mass). Link 0 is
///   the world; parents come before children. The frame L of a revolute or prismatic link has its z axis along the
///   joint axis and its origin on it.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "thenar/base/typed_index.h"
#include "thenar/model/coordinate_constraint.h"
#include "thenar/model/finger_lanes.h"
#include "thenar/model/joint.h"
#include "thenar/model/link.h"
#include "thenar/spatial/inertia.h"

namespace thenar {

using BodyIndex = TypedIndex<struct BodyTag>;
using JointIndex = TypedIndex<struct JointTag>;

inline constexpr BodyIndex kWorld{};

struct Body {
  std::string name;
  BodyIndex parent{};
  JointIndex joint{};     ///< its inboard joint; unused for the world
  MassProperties mass{};  ///< in the body frame B
  int link = 0;           ///< the link it belongs to
  Pose<double> X_LB{};    ///< its frame in that link's frame
};

struct Joint {
  JointSpec spec;
  BodyIndex parent;
  BodyIndex child;
  int q_start = 0, nq = 0;  ///< coordinates q(q_start … q_start + nq − 1)
  int v_start = 0, nv = 0;  ///< degrees of freedom
  int level = 0;            ///< moving joints from the world to here, this one included
};

/// A spring over the degrees of freedom of one or several joints (see JointSpring; e, G and K stacked).
struct Spring {
  std::vector<JointIndex> joints;
  MatrixX<double> stiffness;  ///< Σ nv square
  VectorX<double> rest;       ///< Σ nq
  bool conservative = true;   ///< stiffness is symmetric
};

class Model {
 public:
  /// The world alone.
  Model();

  int body_count() const { return static_cast<int>(bodies_.size()); }
  int joint_count() const { return static_cast<int>(joints_.size()); }
  int position_count() const { return nq_; }
  int velocity_count() const { return nv_; }
  /// Links without the world; valid numbers are 1 … link_count().
  int link_count() const { return static_cast<int>(links_.size()) - 1; }

  const Body& body(BodyIndex i) const { return bodies_[static_cast<std::size_t>(i)]; }
  const Joint& joint(JointIndex i) const { return joints_[static_cast<std::size_t>(i)]; }
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<Joint>& joints() const { return joints_; }
  const std::vector<Spring>& springs() const { return springs_; }
  const Vector3<double>& gravity() const { return gravity_; }

  std::optional<BodyIndex> find_body(std::string_view name) const;
  std::optional<JointIndex> find_joint(std::string_view name) const;
  /// The degree of freedom of that name (dof_name).
  std::optional<int> find_dof(std::string_view name) const;
  /// The same for names that must be there; otherwise std::invalid_argument names the nearest one.
  BodyIndex body_of(std::string_view name) const;
  int dof(std::string_view name) const;

  /// Per degree of freedom.
  const VectorX<double>& damping() const { return damping_; }
  const VectorX<double>& armature() const { return armature_; }
  bool has_damping() const { return has_damping_; }
  /// Dry friction: the effort, N m or N, that it takes to move a degree of freedom, and that opposes its motion.
  const VectorX<double>& dry_friction() const { return dry_friction_; }
  /// The largest effort of the actuators, N m or N, per degree of freedom; infinity where there is no limit.
  const VectorX<double>& effort_limit() const { return effort_limit_; }
  bool has_effort_limits() const { return has_effort_limits_; }
  bool is_locked(int dof) const { return joint(dof_joint(dof)).spec.locked; }

  const std::vector<Stop>& stops() const { return stops_; }
  const std::vector<Coupling>& couplings() const { return couplings_; }

  const std::vector<Link>& links() const { return links_; }
  const std::vector<LinkConstants<double>>& link_constants() const { return constants_; }

  /// Chains of links that the dynamics may take side by side.
  const FingerLanes& finger_lanes() const { return finger_lanes_; }

  /// The degree of freedom next towards the world from v(i), or −1.
  int dof_parent(int i) const { return dof_parent_[static_cast<std::size_t>(i)]; }
  /// How many degrees of freedom lie between v(i) and the world.
  int dof_depth(int i) const { return dof_depth_[static_cast<std::size_t>(i)]; }
  /// The joint that owns v(i), and a name for messages: "wrist" or "wrist.1".
  JointIndex dof_joint(int i) const { return dof_joint_[static_cast<std::size_t>(i)]; }
  std::string dof_name(int i) const;
  /// Whether v(i) turns (rad/s) rather than slides (m/s).
  bool is_angular(int i) const { return dof_is_angular_[static_cast<std::size_t>(i)]; }
  /// The index into q of the coordinate whose rate is v(i), or −1 where there is none (rotations in space).
  int dof_coordinate(int i) const { return dof_coordinate_[static_cast<std::size_t>(i)]; }

  double total_mass() const;
  /// All q zero, quaternions at the identity.
  VectorX<double> neutral_position() const;

 private:
  friend class ModelBuilder;

  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::unordered_map<std::string, int> body_by_name_, joint_by_name_;
  std::vector<Spring> springs_;
  std::vector<Stop> stops_;
  std::vector<Coupling> couplings_;
  std::vector<Link> links_;
  std::vector<LinkConstants<double>> constants_;
  FingerLanes finger_lanes_;
  Vector3<double> gravity_{0, 0, -9.81};
  VectorX<double> damping_, armature_, dry_friction_, effort_limit_;
  bool has_damping_ = false, has_effort_limits_ = false;
  std::vector<int> dof_parent_, dof_depth_, dof_coordinate_;
  std::vector<bool> dof_is_angular_;
  std::vector<JointIndex> dof_joint_;
  int nq_ = 0, nv_ = 0;
};

}  // namespace thenar
