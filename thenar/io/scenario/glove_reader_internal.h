// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A recorded data glove as targets of joints. The recording is a CSV file with a column `t` (s) and one per sensor
/// (rad); a mapping says which joint takes which expression of the sensors (Chan, Table 5.2).

#include "thenar/control/trajectory.h"
#include "thenar/io/scenario/control_reader_internal.h"

namespace thenar::internal {

struct GloveRecording {
  std::vector<std::string> sensors;
  std::vector<double> times;                 ///< s, growing
  std::vector<std::vector<double>> samples;  ///< per time, in the order of the sensors
};

/// Throws InputError at the place of the fault.
GloveRecording read_glove_recording(const std::filesystem::path& path);

/// The key `glove`: {recording: .., mapping: .., hand: ..}.
class GloveReader {
 public:
  GloveReader(const Field& field, const ControlContext& context);

  /// The joints of the mapping, as `hand.joint`.
  std::vector<NamedField> entries() const;
  /// Waypoints of one expression of the sensors.
  std::vector<Waypoint> calc_path(const Field& expression, Dimension dimension) const;

 private:
  void read_hand(const Field& field);
  void read_mapping_file(const Field& field);

  const ControlContext& context_;
  GloveRecording recording_;
  std::string hand_;
  Node file_;                     ///< of a mapping in a file of its own
  std::optional<Field> mapping_;  ///< refers to it, or to the scenario
};

}  // namespace thenar::internal
