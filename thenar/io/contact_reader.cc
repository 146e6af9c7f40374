// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "thenar/base/text.h"
#include "thenar/io/contact_reader_internal.h"
#include "thenar/io/drive_reader_internal.h"

namespace thenar::internal {
namespace {

/// Entries of `pairs` and of `exclude`; beyond it, a pattern says it shorter.
constexpr std::size_t kMostEntries = 10000;

/// Turns the names and patterns of `contacts` into bodies.
class GroupReader {
 public:
  explicit GroupReader(const Scenario& scenario)
      : model_(scenario.model), has_shape_(static_cast<std::size_t>(scenario.model.body_count()), false) {
    for (const BodyShape& shape : scenario.shapes) has_shape_[static_cast<std::size_t>(shape.body)] = true;
  }

  /// Pairs that are to be looked at.
  std::vector<BodyGroups> read_pairs(const Field& field) const {
    std::vector<BodyGroups> out;
    for (const Field& item : read_entries(field)) {
      out.push_back(read_two_groups(item));
      if (!can_touch(out.back())) {
        item.fail("names no two bodies that could touch: they have no shapes, or cannot move on each other");
      }
    }
    if (out.empty()) field.fail("expects 'auto' or at least one pair, found an empty list");
    return out;
  }

  /// Pairs that are not.
  std::vector<BodyGroups> read_exclusions(const Field& field) const {
    std::vector<BodyGroups> out;
    for (const Field& item : read_entries(field)) out.push_back(read_two_groups(item));
    return out;
  }

 private:
  static std::vector<Field> read_entries(const Field& field) {
    const std::vector<Field> items = read::items(field);
    if (items.size() <= kMostEntries) return items;
    field.fail(fmt::format("has {} entries; at most {} are allowed (patterns such as 'hand.*' name many bodies)",
                           items.size(), kMostEntries));
  }

  /// [a, b] or {a: .., b: ..}.
  BodyGroups read_two_groups(const Field& field) const {
    if (field.node().is_sequence()) {
      const std::vector<Field> items = read::items(field);
      if (items.size() != 2) field.fail(fmt::format("expects 2 bodies, [a, b], found {}", items.size()));
      return {find_bodies(items[0]), find_bodies(items[1])};
    }
    if (!field.node().is_mapping()) {
      field.fail(fmt::format("expects two bodies, [a, b] or {{a: .., b: ..}}, found {}", describe(field.node())));
    }
    MapReader reader(field);
    const auto a = reader.optional("a"), b = reader.optional("b");
    reader.finish();
    return {find_bodies(a ? *a : reader.required("a")), find_bodies(b ? *b : reader.required("b"))};
  }

  std::vector<BodyIndex> find_bodies(const Field& field) const {
    const std::string name = read::text(field);
    const bool is_pattern = name.find_first_of("*?") != std::string::npos;
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

  bool can_touch(const BodyGroups& groups) const {
    const auto has_shape = [this](BodyIndex body) { return has_shape_[static_cast<std::size_t>(body)]; };
    for (const BodyIndex a : groups.a) {
      if (!has_shape(a)) continue;
      for (const BodyIndex b : groups.b) {
        if (has_shape(b) && model_.body(a).link != model_.body(b).link) return true;
      }
    }
    return false;
  }

  const Model& model_;
  std::vector<bool> has_shape_;  ///< by body
};

}  // namespace

ContactRules read_contacts(const Field& field, const Parameters& parameters, const Scenario& scenario) {
  MapReader reader(field);
  const auto pairs = reader.optional("pairs"), exclude = reader.optional("exclude"), margin = reader.optional("margin");
  reader.finish();
  const GroupReader groups(scenario);
  ContactRules rules;
  if (pairs && pairs->node().is_scalar() && pairs->node().scalar != "auto") {
    pairs->fail(fmt::format("expects 'auto' or a list of pairs [a, b], found {}", describe(pairs->node())));
  }
  if (pairs && !pairs->node().is_scalar()) {
    rules.all_pairs = false;
    rules.pairs = groups.read_pairs(*pairs);
  }
  if (exclude) rules.excluded = groups.read_exclusions(*exclude);
  if (margin) rules.margin = read::non_negative(*margin, kLength, parameters);
  return rules;
}

}  // namespace thenar::internal
