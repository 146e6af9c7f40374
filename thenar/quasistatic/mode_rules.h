// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What contacts can do, as signs of rows and lists of forces: the form that the search works on. It knows neither
/// planes nor spaces: contacts with more edges and more kinds of slip are longer lists.
///
///     v = P u + v₀,    G f + h = 0,    f ≥ 0,
///
/// where a force f is the share of one edge of a friction cone, and G the wrenches of these edges. An edge carries
/// force only if its contact touches and none of its `forbidden` signs occur: friction along +t needs v_t ≤ 0.

#include <vector>

#include "thenar/quasistatic/quasistatic_problem.h"

namespace thenar::internal {

/// Row `row` of v is zero (0), positive (1) or negative (−1).
struct RowSign {
  int row = 0;
  int sign = 0;
};

struct ConeEdge {
  int contact = 0;
  std::vector<RowSign> forbidden;
};

/// One thing that a touching contact can do.
struct TouchMode {
  std::vector<RowSign> signs;  ///< of rows other than the normal one
  std::vector<int> edges;      ///< that may carry force
};

struct RuledContact {
  int normal = 0;          ///< row
  std::vector<int> edges;  ///< all of them
  std::vector<TouchMode> modes;
};

struct ModeRules {
  MatrixX<double> P, G;
  VectorX<double> v0, h;
  std::vector<ConeEdge> edges;  ///< of the columns of G
  std::vector<RuledContact> contacts;
  double still = kStill;  ///< the least of what is not zero in v
  double strength = 1;    ///< what forces are compared with

  int row_count() const { return static_cast<int>(P.rows()); }
  int edge_count() const { return static_cast<int>(G.cols()); }
};

/// In the plane, rows: normals, then tangents. Edges of a contact: +t, then −t; one where there is no friction. Modes
/// of a touching contact: slide+, slide−, roll.
///
/// In space, rows: normals, then for each contact its slips along e_j (quasistatic_problem.h); of an even number of
/// sides half of them, since the others are opposite. Edges of a contact: n + μ d_j; one where there is no friction.
/// Modes of a touching contact: sectors 0 … 2k − 1, roll; one where there is no friction.
ModeRules make_mode_rules(const QuasistaticProblem& problem);

/// Of a contact: 0 breaks, k > 0 does the k-th thing that a touching contact can do (counted from 1).
using ModeLabels = std::vector<int>;

/// Velocities and forces of a list of labels.
struct ModePoint {
  VectorX<double> u, f;
  bool velocity_unique = false, forces_unique = false;
};
struct LabelledPoint {
  ModeLabels labels;
  ModePoint point;
};

/// The answer that such a point is.
QuasistaticSolution make_quasistatic_solution(const QuasistaticProblem& problem, const ModeRules& rules,
                                              const LabelledPoint& found);
/// And the labels of an answer.
ModeLabels find_solution_labels(const QuasistaticProblem& problem, const QuasistaticSolution& solution);

}  // namespace thenar::internal
