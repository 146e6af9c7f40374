// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/contact_bridge_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/complementarity/cone_solver.h"
#include "thenar/contact/no_instant_error.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/motion/state_energy.h"

namespace thenar::internal {
namespace {

/// Contacts that could close within so many steps take part.
constexpr double kBridgeReach = 2;
/// What a step may gain by its error of order 1, as a part of the kinetic energy.
constexpr double kGain = 1e-3;
/// Newton steps that put overlaps of curved surfaces right, and what may be left of them, as a part of the size of the
/// scene: some rounding.
constexpr int kMostCorrections = 8;
constexpr double kLeftOfBridge = 1e-12;
/// Contacts and stops this near take part in that, as a part of the size of the scene, or in rad.
constexpr double kNear = 1e-5;

class Bridge {
 public:
  Bridge(AssemblyContext& context, const State& state, double h)
      : context_(context),
        scenario_(context.scenario()),
        model_(scenario_.model),
        state_(state),
        h_(h),
        workspace_(model_) {
    update_positions(model_, state.q.data(), workspace_);
    size_ = context.finder().calc_size(workspace_);
  }

  std::optional<BridgedStep> take(State& out) {
    const double energy = calc_all_energy(state_);
    calc_free_motion();
    add_joint_rows();
    add_contacts();
    if (!find_velocities()) return std::nullopt;
    State next{state_.t + h_, VectorX<double>(state_.q.size()), v_next_, state_.inner};  // layers are sheared as before
    const VectorX<double> travel = h_ * v_next_;
    integrate_position(model_, state_.q.data(), travel.data(), next.q.data());
    if (!next.q.allFinite() || !next.v.allFinite() || !leave_overlaps(next)) return std::nullopt;
    BridgedStep step{calc_work(v_next_), 0};
    step.energy_lost = energy + step.work - calc_all_energy(next);
    // A step so long that the forces at its start, with the speeds they act on there, do not account for it is too
    // long.
    const double change = std::max(0.0, step.work - calc_work(state_.v));
    const double gain = kGain * (std::abs(energy) + std::abs(step.work) + kinetic_scale());
    if (step.energy_lost - change < -gain) return std::nullopt;
    out = std::move(next);
    return step;
  }

 private:
  /// That of compliant contacts included.
  double calc_all_energy(const State& state) {
    ConstrainedMotion& motion = context_.motion();
    const bool has_layers = !motion.layer_contacts().empty() && motion.follow_layer_contacts(state);
    return calc_energy(model_, state) + (has_layers ? motion.calc_layer_energy() : 0);
  }

  double kinetic_scale() const {
    const Scales& scales = context_.tolerances().scales();
    return scales.mass * scales.length * scales.length / (scales.time * scales.time);
  }

  /// Without contacts, stops, locks and joint friction, which are rows of the step.
  void calc_free_motion() {
    ConstrainedMotion& motion = context_.motion();
    motion.release();
    VectorX<double> vdot(model_.velocity_count());
    motion.calc_free_acceleration(state_.t, state_.q.data(), state_.v.data(), motion.mode().slip, vdot.data());
    v_free_ = state_.v + h_ * vdot;
    find_drive();
    update_positions(model_, state_.q.data(), workspace_);
    update_velocities(model_, v_free_.data(), workspace_);
  }

  /// Generalized forces of the actuators and of springs without a potential, and wrenches, throughout the step.
  void find_drive() {
    drive_.setZero(model_.velocity_count());
    context_.motion().actuation().calc_efforts(state_.t, state_.q.data(), state_.v.data(), drive_.data());
    add_spring_forces(model_, state_.q.data(), false, drive_.data());
    wrenches_.assign(context_.motion().wrenches().begin(), context_.motion().wrenches().end());
  }

  /// Of the drive over the step, at velocity v, J. What is booked is that over the way h v⁺ of the step, as its impulse
  /// has it: only then M (v⁺ − v) = h τ + Jᵀ p, times v⁺, says that what is lost, −pᵀ J v⁺ + ½ (v⁺ − v)ᵀ M (v⁺ − v), is
  /// not negative. With v in place of v⁺ an actuator whose joint is stopped in the step would seem to go on working,
  /// and contacts to lose less than they do.
  double calc_work(const VectorX<double>& v) {
    update_positions(model_, state_.q.data(), workspace_);
    update_velocities(model_, v.data(), workspace_);
    double power = drive_.dot(v);
    for (const BodyWrench<double>& wrench : wrenches_) {
      power += dot(calc_point_velocity(model_, workspace_, wrench.body, Vec3<double>::zero()), wrench.wrench);
    }
    return h_ * power;
  }

  /// `gap_rate` is the gap over h: the row may close it.
  void add_row(const ConstraintRow& row, const VectorX<double>& J, double gap_rate) {
    rows_.push_back({row, J, gap_rate});
  }

  void add_joint_rows() {
    for (std::size_t i = 0; i < context_.motion().rows().size(); ++i) {
      JointRow& row = context_.motion().rows()[i];
      row.update(state_.q.data(), v_free_.data());
      const double gap = row.has_value() ? row.calc_value(state_.q.data()) : 0;
      const bool is_stop = row.kind() == JointRowKind::stop;
      if (is_stop && gap + kBridgeReach * h_ * row.multiply(v_free_.data()) > 0) continue;
      VectorX<double> J = VectorX<double>::Zero(model_.velocity_count());
      row.add_transposed(1, J.data());
      ConstraintRow out = make_problem_row(row, i);
      if (out.kind == RowKind::boxed) out.limit *= h_;  // an impulse
      add_row(out, J, row.kind() == JointRowKind::friction ? 0 : std::max(gap, 0.0) / h_);
    }
  }

  void add_contacts() {
    const double touch = context_.touch;
    double fastest = 0;
    for (const BodyShape& shape : context_.finder().shapes()) {
      const Motion<double> V = calc_point_velocity(model_, workspace_, shape.body, Vec3<double>::zero());
      fastest = std::max(fastest, norm(V.linear) + norm(V.angular) * context_.tolerances().scales().length);
    }
    context_.touch = touch + kBridgeReach * h_ * fastest;
    for (const TouchingContact& contact : find_touching_contacts(context_, workspace_)) add_contact(contact);
    context_.touch = touch;
  }

  void add_contact(const TouchingContact& contact) {
    const std::size_t head = rows_.size();
    add_row({.kind = RowKind::unilateral, .id = make_row_id(contact.place, 0)}, contact.rows.J.row(0),
            std::max(contact.place.gap, 0.0) / h_);
    const ContactLaw& law = contact.law;
    if (law.fingertip == Fingertip::frictionless || !(law.friction > 0)) return;
    for (int k = 1; k <= (law.fingertip == Fingertip::soft ? 3 : 2); ++k) {
      if (is_immovable(contact.rows, k)) continue;
      rows_[head].row.kind = RowKind::normal;
      add_row({.kind = RowKind::tangent,
               .limit = k == 3 ? law.torsion : law.friction,
               .id = make_row_id(contact.place, static_cast<std::uint64_t>(k))},
              contact.rows.J.row(k), 0);
    }
  }

  bool find_velocities() {
    v_next_ = v_free_;
    return find_change(v_next_);
  }

  /// v += M⁻¹ Jᵀ z with the z that the rows and their drifts ask for.
  bool find_change(VectorX<double>& v) {
    if (rows_.empty()) return true;
    ConstraintProblem problem;
    const RowSystem system = assemble_rows(model_, workspace_, rows_, problem);
    problem.b() = system.J * v;
    for (int i = 0; i < problem.size(); ++i) problem.b()(i) += rows_[static_cast<std::size_t>(i)].drift;
    ConeSolver solver(problem.size());
    const ConeSolution& answer = solver.solve(problem);
    if (answer.status != ConeStatus::solved) return false;
    v += system.X * Eigen::Map<const VectorX<double>>(answer.z.data(), problem.size());
    return true;
  }

  /// What curvature has driven into each other is put apart, by the smallest change dq (measured by kinetic energy)
  /// after which all gaps that are near are 0 or more, 0 ≤ z ⊥ J dq + gap ≥ 0: pressing one pair apart presses no other
  /// together.
  bool leave_overlaps(State& next) {
    for (int k = 0; k < kMostCorrections; ++k) {
      update_positions(model_, next.q.data(), workspace_);
      update_velocities(model_, next.v.data(), workspace_);
      const double deepest = add_gaps(next);
      if (deepest <= kLeftOfBridge * size_) return true;
      VectorX<double> change = VectorX<double>::Zero(model_.velocity_count());
      if (!find_change(change)) return false;
      const VectorX<double> q = next.q;
      integrate_position(model_, q.data(), change.data(), next.q.data());
    }
    return false;
  }

  /// Rows of everything that is near there, with gaps for drifts; the answer is the deepest overlap, m or rad.
  double add_gaps(const State& state) {
    rows_.clear();
    double deepest = 0;
    for (std::size_t i = 0; i < context_.motion().rows().size(); ++i) {
      JointRow& row = context_.motion().rows()[i];
      if (!row.has_value()) continue;
      row.update(state.q.data(), state.v.data());
      const double gap = row.calc_value(state.q.data());
      const bool is_stop = row.kind() == JointRowKind::stop;
      if (is_stop && gap > kNear) continue;
      VectorX<double> J = VectorX<double>::Zero(model_.velocity_count());
      row.add_transposed(1, J.data());
      add_row(make_problem_row(row, i), J, gap);
      deepest = std::max(deepest, is_stop ? -gap : std::abs(gap));
    }
    ContactFinder& finder = context_.finder();
    finder.update(workspace_, kNear * size_);
    for (const FoundContact& found : finder.contacts()) {
      const ContactRows rows = calc_contact_rows(model_, workspace_, finder, found);
      if (is_immovable(rows, 0)) continue;
      add_row({.kind = RowKind::unilateral, .id = make_row_id(found, 0)}, rows.J.row(0), found.gap);
      deepest = std::max(deepest, -found.gap);
    }
    return deepest;
  }

  AssemblyContext& context_;
  const Scenario& scenario_;
  const Model& model_;
  const State& state_;
  double h_, size_;
  Workspace<double> workspace_;
  VectorX<double> v_free_, v_next_, drive_;
  std::vector<BodyWrench<double>> wrenches_;
  std::vector<AssembledRow> rows_;
};

}  // namespace

std::optional<BridgedStep> bridge(AssemblyContext& context, State& state, double h) {
  const double touch = context.touch;
  try {
    State next;
    const std::optional<BridgedStep> step = Bridge(context, state, h).take(next);
    if (step) state = std::move(next);
    return step;
  } catch (const NoInstantError&) {  // features that do not face each other: another length of the step may do
    context.touch = touch;
    return std::nullopt;
  }
}

}  // namespace thenar::internal
