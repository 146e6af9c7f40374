// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Reads scenario and model files into a Scenario. The formats are described in docs/formats.md, which also tells what
/// is left out by this version (other engines): files that ask for it are refused, never misread.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "thenar/io/text/document.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

struct LoadedFile {
  Scenario scenario;
  bool is_model = false;  ///< a model file: one hand on a fixed base, at q = 0
};

/// A scenario file that is read once and built many times, with other entries each time: neither its text nor those of
/// its models are read again. Threads need a copy each.
class ScenarioDocument {
 public:
  /// Reads a scenario; model files that it names are found relative to its folder. Throws InputError.
  explicit ScenarioDocument(const std::filesystem::path& path);

  const Node& root() const { return root_; }

  /// Replaces or adds an entry, "path=value" (apply_override). Throws InputError.
  void set(std::string_view assignment);

  /// Throws InputError.
  Scenario build();

  /// A number that tells apart documents with different entries (FNV-1a, 64 bits), also in the models that build() has
  /// read so far. Comments and layout do not matter.
  std::uint64_t fingerprint() const;

 private:
  std::filesystem::path path_;
  Node root_;
  std::map<std::string, std::shared_ptr<const Node>> models_;  ///< by path
};

/// Reads a scenario, after the overrides "path=value" (apply_override) in their order. Model files that it names are
/// found relative to its folder. Throws InputError.
Scenario read_scenario(const std::filesystem::path& path, std::span<const std::string> overrides = {});

/// Reads a scenario from a text. `file_name` is what messages call it, `folder` where its models are looked for.
Scenario parse_scenario(std::string_view text, std::string file_name, const std::filesystem::path& folder = {},
                        std::span<const std::string> overrides = {});

/// Reads a file that may be a scenario or a model.
LoadedFile read_scenario_or_model(const std::filesystem::path& path, std::span<const std::string> overrides = {});

}  // namespace thenar
