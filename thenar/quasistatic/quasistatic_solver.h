// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Solves a quasistatic contact problem: PTL's algorithm first, for a solution, then the search over modes for the
/// verdict. With all joints position-controlled the search is polynomial; else it may take long, and ends where the
/// caller says.

#include <functional>
#include <string>
#include <vector>

#include "thenar/quasistatic/pang_trinkle_lo.h"
#include "thenar/quasistatic/quasistatic_problem.h"
#include "thenar/quasistatic/quasistatic_proof.h"

namespace thenar {

enum class QuasistaticVerdict : std::uint8_t {
  unique,    ///< one list of labels, one velocity (its forces may be indeterminate)
  several,   ///< more than one velocity
  none,      ///< it jams
  undecided  ///< not proved either way; solutions that were found are listed
};
const char* to_string(QuasistaticVerdict verdict);

struct QuasistaticOptions {
  bool all = false;        ///< every mode-distinct solution; else the search ends at a second one
  bool uses_pairs = true;  ///< PTL's algorithm first, in the plane
  bool searches = true;    ///< the search over modes
  PairSearchOptions pairs{};
  long long most_nodes = 1'000'000;
  /// Asked now and then with the number of nodes so far; false ends the work.
  std::function<bool(long long)> goes_on{};
};

struct QuasistaticAnswer {
  QuasistaticVerdict verdict = QuasistaticVerdict::undecided;
  std::vector<QuasistaticSolution> solutions;
  bool is_list_complete = false;      ///< there are no others, and the tree proves it
  std::vector<QuasistaticNode> tree;  ///< empty if there was no search
  std::string reason;                 ///< undecided: why; several and not complete: why the search ended
  PairSearch pairs;                   ///< what PTL's algorithm did
  long long programs = 0;             ///< linear programs of the search
};

/// Throws std::invalid_argument if the problem is not consistent.
QuasistaticAnswer solve_quasistatic(const QuasistaticProblem& problem, const QuasistaticOptions& options = {});

}  // namespace thenar
