// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/model_info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "thenar/base/text.h"

namespace thenar {
namespace {

using Json = nlohmann::ordered_json;

/// Bodies printed in the tree; a larger model is cut short and says so.
constexpr int kMostTreeRows = 500;

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
  while (!stack.empty() && rows < kMostTreeRows) {
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

std::vector<std::string> joint_names(const Model& model, const Spring& spring) {
  std::vector<std::string> names;
  for (const JointIndex joint : spring.joints) names.push_back(model.joint(joint).spec.name);
  return names;
}

Json vector_json(const VectorX<double>& v) {
  Json out = Json::array();
  for (const double x : v) out.push_back(x);
  return out;
}

Json joint_json(const Model& model, const Joint& joint) {
  return {{"name", joint.spec.name},
          {"type", to_string(joint.spec.kind)},
          {"parent", model.body(joint.parent).name},
          {"child", model.body(joint.child).name},
          {"dof", joint.nv},
          {"level", joint.level},
          {"damping", vector_json(joint.spec.damping)},
          {"armature", vector_json(joint.spec.armature)}};
}

Json body_json(const Model& model, const Body& body) {
  const Symmetric3<double>& I = body.mass.inertia;
  return {{"name", body.name},
          {"parent", model.body(body.parent).name},
          {"joint", model.joint(body.joint).spec.name},
          {"mass", body.mass.mass},
          {"com", vector_json(body.mass.com)},
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
  if (!model.springs().empty()) out += "\nsprings\n";
  for (const Spring& spring : model.springs()) {
    out += fmt::format("  {}{}\n", list_words(joint_names(model, spring)),
                       spring.conservative ? "" : "  (not conservative)");
  }
  for (const std::string& remark : find_remarks(scenario)) out += "note: " + remark + "\n";
  return out;
}

std::string model_info_json(const Scenario& scenario) {
  const Model& model = scenario.model;
  Json bodies = Json::array(), joints = Json::array(), springs = Json::array();
  for (int i = 1; i < model.body_count(); ++i) bodies.push_back(body_json(model, model.body(BodyIndex(i))));
  for (const Joint& joint : model.joints()) joints.push_back(joint_json(model, joint));
  for (const Spring& spring : model.springs()) {
    springs.push_back({{"joints", joint_names(model, spring)}, {"conservative", spring.conservative}});
  }
  const Json out = {{"name", scenario.name},      {"dof", model.velocity_count()},
                    {"mass", model.total_mass()}, {"gravity", vector_json(model.gravity())},
                    {"bodies", bodies},           {"joints", joints},
                    {"springs", springs}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thenar
