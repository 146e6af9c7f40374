// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "thenar/contact/contact_rules.h"
#include "thenar/motion/admissible_forces_internal.h"
#include "thenar/motion/held_contact.h"
#include "thenar/motion/joint_rows.h"

namespace thenar::internal {

/// The bounds that reactions must obey: those of the joint rows `held`, and then those of the contacts, whose rows
/// follow them in the same order. Contacts that roll have the cones of static friction, others must not pull.
std::vector<AdmissibleForces::Bound> make_reaction_bounds(std::span<const JointRow> rows, std::span<const int> held,
                                                          std::span<const HeldContact> contacts,
                                                          const FrictionCone& cone);

}  // namespace thenar::internal
