// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Eigen's decompositions of dense matrices of any size, compiled once (decompositions.cc) instead of in every source
/// that uses one: an orthogonal decomposition costs some ten seconds of compilation. Include this in place of
/// <Eigen/Cholesky>, <Eigen/LU>, <Eigen/QR>, <Eigen/SVD> and <Eigen/Eigenvalues>. Compiled once are decompositions of
/// plain matrices and solutions for plain right sides: a caller that decomposes or solves for an expression compiles
/// its own, so it evaluates the expression first.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <complex>

#include "thenar/spatial/linear.h"

#define THENAR_SOLUTIONS(keyword, S, Kind)                                                                 \
  keyword template void Eigen::Kind<Eigen::MatrixX<S>>::_solve_impl<Eigen::VectorX<S>, Eigen::VectorX<S>>( \
      const Eigen::VectorX<S>&, Eigen::VectorX<S>&) const;                                                 \
  keyword template void Eigen::Kind<Eigen::MatrixX<S>>::_solve_impl<Eigen::MatrixX<S>, Eigen::MatrixX<S>>( \
      const Eigen::MatrixX<S>&, Eigen::MatrixX<S>&) const;

#define THENAR_TRIANGULAR(keyword, S, Mode, Order)                                                                 \
  keyword template struct Eigen::internal::triangular_solve_matrix<S, Eigen::Index, Eigen::OnTheLeft, Mode, false, \
                                                                   Order, 0, 1>;

#define THENAR_PRODUCTS(keyword, S)                                                                  \
  keyword template struct Eigen::internal::gebp_kernel<                                              \
      S, S, Eigen::Index, Eigen::internal::blas_data_mapper<S, Eigen::Index, Eigen::ColMajor>,       \
      Eigen::internal::gebp_traits<S, S>::mr, Eigen::internal::gebp_traits<S, S>::nr, false, false>; \
  THENAR_TRIANGULAR(keyword, S, Eigen::Lower, 0)                                                     \
  THENAR_TRIANGULAR(keyword, S, Eigen::Upper, 0)                                                     \
  THENAR_TRIANGULAR(keyword, S, Eigen::UnitLower, 0)                                                 \
  THENAR_TRIANGULAR(keyword, S, Eigen::Lower, 1)                                                     \
  THENAR_TRIANGULAR(keyword, S, Eigen::Upper, 1)                                                     \
  THENAR_TRIANGULAR(keyword, S, Eigen::UnitUpper, 1)

#define THENAR_DECOMPOSITIONS(keyword, S)                                                            \
  THENAR_PRODUCTS(keyword, S)                                                                        \
  keyword template void Eigen::FullPivLU<Eigen::MatrixX<S>>::computeInPlace();                       \
  keyword template void Eigen::PartialPivLU<Eigen::MatrixX<S>>::compute();                           \
  keyword template void Eigen::HouseholderQR<Eigen::MatrixX<S>>::computeInPlace();                   \
  keyword template void Eigen::ColPivHouseholderQR<Eigen::MatrixX<S>>::computeInPlace();             \
  keyword template void Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixX<S>>::computeInPlace(); \
  THENAR_SOLUTIONS(keyword, S, FullPivLU)                                                            \
  THENAR_SOLUTIONS(keyword, S, HouseholderQR)                                                        \
  THENAR_SOLUTIONS(keyword, S, ColPivHouseholderQR)                                                  \
  THENAR_SOLUTIONS(keyword, S, CompleteOrthogonalDecomposition)

THENAR_DECOMPOSITIONS(extern, double)
THENAR_DECOMPOSITIONS(extern, long double)

namespace thenar {

/// The first `count` columns of an orthogonal factor, as householderQ() of a decomposition returns it.
template <class S>
MatrixX<S> first_columns(const Eigen::HouseholderSequence<MatrixX<S>, VectorX<S>>& Q, Eigen::Index count);

/// Columns that span all x with A x = 0; one column of zeros where there is no other x (Eigen's convention).
template <class S>
MatrixX<S> kernel_of(const Eigen::FullPivLU<MatrixX<S>>& A);

template <class S>
MatrixX<S> inverse_of(const Eigen::FullPivLU<MatrixX<S>>& A);
template <class S>
MatrixX<S> inverse_of(const Eigen::PartialPivLU<MatrixX<S>>& A);

/// A⁻¹ b.
VectorX<double> solve(const Eigen::PartialPivLU<MatrixX<double>>& A, const VectorX<double>& b);
MatrixX<double> solve(const Eigen::PartialPivLU<MatrixX<double>>& A, const MatrixX<double>& b);

VectorX<std::complex<double>> eigenvalues_of(const MatrixX<double>& A);

/// A = U diag(values) Vᵀ with square U and V, values from the largest on.
struct SingularValues {
  MatrixX<double> U;
  VectorX<double> values;
  MatrixX<double> V;
};
SingularValues find_singular_values(const MatrixX<double>& A);

}  // namespace thenar

extern template Eigen::LLT<Eigen::MatrixX<double>>& Eigen::LLT<Eigen::MatrixX<double>>::compute<Eigen::MatrixX<double>>(
    const Eigen::EigenBase<Eigen::MatrixX<double>>&);
extern template Eigen::SelfAdjointEigenSolver<Eigen::MatrixX<double>>& Eigen::SelfAdjointEigenSolver<
    Eigen::MatrixX<double>>::compute<Eigen::MatrixX<double>>(const Eigen::EigenBase<Eigen::MatrixX<double>>&, int);
extern template Eigen::SelfAdjointEigenSolver<Eigen::MatrixX<long double>>&
Eigen::SelfAdjointEigenSolver<Eigen::MatrixX<long double>>::compute<Eigen::MatrixX<long double>>(
    const Eigen::EigenBase<Eigen::MatrixX<long double>>&, int);
