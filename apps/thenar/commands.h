// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The verbs of the program. Results go to stdout, messages to stderr; the return value is the exit code.

#include <string>
#include <vector>

namespace thenar::app {

inline constexpr int kDone = 0;
inline constexpr int kRunFailed = 1;
inline constexpr int kBadInput = 2;

struct RunCommand {
  std::string scenario;
  std::string out;                     ///< folder; empty means out/<name>
  std::vector<std::string> overrides;  ///< path=value
  bool json = false;
  bool quiet = false;
};
int run(const RunCommand& command);

struct InfoCommand {
  std::string file;
  std::vector<std::string> overrides;
  bool json = false;
};
int info(const InfoCommand& command);

struct CheckCommand {
  std::vector<std::string> files;
  std::vector<std::string> overrides;
  bool json = false;
};
int check(const CheckCommand& command);

/// Version, build and libraries, several lines.
std::string version_text();

}  // namespace thenar::app
