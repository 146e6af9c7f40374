// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/control/pseudo_inverse_internal.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace thenar::internal {

SymmetricMatrix calc_pseudo_inverse(const SymmetricMatrix& A, double least) {
  const Eigen::SelfAdjointEigenSolver<SymmetricMatrix> spectrum(A);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, SymmetricMatrix::MaxRowsAtCompileTime, 1> inverse =
      spectrum.eigenvalues();
  const double smallest = least * std::max(inverse.maxCoeff(), 0.0);
  for (double& x : inverse) x = x > smallest ? 1 / x : 0;
  const SymmetricMatrix scaled = spectrum.eigenvectors() * inverse.asDiagonal();
  SymmetricMatrix out(A.rows(), A.rows());
  out.noalias() = scaled * spectrum.eigenvectors().transpose();
  return out;
}

}  // namespace thenar::internal
