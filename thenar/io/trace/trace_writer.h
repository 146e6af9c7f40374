// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Writes the rows of a run (docs/formats.md): `states.csv` and `energy.csv` with one line per sample, and
/// `contacts.csv` and `contact_frames.csv` with one line per sample and contact where the scenario asks for contacts;
/// and `scene.json`, the bodies that the rows speak of. Numbers are in the shortest form that reads back to the same
/// bits. Rows reach the files whole and soon, so that a run that is
/// interrupted, fails or is killed leaves a readable trace.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thenar/io/trace/file_sizes.h"
#include "thenar/scenario/scenario.h"
#include "thenar/trace/sample.h"

namespace thenar {

/// The header of states.csv. A joint has q.<joint>, v.<joint>, tau.<joint> (with .0, .1, … if it has several numbers);
/// a free or planar body is named by its parts, and has tau columns only if an actuator drives it.
std::vector<std::string> trace_columns(const Scenario& scenario);

/// Of these, the q columns of all joints, in their order.
std::vector<std::string> position_columns(const Model& model);

/// The headers of contacts.csv, contact_frames.csv and energy.csv.
inline constexpr std::string_view kContactHeader =
    "t,contact,mode,gap,fN,fT,fU,torsion,vT,vU,uA1,uA2,uB1,uB2,psi,margin";
inline constexpr std::string_view kContactFrameHeader = "t,contact,friction,ax,ay,az,nx,ny,nz,tx,ty,tz";
inline constexpr std::string_view kEnergyHeader = "t,kinetic,potential,work,dissipated,layers,switched,corrected";

class TraceWriter {
 public:
  /// Creates the folder if it is missing and the files in it, replacing older ones; those about the contacts of an
  /// earlier run go if this one has no contacts. Refers to the scenario, which must outlive it. Throws
  /// std::runtime_error with a clear message if that cannot be done. With the sizes of a checkpoint it goes on behind
  /// them.
  TraceWriter(const Scenario& scenario, const std::filesystem::path& folder, const FileSizes& kept = {});
  ~TraceWriter();

  /// Adds a row. False when it could not be written; error() says why.
  bool write(const Sample& sample);
  /// Writes what is left. False as above.
  bool finish();
  /// Writes what is left, and adds the sizes of all files that grow.
  void add_sizes(FileSizes& sizes);

  /// Of the first file that could not be written; empty while all is well.
  const std::string& error() const;
  /// Of states.csv.
  const std::filesystem::path& path() const;
  const std::filesystem::path& energy_path() const;
  /// Of contacts.csv; nothing for a scenario without contacts.
  std::optional<std::filesystem::path> contacts_path() const;
  /// Of contact_frames.csv, likewise.
  std::optional<std::filesystem::path> contact_frames_path() const;
  /// Of scene.json.
  const std::filesystem::path& scene_path() const { return scene_path_; }

 private:
  void append_state(const Sample& sample);
  void append_positions(const Sample& sample);
  void append_velocities(const Sample& sample);
  void append_efforts(const Sample& sample);
  void append_energy(const Sample& sample);
  void append_contacts(const Sample& sample);
  void append_frame(double t, const Contact& contact);

  struct Files;

  const Scenario* scenario_;
  std::unique_ptr<Files> files_;
  std::filesystem::path scene_path_;
  std::vector<bool> has_effort_;  // Per joint.
  bool needs_kinematics_ = false;
};

}  // namespace thenar
