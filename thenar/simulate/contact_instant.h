// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The instant: given positions, velocities and what the joints do, which contacts roll, slide or break next, with
/// which forces and accelerations, and whether that answer is the only one (YY whole).
///
///     M v̇ = h + Jᵀ z,   w = J v̇ + drift = A z + b,   A = J M⁻¹ Jᵀ,   b = J v̇_free + drift                      (YY
///     26–28)
///
/// over the rows of all contacts that touch and do not part, and of the joints: stops that touch, dry friction at rest,
/// couplings and locks. `drift` is Ẇᵀ V of the contacts, with the travel of their points (contact_kinematics.h).

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "thenar/contact/contact_finder.h"
#include "thenar/modes/mode_solver.h"
#include "thenar/simulate/scenario.h"

namespace thenar {

/// What a contact does next. `fixed` is rolling without any relative rotation about T and U.
enum class ContactMode : std::uint8_t { roll, slide, break_away, fixed };
/// The word used in files: roll, slide, break, fixed; and its letter R, S, B, F.
const char* to_string(ContactMode mode);
char to_letter(ContactMode mode);

/// A contact that takes part.
struct InstantContact {
  std::string name;  ///< A/B or A/B#k
  FoundContact place;
  ContactLaw law;
  bool slides = false;                          ///< already, or as declared
  std::array<double, 3> velocity{};             ///< of A relative to B along N, T, U, m/s
  int row = 0;                                  ///< its normal row
  std::array<int, 3> tangent_rows{-1, -1, -1};  ///< T, U, torsion; −1 where it has none
};

/// One answer, or a polyhedron of them, with the point that has the smallest forces.
struct InstantCell {
  std::vector<ContactMode> modes;             ///< of each contact
  VectorX<double> vdot;                       ///< accelerations of all degrees of freedom
  std::vector<std::array<double, 4>> forces;  ///< N, T, U (N) and torsion (N m) on A
  std::vector<std::array<double, 2>>
      slip;                     ///< T, U of what slips next: velocity if it slides already, else acceleration
  std::vector<double> margins;  ///< smallest relative change of f_N that brings the force to its cone; −1 while sliding
  bool motion_unique = true, forces_unique = true;
};

struct Instant {
  Verdict verdict = Verdict::undecided;
  bool determinate = false;  ///< verdict unique, and A(Π) of the answer is a P-matrix (YY III C)
  std::string cone;          ///< that the verdict is about: "circular", "box", or the number of faces
  std::string reason;        ///< undecided: why
  bool is_list_complete = false;
  std::vector<InstantContact> contacts;
  std::vector<InstantCell> cells;

  ConstraintProblem problem;
  VectorX<double> vdot_free;
  MatrixX<double> X;  ///< M⁻¹ Jᵀ: v̇ = v̇_free + X z
  ModeAnswer answer;  ///< cells and proof in terms of the problem's rows
};

struct InstantOptions {
  ModeSearchOptions search;
  double time = 0;  ///< s, of the forces
};

/// Throws std::runtime_error with a message for the user if a contact is approached (an impact) or overlaps.
Instant solve_instant(const Scenario& scenario, const State& state, const InstantOptions& options = {});

}  // namespace thenar
