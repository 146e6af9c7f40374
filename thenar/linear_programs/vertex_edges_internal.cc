// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/linear_programs/vertex_edges_internal.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// Rates below it, in parts of the largest of their edge, are rounding of the factorization.
constexpr double kRate = 1e-10;
/// Directions that differ by less, both with largest entry 1, are one.
constexpr double kSameDirection = 1e-8;

}  // namespace

VertexEdges::VertexEdges(VertexProblem problem)
    : problem_(std::move(problem)), n_(static_cast<int>(problem_.A.cols())), m_(static_cast<int>(problem_.A.rows())) {
  for (int k = 0; k < n_ + m_; ++k) holds_.push_back(find_hold(k));
}

VertexEdges::Hold VertexEdges::find_hold(int k) const {
  const double value = problem_.value(k), reach = problem_.tolerance * (1 + std::abs(value));
  const bool at_lower = value - problem_.lower(k) <= reach, at_upper = problem_.upper(k) - value <= reach;
  if (at_lower && at_upper) return Hold::fixed;
  return at_lower ? Hold::from_below : at_upper ? Hold::from_above : Hold::none;
}

VertexEdges::Dictionary VertexEdges::factorize(const Basis& basic) const {
  Dictionary out;
  std::vector<int> J, C, I, R;  // basic and nonbasic columns, nonbasic and basic rows
  for (int k = 0; k < n_ + m_; ++k) {
    const bool is_basic = basic[static_cast<std::size_t>(k)];
    (is_basic ? out.basic : out.nonbasic).push_back(k);
    if (k < n_) (is_basic ? J : C).push_back(k);
    if (k >= n_) (is_basic ? R : I).push_back(k - n_);
  }
  const auto free = static_cast<Eigen::Index>(C.size()), held = static_cast<Eigen::Index>(I.size());
  const auto solved = static_cast<Eigen::Index>(J.size());
  // Nonbasic unknowns are (C, I) and basic ones (J, R), in the order of k.
  out.T.resize(m_, n_);
  if (solved > 0) {
    const Eigen::PartialPivLU<MatrixX<double>> lu(MatrixX<double>(problem_.A(I, J)));
    out.is_regular = lu.rcond() > 1e-14;
    out.T.topLeftCorner(solved, free) = -solve(lu, MatrixX<double>(problem_.A(I, C)));
    out.T.topRightCorner(solved, held) = solve(lu, MatrixX<double>(MatrixX<double>::Identity(held, held)));
  } else {
    out.is_regular = true;
  }
  out.T.bottomRows(m_ - solved).noalias() = problem_.A(R, J) * out.T.topRows(solved);
  out.T.bottomLeftCorner(m_ - solved, free) += problem_.A(R, C);
  return out;
}

/// Exchanges fixed basic unknowns (equations) against any that may move, so that no step has to watch them. Where none
/// can be found, the equation follows from the others.
VertexEdges::Basis VertexEdges::drive_out_fixed(Basis basic) const {
  for (int k = 0; k < n_ + m_; ++k) {
    if (!basic[static_cast<std::size_t>(k)] || holds_[static_cast<std::size_t>(k)] != Hold::fixed) continue;
    const Dictionary dictionary = factorize(basic);
    const auto row = std::find(dictionary.basic.begin(), dictionary.basic.end(), k) - dictionary.basic.begin();
    int best = -1;
    double largest = kRate;
    for (int e = 0; e < n_; ++e) {
      const int entering = dictionary.nonbasic[static_cast<std::size_t>(e)];
      const double rate = std::abs(dictionary.T(row, e));
      if (holds_[static_cast<std::size_t>(entering)] == Hold::fixed || rate <= largest) continue;
      largest = rate;
      best = entering;
    }
    if (best < 0) continue;
    basic[static_cast<std::size_t>(k)] = false;
    basic[static_cast<std::size_t>(best)] = true;
  }
  return basic;
}

/// The first basis stays feasible: only the constraints of its basic unknowns move.
void VertexEdges::draw_slacks(const Basis& basic) {
  std::mt19937_64 generator(1);
  slacks_ = VectorX<double>::Zero(n_ + m_);
  for (int k = 0; k < n_ + m_; ++k) {
    const Hold hold = holds_[static_cast<std::size_t>(k)];
    if (!basic[static_cast<std::size_t>(k)] || hold == Hold::none || hold == Hold::fixed) continue;
    slacks_(k) = 1 + static_cast<double>(generator() >> 11) * 0x1p-53;
  }
}

/// δ of all unknowns where the moved constraints of the nonbasic ones hold with equality.
VectorX<double> VertexEdges::calc_displacements(const Dictionary& dictionary) const {
  VectorX<double> nonbasic(n_);
  for (int e = 0; e < n_; ++e) {
    const int k = dictionary.nonbasic[static_cast<std::size_t>(e)];
    nonbasic(e) = holds_[static_cast<std::size_t>(k)] == Hold::from_above ? slacks_(k) : -slacks_(k);
  }
  return dictionary.T * nonbasic;
}

/// Position of the basic unknown whose moved constraint ends the edge first, or −1.
int VertexEdges::find_blocking(const Dictionary& dictionary, const VectorX<double>& displacements,
                               const VectorX<double>& rate) const {
  const double least_rate = kRate * (1 + rate.lpNorm<Eigen::Infinity>());
  int blocking = -1;
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < m_; ++i) {
    const int k = dictionary.basic[static_cast<std::size_t>(i)];
    const Hold hold = holds_[static_cast<std::size_t>(k)];
    if (hold != Hold::from_below && hold != Hold::from_above) continue;
    const double sign = hold == Hold::from_below ? -1 : 1;  // towards the constraint
    if (sign * rate(i) <= least_rate) continue;
    const double length = (slacks_(k) - sign * displacements(i)) / (sign * rate(i));
    if (length >= shortest) continue;
    shortest = length;
    blocking = i;
  }
  return blocking;
}

bool VertexEdges::is_known(const VectorX<double>& direction) const {
  return std::any_of(directions_.begin(), directions_.end(), [&](const VectorX<double>& known) {
    return (known - direction).lpNorm<Eigen::Infinity>() <= kSameDirection;
  });
}

LpBasis VertexEdges::make_basis(const Basis& basic, const Exchange& exchange) const {
  LpBasis out;
  for (int k = 0; k < n_ + m_; ++k) {
    BasisPlace place = BasisPlace::basic;
    if (k == exchange.blocking) {
      place = exchange.at_upper ? BasisPlace::at_upper : BasisPlace::at_lower;
    } else if (!basic[static_cast<std::size_t>(k)] && k != exchange.entering) {
      const Hold hold = holds_[static_cast<std::size_t>(k)];
      place = hold == Hold::none         ? BasisPlace::free
              : hold == Hold::from_above ? BasisPlace::at_upper
                                         : BasisPlace::at_lower;
    }
    (k < n_ ? out.columns : out.rows).push_back(place);
  }
  return out;
}

/// The first bound on the way. Of those that are equally near, the one that is met fastest, for a good basis.
Exchange VertexEdges::find_end(const Dictionary& dictionary, int entering, const VectorX<double>& rate,
                               double sign) const {
  Exchange out;
  out.entering = entering;
  const double least_rate = kRate * (1 + rate.lpNorm<Eigen::Infinity>());
  double fastest = 0;
  const auto move = [&](int k, double speed) {
    if (std::abs(speed) <= least_rate) return;
    const double way = (speed > 0 ? problem_.upper(k) : problem_.lower(k)) - problem_.value(k);
    const double length = std::max(way / speed, 0.0);
    if (length > out.length || length == LinearProgram::kInfinity) return;
    if (length == out.length && std::abs(speed) <= fastest) return;
    fastest = std::abs(speed);
    out.length = length;
    out.blocking = k;
    out.at_upper = speed > 0;
  };
  move(entering, sign);
  for (int i = 0; i < m_; ++i) move(dictionary.basic[static_cast<std::size_t>(i)], rate(i));
  return out;
}

std::optional<Exchange> VertexEdges::find_push(const std::vector<bool>& basic) const {
  const Dictionary dictionary = factorize(basic);
  for (int e = 0; e < n_; ++e) {
    const int entering = dictionary.nonbasic[static_cast<std::size_t>(e)];
    if (holds_[static_cast<std::size_t>(entering)] != Hold::none) continue;
    for (const double sign : {1.0, -1.0}) {
      const Exchange end = find_end(dictionary, entering, sign * dictionary.T.col(e), sign);
      if (end.blocking >= 0) return end;
    }
  }
  return std::nullopt;
}

/// An edge that no constraint of the vertex blocks.
void VertexEdges::add_edge(const Dictionary& dictionary, const Basis& basic, int entering, const VectorX<double>& rate,
                           double sign) {
  VectorX<double> direction = VectorX<double>::Zero(n_);
  if (entering < n_) direction(entering) = sign;
  for (int i = 0; i < m_; ++i) {
    const int k = dictionary.basic[static_cast<std::size_t>(i)];
    if (k < n_) direction(k) = rate(i);
  }
  const double size = direction.lpNorm<Eigen::Infinity>();
  if (is_known(direction / size)) return;
  directions_.push_back(direction / size);
  const Exchange end = find_end(dictionary, entering, rate, sign);
  LpEdge edge;
  edge.is_ray = end.blocking < 0;
  edge.entering = entering;
  edge.blocking = end.blocking;
  edge.x = edge.is_ray ? directions_.back() : VectorX<double>(problem_.value.head(n_) + end.length * direction);
  if (!edge.is_ray) edge.basis = make_basis(basic, end);
  edges_.push_back(std::move(edge));
}

/// Edges of the polyhedron with moved constraints at one of its vertices: those without end are edges of ours, the
/// others lead to further bases.
void VertexEdges::visit(const Dictionary& dictionary, const Basis& basic) {
  const VectorX<double> displacements = calc_displacements(dictionary);
  for (int e = 0; e < n_; ++e) {
    const int entering = dictionary.nonbasic[static_cast<std::size_t>(e)];
    const Hold hold = holds_[static_cast<std::size_t>(entering)];
    for (const double sign : {1.0, -1.0}) {
      if (hold == Hold::fixed || (hold == Hold::from_below && sign < 0) || (hold == Hold::from_above && sign > 0))
        continue;
      const VectorX<double> rate = sign * dictionary.T.col(e);
      const int blocking = find_blocking(dictionary, displacements, rate);
      if (blocking < 0) {
        add_edge(dictionary, basic, entering, rate, sign);
        continue;
      }
      Basis next = basic;
      next[static_cast<std::size_t>(entering)] = true;
      next[static_cast<std::size_t>(dictionary.basic[static_cast<std::size_t>(blocking)])] = false;
      to_visit_.push_back(std::move(next));
    }
  }
}

std::vector<LpEdge> VertexEdges::find(const std::vector<bool>& basic, int most_bases) {
  is_complete_ = true;
  directions_.clear();
  edges_.clear();
  to_visit_ = {drive_out_fixed(basic)};
  draw_slacks(to_visit_.front());
  std::set<Basis> visited;
  while (!to_visit_.empty()) {
    const Basis next = std::move(to_visit_.back());
    to_visit_.pop_back();
    if (!visited.insert(next).second) continue;
    if (static_cast<int>(visited.size()) > most_bases) {
      is_complete_ = false;
      break;
    }
    const Dictionary dictionary = factorize(next);
    if (dictionary.is_regular) {
      visit(dictionary, next);
    } else {
      is_complete_ = false;
    }
  }
  return std::move(edges_);
}

}  // namespace thenar::internal
