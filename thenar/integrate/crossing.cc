// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/integrate/crossing.h"

#include <cmath>
#include <numbers>
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

/// Bernstein polynomial number i of degree n at x.
double bernstein(int n, int i, double x) {
  double binomial = 1;
  for (int k = 1; k <= i; ++k) binomial *= static_cast<double>(n - i + k) / k;
  return binomial * std::pow(x, i) * std::pow(1 - x, n - i);
}

}  // namespace

std::vector<double> CrossingFinder::make_nodes(int degree) {
  std::vector<double> nodes;
  for (int k = 0; k < degree; ++k) nodes.push_back(0.5 - 0.5 * std::cos(std::numbers::pi * k / degree));
  nodes.push_back(1);
  return nodes;
}

CrossingFinder::CrossingFinder(std::vector<double> nodes) : nodes_(std::move(nodes)) {
  const int count = static_cast<int>(nodes_.size());
  MatrixX<double> values(count, count);
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < count; ++i) values(k, i) = bernstein(count - 1, i, nodes_[static_cast<std::size_t>(k)]);
  }
  to_bernstein_ = inverse_of(values.partialPivLu());
  // Depth-first: one piece is halved, its right half waits.
  stack_.resize(kMostHalvings + 2);
  for (Piece& piece : stack_) piece.coefficients.setZero(count);
}

void CrossingFinder::start(const VectorX<double>& values) {
  stack_[0].from = 0;
  stack_[0].to = 1;
  stack_[0].coefficients.noalias() = to_bernstein_ * values;
  used_ = 1;
}

CrossingFinder::Verdict CrossingFinder::judge(const Piece& piece) const {
  const VectorX<double>& c = piece.coefficients;
  int changes = 0;
  bool negative = c(0) < 0, any_negative = negative;
  for (Eigen::Index i = 1; i < c.size(); ++i) {
    if ((c(i) < 0) == negative) continue;
    negative = !negative;
    any_negative = any_negative || negative;
    ++changes;
  }
  if (!any_negative) return Verdict::positive;
  // One change of sign from + to −: exactly one crossing (Descartes' rule for Bernstein coefficients). A piece that
  // starts below zero does so by rounding only, since the pieces before it did not end there.
  if (negative && changes <= 1) return Verdict::crosses;
  // As narrow as rounding: what dips here is not there.
  if (piece.to - piece.from < std::ldexp(1.0, -kMostHalvings)) return Verdict::positive;
  return Verdict::unclear;
}

/// Replaces the piece on top of the stack by its right half, with the left half above it (de Casteljau).
void CrossingFinder::halve(std::size_t top) {
  Piece& right = stack_[top];
  Piece& left = stack_[top + 1];
  const Eigen::Index n = right.coefficients.size();
  const double middle = 0.5 * (right.from + right.to);
  left.from = right.from;
  left.to = right.from = middle;
  for (Eigen::Index level = 0; level < n; ++level) {
    left.coefficients(level) = right.coefficients(0);
    for (Eigen::Index i = 0; i + 1 < n - level; ++i) {
      right.coefficients(i) = 0.5 * (right.coefficients(i) + right.coefficients(i + 1));
    }
  }
  used_ = top + 2;
}

}  // namespace thenar
