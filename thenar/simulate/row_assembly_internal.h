// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What the problems of an instant and of an impact are assembled from: the contacts that touch in a state, rows with
/// their Jacobians, and A = J M⁻¹ Jᵀ of them.

#include <string>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/contact/contact_rows.h"
#include "thenar/simulate/scenario.h"

namespace thenar::internal {

/// Two bodies that touch in a point.
struct TouchingContact {
  std::string name;  ///< A/B or A/B#k
  FoundContact place;
  ContactLaw law;
  ContactRows rows;
};

/// All of them, in the order of the finder, but those that no joint can press together (a planar body on its plane).
/// Needs update_positions and update_velocities. Throws std::runtime_error if two bodies overlap.
std::vector<TouchingContact> find_touching_contacts(const Scenario& scenario, const ContactRules& rules,
                                                    const Workspace<double>& workspace);

/// The rules of a scenario; without contacts, if it has none.
ContactRules find_contact_rules(const Scenario& scenario);

/// Whether no joint can bring about this motion of the contact: it is zero by the structure of the joints.
bool is_immovable(const ContactRows& rows, int row);

/// The speed below which contacts are at rest, m/s: rounding of the fastest motion that takes part, or of the speeds
/// that belong to the size of the scenario where nothing moves.
double calc_rest_speed(const Scenario& scenario, const std::vector<TouchingContact>& contacts,
                       const VectorX<double>& v);

/// Tells the rows of all contacts apart for as long as they exist.
std::uint64_t make_row_id(const FoundContact& place, std::uint64_t direction);

/// A row of a problem before A is known.
struct AssembledRow {
  ConstraintRow row;
  VectorX<double> J;
  double drift = 0;  ///< of the acceleration J v̇ + drift
};

/// What the rows do to the model.
struct RowSystem {
  MatrixX<double> J, X;  ///< X = M⁻¹ Jᵀ
};

/// J, X, and the rows and A of the problem; b is left 0. Needs update_positions; factorizes the tree.
RowSystem assemble_rows(const Model& model, Workspace<double>& workspace, const std::vector<AssembledRow>& rows,
                        ConstraintProblem& problem);

}  // namespace thenar::internal
