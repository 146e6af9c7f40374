// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/p_matrix.h"

#include <gtest/gtest.h>

#include <random>

#include "thenar/complementarity/clearly_p.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::p_matrix_test {
namespace {

class RandomMatrices {
 public:
  explicit RandomMatrices(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  MatrixX<double> matrix(int n) {
    return MatrixX<double>::NullaryExpr(n, n, [&] { return uniform(-1, 1); });
  }
  /// Some are P-matrices, some not: the diagonal decides.
  MatrixX<double> shifted(int n) { return matrix(n) + uniform(0.3, 2) * MatrixX<double>::Identity(n, n); }

 private:
  std::mt19937_64 generator_;
};

MatrixX<double> block(const MatrixX<double>& M, unsigned set) {
  std::vector<int> rows;
  for (int i = 0; i < M.rows(); ++i) {
    if ((set >> i) & 1) rows.push_back(i);
  }
  return M(rows, rows);
}

/// The least principal minor, one determinant each.
double find_least_minor(const MatrixX<double>& M) {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned set = 1; set < (1u << M.rows()); ++set) least = std::min(least, block(M, set).determinant());
  return least;
}

/// Rounding of the witness: its solution has the error of the block's condition.
constexpr double kReversal = 1e-9;

TEST(PMatrix, AgreesWithAllMinors) {
  RandomMatrices random(1);
  int holds = 0, fails = 0;
  for (int i = 0; i < 400; ++i) {
    const MatrixX<double> M = random.shifted(random.integer(1, i % 40 == 0 ? 12 : 8));
    const PMatrixTest test = test_p_matrix(M);
    const double least = find_least_minor(M);
    ASSERT_EQ(test.is_P, least > 0) << i << ": " << least;
    EXPECT_EQ(is_p_matrix_by(M, 1e-10), test.is_P && test.least > 1e-10) << i << ": " << test.least;
    if (test.is_P) {
      EXPECT_EQ(test.minors, (1LL << M.rows()) - 1);
      ++holds;
      continue;
    }
    ++fails;
    EXPECT_LE(M(test.rows, test.rows).determinant(), 0);
    EXPECT_LE(grade_reversed_vector(M, test.reversed), kReversal);
  }
  EXPECT_GT(holds, 50);
  EXPECT_GT(fails, 50);
}

/// Transposes, positive scalings of rows and columns, and permutations of both keep the class.
TEST(PMatrix, DoesNotDependOnUnitsOrOrder) {
  RandomMatrices random(2);
  for (int i = 0; i < 200; ++i) {
    const MatrixX<double> M = random.shifted(random.integer(2, 7));
    const bool is_P = test_p_matrix(M).is_P;
    EXPECT_EQ(test_p_matrix(M.transpose()).is_P, is_P);
    EXPECT_EQ(test_p_matrix(M.reverse()).is_P, is_P);
    MatrixX<double> scaled = M;
    for (Eigen::Index k = 0; k < M.rows(); ++k) {
      scaled.row(k) *= std::pow(10, random.uniform(-3, 3));
      scaled.col(k) *= std::pow(10, random.uniform(-3, 3));
    }
    EXPECT_EQ(test_p_matrix(scaled).is_P, is_P);
  }
}

TEST(PMatrix, TellsWhereRoundingDecides) {
  MatrixX<double> M(2, 2);
  M << 1, 1, 1, 1;
  const PMatrixTest singular = test_p_matrix(M);
  EXPECT_FALSE(singular.is_P);
  EXPECT_FALSE(singular.is_sure);
  EXPECT_EQ(singular.rows, (std::vector<int>{0, 1}));
  EXPECT_EQ(grade_reversed_vector(M, singular.reversed), 0);
  M(1, 1) = 1 + 1e-15;
  EXPECT_FALSE(test_p_matrix(M).is_sure);
  M(1, 1) = 1.5;
  EXPECT_TRUE(test_p_matrix(M).is_P);
  EXPECT_TRUE(test_p_matrix(M).is_sure);
}

TEST(PMatrix, DecidesTwentyRows) {
  RandomMatrices random(3);
  const MatrixX<double> a = random.matrix(20);
  const MatrixX<double> M = a * a.transpose() + MatrixX<double>::Identity(20, 20) + a - a.transpose();
  const PMatrixTest test = test_p_matrix(M);  // its symmetric part is positive definite
  EXPECT_TRUE(test.is_P && test.is_sure);
  EXPECT_EQ(test.minors, (1LL << 20) - 1);
  EXPECT_TRUE(is_p_matrix_by(M, 1e-10));
}

TEST(PMatrix, RefusesWhatIsNotAMatrixOfReals) {
  EXPECT_THROW(test_p_matrix(MatrixX<double>::Zero(2, 3)), std::invalid_argument);
  EXPECT_THROW(test_p_matrix(MatrixX<double>::Identity(31, 31)), std::invalid_argument);
  EXPECT_THROW(test_p_matrix(MatrixX<double>::Constant(1, 1, std::nan(""))), std::invalid_argument);
  EXPECT_TRUE(test_p_matrix(MatrixX<double>(0, 0)).is_P);
}

TEST(PMatrix, ClearAnswersAreThoseOfAllMinors) {
  // Contacts of three rows on one body: A = J Jᵀ, where some slide and their normal columns are A (N − μ T). They are
  // P-matrices or not by the size of μ.
  RandomMatrices random(7);
  int holds = 0, fails = 0;
  for (int i = 0; i < 200; ++i) {
    const int contacts = random.integer(2, 4), n = 3 * contacts, sliding = random.integer(1, contacts);
    const MatrixX<double> J = random.matrix(n) + 0.5 * MatrixX<double>::Identity(n, n);
    MatrixX<double> M = J * J.transpose() + 0.05 * MatrixX<double>::Identity(n, n);
    const MatrixX<double> A = M;
    for (int k = 0; k < sliding; ++k) M.col(3 * k) -= random.uniform(0, 3) * A.col(3 * k + 1);
    const PMatrixTest test = test_p_matrix(M);
    const bool is_clear = std::abs(test.least) > 1e-8;
    if (!is_clear) continue;
    EXPECT_EQ(is_clearly_p(M), test.is_P) << i;
    ++(test.is_P ? holds : fails);
  }
  EXPECT_GT(holds, 40);
  EXPECT_GT(fails, 40);
}

}  // namespace
}  // namespace thenar::p_matrix_test
