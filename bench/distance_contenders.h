// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Thenar and its peers (peers/distance_peer.h) behind one interface: a list of pairs of shapes, each with a path of
/// poses that are close to each other.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "../tests/geometry/random_pairs.h"
#include "assertion_guard.h"
#include "peers/distance_peer.h"
#include "peers/shared_library.h"
#include "thenar/geometry/distance.h"

namespace thenar::bench {

/// Two shapes; A stands still.
struct PathPair {
  Shape A, B;
  Pose<double> X_WA;
  std::vector<Pose<double>> X_WB;
};

struct Answer {
  double gap = 0;
  Vector3<double> N = Vector3<double>::Zero();  ///< zero where it is not told
};

class DistanceContender {
 public:
  DistanceContender(std::string name, std::string setting) : name_(std::move(name)), setting_(std::move(setting)) {}
  virtual ~DistanceContender() = default;
  const std::string& name() const { return name_; }
  const std::string& setting() const { return setting_; }

  /// False where there is no such shape.
  virtual bool add(const PathPair& pair) = 0;
  virtual void clear() = 0;
  /// At the first pose of a pair, without any knowledge of it; false when it fails.
  virtual bool find_first(std::size_t pair, Answer& answer) = 0;
  /// At all poses of all pairs; returns the sum of the gaps, so that no call can be left out.
  virtual double sweep(bool is_warm) = 0;

 private:
  std::string name_, setting_;
};

class ThenarDistance : public DistanceContender {
 public:
  ThenarDistance() : DistanceContender("Thenar", "") {}

  bool add(const PathPair& pair) override {
    pairs_.push_back({make_core(pair.A), make_core(pair.B), pair.X_WA, pair.X_WB, {}});
    return true;
  }
  void clear() override { pairs_.clear(); }
  bool find_first(std::size_t pair, Answer& answer) override {
    const Pair& p = pairs_[pair];
    PairMemory memory;
    const Proximity found = find_closest(p.A, p.X_WA, p.B, p.X_WB.front(), memory);
    answer = {found.gap, found.N.eigen()};
    return true;
  }
  double sweep(bool is_warm) override {
    double sum = 0;
    for (Pair& p : pairs_) {
      for (const Pose<double>& X_WB : p.X_WB) {
        if (!is_warm) p.memory = {};
        sum += find_closest(p.A, p.X_WA, p.B, X_WB, p.memory).gap;
      }
    }
    return sum;
  }

 private:
  struct Pair {
    GrownCore A, B;
    Pose<double> X_WA;
    std::vector<Pose<double>> X_WB;
    PairMemory memory;
  };
  std::vector<Pair> pairs_;
};

inline PeerShape to_peer(const Shape& shape) {
  struct Sizes {
    using Four = std::array<double, 4>;
    Four operator()(const Sphere& s) const { return {s.radius, 0, 0, 0}; }
    Four operator()(const Ellipsoid& s) const { return three(s.semi_axes, 0); }
    Four operator()(const Cylinder& s) const { return {s.radius, s.length, 0, 0}; }
    Four operator()(const Capsule& s) const { return {s.radius, s.length, 0, 0}; }
    Four operator()(const Cone& s) const { return {s.radius, s.height, 0, 0}; }
    Four operator()(const Box& s) const { return three(s.sides, 0); }
    Four operator()(const RoundedBox& s) const { return three(s.sides, s.radius); }
    Four operator()(const Torus& s) const { return {s.radius, s.tube, 0, 0}; }
    Four operator()(const Rod& s) const { return {s.length, 0, 0, 0}; }
    Four operator()(const Ellipse& s) const { return {s.a, s.b, 0, 0}; }
    Four operator()(const Plane&) const { return {0, 0, 0, 0}; }
    Four operator()(const Bowl& s) const { return {s.radius, s.depth, 0, 0}; }
    static Four three(const Vector3<double>& v, double last) { return {v.x(), v.y(), v.z(), last}; }
  };
  PeerShape out{static_cast<int>(shape.index()), {}};
  const auto sizes = std::visit(Sizes(), shape);
  std::copy(sizes.begin(), sizes.end(), out.size);
  return out;
}

inline PeerPose to_peer(const Pose<double>& X) {
  PeerPose out;
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(out.R) = X.R;
  Eigen::Map<Vector3<double>>(out.p) = X.p;
  return out;
}

class PeerDistance : public DistanceContender {
 public:
  explicit PeerDistance(const DistancePeer& peer) : DistanceContender(peer.name, peer.setting), peer_(peer) {}
  ~PeerDistance() override { clear_pairs(); }

  bool add(const PathPair& pair) override {
    const PeerShape A = to_peer(pair.A), B = to_peer(pair.B);
    Pair own{peer_.create_pair(peer_.self, &A, &B), to_peer(pair.X_WA), {}};
    if (own.handle == nullptr) return false;
    for (const Pose<double>& X_WB : pair.X_WB) own.X_WB.push_back(to_peer(X_WB));
    pairs_.push_back(std::move(own));
    return true;
  }
  void clear() override { clear_pairs(); }
  bool find_first(std::size_t pair, Answer& answer) override {
    Pair& p = pairs_[pair];
    PeerProximity found{};
    if (!find(p, p.X_WB.front(), false, found)) return false;
    answer = {found.gap, Vector3<double>(found.N[0], found.N[1], found.N[2])};
    return std::isfinite(found.gap);
  }
  double sweep(bool is_warm) override {
    double sum = 0;
    PeerProximity found{};
    for (Pair& p : pairs_) {
      for (const PeerPose& X_WB : p.X_WB) {
        if (find(p, X_WB, is_warm, found)) sum += found.gap;
      }
    }
    return sum;
  }

 private:
  struct Pair {
    void* handle;
    PeerPose X_WA;
    std::vector<PeerPose> X_WB;
  };
  bool find(Pair& p, const PeerPose& X_WB, bool is_warm, PeerProximity& found) const {
    bool is_found = false;
    const bool is_through =
        survives_assertions([&] { is_found = peer_.find_closest(p.handle, &p.X_WA, &X_WB, is_warm, &found); });
    return is_through && is_found;
  }
  void clear_pairs() {
    for (const Pair& p : pairs_) peer_.destroy_pair(p.handle);
    pairs_.clear();
  }

  DistancePeer peer_;
  std::vector<Pair> pairs_;
};

/// Thenar first, then every setting of every peer in the folder.
inline std::vector<std::unique_ptr<DistanceContender>> open_distance_contenders(const std::filesystem::path& folder) {
  std::vector<std::unique_ptr<DistanceContender>> all;
  all.push_back(std::make_unique<ThenarDistance>());
  for (const auto& library : list_libraries(folder)) {
    std::string why_not;
    const auto get_peer = load_function<ThenarDistancePeer>(library, "thenar_distance_peer", why_not);
    if (get_peer == nullptr) {
      fmt::print(stderr, "{} left out: {}\n", library.stem().string(), why_not);
      continue;
    }
    DistancePeer peer{};
    for (int number = 0; get_peer(number, &peer); ++number) all.push_back(std::make_unique<PeerDistance>(peer));
  }
  return all;
}

}  // namespace thenar::bench
