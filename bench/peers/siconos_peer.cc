// SPDX-License-Identifier: BSD-3-Clause
//
// Siconos: its solvers of linear complementarity problems, called directly rather than through its driver, which would
// add checks of its own; and its solvers of contacts with friction cones, through their driver. Matrices, options and
// work arrays are made once for each problem; what a method allocates inside of a call (lexicographic Lemke its
// tableau, row by row) is inside of its time, for there is no way to keep it.

#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/fc3d_Solvers.h>
#include <siconos/numerics/lcp_cst.h>

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "complementarity_peer.h"

namespace {

constexpr const char* kName = "Siconos 4.4";

struct Options {
  explicit Options(int id) : options(solver_options_create(id)) {}
  ~Options() { solver_options_delete(options); }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  int& integer(int i) const { return options->iparam[i]; }
  double& real(int i) const { return options->dparam[i]; }

  SolverOptions* options;
};

/// A dense matrix whose numbers are copied, for Siconos frees what it is given.
NumericsMatrix* copy_matrix(int size, const double* numbers) {
  NumericsMatrix* matrix = NM_create(NM_DENSE, size, size);
  std::copy_n(numbers, static_cast<std::size_t>(size) * static_cast<std::size_t>(size), matrix->matrix0);
  return matrix;
}

using LcpFunction = void (*)(LinearComplementarityProblem*, double*, double*, int*, SolverOptions*);

struct LcpMethod {
  const char* setting;
  int id;
  LcpFunction function;
  int max_size;
};

/// SICONOS_LCP_PIVOT_LUMOD is left out: it reads wild memory on singular problems.
constexpr LcpMethod kLcpMethods[] = {
    {"lexicographic Lemke", SICONOS_LCP_LEMKE, lcp_lexicolemke, 1 << 10},
    {"pivot (Lemke)", SICONOS_LCP_PIVOT, lcp_pivot, 1 << 10},
    {"enumeration", SICONOS_LCP_ENUM, lcp_enum, 8},
    {"projected Gauss-Seidel", SICONOS_LCP_PGS, lcp_pgs, 1 << 10},
};

struct LcpHandle {
  LcpHandle(const LcpMethod& method_in, const PeerLcp& in) : method(method_in), options(method_in.id) {
    problem.size = in.size;
    problem.M = copy_matrix(in.size, in.M);
    problem.q = const_cast<double*>(in.q);
    w.resize(static_cast<std::size_t>(in.size));
    options.integer(SICONOS_IPARAM_MAX_ITER) = method.id == SICONOS_LCP_PGS ? 1000 : 100000;
    options.real(SICONOS_DPARAM_TOL) = method.id == SICONOS_LCP_PGS ? 1e-9 : 1e-12;
    if (method.id == SICONOS_LCP_PIVOT) {
      options.integer(SICONOS_LCP_IPARAM_PIVOTING_METHOD_TYPE) = SICONOS_LCP_PIVOT_LEMKE;
    }
  }
  ~LcpHandle() { NM_free(problem.M); }
  LcpHandle(const LcpHandle&) = delete;
  LcpHandle& operator=(const LcpHandle&) = delete;

  const LcpMethod& method;
  Options options;
  LinearComplementarityProblem problem{};
  std::vector<double> w;
};

void* create_lcp(const void* self, const PeerLcp* problem) {
  return new LcpHandle(*static_cast<const LcpMethod*>(self), *problem);
}

bool solve_lcp(void* handle, double* z) {
  auto& h = *static_cast<LcpHandle*>(handle);
  std::fill_n(z, h.problem.size, 0.0);
  int info = 0;
  h.method.function(&h.problem, z, h.w.data(), &info, h.options.options);
  return info == 0;
}

/// Each measures its error in another way. `strictness` times the tolerance makes nearly all answers that a method
/// itself calls right pass the benchmark's judge.
struct ConeMethod {
  const char* setting;
  int id;
  double strictness;
};

constexpr ConeMethod kConeMethods[] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, 1},
    {"NSN-AC", SICONOS_FRICTION_3D_NSN_AC, 0.1},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, 0.01},
};

struct ConeHandle {
  ConeHandle(const ConeMethod& method_in, const PeerConeProblem& in) : method(method_in), rows(3 * in.contacts) {
    q.assign(in.q, in.q + rows);
    mu.assign(in.mu, in.mu + in.contacts);
    u.resize(static_cast<std::size_t>(rows));
    matrix = copy_matrix(rows, in.W);
    problem.dimension = 3;
    problem.numberOfContacts = in.contacts;
    problem.M = matrix;
    problem.q = q.data();
    problem.mu = mu.data();
  }
  ~ConeHandle() { NM_free(matrix); }
  ConeHandle(const ConeHandle&) = delete;
  ConeHandle& operator=(const ConeHandle&) = delete;

  const ConeMethod& method;
  int rows;
  FrictionContactProblem problem{};
  NumericsMatrix* matrix;
  std::vector<double> q, mu, u;
};

void* create_cone(const void* self, const PeerConeProblem* problem) {
  return new ConeHandle(*static_cast<const ConeMethod*>(self), *problem);
}

/// Options are made anew in every call: some methods leave their adapted parameters and work arrays in them. That costs
/// a fraction of a microsecond.
bool solve_cone(void* handle, double tolerance, double* r) {
  auto& h = *static_cast<ConeHandle*>(handle);
  std::fill_n(r, h.rows, 0.0);
  std::fill(h.u.begin(), h.u.end(), 0.0);
  const Options options(h.method.id);
  options.integer(SICONOS_IPARAM_MAX_ITER) = h.method.id == SICONOS_FRICTION_3D_NSN_AC ? 1000 : 100000;
  options.real(SICONOS_DPARAM_TOL) = h.method.strictness * tolerance;
  return fc3d_driver(&h.problem, r, h.u.data(), options.options) == 0;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) bool thenar_lcp_peer(int number, LcpPeer* peer) {
  if (number < 0 || number >= static_cast<int>(std::size(kLcpMethods))) return false;
  const LcpMethod& method = kLcpMethods[number];
  *peer = {kName, method.setting, &method,   method.max_size,
           false, create_lcp,     solve_lcp, [](void* handle) { delete static_cast<LcpHandle*>(handle); }};
  return true;
}

__attribute__((visibility("default"))) bool thenar_cone_peer(int number, ConePeer* peer) {
  if (number < 0 || number >= static_cast<int>(std::size(kConeMethods))) return false;
  const ConeMethod& method = kConeMethods[number];
  *peer = {kName,       method.setting, &method,
           create_cone, solve_cone,     [](void* handle) { delete static_cast<ConeHandle*>(handle); }};
  return true;
}
}
