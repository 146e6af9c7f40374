// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Writes the rows of a run to `states.csv` (docs/formats.md): a header, then one line per sample, numbers in the
/// shortest form that reads back to the same bits. Rows reach the file whole and soon, so that a run that is
/// interrupted, fails or is killed leaves a readable trace.

#include <filesystem>
#include <string>
#include <vector>

#include "thenar/dynamics/kinematics.h"
#include "thenar/io/text_file.h"
#include "thenar/simulate/simulate.h"

namespace thenar {

/// The header of states.csv. A joint has q.<joint>, v.<joint>, tau.<joint> (with .0, .1, … if it has several numbers);
/// a free or planar body is named by its parts, and has tau columns only if an actuator drives it.
std::vector<std::string> trace_columns(const Scenario& scenario);

class TraceWriter {
 public:
  /// Creates the folder if it is missing and states.csv in it, replacing an older one. Refers to the scenario, which
  /// must outlive it. Throws std::runtime_error with a clear message if that cannot be done.
  TraceWriter(const Scenario& scenario, const std::filesystem::path& folder);

  /// Adds a row. False when it could not be written; error() says why.
  bool write(const Sample& sample);
  /// Writes what is left. False as above.
  bool finish();

  const std::string& error() const { return file_.error(); }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  void append_positions(const Sample& sample);
  void append_velocities(const Sample& sample);
  void append_efforts(const Sample& sample);
  void append(double value);
  bool flush();

  const Scenario* scenario_;
  LineFile file_;
  Workspace<double> workspace_;
  std::vector<bool> has_effort_;  // Per joint.
  bool needs_kinematics_ = false;
  std::string buffer_;
  int buffered_rows_ = 0;
};

}  // namespace thenar
