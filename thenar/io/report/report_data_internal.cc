// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/report/report_data_internal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/io/report/replay_data_internal.h"
#include "thenar/io/report/report_lines_internal.h"
#include "thenar/io/report/report_story_internal.h"
#include "thenar/io/text/old_words.h"
#include "thenar/io/text/text_file.h"
#include "thenar/io/trace/trace_rows_internal.h"
#include "thenar/io/trace/trace_units.h"
#include "thenar/io/trace/trace_writer.h"

namespace thenar::internal {
namespace {

namespace fs = std::filesystem;
using UnorderedJson = nlohmann::json;

/// Points of all lines together: at some twenty bytes each they make most of the page.
constexpr std::size_t kMostPoints = 120000;
constexpr std::size_t kMostBins = 2000;  // Of a line; more than the pixels of a screen.
constexpr std::size_t kFewestBins = 100;
constexpr std::size_t kMostContacts = 200;
constexpr std::size_t kMostSegments = 4000;  // Of a contact, or of the verdicts.
constexpr std::size_t kMostEvents = 5000;    // In the table.
constexpr int kMarkBins = 2000;              // Events of a kind that share one are one mark.
constexpr std::size_t kLargestSummary = std::size_t{256} << 20;

// Summary.

/// An entry of the summary, which must have it: a summary that lacks something is no summary of a run.
template <class Value>
Value require(const UnorderedJson& object, const char* key, const fs::path& path) {
  const auto found = object.find(key);
  const bool is_there = found != object.end();
  if constexpr (std::is_same_v<Value, std::string>) {
    if (is_there && found->is_string()) return found->get<std::string>();
    throw InputError({path.string(), 0, 0}, fmt::format("has no text '{}': is it the summary of a run?", key));
  } else if constexpr (std::is_same_v<Value, bool>) {
    if (is_there && found->is_boolean()) return found->get<bool>();
    throw InputError({path.string(), 0, 0},
                     fmt::format("has no '{}', true or false: is it the summary of a run?", key));
  } else {
    if (is_there && found->is_number()) return found->get<Value>();
    throw InputError({path.string(), 0, 0}, fmt::format("has no number '{}': is it the summary of a run?", key));
  }
}

/// Verdicts that follow each other and say the same are one.
void add_verdict(const UnorderedJson& entry, const fs::path& path, std::vector<ReportSegment>& out) {
  const auto word = require<std::string>(entry, "verdict", path);
  ReportSegment segment{require<double>(entry, "from", path), require<double>(entry, "to", path),
                        std::string(renew_word("summary.json", kOldVerdicts, word)),
                        !require<bool>(entry, "determinate", path)};
  const bool goes_on = !out.empty() && out.back().word == segment.word && out.back().to == segment.from &&
                       out.back().is_hatched == segment.is_hatched;
  if (goes_on) out.back().to = segment.to;
  if (!goes_on) out.push_back(std::move(segment));
}

/// A run that was killed has no summary.
void read_summary(const fs::path& path, ReportData& data) {
  if (path.empty()) return;
  const UnorderedJson object = UnorderedJson::parse(read_file(path, kLargestSummary), nullptr, false);
  if (!object.is_object()) throw InputError({path.string(), 0, 0}, "is no JSON object: is it the summary of a run?");
  ReportSummary& s = data.summary;
  s.is_there = true;
  s.name = require<std::string>(object, "name", path);
  s.status = require<std::string>(object, "status", path);
  s.reason = require<std::string>(object, "reason", path);
  s.integrator = require<std::string>(object, "integrator", path);
  s.wall_s = require<double>(object, "wall_s", path);
  s.max_gap_violation = require<double>(object, "max_gap_violation", path);
  s.steps = require<long long>(object, "steps", path);
  s.implicit_steps = require<long long>(object, "implicit_steps", path);
  s.rejected_steps = require<long long>(object, "rejected_steps", path);
  // Files of version 0.2 and before know no flagged steps.
  if (object.contains("engine")) s.engine = require<std::string>(object, "engine", path);
  if (object.contains("flagged_steps")) s.flagged_steps = require<long long>(object, "flagged_steps", path);
  if (object.contains("worst_grade")) s.worst_grade = require<double>(object, "worst_grade", path);
  const auto verdicts = object.find("verdicts");
  if (verdicts == object.end() || !verdicts->is_array()) {
    throw InputError({path.string(), 0, 0}, "has no list 'verdicts': is it the summary of a run?");
  }
  for (const UnorderedJson& entry : *verdicts) add_verdict(entry, path, data.verdicts);
}

// Modes.

/// Of a list that is too long to be drawn, keeps the segments that are long enough to be seen and the first of those
/// that share a place on the screen; the others go in favour of the one before them.
bool thin_segments(std::vector<ReportSegment>& segments) {
  if (segments.size() <= kMostSegments) return false;
  const double start = segments.front().from, width = (segments.back().to - start) / kMostSegments;
  const auto place = [&](const ReportSegment& s) { return std::floor((s.from - start) / width); };
  std::vector<ReportSegment> kept;
  for (ReportSegment& s : segments) {
    if (kept.empty() || s.to - s.from > width || place(s) != place(kept.back())) {
      kept.push_back(std::move(s));
    } else if (kept.back().to == s.from) {
      kept.back().to = s.to;
    }
  }
  segments = std::move(kept);
  return true;
}

/// Times at which events changed contacts, so that a mode need not seem to last until the next row.
using ContactTimes = std::unordered_map<std::string, std::vector<double>>;

bool is_of_contacts(const std::string& kind) {
  constexpr std::array kKinds{"touch", "impact", "slip", "stick", "break", "zeno"};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

/// The modes of every contact over time.
class ModeReader {
 public:
  ModeReader(const ContactTimes& times, ReportData& data) : times_(times), data_(data) {}

  void start_row(double t) {
    before_ = t_;
    t_ = t;
  }

  void take(const Contact& contact) {
    const auto [entry, is_new] = tracks_.emplace(contact.name, Track{tracks_.size(), 0});
    Track& track = entry->second;
    if (is_new && track.index < kMostContacts) data_.contacts.push_back({contact.name, {}});
    if (track.index >= kMostContacts) return;
    ReportContact& lane = data_.contacts[track.index];
    lane.is_ever_held |= contact.mode != ContactMode::open;
    const char* word = to_string(contact.mode);
    const bool was_there = !is_new && track.last >= before_;
    track.last = t_;
    if (!was_there) {
      lane.segments.push_back({t_, t_, word});
    } else if (lane.segments.back().word == word) {
      lane.segments.back().to = t_;
    } else {
      const double change = find_change(contact.name);
      lane.segments.back().to = change;
      lane.segments.push_back({change, t_, word});
    }
  }

  void finish() {
    data_.contacts_left_out = tracks_.size() - data_.contacts.size();
    const auto is_near = [](const ReportContact& contact) { return !contact.is_ever_held; };
    data_.contacts_only_near =
        static_cast<std::size_t>(std::count_if(data_.contacts.begin(), data_.contacts.end(), is_near));
    if (data_.contacts_only_near < data_.contacts.size()) std::erase_if(data_.contacts, is_near);
    bool is_thinned = thin_segments(data_.verdicts);
    for (ReportContact& contact : data_.contacts) is_thinned |= thin_segments(contact.segments);
    if (is_thinned)
      data_.notes.emplace_back("Modes or verdicts change too often to be drawn: not all of them are shown.");
  }

 private:
  struct Track {
    std::size_t index = 0;
    double last = 0;  // s, when it was there
  };

  /// The last event of the contact since the row before this one, else the time of this one.
  double find_change(const std::string& name) const {
    const auto found = times_.find(name);
    if (found == times_.end()) return t_;
    const auto after = std::upper_bound(found->second.begin(), found->second.end(), t_);
    return after != found->second.begin() && *(after - 1) > before_ ? *(after - 1) : t_;
  }

  const ContactTimes& times_;
  ReportData& data_;
  std::unordered_map<std::string, Track> tracks_;
  double t_ = 0, before_ = 0;
};

// Events.

/// Gathers the events: all of them as marks, the first ones for the table, and when contacts changed.
class EventGatherer {
 public:
  explicit EventGatherer(ReportData& data) : data_(data) {}

  void take(const TraceEvent& event) {
    if (data_.events.size() < kMostEvents) data_.events.push_back(event);
    ++data_.counts[event.kind];
    all_times_.push_back(event.t);
    if (is_of_contacts(event.kind)) times_[event.where].push_back(event.t);
    add_mark(event, static_cast<std::size_t>(data_.event_count++));
  }

  const ContactTimes& times() const { return times_; }
  const std::vector<double>& all_times() const { return all_times_; }

 private:
  void add_mark(const TraceEvent& event, std::size_t index) {
    std::vector<ReportMark>& marks = data_.marks[event.kind];
    const double width = (data_.time.hi - data_.time.lo) / kMarkBins;
    const bool is_near = !marks.empty() && std::floor((event.t - data_.time.lo) / width) ==
                                               std::floor((marks.back().first.t - data_.time.lo) / width);
    if (!is_near) marks.push_back({event, index, event.t, 0});
    marks.back().last = event.t;
    ++marks.back().count;
  }

  ReportData& data_;
  ContactTimes times_;
  std::vector<double> all_times_;
};

// All of it.

/// The range of time of the trace; its number of rows.
void read_times(const TraceFiles& files, ReportData& data) {
  TraceReader reader(files.states);
  double first = 0, last = 0;
  while (reader.next()) {
    if (data.rows++ == 0) first = reader.t();
    last = reader.t();
  }
  data.time = widen_range(first, last, 0);
  if (data.time.lo < first) data.time = {first, first + (data.time.hi - data.time.lo)};  // A single row.
}

void read_modes(const TraceFiles& files, const ContactTimes& times, ReportData& data) {
  ModeReader modes(times, data);
  if (!files.contacts.empty()) {
    RowsWithContacts rows(files);
    while (rows.next()) {
      modes.start_row(rows.states().t());
      for (const Contact& contact : rows.contacts()) modes.take(contact);
    }
  }
  modes.finish();
}

std::size_t share_bins(std::size_t lines) {
  constexpr std::size_t kPointsPerBin = 4;
  return std::clamp(kMostPoints / kPointsPerBin / std::max<std::size_t>(lines, 1), kFewestBins, kMostBins);
}

void read_energy(const fs::path& path, EnergyLines& lines) {
  if (path.empty()) return;
  TraceReader reader(path);
  // Files of version 0.2 and before end without the last column.
  const std::string header = fmt::format("{}", fmt::join(reader.columns(), ","));
  if (!kEnergyHeader.starts_with(header) || reader.columns().size() < 7) {
    throw InputError({path.string(), 1, 0}, fmt::format("expected the header '{}'", kEnergyHeader));
  }
  while (reader.next()) lines.take(reader.row());
}

/// Objects whose way a report tells: bodies that move and are no links of a hand.
std::vector<StoryBody> find_objects(const TraceScene& scene, const ReplayBuilder& replay) {
  std::vector<StoryBody> out;
  if (replay.frame_count() == 0) return out;
  const std::vector<Pose<double>> last = replay.calc_last_poses();
  for (int i = 1; i < scene.model.body_count(); ++i) {
    const std::string& name = scene.model.body(BodyIndex(i)).name;
    if (!is_moving(scene.model, BodyIndex(i)) || is_link_name(name)) continue;
    const auto k = static_cast<std::size_t>(i);
    out.push_back({name, replay.first_poses()[k], last[k], replay.list_poses(BodyIndex(i))});
  }
  return out;
}

/// Coordinates of joints with one or two of them, in the first and in the last row.
std::vector<StoryJoint> find_joints(const TraceScene& scene, const std::vector<double>& first,
                                    std::span<const double> last) {
  std::vector<StoryJoint> out;
  for (const Joint& joint : scene.model.joints()) {
    const JointKind kind = joint.spec.kind;
    const bool is_told = kind == JointKind::revolute || kind == JointKind::prismatic || kind == JointKind::universal;
    for (int i = 0; is_told && i < joint.nq; ++i) {
      const auto column = static_cast<std::size_t>(1 + joint.q_start + i);
      const std::string name = joint.nq == 1 ? joint.spec.name : fmt::format("{}.{}", joint.spec.name, i);
      out.push_back({name, kind != JointKind::prismatic, first[column], last[column]});
    }
  }
  return out;
}

void finish_replay(ReplayBuilder& replay, ReportData& data) {
  replay.finish();
  if (replay.frame_count() > 0) data.motion = replay.json();
  if (replay.has_lost_events()) {
    data.notes.emplace_back("There are too many events for each to have a picture of its own in the replay.");
  }
}

void read_lines(const TraceFiles& files, const std::vector<double>& events, ReportData& data) {
  RowsWithContacts rows(files);
  const std::vector<std::string>& columns = rows.states().columns();
  const auto sliding = files.summary.empty() ? std::nullopt : read_sliding_joints(files.summary);
  StateLines states(columns, find_motion_kinds(columns, sliding));
  const std::size_t bins =
      share_bins(ContactLines::count_lines(data.contacts) + EnergyLines::kCount + states.count_lines());
  states.set_bins(bins);
  ContactLines contacts(data.contacts, bins);
  EnergyLines energy(bins);
  const auto scene = files.scene.empty() ? std::nullopt : std::optional(read_trace_scene(files.scene));
  std::optional<ReplayBuilder> replay;
  if (scene) replay.emplace(*scene, columns, files.states, data.time, data.rows, events);
  std::vector<double> first_row;
  while (rows.next()) {
    const double t = rows.states().t();
    for (const Contact& contact : rows.contacts()) contacts.take(contact, t);
    if (rows.knows_contacts()) contacts.end_row(t);
    states.take(rows.states().row());
    if (replay) replay->take(rows.states().row(), rows.contacts());
    if (first_row.empty()) first_row.assign(rows.states().row().begin(), rows.states().row().end());
  }
  if (replay) finish_replay(*replay, data);
  const bool knows_bodies = scene && !first_row.empty();
  data.story = knows_bodies ? tell_story(data, find_objects(*scene, *replay),
                                         find_joints(*scene, first_row, rows.states().row()))
                            : tell_story(data, {});
  read_energy(files.energy, energy);
  contacts.build(data.panels);
  energy.build(data.panels);
  states.build(data.panels);
  data.energy_error = energy.largest_error();
  if (rows.has_cut_end()) data.notes.emplace_back("The trace ends in a line that is cut; it is left out.");
}

}  // namespace

ReportData read_report_data(const fs::path& folder) {
  const TraceFiles files = find_trace(folder);
  ReportData data;
  data.has_contacts = !files.contacts.empty();
  read_summary(files.summary, data);
  if (data.summary.name.empty()) data.summary.name = fs::absolute(files.states).parent_path().filename().string();
  read_times(files, data);
  EventGatherer events(data);
  if (!files.events.empty()) read_events(files.events, [&](const TraceEvent& event) { events.take(event); });
  read_modes(files, events.times(), data);
  read_lines(files, events.all_times(), data);
  return data;
}

}  // namespace thenar::internal
