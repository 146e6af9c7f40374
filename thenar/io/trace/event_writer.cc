// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/event_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace thenar {
namespace {

/// A text as JSON, with its quotes.
std::string quote_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

bool EventWriter::write(const Event& event) {
  line_ = R"({"t":)";
  append_number(event.t, line_);
  line_ += fmt::format(R"(,"kind":"{}","where":{},"cause":{},"how":"{}","numbers":{{)", to_string(event.kind),
                       quote_json(event.where()), quote_json(describe(event)), to_string(event.cause));
  const char* separator = "";
  for (const EventNumber& number : event.numbers) {
    line_ += fmt::format(R"({}"{}":)", separator, number.name);
    if (std::isfinite(number.value)) append_number(number.value, line_);
    if (!std::isfinite(number.value)) line_ += "null";
    separator = ",";
  }
  line_ += "}}\n";
  return file_.write(line_);
}

}  // namespace thenar
