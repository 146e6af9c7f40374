// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The rows that joints bring into a constraint problem: locks and couplings (bilateral), stops (unilateral), dry
/// friction (boxed). A row is a function of the coordinates,
///
///     value = s (q_i − g(q)),   rate = J v,   acceleration = J v̇ + bias,   bias = −s d²g/dt² at v̇ = 0,
///
/// with s = −1 for an upper stop, else 1, and g a number or a CoordinateFunction. A reaction z acts as Jᵀ z on the
/// joints: a positive one pushes away from the stop. Rows of dry friction, and of locked rotations in space, have a
/// rate only.

#include <string>
#include <vector>

#include "thenar/complementarity/constraint_problem.h"
#include "thenar/model/model.h"
#include "thenar/scenario/state.h"

namespace thenar {

enum class JointRowKind { lock, coupling, stop, friction };

class JointRow {
 public:
  static JointRow make_lock(const Model& model, int dof, const VectorX<double>& q_start);
  static JointRow make_coupling(const Model& model, const Coupling& coupling);
  static JointRow make_stop(const Model& model, const Stop& stop);
  static JointRow make_friction(const Model& model, int dof);

  JointRowKind kind() const { return kind_; }
  int dof() const { return dof_; }
  /// Whether J is one entry that never changes.
  bool is_constant() const { return dofs_.size() == 1; }
  /// "lower" or "upper" for a stop; what the row is called for the others.
  const char* side() const;
  bool is_upper() const { return kind_ == JointRowKind::stop && sign_ < 0; }
  double restitution() const { return restitution_; }
  double friction_limit() const { return friction_limit_; }

  /// value, m or rad: the gap of a stop. 0 for rows that have a rate only.
  double calc_value(const double* q);
  /// What the value is at least, wherever the other coordinates are; −∞ if that is not known.
  double calc_least_value(const double* q) const { return sign_ * (q[coordinate_] - extreme_target_); }
  /// The number that q(dof) has on the bound of a stop, or by a lock or a coupling.
  double calc_target(const double* q);
  bool has_value() const { return coordinate_ >= 0; }
  /// Index into q of the coordinate that the row bounds, or −1.
  int coordinate() const { return coordinate_; }

  /// J and the bias at (q, v).
  void update(const double* q, const double* v);
  const std::vector<int>& dofs() const { return dofs_; }
  const std::vector<double>& gradient() const { return gradient_; }
  double bias() const { return bias_; }

  /// J x, and x += Jᵀ z, with the J of the last update().
  double multiply(const double* x) const;
  void add_transposed(double z, double* x) const;

 private:
  JointRow(const Model& model, JointRowKind kind, int dof);
  void set_function(const Model& model, const CoordinateFunction& function);

  JointRowKind kind_;
  int dof_;
  int coordinate_;
  double sign_ = 1;
  double target_ = 0;          ///< g, where it is a number
  double extreme_target_ = 0;  ///< the largest g, for an upper stop the smallest
  double restitution_ = 0;
  double friction_limit_ = 0;
  Expression function_;
  std::vector<int> arguments_;  ///< indices into q
  std::vector<int> dofs_;       ///< of J: dof_, then those of the arguments
  std::vector<double> gradient_;
  std::vector<double> values_, rates_;  ///< of the arguments
  double bias_ = 0;
};

/// The row of a constraint problem that it is.
ConstraintRow make_problem_row(const JointRow& row, std::uint64_t id = 0);

/// All rows of a model, in this order: locks, couplings, stops, friction.
std::vector<JointRow> make_joint_rows(const Model& model, const VectorX<double>& q_start);

}  // namespace thenar
