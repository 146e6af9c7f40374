// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Coefficients of Radau IIA with three stages, order 5 (HairerWanner1996, IV.5 table 5.6 and IV.8):
///
///     T⁻¹ A⁻¹ T = Λ = [γ 0 0; 0 α −β; 0 β α],
///
/// and kError holds Eᵢ of the error estimate (γ/h − J)⁻¹ (ẏ(t, y) + Σᵢ Eᵢ Zᵢ / h).
/// T is scaled so that the end of the step is the sum of the first two transformed stages.

#include <array>

namespace thenar::internal::radau {

using Row = std::array<double, 3>;
using Matrix = std::array<Row, 3>;

inline constexpr double kSqrt6 = 2.4494897427831780982;
inline constexpr Row kNodes{(4 - kSqrt6) / 10, (4 + kSqrt6) / 10, 1};
inline constexpr Matrix kA{
    Row{(88 - 7 * kSqrt6) / 360, (296 - 169 * kSqrt6) / 1800, (-2 + 3 * kSqrt6) / 225},
    Row{(296 + 169 * kSqrt6) / 1800, (88 + 7 * kSqrt6) / 360, (-2 - 3 * kSqrt6) / 225},
    Row{(16 - kSqrt6) / 36, (16 + kSqrt6) / 36, 1.0 / 9},
};
inline constexpr Row kError{(-13 - 7 * kSqrt6) / 3, (-13 + 7 * kSqrt6) / 3, -1.0 / 3};

inline constexpr double kGamma = 3.6378342527444957322;
inline constexpr double kAlpha = 2.6810828736277521339;
inline constexpr double kBeta = 3.0504301992474105694;
inline constexpr Matrix kT{
    Row{0.094438762488975241487, -0.14125529502095420843, -0.030029194105147424492},
    Row{0.25021312296533331138, 0.204129352293799932, 0.3829421127572619378},
    Row{1, 1, 0},
};
inline constexpr Matrix kInverseT{
    Row{4.1787185915519047273, 0.32768282076106238708, 0.52337644549944954804},
    Row{-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    Row{-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497},
};

/// Weights of the stages' increments Zᵢ in the collocation polynomial at the fraction ϑ of the step: Lagrange's
/// polynomials of the nodes 0, c₀, c₁, c₂ without the first.
inline Row calc_collocation_weights(double theta) {
  Row weights;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    weights[i] = theta * (theta - kNodes[j]) * (theta - kNodes[k]) /
                 (kNodes[i] * (kNodes[i] - kNodes[j]) * (kNodes[i] - kNodes[k]));
  }
  return weights;
}

}  // namespace thenar::internal::radau
