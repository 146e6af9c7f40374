// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/shape_json_internal.h"

#include <cmath>

#include "thenar/base/overloaded.h"
#include "thenar/io/text/json_internal.h"
#include "thenar/spatial/rotation.h"

namespace thenar::internal {
namespace {

/// A number of the object, or NaN, which no shape may have.
double number_at(const Json& object, const char* key) {
  const bool is_there = object.is_object() && object.contains(key) && object[key].is_number();
  return is_there ? object[key].get<double>() : std::nan("");
}

double number_at(const Json& value) { return value.is_number() ? value.get<double>() : std::nan(""); }

/// The i-th number of a list, likewise.
double item(const Json& list, std::size_t i) {
  return list.is_array() && i < list.size() ? number_at(list[i]) : std::nan("");
}

Vector3<double> read_vector(const Json& list) { return {item(list, 0), item(list, 1), item(list, 2)}; }

std::optional<Shape> make_shape(const std::string& word, const Json& sizes) {
  if (word == "sphere") return Sphere{number_at(sizes)};
  if (word == "ellipsoid") return Ellipsoid{read_vector(sizes)};
  if (word == "box") return Box{read_vector(sizes)};
  if (word == "cylinder") return Cylinder{number_at(sizes, "radius"), number_at(sizes, "length")};
  if (word == "capsule") return Capsule{number_at(sizes, "radius"), number_at(sizes, "length")};
  if (word == "cone") return Cone{number_at(sizes, "radius"), number_at(sizes, "height")};
  if (word == "rounded_box") {
    const bool has_sides = sizes.is_object() && sizes.contains("sides");
    return RoundedBox{read_vector(has_sides ? sizes["sides"] : Json()), number_at(sizes, "radius")};
  }
  if (word == "torus") return Torus{number_at(sizes, "radius"), number_at(sizes, "tube")};
  if (word == "rod") return Rod{number_at(sizes)};
  if (word == "ellipse") return Ellipse{item(sizes, 0), item(sizes, 1)};
  if (word == "plane") return Plane{};
  if (word == "bowl") return Bowl{number_at(sizes, "radius"), number_at(sizes, "depth")};
  return std::nullopt;
}

}  // namespace

Json vector_json(const Vector3<double>& a) { return {a.x(), a.y(), a.z()}; }

Json pose_json(const Pose<double>& X) {
  const Vector4<double> q = quaternion_from_rotation(X.R);
  return {{"xyz", vector_json(X.p)}, {"quaternion", {q(0), q(1), q(2), q(3)}}};
}

Json shape_json(const Shape& shape) {
  const Json sizes = std::visit(Overloaded{
                                    [](const Sphere& s) -> Json { return s.radius; },
                                    [](const Ellipsoid& s) -> Json { return vector_json(s.semi_axes); },
                                    [](const Cylinder& s) -> Json {
                                      return {{"radius", s.radius}, {"length", s.length}};
                                    },
                                    [](const Capsule& s) -> Json {
                                      return {{"radius", s.radius}, {"length", s.length}};
                                    },
                                    [](const Cone& s) -> Json {
                                      return {{"radius", s.radius}, {"height", s.height}};
                                    },
                                    [](const Box& s) -> Json { return vector_json(s.sides); },
                                    [](const RoundedBox& s) -> Json {
                                      return {{"sides", vector_json(s.sides)}, {"radius", s.radius}};
                                    },
                                    [](const Torus& s) -> Json {
                                      return {{"radius", s.radius}, {"tube", s.tube}};
                                    },
                                    [](const Rod& s) -> Json { return s.length; },
                                    [](const Ellipse& s) -> Json {
                                      return Json::array({s.a, s.b});
                                    },
                                    [](const Plane&) -> Json { return Json::object(); },
                                    [](const Bowl& s) -> Json {
                                      return {{"radius", s.radius}, {"depth", s.depth}};
                                    },
                                },
                                shape);
  return {{shape_name(shape), sizes}};
}

std::vector<Json> shapes_by_body(const Model& model, const std::vector<BodyShape>& shapes) {
  std::vector<Json> out(static_cast<std::size_t>(model.body_count()), Json::array());
  for (const BodyShape& shape : shapes) {
    out[static_cast<std::size_t>(shape.body)].push_back(
        {{"shape", shape_json(shape.shape)}, {"pose", pose_json(shape.X_BS)}});
  }
  return out;
}

std::optional<Shape> shape_from_json(const Json& object) {
  if (!object.is_object() || object.size() != 1) return std::nullopt;
  const std::optional<Shape> shape = make_shape(object.begin().key(), object.begin().value());
  return shape && !find_fault(*shape) ? shape : std::nullopt;
}

}  // namespace thenar::internal
