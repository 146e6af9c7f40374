// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The way of one impact through the space of impulses, from piece to piece: slip in a constant direction, slip that
/// turns, sticking. Theory: point_impact.h.

#include "thenar/impact/slip_series_internal.h"

namespace thenar::internal {

/// |λ⁻¹ a|: the share of friction that sticking takes; 0 where nothing can slip.
double calc_sticking_share(const SlipCoordinates& x);

/// The ray along which slip begins where sticking is not stable.
struct DivergingRay {
  SlipVector n{};
  double rate = 0;  ///< g = dr/dP, positive
};
DivergingRay find_diverging_ray(const SlipCoordinates& x);

/// Follows one impact. Needs u_N < 0, K_NN > 0 and finite numbers.
class ImpactPath {
 public:
  ImpactPath(const PointImpact& impact, ImpactLaw law, const PointImpactOptions& options);

  PointImpactResult follow();

 private:
  /// Impulse and normal work of the phases of one kind.
  struct Books {
    double impulse = 0, work = 0;
  };
  /// What ends a step.
  enum class End : std::uint8_t { none, phase, recompression };
  /// Rates along the present slip.
  struct Slope {
    double along = 0;   ///< g = dr/dP
    double across = 0;  ///< r |dn/dP|
    double drift = 0;   ///< |across / λ|, or |across / (λ + g)| where g > 0: what the direction will change by
    double u_N = 0;     ///< du_N/dP
  };
  /// A piece on which everything is linear: dp/dP, dr/dP, du_N/dP.
  struct Piece {
    SlipVector dp{};
    double dr = 0, du_N = 0;
  };

  Slope calc_slope() const;
  bool is_straight(const Slope& slope) const;
  bool is_at_rest(const Slope& slope) const;
  void slide();
  void stick();
  void resume_slip();

  void go(const Piece& piece);
  void advance(const Piece& piece, double length);
  double calc_phase_length(double du_N) const;

  void turn();
  End find_end(const SlipSeries& series, double& reach) const;

  double calc_wanted() const;
  void come_to_rest();
  void end_phase();
  void resume_compression();
  void close_books(Books& books) const;

  ImpactPathPoint calc_place() const;
  void mark(ImpactMark kind);
  void sample();
  void finish();

  const PointImpact& impact_;
  const ImpactLaw law_;
  const PointImpactOptions& options_;
  const SlipCoordinates x_;
  double sticking_share_ = 0;
  double scale_ = 0, least_lambda_ = 0;  ///< largest of |a| and λ; smallest λ
  SlipState state_, phase_start_;
  Books compression_, restitution_;  ///< of the phases that have ended
  bool is_compressing_ = true, sticks_ = false, resumes_ = false, is_over_ = false, has_fault_ = false;
  PointImpactResult result_;
};

}  // namespace thenar::internal
