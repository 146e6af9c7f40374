// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/scenario/contact_margin.h"

#include "thenar/contact/contact_finder.h"
#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar {

double find_contact_margin(const Scenario& scenario) {
  if (scenario.contacts->margin) return *scenario.contacts->margin;
  Workspace<double> workspace(scenario.model);
  update_positions(scenario.model, scenario.initial.q.data(), workspace);
  ContactFinder finder(scenario.model, scenario.shapes, *scenario.contacts);
  return ContactTolerances(finder.calc_size(workspace)).default_margin();
}

}  // namespace thenar
