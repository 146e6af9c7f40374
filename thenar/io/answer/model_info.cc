// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/answer/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/base/text.h"
#include "thenar/io/scenario/part_reader_internal.h"
#include "thenar/io/text/json_internal.h"

namespace thenar {
namespace {

using internal::Json;

/// Rows printed of the tree and of every list; a larger model is cut short and says so.
constexpr int kMostInfoRows = 500;

std::vector<std::vector<int>> find_children(const Model& model) {
  std::vector<std::vector<int>> children(static_cast<std::size_t>(model.body_count()));
  for (int i = 1; i < model.body_count(); ++i) {
    children[static_cast<std::size_t>(model.body(BodyIndex(i)).parent)].push_back(i);
  }
  return children;
}

std::string describe_body(const Scenario& scenario, int index) {
  const Body& body = scenario.model.body(BodyIndex(index));
  const Joint& joint = scenario.model.joint(body.joint);
  std::string out = body.name;
  if (joint.nv > 0) {
    out += fmt::format("  [{} {}{}]", to_string(joint.spec.kind), joint.spec.name,
                       joint.nv > 1 ? fmt::format(", {} DoF", joint.nv) : std::string());
  } else {
    out += "  [fixed]";
  }
  if (body.mass.mass > 0) out += fmt::format("  {:.4g} kg", body.mass.mass);
  for (const BodyShape& shape : scenario.shapes) {
    if (shape.body == BodyIndex(index)) out += fmt::format("  {}", shape_name(shape.shape));
  }
  return out;
}

/// The tree as a picture, depth first. A stack of its own: a chain of 10,000 bodies must not overflow the machine's.
std::string draw_tree(const Scenario& scenario) {
  struct Entry {
    int body;
    std::string indent;
    bool is_last;
  };
  const auto children = find_children(scenario.model);
  std::string out = "world\n";
  std::vector<Entry> stack;
  const auto push_children = [&](int body, const std::string& indent) {
    const std::vector<int>& list = children[static_cast<std::size_t>(body)];
    for (std::size_t k = list.size(); k-- > 0;) stack.push_back({list[k], indent, k + 1 == list.size()});
  };
  push_children(0, "");
  int rows = 0;
  while (!stack.empty() && rows < kMostInfoRows) {
    const Entry entry = stack.back();
    stack.pop_back();
    out += fmt::format("{}{}{}\n", entry.indent, entry.is_last ? "`-- " : "|-- ", describe_body(scenario, entry.body));
    push_children(entry.body, entry.indent + (entry.is_last ? "    " : "|   "));
    ++rows;
  }
  const int left = scenario.model.body_count() - 1 - rows;
  if (left > 0) out += fmt::format("... and {} more\n", left);
  return out;
}

/// A title and its rows, indented; nothing when there are none.
std::string list_rows(const char* title, const std::vector<std::string>& rows) {
  if (rows.empty()) return {};
  std::string out = fmt::format("\n{}\n", title);
  const std::size_t shown = std::min(rows.size(), static_cast<std::size_t>(kMostInfoRows));
  for (std::size_t i = 0; i < shown; ++i) out += fmt::format("  {}\n", rows[i]);
  if (shown < rows.size()) out += fmt::format("  ... and {} more\n", rows.size() - shown);
  return out;
}

bool is_angular_dof(const Model& model, int dof) {
  const Joint& joint = model.joint(model.dof_joint(dof));
  return internal::is_angular(joint.spec.kind, dof - joint.v_start);
}

std::vector<std::string> dof_names(const Model& model, const std::vector<int>& dofs) {
  std::vector<std::string> names;
  for (const int dof : dofs) names.push_back(model.dof_name(dof));
  return names;
}

/// The stops of each degree of freedom, null where there is none.
struct StopPair {
  const Stop* lower = nullptr;
  const Stop* upper = nullptr;
};

std::vector<StopPair> find_stops(const Model& model) {
  std::vector<StopPair> out(static_cast<std::size_t>(model.velocity_count()));
  for (const Stop& stop : model.stops()) {
    StopPair& pair = out[static_cast<std::size_t>(stop.dof)];
    (stop.side == StopSide::lower ? pair.lower : pair.upper) = &stop;
  }
  return out;
}

/// "1.5708" or "0.35*cos(flexion)".
std::string describe_function(const CoordinateFunction& function) {
  return function.value.is_constant() ? fmt::format("{:.6g}", function.value.evaluate({})) : function.value.text();
}

/// ", depending on hand.index_mcp.1", or nothing.
std::string describe_inputs(const Model& model, std::vector<int> dofs) {
  if (dofs.empty()) return {};
  std::sort(dofs.begin(), dofs.end());
  dofs.erase(std::unique(dofs.begin(), dofs.end()), dofs.end());
  return ", depending on " + list_words(dof_names(model, dofs));
}

std::string describe_restitution(const StopPair& stops) {
  const double lower = stops.lower ? stops.lower->restitution : 0, upper = stops.upper ? stops.upper->restitution : 0;
  if (stops.lower && stops.upper && lower != upper) {
    return fmt::format(", restitution {:.6g} below and {:.6g} above", lower, upper);
  }
  const double both = std::max(lower, upper);
  return both > 0 ? fmt::format(", restitution {:.6g}", both) : std::string();
}

/// "hand.index_pip: from 0 to 1.5708 rad, restitution 0.5"
std::string describe_limits(const Model& model, int dof, const StopPair& stops) {
  std::string out = model.dof_name(dof) + ":";
  std::vector<int> inputs;
  if (stops.lower) {
    out += " from " + describe_function(stops.lower->bound);
    inputs = stops.lower->bound.dofs;
  }
  if (stops.upper) {
    out += " to " + describe_function(stops.upper->bound);
    inputs.insert(inputs.end(), stops.upper->bound.dofs.begin(), stops.upper->bound.dofs.end());
  }
  out += is_angular_dof(model, dof) ? " rad" : " m";
  return out + describe_inputs(model, inputs) + describe_restitution(stops);
}

std::vector<std::string> describe_all_limits(const Model& model) {
  std::vector<std::string> rows;
  const std::vector<StopPair> stops = find_stops(model);
  for (int dof = 0; dof < model.velocity_count(); ++dof) {
    const StopPair& pair = stops[static_cast<std::size_t>(dof)];
    if (pair.lower || pair.upper) rows.push_back(describe_limits(model, dof, pair));
  }
  return rows;
}

std::string describe_effort(const Model& model, int dof, double effort) {
  return fmt::format("{}: {:.6g} {}", model.dof_name(dof), effort, is_angular_dof(model, dof) ? "N m" : "N");
}

std::vector<std::string> describe_friction(const Model& model) {
  std::vector<std::string> rows;
  for (int dof = 0; dof < model.velocity_count(); ++dof) {
    const double friction = model.dry_friction()(dof);
    if (friction != 0) rows.push_back(describe_effort(model, dof, friction));
  }
  return rows;
}

std::vector<std::string> describe_effort_limits(const Model& model) {
  std::vector<std::string> rows;
  for (int dof = 0; dof < model.velocity_count(); ++dof) {
    const double limit = model.effort_limit()(dof);
    if (std::isfinite(limit)) rows.push_back(describe_effort(model, dof, limit));
  }
  return rows;
}

std::vector<std::string> describe_locks(const Model& model) {
  std::vector<std::string> rows;
  for (const Joint& joint : model.joints()) {
    if (joint.spec.locked) rows.push_back(joint.spec.name);
  }
  return rows;
}

std::vector<std::string> describe_couplings(const Model& model) {
  std::vector<std::string> rows;
  for (const Coupling& coupling : model.couplings()) {
    const std::string joint = model.dof_name(coupling.dof);
    const std::string name = coupling.name == joint ? std::string() : coupling.name + ": ";
    rows.push_back(fmt::format("{}{} = {}{}", name, joint, describe_function(coupling.value),
                               describe_inputs(model, coupling.value.dofs)));
  }
  return rows;
}

std::vector<std::string> joint_names(const Model& model, const Spring& spring) {
  std::vector<std::string> names;
  for (const JointIndex joint : spring.joints) names.push_back(model.joint(joint).spec.name);
  return names;
}

std::vector<std::string> describe_springs(const Model& model) {
  std::vector<std::string> rows;
  for (const Spring& spring : model.springs()) {
    rows.push_back(list_words(joint_names(model, spring)) + (spring.conservative ? "" : "  (not conservative)"));
  }
  return rows;
}

Json entries_json(const VectorX<double>& v) {
  Json out = Json::array();
  for (const double x : v) out.push_back(x);
  return out;
}

/// A number, the text of an expression, or null where there is no stop.
Json bound_json(const Stop* stop) {
  if (!stop) return nullptr;
  const Expression& value = stop->bound.value;
  return value.is_constant() ? Json(value.evaluate({})) : Json(value.text());
}

Json joint_info_json(const Model& model, const Joint& joint, const std::vector<StopPair>& stops) {
  Json limits = Json::array(), restitution = Json::array();
  for (int dof = joint.v_start; dof < joint.v_start + joint.nv; ++dof) {
    const auto [lower, upper] = stops[static_cast<std::size_t>(dof)];
    limits.push_back(Json::array({bound_json(lower), bound_json(upper)}));
    restitution.push_back(Json::array({lower ? lower->restitution : 0, upper ? upper->restitution : 0}));
  }
  return {{"name", joint.spec.name},
          {"type", to_string(joint.spec.kind)},
          {"parent", model.body(joint.parent).name},
          {"child", model.body(joint.child).name},
          {"dof", joint.nv},
          {"level", joint.level},
          {"damping", entries_json(joint.spec.damping)},
          {"armature", entries_json(joint.spec.armature)},
          {"friction", entries_json(joint.spec.friction)},
          {"limits", limits},
          {"restitution", restitution},
          {"locked", joint.spec.locked}};
}

Json coupling_json(const Model& model, const Coupling& coupling) {
  return {{"name", coupling.name},
          {"joint", model.dof_name(coupling.dof)},
          {"equals", coupling.value.value.text()},
          {"of", dof_names(model, coupling.value.dofs)}};
}

Json body_info_json(const Model& model, const Body& body) {
  const Symmetric3<double>& I = body.mass.inertia;
  return {{"name", body.name},
          {"parent", model.body(body.parent).name},
          {"joint", model.joint(body.joint).spec.name},
          {"mass", body.mass.mass},
          {"com", entries_json(body.mass.com)},
          {"inertia", {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}}};
}

}  // namespace

std::vector<std::string> find_remarks(const Scenario& scenario) {
  std::vector<std::string> remarks;
  for (const Spring& spring : scenario.model.springs()) {
    if (spring.conservative) continue;
    remarks.push_back(fmt::format(
        "the spring on {} is not conservative: its stiffness is not symmetric, so it may feed or drain energy",
        list_words(joint_names(scenario.model, spring))));
  }
  return remarks;
}

std::string model_info_text(const Scenario& scenario) {
  const Model& model = scenario.model;
  std::string out =
      fmt::format("{}: {} bodies, {} joints, {} degrees of freedom, {:.6g} kg\n\n", scenario.name,
                  model.body_count() - 1, model.joint_count(), model.velocity_count(), model.total_mass());
  out += draw_tree(scenario);
  out += list_rows("limits", describe_all_limits(model));
  out += list_rows("dry friction", describe_friction(model));
  out += list_rows("largest efforts", describe_effort_limits(model));
  out += list_rows("locked", describe_locks(model));
  out += list_rows("springs", describe_springs(model));
  out += list_rows("couplings", describe_couplings(model));
  for (const std::string& remark : find_remarks(scenario)) out += "note: " + remark + "\n";
  return out;
}

std::string model_info_json(const Scenario& scenario) {
  const Model& model = scenario.model;
  Json bodies = Json::array(), joints = Json::array(), springs = Json::array(), couplings = Json::array();
  const std::vector<StopPair> stops = find_stops(model);
  for (int i = 1; i < model.body_count(); ++i) bodies.push_back(body_info_json(model, model.body(BodyIndex(i))));
  for (const Joint& joint : model.joints()) joints.push_back(joint_info_json(model, joint, stops));
  for (const Spring& spring : model.springs()) {
    springs.push_back({{"joints", joint_names(model, spring)}, {"conservative", spring.conservative}});
  }
  for (const Coupling& coupling : model.couplings()) couplings.push_back(coupling_json(model, coupling));
  const Json out = {{"name", scenario.name},      {"dof", model.velocity_count()},
                    {"mass", model.total_mass()}, {"gravity", entries_json(model.gravity())},
                    {"bodies", bodies},           {"joints", joints},
                    {"springs", springs},         {"couplings", couplings}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thenar
