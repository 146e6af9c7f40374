// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a scenario is read from, kept as trees of entries, so that it can be made again with other parameters.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "thenar/io/text/document.h"
#include "thenar/scenario/scenario.h"

namespace thenar::internal {

struct ScenarioFiles {
  std::shared_ptr<const Node> root;                             ///< of the scenario
  std::string name;                                             ///< of its file
  std::filesystem::path folder;                                 ///< that models are named relative to
  std::map<std::string, std::shared_ptr<const Node>> models{};  ///< by path; each is read once
  std::map<std::string, std::string> model_of_hand{};           ///< path, by the name of the hand
  std::uint64_t read_by_controllers = 0;  ///< differs if one of the files does that controllers read
};

/// Reads the scenario, with these values of parameters in place of those written; models that are not among the files
/// are added to them. Throws InputError.
Scenario read_files(ScenarioFiles& files, std::span<const NamedValue> values = {});

/// The same, and the scenario knows what its parameters drive and can be made again (with_parameters).
Scenario read_with_source(ScenarioFiles files);

}  // namespace thenar::internal
