// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Compares the two ways to all solutions of a problem with box cones: the branches of solve_modes() and the sign sets
/// of find_all_yy(). YY cut a cell where sticking friction changes its sign, so that their cells are parts of those of
/// the modes: sets of cells are the same if every cell of YY is part of a cell of the modes, and every point of a cell
/// of the modes is in one of YY.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "random_problems.h"
#include "thenar/complementarity/grade.h"
#include "thenar/linear_programs/linear_program.h"
#include "thenar/modes/mode_cells_internal.h"
#include "thenar/modes/mode_solver.h"
#include "thenar/modes/yy_formulation.h"

namespace thenar::test {

using Points = std::vector<VectorX<double>>;

inline double grade(const ConstraintProblem& problem, const VectorX<double>& z) {
  return grade_solution(problem, std::span<const double>(z.data(), static_cast<std::size_t>(z.size()))).worst();
}

/// Of all contacts that do not slide already.
inline void set_faces(ConstraintProblem& problem, int faces) {
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.row(i).kind == RowKind::normal && !problem.is_sliding_contact(i)) problem.row(i).faces = faces;
  }
}

/// How far z is from the sums of the corners of a cell, in scaled units.
inline double calc_distance(const internal::ScaledProblem& scaled, const YyCell& cell, const VectorX<double>& z) {
  const VectorX<double> target = z.cwiseQuotient(scaled.force_unit);
  double nearest = LinearProgram::kInfinity;
  for (const VectorX<double>& vertex : cell.vertices) {
    nearest = std::min(nearest, (vertex.cwiseQuotient(scaled.force_unit) - target).lpNorm<Eigen::Infinity>());
  }
  const auto n = static_cast<int>(target.size()), vertices = static_cast<int>(cell.vertices.size());
  const auto rays = static_cast<int>(cell.rays.size()), lines = static_cast<int>(cell.lines.size());
  const int count = vertices + rays + lines;
  if (count == 1 || nearest < 1e-9) return nearest;
  // minimize δ subject to −δ ≤ corners λ − z ≤ δ, Σ λ of vertices = 1, λ ≥ 0 but for lines.
  MatrixX<double> rows = MatrixX<double>::Zero(2 * n + 1, count + 1);
  int column = 0;
  for (const Points* list : {&cell.vertices, &cell.rays, &cell.lines}) {
    for (const VectorX<double>& corner : *list) {
      const VectorX<double> scaled_corner = corner.cwiseQuotient(scaled.force_unit);
      rows.col(column++).head(2 * n) << scaled_corner, scaled_corner;
    }
  }
  rows.col(count).head(n).setOnes();
  rows.col(count).segment(n, n).setConstant(-1);
  rows.row(2 * n).head(vertices).setOnes();
  LinearProgram program(rows);
  for (int j = 0; j < vertices + rays; ++j) program.bound_column(j, 0, LinearProgram::kInfinity);
  program.bound_column(count, 0, LinearProgram::kInfinity);
  program.set_cost(count, 1);
  for (int i = 0; i < n; ++i) {
    program.bound_row(i, target(i), LinearProgram::kInfinity);
    program.bound_row(n + i, -LinearProgram::kInfinity, target(i));
  }
  program.bound_row(2 * n, 1, 1);
  return program.solve() == LpStatus::optimal ? program.objective() : nearest;
}

/// To 1e-6 of its size: the corners are exact to 1e-8 times the condition of their equations.
inline bool is_in_cell(const internal::ScaledProblem& scaled, const YyCell& cell, const VectorX<double>& z) {
  const double size = 1 + z.cwiseQuotient(scaled.force_unit).lpNorm<Eigen::Infinity>();
  return calc_distance(scaled, cell, z) <= 1e-6 * size;
}

/// Compares both answers to a problem and counts what they say.
class Comparison {
 public:
  explicit Comparison(unsigned seed) : random_(seed) {}

  /// Returns what the modes say.
  ModeAnswer compare(const ConstraintProblem& problem) {
    ++problems;
    const YyAnswer yy = find_all_yy(problem);
    const ModeAnswer modes = solve_modes(problem);
    if (!yy.is_complete) {
      std::cout << name() << "by sign sets: " << yy.reason << '\n';
      ++unfinished;
      return modes;
    }
    if (modes.verdict != Verdict::undecided) {
      EXPECT_EQ(yy.verdict, modes.verdict) << name() << to_string(yy.verdict) << ", not " << to_string(modes.verdict);
    }
    if (!modes.is_list_complete) {
      ++undecided;
      return modes;
    }
    unique += yy.verdict == Verdict::unique;
    several += yy.verdict == Verdict::several;
    none += yy.verdict == Verdict::none;
    indeterminate += yy.verdict == Verdict::unique_motion;
    const internal::ScaledProblem scaled(problem);
    expect_parts_of_modes(problem, scaled, yy, modes);
    for (const ModeCell& cell : modes.cells) {
      for (const VectorX<double>& z : sample(scaled, cell)) {
        const bool is_found =
            std::any_of(yy.cells.begin(), yy.cells.end(), [&](const YyCell& c) { return is_in_cell(scaled, c, z); });
        EXPECT_TRUE(is_found) << name() << "no cell has z = " << z.transpose();
      }
    }
    return modes;
  }

  void report(const char* title) const {
    std::cout << title << ": " << problems << " problems, " << unique << " unique, " << several
              << " with several motions, " << none << " without any, " << indeterminate
              << " with one motion and many forces, " << wide << " cells that are more than a point, " << undecided
              << " undecided by the modes, " << unfinished << " by sign sets\n";
    EXPECT_LE(unfinished, problems / 1000);
  }

  int problems = 0, unique = 0, several = 0, none = 0, indeterminate = 0, wide = 0;
  int undecided = 0;   ///< by solve_modes()
  int unfinished = 0;  ///< by find_all_yy()

 private:
  std::string name() const { return "problem " + std::to_string(problems - 1) + ": "; }

  /// Every cell is part of one cell of the modes, with its states, and made of solutions.
  void expect_parts_of_modes(const ConstraintProblem& problem, const internal::ScaledProblem& scaled,
                             const YyAnswer& yy, const ModeAnswer& modes) {
    const ModeParts parts = make_mode_parts(problem);
    for (const YyCell& cell : yy.cells) {
      ModeCell as_mode;
      as_mode.vertices = cell.vertices, as_mode.rays = cell.rays, as_mode.lines = cell.lines;
      wide += cell.vertices.size() + cell.rays.size() + cell.lines.size() > 1;
      const bool is_found = std::any_of(modes.cells.begin(), modes.cells.end(), [&](const ModeCell& whole) {
        return is_part_of(as_mode, scaled, describe_cell(problem, scaled, parts, whole.choice));
      });
      EXPECT_TRUE(is_found) << name() << "cell at z = " << cell.vertices.front().transpose();
      EXPECT_EQ(cell.states.size(), parts.normals.size());
      for (const VectorX<double>& z : cell.vertices) EXPECT_LE(grade(problem, z), 1e-9) << name();
    }
    if (modes.verdict == Verdict::unique && !yy.cells.empty()) {
      EXPECT_EQ(yy.cells.size(), 1u) << name();
      EXPECT_EQ(yy.cells.front().states, modes.cells.front().states) << name();
    }
  }

  /// Corners of a cell and random points between them and along its rays and lines.
  Points sample(const internal::ScaledProblem& scaled, const ModeCell& cell) {
    Points out = cell.vertices;
    out.push_back(cell.z);
    if (cell.vertices.size() + cell.rays.size() + cell.lines.size() < 2) return out;
    const auto length = [&](const VectorX<double>& z) {
      return z.cwiseQuotient(scaled.force_unit).lpNorm<Eigen::Infinity>();
    };
    for (int k = 0; k < 3; ++k) {
      VectorX<double> z = VectorX<double>::Zero(cell.z.size());
      double sum = 0;
      for (const VectorX<double>& vertex : cell.vertices) {
        const double weight = random_.uniform(0, 1);
        z += weight * vertex;
        sum += weight;
      }
      z /= sum;
      for (const VectorX<double>& ray : cell.rays) z += random_.uniform(0, 20) / length(ray) * ray;
      for (const VectorX<double>& line : cell.lines) z += random_.uniform(-20, 20) / length(line) * line;
      out.push_back(z);
    }
    return out;
  }

  RandomModeProblems random_;
};

}  // namespace thenar::test
