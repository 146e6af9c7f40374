// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "thenar/base/diagnostic.h"
#include "thenar/io/text/json_internal.h"
#include "thenar/io/text/replace_file.h"
#include "thenar/io/text/text_file.h"

namespace thenar {
namespace {

namespace fs = std::filesystem;
using internal::Json;

constexpr std::size_t kLargestRecord = std::size_t{1} << 20;

fs::path snapshot_of(fs::path record) { return record.replace_extension(".snapshot"); }

/// Records by their numbers; other files of the folder do not matter.
std::vector<fs::path> list_records(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "checkpoints", error)) {
    const std::string stem = entry.path().stem().string();
    const bool is_number = stem.size() == 6 && stem.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && entry.path().extension() == ".json") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// The snapshot goes last: a record without one is not used.
void remove_record(const fs::path& record) {
  std::error_code ignored;
  fs::remove(record, ignored);
  fs::remove(snapshot_of(record), ignored);
}

/// Leaves every second one.
void thin(std::vector<fs::path> records) {
  if (records.size() <= kMostCheckpoints) return;
  for (std::size_t i = 1; i + 1 < records.size(); i += 2) remove_record(records[i]);
}

Json parse_record(const fs::path& record) {
  Json out = Json::parse(read_file(record, kLargestRecord), nullptr, false);
  if (!out.is_object()) throw InputError({record.string(), 0, 0}, "this record of a checkpoint is damaged");
  return out;
}

}  // namespace

void write_checkpoint(const fs::path& folder, const Checkpoint& checkpoint) {
  std::error_code error;
  fs::create_directories(folder / "checkpoints", error);
  std::vector<fs::path> records = list_records(folder);
  const int number = records.empty() ? 1 : std::stoi(records.back().stem().string()) + 1;
  const fs::path record = folder / "checkpoints" / fmt::format("{:06}.json", number);
  checkpoint.snapshot.write(snapshot_of(record));
  const Json json = {
      {"t", checkpoint.snapshot.time()},   {"scenario", checkpoint.scenario},
      {"overrides", checkpoint.overrides}, {"wall_s", checkpoint.wall_s},
      {"rows", checkpoint.rows},           {"last_row", checkpoint.rows > 0 ? Json(checkpoint.last_row) : Json()},
      {"files", checkpoint.sizes}};
  replace_file(record, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  records.push_back(record);
  thin(std::move(records));
}

void remove_checkpoints(const fs::path& folder) {
  for (const fs::path& record : list_records(folder)) remove_record(record);
  std::error_code ignored;
  fs::remove(folder / "checkpoints", ignored);  // if nothing else is in it
}

std::vector<CheckpointPlace> list_checkpoints(const fs::path& folder) {
  std::vector<CheckpointPlace> out;
  for (const fs::path& record : list_records(folder)) {
    const Json json = Json::parse(read_file(record, kLargestRecord), nullptr, false);
    if (json.is_object() && json.contains("t") && json["t"].is_number())
      out.push_back({json["t"].get<double>(), record});
  }
  return out;
}

Checkpoint read_checkpoint(const fs::path& record) {
  const Json json = parse_record(record);
  Checkpoint out;
  try {
    json.at("scenario").get_to(out.scenario);
    json.at("overrides").get_to(out.overrides);
    json.at("wall_s").get_to(out.wall_s);
    json.at("rows").get_to(out.rows);
    if (!json.at("last_row").is_null()) json.at("last_row").get_to(out.last_row);
    json.at("files").get_to(out.sizes);
  } catch (const Json::exception& error) {
    throw InputError({record.string(), 0, 0}, fmt::format("this record of a checkpoint is damaged: {}", error.what()));
  }
  out.snapshot = Snapshot::read(snapshot_of(record));
  return out;
}

}  // namespace thenar
