// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Answers to quasistatic problems for people and for machines (docs/formats.md). The JSON form carries the problem and
/// the proof, so that `thenar verify` needs nothing else.

#include <string>
#include <vector>

#include "thenar/io/answer/lcp_answer.h"
#include "thenar/io/scenario/quasistatic_reader.h"
#include "thenar/quasistatic/quasistatic_solver.h"

namespace thenar {

std::string quasistatic_json(const QuasistaticFile& file, const QuasistaticAnswer& answer);
std::string quasistatic_text(const QuasistaticFile& file, const QuasistaticAnswer& answer);

/// Whether a text looks like an answer of `thenar quasistatic --json`.
bool is_quasistatic_json(const std::string& text);

/// Checks all claims of such an answer, by quasistatic_verify.h. Throws InputError for text that is none; `name` stands
/// for the file.
std::vector<CheckedClaim> verify_quasistatic_json(const std::string& text, const std::string& name);

}  // namespace thenar
