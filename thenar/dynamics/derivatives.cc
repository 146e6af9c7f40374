// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/derivatives.h"

#include "thenar/dynamics/inverse_dynamics.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/dynamics/passive_forces.h"

namespace thenar {

DynamicsDerivatives::DynamicsDerivatives(const Model& model) : workspace_(model) {
  const auto nq = static_cast<std::size_t>(model.position_count());
  const auto nv = static_cast<std::size_t>(model.velocity_count());
  q_base_.resize(nq);
  q_.resize(nq);
  for (auto* vector : {&dq_, &v_, &input_, &total_, &output_}) vector->resize(nv);
  for (auto* matrix : {&result_.dq, &result_.dv, &result_.dinput})
    matrix->setZero(model.velocity_count(), model.velocity_count());
}

/// Runs evaluate() once per four of the first directions (of q, then v, then the input; 3 nv in all) and files the
/// columns.
template <class Evaluate>
void DynamicsDerivatives::sweep(const Model& model, int direction_count, const double* q, const double* v,
                                const double* input, const Evaluate& evaluate) {
  const int nv = model.velocity_count();
  for (int i = 0; i < model.position_count(); ++i) q_base_[i] = Dual4(q[i]);
  for (int first = 0; first < direction_count; first += Dual4::kDirections) {
    const int last = std::min(first + Dual4::kDirections, direction_count);
    for (int i = 0; i < nv; ++i) {
      dq_[i] = Dual4(0.0);
      v_[i] = Dual4(v[i]);
      input_[i] = Dual4(input[i]);
    }
    for (int direction = first; direction < last; ++direction) {
      std::vector<Dual4>& target = direction < nv ? dq_ : (direction < 2 * nv ? v_ : input_);
      target[direction % nv].seed(direction - first, 1.0);
    }
    integrate_position(model, q_base_.data(), dq_.data(), q_.data());
    evaluate();
    for (int direction = first; direction < last; ++direction) {
      MatrixX<double>& matrix = direction < nv ? result_.dq : (direction < 2 * nv ? result_.dv : result_.dinput);
      for (int i = 0; i < nv; ++i) matrix(i, direction % nv) = output_[i].gradient()[direction - first];
    }
  }
}

const DynamicsDerivatives::Result& DynamicsDerivatives::forward(const Model& model, const double* q, const double* v,
                                                                const double* tau) {
  sweep(model, 3 * model.velocity_count(), q, v, tau, [&] {
    total_ = input_;
    add_passive_forces(model, q_.data(), v_.data(), total_.data());
    forward_dynamics<Dual4>(model, q_.data(), v_.data(), total_.data(), {}, workspace_, output_.data());
  });
  return result_;
}

const DynamicsDerivatives::Result& DynamicsDerivatives::forward_in_state(const Model& model, const double* q,
                                                                         const double* v, const double* tau,
                                                                         std::span<const BodyWrench<double>> wrenches) {
  wrenches_.clear();  // keeps its memory
  const auto constant = [](const Vec3<double>& x) { return Vec3<Dual4>(Dual4(x.x), Dual4(x.y), Dual4(x.z)); };
  for (const BodyWrench<double>& w : wrenches) {
    wrenches_.push_back({w.body, {constant(w.wrench.moment), constant(w.wrench.force)}});
  }
  sweep(model, 2 * model.velocity_count(), q, v, tau, [&] {
    total_ = input_;
    add_passive_forces(model, q_.data(), v_.data(), total_.data());
    forward_dynamics<Dual4>(model, q_.data(), v_.data(), total_.data(), wrenches_, workspace_, output_.data());
  });
  return result_;
}

const DynamicsDerivatives::Result& DynamicsDerivatives::inverse(const Model& model, const double* q, const double* v,
                                                                const double* vdot) {
  sweep(model, 3 * model.velocity_count(), q, v, vdot, [&] {
    inverse_dynamics<Dual4>(model, q_.data(), v_.data(), input_.data(), {}, workspace_, output_.data());
    // tau + passive = M v̇ + c, so the passive forces come off.
    for (Dual4& x : total_) x = Dual4(0.0);
    add_passive_forces(model, q_.data(), v_.data(), total_.data());
    for (std::size_t i = 0; i < output_.size(); ++i) output_[i] -= total_[i];
  });
  return result_;
}

}  // namespace thenar
