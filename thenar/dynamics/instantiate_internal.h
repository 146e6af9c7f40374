// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The scalars on which the tree algorithms are compiled: users pay no compile time for them.

#include "thenar/base/dual.h"
#include "thenar/base/pack.h"

#define THENAR_FOR_EACH_SCALAR(macro) macro(double) macro(long double) macro(Pack4) macro(Dual4)
