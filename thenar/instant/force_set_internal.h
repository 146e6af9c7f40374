// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// All forces that bring about one motion w of a constraint problem. With w given every law of constraint_problem.h is
/// convex in z,
///
///     A z + b = w;   z = 0 where a row opens;   z_t ∈ zₙ C,  and  −w_t · z_t = zₙ |w_t|_C where it slips,          (1)
///
/// so that the forces of a motion are one convex set, whichever decisions (cells) it is cut into. It is made
/// homogeneous (y = s z, s ≥ 0; CharnesCooper1962), so that forces that grow without end (s = 0) count as well, and
/// linear functions of (y, s) are made least over it.
///
/// Half-planes of smooth sections C are tangents, added where an optimum violates the section by more than
/// kSectionError (cutting planes, Kelley1960). Limit surfaces of soft fingers take many more tangents and are left at
/// kSurfaceError.

#include <optional>
#include <vector>

#include "thenar/instant/friction_section_internal.h"
#include "thenar/modes/mode_cell.h"

namespace thenar::internal {

/// Of the normal force.
inline constexpr double kSectionError = 1e-8;
inline constexpr double kSurfaceError = 1e-5;

class ForceSet {
 public:
  /// The motion is that of the cell's point.
  ForceSet(const ConstraintProblem& problem, const ModeCell& cell);

  /// What is asked in one program besides (1). Programs begin at a feasible point, which spares them much search.
  struct Question {
    VectorX<double> cost;             ///< of (y, s)
    double delta_cost = 0;            ///< of δ, which is 0 where it has no cost
    VectorX<double> norm;             ///< norm · (y, s) is as at the start: Σ yₙ, or s
    VectorX<double> start;            ///< feasible with start_delta
    double start_delta = 0;           ///< δ that the start needs
    std::vector<std::size_t> shared;  ///< sections with |y_t|_C ≤ t yₙ + δ
    double t = 0;
  };
  /// (y, s) and δ where the cost is least, or a ray along which it falls without end.
  struct Optimum {
    VectorX<double> x;
    double delta = 0;
    bool is_ray = false;
    VectorX<double> slip{};  ///< LeastShare::slip
    double fall = 0;         ///< −dδ/dt
  };

  /// The optimum, but for what sections are left at; adds tangents to smooth sections. Nothing if a program fails.
  std::optional<Optimum> minimize(const Question& question);

  Eigen::Index size() const { return size_; }              ///< of y
  const VectorX<double>& point() const { return point_; }  ///< (z, 1) of the cell
  const std::vector<Section>& sections() const { return sections_; }
  VectorX<double> zero() const { return VectorX<double>::Zero(size_ + 1); }

 private:
  /// a · (y, s) + delta δ ≥ 0.
  struct Line {
    VectorX<double> a;
    double delta = 0;
    int normal = -1;  ///< of half-planes: the normal row
  };
  void add_boxed(const ConstraintRow& row, int i, double w, double no_motion);
  void add_contact(const ConstraintProblem& problem, const ModeCell& cell, int normal, ContactState state);
  void add_slip(const Section& section, const VectorX<double>& w);
  void solve_equations(const ConstraintProblem& problem);
  MatrixX<double> calc_directions(const VectorX<double>& norm) const;
  Line half_plane(const Section& section, Eigen::Index j, double t, double delta) const;
  std::vector<Line> collect_lines(const Question& question) const;
  void read_multipliers(const std::vector<Line>& lines, const VectorX<double>& multipliers, Optimum& out) const;
  std::optional<Optimum> solve_program(const Question& question) const;
  bool add_tangents(const Question& question, const Optimum& optimum);

  Eigen::Index size_;
  VectorX<double> point_;  ///< (z, 1) of the cell
  std::vector<VectorX<double>> equations_;
  std::vector<Line> lines_;
  std::vector<Section> sections_;  ///< of contacts that do not slip
  VectorX<double> unit_;           ///< of (y, s), in which the rows of a problem are alike
  MatrixX<double> kernel_;         ///< in these units, orthonormal: (y, s) that solve the equations
};

}  // namespace thenar::internal
