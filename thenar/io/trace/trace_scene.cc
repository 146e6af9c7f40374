// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/trace_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "thenar/base/diagnostic.h"
#include "thenar/base/text.h"
#include "thenar/contact/contact_finder.h"
#include "thenar/io/text/json_internal.h"
#include "thenar/io/text/text_file.h"
#include "thenar/io/trace/shape_json_internal.h"
#include "thenar/io/trace/trace_writer.h"
#include "thenar/model/model_builder.h"
#include "thenar/spatial/rotation.h"

namespace thenar {
namespace {

using internal::Json;
using internal::pose_json;
using internal::vector_json;

constexpr std::size_t kLargestScene = std::size_t{256} << 20;
constexpr int kVersion = 1;

// Writing.

Json scene_joint_json(const Joint& joint) {
  const JointSpec& spec = joint.spec;
  Json out = {{"type", to_string(spec.kind)}};
  if (!spec.name.empty()) out["name"] = spec.name;
  if (spec.kind == JointKind::free) return out;  // Its rows are poses in the world.
  out["frame"] = pose_json(spec.X_PF);
  out["body_frame"] = pose_json(spec.X_BM);
  const bool has_axis = spec.kind == JointKind::revolute || spec.kind == JointKind::prismatic;
  if (has_axis || spec.kind == JointKind::universal) out["axis"] = vector_json(spec.axis);
  if (spec.kind == JointKind::universal) {
    out["second_axis"] = vector_json(spec.second_axis);
    out["offset"] = vector_json(spec.offset);
  }
  return out;
}

Json scene_body_json(const Model& model, BodyIndex index, Json shapes) {
  const Body& body = model.body(index);
  const Joint& joint = model.joint(body.joint);
  const bool hangs_on_world = joint.spec.kind == JointKind::free;
  return {{"name", body.name},
          {"parent", model.body(hangs_on_world ? kWorld : body.parent).name},
          {"joint", scene_joint_json(joint)},
          {"shapes", std::move(shapes)}};
}

// Reading.

/// Reads entries of the file; what is wrong is told with the way to it.
class SceneReader {
 public:
  explicit SceneReader(const std::filesystem::path& file) : file_(file) {}

  TraceScene read() {
    const Json root = Json::parse(read_file(file_, kLargestScene), nullptr, false);
    if (!root.is_object()) fail("expected a JSON object");
    if (const Json& version = entry(root, "thenar", ""); version != kVersion) {
      fail(fmt::format("'thenar' expects {}, found {}", kVersion, version.dump()));
    }
    TraceScene out;
    out.name = text(root, "name", "");
    out.is_planar = entry(root, "planar", "").is_boolean() && entry(root, "planar", "").get<bool>();
    const Json& bodies = entry(root, "bodies", "");
    if (!bodies.is_array()) fail("'bodies' expects a list");
    ModelBuilder builder;
    std::unordered_map<std::string, BodyIndex> by_name{{"world", kWorld}};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      read_body(bodies[i], fmt::format("bodies[{}].", i), by_name, builder, out);
    }
    out.model = std::move(builder).finalize();
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw InputError({file_.string(), 0, 0}, message); }

  const Json& entry(const Json& object, const char* key, const std::string& where) const {
    if (!object.is_object() || !object.contains(key)) fail(fmt::format("'{}{}' is missing", where, key));
    return object[key];
  }

  std::string text(const Json& object, const char* key, const std::string& where) const {
    const Json& value = entry(object, key, where);
    if (!value.is_string()) fail(fmt::format("'{}{}' expects a text, found {}", where, key, value.dump()));
    return value.get<std::string>();
  }

  VectorX<double> numbers(const Json& object, const char* key, int count, const std::string& where) const {
    const Json& value = entry(object, key, where);
    const bool is_good = value.is_array() && value.size() == static_cast<std::size_t>(count) &&
                         std::all_of(value.begin(), value.end(),
                                     [](const Json& x) { return x.is_number() && std::isfinite(x.get<double>()); });
    if (!is_good) fail(fmt::format("'{}{}' expects {} numbers, found {}", where, key, count, value.dump()));
    VectorX<double> out(count);
    for (int i = 0; i < count; ++i) out(i) = value[static_cast<std::size_t>(i)].get<double>();
    return out;
  }

  Pose<double> pose(const Json& object, const char* key, const std::string& where) const {
    const Json& value = entry(object, key, where);
    const std::string inside = fmt::format("{}{}.", where, key);
    const VectorX<double> q = numbers(value, "quaternion", 4, inside);
    if (!(q.norm() > 0.5)) fail(fmt::format("'{}quaternion' is none", inside));
    return {rotation_from_quaternion(q(0), q(1), q(2), q(3)).eigen(), numbers(value, "xyz", 3, inside)};
  }

  JointSpec joint(const Json& object, const std::string& where) const {
    const std::string word = text(object, "type", where);
    JointSpec out;
    constexpr std::array kKinds{JointKind::fixed,     JointKind::revolute, JointKind::prismatic, JointKind::universal,
                                JointKind::spherical, JointKind::planar,   JointKind::free};
    const auto kind =
        std::find_if(kKinds.begin(), kKinds.end(), [&](JointKind known) { return word == to_string(known); });
    if (kind == kKinds.end()) fail(fmt::format("'{}type' is no joint: {}", where, quote(word)));
    out.kind = *kind;
    if (object.contains("name")) out.name = text(object, "name", where);
    if (object.contains("frame")) out.X_PF = pose(object, "frame", where);
    if (object.contains("body_frame")) out.X_BM = pose(object, "body_frame", where);
    if (object.contains("axis")) out.axis = numbers(object, "axis", 3, where);
    if (object.contains("second_axis")) out.second_axis = numbers(object, "second_axis", 3, where);
    if (object.contains("offset")) out.offset = numbers(object, "offset", 3, where);
    return out;
  }

  void read_body(const Json& object, const std::string& where, std::unordered_map<std::string, BodyIndex>& by_name,
                 ModelBuilder& builder, TraceScene& out) const {
    const std::string name = text(object, "name", where), parent = text(object, "parent", where);
    const auto found = by_name.find(parent);
    if (found == by_name.end()) fail(fmt::format("'{}parent' is no body before it: {}", where, quote(parent)));
    const JointSpec spec = joint(entry(object, "joint", where), where + "joint.");
    BodyIndex body;
    try {
      body = builder.add_body({.name = name}, found->second, spec);
    } catch (const std::invalid_argument& error) {
      fail(fmt::format("'{}': {}", where.substr(0, where.size() - 1), error.what()));
    }
    by_name.emplace(name, body);
    const Json& shapes = entry(object, "shapes", where);
    if (!shapes.is_array()) fail(fmt::format("'{}shapes' expects a list", where));
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const std::string place = fmt::format("{}shapes[{}].", where, i);
      const auto shape = internal::shape_from_json(entry(shapes[i], "shape", place));
      if (!shape) fail(fmt::format("'{}shape' is no shape: {}", place, shapes[i]["shape"].dump()));
      out.shapes.push_back({body, *shape, pose(shapes[i], "pose", place)});
    }
  }

  const std::filesystem::path& file_;
};

}  // namespace

std::string scene_json(const Scenario& scenario) {
  const Model& model = scenario.model;
  std::vector<Json> shapes = internal::shapes_by_body(model, scenario.shapes);
  // One line per body, so that people find their way too.
  std::string out = Json{{"thenar", kVersion}, {"name", scenario.name}, {"planar", is_planar(model)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
  out.back() = ',';
  out += "\n\"bodies\": [";
  for (int i = 1; i < model.body_count(); ++i) {
    out += i > 1 ? ",\n" : "\n";
    out += scene_body_json(model, BodyIndex(i), std::move(shapes[static_cast<std::size_t>(i)]))
               .dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return out + "\n]}\n";
}

TraceScene read_trace_scene(const std::filesystem::path& file) { return SceneReader(file).read(); }

TracePoses::TracePoses(const TraceScene& scene, std::span<const std::string> columns,
                       const std::filesystem::path& states)
    : scene_(&scene), workspace_(scene.model) {
  const std::vector<std::string> expected = position_columns(scene.model);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (i + 1 < columns.size() && columns[i + 1] == expected[i]) continue;
    const std::string found = i + 1 < columns.size() ? quote(columns[i + 1]) : "no more columns";
    throw InputError({states.string(), 1, 0},
                     fmt::format("expected the column '{}' of scene.json, found {}", expected[i], found));
  }
}

void TracePoses::update(std::span<const double> row) {
  update_positions(scene_->model, row.data() + 1, workspace_);  // The first number is the time.
}

Pose<double> TracePoses::pose(BodyIndex body) const {
  const Placement<double> X_WB = calc_body_pose(scene_->model, workspace_, body);
  return {X_WB.R.eigen(), X_WB.p.eigen()};
}

bool is_moving(const Model& model, BodyIndex body) { return model.body(body).link != 0; }

}  // namespace thenar
