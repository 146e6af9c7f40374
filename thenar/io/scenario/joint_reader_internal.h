// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "thenar/io/scenario/part_reader_internal.h"

namespace thenar::internal {

/// Which of the two Denavit–Hartenberg conventions the `dh` rows of a file follow (docs/formats.md).
enum class DhConvention { none, standard, modified };

/// A joint and what is said of it in terms of other joints, which waits until all of them are known.
struct WrittenJoint {
  JointSpec spec;
  std::optional<Field> limits;
};

/// Reads the `joint` of a body. The name defaults to that of the body; no prefix is put before it. Springs of the
/// joint are in the specification.
WrittenJoint read_joint(const Field& field, const std::string& body_name, DhConvention convention,
                        const Parameters& parameters);

/// Stiffness of a spring over joints of these kinds: a number, a list (a diagonal) or a square matrix.
MatrixX<double> read_stiffness(const Field& field, const std::vector<JointKind>& kinds, const Parameters& parameters);

}  // namespace thenar::internal
