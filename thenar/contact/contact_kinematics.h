// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// How contact points travel: rates of the surface coordinates u_A, u_B, of the angle ψ between the surfaces, and of
/// the gap, from the motion of two bodies; and their second rates. Montana's equations (Chan 2.2 and Appendix A),
/// written in D, N and connection of contact_element.h, so that they hold for faces, edges, rims and vertices alike,
/// and for points that face each other across a gap g as well as for touching ones; the acceleration level as in
/// Sarkar, Kumar and Yun (1996).
///
/// Two elements face each other when n_B = −n_A and p_B = p_A + g n_A (n outward of the own body, g < 0: overlap). The
/// contact normal is N = −n_A, from B into A. All vectors are in the axes of one frame W, inertial where accelerations
/// are concerned; v_A, v_B are the velocities of the bodies' material points at p_A, p_B, and E = [x y] on either side.
/// Differentiating both conditions along the motion, with
///
///     ṗ_A = v_A + E_A D_A u̇_A        ṅ_A = ω_A × n_A + E_A N_A u̇_A        and the same for B                     (1)
///
/// gives in the tangent plane of A, with Q = E_Aᵀ E_B,
///
///     −(D_A + g N_A) u̇_A + Q D_B u̇_B = E_Aᵀ (v_A − v_B + g ω_A × n_A)                                            (2)
///             N_A u̇_A   + Q N_B u̇_B = −E_Aᵀ ((ω_A − ω_B) × n_A)                                                (3)
///     ġ = N · (v_A − v_B)                                                                                       (4)
///
/// ψ is the angle that Montana defines: turning E_A about n_A by −ψ lays x_A on x_B, so that
///
///     Q = [cos ψ, −sin ψ; −sin ψ, −cos ψ]       x_A · x_B = cos ψ,  x_A · y_B = −sin ψ                           (5)
///     ψ̇ = (ω_A − ω_B) · n_A + connection_A · u̇_A + connection_B · u̇_B                                           (6)
///
/// Where D_A and D_B are invertible and g = 0, (2), (3), (6) are Chan (2.4) with 1 = A, 2 = B, Q = ²₁R̂ (its own
/// inverse), metric D, curvature N D⁻¹ and torsion connection D⁻¹. The matrix of (2), (3) is that of Newton's method on
/// the features. It is singular where the surfaces conform to each other; then there is a patch, not a contact point,
/// and `is_regular` is false.
///
/// The contact frame C = (N, T, U) is carried along with N by the smallest rotation: Ω = N × Ṅ. The rate of
/// v_C = Cᵀ (v_A − v_B) is
///
///     v̇_C = Cᵀ (a_A − a_B) + Cᵀ (ω_A × E_A D_A u̇_A − ω_B × E_B D_B u̇_B) − Cᵀ (Ω × (v_A − v_B))                  (7)
///            material         travel                                       turn
///
/// with a_A, a_B the accelerations of the material points: linear in V̇ but for the bodies' spin. So with v_C = Wᵀ V the
/// terms spin, travel and turn together are Ẇᵀ V (`ContactDrift`). By (4) the first row of (7) is the gap acceleration.
///
/// A point that is pinned to a body, such as the corner of a patch, is a vertex: D = 0, N = 1.

#include "thenar/contact/contact_frame.h"
#include "thenar/geometry/surface.h"
#include "thenar/spatial/spatial_vector.h"

namespace thenar {

/// Two elements that face each other, in the axes of W.
template <class T>
struct FacingElements {
  ContactElement<T> A, B;
  T gap;  ///< m
  /// A rim that lies flat on a face, which all of it faces: the place stays on the rim where it is.
  bool is_flat = false;
};

template <class Archive, class T>
void archive_state(Archive& a, FacingElements<T>& place) {
  a(place.A, place.B, place.gap, place.is_flat);
}

/// Velocities or accelerations of both bodies, in the axes of W: of the body (angular) and of its material point at the
/// element's place (linear).
template <class T>
struct PairMotion {
  Motion<T> A, B;
};

template <class Archive, class T>
void archive_state(Archive& a, PairMotion<T>& motion) {
  a(motion.A.angular, motion.A.linear, motion.B.angular, motion.B.linear);
}

/// Rates of an element's matrices along the motion of its coordinates.
template <class T>
struct ElementRates {
  Matrix2<T> D, N;
  Vector2<T> connection;
};

/// What moves, per second.
template <class T>
struct ContactVelocity {
  Vector2<T> u_A, u_B;  ///< u̇
  T psi;                ///< ψ̇, rad/s
  T gap;                ///< ġ, m/s
  Vec3<T> N;            ///< Ṅ, 1/s
  Vec3<T> v;            ///< v_A − v_B, m/s; its tangential part is the slip
  Vec3<T> w;            ///< ω_A − ω_B, rad/s; along N it is spin, across rolling
  Vec3<T> travel_A;     ///< velocity of the place over the surface of A, E_A D_A u̇_A, m/s
  Vec3<T> travel_B;
  /// False: the surfaces conform to each other, and the coordinates are not unique. The rates are then those of one
  /// solution of what can be satisfied of (2) and (3), with as many coordinates at rest as may be.
  bool is_regular = false;
};

template <class Archive, class T>
void archive_state(Archive& a, ContactVelocity<T>& v) {
  a(v.u_A, v.u_B, v.psi, v.gap, v.N, v.v, v.w, v.travel_A, v.travel_B, v.is_regular);
}

/// Per second squared.
template <class T>
struct ContactAcceleration {
  Vector2<T> u_A, u_B;  ///< ü
  T psi;                ///< ψ̈, rad/s²
  T gap;                ///< g̈, m/s²
};

/// The terms of Ẇᵀ V: what the rates of v_C (`linear`, m/s²) and ω_C = Cᵀ (ω_A − ω_B) (`angular`, rad/s²) are without
/// V̇, each along N, T, U.
template <class T>
struct ContactDrift {
  Motion<T> spin;    ///< of the bodies: their material points' accelerations at V̇ = 0
  Motion<T> travel;  ///< of the places over both surfaces
  Motion<T> turn;    ///< of the contact frame

  Motion<T> sum() const {
    Motion<T> out = spin;
    out += travel;
    out += turn;
    return out;
  }
};

/// a's components along N, T, U.
template <class T>
Vec3<T> express_in(const ContactFrame<T>& frame, const Vec3<T>& a) {
  return {dot(frame.N, a), dot(frame.T, a), dot(frame.U, a)};
}

/// The frame turned by the smallest rotation that takes its N to the unit vector `N`, N · frame.N > −1.
template <class T>
ContactFrame<T> carry_frame(const ContactFrame<T>& frame, const Vec3<T>& N);

/// ψ of (5), in (−π, π].
template <class T>
T calc_psi(const FacingElements<T>& place);

/// (1)–(6). `velocity` at the two places.
template <class T>
ContactVelocity<T> calc_contact_velocity(const FacingElements<T>& place, const PairMotion<T>& velocity);

/// Rates of D, N and connection where the coordinates u of a chart move with u̇.
template <class T>
ElementRates<T> calc_element_rates(const Surface& surface, int chart, const Vector2<T>& u, const Vector2<T>& u_rate);

/// Differentiates (2), (3), (6) and (4); `rates` is calc_contact_velocity()'s answer for the same place and velocity,
/// and rates_A, rates_B are those of the elements along it. `acceleration` is that of the material points.
template <class T>
ContactAcceleration<T> calc_contact_acceleration(const FacingElements<T>& place, const ElementRates<T>& rates_A,
                                                 const ElementRates<T>& rates_B, const PairMotion<T>& velocity,
                                                 const PairMotion<T>& acceleration, const ContactVelocity<T>& rates);

/// (7) without V̇: `bias` are the accelerations of the material points for V̇ = 0 (J̇ v; ω × (ω × r) for a point at r from
/// the reference point of a body's twist). `rates` as above.
template <class T>
ContactDrift<T> calc_contact_drift(const ContactFrame<T>& frame, const PairMotion<T>& velocity,
                                   const PairMotion<T>& bias, const ContactVelocity<T>& rates);

}  // namespace thenar
