// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "thenar/control/joint_control.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/row_assembly_internal.h"

namespace thenar {
namespace {

using Index = Eigen::Index;
using Vector = VectorX<double>;

/// How far a joint may be from its target at the start, rad or m: more than what written numbers lose.
constexpr double kSameScenePlace = 1e-7;
/// And from a stop on which it counts as being.
constexpr double kSceneOnStop = 1e-9;

/// Passive bodies: on a planar or free joint of the world that carries nothing, and not driven.
std::vector<bool> find_passive_dofs(const Scenario& scenario) {
  const Model& model = scenario.model;
  std::vector<bool> out(static_cast<std::size_t>(model.velocity_count()), false);
  for (const Joint& joint : model.joints()) {
    if (joint.spec.kind != JointKind::planar && joint.spec.kind != JointKind::free) continue;
    const bool carries = std::any_of(model.bodies().begin(), model.bodies().end(), [&](const Body& body) {
      return body.parent == joint.child && body.joint != model.body(joint.child).joint;
    });
    for (int k = 0; k < joint.nv && !carries; ++k) out[static_cast<std::size_t>(joint.v_start + k)] = true;
  }
  for (const TorqueProfile& torque : scenario.torques) out[static_cast<std::size_t>(torque.dof)] = false;
  return out;
}

bool has_torque(const Scenario& scenario, int dof) {
  return std::any_of(scenario.torques.begin(), scenario.torques.end(),
                     [&](const TorqueProfile& torque) { return torque.dof == dof; });
}

/// Targets of joints, by controllers that follow one.
std::vector<const JointServo*> find_servos(const Scenario& scenario) {
  std::vector<const JointServo*> out;
  for (const ControlEntry& entry : scenario.controls) {
    const auto* law = dynamic_cast<const JointControl*>(entry.law.get());
    if (law == nullptr) continue;
    for (const JointServo& servo : law->servos()) {
      if (servo.kp > 0) out.push_back(&servo);
    }
  }
  return out;
}

std::string find_control_fault(const Scenario& scenario) {
  const Model& model = scenario.model;
  for (const ControlEntry& entry : scenario.controls) {
    if (entry.law && dynamic_cast<const JointControl*>(entry.law.get()) == nullptr) {
      return fmt::format(
          "slow motion takes joint velocities ('v' of the hand), targets of joints or torques; the control '{}' has "
          "none of these",
          entry.law->kind());
    }
  }
  for (const JointServo* servo : find_servos(scenario)) {
    const std::string name = model.dof_name(servo->dof);
    if (has_torque(scenario, servo->dof)) {
      return fmt::format("joint '{}' has a target and a torque; in slow motion it follows one of them", name);
    }
    const double q = scenario.initial.q(model.dof_coordinate(servo->dof)), target = servo->target.evaluate(0).value;
    if (std::abs(q - target) > kSameScenePlace) {
      return fmt::format("joint '{}' starts at {:.9g} and its target at {:.9g}; in slow motion it is on its target",
                         name, q, target);
    }
  }
  return {};
}

}  // namespace

std::string find_quasistatic_fault(const Scenario& scenario) {
  const Model& model = scenario.model;
  if (std::string fault = find_control_fault(scenario); !fault.empty()) return fault;
  if (!model.couplings().empty()) return "slow motion knows no couplings of joints";
  for (const TorqueProfile& torque : scenario.torques) {
    if (model.dry_friction()(torque.dof) > 0) {
      return fmt::format("slow motion knows no dry friction of effort-controlled joints, as '{}' is",
                         model.dof_name(torque.dof));
    }
  }
  if (is_planar(model) || !scenario.contacts) return {};
  if (scenario.contacts->cone.kind == FrictionCone::Kind::box) {
    return "slow motion in space takes a polygon for the cone of friction, not a box: write its number of faces";
  }
  const LawTable laws(model, *scenario.contacts);
  for (std::size_t a = 0; a < scenario.shapes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const BodyIndex A = scenario.shapes[a].body, B = scenario.shapes[b].body;
      if (laws.find_law(A, B).fingertip != Fingertip::soft) continue;
      return fmt::format("slow motion knows no soft fingertips, as those of '{}' and '{}' are", model.body(B).name,
                         model.body(A).name);
    }
  }
  return {};
}

QuasistaticAssembler::QuasistaticAssembler(const Scenario& scenario)
    : scenario_(scenario),
      forces_(scenario),
      workspace_(scenario.model),
      is_unknown_(find_passive_dofs(scenario)),
      load_(Vector::Zero(scenario.model.velocity_count())),
      effort_(load_),
      wrench_effort_(load_),
      rest_(load_) {
  const Model& model = scenario.model;
  if (!is_planar(model)) {
    const FrictionCone cone = scenario.contacts ? scenario.contacts->cone : FrictionCone{};
    sides_ = cone.kind == FrictionCone::Kind::polygon ? cone.faces : kDefaultSides;
  }
  const std::vector<const JointServo*> servos = find_servos(scenario);
  for (int i = 0; i < model.velocity_count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    (is_unknown_[k] ? object_dofs_ : joint_dofs_).push_back(i);
    if (is_unknown_[k]) continue;
    if (has_torque(scenario, i) && !model.is_locked(i)) {
      is_unknown_[k] = true;
      continue;
    }
    Driven driven;
    driven.dof = i;
    driven.coordinate = model.dof_coordinate(i);
    for (const JointServo* servo : servos) {
      if (servo->dof == i) driven.target = servo->target;
    }
    driven.start = driven.coordinate >= 0 ? scenario.initial.q(driven.coordinate) : 0;
    driven.rate = model.is_locked(i) ? 0 : scenario.initial.v(i);
    driven_.push_back(std::move(driven));
  }
}

const QuasistaticAssembler::Driven* QuasistaticAssembler::find_driven(int dof) const {
  for (const Driven& driven : driven_) {
    if (driven.dof == dof) return &driven;
  }
  return nullptr;
}

void QuasistaticAssembler::place_driven(double t, Vector& q) const {
  for (const Driven& driven : driven_) {
    if (driven.coordinate < 0) continue;
    q(driven.coordinate) = driven.target ? driven.target->evaluate(t).value : driven.start + driven.rate * t;
  }
}

double QuasistaticAssembler::calc_rate(int dof, double t) const {
  const Driven* driven = find_driven(dof);
  if (driven == nullptr) return 0;
  return driven->target ? driven->target->evaluate(t).rate : driven->rate;
}

/// Generalized forces other than those of contacts and actuators, at rest: −c + springs + wrenches; and the efforts.
void QuasistaticAssembler::update_loads(double t, const Vector& q) {
  const Model& model = scenario_.model;
  Vector all = rest_, bias = rest_, bias_without = rest_, actuators = rest_;
  std::span<const BodyWrench<double>> wrenches;
  forces_.evaluate(t, q.data(), rest_.data(), workspace_, all.data(), wrenches);
  forces_.actuation().calc_efforts(t, q.data(), rest_.data(), actuators.data());
  forces_.actuation().calc_cut_efforts(t, q.data(), rest_.data(), effort_.data());
  inverse_dynamics<double>(model, q.data(), rest_.data(), nullptr, wrenches, workspace_, bias.data());
  inverse_dynamics<double>(model, q.data(), rest_.data(), nullptr, {}, workspace_, bias_without.data());
  load_ = all - actuators - bias;
  wrench_effort_ = bias_without - bias;
}

QuasistaticProblem QuasistaticAssembler::assemble(double t, const Vector& q, std::span<const QuasistaticRow> rows,
                                                  const Vector* v) {
  update_loads(t, q);
  QuasistaticProblem out;
  const auto n = static_cast<Index>(rows.size()), freedoms = static_cast<Index>(object_dofs_.size()),
             joints = static_cast<Index>(joint_dofs_.size());
  out.sides = sides_;
  out.W_n = out.W_t = MatrixX<double>::Zero(freedoms, n);
  out.J_n = out.J_t = MatrixX<double>::Zero(n, joints);
  if (is_spatial()) {
    out.W_u = out.W_n;
    out.J_u = out.J_n;
  }
  out.mu = Vector::Zero(n);
  // Velocities of contacts are n · v of the model, with the object's part Wᵀ q̇ and the joints' −J θ̇.
  const auto fill = [&](Index i, const Vector& row, MatrixX<double>& W, MatrixX<double>& J) {
    for (Index k = 0; k < freedoms; ++k) W(k, i) = row(object_dofs_[static_cast<std::size_t>(k)]);
    for (Index k = 0; k < joints; ++k) J(i, k) = -row(joint_dofs_[static_cast<std::size_t>(k)]);
  };
  for (Index i = 0; i < n; ++i) {
    const QuasistaticRow& row = rows[static_cast<std::size_t>(i)];
    out.mu(i) = row.mu;
    fill(i, row.n, out.W_n, out.J_n);
    fill(i, row.t, out.W_t, out.J_t);
    if (is_spatial()) fill(i, row.u, out.W_u, out.J_u);
  }
  out.g_obj.resize(freedoms);
  for (Index k = 0; k < freedoms; ++k) out.g_obj(k) = load_(object_dofs_[static_cast<std::size_t>(k)]);
  out.theta_dot = out.tau = out.g_man = Vector::Zero(joints);
  for (Index k = 0; k < joints; ++k) {
    const int dof = joint_dofs_[static_cast<std::size_t>(k)];
    const Driven* driven = find_driven(dof);
    out.is_position_controlled.push_back(driven != nullptr);
    if (driven != nullptr) {
      const bool is_given = v != nullptr && !driven->target && !scenario_.model.is_locked(dof);
      out.theta_dot(k) = is_given ? (*v)(dof) : calc_rate(dof, t);
    } else {
      out.tau(k) = effort_(dof);
    }
    out.g_man(k) = -load_(dof);
  }
  return out;
}

QuasistaticRow make_stop_row(const Model& model, JointRow& stop, const Vector& q, bool is_spatial) {
  const Vector rest = Vector::Zero(model.velocity_count());
  QuasistaticRow out{fmt::format("{} ({} stop)", model.dof_name(stop.dof()), stop.side()), rest, rest, {}, 0};
  if (is_spatial) out.u = rest;
  stop.update(q.data(), rest.data());
  stop.add_transposed(1, out.n.data());
  return out;
}

QuasistaticScene assemble_quasistatic(const Scenario& scenario, const State& state) {
  if (const std::string fault = find_quasistatic_fault(scenario); !fault.empty()) throw std::runtime_error(fault);
  const Model& model = scenario.model;
  QuasistaticAssembler assembler(scenario);
  Workspace<double> workspace(model);
  const Vector rest = Vector::Zero(model.velocity_count());
  update_positions(model, state.q.data(), workspace);
  update_velocities(model, rest.data(), workspace);
  internal::AssemblyContext context(scenario, state);
  std::vector<QuasistaticRow> rows;
  for (const internal::TouchingContact& contact : internal::find_touching_contacts(context, workspace)) {
    QuasistaticRow row{contact.name, contact.rows.J.row(0), contact.rows.J.row(1), {}, 0};
    if (assembler.is_spatial()) row.u = contact.rows.J.row(2);
    if (contact.law.fingertip != Fingertip::frictionless) row.mu = contact.law.friction;
    rows.push_back(std::move(row));
  }
  for (JointRow& stop : make_joint_rows(model, state.q)) {
    if (stop.kind() != JointRowKind::stop || std::abs(stop.calc_value(state.q.data())) > kSceneOnStop) continue;
    rows.push_back(make_stop_row(model, stop, state.q, assembler.is_spatial()));
  }
  QuasistaticScene out;
  out.problem = assembler.assemble(state.t, state.q, rows, &state.v);
  for (const QuasistaticRow& row : rows) out.contacts.push_back(row.name);
  out.object_dofs = assembler.object_dofs();
  out.joint_dofs = assembler.joint_dofs();
  return out;
}

}  // namespace thenar
