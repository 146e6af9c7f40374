// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/unique_forces_internal.h"

#include "thenar/base/numbers.h"

namespace thenar::internal {

UniqueForces::UniqueForces(int capacity) : factor_(capacity), probe_(capacity) {
  freedom_.reserve(static_cast<std::size_t>(capacity));
  loose_.reserve(static_cast<std::size_t>(capacity));
  moving_.reserve(static_cast<std::size_t>(capacity));
}

bool UniqueForces::check(BoundQp& qp) {
  find_freedoms(qp);
  if (loose_.empty()) return true;
  for (const int k : loose_) {
    if (can_shift(qp, k)) return false;
  }
  if (are_independent(qp)) return true;
  for (const int k : loose_) {
    if (freedom_[k].up && can_shift_with_others(qp, k, 1)) return false;
    if (freedom_[k].down && can_shift_with_others(qp, k, -1)) return false;
  }
  return true;
}

void UniqueForces::find_freedoms(BoundQp& qp) {
  freedom_.assign(static_cast<std::size_t>(qp.size()), {});
  loose_.clear();
  for (int k = 0; k < qp.size(); ++k) {
    if (qp.place[k] == Place::held || !qp.is_movable(k)) continue;
    if (!qp.is_motion_zero(k)) continue;
    freedom_[k] = {qp.place[k] != Place::at_upper, qp.place[k] != Place::at_lower};
    loose_.push_back(k);
  }
  if (loose_.empty()) return;
  for (int p = 0; p < qp.factor().size(); ++p) {
    const int i = qp.factor().rows()[p];
    const bool at_bound = qp.is_held_at_bound(p);
    const bool at_upper = qp.upper[i] - qp.z[i] < qp.z[i] - qp.lower[i];
    freedom_[i] = {!(at_bound && at_upper), !(at_bound && !at_upper)};
  }
}

/// Row k depends on the basis and trades force with it directly.
bool UniqueForces::can_shift(BoundQp& qp, int k) const {
  const BoundQp::Direction direction = qp.calc_direction(k);
  if (!direction.dependent) return false;
  bool up = freedom_[k].up, down = freedom_[k].down;
  for (int p = 0; p < qp.factor().size(); ++p) {
    const Freedom& other = freedom_[qp.factor().rows()[p]];
    // z_C moves by −y per unit of z_k.
    const double y = qp.y()[p];
    if (y == 0) continue;
    up = up && (y > 0 ? other.down : other.up);
    down = down && (y > 0 ? other.up : other.down);
  }
  return up || down;
}

/// All rows with some freedom together are independent: no d but 0.
bool UniqueForces::are_independent(const BoundQp& qp) {
  moving_.clear();
  for (int i = 0; i < qp.size(); ++i) {
    if (freedom_[i].any()) moving_.push_back(i);
  }
  factor_.append_independent(moving_, qp.A.topLeftCorner(qp.size(), qp.size()), qp.epsilon);
  return factor_.size() == static_cast<int>(moving_.size());
}

/// Some d with d_k = sign has A d = 0.
bool UniqueForces::can_shift_with_others(const BoundQp& qp, int k, double sign) {
  moving_.clear();
  for (int i = 0; i < qp.size(); ++i) {
    if (i != k && freedom_[i].any()) moving_.push_back(i);
  }
  const int n = static_cast<int>(moving_.size());
  probe_.reset(n);
  probe_.epsilon = qp.epsilon;
  probe_.rounding = qp.rounding;
  probe_.pivot_limit = qp.pivot_limit;
  for (int i = 0; i < n; ++i) {
    const int row = moving_[i];
    for (int j = 0; j < n; ++j) probe_.A(i, j) = qp.A(row, moving_[j]);
    probe_.b[i] = sign * qp.A(row, k);
    probe_.lower[i] = freedom_[row].down ? -kInfinity : 0;
    probe_.upper[i] = freedom_[row].up ? kInfinity : 0;
  }
  if (probe_.run() != QpOutcome::solved) return false;
  // dᵀ A d = (A d)_k sign, the other products being 0; its error is that of A.
  const double product = qp.A(k, k) + (n == 0 ? 0 : probe_.b.head(n).dot(probe_.z.head(n)));
  const double size = 1 + (n == 0 ? 0 : probe_.z.head(n).lpNorm<1>());
  return product <= qp.epsilon * size * size;
}

}  // namespace thenar::internal
