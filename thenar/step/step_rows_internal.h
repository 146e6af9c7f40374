// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The rows of a step's contact problem, half-way: joint rows, and contacts that touch at q_M. With z the impulses,
///
///     w = A z + b,   A = J (M + …)⁻¹ Jᵀ,   b = J v_free + h/2 drift + β J v                                       (1)
///
/// and w = J v⁺ at the end of the step, to which h/2 drift carries J from half-way. **β.** Friction of what slips is
/// against the mean slip (u + u⁺)/2: β = 1 for tangents that slip already, which keeps the order of the midpoint rule
/// where slip turns. What comes to rest in the step does so at its end: β = 0 (at w = 0 with β = 1 it would go on with
/// u⁺ = −u). Normals are imposed at the end always, and β = 0 of what stuck in the last step: what it seems to slip is
/// the error of that step.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/contact/contact_finder.h"
#include "thenar/contact/contact_rows.h"
#include "thenar/motion/joint_rows.h"
#include "thenar/motion/sparse_rows_internal.h"
#include "thenar/scenario/scenario.h"
#include "thenar/step/step_dynamics_internal.h"

namespace thenar::internal {

/// A contact that touches half-way.
struct StepContact {
  FoundContact place;
  ContactLaw law;
  ContactRows rows{};  ///< at q_M and the velocity before
  int row = -1;        ///< its normal row
  int tangent_count = 0;
  std::array<int, 3> directions{};  ///< of ContactRows, one for each tangent row
  bool slips = false;               ///< before the step: β = 1 at first
  bool was_held = false;            ///< whether it pressed in the last step
};

class StepRows {
 public:
  /// All must outlive it.
  StepRows(const Scenario& scenario, std::vector<JointRow>& joint_rows);

  /// What touches half-way: bodies nearer than `touch` (m), those that pressed before nearer than `reach`.
  void find(StepDynamics& dynamics, double touch, double reach);
  /// Tells the next step which rows pressed in this one, and which of these stuck.
  void note(std::vector<std::uint64_t> pressed, std::vector<std::uint64_t> stuck) {
    pressed_ = std::move(pressed);
    stuck_ = std::move(stuck);
  }

  /// Then, with velocities before the step: rows, J, A. `rest`: slower is at rest, m/s.
  void assemble(StepDynamics& dynamics, const VectorX<double>& v, double h, double rest);
  /// And b, from the velocity without contacts.
  void set_free_velocity(const VectorX<double>& v_free);

  ConstraintProblem& problem() { return problem_; }
  const ConstraintProblem& problem() const { return problem_; }
  const std::vector<StepContact>& contacts() const { return contacts_; }
  /// Of the problem's first rows: which joint row, and its value half-way, m or rad.
  struct JointEntry {
    int joint_row = 0;
    double value = 0;
    bool slips = false;
  };
  const std::vector<JointEntry>& joints() const { return joints_; }
  /// J v of a row before the step.
  double rate_before(int row) const { return rates_(row); }
  /// What h/2 drift adds to J v⁺ half-way to have it at the end.
  double drift_to_end(int row) const { return extra_(row); }
  bool has_beta(int row) const { return beta_[static_cast<std::size_t>(row)] != 0; }
  /// β = 0 from here on: b follows.
  void drop_beta(int row);
  const SparseRows& J() const { return J_; }
  ContactFinder& finder() { return finder_; }
  const LawTable& laws() const { return laws_; }
  /// The deepest overlap of the last find(), m.
  double deepest() const { return deepest_; }

  template <class Archive>
  void archive(Archive& a) {
    a(finder_, pressed_, stuck_);
  }

 private:
  void add_joint_rows(const VectorX<double>& q_mid, const VectorX<double>& v, double h, double rest);
  void add_contact(StepContact& contact, double rest);
  void set_groups();
  bool was_pressed(std::uint64_t id) const;
  bool was_stuck(std::uint64_t id) const;

  const Scenario& scenario_;
  std::vector<JointRow>& joint_rows_;
  LawTable laws_;
  ContactFinder finder_;
  std::vector<StepContact> contacts_;
  std::vector<JointEntry> joints_;
  std::vector<std::uint64_t> pressed_, stuck_;
  ConstraintProblem problem_;
  SparseRows J_;
  std::vector<std::uint64_t> grouped_;  ///< ids of the rows for which J was laid out
  std::vector<char> beta_;
  VectorX<double> rates_, extra_, column_;
  std::vector<ConstraintRow> rows_;
  MatrixX<double> A_;
  double deepest_ = 0;
};

}  // namespace thenar::internal
