// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What a run asks of the actuator of one degree of freedom: from time t, speed v and effort τ of every row, the
/// numbers by which motors, gears and batteries are chosen. With power P = τ v and duration T,
///
///   effort   peak max|τ|,   continuous √(1/T ∫ τ² dt)      (the heat of a winding grows with τ²)
///   speed    peak max|v|,   mean 1/T ∫ |v| dt
///   power    peak max P,    braking max −P,   mean 1/T ∫ |P| dt
///   energy   delivered ∫ max(P, 0) dt,   absorbed ∫ max(−P, 0) dt
///
/// Integrals are those of the trapezoidal rule on the times of the rows; |v| and P that change sign between two rows do
/// so where the line between them crosses zero, so that delivered − absorbed is exactly the trapezoidal ∫ P dt. Two
/// rows of equal t (a jump) have no width. Peaks are those of the rows. The error is that of the sampling, of order h²;
/// the torque of an impact is not in τ.
///
/// The envelope is the smallest convex set that has every point (|v|, |τ|) and, with each point, all that is slower and
/// weaker. A motor whose line from stall torque to no-load speed lies above it can do the run.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "thenar/study/line_reduction.h"

namespace thenar {

/// What a degree of freedom did at one row.
struct OperatingPoint {
  double t = 0, effort = 0, speed = 0;

  double power() const { return effort * speed; }
};

/// SI: N m, rad/s, or N, m/s; W; J.
struct ActuatorDemand {
  bool driven = false;                         ///< the effort is not zero throughout
  double duration = 0;                         ///< s
  OperatingPoint peak_effort, peak_speed;      ///< the first rows of largest |τ| and |v|, with their signs
  std::optional<OperatingPoint> peak_power;    ///< where P is largest; nothing when it never is positive
  std::optional<OperatingPoint> peak_braking;  ///< where −P is largest; nothing when P never is negative
  double rms_effort = 0, mean_speed = 0;
  double mean_power = 0;                           ///< of |P|
  double delivered = 0, absorbed = 0;              ///< J
  std::optional<std::pair<double, double>> range;  ///< least and greatest position, if it has one
  std::vector<PlotPoint> envelope;                 ///< corners (|v|, |τ|) from (0, max|τ|) to (max|v|, 0)

  /// Where |P| is largest.
  OperatingPoint corner() const;
};

/// The outer corners of the envelope, found as points come.
class EnvelopeHull {
 public:
  void add(double speed, double effort);
  std::vector<PlotPoint> corners() const;

 private:
  std::vector<PlotPoint> points_;  // Corners found so far, then points that have not been looked at.
  std::size_t next_reduction_ = 1024;
};

/// Adds up the demand row by row.
class DemandMeter {
 public:
  /// Rows in the order of time.
  void add(const OperatingPoint& row);
  void add_position(double q);

  ActuatorDemand demand() const;

 private:
  void update_peaks(const OperatingPoint& row);

  ActuatorDemand sum_;  // Integrals in place of means until the end.
  OperatingPoint last_;
  bool has_row_ = false;
  EnvelopeHull hull_;
};

/// Points (|v|, |τ|) of a run thinned for a picture: one per cell of a grid that grows with them, between 64 and 128
/// cells along each axis.
class OperatingCloud {
 public:
  void add(double speed, double effort);
  /// In the order of the cells, so that equal runs give equal pictures.
  std::vector<PlotPoint> points() const;

 private:
  using Cell = std::pair<long long, long long>;

  static constexpr int kMostCells = 128;
  GrowingBins speeds_{kMostCells}, efforts_{kMostCells};
  std::map<Cell, PlotPoint> cells_;  // A point of each.
  Cell last_{-1, -1};
};

}  // namespace thenar
