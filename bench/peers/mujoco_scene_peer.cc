// SPDX-License-Identifier: BSD-3-Clause
//
// Contact scenes by MuJoCo (Apache-2.0): mj_step as it comes (Euler, Newton's method), with what its documentation
// recommends against slip, with contacts as stiff as they can be, and with RK4. One source for the old library of the
// distribution and a new one.

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "mujoco_model.h"
#include "scene_peer.h"

namespace {

using thenar_peer::attribute;
using thenar_peer::DataPtr;
using thenar_peer::ModelPtr;

struct Setting {
  const char* name;
  bool is_elliptic;
  double impratio;
  int noslip_iterations;
  bool is_stiff = false;  ///< contacts with the shortest time constant that MuJoCo allows, two steps, instead of 20 ms
  bool is_rk4 = false;    ///< instead of Euler
};
constexpr std::array kSettings{Setting{"default (pyramidal)", false, 1, 0},
                               Setting{"elliptic", true, 1, 0},
                               Setting{"elliptic, impratio 10", true, 10, 0},
                               Setting{"elliptic, impratio 100", true, 100, 0},
                               Setting{"elliptic, noslip 10", true, 1, 10},
                               Setting{"elliptic, impratio 100, stiff", true, 100, 0, true},
                               Setting{"elliptic, noslip 10, stiff", true, 1, 10, true},
                               Setting{"elliptic, impratio 100, RK4", true, 100, 0, false, true},
                               Setting{"elliptic, impratio 100, stiff, RK4", true, 100, 0, true, true}};

std::vector<double> numbers_of(const double* x, int count) { return {x, x + count}; }

std::string header_text(const Setting& setting, const SceneDescription& scene, double h) {
  return "<mujoco><compiler inertiafromgeom=\"false\"/><option" + attribute("timestep", {h}) +
         attribute("gravity", numbers_of(scene.gravity, 3)) + " cone=\"" +
         (setting.is_elliptic ? "elliptic" : "pyramidal") + "\" integrator=\"" + (setting.is_rk4 ? "RK4" : "Euler") +
         "\"" + attribute("impratio", {setting.impratio}) + " noslip_iterations=\"" +
         std::to_string(setting.noslip_iterations) + "\"/><default><geom" +
         attribute("friction", {scene.friction, 0.005, 0.0001}) +
         (setting.is_stiff ? attribute("solref", {2 * h, 1}) : std::string()) + "/></default>";
}

std::string geom_text(const SceneBody& body) {
  const double* s = body.size;
  const auto geom = [](const char* type, const std::vector<double>& size) {
    return std::string("<geom type=\"") + type + "\"" + attribute("size", size) + "/>";
  };
  switch (body.shape) {
    case kSceneSphere:
      return geom("sphere", {s[0]});
    case kSceneBox:
      return geom("box", {s[0] / 2, s[1] / 2, s[2] / 2});
    case kSceneCapsule:
      return geom("capsule", {s[0], s[1] / 2});
    case kSceneCylinder:
      return geom("cylinder", {s[0], s[1] / 2});
    case kScenePlane:
      break;
  }
  return geom("plane", {0, 0, 1});
}

/// Body and joint are called by the number of the body. Slides are not turned, so that x of the body is x of the world.
std::string body_text(const SceneBody& body, int number) {
  const std::string name = " name=\"" + std::to_string(number) + "\"";
  std::string text =
      "<body" + name + attribute("pos", numbers_of(body.p, 3)) + attribute("quat", numbers_of(body.quat, 4)) + ">";
  if (body.motion != kSceneFixed) {
    text += body.motion == kSceneFree ? "<freejoint" + name + "/>"
                                      : "<joint" + name + " type=\"slide\" axis=\"1 0 0\" limited=\"false\"/>";
    text += "<inertial pos=\"0 0 0\"" + attribute("mass", {body.mass}) +
            attribute("diaginertia", numbers_of(body.inertia, 3)) + "/>";
  }
  return text + geom_text(body) + "</body>";
}

std::string mjcf_text(const Setting& setting, const SceneDescription& scene, double h) {
  std::string text = header_text(setting, scene, h) + "<worldbody>";
  for (int i = 0; i < scene.body_count; ++i) text += body_text(scene.bodies[i], i);
  return text + "</worldbody></mujoco>";
}

class World {
 public:
  World(const Setting& setting, const SceneDescription& scene, double h)
      : bodies_(scene.bodies, scene.bodies + scene.body_count),
        model_(thenar_peer::load_mjcf(mjcf_text(setting, scene, h))),
        data_(mj_makeData(model_.get())) {
    if (!data_) throw std::runtime_error("no memory for the data");
    for (int i = 0; i < scene.body_count; ++i) {
      ids_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, std::to_string(i).c_str()));
      set_velocity(scene.bodies[i], ids_.back());
    }
    mj_forward(model_.get(), data_.get());
  }

  bool step() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const bool is_pushed = data_->time + 0.5 * model_->opt.timestep < bodies_[i].force_until;
      mjtNum* force = data_->xfrc_applied + 6 * ids_[i];
      for (int k = 0; k < 3; ++k) force[k] = is_pushed ? bodies_[i].force[k] : 0;
    }
    mj_step(model_.get(), data_.get());
    return !thenar_peer::has_blown_up(*data_);
  }

  /// From positions and velocities themselves: other poses in the data are those of the step before.
  void read(int body, SceneBodyState& state) const {
    const int joint = model_->body_jntadr[ids_[static_cast<std::size_t>(body)]];
    const mjtNum *q = data_->qpos + model_->jnt_qposadr[joint], *v = data_->qvel + model_->jnt_dofadr[joint];
    mjtNum w[3];
    mju_rotVecQuat(w, v + 3, q + 3);
    state = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
  }

 private:
  /// Of a free body angular velocities are along its own axes.
  void set_velocity(const SceneBody& body, int id) {
    if (body.motion == kSceneFixed) return;
    mjtNum* v = data_->qvel + model_->body_dofadr[id];
    v[0] = body.velocity[0];
    if (body.motion == kSceneSlide) return;
    std::copy_n(body.velocity, 3, v);
    mjtNum inverse[4];
    mju_negQuat(inverse, body.quat);
    mju_rotVecQuat(v + 3, body.angular, inverse);
  }

  std::vector<SceneBody> bodies_;
  ModelPtr model_;
  DataPtr data_;
  std::vector<int> ids_;
};

void* create(const void* self, const SceneDescription* scene, double h, char* error) {
  try {
    return new World(*static_cast<const Setting*>(self), *scene, h);
  } catch (const std::exception& e) {
    std::snprintf(error, 256, "%s", e.what());
    return nullptr;
  }
}

bool step(void* world, int count) {
  for (int i = 0; i < count; ++i) {
    if (!static_cast<World*>(world)->step()) return false;
  }
  return true;
}

void read(void* world, int body, SceneBodyState* state) { static_cast<const World*>(world)->read(body, *state); }

void destroy(void* world) { delete static_cast<World*>(world); }

}  // namespace

extern "C" __attribute__((visibility("default"))) bool thenar_scene_peer(int number, ScenePeer* peer) {
  // Two versions in one process share their symbols' names: open peers with RTLD_LOCAL, link the program to neither.
  if (mj_version() != mjVERSION_HEADER || number < 0 || number >= static_cast<int>(kSettings.size())) return false;
  static const std::string name = std::string("MuJoCo ") + mj_versionString();
  mju_user_warning = thenar_peer::ignore_warning;
  const Setting& setting = kSettings[static_cast<std::size_t>(number)];
  *peer = {name.c_str(), setting.name, &setting, create, step, read, destroy};
  return true;
}
