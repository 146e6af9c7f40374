// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/line_reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace thenar {
namespace {

constexpr int kMostShift = 62;  // Of a long long; any index is then 0.
/// Of a line; what comes and goes more often is drawn as if it stayed.
constexpr std::size_t kMostPieces = 100;

/// Distance of p from the segment a b.
double distance(PlotPoint p, PlotPoint a, PlotPoint b) {
  const double dx = b.x - a.x, dy = b.y - a.y, squared_length = dx * dx + dy * dy;
  double along = 0;
  if (squared_length > 0) along = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / squared_length, 0.0, 1.0);
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

}  // namespace

double GrowingBins::clamp(double x) { return std::min(x, std::numeric_limits<double>::max()); }

int GrowingBins::fit(double x) {
  x = clamp(x);
  if (x == 0) return 0;
  if (width_ == 0) width_ = std::max(x / most_, std::numeric_limits<double>::min());
  int doublings = 0;
  for (; x >= most_ * width_; ++doublings) width_ *= 2;
  return doublings;
}

void MinMaxReducer::add(PlotPoint point) {
  if (count_ == 0) origin_ = point.x;
  const double offset = point.x - origin_;
  if (const int doublings = grid_.fit(offset); doublings > 0) halve_indices(doublings);
  const Entry entry{point, count_++};
  const Bin single{grid_.find(offset), entry, entry, entry, entry};
  if (!bins_.empty() && bins_.back().index == single.index) {
    merge(bins_.back(), single);
  } else {
    bins_.push_back(single);
  }
}

void MinMaxReducer::halve_indices(int times) {
  std::size_t kept = 0;
  for (Bin& bin : bins_) {
    bin.index >>= std::min(times, kMostShift);
    if (kept > 0 && bins_[kept - 1].index == bin.index) {
      merge(bins_[kept - 1], bin);
    } else {
      bins_[kept++] = bin;
    }
  }
  bins_.resize(kept);
}

void MinMaxReducer::merge(Bin& bin, const Bin& later) {
  if (later.least.point.y < bin.least.point.y) bin.least = later.least;
  if (later.greatest.point.y > bin.greatest.point.y) bin.greatest = later.greatest;
  bin.last = later.last;
}

std::vector<PlotPoint> MinMaxReducer::points() const {
  std::vector<PlotPoint> out;
  for (const Bin& bin : bins_) {
    std::array<Entry, 4> entries{bin.first, bin.least, bin.greatest, bin.last};
    if (entries[1].order > entries[2].order) std::swap(entries[1], entries[2]);
    long long previous = -1;
    for (const Entry& entry : entries) {
      if (entry.order != previous) out.push_back(entry.point);
      previous = entry.order;
    }
  }
  return out;
}

void LineBuilder::add(double t, double value) {
  if (pieces_.empty() || (is_broken_ && pieces_.size() < kMostPieces)) pieces_.emplace_back(bins_);
  is_broken_ = false;
  pieces_.back().add({t, value});
}

std::vector<PlotPoint> LineBuilder::points() const {
  std::vector<PlotPoint> out;
  for (const MinMaxReducer& piece : pieces_) {
    if (!out.empty()) out.push_back({out.back().x, std::numeric_limits<double>::quiet_NaN()});
    const std::vector<PlotPoint> points = piece.points();
    for (std::size_t i = 0; i < points.size(); ++i) {
      // Inside of a constant stretch a point says nothing.
      const bool is_inside = i > 0 && i + 1 < points.size();
      if (is_inside && points[i].y == points[i - 1].y && points[i].y == points[i + 1].y) continue;
      out.push_back(points[i]);
    }
  }
  return out;
}

std::vector<PlotPoint> simplify_line(const std::vector<PlotPoint>& line, double tolerance) {
  if (line.size() < 3) return line;
  std::vector<bool> keep(line.size(), false);
  keep.front() = keep.back() = true;
  // Spans whose ends stay and whose inside is not decided.
  std::vector<std::pair<std::size_t, std::size_t>> spans{{0, line.size() - 1}};
  while (!spans.empty()) {
    const auto [begin, end] = spans.back();
    spans.pop_back();
    std::size_t farthest = begin;
    double greatest = tolerance;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const double d = distance(line[i], line[begin], line[end]);
      if (d > greatest) greatest = d, farthest = i;
    }
    if (farthest == begin) continue;
    keep[farthest] = true;
    spans.emplace_back(begin, farthest);
    spans.emplace_back(farthest, end);
  }
  std::vector<PlotPoint> out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (keep[i]) out.push_back(line[i]);
  }
  return out;
}

}  // namespace thenar
