// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Answers that are found without a search, by the cone solver; as cells, with all forces that their motion admits.

#include <optional>
#include <span>

#include "thenar/modes/mode_cells_internal.h"

namespace thenar::internal {

/// What a motion (scaled) decides: open where a row opens, else held; stick where nothing slips, else the place of the
/// slip. Every solution with this motion obeys it.
ModeChoice read_choice(const ModeParts& parts, const VectorX<double>& w, double zero);

class AnswerFinder {
 public:
  /// Without the friction parts of problems that have none (has_mode_parts()). All must outlive it.
  AnswerFinder(const ConstraintProblem& problem, const ScaledProblem& scaled, const ModeParts& parts,
               int most_generators);

  /// Forces (in the units of the problem) that the cone solver finds from a start, if they are a solution.
  std::optional<VectorX<double>> find_forces(std::span<const double> start = {});
  /// The same with all forces of its motion.
  std::optional<ModeCell> find(std::span<const double> start = {});

  /// Forces as a cell, if no others have their motion.
  ModeCell make_point(const VectorX<double>& z) const;
  /// All forces with the motion of z.
  ModeCell make_answer(const VectorX<double>& z) const;
  /// The same without corners: the span of these forces.
  ModeCell make_span(const VectorX<double>& z) const;

  /// Whether these forces solve the problem.
  bool is_solution(const VectorX<double>& z) const;
  /// Whether two cells have the same motion, as far as it is unique.
  bool moves_alike(const ModeCell& a, const ModeCell& b) const;

 private:
  VectorX<double> polish(const VectorX<double>& z) const;
  void fix_interval(const FrictionPart& part, const FrictionChoice& slip, int row, int normal, MatrixX<double>& E,
                    VectorX<double>& e) const;
  double calc_zero(const VectorX<double>& z) const;

  const ConstraintProblem& problem_;
  const ScaledProblem& scaled_;
  const ModeParts& parts_;
  const int most_generators_;
  ConeSolver solver_;
};

}  // namespace thenar::internal
