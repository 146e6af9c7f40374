// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Runs the postfix code of an expression, on doubles or on any other kind of number.

#include <cstddef>
#include <span>

#include "thenar/base/expression.h"
#include "thenar/base/expression_operations_internal.h"

namespace thenar::internal {

/// Entries of the stack that an expression may need; the parser sees to it.
inline constexpr int kMaxStack = 64;

inline Operation operation_of(const Instruction& instruction) { return static_cast<Operation>(instruction.operation); }

/// Where the code of the last `count` operands starts, if code[end - 1] is the last instruction of the last one.
inline std::size_t start_of_operands(std::span<const Instruction> code, std::size_t end, int count) {
  // Walking back, every instruction supplies one operand and asks for its own.
  for (int missing = count; missing > 0; --missing) missing += operand_count(operation_of(code[--end]));
  return end;
}

/// Leaves the results at the start of the stack: one, or the operands of an operation if `code` ends just before it.
/// Calls leaf(instruction) and apply(position in the code, operation, operands).
template <class Entry, class Leaf, class Apply>
void run_code(std::span<const Instruction> code, Entry* stack, const Leaf& leaf, const Apply& apply) {
  Entry* top = stack;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Operation operation = operation_of(code[i]);
    const int operands = operand_count(operation);
    if (operands == 0) {
      *top++ = leaf(code[i]);
    } else {
      top -= operands;
      *top = apply(i, operation, top);
      ++top;
    }
  }
}

}  // namespace thenar::internal
