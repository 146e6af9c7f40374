// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/instant_answer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "thenar/io/json_answer_internal.h"

namespace thenar {
namespace {

using internal::Json;
using internal::matrix_json;
using internal::to_json;
using Vector = VectorX<double>;
using Kind = ModeNode::Kind;
using Slip = FrictionChoice::Kind;

constexpr const char* kOrigin = "thenar solve --json";
constexpr std::array<const char*, 6> kFree{"wx", "wy", "wz", "vx", "vy", "vz"};
constexpr std::array<const char*, 3> kPlanar{"x", "y", "yaw"};

/// Accelerations of one joint or of the body that it carries: a number, or several by name.
Json acceleration_json(const Joint& joint, const Vector& vdot) {
  if (joint.nv == 1) return vdot(joint.v_start);
  Json out = Json::object();
  for (int k = 0; k < joint.nv; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const bool is_free = joint.spec.kind == JointKind::free, is_planar = joint.spec.kind == JointKind::planar;
    out[is_free ? kFree[i] : is_planar ? kPlanar[i] : std::to_string(k)] = vdot(joint.v_start + k);
  }
  return out;
}

std::string acceleration_name(const Model& model, const Joint& joint) {
  const bool floats = joint.spec.kind == JointKind::free || joint.spec.kind == JointKind::planar;
  return floats ? model.body(joint.child).name : joint.spec.name;
}

Json accelerations_json(const Model& model, const Vector& vdot) {
  Json out = Json::object();
  for (const Joint& joint : model.joints()) {
    if (joint.nv > 0) out[acceleration_name(model, joint)] = acceleration_json(joint, vdot);
  }
  return out;
}

Json solution_json(const Scenario& scenario, const Instant& instant, const InstantCell& cell) {
  Json modes = Json::object(), forces = Json::object(), slip = Json::object(), margins = Json::object();
  Json torsion = Json::object();
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const std::string& name = instant.contacts[i].name;
    modes[name] = to_string(cell.modes[i]);
    forces[name] = {cell.forces[i][0], cell.forces[i][1], cell.forces[i][2]};
    slip[name] = cell.slip[i];
    margins[name] = cell.margins[i];
    if (instant.contacts[i].tangent_rows[2] >= 0) torsion[name] = cell.forces[i][3];
  }
  Json out{{"modes", modes},
           {"accelerations", accelerations_json(scenario.model, cell.vdot)},
           {"forces", forces},
           {"slip", slip},
           {"margins", margins}};
  if (!torsion.empty()) out["torsion"] = torsion;
  out["motion_unique"] = cell.motion_unique;
  out["forces_unique"] = cell.forces_unique;
  return out;
}

// The problem and its proof.

Json problem_json(const Instant& instant) {
  Json rows = Json::array();
  for (int i = 0; i < instant.problem.size(); ++i) {
    const ConstraintRow& row = instant.problem.row(i);
    Json json{{"kind", to_string(row.kind)}};
    if (row.limit != 0) json["limit"] = row.limit;
    if (row.faces != 0) json["faces"] = row.faces;
    rows.push_back(json);
  }
  return {{"rows", rows},
          {"A", matrix_json(instant.problem.A())},
          {"b", to_json(Vector(instant.problem.b()))},
          {"free", to_json(instant.vdot_free)},
          {"response", matrix_json(instant.X)}};
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
  Json states = Json::array();
  for (const ContactState state : cell.states) states.push_back(to_string(state));
  return {{"states", states},
          {"z", to_json(cell.z)},
          {"w", to_json(cell.w)},
          {"listed", cell.is_listed},
          {"vertices", to_json(cell.vertices)},
          {"rays", to_json(cell.rays)},
          {"lines", to_json(cell.lines)},
          {"motion_unique", cell.motion_unique},
          {"forces_unique", cell.forces_unique},
          {"choice", choice_json(cell.choice)}};
}

Json node_json(const ModeNode& node) {
  switch (node.kind) {
    case Kind::branch:
      return {{node.on_normal ? "normal" : "friction", node.part}, {"children", node.children}};
    case Kind::cell:
      return {{"cell", node.cell}};
    case Kind::unexplored:
      return {{"unexplored", true}};
    default:
      return {{to_string(node.kind), to_json(node.y)}};
  }
}

Json certificate_json(const Instant& instant) {
  if (instant.verdict == Verdict::undecided) return {{"kind", "none"}};
  const std::vector<ModeNode>& tree = instant.answer.tree;
  if (tree.size() == 1 && tree.front().kind == Kind::empty) return {{"kind", "farkas"}, {"y", to_json(tree.front().y)}};
  Json nodes = Json::array();
  for (const ModeNode& node : tree) nodes.push_back(node_json(node));
  return {{"kind", "refuted"}, {"nodes", nodes}};
}

// Reading.

class AnswerReader : public internal::JsonAnswer {
 public:
  AnswerReader(const std::string& text, const std::string& name) : JsonAnswer(text, name, kOrigin) {}

  ConstraintProblem problem() const {
    const Json& json = root().at("problem");
    const Json rows = read("problem.rows", [&] { return json.at("rows"); });
    const int n = static_cast<int>(rows.size());
    ConstraintProblem out(n);
    for (int i = 0; i < n; ++i) out.row(i) = row(rows.at(static_cast<std::size_t>(i)));
    out.A() = matrix(read("problem.A", [&] { return json.at("A"); }), n, n, "problem.A");
    out.b() = vector(read("problem.b", [&] { return json.at("b"); }), n, "problem.b");
    return out;
  }

  ModeClaim claim(const ConstraintProblem& problem) const {
    ModeClaim out;
    out.verdict = verdict();
    for (const Json& json : read("cells", [&] { return root().at("cells"); }))
      out.cells.push_back(cell(json, problem.size()));
    const Json certificate = read("certificate", [&] { return root().at("certificate"); });
    if (certificate.contains("y")) {
      out.tree.push_back(end(Kind::empty, certificate.at("y")));
    } else if (certificate.contains("nodes")) {
      for (const Json& json : certificate.at("nodes")) out.tree.push_back(node(json));
    }
    return out;
  }

  Verdict verdict() const {
    const auto word = read("verdict", [&] { return root().at("verdict").get<std::string>(); });
    for (const Verdict verdict : {Verdict::unique, Verdict::unique_motion_indeterminate_forces, Verdict::several,
                                  Verdict::none, Verdict::undecided}) {
      if (word == to_string(verdict)) return verdict;
    }
    fail(fmt::format("'verdict' is '{}', which is none of the verdicts", word));
  }

 private:
  ConstraintRow row(const Json& json) const {
    ConstraintRow out;
    const auto word = read("problem.rows.kind", [&] { return json.at("kind").get<std::string>(); });
    bool is_known = false;
    for (const RowKind kind : {RowKind::bilateral, RowKind::unilateral, RowKind::boxed, RowKind::normal,
                               RowKind::tangent, RowKind::sliding}) {
      if (word != to_string(kind)) continue;
      out.kind = kind;
      is_known = true;
    }
    if (!is_known) fail(fmt::format("'problem.rows.kind' is '{}', which is no kind of row", word));
    read("problem.rows", [&] {
      out.limit = json.value("limit", 0.0);
      out.faces = json.value("faces", 0);
      return 0;
    });
    return out;
  }

  ModeCell cell(const Json& json, int n) const {
    ModeCell out;
    out.z = vector(read("cells.z", [&] { return json.at("z"); }), n, "cells.z");
    out.w = vector(read("cells.w", [&] { return json.at("w"); }), n, "cells.w");
    read("cells", [&] {
      for (const Json& state : json.at("states")) out.states.push_back(contact_state(state.get<std::string>()));
      out.is_listed = json.at("listed").get<bool>();
      out.motion_unique = json.at("motion_unique").get<bool>();
      out.forces_unique = json.at("forces_unique").get<bool>();
      for (const Json& normal : json.at("choice").at("normals")) {
        out.choice.normals.push_back(normal.get<int>() == static_cast<int>(NormalChoice::open) ? NormalChoice::open
                                                                                               : NormalChoice::held);
      }
      for (const Json& friction : json.at("choice").at("frictions")) {
        const auto numbers = friction.get<std::array<int, 3>>();
        out.choice.frictions.push_back({.kind = static_cast<Slip>(std::clamp(numbers[0], 0, 2)),
                                        .first = std::max(numbers[1], 0),
                                        .count = std::max(numbers[2], 0)});
      }
      return 0;
    });
    for (auto [name, list] : {std::pair{"vertices", &out.vertices}, {"rays", &out.rays}, {"lines", &out.lines}}) {
      for (const Json& z : read(name, [&, key = name] { return json.at(key); })) list->push_back(vector(z, n, name));
    }
    return out;
  }

  ContactState contact_state(const std::string& word) const {
    for (const ContactState state : {ContactState::open, ContactState::stick, ContactState::slide}) {
      if (word == to_string(state)) return state;
    }
    fail(fmt::format("'{}' is no state of a contact", word));
  }

  ModeNode end(Kind kind, const Json& y) const {
    ModeNode out;
    out.kind = kind;
    const auto list = read(to_string(kind), [&] { return y.get<std::vector<double>>(); });
    out.y = Eigen::Map<const Vector>(list.data(), static_cast<Eigen::Index>(list.size()));
    return out;
  }

  ModeNode node(const Json& json) const {
    for (const Kind kind : {Kind::empty, Kind::covered}) {
      if (json.contains(to_string(kind))) return end(kind, json.at(to_string(kind)));
    }
    ModeNode out;
    read("certificate.nodes", [&] {
      out.on_normal = json.contains("normal");
      if (out.on_normal || json.contains("friction")) {
        out.kind = Kind::branch;
        out.part = json.at(out.on_normal ? "normal" : "friction").get<int>();
        out.children = json.at("children").get<std::vector<int>>();
      } else if (json.contains("cell")) {
        out.kind = Kind::cell;
        out.cell = json.at("cell").get<int>();
      }
      return 0;
    });
    return out;
  }
};

ModeVerification refuted(const std::string& reason) {
  ModeVerification out;
  out.reason = reason;
  return out;
}

ModeVerification holding() {
  ModeVerification out;
  out.result = ModeVerification::Result::holds;
  return out;
}

/// Numbers that are printed for people, modes, forces and accelerations, are those of the cells.
ModeVerification check_solutions(const AnswerReader& reader, const ModeClaim& claim) {
  const Json solutions = reader.read("solutions", [&] { return reader.root().at("solutions"); });
  if (solutions.size() != claim.cells.size()) return refuted("there are not as many solutions as cells");
  const Json& problem = reader.root().at("problem");
  const auto n = static_cast<int>(claim.cells.empty() ? 0 : claim.cells.front().z.size());
  const auto free = reader.read("problem.free", [&] { return problem.at("free").get<std::vector<double>>(); });
  const auto nv = static_cast<int>(free.size());
  const MatrixX<double> X = reader.matrix(
      reader.read("problem.response", [&] { return problem.at("response"); }), nv,
      n == 0 ? (nv > 0 ? static_cast<int>(problem.at("response").at(0).size()) : 0) : n, "problem.response");
  for (std::size_t k = 0; k < solutions.size(); ++k) {
    const ModeCell& cell = claim.cells[k];
    const Vector vdot = Eigen::Map<const Vector>(free.data(), nv) + X * cell.z;
    const double size = vdot.cwiseAbs().maxCoeff() + (X.cwiseAbs() * cell.z.cwiseAbs()).maxCoeff();
    std::vector<double> stated;
    reader.read("solutions.accelerations", [&] {
      for (const Json& value : solutions.at(k).at("accelerations")) {
        if (value.is_number()) {
          stated.push_back(value.get<double>());
        } else {
          for (const Json& part : value) stated.push_back(part.get<double>());
        }
      }
      return 0;
    });
    if (static_cast<int>(stated.size()) != nv) return refuted("a solution has a wrong number of accelerations");
    for (int i = 0; i < nv; ++i) {
      if (!(std::abs(stated[static_cast<std::size_t>(i)] - vdot(i)) <= 1e-9 * size)) {
        return refuted(fmt::format("solution {}: acceleration {} does not follow from its forces", k + 1, i + 1));
      }
    }
    std::vector<double> forces, rows;
    reader.read("solutions.forces", [&] {
      for (const Json& force : solutions.at(k).at("forces")) {
        for (const Json& part : force) forces.push_back(part.get<double>());
      }
      return 0;
    });
    // Rows of dropped directions and of contacts that part are zero; all others have to be found among the cell's.
    const double largest = cell.z.size() > 0 ? cell.z.cwiseAbs().maxCoeff() : 0;
    for (const double force : forces) {
      const bool is_known =
          std::abs(force) <= 1e-12 * largest || (cell.z.array() - force).abs().minCoeff() <= 1e-9 * largest;
      if (!is_known) return refuted(fmt::format("solution {}: a force is not that of its cell", k + 1));
    }
  }
  return holding();
}

// Text for people.

std::string number_text(double x, double scale) {
  return fmt::format("{:>12.5g}", std::abs(x) <= 1e-12 * scale ? 0.0 : x);
}

std::string verdict_text(const Instant& instant) {
  switch (instant.verdict) {
    case Verdict::unique:
      return "This is the only answer.";
    case Verdict::unique_motion_indeterminate_forces:
      return "There is one motion; more forces than one bring it about (the smallest are shown).";
    case Verdict::several:
      return "There are several answers with different motions.";
    case Verdict::none:
      return "There is no answer: rigid bodies with Coulomb friction contradict each other here.";
    case Verdict::undecided:
      break;
  }
  return fmt::format("Whether there are other answers is undecided: {}.", instant.reason);
}

std::string cell_text(const Scenario& scenario, const Instant& instant, const InstantCell& cell) {
  std::size_t width = 8;
  for (const InstantContact& contact : instant.contacts) width = std::max(width, contact.name.size());
  double scale = 0;
  for (const auto& force : cell.forces)
    scale = std::max({scale, std::abs(force[0]), std::abs(force[1]), std::abs(force[2])});
  std::string out =
      fmt::format("  {:<{}}  mode  {:>12} {:>12} {:>12}  {:>8}\n", "contact", width, "f_N", "f_T", "f_U", "margin");
  for (std::size_t i = 0; i < instant.contacts.size(); ++i) {
    const auto& force = cell.forces[i];
    out += fmt::format("  {:<{}}  {:<5} {} {} {}  {:>8}\n", instant.contacts[i].name, width, to_string(cell.modes[i]),
                       number_text(force[0], scale), number_text(force[1], scale), number_text(force[2], scale),
                       cell.modes[i] == ContactMode::slide ? "sliding" : fmt::format("{:.3g}", cell.margins[i]));
  }
  const double fastest = std::max(cell.vdot.size() > 0 ? cell.vdot.cwiseAbs().maxCoeff() : 0.0,
                                  instant.vdot_free.size() > 0 ? instant.vdot_free.cwiseAbs().maxCoeff() : 0.0);
  out += "  accelerations\n";
  for (const Joint& joint : scenario.model.joints()) {
    if (joint.nv == 0) continue;
    out += fmt::format("  {:<{}} ", acceleration_name(scenario.model, joint), width);
    for (int k = 0; k < joint.nv; ++k) out += number_text(cell.vdot(joint.v_start + k), fastest);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string instant_json(const Scenario& scenario, const Instant& instant) {
  Json solutions = Json::array(), cells = Json::array(), contacts = Json::array();
  for (const InstantCell& cell : instant.cells) solutions.push_back(solution_json(scenario, instant, cell));
  for (const ModeCell& cell : instant.answer.cells) cells.push_back(cell_json(cell));
  for (const InstantContact& contact : instant.contacts) contacts.push_back(contact.name);
  Json out{{"name", scenario.name},  {"verdict", to_string(instant.verdict)},    {"determinate", instant.determinate},
           {"cone", instant.cone},   {"certificate", certificate_json(instant)}, {"contacts", contacts},
           {"solutions", solutions}, {"complete", instant.is_list_complete}};
  if (!instant.reason.empty()) out["reason"] = instant.reason;
  out["cells"] = cells;
  out["problem"] = problem_json(instant);
  return out.dump() + "\n";
}

std::string instant_text(const Scenario& scenario, const Instant& instant) {
  std::string out = fmt::format("{}: {} contact{}, cone {}\n", scenario.name, instant.contacts.size(),
                                instant.contacts.size() == 1 ? "" : "s", instant.cone);
  out += fmt::format("{}\nverdict {}, {}determinate\n", verdict_text(instant), to_string(instant.verdict),
                     instant.determinate ? "" : "not ");
  for (std::size_t k = 0; k < instant.cells.size(); ++k) {
    const InstantCell& cell = instant.cells[k];
    out += instant.cells.size() > 1 ? fmt::format("\nAnswer {}", k + 1) : "\nAnswer";
    out += !cell.motion_unique ? ", one of many motions\n" : !cell.forces_unique ? ", one of many forces\n" : "\n";
    out += cell_text(scenario, instant, cell);
  }
  return out;
}

bool is_instant_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("verdict") && json.contains("problem");
}

std::vector<CheckedVerdict> verify_instant_json(const std::string& text, const std::string& name) {
  const AnswerReader reader(text, name);
  const ConstraintProblem problem = reader.problem();
  const ModeClaim claim = reader.claim(problem);
  std::vector<CheckedVerdict> out;
  if (claim.verdict != Verdict::undecided) {
    out.push_back({fmt::format("verdict {}", to_string(claim.verdict)), verify_modes(problem, claim)});
  }
  if (!claim.cells.empty()) out.push_back({"modes, forces and accelerations", check_solutions(reader, claim)});
  const bool claims_all = reader.read("complete", [&] { return reader.root().value("complete", false); });
  if (claims_all && !out.empty() && claim.verdict != Verdict::undecided) {
    ModeVerification check = out.front().check;
    if (check.holds() && !check.is_list_proved) check = refuted("the tree does not prove that these are all");
    out.push_back({"these are all answers", check});
  }
  return out;
}

}  // namespace thenar
