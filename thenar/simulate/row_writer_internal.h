// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Rows of a run's trace: those that are due, those before and after a jump, and what they say of energies, efforts and
/// contacts; extremes of all states that were reached.

#include <string>
#include <vector>

#include "thenar/simulate/contact_sampler.h"
#include "thenar/simulate/row_times.h"
#include "thenar/simulate/simulate.h"
#include "thenar/simulate/stepper.h"

namespace thenar::internal {

/// Names what asks for an effort or a force that is not finite; empty when nothing does.
std::string find_bad_effort(const Scenario& scenario, Actuation& actuation, double t, const State& state);

class RowWriter {
 public:
  /// All must outlive it. Energies of the report are those at the row that is written; it counts rows and keeps
  /// extremes.
  RowWriter(const Scenario& scenario, const RunCallbacks& callbacks, ConstrainedMotion& motion, Stepper& stepper,
            RunReport& report);
  /// Rows tell contacts as well, from when they have settled.
  void set_sampler(ContactSampler& sampler) { sampler_ = &sampler; }
  void begin_contacts() { has_contacts_ = true; }

  // All of these are false when the run must end: fault() says why.

  /// Rows that lie inside the step, before theta; a row at its very end comes with the state itself.
  bool write_inside(double theta);
  /// The row at the state that the run has reached, if one is due there.
  bool write_due(const State& state);
  /// A row at the state that the run has reached.
  bool write(const State& state);
  /// A row at the state before a jump, whose loss and what changed models have put in (J) are on the books already.
  bool write_before(const State& state, double energy_lost, double energy_switched = 0);
  /// And that after it.
  bool write_after(const State& state);
  const std::string& fault() const { return fault_; }

  /// What contacts do in the step at theta, for a row before a jump there.
  void note_contacts(double theta);
  void note_extremes(const State& state);

  /// Time of the next row, s.
  double next_time() const { return times_.time(next_); }
  /// And of the last one that was written; −1 if none was.
  double last_time() const { return last_time_; }
  /// Where a fixed step that starts at t ends.
  double next_step_time(double t) const { return times_.next_step_time(t, next_); }

 private:
  void set_energy(double work, double dissipated, double switched);
  bool emit(const State& state);

  const Scenario& scenario_;
  const RunCallbacks& callbacks_;
  ConstrainedMotion& motion_;
  Stepper& stepper_;
  RunReport& report_;
  ContactSampler* sampler_ = nullptr;
  bool has_contacts_ = false;
  RowTimes times_;
  long long next_ = 1;  ///< number of the next row
  double last_time_ = -1;
  Workspace<double> workspace_;
  Sample sample_;
  std::vector<ContactSample> contacts_before_;         ///< just before a jump
  double layer_energy_ = 0, layer_energy_before_ = 0;  ///< J, in compliant contacts
  std::string fault_;
};

}  // namespace thenar::internal
