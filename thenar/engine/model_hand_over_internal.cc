// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/model_hand_over_internal.h"

#include <fmt/format.h>

namespace thenar::internal {
namespace {

/// A force of so many times the weight of everything is that of a jam.
constexpr double kJam = 1e6;

}  // namespace

ModelHandOver::ModelHandOver(SettleParts& parts, CompliantContacts& layers)
    : parts_(parts), layers_(layers), switcher_(parts.context, layers), determinacy_(parts.context, layers) {}

void ModelHandOver::begin() {
  jam_ = explain_jam();
  switcher_.note_forces();
}

std::string ModelHandOver::explain_jam() const {
  const Scales& scales = parts_.tolerances.scales();
  const double weight = scales.mass * scales.length / (scales.time * scales.time);
  const ConstrainedMotion& motion = parts_.motion;
  for (std::size_t i = 0; i < motion.contacts().size(); ++i) {
    const HeldContact& contact = motion.contacts()[i];
    const double force = motion.contact_forces()[i](0);
    if (contact.hold() != ContactHold::sliding || !(force > kJam * weight)) continue;
    return fmt::format(
        "'{}' jams while it slides: its force grows without end ({:.3g} N), and rigid bodies have no motion here "
        "(Painlevé)",
        contact.name(), force);
  }
  return {};
}

/// Why contacts should go over, empty if they need not; and which, if that is known.
DeterminacyWatch::Doubt ModelHandOver::find_doubt(const Instant& instant, bool is_settled) {
  if (!is_settled) {
    if (instant.verdict == Verdict::none) return {"rigid bodies have no motion here (Painlevé)", {}};
    if (instant.verdict == Verdict::several) {
      return {fmt::format("rigid bodies have several motions here ({} are known)", instant.cells.size()), {}};
    }
    return {instant.verdict == Verdict::undecided && instant.cells.empty() ? jam_ : std::string(), {}};
  }
  // Where the scenario says which of several rigid motions to take, contacts stay rigid.
  const bool chooses = parts_.scenario.run.on_indeterminate != OnIndeterminate::stop;
  if (chooses || instant.verdict != Verdict::undecided) return {};
  DeterminacyWatch::Doubt doubt = determinacy_.find_doubt();
  if (doubt.why.empty()) return doubt;
  doubt.why = fmt::format("the motion of rigid bodies is not proved to be the only one: {}", doubt.why);
  return doubt;
}

bool ModelHandOver::hand_over(const Instant& instant, const State& state, bool is_settled) {
  const DeterminacyWatch::Doubt doubt = find_doubt(instant, is_settled);
  if (doubt.why.empty()) return false;
  auto handed = switcher_.hand_over(instant, state, doubt.why, doubt.contacts);
  if (!handed) return false;
  switches_.push_back(std::move(*handed));
  return true;
}

bool ModelHandOver::hand_over_jam(double t, const std::string& why) {
  switcher_.note_forces();
  auto handed = switcher_.hand_over_held(t, why);
  if (!handed) return false;
  switches_.push_back(std::move(*handed));
  return true;
}

bool ModelHandOver::try_back(State& state, const InstantOptions& options) {
  auto back = switcher_.try_back(state, options);
  if (!back) {
    if (switcher_.has_tried()) parts_.stepper.start(state);
    return false;
  }
  switches_.push_back(std::move(*back));
  return true;
}

double ModelHandOver::take_energy_put_in() {
  const double energy = layers_.take_energy_put_in();
  if (!switches_.empty()) switches_.back().energy += energy;
  return energy;
}

}  // namespace thenar::internal
