// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/row_response.h"

#include "thenar/dynamics/kinematics.h"

namespace thenar {

RowResponse::RowResponse(const Model& model, std::size_t most_rows) : workspace_(model) {
  const auto n = static_cast<Eigen::Index>(most_rows);
  A_.setZero(n, n);
  X_.setZero(model.velocity_count(), n);
  column_.setZero(model.velocity_count());
}

void RowResponse::update(const Model& model, const double* q, std::span<const JointRow> rows,
                         std::span<const int> chosen) {
  size_ = static_cast<int>(chosen.size());
  if (size_ == 0) return;
  update_positions(model, q, workspace_);
  factorize_articulated(model, workspace_);
  for (int j = 0; j < size_; ++j) {
    column_.setZero();
    rows[static_cast<std::size_t>(chosen[static_cast<std::size_t>(j)])].add_transposed(1, column_.data());
    solve_articulated(model, column_.data(), workspace_, X_.col(j).data());
  }
  for (int j = 0; j < size_; ++j) {
    for (int i = 0; i <= j; ++i) {
      // Symmetric to the last bit, so that the rows of mirrored joints are treated alike.
      const double a = rows[static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)])].multiply(X_.col(j).data());
      A_(i, j) = A_(j, i) = a;
    }
  }
}

}  // namespace thenar
