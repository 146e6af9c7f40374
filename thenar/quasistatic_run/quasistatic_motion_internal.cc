// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_motion_internal.h"
#include "thenar/instant/row_assembly_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/dynamics/kinematics.h"
#include "thenar/motion/motion.h"
#include "thenar/motion/step_chart.h"

namespace thenar::internal {
namespace {

using Index = Eigen::Index;
using Matrix = MatrixX<double>;
using Vector = VectorX<double>;

}  // namespace

QuasistaticMotion::QuasistaticMotion(const Scenario& scenario, const Tolerances& tolerances)
    : scenario_(scenario),
      tolerances_(tolerances),
      laws_(scenario.model, find_contact_rules(scenario)),
      assembler_(scenario),
      workspace_(scenario.model),
      origin_(scenario.initial.q),
      rest_(Vector::Zero(scenario.model.velocity_count())),
      projection_(scenario.model, assembler_, units_, tolerances.scales().length) {
  now_.v = rest_;
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
  now_.problem = assembler_.assemble(t, q, rows);
  now_.rules = make_mode_rules(now_.problem);
  return is_good && now_.rules.P.allFinite() && now_.rules.h.allFinite();
}

bool QuasistaticMotion::evaluate(double t, const Vector& q) {
  if (!update(t, q)) {
    now_.reserve = -1;
    return false;
  }
  now_.rows = find_mode_rows(now_.rules, labels_);
  find_velocity();
  find_forces();
  return now_.v.allFinite() && std::isfinite(now_.reserve);
}

/// (1).
void QuasistaticMotion::find_velocity() {
  now_.u = find_mode_velocity(now_.rules, now_.rows.zero, units_, reference_);
  now_.v = expand(now_.u);
  now_.row_speeds = now_.rules.P * now_.u + now_.rules.v0;
}

Vector QuasistaticMotion::expand(const Vector& u) const {
  Vector out = Vector::Zero(model().velocity_count());
  Index k = 0;
  for (const int dof : assembler_.object_dofs()) out(dof) = u(k++);
  for (std::size_t j = 0; j < assembler_.joint_dofs().size(); ++j) {
    const int dof = assembler_.joint_dofs()[j];
    out(dof) = assembler_.is_unknown(dof) ? u(k++) : now_.problem.theta_dot(static_cast<Index>(j));
  }
  return out;
}

int QuasistaticMotion::owner_of_edge(std::size_t k) const {
  return now_.rules.edges[static_cast<std::size_t>(now_.rows.edges[k])].contact;
}

/// Those of the edges that the labels admit, and their reserve.
void QuasistaticMotion::find_forces() {
  const auto count = static_cast<Index>(now_.rows.edges.size());
  Matrix G(now_.rules.G.rows(), count);
  for (Index k = 0; k < count; ++k) G.col(k) = now_.rules.G.col(now_.rows.edges[static_cast<std::size_t>(k)]);
  // The work of each in its unit, over a length: forces and moments by the lever of the scenario.
  const EdgeForces found =
      find_edge_forces(G, now_.rules.h / now_.rules.strength, units_ / tolerances_.scales().length);
  now_.reserve = found.reserve;
  now_.tightest = found.tightest < 0 ? -1 : owner_of_edge(static_cast<std::size_t>(found.tightest));
  now_.f = Vector::Zero(now_.rules.edge_count());
  for (Index k = 0; k < count; ++k)
    now_.f(now_.rows.edges[static_cast<std::size_t>(k)]) = now_.rules.strength * found.f(k);
}

QuasistaticSolution QuasistaticMotion::solution() const {
  return make_quasistatic_solution(now_.problem, now_.rules, {labels_, {now_.u, now_.f, true, true}});
}

double QuasistaticMotion::calc_work_rate() const {
  const QuasistaticSolution found = solution();
  return found.tau.dot(found.theta_dot) + assembler_.calc_wrench_power(now_.v);
}

double QuasistaticMotion::calc_dissipation() const {
  const QuasistaticSolution found = solution();
  const UnknownForm form = make_unknown_form(now_.problem);
  const Vector v = form.P * now_.u + form.v0;
  const Index n = now_.problem.contact_count();
  double out = -found.c_t.dot(v.segment(n, n));
  if (now_.problem.is_spatial()) out -= found.c_u.dot(v.tail(n));
  return out;
}

std::vector<double> QuasistaticMotion::list_strict() const {
  std::vector<double> out;
  for (const RowSign& row : now_.rows.strict) out.push_back(row.sign * now_.row_speeds(row.row));
  return out;
}

void QuasistaticMotion::project(double t, Vector& q) {
  assembler_.place_driven(t, q);
  projection_.put_back({contacts_, stops_, held_stops_}, workspace_, q);
}

QuasistaticMotion::Memory QuasistaticMotion::remember() const { return {contacts_, now_, evaluations_}; }

void QuasistaticMotion::recall(const Memory& memory) {
  contacts_ = memory.contacts;
  now_ = memory.evaluation;
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
  std::copy_n(now_.v.data(), nv, slope);
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
