// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A polyhedron by its corners: the vertices, rays and lines whose sums (vertices weighted by parts of 1, rays by any
/// number ≥ 0, lines by any number) are the points of {t : G t + h ≥ 0}. By the double description method (Motzkin and
/// others, 1953): the polyhedron is the section s = 1 of the cone G t + h s ≥ 0, s ≥ 0, whose extreme rays are kept
/// while inequalities are added one by one; a new one replaces the rays that violate it by its meets with the edges
/// from those to their neighbours.

#include <optional>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

using LongVector = VectorX<long double>;
using LongMatrix = MatrixX<long double>;

struct Generators {
  std::vector<LongVector> vertices;  ///< none: the polyhedron is empty
  std::vector<LongVector> rays;      ///< of length 1, like lines
  std::vector<LongVector> lines;     ///< a basis of the directions in which it has no end on either side
};

/// Rows of G that are 0, to 1e-12 of the largest entry, count through h alone. Violations up to `tolerance`, for rows
/// of length 1, are none. Empty when there would be more than `most` generators on the way.
std::optional<Generators> find_generators(const LongMatrix& G, const LongVector& h, long double tolerance, int most);

}  // namespace thenar
