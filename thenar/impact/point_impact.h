// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// One contact point strikes: velocities jump while positions stay, followed through the impact by its normal impulse
/// (Chan chapter 4, after Routh, Keller and Mirtich). Plain numbers: the contact's mobility K = J M⁻¹ Jᵀ (Chan 4.14)
/// and velocity u in its frame (N, T, U), A relative to B; u_N < 0 approaches. P is the impulse on A.
///
///     u = u⁻ + K P                                                                                        (Chan 4.15)
///     slip       dP_t = −μ (u_t/|u_t|) dP_N                                                          (Chan 4.16, 4.17)
///     sticking   du_t = 0, if |dP_t| ≤ μ dP_N suffices                                                     (Chan 4.20)
///
/// P_N grows; compression lasts while u_N < 0, restitution until the law (impact_law.h) has got what it asks for. Soft
/// fingertips have the rotation about N as a third direction of slip, with the limit surface of contact_law.h.
///
/// **Slip.** In the coordinates of slip_coordinates_internal.h, with w = r n, |n| = 1, and dσ = dP_N / r,
///
///     dn/dσ = (1 − n nᵀ) ∇F(n),   d ln r/dσ = n · ∇F(n),   ∇F(n) = a − λ n,   F(n) = a · n − ½ n · λ n            (1)
///
/// The direction climbs F on a sphere, so it neither circles nor wanders: it tends to a ray of constant direction.
/// Where n · ∇F < 0 on it, slip ends at a finite impulse. (1) is polynomial, and regular where r = 0; it is integrated
/// by its Taylor series, whose roots are the ends of phases. Where the direction is constant (always in a plane) all is
/// closed form: u_N and r are linear in P_N, the normal work is quadratic.
///
/// **Sticking** asks for dp = −λ⁻¹ a dP_N and lasts if |λ⁻¹ a| ≤ 1 (Mirtich's stability test, Chan 4.4.2). Else slip
/// begins again at once, along a ray a − λ n = g n with g > 0, that is n = a / (λ + g): |n| falls from |λ⁻¹ a| > 1 to 0
/// as g grows, so there is exactly one such ray, and the direction stays (Chan's β; the planar slip reversal is a case
/// of it).
///
/// **No end.** With g ≥ 0 du_N/dP_N ≥ g ≥ 0 because K is positive semidefinite, and where g < 0 slip comes to rest: u_N
/// may fall for a while (jamming: friction presses the bodies together), but compression ends. If u_N falls below 0
/// again in restitution, compression resumes; impulse and work of both count for the law.
///
/// No heap use, unless the path is asked for.

#include <array>
#include <vector>

#include "thenar/impact/impact_law.h"
#include "thenar/spatial/linear.h"

namespace thenar {

/// Rows N, T, U and rotation about N; the first 1 + tangents count.
struct PointImpact {
  int tangents = 2;                             ///< 0 to 3
  Eigen::Matrix4d K = Eigen::Matrix4d::Zero();  ///< symmetric, positive semidefinite
  Vector4<double> u = Vector4<double>::Zero();  ///< before, m/s (rad/s)
  std::array<double, 3> friction{};             ///< μ_T, μ_U; μ_τ in m
  double restitution = 0;                       ///< e, 0 to 1
};

enum class ImpactStatus : std::uint8_t {
  done,
  no_approach,  ///< u_N ≥ 0: nothing happens
  fault         ///< numbers that are not finite, or nothing that could move (K_NN = 0)
};

/// What happens on the way.
enum class ImpactMark : std::uint8_t {
  begin,
  stick,         ///< slip has come to rest and stays so
  slip_resumes,  ///< slip has come to rest and goes on in another direction, at once
  compression_end,
  recompression,  ///< u_N is below 0 again
  end
};
/// The words used in files.
const char* to_string(ImpactMark mark);

/// A place on the path.
struct ImpactPathPoint {
  Vector4<double> P = Vector4<double>::Zero();
  Vector4<double> u = Vector4<double>::Zero();
};

struct PointImpactOptions {
  double tolerance = 1e-10;  ///< of impulses, relative to |u_N|/K_NN, along a slip that turns; the rest is exact
  std::vector<ImpactPathPoint>* path = nullptr;  ///< where to put places along the path, if anywhere
};

struct PointImpactResult {
  struct Mark {
    ImpactMark kind = ImpactMark::begin;
    ImpactPathPoint place;
  };
  static constexpr int kMostMarks = 16;

  ImpactStatus status = ImpactStatus::fault;
  Vector4<double> P = Vector4<double>::Zero();  ///< N s (N m s)
  Vector4<double> u = Vector4<double>::Zero();  ///< after: u⁻ + K P
  ImpactEnergy energy;
  std::array<Mark, kMostMarks> marks;  ///< the first mark_count; if there are more, the later ones are left out
  int mark_count = 0;
  int steps = 0;  ///< of the integration

  bool has(ImpactMark mark) const;
};

PointImpactResult solve_point_impact(const PointImpact& impact, ImpactLaw law, const PointImpactOptions& options = {});

/// How a contact answers to sticking during an impact.
struct StickingTest {
  bool is_stable = true;
  double share = 0;  ///< of the friction that there is: |λ⁻¹ a|; stable up to 1
  /// Not stable: the one direction in which slip begins, along T, U and rotation about N, and d|μ u_t|/dP_N along it;
  /// |μ direction| = 1.
  std::array<double, 3> direction{};
  double rate = 0;
};
/// Needs K_NN > 0.
StickingTest test_sticking(const PointImpact& impact);

}  // namespace thenar
