// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The instant over two parameters (YY Fig. 7, SYK Fig. 10): on a grid of points, which contacts roll, slide or break
/// next, and whether that answer is the only one. This is the grid and the threads; what a point is comes from a plain
/// function. map_file.h keeps the points, map_regions.h finds the regions, map_plot.h draws them.
///
/// Points are handed out in small blocks in the order of the file, so that points of any cost keep all threads busy and
/// what is done at any moment is, up to a few blocks, a beginning of the file. A point depends on nothing but its
/// place: results are the same for any number of threads.

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "thenar/modes/verdict.h"
#include "thenar/study/line_reduction.h"

namespace thenar {

/// What is told about the instant at one point.
struct MapPoint {
  Verdict verdict = Verdict::undecided;
  bool determinate = false;
  std::string modes{};  ///< letters R S B F in contact order; several cells joined by |, sorted, each once; empty: none

  friend bool operator==(const MapPoint&, const MapPoint&) = default;
};

/// Equally spaced values of a parameter, both ends among them.
struct MapAxis {
  std::string name{};
  double from = 0, to = 1;  ///< SI, from < to
  int count = 2;            ///< at least 2

  /// The i-th value. The first and the last are `from` and `to` exactly.
  double at(int i) const;

  friend bool operator==(const MapAxis&, const MapAxis&) = default;
};

inline constexpr int kMostMapCount = 10'000;  ///< along one axis
inline constexpr long long kMostMapPoints = 10'000'000;

/// Throws std::invalid_argument with what is wrong: too few or too many points, ends that are not finite or not in
/// order, or so close that neighbours are equal.
void validate(const MapAxis& x, const MapAxis& y);

using MapFunction = std::function<MapPoint(double x, double y)>;
/// Makes a function for one thread.
using MapFunctionMaker = std::function<MapFunction()>;

struct MapWork {
  int threads = 0;                               ///< 0: all cores
  const std::atomic<bool>* interrupt = nullptr;  ///< ends the work when it becomes true
  /// Called with the number of points done and of all, by one thread at a time.
  std::function<void(std::size_t, std::size_t)> on_progress{};
};

/// Threads, each with a function of its own, that compute points.
class MapWorkers {
 public:
  MapWorkers(const MapFunctionMaker& make, MapWork work);

  /// Computes all places. `on_points` gets the points in their order, piece by piece as they come, from one thread at a
  /// time. Returns how many it got: all, or a beginning after an interruption, without the points in work then. What a
  /// function or `on_points` throws ends the work and is thrown from here; of several, that of the first place.
  std::size_t compute(std::span<const PlotPoint> places,
                      const std::function<void(std::span<const MapPoint>)>& on_points);

 private:
  MapWork work_;
  std::vector<MapFunction> functions_;
};

/// The points of a map, the x axis varying first.
struct MapGrid {
  MapAxis x{}, y{};
  std::vector<MapPoint> points{};

  std::size_t point_count() const { return static_cast<std::size_t>(x.count) * static_cast<std::size_t>(y.count); }
  bool is_complete() const { return points.size() == point_count(); }
  PlotPoint place(std::size_t index) const;
};

/// Computes the points that are missing at the end of the grid. `on_points` gets them as MapWorkers::compute() tells
/// it. Returns whether the grid is complete: after an interruption it is not.
bool complete_grid(MapGrid& grid, MapWorkers& workers, const std::function<void(std::span<const MapPoint>)>& on_points);

}  // namespace thenar
