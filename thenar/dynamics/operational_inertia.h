// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// How points of a tree answer to unit wrenches: the inverse operational inertia J M⁻¹ Jᵀ of any set of points on any
/// branches, without forming J or M (Carv 4.1, equations 4.11–4.19 and 4.26).
///
/// With the articulated factorization of the tree in the workspace, every link L has a 6 × 6 matrix Ψ that maps a
/// wrench on it to the change of its own motion. From the parent's Ψ, per degree of freedom (s, U, d):
///
///     Ψ ← X Ψ_P Xᵀ,   Ψ ← (1 − s Uᵀ/d) Ψ (1 − U sᵀ/d) + s sᵀ/d                    Carv (4.19), with ψ of (4.16)
///
/// A wrench at point j reaches an ancestor c of its link as Y_c (Carv 4.9, 4.13), and c answers with Ψ_c Y_c; a link
/// that is not on the way from j to the world follows its parent. So the block of points i and j carries Ψ of their
/// nearest common ancestor; (4.26) and (4.28) print Ψ of the descendant there, which is wrong (4.42 has it right).
///
/// Cost: O(n) for all Ψ, O(n) per point. No heap use in a call.

#include <array>
#include <span>

#include "thenar/dynamics/forward_dynamics.h"
#include "thenar/dynamics/kinematics.h"

namespace thenar {

/// A point fixed on a body, in the body's frame, m.
template <class T>
struct BodyPoint {
  BodyIndex body;
  Vec3<T> p_B;
};

template <class T>
class OperationalInertia {
 public:
  explicit OperationalInertia(const Model& model);

  /// Ψ of all links. Needs factorize_articulated.
  void update(const Model& model, const Workspace<T>& workspace);

  /// Writes Λ⁻¹ (6 m × 6 m for m points; moment and force in, angular and linear motion out, world axes): block (i, j)
  /// is the motion of point i per unit wrench at point j. Needs update.
  void calc(const Model& model, const Workspace<T>& workspace, std::span<const BodyPoint<T>> points,
            Eigen::Ref<MatrixX<T>> inverse_inertia);

 private:
  static constexpr int kColumns = 6;  ///< three unit moments, three unit forces

  void mark_needed(const Model& model, std::span<const BodyPoint<T>> points);
  void push_inwards(const Model& model, const Workspace<T>& workspace, const BodyPoint<T>& point);
  void spread_outwards(const Model& model, const Workspace<T>& workspace);

  /// Ψ per link; `M` holds its angular, `J` its linear and `H` its linear–angular block, so that moving it to another
  /// point is moving an articulated inertia the other way.
  std::vector<ArticulatedInertia<T>> psi_;
  std::vector<std::array<Motion<T>, kColumns>> response_;
  std::vector<char> needed_, on_path_;
};

}  // namespace thenar
