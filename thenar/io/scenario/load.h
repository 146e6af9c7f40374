// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "thenar/scenario/scenario.h"

namespace thenar {

/// Reads a scenario, or a model file as a scenario with that hand alone, after the overrides "path=value" in their
/// order (docs/formats.md). Throws InputError with file, line and what was expected.
Scenario load(const std::filesystem::path& path, std::span<const std::string> overrides = {});

}  // namespace thenar
