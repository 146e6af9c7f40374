// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/complementarity/matrix_class.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "thenar/linear_programs/linear_program.h"
#include "thenar/spatial/decompositions.h"

namespace thenar::matrix_class_test {
namespace {

using Matrix = MatrixX<double>;
using Vector = VectorX<double>;

/// Rounding of witnesses that solve a system of equations: its condition, up to 1e6 here, times that of double.
constexpr double kWitness = 1e-9;

class RandomMatrices {
 public:
  explicit RandomMatrices(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  Matrix any(int n) {
    return Matrix::NullaryExpr(n, n, [&] { return uniform(-1, 1); });
  }
  Matrix symmetric(int n) {
    const Matrix a = any(n);
    return a + a.transpose();
  }
  Matrix integers(int n, int low, int high) {
    return Matrix::NullaryExpr(n, n, [&] { return integer(low, high); });
  }
  Matrix units(int n) {
    return Vector::NullaryExpr(n, [&] { return std::pow(10, uniform(-4, 4)); }).asDiagonal();
  }
  Matrix permutation(int n) {
    Eigen::PermutationMatrix<Eigen::Dynamic> p(n);
    p.setIdentity();
    std::shuffle(p.indices().data(), p.indices().data() + n, generator_);
    return p.toDenseMatrix().cast<double>();
  }

 private:
  std::mt19937_64 generator_;
};

Matrix matrix_of(int n, std::initializer_list<double> entries) {
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(entries.begin(), n,
                                                                                                  n);
}

Matrix block(const Matrix& M, unsigned set) {
  std::vector<int> rows;
  for (int i = 0; i < M.rows(); ++i) {
    if ((set >> i) & 1) rows.push_back(i);
  }
  return M(rows, rows);
}

// ------------------------------------------------------------------------------------------------- positive definite

TEST(MatrixClass, TellsDefiniteMatrices) {
  RandomMatrices random(1);
  int holds = 0, fails = 0;
  for (int k = 0; k < 400; ++k) {
    const int n = random.integer(1, 12);
    const Matrix a = random.any(n), skew = random.any(n);
    const Matrix M = a * a.transpose() + random.uniform(-0.5, 0.5) * Matrix::Identity(n, n) + skew - skew.transpose();
    const double least = Eigen::SelfAdjointEigenSolver<Matrix>(M + M.transpose()).eigenvalues()(0);
    const DefiniteTest test = test_definite(M);
    ASSERT_TRUE(test.definite.is_sure && test.semidefinite.is_sure) << k;
    ASSERT_EQ(test.definite.answer == Answer::yes, least > 0) << k;
    EXPECT_EQ(test.semidefinite.answer, test.definite.answer);
    if (least > 0) {
      ++holds;
      EXPECT_GT(grade_definite_proof(M, test.proof), 0);
    } else {
      ++fails;
      EXPECT_LT(grade_form(M, test.semidefinite.witness), 0);
    }
    const Matrix units = random.units(n) * random.permutation(n);
    EXPECT_EQ(test_definite(units * M * units.transpose()).definite.answer, test.definite.answer) << k;
  }
  EXPECT_GT(holds, 100);
  EXPECT_GT(fails, 100);
}

TEST(MatrixClass, CountsSingularSemidefiniteMatricesAsSuch) {
  RandomMatrices random(2);
  for (int k = 0; k < 100; ++k) {
    const int n = random.integer(2, 12);
    const Matrix a = random.any(n).leftCols(n - 1);
    const Matrix M = a * a.transpose();
    const DefiniteTest test = test_definite(M);
    EXPECT_EQ(test.semidefinite.answer, Answer::yes);
    EXPECT_EQ(test.definite.answer, Answer::no);
    EXPECT_FALSE(test.definite.is_sure || test.semidefinite.is_sure);
    EXPECT_LE(std::abs(grade_form(M, test.definite.witness)), 1e-12);  // rounding of the eigenvector
  }
  EXPECT_EQ(test_definite(Matrix::Zero(3, 3)).semidefinite.answer, Answer::yes);
  EXPECT_EQ(test_definite(Matrix(0, 0)).definite.answer, Answer::yes);
}

TEST(MatrixClass, RefusesWrongDefiniteProofs) {
  RandomMatrices random(3);
  const Matrix a = random.any(6);
  const Matrix M = a * a.transpose() + Matrix::Identity(6, 6);
  const DefiniteProof proof = test_definite(M).proof;
  ASSERT_GT(grade_definite_proof(M, proof), 0);
  EXPECT_LE(grade_definite_proof(M - 2 * Matrix::Identity(6, 6), proof), 0);
  DefiniteProof wrong = proof;
  wrong.L(3, 1) += 2;
  EXPECT_LE(grade_definite_proof(M, wrong), 0);
  wrong = proof;
  wrong.shift(2) = -wrong.shift(2);
  EXPECT_LE(grade_definite_proof(M, wrong), 0);
}

// ---------------------------------------------------------------------------------------------------------- Z and M

/// Nonsingular M-matrices are the Z-matrices that are P-matrices.
TEST(MatrixClass, TellsMMatrices) {
  RandomMatrices random(4);
  int holds = 0, fails = 0;
  for (int k = 0; k < 400; ++k) {
    const int n = random.integer(1, 9);
    Matrix M = -random.any(n).cwiseAbs();
    for (int i = 0; i < n; ++i) M(i, i) = random.uniform(0.1, n);
    const MMatrixTest test = test_m_matrix(M);
    EXPECT_EQ(test.is_Z.answer, Answer::yes);
    ASSERT_EQ(test.is_M.answer == Answer::yes, test_p_matrix(M).is_P) << k;
    ASSERT_TRUE(test.is_M.is_sure) << k;
    if (test.is_M.answer == Answer::yes) {
      ++holds;
      EXPECT_GT(grade_semipositive(M, test.is_M.witness), 0) << k;
    } else {
      ++fails;
      EXPECT_LE(grade_seminegative(M, test.is_M.witness), 0) << k;
    }
    const Matrix left = random.units(n), right = random.units(n), order = random.permutation(n);
    EXPECT_EQ(test_m_matrix(left * order * M * order.transpose() * right).is_M.answer, test.is_M.answer) << k;
  }
  EXPECT_GT(holds, 100);
  EXPECT_GT(fails, 100);
}

TEST(MatrixClass, KnowsTheLaplacian) {
  const int n = 20;
  Matrix M = 2 * Matrix::Identity(n, n);
  for (int i = 0; i + 1 < n; ++i) M(i, i + 1) = M(i + 1, i) = -1;
  EXPECT_EQ(test_m_matrix(M).is_M.answer, Answer::yes);
  M(0, 0) = M(n - 1, n - 1) = 1;  // free ends: singular, (1, …, 1) is in the kernel
  const MMatrixTest singular = test_m_matrix(M);
  EXPECT_EQ(singular.is_M.answer, Answer::no);
  EXPECT_FALSE(singular.is_M.is_sure);
  EXPECT_LE(grade_seminegative(M, singular.is_M.witness), 1e-13);  // zero, to rounding
  M(3, 7) = 0.5;
  const MMatrixTest other = test_m_matrix(M);
  EXPECT_EQ(other.is_Z.answer, Answer::no);
  EXPECT_EQ(other.is_M.answer, Answer::no);
  EXPECT_TRUE(other.row == 3 && other.column == 7);
  EXPECT_EQ(test_m_matrix(matrix_of(2, {0, -1, -1, 2})).is_M.answer, Answer::no);
}

TEST(MatrixClass, RefusesWrongMWitnesses) {
  const Matrix M = matrix_of(2, {2, -1, -1, 2});
  EXPECT_LT(grade_semipositive(M, Vector::Unit(2, 0)), 0);
  EXPECT_LT(grade_semipositive(M, Vector{{3.0, 1.0}}), 0);
  EXPECT_GT(grade_seminegative(M, Vector::Ones(2)), 0);
  EXPECT_GT(grade_seminegative(M, Vector::Zero(2)), 0);
  EXPECT_GT(grade_seminegative(-M, Vector{{1.0, -1.0}}), 0);
}

// --------------------------------------------------------------------------------------------------------- copositive

/// Kaplan (2000): M is copositive if and only if no principal block of its symmetric part has a positive eigenvector
/// with a negative eigenvalue.
bool is_copositive(const Matrix& M) {
  for (unsigned set = 1; set < (1u << M.rows()); ++set) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(block(M + M.transpose(), set));
    for (Eigen::Index k = 0; k < solver.eigenvalues().size(); ++k) {
      const auto v = solver.eigenvectors().col(k).array();
      if (solver.eigenvalues()(k) < 0 && ((v > 0).all() || (v < 0).all())) return false;
    }
  }
  return true;
}

TEST(MatrixClass, AgreesWithKaplansCriterionOfCopositivity) {
  RandomMatrices random(5);
  int holds = 0, fails = 0;
  for (int k = 0; k < 600; ++k) {
    const int n = random.integer(1, 8);
    Matrix M = random.any(n) + random.uniform(0, 0.5) * Matrix::Ones(n, n);
    for (int i = 0; i < n; ++i) M(i, i) = random.uniform(0.2, 1.5);
    const CopositiveTest test = test_copositive(M);
    ASSERT_TRUE(test.copositive.is_sure) << k;
    ASSERT_EQ(test.copositive.answer == Answer::yes, is_copositive(M)) << k;
    EXPECT_EQ(test.strictly.answer, test.copositive.answer) << k;
    EXPECT_EQ(test.plus.answer, test.copositive.answer) << k;
    holds += test.copositive.answer == Answer::yes ? 1 : 0;
    if (test.copositive.answer == Answer::no) {
      ++fails;
      EXPECT_LT(grade_nonnegative_form(M, test.copositive.witness), 0) << k;
    }
    const Matrix units = random.units(n) * random.permutation(n);
    EXPECT_EQ(test_copositive(units * M * units.transpose()).copositive.answer, test.copositive.answer) << k;
  }
  EXPECT_GT(holds, 100);
  EXPECT_GT(fails, 100);
}

/// Motzkin and Straus: γ (E − A) − E, A of a graph and E all ones, is copositive if and only if no clique has more than
/// γ vertices. Strictly if all have fewer.
TEST(MatrixClass, FindsCliquesOfGraphs) {
  RandomMatrices random(6);
  for (int k = 0; k < 40; ++k) {
    const int n = random.integer(3, 11);
    std::vector<unsigned> neighbours(static_cast<std::size_t>(n), 0);
    Matrix E = Matrix::Ones(n, n), A = Matrix::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) {
        if (random.uniform(0, 1) < 0.5) continue;
        A(i, j) = A(j, i) = 1;
        neighbours[static_cast<std::size_t>(i)] |= 1u << j;
        neighbours[static_cast<std::size_t>(j)] |= 1u << i;
      }
    }
    int largest = 0;
    for (unsigned set = 1; set < (1u << n); ++set) {
      bool is_clique = true;
      for (int i = 0; i < n; ++i) {
        if ((set >> i) & 1) is_clique = is_clique && ((neighbours[static_cast<std::size_t>(i)] | 1u << i) & set) == set;
      }
      if (is_clique) largest = std::max(largest, __builtin_popcount(set));
    }
    const auto test = [&](double number) { return test_copositive(number * (E - A) - E); };
    EXPECT_EQ(test(largest + 0.1).strictly.answer, Answer::yes) << k;
    EXPECT_EQ(test(largest).copositive.answer, Answer::yes) << k;
    EXPECT_EQ(test(largest).strictly.answer, Answer::no) << k;
    EXPECT_FALSE(test(largest).copositive.is_sure && largest > 1) << k;
    EXPECT_EQ(test(largest - 0.1).copositive.answer, Answer::no) << k;
  }
}

/// Horn's matrix is copositive but not the sum of a semidefinite and a nonnegative one. (1, 1, 0, 0, 0) is a zero
/// outside of the kernel.
TEST(MatrixClass, KnowsHornsMatrix) {
  Matrix H(5, 5);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) H(i, j) = (i - j + 5) % 5 == 1 || (i - j + 5) % 5 == 4 ? -1 : 1;
  }
  const CopositiveTest test = test_copositive(H);
  EXPECT_EQ(test.copositive.answer, Answer::yes);
  EXPECT_FALSE(test.copositive.is_sure);
  EXPECT_EQ(test.strictly.answer, Answer::no);
  EXPECT_LE(std::abs(grade_nonnegative_form(H, test.strictly.witness)), 1e-14);
  EXPECT_EQ(test.plus.answer, Answer::no);
  EXPECT_LE(std::abs(grade_nonnegative_form(H, test.plus.witness)), 1e-14);
  EXPECT_GT(grade_kernel(H, test.plus.witness), 0.1);
  EXPECT_EQ(test_copositive(H - 1e-6 * Matrix::Identity(5, 5)).copositive.answer, Answer::no);
  EXPECT_EQ(test_copositive(H + 1e-6 * Matrix::Identity(5, 5)).strictly.answer, Answer::yes);
}

TEST(MatrixClass, TellsCopositivePlusFromCopositive) {
  // Lemke's example of a ray that proves nothing needs a matrix that is copositive, not plus.
  const CopositiveTest mixed = test_copositive(matrix_of(2, {0, 1, 1, 0}));
  EXPECT_TRUE(mixed.copositive.answer == Answer::yes && mixed.copositive.is_sure);
  EXPECT_EQ(mixed.plus.answer, Answer::no);
  const CopositiveTest skew = test_copositive(matrix_of(2, {0, 3, -3, 0}));
  EXPECT_EQ(skew.copositive.answer, Answer::yes);
  EXPECT_EQ(skew.plus.answer, Answer::yes);
  EXPECT_EQ(skew.strictly.answer, Answer::no);
  RandomMatrices random(7);  // semidefinite with a nonnegative kernel vector
  for (int k = 0; k < 50; ++k) {
    const int n = random.integer(2, 7);
    const Vector v = Vector::NullaryExpr(n, [&] { return random.uniform(0.1, 1); }).normalized();
    const Matrix a = random.any(n) * (Matrix::Identity(n, n) - v * v.transpose());
    const CopositiveTest test = test_copositive(a.transpose() * a);
    EXPECT_EQ(test.copositive.answer, Answer::yes) << k;
    EXPECT_EQ(test.plus.answer, Answer::yes) << k;
    EXPECT_EQ(test.strictly.answer, Answer::no) << k;
  }
}

TEST(MatrixClass, GivesUpWhenTheFacesAreTooMany) {
  const CopositiveTest test = test_copositive(Matrix::Identity(20, 20), 1000);
  EXPECT_EQ(test.copositive.answer, Answer::undecided);
  EXPECT_FALSE(test.copositive.is_sure);
  EXPECT_LE(test.faces, 1001);
  EXPECT_EQ(grade_nonnegative_form(-Matrix::Identity(2, 2), Vector{{1.0, -1.0}}), 2);
  EXPECT_EQ(grade_nonnegative_form(-Matrix::Identity(2, 2), Vector::Zero(2)), 2);
}

// --------------------------------------------------------------------------------------------------------- sufficient

/// By definition: for each support, sign of x on it and row i, whether xᵢ (M x)ᵢ < 0 is possible with the others ≤ 0.
/// y = |x| has yᵢ = 1.
bool is_column_sufficient(const Matrix& M) {
  const int n = static_cast<int>(M.rows());
  for (unsigned set = 1; set < (1u << n); ++set) {
    const Matrix B = block(M, set);
    const int k = static_cast<int>(B.rows());
    for (unsigned signs = 0; signs < (1u << (k - 1)); ++signs) {
      const Vector s = Vector::NullaryExpr(k, [&](Eigen::Index i) { return (signs >> i) & 1 ? -1.0 : 1.0; });
      LinearProgram program(s.asDiagonal() * B * s.asDiagonal());
      for (int i = 0; i < k; ++i) program.bound_row(i, -LinearProgram::kInfinity, 0);
      for (int i = 0; i < k; ++i) {
        for (int j = 0; j < k; ++j) {
          program.bound_column(j, j == i ? 1 : 0, j == i ? 1 : LinearProgram::kInfinity);
          program.set_cost(j, s(i) * B(i, j) * s(j));
        }
        const LpStatus status = program.solve();
        if (status == LpStatus::unbounded) return false;
        if (status == LpStatus::optimal && program.objective() < -1e-7) return false;
      }
    }
  }
  return true;
}

void check_sufficiency(const Matrix& M, int& holds, int& fails) {
  const ClassAnswer test = test_column_sufficient(M);
  ASSERT_EQ(test.answer == Answer::yes, is_column_sufficient(M)) << M;
  if (test.answer == Answer::yes) {
    ++holds;
    return;
  }
  ++fails;
  const SufficiencyGrade grade = grade_insufficient(M, test.witness);
  EXPECT_LE(grade.largest, kWitness) << M;
  EXPECT_LT(grade.least, -1e-3) << M;
}

TEST(MatrixClass, AgreesWithTheDefinitionOfSufficiency) {
  RandomMatrices random(8);
  int holds = 0, fails = 0;
  for (int code = 0; code < 81; ++code) {  // all with entries −1, 0, 1
    const Matrix M = matrix_of(2, {code % 3 - 1.0, code / 3 % 3 - 1.0, code / 9 % 3 - 1.0, code / 27 - 1.0});
    check_sufficiency(M, holds, fails);
  }
  for (int k = 0; k < 500; ++k) {
    const int n = random.integer(3, 4);
    Matrix M = random.integers(n, -1, 1);
    const Matrix lower = M.triangularView<Eigen::StrictlyLower>();
    if (k % 2 == 0) M = lower - lower.transpose();  // skew: sufficient, until an entry changes
    if (k % 4 == 0) M(random.integer(0, n - 1), random.integer(0, n - 1)) += 1;
    if (k % 2 == 1) M.diagonal() = M.diagonal().cwiseAbs();
    check_sufficiency(M, holds, fails);
  }
  EXPECT_GT(holds, 50);
  EXPECT_GT(fails, 50);
}

TEST(MatrixClass, TellsRowFromColumnSufficiency) {
  const Matrix M = matrix_of(2, {1, 1, 0, 0});  // x = (1, −2): x ∘ M x = (−1, 0)
  EXPECT_EQ(test_column_sufficient(M).answer, Answer::no);
  EXPECT_EQ(test_row_sufficient(M).answer, Answer::yes);
  EXPECT_EQ(test_column_sufficient(M.transpose()).answer, Answer::yes);
  // A P-matrix with entries that are far from definite.
  const Matrix P = matrix_of(2, {1, -9, 0, 1});
  EXPECT_TRUE(test_column_sufficient(P).answer == Answer::yes && test_column_sufficient(P).is_sure);
}

/// Semidefinite matrices whose transforms have zeros that are computed as 1e-16: counted as negative or as pivots, they
/// refute what holds.
TEST(MatrixClass, TakesRoundedZerosOfTransformsForZeros) {
  for (const Matrix& M : {matrix_of(4, {1, 0, 3, -3, 0, 0, -3, 1, -3, 3, 0, -3, 3, -1, 3, 0}),
                          matrix_of(4, {0, -3, -1, -1, 3, 1, 3, -2, 1, -3, 0, 0, 1, 2, 0, 0})}) {
    const ClassAnswer test = test_column_sufficient(M);
    EXPECT_EQ(test.answer, Answer::yes);
    EXPECT_FALSE(test.is_sure);
  }
}

TEST(MatrixClass, SufficiencyDoesNotDependOnUnitsOrOrder) {
  RandomMatrices random(9);
  int fails = 0;
  for (int k = 0; k < 150; ++k) {
    const int n = random.integer(2, 7);
    const Matrix a = random.any(n);
    const Matrix M = a * a.transpose() + random.any(n) * random.uniform(0, 1);
    const ClassAnswer test = test_column_sufficient(M);
    const Matrix left = random.units(n), right = random.units(n), order = random.permutation(n);
    const Matrix other = left * order * M * order.transpose() * right;
    EXPECT_EQ(test_column_sufficient(other).answer, test.answer) << k;
    if (test.answer == Answer::yes) continue;
    ++fails;
    EXPECT_LE(grade_insufficient(M, test.witness).largest, kWitness) << k;
  }
  EXPECT_GT(fails, 20);
}

TEST(MatrixClass, LeavesLargeSufficiencyUndecided) {
  RandomMatrices random(10);
  const int n = kMostSufficientRows + 1;
  const Matrix a = random.any(n);
  EXPECT_EQ(test_column_sufficient(a).answer, Answer::undecided);
  EXPECT_EQ(test_column_sufficient(a * a.transpose()).answer, Answer::yes);
}

TEST(MatrixClass, RefusesWrongInsufficiencyWitnesses) {
  const Matrix M = matrix_of(2, {1, 1, 0, 0});
  EXPECT_LE(grade_insufficient(M, Vector{{1.0, -2.0}}).largest, 0);
  EXPECT_LT(grade_insufficient(M, Vector{{1.0, -2.0}}).least, 0);
  EXPECT_GT(grade_insufficient(M, Vector{{1.0, 1.0}}).largest, 0);
  EXPECT_EQ(grade_insufficient(M, Vector{{1.0, -1.0}}).least, 0);
  EXPECT_EQ(grade_insufficient(M, Vector::Zero(2)).least, 0);
}

// ----------------------------------------------------------------------------------------------------------- classify

TEST(MatrixClass, SaysWhatFollowsForProblems) {
  const MatrixClass definite = classify(matrix_of(2, {2, 1, -1, 2}));
  EXPECT_FALSE(definite.is_symmetric);
  EXPECT_EQ(definite.is_P.answer, Answer::yes);
  EXPECT_EQ(definite.has_unique_solutions, Answer::yes);
  EXPECT_EQ(definite.has_convex_solutions, Answer::yes);
  EXPECT_EQ(definite.is_always_solvable, Answer::yes);
  EXPECT_EQ(definite.has_telling_rays, Answer::yes);

  const MatrixClass m_matrix = classify(matrix_of(2, {1, -9, 0, 1}));  // M, but not definite
  EXPECT_EQ(m_matrix.definite.semidefinite.answer, Answer::no);
  EXPECT_EQ(m_matrix.has_unique_solutions, Answer::yes);
  EXPECT_EQ(m_matrix.copositive.copositive.answer, Answer::no);

  const MatrixClass semidefinite = classify(matrix_of(2, {1, 1, 1, 1}));
  EXPECT_TRUE(semidefinite.is_symmetric);
  EXPECT_EQ(semidefinite.has_unique_solutions, Answer::no);
  EXPECT_EQ(semidefinite.has_convex_solutions, Answer::yes);
  EXPECT_EQ(semidefinite.has_telling_rays, Answer::yes);
  EXPECT_EQ(semidefinite.is_always_solvable, Answer::yes);  // strictly copositive

  const MatrixClass several = classify(matrix_of(2, {1, 2, 2, 1}));  // q = −1: three solutions
  EXPECT_EQ(several.has_unique_solutions, Answer::no);
  EXPECT_EQ(several.has_convex_solutions, Answer::no);
  EXPECT_EQ(several.is_always_solvable, Answer::yes);

  const MatrixClass none = classify(matrix_of(2, {0, 1, 1, 0}));
  EXPECT_EQ(none.copositive.copositive.answer, Answer::yes);
  EXPECT_EQ(none.has_telling_rays, Answer::undecided);
}

TEST(MatrixClass, RefusesWhatIsNotAMatrixOfReals) {
  EXPECT_THROW(classify(Matrix::Zero(2, 3)), std::invalid_argument);
  EXPECT_THROW(classify(Matrix::Constant(1, 1, std::nan(""))), std::invalid_argument);
  EXPECT_THROW(test_copositive(Matrix::Zero(1, 2)), std::invalid_argument);
  EXPECT_THROW(test_column_sufficient(Matrix::Zero(1, 2)), std::invalid_argument);
  EXPECT_EQ(classify(Matrix(0, 0)).has_unique_solutions, Answer::yes);
}

}  // namespace
}  // namespace thenar::matrix_class_test
