// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Samples of a run: what is known of its present state, of a state inside the last step, and of those before and after
/// a jump; extremes of all states that were reached.
///
/// **Looking changes nothing.** A sample evaluates the motion, which follows contacts from where it was evaluated last.
/// What it remembers is put back, so that steps do not depend on which samples are asked for.

#include <optional>
#include <string>
#include <vector>

#include "thenar/engine/contact_sampler.h"
#include "thenar/motion/stepper.h"
#include "thenar/trace/run_report.h"
#include "thenar/trace/sample.h"

namespace thenar::internal {

/// Names what asks for an effort or a force that is not finite; empty when nothing does.
std::string find_bad_effort(const Scenario& scenario, Actuation& actuation, double t, const State& state);

class SampleMaker {
 public:
  /// All must outlive it. Energies are those of the report, which it gives extremes.
  SampleMaker(const Scenario& scenario, ConstrainedMotion& motion, Stepper& stepper, RunReport& report);
  /// Samples have contacts as well, from when they have settled.
  void set_sampler(ContactSampler& sampler) { sampler_ = &sampler; }
  void begin_contacts() { has_contacts_ = true; }

  // All of these return a sample that is valid until the next call, or nullptr where it has a number that is not
  // finite: fault() says which.

  /// The state alone, inside the last step at time t.
  State look_inside(double t);
  /// Inside the last step, at time t.
  const Sample* make_inside(double t);
  /// At the state that the run has reached.
  const Sample* make(const State& state);
  /// At the state before a jump, whose loss and what changed models have put in (J) are on the books already.
  const Sample* make_before(const State& state, double energy_lost, double energy_switched);
  const std::string& fault() const { return fault_; }

  /// In compliant contacts at the state that the run has reached, J.
  double calc_layer_energy(const State& state);

  /// What contacts do in the step at theta, for a sample before a jump there.
  void note_contacts(double theta);
  void note_extremes(const State& state);

  template <class Archive>
  void archive(Archive& a) {
    a(has_contacts_, layer_energy_);
  }

 private:
  /// Puts back what the motion remembers, when it goes out of scope.
  class Undisturbed;

  void set_energy(double work, double dissipated, double switched);
  const Sample* complete(const State& state);

  const Scenario& scenario_;
  ConstrainedMotion& motion_;
  Stepper& stepper_;
  RunReport& report_;
  ContactSampler* sampler_ = nullptr;
  bool has_contacts_ = false;
  std::optional<ConstrainedMotion::Memory> memory_;  ///< while one looks
  Workspace<double> workspace_;
  Sample sample_;
  std::vector<Contact> contacts_before_;               ///< just before a jump
  double layer_energy_ = 0, layer_energy_before_ = 0;  ///< J, in compliant contacts
  std::string fault_;
};

}  // namespace thenar::internal
