// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/admissible_forces_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/base/numbers.h"

namespace thenar::internal {
namespace {

/// τ starts this part of the forces below what z has.
constexpr double kFirstRoom = 0.1;
/// How much the weight κ of τ grows from centre to centre, and to where: beyond, rounding tells.
constexpr double kGrowth = 20, kLastGap = 1e-13;
/// A Newton decrement below this (squared) is a centre, whose gap is ν/κ to a factor of two.
constexpr double kCentred = 0.1;
/// Well inside means this part of the largest τ, or of the forces.
constexpr double kWellInside = 0.5, kAmple = 0.01;
/// What cannot be reached is known to this part of how far it is away.
constexpr double kFarEnough = 0.1;
constexpr int kMostSteps = 200, kMostHalvings = 40;

}  // namespace

double AdmissibleForces::calc_reserve(const VectorX<double>& z) const {
  double out = kInfinity;
  for (const Bound& bound : bounds) {
    double left = bound.factor * z(bound.head) + bound.offset, right = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(bound.count); ++k) {
      const double term = bound.weights[k] * z(bound.rows[k]);
      right = bound.is_cone ? std::hypot(right, term) : right + term;
    }
    out = std::min(out, left - right);
  }
  return out;
}

void AdmissibleForces::set_up(const MatrixX<double>& kernel, const VectorX<double>& z) {
  places_.clear();
  Eigen::Index rows = 0;
  for (const Bound& bound : bounds) {
    places_.push_back({rows, bound.is_cone ? 1 + bound.count : 1});
    rows += places_.back().count;
  }
  G_.resize(rows, kernel.cols());
  values_.resize(rows);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Bound& bound = bounds[i];
    const Eigen::Index first = places_[i].first;
    G_.row(first) = bound.factor * kernel.row(bound.head);
    values_(first) = bound.factor * z(bound.head) + bound.offset;
    for (int k = 0; k < bound.count; ++k) {
      const int row = bound.rows[static_cast<std::size_t>(k)];
      const double weight = bound.weights[static_cast<std::size_t>(k)];
      if (bound.is_cone) {
        G_.row(first + 1 + k) = weight * kernel.row(row);
        values_(first + 1 + k) = weight * z(row);
      } else {
        G_.row(first) -= weight * kernel.row(row);
        values_(first) -= weight * z(row);
      }
    }
  }
  const Eigen::Index size = kernel.cols() + 1;
  c_.setZero(kernel.cols());
  gradient_.resize(size);
  step_.resize(size);
  hessian_.resize(size, size);
  start_ = values_;
}

/// a² − |t|² of a cone and a of a plane, a = left side − τ; −∞ outside.
double AdmissibleForces::calc_room(const Place& place, const VectorX<double>& values, double tau) const {
  const double a = values(place.first) - tau;
  if (!(a > 0)) return -kInfinity;
  if (place.count == 1) return a;
  const double room = a * a - values.segment(place.first + 1, place.count - 1).squaredNorm();
  return room > 0 ? room : -kInfinity;
}

/// −κ τ − Σ log room.
double AdmissibleForces::calc_objective(const VectorX<double>& values, double tau, double kappa) const {
  double out = -kappa * tau;
  for (const Place& place : places_) {
    const double room = calc_room(place, values, tau);
    if (!(room > 0)) return kInfinity;
    out -= std::log(room);
  }
  return out;
}

double AdmissibleForces::find_least_room(const VectorX<double>& values) const {
  double out = kInfinity;
  for (const Place& place : places_) {
    out = std::min(out, values(place.first) - values.segment(place.first + 1, place.count - 1).norm());
  }
  return out;
}

/// With (a, t) of a cone and d = a² − |t|², −log d has the gradient (−2a, 2t)/d and the second derivatives
/// 4 (a, −t)(a, −t)ᵀ/d² + 2 diag(−1, 1)/d.
void AdmissibleForces::calc_newton_system(double kappa) {
  const Eigen::Index k = c_.size();
  gradient_.setZero();
  hessian_.setZero();
  gradient_(k) = -kappa;
  for (const Place& place : places_) {
    const double room = calc_room(place, values_, tau_), a = values_(place.first) - tau_;
    Eigen::Vector4d first = Eigen::Vector4d::Zero();
    Eigen::Matrix4d second = Eigen::Matrix4d::Zero();
    if (place.count == 1) {
      first(0) = -1 / room;
      second(0, 0) = 1 / (room * room);
    } else {
      Eigen::Vector4d u = Eigen::Vector4d::Zero();
      u(0) = a;
      for (int j = 1; j < place.count; ++j) u(j) = -values_(place.first + j);
      first = -2 / room * u;
      second = 4 / (room * room) * u * u.transpose();
      second(0, 0) -= 2 / room;
      for (int j = 1; j < place.count; ++j) second(j, j) += 2 / room;
    }
    // The left side changes with c by the first row, and with τ by −1.
    for (int i = 0; i < place.count; ++i) {
      const auto row = G_.row(place.first + i);
      gradient_.head(k) += first(i) * row.transpose();
      for (int j = 0; j < place.count; ++j) {
        if (second(i, j) == 0) continue;
        hessian_.topLeftCorner(k, k).noalias() += second(i, j) * row.transpose() * G_.row(place.first + j);
      }
      hessian_.col(k).head(k) -= second(i, 0) * row.transpose();
    }
    gradient_(k) -= first(0);
    hessian_(k, k) += second(0, 0);
  }
  hessian_.row(k).head(k) = hessian_.col(k).head(k).transpose();
  // Some combinations of forces may have no bounds at all.
  hessian_.diagonal().array() += 1e-14 * hessian_.diagonal().maxCoeff();
}

/// One damped Newton step. Returns the decrement, squared; negative where none is possible.
double AdmissibleForces::take_step(double kappa) {
  calc_newton_system(kappa);
  cholesky_.compute(hessian_);
  if (cholesky_.info() != Eigen::Success) return -1;
  step_ = -gradient_;
  cholesky_.solveInPlace(step_);
  const Eigen::Index k = c_.size();
  const double decrement = -gradient_.dot(step_);
  if (!(decrement >= 0) || !step_.allFinite()) return -1;
  rates_.noalias() = G_ * step_.head(k);
  const double before = calc_objective(values_, tau_, kappa);
  double length = 1;
  for (int i = 0; i < kMostHalvings; ++i, length *= 0.5) {
    trial_ = values_ + length * rates_;
    const double after = calc_objective(trial_, tau_ + length * step_(k), kappa);
    if (!(after <= before - 0.1 * length * decrement)) continue;
    c_ += length * step_.head(k);
    tau_ += length * step_(k);
    values_.noalias() = G_ * c_;
    values_ += start_;
    return decrement;
  }
  return decrement < kCentred ? decrement : -1;
}

/// The bound with the largest multiplier, the derivative of −log room by τ.
void AdmissibleForces::find_tightest() {
  tightest_ = -1;
  double largest = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const double room = calc_room(places_[i], values_, tau_), a = values_(places_[i].first) - tau_;
    const double multiplier = places_[i].count == 1 ? 1 / room : 2 * a / room;
    if (multiplier <= largest) continue;
    largest = multiplier;
    tightest_ = static_cast<int>(i);
  }
}

double AdmissibleForces::improve(const MatrixX<double>& kernel, double scale, double enough, VectorX<double>& z) {
  tightest_ = -1;
  double reserve = calc_reserve(z);
  if (reserve >= enough || kernel.cols() == 0 || bounds.empty()) return reserve;
  set_up(kernel, z);
  double degree = 0;
  for (const Place& place : places_) degree += place.count == 1 ? 1 : 2;
  double gap = std::max(kFirstRoom * scale, enough - reserve);
  tau_ = reserve - gap;
  for (int i = 0; i < kMostSteps && gap > kLastGap * scale; ++i) {
    const double decrement = take_step(degree / gap);
    if (decrement < 0) break;
    reserve = find_least_room(values_);
    if (reserve >= std::max(enough, kAmple * scale)) break;  // it may grow without end
    if (decrement > kCentred) continue;
    const double most = tau_ + 2 * gap;
    const bool is_reached = reserve >= enough && reserve >= kWellInside * most;
    const bool is_out_of_reach = most < enough && most - reserve < kFarEnough * (enough - reserve);
    if (is_reached || is_out_of_reach) break;
    gap /= kGrowth;
  }
  find_tightest();
  z.noalias() += kernel * c_;
  return calc_reserve(z);
}

}  // namespace thenar::internal
