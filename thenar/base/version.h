// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The version of Thenar; CMake reads it here.
#define THENAR_VERSION_MAJOR 0
#define THENAR_VERSION_MINOR 2
#define THENAR_VERSION_PATCH 0
#define THENAR_VERSION "0.2.0"
