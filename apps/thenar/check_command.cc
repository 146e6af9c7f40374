// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "thenar/base/diagnostic.h"
#include "thenar/io/model_info.h"
#include "thenar/io/scenario_reader.h"

namespace thenar::app {
namespace {

using Json = nlohmann::ordered_json;

/// Checks one file; says what it found on stdout or, if it is bad, on stderr. Returns its entry for --json.
Json check_file(const std::string& file, const CheckCommand& command) {
  try {
    const LoadedFile loaded = read_scenario_or_model(file, command.overrides);
    const Model& model = loaded.scenario.model;
    const std::vector<std::string> remarks = find_remarks(loaded.scenario);
    const char* kind = loaded.is_model ? "model" : "scenario";
    if (!command.json) {
      fmt::print("{}: ok: {} '{}', {} bodies, {} degrees of freedom\n", file, kind, loaded.scenario.name,
                 model.body_count() - 1, model.velocity_count());
      for (const std::string& remark : remarks) fmt::print("{}: note: {}\n", file, remark);
    }
    return {{"file", file}, {"ok", true}, {"kind", kind}, {"name", loaded.scenario.name}, {"notes", remarks}};
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return {{"file", file},
            {"ok", false},
            {"error",
             {{"file", error.mark().file},
              {"line", error.mark().line},
              {"column", error.mark().column},
              {"message", error.message()}}}};
  }
}

}  // namespace

int check(const CheckCommand& command) {
  Json results = Json::array();
  bool all_good = true;
  for (const std::string& file : command.files) {
    results.push_back(check_file(file, command));
    all_good = all_good && results.back()["ok"].get<bool>();
  }
  if (command.json) fmt::print("{}\n", results.dump(2, ' ', false, Json::error_handler_t::replace));
  return all_good ? kDone : kBadInput;
}

}  // namespace thenar::app
