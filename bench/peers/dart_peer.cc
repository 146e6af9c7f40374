// SPDX-License-Identifier: BSD-3-Clause
//
// DART's Dantzig solver, which it has from ODE: for symmetric positive semidefinite matrices. It overwrites what it is
// given, so that copying M (into rows padded to multiples of four) is a part of every call, as it is in DART.

#include <dart/external/odelcpsolver/lcp.h>

#include <algorithm>
#include <vector>

#include "complementarity_peer.h"

namespace {

struct Handle {
  explicit Handle(const PeerLcp& in)
      : problem(in),
        stride(in.size > 1 ? (((in.size - 1) | 3) + 1) : in.size),
        A(count(in.size * stride)),
        b(count(in.size)),
        lower(b),
        upper(b),
        w(b) {}
  static std::size_t count(int n) { return static_cast<std::size_t>(n); }

  PeerLcp problem;
  int stride;
  std::vector<double> A, b, lower, upper, w;
};

void* create(const void*, const PeerLcp* problem) { return new Handle(*problem); }

bool solve(void* handle, double* z) {
  auto& h = *static_cast<Handle*>(handle);
  const int n = h.problem.size;
  for (int i = 0; i < n; ++i) {
    // M is symmetric: its columns are its rows.
    std::copy_n(h.problem.M + i * n, n, h.A.data() + i * h.stride);
    h.b[Handle::count(i)] = -h.problem.q[i];
    h.lower[Handle::count(i)] = 0;
    h.upper[Handle::count(i)] = dInfinity;
  }
  return dart::external::ode::dSolveLCP(n, h.A.data(), z, h.b.data(), h.w.data(), 0, h.lower.data(), h.upper.data(),
                                        nullptr);
}

void destroy(void* handle) { delete static_cast<Handle*>(handle); }

}  // namespace

extern "C" {
__attribute__((visibility("default"))) bool thenar_lcp_peer(int number, LcpPeer* peer) {
  if (number != 0) return false;
  *peer = {"DART 6.12", "Dantzig", nullptr, 1 << 10, true, create, solve, destroy};
  return true;
}

__attribute__((visibility("default"))) bool thenar_cone_peer(int, ConePeer*) { return false; }
}
