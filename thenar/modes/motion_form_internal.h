// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The search for a proof that there is no second motion: F, (2)–(4) of mode_proof.h, from one solution z*, and weights
/// with which it is positive.

#include <optional>
#include <vector>

#include "thenar/modes/mode_relaxation_internal.h"
#include "thenar/modes/weight_search_internal.h"

namespace thenar::internal {

/// Smallest eigenvalue of F for Δz of length 1, in units in which A has about 1 on its diagonal and the largest weight
/// is 1, that counts as positive.
inline constexpr double kLeastForm = 1e-7;

class MotionForm {
 public:
  /// z* in the units of the problem. All but z must outlive it.
  MotionForm(const ConstraintProblem& problem, const ScaledProblem& scaled, const VectorX<double>& z);

  /// Orthonormal columns: the span of all differences that the rows admit; those of a node, if one is given.
  MatrixX<double> find_differences() const;
  MatrixX<double> find_differences(const ModeParts& parts, const ModeChoice& choice) const;

  /// Orthonormal columns (of z in the units of the problem): differences of forces that move nothing and are in line
  /// with the slips of z*. None if no other forces have the motion of z*.
  MatrixX<double> find_free_forces() const;

  enum class Effort : std::uint8_t {
    few,  ///< some ratios of the weights of friction and normal forces: a few Cholesky factorizations
    all   ///< weights of their own for all rows, by Newton's method: some dozens of them
  };
  /// Weights with which F is positive on the span of the columns of V but where A V = 0. Nothing if none were found.
  std::optional<VectorX<double>> find_weights(const MatrixX<double>& V, Effort effort) const;
  /// Weights with which F is positive on all of the span, so that not even the forces can be others.
  std::optional<VectorX<double>> find_few_weights(const MatrixX<double>& V) const;

 private:
  struct Section {
    std::vector<int> rows;
    int normal = -1;  ///< row of zₙ; −1 where it is constant
  };
  FormFactors make_factors(const MatrixX<double>& V, const MatrixX<double>& AV) const;
  void find_sections();
  VectorX<double> find_direction(const Section& section) const;
  VectorX<double> find_widest(const Section& section) const;

  const ConstraintProblem& problem_;
  const ScaledProblem& scaled_;
  VectorX<double> z_, w_;  ///< scaled
  std::vector<Section> sections_;
  MatrixX<double> P_;  ///< Δz ↦ Δzₙ, Δz_t + e Δzₙ
};

}  // namespace thenar::internal
