// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/compliant/layer_watch_internal.h"

#include <algorithm>
#include <limits>

namespace thenar::internal {
namespace {

/// Number of equal parts of a step at whose ends the phases of layers are evaluated.
constexpr int kParts = 4;
/// How far beyond the limits of its features a contact must be to leave them, as a part of the size of the scene.
constexpr double kLayerExitMargin = 1e-11;

}  // namespace

/// What a layer must keep ≥ 0 where the motion was evaluated last.
LayerWatch::Values LayerWatch::read(std::size_t i, double allowed_exit) const {
  const LayerContact& contact = motion_.layer_contacts()[i];
  const LayerAnswer& answer = contact.answer();
  const double touches = contact.depth() + margins_.depth;
  Values out{0, 0, allowed_exit - contact.place().calc_exit(motion_.layer_workspace(), size_)};
  switch (contact.phase) {
    case LayerPhase::apart:
      out[0] = margins_.force - answer.pressure;
      out[1] = touches;
      break;
    case LayerPhase::sticks:
      out[0] = contact.calc_hold(margins_.force, margins_.depth);
      out[1] = margins_.force - answer.excess;
      break;
    case LayerPhase::slips:
      out[0] = contact.calc_hold(margins_.force, margins_.depth);
      out[1] = answer.excess + margins_.force;
      break;
  }
  return out;
}

void LayerWatch::find(Stepper& stepper, std::optional<ContactCrossing>& first) {
  const std::size_t count = motion_.layer_contacts().size();
  if (count == 0) return;
  allowed_exits_.assign(count, std::numeric_limits<double>::infinity());
  const auto look = [&](double theta, std::vector<Values>& out) {
    stepper.evaluate(theta);
    out.resize(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = read(i, allowed_exits_[i]);
  };
  stepper.evaluate(0);
  for (std::size_t i = 0; i < count; ++i) {
    const double exit = motion_.layer_contacts()[i].place().calc_exit(motion_.layer_workspace(), size_);
    allowed_exits_[i] = std::max(kLayerExitMargin, 2 * exit);
  }
  look(0, before_);
  for (int part = 1; part <= kParts; ++part) {
    const double start = static_cast<double>(part - 1) / kParts, end = static_cast<double>(part) / kParts;
    if (first && first->theta <= start) return;
    look(end, after_);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < kValues; ++k) {
        if (!(after_[i][k] < 0)) continue;
        const auto function = [&](double theta) {
          stepper.evaluate(theta);
          return read(i, allowed_exits_[i])[k];
        };
        const double theta = refine_crossing({start, end}, kEventBracket, function).after;
        if (first && first->theta <= theta) continue;
        first = ContactCrossing{
            .theta = theta, .kind = ContactCrossingKind::layer, .name = motion_.layer_contacts()[i].name()};
      }
    }
    std::swap(before_, after_);
  }
}

}  // namespace thenar::internal
