// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "commands.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/plot/actuator_sizing.h"
#include "thenar/io/plot/png.h"
#include "thenar/io/trace/trace_reader.h"

namespace thenar::app {

int size(const SizeCommand& command) {
  if (!(std::isfinite(command.safety) && command.safety >= 1)) {
    throw InputError({"--safety", 0, 0}, fmt::format("expects a factor of at least 1, found {}", command.safety));
  }
  if (!command.plot.empty()) check_output(find_trace(command.trace), command.plot, "--out");
  const SizingReport report = size_actuators(command.trace, !command.plot.empty());
  for (const std::string& note : report.notes) fmt::print(stderr, "{}\n", note);
  if (!command.plot.empty()) write_picture(plot_envelopes(report), command.plot);
  fmt::print("{}", command.json ? sizing_json(report, command.safety) : sizing_text(report, command.safety));
  return kDone;
}

}  // namespace thenar::app
