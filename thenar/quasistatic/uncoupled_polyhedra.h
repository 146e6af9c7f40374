// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The polyhedra of velocities and forces whose complementary points are the quasistatic motions, as PTL define them
/// (section 2, Theorem 1):
///
///     X = {x = (v_n, v_t⁺, v_t⁻) ≥ 0 :  Z_n v_n + Z_t (v_t⁺ − v_t⁻) + Z J_α θ̇_α = 0}
///     Y = {y = (c_n, s_t⁺, s_t⁻) ≥ 0 :  C y + d = 0}
///
///     C = [ 2U             −I        −I ]        d = [ 0              ]
///         [ W_n − W_t U     W_t       0 ]            [ g_obj          ]
///         [ (J_n − U J_t)ᵀ  J_tᵀ      0 ] of ᾱ       [ (g_man − τ)_ᾱ ]
///
/// with U = diag(μ), s_t⁺ = μ c_n + c_t, s_t⁻ = μ c_n − c_t, and rows of Z that span the left null space of
/// P = [Wᵀ J_ᾱ]. Here they are orthonormal. A pair with xᵀy = 0 is a solution, and the other way round.

#include "thenar/linear_programs/linear_program.h"
#include "thenar/quasistatic/quasistatic_problem.h"

namespace thenar {

struct UncoupledPolyhedra {
  MatrixX<double> Z;
  MatrixX<double> X_rows, C;  ///< X = {x ≥ 0 : X_rows x + X_known = 0}
  VectorX<double> X_known, d;

  /// Programs over X and Y without costs.
  LinearProgram make_X() const;
  LinearProgram make_Y() const;
};

UncoupledPolyhedra make_polyhedra(const QuasistaticProblem& problem);

}  // namespace thenar
