// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/modes/mode_search.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <stdexcept>

#include "thenar/modes/known_answer_internal.h"
#include "thenar/modes/mode_relaxation_internal.h"
#include "thenar/modes/motion_form_internal.h"

namespace thenar {
namespace {

using internal::AnswerFinder;
using internal::CellPolyhedron;
using internal::kModeZero;
using internal::LargestValue;
using internal::ModeRelaxation;
using internal::MotionForm;
using internal::ScaledProblem;
using SlipKind = FrictionChoice::Kind;
using Effort = MotionForm::Effort;

constexpr const char* kNotProved = "contacts on smooth cones are left whose motion is not proved to be the only one";

/// What to decide next.
struct Question {
  bool on_normal = true;
  int part = -1;
};

class ModeSearch {
 public:
  ModeSearch(const ConstraintProblem& problem, const ModeSearchOptions& options, const std::vector<ModeCell>& known)
      : problem_(problem),
        options_(options),
        parts_(make_mode_parts(problem)),
        scaled_(problem),
        relaxation_(problem, scaled_, parts_) {
    for (const ModeCell& cell : known) add_known(cell);
    if (!has_exact_mode_parts(problem)) finder_.emplace(problem, scaled_, parts_, options.most_generators);
  }

  ModeSearchResult run() {
    choice_.normals.assign(parts_.normals.size(), NormalChoice::undecided);
    choice_.frictions.assign(parts_.frictions.size(), FrictionChoice{});
    sticks_somewhere_.assign(parts_.frictions.size(), 0);
    relaxation_.set(choice_);
    out_.is_complete = true;
    explore(add_node(), Question{}, Cover::none);
    if (!is_proved_) give_up(kNotProved);
    if (!finder_) drop_parts_of_others();
    out_.programs = relaxation_.programs();
    return std::move(out_);
  }

 private:
  int add_node() {
    out_.tree.emplace_back();
    return static_cast<int>(out_.tree.size()) - 1;
  }
  ModeNode& node(int i) { return out_.tree[static_cast<std::size_t>(i)]; }

  void give_up(const std::string& reason) {
    if (out_.is_complete) out_.reason = reason;
    out_.is_complete = false;
  }

  /// Whether there is room for more nodes.
  bool may_go_on() {
    constexpr long long kPeriod = 64;
    const auto count = static_cast<long long>(out_.tree.size());
    if (count > options_.most_nodes) give_up("more than " + std::to_string(options_.most_nodes) + " nodes");
    if (options_.goes_on && count % kPeriod == 0 && !options_.goes_on(count)) give_up("ended from outside");
    if (static_cast<int>(out_.cells.size()) >= options_.most_cells) {
      give_up("more than " + std::to_string(options_.most_cells) + " cells");
    }
    return out_.is_complete;
  }

  /// What must vanish all over a node for a sibling to have its solutions too.
  enum class Cover { none, motion, force, slip };

  /// The relaxation has the bounds of choice_, of which `question` was decided last. Returns whether the node ended as
  /// covered.
  bool explore(int index, const Question& question, Cover cover) {
    if (!may_go_on()) return false;
    const LpStatus status = relaxation_.solve();
    if (status == LpStatus::infeasible) {
      node(index).kind = ModeNode::Kind::empty;
      node(index).y = relaxation_.calc_farkas();
      return false;
    }
    if (status != LpStatus::optimal) {
      give_up("a linear program failed");
      return false;
    }
    const VectorX<double> z = relaxation_.calc_z(), w = relaxation_.calc_w(z);
    if (cover != Cover::none && try_to_cover(index, question, cover, z, w)) return true;
    if (has_known_motion(index, Effort::few)) return false;
    if (const std::optional<Question> next = find_question(z, w)) {
      branch(index, *next);
    } else if (finder_) {
      find_smooth_answer(index, z);
    } else {
      add_cell(index);
    }
    return false;
  }

  void add_known(const ModeCell& cell) {
    known_.push_back({static_cast<int>(out_.cells.size()), MotionForm(problem_, scaled_, cell.z)});
    out_.cells.push_back(cell);
  }

  /// Ends the node if all its solutions have the motion of one that is known.
  bool has_known_motion(int index, Effort effort) {
    for (const Known& known : known_) {
      const auto weights = known.form.find_weights(known.form.find_differences(parts_, choice_), effort);
      if (!weights) continue;
      node(index).kind = ModeNode::Kind::one_motion;
      node(index).y = *weights;
      node(index).cell = known.cell;
      ++solutions_;
      return true;
    }
    return false;
  }

  /// Smooth cones, and everything is decided up to the directions of slips: one motion, or it cannot be told here. The
  /// search goes on for a second motion.
  void find_smooth_answer(int index, const VectorX<double>& z) {
    if (has_known_motion(index, Effort::all)) return;
    const VectorX<double> start = z.cwiseProduct(scaled_.force_unit);
    const auto answer = finder_->find({start.data(), static_cast<std::size_t>(start.size())});
    const auto is_known = [&](const ModeCell& cell) { return finder_->moves_alike(*answer, cell); };
    if (answer && std::none_of(out_.cells.begin(), out_.cells.end(), is_known)) {
      add_known(*answer);
      if (has_known_motion(index, Effort::all)) return;
    }
    is_proved_ = false;
    if (known_.size() > 1) give_up(kNotProved);
  }

  bool try_to_cover(int index, const Question& question, Cover cover, const VectorX<double>& z,
                    const VectorX<double>& w) {
    const std::optional<LargestValue> largest = find_largest(question, cover, z, w);
    if (!largest || !(largest->value <= kModeZero)) return false;
    node(index).kind = ModeNode::Kind::covered;
    node(index).y = largest->y;
    return true;
  }

  /// Nothing if the point (z, w) already shows that it is not 0.
  std::optional<LargestValue> find_largest(const Question& question, Cover cover, const VectorX<double>& z,
                                           const VectorX<double>& w) {
    const auto part = static_cast<std::size_t>(question.part);
    if (cover == Cover::motion) {
      if (w(parts_.normals[part].row) > kModeZero) return std::nullopt;
      return relaxation_.find_largest_motion(question.part, kModeZero);
    }
    if (cover == Cover::force) {
      if (z(parts_.normals[part].row) > kModeZero) return std::nullopt;
      return relaxation_.find_largest_force(question.part, kModeZero);
    }
    const FrictionPart& friction = parts_.frictions[part];
    if (calc_slip(friction, w) > kModeZero) return std::nullopt;
    const std::optional<VectorX<double>> direction = find_cover_direction(friction, choice_.frictions[part]);
    if (!direction) return std::nullopt;
    return relaxation_.find_largest_slip(question.part, *direction, kModeZero);
  }

  /// The part whose law the point of the relaxation breaks most; normals before friction.
  std::optional<Question> find_question(const VectorX<double>& z, const VectorX<double>& w) const {
    std::optional<Question> out;
    double worst = -1;
    const auto offer = [&](bool on_normal, std::size_t part, double violation) {
      if (violation <= worst) return;
      worst = violation;
      out = Question{on_normal, static_cast<int>(part)};
    };
    for (std::size_t p = 0; p < parts_.normals.size(); ++p) {
      const int row = parts_.normals[p].row;
      if (choice_.normals[p] == NormalChoice::undecided) offer(true, p, std::min(std::abs(z(row)), std::abs(w(row))));
    }
    if (out) return out;
    for (std::size_t p = 0; p < parts_.frictions.size(); ++p) {
      const FrictionPart& part = parts_.frictions[p];
      if (is_decided(choice_.frictions[p]) || is_open(part)) continue;
      offer(false, p, calc_violation(part, z, w));
    }
    return out;
  }

  bool is_open(const FrictionPart& part) const {
    return part.normal >= 0 && choice_.normals[static_cast<std::size_t>(part.normal)] == NormalChoice::open;
  }

  static double calc_slip(const FrictionPart& part, const VectorX<double>& w) {
    const VectorX<double> slip = w(part.rows);
    return part.is_interval() ? std::abs(part.motion_axis.dot(slip)) : slip.lpNorm<1>();
  }

  /// The slip, or what the friction could be, whichever is less.
  double calc_violation(const FrictionPart& part, const VectorX<double>& z, const VectorX<double>& w) const {
    double reach = 0;
    for (std::size_t k = 0; k < part.rows.size(); ++k) {
      const int row = part.rows[k];
      const double normal_force =
          part.normal < 0 ? 1 / scaled_.force_unit(row)
                          : z(parts_.normals[static_cast<std::size_t>(part.normal)].row) *
                                scaled_.force_unit(parts_.normals[static_cast<std::size_t>(part.normal)].row) /
                                scaled_.force_unit(row);
      const auto i = static_cast<Eigen::Index>(k);
      reach += normal_force * (part.is_interval() ? part.limit * std::abs(part.motion_axis(i))
                                                  : part.corners.row(i).cwiseAbs().maxCoeff());
    }
    return std::min(calc_slip(part, w), reach);
  }

  void branch(int index, const Question& question) {
    node(index).kind = ModeNode::Kind::branch;
    node(index).on_normal = question.on_normal;
    node(index).part = question.part;
    if (question.on_normal) {
      branch_on_normal(index, question);
    } else {
      branch_on_friction(index, question);
    }
  }

  /// What covers must have solutions: those of a child are in its sibling only to the tolerance, and rounding may leave
  /// none there.
  void branch_on_normal(int index, const Question& question) {
    NormalChoice& choice = choice_.normals[static_cast<std::size_t>(question.part)];
    const auto look = [&](NormalChoice next, int child, Cover cover) {
      choice = next;
      relaxation_.set_normal(question.part, next);
      return explore(child, question, cover);
    };
    const int open = add_child(index);
    const long long before = solutions_;
    const bool is_covered = look(NormalChoice::open, open, Cover::motion);
    const long long between = solutions_;
    look(NormalChoice::held, add_child(index), between > before ? Cover::force : Cover::none);
    if (is_covered && solutions_ == between) {
      node(open) = ModeNode();
      look(NormalChoice::open, open, Cover::none);
    }
    choice = NormalChoice::undecided;
    relaxation_.set_normal(question.part, choice);
  }

  void branch_on_friction(int index, const Question& question) {
    const auto part = static_cast<std::size_t>(question.part);
    FrictionChoice& choice = choice_.frictions[part];
    const FrictionChoice before = choice;
    for (const FrictionChoice& next : split_friction(parts_.frictions[part], before)) {
      choice = next;
      relaxation_.set_friction(question.part, next);
      const bool is_slip = next.kind == SlipKind::slip;
      const long long count = solutions_;
      explore(add_child(index), question, is_slip && sticks_somewhere_[part] ? Cover::slip : Cover::none);
      if (!is_slip) sticks_somewhere_[part] = solutions_ > count;
    }
    choice = before;
    relaxation_.set_friction(question.part, before);
  }

  int add_child(int index) {
    const int child = add_node();
    node(index).children.push_back(child);
    return child;
  }

  void add_cell(int index) {
    node(index).kind = ModeNode::Kind::cell;
    if (auto cell = make_cell(problem_, scaled_, parts_, choice_, options_.most_generators)) {
      node(index).cell = static_cast<int>(out_.cells.size());
      out_.cells.push_back(std::move(*cell));
      ++solutions_;
    }
  }

  /// Cells that are part of others are not listed; the nodes that name them name the others.
  void drop_parts_of_others() {
    const std::size_t count = out_.cells.size();
    std::vector<int> holder(count), place(count, -1);
    std::vector<CellPolyhedron> polyhedra;
    for (const ModeCell& cell : out_.cells) {
      polyhedra.push_back(describe_cell(problem_, scaled_, parts_, cell.choice));
    }
    for (std::size_t i = 0; i < count; ++i) holder[i] = find_holder(i, polyhedra);
    for (const ModeNode& end : out_.tree) {  // their z is part of the proof
      if (end.kind == ModeNode::Kind::one_motion) holder[static_cast<std::size_t>(end.cell)] = end.cell;
    }
    std::vector<ModeCell> kept;
    for (std::size_t i = 0; i < count; ++i) {
      if (holder[i] != static_cast<int>(i)) continue;
      place[i] = static_cast<int>(kept.size());
      kept.push_back(std::move(out_.cells[i]));
    }
    for (ModeNode& end : out_.tree) {
      if (end.cell < 0) continue;
      int i = end.cell;
      while (holder[static_cast<std::size_t>(i)] != i) i = holder[static_cast<std::size_t>(i)];
      end.cell = place[static_cast<std::size_t>(i)];
    }
    out_.cells = std::move(kept);
  }

  /// A cell that has all of cell i: of equal ones the first, so that nobody holds each other.
  int find_holder(std::size_t i, const std::vector<CellPolyhedron>& polyhedra) const {
    for (std::size_t j = 0; j < out_.cells.size(); ++j) {
      if (j == i || !is_part_of(out_.cells[i], scaled_, polyhedra[j])) continue;
      const bool is_mutual = is_part_of(out_.cells[j], scaled_, polyhedra[i]);
      if (!is_mutual || j < i) return static_cast<int>(j);
    }
    return static_cast<int>(i);
  }

  struct Known {
    int cell = 0;
    MotionForm form;
  };

  const ConstraintProblem& problem_;
  const ModeSearchOptions& options_;
  const ModeParts parts_;
  const ScaledProblem scaled_;
  ModeRelaxation relaxation_;
  std::optional<AnswerFinder> finder_;  ///< of smooth cones
  std::deque<Known> known_;
  bool is_proved_ = true;               ///< every end of the tree so far
  long long solutions_ = 0;             ///< ends of the tree with some
  std::vector<char> sticks_somewhere_;  ///< by friction part: in the child of its first branch in which it sticks
  ModeChoice choice_;
  ModeSearchResult out_;
};

void check_numbers(const ConstraintProblem& problem) {
  if (!problem.A().allFinite() || !problem.b().allFinite()) {
    throw std::invalid_argument("search_modes: A or b has a number that is not finite");
  }
}

}  // namespace

ModeSearchResult search_modes(const ConstraintProblem& problem, const ModeSearchOptions& options,
                              const std::vector<ModeCell>& known) {
  check_numbers(problem);
  return ModeSearch(problem, options, known).run();
}

}  // namespace thenar
