// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "thenar/motion/held_contact.h"

namespace thenar {

/// Which rows of the joints (joint_rows.h) hold, and in which direction joints with dry friction slip.
struct Mode {
  std::vector<int> held;  ///< indices of rows, ascending
  std::vector<int> slip;  ///< per row: −1 or 1 for a row of dry friction that slips, else 0

  bool holds(int row) const;
  void hold(int row);
  friend bool operator==(const Mode&, const Mode&) = default;
};

/// What a motion holds besides layers.
struct MotionModes {
  Mode joints;
  std::vector<HeldContact> contacts;
};

}  // namespace thenar
