// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_motion_internal.h"
#include "thenar/instant/row_assembly_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/dynamics/kinematics.h"
#include "thenar/linear_programs/linear_program.h"
#include "thenar/motion/motion.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Matrix = MatrixX<double>;
using Vector = VectorX<double>;

/// Rows and wrenches that depend on others to this are dependent.
constexpr double kSlowRank = 1e-9;
/// Newton steps that put positions back on what is held: they start close to it.
constexpr int kMostSlowProjections = 8;
/// Loads that forces do not balance by more than this part of the strength have none.
constexpr double kUnbalanced = 1e-9;

}  // namespace

QuasistaticMotion::QuasistaticMotion(const Scenario& scenario, const Tolerances& tolerances)
    : scenario_(scenario),
      tolerances_(tolerances),
      laws_(scenario.model, find_contact_rules(scenario)),
      assembler_(scenario),
      workspace_(scenario.model),
      origin_(scenario.initial.q),
      rest_(Vector::Zero(scenario.model.velocity_count())),
      v_(rest_) {
  for (JointRow& row : make_joint_rows(scenario.model, scenario.initial.q)) {
    if (row.kind() == JointRowKind::stop) stops_.push_back(std::move(row));
  }
  const auto add_unit = [&](int dof) {
    units_.conservativeResize(units_.size() + 1);
    units_(units_.size() - 1) = tolerances.unit(dof);
  };
  for (const int dof : assembler_.object_dofs()) add_unit(dof);
  for (const int dof : assembler_.joint_dofs()) {
    if (assembler_.is_unknown(dof)) add_unit(dof);
  }
}

void QuasistaticMotion::set_contacts(std::vector<HeldContact> contacts, std::vector<int> stops) {
  contacts_ = std::move(contacts);
  held_stops_ = std::move(stops);
  labels_.clear();
}

void QuasistaticMotion::set_modes(const ModeLabels& labels, const Vector& reference) {
  std::vector<HeldContact> contacts;
  std::vector<int> stops;
  labels_.clear();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == 0) continue;
    labels_.push_back(labels[i]);
    if (i < contacts_.size()) {
      contacts.push_back(std::move(contacts_[i]));
    } else {
      stops.push_back(held_stops_[i - contacts_.size()]);
    }
  }
  contacts_ = std::move(contacts);
  held_stops_ = std::move(stops);
  reference_ = reference;
}

bool QuasistaticMotion::update(double t, const Vector& q) {
  ++evaluations_;
  t_evaluated_ = t;
  q_evaluated_ = q;
  update_positions(model(), q.data(), workspace_);
  update_velocities(model(), rest_.data(), workspace_);
  std::vector<QuasistaticRow> rows;
  bool is_good = true;
  for (HeldContact& contact : contacts_) {
    is_good = contact.update(workspace_) && is_good;
    QuasistaticRow row{contact.name(), contact.J().row(0), contact.J().row(1), {}, 0};
    if (assembler_.is_spatial()) row.u = contact.J().row(2);
    if (contact.law().fingertip != Fingertip::frictionless) row.mu = contact.law().friction;
    rows.push_back(std::move(row));
  }
  for (const int stop : held_stops_) {
    rows.push_back(make_stop_row(model(), stops_[static_cast<std::size_t>(stop)], q, assembler_.is_spatial()));
  }
  problem_ = assembler_.assemble(t, q, rows);
  rules_ = make_mode_rules(problem_);
  return is_good && rules_.P.allFinite() && rules_.h.allFinite();
}

bool QuasistaticMotion::evaluate(double t, const Vector& q) {
  if (!update(t, q)) {
    reserve_ = -1;
    return false;
  }
  zero_rows_.clear();
  edges_.clear();
  strict_rows_.clear();
  strict_owners_.clear();
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const RuledContact& contact = rules_.contacts[i];
    zero_rows_.push_back(contact.normal);
    const TouchMode& mode = contact.modes[static_cast<std::size_t>(labels_[i] - 1)];
    for (const RowSign& sign : mode.signs) {
      if (sign.sign == 0) {
        zero_rows_.push_back(sign.row);
      } else {
        strict_rows_.push_back({sign.row, sign.sign});
        strict_owners_.push_back(static_cast<int>(i));
      }
    }
    edges_.insert(edges_.end(), mode.edges.begin(), mode.edges.end());
  }
  find_velocity();
  find_forces();
  return v_.allFinite() && std::isfinite(reserve_);
}

/// (1), with unknowns in their units.
void QuasistaticMotion::find_velocity() {
  const Index m = rules_.P.cols();
  Matrix A(static_cast<Index>(zero_rows_.size()), m);
  Vector b(A.rows());
  u_ = reference_.size() == m ? reference_ : Vector::Zero(m);
  for (Index k = 0; k < A.rows(); ++k) {
    const int row = zero_rows_[static_cast<std::size_t>(k)];
    A.row(k) = rules_.P.row(row).cwiseProduct(units_.transpose());
    b(k) = -rules_.v0(row) - rules_.P.row(row).dot(u_);
    const double length = A.row(k).norm();
    if (length > 0) {
      A.row(k) /= length;
      b(k) /= length;
    }
  }
  if (A.size() > 0) {
    Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
    factor.setThreshold(kSlowRank);
    factor.compute(A);
    u_ += units_.cwiseProduct(factor.solve(b));
  }
  v_ = expand(u_);
  row_speeds_ = rules_.P * u_ + rules_.v0;
}

Vector QuasistaticMotion::expand(const Vector& u) const {
  Vector out = Vector::Zero(model().velocity_count());
  Index k = 0;
  for (const int dof : assembler_.object_dofs()) out(dof) = u(k++);
  for (std::size_t j = 0; j < assembler_.joint_dofs().size(); ++j) {
    const int dof = assembler_.joint_dofs()[j];
    out(dof) = assembler_.is_unknown(dof) ? u(k++) : problem_.theta_dot(static_cast<Index>(j));
  }
  return out;
}

int QuasistaticMotion::owner_of_edge(std::size_t k) const {
  return rules_.edges[static_cast<std::size_t>(edges_[k])].contact;
}

/// The least forces (in squares), if none of them pulls; else those with the least sum of which none does.
void QuasistaticMotion::find_forces() {
  const auto count = static_cast<Index>(edges_.size());
  Matrix G(rules_.G.rows(), count);
  for (Index k = 0; k < count; ++k) G.col(k) = rules_.G.col(edges_[static_cast<std::size_t>(k)]);
  const Vector h = rules_.h / rules_.strength;
  Vector f = Vector::Zero(count);
  f_ = Vector::Zero(rules_.edge_count());
  tightest_ = -1;
  // The work of each in its unit, over a length: forces and moments by the lever of the scenario.
  const Vector scale = units_ / tolerances_.scales().length;
  double unbalanced = h.size() > 0 ? h.cwiseProduct(scale).cwiseAbs().maxCoeff() : 0;
  Index rank = 0;
  if (count > 0 && G.rows() > 0) {
    Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
    factor.setThreshold(kSlowRank);
    factor.compute(scale.asDiagonal() * G);
    f = factor.solve(Vector(-h.cwiseProduct(scale)));
    rank = factor.rank();
    unbalanced = (G * f + h).cwiseProduct(scale).cwiseAbs().maxCoeff();
  }
  if (unbalanced > kUnbalanced) {
    reserve_ = -unbalanced;
  } else if (count == 0) {
    reserve_ = 1;
  } else {
    reserve_ = f.minCoeff();
    if (reserve_ < 0 && rank < count) reserve_ = find_least_sum(G, h, f) ? 0 : find_best_share(G, h, f);
    Index least = 0;
    f.minCoeff(&least);
    tightest_ = owner_of_edge(static_cast<std::size_t>(least));
  }
  for (Index k = 0; k < count; ++k) f_(edges_[static_cast<std::size_t>(k)]) = rules_.strength * f(k);
}

/// Of all forces that no edge has to pull for, those with the least sum: contacts that could press on each other do
/// not.
bool QuasistaticMotion::find_least_sum(const Matrix& G, const Vector& h, Vector& f) const {
  LinearProgram program(G);
  for (int i = 0; i < program.row_count(); ++i) program.bound_row(i, -h(i), -h(i));
  for (int j = 0; j < program.column_count(); ++j) {
    program.bound_column(j, 0, LinearProgram::kInfinity);
    program.set_cost(j, 1);
  }
  if (program.solve() != LpStatus::optimal) return false;
  f = program.x();
  return true;
}

/// Largest s with G f + h = 0, f ≥ s; up to 1.
double QuasistaticMotion::find_best_share(const Matrix& G, const Vector& h, Vector& f) const {
  const Index count = G.cols();
  Matrix A(G.rows(), count + 1);
  A << G, G.rowwise().sum();
  LinearProgram program(A);
  for (int i = 0; i < program.row_count(); ++i) program.bound_row(i, -h(i), -h(i));
  for (int j = 0; j < count; ++j) program.bound_column(j, 0, LinearProgram::kInfinity);
  program.bound_column(static_cast<int>(count), -1, 1);
  program.set_cost(static_cast<int>(count), -1);
  if (program.solve() != LpStatus::optimal) return -1;
  const double share = program.x()(count);
  f = program.x().head(count).array() + share;
  return share;
}

QuasistaticSolution QuasistaticMotion::solution() const {
  return make_quasistatic_solution(problem_, rules_, {labels_, {u_, f_, true, true}});
}

double QuasistaticMotion::calc_work_rate() const {
  const QuasistaticSolution found = solution();
  return found.tau.dot(found.theta_dot) + assembler_.calc_wrench_power(v_);
}

double QuasistaticMotion::calc_dissipation() const {
  const QuasistaticSolution found = solution();
  const UnknownForm form = make_unknown_form(problem_);
  const Vector v = form.P * u_ + form.v0;
  const Index n = problem_.contact_count();
  double out = -found.c_t.dot(v.segment(n, n));
  if (problem_.is_spatial()) out -= found.c_u.dot(v.tail(n));
  return out;
}

std::vector<double> QuasistaticMotion::list_strict() const {
  std::vector<double> out;
  for (const Row& row : strict_rows_) out.push_back(row.sign * row_speeds_(row.row));
  return out;
}

void QuasistaticMotion::project(double t, Vector& q) {
  assembler_.place_driven(t, q);
  const Index m = units_.size();
  Vector q_next = q;
  double last = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kMostSlowProjections; ++pass) {
    update_positions(model(), q.data(), workspace_);
    update_velocities(model(), rest_.data(), workspace_);
    std::vector<Vector> rows;
    std::vector<double> gaps;
    for (HeldContact& contact : contacts_) {
      if (!contact.update(workspace_)) return;
      rows.emplace_back(contact.J().row(0).transpose());
      gaps.push_back(contact.gap());
    }
    for (const int stop : held_stops_) {
      JointRow& row = stops_[static_cast<std::size_t>(stop)];
      rows.push_back(make_stop_row(model(), row, q, false).n);
      gaps.push_back(row.calc_value(q.data()));
    }
    double largest = 0;
    for (const double gap : gaps) largest = std::max(largest, std::abs(gap));
    // Rounding, or what nothing can mend.
    if (largest <= 4 * std::numeric_limits<double>::epsilon() * tolerances_.scales().length) return;
    if (largest > 0.5 * last) return;
    last = largest;
    Matrix A(static_cast<Index>(rows.size()), m);
    Vector b(A.rows());
    for (Index k = 0; k < A.rows(); ++k) {
      const Vector& row = rows[static_cast<std::size_t>(k)];
      Index j = 0;
      for (const int dof : assembler_.object_dofs()) A(k, j++) = row(dof);
      for (const int dof : assembler_.joint_dofs()) {
        if (assembler_.is_unknown(dof)) A(k, j++) = row(dof);
      }
      A.row(k) = A.row(k).cwiseProduct(units_.transpose());
      b(k) = -gaps[static_cast<std::size_t>(k)];
    }
    if (A.size() == 0) return;
    Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
    factor.setThreshold(kSlowRank);
    factor.compute(A);
    const Vector u = units_.cwiseProduct(factor.solve(b));
    Vector step = Vector::Zero(model().velocity_count());
    Index j = 0;
    for (const int dof : assembler_.object_dofs()) step(dof) = u(j++);
    for (const int dof : assembler_.joint_dofs()) {
      if (assembler_.is_unknown(dof)) step(dof) = u(j++);
    }
    integrate_position(model(), q.data(), step.data(), q_next.data());
    q = q_next;
  }
}

QuasistaticMotion::Memory QuasistaticMotion::remember() const {
  return {contacts_, problem_, rules_,      zero_rows_, edges_,   strict_owners_, strict_rows_,
          u_,        v_,       row_speeds_, f_,         reserve_, tightest_,      evaluations_};
}

void QuasistaticMotion::recall(const Memory& memory) {
  contacts_ = memory.contacts;
  problem_ = memory.problem;
  rules_ = memory.rules;
  zero_rows_ = memory.zero_rows;
  edges_ = memory.edges;
  strict_owners_ = memory.strict_owners;
  strict_rows_ = memory.strict_rows;
  u_ = memory.u;
  v_ = memory.v;
  row_speeds_ = memory.row_speeds;
  f_ = memory.f;
  reserve_ = memory.reserve;
  tightest_ = memory.tightest;
  evaluations_ = memory.evaluations;
}

void QuasistaticMotion::set_origin(const Vector& q) {
  origin_ = q;
  for (HeldContact& contact : contacts_) contact.anchor();
}

void QuasistaticMotion::calc_position(double t, const double* x, Vector& q) const {
  q.resize(model().position_count());
  integrate_position(model(), origin_.data(), x, q.data());
  assembler_.place_driven(t, q);
}

void QuasistaticMotion::calc_slope(double t, const double* y, double* slope) {
  Vector q;
  calc_position(t, y, q);
  const Index nv = model().velocity_count();
  if (!q.allFinite() || !evaluate(t, q)) {
    std::fill_n(slope, nv, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  std::copy_n(v_.data(), nv, slope);
  turn_into_chart_rate(model(), y, slope);
}

/// What the last evaluation has left is made again.
template <class Archive>
void QuasistaticMotion::archive(Archive& a) {
  const std::size_t count = a.size(contacts_.size());
  if constexpr (Archive::kReads) {
    contacts_.clear();
    for (std::size_t i = 0; i < count; ++i) contacts_.emplace_back(model(), laws_, a);
  } else {
    for (HeldContact& contact : contacts_) contact.archive(a);
  }
  a(held_stops_, labels_, reference_, origin_, evaluations_, t_evaluated_, q_evaluated_);
  if constexpr (Archive::kReads) {
    for (const int stop : held_stops_) {
      if (stop < 0 || static_cast<std::size_t>(stop) >= stops_.size()) {
        throw StateError("it holds a stop that does not exist");
      }
    }
    if (q_evaluated_.size() != model().position_count()) return;
    const std::vector<HeldContact> contacts = contacts_;
    const long long evaluations = evaluations_;
    labels_.empty() ? update(t_evaluated_, q_evaluated_) : evaluate(t_evaluated_, q_evaluated_);
    contacts_ = contacts;
    evaluations_ = evaluations;
  }
}
THENAR_INSTANTIATE_ARCHIVE(QuasistaticMotion);

}  // namespace thenar::internal
