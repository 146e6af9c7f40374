// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

#include "thenar/base/text.h"
#include "thenar/io/scenario/constraint_reader_internal.h"

namespace thenar::internal {
namespace {

/// The word for a bound that is not there.
constexpr const char* kNoBound = "none";

std::string dof_name(const NamedJoint& joint, int i) {
  return velocity_count(joint.kind) == 1 ? joint.name : fmt::format("{}.{}", joint.name, i);
}

/// "1 degree of freedom" or "3 degrees of freedom".
std::string count_dofs(int count) { return fmt::format("{} degree{} of freedom", count, count == 1 ? "" : "s"); }

/// Whether a variable occurs in the text of an expression: a word of its own that is neither called nor a $parameter.
bool occurs(std::string_view variable, std::string_view text) {
  for (std::size_t at = text.find(variable); at != std::string_view::npos; at = text.find(variable, at + 1)) {
    const std::size_t end = at + variable.size();
    const bool starts = at == 0 || !(is_word_character(text[at - 1]) || text[at - 1] == '$');
    const bool ends = end == text.size() || !is_word_character(text[end]);
    if (starts && ends && !trim(text.substr(end)).starts_with('(')) return true;
  }
  return false;
}

/// The names that expressions may use, and the degrees of freedom whose coordinates they stand for.
struct Variables {
  std::vector<std::string> names;
  std::vector<int> dofs;
};

/// The coordinates of one hand by name, and functions of them.
class Coordinates {
 public:
  Coordinates(const std::vector<NamedJoint>& joints, const Parameters& parameters)
      : joints_(joints), parameters_(parameters) {
    for (const NamedJoint& joint : joints) by_name_.emplace(joint.name, &joint);
  }

  const Parameters& parameters() const { return parameters_; }

  struct Found {
    const NamedJoint* joint;
    int i;  ///< among the degrees of freedom of the joint

    int dof() const { return joint->first_dof + i; }
    std::string name() const { return dof_name(*joint, i); }
    Dimension dimension() const { return is_angular(joint->kind, i) ? kAngle : kLength; }
  };

  /// A coordinate named `pip`, or `mcp.1` for one of several degrees of freedom.
  Found find(const Field& field) const {
    const std::string word = read::text(field);
    const std::size_t dot = word.find('.');
    if (const auto found = by_name_.find(word.substr(0, dot)); found != by_name_.end()) {
      const NamedJoint& joint = *found->second;
      const auto number = dot == std::string::npos ? std::nullopt : std::optional(word.substr(dot + 1));
      return {&joint, find_entry(field, joint, number)};
    }
    std::vector<std::string> names;
    for (const NamedJoint& joint : joints_) {
      for (int i = 0; i < velocity_count(joint.kind); ++i) {
        if (has_coordinate(joint.kind, i)) names.push_back(dof_name(joint, i));
      }
    }
    field.fail(
        fmt::format("is {}, which is not a joint of this hand{}", quote(word), list_known(word, names, "joints")));
  }

  /// The variables of `with`.
  Variables read_variables(const std::optional<Field>& with) const {
    Variables out;
    if (!with) return out;
    for (const NamedField& entry : read::entries(*with)) {
      if (!is_word(entry.name)) {
        throw InputError(entry.mark, fmt::format("{} is no name for a variable; use letters, digits and _, and no "
                                                 "digit first",
                                                 quote(entry.name)));
      }
      out.names.push_back(entry.name);
      out.dofs.push_back(find(entry.value).dof());
    }
    return out;
  }

  /// A number of the dimension of `owner`, or a smooth function of the variables. It may not depend on the coordinate
  /// that it is about.
  CoordinateFunction read_function(const Field& field, const Found& owner, const Variables& with) const {
    const Dimension dimension = owner.dimension();
    CoordinateFunction out{read::time_function(field, with.names, dimension, parameters_), {}};
    if (out.value.is_constant()) return out;
    if (!out.value.is_smooth()) {
      field.fail(
          fmt::format("is {}, which has jumps or kinks: leave out comparisons, abs, sign, floor, ceil, round, step, "
                      "min, max, mod, clamp and pulse; blend(x, x0, x1) passes smoothly from 0 to 1 and sqrt(x^2 + "
                      "0.01^2) is a smooth abs(x)",
                      quote(trim(field.node().scalar))));
    }
    Variables used;
    for (std::size_t k = 0; k < with.names.size(); ++k) {
      if (!occurs(with.names[k], field.node().scalar)) continue;
      if (with.dofs[k] == owner.dof()) {
        field.fail(fmt::format("cannot depend on '{}' itself, as it does by way of '{}'", owner.name(), with.names[k]));
      }
      used.names.push_back(with.names[k]);
      used.dofs.push_back(with.dofs[k]);
    }
    return {read::time_function(field, used.names, dimension, parameters_), used.dofs};
  }

 private:
  /// Which degree of freedom of the joint is meant by the number after the dot, if there is one.
  static int find_entry(const Field& field, const NamedJoint& joint, const std::optional<std::string>& number) {
    const int count = velocity_count(joint.kind);
    const std::string written = quote(read::text(field));
    if (count == 0) field.fail(fmt::format("is {}, a fixed joint, which has no coordinate", written));
    if (joint.kind == JointKind::spherical) {
      field.fail(fmt::format("is {}, a spherical joint, whose rotation has no coordinates to name", written));
    }
    if (!number && count > 1) {
      field.fail(fmt::format("is {}, which has {}: choose one of '{}' to '{}'", written, count_dofs(count),
                             dof_name(joint, 0), dof_name(joint, count - 1)));
    }
    const bool is_digits = number && number->size() == 1 && is_digit(number->front());
    const int i = !number ? 0 : is_digits ? number->front() - '0' : count;
    if (i >= count) {
      field.fail(fmt::format("is {}, but joint '{}' has {}, numbered from 0", written, joint.name, count_dofs(count)));
    }
    if (!has_coordinate(joint.kind, i)) {
      field.fail(fmt::format("is {}, a rotation in space, which has no coordinate of its own", written));
    }
    return i;
  }

  const std::vector<NamedJoint>& joints_;
  std::unordered_map<std::string, const NamedJoint*> by_name_;
  const Parameters& parameters_;
};

/// A bound and where it stands.
struct Bound {
  CoordinateFunction function;
  Field field;
};
using Bounds = std::vector<std::optional<Bound>>;  // One entry per degree of freedom.

/// The `limits` of one joint.
class LimitReader {
 public:
  LimitReader(const NamedJoint& joint, const Coordinates& coordinates, ModelBuilder& builder, AddedBodies& added)
      : joint_(joint),
        count_(velocity_count(joint.kind)),
        coordinates_(coordinates),
        builder_(builder),
        added_(added) {}

  void read(const Field& field) {
    if (count_ == 0) field.fail("is not possible: the joint is fixed");
    if (joint_.kind == JointKind::spherical) {
      field.fail(
          "is not possible: the rotation of a spherical joint has no angles to limit; use a universal joint, or "
          "hinges in a row");
    }
    if (field.node().is_scalar()) {
      field.fail(fmt::format("expects [lower, upper] or {{lower: .., upper: ..}}, found {}", describe(field.node())));
    }
    if (field.node().is_sequence()) {
      read_pair(field);
    } else {
      read_mapping(field);
    }
  }

 private:
  /// [lower, upper]
  void read_pair(const Field& field) {
    if (count_ > 1) {
      field.fail(
          fmt::format("expects {{lower: [..], upper: [..]}} with one entry per degree of freedom, since the "
                      "joint has {}, found {}",
                      count_, describe(field.node())));
    }
    const std::vector<Field> items = read::items(field);
    if (items.size() != 2) field.fail(fmt::format("expects [lower, upper], found {} entries", items.size()));
    add(field, {read_bound(items[0], 0, {})}, {read_bound(items[1], 0, {})}, VectorX<double>::Zero(1));
  }

  /// {lower: .., upper: .., restitution: .., with: ..}
  void read_mapping(const Field& field) {
    MapReader reader(field);
    const auto lower = reader.optional("lower"), upper = reader.optional("upper"),
               restitution = reader.optional("restitution"), with = reader.optional("with");
    reader.finish();
    const Variables variables = coordinates_.read_variables(with);
    const VectorX<double> e = restitution ? read_restitution(*restitution, joint_.kind, coordinates_.parameters())
                                          : VectorX<double>::Zero(count_);
    add(field, read_bounds(lower, variables), read_bounds(upper, variables), e);
  }

  Bounds read_bounds(const std::optional<Field>& field, const Variables& with) const {
    Bounds out(static_cast<std::size_t>(count_));
    if (!field) return out;
    const bool is_list = field->node().is_sequence();
    const std::vector<Field> entries = is_list ? read::items(*field) : std::vector<Field>{*field};
    if (static_cast<int>(entries.size()) != count_) {
      field->fail(fmt::format("expects {} entr{}, one per degree of freedom, found {}", count_,
                              count_ == 1 ? "y" : "ies",
                              is_list ? fmt::format("{}", entries.size()) : describe(field->node())));
    }
    for (int i = 0; i < count_; ++i) {
      out[static_cast<std::size_t>(i)] = read_bound(entries[static_cast<std::size_t>(i)], i, with);
    }
    return out;
  }

  std::optional<Bound> read_bound(const Field& field, int i, const Variables& with) const {
    if (field.node().is_scalar() && trim(field.node().scalar) == kNoBound) return std::nullopt;
    if (!has_coordinate(joint_.kind, i)) {
      field.fail(fmt::format("is for '{}', a rotation in space, which has no angle to limit; write {}",
                             dof_name(joint_, i), kNoBound));
    }
    return Bound{coordinates_.read_function(field, {&joint_, i}, with), field};
  }

  void add(const Field& field, const Bounds& lower, const Bounds& upper, const VectorX<double>& restitution) {
    bool has_bound = false;
    for (int i = 0; i < count_; ++i) {
      const auto& low = lower[static_cast<std::size_t>(i)];
      const auto& high = upper[static_cast<std::size_t>(i)];
      if (low && high) check_order(*low, *high);
      if (low) add_stop(i, StopSide::lower, *low, restitution(i));
      if (high) add_stop(i, StopSide::upper, *high, restitution(i));
      has_bound = has_bound || low || high;
    }
    if (!has_bound) field.fail("sets no bound: give 'lower', 'upper' or both");
  }

  /// Bounds that depend on coordinates are compared at the initial position.
  static void check_order(const Bound& lower, const Bound& upper) {
    if (!lower.function.value.is_constant() || !upper.function.value.is_constant()) return;
    const double low = lower.function.value.evaluate({}), high = upper.function.value.evaluate({});
    if (low <= high) return;
    upper.field.fail(fmt::format("is {}, which lies below the lower bound of {}", high, low));
  }

  void add_stop(int i, StopSide side, const Bound& bound, double restitution) {
    builder_.add_stop({joint_.first_dof + i, side, bound.function, restitution});
    added_.stops.push_back({bound.field.node().mark, bound.field.label()});
  }

  const NamedJoint& joint_;
  int count_;
  const Coordinates& coordinates_;
  ModelBuilder& builder_;
  AddedBodies& added_;
};

/// The `couplings` of one hand.
class CouplingReader {
 public:
  CouplingReader(const std::string& hand, const Coordinates& coordinates) : hand_(hand), coordinates_(coordinates) {}

  void read(const Field& field) {
    for (const Field& item : read::items(field)) read_coupling(item);
  }

  /// Adds all couplings: of those whose inputs are settled, the first in the file comes next.
  void add_all(ModelBuilder& builder, AddedBodies& added) const {
    std::vector<int> open_inputs(couplings_.size(), 0);
    std::vector<std::vector<std::size_t>> followers(couplings_.size());
    for (std::size_t i = 0; i < couplings_.size(); ++i) {
      for (const std::size_t input : inputs_of(i)) {
        ++open_inputs[i];
        followers[input].push_back(i);
      }
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < couplings_.size(); ++i) {
      if (open_inputs[i] == 0) ready.push(i);
    }
    std::size_t count = 0;
    for (; !ready.empty(); ++count) {
      const std::size_t i = ready.top();
      ready.pop();
      builder.add_coupling(couplings_[i].coupling);
      added.couplings.push_back(couplings_[i].place);
      for (const std::size_t follower : followers[i]) {
        if (--open_inputs[follower] == 0) ready.push(follower);
      }
    }
    if (count < couplings_.size()) fail_circle(open_inputs);
  }

 private:
  struct Written {
    Coupling coupling;
    WrittenPlace place;  ///< of `equals`
    SourceMark mark;     ///< of the coupling
  };

  void read_coupling(const Field& field) {
    MapReader reader(field);
    for (const char* key : {"joint", "name"}) {
      const Node* title = field.node().find(key);
      if (title && title->is_scalar()) reader.set_context(fmt::format("coupling {}", quote(title->scalar)));
    }
    const auto name = reader.optional("name"), joint = reader.optional("joint"), equals = reader.optional("equals"),
               with = reader.optional("with");
    reader.finish();
    const Field follower = joint ? *joint : reader.required("joint");
    const Field value = equals ? *equals : reader.required("equals");
    const Coordinates::Found owner = coordinates_.find(follower);
    Written out;
    out.coupling.name = fmt::format("{}.{}", hand_, name ? read::identifier(*name) : owner.name());
    out.coupling.dof = owner.dof();
    out.coupling.value = coordinates_.read_function(value, owner, coordinates_.read_variables(with));
    out.place = {value.node().mark, value.label()};
    out.mark = field.node().mark;
    check_new(out, name ? *name : follower, follower);
    couplings_.push_back(std::move(out));
  }

  void check_new(const Written& added, const Field& name, const Field& joint) {
    const auto [same_joint, joint_is_new] = by_dof_.emplace(added.coupling.dof, couplings_.size());
    if (!joint_is_new) {
      const Written& other = couplings_[same_joint->second];
      joint.fail(fmt::format("is '{}', which already follows coupling '{}' (line {})", read::text(joint),
                             other.coupling.name, other.mark.line));
    }
    const auto [same_name, name_is_new] = by_name_.emplace(added.coupling.name, couplings_.size());
    if (!name_is_new) {
      name.fail(fmt::format("makes a second coupling named '{}' (the first is in line {})", added.coupling.name,
                            couplings_[same_name->second].mark.line));
    }
  }

  /// The couplings whose joints the i-th follows.
  std::vector<std::size_t> inputs_of(std::size_t i) const {
    std::vector<std::size_t> inputs;
    for (const int dof : couplings_[i].coupling.value.dofs) {
      if (const auto found = by_dof_.find(dof); found != by_dof_.end()) inputs.push_back(found->second);
    }
    return inputs;
  }

  [[noreturn]] void fail_circle(const std::vector<int>& open_inputs) const {
    // Walking up from any coupling that was left out, always along one that was left out too, ends in a circle.
    const auto step = [&](std::size_t i) {
      for (const std::size_t input : inputs_of(i)) {
        if (open_inputs[input] > 0) return input;
      }
      return i;
    };
    std::size_t i = 0;
    while (open_inputs[i] == 0) ++i;
    for (std::size_t k = 0; k < couplings_.size(); ++k) i = step(i);
    std::vector<std::string> names;
    std::size_t first = i, j = i;
    do {
      names.push_back(couplings_[j].coupling.name);
      first = std::min(first, j);
      j = step(j);
    } while (j != i);
    throw InputError(couplings_[first].place.mark,
                     fmt::format("the joints of {} couplings follow each other in a circle, so none of them is free to "
                                 "lead: {}",
                                 names.size(), list_words(names)));
  }

  const std::string& hand_;
  const Coordinates& coordinates_;
  std::vector<Written> couplings_;
  std::unordered_map<int, std::size_t> by_dof_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace

void read_constraints(const std::string& hand, const std::vector<NamedJoint>& joints,
                      const std::optional<Field>& couplings, const Parameters& parameters, ModelBuilder& builder,
                      AddedBodies& added) {
  const Coordinates coordinates(joints, parameters);
  for (const NamedJoint& joint : joints) {
    if (joint.limits) LimitReader(joint, coordinates, builder, added).read(*joint.limits);
  }
  if (!couplings) return;
  CouplingReader reader(hand, coordinates);
  reader.read(*couplings);
  reader.add_all(builder, added);
}

}  // namespace thenar::internal
