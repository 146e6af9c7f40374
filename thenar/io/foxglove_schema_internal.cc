// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "thenar/io/scene_update_internal.h"

namespace thenar::internal {
namespace {

using Json = nlohmann::ordered_json;

Json number() { return {{"type", "number"}}; }
Json text() { return {{"type", "string"}}; }

Json object(const Json& properties) { return {{"type", "object"}, {"properties", properties}}; }
Json list(const Json& items) { return {{"type", "array"}, {"items", items}}; }

Json seconds() { return object({{"sec", {{"type", "integer"}}}, {"nsec", {{"type", "integer"}}}}); }
Json vector() { return object({{"x", number()}, {"y", number()}, {"z", number()}}); }
Json quaternion() { return object({{"x", number()}, {"y", number()}, {"z", number()}, {"w", number()}}); }
Json pose() { return object({{"position", vector()}, {"orientation", quaternion()}}); }
Json colour() { return object({{"r", number()}, {"g", number()}, {"b", number()}, {"a", number()}}); }

Json transforms() {
  return object({{"transforms", list(object({{"timestamp", seconds()},
                                             {"parent_frame_id", text()},
                                             {"child_frame_id", text()},
                                             {"translation", vector()},
                                             {"rotation", quaternion()}}))}});
}

Json entity() {
  const Json solid = object({{"pose", pose()}, {"size", vector()}, {"color", colour()}});
  Json cylinder = solid;
  cylinder["properties"]["bottom_scale"] = number();
  cylinder["properties"]["top_scale"] = number();
  const Json arrow = object({{"pose", pose()},
                             {"shaft_length", number()},
                             {"shaft_diameter", number()},
                             {"head_length", number()},
                             {"head_diameter", number()},
                             {"color", colour()}});
  const Json triangles = object({{"pose", pose()},
                                 {"points", list(vector())},
                                 {"color", colour()},
                                 {"colors", list(colour())},
                                 {"indices", list({{"type", "integer"}})}});
  return object({{"timestamp", seconds()},
                 {"frame_id", text()},
                 {"id", text()},
                 {"lifetime", seconds()},
                 {"frame_locked", {{"type", "boolean"}}},
                 {"metadata", list(object({{"key", text()}, {"value", text()}}))},
                 {"arrows", list(arrow)},
                 {"cubes", list(solid)},
                 {"spheres", list(solid)},
                 {"cylinders", list(cylinder)},
                 {"lines", list(object(Json::object()))},
                 {"triangles", list(triangles)},
                 {"texts", list(object(Json::object()))},
                 {"models", list(object(Json::object()))}});
}

Json scene_update() {
  const Json deletion = object({{"timestamp", seconds()}, {"type", {{"type", "integer"}}}, {"id", text()}});
  return object({{"deletions", list(deletion)}, {"entities", list(entity())}});
}

/// With what Thenar says beyond it.
Json log() {
  return object({{"timestamp", seconds()},
                 {"level", {{"type", "integer"}}},
                 {"message", text()},
                 {"name", text()},
                 {"file", text()},
                 {"line", {{"type", "integer"}}},
                 {"t", number()},
                 {"kind", text()},
                 {"where", text()},
                 {"cause", text()}});
}

}  // namespace

std::string foxglove_schema(const std::string& name) {
  Json schema = name == "foxglove.FrameTransforms" ? transforms() : name == "foxglove.Log" ? log() : scene_update();
  schema["title"] = name;
  return schema.dump();
}

}  // namespace thenar::internal
