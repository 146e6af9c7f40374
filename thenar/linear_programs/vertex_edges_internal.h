// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The edges of {x : row_lower ≤ A x ≤ row_upper, lower ≤ x ≤ upper} at a vertex that a basis describes.
///
/// Columns x and rows r = A x are numbered in one sequence of n + m unknowns, of which n are nonbasic, at a bound, and
/// the others linear in them: δ_B = T δ_N. With the columns C nonbasic, J basic and the rows I nonbasic,
///
///     δ_J = A_IJ⁻¹ (δ_I − A_IC δ_C),     δ_r = A_rJ δ_J + A_rC δ_C     for basic rows r.
///
/// If no basic unknown is at a bound, the vertex has one edge for each nonbasic unknown, a column of T. Otherwise it is
/// degenerate: several bases describe it, and each shows only some edges. They are the extreme rays of the cone of the
/// constraints that hold with equality, and every one of them is the direction of an unbounded edge of the polyhedron
/// that comes from moving these constraints outward by amounts of their own. For random amounts no vertex of that
/// polyhedron is degenerate, so its vertices, which are bases of ours, are visited along its bounded edges.

#include <optional>
#include <vector>

#include "thenar/linear_programs/linear_program.h"

namespace thenar::internal {

/// Numbers of the program in units in which the entries of A are about 1, and a vertex of it.
struct VertexProblem {
  const MatrixX<double>& A;
  VectorX<double> lower, upper;  ///< of the n + m unknowns
  VectorX<double> value;         ///< at the vertex
  double tolerance;              ///< of being at a bound, in parts of 1 + |value|
};

/// A step to a neighbouring basis: one unknown enters, another one stops at a bound.
struct Exchange {
  int entering = -1, blocking = -1;          ///< blocking −1: none, the way has no end
  bool at_upper = false;                     ///< where the blocking one stops
  double length = LinearProgram::kInfinity;  ///< of the way, with the entering one at speed ±1
};

class VertexEdges {
 public:
  explicit VertexEdges(VertexProblem problem);

  /// How a nonbasic unknown that is at no bound can go to where another one is at one; none if there is no such
  /// unknown, or only those along which the feasible set is a line.
  std::optional<Exchange> find_push(const std::vector<bool>& basic) const;

  /// In the units of the problem. `basic` has an entry for each of the n + m unknowns, m of them true. No more than
  /// `most_bases` bases of the vertex are visited.
  std::vector<LpEdge> find(const std::vector<bool>& basic, int most_bases);
  /// Whether the last find() visited all bases of the vertex.
  bool is_complete() const { return is_complete_; }

 private:
  /// What the vertex asks of an unknown's displacement δ.
  enum class Hold : std::uint8_t { none, from_below, from_above, fixed };
  /// The basis whose edges are looked for.
  struct Dictionary {
    std::vector<int> basic, nonbasic;
    MatrixX<double> T;
    bool is_regular = false;
  };
  using Basis = std::vector<bool>;

  Hold find_hold(int k) const;
  Dictionary factorize(const Basis& basic) const;
  Basis drive_out_fixed(Basis basic) const;
  void draw_slacks(const Basis& basic);
  VectorX<double> calc_displacements(const Dictionary& dictionary) const;
  void visit(const Dictionary& dictionary, const Basis& basic);
  int find_blocking(const Dictionary& dictionary, const VectorX<double>& displacements,
                    const VectorX<double>& rate) const;
  Exchange find_end(const Dictionary& dictionary, int entering, const VectorX<double>& rate, double sign) const;
  void add_edge(const Dictionary& dictionary, const Basis& basic, int entering, const VectorX<double>& rate,
                double sign);
  bool is_known(const VectorX<double>& direction) const;
  LpBasis make_basis(const Basis& basic, const Exchange& exchange) const;

  VertexProblem problem_;
  int n_, m_;
  std::vector<Hold> holds_;
  VectorX<double> slacks_;  ///< how far the constraint of an unknown is moved outward
  std::vector<Basis> to_visit_;
  std::vector<VectorX<double>> directions_;
  std::vector<LpEdge> edges_;
  bool is_complete_ = true;
};

}  // namespace thenar::internal
