// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace thenar {

/// Bytes of the files of a run, by their names.
using FileSizes = std::map<std::string, std::uintmax_t>;

inline std::optional<std::uintmax_t> find_size(const FileSizes& sizes, const std::string& name) {
  const auto found = sizes.find(name);
  return found == sizes.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace thenar
