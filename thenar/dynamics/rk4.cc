// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/rk4.h"

#include <algorithm>
#include <array>

#include "thenar/dynamics/kinematics.h"

namespace thenar {
namespace {

constexpr std::array<double, 4> kRk4Nodes{0, 0.5, 0.5, 1};
constexpr std::array<double, 4> kWeights{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

/// rate ← J⁻¹(φ) rate at every rotation of the model.
template <class T>
void apply_inverse_jacobian(const Model& model, const T* phi, T* rate) {
  for (int i = 1; i <= model.link_count(); ++i) {
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    if (link.kind != LinkKind::ball && link.kind != LinkKind::free) continue;
    const Vec3<T> p(phi[link.v], phi[link.v + 1], phi[link.v + 2]);
    const Vec3<T> w(rate[link.v], rate[link.v + 1], rate[link.v + 2]);
    const Vec3<T> pw = cross(p, w);
    const Vec3<T> out = w - pw * T(0.5) + cross(p, pw) * (T(1) / T(12));
    rate[link.v] = out.x, rate[link.v + 1] = out.y, rate[link.v + 2] = out.z;
  }
}

/// The state of stage i from the slopes of the stage before.
template <class T>
void enter_stage(const Model& model, double offset, const T* q, const T* v, Rk4Scratch<T>& s) {
  const int nv = model.velocity_count();
  if (offset == 0) {
    std::copy_n(q, model.position_count(), s.q_stage.data());
    std::copy_n(v, nv, s.v_stage.data());
    std::fill(s.phi.begin(), s.phi.end(), T(0));
    return;
  }
  for (int j = 0; j < nv; ++j) {
    s.phi[j] = T(offset) * s.phi_rate[j];
    s.v_stage[j] = v[j] + T(offset) * s.v_rate[j];
  }
  integrate_position(model, q, s.phi.data(), s.q_stage.data());
}

}  // namespace

template <class T>
Rk4Scratch<T>::Rk4Scratch(const Model& model) : workspace(model) {
  const auto nq = static_cast<std::size_t>(model.position_count());
  const auto nv = static_cast<std::size_t>(model.velocity_count());
  q_stage.assign(nq, T(0));
  for (auto* vector : {&tau, &v_stage, &phi, &phi_rate, &v_rate, &phi_total, &v_total}) vector->assign(nv, T(0));
}

template <class T>
EnergyFlow<T> rk4_step(const Model& model, double t, double h, T* q, T* v, Drive<T>& drive, Rk4Scratch<T>& s) {
  const int nv = model.velocity_count();
  EnergyFlow<T> flow;
  std::fill(s.phi_total.begin(), s.phi_total.end(), T(0));
  std::fill(s.v_total.begin(), s.v_total.end(), T(0));
  for (std::size_t i = 0; i < kRk4Nodes.size(); ++i) {
    enter_stage(model, kRk4Nodes[i] * h, q, v, s);
    std::span<const BodyWrench<T>> wrenches;
    const PowerFlow<T> power =
        drive.evaluate(t + kRk4Nodes[i] * h, s.q_stage.data(), s.v_stage.data(), s.workspace, s.tau.data(), wrenches);
    forward_dynamics(model, s.q_stage.data(), s.v_stage.data(), s.tau.data(), wrenches, s.workspace, s.v_rate.data());
    std::copy_n(s.v_stage.data(), nv, s.phi_rate.data());
    apply_inverse_jacobian(model, s.phi.data(), s.phi_rate.data());
    const T weight(kWeights[i] * h);
    for (int j = 0; j < nv; ++j) {
      s.phi_total[j] += weight * s.phi_rate[j];
      s.v_total[j] += weight * s.v_rate[j];
    }
    flow.work += weight * power.work;
    flow.dissipated += weight * power.dissipated;
  }
  integrate_position(model, q, s.phi_total.data(), s.q_stage.data());
  std::copy_n(s.q_stage.data(), model.position_count(), q);
  for (int j = 0; j < nv; ++j) v[j] += s.v_total[j];
  return flow;
}

#define THENAR_INSTANTIATE(T)    \
  template struct Rk4Scratch<T>; \
  template EnergyFlow<T> rk4_step<T>(const Model&, double, double, T*, T*, Drive<T>&, Rk4Scratch<T>&);
THENAR_INSTANTIATE(double)
THENAR_INSTANTIATE(long double)
THENAR_INSTANTIATE(Pack4)
#undef THENAR_INSTANTIATE

}  // namespace thenar
