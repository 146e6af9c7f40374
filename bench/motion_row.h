// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One line of the tables of motions in time, as it goes into the file of figures.

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace thenar::bench {

/// What the errors are in, is told by the scene: `error_end` and `error_max` are in parts of the largest kinetic energy
/// for the swing, in rad for the stiff hand (where there is no error_max). With contacts they are in m: along the way
/// and in all for scenes with a known end; moved while at rest, and risen from the ground, for those that are to rest.
struct Row {
  std::string scene{}, contender{}, setting{};
  double error_end = 0, error_max = 0;
  std::optional<double> diverged_at{};  ///< s
  double microseconds = 0;              ///< CPU time per simulated millisecond
  double ratio = 0;                     ///< to the row that the scene is compared with; 0: none
  long long steps = 0, evaluations = 0;
  std::uint64_t hash = 0;
};

inline void write_csv(const std::string& file, const std::vector<Row>& rows) {
  std::ofstream out(file);
  out << "scene,contender,setting,error_end,error_max,diverged_at,microseconds_per_ms,ratio,steps,evaluations,end\n";
  for (const Row& row : rows) {
    out << fmt::format("\"{}\",\"{}\",{},{:.6e},{:.6e},{},{:.6f},{:.6f},{},{},{:016x}\n", row.scene, row.contender,
                       row.setting, row.error_end, row.error_max,
                       row.diverged_at ? fmt::format("{:g}", *row.diverged_at) : "", row.microseconds, row.ratio,
                       row.steps, row.evaluations, row.hash);
  }
}

}  // namespace thenar::bench
