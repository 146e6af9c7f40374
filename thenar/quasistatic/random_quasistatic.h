// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Random problems as PTL make them (section 5): one planar object touched by fingers with two joints each, n_q = 3 and
/// n_theta = 2 n_c. The loads follow from random forces in the friction cones, and the joint velocities from random
/// velocities with v_n ≥ 0, so that neither the polyhedron of velocities nor that of forces is empty. Whether they have
/// complementary points is another matter.

#include <cstdint>

#include "thenar/quasistatic/quasistatic_problem.h"

namespace thenar {

struct RandomQuasistatic {
  int contacts = 10;
  double largest_mu = 1;  ///< coefficients of friction are drawn from (0, largest_mu)
  int effort_joints = 0;  ///< |ᾱ|, at most 2 n_c
  std::uint64_t seed = 1;
};

/// The same on every machine. Throws std::invalid_argument for numbers out of range.
QuasistaticProblem make_random_quasistatic(const RandomQuasistatic& options);

}  // namespace thenar
