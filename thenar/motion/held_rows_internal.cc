// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/held_rows_internal.h"

#include <algorithm>

#include "thenar/dynamics/kinematics.h"
#include "thenar/spatial/state_archive.h"

namespace thenar::internal {

HeldRows::HeldRows(const Model& model) : model_(&model), workspace_(model), J_(model), pushes_(model) {
  for (VectorX<double>* vector : {&column_, &effort_, &change_}) vector->setZero(model.velocity_count());
}

void HeldRows::set_contacts(std::vector<HeldContact> next) {
  contacts = std::move(next);
  is_prepared_ = false;
}

void HeldRows::recall(const std::vector<HeldContact>& known) {
  contacts = known;
  is_factorized_ = false;
}

bool HeldRows::update(const double* q, const double* v) {
  update_positions(*model_, q, workspace_);
  update_velocities(*model_, v, workspace_);
  is_factorized_ = false;
  return follow();
}

void HeldRows::begin(const double* q, const double* v, const double* effort,
                     std::span<const BodyWrench<double>> wrenches, double* vdot) {
  forward_dynamics_with_factors(*model_, q, v, effort, wrenches, workspace_, vdot);
  is_factorized_ = true;
}

bool HeldRows::follow() {
  return std::all_of(contacts.begin(), contacts.end(),
                     [&](HeldContact& contact) { return contact.update(workspace_); });
}

void HeldRows::prepare(std::span<const JointRow> joint_rows, std::span<const int> held) {
  if (is_prepared_ && std::equal(held.begin(), held.end(), held_.begin(), held_.end())) return;
  is_prepared_ = true;
  ++version_;
  held_.assign(held.begin(), held.end());
  joint_count_ = static_cast<Eigen::Index>(held.size());
  contact_rows_.clear();
  normal_rows_.clear();
  slides_ = false;
  for (SparseRows* set : {&J_, &pushes_}) {
    set->clear();
    for (const int i : held) set->add_group(joint_rows[static_cast<std::size_t>(i)].dofs(), 1);
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const HeldContact& contact = contacts[i];
    const BodyIndex A = contact.found().body_A, B = contact.found().body_B;
    for (SparseRows* set : {&J_, &pushes_}) set->add_group(A, B, contact.row_count());
    normal_rows_.push_back(joint_count_ + static_cast<Eigen::Index>(contact_rows_.size()));
    for (int k = 0; k < contact.row_count(); ++k) contact_rows_.push_back({i, contact.row(k)});
    slides_ = slides_ || contact.hold() == ContactHold::sliding;
  }
  for (SparseRows* set : {&J_, &pushes_}) set->finish();
  drift_.setZero(J_.size());
}

void HeldRows::set_joint_rows(std::span<const JointRow> joint_rows, std::span<const int> held, SparseRows& out) {
  for (std::size_t k = 0; k < held.size(); ++k) {
    const JointRow& row = joint_rows[static_cast<std::size_t>(held[k])];
    row.add_transposed(1, column_.data());
    out.set_row(static_cast<int>(k), column_);
    row.add_transposed(-1, column_.data());
  }
}

void HeldRows::collect(std::span<const JointRow> joint_rows, std::span<const int> held) {
  prepare(joint_rows, held);
  set_joint_rows(joint_rows, held, J_);
  for (Eigen::Index k = 0; k < joint_count_; ++k) {
    drift_(k) = joint_rows[static_cast<std::size_t>(held[static_cast<std::size_t>(k)])].bias();
  }
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    const HeldContact& contact = contacts[contact_rows_[k].contact];
    const Eigen::Index row = joint_count_ + static_cast<Eigen::Index>(k);
    J_.set_row(static_cast<int>(row), contact.J().row(contact_rows_[k].row));
    drift_(row) = contact.drift()(contact_rows_[k].row);
  }
}

void HeldRows::set_pushes() {
  pushes_.copy_entries(J_);
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    const HeldContact& contact = contacts[contact_rows_[k].contact];
    if (contact.hold() != ContactHold::sliding) continue;
    const std::array<double, 3>& ratio = contact.friction_ratio();
    const auto& J = contact.J();
    pushes_.set_row(static_cast<int>(joint_count_) + static_cast<int>(k),
                    J.row(0) + ratio[0] * J.row(1) + ratio[1] * J.row(2) + ratio[2] * J.row(3));
  }
}

void HeldRows::factorize() {
  if (!is_factorized_) factorize_articulated(*model_, workspace_);
  is_factorized_ = true;
}

void HeldRows::calc_response(MatrixX<double>& out) {
  factorize();
  J_.reduce(workspace_);
  if (slides_) pushes_.reduce_like(J_, workspace_);
  J_.calc_response(F(), out);
}

void HeldRows::calc_symmetric_response(MatrixX<double>& out) {
  factorize();
  J_.reduce(workspace_);
  J_.calc_response(J_, out);
}

const VectorX<double>& HeldRows::calc_change(const SparseRows& F, const VectorX<double>& z) {
  effort_.setZero();
  F.add_transposed(z.data(), effort_.data());
  solve(effort_.data(), change_.data());
  return change_;
}

void HeldRows::solve(const double* tau, double* change) { solve_articulated(*model_, tau, workspace_, change); }

/// Storage for the rows that hold is made again.
template <class Archive>
void HeldRows::archive(Archive& a, const LawTable& laws, std::span<const JointRow> joint_rows) {
  const std::size_t count = a.size(contacts.size());
  if constexpr (Archive::kReads) {
    contacts.clear();
    for (std::size_t i = 0; i < count; ++i) contacts.emplace_back(*model_, laws, a);
  } else {
    for (HeldContact& contact : contacts) contact.archive(a);
  }
  std::vector<int> held = is_prepared_ ? held_ : std::vector<int>();
  bool is_prepared = is_prepared_;
  a(held, is_prepared);
  if constexpr (Archive::kReads) {
    for (const int i : held) {
      if (i < 0 || static_cast<std::size_t>(i) >= joint_rows.size()) {
        throw StateError("it holds a row that does not exist");
      }
    }
    is_prepared_ = false;
    is_factorized_ = false;
    if (is_prepared) prepare(joint_rows, held);
  }
}
template void HeldRows::archive<StateWriter>(StateWriter&, const LawTable&, std::span<const JointRow>);
template void HeldRows::archive<StateReader>(StateReader&, const LawTable&, std::span<const JointRow>);

}  // namespace thenar::internal
