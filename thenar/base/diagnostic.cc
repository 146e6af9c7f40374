// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/base/diagnostic.h"

#include <fmt/format.h>

namespace thenar {
namespace {

std::string format_diagnostic(const SourceMark& mark, const std::string& message) {
  std::string place = mark.file;
  if (mark.line > 0) place += fmt::format(":{}", mark.line);
  if (mark.line > 0 && mark.column > 0) place += fmt::format(":{}", mark.column);
  return place.empty() ? fmt::format("error: {}", message) : fmt::format("{}: error: {}", place, message);
}

}  // namespace

InputError::InputError(const SourceMark& mark, const std::string& message)
    : std::runtime_error(format_diagnostic(mark, message)), mark_(mark), message_(message) {}

}  // namespace thenar
