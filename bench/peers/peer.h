// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The one interface between our benchmark and other people's dynamics. A peer is a shared library that
/// exports thenar_peer_create(); the benchmark opens it, hands it a plain description of the tree and calls
/// it in turns with ours, in the same process and run. Plain C types: a peer may be built by another compiler
/// with other flags.

extern "C" {

/// A tree of one-degree-of-freedom links on a fixed base, in an order where parents come first.
/// Link frame L sits on the joint; at q = 0 it coincides with the joint frame F on the parent. A link without mass
/// carries just one other link: the two are a joint of two axes.
struct PeerTree {
  int link_count;
  const int* parent;        ///< parent link, or -1 for the fixed base
  const int* is_prismatic;  ///< 0: revolute about +z of L; 1: prismatic along +z of L
  const double* R_PF;       ///< 9 per link, row by row: orientation of F in the parent's frame
  const double* p_PF;       ///< 3 per link, m
  const double* mass;       ///< kg
  const double* com;        ///< 3 per link, m, in L
  const double* inertia;    ///< 6 per link, kg m²: xx, yy, zz, xy, xz, yz about the centre of mass, axes of L
  const double* damping;    ///< N m s/rad or N s/m; felt by advance() alone
  double gravity[3];        ///< m/s²
};

/// How a peer carries a state through time.
enum PeerIntegrator { kPeerEuler, kPeerImplicit, kPeerImplicitFast, kPeerRk4 };

/// Computes into `out`; n = link_count.
struct Peer {
  const char* name;  ///< e.g. "Pinocchio 3.7 clang 14"
  void* self;
  /// Each returns false where the peer cannot do it. qdd: n. rnea out: n torques for (q, v, qdd).
  bool (*forward_dynamics)(void* self, const double* q, const double* v, const double* tau, double* qdd);
  /// Forward dynamics by mass matrix and factorization (and whatever bias computation the peer has).
  bool (*forward_dynamics_mass_matrix)(void* self, const double* q, const double* v, const double* tau, double* qdd);
  bool (*inverse_dynamics)(void* self, const double* q, const double* v, const double* qdd, double* tau);
  /// Makes `steps` steps of h seconds from (q, v), under gravity and damping, and leaves the end in q and v. Returns
  /// the steps made: less than asked for where the peer finds that the motion has blown up, −1 where it cannot do this.
  int (*advance)(void* self, PeerIntegrator integrator, double h, int steps, double* q, double* v);
  void (*destroy)(void* self);
};

/// Fills `peer`; returns false (with a message in `error`, at most 255 characters) where the peer cannot load the tree.
typedef bool (*ThenarPeerCreate)(const PeerTree* tree, Peer* peer, char* error);
bool thenar_peer_create(const PeerTree* tree, Peer* peer, char* error);
}
