// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The trace of a run for other programs (docs/formats.md): as MCAP, which Foxglove, PlotJuggler and Rerun open, and
/// the poses of all bodies as one table. Both are made from the files in a run's folder, scene.json among them.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace thenar {

/// Writes the whole trace as MCAP, whole or not at all: topics /states, /energy, /contacts, /events, /tf, /scene and
/// /forces. Throws InputError if the trace cannot be read, std::runtime_error if the file cannot be written.
void export_mcap(const std::filesystem::path& trace, const std::filesystem::path& output);

/// Writes the poses in the world of all bodies that move as CSV: t, and <body>.x|y|z|qw|qx|qy|qz for each. At the rows
/// of the trace, or every `every` seconds from its first row on, between rows along straight lines and shortest turns.
/// Throws as above; std::invalid_argument if `every` is not greater than 0 or asks for more than ten million rows.
void export_poses(const std::filesystem::path& trace, const std::filesystem::path& output,
                  std::optional<double> every = std::nullopt);

}  // namespace thenar
