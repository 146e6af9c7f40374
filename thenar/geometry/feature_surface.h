// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The surfaces of a grown core's features: as values with a place, and directly in the axes of the shape (snap()).

#include "thenar/geometry/core.h"
#include "thenar/geometry/surface.h"

namespace thenar {

/// The surface of a feature, grown by the radius, and its place in the shape's frame: p_S = X_SF p_F.
struct FeatureSurface {
  Surface surface;
  Pose<double> X_SF;
};
FeatureSurface make_feature_surface(const GrownCore& shape, int feature);

/// The element of a grown core nearest to (p, n), both in S, on the given feature, in the axes of S.
ContactElement<double> snap(const GrownCore& shape, int feature, const Vec3<double>& p, const Vec3<double>& n);

}  // namespace thenar
