// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Guards against numbers that are no state: NaN, infinities, and speeds that no mechanism reaches.

#include <string>

#include "thenar/model/model.h"
#include "thenar/scenario/state.h"

namespace thenar {

/// A speed (rad/s, m/s) that no hand reaches: the state has blown up even if it is still a number.
inline constexpr double kLargestSpeed = 1e12;

/// Whether all entries are finite and no speed is beyond kLargestSpeed.
bool is_good(const State& state);

/// Describes the first entry of q or v that makes a state bad; empty when all is well.
std::string find_bad_entry(const Model& model, const State& state);

/// "joint 'hand.wrist'" or "body 'box'": what the user calls the owner of a number.
std::string owner_name(const Model& model, const Joint& joint);

}  // namespace thenar
