// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/contact_reactions_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/base/rounding_noise.h"
#include "thenar/complementarity/lemke.h"
#include "thenar/motion/reaction_bounds_internal.h"

namespace thenar::internal {
namespace {

/// The part of the largest of A below which a row's own entry says nothing of its size.
constexpr double kLightest = 1e-3;
/// The part of the acceleration that belongs to a scenario below which what acts on a contact says nothing of the size
/// of forces: without weight, what is left of them is rounding, and no reason to break away.
constexpr double kLeastLoad = 1e-6;

/// What counts as none has a direction of its own.
double calc_least_slip(const HeldContact& contact) { return std::max(contact.calc_slip_speed(), contact.no_slip()); }

}  // namespace

ContactReactions::ContactReactions(const Model& model, const FrictionCone& cone, std::optional<double> baumgarte,
                                   double acceleration)
    : cone_(cone), baumgarte_(baumgarte), least_load_(kLeastLoad * acceleration), rows_(model), projection_(model) {
  effort_.setZero(model.velocity_count());
  slope_.setZero(model.velocity_count(), 3);
}

void ContactReactions::set_contacts(std::vector<HeldContact> next) {
  rows_.set_contacts(std::move(next));
  forces_.assign(contacts().size(), Vector4<double>::Zero());
  slips_.clear();
  is_redundant_ = false;
}

/// Storage for the rows that there are now.
void ContactReactions::prepare(std::span<const JointRow> joint_rows) {
  if (version_ == rows_.version()) return;
  version_ = rows_.version();
  z_.setZero(rows_.size());
  A_.setZero(rows_.size(), rows_.size());
  row_change_.setZero(rows_.size(), rows_.model().velocity_count());
  redundant_order_ = -1;
  bounded_.bounds = make_reaction_bounds(joint_rows, rows_.held(), contacts(), cone_);
}

/// The sizes of what accelerations of normal rows are the sum of, as forces: they do not vanish where the forces do.
void ContactReactions::update_force_scale(const double* free_acceleration) {
  const double largest = A_.diagonal().cwiseAbs().maxCoeff();
  force_scale_ = 0;
  for (std::size_t k = 0; k < rows_.contact_rows().size(); ++k) {
    if (rows_.contact_rows()[k].row != 0) continue;
    const Eigen::Index row = rows_.joint_count() + static_cast<Eigen::Index>(k);
    const double acts =
        rows_.J().multiply_sizes(static_cast<int>(row), free_acceleration) + std::abs(rows_.drift()(row));
    const double load = std::max(acts, least_load_);
    force_scale_ = std::max(force_scale_, load / std::max(std::abs(A_(row, row)), kLightest * largest));
  }
}

/// right −= 2 α J v + α² gap on the rows of contacts().
void ContactReactions::add_baumgarte(VectorX<double>& right) const {
  const double alpha = *baumgarte_;
  for (std::size_t k = 0; k < rows_.contact_rows().size(); ++k) {
    const HeldContact& contact = contacts()[rows_.contact_rows()[k].contact];
    const int row = rows_.contact_rows()[k].row;
    double& entry = right(rows_.joint_count() + static_cast<Eigen::Index>(k));
    entry -= 2 * alpha * contact.velocity()(row) + (row == 0 ? alpha * alpha * contact.gap() : 0);
  }
}

double ContactReactions::add_reactions(std::span<const JointRow> joint_rows, std::span<const int> held, double* vdot) {
  rows_.collect(joint_rows, held);
  prepare(joint_rows);
  if (rows_.slides()) rows_.set_pushes();
  rows_.calc_response(A_);
  rows_.J().multiply(vdot, z_.data());
  z_ = -rows_.drift() - z_;
  if (baumgarte_) add_baumgarte(z_);
  update_force_scale(vdot);
  forces_solver_.factorize(A_);
  is_redundant_ = forces_solver_.is_redundant();
  forces_solver_.solve_in_place(z_);
  if (is_redundant_ && rows_.slides()) share_pressure(z_);
  add_noise(z_.data(), z_.size());
  Eigen::Map<VectorX<double>>(vdot, rows_.model().velocity_count()) += rows_.calc_change(rows_.F(), z_);
  reactions_ = z_;
  joint_reactions_ = z_.head(rows_.joint_count());
  read_forces(reactions_, forces_);
  return calc_friction_power();
}

/// What friction takes from what slides, W.
double ContactReactions::calc_friction_power() const {
  double out = 0;
  for (std::size_t i = 0; i < contacts().size(); ++i) {
    for (int t = 1; contacts()[i].hold() == ContactHold::sliding && t < 4; ++t) {
      out -= forces_[i](t) * contacts()[i].velocity()(t);
    }
  }
  return out;
}

/// Friction of what slides goes the other way where the normal force is negative, and drives what it should slow down.
/// So the smallest of all forces that go with z and do not pull are taken, z + P μ with the projection P on the kernel
/// of A and 0 ≤ μ ⊥ z + P μ ≥ 0 on the normals. A little more of the diagonal lets it go on beyond the moment at which
/// something has to pull, which is an event.
void ContactReactions::share_pressure(VectorX<double>& z) {
  constexpr double kBeyond = 1e-9;
  const auto is_pulled = [&](Eigen::Index row) { return z(row) < 0; };
  if (std::none_of(rows_.normal_rows().begin(), rows_.normal_rows().end(), is_pulled)) return;
  const MatrixX<double>& kernel = forces_solver_.kernel();
  const auto count = static_cast<int>(rows_.normal_rows().size());
  const MatrixX<double> some = kernel(rows_.normal_rows(), Eigen::all);
  const MatrixX<double> moves = MatrixX<double>(kernel.transpose() * kernel).llt().solve(some.transpose());
  Lcp sharing{some * moves + kBeyond * MatrixX<double>::Identity(count, count), z(rows_.normal_rows())};
  LemkeSolver solver(count);
  const LemkeResult& result = solver.solve(sharing);
  if (result.status != LemkeStatus::solved) return;
  z += kernel * (moves * Eigen::Map<const VectorX<double>>(result.z.data(), count));
}

/// Forces of the contacts, friction of what slides included.
void ContactReactions::read_forces(const VectorX<double>& z, std::vector<Vector4<double>>& out) const {
  out.assign(contacts().size(), Vector4<double>::Zero());
  for (std::size_t k = 0; k < rows_.contact_rows().size(); ++k) {
    const ContactRow& row = rows_.contact_rows()[k];
    out[row.contact](row.row) = z(rows_.joint_count() + static_cast<Eigen::Index>(k));
  }
  for (std::size_t i = 0; i < contacts().size(); ++i) {
    if (contacts()[i].hold() != ContactHold::sliding) continue;
    for (int t = 0; t < 3; ++t) out[i](t + 1) = contacts()[i].friction_ratio()[static_cast<std::size_t>(t)] * out[i](0);
  }
}

double ContactReactions::calc_largest_force() const {
  double out = force_scale_;
  for (const Vector4<double>& force : forces_) out = std::max(out, force.head<3>().norm());
  return out;
}

double ContactReactions::find_admissible(double enough, bool goes_on) {
  const MatrixX<double>& kernel = forces_solver_.kernel();
  const std::span<const Eigen::Index> redundant = forces_solver_.redundant_rows();
  admissible_ = reactions_;
  if (goes_on && redundant_order_ == forces_solver_.order_number() && bounded_.calc_reserve(admissible_) < enough) {
    for (std::size_t k = 0; k < redundant.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      admissible_ += (redundant_(i) - reactions_(redundant[k])) * kernel.col(i);
    }
  }
  const double reserve = bounded_.improve(kernel, calc_largest_force(), enough, admissible_);
  redundant_order_ = forces_solver_.order_number();
  redundant_.resize(static_cast<Eigen::Index>(redundant.size()));
  for (std::size_t k = 0; k < redundant.size(); ++k) {
    redundant_(static_cast<Eigen::Index>(k)) = admissible_(redundant[k]);
  }
  read_forces(admissible_, admissible_forces_);
  return reserve;
}

int ContactReactions::tightest_contact() const {
  const int bound = bounded_.tightest();
  return bound < 0 ? -1 : bounded_.bounds[static_cast<std::size_t>(bound)].contact;
}

double ContactReactions::calc_least_share(std::span<const std::size_t> some, double known, double precision,
                                          double margin) {
  const auto is_asked = [&](const AdmissibleForces::Bound& bound) {
    return bound.contact >= 0 &&
           std::find(some.begin(), some.end(), static_cast<std::size_t>(bound.contact)) != some.end();
  };
  const auto set_share = [&](double share) {
    for (AdmissibleForces::Bound& bound : bounded_.bounds) {
      if (is_asked(bound)) bound.factor = share;
    }
  };
  double too_little = 0, enough = known;
  bool goes_on = false;
  while (enough - too_little > precision) {
    const double share = 0.5 * (too_little + enough);
    set_share(share);
    (find_admissible(-margin, goes_on) >= -margin ? enough : too_little) = share;
    goes_on = true;
  }
  set_share(1);
  return enough;
}

/// Of friction with the slip: ∂v̇/∂v += M⁻¹ J_tᵀ (f_N ∂r/∂u) J_t.
void ContactReactions::add_friction_slope(const HeldContact& contact, double normal_force,
                                          Eigen::Ref<MatrixX<double>> dv_dv) {
  const auto J_t = contact.J().middleRows<3>(1);
  const Matrix3<double> slope = normal_force * contact.calc_friction_slope();
  for (int k = 0; k < 3; ++k) {
    effort_ = slope(0, k) * J_t.row(0) + slope(1, k) * J_t.row(1) + slope(2, k) * J_t.row(2);
    rows_.solve(effort_.data(), slope_.col(k).data());
  }
  dv_dv.noalias() += slope_ * J_t;
}

bool ContactReactions::may_be_indeterminate() { return rows_.slides() && (!is_redundant_ || find_parts()); }

std::span<const Eigen::Index> ContactReactions::list_redundant_rows() const {
  if (!is_redundant_) return {};
  return forces_solver_.redundant_rows();
}

void ContactReactions::add_friction_slopes(Eigen::Ref<MatrixX<double>> dv_dv) {
  slips_.resize(contacts().size());
  for (std::size_t i = 0; i < contacts().size(); ++i) {
    slips_[i] = calc_least_slip(contacts()[i]);
    if (contacts()[i].hold() == ContactHold::sliding) add_friction_slope(contacts()[i], forces_[i](0), dv_dv);
  }
}

double ContactReactions::calc_fading() const {
  double out = 1;
  if (slips_.size() != contacts().size()) return out;
  for (std::size_t i = 0; i < contacts().size(); ++i) {
    if (contacts()[i].hold() != ContactHold::sliding || contacts()[i].tangent_count() < 2) continue;
    out = std::max(out, calc_least_slip(contacts()[i]) / slips_[i]);
  }
  return out;
}

void ContactReactions::constrain(Eigen::Ref<MatrixX<double>> derivatives) {
  const Eigen::Index count = derivatives.cols();
  row_change_.resize(rows_.size(), count);  // of another number of columns only where layers are sheared
  for (Eigen::Index j = 0; j < count; ++j) rows_.J().multiply(derivatives.col(j).data(), row_change_.col(j).data());
  forces_solver_.solve_in_place(row_change_);
  for (Eigen::Index j = 0; j < count; ++j) {
    z_ = row_change_.col(j);
    derivatives.col(j) -= rows_.calc_change(rows_.F(), z_);
  }
}

void ContactReactions::remember(Memory& out) const {
  out.contacts = contacts();
  out.projection = projection_.tie_memory();
  out.rest = tie_memory(*this);
}

void ContactReactions::recall(const Memory& memory) {
  rows_.recall(memory.contacts);
  projection_.tie_memory() = memory.projection;
  tie_memory(*this) = memory.rest;
}

/// Storage for the rows that hold is made again.
template <class Archive>
void ContactReactions::archive(Archive& a, const LawTable& laws, std::span<const JointRow> joint_rows) {
  rows_.archive(a, laws, joint_rows);
  if constexpr (Archive::kReads) {
    if (rows_.is_prepared()) {
      prepare(joint_rows);
      projection_.prepare(rows_, joint_rows);
    }
  }
  const auto archive_all = [&](auto&... members) { a(members...); };
  std::apply(archive_all, projection_.tie_memory());
  std::apply(archive_all, tie_memory(*this));
}
template void ContactReactions::archive<StateWriter>(StateWriter&, const LawTable&, std::span<const JointRow>);
template void ContactReactions::archive<StateReader>(StateReader&, const LawTable&, std::span<const JointRow>);

}  // namespace thenar::internal
