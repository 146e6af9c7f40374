// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Contact patches: where two convex shapes lie on each other, the points that span the place.
///
/// Each shape stands on a foot (foot_internal.h): a face or a line that is perpendicular to the normal N within
/// kPatchAngle = 0.1 rad. Seen along m, the feet overlap in a region or a line, and its corners are the contact points
/// (m: the middle of the normals of two faces, or the normal of the face that a line lies on):
///
/// - A vertex, or the end of a line, over a face: gap and normal are those of that point and the face's plane.
/// - A point of a rim over a face, at the body's own angles 0°, 90°, 180° and 270° and at those that the caller asks
///   for (ArcPoints): the same.
/// - Two borders that cross, or a line and a border: those of the two features, with their common normal; between grown
///   shapes those of an end of one of them if their nearest points are there.
/// - The end of a line beside a line: those of the end, a vertex or a rim, and the line.
///
/// Every gap is that of two features, and so a smooth function of the pose for as long as the corner exists, also when
/// the feet are tilted against each other, and it does not depend on which place is the nearest. Where two bare edges
/// cross that are almost parallel, their common normal may point anywhere, and their nearest points may lie beyond
/// their ends: there the gap goes over, smoothly, to the one that is seen along m. Where feet are equal to rounding,
/// each corner is there once: vertices of A before those of B, before crossings, before points of rims.
///
/// The identity of a point is made of its features and a number: that of is_fixed_number() for points of a rim over a
/// face, 1 to 4 for those that are always there; 1 or
/// 2, by the sense, where a rim crosses another curve (0 where it hardly does), and 2 more for a second crossing of the
/// same sense, as ellipses have; 0 for all others. A box that tips over an edge keeps the two vertices that it turns
/// about, and so does one whose face is too steep to be a foot any more.
///
/// If the nearest place is nearer than all corners (the lowest point of a tilted rim, two lines that cross under a
/// small angle), it is in the list too, on a line between its ends. Where nothing overlaps, it is the only one; but a
/// round face on something curved is a ring of the four points of its rim if all of them are within the margin. Two
/// points that are left of a region are a segment.
///
/// Bare lines (rods, edges) that are parallel and touch have no common normal: the ends of their overlap take that of
/// the nearest place, and exist only while the lines are in one plane, within 1e-6 of their length.

#include "thenar/geometry/distance.h"

namespace thenar::internal {

/// Adds all contact points with gap ≤ margin (m) of two shapes, each convex or a half-space, to `out`, in the frame of
/// A. `nearest` is their nearest place in the same frame; nothing is added when its gap exceeds the margin. Polygons
/// and rings are in order (counterclockwise about N, from the smallest identity), lines from end to end. No heap use.
void add_patch_points(const GrownCore& A, const GrownCore& B, const Pose<double>& X_AB, const Proximity& nearest,
                      double margin, ContactList& out, const ArcPoints& arc_A = {}, const ArcPoints& arc_B = {});

}  // namespace thenar::internal
