// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "thenar/io/text/document.h"

namespace thenar::internal {

/// Parses the one YAML value in `text`, of any kind; empty when there is none. Columns of the first line are shifted by
/// `shift`, for a text that is the end of a longer line. Throws InputError.
std::optional<Node> parse_yaml_value(std::string_view text, const std::shared_ptr<const std::string>& file, int shift);

}  // namespace thenar::internal
