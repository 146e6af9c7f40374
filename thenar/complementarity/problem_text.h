// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Constraint problems as text, so that one can be saved where it arose and solved alone. Numbers read back bit-equal.
///
///     thenar constraint problem 1
///     accuracy 1e-13
///     rows 2
///     unilateral id 7 b -9.81                 # kind, then names and values; limit and b_error where they are not 0
///     boxed limit 0.5 id 8 b 0.25
///     A
///     2 0.5
///     0.5 1
///
/// A stands row by row. '#' starts a comment; spaces, tabs and empty lines do not matter beyond that. "inf" and "nan"
/// are numbers here: the problem that broke a solver must be writable.

#include <iosfwd>
#include <string>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar {

void write_problem(std::ostream& out, const ConstraintProblem& problem);

/// Throws InputError, with the line, for text that is not such a problem. `name` stands for the file in messages.
ConstraintProblem read_problem(std::istream& in, const std::string& name = "");

}  // namespace thenar
