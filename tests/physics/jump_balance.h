// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Jumps of velocities in the rows of a trace, and the impulses that explain them: found from the rows alone by a way
/// that shares nothing with the solver of impacts. Impulses at the contacts that touch are laid on both bodies as
/// wrenches, inverse dynamics gives the momentum of the jump and of each impulse, and least squares what is left over.
/// For scenarios whose joints are on no stop at that instant.

#include <string>
#include <vector>

#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/scenario/scenario.h"
#include "thenar/simulation/simulate.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::test {

/// Two rows of a trace with the same t.
struct Jump {
  const Sample* before = nullptr;
  const Sample* after = nullptr;

  double t() const { return before->state.t; }
  VectorX<double> dv() const { return after->state.v - before->state.v; }
};

/// Those at which velocities change by more than rounding, in rad/s and m/s.
inline std::vector<Jump> list_jumps(const Trace& trace) {
  std::vector<Jump> out;
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    const Jump jump{&trace.samples[i - 1], &trace.samples[i]};
    if (jump.after->state.t == jump.t() && jump.dv().norm() > 1e-9) out.push_back(jump);
  }
  return out;
}

struct ContactImpulse {
  std::string contact;
  Eigen::Vector3d on_A = Eigen::Vector3d::Zero();  ///< world axes, N s
  double normal = 0, tangential = 0;               ///< N s
};

struct ExplainedJump {
  std::vector<ContactImpulse> impulses;
  double residual = 0;  ///< of momentum, in parts of the largest momentum of a degree of freedom
};

/// A contact "A/B" of a row as an impulse along the world's axes: its momentum in every degree of freedom.
class ImpulseBalance {
 public:
  ImpulseBalance(const Scenario& scenario, const State& state)
      : model_(scenario.model), state_(state), workspace_(scenario.model), rest_(calc_forces(nullptr, {})) {
    update_positions(model_, state_.q.data(), workspace_);
    for (int i = 0; i < model_.body_count(); ++i) {
      origins_.push_back(calc_body_pose(model_, workspace_, BodyIndex(i)).p);
    }
  }

  /// M dv.
  VectorX<double> calc_momentum(const VectorX<double>& dv) { return calc_forces(dv.data(), {}) - rest_; }

  /// Jᵀ e of the impulse e of 1 N s on A along a world axis.
  VectorX<double> calc_momentum(const Contact& contact, int axis) {
    const std::string& name = contact.name;
    const std::size_t slash = name.find('/'), number = name.find('#');
    std::vector<BodyWrench<double>> wrenches;
    const auto add = [&](const std::string& body_name, const Vec3<double>& point, double sign) {
      const BodyIndex body = *model_.find_body(body_name);
      Vec3<double> f = Vec3<double>::zero();
      (axis == 0 ? f.x : axis == 1 ? f.y : f.z) = sign;
      wrenches.push_back(
          {body, Wrench<double>{Vec3<double>::zero(), f}.moved_by(point - origins_[static_cast<std::size_t>(body)])});
    };
    add(name.substr(0, slash), contact.point_A, 1);
    add(name.substr(slash + 1, number == std::string::npos ? number : number - slash - 1),
        contact.point_A - contact.N * contact.gap, -1);
    return rest_ - calc_forces(nullptr, wrenches);
  }

 private:
  VectorX<double> calc_forces(const double* vdot, std::span<const BodyWrench<double>> wrenches) {
    const VectorX<double> v = VectorX<double>::Zero(model_.velocity_count());
    VectorX<double> tau(model_.velocity_count());
    inverse_dynamics<double>(model_, state_.q.data(), v.data(), vdot, wrenches, workspace_, tau.data());
    return tau;
  }

  const Model& model_;
  const State& state_;
  Workspace<double> workspace_;
  VectorX<double> rest_;
  std::vector<Vec3<double>> origins_;
};

/// The jump dv from a row, with impulses at all contacts whose gap is less than `touching` (m).
inline ExplainedJump explain(const Scenario& scenario, const Sample& before, const VectorX<double>& dv,
                             double touching = 1e-9) {
  ImpulseBalance balance(scenario, before.state);
  const VectorX<double> momentum = balance.calc_momentum(dv);
  std::vector<const Contact*> contacts;
  for (const Contact& contact : before.contacts) {
    if (contact.gap < touching) contacts.push_back(&contact);
  }
  MatrixX<double> columns(momentum.size(), 3 * static_cast<int>(contacts.size()));
  for (int i = 0; i < columns.cols(); ++i) {
    columns.col(i) = balance.calc_momentum(*contacts[static_cast<std::size_t>(i / 3)], i % 3);
  }
  const VectorX<double> z = columns.colPivHouseholderQr().solve(momentum);
  ExplainedJump out;
  out.residual = (columns * z - momentum).lpNorm<Eigen::Infinity>() / momentum.lpNorm<Eigen::Infinity>();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Eigen::Vector3d P = z.segment<3>(3 * static_cast<int>(i));
    const Vec3<double>& N = contacts[i]->N;
    const Eigen::Vector3d normal(N.x, N.y, N.z);
    out.impulses.push_back({contacts[i]->name, P, P.dot(normal), (P - P.dot(normal) * normal).norm()});
  }
  return out;
}

}  // namespace thenar::test
