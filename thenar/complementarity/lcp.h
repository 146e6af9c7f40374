// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Linear complementarity problems with any square matrix: what sliding friction, impacts with coupled normals and
/// quasistatic motion lead to. With w = M z + q, find z such that
///
///     rows 0 … free_count − 1:   w = 0,  z free           (mixed problems; none in a plain LCP)
///     the others:                z ≥ 0,  w ≥ 0,  z w = 0
///
/// Such a problem can have no solution, one, finitely many or whole faces of them. Where M is symmetric and positive
/// semidefinite, exact_solver.h is the better choice: it ends with a solution or a proof that there is none.

#include <iosfwd>
#include <span>
#include <string>

#include "thenar/spatial/linear.h"

namespace thenar {

struct Lcp {
  MatrixX<double> M;
  VectorX<double> q;
  int free_count = 0;

  int size() const { return static_cast<int>(q.size()); }
};

/// wᵢ = (M z + q)ᵢ, summed in long double.
long double calc_w(const MatrixX<double>& M, const VectorX<double>& q, std::span<const double> z, int i);

/// How far z is from a solution: the largest |min(zᵢ, wᵢ)| (|wᵢ| of free rows), over 1 + max |q|. Sums in long double.
/// NaN if z has one.
double calc_residual(const Lcp& problem, std::span<const double> z);

/// The text form: n (or "n m" for n free rows before m others), then the rows of M, then q, all separated by spaces and
/// line ends. '#' starts a comment. Throws InputError, with the line, for anything else, numbers that are not finite
/// too. `name` stands for the file.
Lcp read_lcp(std::istream& in, const std::string& name = "");

/// Numbers read back bit-equal.
void write_lcp(std::ostream& out, const Lcp& problem);

}  // namespace thenar
