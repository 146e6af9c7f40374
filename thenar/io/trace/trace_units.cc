// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/trace_units.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "thenar/base/text.h"

namespace thenar {
namespace {

using Names = std::unordered_set<std::string>;

/// "hand.wrist" and "0" of "hand.wrist.0".
struct SplitDof {
  std::string owner, part;
};

SplitDof split_dof(std::string_view dof) {
  const std::size_t dot = dof.rfind('.');
  if (dot == std::string_view::npos) return {"", std::string(dof)};
  return {std::string(dof.substr(0, dot)), std::string(dof.substr(dot + 1))};
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Columns of one trace, asked what they are.
class KindFinder {
 public:
  KindFinder(std::span<const std::string> columns, const std::optional<std::vector<std::string>>& sliding_joints)
      : columns_(columns.begin(), columns.end()), knows_sliding_(sliding_joints.has_value()) {
    if (sliding_joints) sliding_.insert(sliding_joints->begin(), sliding_joints->end());
  }

  MotionKind find(const std::string& column) const {
    const auto [quantity, dof] = split_column(column);
    if (dof.empty() || (quantity != "q" && quantity != "v" && quantity != "tau")) return MotionKind::no_coordinate;
    const auto [owner, part] = split_dof(dof);
    if (is_free_body(owner)) return find_part_of_free_body(part);
    if (is_planar_body(owner)) return part == "yaw" ? MotionKind::turning : MotionKind::sliding;
    if (is_digit(part[0])) {
      // A joint with indices is universal or spherical; only the latter has a fourth, since it has a quaternion.
      return quantity == "q" && columns_.contains("q." + owner + ".3") ? MotionKind::number : MotionKind::turning;
    }
    if (!knows_sliding_) return MotionKind::not_known;
    return sliding_.contains(std::string(dof)) ? MotionKind::sliding : MotionKind::turning;
  }

 private:
  bool has_all(const std::string& owner, std::initializer_list<const char*> parts) const {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const char* part) { return columns_.contains("q." + owner + "." + part); });
  }
  bool is_free_body(const std::string& owner) const { return has_all(owner, {"x", "y", "z", "qw", "qx", "qy", "qz"}); }
  bool is_planar_body(const std::string& owner) const { return has_all(owner, {"x", "y", "yaw"}); }

  static MotionKind find_part_of_free_body(const std::string& part) {
    if (is_one_of(part, {"wx", "wy", "wz"})) return MotionKind::turning;
    return is_one_of(part, {"qw", "qx", "qy", "qz"}) ? MotionKind::number : MotionKind::sliding;
  }

  Names columns_, sliding_;
  bool knows_sliding_;
};

}  // namespace

ColumnName split_column(std::string_view column) {
  const std::size_t dot = column.find('.');
  if (dot == std::string_view::npos) return {column, {}};
  return {column.substr(0, dot), column.substr(dot + 1)};
}

std::vector<MotionKind> find_motion_kinds(std::span<const std::string> columns,
                                          const std::optional<std::vector<std::string>>& sliding_joints) {
  const KindFinder finder(columns, sliding_joints);
  std::vector<MotionKind> kinds;
  for (const std::string& column : columns) kinds.push_back(finder.find(column));
  return kinds;
}

std::string unit_of(std::string_view quantity, MotionKind kind) {
  const bool is_position = quantity == "q", is_velocity = quantity == "v";
  switch (kind) {
    case MotionKind::turning:
      return is_position ? "rad" : is_velocity ? "rad/s" : "N m";
    case MotionKind::sliding:
      return is_position ? "m" : is_velocity ? "m/s" : "N";
    case MotionKind::not_known:
      return is_position ? "rad | m" : is_velocity ? "rad/s | m/s" : "N m | N";
    case MotionKind::number:
    case MotionKind::no_coordinate:
      break;
  }
  return {};
}

std::optional<std::vector<std::string>> read_sliding_joints(const std::filesystem::path& summary) {
  std::ifstream stream(summary, std::ios::binary);
  const nlohmann::json object = nlohmann::json::parse(stream, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find("sliding_joints");
  if (found == object.end() || !found->is_array()) return std::nullopt;
  std::vector<std::string> names;
  for (const nlohmann::json& name : *found) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

std::vector<std::string> find_sliding_joints(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Joint& joint : scenario.model.joints()) {
    if (joint.spec.kind == JointKind::prismatic) names.push_back(joint.spec.name);
  }
  return names;
}

}  // namespace thenar
