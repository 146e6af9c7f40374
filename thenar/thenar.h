// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// What most programs need: load a scenario, hold a simulation of it, look at it and change it.
///
///     #include <thenar/thenar.h>
///     thenar::Simulation simulation(thenar::load("grasp.yaml"));

#include "thenar/base/diagnostic.h"
#include "thenar/io/scenario/load.h"
#include "thenar/simulation/simulate.h"
#include "thenar/simulation/simulation.h"
