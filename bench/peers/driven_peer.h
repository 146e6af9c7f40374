// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The interface between bench/grasp.cc and MuJoCo: as peer.h, in plain C. A model in MJCF, moved by generalized forces
/// that are known in advance. A library exports thenar_driven_peer().

extern "C" {

/// A model and what drives it. Joints have one degree of freedom; `free_joint` is that of the body that is watched.
struct DrivenScene {
  const char* mjcf;
  int joint_count;
  const char* const* joints;
  const double* q;  ///< where they start
  const char* free_joint;
  const double* free_q;  ///< its place and quaternion (w, x, y, z) at the start
  double h;              ///< s, of the steps
  long row_count;        ///< one row for every half step, from 0 on
  const double* forces;  ///< rows of joint_count efforts and three forces on the free joint, world axes
};

struct DrivenPeer {
  const char* name;  ///< "MuJoCo 3.17"
  /// Null, with the reason in `error` (at most 255 characters), where the peer cannot do it.
  void* (*create)(const DrivenScene* scene, char* error);
  /// False where the motion has blown up.
  bool (*step)(void* world, int count);
  /// Place and quaternion (w, x, y, z) of the free joint, then the other joints.
  void (*read)(void* world, double* q);
  int (*count_contacts)(void* world);
  void (*destroy)(void* world);
};

typedef void (*ThenarDrivenPeer)(DrivenPeer* peer);
void thenar_driven_peer(DrivenPeer* peer);
}
