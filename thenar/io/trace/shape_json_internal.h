// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Shapes and poses as JSON, shapes in the words of scenario files: {"capsule": {"radius": 0.01, "length": 0.04}}.

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "thenar/contact/body_shape.h"

namespace thenar::internal {

/// [x, y, z].
nlohmann::ordered_json vector_json(const Vector3<double>& a);
/// {"xyz": [..], "quaternion": [w, x, y, z]}
nlohmann::ordered_json pose_json(const Pose<double>& X);

nlohmann::ordered_json shape_json(const Shape& shape);
/// For each body, the world first, the list of its shapes: [{"shape": .., "pose": ..}, ..].
std::vector<nlohmann::ordered_json> shapes_by_body(const Model& model, const std::vector<BodyShape>& shapes);

/// Nothing if it is none, or has bad sizes.
std::optional<Shape> shape_from_json(const nlohmann::ordered_json& object);

}  // namespace thenar::internal
