// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/impact/slip_coordinates_internal.h"

#include <cmath>

#include "thenar/spatial/decompositions.h"

namespace thenar::internal {
namespace {

/// Eigenvalues below this part of the largest are the rounding of a K = J M⁻¹ Jᵀ.
constexpr double kNoSlip = 1e-13;

using Matrix = Eigen::Matrix<double, kMostSlips, kMostSlips>;
using Vector = Eigen::Matrix<double, kMostSlips, 1>;

struct Eigen2 {
  Matrix Q = Matrix::Identity();
  Vector lambda;
};

/// One rotation of Jacobi diagonalizes the leading 2 × 2 block.
Eigen2 diagonalize_two(const Matrix& S) {
  Eigen2 out;
  out.lambda = S.diagonal();
  const double off = S(0, 1);
  if (off == 0) return out;
  const double theta = (S(1, 1) - S(0, 0)) / (2 * off);
  const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1));
  const double c = 1 / std::hypot(t, 1), s = t * c;
  out.lambda(0) -= t * off;
  out.lambda(1) += t * off;
  out.Q.topLeftCorner<2, 2>() << c, s, -s, c;
  return out;
}

Eigen2 diagonalize(const Matrix& S, int size) {
  if (size <= 2) return diagonalize_two(S);
  Eigen2 out;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(S);
  out.Q = solver.eigenvectors();
  out.lambda = solver.eigenvalues();
  return out;
}

}  // namespace

SlipCoordinates make_slip_coordinates(const PointImpact& impact) {
  SlipCoordinates out;
  out.speed_unit = -impact.u(0);
  out.impulse_unit = out.speed_unit / impact.K(0, 0);
  const int m = impact.tangents;
  Matrix S = Matrix::Zero();
  Vector coupling = Vector::Zero(), slip = Vector::Zero(), mu = Vector::Zero();
  for (int i = 0; i < m; ++i) {
    mu(i) = impact.friction[static_cast<std::size_t>(i)];
    coupling(i) = mu(i) * impact.K(i + 1, 0) / impact.K(0, 0);
    slip(i) = mu(i) * impact.u(i + 1) / out.speed_unit;
    for (int j = 0; j < m; ++j) {
      S(i, j) = mu(i) * impact.K(i + 1, j + 1) * impact.friction[static_cast<std::size_t>(j)] / impact.K(0, 0);
    }
  }
  const Eigen2 eigen = diagonalize(S, m);
  const double largest = eigen.lambda.head(m).size() > 0 ? eigen.lambda.head(m).maxCoeff() : 0;
  out.L.setZero();
  for (int i = 0; i < m; ++i) {
    if (!(eigen.lambda(i) > kNoSlip * largest)) continue;
    const int k = out.size++;
    out.lambda[k] = eigen.lambda(i);
    out.a[k] = eigen.Q.col(i).dot(coupling);
    out.w[k] = eigen.Q.col(i).dot(slip);
    out.L.col(k) = mu.cwiseProduct(eigen.Q.col(i));
  }
  return out;
}

}  // namespace thenar::internal
