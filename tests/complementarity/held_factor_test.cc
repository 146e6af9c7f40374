// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/held_factor_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "random_problems.h"

namespace thenar::internal::held_factor_test {
namespace {

/// |A_CC x − b| for x solved with the factor.
double residual(const HeldFactor& factor, const MatrixX<double>& A, const VectorX<double>& b) {
  const int m = factor.size();
  VectorX<double> x = b.head(m);
  factor.solve_lower(x);
  factor.solve_upper(x);
  const std::vector<int> rows(factor.rows().begin(), factor.rows().end());
  return (A(rows, rows) * x - b.head(m)).norm() / (x.norm() + b.norm());
}

void append_row(HeldFactor& factor, const MatrixX<double>& A, int k) {
  const int m = factor.size();
  VectorX<double> x(m);
  for (int p = 0; p < m; ++p) x[p] = A(factor.rows()[p], k);
  factor.solve_lower(x);
  factor.append(k, x, A(k, k) - x.squaredNorm());
}

/// Rows come and go thousands of times; the factor stays one of the rows that are in, to some hundred roundings.
TEST(HeldFactor, StaysAFactorWhileRowsComeAndGo) {
  constexpr int n = 20;
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  MatrixX<double> J(n, n);
  for (double& x : J.reshaped()) x = normal(generator);
  const MatrixX<double> A = J * J.transpose() + MatrixX<double>::Identity(n, n);
  VectorX<double> b(n);
  for (double& x : b) x = normal(generator);

  HeldFactor factor(n);
  for (int step = 0; step < 20000; ++step) {
    const int k = std::uniform_int_distribution<int>(0, n - 1)(generator);
    const auto found = std::find(factor.rows().begin(), factor.rows().end(), k);
    if (found == factor.rows().end()) {
      append_row(factor, A, k);
    } else {
      factor.remove(static_cast<int>(found - factor.rows().begin()));
    }
    ASSERT_LE(residual(factor, A, b), 1e-13) << "step " << step;
  }
}

TEST(HeldFactor, FindsTheRankAndTakesTheMostIndependentRowsFirst) {
  std::mt19937 generator(2);
  std::normal_distribution<double> normal;
  for (int rank = 1; rank <= 12; ++rank) {
    MatrixX<double> J(12, rank);
    for (double& x : J.reshaped()) x = normal(generator);
    J.rowwise().normalize();
    const MatrixX<double> A = J * J.transpose();
    HeldFactor factor(12);
    const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    factor.append_independent(all, A, 1e-13);
    EXPECT_EQ(factor.size(), rank);
    EXPECT_LE(residual(factor, A, VectorX<double>::Ones(12)), 1e-12);
  }
  // e₁, e₁ + 1e-5 e₂, e₂: in this order the second would be in, and spoil the basis.
  MatrixX<double> J(3, 2);
  J << 1, 0, 1, 1e-5, 0, 1;
  HeldFactor factor(3);
  factor.append_independent(std::vector<int>{0, 1, 2}, J * J.transpose(), 1e-13);
  std::vector<int> rows(factor.rows().begin(), factor.rows().end());
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.back(), 2);
}

TEST(HeldFactor, StartsOverWithGivenRows) {
  MatrixX<double> A(3, 3);
  A << 2, 1, 0, 1, 2, 1, 0, 1, 2;
  HeldFactor factor(3);
  factor.assign(std::vector<int>{2, 0}, A);
  EXPECT_EQ(factor.size(), 2);
  EXPECT_EQ(factor.rows()[0], 2);
  EXPECT_LE(residual(factor, A, VectorX<double>::Ones(3)), 1e-15);
  factor.clear();
  EXPECT_EQ(factor.size(), 0);
}

}  // namespace
}  // namespace thenar::internal::held_factor_test
