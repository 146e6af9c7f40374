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

/// Width of the bracket around an event, as a part of the step.
inline constexpr double kEventBracket = 1e-15;

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
/// or `width` apart: regula falsi that halves the value of the end it keeps (Illinois), and bisection when that is
/// slow. A place that is expected next to one end is looked at a little inside of it, so that the other end closes up,
/// and farther inside each time that it does not: else the far end would come by bisection alone.
template <class Function>
CrossingFinder::Bracket refine_crossing(CrossingFinder::Bracket bracket, double width, const Function& function) {
  constexpr double kFarther = 8;
  double f_before = function(bracket.before), f_after = function(bracket.after), inside = width;
  int kept = 0;  // Which end the last step left alone, −1 or 1.
  for (int i = 0; i < 200 && bracket.after - bracket.before > width; ++i) {
    const double length = bracket.after - bracket.before;
    double part = length * (f_before / (f_before - f_after));
    const bool is_at_end = !(part > inside && part < length - inside);
    if (is_at_end) part = part > 0.5 * length ? length - inside : inside;
    if (i % 8 == 7 || !(part > 0 && part < length)) part = 0.5 * length;
    const double middle = bracket.before + part;
    if (!(middle > bracket.before && middle < bracket.after)) break;
    const double f = function(middle);
    const int keeps = f < 0 ? -1 : 1;
    inside = is_at_end && keeps == kept ? kFarther * inside : width;
    if (f < 0) {
      bracket.after = middle, f_after = f;
      if (kept == -1) f_before *= 0.5;
    } else {
      bracket.before = middle, f_before = f;
      if (kept == 1) f_after *= 0.5;
    }
    kept = keeps;
  }
  return bracket;
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
