// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/compliant/layer_sizes_internal.h"

#include <algorithm>
#include <cmath>

namespace thenar::internal {
namespace {

/// Forces below this part of the weight of everything do not count.
constexpr double kLayerForceMargin = 1e-10;
/// Depths below this part of the size of the scene do not count.
constexpr double kDepthMargin = 1e-12;

}  // namespace

LayerMargins find_layer_margins(const Scales& scales, double size) {
  return {kLayerForceMargin * scales.effort() / scales.length, kDepthMargin * size};
}

double calc_layer_time(const LayerContact& contact, const Scales& scales) {
  const double load = scales.effort() / scales.length;
  const LayerForce f = contact.layer().calc_normal(contact.layer().calc_depth(load, 0), 0);
  return std::max(f.by_rate / f.by_depth, std::sqrt(scales.mass / f.by_depth));
}

LayerSlopes calc_layer_slopes(const ContactLaw& law, double f_N, const Scales& scales) {
  const auto layer = make_layer(law.layer, scales.mass, scales.time);
  const LayerForce normal = layer->calc_normal(f_N > 0 ? layer->calc_depth(f_N, 0) : 0, 0);
  const double k = layer->shear_stiffness(), c = layer->shear_damping();
  const double arm = law.friction > 0 ? law.torsion / law.friction : 0;
  return {{normal.by_depth, k, k, k * arm * arm}, {normal.by_rate, c, c, c * arm * arm}};
}

}  // namespace thenar::internal
