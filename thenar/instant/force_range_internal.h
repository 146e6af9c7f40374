// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// All forces that bring about one motion w of a constraint problem, and how far they reach. With w given every law of
/// constraint_problem.h is convex in z,
///
///     A z + b = w;   z = 0 where a row opens;   z_t ∈ zₙ C,  and  −w_t · z_t = zₙ |w_t|_C where it slips,          (1)
///
/// so that the forces of a motion are one convex set, whichever decisions (cells) it is cut into. Asked of it are
///
///     bracket   the least and the largest sum of some normal forces
///     share     the least t for which z_t ∈ t zₙ C is possible for all of some contacts at once                   (2)
///
/// Both are linear programs over (1), (2) made homogeneous (y = s z with Σ yₙ = 1, s ≥ 0; CharnesCooper1962), so
/// that forces that grow without end (s = 0) count as well. The least δ with |y_t|_C ≤ t yₙ + δ falls with t, and is 0
/// at the least share. It is searched from t = 1 by Newton's method, with the slope from the multipliers; where that
/// leaves the bracket of what is known to be too much and too little, by halving it.
///
/// Sections C are intersections of half-planes g · s ≤ 1. Of smooth ones these are tangents, added where an optimum
/// violates the section by more than kSectionError (cutting planes, Kelley1960): the share is less than the true one by
/// no more than that. Limit surfaces of soft fingers take many more tangents and are left at kSurfaceError.

#include <optional>
#include <span>
#include <vector>

#include "thenar/instant/contact_instant.h"
#include "thenar/modes/mode_cell.h"

namespace thenar::internal {

/// Of the normal force.
inline constexpr double kSectionError = 1e-8;
inline constexpr double kSurfaceError = 1e-5;

/// The section C of a contact as half-planes, over its tangent rows with friction.
struct Section {
  int normal = 0;             ///< normal row of the contact
  std::vector<int> rows;      ///< tangent rows with friction
  VectorX<double> limits;     ///< their coefficients
  MatrixX<double> gradients;  ///< a column g for each half-plane; of smooth sections the tangents known so far
  int polygon = 0;            ///< corners of the regular polygon over the first two rows; 0 without one
  bool is_smooth = false;

  VectorX<double> friction(const VectorX<double>& z) const { return z(rows); }
  /// |s|_C = max g · s, 1 on the border.
  double calc_gauge(const VectorX<double>& s) const;
  /// The g that this maximum belongs to: normal to the border where the ray through s leaves C; the mean at a corner.
  VectorX<double> find_gradient(const VectorX<double>& s) const;
  /// The largest −w · s over s ∈ C.
  double calc_power(const VectorX<double>& w) const;
};

/// Of the contact whose normal row is given; no rows if it has no friction or slides already.
Section make_section(const ConstraintProblem& problem, int normal);

/// Part of its section that the friction force of a contact takes; 0 without a normal force.
double calc_share(const Section& section, const VectorX<double>& z);

/// The least share, and forces that have it, up to a factor.
struct LeastShare {
  double share = 0;
  VectorX<double> z;
  /// Over the rows of the problem: motions of the tangent rows when the contacts begin to slip, up to a factor. They
  /// are the multipliers of the half-planes: slips −g whose power the forces cannot outweigh. 0 where a contact holds
  /// on.
  VectorX<double> slip;
};

class ForceRange {
 public:
  /// The motion is that of the cell's point.
  ForceRange(const ConstraintProblem& problem, const ModeCell& cell);

  /// Of the sum of these normal rows; nothing if a program fails.
  std::optional<ForceBracket> calc_bracket(std::span<const int> normals);

  /// Of the contacts with these normal rows; nothing if they carry no force or have no friction, or a program fails.
  std::optional<LeastShare> calc_least_share(std::span<const int> normals);

 private:
  /// a · (y, s) + delta δ ≥ 0.
  struct Line {
    VectorX<double> a;
    double delta = 0;
    int normal = -1;  ///< of half-planes: the normal row
  };
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

  VectorX<double> zero() const { return VectorX<double>::Zero(size_ + 1); }
  void add_boxed(const ConstraintRow& row, int i, double w, double no_motion);
  void add_contact(const ConstraintProblem& problem, const ModeCell& cell, int normal, ContactState state);
  void add_slip(const Section& section, const VectorX<double>& w);
  void solve_equations(const ConstraintProblem& problem);
  MatrixX<double> calc_directions(const VectorX<double>& norm) const;
  Line half_plane(const Section& section, Eigen::Index j, double t, double delta) const;
  std::vector<Line> collect_lines(const Question& question) const;
  void read_multipliers(const std::vector<Line>& lines, const VectorX<double>& multipliers, Optimum& out) const;
  Question ask_sum(std::span<const int> normals, double side) const;
  std::optional<VectorX<double>> find_loaded(std::span<const int> normals);
  std::optional<Optimum> minimize(const Question& question) const;
  std::optional<Optimum> minimize_smooth(const Question& question);
  bool add_tangents(const Question& question, const Optimum& optimum);
  double calc_excess(const Question& question) const;

  Eigen::Index size_;
  VectorX<double> point_;  ///< (z, 1) of the cell
  std::vector<VectorX<double>> equations_;
  std::vector<Line> lines_;
  std::vector<Section> sections_;  ///< of contacts that do not slip
  VectorX<double> unit_;           ///< of (y, s), in which the rows of a problem are alike
  MatrixX<double> kernel_;         ///< in these units, orthonormal: (y, s) that solve the equations
};

}  // namespace thenar::internal
