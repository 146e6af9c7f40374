// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/event_writer.h"

#include <fmt/format.h>

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
  line_ += fmt::format(R"(,"kind":"{}","where":{},"cause":{}}})", to_string(event.kind), quote_json(event.where),
                       quote_json(event.cause));
  line_ += '\n';
  return file_.write(line_);
}

}  // namespace thenar
