// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/bound_qp_internal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "thenar/base/numbers.h"

namespace thenar::internal {
namespace {

/// A certificate must exclude all z up to this many times the present scale.
constexpr double kCertificateMargin = 1e6;
/// Errors up to this many times the declared one are forgiven where the alternative is to give up.
constexpr double kLeftoverMargin = 100;
/// What may be left of w where A cannot tell a nearly dependent row from a dependent one.
constexpr double kMaxResidual = 1e-8;

}  // namespace

BoundQp::BoundQp(int capacity)
    : A(capacity, capacity),
      b(capacity),
      b_error(capacity),
      lower(capacity),
      upper(capacity),
      z(capacity),
      w(capacity),
      ray(capacity),
      factor_(capacity),
      column_(capacity),
      y_(capacity),
      target_(capacity),
      load_(capacity),
      saved_z_(capacity) {
  const auto size = static_cast<std::size_t>(capacity);
  place.reserve(size);
  saved_place_.reserve(size);
  landmark_.reserve(size);
  candidates_.reserve(size);
  settled_.reserve(size);
}

void BoundQp::reset(int n) {
  n_ = n;
  pivots = 0;
  place.assign(static_cast<std::size_t>(n), Place::parked);
  b_error.head(n).setZero();
}

bool BoundQp::is_free(int i) const { return lower[i] == -kInfinity && upper[i] == kInfinity; }

QpOutcome BoundQp::run() {
  b_scale_ = n_ == 0 ? 0 : b.head(n_).cwiseAbs().maxCoeff();
  const QpOutcome outcome = search(Pricing::largest);
  if (outcome != QpOutcome::ill_conditioned) return outcome;
  // A nearly singular basis on the way can spoil a search, and another way avoids it more often than not.
  std::fill(place.begin(), place.end(), Place::parked);
  return search(Pricing::first);
}

QpOutcome BoundQp::search(Pricing pricing) {
  const QpOutcome outcome = pivot(pricing);
  if (outcome != QpOutcome::solved) update_motion();  // stopped between two steps 1
  residual = 0;
  for (int k = 0; k < n_; ++k) {
    const double violation = place[k] == Place::held ? std::abs(w[k]) : calc_violation(k);
    residual = std::max(residual, violation - b_error[k]);
  }
  const double scale = motion_scale();
  if (residual > 0) residual /= scale;
  const bool is_good = residual <= kMaxResidual && std::isfinite(scale);
  return outcome == QpOutcome::solved && !is_good ? QpOutcome::ill_conditioned : outcome;
}

QpOutcome BoundQp::outcome_of(Drive result) {
  return result == Drive::infeasible   ? QpOutcome::infeasible
         : result == Drive::indefinite ? QpOutcome::indefinite
                                       : QpOutcome::ill_conditioned;
}

QpOutcome BoundQp::pivot(Pricing pricing) {
  rounds_ = 0;
  settled_.assign(static_cast<std::size_t>(n_), 0);
  factor_.clear();
  hold_free_rows();
  hold_guess();
  place_nonbasic();
  settle(Accuracy::plain);
  for (;;) {
    if (pivots > pivot_limit) return QpOutcome::pivot_limit;
    if (const std::optional<int> k = choose_row(pricing)) {
      const Drive result = drive(*k);
      if (result == Drive::settled) {
        settled_[*k] = 1;
      } else if (result == Drive::moved) {
        settle(Accuracy::plain);
        if (is_back()) return QpOutcome::ill_conditioned;
      } else {
        return outcome_of(result);
      }
    } else {
      // Almost always the last word; but in a nearly singular basis the finer point may be beyond a bound.
      const long long before = pivots;
      hold_parked_rows();
      settle(Accuracy::refined);
      if (pivots == before) return QpOutcome::solved;
    }
  }
}

/// The rows stand as they stood before. It cannot be, since the objective falls all the time, so it has come to
/// rounding. Compares with the last round whose number is a power of two, which finds a circle of any length (Brent).
bool BoundQp::is_back() {
  if (rounds_ > 0 && place == landmark_) return true;
  if (std::has_single_bit(static_cast<unsigned long long>(++rounds_))) landmark_ = place;
  return false;
}

void BoundQp::hold_free_rows() {
  candidates_.clear();
  for (int i = 0; i < n_; ++i) {
    if (is_free(i)) candidates_.push_back(i);
  }
  for (const int i : candidates_) place[i] = Place::parked;
  factor_.append_independent(candidates_, A.topLeftCorner(n_, n_), epsilon);
  for (const int i : factor_.rows()) place[i] = Place::held;
  pivots += factor_.size();
}

/// Holds the rows that the warm start says are held, as far as they are independent.
void BoundQp::hold_guess() {
  for (int k = 0; k < n_; ++k) {
    if (place[k] != Place::held || is_free(k)) continue;
    place[k] = Place::parked;
    if (!is_movable(k)) continue;
    const Direction direction = calc_direction(k);
    if (!direction.dependent) hold(k, direction);
  }
}

/// z and place of all rows outside the basis; held rows start at 0, which is within their bounds.
void BoundQp::place_nonbasic() {
  for (int i = 0; i < n_; ++i) {
    z[i] = 0;
    if (place[i] == Place::held) continue;
    if (place[i] == Place::at_lower && lower[i] > -kInfinity) {
      z[i] = lower[i];
    } else if (place[i] == Place::at_upper && upper[i] < kInfinity) {
      z[i] = upper[i];
    } else {
      place[i] = lower[i] == 0 ? Place::at_lower : upper[i] == 0 ? Place::at_upper : Place::parked;
    }
  }
}

void BoundQp::hold(int k, const Direction& direction) {
  factor_.append(k, column_, direction.s);
  place[k] = Place::held;
  ++pivots;
}

void BoundQp::drop(int position, bool at_upper) {
  const int j = factor_.rows()[position];
  z[j] = at_upper ? upper[j] : lower[j];
  place[j] = at_upper ? Place::at_upper : Place::at_lower;
  factor_.remove(position);
  ++pivots;
}

/// target ← z_C with w_C = 0, that is −A_CC⁻¹ load_C; refined, with the remaining error solved for once more, which
/// also takes out what plane rotations left in the factor.
void BoundQp::calc_target(Accuracy accuracy) {
  const int m = factor_.size();
  const std::span<const int> rows = factor_.rows();
  for (int p = 0; p < m; ++p) target_[p] = -load_[rows[p]];
  factor_.solve_lower(target_.head(m));
  factor_.solve_upper(target_.head(m));
  if (accuracy == Accuracy::plain) return;
  for (int p = 0; p < m; ++p) {
    column_[p] = -load_[rows[p]];
    for (int q = 0; q < m; ++q) column_[p] -= A(rows[q], rows[p]) * target_[q];
  }
  factor_.solve_lower(column_.head(m));
  factor_.solve_upper(column_.head(m));
  target_.head(m) += column_.head(m);
}

/// Step 1: moves z_C straight towards the point with w_C = 0, leaving behind the rows that meet a bound.
void BoundQp::settle(Accuracy accuracy) {
  for (;;) {
    const int m = factor_.size();
    const std::span<const int> rows = factor_.rows();
    // load = b + A_N z_N; A_CC z_C = −load_C.
    load_.head(n_) = b.head(n_);
    for (int j = 0; j < n_; ++j) {
      if (place[j] != Place::held && z[j] != 0) load_.head(n_) += z[j] * A.col(j).head(n_);
    }
    calc_target(accuracy);
    // The bound that is met first.
    double fraction = 1;
    int position = -1;
    bool at_upper = false;
    for (int p = 0; p < m; ++p) {
      const int i = rows[p];
      const bool above = target_[p] > upper[i];
      if (!above && !(target_[p] < lower[i])) continue;
      const double part = ((above ? upper[i] : lower[i]) - z[i]) / (target_[p] - z[i]);
      if (part < fraction) fraction = std::max(part, 0.0), position = p, at_upper = above;
    }
    for (int p = 0; p < m; ++p) {
      double& zi = z[rows[p]];
      zi = fraction == 1 ? target_[p] : std::clamp(zi + fraction * (target_[p] - zi), lower[rows[p]], upper[rows[p]]);
    }
    if (position < 0) break;
    drop(position, at_upper);
  }
  update_motion();
  std::fill(settled_.begin(), settled_.end(), 0);
}

double BoundQp::motion_scale() const { return b_scale_ + (n_ == 0 ? 0 : z.head(n_).lpNorm<1>()); }

bool BoundQp::is_motion_zero(int k) {
  const double motion = std::abs(w[k]) - b_error[k], scale = motion_scale();
  // Most rows are clear without their direction, whose amplification is at least 1.
  if (motion <= epsilon * scale) return true;
  if (motion > kMaxResidual * scale) return false;
  return motion <= epsilon * calc_direction(k).amplification * scale;
}

/// How far w_k is from what its place admits; 0 when it is right.
double BoundQp::calc_violation(int k) const {
  if (!is_movable(k)) return 0;
  switch (place[k]) {
    case Place::held:
      return 0;
    case Place::at_lower:
      return std::max(-w[k], 0.0);
    case Place::at_upper:
      return std::max(w[k], 0.0);
    case Place::parked:
      return std::abs(w[k]);
  }
  return 0;
}

/// Step 2. Free rows first: if they contradict each other, the certificate should be about them alone.
std::optional<int> BoundQp::choose_row(Pricing pricing) const {
  const double error = rounding * motion_scale();
  int best = -1;
  double worst = 0;
  bool best_is_free = false;
  for (int k = 0; k < n_; ++k) {
    if (settled_[k]) continue;
    const double violation = calc_violation(k);
    if (violation <= error + b_error[k]) continue;
    const bool free = is_free(k);
    const bool larger = pricing == Pricing::largest && violation > worst;
    if (best < 0 || (free && !best_is_free) || (free == best_is_free && larger)) {
      best = k, worst = violation, best_is_free = free;
    }
  }
  return best < 0 ? std::nullopt : std::optional(best);
}

BoundQp::Direction BoundQp::calc_direction(int k) {
  const int m = factor_.size();
  const std::span<const int> rows = factor_.rows();
  for (int p = 0; p < m; ++p) column_[p] = A(rows[p], k);
  factor_.solve_lower(column_.head(m));
  y_.head(m) = column_.head(m);
  factor_.solve_upper(y_.head(m));
  Direction d;
  d.s = A(k, k) - column_.head(m).squaredNorm();
  d.amplification = 1 + y_.head(m).lpNorm<1>();
  d.dependent = !(d.s > epsilon * d.amplification * d.amplification);
  return d;
}

/// y − A_CC⁻¹ (A_CC y − A_Ck), errors in long double: what is left of A (e_k − y) is then rounding of y itself.
void BoundQp::refine_direction(int k) {
  const int m = factor_.size();
  const std::span<const int> rows = factor_.rows();
  for (int p = 0; p < m; ++p) {
    long double error = A(rows[p], k);
    for (int q = 0; q < m; ++q) error -= static_cast<long double>(A(rows[p], rows[q])) * y_[q];
    target_[p] = static_cast<double>(error);
  }
  factor_.solve_lower(target_.head(m));
  factor_.solve_upper(target_.head(m));
  y_.head(m) += target_.head(m);
}

/// The first bound that a held row meets while z_C moves along −sign · y.
BoundQp::Step BoundQp::find_block(double sign) const {
  Step first{kInfinity, -1, false};
  double first_rate = 0;
  for (int p = 0; p < factor_.size(); ++p) {
    const int i = factor_.rows()[p];
    const double rate = -sign * y_[p];
    const double room = rate > 0 ? upper[i] - z[i] : z[i] - lower[i];
    if (rate == 0 || room == kInfinity) continue;
    const double length = std::max(room, 0.0) / std::abs(rate);
    // Among equals the largest rate: it leaves the better conditioned basis if k takes the place.
    if (length < first.length || (length == first.length && std::abs(rate) > first_rate)) {
      first = {length, p, rate > 0};
      first_rate = std::abs(rate);
    }
  }
  return first;
}

/// w_k need not be made smaller: it is rounding, or, on a row that depends on the held ones, what the error of A and b
/// can make of 0. Elsewhere the numbers are taken as they are.
bool BoundQp::is_settled(int k, const Direction& d) const {
  return std::abs(w[k]) - b_error[k] <= (d.dependent ? epsilon : rounding) * d.amplification * motion_scale();
}

/// What to make of w_k of a dependent row when nothing proves a contradiction.
BoundQp::Verdict BoundQp::judge_leftover(const Direction& d, double motion) const {
  const double scale = d.amplification * motion_scale();
  // The data may be a little worse than they claim.
  if (motion <= kLeftoverMargin * epsilon * scale) return Verdict::zero;
  // The numbers as they are say that k is independent.
  if (d.s > rounding * d.amplification * d.amplification) return Verdict::movable;
  // The row differs from a combination of the held ones by an angle too small for A to show, √s ≤ √ε, along which the
  // motion may be anything. Only forces of |w_k| / s could stop it.
  return motion <= std::sqrt(epsilon) * scale ? Verdict::zero : Verdict::unclear;
}

/// Keeps the point at which the drive of a dependent row begins; if it leads nowhere, it returns to it.
void BoundQp::save() {
  saved_z_.head(n_) = z.head(n_);
  saved_place_ = place;
  candidates_.assign(factor_.rows().begin(), factor_.rows().end());
}

void BoundQp::restore() {
  z.head(n_) = saved_z_.head(n_);
  place = saved_place_;
  factor_.assign(candidates_, A.topLeftCorner(n_, n_));
}

/// Step 3.
BoundQp::Drive BoundQp::drive(int k) {
  const double sign = w[k] > 0 ? -1 : 1;
  double motion = std::abs(w[k]);
  const double own_room = sign > 0 ? upper[k] - z[k] : z[k] - lower[k];
  double travelled = 0;
  bool first = true;
  for (;;) {
    const Direction d = calc_direction(k);
    if (first && is_settled(k, d)) return Drive::settled;
    if (d.s < -4 * epsilon * d.amplification * d.amplification) return Drive::indefinite;
    double full = d.dependent ? kInfinity : motion / d.s;
    const double own = own_room - travelled;
    const Step block = find_block(sign);
    if (d.dependent && own == kInfinity) {
      // Walking on until the error of A alone could account for w_k leads nowhere.
      const double longest = motion / (epsilon * d.amplification);
      if (block.length > longest && certify(k, sign, d)) return Drive::infeasible;
      if (block.position < 0) {
        const Verdict verdict = judge_leftover(d, motion);
        if (verdict == Verdict::unclear) return Drive::ill_conditioned;
        if (verdict == Verdict::zero) {
          if (!first) restore();
          return Drive::settled;
        }
        full = motion / d.s;
      }
    }
    if (first && d.dependent) save();
    first = false;
    const double length = std::min({full, own, block.length});
    if (!(length < kInfinity)) return Drive::ill_conditioned;  // numbers too large for their sums
    for (int p = 0; p < factor_.size(); ++p) {
      const int i = factor_.rows()[p];
      z[i] = std::clamp(z[i] - sign * length * y_[p], lower[i], upper[i]);
    }
    z[k] += sign * length;
    travelled += length;
    if (length == full) {
      hold(k, d);
      return Drive::moved;
    }
    if (length == own) {
      z[k] = sign > 0 ? upper[k] : lower[k];
      place[k] = sign > 0 ? Place::at_upper : Place::at_lower;
      ++pivots;
      return Drive::moved;
    }
    if (!d.dependent) motion = std::max(motion - d.s * length, 0.0);
    drop(block.position, block.at_upper);
  }
}

/// Writes the ray z_k → sign ∞ with w_C = 0 and tells whether it proves that there is no solution. Components with a
/// bound ahead are left out: it is so far away that they are rounding. So are small ones, to name only the rows that
/// matter, if the proof can do without them.
bool BoundQp::certify(int k, double sign, const Direction& d) {
  refine_direction(k);
  for (const double least : {rounding * d.amplification, 0.0}) {
    ray.head(n_).setZero();
    ray[k] = sign;
    for (int p = 0; p < factor_.size(); ++p) {
      const int i = factor_.rows()[p];
      const double rate = -sign * y_[p];
      const bool has_bound = (rate > 0 ? upper[i] : -lower[i]) < kInfinity;
      if (!has_bound && std::abs(rate) > least) ray[i] = rate;
    }
    if (is_proof()) return true;
  }
  return false;
}

/// Along the ray all z with |z|₁ < −bᵀ ray / |A ray|∞ are excluded; are these enough?
bool BoundQp::is_proof() const {
  // A ray is not known better than the last bit of A.
  double push = std::numeric_limits<double>::epsilon() * ray.head(n_).lpNorm<1>();
  for (int i = 0; i < n_; ++i) push = std::max(push, std::abs(A.col(i).head(n_).dot(ray.head(n_))));
  return -b.head(n_).dot(ray.head(n_)) > kCertificateMargin * push * motion_scale();
}

/// Dry friction that happens to need no force holds too: rows inside their bounds with w = 0 join the basis.
void BoundQp::hold_parked_rows() {
  for (int k = 0; k < n_; ++k) {
    if (place[k] != Place::parked || !is_movable(k)) continue;
    const Direction direction = calc_direction(k);
    if (!direction.dependent) hold(k, direction);
  }
}

void BoundQp::update_motion() {
  w.head(n_) = b.head(n_);
  for (int i = 0; i < n_; ++i) {
    if (z[i] != 0) w.head(n_) += z[i] * A.col(i).head(n_);
  }
}

bool BoundQp::is_held_at_bound(int p) {
  const int i = factor_.rows()[p], m = factor_.size();
  const double distance = std::min(z[i] - lower[i], upper[i] - z[i]);
  const double error = epsilon * motion_scale();
  // The error of z_C is A_CC⁻¹ times that of w_C; |A_CC⁻¹| above 1/√ε is not considered, so most rows are clear at
  // once.
  if (distance * std::sqrt(epsilon) > error) return false;
  target_.head(m).setZero();
  target_[p] = 1;
  factor_.solve_lower(target_.head(m));
  factor_.solve_upper(target_.head(m));
  return distance <= error * target_.head(m).lpNorm<1>();
}

}  // namespace thenar::internal
