// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Impacts of any number of contacts, stops and couplings at one instant, as plain matrices: A = J M⁻¹ Jᵀ, b = J v⁻,
/// the velocities of the rows before. z are impulses, w = A z + b velocities after. Contacts that rest on each other
/// take part as well as those that strike, so that nothing is pushed into anything and momentum balances: whatever z
/// is, v⁺ = v⁻ + M⁻¹ Jᵀ z.
///
/// **Simultaneous, Poisson** (Glocker and Pfeiffer's two phases). Compression is one constraint problem over all rows;
/// it ends with no row approaching. Restitution gives back e of the normal impulse of every row, and more where that is
/// needed to keep rows apart:
///
///     compression   w_c = A z_c + b                    0 ≤ z_cN ⊥ w_cN ≥ 0,            z_ct against w_ct (1)
///     restitution   w = A z_r + w_c                    0 ≤ z_rN − e z_cN ⊥ w_N ≥ 0,     z_rt against w_t (2)
///
/// with Coulomb's law in each phase for its own normal impulse. (2) is a constraint problem as well: z_rN = e z_cN +
/// z'_N, and friction splits in two, under z'_N and under the known e z_cN, both against the same slip; the second is a
/// contact whose normal row, coupled to nothing, has z_N = e z_cN as its solution. Where z_c is not unique (a box that
/// lands flat) it is the one with the least sum of squares: motion after compression does not depend on it, restitution
/// does.
///
/// **Simultaneous, Newton** (Moreau): one problem with w_N + e min(b_N, 0) in place of w_N. Contacts that rest stay.
///
/// **Sequential.** One row or contact after the other, the fastest approach first, each by its own law (point_impact.h)
/// as if the others were not there, until nothing approaches. Newton's cradle passes its ball on this way. Only
/// couplings and locks act all the time. Where it does not come to an end the rest is taken as one plastic impact and
/// said so.
///
/// **Energy.** Compression alone never gains any. (2) with unequal e, and Newton's law with friction, can; `gain`
/// tells. On request restitution is scaled down until nothing is gained: z_c + θ (z − z_c), which stays within all
/// cones and parts all rows.

#include <string>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/impact/impact_options.h"
#include "thenar/impact/point_impact.h"

namespace thenar {

struct ImpactProblem {
  /// Rows bilateral, unilateral, normal and tangent; contacts on smooth cones (faces = 0). b: velocities before.
  ConstraintProblem rows;
  std::vector<double> restitution;  ///< e of each unilateral and normal row, 0 to 1; unused for the others
};

struct ImpactAnswer {
  ImpactStatus status = ImpactStatus::fault;
  std::string reason;             ///< of a fault
  ImpactLaw law{};                ///< the one used: Stronge's is for one contact at a time, Poisson's takes its place
  VectorX<double> z, w;           ///< impulses; velocities after
  VectorX<double> z_compression;  ///< the part of z that compression takes
  ImpactEnergy energy;
  double gain = 0;            ///< J: kinetic energy gained before any cap, 0 if none
  bool is_capped = false;     ///< restitution was scaled down to gain nothing
  bool is_polygonal = false;  ///< friction on cones of 64 faces: the answer on the true cones was not found
  int impacts = 0;            ///< of a sequence
  bool is_cut = false;        ///< the sequence did not end: its rest is one plastic impact
};

/// Rows that are not coupled to each other (A = 0 between them) are problems by themselves. One contact alone (beside
/// bilateral rows) is followed along its path, whatever the treatment. Throws
/// std::invalid_argument for rows of other kinds and for restitutions that are no number from 0 to 1.
ImpactAnswer solve_impact(const ImpactProblem& problem, const ImpactOptions& options = {});

/// The contact whose normal row (or unilateral row) is `row`, by itself: K and u with the bilateral rows held.
PointImpact isolate_point(const ImpactProblem& problem, int row);

}  // namespace thenar
