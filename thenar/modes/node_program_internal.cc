// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/node_program_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/base/numbers.h"

namespace thenar::internal {
namespace {

/// What answers may be off when they are put into the program, in parts of the largest terms.
constexpr double kRounding = 1e-12;
/// Entries of a row that are not exchanged, in parts of its largest.
constexpr double kSmallestPivot = 1e-9;
/// Rates of an objective, its gradient being about 1, that do not raise it. A proof of its largest value is off by this
/// for each unit of force, which mode_verify.h takes as long as it is below 1e-10.
constexpr double kLeastRate = 1e-11;
/// A point beyond a Farkas vector would have to be this large. Verifiers ask for 1e5, in units of their own.
constexpr double kLeastReach = 1e7;
constexpr int kScalingPasses = 3;

/// The power of two that brings the largest entry to [1, 2); 1 if all are zero.
template <class Entries>
double find_scale(const Entries& entries) {
  const double size = entries.size() > 0 ? entries.template lpNorm<Eigen::Infinity>() : 0;
  return size > 0 ? std::exp2(-std::ilogb(size)) : 1;
}

/// Multiplies all entries, and the factor that they have so far.
template <class Entries>
void scale(Entries entries, double& factor) {
  const double step = find_scale(entries);
  entries *= step;
  factor *= step;
}

}  // namespace

NodeScales::NodeScales(MatrixX<double> R)
    : rows(VectorX<double>::Ones(R.rows())), columns(VectorX<double>::Ones(R.cols())) {
  for (int pass = 0; pass < kScalingPasses; ++pass) {
    for (Eigen::Index j = 0; j < R.cols(); ++j) scale(R.col(j), columns(j));
    for (Eigen::Index i = 0; i < R.rows(); ++i) scale(R.row(i), rows(i));
  }
}

NodeProgram::NodeProgram(const MatrixX<double>& R, const VectorX<double>& r)
    : scales_(R),
      R_(scales_.rows.asDiagonal() * R * scales_.columns.asDiagonal()),
      r_(scales_.rows.cwiseProduct(r)),
      dictionary_(R_, r_),
      ranges_(static_cast<std::size_t>(R.rows() + R.cols()), NodeRange::free),
      gradient_(R.cols()),
      floors_(R.rows()),
      ceilings_(R.rows()),
      rises_(ArrayX::Zero(dictionary_.width())),
      falls_(ArrayX::Zero(dictionary_.width())),
      violations_(R.rows()),
      gains_(R.cols()),
      x_(R.cols()),
      y_(R.rows()),
      activity_(R.rows()),
      sums_(R.cols()) {}

/// A dictionary made anew has no rounding of earlier exchanges. One of unknowns that nearly depend on each other is as
/// bad as before, though, and would be for the next programs, too: the last attempt takes the dictionary of the
/// beginning.
template <class Attempt>
LpStatus NodeProgram::insist(const Attempt& attempt) {
  LpStatus status = attempt();
  if (status != LpStatus::failed) return status;
  ++rebuilds_;
  dictionary_.rebuild();
  status = attempt();
  if (status != LpStatus::failed) return status;
  dictionary_.restart();
  return attempt();
}

LpStatus NodeProgram::find_point() {
  const LpStatus status = insist([this] { return try_point(); });
  if (status == LpStatus::optimal) x_ = x_.cwiseProduct(scales_.columns);
  if (status == LpStatus::infeasible) y_ = y_.cwiseProduct(scales_.rows);
  return status;
}

LpStatus NodeProgram::try_point() {
  for (int i = 0; i < row_count(); ++i) update_row_bounds(i);
  for (int j = 0; j < column_count(); ++j) update_column_bounds(j);
  const LpStatus status = mend_rows();
  const bool is_true = status == LpStatus::optimal ? take_point() : status == LpStatus::infeasible && take_farkas();
  return is_true ? status : LpStatus::failed;
}

LpStatus NodeProgram::maximize(const VectorX<double>& gradient, double constant, double enough) {
  gradient_ = gradient.cwiseProduct(scales_.columns);
  const double size = find_scale(gradient_);
  gradient_ *= size;
  const LpStatus status = insist([&] { return try_maximum(constant * size, enough * size); });
  if (status == LpStatus::optimal) {
    x_ = x_.cwiseProduct(scales_.columns);
    y_ = y_.cwiseProduct(scales_.rows) / size;
    value_ /= size;
  }
  if (status == LpStatus::infeasible) y_ = y_.cwiseProduct(scales_.rows);
  return status;
}

LpStatus NodeProgram::try_maximum(double constant, double enough) {
  LpStatus status = try_point();
  if (status != LpStatus::optimal) return status;
  dictionary_.set_objective(gradient_, constant);
  status = climb(enough);
  if (status == LpStatus::failed || !take_point()) return LpStatus::failed;
  if (status == LpStatus::unbounded) return is_endless() ? status : LpStatus::failed;
  return take_optimum(constant, enough) ? status : LpStatus::failed;
}

void NodeProgram::exchange(int row, int column) {
  ++exchanges_;
  dictionary_.exchange(row, column);
  update_row_bounds(row);
  update_column_bounds(column);
}

/// optimal if no row is broken any more; infeasible if nothing mends one.
LpStatus NodeProgram::mend_rows() {
  for (int done = 0; !gives_up(done); ++done) {
    const int row = find_broken_row(prefers_least_index(done));
    if (row < 0) return LpStatus::optimal;
    const int column = find_mending_column(row, prefers_least_index(done));
    if (column < 0) {
      broken_row_ = row;
      return LpStatus::infeasible;
    }
    exchange(row, column);
  }
  return LpStatus::failed;
}

void NodeProgram::update_violations() {
  const auto values = dictionary_.constants();
  violations_ = (-values * floors_).max(values * ceilings_);
}

/// The row farthest from its range, or one that nothing mends.
int NodeProgram::find_broken_row(bool by_index) {
  update_violations();
  int out = -1;
  double worst = 0;
  for (int i = 0; i < row_count(); ++i) {
    if (violations_(i) <= kTolerance) continue;
    if (by_index) {
      if (out < 0 || dictionary_.inside(i) < dictionary_.inside(out)) out = i;
      continue;
    }
    const bool rises = dictionary_.constant(i) < 0;
    const Dictionary::RowSizes sizes =
        rises ? dictionary_.measure(i, rises_, falls_) : dictionary_.measure(i, falls_, rises_);
    const double distance = violations_(i) * violations_(i) / (1 + sizes.squared_length);
    if (!(sizes.largest * sizes.largest > kSmallestPivot * kSmallestPivot * (1 + sizes.squared_length))) return i;
    if (distance <= worst) continue;
    worst = distance;
    out = i;
  }
  return out;
}

/// Outside unknowns that can go where they mend the row.
int NodeProgram::find_mending_column(int row, bool by_index) {
  const auto entries = dictionary_.entries(row);
  const double direction = dictionary_.constant(row) < 0 ? 1 : -1;
  const auto rises = rises_.head(column_count()), falls = falls_.head(column_count());
  gains_ = (direction * entries * rises).max(-direction * entries * falls);
  return pick_column(kSmallestPivot * std::sqrt(1 + entries.matrix().squaredNorm()), by_index);
}

/// The column of the largest gain above `least`, or of the first unknown that has one.
int NodeProgram::pick_column(double least, bool by_index) const {
  int out = -1;
  if (by_index) {
    for (int j = 0; j < column_count(); ++j) {
      const bool is_first = out < 0 || dictionary_.outside(j) < dictionary_.outside(out);
      if (gains_(j) > least && is_first) out = j;
    }
    return out;
  }
  const double largest = column_count() > 0 ? gains_.maxCoeff() : 0;
  if (!(largest > least)) return -1;
  for (int j = 0; j < column_count() && out < 0; ++j) {
    if (gains_(j) == largest) out = j;
  }
  return out;
}

/// From a point to the best one, or one that is worth more than enough.
LpStatus NodeProgram::climb(double enough) {
  for (int done = 0; !gives_up(done); ++done) {
    if (dictionary_.constant(dictionary_.objective_row()) > enough) return LpStatus::optimal;
    const int column = find_rising_column(prefers_least_index(done));
    if (column < 0) return LpStatus::optimal;
    const int row = find_blocking_row(column, prefers_least_index(done));
    if (row < 0) {
      endless_column_ = column;
      return LpStatus::unbounded;
    }
    exchange(row, column);
  }
  return LpStatus::failed;
}

int NodeProgram::find_rising_column(bool by_index) {
  const auto rates = dictionary_.entries(dictionary_.objective_row());
  gains_ = (rates * rises_.head(column_count())).max(-rates * falls_.head(column_count()));
  return pick_column(kLeastRate, by_index);
}

/// How far the row can follow a column that changes it by `rate` for each step, with a tolerance at the end.
double NodeProgram::calc_room(int row, double rate, double tolerance) const {
  const bool is_bounded = (rate > 0 ? ceilings_(row) : floors_(row)) > 0;
  if (!is_bounded || std::abs(rate) <= kSmallestPivot) return kInfinity;
  const double distance = std::max(0.0, rate > 0 ? -dictionary_.constant(row) : dictionary_.constant(row));
  return (distance + tolerance) / std::abs(rate);
}

/// The tolerance lets rows with large entries come first (Harris 1973).
int NodeProgram::find_blocking_row(int column, bool by_index) const {
  const double direction = dictionary_.entry(dictionary_.objective_row(), column) > 0 ? 1 : -1;
  const double tolerance = by_index ? 0 : kTolerance;
  double limit = kInfinity;
  for (int i = 0; i < row_count(); ++i) {
    limit = std::min(limit, calc_room(i, direction * dictionary_.entry(i, column), tolerance));
  }
  int out = -1;
  if (limit == kInfinity) return out;
  for (int i = 0; i < row_count(); ++i) {
    const double rate = direction * dictionary_.entry(i, column);
    if (calc_room(i, rate, 0) > limit) continue;
    const bool is_better = out < 0 || (by_index ? dictionary_.inside(i) < dictionary_.inside(out)
                                                : std::abs(rate) > std::abs(dictionary_.entry(out, column)));
    if (is_better) out = i;
  }
  return out;
}

/// Whether the dictionary's point is one of the program.
bool NodeProgram::take_point() {
  update_violations();
  x_.setZero();
  activity_ = r_;
  for (int i = 0; i < row_count(); ++i) {
    if (!(violations_(i) <= 2 * kTolerance)) return false;
    const int unknown = dictionary_.inside(i);
    if (unknown < column_count()) {
      x_(unknown) = dictionary_.constant(i);
    } else {
      activity_(unknown - column_count()) -= dictionary_.constant(i);
    }
  }
  activity_.noalias() += R_ * x_;
  return activity_.norm() <= kRounding * (1 + x_.lpNorm<1>());  // false for NaN
}

/// y of a row, each term on its side; those that rounding left on the other are dropped.
void NodeProgram::set_multipliers(int row, double sign) {
  y_.setZero();
  const auto set = [&](int unknown, double factor) {
    if (unknown < column_count()) return;
    const NodeRange range = range_of(unknown);
    if (!(factor > 0 ? can_fall(range) : can_rise(range))) y_(unknown - column_count()) = factor;
  };
  if (row != dictionary_.objective_row()) set(dictionary_.inside(row), sign);
  for (int j = 0; j < column_count(); ++j) set(dictionary_.outside(j), -sign * dictionary_.entry(row, j));
}

/// The largest entry of g + Rᵀy on the wrong side, g being in sums_.
double NodeProgram::calc_excess() {
  sums_.noalias() += R_.transpose() * y_;
  double out = 0;
  for (int j = 0; j < column_count(); ++j) {
    if (can_rise(column_range(j))) out = std::max(out, sums_(j));
    if (can_fall(column_range(j))) out = std::max(out, -sums_(j));
  }
  return out;
}

bool NodeProgram::take_farkas() {
  set_multipliers(broken_row_, dictionary_.constant(broken_row_) < 0 ? 1 : -1);
  sums_.setZero();
  const double gap = -y_.dot(r_);
  return gap > kRounding * y_.cwiseAbs().dot(r_.cwiseAbs()) && calc_excess() * kLeastReach <= gap;
}

/// After take_point().
bool NodeProgram::take_optimum(double constant, double enough) {
  value_ = gradient_.dot(x_) + constant;
  if (value_ > enough) return true;
  set_multipliers(dictionary_.objective_row(), 1);
  sums_ = gradient_;
  const double bound = constant + y_.dot(r_), size = (1 + y_.lpNorm<1>()) * (1 + x_.lpNorm<1>());
  if (!(calc_excess() <= kLeastRate) || !(std::abs(bound - value_) <= kRounding * size)) return false;
  value_ = bound;
  return true;
}

/// Whether the endless column leads the program, not just the dictionary, upwards for ever. Leaves x_ as it is.
bool NodeProgram::is_endless() {
  const double direction = dictionary_.entry(dictionary_.objective_row(), endless_column_) > 0 ? 1 : -1;
  VectorX<double>& step = sums_;
  step.setZero();
  const auto set = [&](int unknown, double rate) {
    if (unknown < column_count()) step(unknown) = rate;
  };
  set(dictionary_.outside(endless_column_), direction);
  for (int i = 0; i < row_count(); ++i) set(dictionary_.inside(i), direction * dictionary_.entry(i, endless_column_));
  activity_.noalias() = R_ * step;
  const double zero = kSmallestPivot * step.lpNorm<1>();
  const auto fits = [&](NodeRange range, double rate) {
    return (rate <= zero || can_rise(range)) && (rate >= -zero || can_fall(range));
  };
  for (int j = 0; j < column_count(); ++j) {
    if (!fits(column_range(j), step(j))) return false;
  }
  for (int i = 0; i < row_count(); ++i) {
    if (!fits(row_range(i), activity_(i))) return false;
  }
  return gradient_.dot(step) > zero;
}

}  // namespace thenar::internal
