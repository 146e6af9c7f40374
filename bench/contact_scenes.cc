// SPDX-License-Identifier: BSD-3-Clause
#include "contact_scenes.h"

#include <fmt/format.h>

#include <cmath>

namespace thenar::bench {
namespace {

constexpr double kGravity = 9.81;  // m/s²
constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kDegree = M_PI / 180;
constexpr double kPinched = 4e-3;  // m, radius of what is pinched

void set(double* to, const Numbers3& from) {
  for (std::size_t i = 0; i < 3; ++i) to[i] = from[i];
}

Numbers3 operator*(double s, const Numbers3& v) { return {s * v[0], s * v[1], s * v[2]}; }

/// Moments of inertia of the solid, evenly filled.
Numbers3 calc_inertia(const SceneBody& body) {
  const double m = body.mass, r = body.size[0], l = body.size[1];
  switch (body.shape) {
    case kSceneSphere:
      return 0.4 * m * r * r * Numbers3{1, 1, 1};
    case kSceneBox: {
      const double xx = r * r, yy = l * l, zz = body.size[2] * body.size[2];
      return m / 12 * Numbers3{yy + zz, xx + zz, xx + yy};
    }
    case kSceneCylinder: {
      const double across = m * (3 * r * r + l * l) / 12;
      return {across, across, 0.5 * m * r * r};
    }
    case kSceneCapsule: {
      // A cylinder and two half balls, whose centres of mass lie 3/8 r from their flat sides.
      const double balls = m * (4 * r) / (4 * r + 3 * l), cylinder = m - balls;
      const double across = cylinder * (3 * r * r + l * l) / 12 + balls * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
      return {across, across, 0.5 * cylinder * r * r + 0.4 * balls * r * r};
    }
    case kScenePlane:
      break;
  }
  return {};
}

SceneBody make_body(SceneShape shape, const Numbers3& size, SceneMotion motion, double mass, const Numbers3& p) {
  SceneBody body{};
  body.shape = shape;
  body.motion = motion;
  body.mass = mass;
  body.quat[0] = 1;
  body.force_until = kForever;
  set(body.size, size);
  set(body.p, p);
  set(body.inertia, calc_inertia(body));
  return body;
}

/// By an angle about an axis of the world, in place.
SceneBody turned(SceneBody body, int axis, double angle) {
  body.quat[0] = std::cos(angle / 2);
  body.quat[axis + 1] = std::sin(angle / 2);
  return body;
}

SceneBody moving(SceneBody body, const Numbers3& velocity) {
  set(body.velocity, velocity);
  return body;
}

SceneBody pushed(SceneBody body, const Numbers3& force, double until = kForever) {
  set(body.force, force);
  body.force_until = until;
  return body;
}

SceneBody floor_plane() { return make_body(kScenePlane, {}, kSceneFixed, 0, {}); }

/// A cube of 0.1 m and 1 kg on the floor.
SceneBody cube() { return make_body(kSceneBox, {0.1, 0.1, 0.1}, kSceneFree, 1, {0, 0, 0.05}); }

/// A body on a floor that is turned down along x by `angle`. `height`: of its centre over the plane.
ContactScene make_incline(const std::string& name, SceneBody body, double height, double angle, double friction,
                          double acceleration) {
  ContactScene scene{.name = name, .bodies = {}, .friction = friction};
  scene.up = {std::sin(angle), 0, std::cos(angle)};
  set(body.p, height * scene.up);
  scene.bodies = {turned(body, 1, angle), turned(floor_plane(), 1, angle)};
  scene.travel = 0.5 * acceleration * Numbers3{std::cos(angle), 0, -std::sin(angle)};
  return scene;
}

/// v₀ along x: friction slows the body down until it rolls at v₀ / (1 + 1/k) with the inertia 1/k m r², k = 2 for a
/// disc, 5/2 for a ball.
ContactScene make_slide_to_roll(const std::string& name, const SceneBody& body, double k) {
  constexpr double kStart = 2, kFriction = 0.3;
  const double t = kStart / ((1 + k) * kFriction * kGravity), v = kStart * k / (1 + k);
  ContactScene scene{.name = name, .bodies = {moving(body, {kStart, 0, 0}), floor_plane()}, .friction = kFriction};
  scene.travel = {0.5 * (kStart + v) * t + v * (scene.known_at - t), 0, 0};
  return scene;
}

ContactScene make_stop(const std::string& name, const SceneBody& body, double speed, double friction) {
  ContactScene scene{.name = name, .bodies = {moving(body, {speed, 0, 0}), floor_plane()}, .friction = friction};
  scene.travel = {speed * speed / (2 * friction * kGravity), 0, 0};
  return scene;
}

/// Two pads on slides along x squeeze a body of 45 g, 8 mm wide.
ContactScene make_pinch(const char* name, double force, const SceneBody& body) {
  constexpr double kPad = 0.02;
  const auto pad = [&](double side) {
    return pushed(make_body(kSceneBox, {kPad, 2 * kPad, kPad}, kSceneSlide, 0.5, {side * (kPinched + kPad / 2), 0, 0}),
                  {-side * force, 0, 0});
  };
  ContactScene scene{.name = fmt::format("{} pinched with {:g} N", name, force), .bodies = {}, .friction = 0.7};
  scene.bodies = {body, pad(-1), pad(1)};
  scene.up = {};
  return scene;
}

ContactScene make_wall() {
  SceneBody body = pushed(cube(), {-20, 0, 0});
  set(body.p, {0.05, 0, 0});
  ContactScene scene{
      .name = "cube pressed on a wall", .bodies = {body, turned(floor_plane(), 1, 90 * kDegree)}, .friction = 1};
  scene.up = {1, 0, 0};
  return scene;
}

/// Pushed with 12 N for 88 ms, then let go: it slides on and stops.
ContactScene make_push() {
  constexpr double kForce = 12, kTime = 0.088, kFriction = 0.5;
  const double slowing = kFriction * kGravity, acceleration = kForce / 1 - slowing, v = acceleration * kTime;
  ContactScene scene{.name = "cube pushed and let go",
                     .bodies = {pushed(cube(), {kForce, 0, 0}, kTime), floor_plane()},
                     .friction = kFriction};
  scene.travel = {0.5 * v * kTime + v * v / (2 * slowing), 0, 0};
  return scene;
}

// --- Text for Thenar -----------------------------------------------------------------------------------------------

std::string list_text(const double* x, int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", x[i]);
  return text + "]";
}

std::string shape_text(const SceneBody& body) {
  const double* s = body.size;
  switch (body.shape) {
    case kSceneSphere:
      return fmt::format("{{sphere: {}}}", s[0]);
    case kSceneBox:
      return fmt::format("{{box: {}}}", list_text(s, 3));
    case kSceneCapsule:
      return fmt::format("{{capsule: {{radius: {}, length: {}}}}}", s[0], s[1]);
    case kSceneCylinder:
      return fmt::format("{{cylinder: {{radius: {}, length: {}}}}}", s[0], s[1]);
    case kScenePlane:
      break;
  }
  return "{plane: {}}";
}

std::string pose_text(const SceneBody& body) {
  return fmt::format("{{xyz: {}, quat: {}}}", list_text(body.p, 3), list_text(body.quat, 4));
}

std::string mass_text(const SceneBody& body) {
  return fmt::format("shape: {}, mass: {}, inertia: {}", shape_text(body), body.mass, list_text(body.inertia, 3));
}

std::string object_text(const SceneBody& body, std::size_t i) {
  if (body.motion == kSceneFixed) {
    return fmt::format("  - {{name: b{}, joint: fixed, pose: {}, shape: {}}}\n", i, pose_text(body), shape_text(body));
  }
  return fmt::format("  - {{name: b{}, pose: {}, velocity: {{angular: {}, linear: {}}}, {}}}\n", i, pose_text(body),
                     list_text(body.angular, 3), list_text(body.velocity, 3), mass_text(body));
}

std::string slide_text(const SceneBody& body, std::size_t i) {
  return fmt::format(
      "  - {{name: b{}, base: {}, v: {{slide: {}}}, bodies: [{{name: pad, joint: {{name: slide, type: prismatic, axis: "
      "[1, 0, 0]}}, {}}}]}}\n",
      i, pose_text(body), body.velocity[0], mass_text(body));
}

std::string wrench_text(const SceneBody& body, std::size_t i) {
  const double* f = body.force;
  if (f[0] == 0 && f[1] == 0 && f[2] == 0) return {};
  const auto part = [&](double force) {
    if (std::isinf(body.force_until) || force == 0) return fmt::format("{}", force);
    return fmt::format("{}*pulse(t,0,{})", force, body.force_until);
  };
  const char* end = body.motion == kSceneSlide ? ".pad" : "";
  return fmt::format("  - {{body: b{}{}, force: [\"{}\", \"{}\", \"{}\"]}}\n", i, end, part(f[0]), part(f[1]),
                     part(f[2]));
}

}  // namespace

SceneDescription ContactScene::description() const {
  return {static_cast<int>(bodies.size()), bodies.data(), friction, {0, 0, -kGravity}};
}

std::string ContactScene::scenario_text(const std::string& run) const {
  std::string hands, objects, wrenches;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].motion == kSceneSlide) {
      hands += slide_text(bodies[i], i);
    } else {
      objects += object_text(bodies[i], i);
    }
    wrenches += wrench_text(bodies[i], i);
  }
  const auto section = [](const char* key, const std::string& items) {
    return items.empty() ? items : fmt::format("{}:\n{}", key, items);
  };
  return fmt::format("thenar: 1\ngravity: [0, 0, {}]\n{}{}{}contacts: {{friction: {}}}\nrun: {{until: {}, {}}}\n",
                     -kGravity, section("hands", hands), section("objects", objects), section("wrenches", wrenches),
                     friction, until, run);
}

std::vector<ContactScene> make_precision_scenes() {
  constexpr double kRadius = 0.1;
  const SceneBody ball = make_body(kSceneSphere, {kRadius, 0, 0}, kSceneFree, 1, {0, 0, kRadius});
  const SceneBody disc =
      turned(make_body(kSceneCylinder, {kRadius, 0.05, 0}, kSceneFree, 1, {0, 0, kRadius}), 0, 90 * kDegree);
  const double roll = 20 * kDegree, slide = 30 * kDegree, friction = 0.3;
  return {make_incline("ball rolls down 20 deg", ball, kRadius, roll, 0.5, 5.0 / 7 * kGravity * std::sin(roll)),
          make_incline("box slides down 30 deg", cube(), 0.05, slide, friction,
                       kGravity * (std::sin(slide) - friction * std::cos(slide))),
          make_slide_to_roll("disc slides, then rolls", disc, 2),
          make_slide_to_roll("ball slides, then rolls", ball, 2.5),
          make_stop("box slides and stops", cube(), 1, friction)};
}

std::vector<ContactScene> make_rest_scenes(double until) {
  const SceneBody ball = make_body(kSceneSphere, {kPinched, 0, 0}, kSceneFree, 0.045, {});
  const SceneBody capsule =
      turned(make_body(kSceneCapsule, {kPinched, 0.02, 0}, kSceneFree, 0.045, {}), 0, 90 * kDegree);
  ContactScene fast = make_stop("cube slides at 6 m/s and stops", cube(), 6, 0.5);
  fast.known_at = 2;
  std::vector<ContactScene> scenes = {make_pinch("ball", 12, ball),
                                      make_pinch("capsule", 12, capsule),
                                      make_pinch("capsule", 60, capsule),
                                      make_wall(),
                                      fast,
                                      make_push()};
  for (ContactScene& scene : scenes) scene.until = until;
  return scenes;
}

}  // namespace thenar::bench
