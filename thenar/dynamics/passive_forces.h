// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/model/model.h"

namespace thenar {

/// Adds the generalized forces of springs and dampers to tau (nv): −c v − Gᵀ K e (Carv 3.39, with K a matrix).
template <class T>
void add_passive_forces(const Model& model, const T* q, const T* v, T* tau);

/// Adds the forces of the springs that are (or are not) conservative.
template <class T>
void add_spring_forces(const Model& model, const T* q, bool conservative, T* tau);

/// ½ Σ eᵀ K e over the conservative springs, J.
template <class T>
T calc_spring_energy(const Model& model, const T* q);

/// Power that the dampers take out, Σ c v², W.
template <class T>
T calc_damping_power(const Model& model, const T* v);

}  // namespace thenar
