// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Constraint problems as text, so that one can be saved where it arose and solved alone. Numbers read back bit-equal.
///
///     thenar constraint problem 1
///     accuracy 1e-13
///     rows 4
///     unilateral id 7 b -9.81         # kind, then names and values; limit, b_error and faces where they are not 0
///     boxed limit 0.5 id 8 b 0.25
///     normal faces 8 id 9 b -1        # a contact: its normal row and its tangent rows, limit is the coefficient
///     tangent limit 0.6 id 10 b 0     # or "sliding", limit is the ratio of friction to normal force
///     A
///     2 0.5 0 0
///     0.5 1 0 0
///     0 0 3 0
///     0 0 0 3
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

/// Reads a friction problem in plain numbers, the form of public collections: "d c" (dimension 2 or 3, contacts), the
/// d c rows of A, b, and the friction coefficient of each contact, all separated by spaces and line ends. Contact by
/// contact, the normal row comes first; the cones are circular and smooth. Throws InputError as read_problem().
ConstraintProblem read_friction_problem(std::istream& in, const std::string& name = "");

}  // namespace thenar
