// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic/pang_trinkle_lo.h"

#include <optional>
#include <random>
#include <vector>

namespace thenar {
namespace {

using Index = Eigen::Index;
using Vector = VectorX<double>;
using Status = PairSearch::Status;

/// Products below this, in parts of usual velocities times usual forces, are zero: PTL's rule in units.
constexpr double kComplementary = 1e-10;
/// Products that differ by less, relatively, are the same.
constexpr double kSame = 1e-9;

/// A walk over the extreme points of one polyhedron.
class Walker {
 public:
  explicit Walker(LinearProgram program) : program_(std::move(program)) {}

  /// To any extreme point.
  LpStatus start() {
    program_.clear_costs();
    return take(program_.solve());
  }

  /// To the one with the least product with `other`.
  LpStatus minimize(const Vector& other) {
    for (int j = 0; j < program_.column_count(); ++j) program_.set_cost(j, other(j));
    return take(program_.solve());
  }

  /// Along an edge.
  LpStatus go(const LpEdge& edge) {
    program_.clear_costs();
    program_.set_basis(edge.basis);
    return take(program_.solve());
  }

  std::vector<LpEdge> find_neighbours(int most_bases) {
    std::vector<LpEdge> out;
    for (LpEdge& edge : program_.find_edges(most_bases)) {
      if (!edge.is_ray) out.push_back(std::move(edge));
    }
    return out;
  }

  const Vector& point() const { return point_; }

 private:
  /// Bounds are met to CLP's tolerance: what is below zero is zero.
  LpStatus take(LpStatus status) {
    if (status == LpStatus::optimal) point_ = program_.x().cwiseMax(0);
    return status;
  }

  LinearProgram program_;
  Vector point_;
};

class PairWalk {
 public:
  PairWalk(const QuasistaticProblem& problem, const PairSearchOptions& options)
      : options_(options), random_(options.seed) {
    const UncoupledPolyhedra polyhedra = make_polyhedra(problem);
    X_.emplace(polyhedra.make_X());
    Y_.emplace(polyhedra.make_Y());
    const UnknownForm form = make_unknown_form(problem);
    zero_ = kComplementary * find_speed_scale(form.v0) * find_speed_scale(form.h);
  }

  PairSearch run() {
    if (!begin()) return answer_;
    while (may_go_on()) {
      const double before = product();
      if (!descend()) break;
      keep_best();
      if (product() <= zero_) break;
      if (product() < (1 - kSame) * before) continue;
      if (!leave_stationary_pair()) break;
    }
    return answer_;
  }

 private:
  bool begin() {
    const auto place = [&](Walker& walker, Status empty) {
      ++answer_.programs;
      const LpStatus status = walker.start();
      if (status != LpStatus::optimal) answer_.status = status == LpStatus::infeasible ? empty : Status::failed;
      return status == LpStatus::optimal;
    };
    if (!place(*X_, Status::no_velocities) || !place(*Y_, Status::no_forces)) return false;
    answer_.product = LinearProgram::kInfinity;
    keep_best();
    return answer_.status != Status::solved;
  }

  double product() const { return X_->point().dot(Y_->point()); }
  bool may_go_on() const { return answer_.status == Status::stalled && (!options_.goes_on || options_.goes_on()); }

  void keep_best() {
    if (product() >= answer_.product) return;
    answer_.x = X_->point();
    answer_.y = Y_->point();
    answer_.product = product();
    if (answer_.product <= zero_) answer_.status = Status::solved;
  }

  bool took(LpStatus status) {
    ++answer_.programs;
    if (status != LpStatus::optimal) answer_.status = Status::failed;
    return status == LpStatus::optimal;
  }

  /// Step 1.
  bool descend() {
    ++answer_.pairs;
    if (options_.lp_step == PairSearchOptions::LpStep::optimum) {
      if (!took(X_->minimize(Y_->point()))) return false;
      return product() <= zero_ || took(Y_->minimize(X_->point()));
    }
    return step_down(*X_, *Y_) || step_down(*Y_, *X_) || answer_.status != Status::failed;
  }

  /// Bennett and Mangasarian: to the first neighbour with a smaller product.
  bool step_down(Walker& moving, const Walker& other) {
    const double now = product();
    for (const LpEdge& edge : moving.find_neighbours(options_.most_bases)) {
      if (edge.x.dot(other.point()) < (1 - kSame) * now) return took(moving.go(edge));
    }
    return false;
  }

  /// Step 3, repeated as the original algorithm does. False if the search has to end.
  bool leave_stationary_pair() {
    while (may_go_on()) {
      const std::vector<LpEdge> near_x = X_->find_neighbours(options_.most_bases);
      const std::vector<LpEdge> near_y = Y_->find_neighbours(options_.most_bases);
      if (near_x.empty() || near_y.empty()) return false;
      std::size_t best_x = 0, best_y = 0;
      double least = LinearProgram::kInfinity;
      for (std::size_t i = 0; i < near_x.size(); ++i) {
        for (std::size_t j = 0; j < near_y.size(); ++j) {
          const double value = near_x[i].x.dot(near_y[j].x);
          if (value >= least) continue;
          least = value;
          best_x = i;
          best_y = j;
        }
      }
      const double before = product();
      const bool is_better = least < (1 - kSame) * before;
      if (!is_better) {
        if (answer_.restarts == options_.most_restarts) return false;
        ++answer_.restarts;
        best_x = random_() % near_x.size();
        best_y = random_() % near_y.size();
      }
      if (!took(X_->go(near_x[best_x])) || !took(Y_->go(near_y[best_y]))) return false;
      ++answer_.pairs;
      keep_best();
      // Nearly equal points: the one that was gone to need not be the one that was seen, and the walk would not end.
      if (is_better && !(product() < (1 - kSame) * before) && ++answer_.restarts > options_.most_restarts) return false;
      if (is_better || options_.restart == PairSearchOptions::Restart::modified) return true;
    }
    return false;
  }

  const PairSearchOptions& options_;
  std::mt19937_64 random_;
  std::optional<Walker> X_, Y_;
  double zero_ = 0;
  PairSearch answer_;
};

}  // namespace

const char* to_string(PairSearch::Status status) {
  switch (status) {
    case Status::solved:
      return "solved";
    case Status::stalled:
      return "stalled";
    case Status::no_velocities:
      return "no_velocities";
    case Status::no_forces:
      return "no_forces";
    case Status::failed:
      break;
  }
  return "failed";
}

PairSearch search_pairs(const QuasistaticProblem& problem, const PairSearchOptions& options) {
  return PairWalk(problem, options).run();
}

}  // namespace thenar
