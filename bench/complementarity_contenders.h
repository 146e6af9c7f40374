// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Thenar and its peers (peers/complementarity_peer.h) behind one interface: a method that holds a list of problems.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../tests/complementarity/lcp_families.h"
#include "peers/complementarity_peer.h"
#include "peers/shared_library.h"
#include "thenar/complementarity/cone_solver.h"
#include "thenar/complementarity/lemke.h"

namespace thenar::bench {

/// A method with its problems.
class Method {
 public:
  Method(std::string name, std::string setting) : name_(std::move(name)), setting_(std::move(setting)) {}
  virtual ~Method() = default;
  const std::string& name() const { return name_; }
  const std::string& setting() const { return setting_; }

  /// Solves one of the problems into x; false where the method itself says that it has failed.
  virtual bool solve(std::size_t problem, std::span<double> x) = 0;

 private:
  std::string name_, setting_;
};

/// A method for Problem, which is Lcp or ConstraintProblem. Problems must stay where they are.
template <class Problem>
class MethodFor : public Method {
 public:
  using Method::Method;
  virtual void hold(const std::vector<Problem>& problems) = 0;
  virtual bool can_solve(bool is_symmetric, int size) const = 0;
};

class ThenarLemke : public MethodFor<Lcp> {
 public:
  ThenarLemke() : MethodFor("Thenar", "Lemke") {}
  bool can_solve(bool, int) const override { return true; }
  void hold(const std::vector<Lcp>& problems) override {
    problems_ = &problems;
    solver_ = std::make_unique<LemkeSolver>(problems.front().size());
  }
  bool solve(std::size_t problem, std::span<double> x) override {
    const LemkeResult& result = solver_->solve((*problems_)[problem]);
    std::copy(result.z.begin(), result.z.end(), x.begin());
    return result.status == LemkeStatus::solved;
  }

 private:
  const std::vector<Lcp>* problems_ = nullptr;
  std::unique_ptr<LemkeSolver> solver_;
};

class ThenarCone : public MethodFor<ConstraintProblem> {
 public:
  explicit ThenarCone(double tolerance) : MethodFor("Thenar", "cone solver"), tolerance_(tolerance) {}
  bool can_solve(bool, int) const override { return true; }
  void hold(const std::vector<ConstraintProblem>& problems) override {
    problems_ = &problems;
    solver_ = std::make_unique<ConeSolver>(problems.front().size(), ConeOptions{.tolerance = tolerance_});
  }
  bool solve(std::size_t problem, std::span<double> x) override {
    const ConeSolution& solution = solver_->solve((*problems_)[problem]);
    std::copy(solution.z.begin(), solution.z.end(), x.begin());
    return solution.status == ConeStatus::solved;
  }

 private:
  double tolerance_;
  const std::vector<ConstraintProblem>* problems_ = nullptr;
  std::unique_ptr<ConeSolver> solver_;
};

/// What a peer holds of each problem.
template <class Peer>
class PeerHandles {
 public:
  explicit PeerHandles(const Peer& peer) : peer_(peer) {}
  ~PeerHandles() { clear(); }
  PeerHandles(const PeerHandles&) = delete;
  PeerHandles& operator=(const PeerHandles&) = delete;

  template <class PlainProblem>
  void add(const PlainProblem& problem) {
    handles_.push_back(peer_.create(peer_.self, &problem));
  }
  void clear() {
    for (void* handle : handles_) peer_.destroy(handle);
    handles_.clear();
  }
  void* operator[](std::size_t i) const { return handles_[i]; }
  const Peer& peer() const { return peer_; }

 private:
  Peer peer_;
  std::vector<void*> handles_;
};

class PeerLcpMethod : public MethodFor<Lcp> {
 public:
  explicit PeerLcpMethod(const LcpPeer& peer) : MethodFor(peer.name, peer.setting), handles_(peer) {}
  bool can_solve(bool is_symmetric, int size) const override {
    return size <= handles_.peer().max_size && (is_symmetric || !handles_.peer().is_symmetric_only);
  }
  void hold(const std::vector<Lcp>& problems) override {
    handles_.clear();
    for (const Lcp& p : problems) handles_.add(PeerLcp{p.size(), p.M.data(), p.q.data()});
  }
  bool solve(std::size_t problem, std::span<double> x) override {
    return handles_.peer().solve(handles_[problem], x.data());
  }

 private:
  PeerHandles<LcpPeer> handles_;
};

/// For problems of circular cones with two tangent rows each.
class PeerConeMethod : public MethodFor<ConstraintProblem> {
 public:
  PeerConeMethod(const ConePeer& peer, double tolerance)
      : MethodFor(peer.name, peer.setting), handles_(peer), tolerance_(tolerance) {}
  bool can_solve(bool, int) const override { return true; }
  void hold(const std::vector<ConstraintProblem>& problems) override {
    handles_.clear();
    for (const ConstraintProblem& p : problems) {
      std::vector<double> mu;
      for (int i = 0; i < p.size(); i += 3) mu.push_back(p.row(i + 1).limit);
      handles_.add(PeerConeProblem{p.size() / 3, p.A().data(), p.b().data(), mu.data()});
    }
  }
  bool solve(std::size_t problem, std::span<double> x) override {
    return handles_.peer().solve(handles_[problem], tolerance_, x.data());
  }

 private:
  PeerHandles<ConePeer> handles_;
  double tolerance_;
};

template <class Problem>
using Methods = std::vector<std::unique_ptr<MethodFor<Problem>>>;

/// All methods of all libraries of a folder: put(peer) is called for each.
template <class Peer, class Put>
void open_methods(const std::filesystem::path& folder, const char* function, const Put& put) {
  for (const auto& library : list_libraries(folder)) {
    std::string why_not;
    const auto get = load_function<bool (*)(int, Peer*)>(library, function, why_not);
    if (get == nullptr) fmt::print(stderr, "{} left out: {}\n", library.stem().string(), why_not);
    Peer peer;
    for (int number = 0; get != nullptr && get(number, &peer); ++number) put(peer);
  }
}

/// Thenar first.
inline Methods<Lcp> open_lcp_methods(const std::filesystem::path& folder) {
  Methods<Lcp> methods;
  methods.push_back(std::make_unique<ThenarLemke>());
  open_methods<LcpPeer>(folder, "thenar_lcp_peer",
                        [&](const LcpPeer& peer) { methods.push_back(std::make_unique<PeerLcpMethod>(peer)); });
  return methods;
}

inline Methods<ConstraintProblem> open_cone_methods(const std::filesystem::path& folder, double tolerance) {
  Methods<ConstraintProblem> methods;
  methods.push_back(std::make_unique<ThenarCone>(tolerance));
  open_methods<ConePeer>(folder, "thenar_cone_peer", [&](const ConePeer& peer) {
    methods.push_back(std::make_unique<PeerConeMethod>(peer, tolerance));
  });
  return methods;
}

/// Sends standard output and errors nowhere: peers print a line for many problems that they do not solve.
class Silence {
 public:
  Silence() : output_(dup(1)), errors_(dup(2)) {
    std::fflush(nullptr);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    close(nowhere);
  }
  ~Silence() {
    std::fflush(nullptr);
    dup2(output_, 1);
    dup2(errors_, 2);
    close(output_);
    close(errors_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int output_, errors_;
};

}  // namespace thenar::bench
