// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// From the rigid to the compliant model and back (SYK Fig. 4), for contacts with `law: automatic`.
///
/// **Over** where rigid bodies do not tell what happens: no motion (none), several, or one that nothing proves to be
/// the only one and that is not determinate (A is not a P-matrix) or not stable; determinacy_watch_internal.h looks for
/// the time. Of contacts that do not act on each other (they share no moving tree) only those go over that need it.
/// Indeterminate forces of one motion are no reason.
///
/// **Back** when the layers have come to rest, their dampers carry less than kRelaxed of the forces, and the rigid
/// model, asked about the state with the bodies put back on each other, has one determinate answer whose forces differ
/// from those of the layers by less than kAgrees. Not before kDwell times what layers take to settle, and asked every
/// kCheck of that: so models do not chatter. Contacts that do not act on each other come back each in their own time.

#include <optional>
#include <string>
#include <vector>

#include "thenar/compliant/compliant_contacts_internal.h"
#include "thenar/instant/contact_instant.h"
#include "thenar/instant/row_assembly_internal.h"
#include "thenar/trace/run_report.h"

namespace thenar::internal {

class ModelSwitcher {
 public:
  static constexpr double kRelaxed = 0.1, kAgrees = 0.1;
  static constexpr double kDwell = 3, kCheck = 0.1;

  /// All must outlive it.
  ModelSwitcher(AssemblyContext& context, CompliantContacts& soft) : context_(context), layers_(soft) {}

  /// Forces of the rigid contacts where the motion was evaluated last, with which layers will begin.
  void note_forces();

  /// Hands over what the instant cannot tell; if some are named, at most these and those that act on them. Nothing if
  /// no contact of it may be handed over.
  std::optional<ModelSwitch> hand_over(const Instant& instant, const State& state, const std::string& why,
                                       const std::vector<FoundContact>& named);
  /// Hands over all contacts that hold.
  std::optional<ModelSwitch> hand_over_held(double t, const std::string& why);

  /// When try_back() is to be asked next, s.
  double next_check() const;
  /// The state with the bodies put back on each other, if rigid contacts take over here; layers have gone then.
  /// Otherwise the state and the motion are as they were, and the stepper must start anew if has_tried().
  std::optional<ModelSwitch> try_back(State& state, const InstantOptions& options);
  bool has_tried() const { return has_tried_; }
  template <class Archive>
  void archive(Archive& a) {
    a(groups_, has_tried_);
  }

  /// Whether contacts of two bodies take part in the question that is asked now: all, but while groups are asked apart.
  bool takes_part(BodyIndex a, BodyIndex b) const { return only_ < 0 || find_group(a, b) == only_; }

 private:
  void find_groups(const std::vector<FoundContact>& contacts);
  int find_group(BodyIndex a, BodyIndex b) const;
  std::vector<int> list_groups(const std::vector<FoundContact>& contacts) const;
  int find_tree(BodyIndex body) const;
  bool is_bad_alone(int group, const State& state);
  bool differs(const Instant& instant, int group) const;
  std::optional<ModelSwitch> hand_over_contacts(const std::vector<FoundContact>& contacts, double t,
                                                const std::string& why);
  std::vector<FoundContact> list_contacts() const;
  bool is_due(const std::vector<CompliantContacts::Handed>& pairs, double t);
  std::optional<ModelSwitch> try_group(int group, State& state, const InstantOptions& options);
  double compare(const Instant& instant, const std::vector<LayerContact>& layers) const;

  AssemblyContext& context_;
  CompliantContacts& layers_;
  std::vector<CompliantContacts::Force> forces_;
  std::vector<int> groups_;  ///< by tree (root link)
  int only_ = -1;
  bool has_tried_ = false;
};

}  // namespace thenar::internal
