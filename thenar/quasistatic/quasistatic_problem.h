// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The planar quasistatic contact problem of Pang, Trinkle and Lo (PTL), in plain matrices: a passive object that a
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
/// What is unknown among velocities is u = (q̇, θ̇ of effort-controlled joints), and the known part of the contact
/// velocities is v₀. In these letters the problem is v = P u + v₀, Pᵀ c + h = 0 (UnknownForm).

#include <cstdint>
#include <string>
#include <vector>

#include "thenar/spatial/linear.h"

namespace thenar {

struct QuasistaticProblem {
  MatrixX<double> W_n, W_t;                  ///< n_q × n_c
  MatrixX<double> J_n, J_t;                  ///< n_c × n_theta
  std::vector<bool> is_position_controlled;  ///< of each joint: whether it is in PTL's α
  VectorX<double> theta_dot;                 ///< n_theta; those outside α are ignored
  VectorX<double> tau;                       ///< n_theta; those in α are ignored
  VectorX<double> g_obj;                     ///< n_q, external load on the object
  VectorX<double> g_man;                     ///< n_theta, efforts that external loads on the links take
  VectorX<double> mu;                        ///< n_c

  int contact_count() const { return static_cast<int>(mu.size()); }
  int object_freedoms() const { return static_cast<int>(g_obj.size()); }
  int joint_count() const { return static_cast<int>(g_man.size()); }
  /// Joints outside α, in their order.
  std::vector<int> effort_joints() const;

  /// Throws std::invalid_argument unless sizes fit, numbers are finite and friction is not negative.
  void check() const;
};

/// What a contact does.
enum class QuasistaticMode : std::uint8_t { breaks, slides_plus, slides_minus, rolls };
/// "break", "slide+", "slide-", "roll".
const char* to_string(QuasistaticMode mode);
inline constexpr QuasistaticMode kQuasistaticModes[] = {QuasistaticMode::breaks, QuasistaticMode::slides_plus,
                                                        QuasistaticMode::slides_minus, QuasistaticMode::rolls};

/// A list of labels that has velocities and forces, and one of each.
struct QuasistaticSolution {
  std::vector<QuasistaticMode> modes;
  VectorX<double> q_dot, theta_dot, tau, c_n, c_t;
  bool velocity_unique = false;  ///< no other velocity has these labels
  bool forces_unique = false;    ///< no other contact forces go with them
};

/// The problem in its unknowns: v = P u + v₀ with the normal rows first and the tangential ones after them, and the
/// equilibrium Pᵀ c + h = 0. PTL write J_ᾱ without its minus sign in P, which spans the same space.
struct UnknownForm {
  MatrixX<double> P;  ///< 2 n_c × (n_q + |ᾱ|)
  VectorX<double> v0;
  VectorX<double> h;  ///< (g_obj, (τ − g_man) of ᾱ)
};
UnknownForm make_unknown_form(const QuasistaticProblem& problem);

/// Sets to zero what is rounding beside the largest entries of its row and of its column. Linear programs scale small
/// entries up and would take them at their word.
void drop_rounding(MatrixX<double>& matrix);

/// Velocities below this count as none, in parts of the largest known contact velocity (or of 1 if there is none).
inline constexpr double kStill = 1e-7;
/// That largest velocity.
double find_speed_scale(const VectorX<double>& v0);

}  // namespace thenar
