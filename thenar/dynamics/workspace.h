// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Scratch of the tree algorithms, sized once by the model; a call allocates nothing. Fields are grouped by the stage
/// that writes them. All vectors are in world axes, and everything about a link refers to that link's own origin:
/// moving a quantity along the tree is then a cross product with r, never a rotation, and numbers stay small however
/// far a link is from the world's origin.

#include <vector>

#include "thenar/model/model.h"

namespace thenar {

template <class T>
struct LinkFrame {
  Mat3<T> R;  ///< R_WL
  Vec3<T> r;  ///< from the parent link's origin to this link's origin, world axes, m
};

/// Motion of a link under v with v̇ = 0.
template <class T>
struct LinkMotion {
  Vec3<T> w;      ///< angular velocity, rad/s
  Vec3<T> alpha;  ///< angular acceleration, rad/s²
  Vec3<T> a;      ///< acceleration of the link's origin, without gravity, m/s²
};

/// What the articulated-body recursion keeps per degree of freedom (Carv 3.26–3.28: U = n, d = M).
template <class T>
struct DofElimination {
  Wrench<T> U;  ///< I_A s
  T inverse_d;  ///< 1 / (sᵀ I_A s + armature)
  T u;          ///< τ − sᵀ p_A
};

/// What the articulated-body recursion keeps per step of a group of fingers.
struct LaneStep {
  LinkFrame<Pack4> frame;
  Vec3<Pack4> axis;
  LinkMotion<Pack4> motion;
  ArticulatedInertia<Pack4> articulated;
  Wrench<Pack4> force;
  DofElimination<Pack4> dof;
};

template <class T>
struct Workspace {
  explicit Workspace(const Model& model);

  // Positions (update_positions).
  std::vector<LinkFrame<T>> frame;       ///< per link; 0 is the world
  std::vector<Vec3<T>> axis;             ///< per degree of freedom, unit vector
  std::vector<Vec3<T>> origin_position;  ///< per link, p_WL, m

  // Velocities (update_velocities).
  std::vector<LinkMotion<T>> motion;     ///< per link
  std::vector<Vec3<T>> origin_velocity;  ///< per link, m/s

  // Newton–Euler and articulated-body stages.
  std::vector<RigidInertia<T>> rigid;              ///< per link, then of the whole subtree in the mass matrix
  std::vector<ArticulatedInertia<T>> articulated;  ///< per link (factorize_articulated)
  std::vector<Wrench<T>> force;                    ///< per link: bias force, then articulated bias force
  std::vector<Motion<T>> acceleration;             ///< per link: what v̇ adds to the motion above
  std::vector<DofElimination<T>> dof;              ///< per degree of freedom
  std::vector<LaneStep> lane;                      ///< fingers side by side; plain numbers only
  std::vector<Wrench<Pack4>> side_force;           ///< per link, of right sides side by side; plain numbers only
};

}  // namespace thenar
