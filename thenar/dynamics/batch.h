// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/dynamics/forward_dynamics.h"

namespace thenar {

/// Many states of one model, four to a pack: item i sits in lane i % 4 of group i / 4. A call computes all items; the
/// spare lanes of the last group hold copies of harmless numbers. No heap use after construction.
class Batch {
 public:
  Batch(const Model& model, int count);

  int count() const { return count_; }
  int group_count() const { return static_cast<int>(groups_); }

  void set_state(int item, const double* q, const double* v);
  void set_tau(int item, const double* tau);
  void get_state(int item, double* q, double* v) const;
  void get_vdot(int item, double* vdot) const;

  /// v̇ of all items for their tau (gravity and armature count; see forward_dynamics).
  void forward_dynamics(const Model& model);

  /// Packs of one group, for algorithms that run on lanes themselves.
  Pack4* q(int group) { return q_.data() + static_cast<std::size_t>(group) * nq_; }
  Pack4* v(int group) { return v_.data() + static_cast<std::size_t>(group) * nv_; }
  Pack4* tau(int group) { return tau_.data() + static_cast<std::size_t>(group) * nv_; }
  Pack4* vdot(int group) { return vdot_.data() + static_cast<std::size_t>(group) * nv_; }
  Workspace<Pack4>& workspace() { return workspace_; }

 private:
  int count_;
  std::size_t nq_, nv_, groups_;
  std::vector<Pack4> q_, v_, tau_, vdot_;
  Workspace<Pack4> workspace_;
};

}  // namespace thenar
