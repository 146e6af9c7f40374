// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/constraint_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/base/assert.h"

namespace thenar {
namespace {

/// What is wrong with row i as a member of a contact.
std::optional<std::string> find_contact_fault(const ConstraintProblem& problem, int i) {
  const ConstraintRow& row = problem.row(i);
  if (row.kind == RowKind::normal) {
    const int tangents = problem.tangent_count(i);
    if (tangents < 1 || tangents > kMostTangents) {
      return fmt::format("row {}: a normal row with {} tangent rows, must have 1 to {}", i, tangents, kMostTangents);
    }
    if (row.faces != 0 && row.faces < 3) {
      return fmt::format("row {}: a cone with {} faces, must be 0 (smooth) or 3 or more", i, row.faces);
    }
    if (row.faces > 0 && tangents > 1 && (problem.row(i + 1).limit > 0) != (problem.row(i + 2).limit > 0)) {
      return fmt::format("row {}: a cone with faces and friction in one of two directions", i);
    }
  } else if (row.faces != 0) {
    return fmt::format("row {}: {} faces, only normal rows have them", i, row.faces);
  }
  if (row.kind != RowKind::tangent) return std::nullopt;
  const RowKind before = i > 0 ? problem.row(i - 1).kind : RowKind::bilateral;
  if (before != RowKind::normal && before != RowKind::tangent) {
    return fmt::format("row {}: a tangent row without a normal row before it", i);
  }
  if (!(row.limit >= 0 && std::isfinite(row.limit))) {
    return fmt::format("row {}: friction coefficient is {}, must be finite and 0 or more", i, row.limit);
  }
  return std::nullopt;
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
  while (end < size() && row(end).kind == RowKind::tangent) ++end;
  return end - i - 1;
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

ForceBounds force_bounds(const ConstraintRow& row) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (row.kind) {
    case RowKind::bilateral:
    case RowKind::tangent:
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
