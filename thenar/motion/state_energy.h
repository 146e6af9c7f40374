// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/model/model.h"
#include "thenar/scenario/state.h"

namespace thenar {

/// Kinetic energy, energy in gravity and in conservative springs, J.
double calc_energy(const Model& model, const State& state);

}  // namespace thenar
