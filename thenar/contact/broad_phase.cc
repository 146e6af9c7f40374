// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/contact/broad_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "thenar/contact/no_instant_error.h"

namespace thenar {
namespace {

/// How much wider the boxes must be spread along another axis before it is taken: a change costs a full sort.
constexpr double kAxisGain = 2;

double component(const Vec3<double>& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

bool overlap(double low_a, double high_a, double low_b, double high_b, double margin) {
  return low_a <= high_b + margin && low_b <= high_a + margin;
}

bool overlap(const Bounds& a, const Bounds& b, double margin) {
  return overlap(a.low.x, a.high.x, b.low.x, b.high.x, margin) &&
         overlap(a.low.y, a.high.y, b.low.y, b.high.y, margin) && overlap(a.low.z, a.high.z, b.low.z, b.high.z, margin);
}

/// The half-space z ≤ 0 of a plane or a bowl, in the world: n · x ≤ offset.
struct HalfSpace {
  Vec3<double> n;
  double offset;

  explicit HalfSpace(const Pose<double>& X_WS)
      : n(Vector3<double>(X_WS.R.col(2))), offset(dot(n, Vec3<double>(X_WS.p))) {}

  /// How far a shape stays above it.
  double calc_distance(const GrownCore& shape, const Pose<double>& X_WS) const {
    const Vec3<double> down_S = Mat3<double>(X_WS.R).transpose_times(-n);
    return dot(n, Vec3<double>(X_WS.p)) - offset - support(shape.core, down_S).distance - shape.radius;
  }
};

}  // namespace

BroadPhase::BroadPhase(std::vector<BroadPhaseShape> shapes, PairFilter filter)
    : shapes_(std::move(shapes)), filter_(std::move(filter)), bounds_(shapes_.size()) {
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const int shape = static_cast<int>(i);
    if (is_bounded(shapes_[i].shape.core.kind)) {
      order_.push_back({0, 0, shape});
    } else {
      unbounded_.push_back(shape);
    }
  }
}

void BroadPhase::update(std::span<const Pose<double>> X_WS, double margin) {
  pairs_.clear();
  update_bounds(X_WS);
  update_order();
  sweep(margin);
  compare_with_unbounded(X_WS, margin);
  std::sort(pairs_.begin(), pairs_.end(),
            [this](const ShapePair& a, const ShapePair& b) { return comes_before(a, b); });
}

bool BroadPhase::comes_before(const ShapePair& a, const ShapePair& b) const {
  const auto key = [this](const ShapePair& pair) {
    return std::make_tuple(shapes_[static_cast<std::size_t>(pair.first)].body,
                           shapes_[static_cast<std::size_t>(pair.second)].body, pair.first, pair.second);
  };
  return key(a) < key(b);
}

void BroadPhase::update_bounds(std::span<const Pose<double>> X_WS) {
  for (const Interval& interval : order_) {
    const auto k = static_cast<std::size_t>(interval.shape);
    bounds_[k] = calc_bounds(shapes_[k].shape, X_WS[k]);
  }
}

/// The axis along which the middles of the boxes vary most, or the present one if that is not much better.
int BroadPhase::find_widest_axis() const {
  const auto middle = [this](const Interval& interval) {
    const Bounds& box = bounds_[static_cast<std::size_t>(interval.shape)];
    return (box.low + box.high) * 0.5;
  };
  Vec3<double> mean = Vec3<double>::zero();
  for (const Interval& interval : order_) mean += middle(interval) * (1 / static_cast<double>(order_.size()));
  std::array<double, 3> spread{};
  for (const Interval& interval : order_) {
    const Vec3<double> d = middle(interval) - mean;
    spread[0] += d.x * d.x, spread[1] += d.y * d.y, spread[2] += d.z * d.z;
  }
  const auto widest = std::max_element(spread.begin(), spread.end());
  const bool is_better = axis_ < 0 || *widest > kAxisGain * spread[static_cast<std::size_t>(axis_)];
  return is_better ? static_cast<int>(widest - spread.begin()) : axis_;
}

void BroadPhase::update_order() {
  const int axis = find_widest_axis();
  for (Interval& interval : order_) {
    const Bounds& box = bounds_[static_cast<std::size_t>(interval.shape)];
    interval.low = component(box.low, axis);
    interval.high = component(box.high, axis);
  }
  const auto is_before = [](const Interval& a, const Interval& b) {
    return a.low != b.low ? a.low < b.low : a.shape < b.shape;
  };
  if (axis != axis_) {
    axis_ = axis;
    std::sort(order_.begin(), order_.end(), is_before);
    return;
  }
  // By insertion, since hardly anything has changed places.
  for (std::size_t k = 1; k < order_.size(); ++k) {
    const Interval moving = order_[k];
    std::size_t place = k;
    for (; place > 0 && is_before(moving, order_[place - 1]); --place) order_[place] = order_[place - 1];
    order_[place] = moving;
  }
}

void BroadPhase::sweep(double margin) {
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Bounds& box = bounds_[static_cast<std::size_t>(order_[k].shape)];
    const double end = order_[k].high + margin;
    for (std::size_t m = k + 1; m < order_.size() && order_[m].low <= end; ++m) {
      const Bounds& other = bounds_[static_cast<std::size_t>(order_[m].shape)];
      if (overlap(box, other, margin)) add_pair(order_[k].shape, order_[m].shape);
    }
  }
}

void BroadPhase::compare_with_unbounded(std::span<const Pose<double>> X_WS, double margin) {
  for (const int i : unbounded_) {
    const HalfSpace half_space(X_WS[static_cast<std::size_t>(i)]);
    for (const Interval& interval : order_) {
      const auto k = static_cast<std::size_t>(interval.shape);
      if (half_space.calc_distance(shapes_[k].shape, X_WS[k]) <= margin) add_pair(i, interval.shape);
    }
  }
}

void BroadPhase::add_pair(int i, int j) {
  const int body_i = shapes_[static_cast<std::size_t>(i)].body, body_j = shapes_[static_cast<std::size_t>(j)].body;
  if (!filter_.allows(body_i, body_j)) return;
  if (pairs_.size() >= kMostPairs) {
    throw NoInstantError(fmt::format("more than {} pairs of shapes are near each other", kMostPairs));
  }
  pairs_.push_back(body_i < body_j ? ShapePair{i, j} : ShapePair{j, i});
}

}  // namespace thenar
