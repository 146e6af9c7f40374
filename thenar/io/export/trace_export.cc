// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/export/trace_export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>

#include "thenar/base/diagnostic.h"
#include "thenar/io/export/mcap_writer.h"
#include "thenar/io/export/scene_update_internal.h"
#include "thenar/io/report/replay_data_internal.h"
#include "thenar/io/text/json_internal.h"
#include "thenar/io/text/text_file.h"
#include "thenar/io/trace/trace_rows_internal.h"
#include "thenar/io/trace/trace_scene.h"
#include "thenar/io/trace/trace_units.h"
#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

namespace fs = std::filesystem;
using internal::Json;
using internal::RowsWithContacts;

constexpr std::size_t kLargestExportedSummary = std::size_t{256} << 20;
constexpr double kMostExportedRows = 1e7;

/// Lets `write` fill a file beside `output` that then takes its name, so that there is never half of one.
void write_whole(const fs::path& output, const std::function<void(std::ostream&)>& write) {
  std::error_code error;
  if (fs::is_directory(output, error)) {
    throw std::runtime_error(fmt::format("cannot write '{}': it is a folder", output.string()));
  }
  fs::path part = output;
  part += fmt::format(".part-{}", getpid());
  const auto fail = [&](const std::string& reason) {
    fs::remove(part, error);
    throw std::runtime_error(fmt::format("cannot write '{}': {}", output.string(), reason));
  };
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  if (!file) fail(std::strerror(errno));
  try {
    write(file);
  } catch (...) {
    fs::remove(part, error);
    throw;
  }
  file.close();
  if (!file) fail(std::strerror(errno));
  fs::rename(part, output, error);
  if (error) fail(error.message());
}

TraceScene read_scene(const TraceFiles& files) {
  if (files.scene.empty()) {
    throw InputError({files.states.parent_path().string(), 0, 0},
                     "there is no scene.json beside states.csv, which says what bodies there are: run the scenario "
                     "again with this version");
  }
  return read_trace_scene(files.scene);
}

std::vector<Pose<double>> find_poses(const TraceScene& scene, const TracePoses& poses) {
  std::vector<Pose<double>> out;
  for (int i = 0; i < scene.model.body_count(); ++i) out.push_back(poses.pose(BodyIndex(i)));
  return out;
}

// MCAP.

/// A name that paths to fields of messages can have: letters, digits and underscores.
std::string field_name(std::string_view text, std::set<std::string>& used) {
  std::string out(text);
  for (char& c : out) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  while (!used.insert(out).second) out += '_';
  return out;
}

/// Messages that have the columns of a table: "q.hand.wrist" is the entry hand_wrist of the entry q.
class TableMessages {
 public:
  explicit TableMessages(const std::vector<std::string>& columns) {
    std::map<std::string, std::set<std::string>> used;
    for (const std::string& column : columns) {
      const auto [quantity, dof] = split_column(column);
      const std::string group = dof.empty() ? std::string() : std::string(quantity);
      const std::string name = field_name(dof.empty() ? std::string_view(column) : dof, used[group]);
      groups_.push_back(group);
      names_.push_back(name);
    }
  }

  std::string schema(const char* title) const {
    Json properties = Json::object();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Json number = {{"type", "number"}};
      if (groups_[i].empty()) {
        properties[names_[i]] = number;
      } else {
        properties[groups_[i]]["type"] = "object";
        properties[groups_[i]]["properties"][names_[i]] = number;
      }
    }
    return Json{{"title", title}, {"type", "object"}, {"properties", properties}}.dump();
  }

  std::string message(std::span<const double> row) const {
    std::string out = "{", group;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (groups_[i] != group && !group.empty()) out += '}';
      if (i > 0) out += ',';
      if (groups_[i] != group && !groups_[i].empty()) out += fmt::format("\"{}\":{{", groups_[i]);
      group = groups_[i];
      out += fmt::format("\"{}\":", names_[i]);
      append_number(row[i], out);
    }
    return out + (group.empty() ? "}" : "}}");
  }

 private:
  std::vector<std::string> groups_, names_;  ///< by column
};

Json xyz(const Vec3<double>& a) { return {{"x", a.x}, {"y", a.y}, {"z", a.z}}; }

std::string contacts_message(double t, const std::vector<Contact>& contacts) {
  Json list = Json::array();
  for (const Contact& c : contacts) {
    list.push_back({{"name", c.name},
                    {"mode", to_string(c.mode)},
                    {"gap", c.gap},
                    {"fN", c.force_on_A.normal},
                    {"fT", c.force_on_A.along_T},
                    {"fU", c.force_on_A.along_U},
                    {"torsion", c.force_on_A.torsion},
                    {"vT", c.slip[0]},
                    {"vU", c.slip[1]},
                    {"uA1", c.u_A[0]},
                    {"uA2", c.u_A[1]},
                    {"uB1", c.u_B[0]},
                    {"uB2", c.u_B[1]},
                    {"psi", c.psi},
                    {"margin", c.margin},
                    {"friction", c.friction},
                    {"point_A", xyz(c.point_A)},
                    {"normal", xyz(c.N)},
                    {"force", xyz(internal::calc_world_force(c))}});
  }
  return Json{{"t", t}, {"contacts", list}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The schema of contacts_message(), from one.
std::string contacts_schema() {
  const Json example = Json::parse(contacts_message(0, {Contact{}}));
  const Json number = {{"type", "number"}};
  Json properties = Json::object();
  for (const auto& [key, value] : example["contacts"][0].items()) {
    const bool is_vector = value.is_object();
    properties[key] = is_vector
                          ? Json{{"type", "object"}, {"properties", {{"x", number}, {"y", number}, {"z", number}}}}
                          : Json{{"type", value.is_string() ? "string" : "number"}};
  }
  const Json items = {{"type", "object"}, {"properties", properties}};
  const Json all = {{"t", number}, {"contacts", {{"type", "array"}, {"items", items}}}};
  return Json{{"title", "thenar.Contacts"}, {"type", "object"}, {"properties", all}}.dump();
}

/// foxglove.Log, which has a panel of its own, with the entries of events.jsonl besides.
std::string event_message(const TraceEvent& event) {
  const auto ns = static_cast<std::int64_t>(std::llround(std::max(event.t, 0.0) * 1e9));
  constexpr int kInfo = 2;
  const std::string where = event.where.empty() ? "" : event.where + ": ";
  return Json{{"timestamp", {{"sec", ns / 1'000'000'000}, {"nsec", ns % 1'000'000'000}}},
              {"level", kInfo},
              {"message", fmt::format("{} · {}{}", event.kind, where, event.cause)},
              {"name", "thenar"},
              {"file", ""},
              {"line", 0},
              {"t", event.t},
              {"kind", event.kind},
              {"where", event.where},
              {"cause", event.cause},
              {"how", event.how},
              {"numbers", event.numbers}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::map<std::string, std::string> read_metadata(const TraceFiles& files, const TraceScene& scene) {
  std::map<std::string, std::string> out{{"name", scene.name}};
  if (files.summary.empty()) return out;
  const Json summary = Json::parse(read_file(files.summary, kLargestExportedSummary), nullptr, false);
  for (const char* key : {"status", "reason", "integrator"}) {
    if (summary.is_object() && summary.contains(key) && summary[key].is_string()) out[key] = summary[key];
  }
  return out;
}

/// The largest contact force of the trace, N, and the size of the scene in its first row, m.
struct Measures {
  double force = 0, size = 1;
};
Measures measure(const TraceFiles& files, const TraceScene& scene) {
  RowsWithContacts rows(files);
  TracePoses poses(scene, rows.states().columns(), files.states);
  Measures out;
  for (bool is_first = true; rows.next(); is_first = false) {
    for (const Contact& c : rows.contacts()) {
      out.force = std::max(out.force, std::hypot(c.force_on_A.normal, c.force_on_A.along_T, c.force_on_A.along_U));
    }
    if (!is_first) continue;
    poses.update(rows.states().row());
    out.size = internal::calc_scene_size(scene, find_poses(scene, poses));
  }
  return out;
}

/// All of a trace, row by row, to topics of a file.
class McapExport {
 public:
  McapExport(const TraceFiles& files, const TraceScene& scene, std::ostream& out)
      : files_(files),
        scene_(scene),
        measures_(measure(files, scene)),
        rows_(files),
        states_(rows_.states().columns()),
        writer_(out, "thenar") {
    if (!files.energy.empty()) energy_.emplace(files.energy);
    if (energy_) energies_.emplace(energy_->columns());
  }

  void write() {
    add_topics();
    if (!files_.events.empty()) read_events(files_.events, [&](const TraceEvent& event) { events_.push_back(event); });
    TracePoses poses(scene_, rows_.states().columns(), files_.states);
    for (bool is_first = true; rows_.next(); is_first = false) {
      const double t = rows_.states().t();
      write_events_until(t);
      poses.update(rows_.states().row());
      const std::vector<Pose<double>> now = find_poses(scene_, poses);
      if (is_first) writer_.write(scene_topic_, t, internal::scene_update_json(scene_, measures_.size, t));
      writer_.write(transforms_topic_, t, internal::transforms_json(scene_, now, t));
      writer_.write(states_topic_, t, states_.message(rows_.states().row()));
      if (energy_ && energy_->next()) writer_.write(energy_topic_, t, energies_->message(energy_->row()));
      if (!files_.contacts.empty() && rows_.knows_contacts()) write_contacts(t);
    }
    write_events_until(INFINITY);
    writer_.add_metadata("thenar", read_metadata(files_, scene_));
    writer_.finish();
  }

 private:
  void add_topics() {
    const auto add = [&](const char* topic, const std::string& name, const std::string& schema) {
      return writer_.add_channel(topic, writer_.add_schema(name, schema));
    };
    const auto add_foxglove = [&](const char* topic, const std::string& name) {
      return add(topic, name, internal::foxglove_schema(name));
    };
    states_topic_ = add("/states", "thenar.State", states_.schema("thenar.State"));
    if (energies_) energy_topic_ = add("/energy", "thenar.Energy", energies_->schema("thenar.Energy"));
    if (!files_.contacts.empty()) contacts_topic_ = add("/contacts", "thenar.Contacts", contacts_schema());
    events_topic_ = add_foxglove("/events", "foxglove.Log");
    transforms_topic_ = add_foxglove("/tf", "foxglove.FrameTransforms");
    scene_topic_ = add_foxglove("/scene", "foxglove.SceneUpdate");
    if (!files_.contacts.empty()) forces_topic_ = add_foxglove("/forces", "foxglove.SceneUpdate");
  }

  void write_contacts(double t) {
    constexpr double kLongest = 0.6;  // Of the largest force, in sizes of the scene.
    const double per_newton = measures_.force > 0 ? kLongest * measures_.size / measures_.force : 0;
    writer_.write(contacts_topic_, t, contacts_message(t, rows_.contacts()));
    writer_.write(forces_topic_, t, internal::forces_json(rows_.contacts(), measures_.size, per_newton, t));
  }

  void write_events_until(double t) {
    for (; next_event_ < events_.size() && events_[next_event_].t <= t; ++next_event_) {
      writer_.write(events_topic_, events_[next_event_].t, event_message(events_[next_event_]));
    }
  }

  const TraceFiles& files_;
  const TraceScene& scene_;
  Measures measures_;
  RowsWithContacts rows_;
  TableMessages states_;
  std::optional<TraceReader> energy_;
  std::optional<TableMessages> energies_;
  McapWriter writer_;
  std::vector<TraceEvent> events_;
  std::size_t next_event_ = 0;
  std::uint16_t states_topic_ = 0, energy_topic_ = 0, contacts_topic_ = 0, events_topic_ = 0, transforms_topic_ = 0,
                scene_topic_ = 0, forces_topic_ = 0;
};

// Poses.

/// Poses of the bodies that move, as position and quaternion.
using PoseRow = std::vector<std::pair<Vector3<double>, Vector4<double>>>;

Vector4<double> turn_between(const Vector4<double>& from, const Vector4<double>& to, double share) {
  const Vector4<double> inverse(from(0), -from(1), -from(2), -from(3));
  const Vec3<double> turn = rotation_vector_from_quaternion(multiply_quaternions(inverse, to));
  return multiply_quaternions(from, quaternion_from_rotation_vector(turn * share)).normalized();
}

class PoseTable {
 public:
  PoseTable(const TraceScene& scene, std::ostream& out) : out_(out) {
    text_ = "t";
    for (int i = 1; i < scene.model.body_count(); ++i) {
      if (!is_moving(scene.model, BodyIndex(i))) continue;
      movers_.push_back(BodyIndex(i));
      for (const char* part : {"x", "y", "z", "qw", "qx", "qy", "qz"}) {
        text_ += fmt::format(",{}.{}", scene.model.body(BodyIndex(i)).name, part);
      }
    }
    end_line();
  }

  PoseRow read(const TracePoses& poses) const {
    PoseRow out;
    for (const BodyIndex body : movers_) {
      const Pose<double> X = poses.pose(body);
      out.emplace_back(X.p, quaternion_from_rotation(X.R));
    }
    return out;
  }

  void write(double t, const PoseRow& row) {
    append_number(t, text_);
    for (const auto& [p, q] : row) {
      for (const double x : {p.x(), p.y(), p.z(), q(0), q(1), q(2), q(3)}) {
        text_ += ',';
        append_number(x, text_);
      }
    }
    end_line();
  }

  void write_between(double t, const PoseRow& from, const PoseRow& to, double share) {
    PoseRow row = from;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i].first += share * (to[i].first - from[i].first);
      row[i].second = turn_between(from[i].second, to[i].second, share);
    }
    write(t, row);
  }

 private:
  void end_line() {
    out_ << text_ << '\n';
    text_.clear();
  }

  std::ostream& out_;
  std::vector<BodyIndex> movers_;
  std::string text_;
};

void write_resampled(TraceReader& reader, TracePoses& poses, double every, PoseTable& table) {
  if (!reader.next()) return;
  const double start = reader.t();
  poses.update(reader.row());
  PoseRow before = table.read(poses);
  double before_t = start;
  std::int64_t k = 0;
  const auto next_t = [&] { return start + static_cast<double>(k) * every; };
  while (reader.next()) {
    poses.update(reader.row());
    PoseRow now = table.read(poses);
    for (; next_t() < reader.t(); ++k) {
      table.write_between(next_t(), before, now, (next_t() - before_t) / (reader.t() - before_t));
    }
    before = std::move(now);
    before_t = reader.t();
  }
  // The last row, if it is due; rounding may have put its time a little before or after it.
  if (std::abs(next_t() - before_t) <= 1e-9 * every) table.write(before_t, before);
}

double find_duration(const TraceFiles& files) {
  TraceReader reader(files.states);
  double first = 0, last = 0;
  for (bool is_first = true; reader.next(); is_first = false) {
    if (is_first) first = reader.t();
    last = reader.t();
  }
  return last - first;
}

}  // namespace

void export_mcap(const fs::path& trace, const fs::path& output) {
  const TraceFiles files = find_trace(trace);
  const TraceScene scene = read_scene(files);
  write_whole(output, [&](std::ostream& out) { McapExport(files, scene, out).write(); });
}

void export_poses(const fs::path& trace, const fs::path& output, std::optional<double> every) {
  const TraceFiles files = find_trace(trace);
  const TraceScene scene = read_scene(files);
  if (every && !(*every > 0 && find_duration(files) / *every <= kMostExportedRows)) {
    throw std::invalid_argument(
        fmt::format("rows every {} s: expects more than 0 s, and at most {} rows", *every, kMostExportedRows));
  }
  write_whole(output, [&](std::ostream& out) {
    TraceReader reader(files.states);
    TracePoses poses(scene, reader.columns(), files.states);
    PoseTable table(scene, out);
    if (every) {
      write_resampled(reader, poses, *every, table);
      return;
    }
    while (reader.next()) {
      poses.update(reader.row());
      table.write(reader.t(), table.read(poses));
    }
  });
}

}  // namespace thenar
