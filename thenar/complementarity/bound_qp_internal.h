// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The active-set method of exact_solver.h, on scaled numbers:
///
///     minimize ½ zᵀ A z + bᵀ z,  lower ≤ z ≤ upper,   w = A z + b,
///
/// A symmetric positive semidefinite with a diagonal of about 1, lower ≤ 0 ≤ upper. Rows with both bounds infinite are
/// *free*. The steps 1, 2, 3 of exact_solver.h are settle(), choose_row() and drive().

#include <optional>
#include <vector>

#include "thenar/complementarity/held_factor_internal.h"

namespace thenar::internal {

/// Where zᵢ stands.
enum class Place : unsigned char {
  held,      ///< in the basis: wᵢ = 0
  at_lower,  ///< zᵢ = lower
  at_upper,  ///< zᵢ = upper
  parked     ///< zᵢ = 0 inside its bounds, not in the basis
};

enum class QpOutcome : unsigned char { solved, infeasible, indefinite, ill_conditioned, pivot_limit };

class BoundQp {
 public:
  explicit BoundQp(int capacity);

  /// Sizes the data for n rows; every row starts at the bound that is 0, or parked. Fill A, b, lower and upper (all of
  /// them), `b_error` where it is not 0, and `place` for a warm start before run().
  void reset(int n);

  MatrixX<double> A;             ///< the leading n × n block counts
  VectorX<double> b, b_error;    ///< the first n numbers count, here and below
  VectorX<double> lower, upper;  ///< lower ≤ 0 ≤ upper
  std::vector<Place> place;      ///< before run(): a guess; after it: the answer
  double epsilon = 0;            ///< relative error of A and b, at least `rounding`
  double rounding = 0;           ///< relative error of sums of n terms
  long long pivot_limit = 0;

  VectorX<double> z, w;  ///< the answer, or the last point within bounds
  VectorX<double> ray;   ///< infeasible: the certificate
  double residual = 0;   ///< largest violation by w beyond b_error, as a part of motion_scale()
  long long pivots = 0;

  int size() const { return n_; }
  QpOutcome run();

  const HeldFactor& factor() const { return factor_; }
  bool is_free(int i) const;
  /// The bounds let zᵢ move at all.
  bool is_movable(int i) const { return lower[i] < upper[i]; }

  /// How row k hangs together with the held rows.
  struct Direction {
    double s = 0;              ///< A_kk − A_kC A_CC⁻¹ A_Ck
    double amplification = 0;  ///< 1 + |A_CC⁻¹ A_Ck|₁
    bool dependent = false;    ///< s = 0 within the error of A
  };
  /// Leaves y = A_CC⁻¹ A_Ck in y(), in the order of factor().
  Direction calc_direction(int k);
  const VectorX<double>& y() const { return y_; }

  /// max |b| + |z|₁: a relative error ε of A and b changes w by at most ε times this.
  double motion_scale() const;
  /// w_k is zero within the error of the data. May overwrite y().
  bool is_motion_zero(int k);
  /// z of the held row at position p of the factor is at one of its bounds, within the error of the data.
  bool is_held_at_bound(int p);

 private:
  enum class Pricing : unsigned char { largest, first };
  enum class Accuracy : unsigned char { plain, refined };
  enum class Drive : unsigned char { moved, settled, infeasible, indefinite, ill_conditioned };
  enum class Verdict : unsigned char { zero, movable, unclear };
  struct Step {
    double length;
    int position;  ///< in the factor, of the row that stops the step; −1: none
    bool at_upper;
  };

  static QpOutcome outcome_of(Drive result);
  QpOutcome search(Pricing pricing);
  QpOutcome pivot(Pricing pricing);
  bool is_back();
  void place_nonbasic();
  void hold_free_rows();
  void hold_guess();
  void calc_target(Accuracy accuracy);
  void settle(Accuracy accuracy);
  void update_motion();
  std::optional<int> choose_row(Pricing pricing) const;
  double calc_violation(int k) const;
  bool is_settled(int k, const Direction& direction) const;
  Verdict judge_leftover(const Direction& direction, double motion) const;
  void save();
  void restore();
  Drive drive(int k);
  Step find_block(double sign) const;
  void refine_direction(int k);
  bool certify(int k, double sign, const Direction& direction);
  bool is_proof() const;
  void hold(int k, const Direction& direction);
  void drop(int position, bool at_upper);
  void hold_parked_rows();

  int n_ = 0;
  double b_scale_ = 0;
  HeldFactor factor_;
  VectorX<double> column_, y_, target_, load_, saved_z_;
  std::vector<Place> saved_place_, landmark_;
  long long rounds_ = 0;
  std::vector<int> candidates_;
  std::vector<unsigned char> settled_;  ///< rows found to be zero within the error since z last moved
};

}  // namespace thenar::internal
