// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Our side of peer.h: opens the shared libraries of a folder and hands each the tree of a model.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "peer.h"
#include "shared_library.h"
#include "thenar/model/model.h"

namespace thenar::bench {

/// A tree of one-degree-of-freedom links as plain arrays.
class PeerTreeArrays {
 public:
  /// The model must outlive it.
  explicit PeerTreeArrays(const Model& model) {
    for (int i = 1; i <= model.link_count(); ++i) {
      const Link& link = model.links()[static_cast<std::size_t>(i)];
      THENAR_DEMAND(link.kind == LinkKind::revolute || link.kind == LinkKind::prismatic);
      THENAR_DEMAND(link.v == i - 1 && link.q == i - 1 && model.armature()(link.v) == 0);
      const LinkConstants<double>& constants = model.link_constants()[static_cast<std::size_t>(i)];
      parent_.push_back(link.parent - 1);
      is_prismatic_.push_back(link.kind == LinkKind::prismatic);
      append_frame(constants);
      append_inertia(constants.inertia);
    }
    tree_ = {model.link_count(),
             parent_.data(),
             is_prismatic_.data(),
             R_PF_.data(),
             p_PF_.data(),
             mass_.data(),
             com_.data(),
             inertia_.data(),
             model.damping().data(),
             {model.gravity().x(), model.gravity().y(), model.gravity().z()}};
  }
  const PeerTree& tree() const { return tree_; }

 private:
  void append_frame(const LinkConstants<double>& constants) {
    const Matrix3<double> R = constants.R_PF.eigen();
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) R_PF_.push_back(R(row, column));
    }
    p_PF_.insert(p_PF_.end(), {constants.p_PF.x, constants.p_PF.y, constants.p_PF.z});
  }
  void append_inertia(const RigidInertia<double>& I) {
    const Vec3<double> com = I.mass == 0 ? Vec3<double>::zero() : I.h * (1 / I.mass);
    // About the centre of mass: take the parallel-axis part off.
    const Symmetric3<double> J = I.moved_by(-com).J;
    mass_.push_back(I.mass);
    com_.insert(com_.end(), {com.x, com.y, com.z});
    inertia_.insert(inertia_.end(), {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz});
  }

  std::vector<int> parent_, is_prismatic_;
  std::vector<double> R_PF_, p_PF_, mass_, com_, inertia_;
  PeerTree tree_{};
};

/// A peer that holds one tree.
class LoadedPeer {
 public:
  /// Null, with the reason in `why_not`, where the library or the tree cannot be loaded.
  static std::unique_ptr<LoadedPeer> open(const std::filesystem::path& library, const PeerTree& tree,
                                          std::string& why_not) {
    const auto create = load_function<ThenarPeerCreate>(library, "thenar_peer_create", why_not);
    if (create == nullptr) return nullptr;
    char error[256] = "";
    std::unique_ptr<LoadedPeer> loaded(new LoadedPeer);
    if (!create(&tree, &loaded->peer_, error)) {
      why_not = error;
      loaded->peer_.destroy = nullptr;
      return nullptr;
    }
    return loaded;
  }
  ~LoadedPeer() {
    if (peer_.destroy != nullptr) peer_.destroy(peer_.self);
  }
  LoadedPeer(const LoadedPeer&) = delete;
  LoadedPeer& operator=(const LoadedPeer&) = delete;

  std::string name() const { return peer_.name; }
  const Peer& peer() const { return peer_; }

 private:
  LoadedPeer() = default;
  Peer peer_{};
};

/// Every peer of a folder that can load the tree, in the order of their files' names. Tells on stderr who is left out.
inline std::vector<std::unique_ptr<LoadedPeer>> open_peers(const std::filesystem::path& folder, const PeerTree& tree,
                                                           const std::string& scene) {
  std::vector<std::unique_ptr<LoadedPeer>> peers;
  for (const auto& library : list_libraries(folder)) {
    std::string why_not;
    auto peer = LoadedPeer::open(library, tree, why_not);
    if (peer == nullptr) {
      fmt::print(stderr, "{}: {} left out: {}\n", scene, library.stem().string(), why_not);
    } else {
      peers.push_back(std::move(peer));
    }
  }
  return peers;
}

}  // namespace thenar::bench
