// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/simulation/parameter_change_internal.h"

#include <fmt/format.h>

#include "thenar/geometry/core.h"

namespace thenar::internal {
namespace {

bool is_same(const Vec3<double>& a, const Vec3<double>& b) { return a.eigen() == b.eigen(); }
bool is_same(const Pose<double>& a, const Pose<double>& b) { return a.R == b.R && a.p == b.p; }

std::string compare_joints(const Model& before, const Model& after) {
  for (std::size_t i = 0; i < before.joints().size(); ++i) {
    const JointSpec &a = before.joints()[i].spec, &b = after.joints()[i].spec;
    if (a.name != b.name || a.kind != b.kind) return fmt::format("the joint '{}'", a.name);
    if (!is_same(a.X_PF, b.X_PF) || !is_same(a.X_BM, b.X_BM)) return fmt::format("the place of joint '{}'", a.name);
    if (a.axis != b.axis || a.second_axis != b.second_axis) return fmt::format("the axis of joint '{}'", a.name);
    if (a.offset != b.offset) return fmt::format("the distance of the axes of joint '{}'", a.name);
    if (a.locked != b.locked) return fmt::format("the lock of joint '{}'", a.name);
  }
  return {};
}

std::string compare_models(const Model& before, const Model& after) {
  if (before.bodies().size() != after.bodies().size()) return "the number of bodies";
  if (before.joints().size() != after.joints().size()) return "the number of joints";
  if (before.stops().size() != after.stops().size()) return "the number of stops";
  if (before.couplings().size() != after.couplings().size()) return "the number of couplings";
  for (int dof = 0; dof < before.velocity_count(); ++dof) {
    const bool has_friction = before.dry_friction()(dof) > 0, will_have = after.dry_friction()(dof) > 0;
    if (has_friction != will_have) return fmt::format("whether joint '{}' has dry friction", before.dof_name(dof));
  }
  return compare_joints(before, after);
}

std::string compare_shapes(const Scenario& before, const Scenario& after) {
  if (before.shapes.size() != after.shapes.size()) return "the number of shapes";
  for (std::size_t i = 0; i < before.shapes.size(); ++i) {
    const BodyShape &a = before.shapes[i], &b = after.shapes[i];
    const GrownCore core_a = make_core(a.shape), core_b = make_core(b.shape);
    const bool has_same_form = core_a.core.kind == core_b.core.kind && is_same(core_a.core.size, core_b.core.size) &&
                               core_a.radius == core_b.radius;
    if (a.body == b.body && has_same_form && is_same(a.X_BS, b.X_BS)) continue;
    return fmt::format("the shape of body '{}'", before.model.body(a.body).name);
  }
  return {};
}

std::string compare_contacts(const Scenario& before, const Scenario& after) {
  if (before.contacts.has_value() != after.contacts.has_value()) return "whether there are contacts";
  if (!before.contacts) return {};
  const ContactRules &a = *before.contacts, &b = *after.contacts;
  if (a.pairs.size() != b.pairs.size() || a.all_pairs != b.all_pairs) return "which bodies have contacts";
  if (a.cone.kind != b.cone.kind || a.cone.faces != b.cone.faces) return "the friction cone";
  return {};
}

bool is_same_run(const RunOptions& a, const RunOptions& b) {
  return a.engine == b.engine && a.until == b.until && a.sample == b.sample && a.integrator == b.integrator &&
         a.step == b.step && a.baumgarte == b.baumgarte;
}

}  // namespace

std::string find_fixed_difference(const Scenario& before, const Scenario& after) {
  std::string out = compare_models(before.model, after.model);
  if (out.empty()) out = compare_shapes(before, after);
  if (out.empty()) out = compare_contacts(before, after);
  if (out.empty() && before.controls.size() != after.controls.size()) out = "the number of controllers";
  if (out.empty() && !is_same_run(before.run, after.run)) out = "how the run proceeds";
  return out;
}

}  // namespace thenar::internal
