// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Contact elements: where a surface can be touched, and from which side.
///
/// A contact element is a point p of a boundary with an outward unit normal n. The elements of a smooth surface, but
/// also those of an edge (n turns about it) and of a vertex (n points anywhere in a cone) form a smooth manifold of two
/// dimensions. With two coordinates u and the unit tangents x, y (x × y = n, the Gauss frame):
///
///     dp = [x y] D du        dn = [x y] N du        y · dx = connection · du
///
/// On a smooth surface D is invertible and Montana's metric, curvature and torsion (Chan 2.2 and Appendix A) are
///
///     metric = D        curvature = N D⁻¹        torsion = connection D⁻¹,
///
/// with curvature positive where the body is convex (1/r on a ball). Where D is not invertible they do not exist, while
/// D and N do: on a vertex D = 0, N = 1. That is why distance and contact kinematics are written in D and N: one
/// formula serves faces, edges, rims and vertices.
///
/// Adding a ball of radius r to a body moves every element along its normal: p + r n, D + r N. A ball is a vertex grown
/// by r, a capsule a grown line, a torus a grown circle; with r < 0 a vertex becomes the inside of a bowl.

#include "thenar/spatial/linear.h"

namespace thenar {

template <class T>
using Vector2 = Eigen::Matrix<T, 2, 1>;
template <class T>
using Matrix2 = Eigen::Matrix<T, 2, 2>;

template <class T>
struct ContactElement {
  Vec3<T> p;              ///< m
  Vec3<T> n;              ///< outward unit normal
  Vec3<T> x, y;           ///< unit tangents, x × y = n
  Matrix2<T> D;           ///< m per unit of u
  Matrix2<T> N;           ///< rad per unit of u
  Vector2<T> connection;  ///< rad per unit of u

  /// The element of the body grown by a ball of radius r (m).
  void grow(const T& r) {
    p += n * r;
    D += N * r;
  }
};

template <class Archive, class T>
void archive_state(Archive& a, ContactElement<T>& element) {
  a(element.p, element.n, element.x, element.y, element.D, element.N, element.connection);
}

/// Montana's description of a smooth surface in its Gauss frame. Only for elements with an invertible D.
template <class T>
struct SurfaceForms {
  Matrix2<T> metric;     ///< m per unit of u
  Matrix2<T> curvature;  ///< 1/m, symmetric
  Vector2<T> torsion;    ///< 1/m
};

template <class T>
SurfaceForms<T> calc_forms(const ContactElement<T>& element) {
  const Matrix2<T>& D = element.D;
  const T inverse_det = T(1) / (D(0, 0) * D(1, 1) - D(0, 1) * D(1, 0));
  Matrix2<T> D_inverse;
  D_inverse << D(1, 1) * inverse_det, -D(0, 1) * inverse_det, -D(1, 0) * inverse_det, D(0, 0) * inverse_det;
  return {D, element.N * D_inverse, D_inverse.transpose() * element.connection};
}

/// Two unit vectors x, y with x × y = n for a unit vector n; they jump where n.z changes its sign
/// (Duff et al., Building an orthonormal basis, revisited, 2017).
template <class T>
void complete_frame(const Vec3<T>& n, Vec3<T>& x, Vec3<T>& y) {
  const T sign = plain(n.z) < 0 ? T(-1) : T(1);
  const T a = T(-1) / (sign + n.z), b = n.x * n.y * a;
  x = {T(1) + sign * n.x * n.x * a, sign * b, -sign * n.x};
  y = {b, sign + n.y * n.y * a, -n.y};
}

}  // namespace thenar
