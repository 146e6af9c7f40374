// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/whole_arm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "thenar/control/object_path.h"
#include "thenar/control/pseudo_inverse_internal.h"
#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {
namespace {

/// Eigenvalues of J_N X below this part of the largest belong to contacts that the joints cannot move apart.
constexpr double kNoReachOfArm = 1e-9;
/// How much a missing wrench weighs against (5), relative to the grasp force: below what integrators see.
constexpr double kMissing = 1e-10;
constexpr int kMostNewtonSteps = 200;
constexpr double kSmallestDecrement = 1e-28;  ///< of Newton's method, twice what is left to gain
constexpr double kSmallestPart = 1e-10;       ///< of a Newton step

bool is_actuated(JointKind kind) { return kind != JointKind::free && kind != JointKind::planar; }

ContactRules make_rules(const WholeArm::Options& options) {
  ContactRules rules;
  rules.all_pairs = false;
  PairRule pairs;
  pairs.a.push_back(options.object);
  for (const WholeArm::Arm& arm : options.arms) pairs.b.push_back(arm.link);
  rules.pairs.push_back(std::move(pairs));
  return rules;
}

std::vector<BodyShape> choose_shapes(const WholeArm::Options& options) {
  std::vector<BodyShape> out;
  for (const BodyShape& shape : options.shapes) {
    const bool is_arm = std::any_of(options.arms.begin(), options.arms.end(),
                                    [&](const WholeArm::Arm& arm) { return arm.link == shape.body; });
    if (is_arm || shape.body == options.object) out.push_back(shape);
  }
  return out;
}

/// The force as long as it is well below `most`, to (force/most)⁸/8 of it, and never more than that.
double limit_force(double force, double most) {
  const double ratio = std::min(force / most, 1e30), square = ratio * ratio, fourth = square * square;
  return force > most ? most * std::pow(1 + 1 / (fourth * fourth), -0.125)
                      : force * std::pow(1 + fourth * fourth, -0.125);
}

/// An odd polynomial from −1 to 1 with two continuous derivatives where it ends, as a factor of x; x² ≤ 1.
double calc_rise(double x2) { return (15 - 10 * x2 + 3 * x2 * x2) / 8; }

}  // namespace

WholeArm::Scratch::Scratch(const Model& model, const Options& options)
    : workspace(model), dynamics(model), finder(model, choose_shapes(options), make_rules(options)), mass(model) {
  const int nv = model.velocity_count();
  rows.resize(kMostContacts);
  for (ContactRows& contact : rows) contact.J.setZero(6, nv);
  friction.assign(kMostContacts, 0);
  grasp = gap = friction;
  jacobian.setZero(6, nv);
  X.setZero(nv, kMostContacts);
  W.setZero(kMostContacts, nv);
  for (VectorX<double>* vector : {&motion, &slipping, &effort, &passive}) vector->setZero(nv);
  is_driven.assign(static_cast<std::size_t>(nv), false);
  for (const Arm& arm : options.arms) {
    for (int i = model.body(arm.link).link; i != 0; i = model.links()[static_cast<std::size_t>(i)].parent) {
      const Link& link = model.links()[static_cast<std::size_t>(i)];
      for (int k = link.v; k < link.v + link.nv; ++k) {
        is_driven[static_cast<std::size_t>(k)] = is_actuated(model.joint(model.dof_joint(k)).spec.kind);
      }
    }
  }
}

void WholeArm::prepare(const Model& model) {
  const auto is_body = [&](BodyIndex body) { return body != kWorld && body.value() < model.body_count(); };
  if (!is_body(options_.object)) throw std::invalid_argument("whole_arm: there is no such body to move");
  if (options_.arms.empty()) throw std::invalid_argument("whole_arm: no link is there to move the object");
  for (const Arm& arm : options_.arms) {
    if (!is_body(arm.link)) throw std::invalid_argument("whole_arm: there is no such link");
  }
  const Joint& joint = model.joint(model.body(options_.object).joint);
  if (joint.spec.kind != JointKind::free && joint.spec.kind != JointKind::planar) {
    throw std::invalid_argument(fmt::format("whole_arm: '{}' cannot move freely", model.body(options_.object).name));
  }
  first_ = joint.v_start;
  freedoms_ = joint.nv;
  scratch_ = std::make_unique<Scratch>(model, options_);
  plan_.reserve(kMostContacts);
}

std::optional<ControlSwitch> WholeArm::find_switch(double from, double to) const {
  std::optional<ControlSwitch> first;
  for (const Arm& arm : options_.arms) {
    const auto found = find_object_switch(options_.path, arm.grasp, from, first ? first->after : to);
    if (found && (!first || found->after < first->after)) first = found;
  }
  if (first) first->is_jump = true;  // where the path turns, so does the slip
  return first;
}

/// Rows of all points in which the links hold the object.
void WholeArm::find_contacts(const Model& model, double t) {
  Scratch& s = *scratch_;
  s.finder.forget();  // a law is a function of the state
  s.finder.update(s.workspace, options_.margin);
  count_ = 0;
  plan_.clear();
  for (const FoundContact& contact : s.finder.contacts()) {
    if (count_ == kMostContacts || contact.body_A != options_.object) continue;
    GapFunction<double> gap = make_gap_function(model, s.workspace, s.finder, contact);
    if (gap.update_positions(s.workspace) == FacingStatus::failed) continue;
    gap.update_velocities(s.workspace);
    const auto k = static_cast<std::size_t>(count_++);
    s.rows[k].J.setZero();
    update_contact_rows(model, s.workspace, contact, gap, {contact.N, contact.T, contact.U}, s.rows[k]);
    const auto arm = std::find_if(options_.arms.begin(), options_.arms.end(),
                                  [&](const Arm& a) { return a.link == contact.body_B; });
    s.friction[k] = arm->friction;
    s.grasp[k] = evaluate_force(arm->grasp, t);
    s.gap[k] = gap.gap();
    plan_.push_back({contact.body_B});
  }
}

/// The rates of the object's joint that come nearest to a twist about its centre of mass.
WholeArm::FreedomVector WholeArm::calc_object_motion(const Vec3<double>& angular, const Vec3<double>& linear) const {
  const auto J = scratch_->jacobian.middleCols(first_, freedoms_);
  Vector6<double> twist;
  twist << angular.eigen(), linear.eigen();
  const FreedomMatrix JtJ = J.transpose() * J;
  const FreedomVector right = J.transpose() * twist;
  return JtJ.ldlt().solve(right);
}

/// X and (J_N X)⁺ of (2).
void WholeArm::update_response(const Model& model) {
  Scratch& s = *scratch_;
  s.mass.update(model, s.workspace);
  s.mass.factorize();
  ContactMatrix A(count_, count_);
  for (int i = 0; i < count_; ++i) {
    auto x = s.X.col(i);
    for (int j = 0; j < model.velocity_count(); ++j) {
      x(j) = s.is_driven[static_cast<std::size_t>(j)] ? rows(i)(0, j) : 0;
    }
    s.mass.solve_in_place(x.data());
    for (int j = 0; j < model.velocity_count(); ++j) {
      if (!s.is_driven[static_cast<std::size_t>(j)]) x(j) = 0;
    }
  }
  for (int i = 0; i < count_; ++i) {
    for (int j = 0; j < count_; ++j) A(i, j) = rows(i).row(0).dot(s.X.col(j));
  }
  response_inverse_ = internal::calc_pseudo_inverse((A + A.transpose()) / 2, kNoReachOfArm);
}

/// What J_N v̇ is to make up for: the drift of the contacts, and the way of links that are off the object.
WholeArm::ContactVector WholeArm::calc_drift(const double* v) const {
  const Scratch& s = *scratch_;
  ContactVector out(count_);
  for (int i = 0; i < count_; ++i) {
    const double gap = std::max(s.gap[static_cast<std::size_t>(i)], 0.0);
    const double away = std::pow(gap / (kAway * options_.margin), 4), part = away / (1 + away);
    const double rate = rows(i).row(0).dot(Eigen::Map<const VectorX<double>>(v, s.X.rows()));
    out(i) = s.rows[static_cast<std::size_t>(i)].drift(0) + part * (options_.kd * rate + options_.kp * gap);
  }
  return out;
}

/// (2): the motion of the joints that keeps the contacts while the object moves.
void WholeArm::follow(const FreedomVector& object, const ContactVector& drift, VectorX<double>& motion) const {
  const Scratch& s = *scratch_;
  ContactVector apart = drift;
  for (int i = 0; i < count_; ++i) {
    apart(i) += rows(i).row(0).segment(first_, freedoms_).dot(object);
  }
  const ContactVector dual = response_inverse_ * apart;
  motion.setZero();
  for (int i = 0; i < count_; ++i) motion.noalias() -= s.X.col(i) * dual(i);
  motion.segment(first_, freedoms_) = object;
}

/// The directions d in which the path makes the contacts slip.
void WholeArm::plan_slips(double t, const Vec3<double>& com_B) {
  Scratch& s = *scratch_;
  const PoseTrajectory::Way way = options_.path.find_way(t);
  const Vec3<double> arm = Mat3<double>(options_.path.evaluate(t).pose.R) * com_B;
  follow(calc_object_motion(way.turn, way.shift + cross(way.turn, arm)), ContactVector::Zero(count_), s.slipping);
  const auto object = s.slipping.segment(first_, freedoms_);
  double speed2 = 0;
  for (int i = 0; i < count_; ++i) {
    const Eigen::Vector3d surface = rows(i).topRows<3>().middleCols(first_, freedoms_) * object;
    speed2 += surface.squaredNorm() / count_;
  }
  if (!(speed2 > 0)) return;
  for (int i = 0; i < count_; ++i) {
    const Eigen::Vector2d slip = rows(i).middleRows<2>(1) * s.slipping / (kReversal * std::sqrt(speed2));
    const double x2 = slip.squaredNorm();
    const double factor = x2 < 1 ? calc_rise(x2) : 1 / std::sqrt(x2);
    plan_[static_cast<std::size_t>(i)].slip = {slip(0) * factor, slip(1) * factor};
  }
}

/// (3).
void WholeArm::update_friction_rows() {
  Scratch& s = *scratch_;
  for (int i = 0; i < count_; ++i) {
    const auto& [d_T, d_U] = plan_[static_cast<std::size_t>(i)].slip;
    const double mu = s.friction[static_cast<std::size_t>(i)];
    s.W.row(i) = rows(i).row(0) - mu * (d_T * rows(i).row(1) + d_U * rows(i).row(2));
  }
}

/// (4) and (5). Moments are measured in the arm at which contact forces act, so that they and forces are of one kind.
void WholeArm::share(const Model& model) {
  const Scratch& s = *scratch_;
  if (count_ == 0) return;
  ContactVector grasp(count_);
  for (int i = 0; i < count_; ++i) grasp(i) = std::max(s.grasp[static_cast<std::size_t>(i)], 0.0);
  const double largest = grasp.maxCoeff();
  if (!(largest > 0)) return;
  double linear2 = 0, angular2 = 0;
  for (int k = 0; k < freedoms_; ++k) {
    double& sum = model.is_angular(first_ + k) ? angular2 : linear2;
    for (int i = 0; i < count_; ++i) sum += rows(i).col(first_ + k).head<3>().squaredNorm();
  }
  const double per_length = angular2 > 0 && linear2 > 0 ? std::sqrt(linear2 / angular2) : 1;
  FreedomVector wrench = s.effort.segment(first_, freedoms_);
  WrenchMatrix G(freedoms_, count_);
  G = s.W.topRows(count_).middleCols(first_, freedoms_).transpose();
  for (int k = 0; k < freedoms_; ++k) {
    if (!model.is_angular(first_ + k)) continue;
    G.row(k) *= per_length;
    wrench(k) *= per_length;
  }
  const ContactVector room = find_room(G, wrench / largest, grasp / largest);
  for (int i = 0; i < count_; ++i) {
    plan_[static_cast<std::size_t>(i)].force = limit_force(grasp(i) / room(i), kMost * largest);
  }
}

/// (5) through its dual: λ_i = g_i / r_i with the room r_i = 1 − G_i · y > 0, where y minimizes the convex function
///
///     −Σ g_i log r_i − y · w + ρ |y|² / 2,        whose gradient is the balance Σ g_i G_i / r_i + ρ y = w.
///
/// Newton's method with halved steps always arrives, since logarithms are self-concordant.
WholeArm::ContactVector WholeArm::find_room(const WrenchMatrix& G, const FreedomVector& wrench,
                                            const ContactVector& grasp) const {
  FreedomVector y = FreedomVector::Zero(freedoms_);
  ContactVector room = ContactVector::Ones(count_);
  const auto calc_value = [&](const FreedomVector& at, const ContactVector& r) {
    if (!(r.minCoeff() > 0)) return std::numeric_limits<double>::infinity();
    return kMissing / 2 * at.squaredNorm() - wrench.dot(at) - (grasp.array() * r.array().log()).sum();
  };
  double value = calc_value(y, room);
  for (int step = 0; step < kMostNewtonSteps; ++step) {
    const ContactVector inverse = room.cwiseInverse();
    const FreedomVector gradient = kMissing * y - wrench + G * grasp.cwiseProduct(inverse);
    const WrenchMatrix scaled = G * grasp.cwiseSqrt().cwiseProduct(inverse).asDiagonal();
    FreedomMatrix hessian = scaled * scaled.transpose();
    hessian.diagonal().array() += kMissing;
    const FreedomVector move = -hessian.ldlt().solve(gradient);
    const double slope = move.dot(gradient);  // < 0
    double part = 1;
    FreedomVector tried;
    ContactVector room_there;
    for (;; part /= 2) {
      tried = y + part * move;
      room_there = ContactVector::Ones(count_) - G.transpose() * tried;
      const double there = calc_value(tried, room_there);
      if (there <= value + 1e-4 * part * slope || !(part > kSmallestPart)) {
        if (!(part > kSmallestPart)) return room;  // as far as rounding lets it
        value = there;
        break;
      }
    }
    y = tried;
    room = room_there;
    if (!(-slope > kSmallestDecrement)) return room;
  }
  return room;
}

void WholeArm::add_efforts(const Model& model, double t, const double* q, const double* v, double* tau) {
  Scratch& s = *scratch_;
  update_positions(model, q, s.workspace);
  update_velocities(model, v, s.workspace);
  find_contacts(model, t);
  update_response(model);

  const Vec3<double> com_B(model.body(options_.object).mass.com);
  calc_jacobian<double>(model, s.workspace, options_.object, com_B, s.jacobian);
  const ObjectError error = calc_object_error(model, s.workspace, options_.object, options_.path.evaluate(t));
  const Motion<double> bias = calc_bias_acceleration(model, s.workspace, options_.object, com_B);
  const Vec3<double> linear = error.acceleration + error.velocity * options_.kd + error.position * options_.kp;
  const Vec3<double> angular =
      error.angular_acceleration + error.angular_velocity * options_.kd + error.turn * options_.kp;
  follow(calc_object_motion(angular - bias.angular, linear - bias.linear), calc_drift(v), s.motion);
  plan_slips(t, com_B);
  update_friction_rows();

  inverse_dynamics<double>(model, q, v, s.motion.data(), {}, s.dynamics, s.effort.data());
  share(model);
  s.passive.setZero();
  add_passive_forces(model, q, v, s.passive.data());
  for (int j = 0; j < model.velocity_count(); ++j) {
    if (!s.is_driven[static_cast<std::size_t>(j)]) continue;
    tau[j] += s.effort(j) - s.passive(j);
    for (int i = 0; i < count_; ++i) tau[j] -= s.W(i, j) * plan_[static_cast<std::size_t>(i)].force;
  }
}

}  // namespace thenar
