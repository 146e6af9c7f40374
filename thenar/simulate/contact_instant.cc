// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/contact_instant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "thenar/contact/contact_rows.h"
#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/modes/yy_formulation.h"
#include "thenar/simulate/instant.h"

namespace thenar {
namespace {

/// Rows of a Jacobian below this part of its largest entry are zero by the structure of the joints.
constexpr double kNoMotion = 1e-9;
/// Accelerations below this part of the numbers that they are the sum of are zero.
constexpr double kNoAcceleration = 1e-9;

RowKind problem_kind(const JointRow& row) {
  if (row.kind() == JointRowKind::stop) return RowKind::unilateral;
  return row.kind() == JointRowKind::friction ? RowKind::boxed : RowKind::bilateral;
}

int count_faces(const FrictionCone& cone) {
  if (cone.kind == FrictionCone::Kind::circular) return 0;
  return cone.kind == FrictionCone::Kind::box ? 2 : cone.faces;
}

/// Collects the rows of a scenario at one state.
class InstantBuilder {
 public:
  InstantBuilder(const Scenario& scenario, const State& state, double time)
      : scenario_(scenario),
        model_(scenario.model),
        rules_(scenario.contacts.value_or(ContactRules{.all_pairs = false})),
        q_(state.q),
        v_(state.v),
        time_(time),
        workspace_(model_) {}

  Instant build() {
    add_joint_rows();
    add_contacts();
    calc_response();
    out_.cone = to_string(rules_.cone);
    return std::move(out_);
  }

  const std::vector<ContactRows>& contact_rows() const { return contact_rows_; }

 private:
  /// A row of the problem before A is known.
  struct Row {
    ConstraintRow row;
    VectorX<double> J;
    double drift = 0;
  };

  void add_joint_rows() {
    ConstrainedMotion motion(scenario_);
    const Tolerances tolerances(model_, find_scales(model_, scenario_.initial), scenario_.run.tolerance);
    InstantSolver joints(motion, tolerances);
    joints.find_touching(q_, v_);
    out_.vdot_free.setZero(model_.velocity_count());
    for (const int i : joints.find_rows_at_rest(time_, q_, v_, out_.vdot_free)) {
      JointRow& row = motion.rows()[static_cast<std::size_t>(i)];
      row.update(q_.data(), v_.data());
      if (row.kind() == JointRowKind::stop && row.multiply(v_.data()) < -tolerances.speed_rounding(row.dof())) {
        throw std::runtime_error(fmt::format("the {} stop of '{}' is struck: an impact comes first", row.side(),
                                             model_.dof_name(row.dof())));
      }
      Row out{{.kind = problem_kind(row), .limit = row.friction_limit(), .id = static_cast<std::uint64_t>(i)},
              VectorX<double>::Zero(model_.velocity_count()),
              row.bias()};
      row.add_transposed(1, out.J.data());
      rows_.push_back(std::move(out));
    }
  }

  void add_contacts() {
    update_positions(model_, q_.data(), workspace_);
    update_velocities(model_, v_.data(), workspace_);
    ContactFinder finder(model_, scenario_.shapes, rules_);
    const ContactTolerances tolerances(finder.calc_size(workspace_));
    finder.update(workspace_, tolerances.touch());
    const LawTable laws(model_, rules_);
    double fastest = 0;
    for (const FoundContact& place : finder.contacts()) {
      InstantContact contact{
          .name = contact_name(model_, place), .place = place, .law = laws.find_law(place.body_A, place.body_B)};
      if (place.gap < -tolerances.touch()) {
        throw std::runtime_error(fmt::format("'{}' overlap by {:.3g} m", contact.name, -place.gap));
      }
      contact_rows_.push_back(calc_contact_rows(model_, workspace_, finder, place));
      const ContactRows& rows = contact_rows_.back();
      fastest = std::max(fastest, (rows.J.topRows<3>().cwiseAbs() * v_.cwiseAbs()).maxCoeff());
      std::copy_n(rows.velocity.data(), 3, contact.velocity.begin());
      out_.contacts.push_back(std::move(contact));
    }
    rest_ = ContactTolerances::kRelativeRest * fastest;
    for (std::size_t i = 0; i < out_.contacts.size(); ++i) add_contact(out_.contacts[i], contact_rows_[i]);
  }

  void add_contact(InstantContact& contact, const ContactRows& rows) {
    contact.row = -1;
    const double v_N = rows.velocity(0);
    if (v_N < -rest_) {
      throw std::runtime_error(
          fmt::format("'{}' are approaching at {:.3g} m/s: an impact comes first", contact.name, -v_N));
    }
    if (v_N > rest_ || is_zero(rows, 0)) return;
    contact.row = static_cast<int>(rows_.size());
    rows_.push_back({{.kind = RowKind::unilateral, .id = contact.place.id}, rows.J.row(0), rows.drift(0)});
    const ContactLaw& law = contact.law;
    if (law.fingertip == Fingertip::frictionless || law.friction == 0) return;
    const std::array<double, 3> mu{law.friction, law.friction, law.torsion};
    const std::array<double, 3> ratio = find_sliding(contact, rows, mu);
    constexpr std::array<int, 3> kRowOf{1, 2, 3};  // T, U, rotation about N
    for (std::size_t k = 0; k < (law.fingertip == Fingertip::soft ? 3 : 2); ++k) {
      if (is_zero(rows, kRowOf[k])) continue;
      contact.tangent_rows[k] = static_cast<int>(rows_.size());
      const RowKind kind = contact.slides ? RowKind::sliding : RowKind::tangent;
      rows_.push_back({{.kind = kind, .limit = contact.slides ? ratio[k] : mu[k], .id = contact.place.id},
                       rows.J.row(kRowOf[k]),
                       rows.drift(kRowOf[k])});
    }
    ConstraintRow& head = rows_[static_cast<std::size_t>(contact.row)].row;
    if (static_cast<int>(rows_.size()) == contact.row + 1) return;  // no direction to slip in
    head.kind = RowKind::normal;
    head.faces = contact.slides ? 0 : count_faces(rules_.cone);
  }

  /// Whether no joint can bring about this motion.
  bool is_zero(const ContactRows& rows, int row) const {
    const double largest = rows.J.topRows<3>().cwiseAbs().maxCoeff();
    return rows.J.row(row).cwiseAbs().maxCoeff() <= kNoMotion * largest;
  }

  /// Friction forces per normal force of a contact that slides: those that take most power from the slip, −μₖ² uₖ / |μ
  /// u| on the ellipsoid Σ (sₖ/μₖ)² = 1, which is YY (5) for a point. Sets contact.slides.
  std::array<double, 3> find_sliding(InstantContact& contact, const ContactRows& rows,
                                     const std::array<double, 3>& mu) {
    std::array<double, 3> slip{rows.velocity(1), rows.velocity(2), rows.velocity(3)};
    const double speed = std::hypot(slip[0], slip[1], mu[2] > 0 ? slip[2] * mu[2] / mu[0] : 0);
    contact.slides = speed > rest_;
    if (contact.law.mode == DeclaredMode::roll) contact.slides = false;
    if (contact.law.mode == DeclaredMode::slide) {
      const bool names_direction = contact.law.slip[0] != 0 || contact.law.slip[1] != 0;
      if (names_direction) slip = {contact.law.slip[0], contact.law.slip[1], 0};
      if (!names_direction && !contact.slides) {
        throw std::runtime_error(fmt::format(
            "'{}' is declared to slide but is at rest: 'slip' has to say in which direction", contact.name));
      }
      contact.slides = true;
    }
    std::array<double, 3> out{};
    const double power = std::hypot(mu[0] * slip[0], mu[1] * slip[1], mu[2] * slip[2]);
    for (std::size_t k = 0; contact.slides && k < 3; ++k) out[k] = -mu[k] * mu[k] * slip[k] / power;
    return out;
  }

  void calc_response() {
    const auto n = static_cast<Eigen::Index>(rows_.size());
    MatrixX<double> J(n, model_.velocity_count());
    out_.X.resize(model_.velocity_count(), n);
    out_.problem.resize(static_cast<int>(n));
    factorize_articulated(model_, workspace_);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Row& row = rows_[static_cast<std::size_t>(i)];
      J.row(i) = row.J;
      const VectorX<double> column = row.J;
      solve_articulated(model_, column.data(), workspace_, out_.X.col(i).data());
      out_.problem.row(static_cast<int>(i)) = row.row;
    }
    const MatrixX<double> A = J * out_.X;
    out_.problem.A() = 0.5 * (A + A.transpose());
    out_.problem.b() = J * out_.vdot_free;
    for (Eigen::Index i = 0; i < n; ++i) out_.problem.b()(i) += rows_[static_cast<std::size_t>(i)].drift;
  }

  const Scenario& scenario_;
  const Model& model_;
  const ContactRules rules_;
  VectorX<double> q_, v_;
  double time_;
  Workspace<double> workspace_;
  std::vector<Row> rows_;
  std::vector<ContactRows> contact_rows_;
  double rest_ = 0;  ///< m/s
  Instant out_;
};

/// Force and motion of a cell in terms of contacts and joints.
class CellReader {
 public:
  CellReader(const Instant& instant, const std::vector<ContactRows>& rows, const VectorX<double>& v)
      : instant_(instant), rows_(rows), v_(v) {}

  InstantCell read(const ModeCell& cell) {
    InstantCell out;
    out.vdot = instant_.vdot_free + instant_.X * cell.z;
    load_ = instant_.vdot_free.cwiseAbs() + instant_.X.cwiseAbs() * cell.z.cwiseAbs();
    out.motion_unique = cell.motion_unique;
    out.forces_unique = cell.forces_unique;
    for (std::size_t i = 0; i < instant_.contacts.size(); ++i) {
      const InstantContact& contact = instant_.contacts[i];
      out.modes.push_back(find_mode(i, cell, out.vdot));
      std::array<double, 4> force{contact.row < 0 ? 0 : cell.z(contact.row)};
      for (std::size_t k = 0; k < 3; ++k) {
        if (contact.tangent_rows[k] >= 0) force[k + 1] = cell.z(contact.tangent_rows[k]);
      }
      out.forces.push_back(force);
      out.slip.push_back(find_slip(contact, cell, out.modes.back()));
      out.margins.push_back(calc_margin(contact, force, out.modes.back()));
    }
    return out;
  }

 private:
  ContactMode find_mode(std::size_t i, const ModeCell& cell, const VectorX<double>& vdot) const {
    const InstantContact& contact = instant_.contacts[i];
    if (contact.row < 0) return ContactMode::break_away;
    const ContactState state = cell.states[find_part(contact.row)];
    if (state == ContactState::open) return ContactMode::break_away;
    if (state == ContactState::slide || contact.slides) return ContactMode::slide;
    if (slips_without_friction(i, vdot)) return ContactMode::slide;
    return turns(rows_[i], vdot) ? ContactMode::roll : ContactMode::fixed;
  }

  /// The number of a row among those with z ≥ 0.
  std::size_t find_part(int row) const {
    std::size_t out = 0;
    for (int i = 0; i < row; ++i) {
      const RowKind kind = instant_.problem.row(i).kind;
      out += kind == RowKind::unilateral || kind == RowKind::normal;
    }
    return out;
  }

  /// A contact without friction has no tangent rows; its slip is told by velocity and acceleration.
  bool slips_without_friction(std::size_t i, const VectorX<double>& vdot) const {
    const InstantContact& contact = instant_.contacts[i];
    if (contact.tangent_rows[0] >= 0 || contact.tangent_rows[1] >= 0) return false;
    return moves(rows_[i], 1, vdot) || moves(rows_[i], 2, vdot);
  }

  bool turns(const ContactRows& rows, const VectorX<double>& vdot) const {
    return moves(rows, 4, vdot) || moves(rows, 5, vdot);
  }

  /// Whether a relative motion is there or begins.
  bool moves(const ContactRows& rows, int row, const VectorX<double>& vdot) const {
    const double speed = (rows.J.row(row).cwiseAbs() * v_.cwiseAbs()).value();
    if (std::abs(rows.velocity(row)) > ContactTolerances::kRelativeRest * speed) return true;
    const double size = (rows.J.row(row).cwiseAbs() * load_).value() + std::abs(rows.drift(row));
    return std::abs((rows.J.row(row) * vdot).value() + rows.drift(row)) > kNoAcceleration * size;
  }

  std::array<double, 2> find_slip(const InstantContact& contact, const ModeCell& cell, ContactMode mode) const {
    if (mode != ContactMode::slide) return {0, 0};
    if (contact.slides) return {contact.velocity[1], contact.velocity[2]};
    std::array<double, 2> out{};
    for (std::size_t k = 0; k < 2; ++k) {
      if (contact.tangent_rows[k] >= 0) out[k] = cell.w(contact.tangent_rows[k]);
    }
    return out;
  }

  /// 1 − (friction force in parts of what its cone allows).
  double calc_margin(const InstantContact& contact, const std::array<double, 4>& force, ContactMode mode) const {
    if (mode == ContactMode::slide) return -1;
    if (mode == ContactMode::break_away || !(force[0] > 0)) return 0;
    return 1 - calc_share(contact, force);
  }

  double calc_share(const InstantContact& contact, const std::array<double, 4>& force) const {
    const double limit = contact.law.friction * force[0];
    if (!(limit > 0)) return 0;
    const double T = force[1] / limit, U = force[2] / limit;
    const double torsion = contact.law.torsion > 0 ? force[3] / (contact.law.torsion * force[0]) : 0;
    const int faces = instant_.problem.row(contact.row).faces;
    if (faces == 0) return std::hypot(T, U, torsion);
    double share = std::max(std::abs(T), std::abs(U));
    if (faces > 2 && contact.tangent_rows[1] >= 0) share = calc_polygon_share(faces, T, U);
    return std::max(share, std::abs(torsion));
  }

  static double calc_polygon_share(int faces, double T, double U) {
    double share = 0;
    for (int j = 0; j < faces; ++j) {
      const double angle = std::acos(-1.0) * (2 * j + 1) / faces;
      share = std::max(share, (std::cos(angle) * T + std::sin(angle) * U) / std::cos(std::acos(-1.0) / faces));
    }
    return share;
  }

  const Instant& instant_;
  const std::vector<ContactRows>& rows_;
  const VectorX<double>& v_;
  VectorX<double> load_;  ///< sizes of the numbers that v̇ is the sum of
};

}  // namespace

const char* to_string(ContactMode mode) {
  switch (mode) {
    case ContactMode::roll:
      return "roll";
    case ContactMode::slide:
      return "slide";
    case ContactMode::break_away:
      return "break";
    case ContactMode::fixed:
      break;
  }
  return "fixed";
}

char to_letter(ContactMode mode) {
  switch (mode) {
    case ContactMode::roll:
      return 'R';
    case ContactMode::slide:
      return 'S';
    case ContactMode::break_away:
      return 'B';
    case ContactMode::fixed:
      break;
  }
  return 'F';
}

Instant solve_instant(const Scenario& scenario, const State& state, const InstantOptions& options) {
  InstantBuilder builder(scenario, state, options.time);
  Instant out = builder.build();
  out.answer = solve_modes(out.problem, options.search);
  out.verdict = out.answer.verdict;
  out.reason = out.answer.reason;
  out.is_list_complete = out.answer.is_list_complete;
  CellReader reader(out, builder.contact_rows(), state.v);
  for (const ModeCell& cell : out.answer.cells) out.cells.push_back(reader.read(cell));
  if (out.verdict == Verdict::unique) {
    out.determinate = calc_determinacy(out.problem, out.answer.cells.front().z).is_P.value_or(false);
  }
  return out;
}

}  // namespace thenar
