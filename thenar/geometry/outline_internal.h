// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Outlines of feet (foot_internal.h) seen along a direction: what lies inside of them, and where two of them cross.
///
/// Seen along m a face is a convex polygon or an ellipse, however it is tilted. Lengths below `tolerance` (m) are
/// rounding: a point that is no farther outside counts as inside, and borders that come no closer to crossing only
/// touch. So two equal boxes on each other have four corners in common and no crossings.

#include <array>

#include "thenar/geometry/contact_element.h"
#include "thenar/geometry/foot_internal.h"

namespace thenar::internal {

/// Coordinates in the plane across m.
struct View {
  Vec3<double> x, y;

  explicit View(const Vec3<double>& m) { complete_frame(m, x, y); }
  /// With x along `along`, which must not be parallel to m.
  View(const Vec3<double>& m, const Vec3<double>& along) : x(normalized(along - m * dot(m, along))), y(cross(m, x)) {}
  Vector2<double> see(const Vec3<double>& p) const { return {dot(x, p), dot(y, p)}; }
};

/// A straight curve as it is seen.
struct SeenLine {
  Vector2<double> from, along;  ///< `along` is a unit vector
  double length;

  SeenLine(const FootCurve& curve, const View& view);
  /// How far q is to the left.
  double measure(const Vector2<double>& q) const;
};

/// An ellipse as it is seen: its points are centre + M ξ with |ξ| = 1.
struct SeenEllipse {
  Vector2<double> centre;
  Matrix2<double> M, M_inverse;
  double least;  ///< m, a lower bound of its radii

  SeenEllipse(const FootCurve& rim, const View& view);
  /// ξ.
  Vector2<double> stretch_back(const Vector2<double>& q) const { return M_inverse * (q - centre); }
};

/// A place where a curve of A and a curve of B are seen one behind the other.
struct Crossing {
  const FootCurve* curve_A = nullptr;
  const FootCurve* curve_B = nullptr;
  Vec3<double> p_A = Vec3<double>::zero(), p_B = Vec3<double>::zero();  ///< m, on the curves
};

struct CrossingList {
  std::array<Crossing, 8> list;
  int count = 0;

  void add(const Crossing& crossing) {
    if (count < static_cast<int>(list.size())) list[static_cast<std::size_t>(count++)] = crossing;
  }
};

/// An outline as it is seen. Keeps a reference to it.
class SeenOutline {
 public:
  SeenOutline(const Outline& outline, const View& view, double tolerance);

  const Outline& outline() const { return outline_; }
  /// Whether what is seen at q lies inside of the face.
  bool contains(const Vector2<double>& q) const;

  /// The crossings of two outlines of which at least one is a face. They refer to curves of both.
  friend CrossingList find_crossings(const SeenOutline& A, const SeenOutline& B);

 private:
  const FootCurve& curve(std::size_t k) const { return outline_.curves[k]; }
  /// Where a line enters and leaves a polygon, in units of length along the line, and through which edges.
  struct Stretch {
    double from = 0, to = 0;
    int entered = -1, left = -1;
  };
  Stretch clip(const SeenLine& line) const;

  void cross_edges(const SeenOutline& B, CrossingList& out) const;
  void cross_line(const SeenOutline& line, bool is_line_of_A, CrossingList& out) const;
  void cross_straight(const SeenOutline& other, bool is_rim_of_A, CrossingList& out) const;
  void cross_rim(const SeenOutline& B, CrossingList& out) const;

  const Outline& outline_;
  double tolerance_;
  double turn_ = 1;  // of a polygon: 1 where its corners are seen counterclockwise, else −1
  std::optional<SeenEllipse> ellipse_;
  std::array<std::optional<SeenLine>, 4> lines_;
};

CrossingList find_crossings(const SeenOutline& A, const SeenOutline& B);

}  // namespace thenar::internal
