// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The quasistatic contact problem of Pang, Trinkle and Lo (PTL), in plain matrices: a passive object that a
/// manipulator touches at n_c points. Inertia does not matter; of every joint either the velocity or the effort is
/// given. With the object's velocity q̇, the joints' θ̇, and c the force on the object at a contact,
///
///     v_n = W_nᵀ q̇ − J_n θ̇,   v_t = W_tᵀ q̇ − J_t θ̇                        PTL (4), (5)
///     W_n c_n + W_t c_t + g_obj = 0                                          PTL (2)
///     τ = J_nᵀ c_n + J_tᵀ c_t + g_man                                        PTL (3)
///
/// and at every contact, labelled by its motion first:
///
///     break     v_n > 0                c_n = c_t = 0
///     slide+    v_n = 0, v_t > 0       c_t = −μ c_n ≤ 0
///     slide−    v_n = 0, v_t < 0       c_t = +μ c_n ≥ 0
///     roll      v_n = v_t = 0          |c_t| ≤ μ c_n                         PTL (6) to (10)
///
/// Velocities and forces meet in these labels only. So the solutions are a union of products: for each list of labels
/// the velocities that have them, times the forces that they allow. Two solutions are *mode-distinct* if their labels
/// differ.
///
/// **In space** there is a second tangent u, with W_u and J_u, and friction is bounded by a polygon of `sides` = k
/// corners, c_t, c_u in μ c_n · conv{d_0 … d_{k−1}}, d_j = (cos 2πj/k, sin 2πj/k), of which it takes what resists slip
/// most. With the unit vectors e_j along d_{j+1} − d_j, a touching contact
///
///     slides, sector 2j      e_j · v > 0 > e_{j−1} · v                        friction μ c_n d_j
///     slides, sector 2j+1    e_j · v = 0, e_{j+1} · v > 0 > e_{j−1} · v       friction between corners j and j + 1
///     rolls                  v_t = v_u = 0                                    friction anywhere in the polygon
///
/// A contact without friction has one way to touch, which is called sliding, whatever its slip.
///
/// What is unknown among velocities is u = (q̇, θ̇ of effort-controlled joints), and the known part of the contact
/// velocities is v₀. In these letters the problem is v = P u + v₀, Pᵀ c + h = 0 (UnknownForm).

#include <cstdint>
#include <string>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

struct QuasistaticProblem {
  MatrixX<double> W_n, W_t, W_u;  ///< n_q × n_c; W_u in space only
  MatrixX<double> J_n, J_t, J_u;  ///< n_c × n_theta; J_u in space only
  int sides = 0;                  ///< corners of the polygons of friction in space, 3 or more; 0 in the plane
  std::vector<bool> is_position_controlled;  ///< of each joint: whether it is in PTL's α
  VectorX<double> theta_dot;                 ///< n_theta; those outside α are ignored
  VectorX<double> tau;                       ///< n_theta; those in α are ignored
  VectorX<double> g_obj;                     ///< n_q, external load on the object
  VectorX<double> g_man;                     ///< n_theta, efforts that external loads on the links take
  VectorX<double> mu;                        ///< n_c

  int contact_count() const { return static_cast<int>(mu.size()); }
  int object_freedoms() const { return static_cast<int>(g_obj.size()); }
  int joint_count() const { return static_cast<int>(g_man.size()); }
  bool is_spatial() const { return sides > 0; }
  /// Joints outside α, in their order.
  std::vector<int> effort_joints() const;

  static constexpr int kFewestSides = 3, kMostSides = 64;

  /// Throws std::invalid_argument unless sizes fit, numbers are finite and friction is not negative.
  void check() const;
};

/// What a contact does; `slides` in space only.
enum class QuasistaticMode : std::uint8_t { breaks, slides_plus, slides_minus, rolls, slides };
/// "break", "slide+", "slide-", "roll", "slide".
const char* to_string(QuasistaticMode mode);
inline constexpr QuasistaticMode kQuasistaticModes[] = {QuasistaticMode::breaks, QuasistaticMode::slides_plus,
                                                        QuasistaticMode::slides_minus, QuasistaticMode::rolls,
                                                        QuasistaticMode::slides};

/// A list of labels that has velocities and forces, and one of each.
struct QuasistaticSolution {
  std::vector<QuasistaticMode> modes;
  std::vector<int> sectors;  ///< in space, of what slides; −1 of other contacts and without friction
  VectorX<double> q_dot, theta_dot, tau, c_n, c_t, c_u;  ///< c_u in space only
  bool velocity_unique = false;                          ///< no other velocity has these labels
  bool forces_unique = false;                            ///< no other contact forces go with them

  bool has_modes_of(const QuasistaticSolution& other) const { return modes == other.modes && sectors == other.sectors; }
};

/// The problem in its unknowns: v = P u + v₀ with the normal rows first and the tangential ones after them (in space
/// first all of t, then all of u), and the equilibrium Pᵀ c + h = 0. PTL write J_ᾱ without its minus sign in P, which
/// spans the same space.
struct UnknownForm {
  MatrixX<double> P;  ///< 2 n_c (in space 3 n_c) × (n_q + |ᾱ|)
  VectorX<double> v0;
  VectorX<double> h;  ///< (g_obj, (τ − g_man) of ᾱ)
};
UnknownForm make_unknown_form(const QuasistaticProblem& problem);

/// Velocities below this count as none, in parts of the largest known contact velocity (or of 1 if there is none).
inline constexpr double kStill = 1e-7;
/// That largest velocity.
double find_speed_scale(const VectorX<double>& v0);

}  // namespace thenar
