// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thenar {

/// The one place where contacts learn what is small: all of it follows from the size of the scene, so that a scene
/// drawn in millimetres and one drawn in metres behave alike.
class ContactTolerances {
 public:
  /// `size`: diagonal of the box around all bounded shapes, m.
  explicit ContactTolerances(double size) : size_(size) {}

  /// Shapes that overlap deeper than this start inside each other, m: more than the rounding of numbers that were
  /// copied from elsewhere with nine digits.
  double overlap() const { return 1e-9 * size_; }
  /// Shapes that are nearer than this touch, m: more than what positions lose that were written with eight digits.
  double touch() const { return 1e-7 * size_; }
  /// Speeds that are this part of the fastest one at any contact count as none.
  static constexpr double kRelativeRest = 1e-9;
  /// Distance within which pairs are listed when the user names none, m.
  double default_margin() const { return 0.1 * size_; }

 private:
  double size_;
};

}  // namespace thenar
