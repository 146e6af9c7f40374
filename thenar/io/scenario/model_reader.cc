// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/scenario/model_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>

#include "thenar/base/text.h"
#include "thenar/io/scenario/constraint_reader_internal.h"
#include "thenar/io/scenario/joint_reader_internal.h"

namespace thenar {
namespace {

using internal::DhConvention;

/// A body as written, before its parent is known to exist.
struct WrittenBody {
  std::string name;
  std::string parent;
  SourceMark mark;         ///< of its name
  SourceMark parent_mark;  ///< of `parent`, or of the name when there is none
  JointSpec joint;
  std::optional<Field> limits;  ///< of the joint
  SourceMark joint_mark;
  internal::WrittenMass mass;
};

/// The parts of a hand as they stand in a file.
struct HandFields {
  explicit HandFields(MapReader& reader)
      : dh(reader.optional("dh")),
        bodies(reader.optional("bodies")),
        springs(reader.optional("springs")),
        couplings(reader.optional("couplings")) {}

  std::optional<Field> dh, bodies, springs, couplings;
};

std::string line_of(const SourceMark& mark) { return fmt::format("line {}", mark.line); }

/// Reads and adds the bodies of one hand.
class HandReader {
 public:
  HandReader(const Parameters& parameters, const HandMount& mount, ModelBuilder& builder, AddedBodies& added)
      : parameters_(parameters), mount_(mount), builder_(builder), added_(added) {}

  /// `fields` has bodies.
  void read(const HandFields& fields) {
    if (fields.dh) {
      convention_ = read::choice<DhConvention>(
          *fields.dh, {{"standard", DhConvention::standard}, {"modified", DhConvention::modified}});
    }
    read_bodies(*fields.bodies);
    find_parents();
    add_bodies(fields.bodies->node().mark);
    if (fields.springs) {
      for (const Field& item : read::items(*fields.springs)) read_spring(item);
    }
    internal::read_constraints(mount_.name, named_joints(), fields.couplings, parameters_, builder_, added_);
  }

 private:
  void read_bodies(const Field& field) {
    const std::vector<Field> items = read::items(field);
    if (items.empty()) field.fail("expects at least one body, found an empty list");
    if (items.size() > static_cast<std::size_t>(kMostBodies)) {
      field.fail(fmt::format("has {} bodies; at most {} are allowed", items.size(), kMostBodies));
    }
    for (const Field& item : items) {
      bodies_.push_back(read_body(item));
      check_new_name(bodies_.back());
    }
  }

  WrittenBody read_body(const Field& field) const {
    MapReader reader(field);
    const Field name = reader.required("name");
    WrittenBody body;
    body.name = read::identifier(name);
    reader.set_context(fmt::format("body '{}'", body.name));
    if (body.name == kBaseName) name.fail("is reserved for the frame in which the hand is mounted; use another name");
    const auto parent = reader.optional("parent"), joint = reader.optional("joint");
    body.parent = parent ? read::identifier(*parent) : kBaseName;
    body.mark = name.node().mark;
    body.parent_mark = (parent ? parent->node() : name.node()).mark;
    body.joint_mark = (joint ? joint->node() : name.node()).mark;
    body.mass = internal::read_mass(reader, parameters_);
    reader.finish();
    body.mass.refuse_unbounded();
    if (!body.mass.shapes.empty() && !body.mass.is_given) {
      reader.fail("has a shape but no mass: give its 'mass' or 'density'");
    }
    if (joint) {
      const internal::WrittenJoint written = internal::read_joint(*joint, body.name, convention_, parameters_);
      body.joint = written.spec;
      body.limits = written.limits;
    } else {
      body.joint.name = body.name;
    }
    return body;
  }

  void check_new_name(const WrittenBody& body) {
    const auto [known, is_new] = index_.emplace(body.name, index_.size());
    if (!is_new) {
      throw InputError(body.mark, fmt::format("there is already a body named '{}' ({})", body.name,
                                              line_of(bodies_[known->second].mark)));
    }
    if (body.joint.name == kBaseName) {
      throw InputError(body.joint_mark, "the joint name 'base' is reserved for the mounting of the hand");
    }
    const auto [joint, joint_is_new] = joint_names_.emplace(body.joint.name, body.joint_mark);
    if (!joint_is_new) {
      throw InputError(body.joint_mark, fmt::format("there is already a joint named '{}' ({})", body.joint.name,
                                                    line_of(joint->second)));
    }
  }

  void find_parents() {
    children_.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const WrittenBody& body = bodies_[i];
      if (body.parent == kBaseName) continue;
      if (body.parent == body.name) {
        throw InputError(body.parent_mark, fmt::format("body '{}' names itself as its parent", body.name));
      }
      const auto found = index_.find(body.parent);
      if (found == index_.end()) fail_unknown_parent(body);
      children_[found->second].push_back(i);
    }
  }

  [[noreturn]] void fail_unknown_parent(const WrittenBody& body) const {
    std::vector<std::string> names{kBaseName};
    for (const WrittenBody& other : bodies_) names.push_back(other.name);
    throw InputError(body.parent_mark,
                     fmt::format("the parent of body '{}' is {}, which is not a body of this hand{}", body.name,
                                 quote(body.parent), internal::list_known(body.parent, names, "bodies")));
  }

  /// Adds parents before children and otherwise keeps the order of the file: of all bodies whose parent is there, the
  /// first in the file comes next.
  void add_bodies(const SourceMark& list_mark) {
    added_index_.resize(bodies_.size());
    first_dof_.resize(bodies_.size());
    const BodyIndex base = add_base(list_mark);
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i].parent == kBaseName) ready.push(i);
    }
    std::vector<bool> is_added(bodies_.size(), false);
    std::size_t count = 0;
    for (; !ready.empty(); ++count) {
      const std::size_t i = ready.top();
      ready.pop();
      const bool on_base = bodies_[i].parent == kBaseName;
      first_dof_[i] = added_.dof_count;
      added_index_[i] = add_body(bodies_[i], on_base ? base : added_index_[index_.at(bodies_[i].parent)]);
      is_added[i] = true;
      for (const std::size_t child : children_[i]) ready.push(child);
    }
    if (count < bodies_.size()) fail_cycle(is_added);
  }

  BodyIndex add_base(const SourceMark& mark) {
    JointSpec joint;
    joint.name = mount_.name + "." + kBaseName;
    joint.kind = mount_.base_joint;
    joint.X_PF = mount_.X_PF;
    const BodyIndex base = builder_.add_body({.name = joint.name}, mount_.parent, joint);
    added_.marks[base.value()] = added_.joint_marks[base.value()] = mark;
    added_.names.emplace_back(joint.name, base);
    added_.base = base;
    added_.dof_count += velocity_count(joint.kind);
    return base;
  }

  BodyIndex add_body(const WrittenBody& body, BodyIndex parent) {
    JointSpec joint = body.joint;
    joint.name = mount_.name + "." + joint.name;
    try {
      const BodyIndex index =
          builder_.add_body({.name = mount_.name + "." + body.name, .mass = body.mass.properties}, parent, joint);
      added_.names.emplace_back(mount_.name + "." + body.name, index);
      added_.marks[index.value()] = body.mark;
      added_.joint_marks[index.value()] = body.joint_mark;
      added_.dof_count += velocity_count(joint.kind);
      for (const internal::PlacedShape& placed : body.mass.shapes) {
        added_.shapes.push_back({index, placed.shape, placed.X_BS});
      }
      return index;
    } catch (const std::invalid_argument& error) {
      throw InputError(body.mark, error.what());
    }
  }

  [[noreturn]] void fail_cycle(const std::vector<bool>& is_added) const {
    // Walking up from any body that was left out ends in the cycle.
    std::size_t i = 0;
    while (is_added[i]) ++i;
    for (std::size_t k = 0; k < bodies_.size(); ++k) i = index_.at(bodies_[i].parent);
    std::vector<std::string> names;
    std::size_t first = i, j = i;
    do {
      names.push_back(bodies_[j].name);
      first = std::min(first, j);
      j = index_.at(bodies_[j].parent);
    } while (j != i);
    throw InputError(bodies_[first].parent_mark,
                     fmt::format("the parents of {} bodies form a cycle, so none of them reaches the base: {}",
                                 names.size(), list_words(names)));
  }

  void read_spring(const Field& field) {
    MapReader reader(field);
    const auto joints = reader.optional("joints"), stiffness = reader.optional("stiffness"),
               rest = reader.optional("rest");
    reader.finish();
    std::vector<JointIndex> indices;
    std::vector<JointKind> kinds;
    for (const Field& item : read::items(joints ? *joints : reader.required("joints"))) {
      const std::size_t i = find_joint(item);
      const JointIndex index = builder_.joint_of(added_index_[i]);
      if (std::find(indices.begin(), indices.end(), index) != indices.end()) item.fail("names the same joint again");
      if (velocity_count(bodies_[i].joint.kind) == 0) item.fail("is a fixed joint, which has no spring");
      indices.push_back(index);
      kinds.push_back(bodies_[i].joint.kind);
    }
    if (indices.empty()) joints->fail("expects at least one joint, found an empty list");
    const MatrixX<double> K =
        internal::read_stiffness(stiffness ? *stiffness : reader.required("stiffness"), kinds, parameters_);
    builder_.add_spring(indices, K, read_rest(rest, kinds));
  }

  std::size_t find_joint(const Field& field) const {
    const std::string name = read::identifier(field);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i].joint.name == name) return i;
      names.push_back(bodies_[i].joint.name);
    }
    field.fail(fmt::format("is {}, which is not a joint of this hand{}", quote(name),
                           internal::list_known(name, names, "joints")));
  }

  std::vector<internal::NamedJoint> named_joints() const {
    std::vector<internal::NamedJoint> out;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      out.push_back({bodies_[i].joint.name, bodies_[i].joint.kind, first_dof_[i], bodies_[i].limits});
    }
    return out;
  }

  /// Rest positions of several joints in one list; missing means all zero, quaternions at the identity.
  VectorX<double> read_rest(const std::optional<Field>& field, const std::vector<JointKind>& kinds) const {
    int nq = 0;
    for (const JointKind kind : kinds) nq += position_count(kind);
    VectorX<double> rest = VectorX<double>::Zero(nq);
    const std::vector<Field> items = field ? read::items(*field) : std::vector<Field>();
    if (field && static_cast<int>(items.size()) != nq) {
      field->fail(fmt::format("expects {}, found {}", internal::count_numbers(nq), items.size()));
    }
    int at = 0;
    for (const JointKind kind : kinds) {
      // A rest position is checked like any other position, by way of a list of its own.
      const int n = position_count(kind);
      if (!field) {
        if (kind == JointKind::spherical) rest(at) = 1;
        if (kind == JointKind::free) rest(at + 3) = 1;
      } else {
        Node part;
        part.kind = Node::Kind::sequence;
        part.mark = items[static_cast<std::size_t>(at)].node().mark;
        for (int i = 0; i < n; ++i) part.items.push_back(items[static_cast<std::size_t>(at + i)].node());
        rest.segment(at, n) = internal::read_position(Field(part, field->label()), kind, parameters_);
      }
      at += n;
    }
    return rest;
  }

  const Parameters& parameters_;
  const HandMount& mount_;
  ModelBuilder& builder_;
  AddedBodies& added_;
  DhConvention convention_ = DhConvention::none;
  std::vector<WrittenBody> bodies_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_map<std::string, SourceMark> joint_names_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<BodyIndex> added_index_;
  std::vector<int> first_dof_;
};

/// The parameters of a model with the values that the scenario gives instead. Each may use those before it.
Parameters merge_parameters(const std::optional<Field>& own, const Parameters& overrides) {
  Parameters merged;
  std::vector<std::string> names;
  if (own) {
    for (const NamedField& entry : read::entries(*own)) {
      const Quantity value = read::quantity(entry.value, merged);
      const Parameters::Entry* other = overrides.find(entry.name);
      if (other && other->quantity.dimension && value.dimension &&
          !compatible(*other->quantity.dimension, *value.dimension)) {
        throw InputError(other->mark, fmt::format("parameter '{}' of the model is {}, found {}", entry.name,
                                                  describe(*value.dimension), describe(*other->quantity.dimension)));
      }
      merged.add(entry.name, other ? other->quantity : value, entry.mark);
      names.push_back(entry.name);
    }
  }
  for (const Parameters::Entry& entry : overrides.entries()) {
    if (merged.find(entry.name)) continue;
    throw InputError(entry.mark, fmt::format("the model has no parameter {}{}", quote(entry.name),
                                             internal::list_known(entry.name, names, "parameters")));
  }
  return merged;
}

}  // namespace

bool is_model_document(const Node& root) {
  return root.is_mapping() && root.find("bodies") && !root.find("hands") && !root.find("objects") && !root.find("run");
}

void check_version(MapReader& root) {
  const auto field = root.optional("thenar");
  if (!field) root.fail("needs its first key to be 'thenar: 1', the version of the file format");
  if (!field->node().is_scalar() || trim(field->node().scalar) != "1") {
    field->fail(fmt::format("is the version of the file format; this program reads version 1, found {}",
                            describe(field->node())));
  }
}

void add_hand(MapReader& reader, const Parameters& parameters, const HandMount& mount, ModelBuilder& builder,
              AddedBodies& added) {
  const HandFields fields(reader);
  reader.required("bodies");
  HandReader(parameters, mount, builder, added).read(fields);
}

void add_hand_from_model(const Node& root, const Parameters& overrides, const HandMount& mount, ModelBuilder& builder,
                         AddedBodies& added) {
  MapReader reader(Field(root, "the model"));
  check_version(reader);
  const auto name = reader.optional("name"), parameters = reader.optional("parameters");
  const HandFields fields(reader);
  reader.finish();
  if (name) read::identifier(*name);
  const Parameters merged = merge_parameters(parameters, overrides);
  reader.required("bodies");
  HandReader(merged, mount, builder, added).read(fields);
}

}  // namespace thenar
