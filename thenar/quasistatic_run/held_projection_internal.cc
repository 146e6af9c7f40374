// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/held_projection_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/dynamics/kinematics.h"
#include "thenar/quasistatic_run/mode_answer_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Matrix = MatrixX<double>;
using Vector = VectorX<double>;

/// Newton steps that put positions back on what is held: they start close to it.
constexpr int kMostSlowProjections = 8;

}  // namespace

void HeldProjection::put_back(const HeldSet& held, Workspace<double>& workspace, Vector& q) {
  Vector q_next = q;
  double last = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kMostSlowProjections; ++pass) {
    if (!read_gaps(held, workspace, q)) return;
    const double largest = calc_largest_gap();
    // Rounding, or what nothing can mend.
    if (largest <= 4 * std::numeric_limits<double>::epsilon() * length_) return;
    if (largest > 0.5 * last) return;
    last = largest;
    if (units_.size() == 0) return;
    const Vector step = calc_step();
    integrate_position(model_, q.data(), step.data(), q_next.data());
    q = q_next;
  }
}

/// False where contacts cannot be followed.
bool HeldProjection::read_gaps(const HeldSet& held, Workspace<double>& workspace, const Vector& q) {
  const Vector rest = Vector::Zero(model_.velocity_count());
  update_positions(model_, q.data(), workspace);
  update_velocities(model_, rest.data(), workspace);
  rows_.clear();
  gaps_.clear();
  for (HeldContact& contact : held.contacts) {
    if (!contact.update(workspace)) return false;
    rows_.emplace_back(contact.J().row(0).transpose());
    gaps_.push_back(contact.gap());
  }
  for (const int stop : held.held_stops) {
    JointRow& row = held.stops[static_cast<std::size_t>(stop)];
    rows_.push_back(make_stop_row(model_, row, q, false).n);
    gaps_.push_back(row.calc_value(q.data()));
  }
  return true;
}

double HeldProjection::calc_largest_gap() const {
  double largest = 0;
  for (const double gap : gaps_) largest = std::max(largest, std::abs(gap));
  return largest;
}

/// The least change that closes the gaps, as far as they are linear.
Vector HeldProjection::calc_step() const {
  Matrix A(static_cast<Index>(rows_.size()), units_.size());
  Vector b(A.rows());
  for (Index k = 0; k < A.rows(); ++k) {
    const Vector& row = rows_[static_cast<std::size_t>(k)];
    Index j = 0;
    for (const int dof : assembler_.object_dofs()) A(k, j++) = row(dof);
    for (const int dof : assembler_.joint_dofs()) {
      if (assembler_.is_unknown(dof)) A(k, j++) = row(dof);
    }
    A.row(k) = A.row(k).cwiseProduct(units_.transpose());
    b(k) = -gaps_[static_cast<std::size_t>(k)];
  }
  Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
  factor.setThreshold(kSlowRank);
  factor.compute(A);
  const Vector u = units_.cwiseProduct(factor.solve(b));
  Vector step = Vector::Zero(model_.velocity_count());
  Index j = 0;
  for (const int dof : assembler_.object_dofs()) step(dof) = u(j++);
  for (const int dof : assembler_.joint_dofs()) {
    if (assembler_.is_unknown(dof)) step(dof) = u(j++);
  }
  return step;
}

}  // namespace thenar::internal
