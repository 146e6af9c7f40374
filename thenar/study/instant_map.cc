// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/instant_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "thenar/base/text.h"

namespace thenar {
namespace {

/// Small beside any map, and long enough that threads seldom meet.
constexpr std::size_t kBlockSize = 8;

void validate_axis(const MapAxis& axis) {
  const auto check = [&](bool is_good, const std::string& message) {
    if (!is_good) throw std::invalid_argument(fmt::format("axis {}: {}", quote(axis.name), message));
  };
  check(axis.count >= 2 && axis.count <= kMostMapCount,
        fmt::format("expects 2 to {} points, found {}", kMostMapCount, axis.count));
  const double width = axis.to - axis.from;
  check(std::isfinite(axis.from) && std::isfinite(axis.to) && std::isfinite(width) && width > 0,
        fmt::format("expects two numbers, the first less than the second, found {} and {}", axis.from, axis.to));
  const double largest = std::max(std::abs(axis.from), std::abs(axis.to));
  // Refinement goes to hundredths of the distance of two points.
  constexpr double kLeastSpacing = 1024 * std::numeric_limits<double>::epsilon();
  check(width / (axis.count - 1) > kLeastSpacing * largest,
        fmt::format("{} points between {} and {} are too close for the precision of numbers", axis.count, axis.from,
                    axis.to));
}

/// One run of MapWorkers::compute().
class Computation {
 public:
  Computation(std::span<const PlotPoint> places, const MapWork& work,
              const std::function<void(std::span<const MapPoint>)>& on_points)
      : places_(places), work_(work), on_points_(on_points), points_(places.size()), is_done_(places.size()) {
    limit_ = places.size();
  }

  /// What one thread does.
  void work(const MapFunction& function) noexcept {
    std::size_t first = 0;
    while ((first = next_.fetch_add(kBlockSize)) < limit_) {
      std::size_t at = first;
      try {
        const std::size_t last = std::min(first + kBlockSize, places_.size());
        for (; at < last && at < limit_ && !is_interrupted(); ++at) {
          points_[at] = function(places_[at].x, places_[at].y);
          if (is_interrupted()) break;  // The function may have heard of it as well, and given up.
        }
        hand_over(first, at);
      } catch (...) {
        fail(at, std::current_exception());
      }
      if (is_interrupted()) return;
    }
  }

  std::size_t finish() const {
    if (error_) std::rethrow_exception(error_);
    return handed_over_;
  }

 private:
  bool is_interrupted() const { return work_.interrupt && work_.interrupt->load(std::memory_order_relaxed); }

  /// Marks points as done and passes on those before which nothing is missing.
  void hand_over(std::size_t first, std::size_t last) {
    const std::lock_guard lock(mutex_);
    std::fill(is_done_.begin() + static_cast<std::ptrdiff_t>(first),
              is_done_.begin() + static_cast<std::ptrdiff_t>(last), true);
    done_ += last - first;
    const std::size_t start = handed_over_;
    std::size_t end = start;
    while (end < places_.size() && is_done_[end]) ++end;
    if (end > start) on_points_(std::span(points_).subspan(start, end - start));
    handed_over_ = end;
    if (work_.on_progress) work_.on_progress(done_, places_.size());
  }

  /// Blocks are handed out in order, so that all before this place still come to their end: of several errors the first
  /// place is found whatever the threads do.
  void fail(std::size_t at, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (at >= limit_ && error_) return;
    limit_ = at;
    error_ = std::move(error);
  }

  std::span<const PlotPoint> places_;
  const MapWork& work_;
  const std::function<void(std::span<const MapPoint>)>& on_points_;
  std::vector<MapPoint> points_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> limit_{0};  ///< nothing is computed from here on

  std::mutex mutex_;
  std::vector<bool> is_done_;
  std::size_t done_ = 0, handed_over_ = 0;
  std::exception_ptr error_;
};

}  // namespace

double MapAxis::at(int i) const {
  if (i == count - 1) return to;
  return from + (to - from) * (static_cast<double>(i) / (count - 1));
}

void validate(const MapAxis& x, const MapAxis& y) {
  validate_axis(x);
  validate_axis(y);
  const long long points = static_cast<long long>(x.count) * y.count;
  if (points > kMostMapPoints) {
    throw std::invalid_argument(
        fmt::format("a map has at most {} points, found {} x {}", kMostMapPoints, x.count, y.count));
  }
}

MapWorkers::MapWorkers(const MapFunctionMaker& make, MapWork work) : work_(std::move(work)) {
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  const int threads = work_.threads > 0 ? work_.threads : static_cast<int>(cores);
  for (int i = 0; i < threads; ++i) functions_.push_back(make());
}

std::size_t MapWorkers::compute(std::span<const PlotPoint> places,
                                const std::function<void(std::span<const MapPoint>)>& on_points) {
  Computation computation(places, work_, on_points);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < functions_.size(); ++i) {
      threads.emplace_back([&computation, &function = functions_[i]] { computation.work(function); });
    }
    computation.work(functions_[0]);
  }
  return computation.finish();
}

PlotPoint MapGrid::place(std::size_t index) const {
  const auto columns = static_cast<std::size_t>(x.count);
  return {x.at(static_cast<int>(index % columns)), y.at(static_cast<int>(index / columns))};
}

bool complete_grid(MapGrid& grid, MapWorkers& workers,
                   const std::function<void(std::span<const MapPoint>)>& on_points) {
  std::vector<PlotPoint> missing;
  for (std::size_t i = grid.points.size(); i < grid.point_count(); ++i) missing.push_back(grid.place(i));
  workers.compute(missing, [&](std::span<const MapPoint> points) {
    on_points(points);
    grid.points.insert(grid.points.end(), points.begin(), points.end());
  });
  return grid.is_complete();
}

}  // namespace thenar
