// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace thenar {

/// How long the modes of a problem are searched for (mode_search.h), and how much is told of them.
struct ModeSearchOptions {
  long long most_nodes = 20'000;
  int most_cells = 1'000;
  int most_generators = 1'000;  ///< of a cell; with more, only its span is told
  /// For runs, which ask at every event: one answer and the short proof, and the search only where its nodes are quick
  /// (straight edges) or contacts are few. Forces of the answer are not the smallest where there are others.
  bool is_brief = false;
  /// Called now and then with the number of nodes so far; false ends the search.
  std::function<bool(long long)> goes_on;
};

}  // namespace thenar
