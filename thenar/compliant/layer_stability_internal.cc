// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/compliant/layer_stability_internal.h"

#include <cmath>
#include <limits>
#include <vector>

#include "thenar/spatial/decompositions.h"

namespace thenar::internal {

double calc_layer_growth(const MatrixX<double>& A, const VectorX<double>& k, const VectorX<double>& c) {
  const Eigen::Index count = A.rows();
  if (count == 0) return -std::numeric_limits<double>::infinity();
  std::vector<Eigen::Index> springs;
  for (Eigen::Index i = 0; i < count; ++i) {
    if (k(i) > 0) springs.push_back(i);
  }
  const auto spring_count = static_cast<Eigen::Index>(springs.size());
  // In units of time in which both parts of the matrix are of one size.
  const double fastest = (A.cwiseAbs() * k).maxCoeff(), unit = fastest > 0 ? 1 / std::sqrt(fastest) : 1;
  MatrixX<double> motion = MatrixX<double>::Zero(spring_count + count, spring_count + count);
  for (Eigen::Index s = 0; s < spring_count; ++s) {
    const Eigen::Index i = springs[static_cast<std::size_t>(s)];
    motion(s, spring_count + i) = 1;
    motion.col(s).tail(count) = -unit * unit * k(i) * A.col(i);
  }
  motion.bottomRightCorner(count, count) = -unit * A * c.asDiagonal();
  return eigenvalues_of(motion).real().maxCoeff() / unit;
}

}  // namespace thenar::internal
