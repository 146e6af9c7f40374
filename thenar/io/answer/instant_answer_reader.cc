// SPDX-License-Identifier: BSD-3-Clause
/// Answers in JSON, read back and checked.

#include <algorithm>
#include <cmath>
#include <sstream>

#include "thenar/complementarity/problem_text.h"
#include "thenar/io/answer/instant_answer.h"
#include "thenar/io/answer/json_answer_internal.h"
#include "thenar/io/text/old_words.h"

namespace thenar {
namespace {

using internal::Json;
using Vector = VectorX<double>;
using Kind = ModeNode::Kind;
using Slip = FrictionChoice::Kind;

constexpr const char* kOrigin = "thenar solve --json";
/// Printed numbers are those computed from the cells to this part of their size: the rounding of some sums.
constexpr double kPrintError = 1e-9;
/// Motions that differ by less, relative to the numbers that they are the sum of, are the same.
constexpr double kSameMotion = 1e-7;

class InstantAnswerReader : public internal::JsonAnswer {
 public:
  InstantAnswerReader(const std::string& text, const std::string& name) : JsonAnswer(text, name, kOrigin) {}

  ConstraintProblem problem() const {
    const Json& json = root().at("problem");
    const Json rows = read("problem.rows", [&] { return json.at("rows"); });
    const int n = static_cast<int>(rows.size());
    ConstraintProblem out(n);
    for (int i = 0; i < n; ++i) out.row(i) = row(rows.at(static_cast<std::size_t>(i)));
    out.accuracy = read("problem.accuracy", [&] { return json.value("accuracy", out.accuracy); });
    out.A() = matrix(read("problem.A", [&] { return json.at("A"); }), n, n, "problem.A");
    out.b() = vector(read("problem.b", [&] { return json.at("b"); }), n, "problem.b");
    if (const auto fault = out.find_fault()) fail("'problem': " + *fault);
    return out;
  }

  ModeClaim claim(const ConstraintProblem& problem) const {
    ModeClaim out;
    for (const Json& json : read("cells", [&] { return root().at("cells"); }))
      out.cells.push_back(cell(json, problem.size()));
    const Json certificate = read("certificate", [&] { return root().at("certificate"); });
    if (certificate.contains("y")) {
      out.tree.push_back(end(Kind::empty, certificate));
    } else if (certificate.contains("nodes")) {
      for (const Json& json : certificate.at("nodes")) out.tree.push_back(node(json));
    }
    return out;
  }

  Verdict verdict(const Json& json, const std::string& key) const {
    const auto found = read(key, [&] { return json.at(key).get<std::string>(); });
    const std::string_view word = internal::renew_word(name(), internal::kOldVerdicts, found);
    for (const Verdict verdict :
         {Verdict::unique, Verdict::unique_motion, Verdict::several, Verdict::none, Verdict::undecided}) {
      if (word == to_string(verdict)) return verdict;
    }
    fail(fmt::format("'{}' is '{}', which is none of the verdicts", key, found));
  }

  bool flag(const Json& json, const char* key) const {
    return read(key, [&] { return json.value(key, false); });
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
      out.b_error = json.value("b_error", 0.0);
      out.id = json.value("id", std::uint64_t{0});
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
    const Json span = read("cells.span", [&] { return json.at("span"); });
    out.span.resize(n, static_cast<Eigen::Index>(span.size()));
    Eigen::Index k = 0;
    for (const Json& direction : span) out.span.col(k++) = vector(direction, n, "cells.span");
    return out;
  }

  ContactState contact_state(const std::string& word) const {
    for (const ContactState state : {ContactState::open, ContactState::stick, ContactState::slide}) {
      if (word == to_string(state)) return state;
    }
    fail(fmt::format("'{}' is no state of a contact", word));
  }

  /// An end of the tree with the vector y of its proof.
  ModeNode end(Kind kind, const Json& json) const {
    ModeNode out;
    out.kind = kind;
    const char* const key = json.contains("y") ? "y" : to_string(kind);
    const auto list = read(key, [&] { return json.at(key).get<std::vector<double>>(); });
    out.y = Eigen::Map<const Vector>(list.data(), static_cast<Eigen::Index>(list.size()));
    out.cell = read("certificate.nodes.cell", [&] { return json.value("cell", -1); });
    return out;
  }

  ModeNode node(const Json& json) const {
    for (const Kind kind : {Kind::empty, Kind::covered, Kind::one_motion}) {
      if (json.contains(to_string(kind))) return end(kind, json);
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

/// Checks that what is printed for people, modes, forces and accelerations, are those of the cells.
class SolutionCheck {
 public:
  SolutionCheck(const InstantAnswerReader& reader, const ConstraintProblem& problem, const ModeClaim& claim)
      : reader_(reader), problem_(problem), claim_(claim) {
    const auto n = static_cast<int>(claim.cells.empty() ? 0 : claim.cells.front().z.size());
    const Json& root = reader.root();
    const auto free =
        reader.read("response.free", [&] { return root.at("response").at("free").get<std::vector<double>>(); });
    free_ = Eigen::Map<const Vector>(free.data(), static_cast<Eigen::Index>(free.size()));
    X_ = reader.matrix(reader.read("response.per_force", [&] { return root.at("response").at("per_force"); }),
                       static_cast<int>(free.size()), n, "response.per_force");
  }

  ModeVerification check() const {
    const Json& solutions = reader_.root().at("solutions");
    const bool lists_all = !reader_.root().contains("stick_first");
    if (lists_all && solutions.size() != claim_.cells.size()) {
      return refuted("there are not as many solutions as cells");
    }
    std::size_t k = 0;
    for (const Json& solution : solutions) {
      ++k;
      const auto number = reader_.read("solutions.cell", [&] { return solution.at("cell").get<std::size_t>(); });
      if (number >= claim_.cells.size()) return refuted(fmt::format("solution {} has no cell", k));
      const ModeCell& cell = claim_.cells[number];
      if (!has_modes(solution, cell)) return refuted(fmt::format("solution {}: a mode is not that of its cell", k));
      if (!has_accelerations(solution, cell)) {
        return refuted(fmt::format("solution {}: accelerations do not follow from its forces", k));
      }
      if (!has_forces(solution, cell)) return refuted(fmt::format("solution {}: a force is not that of its cell", k));
      if (!has_internal_forces(solution, cell)) {
        return refuted(fmt::format("solution {}: an internal force is not that of its cell", k));
      }
    }
    return holding();
  }

 private:
  /// Contacts break where their row opens or they have none, and slide where their cell slips; contacts without
  /// friction may slide where it does not.
  bool has_modes(const Json& solution, const ModeCell& cell) const {
    return reader_.read("solutions.modes", [&] {
      const auto rows = reader_.root().at("contact_rows").get<std::vector<int>>();
      const Json& modes = solution.at("modes");
      if (modes.size() != rows.size()) return false;
      std::size_t i = 0;
      for (const Json& word : modes) {
        const auto found = word.get<std::string>();
        const std::string_view mode = internal::renew_word(reader_.name(), internal::kOldNextWords, found);
        if (!fits(mode, rows[i++], cell)) return false;
      }
      return true;
    });
  }

  bool fits(std::string_view mode, int row, const ModeCell& cell) const {
    if (row < 0) return mode == "break";
    if (row >= problem_.size()) return false;
    std::size_t part = 0;
    for (int i = 0; i < row; ++i) {
      const RowKind kind = problem_.row(i).kind;
      part += kind == RowKind::unilateral || kind == RowKind::normal;
    }
    if (part >= cell.states.size()) return false;
    switch (cell.states[part]) {
      case ContactState::open:
        return mode == "break";
      case ContactState::slide:
        return mode == "slide";
      case ContactState::stick:
        break;
    }
    return mode == "roll" || mode == "stick" || (mode == "slide" && problem_.row(row).kind == RowKind::unilateral);
  }

  bool has_accelerations(const Json& solution, const ModeCell& cell) const {
    const Vector vdot = free_ + X_ * cell.z;
    const double size = (free_.cwiseAbs() + X_.cwiseAbs() * cell.z.cwiseAbs()).maxCoeff();
    std::vector<double> stated;
    reader_.read("solutions.accelerations", [&] {
      for (const Json& value : solution.at("accelerations")) {
        if (value.is_number()) {
          stated.push_back(value.get<double>());
        } else {
          for (const Json& part : value) stated.push_back(part.get<double>());
        }
      }
      return 0;
    });
    if (static_cast<Eigen::Index>(stated.size()) != vdot.size()) return false;
    const Eigen::Map<const Vector> numbers(stated.data(), vdot.size());
    return vdot.size() == 0 || (numbers - vdot).cwiseAbs().maxCoeff() <= kPrintError * size;
  }

  /// Forces of dropped directions and of contacts that part are zero; all others have to be found among the cell's.
  bool has_forces(const Json& solution, const ModeCell& cell) const {
    std::vector<double> forces;
    reader_.read("solutions.forces", [&] {
      for (const Json& force : solution.at("forces")) {
        for (const Json& part : force) forces.push_back(part.get<double>());
      }
      return 0;
    });
    const double largest = cell.z.size() > 0 ? cell.z.cwiseAbs().maxCoeff() : 0;
    return std::all_of(forces.begin(), forces.end(), [&](double force) {
      return std::abs(force) <= 1e-12 * largest || (cell.z.array() - force).abs().minCoeff() <= kPrintError * largest;
    });
  }

  bool has_internal_forces(const Json& solution, const ModeCell& cell) const {
    if (!solution.contains("internal_forces")) return cell.forces_unique || !cell.motion_unique;
    return reader_.read("solutions.internal_forces", [&] {
      const Json& directions = solution.at("internal_forces");
      if (static_cast<Eigen::Index>(directions.size()) != cell.span.cols()) return false;
      Eigen::Index k = 0;
      for (const Json& direction : directions) {
        const Vector column = cell.span.col(k++);
        for (const Json& force : direction) {
          for (const Json& part : force) {
            if ((column.array() - part.get<double>()).abs().minCoeff() > kPrintError && part.get<double>() != 0)
              return false;
          }
        }
      }
      return true;
    });
  }

  const InstantAnswerReader& reader_;
  const ConstraintProblem& problem_;
  const ModeClaim& claim_;
  Vector free_;
  MatrixX<double> X_;
};

/// Checks the verdict of the rule for static friction against the cells of the problem (contact_instant.h).
class RuleCheck {
 public:
  RuleCheck(const InstantAnswerReader& reader, const ConstraintProblem& problem, const ModeClaim& claim)
      : reader_(reader), problem_(problem), claim_(claim) {}

  /// `verdict` is that of the rule, `problem_check` the check of the problem's own.
  ModeVerification check(const Json& rule, Verdict verdict, const ModeVerification& problem_check) const {
    if (!reader_.flag(rule, "proved")) return refuted("the rule was not proved, and yet there is a verdict");
    const std::vector<const ModeCell*> kept = find_sticking_cells(rule);
    const std::size_t stated = reader_.read("solutions", [&] { return reader_.root().at("solutions").size(); });
    if (stated != kept.size()) return refuted("the solutions are not the cells in which no held contact slips");
    if (kept.size() == claim_.cells.size()) {
      return verdict == claim_.verdict ? problem_check : refuted("no cell was left out, but the verdict is another");
    }
    if (!problem_check.holds()) return problem_check;
    if (count(kept) != verdict) return refuted("the cells in which no held contact slips say something else");
    if (verdict != Verdict::several && !problem_check.is_list_proved) {
      return refuted("there may be other cells in which no held contact slips");
    }
    return problem_check;
  }

 private:
  std::vector<const ModeCell*> find_sticking_cells(const Json& rule) const {
    const auto held =
        reader_.read("stick_first.held_rows", [&] { return rule.at("held_rows").get<std::vector<int>>(); });
    std::vector<const ModeCell*> out;
    for (const ModeCell& cell : claim_.cells) {
      const bool slips = std::any_of(held.begin(), held.end(), [&](int row) { return slips_at(cell, row); });
      if (!slips) out.push_back(&cell);
    }
    return out;
  }

  /// Told by the motion: a held contact may not slip by more than rounding.
  bool slips_at(const ModeCell& cell, int normal) const {
    if (normal < 0 || normal >= problem_.size() || problem_.row(normal).kind != RowKind::normal) {
      reader_.fail(fmt::format("'stick_first.held_rows' has {}, which is no row of a contact", normal));
    }
    if (cell.w(normal) > kSameMotion * scale(cell) * unit(normal)) return false;
    for (int i = normal + 1; i <= normal + problem_.tangent_count(normal); ++i) {
      if (std::abs(cell.w(i)) > kSameMotion * scale(cell) * unit(i)) return true;
    }
    return false;
  }

  double unit(int i) const { return std::sqrt(std::max(problem_.A()(i, i), 0.0)); }
  /// The numbers that motions are the sum of, over the unit of their rows.
  double scale(const ModeCell& cell) const {
    double out = 0;
    for (int i = 0; i < problem_.size(); ++i) {
      const double load = std::abs(problem_.b()(i)) + problem_.A().row(i).cwiseAbs().dot(cell.z.cwiseAbs());
      if (unit(i) > 0) out = std::max(out, load / unit(i));
    }
    return out;
  }

  Verdict count(const std::vector<const ModeCell*>& cells) const {
    if (cells.empty()) return Verdict::none;
    bool has_one_motion = true;
    for (const ModeCell* cell : cells) {
      has_one_motion = has_one_motion && cell->motion_unique;
      for (int i = 0; i < problem_.size(); ++i) {
        const double difference = std::abs(cell->w(i) - cells.front()->w(i));
        has_one_motion = has_one_motion && difference <= kSameMotion * scale(*cell) * unit(i);
      }
    }
    if (!has_one_motion) return Verdict::several;
    const bool has_one_force = cells.size() == 1 && cells.front()->forces_unique;
    return has_one_force ? Verdict::unique : Verdict::unique_motion;
  }

  const InstantAnswerReader& reader_;
  const ConstraintProblem& problem_;
  const ModeClaim& claim_;
};

/// A problem without rows has one answer.
ModeVerification check_problem(const ConstraintProblem& problem, const ModeClaim& claim) {
  if (problem.size() > 0) return verify_modes(problem, claim);
  if (claim.verdict != Verdict::unique || claim.cells.size() != 1)
    return refuted("without contacts one answer is left");
  ModeVerification out = holding();
  out.is_list_proved = true;
  return out;
}

/// The verdict that the certificate is about, and that of the rule if there is one.
void check_verdict(const InstantAnswerReader& reader, const ConstraintProblem& problem, ModeClaim& claim,
                   std::vector<CheckedVerdict>& out) {
  const Json& root = reader.root();
  const Verdict verdict = reader.verdict(root, "verdict");
  const bool has_rule = root.contains("stick_first");
  claim.verdict = has_rule ? reader.verdict(root.at("stick_first"), "problem_verdict") : verdict;
  if (claim.verdict == Verdict::undecided && verdict != Verdict::undecided) {
    out.push_back({fmt::format("verdict {}", to_string(verdict)), refuted("the problem itself has no verdict")});
    return;
  }
  if (claim.verdict == Verdict::undecided) return;
  const ModeVerification check = check_problem(problem, claim);
  if (!has_rule) {
    out.push_back({fmt::format("verdict {}", to_string(verdict)), check});
    return;
  }
  out.push_back({fmt::format("verdict {} of the problem", to_string(claim.verdict)), check});
  if (verdict == Verdict::undecided) return;
  out.push_back({fmt::format("verdict {} by the rule stick_first", to_string(verdict)),
                 RuleCheck(reader, problem, claim).check(root.at("stick_first"), verdict, check)});
}

/// Whether a text begins as problem_text.h says, after comments.
bool is_problem_text(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string first, second;
    if (!(words >> first)) continue;
    return first == "thenar" && words >> second && second == "constraint";
  }
  return false;
}

}  // namespace

bool is_instant_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("verdict") && json.contains("problem");
}

std::optional<ConstraintProblem> find_problem(const std::string& text, const std::string& name) {
  if (is_problem_text(text)) {
    std::istringstream in(text);
    return read_problem(in, name);
  }
  if (is_instant_json(text)) return InstantAnswerReader(text, name).problem();
  return std::nullopt;
}

std::vector<CheckedVerdict> verify_instant_json(const std::string& text, const std::string& name) {
  const InstantAnswerReader reader(text, name);
  const ConstraintProblem problem = reader.problem();
  ModeClaim claim = reader.claim(problem);
  std::vector<CheckedVerdict> out;
  check_verdict(reader, problem, claim, out);
  const bool claims_all = reader.flag(reader.root(), "complete");
  if (claims_all && !out.empty()) {
    ModeVerification check = out.front().check;
    if (check.holds() && !check.is_list_proved) check = refuted("the tree does not prove that these are all");
    out.push_back({"these are all answers", check});
  }
  if (reader.root().contains("solutions") && !claim.cells.empty()) {
    out.push_back({"modes, forces and accelerations", SolutionCheck(reader, problem, claim).check()});
  }
  return out;
}

}  // namespace thenar
