// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Proofs about the modes of a constraint problem: what the search hands over so that others need not trust it.
///
/// With the parts of mode_parts.h every solution is z = T x + t for some x:
///
///     x:  z of each bilateral row (free); zₙ ≥ 0 of each normal part; for each interval u ≥ 0, z_t = (u − zₙ) μ e
///     (with
///         1 for zₙ where the normal force is constant: hence t); for each polygon the weights β ≥ 0 of its corners,
///         z_t = Σ β c. Sliding rows have none: z_k = r_k zₙ.
///
/// in this order, and ρ(x) = R x + r collects
///
///     ρ:  w of each bilateral row; w of each normal part; for each interval 2 zₙ − u, then its slip e · w_t; for each
///         polygon zₙ − Σ β, then its slip rows rⱼ × w_t for each ray.
///
/// A choice bounds them:
///
///     always             bilateral w = 0;  normal w ≥ 0;  2 zₙ − u ≥ 0;  zₙ − Σ β ≥ 0
///     open               zₙ = 0                           held    w = 0
///     stick              all slip rows = 0
///     slip of an interval  place 0: u = 0, slip ≥ 0;  place 1: 2 zₙ − u = 0, slip ≤ 0
///     slip of a polygon    zₙ − Σ β = 0, β = 0 for corners that the places do not use, and
///                          from ≠ to, convex: r_from × w_t ≥ 0, r_to × w_t ≤ 0
///                          one ray rⱼ:        rⱼ × w_t = 0, rⱼ₋₁ × w_t ≥ 0
///
/// *Bound by y*: with yᵢ ≥ 0 where ρᵢ ≥ 0, yᵢ ≤ 0 where ρᵢ ≤ 0, any yᵢ where ρᵢ = 0 and yᵢ = 0 where ρᵢ is free, all
/// points of the node have y · ρ ≥ 0. So for any g · x + g₀ with (g + Rᵀy)ⱼ ≤ 0 for xⱼ ≥ 0 (= 0 for free xⱼ, anything
/// for xⱼ = 0),
///
///     g · x + g₀  ≤  (g + Rᵀ y) · x + g₀ + y · r  ≤  g₀ + y · r.                                                 (1)
///
/// The proof is a tree. At the root nothing is decided; a branch decides one part, with a child for each choice: of a
/// normal part open and held; of an interval stick, place 0, place 1; of a polygon stick and the two halves of the
/// places 0 … 2k − 1; of a run of places its two halves. An end of the tree is one of
///
///   empty     y with g = 0 and y · r < 0: no solution;
///   covered   another child has all solutions of this one, because (1) bounds by 0 the value of
///               open:  wₙ; its sibling is held, and not covered itself
///               held:  zₙ; its sibling is open, and not covered itself
///               slip:  d · w_t, d the sum of the two rays (a convex run of less than half a circle), for an interval e
///                      at place 0 and −e at place 1; the part sticks in the child of the branch that decided it first;
///             and that child has ends with solutions, since rounding could take them from it, too;
///   cell      everything is decided, or does not matter since zₙ = 0: the solutions are the cell with that number, or
///             part of it;
///   one_motion   the point z* of the cell with that number and the weights d = y prove by (4) that no solution of the
///             node has another motion;
///   unexplored.
///
/// *One motion.* Let z* be a solution with the motion w* = A z* + b, z another one, Δz = z − z*, Δw = A Δz. Of every
/// row z ≥ 0 ⊥ w ≥ 0
///
///     Δzₙ Δwₙ = −zₙ w*ₙ − z*ₙ wₙ ≤ 0.                                                                            (2)
///
/// Of a contact with friction choose e ∈ −C such that z*_t = −z*ₙ e and e · w*_t = |w*_t|_C ((6) of
/// constraint_problem.h): e = −z*_t / z*ₙ where the contact carries a force; −s for the s ∈ C that takes most power
/// from w*_t (the middle of them, if there are several) where it does not; 0 where it neither carries nor slips. Then
///
///     (Δz_t + e Δzₙ) · Δw_t = −zₙ (|w_t|_C − e · w_t) − (zₙ |w*_t|_C + z_t · w*_t) ≤ 0,                            (3)
///
/// both brackets being ≥ 0 because e ∈ −C and z_t ∈ zₙ C. Rows of friction with a constant bound obey (3) with Δzₙ = 0.
/// So for any weights d ≥ 0 of the rows and sections of friction
///
///     F(Δz) = Σ dₙ Δzₙ Δwₙ + Σ d_t (Δz_t + e Δzₙ) · Δw_t ≤ 0.                                                     (4)
///
/// F is a quadratic form of Δz. If it is positive for all differences with A Δz ≠ 0 that the problem admits, then there
/// is no other motion. This holds for any section C: circles, ellipses, limit surfaces of soft fingers, polygons; e is
/// fixed by the known solution, so that no direction of slip has to be tried. With all weights 1 and without friction
/// forces F is ΔzᵀAΔz, and the motion always unique.
///
/// The differences are those of the linear equations that every solution obeys: wᵢ = 0 of bilateral rows, zₖ = rₖ zₙ of
/// sliding rows, and what the node has decided. Where z* does not obey the decisions, Δz is a given difference plus the
/// homogeneous ones; the span of all that is taken.
///
/// Weights are in the order of the rows: each normal and unilateral row, then the sections of its friction (a polygon
/// is one section, and its torsion another; a box has one for each direction; a smooth cone is one with all its
/// directions); boxed rows. Directions without friction have none.
///
/// z* obeys its laws to the accuracy of the solver, so that it is the solution of a problem whose b is as near as that;
/// (4) is about this one.

#include <optional>

#include "thenar/modes/mode_parts.h"

namespace thenar {

struct ModeNode {
  enum class Kind : std::uint8_t { unexplored, branch, empty, covered, cell, one_motion };
  Kind kind = Kind::unexplored;
  bool on_normal = true;      ///< branch: decides a normal part, else a friction part
  int part = -1;              ///< branch
  std::vector<int> children;  ///< branch: in the order above
  VectorX<double> y;          ///< empty, covered, one_motion
  int cell = -1;              ///< cell, one_motion
};
const char* to_string(ModeNode::Kind kind);

/// The choices of the children of a branch, in their order. Not of a part that is decided.
std::vector<NormalChoice> split_normal();
std::vector<FrictionChoice> split_friction(const FrictionPart& part, const FrictionChoice& choice);

/// d of a covered slip, if it has one.
std::optional<VectorX<double>> find_cover_direction(const FrictionPart& part, const FrictionChoice& choice);

/// Whether nothing is left to split: stick, or slip in one place.
bool is_decided(const FrictionChoice& choice);

}  // namespace thenar
