// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "thenar/base/text.h"
#include "thenar/io/scenario/contact_law_reader_internal.h"
#include "thenar/io/scenario/contact_reader_internal.h"
#include "thenar/io/scenario/drive_reader_internal.h"

namespace thenar::internal {
namespace {

/// Entries of `pairs` and of `exclude`; beyond it, a pattern says it shorter.
constexpr std::size_t kMostEntries = 10000;

bool is_auto(const Field& field) { return field.node().is_scalar() && field.node().scalar == "auto"; }

/// Throws InputError at the first of these keys; `home` says where it belongs. They are no typing errors, so the keys
/// of similar spelling that MapReader would suggest are no help.
void refuse_misplaced(const MapReader& mapping, std::initializer_list<std::string_view> keys, std::string_view home) {
  for (const Node::Member& member : mapping.node().members) {
    if (std::find(keys.begin(), keys.end(), member.name) == keys.end()) continue;
    throw InputError(member.mark, fmt::format("{} of {} belongs in {}", quote(member.name), mapping.context(), home));
  }
}

/// Turns the names and patterns of `contacts` into bodies.
class PairReader {
 public:
  PairReader(const Scenario& scenario, const Parameters& parameters)
      : model_(scenario.model),
        parameters_(parameters),
        has_shape_(static_cast<std::size_t>(scenario.model.body_count()), false) {
    for (const BodyShape& shape : scenario.shapes) has_shape_[static_cast<std::size_t>(shape.body)] = true;
  }

  /// Pairs that are to be looked at, and their laws, where they say otherwise than `common`: 'auto', or a list that may
  /// start with it.
  void read_pairs(const Field& field, const LawChoices& common, ContactRules& rules) const {
    if (is_auto(field)) return;
    if (field.node().is_scalar()) {
      field.fail(fmt::format("expects 'auto' or a list of pairs [a, b], found {}", describe(field.node())));
    }
    const std::vector<Field> items = read_entries(field);
    if (items.empty()) field.fail("expects 'auto' or at least one pair, found an empty list");
    rules.all_pairs = is_auto(items.front());
    for (std::size_t i = rules.all_pairs ? 1 : 0; i < items.size(); ++i) {
      rules.pairs.push_back(read_pair(items[i], common));
    }
  }

  /// Pairs that are not.
  std::vector<BodyGroups> read_exclusions(const Field& field) const {
    std::vector<BodyGroups> out;
    for (const Field& item : read_entries(field)) out.push_back(read_exclusion(item));
    return out;
  }

 private:
  static std::vector<Field> read_entries(const Field& field) {
    const std::vector<Field> items = read::items(field);
    if (items.size() <= kMostEntries) return items;
    field.fail(fmt::format("has {} entries; at most {} are allowed (patterns such as 'hand.*' name many bodies)",
                           items.size(), kMostEntries));
  }

  /// [a, b], or {a: .., b: ..} with what is special about these contacts.
  PairRule read_pair(const Field& field, const LawChoices& common) const {
    PairRule out = field.node().is_sequence() ? make_rule(find_listed(field), common.make_law())
                                              : read_special_pair(field, common);
    if (can_touch(out)) return out;
    field.fail("names no two bodies that could touch: they have no shapes, or cannot move on each other");
  }

  PairRule read_special_pair(const Field& field, const LawChoices& common) const {
    MapReader reader = open_groups(field);
    const LawReader law_reader(reader);
    const StartReader start_reader(reader);
    refuse_misplaced(reader, {"cone"}, "'contacts' itself: there is one cone for all pairs");
    reader.finish();
    PairRule out = make_rule(find_named(reader), law_reader.read(common, parameters_).make_law());
    start_reader.read(parameters_, out.law);
    return out;
  }

  static PairRule make_rule(BodyGroups groups, const ContactLaw& law) {
    return {std::move(groups.a), std::move(groups.b), law};
  }

  /// [a, b] or {a: .., b: ..}.
  BodyGroups read_exclusion(const Field& field) const {
    if (field.node().is_sequence()) return find_listed(field);
    MapReader reader = open_groups(field);
    reader.finish();
    return find_named(reader);
  }

  BodyGroups find_listed(const Field& field) const {
    const std::vector<Field> items = read::items(field);
    if (items.size() != 2) field.fail(fmt::format("expects 2 bodies, [a, b], found {}", items.size()));
    return {find_bodies(items[0]), find_bodies(items[1])};
  }

  /// The mapping, in which `a` and `b` are known keys; find_named() reads them.
  static MapReader open_groups(const Field& field) {
    if (!field.node().is_mapping()) {
      field.fail(fmt::format("expects two bodies, [a, b] or {{a: .., b: ..}}, found {}", describe(field.node())));
    }
    MapReader reader(field);
    reader.optional("a");
    reader.optional("b");
    return reader;
  }

  BodyGroups find_named(MapReader& reader) const {
    const Field a = reader.required("a"), b = reader.required("b");
    return {find_bodies(a), find_bodies(b)};
  }

  std::vector<BodyIndex> find_bodies(const Field& field) const {
    const std::string name = read::text(field);
    const bool is_pattern = is_glob(name);
    std::vector<BodyIndex> found;
    for (int i = 1; i < model_.body_count(); ++i) {
      const std::string& body = model_.body(BodyIndex(i)).name;
      if (is_pattern ? matches_glob(name, body) : name == body) found.push_back(BodyIndex(i));
    }
    if (found.empty()) fail_unknown(field, name, is_pattern);
    return found;
  }

  [[noreturn]] void fail_unknown(const Field& field, const std::string& name, bool is_pattern) const {
    std::vector<std::string> names;
    for (int i = 1; i < model_.body_count(); ++i) {
      const std::string& body = model_.body(BodyIndex(i)).name;
      if (body.starts_with(name + ".")) {
        field.fail(fmt::format("is the hand '{}'; write '{}.*' for all its bodies", name, name));
      }
      if (has_shape_[static_cast<std::size_t>(i)]) names.push_back(body);
    }
    field.fail(fmt::format("is {}, which {}{}", quote(name),
                           is_pattern ? "fits no body" : "is not a body of this scenario",
                           list_known(name, names, "bodies with shapes")));
  }

  bool can_touch(const PairRule& pair) const {
    const auto has_shape = [this](BodyIndex body) { return has_shape_[static_cast<std::size_t>(body)]; };
    for (const BodyIndex a : pair.a) {
      if (!has_shape(a)) continue;
      for (const BodyIndex b : pair.b) {
        if (has_shape(b) && model_.body(a).link != model_.body(b).link) return true;
      }
    }
    return false;
  }

  const Model& model_;
  const Parameters& parameters_;
  std::vector<bool> has_shape_;  ///< by body
};

}  // namespace

ImpactOptions read_impact_options(const Field& field) {
  const auto read_law = [](const Field& law) {
    return read::choice<ImpactLaw>(
        law, {{"newton", ImpactLaw::newton}, {"poisson", ImpactLaw::poisson}, {"stronge", ImpactLaw::stronge}});
  };
  ImpactOptions out;
  if (field.node().is_scalar()) {
    out.law = read_law(field);
    return out;
  }
  MapReader reader(field);
  const auto law = reader.optional("law"), several = reader.optional("several"), energy = reader.optional("energy");
  reader.finish();
  if (law) out.law = read_law(*law);
  if (several) {
    out.treatment = read::choice<ImpactTreatment>(
        *several, {{"simultaneous", ImpactTreatment::simultaneous}, {"sequential", ImpactTreatment::sequential}});
  }
  if (energy) out.cap_energy = read::choice<bool>(*energy, {{"report", false}, {"cap", true}});
  return out;
}

void read_contacts(const Field& field, const Parameters& parameters, Scenario& scenario) {
  MapReader reader(field);
  const LawReader law_reader(reader);
  const auto cone = reader.optional("cone"), pairs = reader.optional("pairs"), exclude = reader.optional("exclude"),
             margin = reader.optional("margin"), impact = reader.optional("impact");
  refuse_misplaced(reader, {"mode", "slip"}, "an entry of 'pairs'");
  reader.finish();
  const LawChoices common = law_reader.read({}, parameters);
  const PairReader pair_reader(scenario, parameters);
  ContactRules rules;
  rules.law = common.make_law();
  if (cone) rules.cone = read_cone(*cone, parameters);
  if (pairs) pair_reader.read_pairs(*pairs, common, rules);
  if (exclude) rules.excluded = pair_reader.read_exclusions(*exclude);
  if (margin) rules.margin = read::non_negative(*margin, kLength, parameters);
  if (impact) scenario.impact = read_impact_options(*impact);
  scenario.contacts = std::move(rules);
}

namespace {

/// A body by its full name, or the world.
BodyIndex find_struck_body(const Field& field, const Model& model) {
  const std::string name = read::text(field);
  if (const auto found = model.find_body(name)) return *found;
  std::vector<std::string> names;
  for (const Body& body : model.bodies()) names.push_back(body.name);
  field.fail(
      fmt::format("is {}, which is not a body of this scenario{}", quote(name), list_known(name, names, "bodies")));
}

}  // namespace

StruckPoint read_strike(const Field& field, const Parameters& parameters, const Scenario& scenario) {
  MapReader reader(field);
  const Field a = reader.required("a"), point = reader.required("point"), normal = reader.required("normal");
  const auto b = reader.optional("b");
  const LawReader law_reader(reader, false);
  reader.finish();
  StruckPoint out;
  out.body_A = find_struck_body(a, scenario.model);
  out.body_B = b ? find_struck_body(*b, scenario.model) : kWorld;
  const Body &body_A = scenario.model.body(out.body_A), &body_B = scenario.model.body(out.body_B);
  if (body_A.link == body_B.link) {
    field.fail(fmt::format("names '{}' and '{}', which cannot move on each other", body_A.name, body_B.name));
  }
  out.point = Vec3<double>(Vector3<double>(read::vector3(point, kLength, parameters)));
  const Vector3<double> N = read::vector3(normal, kNumber, parameters);
  if (!(N.norm() > 0)) normal.fail("must not be zero: it is the direction from b into a");
  out.normal = Vec3<double>(Vector3<double>(N.stableNormalized()));
  LawChoices common;
  if (scenario.contacts) {
    const LawTable table(scenario.model, *scenario.contacts);
    const ContactLaw& law = table.find_law(out.body_A, out.body_B);
    common.fingertip = law.fingertip;
    common.friction = {.kinetic = law.friction, .at_rest = law.static_friction};
    if (law.fingertip == Fingertip::soft) common.torsion = law.torsion;
    common.restitution = law.restitution;
  }
  out.law = law_reader.read(common, parameters).make_law();
  return out;
}

}  // namespace thenar::internal
