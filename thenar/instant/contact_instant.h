// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The instant: given positions, velocities and what the joints do, which contacts roll, slide or break next, with
/// which forces and accelerations, and whether that answer is the only one (YY whole).
///
///     M v̇ = h + Jᵀ z,   w = J v̇ + drift = A z + b,   A = J M⁻¹ Jᵀ,   b = J v̇_free + drift                  (YY 26–28)
///
/// over the rows of all contacts that touch and do not part, and of the joints: stops that touch, dry friction at rest,
/// couplings and locks. `drift` is Ẇᵀ V of the contacts, with the travel of their points (contact_kinematics.h).
///
/// **Static friction.** A contact at rest with μ_s > μ rolls on if any answer lets it (`stick_first`): it is given μ_s,
/// and answers in which it slips nevertheless are none, since what slips has μ. Where such answers are the only ones,
/// contacts are released, they have μ from then on, and the problem is solved again: those that slip in every answer;
/// if there are none, all that slip in some; if there is no answer at all, all that are held. So there are at most as
/// many rounds as contacts, and one more. The verdict is that of the last problem, each contact with the coefficient
/// that it has there, counted without the answers that are none (Instant::stick_first). It can only be claimed if what
/// was left out is known: where neither the verdict nor a complete list tells that a contact had to be released, or
/// that the answers that are left are all, it is `undecided`.
///
/// **Margins** say how far an answer is from the next transition. Where forces are not unique they are taken over all
/// forces that bring about the same motion: a contact begins to slip when none of these is left inside its cone, not
/// when the smallest of them touch it. Forces of one motion are a convex set, whatever cells it is made of, so that
/// margins do not depend on the cell.
///
/// **Patches.** The points of a face, an edge or a ring that two shapes touch with are one contact to a person. Their
/// patch has one mode and one slip margin, that of its points together.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thenar/contact/contact.h"
#include "thenar/contact/contact_frame.h"
#include "thenar/contact/found_contact.h"
#include "thenar/modes/mode_search_options.h"
#include "thenar/modes/verdict.h"
#include "thenar/scenario/scenario.h"

namespace thenar {

/// What a contact does next, in the words of an answer: roll, slide, break, stick (ContactMode::open is the break), and
/// its letter R, S, B, F (Chan's, whose word for `stick` is fixed). `stick` is rolling without any relative rotation
/// about T and U.
const char* to_next_word(ContactMode mode);
char to_letter(ContactMode mode);

/// What a patch does next: as its points do if they do the same. It slides if any of them slips, and tips if some of
/// them open and others do not: the face goes over to an edge or a corner, which the modes of the points tell.
enum class PatchMode : std::uint8_t { roll, slide, open, stick, tip };
/// The word used in files: roll, slide, break, stick, tip.
const char* to_string(PatchMode mode);

/// A contact that takes part.
struct InstantContact {
  std::string name;  ///< A/B or A/B#k
  FoundContact place;
  ContactLaw law;
  bool slides = false;                          ///< already, or as declared
  double friction = 0;                          ///< its coefficient in the problem: μ_s while it is held, else μ
  std::array<double, 3> velocity{};             ///< of A relative to B along N, T, U, m/s
  double spin = 0;                              ///< of A relative to B about N, rad/s
  int row = -1;                                 ///< its normal row; −1 if it is parting already
  int part = -1;                                ///< its number among the rows with z ≥ 0 (ModeCell::states)
  std::array<int, 3> tangent_rows{-1, -1, -1};  ///< T, U, torsion; −1 where it has none

  /// What it does now: rolls, slides, or parts.
  ContactMode now() const;
  /// Whether it could slip, and friction opposes that.
  bool has_friction() const { return tangent_rows[0] >= 0 || tangent_rows[1] >= 0 || tangent_rows[2] >= 0; }
};

/// Points of two shapes that belong together: a segment, a polygon or a ring (PatchKind).
struct InstantPatch {
  std::string name;                            ///< A/B, or A/B#j-k where the two bodies have other points besides
  std::vector<int> contacts;                   ///< numbers of its points, two or more
  Vec3<double> middle = Vec3<double>::zero();  ///< mean of its points, world
  ContactFrame<double> frame;  ///< N is the mean of the points' normals; the first point's frame where that vanishes
};

/// Least and largest force over all forces that bring about the same motion, N; infinity where there is no bound.
struct ForceBracket {
  double least = 0, most = 0;
};

/// How far a contact is from its next transition.
struct ContactMargins {
  /// Of what rolls: 1 − the smallest share of its cone that it can do with; slips at 0. Of a point of a patch, that of
  /// the patch. Nothing where there is no normal force, no friction, or no direction to slip in.
  std::optional<double> slip;
  bool is_bound = false;  ///< `slip` is at least this: that of the smallest forces
  /// Direction (T, U) of the slip that begins when `slip` comes to 0: A relative to B, a unit vector; zero where no
  /// friction is needed, or this point of a patch holds on while others slip.
  std::array<double, 2> impending{};
  ForceBracket normal;    ///< of f_N; breaks when `most` comes to 0
  double opening = 0;     ///< of what breaks: gap acceleration, m/s²
  double slip_speed = 0;  ///< of what slides: |v_t|, m/s
  double slip_rate = 0;   ///< of what slides: d|v_t|/dt, m/s²; sticks when a negative one has brought |v_t| to 0
};

/// A patch in one answer.
struct PatchAnswer {
  PatchMode mode = PatchMode::stick;
  std::array<double, 3> force{};   ///< sum of the forces on A along N, T, U of the patch, N
  std::array<double, 3> moment{};  ///< on A about the patch's middle, along N, T, U, N m
  std::optional<double> slip;      ///< of all its points together, as ContactMargins::slip
  bool is_bound = false;
  ForceBracket normal;  ///< of the sum of f_N
};

/// One answer, or a polyhedron of them, with the point that has the smallest forces.
struct InstantCell {
  std::size_t number = 0;                     ///< its place in InstantProof::answer
  std::vector<ContactMode> modes;             ///< of each contact
  VectorX<double> vdot;                       ///< accelerations of all degrees of freedom
  std::vector<std::array<double, 4>> forces;  ///< N, T, U (N) and torsion (N m) on A
  std::vector<std::array<double, 2>>
      slip;                             ///< T, U of what slips next: velocity if it slides already, else acceleration
  std::vector<ContactMargins> margins;  ///< of each contact; none if not asked for
  std::vector<PatchAnswer> patches;     ///< of each patch; none if not asked for
  bool motion_unique = true, forces_unique = true;
};

/// The rule for contacts at rest with μ_s > μ, where there are such.
struct StickFirst {
  std::vector<int> held;                         ///< contacts with μ_s in the problem
  std::vector<int> released;                     ///< contacts with μ in the problem, since they would slip with μ_s
  Verdict problem_verdict = Verdict::undecided;  ///< with answers in which a held contact slips
  bool is_proved = true;  ///< that what was released had to be, and that what is left are all answers
};

struct InstantProof;  // instant_proof.h

struct Instant {
  Verdict verdict = Verdict::undecided;
  bool determinate = false;  ///< verdict unique, and A(Π) of the answer is a P-matrix (YY III C)
  std::string cone;          ///< that the verdict is about: "circular", "box", or the number of faces
  std::string reason;        ///< undecided: why
  bool is_list_complete = false;
  std::vector<InstantContact> contacts;
  std::vector<InstantPatch> patches;
  std::vector<InstantCell> cells;
  std::optional<StickFirst> stick_first;
  /// Rows of the joints that take part, by their place among all (make_joint_rows): the first rows of the problem.
  std::vector<int> joint_rows;
  /// The problem that was solved, and its answer with the proof of the verdict. Copies of an instant share it.
  std::shared_ptr<const InstantProof> proof;
};

struct InstantOptions {
  ModeSearchOptions search;
  double time = 0;      ///< s, of the forces
  bool margins = true;  ///< also margins and patches; with indeterminate forces some linear programs per contact
};

/// Throws std::runtime_error with a message for the user if a contact is approached (an impact) or overlaps.
Instant solve_instant(const Scenario& scenario, const State& state, const InstantOptions& options = {});

namespace internal {
class AssemblyContext;
/// The same with what a run has at hand.
Instant solve_instant(AssemblyContext& context, const State& state, const InstantOptions& options);
}  // namespace internal

}  // namespace thenar
