// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The algorithm of Pang, Trinkle and Lo (PTL, section 4): a pair of extreme points of X and Y (uncoupled_polyhedra.h)
/// with xᵀy = 0 is looked for by minimizing xᵀy over one of them at a time.
///
///   1. x ← argmin xᵀy over X, y ← argmin xᵀy over Y                                                PTL (14), (15)
///   2. until xᵀy = 0 (a solution) or it decreases no more (a *stationary* pair)
///   3. then a pair of neighbours of x and y with a smaller product, if there is one; else any pair of neighbours.
///
/// After a random pair the `modified` algorithm goes to step 1, which solved three more of PTL's problems; the
/// `original` one repeats step 3. Both may walk for ever where there is no solution, and end after some restarts: then
/// nothing is known.
///
/// Bennett and Mangasarian's variant of step 1 does not solve the programs: any neighbour with a smaller product will
/// do.

#include <cstdint>
#include <functional>

#include "thenar/quasistatic/uncoupled_polyhedra.h"

namespace thenar {

struct PairSearchOptions {
  enum class Restart : std::uint8_t { modified, original };
  enum class LpStep : std::uint8_t { optimum, any_decrease };
  Restart restart = Restart::modified;
  LpStep lp_step = LpStep::optimum;
  int most_restarts = 20;  ///< random pairs of neighbours, as PTL
  int most_bases = 200;    ///< of a degenerate extreme point whose neighbours are looked for
  std::uint64_t seed = 1;
  std::function<bool()> goes_on{};  ///< asked between programs; false ends the search
};

struct PairSearch {
  enum class Status : std::uint8_t {
    solved,
    stalled,        ///< restarts, or the time, were used up
    no_velocities,  ///< X is empty
    no_forces,      ///< Y is empty
    failed          ///< a linear program failed
  };
  Status status = Status::stalled;
  VectorX<double> x, y;  ///< solved: the pair; stalled: the best
  double product = 0;    ///< xᵀy of it
  int pairs = 0;         ///< found after the first one
  int restarts = 0;
  int programs = 0;  ///< linear programs solved
};
const char* to_string(PairSearch::Status status);

/// The problem has been checked.
PairSearch search_pairs(const QuasistaticProblem& problem, const PairSearchOptions& options = {});

}  // namespace thenar
