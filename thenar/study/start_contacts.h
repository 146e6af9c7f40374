// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What touches, and what nearly does, at the start of a scenario.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thenar/contact/contact_finder.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

/// Two bodies that start inside each other.
struct StartOverlap {
  BodyIndex body_A, body_B;
  double depth = 0;  ///< m, of their deepest point
};

struct ContactReport {
  double size = 0;              ///< m, of the scene (ContactTolerances)
  double margin = 0;            ///< m, contacts within this distance are listed
  std::int64_t pair_count = 0;  ///< pairs of bodies that may touch
  std::size_t near_pairs = 0;   ///< pairs of shapes that were near enough to be looked at
  /// A contact, and what its features are called: "vertex 3", "face".
  struct Entry {
    FoundContact contact;
    std::string shape_A, shape_B, feature_A, feature_B;
  };
  std::vector<Entry> entries;          ///< by gap; where gaps are equal, in the order of the model
  std::vector<StartOverlap> overlaps;  ///< deeper than rounding (ContactTolerances); the deepest first
};

/// Looks at the start of a scenario, with the rules of its `contacts` or, without any, at all pairs. `margin` (m)
/// stands before that of the scenario; if neither is given, it is a tenth of the scene's size. Throws std::length_error
/// when far too many shapes are near each other.
ContactReport report_contacts(const Scenario& scenario, std::optional<double> margin);

}  // namespace thenar
