// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Reads scenario and model files into a Scenario. The formats are described in docs/formats.md, which also tells what
/// is left out by this version (laws of contact, other engines): files that ask for it are refused, never misread.

#include <filesystem>
#include <span>
#include <string>

#include "thenar/simulate/scenario.h"

namespace thenar {

struct LoadedFile {
  Scenario scenario;
  bool is_model = false;  ///< a model file: one hand on a fixed base, at q = 0
};

/// Reads a scenario, after the overrides "path=value" (apply_override) in their order. Model files that it names are
/// found relative to its folder. Throws InputError.
Scenario read_scenario(const std::filesystem::path& path, std::span<const std::string> overrides = {});

/// Reads a scenario from a text. `file_name` is what messages call it, `folder` where its models are looked for.
Scenario parse_scenario(std::string_view text, std::string file_name, const std::filesystem::path& folder = {},
                        std::span<const std::string> overrides = {});

/// Reads a file that may be a scenario or a model.
LoadedFile read_scenario_or_model(const std::filesystem::path& path, std::span<const std::string> overrides = {});

}  // namespace thenar
