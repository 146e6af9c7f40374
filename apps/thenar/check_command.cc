// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/contact/no_instant_error.h"
#include "thenar/io/answer/contact_report.h"
#include "thenar/io/answer/model_info.h"
#include "thenar/io/scenario/quasistatic_reader.h"
#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/io/text/units.h"

namespace thenar::app {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> parse_margin(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto fail = [&](const std::string& reason) -> double {
    throw InputError({"--margin", 0, 0},
                     fmt::format("expects a length of 0 or more, such as '5 mm', found {}{}", quote(*text), reason));
  };
  try {
    const Quantity found = parse_quantity(*text);
    const bool is_length = !found.dimension || compatible(*found.dimension, kLength);
    return is_length && found.value >= 0 ? found.value : fail("");
  } catch (const UnitError& error) {
    return fail(fmt::format(": {}", error.what()));
  }
}

Json error_json(const InputError& error) {
  return {{"file", error.mark().file},
          {"line", error.mark().line},
          {"column", error.mark().column},
          {"message", error.message()}};
}

ContactReport find_start_contacts(const std::string& file, const Scenario& scenario, std::optional<double> margin) {
  try {
    return report_contacts(scenario, margin);
  } catch (const NoInstantError& error) {
    throw InputError({file, 0, 0}, error.what());
  }
}

/// Adds what touches at the start to the entry of a file; bodies inside each other make it bad.
void add_contacts(const std::string& file, const Scenario& scenario, const ContactReport& report, Json& entry) {
  entry.update(contact_report_json(scenario.model, report));
  for (const StartOverlap& overlap : report.overlaps) {
    const InputError error({file, 0, 0}, describe_overlap(scenario.model, overlap));
    fmt::print(stderr, "{}\n", error.what());
    if (entry["ok"]) entry["error"] = error_json(error);
    entry["ok"] = false;
  }
}

/// A bare quasistatic problem, if the file is one. Throws InputError.
std::optional<QuasistaticFile> read_bare_problem(const std::string& file, const CheckCommand& command) {
  Node root = read_document(file);
  if (!is_quasistatic_document(root)) return std::nullopt;
  for (const std::string& assignment : command.overrides) apply_override(root, assignment);
  return read_quasistatic(root, std::filesystem::path(file).stem().string());
}

/// Checks one file; says what it found on stdout or, if it is bad, on stderr. Returns its entry for --json.
Json check_file(const std::string& file, const CheckCommand& command, std::optional<double> margin) {
  try {
    if (const auto bare = read_bare_problem(file, command)) {
      if (!command.json) {
        fmt::print("{}: ok: quasistatic problem '{}', {} contacts, {} joints\n", file, bare->name,
                   bare->problem.contact_count(), bare->problem.joint_count());
      }
      return {{"file", file}, {"ok", true}, {"kind", "quasistatic"}, {"name", bare->name}, {"notes", Json::array()}};
    }
    const LoadedFile loaded = read_scenario_or_model(file, command.overrides);
    const Scenario& scenario = loaded.scenario;
    const std::vector<std::string> remarks = find_remarks(scenario);
    const char* kind = loaded.is_model ? "model" : "scenario";
    Json entry = {{"file", file}, {"ok", true}, {"kind", kind}, {"name", scenario.name}, {"notes", remarks}};
    std::string table;
    if (command.contacts) {
      const ContactReport report = find_start_contacts(file, scenario, margin);
      add_contacts(file, scenario, report, entry);
      table = contact_report_text(scenario.model, report);
    }
    if (!command.json) {
      fmt::print("{}: {}{} '{}', {} bodies, {} degrees of freedom\n", file, entry["ok"] ? "ok: " : "", kind,
                 scenario.name, scenario.model.body_count() - 1, scenario.model.velocity_count());
      for (const std::string& remark : remarks) fmt::print("{}: note: {}\n", file, remark);
      fmt::print("{}", table);
    }
    return entry;
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return {{"file", file}, {"ok", false}, {"error", error_json(error)}};
  }
}

}  // namespace

int check(const CheckCommand& command) {
  const std::optional<double> margin = parse_margin(command.margin);
  Json results = Json::array();
  bool all_good = true;
  for (const std::string& file : command.files) {
    results.push_back(check_file(file, command, margin));
    all_good = all_good && results.back()["ok"].get<bool>();
  }
  if (command.json) fmt::print("{}\n", results.dump(2, ' ', false, Json::error_handler_t::replace));
  return all_good ? kDone : kBadInput;
}

}  // namespace thenar::app
