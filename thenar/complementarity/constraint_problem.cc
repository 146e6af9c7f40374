// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/constraint_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "thenar/base/assert.h"
#include "thenar/base/numbers.h"

namespace thenar {
namespace {

bool is_friction(RowKind kind) { return kind == RowKind::tangent || kind == RowKind::sliding; }

/// What is wrong with normal row i.
std::optional<std::string> find_normal_fault(const ConstraintProblem& problem, int i) {
  const int faces = problem.row(i).faces, tangents = problem.tangent_count(i);
  if (tangents < 1 || tangents > kMostTangents) {
    return fmt::format("row {}: a normal row with {} tangent rows, must have 1 to {}", i, tangents, kMostTangents);
  }
  if (problem.is_sliding_contact(i)) {
    if (faces == 0) return std::nullopt;
    return fmt::format("row {}: {} faces of a contact that slides, must be 0", i, faces);
  }
  if (faces != 0 && faces != kBoxFaces && faces < 3) {
    return fmt::format("row {}: a cone with {} faces, must be 0 (smooth), 2 (box) or 3 or more", i, faces);
  }
  if (faces >= 3 && tangents > 1 && (problem.row(i + 1).limit > 0) != (problem.row(i + 2).limit > 0)) {
    return fmt::format("row {}: a cone with faces and friction in one of two directions", i);
  }
  return std::nullopt;
}

/// What is wrong with tangent or sliding row i.
std::optional<std::string> find_friction_fault(const ConstraintProblem& problem, int i) {
  const ConstraintRow& row = problem.row(i);
  const RowKind before = i > 0 ? problem.row(i - 1).kind : RowKind::bilateral;
  if (before != RowKind::normal && !is_friction(before)) {
    return fmt::format("row {}: a {} row without a normal row before it", i, to_string(row.kind));
  }
  if (is_friction(before) && before != row.kind) {
    return fmt::format("row {}: a {} row after a {} one, a contact has either", i, to_string(row.kind),
                       to_string(before));
  }
  if (row.kind == RowKind::tangent && !(row.limit >= 0 && std::isfinite(row.limit))) {
    return fmt::format("row {}: friction coefficient is {}, must be finite and 0 or more", i, row.limit);
  }
  if (row.kind == RowKind::sliding && !std::isfinite(row.limit)) {
    return fmt::format("row {}: ratio of friction to normal force is {}, must be finite", i, row.limit);
  }
  return std::nullopt;
}

/// What is wrong with row i as a member of a contact.
std::optional<std::string> find_contact_fault(const ConstraintProblem& problem, int i) {
  const ConstraintRow& row = problem.row(i);
  if (row.kind == RowKind::normal) return find_normal_fault(problem, i);
  if (row.faces != 0) return fmt::format("row {}: {} faces, only normal rows have them", i, row.faces);
  return is_friction(row.kind) ? find_friction_fault(problem, i) : std::nullopt;
}

}  // namespace

const char* to_string(RowKind kind) {
  switch (kind) {
    case RowKind::bilateral:
      return "bilateral";
    case RowKind::unilateral:
      return "unilateral";
    case RowKind::boxed:
      return "boxed";
    case RowKind::normal:
      return "normal";
    case RowKind::tangent:
      return "tangent";
    case RowKind::sliding:
      return "sliding";
  }
  return "?";
}

const char* to_string(RowState state) {
  switch (state) {
    case RowState::held:
      return "held";
    case RowState::redundant:
      return "redundant";
    case RowState::open:
      return "open";
    case RowState::at_lower:
      return "at_lower";
    case RowState::at_upper:
      return "at_upper";
  }
  return "?";
}

void ConstraintProblem::reserve(int n) {
  const auto size = static_cast<std::size_t>(n);
  rows_.reserve(size);
  b_.reserve(size);
  A_.reserve(size * size);
}

void ConstraintProblem::resize(int n) {
  THENAR_DEMAND(n >= 0);
  const auto size = static_cast<std::size_t>(n);
  rows_.assign(size, {});
  b_.assign(size, 0);
  A_.assign(size * size, 0);
}

int ConstraintProblem::tangent_count(int i) const {
  int end = i + 1;
  while (end < size() && is_friction(row(end).kind)) ++end;
  return end - i - 1;
}

bool ConstraintProblem::is_sliding_contact(int i) const {
  return row(i).kind == RowKind::normal && i + 1 < size() && row(i + 1).kind == RowKind::sliding;
}

bool ConstraintProblem::has_contacts() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const ConstraintRow& row) { return row.kind == RowKind::normal; });
}

std::optional<std::string> ConstraintProblem::find_fault() const {
  if (!(accuracy >= 0 && accuracy < 1)) return fmt::format("accuracy is {}, must be 0 or more and below 1", accuracy);
  for (int i = 0; i < size(); ++i) {
    const ConstraintRow& r = row(i);
    if (r.kind == RowKind::boxed && !(r.limit >= 0)) {
      return fmt::format("row {}: limit is {}, must be 0 or more", i, r.limit);
    }
    if (!(r.b_error >= 0)) return fmt::format("row {}: b_error is {}, must be 0 or more", i, r.b_error);
    if (auto fault = find_contact_fault(*this, i)) return fault;
  }
  return std::nullopt;
}

Eigen::Vector2d calc_regular_corner(int j, int faces) {
  const int quarter = 4 * j;
  if (quarter % faces != 0) {
    const double angle = 2 * std::numbers::pi * j / faces;
    return {std::cos(angle), std::sin(angle)};
  }
  constexpr std::array<double, 4> kCos{1, 0, -1, 0};
  const auto turn = static_cast<std::size_t>(quarter / faces);
  return {kCos[turn % 4], kCos[(turn + 3) % 4]};
}

ForceBounds force_bounds(const ConstraintRow& row) {
  switch (row.kind) {
    case RowKind::bilateral:
    case RowKind::tangent:
    case RowKind::sliding:
      return {};
    case RowKind::unilateral:
    case RowKind::normal:
      return {0, kInfinity};
    case RowKind::boxed:
      return {-row.limit, row.limit};
  }
  return {};
}

}  // namespace thenar
