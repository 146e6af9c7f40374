// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thenar/spatial/linear.h"

namespace thenar::internal {

/// Symmetric matrices of the laws of grasps: at most 24 rows, so that they need no heap.
using SymmetricMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 24, 24>;

/// The pseudoinverse of a semidefinite matrix. Eigenvalues up to `least` times the largest one count as zero.
SymmetricMatrix calc_pseudo_inverse(const SymmetricMatrix& A, double least);

}  // namespace thenar::internal
