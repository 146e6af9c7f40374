// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The one interface between our benchmark and other people's distance of shapes: as peer.h, in plain C. A library
/// exports thenar_distance_peer(), which hands out one peer for each setting it is to be measured with.

extern "C" {

/// By the order of thenar::Shape: sphere, ellipsoid, cylinder, capsule, cone, box, rounded_box, torus, rod, ellipse,
/// plane, bowl; with the members of these structs in their order.
struct PeerShape {
  int kind;
  double size[4];  ///< m
};

/// Frame in the world: R row by row, p in m.
struct PeerPose {
  double R[9], p[3];
};

/// gap in m, unit normal from B into A, p_A − p_B = gap N. N is zero where the peer does not tell.
struct PeerProximity {
  double gap, N[3], p_A[3], p_B[3];
};

struct DistancePeer {
  const char* name;     ///< "FCL 0.7 GJK"
  const char* setting;  ///< "tolerance 1e-6"
  const void* self;
  /// Two shapes and what the peer keeps of them from call to call; null where it has no such shapes.
  void* (*create_pair)(const void* self, const PeerShape* A, const PeerShape* B);
  /// False when the peer fails. `is_warm`: it may use what it knows from the last call.
  bool (*find_closest)(void* pair, const PeerPose* X_WA, const PeerPose* X_WB, bool is_warm, PeerProximity* out);
  void (*destroy_pair)(void* pair);
};

/// Fills `peer`; returns false when there is no setting of this number.
typedef bool (*ThenarDistancePeer)(int number, DistancePeer* peer);
bool thenar_distance_peer(int number, DistancePeer* peer);
}
