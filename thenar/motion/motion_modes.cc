// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/motion/motion_modes.h"

#include <algorithm>

namespace thenar {

bool Mode::holds(int row) const { return std::binary_search(held.begin(), held.end(), row); }

void Mode::hold(int row) {
  if (!holds(row)) held.insert(std::lower_bound(held.begin(), held.end(), row), row);
}

}  // namespace thenar
