// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/Version.hpp>
#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "thenar/base/version.h"

namespace thenar::app {

std::string version_text() {
  std::string out = fmt::format("thenar {}\n", THENAR_VERSION);
  out += fmt::format("build: {}\n", THENAR_BUILD);
#if defined(__clang__)
  out += fmt::format("compiler: clang {}\n", __clang_version__);
#else
  out += fmt::format("compiler: gcc {}\n", __VERSION__);
#endif
  out += fmt::format(
      "libraries: Eigen {}.{}.{}, fmt {}.{}.{}, yaml-cpp {}, nlohmann-json {}.{}.{}, CLI11 {}, librsvg {}\n",
      EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
      FMT_VERSION % 100, THENAR_YAML_CPP_VERSION, NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
      NLOHMANN_JSON_VERSION_PATCH, CLI11_VERSION, THENAR_LIBRSVG_VERSION);
  return out;
}

}  // namespace thenar::app
