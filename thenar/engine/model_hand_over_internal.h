// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Decides at an instant whether contacts go over to the compliant model, because rigid bodies have no motion or
/// several (model_switch_internal.h), and later whether they come back. Keeps the energy that this puts in.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thenar/compliant/compliant_contacts_internal.h"
#include "thenar/compliant/determinacy_watch_internal.h"
#include "thenar/compliant/model_switch_internal.h"
#include "thenar/engine/settle_parts_internal.h"

namespace thenar::internal {

class ModelHandOver {
 public:
  /// Both must outlive it.
  ModelHandOver(SettleParts& parts, CompliantContacts& layers);

  /// An instant begins: the forces of rigid contacts are those of the last evaluation. A contact that slides and whose
  /// force has grown beyond measure there is a jam.
  void begin();
  /// Names that contact; empty if there is none.
  const std::string& jam() const { return jam_; }
  /// The same now.
  std::string explain_jam() const;

  /// Hands contacts over if the instant, or rigid bodies in general, leave no single motion. True if some went over:
  /// the instant must be solved again without them.
  bool hand_over(const Instant& instant, const State& state, bool is_settled);
  /// Hands over all contacts that hold, because one of them jams. False if none may go.
  bool hand_over_jam(double t, const std::string& why);

  /// When try_back() is due, s.
  double next_check() const { return switcher_.next_check(); }
  /// The state with the bodies put on each other, if rigid contacts take over here. Otherwise everything is as it was.
  bool try_back(State& state, const InstantOptions& options);

  /// The energy that layers hold which have just taken over, J; it belongs to the last switch.
  double take_energy_put_in();

  /// Switches that nobody has taken yet.
  const std::vector<ModelSwitch>& switches() const { return switches_; }
  std::vector<ModelSwitch> take_switches() { return std::exchange(switches_, {}); }

  DeterminacyWatch& determinacy() { return determinacy_; }
  /// Whether contacts of two bodies take part in the question that is asked now.
  bool takes_part(BodyIndex a, BodyIndex b) const { return switcher_.takes_part(a, b); }

  template <class Archive>
  void archive(Archive& a) {
    a(switcher_, determinacy_);
  }

 private:
  DeterminacyWatch::Doubt find_doubt(const Instant& instant, bool is_settled);

  SettleParts& parts_;
  CompliantContacts& layers_;
  ModelSwitcher switcher_;
  DeterminacyWatch determinacy_;
  std::vector<ModelSwitch> switches_;
  std::string jam_;
};

}  // namespace thenar::internal
