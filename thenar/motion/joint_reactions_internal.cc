// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/joint_reactions_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/base/rounding_noise.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/motion/contact_projection_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// Newton steps that bring a position back on curved rows: it starts within the tolerance of a step, so two suffice.
constexpr int kMostJointProjections = 4;

}  // namespace

void stop_constant_rows(std::span<const JointRow> rows, std::span<const int> held, double* vdot) {
  for (const int i : held) {
    const JointRow& row = rows[static_cast<std::size_t>(i)];
    if (row.is_constant()) vdot[row.dof()] = 0;
  }
}

JointReactions::JointReactions(const Model& model, std::size_t most_rows)
    : model_(&model), response_(model, most_rows) {
  increment_.setZero(model.velocity_count());
  q_next_.setZero(model.position_count());
}

void JointReactions::prepare(std::span<const JointRow> rows, std::span<const int> held) {
  const auto k = static_cast<Eigen::Index>(held.size());
  factor_.setZero(k, k);
  row_products_.setZero(k, model_->velocity_count());
  has_curved_rows_ =
      std::any_of(held.begin(), held.end(), [&](int i) { return !rows[static_cast<std::size_t>(i)].is_constant(); });
}

/// b ← −A⁻¹ b.
void JointReactions::solve(VectorX<double>& b) {
  factor_ = response_.A();
  Eigen::LLT<Eigen::Ref<MatrixX<double>>> cholesky(factor_);
  b = -b;
  cholesky.solveInPlace(b);
  add_noise(b.data(), b.size());
}

void JointReactions::add_reactions(std::span<const JointRow> rows, std::span<const int> held, const double* q,
                                   double* vdot, double* effort, VectorX<double>& z) {
  response_.update(*model_, q, rows, held);
  for (std::size_t k = 0; k < held.size(); ++k) {
    const JointRow& row = rows[static_cast<std::size_t>(held[k])];
    z(static_cast<Eigen::Index>(k)) = row.multiply(vdot) + row.bias();
  }
  solve(z);
  Eigen::Map<VectorX<double>>(vdot, model_->velocity_count()).noalias() += response_.X() * z;
  for (std::size_t k = 0; k < held.size(); ++k) {
    rows[static_cast<std::size_t>(held[k])].add_transposed(z(static_cast<Eigen::Index>(k)), effort);
  }
}

void JointReactions::constrain(std::span<const JointRow> rows, std::span<const int> held,
                               Eigen::Ref<MatrixX<double>> derivatives) {
  if (held.empty()) return;
  Eigen::LLT<Eigen::Ref<MatrixX<double>>> cholesky(factor_ = response_.A());
  const Eigen::Index count = derivatives.cols();
  if (row_products_.cols() < count) row_products_.resize(Eigen::NoChange, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    for (std::size_t k = 0; k < held.size(); ++k) {
      row_products_(static_cast<Eigen::Index>(k), j) =
          rows[static_cast<std::size_t>(held[k])].multiply(derivatives.col(j).data());
    }
  }
  auto products = row_products_.leftCols(count);
  cholesky.solveInPlace(products);
  derivatives.noalias() -= response_.X() * products;
}

void JointReactions::project(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q,
                             VectorX<double>& v, VectorX<double>& z) {
  if (has_curved_rows_) project_curved(rows, held, q, v, z);
  put_on_constant_rows(rows, held, q, v);
}

void JointReactions::project_curved(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q,
                                    VectorX<double>& v, VectorX<double>& z) {
  for (int pass = 0; pass < kMostJointProjections; ++pass) {
    double excess = 0;
    for (std::size_t k = 0; k < held.size(); ++k) {
      JointRow& row = rows[static_cast<std::size_t>(held[k])];
      row.update(q.data(), v.data());
      const double value = row.calc_value(q.data());
      z(static_cast<Eigen::Index>(k)) = value;
      if (row.has_value()) {
        const double rounding = std::numeric_limits<double>::epsilon() * std::abs(q(row.coordinate()));
        excess = std::max(excess, std::abs(value) - rounding);
      }
    }
    response_.update(*model_, q.data(), rows, held);
    if (!(excess > 0)) break;
    solve(z);
    increment_.noalias() = response_.X() * z;
    integrate_position(*model_, q.data(), increment_.data(), q_next_.data());
    q.swap(q_next_);
  }
  for (std::size_t k = 0; k < held.size(); ++k) {
    JointRow& row = rows[static_cast<std::size_t>(held[k])];
    row.update(q.data(), v.data());
    z(static_cast<Eigen::Index>(k)) = row.multiply(v.data());
  }
  solve(z);
  v.noalias() += response_.X() * z;
}

}  // namespace thenar::internal
