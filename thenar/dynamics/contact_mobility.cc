// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/dynamics/contact_mobility.h"

#include <array>

namespace thenar {

ContactMobility::ContactMobility(const Model& model) : impulses_(model), X_(model.velocity_count(), 3) {}

void ContactMobility::update(const Model& model, const BodyPoint<double>& A, const BodyPoint<double>& B,
                             const Mat3<double>& axes, Workspace<double>& workspace) {
  const std::array<Vec3<double>, 3> directions{axes.x, axes.y, axes.z};
  for (int k = 0; k < 3; ++k) {
    const Vec3<double>& P = directions[static_cast<std::size_t>(k)];
    const std::array<BodyWrench<double>, 2> pair{make_point_impulse(model, workspace, A.body, A.p_B, P),
                                                 make_point_impulse(model, workspace, B.body, B.p_B, -P)};
    impulses_.apply(model, pair, workspace, X_.col(k).data());
    const Vec3<double> change = impulses_.calc_point_change(model, workspace, A.body, A.p_B).linear -
                                impulses_.calc_point_change(model, workspace, B.body, B.p_B).linear;
    for (int i = 0; i < 3; ++i) K_(i, k) = dot(change, directions[static_cast<std::size_t>(i)]);
  }
  K_ = (0.5 * (K_ + K_.transpose())).eval();
}

}  // namespace thenar
