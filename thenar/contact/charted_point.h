// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Points of features by their chart coordinates: hand-over between charts, and the pair of places where two features
/// face each other, found by Newton's method from a place nearby.
///
/// Coordinates that are integrated in time (contact_kinematics.h) change their chart when they leave the part of the
/// surface that pick_chart() gives it. The place stays; the Gauss frame turns about n by some angle, and ψ with it, on
/// either side: ψ ← ψ + hand_over(…). One chart is as good as the other for some way beyond the limit, so that it is
/// enough to hand over between the steps of an integrator.

#include "thenar/contact/contact_kinematics.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar {

template <class T>
struct ChartedPoint {
  int feature = 0;  ///< of the core (core.h), for those who name it
  int chart = 0;
  Vector2<T> u = Vector2<T>(T(0), T(0));
};

template <class Archive, class T>
void archive_state(Archive& a, ChartedPoint<T>& point) {
  a(point.feature, point.chart, point.u);
}

/// The point of a surface that has the place p and the normal n, in the chart picked for them.
template <class T>
ChartedPoint<T> make_charted_point(const Surface& surface, int feature, const Vec3<T>& p, const Vec3<T>& n);

/// Moves a point to the chart that its surface picks for it. Returns the angle (rad) by which the Gauss frame turned
/// about n, to be added to ψ; 0 if the chart is the same.
template <class T>
T hand_over(const Surface& surface, ChartedPoint<T>& point);

/// The element in other axes: X is the pose of its frame.
template <class T>
ContactElement<T> transform(const Placement<T>& X, const ContactElement<T>& element);

/// What find_facing() did.
enum class FacingStatus : char {
  found,       ///< the places are locally unique
  conforming,  ///< found, but one of a line or patch of such places
  failed       ///< none found near the start; the points are where the search ended
};

/// Moves the two points along their surfaces, which may be handed over between charts, until they face each other:
/// n_B = −n_A, p_B = p_A + gap n_A, to rounding. X_AB is the pose of B's frame in A's. `place` is in A's frame. With
/// duals the derivatives of the places are found with them. No heap use.
template <class T>
FacingStatus find_facing(const Surface& A, const Surface& B, const Placement<T>& X_AB, ChartedPoint<T>& point_A,
                         ChartedPoint<T>& point_B, FacingElements<T>& place);

}  // namespace thenar
