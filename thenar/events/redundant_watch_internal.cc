// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/events/redundant_watch_internal.h"

#include <algorithm>
#include <cmath>

#include "thenar/base/numbers.h"

namespace thenar::internal {
namespace {

/// Forces of redundant contacts are looked at in so many parts of a step, by what is known of them in nine places, and
/// each part in so many where they are not so many times as far from their bounds as they change in it.
constexpr int kPartsOfStep = 8, kFineParts = 4;
constexpr double kClearOfChange = 2;
/// The margin of redundant contacts over that of others.
constexpr double kShared = 2;
/// Normal forces below this part of the forces' size are those of contacts that part.
constexpr double kNextToNothing = 1e-5;

}  // namespace

RedundantWatch::RedundantWatch(ConstrainedMotion& motion, const HeldValueTable& held, const std::vector<double>& nodes)
    : motion_(motion), held_(held), nodes_(nodes) {
  weights_.setZero(static_cast<Eigen::Index>(nodes.size()));
}

double RedundantWatch::calc_reserve(Stepper& stepper, double theta, double force_margin) {
  stepper.evaluate(theta);
  const double scale = motion_.calc_largest_contact_force(), margin = kShared * force_margin;
  if (!(scale > 0)) return margin;
  return motion_.find_admissible_forces(-margin * scale, true) / scale + margin;
}

void RedundantWatch::find_tightest(ContactCrossing& crossing) const {
  crossing.held = motion_.tightest_contact();
  crossing.kind = ContactCrossingKind::break_away;
  if (crossing.held < 0) return;
  const auto i = static_cast<std::size_t>(crossing.held);
  const bool presses = motion_.admissible_forces()[i](0) > kNextToNothing * motion_.calc_largest_contact_force();
  if (presses && motion_.contacts()[i].hold() == ContactHold::rolling) crossing.kind = ContactCrossingKind::slip;
  crossing.name = motion_.contacts()[i].name();
}

/// What the least forces leave of their bounds, of all contacts: the polynomials through what is known of them.
double RedundantWatch::calc_least_slack(double theta) {
  double sum = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    if (theta == nodes_[k]) return std::min(held_.normal().row(row).minCoeff(), held_.friction().row(row).minCoeff());
    const bool is_end = k == 0 || k + 1 == nodes_.size();
    weights_(row) = (k % 2 == 0 ? 1 : -1) * (is_end ? 0.5 : 1) / (theta - nodes_[k]);  // barycentric, of these nodes
    sum += weights_(row);
  }
  weights_ /= sum;
  double out = kInfinity;
  for (const MatrixX<double>* values : {&held_.normal(), &held_.friction()}) {
    slacks_.noalias() = values->transpose() * weights_;
    out = std::min(out, slacks_.minCoeff());
  }
  return out;
}

void RedundantWatch::find(Stepper& stepper, double force_margin, std::optional<ContactCrossing>& first) {
  const auto bracket = find_bracket(stepper, force_margin, first ? first->theta : 1);
  if (!bracket) return;
  const auto reserve = [&](double theta) { return calc_reserve(stepper, theta, force_margin); };
  const bool is_inside = bracket->before < bracket->after;
  const double theta = is_inside ? refine_crossing(*bracket, kEventBracket, reserve).after : bracket->after;
  if (first && first->theta <= theta) return;
  reserve(theta);
  first.emplace().theta = theta;
  find_tightest(*first);
}

/// The first two of the places looked at between which the reserve falls below 0; twice the same if it is below there.
std::optional<CrossingFinder::Bracket> RedundantWatch::find_bracket(Stepper& stepper, double force_margin, double end) {
  const auto look = [&](double theta) {
    return calc_least_slack(theta) >= 0 ? kInfinity : calc_reserve(stepper, theta, force_margin);
  };
  CrossingFinder::Bracket out;
  double last = look(0);
  if (last < 0) return out;
  for (int k = 1; k <= kPartsOfStep; ++k) {
    const double from = static_cast<double>(k - 1) / kPartsOfStep, to = static_cast<double>(k) / kPartsOfStep;
    if (from >= end) return std::nullopt;
    const double next = look(to);
    const bool is_clear = std::min(last, next) > kClearOfChange * std::abs(next - last);  // never with an infinity
    out.before = from;
    for (int i = 1; i < kFineParts && !is_clear; ++i) {
      out.after = from + (to - from) * i / kFineParts;
      if (look(out.after) < 0) return out;
      out.before = out.after;
    }
    out.after = to;
    if (next < 0) return out;
    last = next;
  }
  return std::nullopt;
}

}  // namespace thenar::internal
