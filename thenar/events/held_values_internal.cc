// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/events/held_values_internal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "thenar/base/numbers.h"
#include "thenar/instant/flat_rim_internal.h"

namespace thenar::internal {
namespace {

/// Forces that are so many times as far from their bounds as they change in a step do not reach them.
constexpr double kContactClearOfChange = 2;

}  // namespace

double HeldValueTable::calc_exit(const HeldContact& contact) const {
  const double size = touches_.size(), touch = calc_touch(scenario_.run.tolerance, size);
  const Workspace<double>& workspace = motion_.contact_workspace();
  return std::max({contact.calc_exit(workspace, size), calc_flat_exit(touches_.finder(), contact, touch),
                   calc_tilt_exit(scenario_.model, workspace, touches_.finder(), contact, touch)});
}

HeldValues HeldValueTable::read(std::size_t i, double margin) const {
  const HeldContact& contact = motion_.contacts()[i];
  const Vector4<double>& force = motion_.contact_forces()[i];
  HeldValues out{force(0) + margin, 1, 1, 0};
  if (contact.hold() == ContactHold::rolling) {
    const double mu = contact.law().static_friction;
    const FrictionCone& cone = scenario_.contacts->cone;
    double friction = calc_cone_size(cone, force(1), force(2));
    if (contact.law().fingertip == Fingertip::soft) {
      const double torsion = force(3) * mu / contact.law().torsion;
      friction = cone.kind == FrictionCone::Kind::circular ? std::hypot(friction, torsion)
                                                           : std::max(friction, std::abs(torsion));
    }
    out.friction = mu * force(0) - friction + margin;
  }
  if (contact.hold() == ContactHold::sliding) out.slip = contact.slip_along();
  out.exit = calc_exit(contact);
  return out;
}

void HeldValueTable::note_end(const Stepper& stepper) {
  if (stepper.goes_on() && end_.t == stepper.t()) std::swap(start_, end_);
  end_.t = stepper.t_end();
  end_.largest_force = motion_.calc_largest_contact_force();
  end_.is_redundant = motion_.has_redundant_contacts();
  end_.values.clear();
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) end_.values.push_back(read(i, 0));
}

/// What every contact must keep ≥ 0, at these places of the step.
void HeldValueTable::look_at(Stepper& stepper, double force_margin, std::span<const Eigen::Index> places) {
  for (const Eigen::Index k : places) {
    stepper.evaluate(nodes_[static_cast<std::size_t>(k)]);
    is_redundant_ = is_redundant_ || motion_.has_redundant_contacts();
    const double margin = force_margin * motion_.calc_largest_contact_force();
    for (Eigen::Index i = 0; i < normal_.cols(); ++i) {
      const HeldValues values = read(static_cast<std::size_t>(i), margin);
      normal_(k, i) = values.normal, friction_(k, i) = values.friction;
      slip_(k, i) = values.slip, exit_(k, i) = values.exit;
    }
  }
}

/// The same where the step begins or ends, from what was seen there when it was made.
void HeldValueTable::set_known(const KnownEnd& known, double force_margin, Eigen::Index k) {
  is_redundant_ = is_redundant_ || known.is_redundant;
  const double margin = force_margin * known.largest_force;
  for (Eigen::Index i = 0; i < normal_.cols(); ++i) {
    const HeldValues& values = known.values[static_cast<std::size_t>(i)];
    normal_(k, i) = values.normal + margin, friction_(k, i) = values.friction + margin;
    slip_(k, i) = values.slip, exit_(k, i) = values.exit;
  }
}

bool HeldValueTable::is_clear_at_a_glance(Stepper& stepper, double force_margin) {
  constexpr std::array<Eigen::Index, 2> kEnds{0, kContactDegree};
  constexpr std::array<Eigen::Index, 3> kInside{2, 4, 6};
  constexpr std::array<Eigen::Index, 4> kOthers{1, 3, 5, 7};
  const auto contacts = static_cast<Eigen::Index>(motion_.contacts().size());
  const auto count = static_cast<Eigen::Index>(nodes_.size());
  for (MatrixX<double>* matrix : {&normal_, &friction_, &slip_, &exit_}) matrix->resize(count, contacts);
  is_redundant_ = false;
  const auto knows = [&](const KnownEnd& end, double t) {
    return end.t == t && end.values.size() == motion_.contacts().size();
  };
  const bool knows_start = stepper.goes_on() && knows(start_, stepper.t()), knows_end = knows(end_, stepper.t_end());
  look_at(stepper, force_margin, kInside);
  if (knows_start) set_known(start_, force_margin, 0);
  if (knows_end) set_known(end_, force_margin, kContactDegree);
  if (!knows_start) look_at(stepper, force_margin, std::span(kEnds).first(1));
  if (!knows_end) look_at(stepper, force_margin, std::span(kEnds).last(1));
  if (has_clear_values()) return true;
  // What is known of the start is from before it was put back on its contacts.
  if (knows_start) look_at(stepper, force_margin, std::span(kEnds).first(1));
  look_at(stepper, force_margin, kOthers);
  return false;
}

/// Whether every second place says that nothing can happen: values are farther from 0 than they change.
bool HeldValueTable::has_clear_values() const {
  const auto is_clear = [](const auto& values, double least) {
    double low = kInfinity, high = -kInfinity;
    for (Eigen::Index k = 0; k < values.size(); k += 2)
      low = std::min(low, values(k)), high = std::max(high, values(k));
    return low > least && low > kContactClearOfChange * (high - low);  // not if one of them is no number
  };
  for (std::size_t i = 0; i < motion_.contacts().size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    if (!is_clear(normal_.col(column), 0) || !is_clear(friction_.col(column), 0)) return false;
    // Slip that has just begun or nearly ended is looked at more closely.
    if (!is_clear(slip_.col(column), kBeginning * motion_.contacts()[i].no_slip())) return false;
    for (Eigen::Index k = 0; k < exit_.rows(); k += 2) {
      if (exit_(k, column) > kContactExitMargin) return false;
    }
  }
  return true;
}

template <class Archive>
void HeldValueTable::archive(Archive& a) {
  for (KnownEnd* end : {&start_, &end_}) {
    a(end->t, end->largest_force, end->is_redundant);
    end->values.resize(a.size(end->values.size(), sizeof(HeldValues)));
    for (HeldValues& x : end->values) a(x.normal, x.friction, x.slip, x.exit);
  }
}
THENAR_INSTANTIATE_ARCHIVE(HeldValueTable);

}  // namespace thenar::internal
