// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "commands.h"
#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/plot/png.h"
#include "thenar/io/plot/trace_plot.h"
#include "thenar/io/trace/trace_reader.h"

namespace thenar::app {
namespace {

namespace fs = std::filesystem;

/// Reads "720x400" into width and height.
void parse_size(const std::string& text, TracePlotOptions& options) {
  constexpr int kLargest = 20000;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, options.width);
  bool is_good = width.ec == std::errc{} && width.ptr != end && *width.ptr == 'x';
  if (is_good) {
    const auto height = std::from_chars(width.ptr + 1, end, options.height);
    is_good = height.ec == std::errc{} && height.ptr == end;
  }
  const auto is_in_range = [](int n) { return n > 0 && n <= kLargest; };
  if (is_good && is_in_range(options.width) && is_in_range(options.height)) return;
  throw InputError({"--size", 0, 0}, fmt::format("expects WIDTHxHEIGHT in pixels up to {}, such as 720x400, found {}",
                                                 kLargest, quote(text)));
}

fs::path find_output(const PlotCommand& command) {
  const TraceFiles files = find_trace(command.trace);
  if (command.output.empty()) return files.states.parent_path() / "plot.svg";
  check_output(files, command.output, "--out");
  return command.output;
}

}  // namespace

int plot(const PlotCommand& command) {
  TracePlotOptions options{.trace = command.trace,
                           .columns = command.columns,
                           .degrees = command.degrees,
                           .events = !command.no_events,
                           .from = command.from,
                           .to = command.to,
                           .title = command.title};
  if (!command.size.empty()) parse_size(command.size, options);
  const fs::path output = find_output(command);
  const TracePlot plot = plot_trace(options);
  for (const std::string& note : plot.notes) fmt::print(stderr, "{}\n", note);
  if (command.output == "-") {
    fmt::print("{}", plot.svg);
  } else {
    write_picture(plot.svg, output);
    fmt::print("{}\n", output.string());
  }
  return kDone;
}

}  // namespace thenar::app
