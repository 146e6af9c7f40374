// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What touches at an instant of slow motion: contacts, and joints on their stops. Bodies that have just met are put on
/// each other, and contacts that last keep their axes.

#include <string>
#include <vector>

#include "thenar/contact/contact_finder.h"
#include "thenar/instant/contact_names.h"
#include "thenar/quasistatic_run/quasistatic_motion_internal.h"

namespace thenar::internal {

class QuasistaticTouches {
 public:
  /// Both must outlive it.
  QuasistaticTouches(const Scenario& scenario, QuasistaticMotion& motion);

  /// The motion holds what is nearer than `touch` (m) in a scene of that size (m), and q is put on it. False where that
  /// cannot be: fault() says why.
  bool find(double t, VectorX<double>& q, double size, double touch);
  const std::string& fault() const { return fault_; }

  template <class Archive>
  void archive(Archive& a) {
    a(finder_, names_);
  }

 private:
  /// Contacts, and where the finder has them.
  struct Found {
    std::vector<FoundContact> places;
    std::vector<HeldContact> contacts;
  };
  bool find_contacts(double t, double size, Found& out);
  void carry_axes(FoundContact& found, std::vector<HeldContact>& old);
  std::vector<int> find_stops(const VectorX<double>& q);
  bool fail(std::string fault);

  const Scenario& scenario_;
  QuasistaticMotion& motion_;
  ContactFinder finder_;
  LawTable laws_;
  ContactNames names_;
  Workspace<double> workspace_;
  std::string fault_;
};

}  // namespace thenar::internal
