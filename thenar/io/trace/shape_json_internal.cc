// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/trace/shape_json_internal.h"

#include <cmath>
#include <utility>

#include "thenar/io/text/json_internal.h"
#include "thenar/spatial/rotation.h"

namespace thenar::internal {
namespace {

double number_of(const Json& value) { return value.is_number() ? value.get<double>() : std::nan(""); }

/// The i-th number of a list, or NaN, which no shape may have.
double item(const Json& list, std::size_t i) {
  return list.is_array() && i < list.size() ? number_of(list[i]) : std::nan("");
}

/// Reads the sizes of a shape; one that is not there is NaN.
class JsonSizeReader {
 public:
  explicit JsonSizeReader(const Json& sizes) : sizes_(sizes) {}

  void operator()(const char* name, double& length) const { length = number_of(find(name)); }
  void operator()(const char* name, double& a, double& b) const {
    const Json list = find(name);
    a = item(list, 0);
    b = item(list, 1);
  }
  void operator()(const char* name, Vector3<double>& lengths) const {
    const Json list = find(name);
    lengths = {item(list, 0), item(list, 1), item(list, 2)};
  }

 private:
  Json find(const char* name) const {
    if (*name == 0) return sizes_;
    return sizes_.is_object() && sizes_.contains(name) ? sizes_[name] : Json();
  }

  const Json& sizes_;
};

/// Writes them.
class JsonSizeWriter {
 public:
  void operator()(const char* name, double length) { put(name, length); }
  void operator()(const char* name, double a, double b) { put(name, Json::array({a, b})); }
  void operator()(const char* name, const Vector3<double>& lengths) { put(name, vector_json(lengths)); }

  Json take() { return std::move(sizes_); }

 private:
  void put(const char* name, Json size) {
    if (*name == 0) {
      sizes_ = std::move(size);
    } else {
      sizes_[name] = std::move(size);
    }
  }

  Json sizes_ = Json::object();
};

std::optional<Shape> make_shape(const std::string& word, const Json& sizes) {
  std::optional<Shape> out;
  for_each_shape([&]<class S>(S shape) {
    if (word != S::kName) return;
    S::visit(shape, JsonSizeReader(sizes));
    out = shape;
  });
  return out;
}

}  // namespace

Json vector_json(const Vector3<double>& a) { return {a.x(), a.y(), a.z()}; }

Json pose_json(const Pose<double>& X) {
  const Vector4<double> q = quaternion_from_rotation(X.R);
  return {{"xyz", vector_json(X.p)}, {"quaternion", {q(0), q(1), q(2), q(3)}}};
}

Json shape_json(const Shape& shape) {
  JsonSizeWriter sizes;
  std::visit([&]<class S>(const S& s) { S::visit(s, sizes); }, shape);
  return {{shape_name(shape), sizes.take()}};
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
