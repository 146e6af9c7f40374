// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The one interface between our benchmark and other people's simulation of bodies in contact: as peer.h, in plain C. A
/// library exports thenar_scene_peer(), which hands out one peer for each setting it is to be measured with.

extern "C" {

/// Sizes in m, axes along z: sphere: radius; box: full sides; capsule and cylinder: radius, length of the cylindrical
/// part; plane: none, everything below its x-y plane.
enum SceneShape { kSceneSphere, kSceneBox, kSceneCapsule, kSceneCylinder, kScenePlane };

/// What a body can do; a slide moves along x of the world and does not turn.
enum SceneMotion { kSceneFixed, kSceneFree, kSceneSlide };

/// Its frame sits in its centre of mass, along its principal axes. A plane is fixed.
struct SceneBody {
  SceneShape shape;
  double size[3];
  SceneMotion motion;
  double mass;                     ///< kg
  double inertia[3];               ///< kg m²
  double p[3], quat[4];            ///< in the world; m; w, x, y, z
  double velocity[3], angular[3];  ///< in the world, m/s, rad/s
  double force[3];                 ///< on the centre of mass, in the world, N
  double force_until;              ///< s; a multiple of every step that is asked for, or infinity
};

/// Whatever touches has the same friction and no restitution.
struct SceneDescription {
  int body_count;
  const SceneBody* bodies;
  double friction;
  double gravity[3];  ///< m/s²
};

/// In the world, as in SceneBody.
struct SceneBodyState {
  double p[3], quat[4], velocity[3], angular[3];
};

struct ScenePeer {
  const char* name;     ///< "MuJoCo 3.17"
  const char* setting;  ///< "elliptic, impratio 10"
  const void* self;
  /// The scene at its start, to be stepped with h seconds; null, with the reason in `error` (at most 255 characters),
  /// where the peer cannot do it.
  void* (*create)(const void* self, const SceneDescription* scene, double h, char* error);
  /// False where the peer finds that the motion has blown up.
  bool (*step)(void* world, int count);
  void (*read)(void* world, int body, SceneBodyState* state);
  void (*destroy)(void* world);
};

/// Fills `peer`; returns false when there is no setting of this number.
typedef bool (*ThenarScenePeer)(int number, ScenePeer* peer);
bool thenar_scene_peer(int number, ScenePeer* peer);
}
