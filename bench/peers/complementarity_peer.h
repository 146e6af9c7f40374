// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The one interface between our benchmark and other people's complementarity solvers: as peer.h, in plain C. A library
/// exports thenar_lcp_peer() and, where it solves contacts with true cones, thenar_cone_peer(); each hands out one peer
/// for every method that is to be measured. A handle holds one problem with all memory that the library lets its user
/// keep between calls; only solve() is timed.

extern "C" {

/// w = M z + q, z ≥ 0, w ≥ 0, zᵀw = 0. The numbers stay where they are while a handle lives.
struct PeerLcp {
  int size;
  const double* M;  ///< column by column
  const double* q;
};

struct LcpPeer {
  const char* name;     ///< "Siconos 4.4"
  const char* setting;  ///< "lexicographic Lemke"
  const void* self;
  int max_size;            ///< larger problems would take forever
  bool is_symmetric_only;  ///< made for symmetric positive semidefinite M
  void* (*create)(const void* self, const PeerLcp* problem);
  /// From z = 0. False when the method itself says that it has failed; z is judged in any case.
  bool (*solve)(void* handle, double* z);
  void (*destroy)(void* handle);
};

/// u = W r + q, three rows for each contact, the normal first; r in the cone |r_t| ≤ μ r_n, u + (μ |u_t|, 0, 0) in its
/// dual, both orthogonal to each other.
struct PeerConeProblem {
  int contacts;
  const double* W;  ///< column by column
  const double* q;
  const double* mu;
};

struct ConePeer {
  const char* name;
  const char* setting;
  const void* self;
  void* (*create)(const void* self, const PeerConeProblem* problem);
  /// From r = 0, to a residual of `tolerance`.
  bool (*solve)(void* handle, double tolerance, double* r);
  void (*destroy)(void* handle);
};

/// Each fills `peer`; false when there is no method of this number.
typedef bool (*ThenarLcpPeer)(int number, LcpPeer* peer);
typedef bool (*ThenarConePeer)(int number, ConePeer* peer);
bool thenar_lcp_peer(int number, LcpPeer* peer);
bool thenar_cone_peer(int number, ConePeer* peer);
}
