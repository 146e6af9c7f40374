// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>

namespace thenar {

/// Writes a whole file so that others see the old one or the new one, never a part: into a file beside it that then
/// takes its name. What is no regular file (a pipe, a device) is written as it is. Throws std::runtime_error with the
/// reason if that cannot be done; the old file is then untouched.
void replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace thenar
