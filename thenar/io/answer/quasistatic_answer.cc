// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/answer/quasistatic_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "thenar/io/answer/json_answer_internal.h"
#include "thenar/quasistatic/quasistatic_verify.h"

namespace thenar {
namespace {

using internal::Json;
using internal::to_json;
using Vector = VectorX<double>;
using NodeKind = QuasistaticNode::Kind;

constexpr std::array<const char*, 2> kTouchChildren = {"break", "touch"};
constexpr std::array<const char*, 3> kModeChildren = {"slide+", "slide-", "roll"};

// Writing.

std::vector<int> find_alpha(const QuasistaticProblem& problem) {
  std::vector<int> out;
  for (int j = 0; j < problem.joint_count(); ++j) {
    if (problem.is_position_controlled[static_cast<std::size_t>(j)]) out.push_back(j + 1);
  }
  return out;
}

Json problem_json(const QuasistaticFile& file) {
  const QuasistaticProblem& problem = file.problem;
  Json out = {{"name", file.name},
              {"n_c", problem.contact_count()},
              {"n_q", problem.object_freedoms()},
              {"n_theta", problem.joint_count()},
              {"W_n", internal::matrix_json(problem.W_n)},
              {"W_t", internal::matrix_json(problem.W_t)},
              {"J_n", internal::matrix_json(problem.J_n)},
              {"J_t", internal::matrix_json(problem.J_t)},
              {"alpha", find_alpha(problem)},
              {"theta_dot", to_json(problem.theta_dot)},
              {"tau", to_json(problem.tau)},
              {"g_obj", to_json(problem.g_obj)},
              {"g_man", to_json(problem.g_man)},
              {"mu", to_json(problem.mu)}};
  if (problem.is_spatial()) {
    out["W_u"] = internal::matrix_json(problem.W_u);
    out["J_u"] = internal::matrix_json(problem.J_u);
    out["sides"] = problem.sides;
  }
  return out;
}

Json solution_json(const QuasistaticSolution& solution) {
  Json modes = Json::array();
  for (const QuasistaticMode mode : solution.modes) modes.push_back(to_string(mode));
  Json out = {{"modes", modes},
              {"q_dot", to_json(solution.q_dot)},
              {"theta_dot", to_json(solution.theta_dot)},
              {"tau", to_json(solution.tau)},
              {"c_n", to_json(solution.c_n)},
              {"c_t", to_json(solution.c_t)},
              {"velocity_unique", solution.velocity_unique},
              {"forces_unique", solution.forces_unique}};
  if (solution.c_u.size() == 0 && solution.sectors.empty()) return out;
  out["sectors"] = solution.sectors;
  out["c_u"] = to_json(solution.c_u);
  return out;
}

/// Most of the numbers are zero: those that are not, with their places.
Json sparse_json(const Vector& y) {
  Json out = Json::array();
  for (int k = 0; k < y.size(); ++k) {
    if (y(k) != 0) out.push_back({k, y(k)});
  }
  return out;
}

template <class Names>
Json branch_json(const QuasistaticNode& node, const Names& names) {
  Json out = {{"contact", node.contact}};
  for (std::size_t c = 0; c < names.size(); ++c) out[names[c]] = node.children[c];
  return out;
}

Json node_json(const QuasistaticNode& node, bool is_spatial) {
  switch (node.kind) {
    case NodeKind::touch_branch:
      return branch_json(node, kTouchChildren);
    case NodeKind::mode_branch:
      if (is_spatial) return {{"contact", node.contact}, {"modes", node.children}};
      return branch_json(node, kModeChildren);
    case NodeKind::no_motion:
      return {{"no_motion", sparse_json(node.y)}};
    case NodeKind::no_forces:
      return {{"no_forces", sparse_json(node.y)}};
    case NodeKind::solution:
      return {{"solution", node.solution}};
    case NodeKind::open:
      break;
  }
  return {{"open", true}};
}

Json certificate_json(const QuasistaticAnswer& answer, bool is_spatial) {
  if (!answer.is_list_complete) {
    return {{"kind", answer.verdict == QuasistaticVerdict::several ? "solutions" : "none"}};
  }
  const bool is_single = answer.tree.size() == 1;
  Json nodes = Json::array();
  for (const QuasistaticNode& node : answer.tree) nodes.push_back(node_json(node, is_spatial));
  return {{"kind", is_single ? "farkas" : "refuted"}, {"nodes", nodes}};
}

// Reading.

class QuasistaticAnswerReader : public internal::JsonAnswer {
 public:
  QuasistaticAnswerReader(const std::string& text, const std::string& name)
      : JsonAnswer(text, name, "thenar quasistatic --json") {}

  QuasistaticProblem problem() const {
    const Json& json = root().at("problem");
    const auto size = [&](const char* key) {
      const int value = read(key, [&] { return json.at(key).get<int>(); });
      if (value < 0 || value > 100'000) fail(fmt::format("'problem.{}' is out of range", key));
      return value;
    };
    const int n = size("n_c"), freedoms = size("n_q"), joints = size("n_theta");
    const auto numbers = [&](const char* key, int count) {
      return vector(read(key, [&] { return json.at(key); }), count, key);
    };
    const auto rows = [&](const char* key, int row_count, int columns) {
      return matrix(read(key, [&] { return json.at(key); }), row_count, columns, key);
    };
    QuasistaticProblem out;
    out.W_n = rows("W_n", freedoms, n);
    out.W_t = rows("W_t", freedoms, n);
    out.J_n = rows("J_n", n, joints);
    out.J_t = rows("J_t", n, joints);
    out.theta_dot = numbers("theta_dot", joints);
    out.tau = numbers("tau", joints);
    out.g_obj = numbers("g_obj", freedoms);
    out.g_man = numbers("g_man", joints);
    out.mu = numbers("mu", n);
    if (json.contains("sides")) {
      out.sides = size("sides");
      out.W_u = rows("W_u", freedoms, n);
      out.J_u = rows("J_u", n, joints);
    }
    out.is_position_controlled.assign(static_cast<std::size_t>(joints), false);
    for (const int joint : read("alpha", [&] { return json.at("alpha").get<std::vector<int>>(); })) {
      if (joint < 1 || joint > joints) fail("'problem.alpha' names a joint that is not there");
      out.is_position_controlled[static_cast<std::size_t>(joint - 1)] = true;
    }
    return out;
  }

  QuasistaticClaim claim(const QuasistaticProblem& problem) const {
    QuasistaticClaim out;
    out.verdict = verdict();
    for (const Json& json : read("solutions", [&] { return root().at("solutions"); })) {
      out.solutions.push_back(solution(json, problem));
    }
    out.is_list_complete = read("complete", [&] { return root().at("complete").get<bool>(); });
    const Json certificate = read("certificate", [&] { return root().at("certificate"); });
    if (!certificate.is_object() || !certificate.contains("nodes")) return out;
    for (const Json& json : read("certificate.nodes", [&] { return certificate.at("nodes"); })) {
      out.tree.push_back(read("certificate.nodes", [&] { return node(json, problem); }));
    }
    return out;
  }

 private:
  QuasistaticVerdict verdict() const {
    const auto text = read("verdict", [&] { return root().at("verdict").get<std::string>(); });
    for (const auto verdict : {QuasistaticVerdict::unique, QuasistaticVerdict::several, QuasistaticVerdict::none,
                               QuasistaticVerdict::undecided}) {
      if (text == to_string(verdict)) return verdict;
    }
    fail(fmt::format("'verdict' is '{}', expected unique, several, none or undecided", text));
  }

  QuasistaticSolution solution(const Json& json, const QuasistaticProblem& problem) const {
    QuasistaticSolution out;
    const int n = problem.contact_count(), joints = problem.joint_count();
    const auto numbers = [&](const char* key, int count) {
      return vector(read(key, [&] { return json.at(key); }), count, key);
    };
    for (const auto& word : read("modes", [&] { return json.at("modes").get<std::vector<std::string>>(); })) {
      const auto mode = std::find_if(std::begin(kQuasistaticModes), std::end(kQuasistaticModes),
                                     [&](QuasistaticMode candidate) { return word == to_string(candidate); });
      if (mode == std::end(kQuasistaticModes))
        fail(fmt::format("'modes' has '{}', expected roll, break, slide+ or slide- (in space slide)", word));
      out.modes.push_back(*mode);
    }
    if (static_cast<int>(out.modes.size()) != n)
      fail(fmt::format("'modes' has {} words, expected {}", out.modes.size(), n));
    out.q_dot = numbers("q_dot", problem.object_freedoms());
    out.theta_dot = numbers("theta_dot", joints);
    out.tau = numbers("tau", joints);
    out.c_n = numbers("c_n", n);
    out.c_t = numbers("c_t", n);
    if (problem.is_spatial()) {
      out.c_u = numbers("c_u", n);
      out.sectors = read("sectors", [&] { return json.at("sectors").get<std::vector<int>>(); });
      const bool fits = static_cast<int>(out.sectors.size()) == n &&
                        std::all_of(out.sectors.begin(), out.sectors.end(),
                                    [&](int sector) { return sector >= -1 && sector < 2 * problem.sides; });
      if (!fits) fail(fmt::format("'sectors' expects {} numbers from -1 to {}", n, 2 * problem.sides - 1));
    }
    out.velocity_unique = read("velocity_unique", [&] { return json.at("velocity_unique").get<bool>(); });
    out.forces_unique = read("forces_unique", [&] { return json.at("forces_unique").get<bool>(); });
    return out;
  }

  Vector sparse(const Json& json, Eigen::Index size) const {
    Vector out = Vector::Zero(size);
    for (const Json& entry : json) {
      const int place = entry.at(0).get<int>();
      if (place < 0 || place >= size) fail("'certificate.nodes' has a number for a row that is not there");
      out(place) = entry.at(1).get<double>();
    }
    return out;
  }

  QuasistaticNode node(const Json& json, const QuasistaticProblem& problem) const {
    QuasistaticNode out;
    if (json.contains("contact")) {
      const bool is_touch = json.contains("touch");
      out.kind = is_touch ? NodeKind::touch_branch : NodeKind::mode_branch;
      out.contact = json.at("contact").get<int>();
      if (json.contains("modes")) {
        out.children = json.at("modes").get<std::vector<int>>();
      } else if (is_touch) {
        for (const char* key : kTouchChildren) out.children.push_back(json.at(key).get<int>());
      } else {
        for (const char* key : kModeChildren) out.children.push_back(json.at(key).get<int>());
      }
    } else if (json.contains("no_motion")) {
      out.kind = NodeKind::no_motion;
      const int sides = problem.sides, slips = sides == 0 ? 1 : (sides % 2 == 0 ? sides / 2 : sides);
      out.y = sparse(json.at("no_motion"), (1 + slips) * problem.contact_count());
    } else if (json.contains("no_forces")) {
      out.kind = NodeKind::no_forces;
      out.y = sparse(json.at("no_forces"),
                     problem.object_freedoms() + static_cast<Eigen::Index>(problem.effort_joints().size()));
    } else if (json.contains("solution")) {
      out.kind = NodeKind::solution;
      out.solution = json.at("solution").get<int>();
    }
    return out;
  }
};

// Text for people.

std::string entries_text(const char* name, const Vector& x) {
  // What rounding leaves of a zero is a zero.
  const double nothing = 1e-14 * (1 + (x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0));
  std::string out = fmt::format("  {:<10}", name);
  for (const double value : x) out += fmt::format(" {:>12.6g}", std::abs(value) <= nothing ? 0.0 : value);
  return out + "\n";
}

std::string verdict_text(const QuasistaticAnswer& answer) {
  const std::size_t count = answer.solutions.size();
  switch (answer.verdict) {
    case QuasistaticVerdict::none:
      return "none: it jams. No motion and forces go together.\n";
    case QuasistaticVerdict::unique:
      return "unique: there is one motion.\n";
    case QuasistaticVerdict::several:
      return answer.is_list_complete
                 ? fmt::format("several: {} list{} of modes, all given below.\n", count, count == 1 ? "" : "s")
                 : fmt::format("several: {} list{} of modes found; --all looks for every one ({}).\n", count,
                               count == 1 ? "" : "s", answer.reason);
    case QuasistaticVerdict::undecided:
      break;
  }
  return fmt::format("undecided: {}; {} found so far.\n", answer.reason,
                     count == 0 ? "no solution" : fmt::format("{} solution{}", count, count == 1 ? "" : "s"));
}

std::string work_text(const QuasistaticAnswer& answer) {
  std::string out =
      fmt::format("{} pairs of extreme points tried ({}), {} nodes with {} linear programs searched\n",
                  answer.pairs.pairs, to_string(answer.pairs.status), answer.tree.size(), answer.programs);
  if (answer.is_list_complete) out += "Proof: a tree over modes; --json prints it, 'thenar verify' checks it.\n";
  return out;
}

std::string solution_text(const QuasistaticSolution& solution, std::size_t number) {
  std::string out = fmt::format("\nSolution {}\n  {:<10}", number + 1, "modes");
  for (const QuasistaticMode mode : solution.modes) out += fmt::format(" {:>12}", to_string(mode));
  if (!solution.sectors.empty()) {
    out += fmt::format("\n  {:<10}", "sectors");
    for (const int sector : solution.sectors) out += fmt::format(" {:>12}", sector < 0 ? "" : std::to_string(sector));
  }
  out += "\n" + entries_text("c_n", solution.c_n) + entries_text("c_t", solution.c_t);
  if (solution.c_u.size() > 0) out += entries_text("c_u", solution.c_u);
  out += entries_text("q_dot", solution.q_dot);
  out += entries_text("theta_dot", solution.theta_dot) + entries_text("tau", solution.tau);
  if (!solution.velocity_unique) out += "  other velocities have these modes too\n";
  if (!solution.forces_unique) out += "  forces can be shared in other ways: these are some of them\n";
  return out;
}

const char* claim_text(const QuasistaticClaim& claim) {
  switch (claim.verdict) {
    case QuasistaticVerdict::none:
      return "there is no solution";
    case QuasistaticVerdict::unique:
      return "the solution is the only one";
    case QuasistaticVerdict::several:
      return claim.is_list_complete ? "there are no solutions but those listed" : "there are several solutions";
    case QuasistaticVerdict::undecided:
      break;
  }
  return "what is listed are solutions";
}

}  // namespace

std::string quasistatic_json(const QuasistaticFile& file, const QuasistaticAnswer& answer) {
  Json out;
  out["verdict"] = to_string(answer.verdict);
  out["complete"] = answer.is_list_complete;
  if (!answer.reason.empty()) out["reason"] = answer.reason;
  out["pairs_tried"] = answer.pairs.pairs;
  out["pairs_status"] = to_string(answer.pairs.status);
  out["nodes"] = answer.tree.size();
  out["programs"] = answer.programs + answer.pairs.programs;
  out["solutions"] = Json::array();
  for (const QuasistaticSolution& solution : answer.solutions) out["solutions"].push_back(solution_json(solution));
  if (!file.joints.empty() || !file.objects.empty()) {
    out["names"] = {{"contacts", file.contacts}, {"q_dot", file.objects}, {"theta_dot", file.joints}};
  }
  out["certificate"] = certificate_json(answer, file.problem.is_spatial());
  out["problem"] = problem_json(file);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string quasistatic_text(const QuasistaticFile& file, const QuasistaticAnswer& answer) {
  std::string out = fmt::format("{}: {}", file.name, verdict_text(answer)) + work_text(answer);
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) out += fmt::format("{}: {}\n", what, fmt::join(names, ", "));
  };
  list("contacts", file.contacts);
  list("object velocities", file.objects);
  list("joints", file.joints);
  for (std::size_t k = 0; k < answer.solutions.size(); ++k) out += solution_text(answer.solutions[k], k);
  return out;
}

bool is_quasistatic_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("pairs_tried");
}

std::vector<CheckedClaim> verify_quasistatic_json(const std::string& text, const std::string& name) {
  const QuasistaticAnswerReader reader(text, name);
  const QuasistaticProblem problem = reader.problem();
  try {
    problem.check();
  } catch (const std::invalid_argument& error) {
    reader.fail(error.what());
  }
  const QuasistaticClaim claim = reader.claim(problem);
  if (claim.verdict == QuasistaticVerdict::undecided && claim.solutions.empty() && !claim.is_list_complete) return {};
  return {{claim_text(claim), verify_quasistatic(problem, claim)}};
}

}  // namespace thenar
