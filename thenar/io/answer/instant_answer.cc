// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/answer/instant_answer.h"

#include <array>
#include <cmath>

#include "thenar/io/answer/dof_json_internal.h"
#include "thenar/io/answer/json_answer_internal.h"

namespace thenar {
namespace {

using internal::Json;
using internal::matrix_json;
using internal::to_json;
using Vector = VectorX<double>;
using Kind = ModeNode::Kind;

// What contacts and joints do.

/// [least, most]; JSON has no infinity, so that null stands for no bound.
Json bracket_json(const ForceBracket& bracket) {
  return Json::array({bracket.least, std::isfinite(bracket.most) ? Json(bracket.most) : Json(nullptr)});
}

void add_slip_margin(Json& json, const std::optional<double>& slip, bool is_bound) {
  if (slip) json["slip"] = *slip;
  if (slip && is_bound) json["bound"] = true;
}

Json margins_json(const InstantContact& contact, ContactMode mode, const ContactMargins& margins) {
  Json out{{"from", to_next_word(contact.now())}, {"to", to_next_word(mode)}};
  switch (mode) {
    case ContactMode::open:
      out["opening"] = margins.opening;
      break;
    case ContactMode::slide:
    case ContactMode::spin:
      out["normal"] = bracket_json(margins.normal);
      out["speed"] = margins.slip_speed;
      out["rate"] = margins.slip_rate;
      break;
    case ContactMode::roll:
    case ContactMode::stick:
      out["normal"] = bracket_json(margins.normal);
      add_slip_margin(out, margins.slip, margins.is_bound);
      if (margins.slip) out["impending"] = margins.impending;
  }
  return out;
}

Json patch_json(const PatchAnswer& patch) {
  Json out{{"mode", to_string(patch.mode)},
           {"force", patch.force},
           {"moment", patch.moment},
           {"normal", bracket_json(patch.normal)}};
  add_slip_margin(out, patch.slip, patch.is_bound);
  return out;
}

/// Directions of forces that move nothing, contact by contact; the sum of their squares is 1.
Json internal_forces_json(const Instant& instant, const ModeCell& cell) {
  Json out = Json::array();
  for (Eigen::Index k = 0; k < cell.span.cols(); ++k) {
    Json forces = Json::object();
    for (const InstantContact& contact : instant.contacts) {
      if (contact.row < 0) continue;
      std::array<double, 3> force{cell.span(contact.row, k)};
      for (std::size_t t = 0; t < 2; ++t) {
        if (contact.tangent_rows[t] >= 0) force[t + 1] = cell.span(contact.tangent_rows[t], k);
      }
      forces[contact.name] = force;
    }
    out.push_back(forces);
  }
  return out;
}

Json solution_json(const Scenario& scenario, const Instant& instant, const InstantCell& cell) {
  Json modes = Json::object(), forces = Json::object(), slip = Json::object(), margins = Json::object();
  Json torsion = Json::object(), patches = Json::object();
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const InstantContact& contact = instant.contacts[i];
    modes[contact.name] = to_next_word(cell.modes[i]);
    forces[contact.name] = {cell.forces[i][0], cell.forces[i][1], cell.forces[i][2]};
    slip[contact.name] = cell.slip[i];
    if (!cell.margins.empty()) margins[contact.name] = margins_json(contact, cell.modes[i], cell.margins[i]);
    if (contact.tangent_rows[2] >= 0) torsion[contact.name] = cell.forces[i][3];
  }
  for (std::size_t i = 0; i < cell.patches.size(); ++i) {
    patches[instant.patches[i].name] = patch_json(cell.patches[i]);
  }
  Json out{{"cell", cell.number}, {"modes", modes}, {"accelerations", internal::dofs_json(scenario.model, cell.vdot)},
           {"forces", forces},    {"slip", slip},   {"margins", margins}};
  if (!patches.empty()) out["patches"] = patches;
  if (!torsion.empty()) out["torsion"] = torsion;
  out["motion_unique"] = cell.motion_unique;
  out["forces_unique"] = cell.forces_unique;
  if (!cell.forces_unique && cell.motion_unique) {
    out["internal_forces"] = internal_forces_json(instant, instant.proof->answer.cells[cell.number]);
  }
  return out;
}

Json names_json(const Instant& instant, const std::vector<int>& contacts) {
  Json out = Json::array();
  for (const int i : contacts) out.push_back(instant.contacts[static_cast<std::size_t>(i)].name);
  return out;
}

Json force_json(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

Json patches_json(const Instant& instant) {
  Json out = Json::array();
  for (const InstantPatch& patch : instant.patches) {
    out.push_back({{"name", patch.name},
                   {"contacts", names_json(instant, patch.contacts)},
                   {"middle", force_json(patch.middle)},
                   {"normal", force_json(patch.frame.N)},
                   {"tangents", Json::array({force_json(patch.frame.T), force_json(patch.frame.U)})}});
  }
  return out;
}

Json rule_json(const Instant& instant, const StickFirst& rule) {
  Json rows = Json::array();
  for (const int i : rule.held) rows.push_back(instant.contacts[static_cast<std::size_t>(i)].row);
  return {{"held", names_json(instant, rule.held)},
          {"held_rows", rows},
          {"released", names_json(instant, rule.released)},
          {"problem_verdict", to_string(rule.problem_verdict)},
          {"proved", rule.is_proved}};
}

// The problem and its proof.

Json problem_json(const ConstraintProblem& problem) {
  Json rows = Json::array();
  for (int i = 0; i < problem.size(); ++i) {
    const ConstraintRow& row = problem.row(i);
    Json json{{"kind", to_string(row.kind)}};
    // JSON has no infinity: a boxed row without a limit is bilateral.
    if (row.kind == RowKind::boxed && std::isinf(row.limit)) json["kind"] = to_string(RowKind::bilateral);
    if (row.limit != 0 && std::isfinite(row.limit)) json["limit"] = row.limit;
    if (row.faces != 0) json["faces"] = row.faces;
    if (row.b_error != 0) json["b_error"] = row.b_error;
    json["id"] = row.id;
    rows.push_back(json);
  }
  return {{"accuracy", problem.accuracy},
          {"rows", rows},
          {"A", matrix_json(problem.A())},
          {"b", to_json(Vector(problem.b()))}};
}

Json choice_json(const ModeChoice& choice) {
  Json normals = Json::array(), frictions = Json::array();
  for (const NormalChoice normal : choice.normals) normals.push_back(static_cast<int>(normal));
  for (const FrictionChoice& friction : choice.frictions) {
    frictions.push_back({static_cast<int>(friction.kind), friction.first, friction.count});
  }
  return {{"normals", normals}, {"frictions", frictions}};
}

Json cell_json(const ModeCell& cell) {
  Json states = Json::array(), span = Json::array();
  for (const ContactState state : cell.states) states.push_back(to_string(state));
  for (Eigen::Index k = 0; k < cell.span.cols(); ++k) span.push_back(to_json(VectorX<double>(cell.span.col(k))));
  return {{"states", states},
          {"z", to_json(cell.z)},
          {"w", to_json(cell.w)},
          {"listed", cell.is_listed},
          {"vertices", to_json(cell.vertices)},
          {"rays", to_json(cell.rays)},
          {"lines", to_json(cell.lines)},
          {"span", span},
          {"motion_unique", cell.motion_unique},
          {"forces_unique", cell.forces_unique},
          {"choice", choice_json(cell.choice)}};
}

Json cells_json(const ModeAnswer& answer) {
  Json out = Json::array();
  for (const ModeCell& cell : answer.cells) out.push_back(cell_json(cell));
  return out;
}

Json node_json(const ModeNode& node) {
  switch (node.kind) {
    case Kind::branch:
      return {{node.on_normal ? "normal" : "friction", node.part}, {"children", node.children}};
    case Kind::cell:
      return {{"cell", node.cell}};
    case Kind::unexplored:
      return {{"unexplored", true}};
    case Kind::one_motion:
      return {{to_string(node.kind), to_json(node.y)}, {"cell", node.cell}};
    case Kind::empty:
    case Kind::covered:
      break;
  }
  return {{to_string(node.kind), to_json(node.y)}};
}

Json certificate_json(const ModeAnswer& answer) {
  if (answer.verdict == Verdict::undecided) return {{"kind", "none"}};
  const std::vector<ModeNode>& tree = answer.tree;
  if (tree.size() == 1 && tree.front().kind == Kind::empty) return {{"kind", "farkas"}, {"y", to_json(tree.front().y)}};
  Json nodes = Json::array();
  for (const ModeNode& node : tree) nodes.push_back(node_json(node));
  const bool is_one_motion = tree.size() == 1 && tree.front().kind == Kind::one_motion;
  return {{"kind", is_one_motion ? "pd" : "refuted"}, {"nodes", nodes}};
}

}  // namespace

std::string instant_json(const Scenario& scenario, const Instant& instant) {
  Json solutions = Json::array(), contacts = Json::array(), rows = Json::array();
  for (const InstantCell& cell : instant.cells) solutions.push_back(solution_json(scenario, instant, cell));
  for (const InstantContact& contact : instant.contacts) {
    contacts.push_back(contact.name);
    rows.push_back(contact.row);
  }
  Json out{{"name", scenario.name},
           {"verdict", to_string(instant.verdict)},
           {"determinate", instant.determinate},
           {"cone", instant.cone},
           {"certificate", certificate_json(instant.proof->answer)},
           {"contacts", contacts},
           {"contact_rows", rows}};
  if (!instant.patches.empty()) out["patches"] = patches_json(instant);
  if (instant.stick_first) {
    out["rule"] = "stick_first";
    out["stick_first"] = rule_json(instant, *instant.stick_first);
  }
  out["solutions"] = solutions;
  out["complete"] = instant.is_list_complete;
  if (!instant.reason.empty()) out["reason"] = instant.reason;
  out["cells"] = cells_json(instant.proof->answer);
  out["problem"] = problem_json(instant.proof->problem);
  out["response"] = {{"free", to_json(instant.proof->vdot_free)}, {"per_force", matrix_json(instant.proof->X)}};
  return out.dump() + "\n";
}

std::string problem_answer_json(const std::string& name, const ConstraintProblem& problem, const ModeAnswer& answer) {
  Json out{{"name", name},
           {"verdict", to_string(answer.verdict)},
           {"certificate", certificate_json(answer)},
           {"complete", answer.is_list_complete}};
  if (!answer.reason.empty()) out["reason"] = answer.reason;
  out["cells"] = cells_json(answer);
  out["problem"] = problem_json(problem);
  return out.dump() + "\n";
}

}  // namespace thenar
