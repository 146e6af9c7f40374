// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/contact_reactions_internal.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"

namespace thenar::internal {
namespace {

/// Rows that depend on each other to this part are redundant: rounding of J M⁻¹ Jᵀ.
constexpr double kRedundant = 1e-11;
/// And where pivots differ by less than this there is no doubt.
constexpr double kClearlyRegular = 1e-7;
/// The part of the largest of A below which a row's own entry says nothing of its size.
constexpr double kLightest = 1e-3;
/// Speeds that should be 0 may be this part of what they are the sum of.
constexpr double kLeftOver = 1e-13;
/// Rows that depend on each other to this part do so: rounding of J M^(−1/2).
constexpr double kDependent = 1e-13;
/// Newton steps that bring a position back on its contacts: it starts within the tolerance of a step.
constexpr int kMostProjections = 6;

}  // namespace

ContactReactions::ContactReactions(const Model& model, std::optional<double> baumgarte)
    : model_(&model), baumgarte_(baumgarte), workspace_(model) {}

/// z_ becomes the solution of A z = b with the least sum of squares; tells whether there are others. Where A is clearly
/// regular, which is quick to see, it is the only one.
bool ContactReactions::solve_least(const MatrixX<double>& A, const VectorX<double>& b) {
  if (A.rows() > 0) {
    lu_.compute(A);
    const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
    if (pivots.minCoeff() > kClearlyRegular * pivots.maxCoeff()) {
      z_ = lu_.solve(b);
      return false;
    }
  }
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> factor;
  factor.setThreshold(kRedundant);
  factor.compute(A);
  z_ = factor.solve(b);
  return factor.rank() < A.cols();
}

void ContactReactions::set_contacts(std::vector<HeldContact> next) {
  contacts = std::move(next);
  forces_.assign(contacts.size(), Vector4<double>::Zero());
  is_redundant_ = false;
}

bool ContactReactions::update(const double* q, const double* v) {
  update_positions(*model_, q, workspace_);
  update_velocities(*model_, v, workspace_);
  return std::all_of(contacts.begin(), contacts.end(),
                     [&](HeldContact& contact) { return contact.update(workspace_); });
}

/// J and drift of all rows that hold: joint rows first.
void ContactReactions::collect(std::span<const JointRow> rows, std::span<const int> held) {
  contact_rows_.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    for (int k = 0; k < contacts[i].row_count(); ++k) contact_rows_.push_back({i, contacts[i].row(k)});
  }
  joint_count_ = static_cast<Eigen::Index>(held.size());
  const auto count = joint_count_ + static_cast<Eigen::Index>(contact_rows_.size());
  J_.setZero(count, model_->velocity_count());
  drift_.setZero(count);
  for (Eigen::Index k = 0; k < joint_count_; ++k) {
    const JointRow& row = rows[static_cast<std::size_t>(held[static_cast<std::size_t>(k)])];
    column_.setZero(model_->velocity_count());
    row.add_transposed(1, column_.data());
    J_.row(k) = column_;
    drift_(k) = row.bias();
  }
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    const HeldContact& contact = contacts[contact_rows_[k].contact];
    const Eigen::Index row = joint_count_ + static_cast<Eigen::Index>(k);
    J_.row(row) = contact.J().row(contact_rows_[k].row);
    drift_(row) = contact.drift()(contact_rows_[k].row);
  }
}

/// X = M⁻¹ F, or M⁻¹ Jᵀ without friction.
void ContactReactions::calc_response(bool with_friction) {
  factorize_articulated(*model_, workspace_);
  X_.resize(model_->velocity_count(), J_.rows());
  for (Eigen::Index k = 0; k < J_.rows(); ++k) {
    column_ = J_.row(k);
    if (with_friction && k >= joint_count_) {
      const ContactRow& row = contact_rows_[static_cast<std::size_t>(k - joint_count_)];
      const HeldContact& contact = contacts[row.contact];
      for (int t = 0; row.row == 0 && t < 3; ++t) {
        column_ += contact.friction_ratio()[static_cast<std::size_t>(t)] * contact.J().row(t + 1).transpose();
      }
    }
    solve_articulated(*model_, column_.data(), workspace_, X_.col(k).data());
  }
}

/// The sizes of what accelerations of normal rows are the sum of, as forces: they do not vanish where the forces do.
void ContactReactions::update_force_scale(const Eigen::Ref<const VectorX<double>>& free_acceleration) {
  const double largest = A_.diagonal().cwiseAbs().maxCoeff();
  force_scale_ = 0;
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    if (contact_rows_[k].row != 0) continue;
    const Eigen::Index row = joint_count_ + static_cast<Eigen::Index>(k);
    const double load = J_.row(row).cwiseAbs().dot(free_acceleration.cwiseAbs()) + std::abs(drift_(row));
    force_scale_ = std::max(force_scale_, load / std::max(std::abs(A_(row, row)), kLightest * largest));
  }
}

/// right −= 2 α J v + α² gap on the rows of contacts.
void ContactReactions::add_baumgarte(VectorX<double>& right) const {
  const double alpha = *baumgarte_;
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    const HeldContact& contact = contacts[contact_rows_[k].contact];
    const int row = contact_rows_[k].row;
    double& entry = right(joint_count_ + static_cast<Eigen::Index>(k));
    entry -= 2 * alpha * contact.velocity()(row) + (row == 0 ? alpha * alpha * contact.gap() : 0);
  }
}

double ContactReactions::add_reactions(std::span<const JointRow> rows, std::span<const int> held, double* vdot) {
  collect(rows, held);
  calc_response(true);
  Eigen::Map<VectorX<double>> acceleration(vdot, model_->velocity_count());
  right_ = -drift_;
  if (baumgarte_) add_baumgarte(right_);
  right_.noalias() -= J_ * acceleration;
  A_.noalias() = J_ * X_;
  update_force_scale(acceleration);
  is_redundant_ = solve_least(A_, right_);
  acceleration.noalias() += X_ * z_;
  joint_reactions_ = z_.head(joint_count_);
  forces_.assign(contacts.size(), Vector4<double>::Zero());
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    const ContactRow& row = contact_rows_[k];
    forces_[row.contact](row.row) = z_(joint_count_ + static_cast<Eigen::Index>(k));
  }
  double dissipated = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].hold() != ContactHold::sliding) continue;
    for (int t = 0; t < 3; ++t) {
      forces_[i](t + 1) = contacts[i].friction_ratio()[static_cast<std::size_t>(t)] * forces_[i](0);
      dissipated -= forces_[i](t + 1) * contacts[i].velocity()(t + 1);
    }
  }
  return dissipated;
}

void ContactReactions::assemble(std::span<const JointRow> rows, std::span<const int> held, const FrictionCone& cone,
                                const double* vdot, ConstraintProblem& problem, VectorX<double>& z) {
  std::vector<ConstraintRow> kinds;
  std::vector<ContactRow> places;
  for (const int i : held) kinds.push_back(make_problem_row(rows[static_cast<std::size_t>(i)]));
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const HeldContact& contact = contacts[i];
    places.push_back({i, 0});
    kinds.push_back({.kind = RowKind::unilateral});
    const std::size_t head = kinds.size() - 1;
    for (int t = 0; t < contact.tangent_count(); ++t) {
      const bool slides = contact.hold() == ContactHold::sliding;
      const int row = contact.tangent(t);
      const double ratio = contact.friction_ratio()[static_cast<std::size_t>(row - 1)];
      places.push_back({i, row});
      kinds.push_back({.kind = slides ? RowKind::sliding : RowKind::tangent,
                       .limit = slides ? ratio : contact.calc_friction_limit(row)});
      kinds[head].kind = RowKind::normal;
      kinds[head].faces = slides ? 0 : count_faces(cone);
    }
  }
  const auto count = static_cast<Eigen::Index>(kinds.size());
  MatrixX<double> J(count, model_->velocity_count()), X(model_->velocity_count(), count);
  VectorX<double> drift(count);
  z.setZero(count);
  J.topRows(joint_count_) = J_.topRows(joint_count_);
  drift.head(joint_count_) = drift_.head(joint_count_);
  z.head(joint_count_) = joint_reactions_;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Eigen::Index row = joint_count_ + static_cast<Eigen::Index>(k);
    J.row(row) = contacts[places[k].contact].J().row(places[k].row);
    drift(row) = contacts[places[k].contact].drift()(places[k].row);
    z(row) = forces_[places[k].contact](places[k].row);
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    column_ = J.row(k);
    solve_articulated(*model_, column_.data(), workspace_, X.col(k).data());
  }
  problem.resize(static_cast<int>(count));
  for (int k = 0; k < problem.size(); ++k) problem.row(k) = kinds[static_cast<std::size_t>(k)];
  const MatrixX<double> A = J * X;
  problem.A() = 0.5 * (A + A.transpose());
  problem.b() = J * Eigen::Map<const VectorX<double>>(vdot, model_->velocity_count()) + drift - A * z;
}

void ContactReactions::constrain(Eigen::Ref<MatrixX<double>> dv_dx, Eigen::Ref<MatrixX<double>> dv_dv) {
  MatrixX<double> response(model_->velocity_count(), 3);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].hold() != ContactHold::sliding) continue;
    const auto J_t = contacts[i].J().middleRows<3>(1);
    for (int k = 0; k < 3; ++k) {
      column_ = J_t.row(k);
      solve_articulated(*model_, column_.data(), workspace_, response.col(k).data());
    }
    dv_dv.noalias() += response * (forces_[i](0) * contacts[i].calc_friction_slope()) * J_t;
  }
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> factor;
  factor.setThreshold(kRedundant);
  factor.compute(J_ * X_);
  for (Eigen::Ref<MatrixX<double>>* matrix : {&dv_dx, &dv_dv}) {
    const MatrixX<double> change = factor.solve(J_ * *matrix);
    matrix->noalias() -= X_ * change;
  }
}

void ContactReactions::project_position(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q,
                                        const VectorX<double>& v) {
  VectorX<double> next(q.size());
  for (int pass = 0; pass < kMostProjections; ++pass) {
    if (!update(q.data(), v.data())) return;
    for (const int i : held) rows[static_cast<std::size_t>(i)].update(q.data(), v.data());
    collect(rows, held);
    // Of the rows, those with a value: joint rows that have one, and gaps.
    VectorX<double> excess = VectorX<double>::Zero(J_.rows());
    MatrixX<double> J = J_;
    double largest = 0;
    for (Eigen::Index k = 0; k < J_.rows(); ++k) {
      double value = 0;
      bool counts = false;
      if (k < joint_count_) {
        JointRow& row = rows[static_cast<std::size_t>(held[static_cast<std::size_t>(k)])];
        counts = true;
        value = row.has_value() ? row.calc_value(q.data()) : 0;
      } else {
        const ContactRow& row = contact_rows_[static_cast<std::size_t>(k - joint_count_)];
        counts = row.row == 0;
        value = counts ? contacts[row.contact].gap() : 0;
      }
      if (!counts) J.row(k).setZero();
      excess(k) = value;
      largest = std::max(largest, std::abs(value));
    }
    if (!(largest > 4 * std::numeric_limits<double>::epsilon())) return;
    calc_response(false);
    MatrixX<double> X = X_;
    for (Eigen::Index k = 0; k < J.rows(); ++k) {
      if (J.row(k).isZero(0)) X.col(k).setZero();
    }
    solve_least(J * X, -excess);
    const VectorX<double> step = X * z_;
    integrate_position(*model_, q.data(), step.data(), next.data());
    if (next == q) return;
    q = next;
  }
}

void ContactReactions::project(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q,
                               VectorX<double>& v) {
  project_position(rows, held, q, v);
  if (!update(q.data(), v.data())) return;
  for (const int i : held) rows[static_cast<std::size_t>(i)].update(q.data(), v.data());
  collect(rows, held);
  calc_response(false);
  A_.noalias() = J_ * X_;
  right_.noalias() = -(J_ * v);
  solve_least(A_, right_);
  v.noalias() += X_ * z_;
  right_.noalias() = -(J_ * v);
  const double largest = (J_.cwiseAbs() * v.cwiseAbs()).maxCoeff();
  if (right_.cwiseAbs().maxCoeff() > kLeftOver * largest) project_precisely(v);
}

/// Rows that are nearly dependent, to a part of √kRedundant or less, are not told from dependent ones by A, the square
/// of J: what velocity is left along them is found by orthogonal transformations of J M^(−1/2).
void ContactReactions::project_precisely(VectorX<double>& v) const {
  Workspace<double> workspace = workspace_;
  MassMatrix<double> mass(*model_);
  mass.update(*model_, workspace);
  const Eigen::LLT<MatrixX<double>> factor(mass.dense());
  const MatrixX<double> rows = factor.matrixL().solve(J_.transpose()).transpose();
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> decomposition;
  decomposition.setThreshold(kDependent);
  decomposition.compute(rows);
  const VectorX<double> change = decomposition.solve(right_);
  v += factor.matrixU().solve(change);
}

}  // namespace thenar::internal
