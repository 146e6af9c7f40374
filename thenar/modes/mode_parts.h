// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A constraint problem with polyhedral cones as a list of either–ors. Every solution decides each of them:
///
///   normal     z ≥ 0, w ≥ 0 and one of them 0: *open* (z = 0) or *held* (w = 0). Unilateral rows, normals of contacts.
///   friction   −w_t · z_t = zₙ max over s ∈ C of −w_t · s, z_t ∈ zₙ C, with C a polygon or an interval: *stick*
///              (w_t = 0), or *slip*, with z_t in the part of zₙ C's border that opposes w_t best. A boxed row is
///              friction under the constant normal force f.
///
/// The border of a polygon with corners c₀ … c_{k−1}, in the order of their angle, has 2k places for a slip, which
/// follow each other around the circle:
///
///   place 2j      z_t = zₙ cⱼ,                     w_t between the rays r_{j−1} and rⱼ
///   place 2j + 1  z_t between zₙ cⱼ and zₙ cⱼ₊₁,   w_t on the ray rⱼ
///
/// where rⱼ = −(outward normal of the edge from cⱼ to cⱼ₊₁). A run of neighbouring places is relaxed to the convex hull
/// of their corners and of their rays; a run that spans more than half of the circle, to no condition on w_t.
///
/// An interval |s| ≤ μ zₙ opposes the slip v in one direction; it has two places: place 0 with s = −μ zₙ and v ≥ 0,
/// place 1 with s = μ zₙ and v ≤ 0. A rhombus (four faces) is the sum of two intervals along its edges,
///
///     z_t = s₁ e₁ + s₂ e₂,   vₖ = eₖ · w_t,   and   max over C of −w_t · s = μ |v₁| + μ |v₂|,
///
/// so that its law is one law for each of the two: both are decided by themselves. s is told by sₖ = dₖ · z_t, with
/// dⱼ · eₖ = δⱼₖ. (Every polygon with an even number of corners is such a sum; from six on z_t does not tell its
/// terms.)
///
/// A smooth section (circular or elliptic cone) has no edges. Its circle of slip directions is cut into k =
/// kSmoothPlaces sectors by rays rⱼ, place j between r_{j−1} and rⱼ; the forces that oppose slips of a sector are an
/// arc from pⱼ₋₁ to pⱼ, part of the triangle with the corner cⱼ where the tangents of its ends meet. Decisions of
/// smooth sections are therefore wider than the law: what they exclude is excluded, but a slip that is left may be no
/// solution. `corners` are c₀ … c_{k−1}, then p₀ … p_{k−1}.
///
/// All sets are closed: stick and slip share w_t = 0, open and held share z = w = 0.

#include <cstdint>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"

namespace thenar {

/// A row with z ≥ 0 ⊥ w ≥ 0.
struct NormalPart {
  int row = 0;  ///< of the problem
};

/// Friction in one or two rows: an interval, or a section C with edges of its own.
struct FrictionPart {
  int normal = -1;          ///< the normal part whose force zₙ is; −1: the constant 1
  std::vector<int> rows;    ///< of the problem
  MatrixX<double> corners;  ///< polygons: a column each
  MatrixX<double> rays;     ///< polygons: columns rⱼ, of length 1
  bool is_smooth = false;
  double limit = 0;                         ///< intervals: μ
  VectorX<double> motion_axis, force_axis;  ///< intervals: e and d

  bool is_interval() const { return motion_axis.size() > 0; }
  int place_count() const {
    if (is_interval()) return 2;
    return static_cast<int>(is_smooth ? rays.cols() : 2 * corners.cols());
  }
};

struct ModeParts {
  std::vector<NormalPart> normals;
  std::vector<FrictionPart> frictions;
};

/// Sectors of a smooth section.
inline constexpr int kSmoothPlaces = 16;

/// Whether make_mode_parts() can take the problem: it has no smooth limit surfaces of soft fingers.
bool has_mode_parts(const ConstraintProblem& problem);
/// Whether all its cones are polyhedral, so that decisions say all there is.
bool has_exact_mode_parts(const ConstraintProblem& problem);

/// Parts in the order of the rows. Directions without friction have none. Throws std::invalid_argument for problems
/// with a fault or smooth limit surfaces.
ModeParts make_mode_parts(const ConstraintProblem& problem);

enum class NormalChoice : std::uint8_t { undecided, open, held };

/// undecided, stick, or slip in places first, first + 1, … (modulo their number).
struct FrictionChoice {
  enum class Kind : std::uint8_t { undecided, stick, slip };
  Kind kind = Kind::undecided;
  int first = 0, count = 0;

  friend bool operator==(const FrictionChoice&, const FrictionChoice&) = default;
};

/// What is decided so far.
struct ModeChoice {
  std::vector<NormalChoice> normals;
  std::vector<FrictionChoice> frictions;
};

/// The corners that a run of places may use, by number. Of polygons only.
std::vector<int> find_corners(const FrictionPart& part, int first, int count);

/// The rays between which w_t is in a run of places, from and to by number, counterclockwise; from = to for one place
/// 2j + 1. Of polygons only.
struct RayRange {
  int from = 0, to = 0;
  bool is_convex = true;  ///< spans at most half of the circle
};
RayRange find_rays(const FrictionPart& part, int first, int count);

}  // namespace thenar
