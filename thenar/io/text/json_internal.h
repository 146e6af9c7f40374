// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

namespace thenar::internal {

/// JSON whose keys keep the order in which they were written.
using Json = nlohmann::ordered_json;

}  // namespace thenar::internal
