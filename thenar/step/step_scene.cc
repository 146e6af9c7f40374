// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/step/step_scene.h"

namespace thenar {

std::string find_step_fault(const Scenario& scenario) {
  if (!scenario.contacts) return {};
  const auto is_compliant = [](const ContactLaw& law) { return law.model == ContactModel::compliant; };
  bool any = is_compliant(scenario.contacts->law);
  for (const PairRule& rule : scenario.contacts->pairs) any = any || is_compliant(rule.law);
  if (any) return "its contacts are rigid, and compliant ones are asked for; the engine 'event' has them";
  const auto is_declared = [](const ContactLaw& law) { return law.mode != DeclaredMode::automatic; };
  any = is_declared(scenario.contacts->law);
  for (const PairRule& rule : scenario.contacts->pairs) any = any || is_declared(rule.law);
  if (any) return "it finds what contacts do by itself, and modes are declared; the engine 'event' obeys";
  return {};
}

}  // namespace thenar
