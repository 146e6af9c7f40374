// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The inside of LinearProgram: CLP, and what stands around it. linear_program.cc poses and solves,
/// linear_program_answers_internal.cc reads answers and checks them.

#include <cmath>
#include <coin/ClpSimplex.hpp>
#include <vector>

#include "thenar/linear_programs/linear_program.h"
#include "thenar/linear_programs/vertex_edges_internal.h"

namespace thenar {
namespace internal {

enum class LpMethod { primal, dual };

/// The power of two that brings `size` to [1/2, 1); 1 for 0.
inline double find_scale(double size) {
  if (!(size > 0)) return 1;
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, -exponent);
}

}  // namespace internal

/// The program in CLP's units: A ← R A C, x ← C⁻¹ x, rows ← R rows, c ← K C c, with diagonal R, C and K. K has one
/// factor for each block of A (rows and columns that entries connect): blocks are programs of their own, and the costs
/// of one in other units than those of another must not look like zero beside them.
struct LinearProgram::Work {
  explicit Work(const MatrixX<double>& matrix);

  Eigen::Index rows() const { return A.rows(); }
  Eigen::Index columns() const { return A.cols(); }
  void set_up(ClpSimplex& program) const;
  void scale();
  void find_blocks();
  void load();

  void drop_costs();
  void update_costs();
  bool mend_places();
  bool run(internal::LpMethod method) { return run(simplex, method); }
  static bool run(ClpSimplex& program, internal::LpMethod method);
  LpStatus solve_without_entries();
  LpStatus attempt();
  LpStatus retry();
  LpStatus finish_optimum();
  LpStatus name_infeasible();
  LpStatus name_unbounded();
  bool push_to_vertex();
  void set_place(int k, ClpSimplex::Status place);
  std::vector<bool> find_basic() const;
  internal::VertexProblem make_vertex() const;
  bool read_optimum();
  bool read_farkas();
  bool take_farkas(const double* found);
  bool find_impossible_row();
  bool find_farkas_by_weights();
  bool find_ray();
  bool clean_farkas(VectorX<double>& y) const;
  double calc_gap(const VectorX<double>& y) const;
  bool is_feasible(const VectorX<double>& scaled_x);
  bool are_feasible(const VectorX<double>& scaled_multipliers) const;
  void start_over();

  MatrixX<double> A;
  VectorX<double> row_scale, column_scale;
  VectorX<double> costs;  ///< of the caller
  std::vector<std::size_t> row_block, column_block;
  VectorX<double> cost_scale;     ///< by block
  bool is_dual_feasible = false;  ///< the basis was optimal with these costs
  bool has_vertex = false;        ///< optimal, and the bounds and the basis are still those of the vertex
  ClpSimplex simplex;

  LpStatus status = LpStatus::failed;
  VectorX<double> x, activity, multipliers, farkas, ray;
  double objective = 0;
  bool has_all_edges = true;
};

}  // namespace thenar
