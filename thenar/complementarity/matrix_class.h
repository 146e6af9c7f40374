// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Classes of square matrices that say what to expect of w = M z + q, 0 ≤ z ⊥ w ≥ 0 (Cottle, Pang and Stone, The linear
/// complementarity problem, 1992, chapter 3), each with a witness that grade_…() checks in long double with code that
/// shares nothing with the tests. P-matrices have a header of their own, p_matrix.h.
///
/// | class                    | meaning                                         | witness against                     |
/// |--------------------------|-------------------------------------------------|-------------------------------------|
/// | positive (semi)definite  | xᵀMx > 0 (≥ 0) for all x ≠ 0, M not necessarily | x with xᵀMx ≤ 0 (< 0)               |
/// |                          | symmetric                                       |                                     |
/// | Z                        | no positive entry off the diagonal              | that entry                          |
/// | M (nonsingular)          | Z, and M d > 0 for some d ≥ 0                   | y ≥ 0, ≠ 0 with Mᵀy ≤ 0             |
/// | copositive               | xᵀMx ≥ 0 for x ≥ 0                              | x ≥ 0 with xᵀMx < 0                 |
/// | strictly copositive      | xᵀMx > 0 for x ≥ 0, ≠ 0                         | x ≥ 0, ≠ 0 with xᵀMx ≤ 0            |
/// | copositive-plus          | copositive, xᵀMx = 0 ≤ x only if (M + Mᵀ) x = 0 | as copositive, or x ≥ 0 with xᵀMx = |
/// |                          |                                                 | 0 and (M + Mᵀ) x ≠ 0                |
/// | column sufficient        | xᵢ (Mx)ᵢ ≤ 0 for all i only if all are 0        | x with all ≤ 0, one < 0             |
/// | row sufficient           | Mᵀ is column sufficient                         | the same of Mᵀ                      |
///
/// Decisions are made from the error of the computation, in units in which the diagonal is 1: an answer `is_sure` if no
/// matrix within rounding of M has another one. Matrices on the border of a class (singular ones among the
/// semidefinite) count as in it, without being sure.

#include <cstdint>
#include <vector>

#include "thenar/complementarity/p_matrix.h"
#include "thenar/spatial/linear.h"

namespace thenar {

enum class Answer : std::uint8_t { no, yes, undecided };
const char* to_string(Answer answer);

struct ClassAnswer {
  Answer answer = Answer::undecided;
  bool is_sure = false;
  VectorX<double> witness;  ///< no: against; M-matrices, yes: d. Otherwise empty.
};

/// S − diag(shift) = L Lᵀ + E for the symmetric part S of M proves that S is definite if |E| is smaller than the shift,
/// row sum by row sum: diag(shift) + E is then diagonally dominant.
struct DefiniteProof {
  MatrixX<double> L;
  VectorX<double> shift;
};

struct DefiniteTest {
  ClassAnswer definite, semidefinite;
  DefiniteProof proof;  ///< definite and sure
};
DefiniteTest test_definite(const MatrixX<double>& M);

struct MMatrixTest {
  ClassAnswer is_Z, is_M;     ///< is_Z has no witness but the entry below
  int row = -1, column = -1;  ///< not Z: the largest positive entry off the diagonal; then is_M has no other witness
};
MMatrixTest test_m_matrix(const MatrixX<double>& M);

struct CopositiveTest {
  ClassAnswer copositive, strictly, plus;
  double least = 0;     ///< of xᵀMx on the simplex x ≥ 0, Σ xᵢ/dᵢ = 1 with dᵢ = 1/√Mᵢᵢ
  long long faces = 0;  ///< looked at
};
/// The least xᵀMx on a simplex is found face by face. A face is left out, with all that contain it, unless xᵀMx is
/// strictly convex on it: otherwise its least value is also found on its border. Undecided after `most_faces`.
CopositiveTest test_copositive(const MatrixX<double>& M, long long most_faces = 1 << 20);

/// M is column sufficient if and only if all its principal pivotal transforms have column sufficient blocks of order
/// two (Cottle and Guu, Two characterizations of sufficient matrices, 1992). There are up to 2ⁿ of them; undecided for
/// more than kMostSufficientRows rows, unless the symmetric part is semidefinite. The transforms' entries have errors,
/// so zeros and what is close to them count as zeros, and an answer that depends on them is not sure; a `no` always has
/// a witness.
ClassAnswer test_column_sufficient(const MatrixX<double>& M);
ClassAnswer test_row_sufficient(const MatrixX<double>& M);
inline constexpr int kMostSufficientRows = 14;

/// What is known of a matrix, cheap tests first: what follows from others is not computed.
struct MatrixClass {
  bool is_symmetric = false;
  DefiniteTest definite;
  MMatrixTest m_matrix;
  ClassAnswer is_P;  ///< witness: a vector whose sign is reversed (p_matrix.h)
  CopositiveTest copositive;
  ClassAnswer column_sufficient, row_sufficient;

  // What follows for w = M z + q, 0 ≤ z ⊥ w ≥ 0.
  Answer has_unique_solutions = Answer::undecided;  ///< one and only one for every q: exactly the P-matrices
  Answer has_convex_solutions = Answer::undecided;  ///< convex or empty sets for every q: the column sufficient ones
  Answer is_always_solvable = Answer::undecided;    ///< for every q: P-matrices and strictly copositive ones are
  /// A ray of Lemke's method means that there is no solution: copositive-plus matrices, and row sufficient ones
  /// (Aganagić and Cottle, A constructive characterization of Q₀-matrices with nonnegative principal minors, 1987).
  Answer has_telling_rays = Answer::undecided;
};
/// All of these throw std::invalid_argument for a matrix that is not square or not finite.
MatrixClass classify(const MatrixX<double>& M);

/// xᵀMx over the sum of its terms' sizes, −1 to 1.
double grade_form(const MatrixX<double>& M, const VectorX<double>& x);
/// The same for x ≥ 0; 2, which proves nothing, if x has a negative entry or is zero.
double grade_nonnegative_form(const MatrixX<double>& M, const VectorX<double>& x);
/// The largest entry of |(M + Mᵀ) x| over the sum of its terms' sizes.
double grade_kernel(const MatrixX<double>& M, const VectorX<double>& x);
/// Positive proves that M is positive definite: the least part of the shift that E leaves.
double grade_definite_proof(const MatrixX<double>& M, const DefiniteProof& proof);
/// Positive proves that a Z-matrix is an M-matrix: the least (M d)ᵢ over the sum of its terms' sizes; −1 unless d > 0.
double grade_semipositive(const MatrixX<double>& M, const VectorX<double>& d);
/// ≤ 0 proves that it is not: the largest (Mᵀy)ⱼ over the sum of its terms' sizes; 1 unless y ≥ 0, ≠ 0.
double grade_seminegative(const MatrixX<double>& M, const VectorX<double>& y);

/// xᵢ (M x)ᵢ over the sum of its terms' sizes.
struct SufficiencyGrade {
  double largest = 1, least = 1;  ///< largest ≤ 0 (to rounding) and least < 0 prove that M is not column sufficient
};
SufficiencyGrade grade_insufficient(const MatrixX<double>& M, const VectorX<double>& x);

}  // namespace thenar
