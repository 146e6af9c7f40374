// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Whether redundant contacts can have forces that their friction cones admit. All forces of one motion are z + N c,
/// with the kernel N of A, and what they must obey is convex in c:
///
///     cone    p · z + d ≥ |(w₁ z₁, w₂ z₂, w₃ z₃)|          plane    p · z + d ≥ w₁ z₁ + w₂ z₂ + w₃ z₃             (1)
///
/// with p one factor of one force, that along the normal. Asked is for the largest τ that the left sides of all of them
/// can exceed the right sides by at once. Other than the motion of contacts that may slip, which (6) of
/// constraint_problem.h can leave open, it is one number: as long as it is not negative, what is at rest can stay
/// there.
///
/// An interior-point method (logarithmic barrier, BoydVandenberghe2004, 11.3 and 11.6) tells at every centre how much
/// more there can be, ν/κ. It ends as soon as it is known whether τ reaches what is enough. The unknowns are as many as
/// forces are redundant, which are few.

#include <array>
#include <span>
#include <vector>

#include "thenar/spatial/decompositions.h"
#include "thenar/spatial/linear.h"

namespace thenar::internal {

class AdmissibleForces {
 public:
  struct Bound {
    int head = 0;       ///< the normal force among z
    double factor = 1;  ///< of it
    double offset = 0;  ///< d
    int count = 0;      ///< of the forces on the right
    std::array<int, 3> rows{};
    std::array<double, 3> weights{};
    bool is_cone = false;
    int contact = -1;  ///< whose bound it is; −1: of a joint
  };
  std::vector<Bound> bounds;

  /// τ of z itself.
  double calc_reserve(const VectorX<double>& z) const;

  /// Moves z along the columns of `kernel` until τ is at least `enough`, and well inside if that is possible; if it
  /// cannot be reached, to where τ is largest. Returns the τ of z. `scale` is the size of the forces. No heap use with
  /// a kernel and bounds of the same sizes as before.
  double improve(const MatrixX<double>& kernel, double scale, double enough, VectorX<double>& z);

  /// After that: the bound that is hardest to meet; −1 if there is none.
  int tightest() const { return tightest_; }

 private:
  /// Rows of G and values of one bound: its left side, and of a cone each entry of its right side.
  struct Place {
    Eigen::Index first = 0;
    int count = 0;
  };

  void set_up(const MatrixX<double>& kernel, const VectorX<double>& z);
  double calc_room(const Place& place, const VectorX<double>& values, double tau) const;
  double calc_objective(const VectorX<double>& values, double tau, double kappa) const;
  double find_least_room(const VectorX<double>& values) const;
  void calc_newton_system(double kappa);
  double take_step(double kappa);
  void find_tightest();

  std::vector<Place> places_;
  MatrixX<double> G_;  ///< how values change with c
  VectorX<double> values_, start_, trial_, rates_;
  VectorX<double> gradient_, step_, c_;  ///< c, and τ last in the first two
  MatrixX<double> hessian_, part_;
  Eigen::LLT<MatrixX<double>> cholesky_;
  double tau_ = 0;
  int tightest_ = -1;
};

}  // namespace thenar::internal
