// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The motion of a run for the replay in its report: poses of bodies and places of contacts in frames, which are some
/// of the rows of the trace. Frames are evenly spread, and the rows before and after every event are among them.
/// Numbers are 32-bit floats in base64, times 64-bit ones; the page decodes them (studio/src/frames.js):
///
///     times   one per frame, s
///     poses   per frame and body that moves: x, y, z, qw, qx, qy, qz
///     points  per contact, per stretch of frames in which it is there, per frame: its point on A in the axes of body
///     A,
///             on B in those of B, the normal and the force on A in world axes, the friction coefficient

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "thenar/io/plot/axis_ticks.h"
#include "thenar/io/trace/trace_scene.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

class ReplayBuilder {
 public:
  /// The scene must outlive it. `time` and `rows` are those of the run, `events` the times of its events in their
  /// order.
  ReplayBuilder(const TraceScene& scene, std::span<const std::string> columns, const std::filesystem::path& states,
                AxisRange time, long long rows, std::vector<double> events);

  /// The next row of states.csv and the contacts in it.
  void take(std::span<const double> row, const std::vector<Contact>& contacts);
  /// After the last row.
  void finish();

  std::size_t frame_count() const { return times_.size(); }
  const std::vector<double>& times() const { return times_; }
  /// Poses of all bodies in the first and in the last row; empty without rows.
  const std::vector<Pose<double>>& first_poses() const { return first_poses_; }
  std::vector<Pose<double>> calc_last_poses() const;
  /// Times and poses of a body that moves, in all frames.
  std::vector<std::pair<double, Pose<double>>> list_poses(BodyIndex body) const;
  /// Whether there were more events than frames for them.
  bool has_lost_events() const { return has_lost_events_; }

  /// All of it as a JSON object in one line, without any <, > or &.
  std::string json() const;

 private:
  struct Point {
    std::size_t contact = 0;
    std::array<float, 13> numbers{};
  };
  /// A row, before it is known whether it becomes a frame.
  struct Row {
    double t = 0;
    std::vector<float> poses;
    std::vector<Point> points;
    bool is_frame = false;
  };
  struct ContactTrack {
    std::string name;
    BodyIndex A, B;
    std::vector<std::pair<std::size_t, std::size_t>> spans;  ///< first frame, number of frames
    std::vector<float> numbers;
  };

  bool passes_event(double t);
  void read_row(std::span<const double> row, const std::vector<Contact>& contacts);
  void add_point(const Contact& contact);
  std::optional<std::size_t> find_contact(const std::string& name);
  void keep(Row& row);

  const TraceScene* scene_;
  TracePoses poses_of_row_;
  std::vector<double> events_;
  std::size_t next_event_ = 0;
  double spacing_ = 0, event_spacing_ = 0, last_event_ = 0;
  bool has_lost_events_ = false;
  Row row_, before_;
  bool has_row_ = false;
  std::vector<BodyIndex> movers_;
  std::vector<double> times_;
  std::vector<float> poses_;
  std::vector<ContactTrack> contacts_;
  std::unordered_map<std::string, std::optional<std::size_t>> contact_by_name_;
  std::vector<Pose<double>> first_poses_;
};

/// The bodies of a contact's name, "A/B" or "A/B#k"; nothing if the model has none of these names.
std::optional<std::pair<BodyIndex, BodyIndex>> find_contact_bodies(const Model& model, const std::string& name);

/// The force on A in world axes, N; zero where nothing is known of the frame.
Vec3<double> calc_world_force(const Contact& contact);

}  // namespace thenar::internal
