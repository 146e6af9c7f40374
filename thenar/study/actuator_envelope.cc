// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/study/actuator_envelope.h"

#include <algorithm>
#include <cmath>

namespace thenar {
namespace {

/// ∫ max(f, 0) over a width h on which f is linear from a to b.
double integrate_positive_part(double a, double b, double h) {
  if (a <= 0 && b <= 0) return 0;
  if (a >= 0 && b >= 0) return 0.5 * (a + b) * h;
  const double top = std::max(a, b);
  return 0.5 * top * h * (top / std::abs(b - a));  // A triangle up to where the line crosses zero.
}

/// Twice the area of the triangle a b c, negative when it turns clockwise.
double turn_at(PlotPoint a, PlotPoint b, PlotPoint c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// The corners of the envelope without its end on the axis of speed: from (0, max|τ|) along the upper convex hull, by
/// Andrew's monotone chain.
std::vector<PlotPoint> find_upper_corners(std::vector<PlotPoint> points) {
  double strongest = 0;
  for (const PlotPoint& point : points) strongest = std::max(strongest, point.y);
  points.push_back({0, strongest});
  std::sort(points.begin(), points.end(),
            [](const PlotPoint& a, const PlotPoint& b) { return a.x != b.x ? a.x < b.x : a.y > b.y; });
  std::vector<PlotPoint> corners;
  for (const PlotPoint& point : points) {
    if (!corners.empty() && corners.back().x == point.x) continue;  // Below the corner that is there.
    while (corners.size() >= 2 && turn_at(corners[corners.size() - 2], corners.back(), point) >= 0) corners.pop_back();
    corners.push_back(point);
  }
  return corners;
}

}  // namespace

OperatingPoint ActuatorDemand::corner() const {
  const double forward = peak_power ? peak_power->power() : 0, backward = peak_braking ? -peak_braking->power() : 0;
  if (forward == 0 && backward == 0) return {};
  return forward >= backward ? *peak_power : *peak_braking;
}

void EnvelopeHull::add(double speed, double effort) {
  points_.push_back({std::abs(speed), std::abs(effort)});
  if (points_.size() < next_reduction_) return;
  points_ = find_upper_corners(std::move(points_));
  // Twice what is left at least, so that a hull of many corners does not cost a reduction per point.
  next_reduction_ = std::max<std::size_t>(1024, 2 * points_.size());
}

std::vector<PlotPoint> EnvelopeHull::corners() const {
  std::vector<PlotPoint> corners = find_upper_corners(points_);
  if (corners.back().y > 0) corners.push_back({corners.back().x, 0});
  return corners;
}

void DemandMeter::add(const OperatingPoint& row) {
  update_peaks(row);
  if (has_row_) {
    const double h = row.t - last_.t;
    sum_.duration += h;
    sum_.rms_effort += 0.5 * h * (last_.effort * last_.effort + row.effort * row.effort);
    sum_.mean_speed +=
        integrate_positive_part(last_.speed, row.speed, h) + integrate_positive_part(-last_.speed, -row.speed, h);
    sum_.delivered += integrate_positive_part(last_.power(), row.power(), h);
    sum_.absorbed += integrate_positive_part(-last_.power(), -row.power(), h);
  }
  hull_.add(row.speed, row.effort);
  last_ = row;
  has_row_ = true;
}

void DemandMeter::update_peaks(const OperatingPoint& row) {
  sum_.driven = sum_.driven || row.effort != 0;
  if (!has_row_ || std::abs(row.effort) > std::abs(sum_.peak_effort.effort)) sum_.peak_effort = row;
  if (!has_row_ || std::abs(row.speed) > std::abs(sum_.peak_speed.speed)) sum_.peak_speed = row;
  if (row.power() > (sum_.peak_power ? sum_.peak_power->power() : 0)) sum_.peak_power = row;
  if (row.power() < (sum_.peak_braking ? sum_.peak_braking->power() : 0)) sum_.peak_braking = row;
}

void DemandMeter::add_position(double q) {
  if (!sum_.range) sum_.range = {q, q};
  sum_.range = {std::min(sum_.range->first, q), std::max(sum_.range->second, q)};
}

ActuatorDemand DemandMeter::demand() const {
  ActuatorDemand demand = sum_;
  if (demand.duration > 0) {
    demand.rms_effort = std::sqrt(sum_.rms_effort / demand.duration);
    demand.mean_speed = sum_.mean_speed / demand.duration;
    demand.mean_power = (sum_.delivered + sum_.absorbed) / demand.duration;
  }
  if (has_row_) demand.envelope = hull_.corners();
  return demand;
}

void OperatingCloud::add(double speed, double effort) {
  const PlotPoint point{std::abs(speed), std::abs(effort)};
  const int x_doublings = speeds_.fit(point.x), y_doublings = efforts_.fit(point.y);
  if (x_doublings > 0 || y_doublings > 0) {
    std::map<Cell, PlotPoint> cells;
    for (const auto& [cell, first] : cells_) cells.emplace(Cell{speeds_.find(first.x), efforts_.find(first.y)}, first);
    cells_ = std::move(cells);
    last_ = {-1, -1};
  }
  const Cell cell{speeds_.find(point.x), efforts_.find(point.y)};
  if (cell != last_) cells_.emplace(cell, point);
  last_ = cell;
}

std::vector<PlotPoint> OperatingCloud::points() const {
  std::vector<PlotPoint> out;
  for (const auto& [cell, point] : cells_) out.push_back(point);
  return out;
}

}  // namespace thenar
