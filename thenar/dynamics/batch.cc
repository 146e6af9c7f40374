// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/batch.h"

#include <stdexcept>

namespace thenar {
namespace {

constexpr int kLanes = Pack4::kLanes;

void scatter(int item, std::size_t n, const double* from, std::vector<Pack4>& to) {
  const std::size_t start = static_cast<std::size_t>(item / kLanes) * n;
  for (std::size_t i = 0; i < n; ++i) to[start + i].set(item % kLanes, from[i]);
}

void gather(int item, std::size_t n, const std::vector<Pack4>& from, double* to) {
  const std::size_t start = static_cast<std::size_t>(item / kLanes) * n;
  for (std::size_t i = 0; i < n; ++i) to[i] = from[start + i][item % kLanes];
}

}  // namespace

Batch::Batch(const Model& model, int count)
    : count_(count),
      nq_(static_cast<std::size_t>(model.position_count())),
      nv_(static_cast<std::size_t>(model.velocity_count())),
      groups_(static_cast<std::size_t>((count + kLanes - 1) / kLanes)),
      workspace_(model) {
  if (count < 1) throw std::invalid_argument("a batch needs at least one item, found " + std::to_string(count));
  const VectorX<double> neutral = model.neutral_position();
  q_.reserve(groups_ * nq_);
  for (std::size_t group = 0; group < groups_; ++group) {
    for (std::size_t i = 0; i < nq_; ++i) q_.push_back(Pack4(neutral(static_cast<Eigen::Index>(i))));
  }
  for (auto* packs : {&v_, &tau_, &vdot_}) packs->assign(groups_ * nv_, Pack4(0.0));
}

void Batch::set_state(int item, const double* q, const double* v) {
  scatter(item, nq_, q, q_);
  scatter(item, nv_, v, v_);
}

void Batch::set_tau(int item, const double* tau) { scatter(item, nv_, tau, tau_); }

void Batch::get_state(int item, double* q, double* v) const {
  gather(item, nq_, q_, q);
  gather(item, nv_, v_, v);
}

void Batch::get_vdot(int item, double* vdot) const { gather(item, nv_, vdot_, vdot); }

void Batch::forward_dynamics(const Model& model) {
  for (int group = 0; group < group_count(); ++group) {
    thenar::forward_dynamics<Pack4>(model, q(group), v(group), tau(group), {}, workspace_, vdot(group));
  }
}

}  // namespace thenar
