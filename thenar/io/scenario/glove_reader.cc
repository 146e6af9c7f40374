// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/base/text.h"
#include "thenar/io/scenario/glove_reader_internal.h"
#include "thenar/io/scenario/model_reader.h"
#include "thenar/io/text/document_fingerprint_internal.h"
#include "thenar/io/text/text_file.h"
#include "thenar/io/trace/trace_reader.h"

namespace thenar::internal {
namespace {

namespace fs = std::filesystem;

/// More rows than an hour at a kilohertz are something else than a recording.
constexpr std::size_t kMostSamples = 3'600'000;
/// Of a recording or a mapping; what is behind it does not count for the fingerprint.
constexpr std::size_t kLargestFile = std::size_t{1} << 30;
/// Two turns: an angle of a hand in degrees rather than in rad, or no angle at all.
constexpr double kLargestAngle = 12.6;

/// The file that the field names, relative to the scenario.
fs::path find_file(const Field& field, const ControlContext& context) {
  const fs::path path = context.folder / read::text(field);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    field.fail(fmt::format("names the file {}, which does not exist (paths are relative to the scenario file)",
                           quote(path.string())));
  }
  if (fs::is_directory(status)) field.fail(fmt::format("names {}, which is a folder", quote(path.string())));
  DocumentFingerprint contents(context.files);
  contents.add(read_file(path, kLargestFile));
  context.files = contents.value();
  return path;
}

}  // namespace

GloveRecording read_glove_recording(const fs::path& path) {
  TraceReader rows(path, TraceReader::Source::recording);
  GloveRecording out;
  out.sensors.assign(rows.columns().begin() + 1, rows.columns().end());
  if (out.sensors.empty()) throw InputError({path.string(), 1, 0}, "the recording has no sensors beside 't'");
  int line = 1;
  while (rows.next()) {
    ++line;
    if (!out.times.empty() && !(rows.t() > out.times.back())) {
      throw InputError({path.string(), line, 0}, fmt::format("two samples at t = {} s", rows.t()));
    }
    if (out.times.size() == kMostSamples) throw InputError({path.string(), line, 0}, "the recording is too long");
    out.times.push_back(rows.t());
    out.samples.emplace_back(rows.row().begin() + 1, rows.row().end());
  }
  if (out.times.empty()) throw InputError({path.string(), 1, 0}, "the recording has no samples");
  return out;
}

GloveReader::GloveReader(const Field& field, const ControlContext& context) : context_(context) {
  MapReader reader(field);
  const auto recording = reader.optional("recording"), mapping = reader.optional("mapping"),
             hand = reader.optional("hand");
  reader.finish();
  recording_ = read_glove_recording(find_file(recording ? *recording : reader.required("recording"), context));
  const Field joints = mapping ? *mapping : reader.required("mapping");
  read_hand(hand ? *hand : reader.required("hand"));
  if (joints.node().is_mapping()) {
    mapping_ = joints;
  } else {
    read_mapping_file(joints);
  }
  if (read::entries(*mapping_).empty()) mapping_->fail("expects at least one joint, {joint: expression of sensors}");
}

void GloveReader::read_mapping_file(const Field& field) {
  file_ = read_document(find_file(field, context_));
  MapReader document(Field(file_, "the mapping of a glove"));
  check_version(document);
  if (const auto name = document.optional("name")) read::text(*name);
  mapping_ = document.required("joints");
  document.finish();
}

void GloveReader::read_hand(const Field& field) {
  hand_ = read::identifier(field);
  const auto belongs = [&](const Joint& joint) { return joint.spec.name.starts_with(hand_ + "."); };
  const auto& joints = context_.scenario.model.joints();
  if (std::none_of(joints.begin(), joints.end(), belongs)) {
    field.fail(fmt::format("is {}, but no hand of this scenario with joints has that name", quote(hand_)));
  }
}

std::vector<NamedField> GloveReader::entries() const {
  std::vector<NamedField> out = read::entries(*mapping_);
  for (NamedField& entry : out) entry.name = hand_ + "." + entry.name;
  return out;
}

std::vector<Waypoint> GloveReader::calc_path(const Field& field, Dimension dimension) const {
  const Expression expression = read::time_function(field, recording_.sensors, dimension, context_.parameters);
  std::vector<Waypoint> path;
  for (std::size_t i = 0; i < recording_.times.size(); ++i) {
    const double value = expression.evaluate(recording_.samples[i]);
    if (!std::isfinite(value)) {
      field.fail(fmt::format("gives {} for the sample at t = {} s of the recording", value, recording_.times[i]));
    }
    if (dimension == kAngle && std::abs(value) > kLargestAngle) {
      field.fail(
          fmt::format("gives {} rad for the sample at t = {} s of the recording, more than two turns: sensors "
                      "are in rad",
                      value, recording_.times[i]));
    }
    path.push_back({recording_.times[i], value});
  }
  return path;
}

}  // namespace thenar::internal
