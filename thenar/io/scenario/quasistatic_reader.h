// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Quasistatic problems from files: bare ones in YAML (docs/formats.md), and those of planar scenarios.

#include <string>
#include <vector>

#include "thenar/io/text/document.h"
#include "thenar/quasistatic/quasistatic_problem.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

struct QuasistaticFile {
  std::string name{};
  QuasistaticProblem problem{};
  /// Of a scenario; bare problems have no names.
  std::vector<std::string> contacts{}, objects{}, joints{};
};

/// Whether a document has the keys of a bare problem, and not those of a scenario.
bool is_quasistatic_document(const Node& root);

/// `name`: what the problem is called unless it says so itself. Throws InputError.
QuasistaticFile read_quasistatic(const Node& root, const std::string& name);

/// The problem of a scenario at its start (quasistatic_scene.h). `file` is what messages call it. Throws InputError
/// where it has none.
QuasistaticFile make_quasistatic(const Scenario& scenario, const std::string& file);

/// The text of a problem that reads back with the same bits.
std::string write_quasistatic(const QuasistaticFile& file);

}  // namespace thenar
