// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

namespace thenar {

/// Length in bytes of the well-formed UTF-8 character at the start of `text` (Unicode 15, table 3-7), or 0.
std::size_t utf8_length(std::string_view text);

}  // namespace thenar
