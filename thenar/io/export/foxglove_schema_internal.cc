// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "thenar/io/export/scene_update_internal.h"
#include "thenar/io/text/json_internal.h"

namespace thenar::internal {
namespace {

Json number_schema() { return {{"type", "number"}}; }
Json text_schema() { return {{"type", "string"}}; }

Json object_schema(const Json& properties) { return {{"type", "object"}, {"properties", properties}}; }
Json list_schema(const Json& items) { return {{"type", "array"}, {"items", items}}; }

Json time_schema() { return object_schema({{"sec", {{"type", "integer"}}}, {"nsec", {{"type", "integer"}}}}); }
Json vector_schema() { return object_schema({{"x", number_schema()}, {"y", number_schema()}, {"z", number_schema()}}); }
Json quaternion_schema() {
  return object_schema(
      {{"x", number_schema()}, {"y", number_schema()}, {"z", number_schema()}, {"w", number_schema()}});
}
Json pose_schema() { return object_schema({{"position", vector_schema()}, {"orientation", quaternion_schema()}}); }
Json colour_schema() {
  return object_schema(
      {{"r", number_schema()}, {"g", number_schema()}, {"b", number_schema()}, {"a", number_schema()}});
}

Json transforms() {
  return object_schema({{"transforms", list_schema(object_schema({{"timestamp", time_schema()},
                                                                  {"parent_frame_id", text_schema()},
                                                                  {"child_frame_id", text_schema()},
                                                                  {"translation", vector_schema()},
                                                                  {"rotation", quaternion_schema()}}))}});
}

Json entity() {
  const Json solid = object_schema({{"pose", pose_schema()}, {"size", vector_schema()}, {"color", colour_schema()}});
  Json cylinder = solid;
  cylinder["properties"]["bottom_scale"] = number_schema();
  cylinder["properties"]["top_scale"] = number_schema();
  const Json arrow = object_schema({{"pose", pose_schema()},
                                    {"shaft_length", number_schema()},
                                    {"shaft_diameter", number_schema()},
                                    {"head_length", number_schema()},
                                    {"head_diameter", number_schema()},
                                    {"color", colour_schema()}});
  const Json triangles = object_schema({{"pose", pose_schema()},
                                        {"points", list_schema(vector_schema())},
                                        {"color", colour_schema()},
                                        {"colors", list_schema(colour_schema())},
                                        {"indices", list_schema({{"type", "integer"}})}});
  return object_schema({{"timestamp", time_schema()},
                        {"frame_id", text_schema()},
                        {"id", text_schema()},
                        {"lifetime", time_schema()},
                        {"frame_locked", {{"type", "boolean"}}},
                        {"metadata", list_schema(object_schema({{"key", text_schema()}, {"value", text_schema()}}))},
                        {"arrows", list_schema(arrow)},
                        {"cubes", list_schema(solid)},
                        {"spheres", list_schema(solid)},
                        {"cylinders", list_schema(cylinder)},
                        {"lines", list_schema(object_schema(Json::object()))},
                        {"triangles", list_schema(triangles)},
                        {"texts", list_schema(object_schema(Json::object()))},
                        {"models", list_schema(object_schema(Json::object()))}});
}

Json scene_update() {
  const Json deletion =
      object_schema({{"timestamp", time_schema()}, {"type", {{"type", "integer"}}}, {"id", text_schema()}});
  return object_schema({{"deletions", list_schema(deletion)}, {"entities", list_schema(entity())}});
}

/// With what Thenar says beyond it.
Json log() {
  return object_schema({{"timestamp", time_schema()},
                        {"level", {{"type", "integer"}}},
                        {"message", text_schema()},
                        {"name", text_schema()},
                        {"file", text_schema()},
                        {"line", {{"type", "integer"}}},
                        {"t", number_schema()},
                        {"kind", text_schema()},
                        {"where", text_schema()},
                        {"cause", text_schema()},
                        {"how", text_schema()},
                        {"numbers", object_schema(Json::object())}});
}

}  // namespace

std::string foxglove_schema(const std::string& name) {
  Json schema = name == "foxglove.FrameTransforms" ? transforms() : name == "foxglove.Log" ? log() : scene_update();
  schema["title"] = name;
  return schema.dump();
}

}  // namespace thenar::internal
