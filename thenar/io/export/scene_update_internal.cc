// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/export/scene_update_internal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "thenar/base/overloaded.h"
#include "thenar/contact/shape_bounds.h"
#include "thenar/io/report/replay_data_internal.h"
#include "thenar/io/text/json_internal.h"
#include "thenar/spatial/rotation.h"

namespace thenar::internal {
namespace {

constexpr int kAround = 48;  // Pieces of a full turn in meshes.

std::string dump(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json time_json(double t) {
  const auto ns = static_cast<std::int64_t>(std::llround(std::max(t, 0.0) * 1e9));
  return {{"sec", ns / 1'000'000'000}, {"nsec", ns % 1'000'000'000}};
}

Json xyz_json(const Vector3<double>& a) { return {{"x", a.x()}, {"y", a.y()}, {"z", a.z()}}; }

Json rotation_json(const Matrix3<double>& R) {
  const Vector4<double> q = quaternion_from_rotation(R);
  return {{"x", q(1)}, {"y", q(2)}, {"z", q(3)}, {"w", q(0)}};
}

Json placed(const Pose<double>& X) { return {{"position", xyz_json(X.p)}, {"orientation", rotation_json(X.R)}}; }

Json colour_json(std::uint32_t rgb, double alpha = 1) {
  const auto part = [&](int shift) { return (rgb >> shift & 0xff) / 255.0; };
  return {{"r", part(16)}, {"g", part(8)}, {"b", part(0)}, {"a", alpha}};
}

/// As in the report.
Json mode_colour(ContactMode motion) {
  switch (motion) {
    case ContactMode::stick:
      return colour_json(0x0072b2);
    case ContactMode::roll:
      return colour_json(0x009e73);
    case ContactMode::slide:
      return colour_json(0xe69f00);
    case ContactMode::spin:
      return colour_json(0xcc79a7);
    case ContactMode::open:
      break;
  }
  return colour_json(0x9aa4af);
}

/// An entity with nothing in it yet.
Json make_entity(const std::string& id, const std::string& frame, double t) {
  Json out = {{"timestamp", time_json(t)},
              {"frame_id", frame},
              {"id", id},
              {"lifetime", {{"sec", 0}, {"nsec", 0}}},
              {"frame_locked", true}};
  for (const char* list :
       {"metadata", "arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models"}) {
    out[list] = Json::array();
  }
  return out;
}

/// Adds the shapes of a body to its entity, each as primitives that together are the shape.
class ShapeDrawer {
 public:
  ShapeDrawer(Json& entity, const Json& colour, double size) : entity_(entity), colour_(colour), size_(size) {}

  void draw(const Shape& shape, const Pose<double>& X) {
    X_ = X;
    std::visit(
        Overloaded{[&](const Sphere& s) { sphere(Vector3<double>::Zero(), Vector3<double>::Constant(s.radius)); },
                   [&](const Ellipsoid& s) { sphere(Vector3<double>::Zero(), s.semi_axes); },
                   [&](const Cylinder& s) { cylinder({}, s.radius, s.length); },
                   [&](const Capsule& s) {
                     cylinder({}, s.radius, s.length);
                     for (const double side : {-0.5, 0.5}) {
                       sphere({0, 0, side * s.length}, Vector3<double>::Constant(s.radius));
                     }
                   },
                   [&](const Cone& s) { cylinder({}, s.radius, s.height, 0); }, [&](const Box& s) { box(s.sides); },
                   [&](const RoundedBox& s) { rounded_box(s); }, [&](const Torus& s) { torus(s); },
                   [&](const Rod& s) { cylinder({}, 0.005 * size_, s.length); }, [&](const Ellipse& s) { ellipse(s); },
                   [&](const Plane&) { plane(); }, [&](const Bowl& s) { bowl(s); }},
        shape);
  }

 private:
  void sphere(const Vector3<double>& p, const Vector3<double>& semi_axes) {
    entity_["spheres"].push_back(
        {{"pose", placed(X_ * Pose<double>::translation(p))}, {"size", xyz_json(2 * semi_axes)}, {"color", colour_}});
  }

  void box(const Vector3<double>& sides, const Vector3<double>& middle = Vector3<double>::Zero()) {
    entity_["cubes"].push_back(
        {{"pose", placed(X_ * Pose<double>::translation(middle))}, {"size", xyz_json(sides)}, {"color", colour_}});
  }

  void cylinder(const Pose<double>& X_SC, double radius, double length, double top = 1) {
    entity_["cylinders"].push_back({{"pose", placed(X_ * X_SC)},
                                    {"size", xyz_json({2 * radius, 2 * radius, length})},
                                    {"bottom_scale", 1.0},
                                    {"top_scale", top},
                                    {"color", colour_}});
  }

  /// Three boxes, twelve edges, eight corners.
  void rounded_box(const RoundedBox& s) {
    const Vector3<double> inside = s.sides.array() - 2 * s.radius;
    for (int i = 0; i < 3; ++i) {
      Vector3<double> sides = inside;
      sides(i) = s.sides(i);
      if (sides.minCoeff() > 0) box(sides);
    }
    for (int axis = 0; axis < 3; ++axis) {
      const Matrix3<double> R = rotation_with_z_along(Vector3<double>::Unit(axis));
      for (const double a : {-0.5, 0.5}) {
        for (const double b : {-0.5, 0.5}) {
          Vector3<double> middle = Vector3<double>::Zero();
          middle((axis + 1) % 3) = a * inside((axis + 1) % 3);
          middle((axis + 2) % 3) = b * inside((axis + 2) % 3);
          if (inside(axis) > 0) cylinder({R, middle}, s.radius, inside(axis));
        }
      }
    }
    for (int corner = 0; corner < 8; ++corner) {
      const Vector3<double> side((corner & 1) - 0.5, (corner >> 1 & 1) - 0.5, (corner >> 2) - 0.5);
      sphere(side.cwiseProduct(inside), Vector3<double>::Constant(s.radius));
    }
  }

  void torus(const Torus& s) {
    grid(2 * kAround, kAround / 2, [&](double u, double v) {
      const double a = 2 * std::numbers::pi * u, b = 2 * std::numbers::pi * v;
      const double r = s.radius + s.tube * std::cos(b);
      return Vector3<double>(r * std::cos(a), r * std::sin(a), s.tube * std::sin(b));
    });
  }

  void ellipse(const Ellipse& s) {
    grid(kAround, 1, [&](double u, double v) {
      const double a = 2 * std::numbers::pi * u;
      return Vector3<double>(v * s.a * std::cos(a), v * s.b * std::sin(a), 0);
    });
  }

  /// A slab below the surface.
  void plane() {
    const double thick = 0.01 * size_;
    box({8 * size_, 8 * size_, thick}, {0, 0, -thick / 2});
  }

  void bowl(const Bowl& s) {
    const double centre = s.radius - s.depth, rim = std::acos(std::clamp(centre / s.radius, -1.0, 1.0));
    grid(2 * kAround, kAround / 2, [&](double u, double v) {
      const double a = 2 * std::numbers::pi * u, r = s.radius * std::sin(rim * v);
      return Vector3<double>(r * std::cos(a), r * std::sin(a), centre - s.radius * std::cos(rim * v));
    });
  }

  /// A surface over the unit square, as triangles.
  template <class Surface>
  void grid(int nu, int nv, const Surface& surface) {
    Json points = Json::array(), indices = Json::array();
    for (int i = 0; i <= nu; ++i) {
      for (int k = 0; k <= nv; ++k) {
        points.push_back(xyz_json(surface(static_cast<double>(i) / nu, static_cast<double>(k) / nv)));
        const int a = i * (nv + 1) + k, b = a + nv + 1;
        if (i == nu || k == nv) continue;
        for (const int index : {a, b, b + 1, a, b + 1, a + 1}) indices.push_back(index);
      }
    }
    entity_["triangles"].push_back({{"pose", placed(X_)},
                                    {"points", points},
                                    {"color", colour_},
                                    {"colors", Json::array()},
                                    {"indices", indices}});
  }

  Json& entity_;
  const Json& colour_;
  double size_;
  Pose<double> X_;
};

Json body_colour(const TraceScene& scene, BodyIndex body) {
  if (!is_moving(scene.model, body)) return colour_json(0xb9bfc6);
  return colour_json(is_link_name(scene.model.body(body).name) ? 0x8fa3b8 : 0xecd6a8);
}

}  // namespace

double calc_scene_size(const TraceScene& scene, const std::vector<Pose<double>>& poses) {
  std::optional<Bounds> all;
  const auto add = [&](const Bounds& bounds) { all = all ? join(*all, bounds) : bounds; };
  for (const BodyShape& shape : scene.shapes) {
    if (is_unbounded(shape.shape)) continue;
    add(calc_bounds(make_core(shape.shape), poses[static_cast<std::size_t>(shape.body)] * shape.X_BS));
  }
  for (const Pose<double>& X : poses) {
    const Vec3<double> p{X.p.x(), X.p.y(), X.p.z()};
    add({p, p});
  }
  const double size = all ? (all->high - all->low).eigen().norm() / 2 : 0;
  return size > 0 ? size : 1;
}

std::string scene_update_json(const TraceScene& scene, double size, double t) {
  Json entities = Json::array();
  for (int i = 0; i < scene.model.body_count(); ++i) {
    const std::string& name = scene.model.body(BodyIndex(i)).name;
    Json entity = make_entity(name, name, t);
    const Json colour = body_colour(scene, BodyIndex(i));
    ShapeDrawer drawer(entity, colour, size);
    bool has_shape = false;
    for (const BodyShape& shape : scene.shapes) {
      if (shape.body != BodyIndex(i)) continue;
      drawer.draw(shape.shape, shape.X_BS);
      has_shape = true;
    }
    if (has_shape) entities.push_back(std::move(entity));
  }
  return dump({{"deletions", Json::array()}, {"entities", entities}});
}

std::string transforms_json(const TraceScene& scene, const std::vector<Pose<double>>& poses, double t) {
  Json transforms = Json::array();
  for (int i = 1; i < scene.model.body_count(); ++i) {
    const Pose<double>& X = poses[static_cast<std::size_t>(i)];
    transforms.push_back({{"timestamp", time_json(t)},
                          {"parent_frame_id", "world"},
                          {"child_frame_id", scene.model.body(BodyIndex(i)).name},
                          {"translation", xyz_json(X.p)},
                          {"rotation", rotation_json(X.R)}});
  }
  return dump({{"transforms", transforms}});
}

std::string forces_json(const std::vector<Contact>& contacts, double size, double per_newton, double t) {
  Json entity = make_entity("forces", "world", t);
  for (const Contact& contact : contacts) {
    const Vector3<double> force = calc_world_force(contact).eigen();
    const double length = force.norm() * per_newton;
    if (!(length > 1e-6 * size)) continue;
    // Arrows point along x: z turned there first.
    const Matrix3<double> along = rotation_with_z_along(force.normalized()) *
                                  rotation_about_axis(Vector3<double>::UnitY(), -std::numbers::pi / 2);
    const double head = std::min(0.06 * size, 0.5 * length);
    entity["arrows"].push_back({{"pose", placed({along, contact.point_A.eigen()})},
                                {"shaft_length", length - head},
                                {"shaft_diameter", 0.015 * size},
                                {"head_length", head},
                                {"head_diameter", 0.04 * size},
                                {"color", mode_colour(contact.mode)}});
  }
  return dump({{"deletions", Json::array()}, {"entities", Json::array({entity})}});
}

}  // namespace thenar::internal
