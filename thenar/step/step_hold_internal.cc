// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_hold_internal.h"

#include <cmath>

namespace thenar::internal {
namespace {

/// Answers with directions of slip from the one before: an error of the direction shrinks by the part of the slip that
/// a step changes.
constexpr int kMostDirections = 6;
/// Directions that change by less are found.
constexpr double kSameDirection = 1e-13;

}  // namespace

void StepHold::begin(const StepRows& rows, const std::vector<ContactState>& states, const VectorX<double>& z,
                     const VectorX<double>& w) {
  const ConstraintProblem& problem = rows.problem();
  const auto count = static_cast<std::size_t>(problem.size());
  roles_.assign(count, Role::held);
  slides_.assign(count, 0);
  for (int i = 0; i < problem.size(); ++i) {
    const ConstraintRow& row = problem.row(i);
    Role& role = roles_[static_cast<std::size_t>(i)];
    if (row.kind == RowKind::unilateral && !(z(i) > 0)) role = Role::open;
    if (row.kind == RowKind::boxed && z(i) >= row.limit) role = Role::upper;
    if (row.kind == RowKind::boxed && z(i) <= -row.limit) role = Role::lower;
  }
  for (std::size_t k = 0; k < states.size(); ++k) {
    const StepContact& contact = rows.contacts()[k];
    const auto row = static_cast<std::size_t>(contact.row);
    if (contact.tangent_count == 0) continue;
    if (states[k] == ContactState::stick) continue;
    slides_[row] = states[k] == ContactState::slide ? 1 : 0;
    if (slides_[row] == 0) roles_[row] = Role::open;
    for (std::size_t t = row + 1; t <= row + static_cast<std::size_t>(contact.tangent_count); ++t) {
      roles_[t] = slides_[row] != 0 ? Role::friction : Role::open;
    }
  }
  w_ = w;
}

/// Friction of what slides, per normal force, against the slip of the last answer (YY 5).
void StepHold::set_directions(const ConstraintProblem& problem) {
  for (int i = 0; i < problem.size(); ++i) {
    if (slides_[static_cast<std::size_t>(i)] == 0) continue;
    const int count = problem.tangent_count(i);
    double power = 0;
    for (int t = i + 1; t <= i + count; ++t) power = std::hypot(power, problem.row(t).limit * w_(t));
    for (int t = i + 1; t <= i + count; ++t) {
      const double mu = problem.row(t).limit;
      ratio_(t) = power > 0 ? -mu * mu * w_(t) / power : 0;
    }
  }
}

/// B and −b − B z₀.
void StepHold::set_system(const ConstraintProblem& problem, const std::vector<double>& last) {
  const auto A = problem.A();
  const auto count = static_cast<Eigen::Index>(held_.size());
  system_.resize(count, count);
  right_.resize(count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const Eigen::Index row = held_[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < count; ++i) system_(i, j) = A(held_[static_cast<std::size_t>(i)], row);
    if (slides_[static_cast<std::size_t>(row)] == 0) continue;
    for (Eigen::Index t = row + 1; t <= row + problem.tangent_count(static_cast<int>(row)); ++t) {
      for (Eigen::Index i = 0; i < count; ++i) system_(i, j) += ratio_(t) * A(held_[static_cast<std::size_t>(i)], t);
    }
  }
  z_.setZero(problem.size());
  for (Eigen::Index i = 0; i < z_.size(); ++i) {
    const Role role = roles_[static_cast<std::size_t>(i)];
    const double known = last[static_cast<std::size_t>(i)];
    if (role == Role::held) z_(i) = known;
    if (role == Role::upper) z_(i) = problem.row(static_cast<int>(i)).limit;
    if (role == Role::lower) z_(i) = -problem.row(static_cast<int>(i)).limit;
    if (slides_[static_cast<std::size_t>(i)] == 0) continue;
    for (Eigen::Index t = i + 1; t <= i + problem.tangent_count(static_cast<int>(i)); ++t) z_(t) = ratio_(t) * known;
  }
  w_.noalias() = A * z_;
  w_ += problem.b();
  for (Eigen::Index i = 0; i < count; ++i) right_(i) = -w_(held_[static_cast<std::size_t>(i)]);
}

bool StepHold::solve(const StepRows& rows, const std::vector<double>& last) {
  const ConstraintProblem& problem = rows.problem();
  if (roles_.size() != static_cast<std::size_t>(problem.size()) || w_.size() != problem.size()) return false;
  held_.clear();
  bool any_slides = false;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i] == Role::held) held_.push_back(static_cast<Eigen::Index>(i));
    any_slides = any_slides || slides_[i] != 0;
  }
  ratio_.setZero(problem.size());
  VectorX<double> before;
  for (int round = 0; round < (any_slides ? kMostDirections : 1); ++round) {
    if (any_slides) {
      before = ratio_;
      set_directions(problem);
      if (round > 0 && (ratio_ - before).cwiseAbs().maxCoeff() < kSameDirection) break;
    }
    set_system(problem, last);
    if (!held_.empty()) {
      solver_.factorize(system_);
      solver_.solve_in_place(right_);
    }
    for (std::size_t k = 0; k < held_.size(); ++k) {
      const Eigen::Index i = held_[k];
      const double change = right_(static_cast<Eigen::Index>(k));
      z_(i) += change;
      if (slides_[static_cast<std::size_t>(i)] == 0) continue;
      for (Eigen::Index t = i + 1; t <= i + problem.tangent_count(static_cast<int>(i)); ++t) {
        z_(t) = ratio_(t) * z_(i);
      }
    }
    w_.noalias() = problem.A() * z_;
    w_ += problem.b();
    if (!w_.allFinite()) return false;
  }
  return true;
}

}  // namespace thenar::internal
