// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A contact as rows of a constraint problem: how its relative motion follows from the velocities and accelerations of
/// the model, in the contact frame (N, T, U),
///
///     velocity = J v,   acceleration = J v̇ + drift,                                                        (YY 8, 11)
///
/// for the linear motion of A's point relative to B's (rows 0–2) and the relative rotation (rows 3–5). `drift` is Ẇᵀ V:
/// spin of the bodies, travel of the points over both surfaces, turn of the frame (contact_kinematics.h).

#include "thenar/contact/contact_finder.h"
#include "thenar/contact/gap_function.h"

namespace thenar {

struct ContactRows {
  MatrixX<double> J;  ///< 6 × nv: linear N, T, U; angular N, T, U
  Eigen::Matrix<double, 6, 1> velocity, drift;
};

/// The same bodies and features as a function of q and v, started at the contact. Points of a patch that are not told
/// apart from their neighbours by their features, those of a rim that lies on a face, are pinned to their body. Needs
/// update_positions, and the finder's contacts at these positions.
GapFunction<double> make_gap_function(const Model& model, const Workspace<double>& workspace,
                                      const ContactFinder& finder, const FoundContact& contact);

/// Rows in a frame whose N is gap.N(). `rows` are empty, or those of the same two bodies: then there is no heap use,
/// and only the columns of the joints that move these bodies are written. Needs update_positions and update_velocities
/// of the workspace and of the gap function.
void update_contact_rows(const Model& model, const Workspace<double>& workspace, const FoundContact& contact,
                         const GapFunction<double>& gap, const ContactFrame<double>& frame, ContactRows& rows);

/// Needs update_positions and update_velocities of the workspace, and the finder's contacts at these positions. Throws
/// std::runtime_error if the features of the contact do not face each other there.
ContactRows calc_contact_rows(const Model& model, const Workspace<double>& workspace, const ContactFinder& finder,
                              const FoundContact& contact);

}  // namespace thenar
