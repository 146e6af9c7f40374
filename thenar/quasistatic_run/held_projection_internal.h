// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Puts positions back on what is held, contacts and stops with gap = 0, by the least change of what is not driven.

#include <vector>

#include "thenar/motion/held_contact.h"
#include "thenar/quasistatic_run/quasistatic_scene.h"

namespace thenar::internal {

/// What is held: contacts, and joints on their stops.
struct HeldSet {
  std::vector<HeldContact>& contacts;
  std::vector<JointRow>& stops;        ///< all of them
  const std::vector<int>& held_stops;  ///< numbers of `stops`
};

class HeldProjection {
 public:
  /// All must outlive it. `units` are those of the unknown velocities, m or rad; gaps below the rounding of `length`
  /// (m) are none.
  HeldProjection(const Model& model, const QuasistaticAssembler& assembler, const VectorX<double>& units, double length)
      : model_(model), assembler_(assembler), units_(units), length_(length) {}

  /// Newton's method, until only rounding is left, or what nothing can mend. The workspace and the contacts follow the
  /// positions.
  void put_back(const HeldSet& held, Workspace<double>& workspace, VectorX<double>& q);

 private:
  bool read_gaps(const HeldSet& held, Workspace<double>& workspace, const VectorX<double>& q);
  double calc_largest_gap() const;
  VectorX<double> calc_step() const;

  const Model& model_;
  const QuasistaticAssembler& assembler_;
  const VectorX<double>& units_;
  double length_;
  std::vector<VectorX<double>> rows_;  ///< rates of the gaps are rows · v
  std::vector<double> gaps_;           ///< m or rad
};

}  // namespace thenar::internal
