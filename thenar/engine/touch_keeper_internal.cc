// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/engine/touch_keeper_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/instant/contact_impact.h"
#include "thenar/instant/flat_rim_internal.h"

namespace thenar::internal {
namespace {

/// Slip that has gone through 0 within so many times the error of steps is at rest: its direction there is noise.
constexpr double kErrorsAtRest = 100;

}  // namespace

bool TouchKeeper::put_in_touch(State& state, ContactChanges& changes) {
  fault_.clear();
  parts_.look_at(state);
  find_touching(parts_.context, parts_.workspace);
  std::vector<HeldContact> touching;
  bool is_needed = false;
  for (const FoundContact& found : parts_.context.finder().contacts()) {
    if (found.gap < -parts_.context.overlap) {
      fault_ = fmt::format("'{}' overlap by {:.3g} m", contact_name(parts_.scenario.model, found), -found.gap);
      return false;
    }
    HeldContact contact = parts_.make_contact(found, ContactLaw{}, ContactHold::smooth);
    if (contact.is_immovable()) continue;
    is_needed = is_needed || std::abs(contact.gap()) > std::numeric_limits<double>::epsilon() * parts_.size;
    changes.note_approach(found, -contact.velocity()(0));
    touching.push_back(std::move(contact));
  }
  if (is_needed) project_positions(state, touching);
  return true;
}

/// A joint that the projection would lead beyond its stop is put on the stop and the projection is repeated: steps keep
/// bodies in touch, and would pass the stop.
void TouchKeeper::project_positions(State& state, const std::vector<HeldContact>& touching) {
  const VectorX<double> q = state.q;
  std::vector<int> met;
  for (bool is_done = false; !is_done;) {
    Mode joints{list_joints(state, [](const JointRow&) { return true; }), {}};
    for (const int i : met) {
      parts_.row(i).update(state.q.data(), state.v.data());
      joints.hold(i);
    }
    state.q = q;
    VectorX<double> v = state.v;
    parts_.project(joints.held, touching, state.q, v);
    const std::size_t before = met.size();
    for (const int stop : list_passed_stops(q, state.q)) {
      if (std::find(met.begin(), met.end(), stop) == met.end()) met.push_back(stop);
    }
    is_done = met.size() == before;
  }
  // Points that nearly coincide make bodies turn wildly.
  if (find_deepest(state) < -parts_.context.overlap || !list_passed_stops(q, state.q).empty()) {
    state.q = q;
  } else if (!met.empty()) {
    parts_.joints.find_touching(state.q, state.v);
  }
}

void TouchKeeper::bring_to_rest(State& state, const ContactCrossing& at) {
  std::vector<HeldContact> contacts = parts_.motion.contacts();
  parts_.look_at(state);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].hold() != ContactHold::sliding) continue;
    contacts[i].update(parts_.workspace);
    const bool ends = static_cast<int>(i) == at.held || rests(contacts[i], state.v);
    if (ends) contacts[i].set_hold(ContactHold::rolling);
  }
  parts_.project(parts_.motion.mode().held, std::move(contacts), state.q, state.v);
}

bool TouchKeeper::rests(const HeldContact& contact, const VectorX<double>& v) const {
  const double fastest = (contact.J().topRows<3>().cwiseAbs() * v.cwiseAbs()).maxCoeff();
  return contact.calc_slip_speed() <=
         std::max({kLeftByImpulses * fastest, kErrorsAtRest * parts_.tolerances.slip_error(), 2 * contact.no_slip()});
}

void TouchKeeper::calm(State& state, double slow) {
  parts_.look_at(state);
  find_touching(parts_.context, parts_.workspace);
  std::vector<HeldContact> held;
  for (const FoundContact& found : parts_.context.finder().contacts()) {
    const ContactLaw& law = parts_.context.laws().find_law(found.body_A, found.body_B);
    HeldContact contact = parts_.make_contact(found, law, ContactHold::rolling);
    if (contact.is_immovable() || std::abs(contact.velocity()(0)) > slow) continue;
    if (contact.calc_slip_speed() > slow) contact.set_hold(ContactHold::smooth);
    held.push_back(std::move(contact));
  }
  const std::vector<int> joints = list_joints(state, [&](const JointRow& row) {
    const double slow_joint = slow * parts_.tolerances.unit(row.dof()) / parts_.tolerances.scales().length;
    return std::abs(row.multiply(state.v.data())) <= slow_joint;
  });
  if (held.empty() && joints.empty()) return;
  VectorX<double> q = state.q;
  parts_.project(joints, std::move(held), q, state.v);
}

/// The locks, couplings and touching stops that are chosen, updated at the state.
std::vector<int> TouchKeeper::list_joints(const State& state, const std::function<bool(const JointRow&)>& is_chosen) {
  std::vector<int> out;
  for (int i = 0; i < parts_.row_count(); ++i) {
    JointRow& row = parts_.row(i);
    if (row.kind() == JointRowKind::friction) continue;
    if (row.kind() == JointRowKind::stop && !parts_.joints.touches(i)) continue;
    row.update(state.q.data(), state.v.data());
    if (is_chosen(row)) out.push_back(i);
  }
  return out;
}

/// Stops before which a joint was, and beyond which it is in `after`.
std::vector<int> TouchKeeper::list_passed_stops(const VectorX<double>& before, const VectorX<double>& after) {
  std::vector<int> out;
  const double* q = after.data();
  for (int i = 0; i < parts_.row_count(); ++i) {
    JointRow& row = parts_.row(i);
    if (row.kind() != JointRowKind::stop) continue;
    const double rounding = parts_.tolerances.gap_rounding(row.dof(), q[row.coordinate()], row.calc_target(q));
    if (row.calc_value(q) < std::min(row.calc_value(before.data()), 0.0) - rounding) out.push_back(i);
  }
  return out;
}

/// The least gap, m; infinity where nothing is near.
double TouchKeeper::find_deepest(const State& state) {
  parts_.look_at(state);
  find_touching(parts_.context, parts_.workspace);
  double least = std::numeric_limits<double>::infinity();
  for (const FoundContact& found : parts_.context.finder().contacts()) least = std::min(least, found.gap);
  return least;
}

}  // namespace thenar::internal
