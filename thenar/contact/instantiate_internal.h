// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// The scalars on which contact kinematics is compiled.

#include "thenar/base/dual.h"

#define THENAR_FOR_EACH_CONTACT_SCALAR(macro) macro(double) macro(long double) macro(Dual4)
