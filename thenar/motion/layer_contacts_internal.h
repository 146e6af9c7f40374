// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Contacts through compliant layers (compliant_layer.h) as a part of the motion:
///
///     M v̇ = … + Σ Jᵀ f(d, ḋ, s, u),   ṡ = r(d, ḋ, s, u),     d = offset − gap,  ḋ = −J_N v,  u = J_t v
///
/// Shears s are inner states of the motion, as many as a contact has directions to slip in, in the axes of its frame.
/// They turn with the bodies about N. Between events every layer keeps its phase (LayerPhase), so that forces are
/// smooth; where a phase ends is looked for by the run.
///
/// `offset` is how deep a layer is pressed where the surfaces of its bodies just touch: 0, but for a layer that has
/// taken over from a rigid contact with its force (SYK 4.1).
///
/// Derivatives leave out how J and the slip change with the position: they are for iterations.

#include <memory>
#include <vector>

#include "thenar/contact/compliant_layer.h"
#include "thenar/integrate/integrator.h"
#include "thenar/motion/held_contact.h"
#include "thenar/scenario/tolerances.h"

namespace thenar::internal {

class LayerContact {
 public:
  /// `place` follows the contact over both surfaces; its hold does not matter.
  LayerContact(HeldContact place, std::shared_ptr<const LayerLaw> layer, double offset = 0);

  template <class Archive>
  void archive(Archive& a);

  HeldContact& place() { return place_; }
  const HeldContact& place() const { return place_; }
  const LayerLaw& layer() const { return *layer_; }
  const std::shared_ptr<const LayerLaw>& shared_layer() const { return layer_; }
  double offset() const { return offset_; }
  const std::string& name() const { return place_.name(); }

  /// The directions that friction acts in, which have a shear: rows 1, 2, 3 of the place (T, U, about N).
  int shear_count() const { return shear_count_; }
  int shear_row(int k) const { return place_.tangent(k); }

  LayerPhase phase = LayerPhase::apart;
  bool is_new = true;                               ///< no phase was chosen as yet
  Vector3<double> shear = Vector3<double>::Zero();  ///< along T, U and about N, of the last evaluation or as set

  /// Depth and answer at the place's last update. `spin` (rad/s): how fast the bodies turn about N.
  void evaluate(double spin);
  /// The phase that it is in there, by margins (N, m) that it must pass to leave the one that it had.
  void choose_phase(double force_margin, double depth_margin);
  /// Of a layer that presses: ≥ 0 as long as it does.
  double calc_hold(double force_margin, double depth_margin) const;
  double depth() const { return offset_ - place_.gap(); }  ///< m
  const LayerAnswer& answer() const { return answer_; }
  Vector4<double> force() const { return {answer_.f_N, answer_.f_t(0), answer_.f_t(1), answer_.f_t(2)}; }
  /// ṡ as the frame sees it, T, U, about N.
  Vector3<double> calc_shear_rate() const;
  double calc_energy() const;      ///< J, that springs hold
  double calc_dissipated() const;  ///< W

 private:
  Vector3<double> slip() const { return place_.velocity().segment<3>(1); }
  /// Those of its shears and slips that friction knows.
  Vector3<double> mask(const Vector3<double>& v) const;

  HeldContact place_;
  std::shared_ptr<const LayerLaw> layer_;
  double offset_ = 0;
  int shear_count_ = 0;
  double spin_ = 0;
  LayerAnswer answer_;
};

class LayerContacts {
 public:
  /// The model must outlive it.
  explicit LayerContacts(const Model& model);

  void set_contacts(std::vector<LayerContact> next);
  /// What its future depends on. Layers are made by the laws of their contacts, with the scales of the scenario.
  template <class Archive>
  void archive(Archive& a, const LawTable& laws, const Scales& scales);
  const std::vector<LayerContact>& contacts() const { return contacts_; }
  std::vector<LayerContact>& contacts() { return contacts_; }
  bool empty() const { return contacts_.empty(); }

  /// How many numbers all shears are, and these as they are in the contacts.
  int shear_count() const { return shear_count_; }
  VectorX<double> collect_shears() const;

  /// Follows the contacts to (q, v), with these shears. False if one of them is lost. Needed by all below.
  bool update(const double* q, const double* v, const double* shears);
  void add_efforts(double* effort) const;
  void write_rates(double* rates) const;
  double calc_energy() const;
  double calc_dissipated() const;
  const Workspace<double>& workspace() const { return workspace_; }

  /// Adds ∂v̇/∂x and ∂v̇/∂v of the layers, without what rigid contacts do about them, and writes the rest.
  void add_derivatives(Eigen::Ref<MatrixX<double>> dv_dx, Eigen::Ref<MatrixX<double>> dv_dv, InnerJacobian& inner);

 private:
  double calc_spin(const HeldContact& place) const;

  const Model* model_;
  Workspace<double> workspace_;
  std::vector<LayerContact> contacts_;
  int shear_count_ = 0;
  Eigen::Matrix<double, Eigen::Dynamic, 4> response_;  ///< M⁻¹ Jᵀ along N, T, U and about N
  VectorX<double> column_;
};

}  // namespace thenar::internal
