// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "commands.h"
#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/export/trace_export.h"
#include "thenar/io/report/report_page.h"
#include "thenar/io/text/replace_file.h"
#include "thenar/io/trace/trace_reader.h"

namespace thenar::app {
namespace {

namespace fs = std::filesystem;

enum class Format { csv, mcap, html };

Format find_format(const fs::path& output) {
  const std::string ending = output.extension().string();
  if (ending == ".csv") return Format::csv;
  if (ending == ".mcap") return Format::mcap;
  if (ending == ".html") return Format::html;
  throw InputError({"--out", 0, 0},
                   fmt::format("expects a file that ends in .csv, .mcap or .html, found {}", quote(output.string())));
}

/// What to write: the files that are named, or one of each format beside the trace.
std::vector<fs::path> find_outputs(const ExportCommand& command, const TraceFiles& files) {
  std::vector<fs::path> out(command.outputs.begin(), command.outputs.end());
  const fs::path folder = files.states.parent_path();
  if (out.empty()) out = {folder / "poses.csv", folder / "trace.mcap", folder / "report.html"};
  for (const fs::path& output : out) {
    find_format(output);
    check_output(files, output, "--out");
  }
  return out;
}

void write(const ExportCommand& command, const fs::path& output) {
  switch (find_format(output)) {
    case Format::csv:
      return export_poses(command.trace, output, command.every);
    case Format::mcap:
      return export_mcap(command.trace, output);
    case Format::html:
      return replace_file(output, make_report(command.trace));
  }
}

}  // namespace

int export_trace(const ExportCommand& command) {
  const std::vector<fs::path> outputs = find_outputs(command, find_trace(command.trace));
  if (command.every) {
    const bool has_table =
        std::any_of(outputs.begin(), outputs.end(), [](const fs::path& p) { return find_format(p) == Format::csv; });
    if (!has_table) throw InputError({"--every", 0, 0}, "is for .csv files, and none is to be written");
    if (!(*command.every > 0)) {
      throw InputError({"--every", 0, 0}, fmt::format("expects a time greater than 0 s, found {}", *command.every));
    }
  }
  for (const fs::path& output : outputs) {
    try {
      write(command, output);
    } catch (const std::invalid_argument& error) {
      throw InputError({"--every", 0, 0}, error.what());
    }
    fmt::print("{}\n", output.string());
  }
  return kDone;
}

}  // namespace thenar::app
