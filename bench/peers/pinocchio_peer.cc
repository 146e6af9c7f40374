// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Pinocchio (BSD-2-Clause) behind the interface of the benchmark: what we want to be compared with for open
/// chains. Its algorithms come in two conventions, spatial quantities in link frames or in the world frame; which of
/// them is faster depends on tree and compiler, hence the same source makes one peer of each, chosen by
/// PEER_CONVENTION_WORLD. Used header only: everything is compiled here, for this machine, with our Eigen.

#include <Eigen/Cholesky>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <unsupported/Eigen/CXX11/Tensor>
#include <utility>
#include <vector>

#include "link_order.h"
#include "peer.h"

namespace Eigen {

/// pinocchio::Data always allocates four third-order tensors, nv³ numbers each, for second derivatives: 32 GB at 1000
/// links. Nothing here computes second derivatives; this empty stand-in lets large trees be measured.
template <>
class Tensor<double, 3, 0, Index> {
 public:
  typedef double Scalar;
  Tensor() = default;
  Tensor(Index, Index, Index) {}
  void setZero() {}
};

}  // namespace Eigen

// Limits that Pinocchio 4 expects of its users' build.
#define BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
#define BOOST_MPL_LIMIT_LIST_SIZE 30
#define BOOST_MPL_LIMIT_VECTOR_SIZE 30
#define BOOST_FUSION_INVOKE_MAX_ARITY 12
// Our list of joints lacks the mimic joint that Pinocchio asks its variants for.
#define BOOST_VARIANT_USE_RELAXED_GET_BY_DEFAULT
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace {

/// The two joints in use, in place of Pinocchio's list of all: smaller variants make every algorithm up to a tenth
/// faster, and the compilation four times.
template <typename ScalarType, int kOptions>
struct PeerJoints {
  typedef ScalarType Scalar;
  static constexpr int Options = kOptions;
  typedef pinocchio::JointModelRevoluteTpl<Scalar, Options, 2> JointModelRZ;
  typedef pinocchio::JointModelPrismaticTpl<Scalar, Options, 2> JointModelPZ;
  typedef boost::variant<JointModelRZ, JointModelPZ> JointModelVariant;
  typedef pinocchio::JointDataRevoluteTpl<Scalar, Options, 2> JointDataRZ;
  typedef pinocchio::JointDataPrismaticTpl<Scalar, Options, 2> JointDataPZ;
  typedef boost::variant<JointDataRZ, JointDataPZ> JointDataVariant;
};

using Joints = PeerJoints<double, 0>;
using Model = pinocchio::ModelTpl<double, 0, PeerJoints>;
using Data = pinocchio::DataTpl<double, 0, PeerJoints>;
using thenar_peer::LinkOrder;
using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

#define PEER_TEXT_OF(x) #x
#define PEER_TEXT(x) PEER_TEXT_OF(x)
#ifdef __clang__
#define PEER_COMPILER "clang " PEER_TEXT(__clang_major__)
#else
#define PEER_COMPILER "gcc " PEER_TEXT(__GNUC__)
#endif
#ifdef PEER_CONVENTION_WORLD
constexpr pinocchio::Convention kConvention = pinocchio::Convention::WORLD;
constexpr const char* kName = "Pinocchio " PINOCCHIO_VERSION " " PEER_COMPILER " world";
#else
constexpr pinocchio::Convention kConvention = pinocchio::Convention::LOCAL;
constexpr const char* kName = "Pinocchio " PINOCCHIO_VERSION " " PEER_COMPILER " local";
#endif

/// Above this, Data's n² matrices (some twenty of them) no longer fit a usual machine.
constexpr int kMaxLinks = 4000;

pinocchio::SE3 placement_of(const PeerTree& tree, int link) {
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R_PF(tree.R_PF + 9 * link);
  const Eigen::Map<const Eigen::Vector3d> p_PF(tree.p_PF + 3 * link);
  return pinocchio::SE3(R_PF, p_PF);
}

pinocchio::Inertia inertia_of(const PeerTree& tree, int link) {
  const double* I = tree.inertia + 6 * link;
  Eigen::Matrix3d about_com;
  about_com << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  const Eigen::Map<const Eigen::Vector3d> com(tree.com + 3 * link);
  return pinocchio::Inertia(tree.mass[link], com, about_com);
}

Model build_model(const PeerTree& tree, const std::vector<int>& link_at) {
  Model model;
  model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(tree.gravity);
  std::vector<pinocchio::JointIndex> joint_of(link_at.size());
  for (const int link : link_at) {
    const pinocchio::JointIndex parent = tree.parent[link] < 0 ? 0 : joint_of[tree.parent[link]];
    const pinocchio::SE3 placement = placement_of(tree, link);
    const std::string name = "joint_" + std::to_string(link);
    joint_of[link] = tree.is_prismatic[link] ? model.addJoint(parent, Joints::JointModelPZ(), placement, name)
                                             : model.addJoint(parent, Joints::JointModelRZ(), placement, name);
    model.appendBodyToJoint(joint_of[link], inertia_of(tree, link));
  }
  return model;
}

/// Model, data and room for reordered vectors; the timed calls allocate nothing of their own.
struct PinocchioPeer {
  PinocchioPeer(const PeerTree& tree, const std::vector<int>& link_at)
      : order(link_at), model(build_model(tree, link_at)), data(model) {
    for (Eigen::VectorXd* room : {&q, &v, &x, &result}) room->setZero(tree.link_count);
  }

  /// `from` itself where both orders agree, otherwise a reordered copy.
  ConstVectorMap sorted(const double* from, Eigen::VectorXd& room) const {
    if (order.is_same()) return ConstVectorMap(from, room.size());
    order.to_peer(from, room.data());
    return ConstVectorMap(room.data(), room.size());
  }

  LinkOrder order;
  Model model;
  Data data;
  Eigen::VectorXd q, v, x, result;
  Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> llt;
  bool is_dense = false;  ///< factorize the mass matrix by Eigen rather than by Pinocchio
};

bool forward_dynamics(void* self, const double* q, const double* v, const double* tau, double* qdd) {
  PinocchioPeer& p = *static_cast<PinocchioPeer*>(self);
  const Eigen::VectorXd& result =
      pinocchio::aba(p.model, p.data, p.sorted(q, p.q), p.sorted(v, p.v), p.sorted(tau, p.x), kConvention);
  p.order.from_peer(result.data(), qdd);
  return true;
}

/// Solves M x = p.result in place. Pinocchio's factorization skips the zeros between branches but goes row by row;
/// Eigen's works in blocks, several times faster on a long chain, which has no zeros.
void solve_mass_matrix(PinocchioPeer& p) {
  if (p.is_dense) {
    p.llt.compute(p.data.M);
    p.llt.solveInPlace(p.result);
  } else {
    pinocchio::cholesky::decompose(p.model, p.data);
    pinocchio::cholesky::solve(p.model, p.data, p.result);
  }
}

bool forward_dynamics_mass_matrix(void* self, const double* q, const double* v, const double* tau, double* qdd) {
  PinocchioPeer& p = *static_cast<PinocchioPeer*>(self);
  const ConstVectorMap q_peer = p.sorted(q, p.q);
  const Eigen::VectorXd& bias = pinocchio::nonLinearEffects(p.model, p.data, q_peer, p.sorted(v, p.v));
  p.result = p.sorted(tau, p.x) - bias;
  pinocchio::crba(p.model, p.data, q_peer, kConvention);
  solve_mass_matrix(p);
  p.order.from_peer(p.result.data(), qdd);
  return true;
}

/// Shortest of a few runs, in seconds, on the mass matrix at q = 0.
double solve_time(PinocchioPeer& p, bool is_dense) {
  using Clock = std::chrono::steady_clock;
  p.is_dense = is_dense;
  Clock::duration shortest = Clock::duration::max();
  for (int run = 0; run < 5; ++run) {
    const Clock::time_point start = Clock::now();
    solve_mass_matrix(p);
    shortest = std::min(shortest, Clock::now() - start);
  }
  return std::chrono::duration<double>(shortest).count();
}

/// Takes whichever factorization is faster on this tree.
void choose_factorization(PinocchioPeer& p) {
  pinocchio::crba(p.model, p.data, p.q, kConvention);
  const double sparse_time = solve_time(p, false);
  p.is_dense = solve_time(p, true) < sparse_time;
}

bool inverse_dynamics(void* self, const double* q, const double* v, const double* qdd, double* tau) {
  PinocchioPeer& p = *static_cast<PinocchioPeer*>(self);
  const Eigen::VectorXd& result =
      pinocchio::rnea(p.model, p.data, p.sorted(q, p.q), p.sorted(v, p.v), p.sorted(qdd, p.x));
  p.order.from_peer(result.data(), tau);
  return true;
}

/// Pinocchio has no integrators of motion.
int advance(void*, PeerIntegrator, double, int, double*, double*) { return -1; }

void destroy(void* self) { delete static_cast<PinocchioPeer*>(self); }

bool refuse(char* error, const char* why) {
  std::snprintf(error, 256, "%s: %s", kName, why);
  return false;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) bool thenar_peer_create(const PeerTree* tree, Peer* peer,
                                                                          char* error) {
  if (tree->link_count > kMaxLinks) return refuse(error, "too many links, its data needs more memory than there is");
  try {
    auto self = std::make_unique<PinocchioPeer>(*tree, thenar_peer::depth_first_links(*tree));
    choose_factorization(*self);
    *peer =
        Peer{kName, self.release(), forward_dynamics, forward_dynamics_mass_matrix, inverse_dynamics, advance, destroy};
    return true;
  } catch (const std::exception& e) {
    return refuse(error, e.what());
  }
}
