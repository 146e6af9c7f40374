// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Scenarios as texts, for tests of the readers.

#include <string>

#include "thenar/io/scenario/scenario_reader.h"

namespace thenar::test {

inline Scenario parse(const std::string& text, std::span<const std::string> overrides = {}) {
  return parse_scenario("thenar: 1\nrun: {until: 1}\n" + text, "test.yaml", {}, overrides);
}

/// A scenario with one hand `arm`; `bodies` is the YAML of the list, in flow style.
inline Scenario parse_arm(const std::string& bodies, const std::string& more = "") {
  return parse("hands:\n  - name: arm\n    bodies: " + bodies + "\n" + more);
}

}  // namespace thenar::test
