// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Both peers number the links of a tree depth first, each subtree in one piece, while PeerTree only promises
/// parents first. This header holds the permutation between the two. A tree that already is depth first is passed
/// through without copying, so that benchmarks on such trees pay nothing for it.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "peer.h"

namespace thenar_peer {

/// The links of a tree in depth-first order: link_at[k] is the PeerTree index of the k-th link.
inline std::vector<int> depth_first_links(const PeerTree& tree) {
  std::vector<std::vector<int>> children(static_cast<std::size_t>(tree.link_count) + 1);
  for (int i = tree.link_count - 1; i >= 0; --i) children[static_cast<std::size_t>(tree.parent[i] + 1)].push_back(i);
  std::vector<int> link_at;
  std::vector<int> pending = children[0];
  while (!pending.empty()) {
    const int link = pending.back();
    pending.pop_back();
    link_at.push_back(link);
    const std::vector<int>& below = children[static_cast<std::size_t>(link) + 1];
    pending.insert(pending.end(), below.begin(), below.end());
  }
  return link_at;
}

/// Carries vectors with one number per link between the order of PeerTree and the order of a peer.
class LinkOrder {
 public:
  /// @param link_at PeerTree index of the k-th link of the peer.
  explicit LinkOrder(std::vector<int> link_at) : link_at_(std::move(link_at)) {
    for (std::size_t k = 0; k < link_at_.size(); ++k) is_same_ = is_same_ && link_at_[k] == static_cast<int>(k);
  }

  bool is_same() const { return is_same_; }

  /// From the order of PeerTree to that of the peer.
  void to_peer(const double* from, double* to) const {
    if (is_same_) {
      std::copy_n(from, link_at_.size(), to);
    } else {
      for (std::size_t k = 0; k < link_at_.size(); ++k) to[k] = from[link_at_[k]];
    }
  }

  /// From the order of the peer to that of PeerTree.
  void from_peer(const double* from, double* to) const {
    if (is_same_) {
      std::copy_n(from, link_at_.size(), to);
    } else {
      for (std::size_t k = 0; k < link_at_.size(); ++k) to[link_at_[k]] = from[k];
    }
  }

 private:
  std::vector<int> link_at_;
  bool is_same_ = true;
};

}  // namespace thenar_peer
