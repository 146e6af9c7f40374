// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/contact_reactions_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/base/rounding_noise.h"
#include "thenar/complementarity/lemke.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/mass_matrix.h"
#include "thenar/motion/reaction_bounds_internal.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// The part of the largest of A below which a row's own entry says nothing of its size.
constexpr double kLightest = 1e-3;
/// The part of the acceleration that belongs to a scenario below which what acts on a contact says nothing of the size
/// of forces: without weight, what is left of them is rounding, and no reason to break away.
constexpr double kLeastLoad = 1e-6;
/// Speeds that should be 0 may be this part of what they are the sum of.
constexpr double kLeftOver = 1e-13;
/// Rows that depend on each other to this part do so: contacts are no better known than bodies that touch are near, so
/// that two at one place, on either side of a seam, are one.
constexpr double kDependent = 1e-8;
/// Newton steps that bring a position back on its contacts: it starts within the tolerance of a step.
constexpr int kMostContactProjections = 6;

/// What counts as none has a direction of its own.
double calc_least_slip(const HeldContact& contact) { return std::max(contact.calc_slip_speed(), contact.no_slip()); }

}  // namespace

ContactReactions::ContactReactions(const Model& model, const FrictionCone& cone, std::optional<double> baumgarte,
                                   double acceleration)
    : model_(&model),
      cone_(cone),
      baumgarte_(baumgarte),
      least_load_(kLeastLoad * acceleration),
      workspace_(model),
      rows_(model),
      pushes_(model),
      gap_rows_(model) {
  for (VectorX<double>* vector : {&column_, &effort_, &change_}) vector->setZero(model.velocity_count());
  q_next_.setZero(model.position_count());
  slope_.setZero(model.velocity_count(), 3);
}

void ContactReactions::set_contacts(std::vector<HeldContact> next) {
  contacts = std::move(next);
  forces_.assign(contacts.size(), Vector4<double>::Zero());
  slips_.clear();
  is_redundant_ = false;
  is_prepared_ = false;
}

bool ContactReactions::update(const double* q, const double* v) {
  update_positions(*model_, q, workspace_);
  update_velocities(*model_, v, workspace_);
  is_factorized_ = false;
  return follow();
}

void ContactReactions::begin(const double* q, const double* v, const double* effort,
                             std::span<const BodyWrench<double>> wrenches, double* vdot) {
  forward_dynamics_with_factors(*model_, q, v, effort, wrenches, workspace_, vdot);
  is_factorized_ = true;
}

bool ContactReactions::follow() {
  return std::all_of(contacts.begin(), contacts.end(),
                     [&](HeldContact& contact) { return contact.update(workspace_); });
}

/// Which rows there are, and where they have entries.
void ContactReactions::prepare(std::span<const JointRow> rows, std::span<const int> held) {
  if (is_prepared_ && std::equal(held.begin(), held.end(), held_.begin(), held_.end())) return;
  is_prepared_ = true;
  held_.assign(held.begin(), held.end());
  joint_count_ = static_cast<Eigen::Index>(held.size());
  contact_rows_.clear();
  normal_rows_.clear();
  slides_ = false;
  for (SparseRows* set : {&rows_, &pushes_, &gap_rows_}) {
    set->clear();
    for (const int i : held) set->add_group(rows[static_cast<std::size_t>(i)].dofs(), 1);
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const HeldContact& contact = contacts[i];
    const BodyIndex A = contact.found().body_A, B = contact.found().body_B;
    rows_.add_group(A, B, contact.row_count());
    pushes_.add_group(A, B, contact.row_count());
    gap_rows_.add_group(A, B, 1);
    normal_rows_.push_back(joint_count_ + static_cast<Eigen::Index>(contact_rows_.size()));
    for (int k = 0; k < contact.row_count(); ++k) contact_rows_.push_back({i, contact.row(k)});
    slides_ = slides_ || contact.hold() == ContactHold::sliding;
  }
  for (SparseRows* set : {&rows_, &pushes_, &gap_rows_}) set->finish();
  drift_.setZero(rows_.size());
  z_.setZero(rows_.size());
  speeds_.setZero(rows_.size());
  A_.setZero(rows_.size(), rows_.size());
  gaps_.setZero(gap_rows_.size());
  gap_A_.setZero(gap_rows_.size(), gap_rows_.size());
  row_change_.setZero(rows_.size(), model_->velocity_count());
  redundant_order_ = -1;
  has_gap_storage_ = false;
  bounded_.bounds = make_reaction_bounds(rows, held_, contacts, cone_);
}

void ContactReactions::set_joint_rows(std::span<const JointRow> rows, std::span<const int> held, SparseRows& out) {
  for (std::size_t k = 0; k < held.size(); ++k) {
    const JointRow& row = rows[static_cast<std::size_t>(held[k])];
    row.add_transposed(1, column_.data());
    out.set_row(static_cast<int>(k), column_);
    row.add_transposed(-1, column_.data());
  }
}

/// J and drift of all rows that hold: joint rows first.
void ContactReactions::collect(std::span<const JointRow> rows, std::span<const int> held) {
  prepare(rows, held);
  set_joint_rows(rows, held, rows_);
  for (Eigen::Index k = 0; k < joint_count_; ++k) {
    drift_(k) = rows[static_cast<std::size_t>(held[static_cast<std::size_t>(k)])].bias();
  }
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    const HeldContact& contact = contacts[contact_rows_[k].contact];
    const Eigen::Index row = joint_count_ + static_cast<Eigen::Index>(k);
    rows_.set_row(static_cast<int>(row), contact.J().row(contact_rows_[k].row));
    drift_(row) = contact.drift()(contact_rows_[k].row);
  }
}

/// F from the rows collected and the friction of what slides.
void ContactReactions::set_pushes() {
  pushes_.copy_entries(rows_);
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    const HeldContact& contact = contacts[contact_rows_[k].contact];
    if (contact.hold() != ContactHold::sliding) continue;
    const std::array<double, 3>& ratio = contact.friction_ratio();
    const auto& J = contact.J();
    pushes_.set_row(static_cast<int>(joint_count_) + static_cast<int>(k),
                    J.row(0) + ratio[0] * J.row(1) + ratio[1] * J.row(2) + ratio[2] * J.row(3));
  }
}

void ContactReactions::factorize() {
  if (!is_factorized_) factorize_articulated(*model_, workspace_);
  is_factorized_ = true;
}

/// A = J M⁻¹ F.
void ContactReactions::calc_response(const SparseRows& F) {
  factorize();
  rows_.reduce(workspace_);
  if (&F == &pushes_) pushes_.reduce_like(rows_, workspace_);
  rows_.calc_response(F, A_);
}

/// M⁻¹ F z.
const VectorX<double>& ContactReactions::calc_change(const SparseRows& F, const VectorX<double>& z) {
  effort_.setZero();
  F.add_transposed(z.data(), effort_.data());
  solve_articulated(*model_, effort_.data(), workspace_, change_.data());
  return change_;
}

/// The sizes of what accelerations of normal rows are the sum of, as forces: they do not vanish where the forces do.
void ContactReactions::update_force_scale(const double* free_acceleration) {
  const double largest = A_.diagonal().cwiseAbs().maxCoeff();
  force_scale_ = 0;
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    if (contact_rows_[k].row != 0) continue;
    const Eigen::Index row = joint_count_ + static_cast<Eigen::Index>(k);
    const double acts = rows_.multiply_sizes(static_cast<int>(row), free_acceleration) + std::abs(drift_(row));
    const double load = std::max(acts, least_load_);
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
  if (slides_) set_pushes();
  const SparseRows& F = slides_ ? pushes_ : rows_;
  calc_response(F);
  rows_.multiply(vdot, z_.data());
  z_ = -drift_ - z_;
  if (baumgarte_) add_baumgarte(z_);
  update_force_scale(vdot);
  forces_solver_.factorize(A_);
  is_redundant_ = forces_solver_.is_redundant();
  forces_solver_.solve_in_place(z_);
  if (is_redundant_ && slides_) share_pressure(z_);
  add_noise(z_.data(), z_.size());
  Eigen::Map<VectorX<double>>(vdot, model_->velocity_count()) += calc_change(F, z_);
  reactions_ = z_;
  joint_reactions_ = z_.head(joint_count_);
  read_forces(reactions_, forces_);
  double dissipated = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    for (int t = 1; contacts[i].hold() == ContactHold::sliding && t < 4; ++t) {
      dissipated -= forces_[i](t) * contacts[i].velocity()(t);
    }
  }
  return dissipated;
}

/// Friction of what slides goes the other way where the normal force is negative, and drives what it should slow down.
/// So the smallest of all forces that go with z and do not pull are taken, z + P μ with the projection P on the kernel
/// of A and 0 ≤ μ ⊥ z + P μ ≥ 0 on the normals. A little more of the diagonal lets it go on beyond the moment at which
/// something has to pull, which is an event.
void ContactReactions::share_pressure(VectorX<double>& z) {
  constexpr double kBeyond = 1e-9;
  const auto is_pulled = [&](Eigen::Index row) { return z(row) < 0; };
  if (std::none_of(normal_rows_.begin(), normal_rows_.end(), is_pulled)) return;
  const MatrixX<double>& kernel = forces_solver_.kernel();
  const auto count = static_cast<int>(normal_rows_.size());
  const MatrixX<double> some = kernel(normal_rows_, Eigen::all);
  const MatrixX<double> moves = MatrixX<double>(kernel.transpose() * kernel).llt().solve(some.transpose());
  Lcp sharing{some * moves + kBeyond * MatrixX<double>::Identity(count, count), z(normal_rows_)};
  LemkeSolver solver(count);
  const LemkeResult& result = solver.solve(sharing);
  if (result.status != LemkeStatus::solved) return;
  z += kernel * (moves * Eigen::Map<const VectorX<double>>(result.z.data(), count));
}

/// Forces of the contacts, friction of what slides included.
void ContactReactions::read_forces(const VectorX<double>& z, std::vector<Vector4<double>>& out) const {
  out.assign(contacts.size(), Vector4<double>::Zero());
  for (std::size_t k = 0; k < contact_rows_.size(); ++k) {
    const ContactRow& row = contact_rows_[k];
    out[row.contact](row.row) = z(joint_count_ + static_cast<Eigen::Index>(k));
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].hold() != ContactHold::sliding) continue;
    for (int t = 0; t < 3; ++t) out[i](t + 1) = contacts[i].friction_ratio()[static_cast<std::size_t>(t)] * out[i](0);
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
    solve_articulated(*model_, effort_.data(), workspace_, slope_.col(k).data());
  }
  dv_dv.noalias() += slope_ * J_t;
}

bool ContactReactions::may_be_indeterminate() { return slides_ && (!is_redundant_ || find_parts()); }

std::span<const Eigen::Index> ContactReactions::list_redundant_rows() const {
  if (!is_redundant_) return {};
  return forces_solver_.redundant_rows();
}

void ContactReactions::add_friction_slopes(Eigen::Ref<MatrixX<double>> dv_dv) {
  slips_.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    slips_[i] = calc_least_slip(contacts[i]);
    if (contacts[i].hold() == ContactHold::sliding) add_friction_slope(contacts[i], forces_[i](0), dv_dv);
  }
}

double ContactReactions::calc_fading() const {
  double out = 1;
  if (slips_.size() != contacts.size()) return out;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].hold() != ContactHold::sliding || contacts[i].tangent_count() < 2) continue;
    out = std::max(out, calc_least_slip(contacts[i]) / slips_[i]);
  }
  return out;
}

void ContactReactions::constrain(Eigen::Ref<MatrixX<double>> derivatives) {
  const SparseRows& F = slides_ ? pushes_ : rows_;
  const Eigen::Index count = derivatives.cols();
  row_change_.resize(rows_.size(), count);  // of another number of columns only where layers are sheared
  for (Eigen::Index j = 0; j < count; ++j) rows_.multiply(derivatives.col(j).data(), row_change_.col(j).data());
  forces_solver_.solve_in_place(row_change_);
  for (Eigen::Index j = 0; j < count; ++j) {
    z_ = row_change_.col(j);
    derivatives.col(j) -= calc_change(F, z_);
  }
}

/// Rows with a value in q, their values, and the largest of these, m or rad.
double ContactReactions::collect_gaps(std::span<JointRow> rows, std::span<const int> held, const double* q) {
  prepare(rows, held);
  set_joint_rows(rows, held, gap_rows_);
  for (std::size_t k = 0; k < held.size(); ++k) {
    JointRow& row = rows[static_cast<std::size_t>(held[k])];
    gaps_(static_cast<Eigen::Index>(k)) = row.has_value() ? row.calc_value(q) : 0;
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Eigen::Index row = joint_count_ + static_cast<Eigen::Index>(i);
    gap_rows_.set_row(static_cast<int>(row), contacts[i].J().row(0));
    gaps_(row) = contacts[i].gap();
  }
  return gaps_.cwiseAbs().maxCoeff();
}

/// What is left of gaps by the rounding of where they are, m.
double ContactReactions::calc_gap_rounding() const {
  double farthest = 1;
  for (const HeldContact& contact : contacts) {
    const Vec3<double>& p = contact.kinematics().place().A.p;
    farthest = std::max({farthest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  }
  return 4 * std::numeric_limits<double>::epsilon() * farthest;
}

/// Leaves everything updated at (q, v); false where a contact is lost.
bool ContactReactions::project_position(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q,
                                        const VectorX<double>& v) {
  for (int pass = 0;; ++pass) {
    if (!update(q.data(), v.data())) return false;
    for (const int i : held) rows[static_cast<std::size_t>(i)].update(q.data(), v.data());
    const bool is_off = collect_gaps(rows, held, q.data()) > calc_gap_rounding();
    // Whether it is off may be rounding, but storage is made at once, when contacts have changed.
    if (pass == kMostContactProjections || (!is_off && has_gap_storage_)) return true;
    has_gap_storage_ = true;
    factorize();
    gap_rows_.reduce(workspace_);
    gap_rows_.calc_response(gap_rows_, gap_A_);
    gaps_solver_.factorize(gap_A_);
    gaps_ = -gaps_;
    gaps_solver_.solve_in_place(gaps_);
    if (!is_off) return true;
    const VectorX<double>& step = calc_change(gap_rows_, gaps_);
    integrate_position(*model_, q.data(), step.data(), q_next_.data());
    if (q_next_ == q) return true;
    q = q_next_;
  }
}

double ContactReactions::project(std::span<JointRow> rows, std::span<const int> held, VectorX<double>& q,
                                 VectorX<double>& v, bool precisely) {
  if (!project_position(rows, held, q, v)) return 0;
  collect(rows, held);
  calc_response(rows_);
  rows_.multiply(v.data(), speeds_.data());
  speeds_ = -speeds_;
  z_ = speeds_;
  speeds_solver_.factorize(A_);
  speeds_solver_.solve_in_place(z_);
  v += calc_change(rows_, z_);
  const double lost = 0.5 * speeds_.dot(z_);  // half of zᵀ A z
  if (!precisely) return lost;
  double largest = 0;
  for (int k = 0; k < rows_.size(); ++k) largest = std::max(largest, rows_.multiply_sizes(k, v.data()));
  rows_.multiply(v.data(), z_.data());
  if (z_.size() > 0 && z_.cwiseAbs().maxCoeff() > kLeftOver * largest) project_precisely(v);
  return lost;
}

/// Rows that are nearly dependent are not told from dependent ones by A, the square of J: what velocity is left along
/// them is found by orthogonal transformations of J M^(−1/2).
void ContactReactions::project_precisely(VectorX<double>& v) {
  MatrixX<double> J = MatrixX<double>::Zero(model_->velocity_count(), rows_.size());  // by columns
  for (int k = 0; k < rows_.size(); ++k) {
    z_.setZero();
    z_(k) = 1;
    rows_.add_transposed(z_.data(), J.col(k).data());
  }
  rows_.multiply(v.data(), z_.data());
  z_ = -z_;
  MassMatrix<double> mass(*model_);
  mass.update(*model_, workspace_);
  const Eigen::LLT<MatrixX<double>> factor(mass.dense());
  Eigen::CompleteOrthogonalDecomposition<MatrixX<double>> decomposition;
  decomposition.setThreshold(kDependent);
  decomposition.compute(factor.matrixL().solve(J).transpose());
  const VectorX<double> change = decomposition.solve(z_);
  v += factor.matrixU().solve(change);
}

void ContactReactions::remember(Memory& out) const {
  out.contacts = contacts;
  out.rest = tie_memory(*this);
}

void ContactReactions::recall(const Memory& memory) {
  contacts = memory.contacts;
  tie_memory(*this) = memory.rest;
  is_factorized_ = false;
}

/// Storage for the rows that hold is made again.
template <class Archive>
void ContactReactions::archive(Archive& a, const LawTable& laws, std::span<const JointRow> rows) {
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
      if (i < 0 || static_cast<std::size_t>(i) >= rows.size()) throw StateError("it holds a row that does not exist");
    }
    is_prepared_ = false;
    is_factorized_ = false;
    if (is_prepared) prepare(rows, held);
  }
  std::apply([&](auto&... members) { a(members...); }, tie_memory(*this));
}
template void ContactReactions::archive<StateWriter>(StateWriter&, const LawTable&, std::span<const JointRow>);
template void ContactReactions::archive<StateReader>(StateReader&, const LawTable&, std::span<const JointRow>);

}  // namespace thenar::internal
