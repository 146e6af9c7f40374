// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "thenar/base/text.h"
#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar {
namespace {

/// A ratio d / scale below this is what rounding leaves of a zero.
constexpr double kLostInRounding = 1e-13;

double trace(const Symmetric3<double>& s) { return s.xx + s.yy + s.zz; }

InertiaFault make_fault(const Model& model, int dof) {
  const JointIndex index = model.dof_joint(dof);
  const Joint& joint = model.joint(index);
  const char* where = joint.nv > 1 ? " in one of its directions" : "";
  return {index, fmt::format("joint '{}' has no inertia to move{}: give body '{}' a mass (and an inertia about the "
                             "joint's axis) or the joint an armature",
                             joint.spec.name, where, model.body(joint.child).name)};
}

[[noreturn]] void refuse_parameter(const Scenario& scenario, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : scenario.parameters) names.push_back(parameter.name);
  const auto near = closest_match(name, names);
  throw std::invalid_argument(fmt::format("scenario '{}' has no parameter '{}'{}; it has: {}", scenario.name, name,
                                          near ? fmt::format(", did you mean '{}'?", *near) : "",
                                          names.empty() ? "none" : list_words(names)));
}

void check_values(const Scenario& scenario, std::span<const NamedValue> values) {
  for (const NamedValue& value : values) {
    const bool is_known = std::any_of(scenario.parameters.begin(), scenario.parameters.end(),
                                      [&](const Parameter& parameter) { return parameter.name == value.name; });
    if (!is_known) refuse_parameter(scenario, value.name);
    if (!std::isfinite(value.value)) {
      throw std::invalid_argument(
          fmt::format("the parameter '{}' must be a finite number, not {}", value.name, value.value));
    }
  }
}

/// The values that were set before, and these.
std::vector<NamedValue> merge_values(std::vector<NamedValue> before, std::span<const NamedValue> values) {
  for (const NamedValue& value : values) {
    const auto known =
        std::find_if(before.begin(), before.end(), [&](const NamedValue& old) { return old.name == value.name; });
    if (known != before.end()) known->value = value.value;
    if (known == before.end()) before.push_back(value);
  }
  return before;
}

}  // namespace

Scenario with_parameters(const Scenario& scenario, std::span<const NamedValue> values) {
  check_values(scenario, values);
  if (values.empty()) return scenario;
  if (!scenario.source) {
    throw std::invalid_argument(
        fmt::format("scenario '{}' was not read from a file: nothing tells what its parameters drive", scenario.name));
  }
  std::vector<NamedValue> merged = merge_values(scenario.changed, values);
  Scenario out = scenario.source->make(merged);
  for (std::size_t i = out.controls.size(); i < scenario.controls.size(); ++i) {
    out.controls.push_back(scenario.controls[i]);
  }
  out.changed = std::move(merged);
  return out;
}

const char* to_string(EngineKind engine) {
  switch (engine) {
    case EngineKind::event:
      return "event";
    case EngineKind::step:
      return "step";
    case EngineKind::quasistatic:
      break;
  }
  return "quasistatic";
}

const char* to_string(OnIndeterminate choice) {
  switch (choice) {
    case OnIndeterminate::stop:
      return "stop";
    case OnIndeterminate::first:
      return "first";
    case OnIndeterminate::min_acceleration:
      break;
  }
  return "min_acceleration";
}

const char* to_string(IntegratorKind kind) {
  switch (kind) {
    case IntegratorKind::automatic:
      return "auto";
    case IntegratorKind::explicit_pair:
      return "explicit";
    case IntegratorKind::implicit_radau:
      return "implicit";
    case IntegratorKind::rk4:
      return "rk4";
    case IntegratorKind::rk8:
      return "rk8";
    case IntegratorKind::symplectic:
      return "symplectic";
  }
  return "";
}

std::string RunOptions::find_fault() const {
  if (!(until > 0) || !std::isfinite(until)) return fmt::format("until must be greater than 0 s, found {} s", until);
  if (step && (!(*step > 0) || !std::isfinite(*step)))
    return fmt::format("step must be greater than 0 s, found {} s", *step);
  if (!(sample > 0) || !std::isfinite(sample))
    return fmt::format("sample must be greater than 0 s, found {} s", sample);
  if (until / sample > kMostRows) {
    return fmt::format("until / sample asks for {:.3g} rows, more than {:.0g}: take a longer sample", until / sample,
                       kMostRows);
  }
  if (step && until / *step > kMostSteps) {
    return fmt::format("until / step asks for {:.3g} steps, more than {:.0g}: take a longer step", until / *step,
                       kMostSteps);
  }
  if (!(tolerance >= kTightestTolerance && tolerance <= kLoosestTolerance)) {
    return fmt::format("tolerance must lie between {} and {}, found {}", kTightestTolerance, kLoosestTolerance,
                       tolerance);
  }
  return {};
}

std::optional<InertiaFault> find_inertia_fault(const Model& model, const VectorX<double>& q) {
  Workspace<double> workspace(model);
  update_positions(model, q.data(), workspace);
  factorize_articulated(model, workspace);
  // From the tips inwards, as the elimination went: the first bad pivot is the cause, later ones follow from it.
  for (int i = model.link_count(); i >= 1; --i) {
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    const ArticulatedInertia<double>& inertia = workspace.articulated[static_cast<std::size_t>(i)];
    for (int j = link.v + link.nv - 1; j >= link.v; --j) {
      const double scale = trace(model.is_angular(j) ? inertia.J : inertia.M) + model.armature()(j);
      const double d = 1 / workspace.dof[static_cast<std::size_t>(j)].inverse_d;
      if (!(d > kLostInRounding * scale) || !std::isfinite(d)) return make_fault(model, j);
    }
  }
  return std::nullopt;
}

}  // namespace thenar
