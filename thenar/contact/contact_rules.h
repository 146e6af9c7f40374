// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "thenar/model/model.h"

namespace thenar {

/// Every body of `a` with every body of `b`.
struct BodyGroups {
  std::vector<BodyIndex> a, b;
};

/// Which bodies may touch each other, as the user says it. What follows from the model itself (neighbours, bodies that
/// cannot move on each other) is added by pair_filter.h.
struct ContactRules {
  bool all_pairs = true;             ///< `pairs: auto`; else only `pairs`
  std::vector<BodyGroups> pairs;     ///< neighbours too, if they are named here
  std::vector<BodyGroups> excluded;  ///< taken away in the end
  std::optional<double> margin;      ///< m, contacts are looked for within this distance
};

}  // namespace thenar
