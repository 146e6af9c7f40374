// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/spatial/decompositions.h"

THENAR_DECOMPOSITIONS(, double)
THENAR_DECOMPOSITIONS(, long double)
template Eigen::LLT<Eigen::MatrixX<double>>& Eigen::LLT<Eigen::MatrixX<double>>::compute<Eigen::MatrixX<double>>(
    const Eigen::EigenBase<Eigen::MatrixX<double>>&);
template Eigen::SelfAdjointEigenSolver<Eigen::MatrixX<double>>& Eigen::SelfAdjointEigenSolver<
    Eigen::MatrixX<double>>::compute<Eigen::MatrixX<double>>(const Eigen::EigenBase<Eigen::MatrixX<double>>&, int);
template Eigen::SelfAdjointEigenSolver<Eigen::MatrixX<long double>>&
Eigen::SelfAdjointEigenSolver<Eigen::MatrixX<long double>>::compute<Eigen::MatrixX<long double>>(
    const Eigen::EigenBase<Eigen::MatrixX<long double>>&, int);

namespace thenar {

template <class S>
MatrixX<S> first_columns(const Eigen::HouseholderSequence<MatrixX<S>, VectorX<S>>& Q, Eigen::Index count) {
  MatrixX<S> out = MatrixX<S>::Identity(Q.rows(), count);
  out.applyOnTheLeft(Q);
  return out;
}

template <class S>
MatrixX<S> kernel_of(const Eigen::FullPivLU<MatrixX<S>>& A) {
  return A.kernel();
}

template <class S>
MatrixX<S> inverse_of(const Eigen::FullPivLU<MatrixX<S>>& A) {
  return A.solve(MatrixX<S>(MatrixX<S>::Identity(A.rows(), A.rows())));
}

template <class S>
MatrixX<S> inverse_of(const Eigen::PartialPivLU<MatrixX<S>>& A) {
  return A.inverse();
}

#define THENAR_INSTANTIATE(S)                                                                                       \
  template MatrixX<S> first_columns(const Eigen::HouseholderSequence<MatrixX<S>, VectorX<S>>&, Eigen::Index count); \
  template MatrixX<S> kernel_of(const Eigen::FullPivLU<MatrixX<S>>&);                                               \
  template MatrixX<S> inverse_of(const Eigen::FullPivLU<MatrixX<S>>&);                                              \
  template MatrixX<S> inverse_of(const Eigen::PartialPivLU<MatrixX<S>>&);
THENAR_INSTANTIATE(double)
THENAR_INSTANTIATE(long double)
#undef THENAR_INSTANTIATE

VectorX<double> solve(const Eigen::PartialPivLU<MatrixX<double>>& A, const VectorX<double>& b) { return A.solve(b); }
MatrixX<double> solve(const Eigen::PartialPivLU<MatrixX<double>>& A, const MatrixX<double>& b) { return A.solve(b); }

VectorX<std::complex<double>> eigenvalues_of(const MatrixX<double>& A) {
  return Eigen::EigenSolver<MatrixX<double>>(A, false).eigenvalues();
}

SingularValues find_singular_values(const MatrixX<double>& A) {
  const Eigen::JacobiSVD<MatrixX<double>> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

}  // namespace thenar
