// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The operations of the expression language: their names in the text, how many operands they take, what they compute.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thenar::internal {

enum class Operation : std::uint8_t {
  // Leaves.
  constant,
  variable,
  // One operand.
  negate,
  logical_not,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  cbrt,
  abs,
  sign,
  floor,
  ceil,
  round,
  step,
  // Two operands.
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  atan2,
  hypot,
  min,
  max,
  mod,
  // Three operands.
  select,
  clamp,
  pulse,
  blend,
};

int operand_count(Operation operation);

struct Function {
  std::string_view name;
  Operation operation;
};

/// The function of that name, or null.
const Function* find_function(std::string_view name);
std::vector<std::string> function_names();

/// min and max fold any number of arguments, two at a time.
inline bool takes_many(Operation operation) { return operation == Operation::min || operation == Operation::max; }

/// Result for operand_count(operation) operands.
double apply(Operation operation, const double* operands);

}  // namespace thenar::internal
