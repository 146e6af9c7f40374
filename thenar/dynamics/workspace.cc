// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/workspace.h"

#include <type_traits>

#include "thenar/dynamics/instantiate_internal.h"

namespace thenar {

template <class T>
Workspace<T>::Workspace(const Model& model) {
  const auto links = static_cast<std::size_t>(model.link_count() + 1);
  const auto dofs = static_cast<std::size_t>(model.velocity_count());
  const Vec3<T> zero = Vec3<T>::zero();
  frame.assign(links, {Mat3<T>::identity(), zero});
  axis.assign(dofs, zero);
  motion.assign(links, {zero, zero, zero});
  origin_position.assign(links, zero);
  origin_velocity.assign(links, zero);
  rigid.assign(links, RigidInertia<T>::zero());
  articulated.assign(links, ArticulatedInertia<T>::zero());
  force.assign(links, Wrench<T>::zero());
  acceleration.assign(links, Motion<T>::zero());
  dof.assign(dofs, {Wrench<T>::zero(), T(0), T(0)});
  if constexpr (std::is_same_v<T, double>) {
    lane.resize(static_cast<std::size_t>(model.finger_lanes().step_count));
    side_force.assign(links, Wrench<Pack4>::zero());
  }
}

#define THENAR_INSTANTIATE(T) template struct Workspace<T>;
THENAR_FOR_EACH_SCALAR(THENAR_INSTANTIATE)
#undef THENAR_INSTANTIATE

}  // namespace thenar
