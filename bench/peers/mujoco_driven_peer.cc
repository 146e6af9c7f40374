// SPDX-License-Identifier: BSD-3-Clause
//
// Driven models by MuJoCo (Apache-2.0): mj_step, with forces that are set before every evaluation of the dynamics, the
// stages of RK4 included. One source for the old library of the distribution and a new one.

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "driven_peer.h"
#include "mujoco_model.h"

namespace {

using thenar_peer::DataPtr;
using thenar_peer::ModelPtr;

class World {
 public:
  World(const DrivenScene& scene)
      : model_(thenar_peer::load_mjcf(scene.mjcf)),
        data_(mj_makeData(model_.get())),
        half_step_(0.5 * scene.h),
        rows_(scene.row_count),
        forces_(scene.forces) {
    if (!data_) throw std::runtime_error("no memory for the data");
    for (int i = 0; i < scene.joint_count; ++i) {
      const int id = find_joint(scene.joints[i]);
      places_.push_back(model_->jnt_qposadr[id]);
      dofs_.push_back(model_->jnt_dofadr[id]);
      data_->qpos[places_.back()] = scene.q[i];
    }
    const int id = find_joint(scene.free_joint);
    free_place_ = model_->jnt_qposadr[id];
    std::copy_n(scene.free_q, 7, data_->qpos + free_place_);
    for (int k = 0; k < 3; ++k) dofs_.push_back(model_->jnt_dofadr[id] + k);
    mj_forward(model_.get(), data_.get());
  }

  bool step(int count) {
    driven_ = this;
    mjcb_control = drive;
    for (int i = 0; i < count; ++i) mj_step(model_.get(), data_.get());
    mjcb_control = nullptr;
    return !thenar_peer::has_blown_up(*data_);
  }

  void read(double* q) const {
    std::copy_n(data_->qpos + free_place_, 7, q);
    for (std::size_t i = 0; i < places_.size(); ++i) q[7 + i] = data_->qpos[places_[i]];
  }

  int contact_count() const { return data_->ncon; }

 private:
  int find_joint(const char* name) const {
    const int id = mj_name2id(model_.get(), mjOBJ_JOINT, name);
    if (id < 0) throw std::runtime_error(std::string("no joint ") + name);
    return id;
  }

  static void drive(const mjModel*, mjData* data) {
    const World& world = *driven_;
    const long row = std::min(std::lround(data->time / world.half_step_), world.rows_ - 1);
    const double* forces = world.forces_ + static_cast<std::size_t>(row) * world.dofs_.size();
    for (std::size_t i = 0; i < world.dofs_.size(); ++i) data->qfrc_applied[world.dofs_[i]] = forces[i];
  }

  static const World* driven_;  // MuJoCo's callbacks know no owner

  ModelPtr model_;
  DataPtr data_;
  double half_step_;
  long rows_;
  const double* forces_;
  std::vector<int> places_, dofs_;
  int free_place_ = 0;
};

const World* World::driven_ = nullptr;

void* create(const DrivenScene* scene, char* error) {
  try {
    return new World(*scene);
  } catch (const std::exception& e) {
    std::snprintf(error, 256, "%s", e.what());
    return nullptr;
  }
}

bool step(void* world, int count) { return static_cast<World*>(world)->step(count); }
void read(void* world, double* q) { static_cast<const World*>(world)->read(q); }
int count_contacts(void* world) { return static_cast<const World*>(world)->contact_count(); }
void destroy(void* world) { delete static_cast<World*>(world); }

}  // namespace

extern "C" __attribute__((visibility("default"))) void thenar_driven_peer(DrivenPeer* peer) {
  static const std::string name = std::string("MuJoCo ") + mj_versionString();
  mju_user_warning = thenar_peer::ignore_warning;
  *peer = {name.c_str(), create, step, read, count_contacts, destroy};
}
