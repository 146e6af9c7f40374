// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/quasistatic_run/quasistatic_touches_internal.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"
#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {
namespace {

using Vector = VectorX<double>;

/// Joints nearer to a stop than this are on it, rad or m.
constexpr double kSlowOnStop = 1e-9;

}  // namespace

QuasistaticTouches::QuasistaticTouches(const Scenario& scenario, QuasistaticMotion& motion)
    : scenario_(scenario),
      motion_(motion),
      finder_(scenario.model, scenario.shapes, find_contact_rules(scenario)),
      laws_(scenario.model, find_contact_rules(scenario)),
      names_(scenario.model),
      workspace_(scenario.model) {}

bool QuasistaticTouches::fail(std::string fault) {
  fault_ = std::move(fault);
  return false;
}

bool QuasistaticTouches::find(double t, Vector& q, double size, double touch) {
  update_positions(scenario_.model, q.data(), workspace_);
  update_velocities(scenario_.model, Vector::Zero(scenario_.model.velocity_count()).eval().data(), workspace_);
  finder_.update(workspace_, touch);
  Found found;
  if (!find_contacts(t, size, found)) return false;
  const std::vector<std::string> names = names_.update(found.places);
  for (std::size_t i = 0; i < found.contacts.size(); ++i) found.contacts[i].set_name(names[i]);
  motion_.set_contacts(std::move(found.contacts), find_stops(q));
  motion_.project(t, q);
  return true;
}

bool QuasistaticTouches::find_contacts(double t, double size, Found& out) {
  std::vector<HeldContact> old = motion_.contacts();
  try {
    for (FoundContact found : finder_.contacts()) {
      if (found.gap < -ContactTolerances(size).touch()) {
        return fail(fmt::format("'{}' overlap by {:.3g} m at t = {:.9g} s", contact_name(scenario_.model, found),
                                -found.gap, t));
      }
      carry_axes(found, old);
      HeldContact contact(scenario_.model, workspace_, finder_, found, laws_.find_law(found.body_A, found.body_B),
                          ContactHold::rolling, 0);
      if (contact.is_immovable()) continue;
      out.places.push_back(found);
      out.contacts.push_back(std::move(contact));
    }
  } catch (const std::runtime_error& error) {
    return fail(fmt::format("{} at t = {:.9g} s", error.what(), t));
  }
  return true;
}

/// A contact that has held up to now keeps its axes, as far as its normal lets it.
void QuasistaticTouches::carry_axes(FoundContact& found, std::vector<HeldContact>& old) {
  for (HeldContact& known : old) {
    if (!is_same(known.found(), found) || !known.update(workspace_)) continue;
    const ContactFrame<double> frame = carry_frame(known.frame(), found.N);
    found.T = frame.T;
    found.U = frame.U;
  }
}

std::vector<int> QuasistaticTouches::find_stops(const Vector& q) {
  std::vector<int> stops;
  for (std::size_t i = 0; i < motion_.stops().size(); ++i) {
    if (std::abs(motion_.stops()[i].calc_value(q.data())) <= kSlowOnStop) stops.push_back(static_cast<int>(i));
  }
  return stops;
}

}  // namespace thenar::internal
