// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "thenar/quasistatic/quasistatic_solver.h"

namespace thenar {

/// The question that slow motion could not go on from (RunReport), and what is known of its answer.
struct QuasistaticEnd {
  double t = 0;  ///< s
  QuasistaticProblem problem;
  QuasistaticAnswer answer;
  std::vector<std::string> contacts, objects, joints;  ///< names of contacts and of velocities
};

}  // namespace thenar
