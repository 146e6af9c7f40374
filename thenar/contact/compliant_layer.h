// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// A thin layer without mass between two rigid bodies that touch, which gives way under their force (SYK 2.2).
///
/// **Along N** it is pressed by the depth d = −gap > 0, which changes with ḋ = −v_N. A LayerLaw says with which force
/// it answers; it never pulls, f_N ≥ 0:
///
///     Kelvin–Voigt      f_N = K d + C ḋ                      SYK (13): K = K̄ m₀/(ε t₀²), C = C̄ m₀/(√ε t₀)
///     Hunt–Crossley     f_N = K dⁿ (1 + a ḋ)                 no force where nothing is pressed, no jump where bodies
///     meet
///
/// **Along the surface** it is sheared by s (T, U, and an angle about N of a soft fingertip): A's point has gone by s
/// from where it sticks to the layer, with the slip u = v_t of the bodies. Friction holds the layer back,
///
///     f_t = −(k s + c ṡ),   |f_t| ≤ μ f_N                    sticks: ṡ = u;  slips: |f_t| = μ f_N against u − ṡ
///
/// With w = k s + c u, what friction would have to be to make it stick, both are one explicit answer:
///
///     |w| ≤ μ f_N   sticks     ṡ = u,                        f_t = −w
///     |w| > μ f_N   slips      f_t = −μ f_N w/|w|,           ṡ = −(f_t + k s)/c,   u − ṡ = (1 − μ f_N/|w|) w/c
///
/// so that f_t and ṡ are continuous functions of the state: nothing jumps where sticking ends, there is no stale anchor
/// that would draw a body back after it was let go, and slip is always opposed by friction. About N stiffness and
/// damping are those of the layer times (μ_τ/μ)²: then the same w/|w|, measured by the ellipsoid of the soft fingertip
/// (contact_law.h), is the direction with the most power.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "thenar/contact/contact_law.h"
#include "thenar/spatial/linear.h"
#include "thenar/spatial/state_archive.h"

namespace thenar {

/// A force along N with its derivatives by depth (1/m) and by its rate (s/m).
struct LayerForce {
  double f = 0;         ///< N
  double by_depth = 0;  ///< N/m
  double by_rate = 0;   ///< N s/m
};

/// How a layer answers to being pressed; derive from it for a law of your own.
class LayerLaw {
 public:
  virtual ~LayerLaw() = default;

  virtual std::string_view kind() const = 0;
  virtual std::unique_ptr<LayerLaw> clone() const = 0;

  /// At a depth > 0 (m) that changes with `rate` (m/s), as if it could pull: what is below 0 is taken as 0.
  virtual LayerForce calc_normal(double depth, double rate) const = 0;
  /// The depth at which it answers with that force > 0 (N), for a layer that is to begin with it (SYK 4.1); 0 if there
  /// is none.
  virtual double calc_depth(double force, double rate) const = 0;

  /// What it holds at that depth (m) and gives back when it is let go slowly, J.
  virtual double calc_energy(double depth) const = 0;

  virtual double shear_stiffness() const = 0;  ///< k, N/m, ≥ 0
  virtual double shear_damping() const = 0;    ///< c, N s/m, > 0
};

class KelvinVoigt final : public LayerLaw {
 public:
  explicit KelvinVoigt(const LayerConstants& constants) : constants_(constants) {}

  std::string_view kind() const override { return "kelvin_voigt"; }
  std::unique_ptr<LayerLaw> clone() const override { return std::make_unique<KelvinVoigt>(*this); }
  LayerForce calc_normal(double depth, double rate) const override;
  double calc_depth(double force, double rate) const override;
  double calc_energy(double depth) const override;
  double shear_stiffness() const override { return constants_.shear_stiffness; }
  double shear_damping() const override { return constants_.shear_damping; }

 private:
  LayerConstants constants_;
};

/// `stiffness` of the constants is that of K dⁿ, N/mⁿ; `damping` is not used.
class HuntCrossley final : public LayerLaw {
 public:
  /// `exponent` n ≥ 1 (1.5 of a ball on a plane, Hertz); `dissipation` a ≥ 0, s/m.
  HuntCrossley(const LayerConstants& constants, double exponent, double dissipation)
      : constants_(constants), exponent_(exponent), dissipation_(dissipation) {}

  std::string_view kind() const override { return "hunt_crossley"; }
  std::unique_ptr<LayerLaw> clone() const override { return std::make_unique<HuntCrossley>(*this); }
  LayerForce calc_normal(double depth, double rate) const override;
  double calc_depth(double force, double rate) const override;
  double calc_energy(double depth) const override;
  double shear_stiffness() const override { return constants_.shear_stiffness; }
  double shear_damping() const override { return constants_.shear_damping; }

 private:
  LayerConstants constants_;
  double exponent_, dissipation_;
};

/// What a layer is doing.
enum class LayerPhase { apart, sticks, slips };

/// The answer of a layer at one instant. Along the surface: T, U (m, N) and about N (rad, N m).
struct LayerAnswer {
  LayerPhase phase = LayerPhase::apart;
  double f_N = 0;              ///< N, ≥ 0
  Vector3<double> f_t;         ///< on A
  Vector3<double> shear_rate;  ///< ṡ
  double pressure = 0;         ///< N, f_N as if the layer could pull, where bodies are in touch: < 0 they part
  double excess = 0;           ///< |w| − f_N, N, both by the ellipsoid: < 0 sticks, > 0 slips; continuous
  double dissipated = 0;       ///< W, by dampers along the surface and by slip

  // Derivatives.
  double fN_by_depth = 0, fN_by_rate = 0;
  Matrix3<double> ft_by_shear, ft_by_slip;
  Vector3<double> ft_by_fN;
  Matrix3<double> rate_by_shear, rate_by_slip;
  Vector3<double> rate_by_fN;
};
template <class Archive>
void archive_state(Archive& a, LayerAnswer& x) {
  a(x.phase, x.f_N, x.f_t, x.shear_rate, x.pressure, x.excess, x.dissipated, x.fN_by_depth, x.fN_by_rate, x.ft_by_shear,
    x.ft_by_slip, x.ft_by_fN, x.rate_by_shear, x.rate_by_slip, x.rate_by_fN);
}

/// What a contact with this friction does at the depth d and its rate ḋ, sheared by s while the bodies slip by u.
/// `kept`: as if it stayed in that phase, a smooth continuation beyond where it ends (even f_N < 0), so that a step of
/// an integrator can reach over the end of the phase and look for it.
LayerAnswer calc_layer(const LayerLaw& layer, const ContactLaw& contact, double depth, double depth_rate,
                       const Vector3<double>& shear, const Vector3<double>& slip,
                       std::optional<LayerPhase> kept = std::nullopt);

/// The layer that a scenario asks for; the mass (kg) and the time (s) are those of a choice by scale that names none.
std::shared_ptr<const LayerLaw> make_layer(const LayerChoice& choice, double mass, double time);

/// The shear with which friction is f_t on A while it changes with `shear_rate` (SYK 4.1): −(f_t + c ṡ)/k.
Vector3<double> calc_shear(const LayerLaw& layer, const ContactLaw& contact, const Vector3<double>& f_t,
                           const Vector3<double>& shear_rate);

/// The word used in files: apart, sticks, slips.
const char* to_string(LayerPhase phase);

/// What springs along the surface hold, J.
double calc_shear_energy(const LayerLaw& layer, const ContactLaw& contact, const Vector3<double>& shear);

}  // namespace thenar
