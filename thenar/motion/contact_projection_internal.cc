// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/contact_projection_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// Speeds that should be 0 may be this part of what they are the sum of.
constexpr double kLeftOver = 1e-13;
/// Rows that depend on each other to this part do so: contacts are no better known than bodies that touch are near, so
/// that two at one place, on either side of a seam, are one.
constexpr double kDependent = 1e-8;
/// Newton steps that bring a position back on its contacts: it starts within the tolerance of a step.
constexpr int kMostContactProjections = 6;

/// What is left of gaps by the rounding of where they are, m.
double calc_gap_rounding(std::span<const HeldContact> contacts) {
  double farthest = 1;
  for (const HeldContact& contact : contacts) {
    const Vec3<double>& p = contact.kinematics().place().A.p;
    farthest = std::max({farthest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  }
  return 4 * std::numeric_limits<double>::epsilon() * farthest;
}

}  // namespace

void put_on_constant_rows(std::span<JointRow> joint_rows, std::span<const int> held, VectorX<double>& q,
                          VectorX<double>& v) {
  for (const int i : held) {
    JointRow& row = joint_rows[static_cast<std::size_t>(i)];
    if (!row.is_constant()) continue;
    v(row.dof()) = 0;
    if (row.has_value()) q(row.coordinate()) = row.calc_target(q.data());
  }
}

ContactProjection::ContactProjection(const Model& model) : gap_rows_(model) { q_next_.setZero(model.position_count()); }

void ContactProjection::prepare(const HeldRows& rows, std::span<const JointRow> joint_rows) {
  if (version_ == rows.version()) return;
  version_ = rows.version();
  gap_rows_.clear();
  for (const int i : rows.held()) gap_rows_.add_group(joint_rows[static_cast<std::size_t>(i)].dofs(), 1);
  for (const HeldContact& contact : rows.contacts) {
    gap_rows_.add_group(contact.found().body_A, contact.found().body_B, 1);
  }
  gap_rows_.finish();
  for (VectorX<double>* vector : {&z_, &speeds_}) vector->setZero(rows.size());
  response_.setZero(rows.size(), rows.size());
  gaps_.setZero(gap_rows_.size());
  gap_response_.setZero(gap_rows_.size(), gap_rows_.size());
  has_gap_storage_ = false;
}

/// Rows with a value in q, their values, and the largest of these, m or rad.
double ContactProjection::collect_gaps(HeldRows& rows, std::span<JointRow> joint_rows, std::span<const int> held,
                                       const double* q) {
  rows.prepare(joint_rows, held);
  prepare(rows, joint_rows);
  rows.set_joint_rows(joint_rows, held, gap_rows_);
  for (std::size_t k = 0; k < held.size(); ++k) {
    JointRow& row = joint_rows[static_cast<std::size_t>(held[k])];
    gaps_(static_cast<Eigen::Index>(k)) = row.has_value() ? row.calc_value(q) : 0;
  }
  for (std::size_t i = 0; i < rows.contacts.size(); ++i) {
    const Eigen::Index row = rows.joint_count() + static_cast<Eigen::Index>(i);
    gap_rows_.set_row(static_cast<int>(row), rows.contacts[i].J().row(0));
    gaps_(row) = rows.contacts[i].gap();
  }
  return gaps_.cwiseAbs().maxCoeff();
}

/// Leaves everything updated at (q, v); false where a contact is lost.
bool ContactProjection::project_position(HeldRows& rows, std::span<JointRow> joint_rows, std::span<const int> held,
                                         VectorX<double>& q, const VectorX<double>& v) {
  for (int pass = 0;; ++pass) {
    if (!rows.update(q.data(), v.data())) return false;
    for (const int i : held) joint_rows[static_cast<std::size_t>(i)].update(q.data(), v.data());
    const bool is_off = collect_gaps(rows, joint_rows, held, q.data()) > calc_gap_rounding(rows.contacts);
    // Whether it is off may be rounding, but storage is made at once, when contacts have changed.
    if (pass == kMostContactProjections || (!is_off && has_gap_storage_)) return true;
    has_gap_storage_ = true;
    rows.factorize();
    gap_rows_.reduce(rows.workspace());
    gap_rows_.calc_response(gap_rows_, gap_response_);
    gaps_solver_.factorize(gap_response_);
    gaps_ = -gaps_;
    gaps_solver_.solve_in_place(gaps_);
    if (!is_off) return true;
    const VectorX<double>& step = rows.calc_change(gap_rows_, gaps_);
    integrate_position(rows.model(), q.data(), step.data(), q_next_.data());
    if (q_next_ == q) return true;
    q = q_next_;
  }
}

double ContactProjection::project(HeldRows& rows, std::span<JointRow> joint_rows, std::span<const int> held,
                                  VectorX<double>& q, VectorX<double>& v, bool precisely) {
  if (!project_position(rows, joint_rows, held, q, v)) return 0;
  rows.collect(joint_rows, held);
  rows.calc_symmetric_response(response_);
  rows.J().multiply(v.data(), speeds_.data());
  speeds_ = -speeds_;
  z_ = speeds_;
  speeds_solver_.factorize(response_);
  speeds_solver_.solve_in_place(z_);
  v += rows.calc_change(rows.J(), z_);
  const double lost = 0.5 * speeds_.dot(z_);  // half of zᵀ A z
  if (!precisely) return lost;
  double largest = 0;
  for (int k = 0; k < rows.J().size(); ++k) largest = std::max(largest, rows.J().multiply_sizes(k, v.data()));
  rows.J().multiply(v.data(), z_.data());
  if (z_.size() > 0 && z_.cwiseAbs().maxCoeff() > kLeftOver * largest) project_precisely(rows, v);
  return lost;
}

/// Rows that are nearly dependent are not told from dependent ones by A, the square of J: what velocity is left along
/// them is found by orthogonal transformations of J M^(−1/2).
void ContactProjection::project_precisely(HeldRows& rows, VectorX<double>& v) {
  const Model& model = rows.model();
  MatrixX<double> J = MatrixX<double>::Zero(model.velocity_count(), rows.size());  // by columns
  for (int k = 0; k < rows.J().size(); ++k) {
    z_.setZero();
    z_(k) = 1;
    rows.J().add_transposed(z_.data(), J.col(k).data());
  }
  rows.J().multiply(v.data(), z_.data());
  z_ = -z_;
  MassMatrix<double> mass(model);
  mass.update(model, rows.workspace());
  const Eigen::LLT<MatrixX<double>> factor(mass.dense());
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> decomposition;
  decomposition.setThreshold(kDependent);
  decomposition.compute(factor.matrixL().solve(J).transpose());
  const VectorX<double> change = decomposition.solve(z_);
  v += factor.matrixU().solve(change);
}

void StateProjection::project(std::span<JointRow> joint_rows, std::span<const int> held,
                              std::vector<HeldContact> contacts, VectorX<double>& q, VectorX<double>& v) {
  rows_.set_contacts(std::move(contacts));
  ContactProjection(*model_).project(rows_, joint_rows, held, q, v, true);
  put_on_constant_rows(joint_rows, held, q, v);
}

}  // namespace thenar::internal
