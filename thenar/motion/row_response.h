// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/motion/joint_rows.h"

namespace thenar {

/// What reactions of some rows do to the model at one position: X = M⁻¹ Jᵀ and the Delassus matrix A = J M⁻¹ Jᵀ, column
/// by column with the articulated factorization (Carv 4.1, without forming M). No heap use after construction.
class RowResponse {
 public:
  /// For up to `most_rows` rows at a time.
  RowResponse(const Model& model, std::size_t most_rows);

  /// Needs update() of the rows at q.
  void update(const Model& model, const double* q, std::span<const JointRow> rows, std::span<const int> chosen);

  int size() const { return size_; }
  auto A() const { return A_.topLeftCorner(size_, size_); }
  auto X() const { return X_.leftCols(size_); }

 private:
  Workspace<double> workspace_;
  MatrixX<double> A_, X_;
  VectorX<double> column_;
  int size_ = 0;
};

}  // namespace thenar
