// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Fewer points for the same picture.
///
/// A line drawn on a grid of pixels depends, in each column of pixels, only on the first, the least, the greatest and
/// the last of the points that fall there: the M4 reduction of Jugel, Jerzak, Hackenbroich and Markl (VLDB 2014). Here
/// the columns are bins that grow with the line, so that neither its length nor its end need be known before.

#include <cstddef>
#include <vector>

namespace thenar {

struct PlotPoint {
  double x = 0, y = 0;

  friend constexpr bool operator==(const PlotPoint&, const PlotPoint&) = default;
};

/// Bins of equal width from zero on that double their width when a number lies beyond the last one.
class GrowingBins {
 public:
  explicit GrowingBins(int most) : most_(most) {}

  /// Widens the bins until one holds x ≥ 0. Returns how often they doubled, so that index i is now i >> that.
  int fit(double x);
  /// The bin of x, which fits.
  long long find(double x) const { return width_ > 0 ? static_cast<long long>(clamp(x) / width_) : 0; }

 private:
  static double clamp(double x);  // The distance of the largest numbers is infinite; the largest number will do.

  int most_;
  double width_ = 0;  // 0 until the first number that is not.
};

/// Takes points with x that never decreases, of any number, and keeps at most four per bin: the first, the least, the
/// greatest and the last, in their order. Points of equal x, that is vertical jumps, always share a bin. The bins have
/// equal widths; there are between `bins` and twice as many of them over the range of x.
class MinMaxReducer {
 public:
  explicit MinMaxReducer(int bins) : grid_(2 * bins) {}

  void add(PlotPoint point);

  /// What has been kept, in the order it came.
  std::vector<PlotPoint> points() const;

 private:
  struct Entry {
    PlotPoint point;
    long long order = 0;  // Number of the point, from 0.
  };
  struct Bin {
    long long index = 0;
    Entry first, least, greatest, last;
  };

  void halve_indices(int times);
  static void merge(Bin& bin, const Bin& later);

  GrowingBins grid_;
  double origin_ = 0;
  long long count_ = 0;
  std::vector<Bin> bins_;  // Those with points, ascending.
};

/// Thins a line piece by piece.
class LineBuilder {
 public:
  explicit LineBuilder(std::size_t bins) : bins_(static_cast<int>(bins)) {}

  void add(double t, double value);
  /// The next point starts a new piece.
  void break_line() { is_broken_ = true; }

  /// The pieces, with a point that is not a number after each but the last.
  std::vector<PlotPoint> points() const;

 private:
  int bins_;
  bool is_broken_ = false;
  std::vector<MinMaxReducer> pieces_;
};

/// Drops points of a line as long as every point that is left out lies within `tolerance` of the line that remains
/// (Ramer 1972, Douglas and Peucker 1973). The ends stay.
std::vector<PlotPoint> simplify_line(const std::vector<PlotPoint>& line, double tolerance);

}  // namespace thenar
