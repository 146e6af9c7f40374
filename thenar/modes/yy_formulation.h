// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The formulation of Yashima and Yamaguchi (YY III) as published: a second way to all solutions of a constraint
/// problem with box cones, which shares neither branches nor relaxations with mode_search.h; and their test of
/// determinacy.
///
/// A *direction* k is one row of friction with a bound βₖ: a tangent row of a rolling contact with βₖ = μₖ zₙ, or a
/// boxed row with the constant βₖ = fₖ. Its law (YY (15), box cone: every direction by itself) is
///
///     −βₖ ≤ zₖ ≤ βₖ,   wₖ = 0 inside,   wₖ ≤ 0 at zₖ = +βₖ,   wₖ ≥ 0 at zₖ = −βₖ:
///
/// three branches with two corners. YY cut it at zₖ = 0 into two laws with one corner each. With a sign sₖ = ±1 (their
/// Π), that of the slip, and the friction Δₖ that is missing to the bound,
///
///     zₖ = −sₖ (βₖ − Δₖ),   0 ≤ sₖ wₖ  ⊥  Δₖ ≥ 0,   Δₖ ≤ βₖ:                                                      (1)
///
/// no slip, or friction at its bound against the slip. Both signs together are the law; zₖ = wₖ = 0 belongs to both.
/// For given signs the unknowns x = (zₙ of normal and unilateral rows, Δ) ≥ 0 are those of a linear complementarity
/// problem
///
///     z = G(Π) x + z⁰(Π),   0 ≤ x ⊥ A(Π) x + b(Π) ≥ 0,   A(Π) = S(Π)ᵀ A G(Π),   b(Π) = S(Π)ᵀ (A z⁰ + b)            (2)
///
///     columns            of S      of G                                                       part of z⁰
///     normal, rolling    eₙ        eₙ − Σₖ sₖ μₖ eₖ
///     normal, sliding    eₙ        eₙ + Σₖ rₖ eₖ
///     unilateral         eᵢ        eᵢ
///     Δₖ                 sₖ eₖ     sₖ eₖ                                                      boxed: −sₖ fₖ eₖ
///     bilateral          eᵢ        eᵢ, a free unknown with w = 0 (mixed problem)
///
/// under the side condition Δ ≤ β, which is linear in x. Directions without friction (μₖ = 0 or fₖ = 0) have no
/// unknown. A boxed row could do without a sign (x = zₖ + fₖ and one more row for x ≤ 2fₖ), but with one it has a
/// single row as tangents do, and A(Π) keeps YY's form.
///
/// YY's numbers: (1) is (18), (19); (2) is (22) with (26)–(28), A(Π) = W(Π)ᵀ M⁻¹ W_μ(Π̄), in which W has become
/// A = Wᵀ M⁻¹ W; the side condition is (23). Two slips of the pen there: S and R are *sliding* and *rolling* (II has
/// them exchanged), and in (21), (22), (26) the superscript of Δ must be Π̄, the sign of the friction, as (19) and (27)
/// have it: Δ⁺ = μ f_N − f⁺ goes with a⁻. Π is the sign of a throughout this file. YY's cone is the box around the
/// circle, not the circle.
///
/// All solutions are those of all 2^directions sign sets (4^n_R for n_R point contacts). Lemke's method, YY's choice,
/// finds one solution for each set and misses others where A(Π) is not a P-matrix; here every set is searched to the
/// end (all_solutions.h), and what it finds is cut with the side condition.
///
/// Limits: the work doubles with every direction. Decisions are made to 1e-8 in units in which A has about 1 on its
/// diagonal and the largest |b| is 1.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thenar/complementarity/all_solutions.h"
#include "thenar/complementarity/cone_solver.h"
#include "thenar/complementarity/constraint_problem.h"
#include "thenar/modes/verdict.h"

namespace thenar {

/// A row of friction, with a bound > 0 if its normal force is.
struct YyDirection {
  int row = 0;       ///< of the problem
  int normal = -1;   ///< the normal row of its contact; −1 for boxed rows
  double limit = 0;  ///< μₖ or fₖ
};

/// In the order of the rows; the signs of a set are in this order. Throws std::invalid_argument for problems with a
/// fault.
std::vector<YyDirection> find_yy_directions(const ConstraintProblem& problem);

/// (2) for one set of signs. Unknowns are bilateral rows (free), normal and unilateral rows, Δ of the directions; each
/// in the order of their rows.
struct YyLcp {
  Lcp lcp;                 ///< M = A(Π), q = b(Π)
  MatrixX<double> S, G;    ///< rows of the problem × unknowns
  VectorX<double> origin;  ///< z⁰
  MatrixX<double> bound;   ///< directions × unknowns: β = bound x + bound_constant
  VectorX<double> bound_constant;

  /// Forces of the problem.
  VectorX<double> recover(const VectorX<double>& x) const { return G * x + origin; }
  /// β − Δ of each direction, Δ being the last unknowns: ≥ 0 where the side condition, YY (23), holds.
  VectorX<double> calc_side(const VectorX<double>& x) const {
    return bound * x + bound_constant - x.tail(bound_constant.size());
  }
};

/// `signs` are +1 or −1, one for each direction. Cones other than boxes are taken as the boxes around them. Throws
/// std::invalid_argument for problems with a fault and other signs.
YyLcp make_yy_lcp(const ConstraintProblem& problem, std::span<const int> signs);

/// Solutions with the same signs and the same choice of x = 0 or w = 0 in every row: a polyhedron of forces. Where
/// sticking friction can have either sign there are two of them side by side, as YY cut the law.
struct YyCell {
  std::vector<int> signs;
  std::vector<bool> in_basis;  ///< of the unknowns of make_yy_lcp(): w = 0 all over the cell, x may be positive
  /// Of each normal and unilateral row, told by the motion in the middle of the cell, as in ModeCell.
  std::vector<ContactState> states;
  /// z: convex sums of the vertices, plus nonnegative multiples of the rays, plus multiples of the lines.
  std::vector<VectorX<double>> vertices, rays, lines;
};

struct YyOptions {
  long long most_sign_sets = 1 << 16;  ///< with more, nothing is searched
  int most_cells = 10'000;
  AllSolutionsOptions search;  ///< of each LCP
};

struct YyAnswer {
  Verdict verdict = Verdict::undecided;
  bool is_complete = false;   ///< all sign sets were searched to the end
  std::string reason;         ///< not complete: why
  std::vector<YyCell> cells;  ///< none is part of another
  long long sign_sets = 0;    ///< LCPs searched
};

/// All solutions of a problem with box cones: contacts that slide, without friction, with one rough direction, or with
/// faces = kBoxFaces. Throws std::invalid_argument for others, for problems with a fault, and for numbers that are not
/// finite. Two motions found prove `several` even where the search is not complete.
YyAnswer find_all_yy(const ConstraintProblem& problem, const YyOptions& options = {});

/// YY III C: the only solution of a problem is dynamically determinate if A(Π), of the signs that it has, is a
/// P-matrix.
struct Determinacy {
  /// Nothing if the matrix is too large to tell. Matrices that are singular to 1e-10 of their entries, after division
  /// by the diagonal, are not P: redundant contacts never are.
  std::optional<bool> is_P;
  MatrixX<double> A;  ///< A(Π), in the units of the problem
  std::vector<int> signs;
};

/// Signs are those of the slip wₖ, or of −zₖ where nothing slips. Where both vanish the solution belongs to both sets,
/// and a small change of b to either: is_P needs all of the sets that the solution belongs to; A and signs are those of
/// the first set that is not P, or not known to be, else of the first.
///
/// Any cones: A(Π) has the rows of the box around them, and a soft finger's torsion is one more direction. Bilateral
/// rows are eliminated first, A ← A − A_cb A_bb⁺ A_bc, so that A(Π) is about the other rows; A_bb may be singular.
///
/// Definite and diagonally dominant matrices are recognized at any size, others up to kMostDeterminacyRows rows and
/// directions with both signs together; of more than 12 such directions only some sets are looked at, which can tell
/// that not all are P. Throws std::invalid_argument for problems with a fault, numbers that are not finite and a z of
/// another size.
Determinacy calc_determinacy(const ConstraintProblem& problem, const VectorX<double>& z);

/// Some seconds' worth of minors.
inline constexpr int kMostDeterminacyRows = 24;

}  // namespace thenar
