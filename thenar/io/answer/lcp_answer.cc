// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/answer/lcp_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thenar/io/answer/json_answer_internal.h"

namespace thenar {
namespace {

using internal::Json;
using internal::to_json;
using Vector = VectorX<double>;

// Writing.

Json problem_json(const Lcp& problem) {
  return {{"free", problem.free_count}, {"M", internal::matrix_json(problem.M)}, {"q", to_json(problem.q)}};
}

Json node_json(const ProofNode& node) {
  switch (node.kind) {
    case ProofNode::Kind::branch:
      return {{"row", node.row}, {"z", node.z_child}, {"w", node.w_child}};
    case ProofNode::Kind::cell:
      return {{"cell", node.cell}};
    case ProofNode::Kind::unique:
      return {{"unique", node.basis}, {"cell", node.cell}};
    case ProofNode::Kind::open:
      return {{"open", true}};
    default:
      return {{to_string(node.kind), to_json(node.y)}};
  }
}

Json certificate_json(const LcpAnswer& answer) {
  switch (answer.proof) {
    case LcpProof::none:
      return {{"kind", "none"}};
    case LcpProof::solution:
      return {{"kind", "solution"}};
    case LcpProof::positive_definite:
      return {{"kind", "pd"}};
    case LcpProof::tree:
      break;
  }
  const bool is_farkas = answer.tree.size() == 1 && answer.tree.front().kind == ProofNode::Kind::infeasible;
  if (is_farkas) return {{"kind", "farkas"}, {"y", to_json(answer.tree.front().y)}};
  Json nodes = Json::array();
  for (const ProofNode& node : answer.tree) nodes.push_back(node_json(node));
  return {{"kind", "refuted"}, {"nodes", nodes}};
}

/// Solutions that are vertices of several cells stand once.
class SolutionList {
 public:
  Json add(const std::vector<Vector>& vertices) {
    Json numbers = Json::array();
    for (const Vector& z : vertices) numbers.push_back(find(z));
    return numbers;
  }
  std::vector<Vector> solutions;

 private:
  std::size_t find(const Vector& z) {
    const double same = 1e-9 * (1 + (z.size() > 0 ? z.cwiseAbs().maxCoeff() : 0));
    for (std::size_t k = 0; k < solutions.size(); ++k) {
      if (z.size() == 0 || (solutions[k] - z).cwiseAbs().maxCoeff() <= same) return k;
    }
    solutions.push_back(z);
    return solutions.size() - 1;
  }
};

void add_all_solutions(const LcpAnswer& answer, Json& out) {
  SolutionList list;
  Json cells = Json::array();
  for (const SolutionCell& cell : answer.cells) {
    cells.push_back({{"basis", cell.in_basis},
                     {"vertices", list.add(cell.vertices)},
                     {"rays", to_json(cell.rays)},
                     {"lines", to_json(cell.lines)}});
  }
  out["count"] = to_string(answer.count);
  out["solutions"] = to_json(list.solutions);
  out["cells"] = cells;
}

Json p_json(const PMatrixTest& test) {
  if (test.is_P) return {{"kind", "p"}, {"sure", test.is_sure}, {"minors", test.minors}};
  return {{"kind", "reversed"}, {"sure", test.is_sure}, {"rows", test.rows}, {"x", to_json(test.reversed)}};
}

// Reading.

class LcpAnswerReader : public internal::JsonAnswer {
 public:
  LcpAnswerReader(const std::string& text, const std::string& name) : JsonAnswer(text, name, "thenar lcp --json") {}

  Lcp problem() const {
    const Json& json = root().at("problem");
    Lcp out;
    out.free_count = read("problem.free", [&] { return json.value("free", 0); });
    const auto q = read("problem.q", [&] { return json.at("q").get<std::vector<double>>(); });
    const auto n = static_cast<int>(q.size());
    if (out.free_count < 0 || out.free_count > n) fail("'problem.free' is not a number of rows");
    out.q = Eigen::Map<const Vector>(q.data(), n);
    out.M = matrix(read("problem.M", [&] { return json.at("M"); }), n, n, "problem.M");
    return out;
  }

  std::vector<SolutionCell> cells(int n) const {
    std::vector<SolutionCell> out;
    if (!root().contains("cells")) return out;
    const Json& solutions = root().at("solutions");
    for (const Json& json : root().at("cells")) {
      SolutionCell cell;
      cell.in_basis = read("cells.basis", [&] { return json.at("basis").get<std::vector<bool>>(); });
      for (const auto k : read("cells.vertices", [&] { return json.at("vertices").get<std::vector<std::size_t>>(); })) {
        cell.vertices.push_back(vector(read("solutions", [&] { return solutions.at(k); }), n, "solutions"));
      }
      for (const char* name : {"rays", "lines"}) {
        auto& list = std::string_view(name) == "rays" ? cell.rays : cell.lines;
        for (const Json& direction : read(name, [&] { return json.at(name); })) {
          list.push_back(vector(direction, n, name));
        }
      }
      out.push_back(std::move(cell));
    }
    return out;
  }

  std::vector<ProofNode> tree(int n) const {
    const Json& certificate = root().at("certificate");
    std::vector<ProofNode> out;
    if (certificate.contains("y")) {
      out.push_back(end(ProofNode::Kind::infeasible, certificate.at("y"), n));
      return out;
    }
    for (const Json& json : read("certificate.nodes", [&] { return certificate.at("nodes"); })) {
      out.push_back(node(json, n));
    }
    return out;
  }

 private:
  ProofNode end(ProofNode::Kind kind, const Json& y, int n) const {
    ProofNode out;
    out.kind = kind;
    out.y = vector(y, n, to_string(kind));
    return out;
  }

  ProofNode node(const Json& json, int n) const {
    using ProofKind = ProofNode::Kind;
    for (const ProofKind kind : {ProofKind::infeasible, ProofKind::z_vanishes, ProofKind::w_vanishes}) {
      if (json.contains(to_string(kind))) return end(kind, json.at(to_string(kind)), n);
    }
    ProofNode out;
    read("certificate.nodes", [&] {
      if (json.contains("row")) {
        out.kind = ProofKind::branch;
        out.row = json.at("row").get<int>();
        out.z_child = json.at("z").get<int>();
        out.w_child = json.at("w").get<int>();
      } else if (json.contains("unique")) {
        out.kind = ProofKind::unique;
        out.basis = json.at("unique").get<std::vector<bool>>();
        out.cell = json.at("cell").get<int>();
      } else if (json.contains("cell")) {
        out.kind = ProofKind::cell;
        out.cell = json.at("cell").get<int>();
      }
      return 0;
    });
    return out;
  }
};

/// What the cells amount to.
const char* count_cells(const std::vector<SolutionCell>& cells) {
  if (cells.empty()) return "none";
  return cells.size() == 1 && cells.front().is_point() ? "unique" : "several";
}

Verification refuted_claim(const std::string& reason) { return {Verification::Result::refuted, reason, 0, 0}; }

CheckedClaim check_solution(const LcpAnswerReader& reader, const Lcp& problem) {
  const Vector z = reader.vector(reader.root().at("z"), problem.size(), "z");
  Verification check = verify_solution(problem, z, 1e-7);
  const double stated = reader.read("residual", [&] { return reader.root().value("residual", 0.0); });
  const double found = calc_residual(problem, {z.data(), static_cast<std::size_t>(z.size())});
  // Solvers may state a bound of it, never less than it is.
  if (check.holds() && !(found <= stated + 1e-12)) check = refuted_claim(fmt::format("the residual is {:.3g}", found));
  return {"z is a solution", check};
}

CheckedClaim check_certificate(const LcpAnswerReader& reader, const Lcp& problem) {
  const Json& root = reader.root();
  const auto kind =
      reader.read("certificate.kind", [&] { return root.at("certificate").at("kind").get<std::string>(); });
  if (kind == "pd") return {"M is positive definite: one solution for every q", verify_positive_definite(problem.M)};
  const std::vector<SolutionCell> cells = reader.cells(problem.size());
  Verification check = verify_all_solutions(problem, cells, reader.tree(problem.size()));
  const std::string stated = root.contains("count") ? root.at("count").get<std::string>() : "none";
  if (check.holds() && stated != count_cells(cells)) check = refuted_claim("the count is not that of the cells");
  return {cells.empty() ? "there is no solution" : "there are no solutions but those listed", check};
}

CheckedClaim check_p(const LcpAnswerReader& reader, const Lcp& problem) {
  const Json& root = reader.root();
  const bool claims_P = reader.read("p_matrix", [&] { return root.at("p_matrix").get<bool>(); });
  if (claims_P) return {"M is a P-matrix", verify_p_matrix(problem.M)};
  const Vector x = reader.vector(reader.read("p_certificate.x", [&] { return root.at("p_certificate").at("x"); }),
                                 problem.size(), "p_certificate.x");
  return {"M is not a P-matrix", verify_not_p_matrix(problem.M, x)};
}

// Text for people.

std::string row_text(const char* name, const Vector& x) {
  // What rounding leaves of a zero is a zero.
  const double nothing = 1e-14 * (1 + (x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0));
  std::string out = fmt::format("  {}", name);
  for (const double value : x) out += fmt::format(" {:>12.6g}", std::abs(value) <= nothing ? 0.0 : value);
  return out + "\n";
}

std::string count_text(const LcpAnswer& answer) {
  switch (answer.count) {
    case SolutionCount::none:
      return "There is no solution.\n";
    case SolutionCount::unique:
      return "This is the only solution.\n";
    case SolutionCount::several:
      return fmt::format("There are {}.\n", answer.cells.size() == 1
                                                ? std::string("infinitely many solutions, in one cell")
                                                : fmt::format("several solutions, in {} cells", answer.cells.size()));
    case SolutionCount::undecided:
      return fmt::format("Whether there are others is undecided: {}.\n", answer.reason);
  }
  return "";
}

std::string cell_text(const Lcp& problem, const SolutionCell& cell, std::size_t number) {
  std::string out = fmt::format("\nCell {}", number + 1);
  if (cell.is_point()) {
    out += ", a point\n";
  } else {
    out += fmt::format(": {} vert{}, {} ray{}, {} line{}\n", cell.vertices.size(),
                       cell.vertices.size() == 1 ? "ex" : "ices", cell.rays.size(), cell.rays.size() == 1 ? "" : "s",
                       cell.lines.size(), cell.lines.size() == 1 ? "" : "s");
  }
  for (const Vector& z : cell.vertices) {
    out += row_text("z", z);
    out += row_text("w", problem.M * z + problem.q);
  }
  for (const Vector& z : cell.rays) out += row_text("ray ", z);
  for (const Vector& z : cell.lines) out += row_text("line", z);
  return out;
}

const char* proof_text(LcpProof proof) {
  switch (proof) {
    case LcpProof::positive_definite:
      return "Proof: M is positive definite.\n";
    case LcpProof::tree:
      return "Proof: a tree of Farkas vectors; --json prints it, 'thenar verify' checks it.\n";
    default:
      return "";
  }
}

}  // namespace

std::string lcp_json(const LcpReport& report) {
  const LcpAnswer& answer = report.answer;
  Json out;
  out["status"] = to_string(answer.status);
  if (answer.status == LcpStatus::solved) {
    out["z"] = to_json(answer.z);
    out["residual"] = answer.residual;
  }
  if (!answer.reason.empty()) out["reason"] = answer.reason;
  if (report.lists_all) add_all_solutions(answer, out);
  if (report.p_test) {
    out["p_matrix"] = report.p_test->is_P;
    out["p_certificate"] = p_json(*report.p_test);
  }
  out["certificate"] = certificate_json(answer);
  out["problem"] = problem_json(report.problem);
  return out.dump() + "\n";
}

std::string lcp_text(const LcpReport& report) {
  const LcpAnswer& answer = report.answer;
  std::string out;
  switch (answer.status) {
    case LcpStatus::solved:
      out =
          fmt::format("Solved, residual {:.1e} ({} pivots, {} nodes)\n", answer.residual, answer.pivots, answer.nodes);
      if (!report.lists_all || answer.cells.empty()) {
        out += row_text("z", answer.z);
        out += row_text("w", report.problem.M * answer.z + report.problem.q);
      }
      break;
    case LcpStatus::infeasible:
      out = fmt::format("Infeasible ({} node{})\n", answer.nodes, answer.nodes == 1 ? "" : "s");
      break;
    case LcpStatus::unsolved:
      out = fmt::format("Unsolved: {} ({} pivots, {} nodes)\n", answer.reason, answer.pivots, answer.nodes);
      break;
  }
  if (report.lists_all || answer.status == LcpStatus::infeasible) out += count_text(answer) + proof_text(answer.proof);
  if (report.lists_all) {
    for (std::size_t k = 0; k < answer.cells.size(); ++k) out += cell_text(report.problem, answer.cells[k], k);
  }
  if (!report.p_test) return out;
  const PMatrixTest& test = *report.p_test;
  out += test.is_P
             ? "\nM is a P-matrix: one solution for every q"
             : fmt::format("\nM is not a P-matrix: the minor of rows {} is not positive", fmt::join(test.rows, ", "));
  out += test.is_sure ? "\n" : ", but rounding could turn this around\n";
  if (!test.is_P) out += "No row of M x has the sign of x, for\n" + row_text("x", test.reversed);
  return out;
}

std::vector<CheckedClaim> verify_lcp_json(const std::string& text, const std::string& name) {
  const LcpAnswerReader reader(text, name);
  const Lcp problem = reader.problem();
  const Json& root = reader.root();
  if (!problem.M.allFinite() || !problem.q.allFinite()) reader.fail("'problem' has numbers that are not finite");
  const auto status = reader.read("status", [&] { return root.at("status").get<std::string>(); });
  const auto kind = reader.read("certificate", [&] { return root.at("certificate").at("kind").get<std::string>(); });
  std::vector<CheckedClaim> out;
  if (status == "solved") {
    if (!root.contains("z")) reader.fail("'z' is missing");
    out.push_back(check_solution(reader, problem));
  }
  const bool claims_all = kind == "pd" || kind == "farkas" || kind == "refuted";
  if (claims_all) out.push_back(check_certificate(reader, problem));
  if (status == "infeasible" && !claims_all) {
    out.push_back({"there is no solution", refuted_claim("the answer has no certificate for it")});
  }
  if (root.contains("p_matrix")) out.push_back(check_p(reader, problem));
  return out;
}

}  // namespace thenar
