// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What an answer of the instant (contact_instant.h) says of the motion that follows it: which way contacts slip, which
/// rows of the joints hold.

#include <array>

#include "thenar/instant/contact_instant.h"
#include "thenar/instant/joint_rest.h"

namespace thenar::internal {

/// Direction of the slip of a contact along T, U and about N. Where it only begins, accelerations are what is left of
/// large numbers; but friction tells it as well, being opposite to μ u. (On a box it is not.) On the faces of a k-gon
/// the points of a patch share it in any way, so that it is that of all of them.
std::array<double, 3> find_slip(const Instant& instant, const InstantCell& cell, std::size_t contact,
                                const FrictionCone& cone);

/// Rotation about N of a contact that slides, or its acceleration where that only begins.
double find_spin(const Instant& instant, const InstantCell& cell, std::size_t contact);

/// The mode of the joints of `motion`. Those that slip already go on as assembling has found (JointRest::slip). A row
/// whose reaction has just reached its bound gives way if it carries no more than that: at its own instant numbers do
/// not tell.
Mode read_joint_mode(const Instant& instant, const InstantCell& cell, const ConstrainedMotion& motion,
                     const std::vector<int>& slip, const Tolerances& tolerances, Trigger trigger);

}  // namespace thenar::internal
