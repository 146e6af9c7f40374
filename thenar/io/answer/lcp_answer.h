// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Answers to complementarity problems for people and for machines. The JSON form carries the problem and the proof, so
/// that `thenar verify` needs nothing else (docs/formats.md).

#include <optional>
#include <string>

#include "thenar/complementarity/lcp_solver.h"
#include "thenar/complementarity/p_matrix.h"
#include "thenar/complementarity/verify.h"

namespace thenar {

struct LcpReport {
  Lcp problem;
  LcpAnswer answer;
  bool lists_all = false;
  std::optional<PMatrixTest> p_test;
};

std::string lcp_json(const LcpReport& report);
std::string lcp_text(const LcpReport& report);

/// One claim of an answer, and what became of it.
struct CheckedClaim {
  std::string claim;
  Verification check;
};

/// Checks all claims of an answer in JSON, by verify.h. Throws InputError for text that is no such answer; `name`
/// stands for the file.
std::vector<CheckedClaim> verify_lcp_json(const std::string& text, const std::string& name);

}  // namespace thenar
