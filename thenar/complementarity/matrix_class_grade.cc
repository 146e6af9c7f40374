// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "thenar/complementarity/matrix_class.h"

namespace thenar {
namespace {

using Long = long double;

/// A sum and the sum of its terms' sizes.
struct SumAndSize {
  Long value = 0, size = 0;

  void add(Long term) {
    value += term;
    size += std::abs(term);
  }
  Long part() const { return size > 0 ? value / size : 0; }
};

SumAndSize multiply_row(const MatrixX<double>& M, Eigen::Index i, const VectorX<double>& x) {
  SumAndSize sum;
  for (Eigen::Index j = 0; j < M.cols(); ++j) sum.add(static_cast<Long>(M(i, j)) * x(j));
  return sum;
}

bool is_nonnegative(const VectorX<double>& x) {
  bool has_positive = false;
  for (const double entry : x) {
    if (!(entry >= 0)) return false;
    has_positive = has_positive || entry > 0;
  }
  return has_positive;
}

}  // namespace

double grade_form(const MatrixX<double>& M, const VectorX<double>& x) {
  SumAndSize sum;
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    for (Eigen::Index j = 0; j < M.cols(); ++j) sum.add(static_cast<Long>(x(i)) * M(i, j) * x(j));
  }
  return static_cast<double>(sum.part());
}

double grade_nonnegative_form(const MatrixX<double>& M, const VectorX<double>& x) {
  return is_nonnegative(x) ? grade_form(M, x) : 2;
}

double grade_kernel(const MatrixX<double>& M, const VectorX<double>& x) {
  Long worst = 0;
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    SumAndSize sum;
    for (Eigen::Index j = 0; j < M.cols(); ++j) sum.add((static_cast<Long>(M(i, j)) + M(j, i)) * x(j));
    worst = std::max(worst, std::abs(sum.part()));
  }
  return static_cast<double>(worst);
}

double grade_definite_proof(const MatrixX<double>& M, const DefiniteProof& proof) {
  Long least = 1;
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    Long error = 0;
    for (Eigen::Index j = 0; j < M.rows(); ++j) {
      Long entry = (static_cast<Long>(M(i, j)) + M(j, i)) / 2 - (i == j ? proof.shift(i) : 0);
      for (Eigen::Index k = 0; k < proof.L.cols(); ++k) entry -= static_cast<Long>(proof.L(i, k)) * proof.L(j, k);
      error += std::abs(entry);
    }
    if (!(proof.shift(i) > 0)) return -1;
    least = std::min(least, 1 - error / proof.shift(i));
  }
  return static_cast<double>(least);
}

double grade_semipositive(const MatrixX<double>& M, const VectorX<double>& d) {
  if (!(d.array() > 0).all()) return -1;
  Long least = 1;
  for (Eigen::Index i = 0; i < M.rows(); ++i) least = std::min(least, multiply_row(M, i, d).part());
  return static_cast<double>(least);
}

double grade_seminegative(const MatrixX<double>& M, const VectorX<double>& y) {
  if (!is_nonnegative(y)) return 1;
  const MatrixX<double> transpose = M.transpose();
  Long largest = -1;
  for (Eigen::Index j = 0; j < M.cols(); ++j) largest = std::max(largest, multiply_row(transpose, j, y).part());
  return static_cast<double>(largest);
}

SufficiencyGrade grade_insufficient(const MatrixX<double>& M, const VectorX<double>& x) {
  Long largest = -1, least = 1;
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    const Long part = x(i) == 0 ? 0 : std::copysign(Long{1}, static_cast<Long>(x(i))) * multiply_row(M, i, x).part();
    largest = std::max(largest, part);
    least = std::min(least, part);
  }
  return {static_cast<double>(largest), static_cast<double>(least)};
}

}  // namespace thenar
