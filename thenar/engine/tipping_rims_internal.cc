// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/tipping_rims_internal.h"

#include <algorithm>
#include <cmath>

namespace thenar::internal {
namespace {

/// Points of a rim that press and are nearer to each other than this, rad, stand for the one that the rim tips about.
constexpr double kOnePoint = 0.3;
/// A point with less than this part of the force on all points of its rim does not press.
constexpr double kPressesNot = 1e-6;

}  // namespace

void TippingRims::find(const State& state, Instant& instant, InstantCell& cell) {
  tipping_.clear();
  parts_.look_at(state);
  for (FlatRim& rim : find_flat_rims(parts_.scenario.model, parts_.workspace, parts_.context.finder())) {
    RimWave wave = rim.gaps();
    bool is_at_rest = false;
    if (rim.is_flat(parts_.context.touch)) {
      wave = rim.calc_rates(parts_.workspace);
      is_at_rest = !(wave.amplitude() > parts_.tolerances.speed_at_rest());
    }
    if (is_at_rest) wave = rim.calc_accelerations(parts_.workspace, cell.vdot);
    if (is_at_rest && !tips(wave, parts_.tolerances)) continue;
    const std::optional<std::size_t> chosen = keep_one_point(rim, instant, cell);
    if (!chosen) continue;
    const double angle = wave.find_lowest();
    const std::optional<int> slot = is_at_rest ? find_slot(rim, instant, *chosen) : std::nullopt;
    tipping_.push_back({rim, *chosen, angle, slot, is_at_rest});
    place(tipping_.back(), angle, instant);
  }
}

/// If the points of the rim that press are beside each other, and the two shapes touch nowhere else, all of them open
/// but the one with the largest force.
std::optional<std::size_t> TippingRims::keep_one_point(const FlatRim& rim, const Instant& instant, InstantCell& cell) {
  std::vector<std::size_t> points;
  double sum = 0, most = 0;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const FoundContact& place = instant.contacts[i].place;
    if (cell.modes[i] == ContactMode::open) continue;
    if (rim.is_of(place) && !rim.has(place)) return std::nullopt;
    if (!rim.has(place)) continue;
    points.push_back(i);
    sum += cell.forces[i][0];
    if (points.size() == 1 || cell.forces[i][0] > most) most = cell.forces[i][0], chosen = i;
  }
  if (points.empty()) return std::nullopt;
  const auto angle_of = [&](std::size_t i) { return rim.find_direction(instant.contacts[i].place.p_A).angle; };
  const auto is_beside = [&](std::size_t i) {
    return !(cell.forces[i][0] > kPressesNot * sum) ||
           std::abs(std::remainder(angle_of(i) - angle_of(chosen), 2 * M_PI)) < kOnePoint;
  };
  if (!std::all_of(points.begin(), points.end(), is_beside)) return std::nullopt;
  for (const std::size_t i : points) {
    if (i != chosen) cell.modes[i] = ContactMode::open;
  }
  return chosen;
}

/// Where the point that a rim tips about is kept: its own slot, or one that no point of the instant has.
std::optional<int> TippingRims::find_slot(const FlatRim& rim, const Instant& instant, std::size_t chosen) {
  const int own = contact_number(instant.contacts[chosen].place.id) - kFirstArcNumber;
  if (own >= 0) return own;
  std::array<bool, ArcPoints::kSlots> is_taken{};
  for (const InstantContact& contact : instant.contacts) {
    const int slot = contact_number(contact.place.id) - kFirstArcNumber;
    if (rim.has(contact.place) && slot >= 0) is_taken[static_cast<std::size_t>(slot)] = true;
  }
  const auto free = std::find(is_taken.begin(), is_taken.end(), false);
  if (free == is_taken.end()) return std::nullopt;
  return static_cast<int>(free - is_taken.begin());
}

void TippingRims::place(const Tipping& tipping, double angle, Instant& instant) {
  FoundContact& place = instant.contacts[tipping.contact].place;
  place = tipping.slot ? tipping.rim.make_pinned(angle, *tipping.slot) : tipping.rim.make_travelling(angle);
  if (tipping.slot) tipping.rim.pin(parts_.context.finder(), angle, *tipping.slot);
}

/// By the secant method, in the mode that is known.
void TippingRims::settle(const State& state, Instant& instant, const InstantCell& cell, Trigger trigger) {
  constexpr int kMostSteps = 30;
  constexpr double kFirstStep = 1e-4, kLongestStep = 0.1, kLastStep = 1e-14;
  for (Tipping& tipping : tipping_) {
    if (!tipping.is_at_rest) continue;
    const auto calc_slope = [&](double angle) {
      place(tipping, angle, instant);
      modes_.set(state, instant, cell, trigger);
      parts_.stepper.start(state, modes_.begins_to_slip(instant, cell));
      const Eigen::Map<const VectorX<double>> vdot(parts_.stepper.acceleration(), parts_.motion.size());
      return tipping.rim.calc_accelerations(parts_.workspace, vdot).calc_slope(angle);
    };
    double before = tipping.angle + kFirstStep, angle = tipping.angle;
    double slope_before = calc_slope(before), slope = calc_slope(angle);
    for (int k = 0; k < kMostSteps && slope != slope_before && slope != 0; ++k) {
      const double step = std::clamp(-slope * (angle - before) / (slope - slope_before), -kLongestStep, kLongestStep);
      before = angle, slope_before = slope;
      angle += step;
      slope = calc_slope(angle);
      if (std::abs(step) < kLastStep) break;
    }
  }
}

}  // namespace thenar::internal
