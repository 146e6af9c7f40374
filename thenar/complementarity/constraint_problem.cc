// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/constraint_problem.h"

#include <fmt/format.h>

#include "thenar/base/assert.h"

namespace thenar {

const char* to_string(RowKind kind) {
  switch (kind) {
    case RowKind::bilateral:
      return "bilateral";
    case RowKind::unilateral:
      return "unilateral";
    case RowKind::boxed:
      return "boxed";
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

std::optional<std::string> ConstraintProblem::find_fault() const {
  if (!(accuracy >= 0 && accuracy < 1)) return fmt::format("accuracy is {}, must be 0 or more and below 1", accuracy);
  for (int i = 0; i < size(); ++i) {
    const ConstraintRow& r = row(i);
    if (r.kind == RowKind::boxed && !(r.limit >= 0)) {
      return fmt::format("row {}: limit is {}, must be 0 or more", i, r.limit);
    }
    if (!(r.b_error >= 0)) return fmt::format("row {}: b_error is {}, must be 0 or more", i, r.b_error);
  }
  return std::nullopt;
}

ForceBounds force_bounds(const ConstraintRow& row) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (row.kind) {
    case RowKind::bilateral:
      return {};
    case RowKind::unilateral:
      return {0, kInfinity};
    case RowKind::boxed:
      return {-row.limit, row.limit};
  }
  return {};
}

}  // namespace thenar
