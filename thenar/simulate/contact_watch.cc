// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulate/contact_watch.h"

#include <algorithm>
#include <cmath>

#include "thenar/contact/contact_tolerances.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar {
namespace {

constexpr int kDegree = 8;
/// Width of the bracket around a crossing, as a part of the step.
constexpr double kBracket = 1e-15;
/// How far beyond 0 a gap must be to count, as a part of the size of the scene: more than rounding, less than anything
/// that is seen.
constexpr double kGapMargin = 1e-13;
/// Slips slower than so many times what counts as none have just begun.
constexpr double kBeginning = 100;

}  // namespace

const char* to_string(ContactCrossingKind kind) {
  switch (kind) {
    case ContactCrossingKind::touch:
      return "touch";
    case ContactCrossingKind::break_away:
      return "break";
    case ContactCrossingKind::slip:
      return "slip";
    case ContactCrossingKind::stick:
      break;
  }
  return "stick";
}

ContactWatch::ContactWatch(const Scenario& scenario, ConstrainedMotion& motion)
    : scenario_(scenario),
      motion_(motion),
      workspace_(scenario.model),
      finder_(scenario.model, scenario.shapes, scenario.contacts.value_or(ContactRules{.all_pairs = false})),
      crossings_(CrossingFinder::make_nodes(kDegree)) {
  update_positions(scenario.model, scenario.initial.q.data(), workspace_);
  reach_ = ContactTolerances(finder_.calc_size(workspace_)).default_margin();
}

std::optional<ContactCrossing> ContactWatch::find(Stepper& stepper) {
  std::optional<ContactCrossing> first;
  find_touches(stepper, first);
  find_changes(stepper, first);
  return first;
}

/// Keeps the crossing if it is the first so far.
template <class Function>
void ContactWatch::narrow(const VectorX<double>& values, const Function& function, ContactCrossing found,
                          std::optional<ContactCrossing>& first) {
  const auto bracket = crossings_.find(values, function);
  if (!bracket || (first && bracket->before >= first->theta)) return;
  found.theta = refine_crossing(*bracket, kBracket, function).after;
  if (!first || found.theta < first->theta) first = std::move(found);
}

void ContactWatch::look_at(Stepper& stepper, double theta) {
  const Stepper::Point& point = stepper.interpolate(theta);
  update_positions(scenario_.model, point.q.data(), workspace_);
  finder_.update(workspace_, reach_);
}

bool ContactWatch::is_held(const FoundContact& found) const {
  const auto& contacts = motion_.contacts();
  return std::any_of(contacts.begin(), contacts.end(), [&](const HeldContact& contact) {
    const FoundContact& held = contact.found();
    return held.shape_A == found.shape_A && held.shape_B == found.shape_B && held.id == found.id;
  });
}

/// `reach_` where the point is farther away than that.
double ContactWatch::calc_gap(Stepper& stepper, double theta, const FreePoint& point) {
  look_at(stepper, theta);
  for (const FoundContact& found : finder_.contacts()) {
    if (found.shape_A == point.shape_A && found.shape_B == point.shape_B && found.id == point.id) return found.gap;
  }
  return reach_;
}

void ContactWatch::find_touches(Stepper& stepper, std::optional<ContactCrossing>& first) {
  const std::vector<double>& nodes = crossings_.nodes();
  const auto count = static_cast<Eigen::Index>(nodes.size());
  std::vector<FreePoint> points;
  std::vector<VectorX<double>> gaps;
  for (Eigen::Index k = 0; k < count; ++k) {
    look_at(stepper, nodes[static_cast<std::size_t>(k)]);
    for (const FoundContact& found : finder_.contacts()) {
      if (is_held(found)) continue;
      const auto known = std::find_if(points.begin(), points.end(), [&](const FreePoint& point) {
        return point.shape_A == found.shape_A && point.shape_B == found.shape_B && point.id == found.id;
      });
      const auto place = static_cast<std::size_t>(known - points.begin());
      if (known == points.end()) {
        points.push_back({found.shape_A, found.shape_B, found.id, contact_name(scenario_.model, found)});
        gaps.emplace_back(VectorX<double>::Constant(count, reach_));
      }
      gaps[place](k) = found.gap;
    }
  }
  const double margin = 10 * kGapMargin * reach_;  // reach is a tenth of the size
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double start = gaps[i](0);
    const double allowed = std::max(margin, -2 * start);  // what the step starts with is no crossing
    const VectorX<double> values = gaps[i].array() + allowed;
    if (!(values.minCoeff() < reach_)) continue;
    narrow(
        values, [&](double theta) { return calc_gap(stepper, theta, points[i]) + allowed; },
        {.kind = ContactCrossingKind::touch, .name = points[i].name}, first);
  }
}

ContactWatch::HeldValues ContactWatch::read_held(std::size_t i) const {
  const HeldContact& contact = motion_.contacts()[i];
  const Vector4<double>& force = motion_.contact_forces()[i];
  double largest = 0;
  for (const Vector4<double>& other : motion_.contact_forces()) largest = std::max(largest, other.head<3>().norm());
  const double margin = kForceMargin * largest;
  HeldValues out{force(0) + margin, 1, 1};
  if (contact.hold() == ContactHold::rolling) {
    const double mu = contact.law().static_friction, torsion = contact.law().torsion;
    double friction = force.segment<2>(1).norm();
    if (contact.law().fingertip == Fingertip::soft) friction = std::hypot(friction, force(3) * mu / torsion);
    out.friction = mu * force(0) - friction + margin;
  }
  if (contact.hold() == ContactHold::sliding) out.slip = contact.slip_along() + slip_allowance_;
  return out;
}

ContactWatch::HeldValues ContactWatch::calc_held(Stepper& stepper, double theta, std::size_t i) {
  stepper.evaluate(theta);
  return read_held(i);
}

void ContactWatch::find_changes(Stepper& stepper, std::optional<ContactCrossing>& first) {
  const std::size_t contacts = motion_.contacts().size();
  if (contacts == 0) return;
  const std::vector<double>& nodes = crossings_.nodes();
  const auto count = static_cast<Eigen::Index>(nodes.size());
  MatrixX<double> normal(count, contacts), friction = normal, slip = normal;
  bool is_certain = true;
  for (Eigen::Index k = 0; k < count; ++k) {
    stepper.evaluate(nodes[static_cast<std::size_t>(k)]);
    is_certain = is_certain && !motion_.has_redundant_contacts();
    for (std::size_t i = 0; i < contacts; ++i) {
      const HeldValues values = read_held(i);
      const auto column = static_cast<Eigen::Index>(i);
      normal(k, column) = values.normal, friction(k, column) = values.friction, slip(k, column) = values.slip;
    }
  }
  for (std::size_t i = 0; i < contacts; ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const ContactHold hold = motion_.contacts()[i].hold();
    const auto look = [&](const MatrixX<double>& values, double HeldValues::*member, ContactCrossingKind kind) {
      narrow(
          values.col(column), [&](double theta) { return calc_held(stepper, theta, i).*member; },
          {.kind = kind,
           .held = static_cast<int>(i),
           .name = motion_.contacts()[i].name(),
           .is_certain = is_certain || kind == ContactCrossingKind::stick},
          first);
    };
    look(normal, &HeldValues::normal, ContactCrossingKind::break_away);
    if (hold == ContactHold::rolling) look(friction, &HeldValues::friction, ContactCrossingKind::slip);
    if (hold == ContactHold::sliding) {
      // Slip that begins in this step is no slip that ends, whatever rounding says of its first moments.
      const double no_slip = motion_.contacts()[i].no_slip();
      slip_allowance_ = slip(0, column) < kBeginning * no_slip ? no_slip : 0;
      slip.col(column).array() += slip_allowance_;
      look(slip, &HeldValues::slip, ContactCrossingKind::stick);
      slip_allowance_ = 0;
    }
  }
}

}  // namespace thenar
