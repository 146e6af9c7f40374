// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Runs the postfix code of an expression, on doubles or on any other kind of number.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "thenar/base/expression.h"
#include "thenar/base/expression_decision_internal.h"
#include "thenar/base/expression_jet_internal.h"
#include "thenar/base/expression_operations_internal.h"
#include "thenar/base/interval_internal.h"

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

/// A number, and whether it depends on what varies. What does not is computed as evaluate() does, to the last bit: it
/// has no rounding error to allow for, and no derivative, not even 0 times infinity.
template <class Number>
struct Traced {
  Number number;
  bool varies;
};

inline Interval number_of(double constant, const Interval&) { return constant; }
template <class Number>
Jet<Number> number_of(double constant, const Jet<Number>&) {
  return flat(Number(constant));
}
inline double constant_of(const Interval& x) { return x.nan ? std::numeric_limits<double>::quiet_NaN() : x.lo; }
inline double constant_of(const Jet<double>& x) { return x.value; }
inline double constant_of(const Jet<Interval>& x) { return constant_of(x.value); }

template <class Number>
Traced<Number> apply_traced(Operation operation, const Traced<Number>* operands) {
  const int count = operand_count(operation);
  if (std::any_of(operands, operands + count, [](const Traced<Number>& operand) { return operand.varies; })) {
    Number numbers[3];
    for (int i = 0; i < count; ++i) numbers[i] = operands[i].number;
    return {apply(operation, numbers), true};
  }
  double constants[3] = {};
  for (int i = 0; i < count; ++i) constants[i] = constant_of(operands[i].number);
  return {number_of(apply(operation, constants), operands[0].number), false};
}

}  // namespace thenar::internal
