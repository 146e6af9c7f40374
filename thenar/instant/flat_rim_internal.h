// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A round face that lies on a flat one. It touches along an arc, with points without number; the finder has four of
/// them, fixed in the body. Which others matter depends on the motion. Rates and accelerations of the gaps are, over
/// the angle φ of the rim (or ring),
///
///     mean + cosine cos φ + sine sin φ                                                                          (1)
///
/// since bodies are rigid. So the lowest value is known at once, and so is the point that a solution over some points
/// of the rim overlooks (rim_points_internal.h).
///
/// Once a disc tips or rocks, it touches in one point that travels along the rim, the lowest one: where gaps are
/// lowest, or their rates if all gaps are one, or their accelerations if the rates are as well. Of a disc that tips
/// from rest, that point stays where it is on the rim until the disc has left its face by more than what counts as
/// touch: before, which of its points is lowest is a matter of rounding.

#include <array>
#include <vector>

#include "thenar/instant/row_assembly_internal.h"

namespace thenar::internal {

/// (1).
struct RimWave {
  double mean = 0, cosine = 0, sine = 0;

  double amplitude() const;
  double least() const { return mean - amplitude(); }
  double find_lowest() const;  ///< its angle
  double calc_slope(double angle) const;
};

/// Accelerations of gaps that are none, m/s².
double calc_no_acceleration(const Tolerances& tolerances);
/// Whether accelerations of gaps differ along a rim that is at rest, more than rounding lets them.
bool tips(const RimWave& accelerations, const Tolerances& tolerances);

class FlatRim {
 public:
  /// The rim that `point` of the finder's contacts is a fixed point of. Needs update_positions.
  FlatRim(const Model& model, const Workspace<double>& workspace, const ContactFinder& finder,
          const FoundContact& point);

  /// Whether a contact is one of its fixed points; and whether it is of the same two shapes at all.
  bool has(const FoundContact& contact) const;
  bool is_of(const FoundContact& contact) const;

  /// Gaps of its points, m.
  const RimWave& gaps() const { return gap_wave_; }
  /// Whether all of them are one, to `touch` (m).
  bool is_flat(double touch) const { return gap_wave_.amplitude() <= touch; }
  /// Of the gaps of its points, m/s and m/s². The first needs update_velocities of the workspace, and so does the
  /// second, at the same positions.
  RimWave calc_rates(const Workspace<double>& workspace);
  RimWave calc_accelerations(const Workspace<double>& workspace, const VectorX<double>& vdot);

  /// The angle of the direction in which a point (world) is seen from the middle, and its distance from it: 1 on the
  /// rim.
  struct Direction {
    double angle = 0, distance = 0;
  };
  Direction find_direction(const Vec3<double>& p_W) const;

  /// The place that travels along the rim, as it is when that lies flat and touches at `angle`.
  FoundContact make_travelling(double angle) const;
  /// And the one that stays there on the rim, as the point of a slot (ArcPoints); the finder has it from then on.
  FoundContact make_pinned(double angle, int slot) const;
  void pin(ContactFinder& finder, double angle, int slot) const;

  /// Asks for the point at `angle`, from the next update on. Where all slots are taken, one that is not `needed` is
  /// given up. False if it is there already, or there is no slot left.
  using Slots = std::array<bool, ArcPoints::kSlots>;
  bool ask_for(ContactFinder& finder, double angle, const Slots& needed) const;
  /// The same, but moves a point that has been asked for before and is near.
  void move_or_ask_for(ContactFinder& finder, double angle) const;

 private:
  Vec3<double> calc_point(double angle) const;
  template <class Function>
  RimWave read_wave(const Function& function);

  FoundContact point_;
  bool is_of_A_;
  double a_, b_, radius_;                    ///< semi-axes and what it is grown by, m
  Placement<double> X_WF_;                   ///< of the ring's frame
  std::array<GapFunction<double>, 3> gaps_;  ///< at 0°, 90° and 180°
  RimWave gap_wave_;
};

/// What is nearer touches in a run that has begun, m: more than rounding, and a part of the tolerance of steps, so that
/// what is simultaneous but for their errors is taken so. `size` is that of the scene, m.
double calc_touch(double tolerance, double size);

/// How much flatter the rim of a contact that travels along it lies on its face than it may, rad: with all of its
/// points in touch, to half of `touch` (m), it falls flat. 0 of other contacts.
double calc_flat_exit(const ContactFinder& finder, const HeldContact& contact, double touch);

/// How much farther a rim with a contact that stays where it is on it has left its face than what counts as touch, rad:
/// it tips, and its lowest point travels from there on. 0 of other contacts.
double calc_tilt_exit(const Model& model, const Workspace<double>& workspace, const ContactFinder& finder,
                      const HeldContact& contact, double touch);

/// The contacts of the context's finder become those that touch. Of a rim that has left its face but for one point only
/// that counts, although others may be near. Needs update_positions.
void find_touching(AssemblyContext& context, const Workspace<double>& workspace);

/// Those among the finder's contacts.
std::vector<FlatRim> find_flat_rims(const Model& model, const Workspace<double>& workspace,
                                    const ContactFinder& finder);

}  // namespace thenar::internal
