// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/spatial/decompositions.h"

THENAR_DECOMPOSITIONS(, double)
THENAR_DECOMPOSITIONS(, long double)
template Eigen::LLT<Eigen::MatrixX<double>>& Eigen::LLT<Eigen::MatrixX<double>>::compute<Eigen::MatrixX<double>>(
    const Eigen::EigenBase<Eigen::MatrixX<double>>&);
template Eigen::SelfAdjointEigenSolver<Eigen::MatrixX<double>>& Eigen::SelfAdjointEigenSolver<
    Eigen::MatrixX<double>>::compute<Eigen::MatrixX<double>>(const Eigen::EigenBase<Eigen::MatrixX<double>>&, int);
