// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Explicit or implicit? The choice that costs fewer evaluations per simulated second, made while the run goes on.
///
/// A motion is stiff where stability, not accuracy, holds the explicit step down: h ρ then sits at the edge of the
/// method's stability region, ρ being the spectral radius of ∂ẏ/∂y. After some such steps the implicit method gets its
/// turn. It stays while it is cheaper than the explicit one would be: 12 evaluations per step of length (edge / ρ), or
/// what the explicit method was seen to need. Where steps are looked into for events, each costs so many evaluations
/// more, whatever the method: the implicit one gets its turn the earlier, the more that is. Each return to the explicit
/// method doubles the patience with it, so that the two do not alternate for long where they cost the same.

namespace thenar {

class MethodChoice {
 public:
  bool is_implicit() const { return is_implicit_; }

  /// The motion that follows is known to be stiff at first: the implicit method has its turn at once.
  void begin_stiff();

  /// Tells of an accepted step of length h with h ρ = stiffness, and what it cost, rejected attempts included, with
  /// what was looked at in it besides. True when the method changes with the next step.
  bool note_step(double h, double stiffness, double evaluations, double looked_at = 0);

  template <class Archive>
  void archive(Archive& a) {
    a(is_implicit_, was_told_, steps_, stiff_steps_, patience_, time_, evaluations_, explicit_cost_);
  }

 private:
  bool note_explicit_step(double stiffness, double looked_at);
  bool note_implicit_step(double h, double stiffness, double looked_at);
  void change(bool to_implicit);

  bool is_implicit_ = false, was_told_ = false;
  int steps_ = 0;        ///< since the last change, up to a forgetful average
  int stiff_steps_ = 0;  ///< in a row
  int patience_ = 1;     ///< multiplies the number of stiff steps that are asked for
  double time_ = 0;      ///< s and evaluations since the last change, older ones forgotten by and by
  double evaluations_ = 0;
  double explicit_cost_ = 0;  ///< evaluations per second of the explicit method when it was left
};

}  // namespace thenar
