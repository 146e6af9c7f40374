// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What the problems of an instant and of an impact are assembled from: the contacts that touch in a state, rows with
/// their Jacobians, and A = J M⁻¹ Jᵀ of them.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/contact/contact_rows.h"
#include "thenar/instant/joint_rest.h"
#include "thenar/motion/contact_projection_internal.h"
#include "thenar/scenario/scenario.h"

namespace thenar::internal {

/// What assembling needs besides the scenario. A run keeps one for all its instants; questions about a single state
/// make one of their own.
class AssemblyContext {
 public:
  /// For one state: bodies touch as far as written numbers can tell (ContactTolerances::touch).
  AssemblyContext(const Scenario& scenario, const State& state);
  /// For a run, whose motion, joints and tolerances these are. All must outlive it.
  AssemblyContext(const Scenario& scenario, ConstrainedMotion& motion, JointRest& joints, const Tolerances& tolerances);

  const Scenario& scenario() const { return *scenario_; }
  ConstrainedMotion& motion() { return *motion_; }
  JointRest& joints() { return *joints_; }
  const Tolerances& tolerances() const { return *tolerances_; }
  StateProjection& projection() { return projection_; }
  ContactFinder& finder() { return finder_; }
  const ContactFinder& finder() const { return finder_; }
  const ContactRules& rules() const { return rules_; }
  const LawTable& laws() const { return laws_; }

  /// Contact frames that last: T and U of these contacts are carried along instead of made anew.
  struct LastingFrame {
    int shape_A = 0, shape_B = 0;
    std::uint64_t id = 0;
    ContactFrame<double> frame;
    /// Of a contact that slides: what its friction takes for its slip along T, U and about N (HeldContact), which
    /// differs where slip is slow; else 0.
    std::array<double, 3> slip{};

    template <class Archive>
    void archive(Archive& a) {
      a(shape_A, shape_B, id, frame, slip);
    }
  };
  std::vector<LastingFrame> lasting_frames;
  /// Those of the contacts that hold there.
  void keep_frames(const Workspace<double>& workspace);
  double touch = 0;            ///< m: what is nearer touches
  double overlap = 0;          ///< m: what overlaps deeper is inside each other
  bool obeys_declared = true;  ///< whether modes declared in laws count (DeclaredMode), as they do at the start
  double slowest_strike = 0;   ///< m/s: contacts that are approached more slowly do not rebound

  template <class Archive>
  void archive(Archive& a) {
    a(lasting_frames, touch, overlap, obeys_declared, slowest_strike, finder_);
  }

 private:
  struct Own;  ///< motion, joints and tolerances of a context for one state

  const Scenario* scenario_;
  std::shared_ptr<Own> own_;
  ConstrainedMotion* motion_;
  JointRest* joints_;
  const Tolerances* tolerances_;
  ContactRules rules_;
  LawTable laws_;
  ContactFinder finder_;
  StateProjection projection_;
};

/// Two bodies that touch in a point.
struct TouchingContact {
  std::string name;  ///< A/B or A/B#k
  FoundContact place;
  ContactLaw law;
  ContactRows rows;
  std::array<double, 3> slip{};  ///< of LastingFrame
};

/// All of them, in the order of the finder, but those that no joint can press together (a planar body on its plane).
/// Needs update_positions and update_velocities. Throws std::runtime_error if two bodies overlap.
std::vector<TouchingContact> find_touching_contacts(AssemblyContext& context, const Workspace<double>& workspace);

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
