// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Whether rigid contacts still tell what happens, while they slide: the hand-over rule between events.
///
/// Cheap first: as long as A of the normals is a P-matrix the motion is determinate. Where it is not, the instant is
/// asked, and as long as it proves that there is one motion only, contacts stay rigid. Where it has proved nothing (the
/// search is short in a run, and round cones are hard) A must be P, and the layers that would take over must be stable
/// (layer_stability_internal.h).
///
/// Contacts that do not act on each other are looked at apart. Redundant ones are not looked at: their matrix is
/// singular, and the instant at the next event tells.

#include <optional>
#include <string>
#include <vector>

#include "thenar/compliant/compliant_contacts_internal.h"
#include "thenar/events/contact_watch.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {

class DeterminacyWatch {
 public:
  /// All must outlive it.
  DeterminacyWatch(AssemblyContext& context, const CompliantContacts& soft)
      : context_(context), layers_(soft), workspace_(context.scenario().model) {}

  /// The motion goes on as the instant says, which is evaluated.
  void begin(Verdict verdict);
  template <class Archive>
  void archive(Archive& a) {
    a(verdict_, watches_);
  }

  /// Contacts of which that does not tell what happens, if nothing proves that it is the only motion.
  struct Doubt {
    std::string why;  ///< empty if there are none
    std::vector<FoundContact> contacts;
  };
  Doubt find_doubt();

  /// Keeps the place in the stepper's last step at which contacts cease to tell what happens, if nothing else comes
  /// before. The motion at the end of the step is looked at whatever models contacts have, so that a run in which this
  /// does not happen is what it is without.
  void find(Stepper& stepper, const InstantOptions& options, std::optional<ContactCrossing>& first);

 private:
  bool is_proved() const;
  bool is_stable(const ContactResponse& part);
  bool is_lost(Stepper& stepper, double theta, const InstantOptions& options);
  Verdict ask(Stepper& stepper, double theta, InstantOptions options);

  AssemblyContext& context_;
  const CompliantContacts& layers_;
  Workspace<double> workspace_;
  Verdict verdict_ = Verdict::undecided;
  bool watches_ = false;
};

}  // namespace thenar::internal
