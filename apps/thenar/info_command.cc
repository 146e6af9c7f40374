// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "commands.h"
#include "thenar/io/answer/model_info.h"
#include "thenar/io/scenario/scenario_reader.h"

namespace thenar::app {

int info(const InfoCommand& command) {
  const Scenario scenario = read_scenario_or_model(command.file, command.overrides).scenario;
  fmt::print("{}", command.json ? model_info_json(scenario) : model_info_text(scenario));
  return kDone;
}

}  // namespace thenar::app
