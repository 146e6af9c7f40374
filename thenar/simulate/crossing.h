// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The first time inside a step at which a function falls below zero, however briefly: gaps that close, reactions that
/// would pull, slips that stop.
///
/// The function is known at the nodes of a polynomial over θ ∈ [0, 1] (for gaps of constant stops that polynomial is
/// the dense output itself). In Bernstein form the polynomial lies in the convex hull of its coefficients, so a piece
/// with no negative coefficient is certified free of crossings; other pieces are halved, the left one first, until a
/// crossing is isolated. Two crossings inside a step, and a graze that dips below zero for a moment, are found like any
/// other.

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

class CrossingFinder {
 public:
  /// For functions given at these nodes, 0 = θ_0 < θ_1 < … < θ_degree = 1.
  explicit CrossingFinder(std::vector<double> nodes);

  /// Chebyshev–Lobatto nodes, where interpolation is well conditioned.
  static std::vector<double> make_nodes(int degree);

  const std::vector<double>& nodes() const { return nodes_; }

  /// A stretch [before, after] of θ that the function enters at or above zero and leaves below zero.
  struct Bracket {
    double before = 0, after = 0;
  };

  /// The first bracket of the polynomial through `values` (at the nodes) in which `function` itself, called at its
  /// right end, is below zero; nothing when there is none. `function` may be the interpolated or a costlier, more exact
  /// one.
  template <class Function>
  std::optional<Bracket> find(const VectorX<double>& values, const Function& function);

 private:
  struct Piece {
    double from = 0, to = 1;
    VectorX<double> coefficients;
  };
  enum class Verdict { positive, crosses, unclear };

  void start(const VectorX<double>& values);
  Verdict judge(const Piece& piece) const;
  void halve(std::size_t top);

  static constexpr int kMostHalvings = 40;

  std::vector<double> nodes_;
  MatrixX<double> to_bernstein_;
  std::vector<Piece> stack_;  ///< the piece to look at next is the last in use
  std::size_t used_ = 0;
};

/// Narrows the bracket of a function that is ≥ 0 at a.before and < 0 at a.after until its ends are neighbouring numbers
/// or `width` apart: inverse quadratic interpolation where three values tell that it will do, else bisection
/// (Chandrupatla 1997), after one step of regula falsi. A place that is expected next to one end is looked at a little
/// inside of it, so that the other end closes up, and farther inside each time that it does not.
template <class Function>
CrossingFinder::Bracket refine_crossing(CrossingFinder::Bracket bracket, double width, const Function& function) {
  constexpr double kFarther = 8;
  // The end found last, the other end, and the place that was given up last.
  double x1 = bracket.after, x2 = bracket.before, x3 = x2;
  double f1 = function(x1), f2 = function(x2), f3 = f2;
  double part = f1 / (f1 - f2), inside = width;
  for (int i = 0; i < 200 && std::abs(x2 - x1) > width; ++i) {
    const double least = inside / std::abs(x2 - x1);
    const bool is_at_end = !(part > least && part < 1 - least);
    if (is_at_end) part = least < 0.5 ? (part > 0.5 ? 1 - least : least) : 0.5;
    const double x = x1 + part * (x2 - x1);
    if (x == x1 || x == x2) break;
    const double f = function(x);
    const bool stays = (f < 0) == (f1 < 0);  // on the side of the end found last
    inside = is_at_end && stays ? kFarther * inside : width;
    x3 = stays ? x1 : x2, f3 = stays ? f1 : f2;
    if (!stays) x2 = x1, f2 = f1;
    x1 = x, f1 = f;
    const double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    const bool is_smooth = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    part = is_smooth ? f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2) : 0.5;
  }
  return f1 < 0 ? CrossingFinder::Bracket{x2, x1} : CrossingFinder::Bracket{x1, x2};
}

template <class Function>
std::optional<CrossingFinder::Bracket> CrossingFinder::find(const VectorX<double>& values, const Function& function) {
  start(values);
  while (used_ > 0) {
    const std::size_t top = used_ - 1;
    const Verdict verdict = judge(stack_[top]);
    if (verdict == Verdict::unclear) {
      halve(top);
      continue;
    }
    if (verdict == Verdict::crosses && function(stack_[top].to) < 0) return Bracket{stack_[top].from, stack_[top].to};
    --used_;
  }
  return std::nullopt;
}

}  // namespace thenar
