// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/scenario/load.h"

#include "thenar/io/scenario/scenario_reader.h"

namespace thenar {

Scenario load(const std::filesystem::path& path, std::span<const std::string> overrides) {
  return read_scenario_or_model(path, overrides).scenario;
}

}  // namespace thenar
